"""Which searches answer a request in Gomoku, and what is answered: outcomes by hand, and a plain searcher's."""

from __future__ import annotations

from itertools import count

import pytest

from othello_engine.engine.deepening import Line, Step
from othello_engine.engine.gomoku.deepening import FORCED_DEPTH, GomokuDeepening, GomokuPlan
from othello_engine.engine.gomoku.division import GomokuOutcome, Shards, Together
from othello_engine.gomoku.plain import quick_move
from othello_engine.gomoku.position import NO_CELL, GomokuPosition
from othello_engine.gomoku.task import MAX_DEPTH, GomokuResult, GomokuTask, RootScore
from othello_engine.types import RootValue, Score, ScoreKind
from tests.engine.gomoku.plain_gomoku import WIN
from tests.engine.gomoku.support import (
    FINISHED,
    FULL,
    IN_THREE,
    LOST,
    MUST_BLOCK,
    QUIET,
    WON,
    Team,
    answer,
    best_values,
    named,
    random_position,
    result,
)

A, B, C, D = named("a1", "b2", "c3", "d4")
NOTHING = result(NO_CELL)


def settled(depth: int, found: GomokuResult, heatmap: tuple[RootValue, ...] = ()) -> GomokuOutcome:
    return GomokuOutcome(True, depth, found, heatmap)


def cut_short(depth: int, found: GomokuResult | None) -> GomokuOutcome:
    return GomokuOutcome(False, depth, found)


def task_in(step: Step[GomokuTask]) -> GomokuTask:
    assert (step.order, step.continues) == ((), False)
    return step.task


def past_the_glance(plan: GomokuPlan, facts: GomokuResult = NOTHING) -> GomokuDeepening:
    """With what is seen at once behind it."""
    deepening = GomokuDeepening(plan)
    assert task_in(deepening.next()).depth == 0
    assert deepening.report(settled(0, facts)) == ()
    return deepening


def losing(*cells: int) -> tuple[RootScore, ...]:
    return tuple(RootScore(cell, 2 - WIN, -2) for cell in cells)


# -- order of the tasks ------------------------------------------------------------------------------------------


def test_first_a_glance_then_one_ply_more_each_time() -> None:
    deepening = GomokuDeepening(GomokuPlan(QUIET, max_depth=4))
    depths = []
    while not deepening.is_finished:
        step = deepening.next()
        task = task_in(step)
        assert (task.size, task.cells, task.side) == (QUIET.size, QUIET.cells, QUIET.side)
        assert (task.moves, task.excluded, task.losing, task.is_companion) == ((), (), (), False)
        assert step.is_new
        assert deepening.iteration.depth == task.depth
        depths.append(task.depth)
        lines = deepening.report(settled(task.depth, result(A, 10 * task.depth) if task.depth else NOTHING))
        assert [line.depth for line in lines] == [task.depth][: task.depth]
    assert depths == [0, 1, 2, 3, 4]
    assert deepening.progress == (5, 0)


def test_the_former_best_move_and_score_go_along() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET))
    task = task_in(deepening.next())
    assert (task.former_move, task.former_score) == (NO_CELL, 0)
    deepening.report(settled(1, result(B, 77)))
    task = task_in(deepening.next())
    assert (task.former_move, task.former_score) == (B, 77)


def test_a_score_that_is_a_distance_is_no_score_to_expect() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET, multipv=2))
    deepening.report(settled(1, result(A, WIN - 3, mate=3)))
    deepening.report(settled(1, result(B, 40)))
    task = task_in(deepening.next())
    assert (task.former_move, task.former_score) == (A, 0)


def test_moves_that_lose_are_handed_on_to_every_search() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET, multipv=2), result(NO_CELL, moves=(*losing(C, D), RootScore(A, 9))))
    for depth in (1, 2):
        for found in (A, B):
            task = task_in(deepening.next())
            assert (task.depth, task.losing) == (depth, (C, D))
            deepening.report(settled(depth, result(found)))


def test_a_deeper_outcome_spares_the_depths_between() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET, max_depth=6))
    deepening.report(settled(1, result(A)))
    (line,) = deepening.report(settled(4, result(B, 5)))
    assert (line.depth, line.move) == (4, B)
    assert task_in(deepening.next()).depth == 5
    deepening.report(settled(6, result(B)))
    assert deepening.is_finished
    assert deepening.iteration.depth == 6


def test_a_glance_and_one_ply_wait_for_no_clock() -> None:
    deepening = GomokuDeepening(GomokuPlan(QUIET, multipv=2))
    assert not deepening.is_between_iterations
    deepening.report(settled(0, NOTHING))
    assert not deepening.is_between_iterations
    deepening.report(settled(1, result(A)))
    assert not deepening.is_between_iterations
    deepening.report(settled(1, result(B)))
    assert deepening.is_between_iterations
    deepening.report(settled(2, result(A)))
    assert not deepening.is_between_iterations  # the second line of a depth that has begun


# -- several lines -----------------------------------------------------------------------------------------------


def test_each_line_is_searched_without_those_found_before() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET, max_depth=2, multipv=3))
    for depth in (1, 2):
        found: list[int] = []
        for rank, move in enumerate((A, B, C)):
            step = deepening.next()
            task = task_in(step)
            assert (task.depth, task.excluded, step.is_new) == (depth, tuple(found), rank == 0)
            assert task.former_move == ((NO_CELL, NO_CELL, NO_CELL) if depth == 1 else (A, B, C))[rank]
            assert deepening.progress == (depth, rank)
            lines = deepening.report(settled(depth, result(move, 30 - rank)))
            assert [line.move for line in lines] == ([A, B, C] if rank == 2 else [])
            found.append(move)
    assert deepening.is_finished


def test_lines_are_sorted_wins_first_the_nearest_before_the_others_losses_last_the_farthest_before_the_others() -> None:
    found = [
        result(A, -50),
        result(B, 2 - WIN, mate=-2),
        result(C, WIN - 5, mate=5),
        result(D, 80),
        result(5, WIN - 3, mate=3),
        result(6, 4 - WIN, mate=-4),
    ]
    deepening = past_the_glance(GomokuPlan(QUIET, multipv=len(found)))
    lines: tuple[Line, ...] = ()
    for each in found:
        assert lines == ()
        lines = deepening.report(settled(1, each))
    assert [line.move for line in lines] == [5, C, D, A, 6, B]
    assert not deepening.is_finished


def test_there_are_no_more_lines_than_moves() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET, multipv=9, moves=(A, B), max_depth=1))
    assert deepening.report(settled(1, result(A))) == ()
    assert len(deepening.report(settled(1, result(B)))) == 2


def test_a_move_that_comes_twice_is_the_end_of_the_lines() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET, multipv=5, max_depth=2))
    assert deepening.report(settled(1, result(A, 5))) == ()
    assert deepening.report(settled(1, result(B, 6))) == ()
    assert [line.move for line in deepening.report(settled(1, result(A, 5)))] == [B, A]
    assert deepening.report(settled(2, result(A, 5))) == ()
    assert len(deepening.report(settled(2, result(B, 6)))) == 2


# -- what is seen at once ----------------------------------------------------------------------------------------


def test_a_win_seen_at_once_ends_it() -> None:
    deepening = GomokuDeepening(GomokuPlan(QUIET))
    won = result(B, WIN - 3, mate=3, pv=(B, A, C), selective_depth=3)
    (line,) = deepening.report(settled(0, won))
    assert (line.move, line.score, line.pv) == (B, Score(ScoreKind.MATE, 3), (B, A, C))
    assert line.documented == WIN - 3
    assert line.depth >= 1
    assert deepening.is_finished
    assert deepening.conclusion() == ((line,), B)


def test_whoever_wants_more_lines_gets_them_in_spite_of_a_win() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET, multipv=2), result(B, WIN - 1, mate=1))
    assert task_in(deepening.next()).moves == ()


def test_a_loss_seen_at_once_is_searched_all_the_same() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET), result(NO_CELL, 2 - WIN, mate=-2, moves=losing(A, B)))
    assert task_in(deepening.next()).depth == 1
    assert not deepening.is_finished


def test_an_only_reply_is_answered_after_a_few_plies() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET), result(C, moves=losing(A, B)))
    depths = []
    while not deepening.is_finished:
        task = task_in(deepening.next())
        assert task.moves == (C,)
        depths.append(task.depth)
        deepening.report(settled(task.depth, result(C)))
    assert depths == list(range(1, FORCED_DEPTH + 1))
    assert deepening.conclusion()[1] == C


def test_an_only_reply_is_searched_no_deeper_than_asked() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET, max_depth=2), result(C, moves=losing(A, B)))
    deepening.report(settled(1, result(C)))
    deepening.report(settled(2, result(C)))
    assert deepening.is_finished


@pytest.mark.parametrize("plan", [GomokuPlan(QUIET, must_hurry=False), GomokuPlan(QUIET, multipv=2)])
def test_whoever_wants_to_know_more_gets_more_than_the_only_reply(plan: GomokuPlan) -> None:
    deepening = past_the_glance(plan, result(C, moves=losing(A, B)))
    task = task_in(deepening.next())
    assert (task.moves, task.losing) == ((), (A, B))
    deepening.report(settled(FORCED_DEPTH, result(C)))
    if plan.multipv > 1:
        deepening.report(settled(FORCED_DEPTH, result(D)))
    assert task_in(deepening.next()).depth == FORCED_DEPTH + 1


# -- proofs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mate", [3, 9, -2, -14])
def test_a_proof_ends_the_search(mate: int) -> None:
    deepening = past_the_glance(GomokuPlan(QUIET))
    deepening.report(settled(1, result(A, 3)))
    (line,) = deepening.report(settled(2, result(B, WIN - mate if mate > 0 else -WIN - mate, mate=mate)))
    assert line.score == Score(ScoreKind.MATE, mate)
    assert deepening.is_finished
    assert deepening.conclusion() == ((line,), B)


def test_of_several_lines_all_have_to_be_proved() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET, multipv=2))
    deepening.report(settled(1, result(A, WIN - 3, mate=3)))
    deepening.report(settled(1, result(B, 4)))
    assert not deepening.is_finished
    deepening.report(settled(2, result(A, WIN - 3, mate=3)))
    deepening.report(settled(2, result(B, 4 - WIN, mate=-4)))
    assert deepening.is_finished


def test_what_a_line_says() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET, unit=40))
    (line,) = deepening.report(settled(3, result(A, 120, pv=(A, B, C), selective_depth=9)))
    assert (line.depth, line.selective_depth, line.selectivity, line.complete) == (3, 9, 100, True)
    assert (line.score, line.documented) == (Score(ScoreKind.RAW, 120), 120)
    assert deepening.worth(line) == 3.0
    assert not deepening.is_silent
    (line,) = deepening.report(settled(4, result(A, 5 - WIN, mate=-5)))
    assert deepening.worth(line) == -64.0


# -- interrupted -------------------------------------------------------------------------------------------------


def two_iterations(multipv: int = 1) -> GomokuDeepening:
    """A and then, of two lines, B have been found to two plies."""
    deepening = past_the_glance(GomokuPlan(QUIET, multipv=multipv))
    for depth in (1, 2):
        for move in (A, B)[:multipv]:
            deepening.report(settled(depth, result(move, 20 - move)))
    return deepening


@pytest.mark.parametrize("outcome", [None, cut_short(3, None), cut_short(3, NOTHING), cut_short(3, result(A, 99))])
def test_without_news_the_last_iteration_stands(outcome: GomokuOutcome | None) -> None:
    deepening = two_iterations()
    before = deepening.lines
    deepening.next()
    deepening.interrupt(outcome)
    assert deepening.is_finished
    assert deepening.conclusion() == (before, A)


def test_a_better_move_of_the_unfinished_iteration_comes_first() -> None:
    deepening = two_iterations()
    deepening.next()
    deepening.interrupt(cut_short(3, result(C, 50, complete=False)))
    (line,), move = deepening.conclusion()
    assert (move, line.move, line.depth, line.complete) == (C, C, 3, False)


def test_of_several_lines_the_former_ones_fill_up() -> None:
    deepening = two_iterations(multipv=2)
    deepening.next()
    deepening.interrupt(cut_short(3, result(C, 50, complete=False)))
    lines, move = deepening.conclusion()
    assert ([line.move for line in lines], move) == ([C, A], C)


def test_lines_that_were_found_before_the_interruption_stand() -> None:
    deepening = two_iterations(multipv=2)
    deepening.next()
    deepening.report(settled(3, result(B, 9)))
    deepening.next()
    deepening.interrupt(cut_short(3, result(C, 50, complete=False)))
    lines, move = deepening.conclusion()
    assert ([(line.move, line.depth) for line in lines], move) == ([(B, 3), (A, 2)], B)


def test_an_interrupted_glance_says_nothing() -> None:
    deepening = GomokuDeepening(GomokuPlan(QUIET))
    deepening.next()
    deepening.interrupt(cut_short(0, result(C, complete=False)))
    assert deepening.is_finished
    assert deepening.conclusion() == ((), quick_move(QUIET))


@pytest.mark.parametrize("position", [QUIET, WON, MUST_BLOCK, LOST, GomokuPosition.start(10), random_position(9, 1)])
@pytest.mark.parametrize("moves", [(), named("a5", "j5")])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_the_answer_is_legal_whenever_it_is_asked_for(
    position: GomokuPosition, moves: tuple[int, ...], depth: int
) -> None:
    deepening = GomokuDeepening(GomokuPlan(position, moves=moves))
    team = Team(Together(count(1)), 1)
    for _ in range(depth):
        if not deepening.is_finished:
            team.division.begin(deepening.next().task)
            deepening.report(team.run())
    deepening.interrupt(None)
    lines, move = deepening.conclusion()
    assert move in (moves or position.legal_moves)
    assert all(line.move in position.legal_moves for line in lines)


def test_without_any_search_moves_that_lose_at_once_are_not_played() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET), result(NO_CELL, moves=losing(*set(QUIET.legal_moves) - {C, D})))
    deepening.interrupt(None)
    assert deepening.conclusion()[1] in (C, D)
    deepening = past_the_glance(GomokuPlan(QUIET, moves=(A, B)), result(NO_CELL, moves=losing(A, B)))
    deepening.interrupt(None)
    assert deepening.conclusion()[1] in (A, B)


def test_a_search_that_is_interrupted_at_once_plays_the_only_reply() -> None:
    deepening = past_the_glance(GomokuPlan(QUIET), result(C, moves=losing(A, B)))
    deepening.interrupt(None)
    assert deepening.conclusion() == ((), C)


# -- ends of games, heatmaps -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("position", "value"), [(FINISHED, -1), (FINISHED.with_side(0), 1), (FULL, 0)])
def test_a_finished_game_is_answered_without_a_search(position: GomokuPosition, value: int) -> None:
    deepening = GomokuDeepening(GomokuPlan(position, multipv=3))
    assert deepening.is_finished
    (line,), move = deepening.conclusion()
    assert (line.score, line.pv, line.depth, move) == (Score(ScoreKind.WLD, value), (), 0, NO_CELL)


def test_whoever_wants_only_a_heatmap_gets_it_after_the_glance() -> None:
    deepening = GomokuDeepening(GomokuPlan(QUIET, wants_heatmap=True, only_heatmap=True))
    heatmap = (RootValue(B, 90), RootValue(A, 7))
    assert task_in(deepening.next()).depth == 0
    assert deepening.report(settled(0, NOTHING, heatmap)) == ()
    assert deepening.is_finished
    assert deepening.root_values() == heatmap
    assert deepening.conclusion() == ((), B)


def test_the_heatmap_is_that_of_the_outcomes() -> None:
    deepening = GomokuDeepening(GomokuPlan(QUIET, wants_heatmap=True))
    assert deepening.root_values() == ()
    deepening.report(settled(0, NOTHING, (RootValue(B, 90),)))
    deepening.report(settled(1, result(A), (RootValue(B, 90),)))
    deepening.interrupt(None)
    assert deepening.root_values() == (RootValue(B, 90),)
    at_once = GomokuDeepening(GomokuPlan(QUIET, wants_heatmap=True))
    at_once.next()
    at_once.interrupt(GomokuOutcome(False, 0, None, (RootValue(B, 90),)))
    assert at_once.root_values() == (RootValue(B, 90),)
    assert at_once.conclusion() == ((), B)


def test_without_any_search_the_best_of_the_heatmap_is_played_if_it_may_be() -> None:
    heatmap = tuple(RootValue(move, 90 - move) for move in (A, B, C, D))
    for facts, moves, best in (
        (NOTHING, (), A),
        (NOTHING, (D, C), C),
        (result(NO_CELL, moves=losing(A)), (), B),
        (result(NO_CELL, moves=losing(A, B, C, D)), (A, D), A),
        (NOTHING, named("j10"), named("j10")[0]),
    ):
        deepening = GomokuDeepening(GomokuPlan(QUIET, moves=moves, wants_heatmap=True))
        deepening.report(settled(0, facts, heatmap))
        deepening.interrupt(None)
        assert deepening.conclusion() == ((), best)


def test_a_plan_is_for_as_many_plies_as_can_be_asked_for() -> None:
    assert GomokuPlan(QUIET).max_depth == MAX_DEPTH
    assert GomokuPlan(QUIET).allowed == QUIET.legal_moves
    assert GomokuPlan(QUIET, moves=(A,)).allowed == (A,)
    assert GomokuPlan(QUIET).draw_value == 0


# -- with a searcher ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_dealt_out", [False, True])
@pytest.mark.parametrize("n_workers", [1, 3])
def test_whole_requests_find_what_there_is(is_dealt_out: bool, n_workers: int) -> None:
    def conclude(position: GomokuPosition, depth: int = 3, **changes: int) -> tuple[str, Score, int]:
        division = Shards(count(1)) if is_dealt_out else Together(count(1))
        plan = GomokuPlan(position, max_depth=depth, is_dealt_out=is_dealt_out, **changes)  # type: ignore[arg-type]
        lines, move = answer(plan, Team(division, n_workers, seed=n_workers)).conclusion()
        assert lines[0].move == move
        return position.move_name(move), lines[0].score, lines[0].depth

    name, score, _ = conclude(WON)
    assert (name, score) in [(name, Score(ScoreKind.MATE, 1)) for name in ("b5", "g5")]
    name, score, depth = conclude(IN_THREE)
    assert (name in ("c5", "g5"), score) == (True, Score(ScoreKind.MATE, 3))
    assert depth == 3 or not is_dealt_out  # a companion may have been faster
    name, score, depth = conclude(MUST_BLOCK, 2)
    assert (name, depth, score.kind) == ("g5", 2, ScoreKind.RAW)
    _, score, depth = conclude(LOST, 2)
    assert (score, depth) == (Score(ScoreKind.MATE, -2), 2)
    _, score, _ = conclude(QUIET, 2)
    assert score.value == max(best_values(QUIET, 2).values())
