"""The transposition table, shared by all search processes without locks, and the tables of proofs of each process.

A bucket is one cache line of four entries. An entry is two 64-bit words:

    word 0   key ^ data
    word 1   data, from the low end: 16 bits score + 32768, 10 bits move, 8 bits depth, 2 bits bound, 8 bits generation,
             4 bits nothing, 16 bits epoch

Words are read and written whole, but another process may write between two of them. The key is stored combined with the
data, so that an entry mixed from two writers shows no position and reads as a miss. Zero data is an empty entry, and so
is one of another epoch: a new game counts the epoch up instead of clearing memory. Scores of won games count from the
position, not from the root.
"""

import numpy as np

from othello_engine.core.jit import I64, U64, VOID, kernel
from othello_engine.core.layout import TABLE_BUCKET_BYTES
from othello_engine.core.simd import load_word, store_word
from othello_engine.gomoku.state import STATE

BUCKET_ENTRIES = 4

UPPER = np.int64(1)
LOWER = np.int64(2)
EXACT = np.int64(3)

MATE = np.int64(30_000)
"""A win in n plies is worth MATE - n."""
MATE_BOUND = np.int64(29_000)
"""Scores from here on are won games."""
NO_MOVE_BITS = np.int64(1023)

_ZERO = np.uint64(0)
_ENTRIES = np.int64(BUCKET_ENTRIES)
_EPOCH_SHIFT = np.uint64(48)
_BYTE = np.uint64(255)


@kernel(U64(STATE, U64))
def bucket_of(state, key):
    """Byte address of the bucket where this key belongs."""
    return state.table_address + (key & state.table_mask) * np.uint64(TABLE_BUCKET_BYTES)


@kernel(U64(STATE, U64), entry=True)
def probe(state, key):
    """The data word of the position; 0 is a miss."""
    bucket = bucket_of(state, key)
    for slot in range(_ENTRIES):
        data = load_word(bucket, np.int64(2) * slot + np.int64(1))
        same = load_word(bucket, np.int64(2) * slot) == key ^ data
        if same and data != _ZERO and data >> _EPOCH_SHIFT == state.epoch:
            return data
    return _ZERO


@kernel(I64(U64, I64), entry=True)
def entry_score(data, ply):
    """Score seen from the root, of an entry that is met at this ply."""
    score = np.int64(data & np.uint64(0xFFFF)) - np.int64(32768)
    if score >= MATE_BOUND:
        return score - ply
    if score <= -MATE_BOUND:
        return score + ply
    return score


@kernel(I64(U64), entry=True)
def entry_move(data):
    """Best move of an entry; -1 for none, and for a miss."""
    move = np.int64((data >> np.uint64(16)) & np.uint64(1023))
    return np.int64(-1) if data == _ZERO or move == NO_MOVE_BITS else move


@kernel(I64(U64), entry=True)
def entry_depth(data):
    """Depth of an entry in plies."""
    return np.int64((data >> np.uint64(26)) & _BYTE)


@kernel(I64(U64), entry=True)
def entry_bound(data):
    """UPPER, LOWER or EXACT."""
    return np.int64((data >> np.uint64(34)) & np.uint64(3))


@kernel(VOID(STATE, U64, I64, I64, I64, I64, I64), entry=True)
def store(state, key, ply, depth, score, bound, move):
    """Keep a result; move: -1 for none. Replaces the same position, else an empty or old entry, else a shallow one."""
    bucket = bucket_of(state, key)
    generation = np.uint64(state.generation & np.int64(255))
    depth = min(max(depth, np.int64(0)), np.int64(255))
    slot = np.int64(0)
    slot_value = np.int64(1) << np.int64(40)
    for candidate in range(_ENTRIES):
        data = load_word(bucket, np.int64(2) * candidate + np.int64(1))
        is_live = data != _ZERO and data >> _EPOCH_SHIFT == state.epoch
        if is_live and load_word(bucket, np.int64(2) * candidate) == key ^ data:
            old_depth = np.int64((data >> np.uint64(26)) & _BYTE)
            is_current = (data >> np.uint64(36)) & _BYTE == generation
            if is_current and bound != EXACT and old_depth > depth + np.int64(3):
                return
            if move < np.int64(0):
                move = entry_move(data)
            slot = np.int64(2) * candidate
            break
        value = np.int64(-1)
        if is_live:
            age = (np.int64(generation) - np.int64((data >> np.uint64(36)) & _BYTE)) & np.int64(255)
            value = np.int64(2048) + np.int64((data >> np.uint64(26)) & _BYTE) - np.int64(8) * min(age, np.int64(200))
        if value < slot_value:
            slot_value = value
            slot = np.int64(2) * candidate
    if score >= MATE_BOUND:
        score += ply
    elif score <= -MATE_BOUND:
        score -= ply
    data = (
        np.uint64(score + np.int64(32768))
        | np.uint64(move if move >= np.int64(0) else NO_MOVE_BITS) << np.uint64(16)
        | np.uint64(depth) << np.uint64(26)
        | np.uint64(bound) << np.uint64(34)
        | generation << np.uint64(36)
        | state.epoch << _EPOCH_SHIFT
    )
    store_word(bucket, slot, key ^ data)
    store_word(bucket, slot + np.int64(1), data)


@kernel(I64(U64, I64, U64, U64), entry=True)
def count_used(address, n_buckets, generation, epoch):
    """Entries of this generation and epoch in the first `n_buckets` buckets."""
    used = np.int64(0)
    for entry in range(n_buckets * _ENTRIES):
        data = load_word(address, np.int64(2) * entry + np.int64(1))
        if data != _ZERO and data >> _EPOCH_SHIFT == epoch and (data >> np.uint64(36)) & _BYTE == generation:
            used += np.int64(1)
    return used


# Proofs: one word an entry, the upper 48 bits of the key and 16 bits of result. The place tells the lower bits of the
# key as far as the table has 2^16 entries.

MISSING = np.int64(-1)


@kernel(I64(STATE, U64))
def proof(state, key):
    """The 16 bits kept for a key, MISSING if there are none."""
    word = load_word(state.proof_address, np.int64(key & state.proof_mask))
    if word == _ZERO or (word ^ key) >> np.uint64(16) != _ZERO:
        return MISSING
    return np.int64(word & np.uint64(0xFFFF))


@kernel(VOID(STATE, U64, I64))
def keep_proof(state, key, result):
    """Keep 16 bits for a key, in place of whatever is there."""
    word = (key & ~np.uint64(0xFFFF)) | np.uint64(result)
    store_word(state.proof_address, np.int64(key & state.proof_mask), word)
