"""Quadrants and their parity, counted square by square."""

from __future__ import annotations

import random

import pytest

from othello_engine.core import parity, plain
from othello_engine.types import parse_square
from tests.core.support import SEED, bitboards, several


def quadrant_of(square: int) -> int:
    """0 to 3 for the quadrants of a1, h1, a8, h8."""
    row, column = divmod(square, 8)
    return 2 * (row >= 4) + (column >= 4)


def parity_by_counting(empties: int) -> int:
    odd = 0
    for square in range(64):
        if empties >> square & 1:
            odd ^= 1 << quadrant_of(square)
    return odd


def test_masks_split_the_board_into_four_times_sixteen_squares() -> None:
    for square in range(64):
        holders = [q for q in range(4) if parity.QUADRANT_MASKS[q] >> square & 1]
        assert holders == [quadrant_of(square)]
        assert int(parity.QUADRANT[square]) == 1 << quadrant_of(square)


@pytest.mark.parametrize(("corner", "bit"), [("a1", 1), ("h1", 2), ("a8", 4), ("h8", 8)])
def test_each_corner_has_its_bit(corner: str, bit: int) -> None:
    square = parse_square(corner)
    assert int(parity.QUADRANT[square]) == bit
    assert bitboards(parity.quadrant_parity, 1 << square) == bit


def test_union_of_quadrants_by_parity() -> None:
    for bits in range(16):
        expected = sum(1 << square for square in range(64) if bits >> quadrant_of(square) & 1)
        assert int(parity.QUADRANT_SQUARES[bits]) == expected


def test_parity_of_single_squares_and_of_everything() -> None:
    for square in range(64):
        assert bitboards(parity.quadrant_parity, 1 << square) == 1 << quadrant_of(square)
        assert bitboards(parity.quadrant_parity, plain.FULL & ~(1 << square)) == 1 << quadrant_of(square)
    assert bitboards(parity.quadrant_parity, 0) == 0
    assert bitboards(parity.quadrant_parity, plain.FULL) == 0


def test_parity_equals_counting() -> None:
    rng = random.Random(SEED)
    for _ in range(several(5_000)):
        empties = rng.getrandbits(64) & rng.getrandbits(64)
        assert bitboards(parity.quadrant_parity, empties) == parity_by_counting(empties)
