"""Parity of the empties in the four 4x4 quadrants."""

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, ZERO, kernel

_WEST_HALF = 0x0F0F0F0F0F0F0F0F
_NORTH_HALF = 0x00000000FFFFFFFF
QUADRANT_MASKS = (
    _WEST_HALF & _NORTH_HALF,
    ~_WEST_HALF & _NORTH_HALF,
    _WEST_HALF & ~_NORTH_HALF & 0xFFFFFFFFFFFFFFFF,
    ~_WEST_HALF & ~_NORTH_HALF & 0xFFFFFFFFFFFFFFFF,
)
"""Squares of quadrant 0..3 (a1, h1, a8, h8), as Python ints."""

QUADRANT = np.array(
    [1 << next(q for q in range(4) if QUADRANT_MASKS[q] >> square & 1) for square in range(64)],
    dtype=np.int64,
)
"""Bit of the quadrant that a square lies in: 1, 2, 4 or 8."""

QUADRANT_SQUARES = np.array(
    [sum(QUADRANT_MASKS[q] for q in range(4) if parity >> q & 1) for parity in range(16)], dtype=np.uint64
)
"""Union of the quadrants whose bits are set in the index."""


@kernel(I64(U64))
def quadrant_parity(empties):
    """Four bits: which quadrants hold an odd number of empties. Each quadrant's bit as in QUADRANT."""
    columns = empties ^ (empties >> np.uint64(2))
    columns = columns ^ (columns >> np.uint64(1))
    columns = columns & np.uint64(0x1111111111111111)
    rows = columns ^ (columns >> np.uint64(16))
    rows = rows ^ (rows >> np.uint64(8))
    north = (rows & ONE) | ((rows >> np.uint64(3)) & np.uint64(2))
    south = ((rows >> np.uint64(30)) & np.uint64(4)) | ((rows >> np.uint64(33)) & np.uint64(8))
    return np.int64(north | south | ZERO)
