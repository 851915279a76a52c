"""What the search claims of won and lost positions, against trying everything; and symmetry."""

from __future__ import annotations

from typing import Any

import pytest

from othello_engine.gomoku import weights
from othello_engine.gomoku.driver import MATE, Searcher, mate_of
from othello_engine.gomoku.forcing import known_end
from othello_engine.gomoku.position import GomokuPosition
from othello_engine.gomoku.search import list_moves, static_score
from othello_engine.gomoku.state import STATE_BYTES
from othello_engine.gomoku.task import GomokuResult, GomokuTask
from tests.gomoku import slow
from tests.gomoku.test_forcing import Solver

WON = ["g8i9h6h9g7g9f9f8h7i6i7j7", "i8g9k10h7j11i7l9i12l8h8j6h10h9f10e11", "h8i7f6i9i6f8h5h6g4f3"]
"""Positions that the side to move wins, with threes among the threats."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()


@pytest.fixture(scope="module")
def searcher() -> Searcher:
    searcher = Searcher(bytearray(STATE_BYTES))
    searcher.attach_table(bytearray(1 << 22))
    return searcher


def deepen(searcher: Searcher, position: GomokuPosition, depth: int, nodes: int = 0) -> GomokuResult:
    """The last complete result of deepening as a parent does it: all is proved, or depth or nodes are used up."""
    searcher.new_game()
    last = None
    for wanted in range(depth + 1):
        former = {"former_move": last.best_move, "former_score": last.score} if last and last.moves else {}
        task = GomokuTask(position.size, position.cells, position.side, wanted, node_limit=nodes, **former)
        result = searcher.run(task)
        searcher.stop_flag = 0
        if not result.complete:
            break
        last = result
        if result.mate:
            break
    assert last is not None
    return last


def test_known_ends_are_true(solver: Solver) -> None:
    seen: dict[int, int] = {}
    for seed in range(120):
        position = slow.random_position(10, seed, 10 + seed % 12, blocked=seed % 4, radius=3, side=seed % 2)
        state = solver.load(position)
        end = int(known_end(state, position.side))
        seen[end] = seen.get(end, 0) + 1
        fives, theirs = slow.five_cells(position, position.side), slow.five_cells(position, 1 - position.side)
        assert (end == 1) == bool(fives)
        assert (end == -2) == (not fives and len(theirs) >= 2)
        if end == 3:
            assert slow.wins_in(position, 3)
        if end == 5:
            check_fork(solver, position)
    assert {0, 1, -2, 3, 5} <= set(seen), seen


def check_fork(solver: Solver, position: GomokuPosition) -> None:
    """Some move leaves the side to move, whatever the reply, a win within three more plies, tried out."""
    side = position.side
    for move in position.legal_moves:
        if slow.combination(position.size, position.cells, move, side + 1) == 0:
            continue
        after = position.play(move)
        if slow.five_cells(after, 1 - side):
            continue
        replies = slow.five_cells(after, side) or list(after.legal_moves)
        for reply in replies:
            answered = after.play(reply)
            state = solver.load(answered)
            end = int(known_end(state, side))
            if end not in (1, 3):
                break
        else:
            return
    raise AssertionError(position)


def test_static_score_is_the_same_in_all_symmetries(solver: Solver) -> None:
    for seed in range(10):
        position = slow.random_position(13, seed, 24, blocked=4)
        scores = {int(static_score(solver.load(turned), turned.side)) for turned in slow.turned(position)}
        assert len(scores) == 1


def test_static_score_is_own_minus_other_plus_tempo(solver: Solver) -> None:
    solver.state.tempo = 13
    try:
        for seed in range(10):
            position = slow.random_position(15, seed, 20)
            state = solver.load(position)
            assert static_score(state, 0) + static_score(state, 1) == 26
    finally:
        solver.state.tempo = weights.by_hand().tempo


def test_against_an_open_four_only_what_helps_is_searched(solver: Solver) -> None:
    """Every legal move that isn't listed leaves a win in three."""
    checked = 0
    for seed in range(300):
        position = slow.random_position(10, seed, 12, radius=3, side=seed % 2)
        opponent = 1 - position.side
        state = solver.load(position)
        if known_end(state, position.side) or slow.five_cells(position, opponent):
            continue
        if int(known_end(state, opponent)) != 3:
            continue
        n_moves = int(list_moves(state, position.side, 0, -1, 0))
        listed = {int(entry) & 1023 for entry in state.moves[:n_moves]}
        state.n_moves = 0
        for move in set(position.legal_moves) - listed:
            assert int(known_end(solver.load(position.play(move)), opponent)) in (1, 3)
        checked += 1
    assert checked >= 10


@pytest.mark.parametrize("moves", WON)
def test_a_proved_win_is_won_against_every_defence(searcher: Searcher, moves: str) -> None:
    position = GomokuPosition.from_moves(moves)
    result = deepen(searcher, position, 9)
    assert result.mate > 0
    assert result.score == MATE - result.mate
    check_line(position, result)
    play_out(searcher, position, result, position.side, 3)


def check_line(position: GomokuPosition, result: GomokuResult) -> None:
    for move in result.pv:
        position = position.play(move)
    assert position.winner is not None
    assert len(result.pv) <= abs(result.mate)


def play_out(searcher: Searcher, position: GomokuPosition, result: GomokuResult, side: int, n_branches: int) -> None:
    """The winner follows its results; of all defences the ones that the searcher holds best are followed further."""
    after = position.play(result.best_move)
    if after.winner == side:
        return
    fives = slow.five_cells(after, side)
    assert not slow.five_cells(after, 1 - side)
    if len(fives) >= 2:
        return
    if fives:
        replies = fives
    else:
        searcher.new_game()
        heat = searcher.expand(GomokuTask(after.size, after.cells, after.side, 0))
        replies = [score.move for score in heat.moves][:n_branches]
    for reply in replies:
        next_ = after.play(reply)
        assert next_.winner is None
        answer = deepen(searcher, next_, 9)
        assert answer.mate > 0, (position.move_name(result.best_move), position.move_name(reply))
        play_out(searcher, next_, answer, side, 1)


def test_mates_by_distance() -> None:
    assert [mate_of(score) for score in (MATE - 7, 6 - MATE, 6000, -6000, 0)] == [7, -6, 0, 0, 0]


def test_search_leaves_the_board_as_it_was(searcher: Searcher) -> None:
    position = GomokuPosition.from_moves("h8i7g6g8f6h6g5")
    for depth in range(6):
        searcher.run(GomokuTask(15, position.cells, position.side, depth))
    state: Any = searcher._state
    assert (state.frame, state.n_moves, state.n_changes) == (0, 0, 0)
    assert bytes(state.cells[:225].astype("u1")) == position.cells
