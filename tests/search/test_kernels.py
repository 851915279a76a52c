"""Every search kernel's inferred types: a float64 would mean that a uint64 met an int64 (NU-2)."""

from __future__ import annotations

import pytest

import othello_engine.search
from othello_engine.core import jit
from tests.core.support import kernels_of


@pytest.mark.skipif(not jit.IS_COMPILED, reason="nothing is inferred when the compiler is off")
def test_no_kernel_computes_in_floating_point() -> None:
    kernels = kernels_of(othello_engine.search)
    assert len(kernels) > 20
    for name, kernel in kernels.items():
        assert len(kernel.signatures) == 1, name
        for signature in kernel.signatures:
            types = kernel.overloads[signature].type_annotation.typemap
            assert not [variable for variable, kind in types.items() if str(kind).startswith("float")], name
