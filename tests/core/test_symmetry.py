"""The eight symmetries against images made square by square, and the canonical form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from othello_engine.core import symmetry
from othello_engine.position import Position
from tests import positions
from tests.core.support import SEED, bitboards, many_boards, several


def symmetric(bits: int, index: int) -> int:
    return int(symmetry.symmetric(np.uint64(bits), np.int64(index)))


def canonical(player: int, opponent: int) -> tuple[int, int]:
    p, o = symmetry.canonical(np.uint64(player), np.uint64(opponent))
    return int(p), int(o)


@pytest.mark.parametrize(
    ("kernel", "index", "there"),
    [
        (symmetry.mirror_rows, 1, {"a1": "a8", "b1": "b8", "h1": "h8", "d3": "d6"}),
        (symmetry.mirror_columns, 2, {"a1": "h1", "b1": "g1", "a8": "h8", "d3": "e3"}),
        (symmetry.transpose, 4, {"a1": "a1", "b1": "a2", "h1": "a8", "d3": "c4"}),
    ],
)
def test_single_reflections_by_name(kernel: Callable[..., Any], index: int, there: dict[str, str]) -> None:
    for square, image in there.items():
        assert bitboards(kernel, positions.bits(square)) == positions.bits(image)
        assert bitboards(kernel, positions.bits(image)) == positions.bits(square)
    for player, _ in positions.random_bitboards(several(500), SEED):
        assert bitboards(kernel, player) == positions.image(player, index)


@pytest.mark.parametrize("index", range(8))
def test_every_symmetry_moves_every_square_as_it_should(index: int) -> None:
    for square in range(64):
        assert symmetric(1 << square, index) == positions.image(1 << square, index)
    for player, opponent in positions.random_bitboards(several(500), SEED):
        assert symmetric(player, index) == positions.image(player, index)
        assert symmetric(opponent, index) == positions.image(opponent, index)


def test_the_eight_images_of_an_asymmetric_board_differ() -> None:
    bits = positions.bits("a1 b1 c2")
    assert len({symmetric(bits, index) for index in range(8)}) == 8
    assert symmetric(bits, 0) == bits


def test_canonical_form_is_the_smallest_image_and_the_same_for_all_images() -> None:
    for player, opponent in many_boards(several(1_000, 100)):
        images = [(positions.image(player, i), positions.image(opponent, i)) for i in range(8)]
        smallest = min(images)
        assert {canonical(*image) for image in images} == {smallest}


def test_canonical_form_of_the_four_first_moves_is_one() -> None:
    start = Position.start()
    after = [start.play(move) for move in start.legal_moves]
    assert len({canonical(position.player, position.opponent) for position in after}) == 1
