"""The documented evaluation of the `phased` profile: six terms, whose weights change at 44 and at 20 empties.

    mobility + frontier + corners + stability + parity + discs, each times its weight in the phase of the position

`evaluate` judges Othello and `evaluate_anti` anti-Othello, where fewest discs win: the same terms, other weights.
Values are hundredths of a disc for the side to move. `docs/phased.md` has the whole description.
"""

import numba
import numpy as np

from othello_engine.core.jit import I64, ONE, U64, ZERO, kernel
from othello_engine.core.simd import legal_moves, popcount
from othello_engine.core.stability import stable_discs
from othello_engine.evaluation.classic import neighbours

DISC_UNIT = 100
"""Worth of one disc, in the unit of the values."""

TERMS = ("mobility", "frontier", "corners", "stability", "parity", "discs")
"""The terms, in the order of the columns of the weights."""

OPENING, MIDDLE, END = 0, 1, 2
"""The phases, in the order of the rows of the weights."""

MIDDLE_EMPTIES = np.int64(44)
END_EMPTIES = np.int64(20)
"""The first number of empties, counted down, of the phase."""

WEIGHTS = np.array(
    [
        [113, -103, 1717, 62, 0, 0],
        [148, -130, 985, 125, 0, 0],
        [202, -65, 173, 94, 357, 2],
    ],
    dtype=np.int64,
)
"""[phase, term]: hundredths of a disc for each unit of the term. `python -m tools.train.phased` finds them."""

ANTI_WEIGHTS = np.array(
    [
        [30, -9, -596, -128, 0, 0],
        [37, -65, -459, -68, 0, 0],
        [94, -33, -227, -62, -116, -16],
    ],
    dtype=np.int64,
)
"""The same for anti-Othello."""

_BOTH = np.stack([WEIGHTS, ANTI_WEIGHTS])

_CORNERS = np.uint64(0x8100000000000081)


@kernel(I64(U64, U64, U64))
def parity(empties, own_moves, other_moves):
    """Odd regions of empties that only the side to move can enter, less those that only the opponent can.

    own_moves, other_moves: what either side could play if it were to move. A region is a set of empties that hang
    together, diagonally too. Alone in an odd region, a side plays its first and its last move.
    """
    difference = np.int64(0)
    left = empties
    while left != ZERO:
        region = left & (~left + ONE)
        while True:
            grown = (region | neighbours(region)) & left
            if grown == region:
                break
            region = grown
        left ^= region
        if popcount(region) & np.int64(1):
            is_own, is_other = own_moves & region != ZERO, other_moves & region != ZERO
            if is_own and not is_other:
                difference += np.int64(1)
            elif is_other and not is_own:
                difference -= np.int64(1)
    return difference


@kernel(numba.types.UniTuple(I64, 6)(U64, U64))
def terms(player, opponent):
    """The six terms of a position for the side to move, own minus opponent's and without weights, in TERMS's order.

    Parity is 0 before the last phase: most empties still form one region.
    """
    empties = ~(player | opponent)
    beside_empties = neighbours(empties)
    own_moves, other_moves = legal_moves(player, opponent), legal_moves(opponent, player)
    parity_difference = np.int64(0)
    if popcount(empties) <= END_EMPTIES:
        parity_difference = parity(empties, own_moves, other_moves)
    return (
        popcount(own_moves) - popcount(other_moves),
        popcount(player & beside_empties) - popcount(opponent & beside_empties),
        popcount(player & _CORNERS) - popcount(opponent & _CORNERS),
        popcount(stable_discs(player, opponent)) - popcount(stable_discs(opponent, player)),
        parity_difference,
        popcount(player) - popcount(opponent),
    )


@kernel(I64(I64))
def phase_of(n_empties):
    """Row of the weights for a position with so many empties."""
    if n_empties > MIDDLE_EMPTIES:
        return np.int64(0)
    if n_empties > END_EMPTIES:
        return np.int64(1)
    return np.int64(2)


@kernel(I64(I64, U64, U64))
def _value(game, player, opponent):
    """The terms of a position, each times its weight in the phase; game: index of _BOTH."""
    phase = phase_of(popcount(~(player | opponent)))
    mobility, frontier, corners, stability, region_parity, material = terms(player, opponent)
    return (
        _BOTH[game, phase, 0] * mobility
        + _BOTH[game, phase, 1] * frontier
        + _BOTH[game, phase, 2] * corners
        + _BOTH[game, phase, 3] * stability
        + _BOTH[game, phase, 4] * region_parity
        + _BOTH[game, phase, 5] * material
    )


@kernel(I64(U64, U64), entry=True)
def evaluate(player, opponent):
    """Value of an unfinished position for the side to move, in hundredths of a disc. Oracle: tests/phased_oracle.py."""
    return _value(np.int64(0), player, opponent)


@kernel(I64(U64, U64), entry=True)
def evaluate_anti(player, opponent):
    """The same in anti-Othello: positive if the side to move is expected to end with fewer discs."""
    return _value(np.int64(1), player, opponent)
