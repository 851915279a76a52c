"""Which moves are looked at: the centre of an empty board, else the empty cells within two cells of a stone.

If there are none of either (cells can be blocked), every empty cell is a candidate.
"""

import numpy as np

from othello_engine.core.jit import I64, ONE, ZERO, kernel
from othello_engine.core.simd import square_of
from othello_engine.gomoku.classic.board import near_stones
from othello_engine.gomoku.classic.order import BLOCK_FIVE_TIER, OWN_FIVE_TIER, key_tier, order_key
from othello_engine.gomoku.classic.state import EMPTY_ROW, FOUND, PAD_WORDS, STATE

ROOT_LIMIT = 36
"""Candidates at the root, the best by their order."""
CHILD_LIMIT = 22
"""Candidates below the root."""

_PAD = np.int64(PAD_WORDS)
_EMPTY, _FOUND = np.int64(EMPTY_ROW), np.int64(FOUND)
_OWN_FIVE, _BLOCK_FIVE = np.int64(OWN_FIVE_TIER), np.int64(BLOCK_FIVE_TIER)


@kernel(I64(STATE, I64, I64), entry=True)
def candidates(state, side, ply):
    """How many candidates the side has; their order keys are left in row `ply` of state.keys, unsorted.

    state.forced is set to 1 if a five can be made or must be stopped. Nothing is left out: that is the caller's part.
    """
    if near_stones(state) == 0:
        has_stones = ZERO
        for index in range(state.words):
            has_stones |= state.boards[0, index + _PAD] | state.boards[1, index + _PAD]
            state.boards[_FOUND, index + _PAD] = state.boards[_EMPTY, index + _PAD]
        middle = (state.width // 2) * (state.width + np.int64(1))
        centre = ONE << np.uint64(middle & np.int64(63))
        word = (middle >> np.int64(6)) + _PAD
        if has_stones == ZERO and state.boards[_EMPTY, word] & centre != ZERO:
            for index in range(state.words):
                state.boards[_FOUND, index + _PAD] = ZERO
            state.boards[_FOUND, word] = centre
    count = np.int64(0)
    best_tier = np.int64(0)
    for index in range(state.words):
        cells = state.boards[_FOUND, index + _PAD]
        while cells != ZERO:
            key = order_key(state, (np.int64(index) << np.int64(6)) + square_of(cells), side)
            cells &= cells - ONE
            state.keys[ply, count] = key
            count += np.int64(1)
            best_tier = max(best_tier, key_tier(key))
    state.forced = np.int64(best_tier >= _BLOCK_FIVE)
    return count


@kernel(I64(STATE, I64, I64))
def keep_forced(state, ply, count):
    """Drop the moves that lose at once, or that needn't be looked at since another wins: if there is an own five, one
    such move is kept; else, if the opponent threatens a five, the moves that stop one. Returns how many are left."""
    kept = np.int64(0)
    best = np.int64(0)
    for index in range(count):
        best = max(best, state.keys[ply, index])
    tier = key_tier(best)
    if tier == _OWN_FIVE:
        state.keys[ply, 0] = best
        return np.int64(1)
    for index in range(count):
        if key_tier(state.keys[ply, index]) == tier:
            state.keys[ply, kept] = state.keys[ply, index]
            kept += np.int64(1)
    return kept


@kernel(I64(STATE, I64, I64, I64))
def bring_best(state, ply, index, count):
    """Swap the best of the keys from `index` on into its place; returns it."""
    best = index
    for other in range(index + np.int64(1), count):
        if state.keys[ply, other] > state.keys[ply, best]:
            best = other
    key = state.keys[ply, best]
    state.keys[ply, best] = state.keys[ply, index]
    state.keys[ply, index] = key
    return key
