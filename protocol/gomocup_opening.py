"""Openings that are level: the three phases of swap2, and one or two moves that balance a position. Pure.

Each is a generator: it asks for searches and is sent their results, and returns the line that is the answer. A search
that found nothing counts as a value of 0, so that there is an answer whatever happens.

In swap2 one player puts three stones, black, white, black; the other takes black, or stays white with a fourth stone,
or puts a fourth and a fifth and lets the first choose. White is to move after three stones and after five.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from othello_engine.gomoku.plain import quick_move
from othello_engine.gomoku.position import EMPTY, STONES, GomokuPosition
from othello_engine.types import BLACK, WHITE, ScoreKind, SearchInfo, SearchResult
from protocol.gomocup_lines import RefusedError, format_points

SWAP = "SWAP"
"""The answer that takes the other colour."""
CLEAR_VALUE = 60
"""From here on a value says which colour is better."""
MATE_VALUE = 1_000_000
"""What a game that is proved to be won is worth, less a unit for each ply."""
BALANCE_LINES = 30
"""Moves that are looked at to find a level one: the best ones, of which the last is a bad one as a rule."""
N_FOURTHS = 4
"""Fourth stones for which a fifth is looked for."""
OPENINGS = (
    ((2, 2), (4, 3), (3, 6)),
    ((1, 3), (3, 2), (5, 5)),
    ((3, 3), (5, 3), (2, 6)),
    ((1, 1), (4, 4), (2, 5)),
    ((0, 4), (3, 3), (5, 1)),
    ((2, 4), (4, 6), (6, 2)),
    ((1, 5), (2, 3), (6, 4)),
    ((3, 1), (4, 5), (6, 3)),
)
"""Three stones each as x,y from a corner, far enough from the middle and from each other that Black's first move is not
worth much. Our own making; which of them is level, a search decides each time."""


@dataclass(frozen=True, slots=True)
class Question:
    """A position to search for so many lines of play. share: of the time that is left."""

    position: GomokuPosition
    n_lines: int
    share: float


Plan = Generator[Question, SearchResult, str]
"""What asks its way to an answer."""


def value_of(line: SearchInfo) -> int:
    """What a line is worth for the side to move, in hundredths of a move's worth whatever the profile's units."""
    score = line.score
    if score.kind is ScoreKind.MATE:
        return MATE_VALUE - score.value if score.value > 0 else -MATE_VALUE - score.value
    return round(100 * score.value / score.units_per_disc)


def _value(result: SearchResult) -> int:
    return value_of(result.lines[0]) if result.lines else 0


def position_of(size: int, cells: Sequence[int]) -> GomokuPosition:
    """The position after these stones, black first. Raises RefusedError for two on one cell."""
    board = bytearray(size * size)
    for index, cell in enumerate(cells):
        if board[cell] != EMPTY:
            raise RefusedError(f"two stones on {format_points([cell], size)}")
        board[cell] = STONES[index % 2]
    return GomokuPosition(size, bytes(board), BLACK if len(cells) % 2 == 0 else WHITE)


# -- swap2 -------------------------------------------------------------------------------------------------


def swap2(size: int, cells: Sequence[int], rng: random.Random) -> Plan:
    """The phase that so many stones mean. Raises RefusedError for other numbers than 0, 3 and 5."""
    position = position_of(size, cells)
    match len(cells):
        case 0:
            return _propose(size, rng)
        case 3:
            return _choose(position)
        case 5:
            return _decide(position)
    raise RefusedError(f"swap2 has 0, 3 or 5 stones, not {len(cells)}")


def _propose(size: int, rng: random.Random) -> Plan:
    """Three stones after which neither side is better off, in one of eight orientations."""
    order = rng.sample(
        range(len(OPENINGS)), len(OPENINGS)
    )  # so that short searches do not always end up with the first
    best: tuple[int, list[int]] | None = None
    for n_left, index in zip(range(len(order), 0, -1), order, strict=True):
        cells = [y * size + x for x, y in OPENINGS[index]]
        result = yield Question(position_of(size, cells), 1, 1 / n_left)
        unrest = abs(_value(result))
        if best is None or unrest < best[0]:
            best = unrest, cells
    assert best is not None
    orientation = rng.randrange(8)
    return format_points((_turned(cell, size, orientation) for cell in best[1]), size)


def _turned(cell: int, size: int, orientation: int) -> int:
    """The cell in one of the eight orientations of the board."""
    y, x = divmod(cell, size)
    x = size - 1 - x if orientation & 1 else x
    y = size - 1 - y if orientation & 2 else y
    return x * size + y if orientation & 4 else y * size + x


def _choose(position: GomokuPosition) -> Plan:
    """White if that is clearly better, black if that is; otherwise two stones that leave it level."""
    result = yield Question(position, 1, 0.4)
    value = _value(result)
    if value >= CLEAR_VALUE:
        return format_points([_move(result, position)], position.size)
    if value <= -CLEAR_VALUE:
        return SWAP
    return (yield from balance_two(position, 0))


def _decide(position: GomokuPosition) -> Plan:
    """White with a sixth stone, or black, whichever is better."""
    result = yield Question(position, 1, 1.0)
    return SWAP if _value(result) < 0 else format_points([_move(result, position)], position.size)


# -- balance -----------------------------------------------------------------------------------------------


def balance_one(position: GomokuPosition, wanted: int) -> Plan:
    """A move after which the side that made it is ahead by as much as wanted, as nearly as can be found."""
    result = yield Question(position, BALANCE_LINES, 1.0)
    return format_points([_levelling(result, position, wanted)[1]], position.size)


def balance_two(position: GomokuPosition, wanted: int) -> Plan:
    """A move of each side after which the side to move is ahead by as much as wanted, as nearly as can be found."""
    result = yield Question(position, N_FOURTHS, 0.3)
    firsts = [line.pv[0] for line in result.lines if line.pv][:N_FOURTHS] or [_move(result, position)]
    best: tuple[int, list[int]] | None = None
    for n_left, first in zip(range(len(firsts), 0, -1), firsts, strict=True):
        after = position.play(first)
        if after.is_over:
            continue
        result = yield Question(after, BALANCE_LINES, 1 / n_left)
        distance, second = _levelling(result, after, -wanted)
        if best is None or distance < best[0]:
            best = distance, [first, second]
    if best is None:  # every first move ends the game
        first = firsts[0]
        left = [cell for cell in position.legal_moves if cell != first]
        best = 0, [first, left[0]] if left else [first]
    return format_points(best[1], position.size)


def _levelling(result: SearchResult, position: GomokuPosition, wanted: int) -> tuple[int, int]:
    """How far from what is wanted the nearest move is, and the move."""
    found = ((abs(value_of(line) - wanted), line.pv[0]) for line in result.lines if line.pv)
    return min(found, default=(MATE_VALUE, _move(result, position)))


def _move(result: SearchResult, position: GomokuPosition) -> int:
    """The move of a search; one without a search if it found none."""
    return result.best_move if result.best_move in position.legal_moves else quick_move(position)
