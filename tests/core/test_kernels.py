"""What holds for every kernel of rules and evaluation: its types, and that it is compiled once only."""

from __future__ import annotations

import numpy as np
import pytest

import othello_engine.core
import othello_engine.evaluation
from othello_engine.core import jit
from othello_engine.core.moves import flips, legal_moves
from tests.core.support import inferred_types, kernels_of

pytestmark = pytest.mark.skipif(not jit.IS_COMPILED, reason="uncompiled functions have no types")

KERNELS = {**kernels_of(othello_engine.core), **kernels_of(othello_engine.evaluation)}
BITBOARD_NAMES = {
    "player",
    "opponent",
    "moves",
    "turned",
    "placed",
    "stable",
    "candidates",
    "supported",
    "full",
    "empties",
    "bits",
    "p",
    "o",
    "discs",
    "squares",
    "beside_empties",
    "west",
    "east",
    "north",
    "south",
    "rising",
    "falling",
}
"""Variables that hold a set of squares wherever they appear, but for these kernels."""
KERNELS_OF_COUNTS = {"classic.weighted_sum"}


def test_the_kernels_are_found() -> None:
    assert {
        "moves.legal_moves",
        "moves.flips",
        "last_flip.count_last_flips",
        "stability.stable_discs",
    } <= set(KERNELS)


@pytest.mark.parametrize("name", KERNELS)
def test_no_value_in_a_kernel_is_a_float(name: str) -> None:
    """NU-2: an unsigned and a signed word that meet in a branch become a double and lose bits."""
    assert [pair for pair in inferred_types(KERNELS[name]) if "float" in pair[1]] == []
    assert "float" not in str(KERNELS[name].nopython_signatures)


@pytest.mark.parametrize("name", sorted(KERNELS.keys() - KERNELS_OF_COUNTS))
def test_every_set_of_squares_is_unsigned(name: str) -> None:
    """NU-2: a signed word smears its top bit, h8, when it is shifted."""
    wrong = [
        (variable, kind)
        for variable, kind in inferred_types(KERNELS[name])
        if variable in BITBOARD_NAMES and kind != "uint64"
    ]
    assert wrong == []


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_has_one_signature_and_compiles_no_other(name: str) -> None:
    """NU-3: a value of another type must not compile again in the middle of a game."""
    assert len(KERNELS[name].signatures) == 1
    assert not KERNELS[name]._can_compile


def test_integers_of_any_kind_use_the_one_version() -> None:
    """NU-3."""
    player, opponent = 0x0000000810000000, 0x0000001008000000
    for kind in (int, np.uint64, np.int64):
        assert legal_moves(kind(player), kind(opponent)) == 0x0000102004080000
        assert flips(19, kind(player), kind(opponent)) == 1 << 27
    assert len(legal_moves.signatures) == 1
    with pytest.raises(OverflowError):
        legal_moves(-1, 0)
