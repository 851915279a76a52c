"""The transposition table: results by position, shared by all search processes without locks.

Proofs near the end of the game have a small table of the same form in each process (`bucket_of`).

A bucket is one cache line of two entries. An entry is four 64-bit words:

    word 0   player   ^ bounds ^ meta
    word 1   opponent ^ rotated bounds ^ meta
    word 2   bounds: lower (upper 32 bits, signed) and upper (lower 32 bits, signed), in search units
    word 3   meta, from the low end, 8 bits each: depth, selectivity, kind, move, second move, generation; then
             16 bits: epoch

Words are read and written whole, but another process may write between two of them. The position words are
stored combined with the data, so that an entry mixed from two writers does not show any position and reads as a
miss. The whole position is compared; a hash collision can't return a foreign result. A zero meta word is an empty
entry, and so is one of another epoch: a new game counts the epoch up instead of clearing memory, which would cost
a page fault for every page touched again. `kind` keeps exact results (in discs) and estimates (in evaluation
units) apart.
"""

import numba
import numpy as np

from othello_engine.core.hashing import position_hash
from othello_engine.core.jit import I64, U64, VOID, ZERO, kernel
from othello_engine.core.layout import TABLE_BUCKET_BYTES
from othello_engine.core.simd import load_word, store_word
from othello_engine.search.state import NEAR_BUCKETS, STATE
from othello_engine.types import NO_MOVE

KIND_ESTIMATE = np.int64(1)
KIND_EXACT = np.int64(2)
_NO_MOVE = np.int64(NO_MOVE)
_BYTE = np.uint64(255)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_ENTRY = numba.types.UniTuple(numba.uint64, 2)
_PLACE = numba.types.UniTuple(numba.uint64, 2)
_HALF = np.uint64(32)
_EPOCH_SHIFT = np.uint64(48)


@kernel(U64(U64))
def _swap_halves(word):
    return (word << _HALF) | (word >> _HALF)


NEAR_EMPTIES = np.int64(12)
"""Proofs with at most so many empties are kept in the near table."""
_NEAR_MASK = np.uint64(NEAR_BUCKETS - 1)


@kernel(_PLACE(STATE, I64, numba.boolean))
def place_of(state, n_empties, is_proof):
    """(address, mask) of the table for positions with so many empty squares; is_proof: exact results without pruning.

    Near the end these are in a small table of the process's own: the positions are many, each is worth little, and in
    the large one every look at them would wait for main memory.
    """
    if not is_proof or n_empties > NEAR_EMPTIES:
        return state.table_address, state.table_mask
    return state.near_address, _NEAR_MASK


@kernel(U64(U64, U64, U64, U64))
def bucket_in(address, mask, player, opponent):
    """Byte address of the position's bucket in the table that `place_of` names."""
    return address + (position_hash(player, opponent) & mask) * np.uint64(TABLE_BUCKET_BYTES)


@kernel(U64(STATE, U64, U64), entry=True)
def bucket_address(state, player, opponent):
    """Byte address of the bucket where this position belongs."""
    return bucket_in(state.table_address, state.table_mask, player, opponent)


@kernel(U64(STATE, U64, U64, I64, numba.boolean), entry=True)
def bucket_of(state, player, opponent, n_empties, is_proof):
    """Byte address of the bucket where results of this position belong; see `place_of`."""
    address, mask = place_of(state, n_empties, is_proof)
    return bucket_in(address, mask, player, opponent)


@kernel(_ENTRY(STATE, U64, U64, U64), entry=True)
def probe(state, bucket, player, opponent):
    """(bounds, meta) of the position's entry in the bucket at this address; meta 0 is a miss."""
    for slot in range(2):
        first = np.int64(4 * slot)
        meta = load_word(bucket, first + np.int64(3))
        bounds = load_word(bucket, first + np.int64(2))
        if (
            load_word(bucket, first) == player ^ bounds ^ meta
            and load_word(bucket, first + np.int64(1)) == opponent ^ _swap_halves(bounds) ^ meta
            and meta != ZERO
            and meta >> _EPOCH_SHIFT == state.epoch
        ):
            return bounds, meta
    return ZERO, ZERO


@kernel(I64(U64), entry=True)
def lower_bound(bounds):
    """Proved lower bound of an entry, in search units."""
    return np.int64(np.int32(np.int64(bounds >> _HALF)))


@kernel(I64(U64), entry=True)
def upper_bound(bounds):
    """Proved upper bound of an entry, in search units."""
    return np.int64(np.int32(np.int64(bounds & _LOW_HALF)))


@kernel(I64(U64))
def entry_depth(meta):
    """Depth in plies that the bounds were searched to; for an exact entry, the empties."""
    return np.int64(meta & _BYTE)


@kernel(I64(U64), entry=True)
def entry_move(meta):
    """Best move of an entry; NO_MOVE for a missing entry or one without a move."""
    return np.int64((meta >> np.uint64(24)) & _BYTE) if meta != ZERO else _NO_MOVE


@kernel(I64(U64), entry=True)
def entry_second_move(meta):
    """The best move before the last change of mind; NO_MOVE if there is none."""
    return np.int64((meta >> _HALF) & _BYTE) if meta != ZERO else _NO_MOVE


@kernel(numba.boolean(U64, I64, I64, I64), entry=True)
def answers(meta, kind, depth, selectivity):
    """True when an entry's bounds may answer a search of this kind, depth and selectivity (or a weaker one)."""
    return (
        meta != ZERO
        and np.int64((meta >> np.uint64(16)) & _BYTE) == kind
        and np.int64(meta & _BYTE) >= depth
        and np.int64((meta >> np.uint64(8)) & _BYTE) >= selectivity
    )


@kernel(VOID(STATE, U64, U64, U64, I64, I64, I64, I64, I64, I64, I64), entry=True)
def store(state, bucket, player, opponent, kind, depth, selectivity, alpha, beta, score, move):
    """Keep a fail-soft result: score <= alpha is an upper bound, score >= beta a lower one, between them exact.

    Bounds known for the same depth and selectivity are kept where they are tighter. Otherwise replaces, of the two
    slots, an empty or older one first, then the one with less depth.
    """
    generation = state.generation & np.int64(255)
    limit = np.int64(0x7FFFFFFF)
    lower = score if score > alpha else -limit
    upper = score if score < beta else limit
    slot = np.int64(0)
    slot_value = np.int64(1) << np.int64(40)
    second = _NO_MOVE
    for candidate in range(2):
        first = np.int64(4 * candidate)
        old_meta = load_word(bucket, first + np.int64(3))
        old_bounds = load_word(bucket, first + np.int64(2))
        is_live = old_meta != ZERO and old_meta >> _EPOCH_SHIFT == state.epoch
        is_same = (
            is_live
            and load_word(bucket, first) == player ^ old_bounds ^ old_meta
            and load_word(bucket, first + np.int64(1)) == opponent ^ _swap_halves(old_bounds) ^ old_meta
        )
        old_depth = np.int64(old_meta & _BYTE)
        if is_same:
            slot = first
            old_move = entry_move(old_meta)
            if move == _NO_MOVE:
                move = old_move
                second = entry_second_move(old_meta)
            elif old_move != move:
                second = old_move
            else:
                second = entry_second_move(old_meta)
            old_selectivity = np.int64((old_meta >> np.uint64(8)) & _BYTE)
            old_kind = np.int64((old_meta >> np.uint64(16)) & _BYTE)
            if old_kind == kind and old_depth == depth and old_selectivity == selectivity:
                old_lower, old_upper = lower_bound(old_bounds), upper_bound(old_bounds)
                # Estimates of one depth may contradict each other; then the newer one stands alone.
                if max(lower, old_lower) <= min(upper, old_upper):
                    lower, upper = max(lower, old_lower), min(upper, old_upper)
            break
        value = np.int64(-1)
        if is_live:
            is_current = np.int64((old_meta >> np.uint64(40)) & _BYTE) == generation
            value = old_depth + (np.int64(256) if is_current else np.int64(0))
        if value < slot_value:
            slot_value = value
            slot = first
    bounds = (np.uint64(lower) << _HALF) | (np.uint64(upper) & _LOW_HALF)
    meta = (
        np.uint64(depth)
        | (np.uint64(selectivity) << np.uint64(8))
        | (np.uint64(kind) << np.uint64(16))
        | (np.uint64(move) << np.uint64(24))
        | (np.uint64(second) << _HALF)
        | (np.uint64(generation) << np.uint64(40))
        | (state.epoch << _EPOCH_SHIFT)
    )
    store_word(bucket, slot, player ^ bounds ^ meta)
    store_word(bucket, slot + np.int64(1), opponent ^ _swap_halves(bounds) ^ meta)
    store_word(bucket, slot + np.int64(2), bounds)
    store_word(bucket, slot + np.int64(3), meta)


@kernel(I64(U64, U64, I64, U64), entry=True)
def count_used(address, n_buckets, generation, epoch):
    """Entries of this generation and epoch in the first `n_buckets` buckets."""
    used = np.int64(0)
    for bucket in range(np.int64(n_buckets)):
        for slot in range(2):
            meta = load_word(address, np.int64(8) * bucket + np.int64(4 * slot + 3))
            is_live = meta != ZERO and meta >> _EPOCH_SHIFT == epoch
            if is_live and np.int64((meta >> np.uint64(40)) & _BYTE) == generation:
                used += np.int64(1)
    return used


@kernel(VOID(U64, U64), entry=True)
def clear(address, n_buckets):
    """Empty every bucket."""
    for word in range(np.int64(8) * np.int64(n_buckets)):
        store_word(address, word, ZERO)
