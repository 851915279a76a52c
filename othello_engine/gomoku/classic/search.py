"""Negamax with alpha-beta below the root, and its table. Always the full window of what is open, nothing is reduced or
extended.

Scores: a static value (at most EVALUATION_LIMIT), or a win. A win whose every step is proved is worth WIN, less one for
each ply after the first until the five is on the board. Where the losing side's moves were not all tried, since
candidates are limited, the loss is worth LOST_SO_FAR at most: not proved, but worse than any static value.
"""

import numpy as np

from othello_engine.core.jit import I64, U64, VOID, kernel
from othello_engine.core.simd import load_word, store_word
from othello_engine.gomoku.classic.board import has_five, put, take_back
from othello_engine.gomoku.classic.candidates import CHILD_LIMIT, bring_best, candidates, keep_forced
from othello_engine.gomoku.classic.evaluate import evaluate
from othello_engine.gomoku.classic.order import key_cell
from othello_engine.gomoku.classic.state import BOARD_CELLS, PAD_WORDS, STATE

WIN = 620_000_000
LOST_SO_FAR = 500_000_000
PROVED = WIN - BOARD_CELLS
"""A score of at least so much is a proved win."""
INFINITY = 1 << 40
STOPPED = np.int64(-(1 << 50))
"""Value of a search that was stopped."""

TABLE_SLOTS = 1 << 18
EXACT, LOWER, UPPER = range(1, 4)

_WIN, _LOST_SO_FAR, _LOWEST = np.int64(WIN), np.int64(-LOST_SO_FAR), np.int64(-INFINITY)
_CHILD_LIMIT = np.int64(CHILD_LIMIT)
_PAD = np.int64(PAD_WORDS)
_ZERO, _ONE, _TWO = np.int64(0), np.int64(1), np.int64(2)
_EXACT, _LOWER, _UPPER = np.int64(EXACT), np.int64(LOWER), np.int64(UPPER)
_SLOT_MASK = np.uint64(TABLE_SLOTS - 1)
_SCORE_OFFSET = np.int64(1 << 50)
_BYTE = np.uint64(255)
_MOVE_MASK = np.uint64(511)
_BOUND_SHIFT, _SIDE_SHIFT, _MOVE_SHIFT, _STAMP_SHIFT = np.uint64(8), np.uint64(12), np.uint64(16), np.uint64(32)
_SIDE_BIT = np.uint64(1 << 12)
_TABLE_MOVE = np.int64(1 << 60)
"""Added to the order key of the table's move."""


def table_words(words):
    """64-bit words of one entry for boards of `words` words: both bitboards, score, and the rest (see `_store`)."""
    return 2 * words + 2


@kernel(U64(STATE))
def _entry_address(state):
    entry_bytes = (2 * state.words + _TWO) * np.int64(8)
    return state.table_address + (state.key & _SLOT_MASK) * np.uint64(entry_bytes)


@kernel(U64(STATE, U64, I64))
def _probe(state, address, side):
    """Last word of the position's entry; 0: there is none of this position, side and search."""
    meta = load_word(address, 2 * state.words + _ONE)
    if meta >> _STAMP_SHIFT != state.table_stamp or np.int64((meta & _SIDE_BIT) >> _SIDE_SHIFT) != side:
        return np.uint64(0)
    for index in range(state.words):
        if load_word(address, np.int64(index)) != state.boards[0, index + _PAD]:
            return np.uint64(0)
        if load_word(address, state.words + index) != state.boards[1, index + _PAD]:
            return np.uint64(0)
    return meta


@kernel(VOID(STATE, U64, I64, I64, I64, I64, I64))
def _store(state, address, side, depth, bound, score, move):
    """Write an entry over whatever is there.

    Last word, from the low end: depth (8 bits), bound (4), side (4), move (16), stamp (32).
    """
    for index in range(state.words):
        store_word(address, np.int64(index), state.boards[0, index + _PAD])
        store_word(address, state.words + index, state.boards[1, index + _PAD])
    store_word(address, 2 * state.words, np.uint64(score + _SCORE_OFFSET))
    meta = np.uint64(depth) | np.uint64(bound) << _BOUND_SHIFT | np.uint64(side) << _SIDE_SHIFT
    meta |= np.uint64(move) << _MOVE_SHIFT | state.table_stamp << _STAMP_SHIFT
    store_word(address, 2 * state.words + _ONE, meta)


@kernel(I64(STATE, I64, I64, I64, I64, I64), entry=True)
def negamax(state, side, depth, ply, alpha, beta):
    """Fail-soft value for the side to move, `ply` (1 or more) plies from the root, searched `depth` plies deep.

    STOPPED once the stop flag is set. The line is left in row `ply` of state.pv. Oracle: tests/gomoku/classic.
    """
    # Step 1. Stop flag, a five of the last move, leaf.
    state.pv_length[ply] = _ZERO
    state.nodes += _ONE
    if state.stop != 0:
        return STOPPED
    if state.node_limit != 0 and state.nodes >= state.node_limit:
        state.stop = _TWO
        return STOPPED
    state.selective_depth = max(state.selective_depth, ply)
    foe = _ONE - side
    if has_five(state, foe) != 0:
        return ply - _ONE - _WIN
    if depth <= 0:
        return evaluate(state, side)

    # Step 2. Table.
    address = np.uint64(0)
    table_move = np.int64(-1)
    if state.table_address != np.uint64(0):
        address = _entry_address(state)
        meta = _probe(state, address, side)
        if meta != np.uint64(0):
            table_move = np.int64((meta >> _MOVE_SHIFT) & _MOVE_MASK)
            if np.int64(meta & _BYTE) >= depth:
                known = np.int64(load_word(address, 2 * state.words)) - _SCORE_OFFSET
                bound = np.int64((meta >> _BOUND_SHIFT) & np.uint64(3))
                if bound == _EXACT or (bound == _LOWER and known >= beta) or (bound == _UPPER and known <= alpha):
                    if bound == _EXACT:
                        state.pv[ply, 0] = table_move
                        state.pv_length[ply] = _ONE
                    return known

    # Step 3. Candidates.
    count = candidates(state, side, ply)
    if count == 0:
        return evaluate(state, side)
    best = _LOWEST
    if state.forced != 0:
        count = keep_forced(state, ply, count)
    else:
        best = _LOST_SO_FAR + ply
        if best >= beta:
            return best
    lowest = alpha
    alpha = max(alpha, best)
    if table_move >= 0:
        for index in range(count):
            if key_cell(state.keys[ply, index]) == table_move:
                state.keys[ply, index] |= _TABLE_MOVE
    best_move = np.int64(-1)

    # Step 4. Moves.
    for index in range(min(count, _CHILD_LIMIT)):
        cell = key_cell(bring_best(state, ply, np.int64(index), count))
        if best_move < 0:
            best_move = cell
        put(state, cell, side)
        score = -negamax(state, foe, depth - _ONE, ply + _ONE, -beta, -alpha)
        take_back(state, cell, side)
        if score == -STOPPED:
            return STOPPED
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = cell
                length = state.pv_length[ply + _ONE]
                state.pv[ply, 0] = cell
                for step in range(length):
                    state.pv[ply, step + _ONE] = state.pv[ply + _ONE, step]
                state.pv_length[ply] = length + _ONE
            if best >= beta:
                break

    # Step 5. Store.
    if address != np.uint64(0):
        bound = _EXACT
        if best >= beta:
            bound = _LOWER
        elif best <= lowest:
            bound = _UPPER
        _store(state, address, side, depth, bound, best, best_move)
    return best
