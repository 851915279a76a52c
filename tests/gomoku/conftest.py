from __future__ import annotations

import pytest

from tests.gomoku.solver import Solver


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()
