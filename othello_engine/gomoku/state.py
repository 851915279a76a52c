"""The record that one search carries through its kernels, and its constructor.

It lies in shared memory so that the parent can set `stop` and read `nodes` while a kernel runs. It holds the board, all
tables that kernels look things up in, and what the search keeps of each ply.

The board is four words per line of cells and a combination per empty cell. What can be told at once of a position lies
in a *frame* of 64 words: placing a stone copies the frame to the next one and changes that, so that taking the stone
back only restores combinations. Sets of cells are eight words with a bit for each cell.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from othello_engine.core.layout import STATE_BYTES
from othello_engine.gomoku.lines import LINE_CLASS, N_COMBINATIONS, N_KEYS
from othello_engine.gomoku.position import LARGEST
from othello_engine.gomoku.task import MAX_DEPTH

MAX_CELLS = LARGEST * LARGEST
MAX_LINES = 2 * LARGEST - 1
MAX_FRAMES = 256
"""Stones that can be placed on top of the position that was set up."""
MAX_PLY = 128
"""Of the main search; the rest of the frames is left to the search for fours."""
FRAME_WORDS = 64
SET_WORDS = 8
MOVE_STACK = 30_000
"""Room for the lists of 60 plies on the largest board; the search for threats ends where it is full."""
CHANGE_STACK = MAX_FRAMES * 34
"""A stone changes its own cell and at most eight cells on each of four lines."""
ZOBRIST_WORDS = 3 * MAX_CELLS + LARGEST + 1
"""For each cell with black, white, blocked; then for each size of the board."""
REDUCTIONS = 64
ATTACK_PROOFS = (30, 30, 30, 30, 30, 30, 20, 16, 3, 2, 1, 12, 3, 3, 1, 1)
"""By cell class: the proof number that a move of the attacker has before it is searched. Tuned, see docs/gomoku.md."""
ROOT_MOVES = MAX_CELLS

NEAR = np.int64(0)
"""Words of a frame: cells near a stone, occupied ones included."""
FOURS = np.int64(8)
"""Cells where black makes a four or five; the eight words behind them are white's."""
THREES = np.int64(24)
"""Cells where black makes an open three; then white's."""
FIVES = np.int64(40)
"""Cells where black makes five; then white's."""
VALUE = np.int64(56)
"""Sum of the values of the empty cells for black, then for white; signed."""
HASH = np.int64(58)
COUNTS = np.int64(59)
"""Two words for black: how many cells have the cell classes 8 to 15, sixteen bits each; then white's."""
CHANGES = np.int64(63)
"""Where this frame's entries on the stack of changes begin."""

STATE_DTYPE = np.dtype(
    [
        ("stop", np.int64),
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("selective_depth", np.int64),
        # the board
        ("board_size", np.int64),
        ("frame", np.int64),
        ("n_changes", np.int64),
        ("n_moves", np.int64),
        ("n_empty", np.int64),
        ("tempo", np.int64),
        ("empty", np.uint64, SET_WORDS),
        ("cells", np.int8, MAX_CELLS),
        ("last", np.int16, MAX_FRAMES),
        ("lines", np.int64, 4 * MAX_LINES),
        ("combos", np.uint32, MAX_CELLS),
        ("frames", np.uint64, (MAX_FRAMES + 1) * FRAME_WORDS),
        ("changes", np.int64, CHANGE_STACK),
        # lookup tables
        ("near_of", np.uint64, MAX_CELLS * SET_WORDS),
        ("line_class", np.uint8, N_KEYS),
        ("info", np.int32, N_COMBINATIONS),
        ("zobrist", np.uint64, ZOBRIST_WORDS),
        ("reductions", np.int8, REDUCTIONS * REDUCTIONS),
        # tables of results: address of the first byte, number of buckets or entries less one
        ("generation", np.int64),
        ("epoch", np.uint64),
        ("table_address", np.uint64),
        ("table_mask", np.uint64),
        ("proof_address", np.uint64),
        ("proof_mask", np.uint64),
        ("threat_address", np.uint64),
        ("threat_mask", np.uint64),
        # search for fours: nodes it may still use
        ("proof_left", np.int64),
        # search for threats: count of nodes where it ends, frame by which a win must have ended, sets of replies
        ("threats_until", np.int64),
        ("threats_end", np.int64),
        ("zones", np.uint64, (MAX_FRAMES + 2) * SET_WORDS),
        ("attack_proofs", np.int64, len(ATTACK_PROOFS)),
        # root
        ("root_depth", np.int64),
        ("n_root", np.int64),
        ("root_best_move", np.int64),
        ("root_best_score", np.int64),
        ("n_root_done", np.int64),
        ("root_cells", np.int64, ROOT_MOVES),
        ("root_scores", np.int64, ROOT_MOVES),
        ("root_nodes", np.int64, ROOT_MOVES),
        # move ordering
        ("moves", np.int64, MOVE_STACK),
        ("killers", np.int16, 2 * (MAX_PLY + 2)),
        ("replies", np.int16, 2 * MAX_CELLS),
        ("history", np.int32, 2 * MAX_CELLS),
        # triangular table of principal variations
        ("pv", np.int16, (MAX_PLY + 2) * (MAX_PLY + 2)),
        ("pv_length", np.int64, MAX_PLY + 2),
    ],
    align=True,
)
STATE = numba.from_dtype(STATE_DTYPE)
"""Numba type of one state record."""

_SEED = 20_211


def state_at(buffer: Any) -> Any:
    """The state record lying in `buffer` (STATE_BYTES, zeroed by the caller), tables filled; shares its memory.

    Addresses in the record hold for the process that calls this; nobody else runs kernels on it. `info` and `tempo`
    are left to the caller.
    """
    assert STATE_DTYPE.itemsize <= STATE_BYTES
    assert MAX_DEPTH < REDUCTIONS
    state = np.frombuffer(buffer, dtype=STATE_DTYPE, count=1).view(np.recarray)[0]
    state.line_class[:] = LINE_CLASS
    words = np.random.default_rng(_SEED).integers(0, 1 << 64, ZOBRIST_WORDS, np.uint64)
    state.zobrist[:] = words
    depth, index = np.maximum(np.indices((REDUCTIONS, REDUCTIONS)), 1)
    state.reductions[:] = (0.4 + np.log(depth) * np.log(index) / 2.0).astype(np.int8).reshape(-1)
    state.attack_proofs[:] = ATTACK_PROOFS
    state.killers[:] = -1
    state.replies[:] = -1
    return state


def new_state() -> Any:
    """A state record in private memory."""
    return state_at(bytearray(STATE_BYTES))


def fill_near(state: Any, size: int) -> None:
    """Fill `near_of` for boards of this size: cells within two steps in any direction, or three along a line."""
    if state.board_size == size:
        return
    rows, columns = np.divmod(np.arange(size * size), size)
    down = np.abs(rows[:, None] - rows[None, :])
    right = np.abs(columns[:, None] - columns[None, :])
    farthest = np.maximum(down, right)
    near = (farthest <= 2) | ((farthest == 3) & ((down == 0) | (right == 0) | (down == right)))
    padded = np.zeros((size * size, 64 * SET_WORDS), np.uint8)
    padded[:, : size * size] = near
    sets = np.packbits(padded, axis=1, bitorder="little").view("<u8")
    state.near_of[: sets.size] = sets.reshape(-1)
    state.board_size = size
