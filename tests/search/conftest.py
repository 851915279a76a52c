"""The search kernels, compiled, uncompiled and bounds-checked like those of `core`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from othello_engine.core import jit


@pytest.fixture(autouse=True)
def _wrapping_multiplication_is_meant() -> Iterator[None]:
    """Uncompiled, NumPy warns where 64-bit products wrap around, which is what they are for."""
    if jit.IS_COMPILED:
        yield
        return
    with np.errstate(over="ignore"):
        yield
