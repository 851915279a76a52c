"""Bitboards, fives, five-points and candidates, against boards looked at cell by cell."""

from __future__ import annotations

import numpy as np
import pytest

from othello_engine.gomoku.classic import board as bits
from othello_engine.gomoku.classic.candidates import candidates
from othello_engine.gomoku.classic.order import unpack_key
from othello_engine.gomoku.classic.state import FOUND, PAD_WORDS, new_state
from othello_engine.gomoku.position import GomokuPosition, parse_cell
from tests.gomoku.classic import oracle
from tests.gomoku.classic.boards import ALL_RECORDS, SOME_RECORDS, board_of, place_rows, random_position, records

SIDES = ((0, "X"), (1, "O"))


@pytest.fixture(scope="module")
def state():
    return new_state()


def put_in(state, position):
    bits.set_position(state, position.size, position.cells)


def stones(size, cells, content=1):
    board = bytearray(size * size)
    for cell in cells:
        board[cell] = content
    return GomokuPosition(size, bytes(board))


def as_cells(position, pairs):
    return sorted(row * position.size + column for row, column in pairs)


def test_a_board_of_15_has_the_documented_four_words(state):
    for cell in range(225):
        put_in(state, stones(15, [cell], 2))
        words = state.boards[1, PAD_WORDS:]
        assert words[cell // 64] == 1 << (cell % 64)
        assert np.count_nonzero(words) == 1
        assert np.count_nonzero(state.boards[0]) == 0
    assert int(state.words) == 4
    assert state.bit_steps.tolist() == [1, 15, 16, 14]


def test_the_documented_cell_is_bit_48_of_word_1(state):
    assert GomokuPosition.start().play("h8").cells[112] == 1
    put_in(state, GomokuPosition.start().play("h8"))
    assert state.boards[0, PAD_WORDS + 1] == 1 << 48


def test_starts_of_fives_on_15_are_the_documented_ones(state):
    put_in(state, GomokuPosition.start())
    allowed = (
        lambda row, column: column <= 10,
        lambda row, column: row <= 10,
        lambda row, column: row <= 10 and column <= 10,
        lambda row, column: row <= 10 and column >= 4,
    )
    for direction, is_start in enumerate(allowed):
        for cell in range(225):
            mask = int(state.ahead[direction, 4, cell // 64])
            assert bool(mask >> cell % 64 & 1) == is_start(*divmod(cell, 15))


@pytest.mark.parametrize(
    "cells",
    [
        [13, 14, 15, 16, 17],
        [11, 12, 13, 14, 15],
        [13, 29, 45, 61, 77],
        [15, 29, 43, 57, 71],
        [0, 14, 28, 42, 56],
        [14, 30, 46, 62, 78],
        [206, 207, 208, 209, 210],
    ],
)
def test_cells_at_equal_distances_are_no_five_across_the_edge(state, cells):
    put_in(state, stones(15, cells))
    assert bits.has_five(state, 0) == 0


@pytest.mark.parametrize("size", [10, 15, 16, 19, 20])
def test_every_five_on_the_board_is_seen_and_no_other_row_of_bits(state, size):
    for step in (1, size, size + 1, size - 1):
        for start in range(size * size - 4 * step):
            position = stones(size, range(start, start + 4 * step + 1, step))
            put_in(state, position)
            assert bits.has_five(state, 0) == (position.winner == 0)
            assert bits.has_five(state, 1) == 0


@pytest.mark.parametrize("path", [SOME_RECORDS, ALL_RECORDS], ids=["some", "all"])
def test_the_state_records(state, path):
    found = [record for record in records(path) if record.kind == "state"]
    if not found:
        pytest.skip("needs ../shared/data")
    for record in found:
        put_in(state, record.position)
        over = {f"over {symbol}" for side, symbol in ((0, "B"), (1, "W")) if bits.has_five(state, side)}
        assert (over or {"ongoing"}) == record.answers, record.name


@pytest.mark.parametrize("size", [10, 15, 20])
def test_five_points_fours_and_candidates_are_those_found_by_trying(state, size):
    for seed in range(6):
        position = random_position(seed, size, 30, 7, blocked=seed % 4, five=False)
        board = board_of(position)
        put_in(state, position)
        for side, player in SIDES:
            points = oracle.five_points(board, player)
            assert bits.five_points(state, side) == len(points)
            assert bits.cells_of(state, 3 + side) == as_cells(position, points)
            if not points:
                fours = [cell for cell in oracle.empty_cells(board) if oracle.points_of_four(board, cell, player)]
                assert bits.four_cells(state, side) == len(fours)
                assert bits.cells_of(state, FOUND) == as_cells(position, fours)
        count = candidates(state, position.side, 0)
        found = sorted(unpack_key(key)[0] for key in state.keys[0, :count])
        assert found == as_cells(position, oracle.candidates(board))


@pytest.mark.parametrize("size", [10, 15, 19, 20])
def test_one_stone_gives_the_square_around_it(state, size):
    for cell in range(size * size):
        position = stones(size, [cell])
        put_in(state, position)
        bits.near_stones(state)
        assert bits.cells_of(state, FOUND) == as_cells(position, oracle.candidates(board_of(position)))


@pytest.mark.parametrize(("size", "centre"), [(10, "f6"), (15, "h8"), (20, "k11")])
def test_the_empty_board_has_its_centre_alone(state, size, centre):
    put_in(state, GomokuPosition.start(size))
    assert candidates(state, 0, 0) == 1
    assert unpack_key(state.keys[0, 0])[0] == parse_cell(centre, size)


def test_a_blocked_centre_leaves_every_other_cell(state):
    put_in(state, stones(15, [112], 3))
    assert candidates(state, 0, 0) == 224


def test_blocked_cells_are_neither_stones_nor_empty(state):
    position = place_rows({7: "--XXXX#", 8: "-#####-"})
    put_in(state, position)
    bits.five_points(state, 0)
    assert bits.cells_of(state, 3) == [7 * 15 + 1]
    assert bits.has_five(state, 0) == bits.has_five(state, 1) == 0


def test_taking_back_restores_everything(state):
    position = random_position(5, 15, 40, 9)
    put_in(state, position)
    before = state.boards[:3].copy(), state.cells.copy(), int(state.key)
    cells = [cell for cell, content in enumerate(position.cells) if content == 0][:60]
    for n, cell in enumerate(cells):
        bits.put(state, cell, n % 2)
    after = bytearray(position.cells)
    for n, cell in enumerate(cells):
        after[cell] = 1 + n % 2
    seen = state.boards[:3].copy(), state.cells.copy(), int(state.key)
    put_in(state, GomokuPosition(15, bytes(after)))
    assert all(np.array_equal(a, b) for a, b in zip(seen, (state.boards[:3], state.cells, int(state.key)), strict=True))
    for n, cell in enumerate(cells):
        bits.take_back(state, cell, n % 2)
    assert all(
        np.array_equal(a, b) for a, b in zip(before, (state.boards[:3], state.cells, int(state.key)), strict=True)
    )
