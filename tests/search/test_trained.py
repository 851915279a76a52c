"""Search with the trained evaluation, without pruning, against a search that visits everything; made-up weights."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from othello_engine.core import plain
from othello_engine.search import table
from othello_engine.search.driver import Searcher
from othello_engine.search.endgame import PREVIEW_DEPTH
from othello_engine.search.midgame import STOPPED_VALUE
from othello_engine.search.preview import preview
from othello_engine.search.pvs import null_window, pvs
from othello_engine.search.task import SCORE_LIMIT, Task
from othello_engine.types import NO_MOVE, PASS
from tests import positions
from tests.search.support import (
    assert_true_bound,
    exact_task,
    full_width,
    new_searcher,
    perfect_score,
    several,
    successors,
    task,
)
from tests.trained import TrainedWeights, made_up_weights

SEED = 20260111

SIGNATURE = [(100, 3516), (73, 1162)]
"""(selectivity, nodes) of fixed searches, as in test_signature.py."""

Boards = tuple[int, int]


@cache
def weights() -> TrainedWeights:
    return made_up_weights(1)


@cache
def static(player: int, opponent: int) -> int:
    return weights().value(player, opponent)


def searcher_of(table_bytes: int = 1 << 20) -> Searcher:
    return new_searcher(table_bytes, weights().buffer)


def hundredths(difference: int) -> int:
    return 100 * difference


def n_leaves(player: int, opponent: int, depth: int) -> int:
    after = successors(player, opponent) if depth > 0 else []
    return sum(n_leaves(p, o, depth - (move != PASS)) for move, p, o in after) or 1


def narrow(depth: int, count: int, most_leaves: int) -> Iterator[Boards]:
    """Positions whose tree of this depth is small: of all stages, every other one near the end or with passes ahead."""
    late = (p for n in itertools.cycle(range(1, 17)) for p in positions.late_positions(n, 2, SEED + depth + n))
    anywhere = positions.random_positions(100 * count, SEED + depth)
    found = 0
    for position in itertools.chain.from_iterable(zip(late, anywhere, strict=False)):
        if n_leaves(position.player, position.opponent, depth) <= most_leaves:
            yield position.player, position.opponent
            found += 1
            if found == count:
                return


def end_of(player: int, opponent: int, line: tuple[int, ...]) -> Boards:
    """The position after a line, which must be legal."""
    for move in line:
        player, opponent = next((p, o) for legal, p, o in successors(player, opponent) if legal == move)
    return player, opponent


# -- values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [0, 1, 2, 3, 4])
def test_values_and_lines_equal_full_width_search_by_the_oracle(depth: int) -> None:
    for p, o in narrow(depth, several((80, 60, 40, 20, 12)[depth], 4), several(400, 60)):
        result = searcher_of().run(task(p, o, depth))
        expected = full_width(p, o, depth, static, hundredths)
        assert result.complete
        assert result.score == expected, (p, o)
        last = end_of(p, o, result.pv)
        n_moves = len(result.pv) - result.pv.count(PASS)
        is_over = not successors(*last)
        assert n_moves == depth or is_over, "the line is as long as the search is deep"
        worth = hundredths(plain.final_score(*last)) if is_over else static(*last)
        assert worth * (-1) ** len(result.pv) == expected, "the line ends in the value that is claimed"


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_null_windows_give_true_bounds(depth: int) -> None:
    """At the root, and below it, where no line is wanted and the last ply is searched by itself."""
    for p, o in narrow(depth, several((60, 40, 20, 8)[depth - 1], 3), several(400, 60)):
        expected = full_width(p, o, depth, static, hundredths)
        for alpha in (expected - 1, expected, expected - 150, expected + 150, -6400, 6399, -9000, 9000):
            for ply in (0, 1):
                score = searcher_of().run(Task(p, o, alpha, alpha + 1, depth, ply=ply)).score
                if expected <= alpha:
                    assert expected <= score <= alpha
                else:
                    assert alpha < score <= expected


def test_open_windows_give_true_bounds() -> None:
    for p, o in narrow(3, several(20, 4), several(400, 60)):
        expected = full_width(p, o, 3, static, hundredths)
        for alpha, beta in ((-100, 100), (expected - 300, expected - 100), (expected + 1, expected + 300), (0, 2)):
            score = searcher_of().run(Task(p, o, alpha, beta, 3)).score
            assert_true_bound(score, expected, alpha, beta)


def test_larger_trees_equal_full_width_search_by_the_same_evaluation() -> None:
    """That static values are right is tested with the evaluation; here they come from the engine, which is faster."""
    for number, position in enumerate(positions.random_positions(several(20, 2), SEED)):
        depth = several((2, 3, 4, 5)[number % 4], 2)
        p, o = position.player, position.opponent
        if n_leaves(p, o, depth) <= 10_000:
            searcher = searcher_of()
            assert searcher.run(task(p, o, depth)).score == full_width(p, o, depth, searcher.evaluate, hundredths)


@pytest.mark.parametrize("n_empties", range(1, 9))
def test_a_search_beyond_the_end_of_the_game_is_a_perfect_one(n_empties: int) -> None:
    for position in positions.late_positions(n_empties, several(20 if n_empties < 7 else 6, 2), SEED):
        p, o = position.player, position.opponent
        if not successors(p, o) or several(1, n_empties < 7) == 0:
            continue
        expected = 100 * perfect_score(p, o)
        for depth in (n_empties, n_empties + 3, 60):
            assert searcher_of().run(task(p, o, depth)).score == expected
        for alpha in (expected - 100, expected - 1, expected, expected + 99, -6401, 6400):
            score = searcher_of().run(Task(p, o, alpha, alpha + 1, n_empties, ply=1)).score
            assert alpha < score <= expected if expected > alpha else expected <= score <= alpha


def with_draws(player: int, opponent: int, draw: int) -> int:
    """Value under perfect play where a draw is worth so much to the side to move."""
    after = successors(player, opponent)
    if not after:
        return hundredths(plain.final_score(player, opponent)) or draw
    return max(-with_draws(p, o, -draw) for _, p, o in after)


def test_a_draw_is_worth_what_the_task_says_to_the_root_side() -> None:
    seen = 0
    for n_empties in (2, 3, 4, 5):
        for position in positions.late_positions(n_empties, several(30, 4), SEED):
            p, o = position.player, position.opponent
            for draw in (-350, 0, 350):
                expected = with_draws(p, o, draw)
                seen += draw != 0 and expected == draw
                assert searcher_of().run(task(p, o, n_empties, draw_value=draw)).score == expected
                # The same position one ply down the line: now the root's opponent is to move.
                assert searcher_of().run(task(p, o, n_empties, draw_value=-draw, ply=1)).score == expected
    assert seen


def test_exact_solving_is_not_changed_by_the_way_moves_are_ordered() -> None:
    """From twelve empty squares on they are ordered by the trained evaluation."""
    for n_empties in (6, 12, 13, 14)[: several(4, 1)]:
        for position in positions.late_positions(n_empties, several(8, 2), SEED):
            p, o = position.player, position.opponent
            expected = new_searcher().run(exact_task(p, o)).score
            result = searcher_of().run(exact_task(p, o))
            assert result.score == expected
            assert plain.final_score(*end_of(p, o, result.pv)) * (-1) ** len(result.pv) == expected


def test_the_line_of_a_solve_is_complete_whatever_was_searched_before() -> None:
    """Near the end, proofs and estimates are kept in different tables."""
    for n_empties in (9, 11, 13)[: several(3, 1)]:
        for number, position in enumerate(positions.late_positions(n_empties, several(8, 2), SEED)):
            p, o = position.player, position.opponent
            searcher = searcher_of()
            for depth in range(1, n_empties + 1):
                searcher.run(task(p, o, depth, selectivity=73, generation=number))
            searcher.run(exact_task(p, o, -66, 66, selectivity=73, generation=number))
            result = searcher.run(exact_task(p, o, generation=number))
            assert result.score == new_searcher().run(exact_task(p, o)).score
            end = end_of(p, o, result.pv)
            assert not successors(*end)
            assert plain.final_score(*end) * (-1) ** len(result.pv) == result.score


PREVIEWED = int(np.flatnonzero(PREVIEW_DEPTH)[0])
"""So many empty squares, or more, and an exact search looks ahead to order its moves."""


def test_exact_solving_is_not_changed_by_looking_ahead() -> None:
    for position in positions.late_positions(PREVIEWED, several(8, 0), SEED):
        p, o = position.player, position.opponent
        expected = new_searcher(1 << 24).run(exact_task(p, o)).score
        assert searcher_of(1 << 24).run(exact_task(p, o)).score == expected


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_preview_has_the_value_of_full_width_search(depth: int) -> None:
    """Exact inside the window, else a true bound on its side."""
    for p, o in narrow(depth, several((60, 40, 20, 8)[depth - 1], 3), several(400, 60)):
        expected = full_width(p, o, depth, static, hundredths)
        windows = [(-6500, 6500), (expected - 1, expected + 1), (expected, 6500), (-6500, expected)]
        for alpha, beta in (*windows, (expected - 300, expected - 100), (expected + 100, expected + 300)):
            state = searcher_of()._prepare(exact_task(p, o))
            boards = np.uint64(p), np.uint64(o)
            score = preview(state, *boards, np.int64(alpha), np.int64(beta), np.int64(depth), np.int64(0))
            assert_true_bound(score, expected, alpha, beta)


def test_a_preview_ends_at_the_node_limit() -> None:
    position = next(p for p in positions.random_positions(40, SEED) if p.n_empties == 30)
    boards = np.uint64(position.player), np.uint64(position.opponent)
    rest = np.int64(-6500), np.int64(6500), np.int64(several(4, 3)), np.int64(0)
    state = searcher_of()._prepare(exact_task(position.player, position.opponent))
    preview(state, *boards, *rest)
    total = int(state.nodes)
    for limit in (1, total // 2):
        state = searcher_of()._prepare(exact_task(position.player, position.opponent, node_limit=limit))
        preview(state, *boards, *rest)
        assert state.stop
        assert state.nodes < limit + 64
        preview(state, *boards, *rest)
        assert state.nodes < limit + 66, "a stopped search does not go on"


# -- the table -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table_bytes", [64, 1 << 12, 1 << 20])
def test_a_warm_table_gives_the_values_of_a_cold_one(table_bytes: int) -> None:
    """Warm with shallower searches, with this one, with its moves and with pruned ones."""
    for number, position in enumerate(positions.random_positions(several(24, 2), SEED)):
        p, o = position.player, position.opponent
        depth = several(5, 3)
        expected = searcher_of().run(task(p, o, depth)).score
        searcher = searcher_of(table_bytes)
        for shallower in range(1, depth):
            searcher.run(task(p, o, shallower, generation=number))
        searcher.run(task(p, o, depth, selectivity=73, generation=number))
        assert searcher.run(task(p, o, depth, generation=number)).score == expected
        for _, next_p, next_o in successors(p, o):
            searcher.run(task(next_p, next_o, depth - 1, generation=number, ply=1))
        assert searcher.run(task(p, o, depth, generation=number)).score == expected
        assert searcher.run(task(p, o, depth, generation=number + 1)).score == expected


def stored_bounds_hold(searcher: Searcher, player: int, opponent: int, depth: int) -> int:
    """Check the entries of all positions down to a leaf; how many there are."""
    if depth <= 0 or not successors(player, opponent):
        return 0
    bounds, meta = searcher._entry(player, opponent, False)
    found = 0
    if table.answers(meta, table.KIND_ESTIMATE, depth, 100):
        true = full_width(player, opponent, depth, searcher.evaluate, hundredths)
        assert int(table.lower_bound(bounds)) <= true <= int(table.upper_bound(bounds))
        found = 1
    after = successors(player, opponent)
    return found + sum(stored_bounds_hold(searcher, p, o, depth - (move != PASS)) for move, p, o in after)


def test_an_interrupted_search_stores_nothing_wrong_and_proves_what_it_says() -> None:
    depth = several(4, 3)
    seen = proved = 0
    for p, o in narrow(depth, several(6, 2), several(1_500, 120)):
        full = searcher_of().run(task(p, o, depth))
        after = {move: boards for move, *boards in successors(p, o)}
        for limit in range(1, full.nodes, max(1, full.nodes // several(12, 3))):
            searcher = searcher_of()
            result = searcher.run(task(p, o, depth, node_limit=limit))
            if result.complete:  # the last plies do not look at the limit
                assert result.score == full.score
                continue
            assert searcher.stop_flag
            searcher.stop_flag = 0
            assert result.nodes < limit + 64
            if result.best_move != NO_MOVE:
                proved += 1
                left = depth - (result.best_move != PASS)
                assert result.score <= -full_width(*after[result.best_move], left, searcher.evaluate, hundredths)
            seen += stored_bounds_hold(searcher, p, o, depth)
            assert searcher.run(task(p, o, depth)).score == full.score
    assert seen
    assert proved


def test_stopped_searches_return_the_sentinel() -> None:
    """Wherever the stop is seen: in this search, in the shallow one that decides on a cut, or in the solver."""
    middle = next(p for p in positions.random_positions(40, SEED) if p.n_empties == 40)
    late = next(iter(positions.late_positions(10, 1, SEED + 1)))
    window = np.int64(-SCORE_LIMIT), np.int64(SCORE_LIMIT)
    for position, depth in ((middle, several(6, 4)), (late, 10)):
        boards = np.uint64(position.player), np.uint64(position.opponent)
        whole = task(position.player, position.opponent, depth)
        for selectivity, alpha in itertools.product((73, 100), (-200, 0, 200)[: several(3, 1)]):
            rest = np.int64(alpha), np.int64(depth), np.int64(0)
            state = searcher_of()._prepare(replace(whole, selectivity=selectivity))
            assert null_window(state, *boards, *rest) != STOPPED_VALUE
            total = int(state.nodes)
            assert total > 10
            for limit in (1, 2, total // 2) if total > 200 else (1, 2):  # the last ply does not look at it
                state = searcher_of()._prepare(replace(whole, selectivity=selectivity, node_limit=limit))
                assert null_window(state, *boards, *rest) == STOPPED_VALUE
                assert state.stop
                assert null_window(state, *boards, *rest) == STOPPED_VALUE
                assert pvs(state, *boards, *window, *rest[1:]) == STOPPED_VALUE


# -- repetition ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("selectivity", "nodes"), SIGNATURE)
def test_the_search_visits_the_nodes_of_the_signature(selectivity: int, nodes: int) -> None:
    total = 0
    for position in list(positions.random_positions(60, seed=9))[9:50:20]:
        searcher = searcher_of()
        for depth in (2, 4):
            total += searcher.run(task(position.player, position.opponent, depth, selectivity=selectivity)).nodes
    assert total == nodes


def test_one_searcher_repeats_itself_node_for_node_after_a_new_game() -> None:
    position = next(p for p in positions.random_positions(40, SEED) if p.n_empties == 40)
    searcher = searcher_of()
    counts = []
    for _ in range(2):
        searcher.attach_table(bytearray(1 << 20))
        searcher.new_game()
        depths = range(1, several(7, 3))
        counts.append([searcher.run(task(position.player, position.opponent, depth)).nodes for depth in depths])
    assert counts[0] == counts[1]


def test_the_static_value_can_be_asked_while_a_row_is_in_use() -> None:
    """`evaluate` has a row of its own, behind those of the plies."""
    searcher = searcher_of()
    for p, o in narrow(2, several(40, 5), 10_000):
        state = searcher._prepare(task(p, o, 2))
        before = bytes(state.rows[:-640])
        expected = static(o, p) if successors(p, o) else hundredths(plain.final_score(o, p))
        assert searcher.evaluate(o, p) == expected
        assert bytes(state.rows[:-640]) == before
