"""Weight files as arrays, aligned as the kernels want them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from othello_engine.evaluation import weights
from othello_engine.evaluation.features import WEIGHTS_BYTES

CACHE_LINE = 64


def new_buffer() -> np.ndarray:
    """uint8 (WEIGHTS_BYTES,): zeros that begin at a cache line."""
    space = np.zeros(WEIGHTS_BYTES + CACHE_LINE, dtype=np.uint8)
    start = -space.ctypes.data % CACHE_LINE
    return space[start : start + WEIGHTS_BYTES]


def read_weights(path: Path) -> tuple[np.ndarray, weights.WeightsHeader]:
    """The weights of a file, as `new_buffer` has room for them, and what the file says. Raises WeightsError."""
    buffer = new_buffer()
    return buffer, weights.load(path, buffer)
