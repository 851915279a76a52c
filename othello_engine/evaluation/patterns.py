"""The trained evaluation: patterns, counts and a small network, in hundredths of a disc (docs/evaluation.md).

Addresses instead of arrays: the weights lie in memory shared by all search processes, the rows of indices in the
search state (lanes.py says what a row is).
"""

import numpy as np

from othello_engine.core.jit import I64, U64, kernel
from othello_engine.core.parity import quadrant_parity
from othello_engine.core.simd import legal_moves, popcount
from othello_engine.evaluation.classic import neighbours
from othello_engine.evaluation.features import (
    DISCS_OFFSET,
    MOBILITY_OFFSET,
    MOBILITY_SIDE,
    N_NETWORKS,
    NETWORK_BYTES,
    NETWORKS_OFFSET,
    PARITY_OFFSET,
    POTENTIAL_OFFSET,
    POTENTIAL_SIDE,
)
from othello_engine.evaluation.lanes import network_value

DISC_UNIT = 100
"""Worth of one disc."""
HIGHEST = np.int64(6399)
"""No estimate says more than a finished game can."""

_NETWORKS = np.uint64(NETWORKS_OFFSET)
_NETWORK = np.uint64(NETWORK_BYTES)
_MOBILITY = np.int64(MOBILITY_OFFSET)
_MOBILITY_SIDE = np.int64(MOBILITY_SIDE)
_POTENTIAL = np.int64(POTENTIAL_OFFSET)
_POTENTIAL_SIDE = np.int64(POTENTIAL_SIDE)
_PARITY = np.int64(PARITY_OFFSET)
_DISCS = np.int64(DISCS_OFFSET)
_DISCS_SIDE = np.int64(65)


@kernel(I64(U64, U64))
def mobility_index(moves, replies):
    """Row for both sides' legal moves (bitboards)."""
    most = np.int64(MOBILITY_SIDE - 1)
    return _MOBILITY + _MOBILITY_SIDE * min(popcount(moves), most) + min(popcount(replies), most)


@kernel(I64(U64, U64))
def potential_index(player, opponent):
    """Row for the empty squares beside the opponent's discs, and beside the player's."""
    empties = ~(player | opponent)
    most = np.int64(POTENTIAL_SIDE - 1)
    mine = min(popcount(neighbours(opponent) & empties), most)
    theirs = min(popcount(neighbours(player) & empties), most)
    return _POTENTIAL + _POTENTIAL_SIDE * mine + theirs


@kernel(I64(U64, U64))
def parity_index(player, opponent):
    """Row for the quadrants with an odd number of empty squares."""
    return _PARITY + np.int64(quadrant_parity(~(player | opponent)))


@kernel(I64(U64, U64))
def discs_index(player, opponent):
    """Row for the player's discs, by even and odd number of empty squares."""
    n_empties = np.int64(64) - popcount(player | opponent)
    return _DISCS + _DISCS_SIDE * (n_empties & np.int64(1)) + popcount(player)


@kernel(I64(U64, U64, U64, U64, U64))
def value_of_row(weights, row, player, opponent, moves):
    """Value for the side to move. row: the position's indices (own view). moves: its legal moves, maybe none.

    Oracle: tests/oracle.py.
    """
    # A set-up board may have fewer discs than the start.
    n_empties = min(np.int64(64) - popcount(player | opponent), np.int64(N_NETWORKS - 1))
    value = network_value(
        row,
        weights,
        weights + _NETWORKS + np.uint64(n_empties) * _NETWORK,
        mobility_index(moves, legal_moves(opponent, player)),
        potential_index(player, opponent),
        parity_index(player, opponent),
        discs_index(player, opponent),
    )
    return max(-HIGHEST, min(value, HIGHEST))
