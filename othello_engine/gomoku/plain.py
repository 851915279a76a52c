"""A move without a search, for when there is none: kernels still compile, or all workers are gone. Pure Python.

It takes a five, blocks one, makes or blocks an open four or two fours at once, and otherwise lengthens and blocks
lines near the other stones: enough not to lose in a move or two. It takes some milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection

from othello_engine.gomoku.position import BLOCKED, EMPTY, NO_CELL, STONES, GomokuPosition

NEAR = 2
"""Only cells so far from a stone, along rows, columns and diagonals, are looked at, if there are any."""
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
_FIVE, _BLOCKS_FIVE, _WINS, _BLOCKS_WIN = 10_000_000, 1_000_000, 100_000, 20_000
"""A move of one kind is better than any sum of weights of the kinds below it."""
_WEIGHTS = (0, 1, 6, 40, 90)
"""What a window of five is worth that holds so many stones of one side and none of the other."""


def quick_move(position: GomokuPosition, allowed: Collection[int] = (), avoid: Collection[int] = ()) -> int:
    """An empty cell that is worth something, NO_CELL if there is none; also where the game is over.

    allowed: cells to choose from; all if none of them is empty. avoid: cells taken only if there are no others.

    >>> quick_move(GomokuPosition.start()) == 7 * 15 + 7
    True
    """
    empties = [cell for cell, content in enumerate(position.cells) if content == EMPTY]
    empties = [cell for cell in empties if cell in allowed] or empties
    empties = [cell for cell in empties if cell not in avoid] or empties
    middle = (position.size - 1) / 2

    def value(cell: int) -> tuple[int, float]:
        row, column = divmod(cell, position.size)
        distance = abs(row - middle) + abs(column - middle)
        return worth(position, cell), -distance

    return max(_near_stones(position, empties) or empties, key=value, default=NO_CELL)


def worth(position: GomokuPosition, cell: int) -> int:
    """What it is worth to the side to move to play on an empty cell: larger is better, see the kinds above."""
    own, other = STONES[position.side], STONES[1 - position.side]
    fives, threats, weight = _lines(position, cell, own)
    if fives:
        return _FIVE
    other_fives, other_threats, other_weight = _lines(position, cell, other)
    if other_fives:
        return _BLOCKS_FIVE
    if threats >= 2:
        return _WINS + weight
    if other_threats >= 2:
        return _BLOCKS_WIN + other_weight
    return weight + other_weight * 4 // 5


def _lines(position: GomokuPosition, cell: int, stone: int) -> tuple[int, int, int]:
    """What a stone on an empty cell makes: windows that are fives, cells that would then make one, weight of the rest.

    Two such cells are a won game: an open four, or two fours.
    """
    size, cells = position.size, position.cells
    row, column = divmod(cell, size)
    fives = weight = 0
    completing: set[int] = set()
    for down, right in STEPS:
        line = [
            (row + offset * down) * size + column + offset * right
            if 0 <= row + offset * down < size and 0 <= column + offset * right < size
            else -1
            for offset in range(-4, 5)
        ]
        contents = [BLOCKED if each < 0 else cells[each] for each in line]
        contents[4] = stone
        for start in range(5):
            window = contents[start : start + 5]
            n_stones = window.count(stone)
            if n_stones + window.count(EMPTY) < 5:
                continue
            if n_stones == 5:
                fives += 1
            elif n_stones == 4:
                completing.add(line[start + window.index(EMPTY)])
            weight += _WEIGHTS[n_stones - 1]
    return fives, len(completing), weight


def _near_stones(position: GomokuPosition, empties: list[int]) -> list[int]:
    """The empty cells that are near a stone."""
    size, cells = position.size, position.cells

    def is_near(cell: int) -> bool:
        row, column = divmod(cell, size)
        for each_row in range(max(0, row - NEAR), min(size, row + NEAR + 1)):
            start = each_row * size
            part = cells[start + max(0, column - NEAR) : start + min(size, column + NEAR + 1)]
            if any(content in STONES for content in part):
                return True
        return False

    return [cell for cell in empties if is_near(cell)]
