"""Windows of five cells: what each is worth, and what one stone more makes of a line.

A line is seen as eleven bits: bit 5 is the cell asked about, bits 0 to 4 the cells before it, 6 to 10 those behind it.
"""

import numba
import numpy as np

from othello_engine.core.jit import I64, kernel

FIVE_STONES = 50_000_000
FOUR_STONES = (4_000_000, 8_000_000, 12_000_000)
THREE_STONES = (0, 450_000, 1_500_000)
TWO_STONES = (0, 0, 45_000)
"""What a window without foreign stones is worth by its open ends: none, one, both."""

OPEN_THREE = 1_500_000
"""A window of three stones worth as much is an open three."""

FORK_FOURS = 18_000_000
FORK_FOUR_THREE = 9_000_000
FORK_THREES = 4_500_000


def window_score(stones, n_open):
    """Value of a window. stones: five bits, the other cells are empty; n_open: its empty neighbours, 0 to 2.

    With a stone at each end (XX_XX, X_X_X) no move makes a row of the inside that is open on both sides: such a window
    has one open end at most.
    """
    count = stones.bit_count()
    if stones & 0b10001 == 0b10001:
        n_open = min(n_open, 1)
    return ((0,) * 3, (0,) * 3, TWO_STONES, THREE_STONES, FOUR_STONES, (FIVE_STONES,) * 3)[count][n_open]


_SCORES = np.array([[window_score(stones, n_open) for n_open in range(3)] for stones in range(32)], dtype=np.int64)

NOTHING, IS_OPEN_THREE, IS_FOUR, IS_FIVE = range(4)
"""The best that a line is after the stone."""
_COUNTS = np.array([stones.bit_count() for stones in range(32)], dtype=np.int64)

_PAIR = numba.types.UniTuple(numba.int64, 2)
_FIVE_BITS = np.int64(31)
_ONE = np.int64(1)
_OPEN_THREE = np.int64(OPEN_THREE)
_THREE, _FOUR, _FIVE = np.int64(IS_OPEN_THREE), np.int64(IS_FOUR), np.int64(IS_FIVE)
_FORK_FOURS, _FORK_FOUR_THREE = np.int64(FORK_FOURS), np.int64(FORK_FOUR_THREE)
_FORK_THREES = np.int64(FORK_THREES)


@kernel(_PAIR(I64, I64))
def line_threat(own, empty):
    """(sum of the windows through bit 5, NOTHING .. IS_FIVE) of a line of eleven bits. own: with the new stone."""
    threat = kind = np.int64(0)
    free = own | empty
    for start in range(1, 6):
        if (free >> start) & _FIVE_BITS != _FIVE_BITS:
            continue
        stones = (own >> start) & _FIVE_BITS
        n_open = ((empty >> (start - _ONE)) & _ONE) + ((empty >> (start + 5)) & _ONE)
        score = _SCORES[stones, n_open]
        threat += score
        count = _COUNTS[stones]
        if count == 5:
            kind = _FIVE
        elif count == 4:
            kind = max(kind, _FOUR)
        elif score >= _OPEN_THREE:
            kind = max(kind, _THREE)
    return threat, kind


@kernel(I64(I64, I64))
def fork_bonus(n_fours, n_threes):
    """What a stone is worth that makes so many lines into fours, and so many others into open threes."""
    if n_fours >= 2:
        return _FORK_FOURS
    if n_fours == 1 and n_threes >= 1:
        return _FORK_FOUR_THREE
    if n_threes >= 2:
        return _FORK_THREES
    return np.int64(0)
