"""The record that one search of the documented engine carries through its kernels, and its constructor.

It lies in shared memory so that the parent can set `stop` and read `nodes` while a kernel runs.
"""

import numba
import numpy as np

from othello_engine.gomoku.position import LARGEST

BOARD_CELLS = LARGEST * LARGEST
BOARD_WORDS = (BOARD_CELLS + 63) // 64
"""64-bit words of a bitboard of the largest size (7). A board of 15 uses the first four."""
PAD_WORDS = 2
"""Zero words before a bitboard (and three behind it), so that shifts by up to 128 cells need no test for its ends."""
N_WORDS = BOARD_WORDS + PAD_WORDS + 3

FRAME = 6
"""Cells around the board in the cell array: reading five cells past any cell stays inside it."""
ROW_STRIDE = LARGEST + 2 * FRAME
"""From a cell of the array to the one below it (32)."""
FRAMED_CELLS = ROW_STRIDE * ROW_STRIDE

BLACK_ROW, WHITE_ROW, EMPTY_ROW, BLACK_POINTS, WHITE_POINTS, SPARE, SECOND_SPARE, FOUND, ALLOWED = range(9)
"""Rows of `boards`: stones of BLACK and WHITE, empty cells, five-points of both, two for kernels to work in, the cells
that a kernel found, and the cells that a search for fours may start with."""

MAX_DEPTH = 12
"""Plies of the deepest iteration, as documented."""
MAX_PLY = MAX_DEPTH + 2

VCF_PLIES = 99
"""The longest win by fours that is looked for."""
VCF_SLOTS = 1 << 14

STATE_DTYPE = np.dtype(
    [
        ("stop", np.int64),
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("selective_depth", np.int64),
        # cells on a side
        ("width", np.int64),
        # words of a bitboard of this width: four for 15
        ("words", np.int64),
        # hash of stones, blocked cells and width
        ("key", np.uint64),
        # the search table: 0 = none; entries of another stamp don't exist
        ("table_address", np.uint64),
        ("table_stamp", np.uint64),
        # from a cell to the next in each direction: row, column, falling, rising; in bitboards and in the cell array
        ("bit_steps", np.int64, 4),
        ("steps", np.int64, 4),
        ("boards", np.uint64, (9, N_WORDS)),
        # ahead[d, k]: cells whose k-th neighbour in direction d is on the board; behind[d, k]: against it
        ("ahead", np.uint64, (4, 6, BOARD_WORDS)),
        ("behind", np.uint64, (4, 6, BOARD_WORDS)),
        # contents as of a GomokuPosition, in a frame of blocked cells; `place` is a cell's index there
        ("cells", np.int8, FRAMED_CELLS),
        ("place", np.int64, BOARD_CELLS),
        ("zobrist", np.uint64, (3, BOARD_CELLS)),
        # candidates of each ply, packed with their order (order.py), and their number
        ("keys", np.int64, (MAX_PLY, BOARD_CELLS)),
        # 1: these candidates are all moves that don't lose at once, or one that wins at once
        ("forced", np.int64),
        # triangular table of principal variations
        ("pv", np.int64, (MAX_PLY, MAX_PLY)),
        ("pv_length", np.int64, MAX_PLY),
        # the search for fours: the node count at which it gives up, what made it incomplete, its line and its moves
        ("vcf_end", np.int64),
        ("vcf_is_out", np.int64),
        ("vcf_is_cut", np.int64),
        ("vcf_line", np.int64, VCF_PLIES + 3),
        ("vcf_moves", np.uint64, (VCF_PLIES + 3, BOARD_WORDS)),
        # five-points made by the stone last asked about
        ("points", np.int64, 4),
        # positions without a win by fours in so many plies
        ("vcf_keys", np.uint64, VCF_SLOTS),
        ("vcf_plies", np.int64, VCF_SLOTS),
    ],
    align=True,
)
STATE = numba.from_dtype(STATE_DTYPE)
"""Numba type of one state record."""

_SEED = 20240704
"""Of the hash words. Any other would do."""


def state_at(buffer):
    """The state record lying in `buffer` (STATE_BYTES or more, zeroed by the caller); shares its memory."""
    state = np.frombuffer(buffer, dtype=STATE_DTYPE, count=1).view(np.recarray)[0]
    state.zobrist[:] = np.random.default_rng(_SEED).integers(1, 1 << 63, size=(3, BOARD_CELLS), dtype=np.uint64)
    return state


def new_state():
    """A record in private memory, with no position in it."""
    return state_at(bytearray(STATE_DTYPE.itemsize))
