"""ProbCut: its error model and margins, and what pruning does to searches and solves."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from othello_engine.search import probcut
from othello_engine.search.task import Task
from tests import positions
from tests.search.support import exact_task, new_searcher, several, successors, task
from tests.trained import TrainedWeights, mobility_weights

SEED = 20260112
SELECTIVITIES = (73, 87, 95, 98, 99)
NONE = 100
T = {73: 0.9, 87: 1.5, 95: 2.0, 98: 2.6, 99: 3.3}
DEPTHS = range(3, 61)


@cache
def weights() -> TrainedWeights:
    """One move more is worth five discs: values lie about as far apart as the error model has them."""
    return mobility_weights(500)


def some_tasks(count: int, depth: int) -> list[Task]:
    middle = [p for p in positions.random_positions(60 * count, SEED) if 16 <= p.n_empties <= 52 and not p.must_pass]
    return [task(p.player, p.opponent, depth) for p in middle[:: len(middle) // count][:count]]


def shallow(selectivity: int, n_empties: int, depth: int) -> int:
    return int(probcut.shallow_tolerance(np.int64(selectivity), np.int64(n_empties), np.int64(depth)))


def static(selectivity: int, n_empties: int, depth: int) -> int:
    return int(probcut.static_tolerance(np.int64(selectivity), np.int64(n_empties), np.int64(depth)))


# -- the error model -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("percent", "t"), T.items())
def test_margins_are_t_deviations_of_the_two_searches(percent: int, t: float) -> None:
    for n_empties, depth in itertools.product(range(0, 61, 4), DEPTHS):
        to = probcut.reduced_depth(depth)
        assert shallow(percent, n_empties, depth) == pytest.approx(t * probcut.deviation(n_empties, depth, to), abs=3)
        assert static(percent, n_empties, depth) == pytest.approx(t * probcut.deviation(n_empties, depth, 0), abs=3)


@pytest.mark.parametrize(("percent", "t"), T.items())
def test_a_cut_is_right_at_least_as_often_as_the_selectivity_says_if_errors_are_normal(percent: int, t: float) -> None:
    assert statistics.NormalDist().cdf(t) > percent / 100


@pytest.mark.parametrize("margin", [shallow, static])
def test_margins_are_positive_and_grow_with_selectivity(margin: Callable[[int, int, int], int]) -> None:
    for n_empties, depth in itertools.product(range(61), DEPTHS):
        margins = [margin(percent, n_empties, depth) for percent in SELECTIVITIES]
        assert margins[0] > 0
        assert all(a < b for a, b in itertools.pairwise(margins))


def test_reduced_depths_are_about_half_and_of_the_same_parity() -> None:
    """Values of even and odd depths lie apart."""
    for depth in DEPTHS:
        to = probcut.reduced_depth(depth)
        assert int(probcut.probcut_depth(np.int64(depth))) == to
        assert 1 <= to < depth
        assert (depth - to) % 2 == 0
        assert abs(to - depth / 2) <= 1
    assert all(probcut.reduced_depth(a) <= probcut.reduced_depth(a + 2) for a in DEPTHS)


def test_deviations_grow_with_the_distance_of_the_depths_and_shrink_with_what_is_searched() -> None:
    for n_empties in range(61):
        for reduced in range(12):
            by_distance = [probcut.deviation(n_empties, reduced + more, reduced) for more in range(1, 20)]
            assert by_distance[0] > 0
            assert all(a < b for a, b in itertools.pairwise(by_distance))
        for distance in (1, 2, 4, 8):
            by_reduced = [probcut.deviation(n_empties, reduced + distance, reduced) for reduced in range(20)]
            assert all(a > b for a, b in itertools.pairwise(by_reduced))


def test_deviations_are_of_a_plausible_size() -> None:
    """Between half a disc and 20 discs, wherever searches of a few plies are compared."""
    for n_empties, depth in itertools.product(range(61), range(3, 21)):
        assert 50 < probcut.deviation(n_empties, depth, probcut.reduced_depth(depth)) < 2000


def test_boards_with_fewer_discs_than_the_start_have_margins_too() -> None:
    """They can be set up, and be searched to their end: the tables must not be left."""
    for n_empties, percent in itertools.product((61, 62), SELECTIVITIES):
        for depth in (3, 8, 60, n_empties):
            assert 1 <= int(probcut.probcut_depth(np.int64(depth))) < depth
            assert 100 < shallow(percent, n_empties, depth) < 10_000
            assert 100 < static(percent, n_empties, depth) < 10_000


# -- searches ------------------------------------------------------------------------------------------------


def total_nodes(tasks: list[Task], selectivity: int) -> int:
    total = 0
    for each in tasks:
        searcher = new_searcher(weights=weights().buffer)
        for depth in range(1, each.depth + 1):
            total += searcher.run(replace(each, depth=depth, selectivity=selectivity)).nodes
    return total


def test_the_lower_the_selectivity_the_fewer_nodes() -> None:
    chosen = (*SELECTIVITIES, NONE) if several(1, 0) else (73, NONE)
    tasks = some_tasks(several(14, 1), several(7, 5))
    nodes = [total_nodes(tasks, selectivity) for selectivity in chosen]
    assert all(a < b for a, b in itertools.pairwise(nodes)), nodes
    assert nodes[0] < nodes[-1] * (0.5 if several(1, 0) else 1.0)


def test_pruned_values_are_close_to_true_ones() -> None:
    for each in some_tasks(several(20, 1), several(6, 4)):
        true = new_searcher(weights=weights().buffer).run(each).score
        for selectivity in SELECTIVITIES[:: several(1, 4)]:
            result = new_searcher(weights=weights().buffer).run(replace(each, selectivity=selectivity))
            assert result.complete
            assert abs(result.score) <= 6400
            assert abs(result.score - true) <= 2000, "four moves' worth"
            assert result.best_move in [move for move, *_ in successors(each.player, each.opponent)]


def test_null_windows_far_from_the_value_are_answered_rightly() -> None:
    """What lies more than any margin outside the window cannot be pruned to the wrong side."""
    for each in some_tasks(several(20, 1), several(6, 4)):
        true = new_searcher(weights=weights().buffer).run(each).score
        for alpha in (true - 4000, true + 4000, -6399, 6398):
            window = replace(each, alpha=alpha, beta=alpha + 1, ply=1, selectivity=73)
            assert (new_searcher(weights=weights().buffer).run(window).score > alpha) == (true > alpha)


@pytest.mark.parametrize("depth", [1, 2])
def test_shallow_searches_are_not_pruned(depth: int) -> None:
    """At the root's replies a null window is one ply shallower than the search, and below two plies none is cut."""
    for each in some_tasks(several(20, 2), depth):
        found = {
            (result.score, result.nodes, result.best_move)
            for selectivity in (73, NONE)
            for result in [new_searcher(weights=weights().buffer).run(replace(each, selectivity=selectivity))]
        }
        assert len(found) == 1


def test_the_classic_evaluation_is_never_pruned() -> None:
    for each in some_tasks(several(6, 1), several(6, 4)):
        nodes = {new_searcher().run(replace(each, selectivity=selectivity)).nodes for selectivity in (73, NONE)}
        assert len(nodes) == 1


def test_pruned_searches_repeat_themselves() -> None:
    for each in some_tasks(several(4, 1), several(7, 4)):
        runs = [new_searcher(weights=weights().buffer).run(replace(each, selectivity=87)) for _ in range(2)]
        assert runs[0] == runs[1]


def test_an_interrupted_pruned_search_is_not_complete_and_a_later_one_is_right() -> None:
    """A stop inside the shallow search must not be taken for its value."""
    for each in some_tasks(several(6, 1), several(6, 4)):
        pruned = replace(each, selectivity=87)
        full = new_searcher(weights=weights().buffer).run(pruned)
        true = new_searcher(weights=weights().buffer).run(each).score
        for limit in range(1, full.nodes, full.nodes // several(15, 2)):
            searcher = new_searcher(weights=weights().buffer)
            result = searcher.run(replace(pruned, node_limit=limit))
            assert abs(result.score) <= 6400 or not result.complete
            assert result.complete or searcher.stop_flag
            searcher.stop_flag = 0
            assert searcher.run(each).score == true, "entries of a pruned search do not answer this one"
            assert abs(searcher.run(pruned).score - full.score) <= 2000


# -- selective solves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_empties", [2, 5, 8, 10])
def test_solves_of_few_empties_are_exact_whatever_the_selectivity(n_empties: int) -> None:
    for position in positions.late_positions(n_empties, several(12, 2), SEED + n_empties):
        p, o = position.player, position.opponent
        expected = new_searcher().run(exact_task(p, o)).score
        for selectivity in SELECTIVITIES[:: several(1, 4)]:
            result = new_searcher(weights=weights().buffer).run(exact_task(p, o, selectivity=selectivity))
            assert result.complete
            assert result.score == expected


def test_selective_solves_are_near_the_truth_and_leave_nothing_for_exact_ones() -> None:
    for position in positions.late_positions(several(14, 11), several(10, 1), SEED):
        p, o = position.player, position.opponent
        true = new_searcher().run(exact_task(p, o)).score
        searcher = new_searcher(weights=weights().buffer)
        for selectivity in (73, 99)[: several(2, 1)]:
            result = searcher.run(exact_task(p, o, selectivity=selectivity))
            assert result.complete
            assert abs(result.score) <= 64
            assert abs(result.score - true) <= 20
        assert searcher.run(exact_task(p, o)).score == true


def test_null_windows_of_selective_solves_answer_in_discs() -> None:
    for position in positions.late_positions(several(13, 11), several(10, 1), SEED):
        for alpha in (-64, -33, -1, 0, 7, 32, 63):
            window = exact_task(position.player, position.opponent, alpha, alpha + 1, selectivity=73, ply=1)
            score = new_searcher(weights=weights().buffer).run(window).score
            assert -64 <= score <= 64


def test_an_interrupted_selective_solve_is_not_complete() -> None:
    for position in positions.late_positions(several(14, 11), several(4, 1), SEED):
        pruned = exact_task(position.player, position.opponent, selectivity=87)
        full = new_searcher(weights=weights().buffer).run(pruned)
        for limit in range(1, full.nodes // 2, max(1, full.nodes // several(10, 4))):
            result = new_searcher(weights=weights().buffer).run(replace(pruned, node_limit=limit))
            assert not result.complete
            assert abs(result.score) <= 64
