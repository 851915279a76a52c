"""The search kernels, compiled, uncompiled and bounds-checked like those of `core`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.core.support import wrapping_multiplication


@pytest.fixture(autouse=True)
def _wrapping_multiplication_is_meant() -> Iterator[None]:
    with wrapping_multiplication():
        yield
