"""Midgame search against a search that visits everything, and what limits and stops do to it."""

from __future__ import annotations

import pytest

from othello_engine.evaluation.classic import DISC_UNIT, WIN_UNIT
from othello_engine.search.task import Task
from othello_engine.types import NO_MOVE, PASS
from tests import positions
from tests.search.support import assert_true_bound, full_width, new_searcher, several, successors, task

SEED = 20260108


def documented_end(difference: int) -> int:
    return (difference > 0) * WIN_UNIT - (difference < 0) * WIN_UNIT + difference * DISC_UNIT


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_values_equal_full_width_search(depth: int) -> None:
    for position in positions.random_positions(several((80, 60, 30, 8)[depth - 1], 2), SEED + depth):
        searcher = new_searcher()
        p, o = position.player, position.opponent
        result = searcher.run(task(p, o, depth))
        expected = full_width(p, o, depth, searcher.evaluate, documented_end)
        assert result.score == expected
        after = {move: boards for move, *boards in successors(p, o)}
        if result.best_move != NO_MOVE:
            left = depth - (result.best_move != PASS)
            assert -full_width(*after[result.best_move], left, searcher.evaluate, documented_end) == expected


def test_windows_give_true_bounds() -> None:
    for position in positions.random_positions(several(80, 3), SEED):
        searcher = new_searcher()
        p, o = position.player, position.opponent
        expected = full_width(p, o, 3, searcher.evaluate, documented_end)
        for alpha, beta in ((-500, 500), (0, 1), (expected, expected + 1), (expected - 1, expected)):
            score = new_searcher().run(Task(p, o, alpha, beta, 3)).score
            assert_true_bound(score, expected, alpha, beta)


def test_one_worker_repeats_itself_node_for_node() -> None:
    position = next(p for p in positions.random_positions(40, SEED) if p.n_empties == 40)

    def counts() -> list[int]:
        searcher = new_searcher()
        return [searcher.run(task(position.player, position.opponent, d)).nodes for d in range(1, several(8, 4))]

    assert counts() == counts()
    searcher = new_searcher()
    first = [searcher.run(task(position.player, position.opponent, d)).nodes for d in range(1, 4)]
    searcher.attach_table(bytearray(1 << 20))
    searcher.new_game()
    again = [searcher.run(task(position.player, position.opponent, d)).nodes for d in range(1, 4)]
    assert first == again


def test_the_node_limit_is_kept() -> None:
    position = next(p for p in positions.random_positions(40, SEED) if p.n_empties == 40)
    for limit in (1, 10, 100, several(1000, 300)):
        searcher = new_searcher()
        result = searcher.run(task(position.player, position.opponent, 12, node_limit=limit))
        assert result.nodes == limit
        assert not result.complete


def test_an_interrupted_iteration_reports_only_finished_moves() -> None:
    position = next(p for p in positions.random_positions(40, SEED) if p.n_empties == 40)
    p, o = position.player, position.opponent
    depth = several(4, 2)
    full = new_searcher().run(task(p, o, depth))
    boards = {move: rest for move, *rest in successors(p, o)}
    seen = 0
    for limit in range(1, full.nodes, max(1, full.nodes // 40)):
        searcher = new_searcher()
        result = searcher.run(task(p, o, depth, node_limit=limit))
        assert not result.complete
        if result.best_move != NO_MOVE:
            seen += 1
            assert result.first_done
            true = -full_width(*boards[result.best_move], depth - 1, searcher.evaluate, documented_end)
            assert result.score <= true
    assert seen


def test_expansion_lists_every_move_once_with_the_right_positions_and_bounds() -> None:
    searcher = new_searcher()
    for position in positions.late_positions(6, several(40, 2), SEED):
        p, o = position.player, position.opponent
        for exact in (True, False):
            searcher.run(Task(p, o, -64, 64, 3, exact=exact))
            expansion = searcher.expand(Task(p, o, -64, 64, 3, exact=exact))
            wanted = {move: tuple(boards) for move, *boards in successors(p, o)}
            assert {c.move: (c.player, c.opponent) for c in expansion.children} == wanted
            assert len(expansion.children) == len(wanted)
            assert expansion.must_pass == (PASS in wanted)
            for child in expansion.children:
                assert child.lower <= child.upper
                if exact:
                    true = full_width(child.player, child.opponent, 64, searcher.evaluate, lambda score: score)
                    assert child.lower <= true <= child.upper


def test_perft_counts_passes_and_finished_games_and_can_be_stopped() -> None:
    searcher = new_searcher()
    start = positions.Position.start()
    assert [searcher.perft(start.player, start.opponent, d) for d in range(1, 6)] == [4, 12, 56, 244, 1396]
    if several(1, 0):
        assert searcher.perft(start.player, start.opponent, 9) == 3005288
    searcher.stop_flag = 1
    assert searcher.perft(start.player, start.opponent, 9) is None


def test_a_draw_within_the_horizon_is_worth_what_the_task_says_to_the_root_side() -> None:
    drawn = next(
        p
        for n in (2, 3)
        for p in positions.late_positions(n, 400, SEED)
        if full_width(p.player, p.opponent, 9, lambda *_: 0, lambda score: score) == 0
    )
    p, o = drawn.player, drawn.opponent
    for value in (-300, 0, 300):
        assert new_searcher().run(task(p, o, 9, draw_value=value)).score == value
        # The same position one ply down the line: now the root's opponent is to move.
        assert new_searcher().run(task(p, o, 9, draw_value=value, ply=1)).score == -value
        assert new_searcher().run(Task(p, o, -64, 64, 0, exact=True, draw_value=value)).score == 0


def test_seeds_choose_between_equal_moves_and_repeat_themselves() -> None:
    start = positions.Position.start()

    def best(seed: int) -> int:
        return new_searcher().run(task(start.player, start.opponent, 1, seed=seed)).best_move

    chosen = [best(seed) for seed in range(1, 40)]
    assert len(set(chosen)) > 1, "the four first moves are images of each other"
    assert chosen == [best(seed) for seed in range(1, 40)]


def test_move_and_score_belong_together_on_a_table_full_of_deeper_results() -> None:
    """A null window may be answered by deeper entries than the open one; then its move must not be reported."""
    searcher = new_searcher()
    for number, position in enumerate(positions.random_positions(several(150, 4), SEED)):
        p, o = position.player, position.opponent
        searcher.run(task(p, o, several(6, 3), generation=number))
        for depth in (2, 3, 4)[: several(3, 1)]:
            for _, next_p, next_o in successors(p, o):
                searcher.run(task(next_p, next_o, depth, generation=number, ply=1))
            result = searcher.run(task(p, o, depth, generation=number))
            assert result.complete
            if result.best_move != NO_MOVE:
                state = searcher._state
                assert (int(state.root_best_move), int(state.root_best_score)) == (result.best_move, result.score)
                assert result.pv[0] == result.best_move


def test_an_incomplete_result_never_claims_an_upper_bound_as_a_lower_one() -> None:
    for position in positions.late_positions(7, several(40, 2), SEED):
        p, o = position.player, position.opponent
        boards = {move: rest for move, *rest in successors(p, o)}
        for alpha in (-20, 0, 20, 40):
            for limit in (20, 60, 150):
                result = new_searcher().run(Task(p, o, alpha, alpha + 4, 0, exact=True, node_limit=limit))
                if not result.complete and result.best_move != NO_MOVE:
                    assert result.score > alpha
                    true = -full_width(*boards[result.best_move], 64, lambda *_: 0, lambda score: score)
                    assert result.score <= true
