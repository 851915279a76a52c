"""Alpha-beta against plain negamax, the table, and what the searcher promises."""

from __future__ import annotations

import pytest

from othello_engine.core.layout import STATE_BYTES
from othello_engine.gomoku.classic import search
from othello_engine.gomoku.classic.board import set_position
from othello_engine.gomoku.classic.driver import Searcher, mate_of, table_use
from othello_engine.gomoku.classic.search import INFINITY, WIN, negamax
from othello_engine.gomoku.classic.state import new_state
from othello_engine.gomoku.position import NO_CELL, GomokuPosition, parse_cell
from tests.gomoku.classic import oracle
from tests.gomoku.classic.boards import (
    ALL_RECORDS,
    SOME_RECORDS,
    board_of,
    place_rows,
    random_position,
    records,
    task_of,
)


@pytest.fixture
def searcher():
    return Searcher(bytearray(STATE_BYTES))


def cells(text, size=15):
    return tuple(parse_cell(name, size) for name in text.split())


@pytest.mark.parametrize(
    ("depth", "n_positions", "walls"), [(1, 5, False), (2, 1, False), (1, 8, True), (2, 8, True), (3, 2, True)]
)
def test_alpha_beta_is_plain_negamax(depth, n_positions, walls):
    """Without walls there are more candidates than the 22 that are looked at."""
    state = new_state()
    for seed in range(n_positions):
        stones, spread = (15 + seed % 4, 5) if walls else (9, 4)
        position = random_position(seed, 10, stones, spread, five=False, walls=walls)
        set_position(state, position.size, position.cells)
        value = negamax(state, position.side, depth, 1, -INFINITY, INFINITY)
        assert value == oracle.negamax(board_of(position), "XO"[position.side], depth, 1)


def test_forced_lines_are_plain_negamax_too():
    state = new_state()
    rows = {4: "-OXXX-----", 5: "--OOO-----", 6: "---O------"}
    position = place_rows({row: rows.get(row, "")[:6].ljust(10, "#") for row in range(10)}, 10)
    set_position(state, 10, position.cells)
    for depth in (1, 2, 3):
        assert negamax(state, 0, depth, 1, -INFINITY, INFINITY) == oracle.negamax(board_of(position), "X", depth, 1)


def test_a_narrow_window_gives_a_bound_on_the_right_side():
    state = new_state()
    position = random_position(3, 15, 14, 6, five=False)
    set_position(state, 15, position.cells)
    value = negamax(state, 0, 3, 1, -INFINITY, INFINITY)
    for alpha in (value - 1000, value - 1, value, value + 1000):
        found = negamax(state, 0, 3, 1, alpha, alpha + 1)
        assert (found > alpha) == (value > alpha)


def test_the_table_leaves_scores_of_exact_searches_alone(searcher):
    for seed in range(6):
        position = random_position(seed, 15, 12, 6, five=False)
        with_table = searcher.run(task_of(position, 3))
        state = new_state()
        set_position(state, 15, position.cells)
        state.table_address = 0
        plain = Searcher(bytearray(STATE_BYTES))
        plain._attach_own_table = lambda: None
        without = plain.run(task_of(position, 3))
        assert (with_table.score, with_table.best_move) == (without.score, without.best_move)


def test_the_table_lives_for_one_position(searcher):
    position = GomokuPosition.from_moves("h8i9g7")
    first = searcher.run(task_of(position, 4))
    again = searcher.run(task_of(position, 4))
    assert (again.score, again.best_move) == (first.score, first.best_move)
    assert again.nodes < first.nodes
    searcher.run(task_of(position.play("h9"), 2))
    assert searcher.run(task_of(position, 4)) == first
    searcher.run(task_of(position, 4))
    searcher.new_game()
    assert searcher.run(task_of(position, 4)) == first


def test_the_table_has_the_documented_slots_and_whole_keys(searcher):
    searcher.run(task_of(GomokuPosition.from_moves("h8i9g7"), 2))
    assert search.TABLE_SLOTS == 2**18
    assert len(searcher._table) == 2**18 * (4 + 4 + 2)
    searcher.run(task_of(GomokuPosition.start(20).play("k11").play("k12"), 2))
    assert len(searcher._table) == 2**18 * (7 + 7 + 2)
    assert table_use(bytearray(64), 0, 0) == 0


@pytest.mark.parametrize(("score", "mate"), [(WIN, 1), (WIN - 4, 5), (1 - WIN, -2), (-500_000_000, 0), (5, 0), (0, 0)])
def test_scores_tell_the_plies_of_a_proved_win(score, mate):
    assert mate_of(score) == mate


def test_iterations_agree_on_a_forced_win(searcher):
    position = next(record.position for record in records(SOME_RECORDS) if record.name == "of01")
    assert searcher.run(task_of(position, 1)).mate == 0
    result = searcher.run(task_of(position, 3))
    assert position.move_name(result.best_move) in ("f8", "j8")
    assert result.score == search.LOST_SO_FAR - 1 or result.mate == 3


def test_an_unfinished_iteration_is_discarded(searcher):
    position = GomokuPosition.from_moves("h8i9g7")
    cut = searcher.run(task_of(position, 6, node_limit=500))
    assert not cut.complete
    assert cut.best_move == NO_CELL
    assert 500 <= cut.nodes <= 501
    searcher.stop_flag = 1
    stopped = searcher.run(task_of(position, 3))
    assert (stopped.complete, stopped.best_move) == (False, NO_CELL)
    searcher.stop_flag = 0
    assert searcher.run(task_of(position, 3)).complete


def test_depth_ends_at_twelve(searcher):
    position = place_rows({0: "XOXOXOXO--", **dict.fromkeys(range(1, 10), "##########")}, 10)
    assert searcher.run(task_of(position, 30)) == Searcher(bytearray(STATE_BYTES)).run(task_of(position, 12))


def test_only_allowed_moves_are_searched(searcher):
    position = GomokuPosition.from_moves("h8i9g7")
    allowed = cells("a1 o15 h9")
    result = searcher.run(task_of(position, 2, moves=allowed))
    assert {root.move for root in result.moves} == set(allowed)
    result = searcher.run(task_of(position, 2, moves=allowed, excluded=cells("h9"), losing=cells("a1")))
    assert [root.move for root in result.moves] == list(cells("o15"))
    result = searcher.run(task_of(position, 2, moves=allowed, losing=allowed))
    assert len(result.moves) == 3


def test_own_candidates_are_the_36_best(searcher):
    position = random_position(4, 15, 30, 11, five=False)
    heat = searcher.expand(task_of(position, 0))
    assert len(heat.moves) > 36
    result = searcher.run(task_of(position, 1))
    assert {root.move for root in result.moves} <= {root.move for root in heat.moves[:36]}


def test_the_heatmap_is_the_whole_list_of_the_slow_twin(searcher):
    position = random_position(8, 15, 24, 9, five=False)
    board, player = board_of(position), "XO"[position.side]
    heat = searcher.expand(task_of(position, 0))
    expected = oracle.ranked(board, player)
    assert [divmod(root.move, 15) for root in heat.moves] == expected
    assert [root.score for root in heat.moves] == [oracle.order(board, cell, player)[1] for cell in expected]
    excluded = heat.moves[0].move
    assert searcher.expand(task_of(position, 0, excluded=(excluded,))).moves == heat.moves[1:]


def test_the_former_move_is_searched_first(searcher):
    position = GomokuPosition.from_moves("h8i9g7")
    known = searcher.run(task_of(position, 4))
    fresh = Searcher(bytearray(STATE_BYTES))
    again = fresh.run(task_of(position, 4, former_move=known.best_move))
    assert again.score == known.score
    assert again.pv[0] == known.best_move


def test_shards_together_find_what_one_search_finds(searcher):
    position = random_position(11, 15, 12, 6, five=False)
    moves = [root.move for root in searcher.expand(task_of(position, 0)).moves[:36]]
    alone = searcher.run(task_of(position, 3, moves=tuple(moves)))
    parts = [searcher.run(task_of(position, 3, moves=tuple(moves[start::3]))) for start in range(3)]
    assert max(part.score for part in parts) == alone.score


def test_the_static_value_may_be_asked_for_at_any_time(searcher):
    position = random_position(2, 15, 20, 9, five=False)
    assert searcher.evaluate(15, position.cells, 1) == oracle.evaluate(board_of(position), "O")
    won = place_rows({7: "---XXXXX-------"})
    assert searcher.evaluate(15, won.cells, 0) == WIN
    assert searcher.evaluate(15, won.cells, 1) == -WIN


# -- what is settled without a search ------------------------------------------------------------------------


def test_an_own_five_scores_620_million(searcher):
    result = searcher.run(task_of(place_rows({7: "-OXXXX---------", 9: "-XOOOO---------"}), 0))
    assert (result.score, result.best_move, result.mate) == (620_000_000, 7 * 15 + 6, 1)
    assert result.pv == (7 * 15 + 6,)


def test_the_only_block_scores_580_million_and_all_else_loses_in_two(searcher):
    position = place_rows({9: "-XOOOO---------", 3: "-----X---------"})
    result = searcher.run(task_of(position, 0))
    assert (result.score, result.best_move, result.mate) == (580_000_000, 9 * 15 + 6, 0)
    assert {(root.score, root.mate) for root in result.moves} == {(-619_999_999, -2)}
    assert 9 * 15 + 6 not in [root.move for root in result.moves]


def test_a_block_that_wins_by_fours_says_so(searcher):
    position = place_rows({9: "-XOOOO---------", **dict.fromkeys((6, 7, 8), "------X--------")})
    result = searcher.run(task_of(position, 0))
    assert (result.score, result.best_move, result.mate) == (580_000_000, 9 * 15 + 6, 3)


def test_a_shard_without_the_block_has_lost(searcher):
    position = place_rows({9: "-XOOOO---------"})
    result = searcher.run(task_of(position, 0, moves=cells("a1 h8")))
    assert (result.score, result.best_move, result.mate) == (-619_999_999, NO_CELL, 0)
    result = searcher.run(task_of(position, 4, moves=cells("a1 h8")))
    assert (result.score, result.best_move, result.complete) == (-619_999_999, parse_cell("a1", 15), True)


def test_a_move_with_two_winning_replies_scores_380_million_and_10_for_each(searcher):
    result = searcher.run(task_of(place_rows({7: "-----XXX-------"}), 0))
    assert (result.score, result.mate) == (400_000_000, 3)
    assert {root.move for root in result.moves} == {7 * 15 + 4, 7 * 15 + 8}
    three = place_rows({7: "---XXX---------", 8: "------X--------", 9: "------X--------", 10: "------X--------"})
    assert searcher.run(task_of(three, 0)).score == 380_000_000 + 10_000_000 * 4


def test_a_win_by_fours_scores_540_million(searcher):
    record = next(record for record in records(SOME_RECORDS) if record.name == "ft01")
    result = searcher.run(task_of(record.position, 0))
    assert (result.score, result.mate, len(result.pv)) == (540_000_000, 5, 5)


def test_moves_that_leave_a_win_by_fours_score_minus_540_million(searcher):
    position = place_rows({7: "-----OOO-------", 3: "-X----X--------"})
    result = searcher.run(task_of(position, 0))
    assert result.best_move == NO_CELL
    lost = {root.move for root in result.moves}
    assert {(root.score, root.mate) for root in result.moves} == {(-540_000_000, -4)}
    assert not lost & set(cells("e8 i8"))
    assert lost >= set(cells("d8 j8 h7 e9"))


def test_when_every_move_leaves_a_win_by_fours_the_score_says_so(searcher):
    position = place_rows({7: "-----OOO-------", 3: "-X----X--------"})
    lost = cells("h7 e9 d8")
    result = searcher.run(task_of(position, 0, moves=lost))
    assert (result.score, result.best_move, result.mate) == (-540_000_000, NO_CELL, 0)
    assert [root.move for root in result.moves] == list(lost)
    assert searcher.run(task_of(position, 0, moves=(*lost, *cells("e8")))).score == 0


def test_a_quiet_position_settles_nothing(searcher):
    result = searcher.run(task_of(GomokuPosition.from_moves("h8i9g7"), 0))
    assert (result.best_move, result.mate, result.moves, result.complete) == (NO_CELL, 0, (), True)


def test_finished_and_full_boards_have_no_move(searcher):
    won = place_rows({7: "---XXXXX-------"}, side=1)
    for depth in (0, 3):
        assert searcher.run(task_of(won, depth)).score == -WIN
        assert searcher.run(task_of(won, depth)).best_move == NO_CELL
        blocked = GomokuPosition(10, bytes([3]) * 100)
        assert searcher.run(task_of(blocked, depth)).best_move == NO_CELL


# -- the published positions ---------------------------------------------------------------------------------

KINDS = ("win1", "nowin1", "block1", "lost", "openfour", "doublefour", "fourthree")


def settled(searcher, position):
    """The answer as the engine forms it: what depth 0 settles, else that of a short search."""
    result = searcher.run(task_of(position, 0))
    if result.best_move == NO_CELL:
        losing = tuple(root.move for root in result.moves)
        result = searcher.run(task_of(position, 2, losing=losing))
    return result


@pytest.mark.parametrize("path", [SOME_RECORDS, ALL_RECORDS], ids=["some", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_published_positions(searcher, path, kind):
    found = [record for record in records(path) if record.kind == kind]
    if not found:
        pytest.skip("needs ../shared/data")
    for record in found:
        result = settled(searcher, record.position)
        assert result.best_move in record.position.legal_moves
        name = record.position.move_name(result.best_move)
        if kind == "nowin1":
            assert result.mate != 1, record.name
        elif kind == "lost":
            if record.win == "-2":
                assert result.mate == -2, record.name
        else:
            assert name in record.answers, record.name
        if record.win.isdigit():
            assert result.mate == int(record.win), record.name


def test_the_worked_example_of_the_page(searcher):
    position = GomokuPosition.from_moves("h8i8h9")
    assert (oracle.score_side(board_of(position), "X"), oracle.score_side(board_of(position), "O")) == (183_840, 180)
    assert searcher.evaluate(15, position.cells, 1) == 180 - 183_840 == -183_660
    heat = searcher.expand(task_of(position, 0))
    assert len(heat.moves) == 32
    assert (position.move_name(heat.moves[0].move), heat.moves[0].score) == ("h7", 11_500_000)
