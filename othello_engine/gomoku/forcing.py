"""Wins by force: an unbroken chain of fours, which the defender can only answer in one way.

The attacker plays only moves that make a four or five, the defender only completes five, if he can, or stops the four.
The search is complete within its limit, so that a win is a proof and a failure one as well. It has a table of proofs of
its own.
"""

import numba
import numpy as np

from othello_engine.core.jit import I64, U64, kernel
from othello_engine.core.simd import square_of
from othello_engine.gomoku.board import (
    count_of,
    five_cell,
    has_four,
    info_of,
    place,
    strong_counts,
    undo,
)
from othello_engine.gomoku.lines import CELL_DOUBLE_OPEN_THREE, CELL_FOUR, CELL_OPEN_FOUR
from othello_engine.gomoku.state import FOURS, FRAME_WORDS, HASH, MAX_FRAMES, SET_WORDS, STATE
from othello_engine.gomoku.table import MISSING, keep_proof, proof

FAILED = np.int64(0)
"""There is no win by fours."""
STOPPED = np.int64(-1)
"""Nodes or time ran out."""
LIMITED = np.int64(-2)
"""There is none within the limit."""

OUT_OF_NODES = np.int64(2)
"""Value of the stop flag that a search sets itself, at its node limit."""

ATTACKER_KEYS = np.array([0xD1B54A32D192ED03, 0x8CB92BA72F3D8DD7], np.uint64)
"""Tell apart who attacks; also used for the side to move of the transposition table."""

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_COUNT = np.uint64(0xFFFF)
_FOUR = np.int64(CELL_FOUR)
_OPEN_FOUR = np.int64(CELL_OPEN_FOUR)
_DOUBLE_OPEN_THREE = np.int64(CELL_DOUBLE_OPEN_THREE)
_WORDS = np.int64(FRAME_WORDS)
_SET = np.int64(SET_WORDS)
_ROOM = np.int64(MAX_FRAMES - 8)
_NONE = np.int64(-1)


@kernel(numba.boolean(STATE))
def is_stopped(state):
    """Count a node; true once the stop flag is set or the node limit reached."""
    state.nodes += np.int64(1)
    if state.node_limit != np.int64(0) and state.nodes >= state.node_limit and state.stop == np.int64(0):
        state.stop = OUT_OF_NODES
    return state.stop != np.int64(0)


@kernel(U64(STATE, I64))
def position_key(state, side):
    """Hash of the position with this side to move."""
    return state.frames[state.frame * _WORDS + HASH] ^ ATTACKER_KEYS[side]


@kernel(I64(STATE, I64), entry=True)
def known_end(state, side):
    """Plies to the end that can be told at once: positive if the side to move wins, negative if it loses, else 0.

    Only what nothing on the board can refute, with the true number of plies at most.
    """
    opponent = np.int64(1) - side
    own, theirs = strong_counts(state, side), strong_counts(state, opponent)
    if own >> np.uint64(48) != _ZERO:
        return np.int64(1)
    fives = theirs >> np.uint64(48)
    if fives > _ONE:
        return np.int64(-2)
    if fives == _ONE:
        return np.int64(0)
    if (own >> np.uint64(32)) & _COUNT != _ZERO:
        return np.int64(3)
    # Without a four the opponent can't win the move back. Two open threes on two lines can't be stopped at once.
    has_fork = (own >> np.uint64(16)) & _COUNT != _ZERO or count_of(state, side, _DOUBLE_OPEN_THREE) > np.int64(0)
    if has_fork and not has_four(state, opponent):
        return np.int64(5)
    return np.int64(0)


@kernel(I64(STATE, I64))
def list_fours(state, side):
    """Put the cells where a side makes a four onto the stack of moves, the best last; their number.

    An entry is the order score << 10 | cell.
    """
    first = state.frame * _WORDS + FOURS + _SET * side
    start = state.n_moves
    for word in range(_SET):
        bits = state.frames[first + word]
        while bits != _ZERO:
            cell = np.int64(64) * word + square_of(bits)
            bits &= bits - _ONE
            info = info_of(state, cell, side)
            other = info_of(state, cell, np.int64(1) - side)
            own_order = (info >> np.int64(4)) & np.int64(0xFFF)
            other_order = (other >> np.int64(4)) & np.int64(0xFFF)
            entry = (np.int64(4) * own_order + other_order) << np.int64(10) | cell
            index = state.n_moves
            while index > start and state.moves[index - np.int64(1)] > entry:
                state.moves[index] = state.moves[index - np.int64(1)]
                index -= np.int64(1)
            state.moves[index] = entry
            state.n_moves += np.int64(1)
    return state.n_moves - start


@kernel(I64(STATE, I64, I64), entry=True)
def fours_win(state, side, limit):
    """Plies until the side to move has won by fours with at most `limit` stones of its own, the five included.

    A win that is found is one; it is the shortest if there is none with fewer stones. FAILED, LIMITED or STOPPED
    otherwise. Uses up `proof_left`, a node each.
    """
    state.proof_left -= np.int64(1)
    if is_stopped(state) or state.proof_left < np.int64(0):
        return STOPPED
    opponent = np.int64(1) - side
    own = strong_counts(state, side)
    if own >> np.uint64(48) != _ZERO:
        return np.int64(1)
    if not has_four(state, side):
        return FAILED
    if limit <= np.int64(1):
        return LIMITED
    fives = strong_counts(state, opponent) >> np.uint64(48)
    if fives > _ONE:
        return FAILED
    forced = _NONE
    if fives == _ONE:
        forced = five_cell(state, opponent)
        class_ = info_of(state, forced, side) & np.int64(15)
        if class_ < _FOUR:
            return FAILED
        if class_ == _OPEN_FOUR:
            return np.int64(3)
    elif (own >> np.uint64(32)) & _COUNT != _ZERO:
        return np.int64(3)
    if limit == np.int64(2):
        return LIMITED
    if forced == _NONE and (own >> np.uint64(16)) & _COUNT != _ZERO and not has_four(state, opponent):
        return np.int64(5)
    if state.frame > _ROOM:
        return LIMITED

    key = position_key(state, side)
    known = proof(state, key)
    if known != MISSING:
        length = known & np.int64(255)
        if length != np.int64(0):
            if length <= np.int64(2) * limit - np.int64(1):
                return length
        elif known >> np.int64(8) >= limit:
            return FAILED if known >> np.int64(8) == np.int64(255) else LIMITED

    result = FAILED
    start = state.n_moves
    if forced == _NONE:
        list_fours(state, side)
    else:
        state.moves[start] = forced
        state.n_moves += np.int64(1)
    index = state.n_moves
    while index > start:
        index -= np.int64(1)
        cell = state.moves[index] & np.int64(1023)
        place(state, cell, side)
        reply = five_cell(state, side)
        place(state, reply, opponent)
        length = fours_win(state, side, limit - np.int64(1))
        undo(state)
        undo(state)
        if length > FAILED:
            result = length + np.int64(2)
            break
        if length == STOPPED:
            state.n_moves = start
            return STOPPED
        if length == LIMITED:
            result = LIMITED
    state.n_moves = start
    if result > FAILED:
        keep_proof(state, key, result)
    else:
        keep_proof(state, key, (np.int64(255) if result == FAILED else limit) << np.int64(8))
    return result


@kernel(I64(STATE, I64, I64, I64), entry=True)
def shortest_fours(state, side, limit, n_nodes):
    """Plies of the shortest win by fours of the side to move with at most `limit` own stones; see fours_win.

    n_nodes: how many it may search.
    """
    state.proof_left = n_nodes
    stones = np.int64(1)
    result = LIMITED
    while result == LIMITED and stones <= limit:
        result = fours_win(state, side, stones)
        stones += np.int64(1)
    return result


@kernel(I64(STATE, I64, I64), entry=True)
def fours_move(state, side, length):
    """A move with which the side to move keeps a win by fours in `length` plies, as fours_win told; -1: none found.

    The nodes that were left to that search are used.
    """
    if length == np.int64(1):
        return five_cell(state, side)
    opponent = np.int64(1) - side
    forced = five_cell(state, opponent)
    start = state.n_moves
    if forced == _NONE:
        list_fours(state, side)
    else:
        state.moves[start] = forced
        state.n_moves += np.int64(1)
    index = state.n_moves
    found = _NONE
    while index > start and found == _NONE:
        index -= np.int64(1)
        cell = state.moves[index] & np.int64(1023)
        class_ = info_of(state, cell, side) & np.int64(15)
        if length == np.int64(3):
            if class_ == _OPEN_FOUR:
                found = cell
            continue
        if class_ < _FOUR or class_ >= _OPEN_FOUR:
            continue
        place(state, cell, side)
        place(state, five_cell(state, side), opponent)
        rest = fours_win(state, side, (length - np.int64(1)) >> np.int64(1))
        if rest > FAILED and rest <= length - np.int64(2):
            found = cell
        undo(state)
        undo(state)
    state.n_moves = start
    return found
