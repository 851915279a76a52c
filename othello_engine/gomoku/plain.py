"""Gomoku in plain Python: a decent move in a few milliseconds, without Numba, for when there is no search."""

from __future__ import annotations

from collections.abc import Iterable

from othello_engine.gomoku.position import EMPTY, NO_CELL, STONES, GomokuPosition

_OWN = (1, 10, 90, 800, 100_000, 0)
"""What a row of five cells with so many own stones, and none of the other side, adds to each of its empty cells."""
_OTHER = (0, 8, 70, 500, 20_000, 0)
"""The same for the other side's stones."""


def quick_move(position: GomokuPosition, allowed: Iterable[int] = ()) -> int:
    """The move that a glance at all rows of five cells suggests: it wins or blocks at once if it can, else it makes or
    hinders the longest rows, near the centre if nothing else decides. NO_CELL if there is none.

    allowed: cells to choose from; all empty ones if there are none.

    >>> quick_move(GomokuPosition.start()) == 7 * 15 + 7
    True
    """
    legal = position.legal_moves
    choices = [cell for cell in allowed if cell in legal] or legal
    if not choices:
        return NO_CELL
    values = _values(position)
    centre = (position.size - 1) / 2

    def rank(cell: int) -> tuple[int, float]:
        row, column = divmod(cell, position.size)
        return values[cell], -max(abs(row - centre), abs(column - centre)) - abs(row - column) / 1000

    return max(choices, key=rank)


def _values(position: GomokuPosition) -> list[int]:
    """What the rows of five cells through each cell are worth."""
    size, cells = position.size, position.cells
    own, other = STONES[position.side], STONES[1 - position.side]
    values = [0] * len(cells)
    for row in range(size):
        for column in range(size):
            for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if row + 4 * row_step >= size or not 0 <= column + 4 * column_step < size:
                    continue
                start, step = row * size + column, row_step * size + column_step
                window = cells[start : start + 4 * step + 1 : step]
                n_own, n_other = window.count(own), window.count(other)
                if n_own + n_other + window.count(EMPTY) < 5 or (n_own and n_other):
                    continue
                for place, content in enumerate(window):
                    if content == EMPTY:
                        values[start + place * step] += _OTHER[n_other] if n_other else _OWN[n_own]
    return values
