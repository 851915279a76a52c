"""What is settled at the root before any search: fives, forced blocks, wins by fours, and moves that lose to them.

One stage with one score per event. Only what is proved ends the search here; a four that proves nothing raises a move's
order and no more.
"""

from dataclasses import dataclass, field

from othello_engine.gomoku.classic.board import cells_of, five_points, put, take_back
from othello_engine.gomoku.classic.search import WIN
from othello_engine.gomoku.classic.state import BLACK_POINTS
from othello_engine.gomoku.classic.threats import points_of_stone, shortest_vcf
from othello_engine.gomoku.position import NO_CELL
from othello_engine.gomoku.task import RootScore

OWN_FIVE = WIN
BLOCK_FIVE = 580_000_000
OWN_VCF = 540_000_000
FOE_VCF = -540_000_000
WINNING_REPLIES = 380_000_000
WINNING_REPLY = 10_000_000
"""Of a move that makes so many five-points, two or more: WINNING_REPLIES + n * WINNING_REPLY."""

VCF_NODES = 100_000
"""Nodes for the own win by fours."""
PASS_NODES = 50_000
"""Nodes for the question whether the opponent would win by fours if it were his move."""
REPLY_NODES = 5_000
"""Nodes for the same question after each root move."""


@dataclass(slots=True)
class Settled:
    """What a depth-0 task found out. Fields as of a GomokuResult."""

    score: int = 0
    best_move: int = NO_CELL
    mate: int = 0
    pv: tuple[int, ...] = ()
    moves: list[RootScore] = field(default_factory=list)


def fives(state, side):
    """The cells that complete a five of the side, ascending."""
    five_points(state, side)
    return cells_of(state, BLACK_POINTS + side)


def settle(state, side, moves):
    """Settle the position in the record for these root moves (empty cells, at least one), in order."""
    own, against = fives(state, side), fives(state, 1 - side)
    if any(move in own for move in moves):
        won = [RootScore(move, OWN_FIVE, 1) for move in moves if move in own]
        return Settled(OWN_FIVE, won[0].move, 1, (won[0].move,), won)
    if against:
        return _stop_five(state, side, moves, against, not own)
    won = _winning_replies(state, side, moves)
    if won:
        best = max(won, key=lambda root_score: root_score.score)
        return Settled(best.score, best.move, 3, (best.move,), won)
    plies, line, _ = shortest_vcf(state, side, VCF_NODES, moves)
    if plies:
        return Settled(OWN_VCF, line[0], plies, line, [RootScore(line[0], OWN_VCF, plies)])
    lost = _losing_to_fours(state, side, moves)
    return Settled(FOE_VCF if len(lost) == len(moves) else 0, moves=lost)


def _stop_five(state, side, moves, against, is_threatened):
    """The opponent has five-points. Only a move on the one five-point doesn't lose in two plies."""
    lost = [RootScore(move, 1 - WIN, -2) for move in moves if len(against) > 1 or move not in against]
    if len(lost) == len(moves):
        is_lost = is_threatened and len(against) > 1
        return Settled(1 - WIN, mate=-2 if is_lost else 0, moves=lost)
    plies, line, _ = shortest_vcf(state, side, VCF_NODES, against)
    block = against[0]
    proved = [RootScore(block, BLOCK_FIVE, plies)] if plies else []
    return Settled(BLOCK_FIVE, block, plies, line or (block,), proved + lost)


def _winning_replies(state, side, moves):
    """Moves that make two five-points or more, when neither side has one yet: a five in three plies."""
    won = []
    for move in moves:
        put(state, move, side)
        count = int(points_of_stone(state, move, side))
        take_back(state, move, side)
        if count > 1:
            won.append(RootScore(move, WINNING_REPLIES + count * WINNING_REPLY, 3))
    return won


def _losing_to_fours(state, side, moves):
    """Moves after which the opponent is proved to win by fours.

    A stone more of this side's never helps him: if he has nothing when it is passed, there is nothing to look for.
    """
    plies, _, _ = shortest_vcf(state, 1 - side, PASS_NODES)
    if not plies:
        return []
    lost = []
    for move in moves:
        put(state, move, side)
        plies, _, _ = shortest_vcf(state, 1 - side, REPLY_NODES)
        take_back(state, move, side)
        if plies:
            lost.append(RootScore(move, FOE_VCF, -plies - 1))
        if state.stop:
            break
    return lost
