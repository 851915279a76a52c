"""What is asked of a search process and what it answers. Plain values without Numba, sent over pipes.

Scores are in search units, for the side to move of the task's position: plain discs when `exact`, else units of
the evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass

from othello_engine.types import NO_MOVE

SCORE_LIMIT = 1 << 30
"""Larger than any score: (-SCORE_LIMIT, SCORE_LIMIT) is the full window outside exact solving."""
EXACT_LIMIT = 64
"""The full window of an exact solve is (-64, 64)."""


@dataclass(frozen=True, slots=True)
class Task:
    """Search one position to one depth in one window.

    depth: plies; ignored when `exact` (then the whole rest of the game). alpha, beta: alpha < beta; a null window has
    beta == alpha + 1. moves: bitboard of the moves allowed at this position, 0 = all of them (a forced
    pass is searched as such). node_limit: stop after so many nodes, or a last ply's more; 0 = none.
    generation: age stamped on table entries, 0..255. epoch: table entries of other epochs don't exist, 0..EPOCHS - 1;
    when it comes round again the table's memory must be cleared. ply: distance of this position from the root of the
    whole search (killers and history are kept by it). draw_value: of a game drawn inside an estimate, for the side to
    move at ply 0. seed: picks between moves of equal value; 0 = always the same way. former_move: the best move of the
    search before, to be searched first; if it is not known, the table's. undivided: one worker is to search all of it.
    """

    player: int
    opponent: int
    alpha: int
    beta: int
    depth: int
    exact: bool = False
    moves: int = 0
    selectivity: int = 100
    node_limit: int = 0
    generation: int = 0
    epoch: int = 0
    ply: int = 0
    draw_value: int = 0
    seed: int = 0
    former_move: int = NO_MOVE
    undivided: bool = False


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The answer to a Task.

    complete: the search ran to its end; then `score` is a fail-soft value: exact if alpha < score < beta, an upper
    bound if score <= alpha, a lower bound if score >= beta. If not complete, `score` and `best_move` hold only what is
    proved: the best root move of those finished (best_move NO_MOVE when none is), a lower bound for the position, and
    `first_done` says whether the first move in order (the former best) is among them.
    pv: begins with best_move; may be cut short by the table. A null window below the root (ply > 0) names no move.
    selective_depth: deepest ply reached.
    """

    score: int
    best_move: int
    pv: tuple[int, ...]
    nodes: int
    complete: bool
    first_done: bool = True
    selective_depth: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody says about a position: its value to `depth` plies lies between two bounds.

    lower, upper: for the side to move, in evaluation units; -SCORE_LIMIT and SCORE_LIMIT say nothing. selectivity:
    confidence in per cent, below 100: what others say is never a proof. moves: the line of play that leads to the
    value, legal, forced passes included.
    """

    player: int
    opponent: int
    lower: int
    upper: int
    depth: int
    selectivity: int
    moves: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Child:
    """A move of an expanded node and the position after it (seen by the other side).

    lower, upper: what the table already proves about the child at the depth needed, from the child's side.
    best_move: the child's table move or NO_MOVE. passes: the child must pass. over: the game ends with this move
    (lower == upper == the score).
    """

    move: int
    player: int
    opponent: int
    lower: int
    upper: int
    best_move: int = NO_MOVE
    passes: bool = False
    over: bool = False


@dataclass(frozen=True, slots=True)
class Expansion:
    """All moves of a position in the order in which they should be searched (best first).

    must_pass: then `children` holds the one position after the pass, with move PASS. Empty children: game over.
    nodes: visited for the ordering.
    """

    children: tuple[Child, ...]
    must_pass: bool
    nodes: int
