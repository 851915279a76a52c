"""Wins by fours, against a prover that tries everything."""

from __future__ import annotations

import pytest

from othello_engine.gomoku.classic.board import five_points, set_position
from othello_engine.gomoku.classic.state import new_state
from othello_engine.gomoku.classic.threats import points_of_stone, shortest_vcf
from othello_engine.gomoku.position import GomokuPosition
from tests.gomoku.classic import oracle
from tests.gomoku.classic.boards import (
    ALL_RECORDS,
    SOME_RECORDS,
    board_of,
    place_rows,
    random_position,
    records,
)


@pytest.fixture(scope="module")
def state():
    return new_state()


def solve(state, position, **rest):
    set_position(state, position.size, position.cells)
    return shortest_vcf(state, position.side, rest.pop("n_nodes", 100_000), **rest)


def check_line(position, line):
    """Own moves are fours or the five, answers lie on a five-point, and the line ends with the five."""
    winner = position.side
    for ply, move in enumerate(line):
        board, player = board_of(position), "XO"[winner]
        position = position.play(move)
        points = oracle.five_points(board_of(position), player) if position.winner is None else []
        if ply % 2 == 0:
            assert position.winner is not None or points
        else:
            assert divmod(move, position.size) in oracle.five_points(board, player)
    assert position.winner == winner


@pytest.mark.parametrize(("size", "n_positions"), [(10, 60), (15, 20)])
def test_short_wins_are_those_of_the_slow_prover(state, size, n_positions):
    lengths = set()
    for seed in range(n_positions):
        position = random_position(1000 + seed, size, 22, 6, blocked=seed % 3, five=False)
        expected = oracle.shortest_vcf(board_of(position), "XO"[position.side], 7)
        plies, line, is_certain = solve(state, position)
        assert is_certain
        assert (plies if plies <= 7 else 0) == expected
        lengths.add(plies)
        if plies:
            check_line(position, line)
    assert {0, 1, 3} <= lengths
    assert size > 10 or 5 in lengths


def test_a_five_of_the_defender_comes_first(state):
    attack = {3: "-----XXX-------", 9: "OOOOX----------"}
    assert solve(state, place_rows(attack))[0] == 3
    threatened = {3: "-----XXX-------", 9: "-OOOOX---------"}
    assert solve(state, place_rows(threatened))[0] == 0


def test_a_four_made_by_the_answer_must_be_met_by_a_four(state):
    """Black's f8 is answered on e8, which makes White's column a four; its five-point e9 must be a four of Black's."""
    column = {3: "----X----------", 4: "----O----------", 5: "----O----------", 6: "----O----------"}
    rows = {7: "OXXX-----------"} | column
    met = place_rows(rows | {9: "---X-----------", 10: "--X------------"})
    plies, line, _ = solve(state, met)
    assert plies == oracle.shortest_vcf(board_of(met), "X", 7) == 5
    assert [met.move_name(move) for move in line[:3]] == ["f8", "e8", "e9"]
    not_met = place_rows(rows | {10: "--X------------", 12: "---X-----------"})
    assert solve(state, not_met)[0] == oracle.shortest_vcf(board_of(not_met), "X", 7) == 0


def test_only_the_moves_asked_for_are_tried_first(state):
    position = place_rows({7: "-----XXX-------"})
    set_position(state, 15, position.cells)
    assert shortest_vcf(state, 0, 1000, [7 * 15 + 4])[0] == 3
    assert shortest_vcf(state, 0, 1000, [0])[0] == 0
    assert shortest_vcf(state, 0, 1000)[1][0] in (7 * 15 + 4, 7 * 15 + 8)


def test_without_nodes_nothing_is_certain(state):
    position = next(record.position for record in records(SOME_RECORDS) if record.name == "vcf07")
    new = new_state()
    assert solve(new, position, n_nodes=3) == (0, (), False)
    new.stop = 1
    assert solve(new, position) == (0, (), False)


@pytest.mark.parametrize("size", [10, 15, 20])
def test_five_points_of_a_stone_are_those_found_by_trying(state, size):
    for seed in range(10):
        position = random_position(seed, size, 34, 7, five=False)
        board, player = board_of(position), "XO"[position.side]
        if oracle.five_points(board, player):
            continue
        for cell in oracle.candidates(board):
            after = oracle.with_stone(board, cell, player)
            cells = bytes("-XO#".index(content) for row in after for content in row)
            set_position(state, size, cells)
            expected = {row * size + column for row, column in oracle.five_points(after, player)}
            index = cell[0] * size + cell[1]
            count = points_of_stone(state, index, position.side)
            assert {int(point) for point in state.points[: min(4, count)]} <= expected
            assert bool(count) == bool(expected)
            assert (count > 1) == (len(expected) > 1)
            assert five_points(state, position.side) == len(expected)


def test_a_stone_with_two_fours_through_one_gap_makes_one_five_point(state):
    """The gap at h8 is shared by row and column of two stones each side of it."""
    rows = {7: "-----XX-XX-----"}
    position = place_rows(rows)
    set_position(state, 15, position.cells)
    assert points_of_stone(state, 7 * 15 + 5, 0) == 1


@pytest.mark.parametrize("path", [SOME_RECORDS, ALL_RECORDS], ids=["some", "all"])
def test_the_vcf_records_have_their_lengths(path):
    found = [record for record in records(path) if record.kind in ("vcf", "vcf-only")]
    if not found:
        pytest.skip("needs ../shared/data")
    for record in found:
        plies, line, _ = solve(new_state(), record.position)
        assert plies == int(record.win), record.name
        assert record.position.move_name(line[0]) in record.answers
        check_line(record.position, line)


def test_a_win_found_from_a_remembered_position_is_the_same(state):
    """The memory of failures belongs to the position and not to the search: asking twice gives the same."""
    for record in records(SOME_RECORDS):
        if record.kind == "vcf":
            first, again = solve(state, record.position), solve(state, record.position)
            assert first == again
            passed = GomokuPosition(15, record.position.cells, 1 - record.position.side)
            assert solve(state, passed)[0] == solve(new_state(), passed)[0]
