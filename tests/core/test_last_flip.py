"""The count of discs turned by the move into the last empty square."""

from __future__ import annotations

import random

import pytest

from othello_engine.core import plain
from othello_engine.core.last_flip import count_last_flips
from othello_engine.types import parse_square
from tests import oracle, positions
from tests.core.support import SEED, several, square_and_bitboards


def last_flips(square: int, player: int) -> int:
    return square_and_bitboards(count_last_flips, square, player)


def full_but_one(square: int, rng: random.Random) -> tuple[int, int]:
    """A board whose only empty square is this one, from balanced to nearly one-coloured."""
    share = rng.choice((0.05, 0.5, 0.5, 0.95))
    player = sum(1 << s for s in range(64) if s != square and rng.random() < share)
    return player, ~player & plain.FULL & ~(1 << square)


@pytest.mark.parametrize("square", range(64))
def test_count_equals_the_plain_flips_on_every_square(square: int) -> None:
    rng = random.Random(SEED + square)
    for _ in range(several(300)):
        player, opponent = full_but_one(square, rng)
        assert last_flips(square, player) == plain.flips(square, player, opponent).bit_count()
        assert last_flips(square, opponent) == plain.flips(square, opponent, player).bit_count()


def test_count_equals_the_oracle_at_the_end_of_games() -> None:
    for position in positions.late_positions(1, several(100, 50), SEED):
        square = position.empties.bit_length() - 1
        board = oracle.board_of_bits(position.player, position.opponent)
        turned = oracle.turned(board, oracle.BLACK, *divmod(square, 8))
        assert last_flips(square, position.player) == len(turned)


@pytest.mark.parametrize("square", ["a1", "h1", "a8", "h8", "d4", "e5", "a4", "h5", "d8", "e1"])
def test_one_colour_turns_nothing_and_a_ring_turns_all_lines(square: str) -> None:
    x = parse_square(square)
    all_but_x = plain.FULL & ~(1 << x)
    assert last_flips(x, 0) == 0
    assert last_flips(x, all_but_x) == 0
    ring = sum(1 << s for s in range(64) if s % 8 in (0, 7) or s // 8 in (0, 7)) & all_but_x
    assert last_flips(x, ring) == plain.flips(x, ring, all_but_x & ~ring).bit_count()


def test_eighteen_discs_are_the_most_a_corner_can_turn() -> None:
    for corner, lines in (("a1", "h1 a8 h8"), ("h8", "a8 h1 a1"), ("h1", "a1 h8 a8"), ("a8", "h8 a1 h1")):
        assert last_flips(parse_square(corner), positions.bits(lines)) == 18
