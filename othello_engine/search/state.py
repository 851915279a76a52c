"""The record that one search carries through its kernels, and its constructor.

One structured record instead of many arguments: recursion passes one pointer. It lies in shared memory so that the
parent can set `stop` and read `nodes` while a kernel runs.
"""

import numba
import numpy as np

from othello_engine.core.layout import STATE_BYTES, TABLE_BUCKET_BYTES
from othello_engine.evaluation.lanes import ROW_BYTES

MAX_PLY = 128
"""Room for 60 moves and as many passes between them."""
MAX_MOVES = 64
"""A set-up board may have a move on nearly every empty square."""
NEAR_BUCKETS = 1 << 13
"""Of the near table: half a megabyte, which stays in the processor's second cache."""

STATE_DTYPE = np.dtype(
    [
        ("stop", np.int64),
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("selective_depth", np.int64),
        # how scores are formed: a finished game with difference d is worth d * disc_unit + sign(d) * win_unit
        ("disc_unit", np.int64),
        ("win_unit", np.int64),
        # value of a drawn end in an estimate, for the side to move at ply 0
        ("draw_value", np.int64),
        ("exact", np.int64),
        # 1: fewest discs win; 1: the last few squares are simply tried, one after another
        ("anti", np.int64),
        ("by_regions", np.int64),
        # which evaluation, the address of its weights, and of the row of data that it keeps for ply 0
        ("evaluation", np.int64),
        ("weights_address", np.uint64),
        ("rows_address", np.uint64),
        ("selectivity", np.int64),
        ("generation", np.int64),
        ("epoch", np.uint64),
        ("table_address", np.uint64),
        ("table_mask", np.uint64),
        # the near table, of this search alone: its first bucket, on a cache line
        ("near_address", np.uint64),
        # root: moves allowed (0 = all), and what the finished ones proved
        ("root_ply", np.int64),
        ("root_moves", np.uint64),
        ("root_former_move", np.int64),
        ("root_best_move", np.int64),
        ("root_best_score", np.int64),
        ("root_first_done", np.int64),
        # move ordering
        ("killers", np.int64, (MAX_PLY, 2)),
        ("history", np.int64, (2, 64)),
        # one row per ply: moves packed with their order score
        ("moves", np.int64, (MAX_PLY, MAX_MOVES)),
        # for the endgame, of the same moves as they are found: the discs turned, and the address of the next bucket
        ("turned", np.uint64, (MAX_PLY, MAX_MOVES)),
        ("buckets", np.uint64, (MAX_PLY, MAX_MOVES)),
        # triangular table of principal variations
        ("pv", np.int8, (MAX_PLY, MAX_PLY)),
        ("pv_length", np.int64, MAX_PLY),
        # rows of the evaluation, one per ply; the one after the last is for positions outside the search
        ("rows", np.uint8, ((MAX_PLY + 2) * ROW_BYTES,)),
        # buckets of the near table, and room to begin on a cache line
        ("near", np.uint8, ((NEAR_BUCKETS + 1) * TABLE_BUCKET_BYTES,)),
    ],
    align=True,
)
STATE = numba.from_dtype(STATE_DTYPE)
"""Numba type of one state record."""


def state_at(buffer):
    """The state record lying in `buffer` (STATE_BYTES, zeroed by the caller when new); shares its memory.

    Addresses in the record hold for the process that calls this; nobody else runs kernels on it.
    """
    state = np.frombuffer(buffer, dtype=STATE_DTYPE, count=1).view(np.recarray)[0]
    state.rows_address = state.rows.ctypes.data
    near = state.near.ctypes.data
    state.near_address = near + -near % TABLE_BUCKET_BYTES
    return state


def new_state():
    """A zeroed state record in private memory."""
    state = state_at(bytearray(STATE_BYTES))
    state.disc_unit = 1
    state.selectivity = 100
    return state
