"""Wins by fours against a search that tries everything, and on records with known lengths."""

from __future__ import annotations

from pathlib import Path

import pytest

from othello_engine.gomoku.forcing import FAILED, LIMITED, STOPPED, fours_move, fours_win, shortest_fours
from othello_engine.gomoku.position import GomokuPosition
from tests.gomoku import slow
from tests.gomoku.solver import Solver

PUZZLES = Path(__file__).parents[3] / "shared" / "data" / "gomoku" / "vcf_freestyle_20x20.tsv"

RECORDS = [
    ("i8g9k10h7j11i7l9i12l8h8j6h10h9f10e11g7j7", "e7:5"),
    ("h8i9j6g9h6h9j9i6i5j7i8h7g8f8k7l8k8j8k5k9k4k6h4g3", "l4:7"),
    ("g7j9h11k10j8l9i9l11i8j11m8l10l8k8k7i12h13l12l13", "m12:9"),
    ("h8i7f6i9g5j7e7h4g7k7h7i8i6h9k6j8h10j6d7f7d4e5", "d8:11"),
    ("h8i7f6i9g5j7e7h4g7k7h7i8i6h9k6j8h10j6", "d4:15,d7:15,d8:15"),
    ("k11k5j8j6i11i5g10j15f7h4m5h12a8j4h7h5k6a6f8j9g14e8d7f9", "g7:21"),
    ("f11h7h10g9i13f3e9k9c14f12l9m10f7o12f5k6l6c7f10h2i5d6k2i8", "f8:31,h12:31"),
]
"""Positions with the moves that keep the shortest win by fours and its length."""


@pytest.mark.parametrize(("moves", "answers"), RECORDS)
def test_records(solver: Solver, moves: str, answers: str) -> None:
    position = GomokuPosition.from_moves(moves)
    state = solver.load(position)
    length = shortest_fours(state, position.side, 40, 100_000)
    move = fours_move(state, position.side, length)
    assert f"{position.move_name(move)}:{length}" in answers.split(",")
    assert state.frame == state.n_moves == 0


def test_against_a_search_of_everything(solver: Solver) -> None:
    lengths = []
    for seed in range(40):
        position = slow.random_position(10, seed, 14 + seed % 5, blocked=seed % 3, radius=3, side=seed % 2)
        state = solver.load(position)
        found = int(shortest_fours(state, position.side, 3, 100_000))
        expected = slow.fours_length(position, 3)
        assert max(found, 0) == expected, position
        assert found in (FAILED, LIMITED) or found == expected
        lengths.append(expected)
    assert {0, 3, 5} <= set(lengths)


def test_a_defender_who_wins_on_the_way_is_seen(solver: Solver) -> None:
    # X has a three that is closed on the left; stopping the four at h1 completes O's column.
    text = ["-" * 10 for _ in range(10)]
    text[0] = "OXXX------"
    position = GomokuPosition.from_text("".join(text), 0)
    assert slow.fours_length(position, 2) == 0
    state = solver.load(position)
    assert shortest_fours(state, 0, 3, 1000) == FAILED


def test_limits(solver: Solver) -> None:
    position = GomokuPosition.from_moves(RECORDS[4][0])
    state = solver.load(position)
    state.proof_left = 1000
    assert fours_win(state, position.side, 7) == LIMITED
    assert fours_win(state, position.side, 8) == 15
    assert fours_win(state, position.side, 40) == 15
    solver.load(position)
    state.proof_left = 3
    assert fours_win(state, position.side, 40) == STOPPED
    state.stop = 1
    state.proof_left = 1000
    try:
        assert fours_win(state, position.side, 40) == STOPPED
    finally:
        state.stop = 0


@pytest.mark.skipif(not PUZZLES.is_file(), reason="the shared data are not here")
def test_shared_puzzles(solver: Solver) -> None:
    lines = [line for line in PUZZLES.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert len(lines) == 736
    for line in lines[::8]:
        n_stones, moves, _ = line.split("\t")
        position = GomokuPosition.from_moves(moves, 20)
        state = solver.load(position)
        assert shortest_fours(state, position.side, 40, 200_000) == 2 * int(n_stones) - 1
