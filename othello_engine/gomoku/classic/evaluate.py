"""Leaf evaluation: the rows of stones plus the five-cell windows of the whole board, own minus the opponent's.

Both are counted by shifting and masking the bitboards, all lines of a direction at once.
"""

import numpy as np

from othello_engine.core.jit import I64, ZERO, kernel
from othello_engine.core.simd import popcount
from othello_engine.gomoku.classic.board import ahead_of, behind_of
from othello_engine.gomoku.classic.patterns import SCORES
from othello_engine.gomoku.classic.state import EMPTY_ROW, STATE
from othello_engine.gomoku.classic.windows import FIVE_STONES, FOUR_STONES, THREE_STONES, TWO_STONES

EVALUATION_LIMIT = 490_000_000
"""No estimate is larger, so that none passes for a win."""

_LIMIT = np.int64(EVALUATION_LIMIT)
_EMPTY = np.int64(EMPTY_ROW)
_FIVE = np.int64(FIVE_STONES)
_FOUR_0, _FOUR_1, _FOUR_2 = (np.int64(score) for score in FOUR_STONES)
_THREE_1, _THREE_2 = np.int64(THREE_STONES[1]), np.int64(THREE_STONES[2])
_TWO_2 = np.int64(TWO_STONES[2])


@kernel(I64(STATE, I64))
def score_side(state, side):
    """Rows and windows of one side, BLACK (0) or WHITE (1)."""
    score = np.int64(0)
    for direction in range(4):
        stride = state.bit_steps[direction]
        for index in range(state.words):
            starts = state.ahead[direction, 4, index]
            free = starts
            ones = twos = fours = ZERO
            ends = starts
            last = behind_of(state, side, index, stride) & state.behind[direction, 1, index]
            before = behind_of(state, _EMPTY, index, stride) & state.behind[direction, 1, index]
            # rows that begin here and have more than `reach` stones
            row = ahead_of(state, side, index, np.int64(0)) & ~last
            for reach in range(5):
                stones = ahead_of(state, side, index, reach * stride)
                empty = ahead_of(state, _EMPTY, index, reach * stride) & state.ahead[direction, reach, index]
                free &= stones | empty
                carry = ones & stones
                ones ^= stones
                fours |= twos & carry
                twos ^= carry
                if reach == 0 or reach == 4:
                    ends &= stones
                if reach > 0 and row != ZERO:
                    longer = row & stones & state.ahead[direction, reach, index]
                    done = row ^ longer
                    if done != ZERO:
                        n_both = popcount(done & before & empty)
                        n_one = popcount(done & (before ^ empty))
                        n_none = popcount(done) - n_both - n_one
                        score += n_both * SCORES[reach, 2] + n_one * SCORES[reach, 1] + n_none * SCORES[reach, 0]
                    row = longer
            score += popcount(row) * SCORES[5, 0]

            # windows: with two stones and more, of this side alone
            free &= twos | fours
            if free == ZERO:
                continue
            after = ahead_of(state, _EMPTY, index, 5 * stride) & state.ahead[direction, 5, index]
            both = before & after & ~ends
            some = (before | after) & ~both
            score += _FIVE * popcount(free & fours & ones)
            group = free & fours & ~ones
            score += _FOUR_2 * popcount(group & both) + _FOUR_1 * popcount(group & some)
            score += _FOUR_0 * popcount(group & ~both & ~some)
            group = free & twos & ones
            score += _THREE_2 * popcount(group & both) + _THREE_1 * popcount(group & some)
            score += _TWO_2 * popcount(free & twos & ~ones & both)
    return score


@kernel(I64(STATE, I64), entry=True)
def evaluate(state, side):
    """Static value for the side to move, of a position without a five."""
    value = score_side(state, side) - score_side(state, np.int64(1) - side)
    return min(_LIMIT, max(-_LIMIT, value))
