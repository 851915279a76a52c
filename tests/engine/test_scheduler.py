"""The scheduler, with pretended workers on random game trees: slow ones, dying ones, stopped ones."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_engine.engine.scheduler import Scheduler, Tuning
from othello_engine.engine.simulation import Simulation
from othello_engine.search.task import SCORE_LIMIT, Task, TaskResult
from othello_engine.types import NO_MOVE
from tests.engine.trees import HIGHEST, Tree, TreeSearcher

ROOT = 1
EAGER = Tuning(least_run=30, split_depth=1, split_empties=1, open_depth=2, open_empties=2)
"""Divides everything it can, so that small trees meet every case."""
LAZY = Tuning(least_run=50, split_depth=1, split_empties=1, open_depth=99, open_empties=99)
"""Divides only what runs."""


def full_window(depth: int, moves: int = 0) -> Task:
    return Task(ROOT, 0, -SCORE_LIMIT, SCORE_LIMIT, depth, moves=moves)


def team(n: int, tree: Tree, seed: int = 0, lies: int = 0) -> list[TreeSearcher]:
    table: dict[tuple[int, int], tuple[int, int, int]] = {}
    return [TreeSearcher(tree, table, seed + index, lies) for index in range(n)]


trees = st.builds(Tree, st.integers(0, 1 << 30), st.integers(1, 7))
depths = st.integers(1, 6)
numbers = st.sampled_from([1, 2, 4, 8])
tunings = st.sampled_from([EAGER, LAZY])
slices = st.sampled_from([100, 400])
"""A slice must be long enough to get past what the table answers, or a task would never end."""
latencies = st.sampled_from([0, 3, 25])


@settings(max_examples=300, deadline=None)
@given(trees, depths, numbers, tunings, slices, latencies)
def test_the_score_is_that_of_plain_negamax(
    tree: Tree, depth: int, n: int, tuning: Tuning, slice_nodes: int, latency: int
) -> None:
    simulation = Simulation(team(n, tree), Scheduler(tuning), slice_nodes, latency)
    outcome = simulation.run(full_window(depth)).outcome
    assert outcome.settled
    assert outcome.lower == outcome.upper == tree.negamax(ROOT, depth)
    scores = tree.root_scores(ROOT, depth)
    assert scores[outcome.best_move] == outcome.lower
    assert outcome.pv[0] == outcome.best_move
    for move in outcome.moves:
        assert move.lower <= scores[move.move] <= move.upper


@settings(max_examples=200, deadline=None)
@given(trees, depths, numbers, tunings, st.integers(-HIGHEST, HIGHEST), st.integers(1, 20))
def test_any_window_gives_a_true_bound(tree: Tree, depth: int, n: int, tuning: Tuning, alpha: int, width: int) -> None:
    simulation = Simulation(team(n, tree), Scheduler(tuning), 100, 3)
    value = tree.negamax(ROOT, depth)
    outcome = simulation.run(Task(ROOT, 0, alpha, alpha + width, depth)).outcome
    assert outcome.settled
    assert outcome.lower <= value <= outcome.upper
    assert outcome.lower >= alpha + width or outcome.upper <= alpha or outcome.lower == outcome.upper == value
    if outcome.lower > alpha:
        assert tree.root_scores(ROOT, depth)[outcome.best_move] >= outcome.lower

    outcome = simulation.widen(-SCORE_LIMIT, SCORE_LIMIT).outcome
    assert outcome.lower == outcome.upper == value


@settings(max_examples=200, deadline=None)
@given(trees, depths, numbers, tunings, st.integers(1, 40), st.integers(0, 1 << 20))
def test_dying_workers_change_nothing(tree: Tree, depth: int, n: int, tuning: Tuning, percent: int, seed: int) -> None:
    dice = random.Random(seed)
    simulation = Simulation(team(n, tree), Scheduler(tuning), 1000, 3, dies=lambda: dice.randrange(100) < percent)
    outcome = simulation.run(full_window(depth)).outcome
    assert outcome.lower == outcome.upper == tree.negamax(ROOT, depth)


@settings(max_examples=300, deadline=None)
@given(trees, depths, numbers, tunings, st.integers(0, 3000))
def test_a_halt_at_any_moment_leaves_only_what_is_proved(
    tree: Tree, depth: int, n: int, tuning: Tuning, halt_at: int
) -> None:
    scores = tree.root_scores(ROOT, depth)
    order = list(scores)  # the order in which a searcher without a table tries them
    simulation = Simulation(team(n, tree), Scheduler(tuning), 100, 3, halt_at=halt_at)
    outcome = simulation.run(full_window(depth), order).outcome
    if outcome.settled:
        assert outcome.lower == outcome.upper == tree.negamax(ROOT, depth)
    elif outcome.best_move != NO_MOVE:
        assert outcome.lower <= scores[outcome.best_move]
        if len(outcome.moves) > 0:  # the root was opened, in the order given
            assert scores[outcome.best_move] >= scores[order[0]]
    for move in outcome.moves:
        assert move.lower <= scores[move.move] <= move.upper


@settings(max_examples=150, deadline=None)
@given(trees, depths, numbers, st.integers(0, 1 << 20))
def test_a_lying_table_never_stalls_a_search(tree: Tree, depth: int, n: int, seed: int) -> None:
    simulation = Simulation(team(n, tree, seed, lies=10), Scheduler(EAGER), 1000, 3)
    outcome = simulation.run(full_window(depth)).outcome
    assert outcome.settled
    assert outcome.best_move in tree.root_scores(ROOT, depth)


@settings(max_examples=100, deadline=None)
@given(trees, depths, numbers, st.data())
def test_only_the_allowed_root_moves_are_searched(tree: Tree, depth: int, n: int, data: st.DataObject) -> None:
    scores = tree.root_scores(ROOT, depth)
    if any(move >= 64 for move in scores):
        return
    allowed = data.draw(st.sets(st.sampled_from(sorted(scores)), min_size=1))
    mask = sum(1 << move for move in allowed)
    outcome = Simulation(team(n, tree), Scheduler(EAGER), 1000, 3).run(full_window(depth, mask)).outcome
    assert outcome.lower == outcome.upper == max(scores[move] for move in allowed)
    assert outcome.best_move in allowed
    assert {move.move for move in outcome.moves} <= allowed


@settings(max_examples=50, deadline=None)
@given(trees, depths)
def test_one_worker_gets_the_root_as_one_task(tree: Tree, depth: int) -> None:
    simulation = Simulation(team(1, tree), Scheduler(EAGER), 1 << 40, 3)
    assert simulation.run(full_window(depth)).tasks == 1


def test_work_of_an_old_search_does_not_disturb_the_new_one() -> None:
    tree = Tree(7, 6)
    scheduler = Scheduler(EAGER)
    scheduler.begin(full_window(5))
    old = scheduler.take(0, 1)
    assert old is not None
    scheduler.begin(full_window(4))
    assert scheduler.stops() == [old.id]
    new = scheduler.take(1, 1)
    assert new is not None
    scheduler.searched(old.id, TaskResult(9999, 0, (0,), 50, complete=True))
    assert not scheduler.is_over
    scheduler.searched(new.id, TreeSearcher(tree).run(new.task))
    assert scheduler.is_over
    assert scheduler.outcome().lower == tree.negamax(ROOT, 4)


def test_a_node_limit_ends_the_search_with_what_is_proved() -> None:
    tree = Tree(3, 6, passes=0)
    scheduler = Scheduler(EAGER)
    scheduler.begin(full_window(6))
    work = scheduler.take(0, 1, budget=60)
    assert work is not None
    assert work.task.node_limit == 60
    result = TreeSearcher(tree).run(work.task)
    assert not result.complete
    scheduler.searched(work.id, result)
    assert scheduler.is_over
    assert not scheduler.outcome().settled


def test_a_partial_result_counts_only_if_the_former_best_move_is_in_it() -> None:
    for first_done, expected in ((True, 3), (False, NO_MOVE)):
        scheduler = Scheduler(EAGER)
        scheduler.begin(full_window(6))
        work = scheduler.take(0, 1)
        assert work is not None
        scheduler.halt()
        assert scheduler.stops() == [work.id]
        scheduler.searched(work.id, TaskResult(12, 3, (3, 1), 50, complete=False, first_done=first_done))
        assert scheduler.outcome().best_move == expected


def test_the_former_best_move_is_searched_first_until_another_is_proved_better() -> None:
    scheduler = Scheduler(EAGER)
    scheduler.begin(Task(ROOT, 0, 20, 40, 6, moves=0b101010), order=(5, 3))
    work = scheduler.take(0, 1)
    assert work is not None
    assert work.task.former_move == 5
    scheduler.searched(work.id, TaskResult(10, 3, (3, 1), 50, complete=True))
    scheduler.widen(-20, 5)
    work = scheduler.take(0, 1)
    assert work is not None
    assert work.task.former_move == 5  # a fail low has proved nothing about any move
    scheduler.searched(work.id, TaskResult(8, 1, (1, 2), 50, complete=True))
    scheduler.widen(7, 11)
    work = scheduler.take(0, 1)
    assert work is not None
    assert work.task.former_move == 1


def test_a_partial_score_below_the_window_proves_nothing() -> None:
    scheduler = Scheduler(EAGER)
    scheduler.begin(Task(ROOT, 0, 20, 40, 6))
    work = scheduler.take(0, 1)
    assert work is not None
    scheduler.halt()
    scheduler.searched(work.id, TaskResult(12, 3, (3, 1), 50, complete=False))
    assert scheduler.outcome().best_move == NO_MOVE


@pytest.mark.parametrize(("n", "speedup"), [(2, 1.6), (4, 2.6), (8, 4.0)])
def test_many_workers_share_the_work(n: int, speedup: float) -> None:
    alone = shared = 0
    for seed in range(5):
        tree = Tree(seed, 9, passes=2, endings=0)
        one = Simulation(team(1, tree), Scheduler(EAGER), 500, 1).run(full_window(8))
        many = Simulation(team(n, tree), Scheduler(EAGER), 500, 1).run(full_window(8))
        assert many.outcome.lower == one.outcome.lower
        alone += one.time
        shared += many.time
    assert alone / shared > speedup


# -- searches that prune -----------------------------------------------------------------------------------------


def pruning_task(**changes: object) -> Task:
    task = Task(1 << 28 | 1 << 35, 1 << 27 | 1 << 36, -SCORE_LIMIT, SCORE_LIMIT, 20, selectivity=73)
    return replace(task, **changes)  # type: ignore[arg-type]


def test_a_search_that_prunes_is_not_divided_but_gets_companions() -> None:
    scheduler = Scheduler()
    scheduler.begin(pruning_task())
    main = scheduler.take(0.0, 3)
    assert main is not None
    assert (main.expand, main.task.depth, main.companion) == (False, 20, False)
    begin = scheduler.next_division(2)
    assert begin is not None
    assert 0 < begin < scheduler.tuning.least_run
    assert scheduler.take(begin / 2, 2) is None, "most iterations end sooner"
    first, second = scheduler.take(begin, 2), scheduler.take(begin, 1)
    assert first is not None
    assert second is not None
    assert [work.task.depth for work in (first, second)] == [21, 22]
    assert first.companion
    assert second.companion
    assert scheduler.stops() == []

    scheduler.searched(first.id, TaskResult(900, 19, (19,), 10, True))
    assert not scheduler.is_over, "what a companion finds is not believed"
    scheduler.searched(main.id, TaskResult(-300, 26, (26,), 10, True))
    assert scheduler.is_over
    assert (scheduler.outcome().lower, scheduler.outcome().best_move) == (-300, 26)
    assert scheduler.stops() == [second.id]
    assert scheduler.stops() == []
    scheduler.searched(second.id, TaskResult(-1, NO_MOVE, (), 5, False))
    assert scheduler.n_running == 0
    assert scheduler.outcome().lower == -300


def test_a_lost_companion_is_forgotten_and_a_lost_search_begun_again() -> None:
    scheduler = Scheduler()
    scheduler.begin(pruning_task())
    main = scheduler.take(0.0, 2)
    companion = scheduler.take(1.0, 1)
    assert main is not None
    assert companion is not None
    scheduler.lost(companion.id)
    scheduler.lost(main.id)
    again = scheduler.take(2.0, 2)
    assert again is not None
    assert again.task == main.task


def test_companions_of_a_selective_solve_are_more_certain() -> None:
    scheduler = Scheduler()
    scheduler.begin(pruning_task(exact=True, alpha=-64, beta=64))
    assert scheduler.take(0.0, 3) is not None
    found = [scheduler.take(1.0, 2), scheduler.take(1.0, 1)]
    assert [work.task.selectivity for work in found if work is not None] == [95, 100]


def test_a_node_limit_leaves_no_nodes_for_companions() -> None:
    scheduler = Scheduler()
    scheduler.begin(pruning_task())
    assert scheduler.take(0.0, 2, 1000) is not None
    assert scheduler.take(1.0, 1, 1000) is None
    assert scheduler.next_division(1) is None
