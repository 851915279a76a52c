"""The interface of the strong searcher: tasks in, results out."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

from othello_engine.core.layout import STATE_BYTES
from othello_engine.core.searcher import table_buckets
from othello_engine.gomoku.driver import MATE, Searcher, table_use
from othello_engine.gomoku.position import BLOCKED, NO_CELL, GomokuPosition
from othello_engine.gomoku.task import GomokuTask
from othello_engine.gomoku.weights import by_hand
from tests.gomoku import slow

OPENING = GomokuPosition.from_moves("h8i7g6g8f6")


@pytest.fixture(scope="module")
def shared_searcher() -> Searcher:
    return Searcher(bytearray(STATE_BYTES))


@pytest.fixture
def searcher(shared_searcher: Searcher) -> Searcher:
    shared_searcher.attach_table(bytearray(1 << 20))
    shared_searcher.new_game()
    shared_searcher.stop_flag = 0
    return shared_searcher


def task(position: GomokuPosition, depth: int, **changes: Any) -> GomokuTask:
    return GomokuTask(position.size, position.cells, position.side, depth, **changes)


def cells(position: GomokuPosition, names: str) -> list[int]:
    return [position.size * (int(name[1:]) - 1) + ord(name[0]) - ord("a") for name in names.split()]


@pytest.mark.parametrize("depth", [1, 2, 4, 6])
def test_a_complete_result(searcher: Searcher, depth: int) -> None:
    result = searcher.run(task(OPENING, depth))
    assert result.complete
    assert result.best_move in OPENING.legal_moves
    assert result.pv[0] == result.best_move == result.moves[0].move
    OPENING.follow([OPENING.move_name(move) for move in result.pv])
    assert result.moves[0].score == result.score
    scores = [known.score for known in result.moves]
    assert scores == sorted(scores, reverse=True)
    assert len({known.move for known in result.moves}) == len(result.moves)
    assert result.nodes > len(result.moves)
    assert result.selective_depth >= len(result.pv) > 0


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_answers_are_plain_values(searcher: Searcher, depth: int) -> None:
    """A NumPy value among them would have the parent import NumPy, on a player's clock."""
    for position in (OPENING, TWO_FIVES):
        assert b"numpy" not in pickle.dumps(searcher.run(task(position, depth)))
        assert b"numpy" not in pickle.dumps(searcher.expand(task(position, depth)))


def test_the_same_again_is_the_same(searcher: Searcher) -> None:
    results = []
    for _ in range(2):
        searcher.attach_table(bytearray(1 << 20))
        searcher.new_game()
        results.append([searcher.run(task(OPENING, depth)) for depth in range(6)])
    assert results[0] == results[1]


def test_empty_board(searcher: Searcher) -> None:
    for size in (10, 15, 20):
        start = GomokuPosition.start(size)
        assert searcher.run(task(start, 0)).best_move == NO_CELL
        result = searcher.run(task(start, 3))
        assert result.best_move == size // 2 * size + size // 2


def test_moves_and_excluded(searcher: Searcher) -> None:
    allowed = tuple(cells(OPENING, "a1 o15 h9"))
    result = searcher.run(task(OPENING, 3, moves=allowed))
    assert {known.move for known in result.moves} == set(allowed)
    result = searcher.run(task(OPENING, 3, moves=allowed, excluded=allowed[2:]))
    assert {known.move for known in result.moves} == set(allowed[:2])
    result = searcher.run(task(OPENING, 2, excluded=tuple(cells(OPENING, "h7"))))
    assert not {known.move for known in result.moves} & set(cells(OPENING, "h7"))


def test_losing_moves_are_left_out_while_there_are_others(searcher: Searcher) -> None:
    allowed = tuple(cells(OPENING, "h9 h7 g7"))
    result = searcher.run(task(OPENING, 3, moves=allowed, losing=allowed[:2]))
    assert [known.move for known in result.moves] == [allowed[2]]
    result = searcher.run(task(OPENING, 3, moves=allowed, losing=allowed))
    assert {known.move for known in result.moves} == set(allowed)


def test_a_move_that_loses_to_threats_is_not_the_best_while_there_are_others(searcher: Searcher) -> None:
    position = GomokuPosition.from_moves("h8i7f6i9i6f8h5h6g4")
    result = searcher.run(task(position, 1))
    assert not result.mate
    losing = [known for known in result.moves if known.mate < -6]
    assert losing
    for known in losing:
        after = position.play(known.move)
        assert 0 < searcher.run(task(after, 0)).mate <= -known.mate - 1
    again = searcher.run(task(position, 1, moves=(losing[0].move, result.best_move)))
    assert (again.best_move, [known.move for known in again.moves][1]) == (result.best_move, losing[0].move)


def test_when_all_moves_lose_the_one_that_loses_last_is_played(searcher: Searcher) -> None:
    position = GomokuPosition.from_moves("g7j9h11j10g8j11j8k10i8h8g9")
    result = searcher.run(task(position, 1))
    assert result.complete
    assert result.best_move == cells(position, "g10")[0]
    assert result.mate == min(known.mate for known in result.moves) < -10
    assert result.score == -MATE - result.mate
    assert [known.score for known in result.moves] == sorted((known.score for known in result.moves), reverse=True)
    assert result.pv[0] == result.best_move
    end = position.follow([position.move_name(move) for move in result.pv])
    assert len(result.pv) > 10 or end.is_over


def test_that_all_moves_lose_is_not_forgotten(searcher: Searcher) -> None:
    position = GomokuPosition.from_moves("g7j9h11j10g8j11j8k10i8h8g9")
    first = searcher.run(task(position, 1))
    assert first.mate < 0
    for depth in (2, 3):
        again = searcher.run(task(position, depth))
        assert (again.best_move, again.mate, again.complete) == (first.best_move, first.mate, True)
    second = searcher.run(task(position, 2, excluded=(first.best_move,)))
    assert first.mate <= second.mate < 0
    assert second.best_move != first.best_move


@pytest.mark.parametrize("seed", [1906, 1907, 1908, 1909, 1910, 1911, 1912])
def test_a_refuted_move_does_not_come_back_when_the_window_was_too_low(searcher: Searcher, seed: int) -> None:
    position = slow.random_position(15, seed, 16 + seed % 26, radius=3, side=0)
    if position.is_over:
        return
    for depth in range(5):
        former = searcher.run(task(position, depth))
        if former.mate:
            return
    former_move = former.best_move
    searcher.new_game()
    result = searcher.run(task(position, 5, former_move=former_move, former_score=former.score - 300))
    moves = [known.move for known in result.moves]
    assert len(moves) == len(set(moves))
    refuted = {known.move for known in result.moves if known.mate < 0}
    assert result.mate or result.best_move not in refuted
    assert result.moves[0].move == result.best_move


@pytest.mark.parametrize(("seed", "side"), [(9197, 1), (23970, 0)])
def test_a_win_by_threats_outlasts_the_search_for_a_shorter_one(searcher: Searcher, seed: int, side: int) -> None:
    position = slow.random_position(15, seed, 24 + seed % 30, radius=3, side=side)
    facts = searcher.run(task(position, 0))
    assert facts.mate >= 7
    assert facts.best_move != NO_CELL


def test_a_win_that_was_found_at_once_is_the_first_of_several_lines(searcher: Searcher) -> None:
    position = GomokuPosition.from_moves("g8i9h6h9g7g9f9f8h7i6i7j7")
    facts = searcher.run(task(position, 0))
    assert facts.mate >= 11
    first = searcher.run(task(position, 1))
    assert (first.best_move, first.mate) == (facts.best_move, facts.mate)
    second = searcher.run(task(position, 1, excluded=(first.best_move,)))
    assert second.best_move not in (NO_CELL, first.best_move)


def test_former_move_is_searched_first(searcher: Searcher) -> None:
    former = cells(OPENING, "g7")[0]
    result = searcher.run(task(OPENING, 4, former_move=former, former_score=0, node_limit=30))
    assert not result.complete
    assert {known.move for known in result.moves} <= {former} or result.moves[0].move == former


def test_stop_flag(searcher: Searcher) -> None:
    searcher.stop_flag = 1
    result = searcher.run(task(OPENING, 8))
    assert not result.complete
    assert (result.best_move, result.pv) == (NO_CELL, ())
    assert result.nodes <= 3
    assert not searcher.run(task(OPENING, 0)).complete


def test_node_limit(searcher: Searcher) -> None:
    result = searcher.run(task(OPENING, 12, node_limit=5000))
    assert not result.complete
    assert 5000 <= result.nodes <= 5010


@pytest.mark.parametrize("size", [10, 13, 20])
def test_blocked_cells_are_never_played(searcher: Searcher, size: int) -> None:
    position = slow.random_position(size, 3, 8, blocked=size * 2)
    for depth in range(5):
        result = searcher.run(task(position, depth))
        for known in result.moves:
            assert position.cells[known.move] == 0
        position.follow([position.move_name(move) for move in result.pv])


def test_a_board_with_few_cells_left(searcher: Searcher) -> None:
    full = bytearray(BLOCKED for _ in range(100))
    full[55] = full[0] = full[99] = 0
    full[54] = 1
    position = GomokuPosition(10, bytes(full), 1)
    result = searcher.run(task(position, 5))
    assert result.complete
    assert result.best_move in (0, 55, 99)
    assert result.mate == 0


def test_nothing_near_any_stone(searcher: Searcher) -> None:
    board = bytearray(BLOCKED for _ in range(400))
    board[0], board[399] = 1, 0
    result = searcher.run(task(GomokuPosition(20, bytes(board), 1), 2))
    assert result.best_move == 399


# -- depth 0 ---------------------------------------------------------------------------------------------------------


def at_once(searcher: Searcher, moves: str) -> tuple[GomokuPosition, Any]:
    position = GomokuPosition.from_moves(moves)
    return position, searcher.run(task(position, 0))


def test_own_five_at_once(searcher: Searcher) -> None:
    position, result = at_once(searcher, "e8d8f8k10g8k11h8k12l3k13")
    assert (position.move_name(result.best_move), result.mate, result.score) == ("i8", 1, MATE - 1)
    assert result.moves[0].mate == 1


def test_only_reply_at_once(searcher: Searcher) -> None:
    position, result = at_once(searcher, "g8h9h8i10j8l5k8d12c3")
    assert (position.move_name(result.best_move), result.mate) == ("i8", 0)
    assert all(known.mate == -2 for known in result.moves)
    assert {known.move for known in result.moves} >= set(cells(position, "h7 g9"))


def test_two_fives_against_at_once(searcher: Searcher) -> None:
    _, result = at_once(searcher, "f8f9g8h10h8k6i8m12l3")
    assert (result.best_move, result.mate) == (NO_CELL, -2)
    assert all(known.mate == -2 for known in result.moves)
    deeper = searcher.run(dataclasses.replace(task(GomokuPosition.from_moves("f8f9g8h10h8k6i8m12l3"), 1)))
    assert deeper.mate == -2
    assert deeper.best_move != NO_CELL


@pytest.mark.parametrize(
    ("moves", "answer", "mate"),
    [
        ("g8g9h8i10i8e5", {"f8", "j8"}, 3),
        ("d8c8e8e11f8i9g9j11g10k5", {"g8"}, 5),
        ("g8e5i8k11h7f11h9l6", {"h8"}, 5),
        ("h8i9j6g9h6h9j9i6i5j7i8h7g8f8k7l8k8j8k5k9k4k6h4g3", {"l4"}, 7),
    ],
)
def test_wins_at_once(searcher: Searcher, moves: str, answer: set[str], mate: int) -> None:
    position, result = at_once(searcher, moves)
    assert position.move_name(result.best_move) in answer
    assert result.mate == mate
    line = position.follow([position.move_name(move) for move in result.pv])
    assert line[-1][1].winner == position.side
    assert len(result.pv) == mate


@pytest.mark.parametrize(("moves", "kept"), [("h8i7g6g7f7e8h7h6i8j9j8", {"g8"}), ("f6h8j7k7f7i9f8", {"f5", "f9"})])
def test_moves_that_lose_to_fours_are_found(searcher: Searcher, moves: str, kept: set[str]) -> None:
    position, result = at_once(searcher, moves)
    losing = {known.move for known in result.moves}
    assert all(known.mate < 0 and known.score == -MATE - known.mate for known in result.moves)
    heat = searcher.expand(task(position, 0))
    assert {position.move_name(known.move) for known in heat.moves if known.move not in losing} == kept


# -- the rest --------------------------------------------------------------------------------------------------------


def test_heatmap_names_all_near_cells_best_first(searcher: Searcher) -> None:
    heat = searcher.expand(task(OPENING, 0))
    expected = set()
    for cell in OPENING.legal_moves:
        for stone, content in enumerate(OPENING.cells):
            down, right = abs(cell // 15 - stone // 15), abs(cell % 15 - stone % 15)
            if content and (max(down, right) <= 3 or (max(down, right) == 4 and min(down, right) in (0, 4))):
                expected.add(cell)
    assert {known.move for known in heat.moves} == expected
    scores = [known.score for known in heat.moves]
    assert scores == sorted(scores, reverse=True)


def test_evaluate_does_not_touch_the_search(searcher: Searcher) -> None:
    searcher.run(task(OPENING, 2))
    before = searcher._state.tobytes()
    other = slow.random_position(20, 1, 30)
    assert searcher.evaluate(20, other.cells, 0) + searcher.evaluate(20, other.cells, 1) != 0
    assert searcher._state.tobytes() == before
    won = GomokuPosition.from_moves("a1b1a2b2a3b3a4b4a5")
    assert (searcher.evaluate(15, won.cells, 0), searcher.evaluate(15, won.cells, 1)) == (MATE, -MATE)


def test_table_use_and_size(searcher: Searcher) -> None:
    buffer = bytearray(1 << 16)
    searcher.attach_table(buffer)
    assert table_use(buffer, 3, 9) == 0
    for depth in range(1, 6):
        searcher.run(task(OPENING, depth, generation=3, epoch=9))
    assert 0 < table_use(buffer, 3, 9) <= 1000
    assert table_use(buffer, 4, 9) == table_use(buffer, 3, 8) == 0
    assert [table_buckets(n_bytes) for n_bytes in (64, 127, 128, 1 << 20, 3 << 20)] == [1, 1, 2, 1 << 14, 1 << 15]


def test_sizes_may_change_from_task_to_task(searcher: Searcher) -> None:
    for size in (20, 10, 15, 20):
        position = GomokuPosition.from_moves("e5f6g7", size)
        result = searcher.run(task(position, 3))
        assert result.complete
        assert position.cells[result.best_move] == 0


TWO_FIVES = GomokuPosition.from_moves("d4d10e4e10f4f10g4g10a1o15")
"""Black completes five on c4 or h4, and White, if it were his turn, on c10 or h10."""


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_an_own_five_is_a_win_at_the_root_wherever_it_is_asked_for(searcher: Searcher, depth: int) -> None:
    c4, h4 = cells(TWO_FIVES, "c4 h4")
    for moves in ((c4,), (h4,), (h4, c4)):
        result = searcher.run(task(TWO_FIVES, depth, moves=moves))
        assert (result.best_move in moves, result.mate, result.score) == (True, 1, MATE - 1)
        assert result.pv == (result.best_move,)
    other = searcher.run(task(TWO_FIVES, depth, excluded=(c4,)))
    assert (other.best_move, other.mate) == (h4, 1)


@pytest.mark.parametrize("depth", [1, 2])
def test_all_fives_are_wins_beside_other_moves(searcher: Searcher, depth: int) -> None:
    c4, h4 = cells(TWO_FIVES, "c4 h4")
    result = searcher.run(task(TWO_FIVES, depth))
    known = {known.move: known.mate for known in result.moves}
    assert known[c4] == 1 or known[h4] == 1
    assert all(mate <= 0 for move, mate in known.items() if move not in (c4, h4))
    without = searcher.run(task(TWO_FIVES, depth, excluded=(c4, h4)))
    assert without.mate == -2  # white completes one of his


def test_no_move_that_makes_five_is_called_losing(searcher: Searcher) -> None:
    result = searcher.run(task(TWO_FIVES, 0, excluded=tuple(cells(TWO_FIVES, "c4"))))
    assert all(known.mate > 0 for known in result.moves if known.move in cells(TWO_FIVES, "h4"))


HEAVY = GomokuPosition.from_text(
    "---------O---------------X--OX--------------XOO-OXX------------OOXXOX--O-----------XXOOOOXX-O----------XXOXX-OOOX"
    "---------OXXXOXOXXO----------X-OOOX---X----------X-O--OX-O------------XOX---X--X---------OOOX----------------XOX-"
    "-----------------OX-------------------XOO" + "-" * 133 + " O"
)
"""Where many fours can be made: the search for a win by fours from every move takes 100,000 positions and more."""


@pytest.mark.parametrize("changes", [{"fact_nodes": 500}, {"node_limit": 2_000}], ids=str)
def test_facts_take_no_more_than_their_share(searcher: Searcher, changes: dict[str, int]) -> None:
    result = searcher.run(task(HEAVY, 0, **changes))
    assert result.complete
    assert result.nodes < 2_000
    assert searcher.stop_flag == 0


def test_the_facts_are_the_same_in_plain_python(searcher: Searcher) -> None:
    """Moves that lose at once, without any search for fours: the opponent then wins in one or three plies."""
    for position in (HEAVY, TWO_FIVES.with_side(0), GomokuPosition.from_moves("h8a1i8b3j8c1")):
        facts = searcher.run(task(position, 0, fact_nodes=1))
        for known in facts.moves:
            if known.mate == -2:
                after = position.play(known.move)
                assert any(after.play(reply).winner is not None for reply in after.legal_moves)


def test_weights_may_be_others() -> None:
    plain = Searcher(bytearray(STATE_BYTES), by_hand())
    shipped_value = Searcher(bytearray(STATE_BYTES)).evaluate(OPENING.size, OPENING.cells, OPENING.side)
    assert plain.evaluate(OPENING.size, OPENING.cells, OPENING.side) != shipped_value
