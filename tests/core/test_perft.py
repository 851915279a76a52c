"""Leaf counts of the game tree: known numbers, the plain rules, and both pass conventions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from othello_engine.core import jit
from othello_engine.core import simd as simd_module
from othello_engine.core.jit import I64, ONE, U64, ZERO, kernel
from othello_engine.core.perft import perft
from othello_engine.position import Position
from tests import oracle, positions
from tests.core.support import SEED, several

simd: Any = simd_module  # intrinsics are called by kernels, whose types are in the decorator

LAST_DEPTH = several(9, 6)


@kernel(I64(U64, U64, I64))
def _perft_with_free_passes(player, opponent, depth):  # type: ignore[no-untyped-def]
    """Leaves where a pass costs no ply; every move is made, no counting ahead."""
    if depth == np.int64(0):
        return np.int64(1)
    moves = simd.legal_moves(player, opponent)
    if moves == ZERO:
        if simd.legal_moves(opponent, player) == ZERO:
            return np.int64(1)
        return _perft_with_free_passes(opponent, player, depth + np.int64(0))
    leaves = np.int64(0)
    while moves != ZERO:
        square = simd.square_of(moves)
        moves &= moves - ONE
        turned = simd.flips(square, player, opponent)
        placed = player ^ turned ^ (ONE << np.uint64(square))
        leaves += _perft_with_free_passes(opponent ^ turned, placed, depth - np.int64(1))
    return leaves


def leaves(position: Position, depth: int) -> int:
    return int(perft(np.uint64(position.player), np.uint64(position.opponent), np.int64(depth)))


def free_pass_leaves(position: Position, depth: int) -> int:
    boards = np.uint64(position.player), np.uint64(position.opponent)
    return int(_perft_with_free_passes(*boards, np.int64(depth)))


@pytest.mark.parametrize("depth", range(1, LAST_DEPTH + 1))
def test_start_position(depth: int) -> None:
    """RU-7: a pass costs a ply, a finished game is a leaf."""
    assert leaves(Position.start(), depth) == positions.START_PERFT[depth - 1]


@pytest.mark.parametrize("depth", range(1, several(7, 5) + 1))
def test_forced_pass_at_the_root_is_a_ply(depth: int) -> None:
    """RU-1."""
    assert leaves(Position.from_moves(positions.PASS_AT_16), depth) == positions.PASS_AT_16_PERFT[depth - 1]


@pytest.mark.skipif(not jit.IS_COMPILED, reason="three million leaves")
def test_depth_nine_tells_the_pass_conventions_apart() -> None:
    assert free_pass_leaves(Position.start(), 9) == positions.START_PERFT_9_FREE_PASSES
    assert leaves(Position.start(), 9) == positions.START_PERFT[8]


def test_free_passes_agree_with_the_oracle() -> None:
    for position in positions.late_positions(7, several(20, 5), SEED):
        board = oracle.board_of_bits(position.player, position.opponent)
        for depth in range(5):
            expected = oracle.perft(board, oracle.BLACK, depth, pass_costs_a_ply=False)
            assert free_pass_leaves(position, depth) == expected


def test_late_positions_with_passes_and_early_ends_agree_with_the_oracle() -> None:
    for position in positions.late_positions(6, several(40, 10), SEED):
        board = oracle.board_of_bits(position.player, position.opponent)
        for depth in range(6):
            assert leaves(position, depth) == oracle.perft(board, oracle.BLACK, depth)


def test_depth_zero_and_finished_games_are_one_leaf() -> None:
    assert leaves(Position.start(), 0) == 1
    for text, _ in positions.FINISHED:
        for depth in (0, 1, 2, 60):
            assert leaves(Position.from_text(text, default_side=0), depth) == 1


def test_depth_beyond_the_end_of_the_game_counts_the_finished_games() -> None:
    for position in positions.late_positions(4, several(20, 8), SEED):
        board = oracle.board_of_bits(position.player, position.opponent)
        assert leaves(position, 20) == leaves(position, 64) == oracle.perft(board, oracle.BLACK, 20)


@pytest.mark.parametrize("index", range(8))
def test_symmetric_positions_have_equal_counts(index: int) -> None:
    """NU-2: colour is no part of a kernel's position; the eight images must count alike."""
    for position in list(positions.random_positions(several(40, 8), SEED))[::4]:
        there = Position(positions.image(position.player, index), positions.image(position.opponent, index))
        assert leaves(there, several(5, 3)) == leaves(position, several(5, 3))
