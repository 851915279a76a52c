"""Every search kernel's inferred types: a float64 would mean that a uint64 met an int64 (NU-2)."""

from __future__ import annotations

import pytest

import othello_engine.search
from othello_engine.core import jit
from tests.core.support import inferred_types, kernels_of


@pytest.mark.skipif(not jit.IS_COMPILED, reason="nothing is inferred when the compiler is off")
def test_no_kernel_computes_in_floating_point() -> None:
    kernels = kernels_of(othello_engine.search)
    assert len(kernels) > 20
    for name, kernel in kernels.items():
        assert [pair for pair in inferred_types(kernel) if "float" in pair[1]] == [], name
