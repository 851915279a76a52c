"""The documented hand-made evaluation of the `classic` profile: eight weighted terms, in raw units.

    positional + mobility + corners - frontier + material + parity - danger + stable

All terms are differences, own minus opponent's, seen by the side to move. Where the documentation leaves a rule
open the choice is stated at the term; `docs/classic.md` has the whole description.
"""

import numpy as np

from othello_engine.core.jit import I64, U64, ZERO, kernel
from othello_engine.core.simd import legal_moves, popcount

SQUARE_WEIGHTS = np.array(
    [
        [120, -40, 20, 5, 5, 20, -40, 120],
        [-40, -80, -5, -5, -5, -5, -80, -40],
        [20, -5, 15, 3, 3, 15, -5, 20],
        [5, -5, 3, 3, 3, 3, -5, 5],
        [5, -5, 3, 3, 3, 3, -5, 5],
        [20, -5, 15, 3, 3, 15, -5, 20],
        [-40, -80, -5, -5, -5, -5, -80, -40],
        [120, -40, 20, 5, 5, 20, -40, 120],
    ],
    dtype=np.int64,
).ravel()
"""Weight of each square, index = row * 8 + column."""

POSITIONAL_WEIGHT = np.int64(10)
MOBILITY_WEIGHT = np.int64(90)
CORNER_WEIGHT = np.int64(800)
FRONTIER_WEIGHT = np.int64(18)
MATERIAL_WEIGHT = np.int64(12)
PARITY_WEIGHT = np.int64(55)
DANGER_WEIGHT = np.int64(220)
STABLE_WEIGHT = np.int64(140)

PARITY_EMPTIES = np.int64(16)
"""Parity counts from here on: the documentation says 'few empty squares'; the exact search takes over at 14."""

WIN_UNIT = 10_000_000
DISC_UNIT = 10_000
"""A finished game is worth sign(difference) * WIN_UNIT + difference * DISC_UNIT."""


def _squares_of_weight(weight):
    return np.uint64(sum(1 << square for square in range(64) if SQUARE_WEIGHTS[square] == weight))


_W120, _W20, _W15 = (_squares_of_weight(w) for w in (120, 20, 15))
_W5, _W3, _WM5 = (_squares_of_weight(w) for w in (5, 3, -5))
_WM40, _WM80 = (_squares_of_weight(w) for w in (-40, -80))

_CORNERS = np.uint64(0x8100000000000081)
_FILE_A, _FILE_H = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_NOT_A, _NOT_H = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)
_ROW_1, _ROW_8 = np.uint64(0x00000000000000FF), np.uint64(0xFF00000000000000)
_A1, _H1 = np.uint64(1), np.uint64(1 << 7)
_A8, _H8 = np.uint64(1 << 56), np.uint64(1 << 63)
# The X-square and the two C-squares of each corner.
_NEAR_A1, _NEAR_H1 = np.uint64(0x0000000000000302), np.uint64(0x000000000000C040)
_NEAR_A8, _NEAR_H8 = np.uint64(0x0203000000000000), np.uint64(0x40C0000000000000)
_S1, _S7, _S8, _S9 = np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)


@kernel(I64(U64))
def positional_sum(discs):
    """Sum of the square weights under these discs."""
    return (
        np.int64(120) * popcount(discs & _W120)
        + np.int64(20) * popcount(discs & _W20)
        + np.int64(15) * popcount(discs & _W15)
        + np.int64(5) * (popcount(discs & _W5) - popcount(discs & _WM5))
        + np.int64(3) * popcount(discs & _W3)
        - np.int64(40) * popcount(discs & _WM40)
        - np.int64(80) * popcount(discs & _WM80)
    )


@kernel(U64(U64))
def neighbours(squares):
    """All squares beside any of `squares`, in eight directions."""
    sideways = squares | ((squares << _S1) & _NOT_A) | ((squares >> _S1) & _NOT_H)
    return ((squares << _S1) & _NOT_A) | ((squares >> _S1) & _NOT_H) | (sideways << _S8) | (sideways >> _S8)


@kernel(I64(U64, U64))
def danger_count(discs, empties):
    """Discs on the X- and C-squares of corners that are still empty."""
    count = np.int64(0)
    if empties & _A1 != ZERO:
        count += popcount(discs & _NEAR_A1)
    if empties & _H1 != ZERO:
        count += popcount(discs & _NEAR_H1)
    if empties & _A8 != ZERO:
        count += popcount(discs & _NEAR_A8)
    if empties & _H8 != ZERO:
        count += popcount(discs & _NEAR_H8)
    return count


@kernel(U64(U64))
def conservative_stable_discs(discs):
    """Discs of one colour that grow outward from its corners; undercounts rather than overcounts.

    A corner is stable. Seen from an owned corner, a disc joins if it is supported on all four lines: in its row
    and its column by the neighbour on the corner's side, on the diagonal through the corner's direction by the
    neighbour on that side, and on the other diagonal by either neighbour. A neighbour supports if it is stable
    itself or lies off the board. Repeated until nothing joins.
    """
    stable = discs & _CORNERS
    if stable == ZERO:
        return ZERO
    while True:
        before = stable
        west = ((stable << _S1) & _NOT_A) | _FILE_A
        east = ((stable >> _S1) & _NOT_H) | _FILE_H
        north = (stable << _S8) | _ROW_1
        south = (stable >> _S8) | _ROW_8
        north_west = ((stable << _S9) & _NOT_A) | _FILE_A | _ROW_1
        south_east = ((stable >> _S9) & _NOT_H) | _FILE_H | _ROW_8
        north_east = ((stable << _S7) & _NOT_H) | _FILE_H | _ROW_1
        south_west = ((stable >> _S7) & _NOT_A) | _FILE_A | _ROW_8
        rising = north_east | south_west
        falling = north_west | south_east
        if discs & _A1 != ZERO:
            stable |= discs & west & north & north_west & rising
        if discs & _H1 != ZERO:
            stable |= discs & east & north & north_east & falling
        if discs & _A8 != ZERO:
            stable |= discs & west & south & south_west & falling
        if discs & _H8 != ZERO:
            stable |= discs & east & south & south_east & rising
        if stable == before:
            return stable


@kernel(I64(I64, I64, I64, I64, I64, I64, I64, I64))
def weighted_sum(material, positional, mobility, corners, frontier, parity, danger, stable):
    """The documented formula, from the eight differences."""
    return (
        POSITIONAL_WEIGHT * positional
        + MOBILITY_WEIGHT * mobility
        + CORNER_WEIGHT * corners
        - FRONTIER_WEIGHT * frontier
        + MATERIAL_WEIGHT * material
        + PARITY_WEIGHT * parity
        - DANGER_WEIGHT * danger
        + STABLE_WEIGHT * stable
    )


@kernel(I64(U64, U64))
def evaluate(player, opponent):
    """Raw value of a position that is not finished, for the side to move. Oracle: tests/oracle.py."""
    empties = ~(player | opponent)
    n_empties = popcount(empties)
    parity = np.int64(0)
    if n_empties <= PARITY_EMPTIES:
        # An odd number of empties gives the side to move the last move.
        parity = np.int64(1) if n_empties & np.int64(1) else np.int64(-1)
    beside_empties = neighbours(empties)
    return weighted_sum(
        popcount(player) - popcount(opponent),
        positional_sum(player) - positional_sum(opponent),
        popcount(legal_moves(player, opponent)) - popcount(legal_moves(opponent, player)),
        popcount(player & _CORNERS) - popcount(opponent & _CORNERS),
        popcount(player & beside_empties) - popcount(opponent & beside_empties),
        parity,
        danger_count(player, empties) - danger_count(opponent, empties),
        popcount(conservative_stable_discs(player)) - popcount(conservative_stable_discs(opponent)),
    )
