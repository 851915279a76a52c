"""What a stone on an empty cell makes of the four lines through it: classes, and tables by key and by combination.

A *key* is what lies around a cell on one line: two bits for each of the four cells on either side, 0 empty, 1 black,
2 white, 3 wall (a blocked cell, or none). The cell four steps back has the lowest bits, the one four steps ahead the
highest; the cell itself is left out. Sixteen bits see every row of five that the cell can be part of.

A *class* says what the line becomes for a colour that plays on the cell, defined by what a further stone can make:

    FIVE               five or more
    OPEN_FOUR, FOUR    two or more cells, one cell, that complete five
    OPEN_THREE         two or more cells that make an open four; _WEAK: one
    CLOSED_THREE       a cell that makes a four
    OPEN_TWO           one cell that makes an OPEN_THREE; _STRONG: two or more; _WEAK: only a weak one
    CLOSED_TWO         a cell that makes a closed three
    OPEN_ONE           a cell that makes an open two
    CLOSED_ONE         a cell that makes a closed two
    DEAD               no row of five through the cell is left

A *combination* is the four classes of a cell for one colour, four bits each: row, column, falling diagonal (down and to
the right), rising diagonal, from the low end. What it is worth doesn't depend on their order: the *multiset* of its
classes counts. The *cell class* names what matters of it for tactics.

Other code is trained and stored by these numbers: they stay as they are.
"""

from __future__ import annotations

import hashlib
from itertools import combinations_with_replacement

import numpy as np

from othello_engine.gomoku.position import BLOCKED

(
    DEAD,
    CLOSED_ONE,
    OPEN_ONE,
    CLOSED_TWO,
    OPEN_TWO_WEAK,
    OPEN_TWO,
    OPEN_TWO_STRONG,
    CLOSED_THREE,
    OPEN_THREE_WEAK,
    OPEN_THREE,
    FOUR,
    OPEN_FOUR,
    FIVE,
) = range(13)
N_CLASSES = 13
"""Line classes, weakest first."""

REACH = 4
"""Cells that a key sees on each side."""
N_KEYS = 1 << 16
N_COMBINATIONS = 1 << 16

(
    CELL_NONE,
    CELL_ONE,
    CELL_CLOSED_TWO,
    CELL_OPEN_TWO,
    CELL_OPEN_TWO_PLUS,
    CELL_DOUBLE_OPEN_TWO,
    CELL_CLOSED_THREE,
    CELL_CLOSED_THREE_PLUS,
    CELL_OPEN_THREE,
    CELL_OPEN_THREE_PLUS,
    CELL_DOUBLE_OPEN_THREE,
    CELL_FOUR,
    CELL_FOUR_PLUS,
    CELL_FOUR_OPEN_THREE,
    CELL_OPEN_FOUR,
    CELL_FIVE,
) = range(16)
"""Cell classes, weakest first. PLUS: with a closed three or an open two on another line. CELL_OPEN_FOUR is an open four
or two fours on two lines: either leaves two cells that complete five."""

MULTISETS = tuple(combinations_with_replacement(range(N_CLASSES), 4))
"""All multisets of four classes, in the order in which values are stored."""


def class_table() -> np.ndarray:
    """(N_KEYS,) uint8: class for black | class for white << 4.

    >>> int(class_table()[0]) == OPEN_ONE | OPEN_ONE << 4
    True
    """
    by_line = _classes_by_line()
    keys = np.arange(N_KEYS)
    black = np.zeros(N_KEYS, np.int64)
    white = np.zeros(N_KEYS, np.int64)
    for place in range(2 * REACH):
        content = keys >> (2 * place) & 3
        black += np.array([0, 1, 2, 2])[content] * 3**place
        white += np.array([0, 2, 1, 2])[content] * 3**place
    return (by_line[black] | by_line[white] << 4).astype(np.uint8)


def _classes_by_line() -> np.ndarray:
    """(3**8,) classes of all lines of nine cells with an own stone in the middle.

    The index has a digit to base 3 for each of the other cells: 0 empty, 1 own, 2 anything else.
    """
    n_lines, places = 3 ** (2 * REACH), range(2 * REACH)
    lines = np.arange(n_lines)
    digits = np.array([lines // 3**place % 3 for place in places])
    own = np.insert(digits == 1, REACH, True, axis=0)
    is_five = np.zeros(n_lines, bool)
    for first in range(REACH + 1):
        is_five |= own[first : first + 5].all(axis=0)
    classes = np.full(n_lines, -1)
    n_own = (digits == 1).sum(axis=0)
    for stones in range(2 * REACH, -1, -1):
        chosen = np.flatnonzero(n_own == stones)
        # What each empty cell would make of the line; -1 where there is none to play on.
        filled = np.minimum(chosen + 3 ** np.arange(2 * REACH)[:, None], n_lines - 1)
        # What each empty cell would make of the line; -1 where there is none to play on.
        next_ = np.where(digits[:, chosen] == 0, classes[filled], -1)
        fives, open_fours = (next_ == FIVE).sum(axis=0), (next_ == OPEN_FOUR).sum(axis=0)
        full_threes = (next_ == OPEN_THREE).sum(axis=0)
        open_twos = ((next_ >= OPEN_TWO_WEAK) & (next_ <= OPEN_TWO_STRONG)).any(axis=0)
        found = [
            (is_five[chosen], FIVE),
            (fives >= 2, OPEN_FOUR),
            (fives == 1, FOUR),
            (open_fours >= 2, OPEN_THREE),
            (open_fours == 1, OPEN_THREE_WEAK),
            ((next_ == FOUR).any(axis=0), CLOSED_THREE),
            (full_threes >= 2, OPEN_TWO_STRONG),
            (full_threes == 1, OPEN_TWO),
            ((next_ == OPEN_THREE_WEAK).any(axis=0), OPEN_TWO_WEAK),
            ((next_ == CLOSED_THREE).any(axis=0), CLOSED_TWO),
            (open_twos, OPEN_ONE),
            ((next_ == CLOSED_TWO).any(axis=0), CLOSED_ONE),
        ]
        classes[chosen] = np.select([mask for mask, _ in found], [class_ for _, class_ in found], DEAD)
    return classes


def _classes_of_combinations() -> np.ndarray:
    """(4, N_COMBINATIONS) classes, sorted upward; those of combinations that don't exist are DEAD."""
    combinations = np.arange(N_COMBINATIONS)
    classes = np.array([combinations >> (4 * direction) & 15 for direction in range(4)])
    classes[:, (classes >= N_CLASSES).any(axis=0)] = DEAD
    return np.sort(classes, axis=0)


def _multiset_table(classes: np.ndarray) -> np.ndarray:
    """(N_COMBINATIONS,) uint16: index into MULTISETS."""
    number = np.zeros((N_CLASSES,) * 4, np.uint16)
    number[tuple(np.array(MULTISETS).T)] = np.arange(len(MULTISETS))
    return number[tuple(classes)]


def cell_class(classes: tuple[int, ...]) -> int:
    """The cell class of four line classes in any order."""
    count = [classes.count(class_) for class_ in range(N_CLASSES)]
    fours = count[FOUR]
    open_threes = count[OPEN_THREE] + count[OPEN_THREE_WEAK]
    open_twos = count[OPEN_TWO_WEAK] + count[OPEN_TWO] + count[OPEN_TWO_STRONG]
    has_more = count[CLOSED_THREE] + open_twos > 0
    if count[FIVE]:
        return CELL_FIVE
    if count[OPEN_FOUR] or fours >= 2:
        return CELL_OPEN_FOUR
    if fours:
        return CELL_FOUR_OPEN_THREE if open_threes else CELL_FOUR_PLUS if has_more else CELL_FOUR
    if open_threes:
        return CELL_DOUBLE_OPEN_THREE if open_threes >= 2 else CELL_OPEN_THREE_PLUS if has_more else CELL_OPEN_THREE
    if count[CLOSED_THREE]:
        return CELL_CLOSED_THREE_PLUS if count[CLOSED_THREE] + open_twos >= 2 else CELL_CLOSED_THREE
    if open_twos:
        if open_twos >= 2:
            return CELL_DOUBLE_OPEN_TWO
        return CELL_OPEN_TWO_PLUS if count[CLOSED_TWO] else CELL_OPEN_TWO
    return CELL_CLOSED_TWO if count[CLOSED_TWO] else CELL_ONE if any(classes) else CELL_NONE


LINE_CLASS = class_table()
"""Class for black | class for white << 4, by key."""
_SORTED = _classes_of_combinations()
MULTISET_OF = _multiset_table(_SORTED)
"""Index into MULTISETS, by combination."""
CELL_CLASS = np.array([cell_class(classes) for classes in MULTISETS], np.uint8)
"""Cell class, by multiset."""
COMBO_CLASS = CELL_CLASS[MULTISET_OF]
"""Cell class, by combination."""


def lines_digest() -> str:
    """Hex digest of what trained values depend on: classes by key, and the order of the multisets."""
    return hashlib.sha256(LINE_CLASS.tobytes() + MULTISET_OF.tobytes()).hexdigest()[:16]


def combos_of(size: int, cells: bytes | np.ndarray) -> np.ndarray:
    """(size * size, 2) uint16: combination of each empty cell for black and for white; 0 for cells that hold anything.

    cells: contents row by row, as of a GomokuPosition. The slow twin of what the search keeps up to date.
    """
    contents = np.frombuffer(bytes(cells), np.uint8) if isinstance(cells, bytes) else np.asarray(cells, np.uint8)
    board = np.full((size + 2 * REACH,) * 2, BLOCKED, np.int64)
    board[REACH:-REACH, REACH:-REACH] = contents.reshape(size, size)
    combos = np.zeros((size, size, 2), np.int64)
    for direction, (down, right) in enumerate(((0, 1), (1, 0), (1, 1), (-1, 1))):
        key = np.zeros((size, size), np.int64)
        steps = [step for step in range(-REACH, REACH + 1) if step]
        for place, step in enumerate(steps):
            top, left = REACH + step * down, REACH + step * right
            key |= board[top : top + size, left : left + size] << (2 * place)
        classes = LINE_CLASS[key].astype(np.int64)
        combos[:, :, 0] |= (classes & 15) << (4 * direction)
        combos[:, :, 1] |= (classes >> 4) << (4 * direction)
    combos[contents.reshape(size, size) != 0] = 0
    return combos.reshape(-1, 2).astype(np.uint16)
