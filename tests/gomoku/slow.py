"""Slow, obvious twins of the kernels for Gomoku: lines as text, boards as lists, searches without any tables."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from othello_engine.gomoku import lines
from othello_engine.gomoku.position import BLOCKED, EMPTY, GomokuPosition

STEPS = ((0, 1), (1, 0), (1, 1), (-1, 1))
"""Row and column steps of the four directions, in the order of the combinations."""


@functools.cache
def class_of(line: str) -> int:
    """Line class of nine cells with an own stone in the middle: `_` empty, `X` own, `O` anything else."""
    if any(line[first : first + 5] == "XXXXX" for first in range(5)):
        return lines.FIVE
    after = [class_of(line[:place] + "X" + line[place + 1 :]) for place, cell in enumerate(line) if cell == "_"]
    n_fives, n_open_fours = after.count(lines.FIVE), after.count(lines.OPEN_FOUR)
    if n_fives:
        return lines.OPEN_FOUR if n_fives >= 2 else lines.FOUR
    if n_open_fours:
        return lines.OPEN_THREE if n_open_fours >= 2 else lines.OPEN_THREE_WEAK
    if lines.FOUR in after:
        return lines.CLOSED_THREE
    n_threes = after.count(lines.OPEN_THREE)
    if n_threes:
        return lines.OPEN_TWO_STRONG if n_threes >= 2 else lines.OPEN_TWO
    if lines.OPEN_THREE_WEAK in after:
        return lines.OPEN_TWO_WEAK
    if lines.CLOSED_THREE in after:
        return lines.CLOSED_TWO
    if any(lines.OPEN_TWO_WEAK <= class_ <= lines.OPEN_TWO_STRONG for class_ in after):
        return lines.OPEN_ONE
    return lines.CLOSED_ONE if lines.CLOSED_TWO in after else lines.DEAD


def content(size: int, cells: bytes, row: int, column: int) -> int:
    """What a cell holds; BLOCKED outside the board."""
    if 0 <= row < size and 0 <= column < size:
        return cells[row * size + column]
    return BLOCKED


def around(size: int, cells: bytes, cell: int, direction: int) -> list[int]:
    """Contents of the nine cells of a line around a cell."""
    row, column = divmod(cell, size)
    down, right = STEPS[direction]
    return [content(size, cells, row + step * down, column + step * right) for step in range(-4, 5)]


@functools.cache
def on_lines(size: int, cell: int) -> list[int]:
    """Cells within four steps on the four lines through a cell."""
    row, column = divmod(cell, size)
    there = [(row + step * down, column + step * right) for down, right in STEPS for step in range(-4, 5) if step]
    return [row * size + column for row, column in there if 0 <= row < size and 0 <= column < size]


def combination(size: int, cells: bytes, cell: int, stone: int) -> int:
    """Combination of an empty cell for the side with these stones."""
    found = 0
    for direction in range(4):
        symbols = [
            "_" if held == EMPTY else "X" if held == stone else "O" for held in around(size, cells, cell, direction)
        ]
        found |= class_of("".join(symbols[:4]) + "X" + "".join(symbols[5:])) << (4 * direction)
    return found


def completes(position: GomokuPosition, cell: int, side: int) -> bool:
    """True if a stone of this side on the cell, which is empty, makes five or more."""
    for direction in range(4):
        nine = around(position.size, position.cells, cell, direction)
        nine[4] = side + 1
        if any(nine[first : first + 5] == [side + 1] * 5 for first in range(5)):
            return True
    return False


def five_cells(position: GomokuPosition, side: int) -> list[int]:
    """Cells where a side completes five."""
    return [cell for cell in position.legal_moves if completes(position, cell, side)]


def wins_in(position: GomokuPosition, plies: int) -> bool:
    """True if the side to move can force five within so many plies, by trying everything. plies: odd, at most 3."""
    side = position.side
    if five_cells(position, side):
        return True
    if plies < 3:
        return False
    return any(loses_in(position.play(move), 2) for move in position.legal_moves)


def loses_in(position: GomokuPosition, plies: int) -> bool:
    """True if the opponent of the side to move has five within so many plies, whatever is played. plies: 2."""
    opponent = 1 - position.side
    if plies != 2:
        raise ValueError(plies)
    return not five_cells(position, position.side) and len(five_cells(position, opponent)) >= 2


def fours_length(position: GomokuPosition, stones: int) -> int:
    """Plies of the shortest win of the side to move by fours with at most so many own stones, 0 if there is none."""
    side = position.side
    if stones < 1:
        return 0
    if five_cells(position, side):
        return 1
    theirs = five_cells(position, 1 - side)
    if len(theirs) >= 2:
        return 0
    best = 0
    for move in theirs or position.legal_moves:
        after = position.play(move)
        if not any(completes(after, cell, side) for cell in on_lines(position.size, move) if not after.cells[cell]):
            continue
        fives = five_cells(after, side)
        if five_cells(after, 1 - side):
            continue
        lengths = [fours_length(after.play(reply), stones - 1) for reply in fives[:1]]
        length = 3 if len(fives) >= 2 and stones >= 2 else lengths[0] + 2 if lengths[0] else 0
        if length and (not best or length < best):
            best = length
    return best


def random_position(
    size: int, seed: int, stones: int, blocked: int = 0, radius: int = 5, side: int = 0
) -> GomokuPosition:
    """Stones near the middle and blocked cells anywhere, nobody with five."""
    rng = np.random.default_rng(seed)
    while True:
        cells = bytearray(size * size)
        for cell in rng.permutation(size * size)[:blocked]:
            cells[cell] = BLOCKED
        middle = [cell for cell in range(size * size) if max(abs(n - size // 2) for n in divmod(cell, size)) <= radius]
        empty = [cell for cell in middle if cells[cell] == EMPTY]
        for number, index in enumerate(rng.permutation(len(empty))[:stones]):
            cells[empty[index]] = 1 + number % 2
        position = GomokuPosition(size, bytes(cells), side)
        if position.winner is None:
            return position


def turned(position: GomokuPosition) -> Iterator[GomokuPosition]:
    """The position in the eight symmetries of the board."""
    board = np.frombuffer(position.cells, np.uint8).reshape(position.size, position.size)
    for flipped in (board, board.T):
        for turns in range(4):
            yield GomokuPosition(position.size, np.rot90(flipped, turns).tobytes(), position.side)
