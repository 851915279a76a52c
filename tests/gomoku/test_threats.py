"""Wins by threats: what they rest on is tried against every reply on the board."""

from __future__ import annotations

from typing import Any

import pytest

from othello_engine.gomoku.board import five_cell, place, undo
from othello_engine.gomoku.forcing import fours_win, known_end, shortest_fours
from othello_engine.gomoku.position import GomokuPosition
from othello_engine.gomoku.state import SET_WORDS
from othello_engine.gomoku.threats import (
    find_zone,
    threats_move,
    threats_reply,
    threats_win,
)
from tests.gomoku import slow
from tests.gomoku.solver import Solver

RECORDS = [
    ("g8i9h6h9g7g9f9f8h7i6i7j7", {"h5": 11, "e10": 13, "d11": 13}, 13),
    ("i8g9k10h7j11i7l9i12l8h8j6h10h9f10e11", {"g7": 13, "f7": 15, "f8": 15, "e7": 15, "i11": 15}, 13),
    ("h8i9j6i7i8j8k7i5k9h6k8k10k6k5m6l6", {"l7": 17, "l5": 25}, 25),
]
"""Positions without a win by fours, the moves that win with their shortest plies, and the plies that we promise."""
ANY = 255


def wins_against_everything(state: Any, attacker: int, left: int) -> bool:
    """True if the attacker, who moves as told, has won within so many plies whatever cell the defender tries."""
    end = int(known_end(state, attacker)) or int(shortest_fours(state, attacker, 30, 20_000))
    if 0 < end <= left:
        return True  # these are tried against everything in tests of their own
    if end == -2 or not threats_win(state, attacker, left, 50_000):
        return False
    move = int(threats_move(state, attacker))
    assert move >= 0
    place(state, move, attacker)
    only = int(five_cell(state, attacker))
    wins = True
    for cell in [only] if only >= 0 else range(int(state.board_size) ** 2):
        if state.cells[cell] == 0 and wins:
            place(state, cell, 1 - attacker)
            wins = wins_against_everything(state, attacker, left - 2)
            undo(state)
    undo(state)
    return wins


@pytest.mark.parametrize(("moves", "answers", "most"), RECORDS)
def test_records(solver: Solver, moves: str, answers: dict[str, int], most: int) -> None:
    position = GomokuPosition.from_moves(moves)
    state = solver.load(position)
    assert shortest_fours(state, position.side, 40, 100_000) <= 0
    length = int(threats_win(state, position.side, ANY, 50_000))
    move = position.move_name(int(threats_move(state, position.side)))
    assert answers[move] <= length <= most
    assert state.frame == state.n_moves == 0
    assert wins_against_everything(state, position.side, length)


def test_random_wins_hold_against_everything(solver: Solver) -> None:
    lengths = []
    for seed in range(400):
        position = slow.random_position(10, seed, 14 + seed % 9, blocked=seed % 3, radius=3, side=seed % 2)
        state = solver.load(position)
        if position.is_over or known_end(state, position.side) or shortest_fours(state, position.side, 9, 9999) > 0:
            continue
        length = int(threats_win(state, position.side, ANY, 3_000))
        assert state.frame == state.n_moves == 0
        if length:
            assert wins_against_everything(state, position.side, length), position
            lengths.append(length)
    assert len(lengths) >= 20
    assert max(lengths) >= 11


def test_a_reply_outside_the_zone_changes_nothing(solver: Solver) -> None:
    n_tried = 0
    for seed in range(150):
        position = slow.random_position(10, seed, 16 + seed % 9, blocked=seed % 2, radius=3, side=seed % 2)
        state = solver.load(position)
        attacker = position.side
        defender = 1 - attacker
        length = int(shortest_fours(state, attacker, 12, 5_000))
        if position.is_over or length < 3 or five_cell(state, defender) >= 0:
            continue
        assert find_zone(state, attacker, length, 0) == 1
        assert state.frame == 0
        zone = {64 * word + bit for word in range(SET_WORDS) for bit in range(64) if int(state.zones[word]) >> bit & 1}
        for cell in range(position.size**2):
            if state.cells[cell] == 0 and cell not in zone:
                place(state, cell, defender)
                state.proof_left = 5_000
                assert 0 < fours_win(state, attacker, (length + 1) // 2) <= length, (position, cell)
                undo(state)
                n_tried += 1
    assert n_tried > 2_000


def test_the_variation_takes_no_longer_than_told(solver: Solver) -> None:
    for moves, _, _ in RECORDS:
        position = GomokuPosition.from_moves(moves)
        state = solver.load(position)
        side = position.side
        left = int(threats_win(state, side, ANY, 50_000))
        while (move := int(threats_move(state, side))) >= 0:
            place(state, move, side)
            reply = int(five_cell(state, side))
            if reply < 0:
                reply = int(threats_reply(state, 1 - side))
            assert state.cells[reply] == 0
            place(state, reply, 1 - side)
            left -= 2
        assert 0 < (int(known_end(state, side)) or int(shortest_fours(state, side, 30, 20_000))) <= left


def test_a_longest_win_is_kept_to(solver: Solver) -> None:
    position = GomokuPosition.from_moves(RECORDS[2][0])
    side = position.side
    first = int(threats_win(solver.load(position), side, ANY, 100_000))
    state = solver.load(position)
    assert 17 <= int(threats_win(state, side, first - 2, 100_000)) <= first - 2
    assert threats_move(state, side) >= 0
    assert threats_win(state, side, 15, 100_000) == 0
    assert threats_win(state, side, ANY, 100_000) == first


def test_it_ends_when_it_is_told_to(solver: Solver) -> None:
    position = GomokuPosition.from_moves(RECORDS[2][0])
    state = solver.load(position)
    assert threats_win(state, position.side, ANY, 50) == 0
    assert state.nodes < 200
    state.stop = 1
    assert threats_win(state, position.side, ANY, 50_000) == 0
    assert state.frame == state.n_moves == 0
    state.stop = 0
    assert threats_win(state, position.side, ANY, 50_000) > 0
