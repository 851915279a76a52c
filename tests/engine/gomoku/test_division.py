"""Who gets what, what counts, and that nothing is left running: both ways to divide a search, without processes."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_engine.engine.gomoku.deepening import GomokuPlan
from othello_engine.engine.gomoku.division import FIRST_HELPED_DEPTH, ROOT_LIMIT, Shards, Together
from othello_engine.engine.scheduler import Work
from othello_engine.gomoku.position import NO_CELL, GomokuPosition
from othello_engine.gomoku.task import MAX_DEPTH, GomokuResult, GomokuTask, Heatmap, RootScore
from othello_engine.types import RootValue
from tests.engine.gomoku.plain_gomoku import WIN
from tests.engine.gomoku.support import (
    IN_THREE,
    LOST,
    MUST_BLOCK,
    QUIET,
    WON,
    Team,
    answer,
    best_values,
    named,
    new_searcher,
    random_position,
    result,
    task_of,
    unfinished,
)

A, B, C = named("a1", "b2", "c3")


def together(wants_heatmap: bool = False) -> Together:
    return Together(count(1), wants_heatmap)


def take(division: Together | Shards, idle: int = 1, budget: int = 0) -> Work[GomokuTask]:
    work = division.take(0.0, idle, budget)
    assert work is not None
    return work


def take_all(division: Together | Shards, idle: int, budget: int = 0) -> list[Work[GomokuTask]]:
    """What so many idle workers get."""
    works: list[Work[GomokuTask]] = []
    while len(works) < idle:
        work = division.take(0.0, idle - len(works), budget)
        if work is None:
            break
        works.append(work)
    return works


# -- together: who gets what -------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", range(FIRST_HELPED_DEPTH))
def test_what_is_over_in_no_time_is_for_one_worker(depth: int) -> None:
    division = together()
    division.begin(task_of(QUIET, depth))
    (work,) = take_all(division, 4)
    assert (work.task, work.expand, work.companion) == (task_of(QUIET, depth), False, False)
    assert division.n_running == 1


def test_the_others_search_deeper_each_to_a_depth_of_its_own() -> None:
    division = together()
    division.begin(task_of(QUIET, 5))
    works = take_all(division, 4)
    assert [work.task.depth for work in works] == [5, 6, 7, 8]
    assert [work.task.is_companion for work in works] == [False, True, True, True]
    assert [work.companion for work in works] == [False, True, True, True]
    assert len({work.id for work in works}) == 4
    assert {replace(work.task, depth=5, is_companion=False) for work in works} == {task_of(QUIET, 5)}
    division.searched(works[2].id, unfinished())
    assert take(division).task.depth == 7


def test_a_companion_is_promoted_when_its_depth_is_wanted() -> None:
    division = together()
    division.begin(task_of(QUIET, 3))
    main, next_one, after_it = take_all(division, 3)
    division.searched(main.id, result(A))
    assert division.is_over
    assert division.outcome().depth == 3
    division.begin(task_of(QUIET, 4, former_move=A))
    assert division.stops() == []
    assert not division.is_over
    assert take(division).task.depth == 6  # 4 and 5 go on
    division.searched(next_one.id, result(B, 7))
    assert division.is_over
    outcome = division.outcome()
    assert (outcome.settled, outcome.depth, outcome.result) == (True, 4, result(B, 7))
    division.begin(task_of(QUIET, 5))
    assert division.stops() == []
    division.searched(after_it.id, result(C))
    assert division.outcome().depth == 5


def test_a_deeper_result_that_comes_first_counts_and_spares_the_depths_between() -> None:
    division = together()
    division.begin(task_of(QUIET, 3))
    works = take_all(division, 3)
    division.searched(works[2].id, result(B, 9))
    assert division.is_over
    outcome = division.outcome()
    assert (outcome.settled, outcome.depth, outcome.result) == (True, 5, result(B, 9))
    division.begin(task_of(QUIET, 6))
    assert sorted(division.stops()) == [works[0].id, works[1].id]
    assert division.stops() == []
    assert take(division).task.depth == 6
    division.searched(works[0].id, result(A))  # complete after all, and too late
    assert not division.is_over


def test_a_result_that_is_there_already_settles_the_next_depth_without_any_work() -> None:
    division = together()
    division.begin(task_of(QUIET, 3))
    works = take_all(division, 2)
    division.searched(works[1].id, result(B))
    division.searched(works[0].id, result(A))
    assert division.outcome().depth == 4
    division.begin(task_of(QUIET, 4))
    assert division.is_over
    assert division.take(0.0, 2) is None
    assert division.outcome().result == result(B)


def test_a_lost_worker_s_search_is_given_to_another() -> None:
    division = together()
    division.begin(task_of(QUIET, 4))
    main, companion = take_all(division, 2)
    division.lost(main.id, 12)
    again = take(division)
    assert (again.task, again.companion) == (main.task, False)
    assert again.id != main.id
    division.lost(companion.id)
    division.lost(companion.id)  # says nothing new
    assert division.n_running == 1
    assert take(division).task.depth == 5


# -- together: the end -------------------------------------------------------------------------------------------


def test_a_halt_stops_everything_once_and_keeps_what_the_main_search_has_proved() -> None:
    division = together()
    division.begin(task_of(QUIET, 4, former_move=A))
    main, companion = take_all(division, 2)
    division.halt()
    division.halt()
    assert sorted(division.stops()) == [main.id, companion.id]
    assert division.stops() == []
    assert division.take(0.0, 2) is None
    assert division.is_over
    division.searched(companion.id, result(C, 50, complete=False))  # of another depth
    assert division.outcome().result is None
    partial = result(B, 20, complete=False)
    division.searched(main.id, partial)
    outcome = division.outcome()
    assert (outcome.settled, outcome.depth, outcome.result) == (False, 4, partial)
    assert division.n_running == 0


def test_a_complete_result_that_comes_after_the_halt_is_used() -> None:
    division = together()
    division.begin(task_of(QUIET, 4))
    main = take(division)
    division.halt()
    division.searched(main.id, result(A))
    assert division.outcome().settled


def test_what_an_interrupted_search_has_not_proved_is_nothing() -> None:
    division = together()
    division.begin(task_of(QUIET, 4))
    main = take(division)
    division.halt()
    division.searched(main.id, unfinished())
    assert (division.outcome().settled, division.outcome().result) == (False, None)


def test_a_new_root_stops_all_and_takes_nothing_from_the_old_one() -> None:
    division = together()
    division.begin(task_of(QUIET, 3))
    works = take_all(division, 3)
    division.begin(task_of(QUIET, 3, excluded=(A,)))
    assert sorted(division.stops()) == [work.id for work in works]
    for work in works:
        division.searched(work.id, result(A))
    assert not division.is_over
    fresh = take_all(division, 3)
    assert [work.task.depth for work in fresh] == [3, 4, 5]
    assert {work.task.excluded for work in fresh} == {(A,)}
    division.searched(fresh[0].id, result(B))
    assert division.outcome().result == result(B)


@pytest.mark.parametrize("changes", [{"moves": (A,)}, {"excluded": (A,)}, {"side": 1}, {"cells": WON.cells}])
def test_what_makes_another_root(changes: dict[str, object]) -> None:
    division = together()
    division.begin(task_of(QUIET, 3))
    works = take_all(division, 2)
    division.searched(works[1].id, result(A))
    division.begin(replace(task_of(QUIET, 3), **changes))  # type: ignore[arg-type]
    assert not division.is_over
    assert division.stops() == [works[0].id]


def test_the_former_best_and_moves_that_lose_make_no_other_root() -> None:
    division = together()
    division.begin(task_of(QUIET, 3))
    works = take_all(division, 2)
    division.searched(works[0].id, result(A))
    division.begin(task_of(QUIET, 4, former_move=A, former_score=9, losing=(C,)))
    assert division.stops() == []


@pytest.mark.parametrize("depth", [1, 3, 7])
def test_a_limit_of_nodes_is_for_one_worker_alone(depth: int) -> None:
    division = together()
    division.begin(task_of(QUIET, depth))
    (work,) = take_all(division, 4, budget=99)
    assert work.task == task_of(QUIET, depth, node_limit=99)
    division.searched(work.id, result(B, complete=False))
    assert division.is_over
    assert division.outcome().result == result(B, complete=False)
    assert division.take(0.0, 4, 1) is None
    assert division.n_running == 0


def test_a_heatmap_is_asked_for_first_once_and_again_if_its_worker_dies() -> None:
    division = together(wants_heatmap=True)
    division.begin(task_of(QUIET, 0))
    (first,) = take_all(division, 3)
    assert first.expand
    division.lost(first.id)
    (second,) = take_all(division, 3)
    assert second.expand
    division.expanded(second.id, Heatmap((RootScore(B, 90), RootScore(A, 7))))
    (work,) = take_all(division, 3)
    assert not work.expand
    division.searched(work.id, result(NO_CELL))
    assert division.outcome().heatmap == (RootValue(B, 90), RootValue(A, 7))
    division.begin(task_of(QUIET, 1))
    (work,) = take_all(division, 3)
    assert not work.expand
    division.searched(work.id, result(A))
    assert division.outcome().heatmap == (RootValue(B, 90), RootValue(A, 7))


def test_before_anything_has_begun_nothing_is_wanted() -> None:
    for division in (together(), Shards(count(1))):
        assert division.is_over
        assert division.take(0.0, 3) is None
        assert division.stops() == []
        assert division.next_division(3) is None
        with pytest.raises(AssertionError):
            division.widen(-1, 1)


@pytest.mark.parametrize("depth", [58, 59, 60])
def test_no_companion_goes_deeper_than_the_deepest_iteration(depth: int) -> None:
    division = together()
    division.begin(task_of(QUIET, depth))
    assert all(work.task.depth <= MAX_DEPTH for work in take_all(division, 4))


# -- together: any order -----------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(0, 1 << 20), st.sampled_from([0, 30]), st.integers(1, 3))
def test_together_finds_what_minimax_finds_whoever_is_first_and_whoever_dies(
    n_workers: int, seed: int, deaths: int, multipv: int
) -> None:
    team = Team(together(), n_workers, seed, deaths)
    deepening = answer(GomokuPlan(IN_THREE.with_side(1), max_depth=2, multipv=multipv), team)
    values = best_values(IN_THREE.with_side(1), 2)
    assert [values[line.move] for line in deepening.lines] == sorted(values.values(), reverse=True)[:multipv]
    assert len({line.move for line in deepening.lines}) == multipv
    assert team.works == {}


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(0, 1 << 20), st.sampled_from([0, 30]), st.integers(0, 40))
def test_a_halt_at_any_moment_leaves_nobody_at_work(n_workers: int, seed: int, deaths: int, halt_after: int) -> None:
    team = Team(together(wants_heatmap=seed % 2 == 0), n_workers, seed, deaths)
    for depth in range(6):
        team.division.begin(task_of(IN_THREE, min(depth, 3)))
        while not team.division.is_over:
            team.feed()
            if halt_after == 0:
                team.division.halt()
            halt_after -= 1
            if team.works:
                team.end_one()
        if halt_after < 0:
            break
    team.division.halt()
    team.run_out()


# -- shards: who gets what ---------------------------------------------------------------------------------------


def heatmap_of(n_moves: int, size: int = 15) -> Heatmap:
    """So many cells, from the first of the board on, each worth less than the one before."""
    return Heatmap(tuple(RootScore(cell, 1000 - cell) for cell in range(n_moves)), n_moves)


def dealt(n_moves: int, n_workers: int, task: GomokuTask | None = None, budget: int = 0) -> list[Work[GomokuTask]]:
    """What so many workers get when there are so many candidates."""
    division = Shards(count(1))
    division.begin(task or task_of(GomokuPosition.start(), 0))
    (first,) = take_all(division, n_workers)
    assert first.expand
    division.expanded(first.id, heatmap_of(n_moves))
    return take_all(division, n_workers, budget)


@pytest.mark.parametrize("n_workers", [1, 2, 3, 5, 40])
@pytest.mark.parametrize("n_moves", [1, 2, 7, 35, 36, 37, 100])
def test_the_best_36_are_dealt_out_in_turn(n_moves: int, n_workers: int) -> None:
    works = dealt(n_moves, n_workers)
    hands: list[list[int]] = [[] for _ in range(n_workers)]
    for index, cell in enumerate(range(min(n_moves, ROOT_LIMIT))):
        hands[index % n_workers].append(cell)
    assert [list(work.task.moves) for work in works] == [hand for hand in hands if hand]
    assert not any(work.companion or work.expand for work in works)


def test_only_moves_that_are_allowed_are_dealt_out() -> None:
    task = task_of(GomokuPosition.start(), 0, moves=(100, 3, 1, 200))
    assert [work.task.moves for work in dealt(10, 3, task)] == [(1, 200), (3,), (100,)]
    task = task_of(GomokuPosition.start(), 0, excluded=(0, 2))
    assert [work.task.moves for work in dealt(5, 2, task)] == [(1, 4), (3,)]


def test_without_a_candidate_all_empty_cells_are_there() -> None:
    moves = [move for work in dealt(0, 2) for move in work.task.moves]
    assert sorted(moves) == list(range(ROOT_LIMIT))


def test_when_all_candidates_are_excluded_other_cells_are_dealt_out() -> None:
    task = task_of(GomokuPosition.start(), 1, excluded=(0, 1, 2))
    works = dealt(3, 2, task)
    moves = [move for work in works for move in work.task.moves]
    assert moves
    assert not set(moves) & {0, 1, 2}


def test_every_depth_has_the_same_shares_and_waits_for_all_of_them() -> None:
    division = Shards(count(1))
    division.begin(task_of(QUIET, 0))
    division.expanded(take(division, 2).id, heatmap_of(5, 10))
    for depth in range(4):
        division.begin(task_of(QUIET, depth))
        works = take_all(division, 2)
        assert [work.task.moves for work in works] == [(0, 2, 4), (1, 3)]
        assert {work.task.depth for work in works} == {depth}
        division.searched(works[1].id, result(1, 5))
        assert not division.is_over
        assert not division.outcome().settled
        assert division.outcome().result is None
        division.searched(works[0].id, result(2, 3))
        assert division.is_over
        assert division.outcome().settled


def test_fewer_workers_than_shares_take_one_after_another() -> None:
    division = Shards(count(1))
    division.begin(task_of(QUIET, 1))
    division.expanded(take(division, 3).id, heatmap_of(6, 10))
    first, second, third = take_all(division, 3)
    for dead in (first, third):
        division.lost(dead.id, 3)
    division.searched(second.id, result(1))
    moves = []
    while not division.is_over:
        work = take(division)
        moves.append(work.task.moves)
        division.searched(work.id, result(work.task.moves[0]))
    assert moves == [(0, 3), (2, 5)]


def test_a_halt_discards_the_iteration_whatever_is_there_of_it() -> None:
    division = Shards(count(1))
    division.begin(task_of(QUIET, 3))
    division.expanded(take(division, 2).id, heatmap_of(4, 10))
    works = take_all(division, 2)
    division.searched(works[0].id, result(0, 99))
    division.halt()
    assert division.stops() == [works[1].id]
    assert division.stops() == []
    division.searched(works[1].id, result(1, 5, complete=False))
    outcome = division.outcome()
    assert (outcome.settled, outcome.result) == (False, None)
    assert [each.move for each in outcome.heatmap] == [0, 1, 2, 3]
    assert division.n_running == 0


def test_an_iteration_that_is_complete_after_the_halt_counts() -> None:
    division = Shards(count(1))
    division.begin(task_of(QUIET, 3))
    division.expanded(take(division, 1).id, heatmap_of(4, 10))
    work = take(division)
    division.halt()
    division.searched(work.id, result(2, 9))
    assert division.outcome().settled


def test_other_lines_are_dealt_out_anew() -> None:
    division = Shards(count(1))
    division.begin(task_of(QUIET, 1))
    division.expanded(take(division, 2).id, heatmap_of(5, 10))
    for work in take_all(division, 2):
        division.searched(work.id, result(work.task.moves[0]))
    division.begin(task_of(QUIET, 1, excluded=(0,)))
    assert [work.task.moves for work in take_all(division, 2)] == [(1, 3), (2, 4)]


def test_late_results_of_another_depth_or_line_do_not_count() -> None:
    division = Shards(count(1))
    division.begin(task_of(QUIET, 1))
    division.expanded(take(division, 2).id, heatmap_of(4, 10))
    old = take_all(division, 2)
    division.begin(task_of(QUIET, 2))
    assert sorted(division.stops()) == [work.id for work in old]
    new = take_all(division, 2)
    for work in old:
        division.searched(work.id, result(3, 1000))
    assert not division.is_over
    for work in new:
        division.searched(work.id, result(work.task.moves[0], 5))
    found = division.outcome().result
    assert found is not None
    assert found.score == 5


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_a_limit_of_nodes_is_shared_and_ends_the_search_when_it_is_reached(n_workers: int) -> None:
    works = dealt(36, n_workers, task_of(GomokuPosition.start(), 2), budget=300)
    assert all(0 < work.task.node_limit <= 300 for work in works)
    division = Shards(count(1))
    division.begin(task_of(QUIET, 2))
    division.expanded(take(division, n_workers).id, heatmap_of(9, 10))
    works = take_all(division, n_workers, budget=30)
    division.searched(works[0].id, unfinished())
    assert division.is_over
    assert not division.outcome().settled
    assert sorted(division.stops()) == [work.id for work in works[1:]]
    assert division.take(0.0, 1, 1) is None


# -- shards: what they add up to ---------------------------------------------------------------------------------


def merged(*results: GomokuResult, depth: int = 2) -> GomokuResult:
    """What a search comes to when its shares come to this; moves of the same score in the order of the board."""
    division = Shards(count(1))
    division.begin(task_of(QUIET, depth))
    division.expanded(take(division, len(results)).id, heatmap_of(4, 10))
    works = take_all(division, len(results))
    assert len(works) == len(results)
    for work, each in zip(works, results, strict=True):
        division.searched(work.id, each)
    found = division.outcome().result
    assert found is not None
    scores = [each.score for each in found.moves]
    assert scores == sorted(scores, reverse=True)
    return replace(found, moves=tuple(sorted(found.moves, key=lambda each: (-each.score, each.move))))


def test_the_best_score_wins_and_nodes_add_up() -> None:
    low = result(0, 5, nodes=10, selective_depth=4, moves=(RootScore(0, 5), RootScore(2, 1)))
    high = result(1, 7, nodes=20, selective_depth=3, moves=(RootScore(1, 7), RootScore(3, 6)))
    best = replace(high, nodes=30, selective_depth=4, moves=tuple(map(RootScore, (1, 3, 0, 2), (7, 6, 5, 1))))
    assert merged(low, high) == best
    assert merged(high, low) == best


def test_of_equal_moves_the_one_dealt_out_first_is_taken_whoever_is_first() -> None:
    """As one worker would; otherwise the same search answers now this, now that."""
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        division = Shards(count(1))
        division.begin(task_of(QUIET, 2))
        division.expanded(take(division, 3).id, heatmap_of(6, 10))
        works = take_all(division, 3)
        for number in order:
            division.searched(works[number].id, result(works[number].task.moves[0], 5))
        found = division.outcome().result
        assert found is not None
        assert found.best_move == 0


def test_wins_come_before_all_scores_the_nearest_first_and_losses_after_them_the_farthest_first() -> None:
    ranked = [
        result(0, WIN - 3, mate=3),
        result(1, WIN - 5, mate=5),
        result(2, 900),
        result(3, -900),
        result(0, 6 - WIN, mate=-6),
        result(1, 2 - WIN, mate=-2),
    ]
    for better, worse in pairwise(ranked):
        for pair in ((better, worse), (worse, better)):
            found = merged(*pair)
            assert found == replace(better, nodes=20)


def test_a_share_without_a_move_says_nothing() -> None:
    assert merged(result(NO_CELL, 999), result(1, -5)) == replace(result(1, -5), nodes=20)


def losing(*cells: int) -> tuple[RootScore, ...]:
    return tuple(RootScore(cell, 2 - WIN, -2) for cell in cells)


def test_the_only_move_of_one_share_is_one_of_several() -> None:
    # four moves, the first share has 0 and 2, the second 1 and 3
    seen = merged(result(0, moves=losing(2)), result(1, moves=losing(3)), depth=0)
    assert seen == result(NO_CELL, nodes=20, moves=losing(2, 3))


def test_the_only_move_of_all_is_the_one_that_no_share_has_seen_losing() -> None:
    seen = merged(result(NO_CELL, moves=losing(0, 2)), result(1, moves=losing(3)), depth=0)
    assert seen == result(1, nodes=20, moves=losing(0, 2, 3))
    seen = merged(result(NO_CELL, moves=losing(0, 2)), result(NO_CELL, moves=losing(3)), depth=0)
    assert seen == result(1, nodes=20, moves=losing(0, 2, 3))


def test_a_win_seen_at_once_by_one_share_is_the_answer() -> None:
    won = result(1, WIN - 1, mate=1, moves=(RootScore(1, WIN - 1, 1),))
    assert merged(result(NO_CELL, moves=losing(0, 2)), won, depth=0) == replace(
        won, nodes=20, moves=(RootScore(1, WIN - 1, 1), *losing(0, 2))
    )


def test_when_all_moves_lose_there_is_no_only_one() -> None:
    seen = merged(result(NO_CELL, moves=losing(0, 2)), result(NO_CELL, moves=losing(1, 3)), depth=0)
    assert (seen.best_move, seen.pv) == (NO_CELL, ())


@pytest.mark.parametrize("position", [QUIET, WON, MUST_BLOCK, LOST, IN_THREE, random_position(6, 3)])
@pytest.mark.parametrize("n_workers", [2, 3])
def test_any_number_of_shares_comes_to_the_same(position: GomokuPosition, n_workers: int) -> None:
    alone, shared = Team(Shards(count(1)), 1), Team(Shards(count(1)), n_workers, seed=n_workers)
    for depth in range(3):
        outcomes = []
        for team in (alone, shared):
            team.division.begin(task_of(position, depth))
            outcomes.append(team.run())
        one, several = (outcome.result for outcome in outcomes)
        assert one is not None
        assert several is not None
        assert (several.score, several.mate, several.nodes) == (one.score, one.mate, one.nodes)
        assert {(each.move, each.score) for each in several.moves} == {(each.move, each.score) for each in one.moves}
        if depth:
            values = best_values(position, depth)
            assert values[several.best_move] == several.score == max(values.values())
            assert several.nodes == new_searcher().run(task_of(position, depth)).nodes
    assert shared.nodes == alone.nodes


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(0, 1 << 20), st.sampled_from([0, 30]), st.integers(1, 6))
def test_shards_find_what_minimax_finds_in_any_order_whoever_dies(
    n_workers: int, seed: int, deaths: int, multipv: int
) -> None:
    """Five candidates there are, so the sixth line is one of the other cells."""
    position = IN_THREE.with_side(1)
    team = Team(Shards(count(1)), n_workers, seed, deaths)
    deepening = answer(GomokuPlan(position, max_depth=2, multipv=multipv, is_dealt_out=True), team)
    values = best_values(position, 2)
    moves = [line.move for line in deepening.lines]
    assert len(set(moves)) == multipv
    known = [values[move] for move in moves if move in values]
    assert known == sorted(values.values(), reverse=True)[: len(known)]
    assert len(known) >= min(multipv, len(values))
    assert team.works == {}


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(0, 1 << 20), st.sampled_from([0, 30]), st.integers(0, 30))
def test_a_halt_at_any_moment_leaves_no_share_at_work(n_workers: int, seed: int, deaths: int, halt_after: int) -> None:
    team = Team(Shards(count(1)), n_workers, seed, deaths)
    for depth in range(4):
        team.division.begin(task_of(IN_THREE, depth))
        while not team.division.is_over:
            team.feed()
            if halt_after == 0:
                team.division.halt()
            halt_after -= 1
            if team.works:
                team.end_one()
        if halt_after < 0:
            break
    team.division.halt()
    team.run_out()
