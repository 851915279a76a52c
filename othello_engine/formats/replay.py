"""Plays recorded moves: are they legal, where were passes forced, what stands at the end.

Files hold millions of moves, and almost all are legal. So a move is tried first, and only where it turns nothing
is the position asked whether a pass was left out or what is wrong. Discs are found along rays that are laid out
for each square beforehand, which takes half the time of `core.plain` and no compilation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from othello_engine.core import plain
from othello_engine.errors import IllegalMoveError
from othello_engine.position import Position
from othello_engine.types import N_SQUARES, PASS, square_name

_Ray = tuple[int, int]
"""(the neighbour's bit, all squares from there to the edge)"""


def _ray(square: int, columns: int, rows: int) -> _Ray:
    """The ray from a square in one direction; (0, 0) if no disc can be enclosed on it."""
    column, row = square % 8 + columns, square // 8 + rows
    squares = []
    while 0 <= column < 8 and 0 <= row < 8:
        squares.append(8 * row + column)
        column, row = column + columns, row + rows
    if len(squares) < 2:
        return 0, 0
    return 1 << squares[0], sum(1 << each for each in squares)


def _rays(directions: Sequence[tuple[int, int]]) -> tuple[tuple[_Ray, ...], ...]:
    """For each square the rays in these directions on which discs can be enclosed."""
    return tuple(
        tuple(ray for columns, rows in directions if (ray := _ray(square, columns, rows))[0])
        for square in range(N_SQUARES)
    )


_UPWARD = _rays(((1, 0), (-1, 1), (0, 1), (1, 1)))
"""Rays toward higher squares: the first disc that isn't the opponent's is the lowest bit."""
_DOWNWARD = _rays(((-1, 0), (1, -1), (0, -1), (-1, -1)))
"""Rays toward lower squares: it is the highest bit."""


def turned_discs(square: int, player: int, opponent: int) -> int:
    """Opponent discs turned by playing an empty `square`; 0 if that is no legal move."""
    turned = 0
    for neighbour, ray in _UPWARD[square]:
        if opponent & neighbour:
            others = ray & ~opponent
            end = others & -others
            if end & player:
                turned |= ray & (end - 1)
    for neighbour, ray in _DOWNWARD[square]:
        if opponent & neighbour:
            others = ray & ~opponent
            if others:
                end = 1 << (others.bit_length() - 1)
                if end & player:
                    turned |= ray & -(end << 1)
    return turned


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of playing moves.

    end: the position after the last move. omitted: where passes were left out: before which of the moves.
    n_surplus: passes written behind the end of the game, as some programs do when nobody can move.
    """

    end: Position
    omitted: tuple[int, ...] = ()
    n_surplus: int = 0


def replay(start: Position, moves: Sequence[int]) -> Replay:
    """Plays squares and passes from a position. Forced passes may be left out.

    Up to two passes at the end of a finished game are taken as its sign, not as moves. Raises IllegalMoveError
    with the 1-based index of the move among those given.
    """
    player, opponent, side = start.player, start.opponent, start.side
    omitted: list[int] = []
    for index, move in enumerate(moves):
        if move == PASS:
            if plain.legal_moves(player, opponent) or not plain.legal_moves(opponent, player):
                position = Position(player, opponent, side)
                if position.is_over and _only_passes(moves, index):
                    return Replay(position, tuple(omitted), len(moves) - index)
                raise _illegal(position, move, index + 1)
            player, opponent, side = opponent, player, 1 - side
            continue
        turned = 0
        if 0 <= move < PASS and not (player | opponent) >> move & 1:
            turned = turned_discs(move, player, opponent)
            if not turned and not plain.legal_moves(player, opponent):
                turned = turned_discs(move, opponent, player)
                if turned:  # so the other side has a move, and the pass was forced
                    omitted.append(index)
                    player, opponent, side = opponent, player, 1 - side
        if not turned:
            raise _illegal(Position(player, opponent, side), move, index + 1)
        player, opponent, side = opponent ^ turned, player | turned | 1 << move, 1 - side
    return Replay(Position(player, opponent, side), tuple(omitted))


def _only_passes(moves: Sequence[int], index: int) -> bool:
    """True if one or two passes are all that is left."""
    return len(moves) - index <= 2 and all(move == PASS for move in moves[index:])


def _illegal(position: Position, move: int, index: int) -> IllegalMoveError:
    """Why the rules forbid a move, in the position's words."""
    name = square_name(move) if 0 <= move <= PASS else str(move)
    if move != PASS and position.must_pass:
        position = position.play(PASS)
    try:
        position.play(move)
    except IllegalMoveError as error:
        return IllegalMoveError(f"{str(error).rpartition(' (')[0]} (move {index}: {name})", name, index)
    raise AssertionError(f"{name} is legal in {position!r}")
