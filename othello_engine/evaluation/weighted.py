"""The documented evaluation of the `weighted` profile: square weights and mobility, the same in every phase.

    sum of the weights under own discs - the same of the opponent's + 10 * (own legal moves - the opponent's)

A finished game has no other value than this. `docs/weighted.md` has the whole description.
"""

import numpy as np

from othello_engine.core.jit import I64, U64, kernel
from othello_engine.core.simd import legal_moves, popcount

SQUARE_WEIGHTS = np.array(
    [
        [120, -20, 20, 5, 5, 20, -20, 120],
        [-20, -40, -5, -5, -5, -5, -40, -20],
        [20, -5, 15, 3, 3, 15, -5, 20],
        [5, -5, 3, 3, 3, 3, -5, 5],
        [5, -5, 3, 3, 3, 3, -5, 5],
        [20, -5, 15, 3, 3, 15, -5, 20],
        [-20, -40, -5, -5, -5, -5, -40, -20],
        [120, -20, 20, 5, 5, 20, -20, 120],
    ],
    dtype=np.int64,
).ravel()
"""Weight of each square, index = row * 8 + column."""

MOBILITY_WEIGHT = np.int64(10)

_WEIGHTS = np.unique(SQUARE_WEIGHTS)
_SQUARES = np.array(
    [sum(1 << square for square in range(64) if SQUARE_WEIGHTS[square] == weight) for weight in _WEIGHTS],
    dtype=np.uint64,
)
"""The squares that have each of the weights."""


@kernel(I64(U64, U64), entry=True)
def evaluate(player, opponent):
    """Raw value of any position for the side to move. Oracle: tests/weighted_oracle.py."""
    mobility = popcount(legal_moves(player, opponent)) - popcount(legal_moves(opponent, player))
    value = MOBILITY_WEIGHT * mobility
    for index in range(len(_WEIGHTS)):
        squares = _SQUARES[index]
        value += _WEIGHTS[index] * (popcount(player & squares) - popcount(opponent & squares))
    return value
