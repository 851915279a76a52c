"""ProbCut: how far a shallow search may be wrong about a deep one (M. Buro: ProbCut and Multi-ProbCut).

The difference between the values of a search to `depth` plies and one to `reduced` plies is about normal. Its deviation
comes from a formula fitted to searches of our own by `tools/train/probcut.py`. A node is cut when the shallow value
lies farther outside the window than the deviation times the `t` of the selectivity in force.
"""

import math
from statistics import NormalDist

import numpy as np

from othello_engine.core.jit import I64, kernel

NO_SELECTIVITY = np.int64(100)
PROBCUT_DEPTH = np.int64(2)
"""The lowest depth that is cut, there by the static value alone."""
HIGHEST_DEPTH = 63
"""Of depths and of empty squares: a set-up board may have fewer discs than the start."""

COEFFICIENTS = (6.3807, -1.6500, 0.4829, 0.2541, -0.3081)
"""Of `terms`: together the logarithm of the deviation in hundredths of a disc."""

_T = {73: 0.9, 87: 1.5, 95: 2.0, 98: 2.6, 99: 3.3}
"""Deviations for each of the usual levels. The highest are wider than a normal error would need, as it is none; the
lowest was the best of 0.6, 0.7, 0.9 and 1.1 in matches."""


def _t_of(percent: int) -> float:
    return _T.get(percent, NormalDist().inv_cdf((1 + percent / 100) / 2)) if percent < 100 else 0.0


_T_PER_MILLE = np.array([round(1000 * _t_of(percent)) for percent in range(101)], dtype=np.int64)


def terms(n_empties: float, depth: int, reduced: int) -> tuple[float, ...]:
    """What the logarithm of the deviation is linear in."""
    return (1.0, n_empties / 60, (n_empties / 60) ** 2, math.log(depth - reduced), math.log1p(reduced))


def reduced_depth(depth: int) -> int:
    """Depth of the shallow search for a search to `depth` plies: about half, of the same parity."""
    return 2 * (depth // 4) + depth % 2


def deviation(n_empties: float, depth: int, reduced: int, coefficients: tuple[float, ...] = COEFFICIENTS) -> float:
    """Deviation in hundredths of a disc between searches of depth > reduced plies."""
    return math.exp(sum(c * t for c, t in zip(coefficients, terms(n_empties, depth, reduced), strict=True)))


def _table(reduced: list[int]) -> np.ndarray:
    """int16 [n_empties, depth]: deviations for these shallow depths; 0 where there is none."""
    table = np.zeros((HIGHEST_DEPTH + 1, HIGHEST_DEPTH + 1), dtype=np.int16)
    for n_empties in range(HIGHEST_DEPTH + 1):
        for depth in range(1, HIGHEST_DEPTH + 1):
            if reduced[depth] < depth:  # not so for 1
                table[n_empties, depth] = round(deviation(n_empties, depth, reduced[depth]))
    return table


_REDUCED_DEPTH = np.array([reduced_depth(depth) for depth in range(HIGHEST_DEPTH + 1)], dtype=np.int64)
_SHALLOW_ERROR = _table([reduced_depth(depth) for depth in range(HIGHEST_DEPTH + 1)])
_STATIC_ERROR = _table([0] * (HIGHEST_DEPTH + 1))


@kernel(I64(I64))
def probcut_depth(depth):
    """As `reduced_depth`."""
    return _REDUCED_DEPTH[depth]


@kernel(I64(I64, I64, I64))
def shallow_tolerance(selectivity, n_empties, depth):
    """How far outside the window the value of the shallow search must lie to be believed."""
    return _T_PER_MILLE[selectivity] * np.int64(_SHALLOW_ERROR[n_empties, depth]) // np.int64(1000)


@kernel(I64(I64, I64, I64))
def static_tolerance(selectivity, n_empties, depth):
    """How far inside the window a static value may lie for the shallow search to be worth trying."""
    return _T_PER_MILLE[selectivity] * np.int64(_STATIC_ERROR[n_empties, depth]) // np.int64(1000)
