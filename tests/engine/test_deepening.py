"""The plan of a request, driven by a searcher in plain Python and the real scheduler, without processes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_engine.config import Style
from othello_engine.core import plain
from othello_engine.core.layout import STATE_BYTES
from othello_engine.engine import deepening as deepening_module
from othello_engine.engine.deepening import (
    DECIDED_DISCS,
    DIRECT_MARGIN,
    EXACT_WIDTH,
    FIRST_SOLVE_PART,
    FIRST_SOLVE_SELECTIVITY,
    LATER_MARGIN,
    ORDERING_DEPTH,
    OUTCOME_FALLBACK_DEPTH,
    PREPARING_EMPTIES,
    PREPARING_SELECTIVITY,
    SECOND_PREPARING_EMPTIES,
    SECOND_PREPARING_SELECTIVITY,
    Deepening,
    Iteration,
    Line,
    Phase,
    Plan,
    document_score,
    fallback_move,
    finished_game,
    last_midgame_depth,
    last_timed_depth,
)
from othello_engine.engine.scheduler import Outcome, Scheduler, Tuning
from othello_engine.engine.simulation import Simulation, simulate
from othello_engine.position import Position
from othello_engine.types import NO_MOVE, PASS, Bound, Goal, Score, ScoreKind
from tests.engine.plain_searcher import PlainSearcher, after
from tests.positions import EARLIEST_PASS, WIPE_OUT

EAGER = Tuning(least_run=200, split_depth=2, split_empties=3, open_depth=3, open_empties=4)


def random_position(n_empties: int, seed: int) -> Position:
    """A position out of a random game, with a move for somebody."""
    dice = random.Random(seed)
    while True:
        position = Position.start()
        while not position.is_over and position.n_empties > n_empties:
            position = position.play(dice.choice(position.legal_moves))
        if not position.is_over:
            return position


def plan_for(position: Position, **changes: object) -> Plan:
    return Plan(position.player, position.opponent, **changes)  # type: ignore[arg-type]


def answer(plan: Plan, n_workers: int = 1, lines: list[tuple[Line, ...]] | None = None) -> Deepening:
    """Run a request to its end; `lines` collects what would be reported."""
    searchers = [PlainSearcher(bytearray(STATE_BYTES)) for _ in range(n_workers)]
    simulation = Simulation(searchers, Scheduler(EAGER), slice_nodes=2000, latency=10)
    deepening = Deepening(plan)
    while not deepening.is_finished:
        step = deepening.next()
        if step.continues:
            result = simulation.widen(step.task.alpha, step.task.beta)
        else:
            result = simulation.run(step.task, step.order)
        group = deepening.report(result.outcome)
        if group and lines is not None:
            lines.append(group)
    return deepening


def perfect(player: int, opponent: int, passed: bool = False) -> int:
    """Score of perfect play, by looking at everything."""
    moves = plain.legal_moves(player, opponent)
    if not moves:
        return plain.final_score(player, opponent) if passed else -perfect(opponent, player, True)
    return max(-perfect(*after(move, player, opponent)) for move in range(64) if moves >> move & 1)


def move_scores(position: Position) -> dict[int, int]:
    return {move: -perfect(*after(move, position.player, position.opponent)) for move in position.legal_moves}


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(0, 1 << 20), st.sampled_from([1, 3]))
def test_a_solve_finds_the_perfect_score_and_a_line_that_reaches_it(n_empties: int, seed: int, n_workers: int) -> None:
    position = random_position(n_empties, seed)
    deepening = answer(plan_for(position, goal=Goal.EXACT), n_workers)
    line = deepening.lines[0]
    assert line.score == Score(ScoreKind.DISCS, perfect(position.player, position.opponent))
    assert line.depth == position.n_empties
    assert line.move in position.legal_moves
    assert move_scores(position)[line.move] == line.score.value


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(0, 1 << 20))
def test_who_wins_is_found_without_the_score(n_empties: int, seed: int) -> None:
    position = random_position(n_empties, seed)
    line = answer(plan_for(position, goal=Goal.WLD)).lines[0]
    value = perfect(position.player, position.opponent)
    assert line.score == Score(ScoreKind.WLD, (value > 0) - (value < 0))
    if value >= 0:
        assert (move_scores(position)[line.move] > 0) == (value > 0)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 6), st.integers(0, 1 << 20), st.integers(1, 5), st.sampled_from([1, 3]))
def test_several_lines_are_distinct_sorted_and_each_has_its_own_score(
    n_empties: int, seed: int, multipv: int, n_workers: int
) -> None:
    position = random_position(n_empties, seed)
    lines = answer(plan_for(position, goal=Goal.EXACT, multipv=multipv), n_workers).lines
    scores = move_scores(position)
    assert len(lines) == min(multipv, len(scores))
    assert len({line.move for line in lines}) == len(lines)
    assert [line.score.value for line in lines] == sorted(scores.values(), reverse=True)[: len(lines)]
    assert all(scores[line.move] == line.score.value for line in lines)


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 6), st.integers(0, 1 << 20), st.data())
def test_only_the_moves_asked_for_are_considered(n_empties: int, seed: int, data: st.DataObject) -> None:
    position = random_position(n_empties, seed)
    scores = move_scores(position)
    if PASS in scores:
        return
    allowed = data.draw(st.sets(st.sampled_from(sorted(scores)), min_size=1))
    line = answer(plan_for(position, goal=Goal.EXACT, moves=sum(1 << move for move in allowed))).lines[0]
    assert line.score.value == max(scores[move] for move in allowed)
    assert line.move in allowed


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(0, 1 << 20), st.integers(-66, 66), st.integers(1, 20))
def test_a_window_gives_a_true_and_honest_bound(n_empties: int, seed: int, alpha: int, width: int) -> None:
    position = random_position(n_empties, seed)
    value = perfect(position.player, position.opponent)
    score = answer(plan_for(position, goal=Goal.EXACT, window=(alpha, alpha + width))).lines[0].score
    match score.bound:
        case Bound.EXACT:
            assert score.value == value
        case Bound.LOWER:
            assert alpha + width <= score.value <= value
        case Bound.UPPER:
            assert value <= score.value <= alpha


@settings(max_examples=20, deadline=None)
@given(st.integers(8, 40), st.integers(0, 1 << 20), st.integers(1, 5))
def test_iterations_go_one_ply_deeper_each_and_end_at_the_limit(n_empties: int, seed: int, depth: int) -> None:
    position = random_position(n_empties, seed)
    groups: list[tuple[Line, ...]] = []
    answer(plan_for(position, max_depth=depth, may_solve=False, must_hurry=False), lines=groups)
    assert [group[0].depth for group in groups] == list(range(1, depth + 1))
    assert all(group[0].score.kind is ScoreKind.CENTIDISCS for group in groups)
    assert all(group[0].score.bound is Bound.EXACT for group in groups)


@pytest.mark.parametrize("n_workers", [1, 2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_windows_do_not_change_the_score(n_workers: int, seed: int) -> None:
    position = random_position(30, seed)
    narrow = answer(plan_for(position, max_depth=5, may_solve=False, width=1), n_workers)
    wide = answer(plan_for(position, max_depth=5, may_solve=False, width=1 << 28))
    assert narrow.lines[0].score == wide.lines[0].score


@pytest.mark.parametrize("goal", [Goal.EXACT, Goal.WLD, Goal.AUTO])
def test_a_solve_is_prepared_by_pruning_searches_where_they_prune(goal: Goal) -> None:
    plan = plan_for(random_position(20, 3), goal=goal, selectivity=73)
    plan = replace(plan, must_hurry=False)
    found = [(each.phase, each.depth, each.selectivity) for each in Deepening(plan)._iterations]
    last = Phase.WLD if goal is Goal.WLD else Phase.EXACT
    assert found == [
        *((Phase.MIDGAME, depth, 73) for depth in range(1, 11)),
        (Phase.EXACT, 20, PREPARING_SELECTIVITY),
        (last, 20, 100),
    ]


@pytest.mark.parametrize("solve_selectivity", [87, 95, 99, 100])
def test_a_long_proof_is_prepared_twice(solve_selectivity: int) -> None:
    plan = plan_for(random_position(SECOND_PREPARING_EMPTIES, 3), goal=Goal.EXACT, selectivity=73)
    plan = replace(plan, solve_selectivity=solve_selectivity)
    levels = [each.selectivity for each in Deepening(plan)._iterations if each.phase is Phase.EXACT]
    second = [SECOND_PREPARING_SELECTIVITY] if solve_selectivity == 100 else []
    assert levels == [PREPARING_SELECTIVITY, *second, solve_selectivity]
    plan = replace(plan, goal=Goal.WLD)
    levels = [each.selectivity for each in Deepening(plan)._iterations if each.phase is Phase.EXACT]
    assert levels == [PREPARING_SELECTIVITY]


@pytest.mark.parametrize("discs", [0, DECIDED_DISCS - 1, DECIDED_DISCS, -DECIDED_DISCS, 64])
def test_a_decided_game_is_prepared_once(discs: int) -> None:
    plan = plan_for(random_position(SECOND_PREPARING_EMPTIES, 3), goal=Goal.EXACT, selectivity=73)
    deepening = Deepening(plan)
    levels = []
    while not deepening.is_finished:
        iteration = deepening.iteration
        levels.append(iteration.selectivity)
        score = Score(ScoreKind.DISCS if iteration.is_solve else ScoreKind.CENTIDISCS, discs)
        deepening._accept(Line(iteration.depth, iteration.depth, iteration.selectivity, score, (0,)))
    second = [SECOND_PREPARING_SELECTIVITY] if abs(discs) < DECIDED_DISCS else []
    assert [level for level in levels[levels.index(PREPARING_SELECTIVITY) :] if level > PREPARING_SELECTIVITY] == [
        *second,
        100,
    ]


@pytest.mark.parametrize(("n_empties", "selectivity"), [(PREPARING_EMPTIES - 1, 73), (20, 100)])
def test_a_short_solve_and_one_without_pruning_are_not_prepared(n_empties: int, selectivity: int) -> None:
    plan = plan_for(random_position(n_empties, 3), goal=Goal.EXACT, selectivity=selectivity)
    phases = [each.phase for each in Deepening(plan)._iterations]
    assert phases == [Phase.MIDGAME] * ORDERING_DEPTH + [Phase.EXACT]


def test_a_solve_comes_after_a_few_iterations_that_order_the_moves() -> None:
    position = random_position(12, 1)
    phases = []
    deepening = Deepening(plan_for(position, solve_empties=12, wld_empties=12))
    while not deepening.is_finished:
        if not deepening.next().task.undivided:  # the end of a line is no iteration
            phases.append(deepening.iteration.phase)
        deepening.report(settled(0, 0, position.legal_moves[0]))
    assert phases == [Phase.MIDGAME] * ORDERING_DEPTH + [Phase.EXACT]


def test_between_the_two_limits_the_winner_is_sought_first() -> None:
    position = random_position(12, 1)
    deepening = Deepening(plan_for(position, solve_empties=10, wld_empties=12))
    phases = [iteration.phase for iteration in deepening._iterations]
    assert phases[-2:] == [Phase.WLD, Phase.EXACT]


def test_a_depth_limit_short_of_the_end_forbids_a_solve() -> None:
    position = random_position(10, 1)
    deepening = Deepening(plan_for(position, max_depth=6, may_solve=False, solve_empties=20))
    assert [iteration.phase for iteration in deepening._iterations] == [Phase.MIDGAME] * 6


def test_an_open_end_leads_to_a_solve() -> None:
    deepening = Deepening(plan_for(random_position(30, 1), solve_empties=14, wld_empties=14))
    assert deepening._iterations[-1].phase is Phase.EXACT
    assert deepening._iterations[-1].depth == 30


def test_the_outcome_first_means_every_solve() -> None:
    position = random_position(12, 1)
    for goal, solves in (
        (Goal.AUTO, [Phase.WLD, Phase.EXACT]),
        (Goal.EXACT, [Phase.WLD, Phase.EXACT]),
        (Goal.WLD, [Phase.WLD]),
    ):
        plan = plan_for(position, goal=goal, outcome_first=True, solve_empties=14, wld_empties=14)
        phases = [iteration.phase for iteration in Deepening(plan)._iterations]
        assert [phase for phase in phases if phase is not Phase.MIDGAME] == solves
    for goal in (Goal.AUTO, Goal.EXACT):  # of several lines, some would have an outcome and some a score
        several = plan_for(position, goal=goal, outcome_first=True, multipv=3, solve_empties=14, wld_empties=14)
        assert [each.phase for each in Deepening(several)._iterations if each.is_solve] == [Phase.EXACT]
    asked = plan_for(position, goal=Goal.EXACT, outcome_first=True, window=(-3, 3))
    assert [each.phase for each in Deepening(asked)._iterations if each.is_solve] == [Phase.EXACT]


def test_a_limited_solve_of_the_outcome_has_some_plies_before_it() -> None:
    for max_depth in (4, 60):
        plan = plan_for(
            random_position(16, 1), outcome_first=True, is_limited=True, solve_empties=16, max_depth=max_depth
        )
        phases = [iteration.phase for iteration in Deepening(plan)._iterations]
        before = min(OUTCOME_FALLBACK_DEPTH, max_depth)
        assert phases == [Phase.MIDGAME] * before + [Phase.WLD, Phase.EXACT]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 7), st.integers(0, 1 << 20))
def test_the_outcome_and_then_the_score_are_those_of_perfect_play(n_empties: int, seed: int) -> None:
    position = random_position(n_empties, seed)
    told: list[tuple[Line, ...]] = []
    line = answer(plan_for(position, outcome_first=True, must_hurry=False), lines=told).lines[0]
    value = perfect(position.player, position.opponent)
    assert line.score == Score(ScoreKind.DISCS, value)
    outcomes = [lines[0].score for lines in told if lines[0].score.kind is ScoreKind.WLD]
    assert outcomes == [Score(ScoreKind.WLD, (value > 0) - (value < 0))]


# -- several lines to choose from --------------------------------------------------------------------------------


def test_lines_to_choose_from_are_searched_by_one_worker_each() -> None:
    position = random_position(30, 1)
    plan = plan_for(position, style=Style(noise=1.0), multipv=3, max_depth=3, may_solve=False)
    assert Deepening(plan).next().task.undivided
    lines = answer(plan, 3).lines
    assert lines == answer(plan, 1).lines
    assert [line.depth for line in lines] == [3] * 3


def test_an_interruption_leaves_lines_of_one_depth_to_choose_from() -> None:
    position = random_position(30, 1)
    first, second, *_ = position.legal_moves
    plan = plan_for(position, style=Style(noise=1.0), multipv=2, max_depth=5, may_solve=False)
    deepening = Deepening(plan)
    for score, move in ((50, first), (40, second), (70, second)):
        deepening.next()
        deepening.report(settled(score, score, move))
    deepening.interrupt(None)
    assert [(line.move, line.depth) for line in deepening.lines] == [(first, 1), (second, 1)]
    assert deepening.is_finished


def test_an_interruption_of_the_first_depth_leaves_what_there_is() -> None:
    position = random_position(30, 1)
    deepening = Deepening(plan_for(position, style=Style(noise=1.0), multipv=2, max_depth=5, may_solve=False))
    deepening.next()
    deepening.report(settled(50, 50, position.legal_moves[1]))
    deepening.interrupt(None)
    assert [line.move for line in deepening.lines] == [position.legal_moves[1]]


# -- anti-Othello ------------------------------------------------------------------------------------------------


def test_a_finished_game_of_anti_othello_has_the_other_sign() -> None:
    position = Position.from_moves(WIPE_OUT)
    usual = finished_game(plan_for(position))
    assert finished_game(plan_for(position, is_anti=True)).score.value == -usual.score.value == 64
    assert finished_game(plan_for(position, is_anti=True, goal=Goal.WLD)).score == Score(ScoreKind.WLD, 1)


def test_the_line_of_a_score_in_anti_othello_must_lead_to_it() -> None:
    position = random_position(1, 3)
    (move,) = position.legal_moves
    end = position.play(move)
    assert end.is_over
    value = -plain.final_score(end.player, end.opponent)
    assert value != 0
    for is_anti, score in ((False, value), (True, -value)):
        deepening = Deepening(plan_for(position, goal=Goal.EXACT, is_anti=is_anti))
        line = Line(1, 1, 100, Score(ScoreKind.DISCS, score), (move,))
        assert deepening._ends_as_claimed(line)
        assert not deepening._ends_as_claimed(replace(line, score=Score(ScoreKind.DISCS, -score)))


def test_the_fallback_of_anti_othello_shuns_corners() -> None:
    n_corners = 0
    for seed in range(100):
        position = random_position(20, seed)
        corners = [move for move in position.legal_moves if move in (0, 7, 56, 63)]
        if corners and len(corners) < len(position.legal_moves):
            n_corners += 1
            assert fallback_move(plan_for(position)) in corners
            assert fallback_move(plan_for(position, is_anti=True)) not in corners
    assert n_corners > 10


# -- the hand-over to the solve ----------------------------------------------------------------------------------


def taken(plan: Plan, fits: Callable[[Iteration, float], bool]) -> list[tuple[Phase, int, int]]:
    """The iterations that are run if time is as `fits` says."""
    deepening = Deepening(plan)
    found = []
    while not deepening.is_finished:
        deepening.hand_over(fits)
        iteration = deepening.iteration
        if not deepening.next().task.undivided:  # the end of a line is no iteration
            found.append((iteration.phase, iteration.depth, iteration.selectivity))
        deepening.report(settled(0, 0, plan.legal.bit_length() - 1))
    return found


def depths(iterations: list[tuple[Phase, int, int]]) -> list[int]:
    return [depth for phase, depth, _ in iterations if phase is Phase.MIDGAME]


def timed(n_empties: int, **changes: object) -> Plan:
    values: dict[str, object] = {"is_timed": True, "selectivity": 73, "solve_empties": 20, "wld_empties": 22, **changes}
    return plan_for(random_position(n_empties, 1), **values)


def test_a_solve_that_fits_many_times_over_begins_at_once() -> None:
    with_first = DIRECT_MARGIN + FIRST_SOLVE_PART
    run = taken(timed(18), lambda iteration, margin: margin <= DIRECT_MARGIN)
    assert run[ORDERING_DEPTH:] == [(Phase.EXACT, 18, 100)]
    run = taken(timed(18), lambda iteration, margin: margin <= with_first)
    assert depths(run) == list(range(1, ORDERING_DEPTH + 1))
    assert run[ORDERING_DEPTH:] == [(Phase.EXACT, 18, FIRST_SOLVE_SELECTIVITY), (Phase.EXACT, 18, 100)]
    run = taken(timed(PREPARING_EMPTIES - 1), lambda iteration, margin: margin <= with_first)
    assert run[ORDERING_DEPTH:] == [(Phase.EXACT, PREPARING_EMPTIES - 1, 100)]
    run = taken(timed(18, selectivity=100), lambda iteration, margin: margin <= with_first)
    assert run[ORDERING_DEPTH:] == [(Phase.EXACT, 18, 100)]


def test_a_solve_that_just_fits_has_something_to_fall_back_on() -> None:
    run = taken(timed(18), lambda iteration, margin: margin <= LATER_MARGIN)
    assert depths(run) == list(range(1, last_midgame_depth(18) + 1))
    assert run[-1] == (Phase.EXACT, 18, 100)


def test_a_solve_that_does_not_fit_leaves_its_time_to_deeper_plies() -> None:
    run = taken(timed(18), lambda iteration, margin: False)
    assert depths(run) == list(range(1, last_timed_depth(18) + 1))
    assert last_timed_depth(18) > last_midgame_depth(18)


def test_far_from_the_end_some_plies_come_first_however_much_time_there_is() -> None:
    run = taken(timed(26), lambda iteration, margin: True)
    assert depths(run) == list(range(1, last_midgame_depth(26) + 1))
    assert [each for each in run if each[0] is Phase.EXACT] == [
        (Phase.EXACT, 26, FIRST_SOLVE_SELECTIVITY),
        (Phase.EXACT, 26, 100),
    ]


def test_if_only_the_winner_can_be_found_that_is_done() -> None:
    run = taken(timed(22), lambda iteration, margin: iteration.phase is Phase.WLD)
    assert [phase for phase, _, _ in run[-2:]] == [Phase.WLD, Phase.EXACT]
    assert depths(run) == list(range(1, last_midgame_depth(22) + 1))
    for selectivity, proof in ((73, 100), (100, 100), (95, 95)):
        plan = timed(22, selectivity=selectivity, solve_selectivity=proof)
        run = taken(plan, lambda iteration, margin: True)
        assert Phase.WLD not in [phase for phase, _, _ in run]
        assert run[-1] == (Phase.EXACT, 22, proof)


def test_the_outcome_comes_first_also_when_both_fit() -> None:
    plan = timed(18, selectivity=100, outcome_first=True)
    run = taken(plan, lambda iteration, margin: True)
    assert [phase for phase, _, _ in run if phase is not Phase.MIDGAME] == [Phase.WLD, Phase.EXACT]
    assert depths(run) == list(range(1, ORDERING_DEPTH + 1))


def test_the_quick_solve_is_only_for_a_long_one_and_only_the_first() -> None:
    for longest, solves in ((95, [95, 98, 99, 100]), (99, [87, 99, 100]), (100, [87, 100])):
        run = taken(timed(22), lambda iteration, margin, longest=longest: iteration.selectivity <= longest)
        assert [selectivity for phase, _, selectivity in run if phase is Phase.EXACT] == solves


def test_without_a_limit_of_time_the_options_alone_decide() -> None:
    run = taken(timed(18, is_timed=False, selectivity=100), lambda iteration, margin: False)
    assert (depths(run), run[-1][0]) == ([1, 2], Phase.EXACT)


def test_a_level_with_a_time_keeps_to_the_depth_of_the_level() -> None:
    run = taken(timed(24, max_depth=6), lambda iteration, margin: True)
    assert [phase for phase, _, _ in run] == [Phase.MIDGAME] * 6


def test_selective_solves_come_before_the_exact_one_as_far_as_they_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deepening_module, "SOLVE_SELECTIVITIES", (73, 87, 95, 98, 99))
    run = taken(timed(26), lambda iteration, margin: iteration.selectivity <= 87)
    assert depths(run)[-1] == last_midgame_depth(26)
    assert [selectivity for phase, _, selectivity in run if phase is Phase.EXACT] == [87, 95, 98, 99, 100]
    run = taken(timed(26, selectivity=95), lambda iteration, margin: False)
    assert [selectivity for phase, _, selectivity in run if phase is Phase.EXACT] == [95, 98, 99, 100]
    run = taken(timed(26, selectivity=100), lambda iteration, margin: False)
    assert [selectivity for phase, _, selectivity in run if phase is Phase.EXACT] == [100]


def test_a_selective_solve_is_no_proof_and_guides_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deepening_module, "SOLVE_SELECTIVITIES", (73,))
    plan = timed(12, unit=100)
    deepening = Deepening(plan)
    deepening.hand_over(lambda *_: False)
    move = plan.legal.bit_length() - 1
    while not deepening.iteration.is_solve:
        deepening.next()
        deepening.report(settled(400, 400, move))
    assert deepening.next().task.selectivity == 73
    (line,) = deepening.report(settled(10, 10, move))
    assert (line.score.kind, line.score.value, line.selectivity, line.depth) == (ScoreKind.DISCS, 10, 73, 12)
    step = deepening.next()
    assert (step.task.alpha, step.task.beta) == (10 - EXACT_WIDTH, 10 + EXACT_WIDTH)
    assert step.task.selectivity == 100


# -- special positions ------------------------------------------------------------------------------------------


def test_a_finished_game_needs_no_search_and_has_its_score() -> None:
    position = Position.from_moves(WIPE_OUT)
    plan = plan_for(position)
    assert Deepening(plan).is_finished
    assert fallback_move(plan) == NO_MOVE
    assert finished_game(plan).score == Score(ScoreKind.DISCS, -64)
    assert finished_game(plan_for(position, goal=Goal.WLD)).score == Score(ScoreKind.WLD, -1)


def test_a_forced_pass_is_answered_with_a_pass() -> None:
    position = Position.from_moves(EARLIEST_PASS)
    line = answer(plan_for(position)).lines[0]
    assert line.move == PASS
    assert line.pv[1] in (25, 43)  # b4, d6
    assert fallback_move(plan_for(position)) == PASS


def test_a_pass_has_the_score_of_the_position_after_it() -> None:
    for seed in range(40):
        position = random_position(6, seed)
        if position.must_pass:
            here = answer(plan_for(position, goal=Goal.EXACT)).lines[0]
            there = answer(plan_for(position.play(PASS), goal=Goal.EXACT)).lines[0]
            assert here.move == PASS
            assert here.score.value == -there.score.value


def test_a_single_move_is_searched_only_a_little_unless_asked() -> None:
    for seed in range(1000):
        position = random_position(12, seed)
        if len(position.legal_moves) == 1 and not position.must_pass:
            break
    else:
        pytest.fail("no such position")
    assert answer(plan_for(position)).lines[0].depth <= 4
    patient = Deepening(plan_for(position, must_hurry=False))
    assert patient._iterations[-1].phase is Phase.EXACT
    assert Deepening(plan_for(position, goal=Goal.EXACT))._iterations[-1].phase is Phase.EXACT


@given(st.integers(1, 60), st.integers(0, 1 << 20))
def test_the_fallback_is_a_legal_move(n_empties: int, seed: int) -> None:
    position = random_position(n_empties, seed)
    assert fallback_move(plan_for(position)) in position.legal_moves


# -- interruptions ----------------------------------------------------------------------------------------------


def settled(lower: int, upper: int, move: int) -> Outcome:
    return Outcome(True, lower, upper, move, (move,) if move < 64 else (), (), 100, 3)


def halted(lower: int, move: int) -> Outcome:
    return Outcome(False, lower, 1 << 30, move, (move,) if move < 64 else (), (), 100, 3)


@pytest.fixture
def begun() -> Deepening:
    """Three iterations are complete with a score of 50, and the fourth is running."""
    position = Position.from_moves("f5d6c3d3c4f4f6")
    deepening = Deepening(plan_for(position, may_solve=False, max_depth=20))
    for _ in range(3):
        deepening.next()
        deepening.report(settled(50, 50, position.legal_moves[0]))
    deepening.next()
    return deepening


def test_interrupted_at_once_there_is_nothing_to_say() -> None:
    deepening = Deepening(plan_for(Position.start()))
    deepening.interrupt(None)
    assert deepening.lines == ()
    assert deepening.is_finished


def test_an_interrupted_iteration_without_proof_changes_nothing(begun: Deepening) -> None:
    before = begun.lines
    begun.interrupt(halted(0, NO_MOVE))
    assert begun.lines == before
    assert begun.is_finished


def test_a_move_proved_better_is_answered_and_marked(begun: Deepening) -> None:
    before = begun.lines[0]
    better = Position.from_moves("f5d6c3d3c4f4f6").legal_moves[1]
    begun.interrupt(halted(70, better))
    line = begun.lines[0]
    assert line.move == better
    assert line.depth == before.depth + 1
    assert line.score == Score(ScoreKind.CENTIDISCS, 70, Bound.LOWER)
    assert not line.complete


def test_the_former_best_move_keeps_its_complete_line(begun: Deepening) -> None:
    before = begun.lines
    begun.interrupt(halted(60, before[0].move))
    assert begun.lines == before


def test_a_fail_high_that_could_not_be_followed_up_still_counts(begun: Deepening) -> None:
    better = Position.from_moves("f5d6c3d3c4f4f6").legal_moves[2]
    outcome = settled(9999, 1 << 30, better)
    assert begun.report(outcome) == ()
    begun.interrupt(outcome)
    assert begun.lines[0].move == better
    assert begun.lines[0].score == Score(ScoreKind.CENTIDISCS, 9999, Bound.LOWER)


def test_an_interrupted_solve_shows_no_disc_score_that_is_not_proved() -> None:
    position = random_position(12, 3)
    first, second = position.legal_moves[:2]
    deepening = Deepening(plan_for(position, goal=Goal.EXACT))
    while not deepening.iteration.is_solve:
        deepening.next()
        deepening.report(settled(50, 50, first))
    deepening.next()
    deepening.interrupt(halted(-2, second))
    assert deepening.lines[0].score == Score(ScoreKind.DISCS, -2, Bound.LOWER)
    assert not deepening.lines[0].complete


@pytest.fixture
def short() -> Deepening:
    """A solve has proved +2, and the line that came with it ends after one move."""
    position = random_position(12, 3)
    deepening = Deepening(plan_for(position, goal=Goal.EXACT))
    while not deepening.iteration.is_solve:
        deepening.next()
        deepening.report(settled(50, 50, position.legal_moves[0]))
    deepening.next()
    assert deepening.report(settled(2, 2, position.legal_moves[0])) == ()
    return deepening


def test_the_end_of_a_short_line_is_searched_by_one_worker_in_the_window_of_the_score(short: Deepening) -> None:
    step = short.next()
    position = random_position(12, 3)
    move = position.legal_moves[0]
    assert not short.is_finished
    assert not short.is_between_iterations
    assert step.task.undivided
    assert not step.continues
    assert (step.task.player, step.task.opponent) == after(move, position.player, position.opponent)
    assert (step.task.alpha, step.task.beta, step.task.exact) == (-3, -1, True)
    line = short.report(settled(-2, -2, 0))[0]  # a1 ends no game: no better line than before
    assert (line.score, line.pv) == (Score(ScoreKind.DISCS, 2), (move,))
    assert short.is_finished


@pytest.mark.parametrize("is_begun", [False, True])
def test_what_is_proved_counts_even_if_the_end_of_its_line_is_not_found(short: Deepening, is_begun: bool) -> None:
    if is_begun:
        short.next()
    short.interrupt(halted(-64, 5) if is_begun else None)
    assert short.is_finished
    assert [(line.score, line.complete) for line in short.lines] == [(Score(ScoreKind.DISCS, 2), True)]


def test_lines_found_before_an_interruption_replace_those_of_the_iteration_before() -> None:
    position = Position.from_moves("f5d6c3d3c4f4f6")
    a, b, c = position.legal_moves[:3]
    deepening = Deepening(plan_for(position, may_solve=False, max_depth=20, multipv=3))
    for move, score in ((a, 50), (b, 40), (c, 30)):
        deepening.next()
        deepening.report(settled(score, score, move))
    deepening.next()
    deepening.report(settled(45, 45, b))
    deepening.next()
    deepening.interrupt(halted(0, a))
    assert [(line.move, line.depth) for line in deepening.lines] == [(b, 2), (a, 1), (c, 1)]


# -- scores -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (Score(ScoreKind.RAW, 1788), 1788),
        (Score(ScoreKind.DISCS, 4), 10_040_000),
        (Score(ScoreKind.DISCS, -64), -10_640_000),
        (Score(ScoreKind.DISCS, 0), 0),
        (Score(ScoreKind.WLD, -1), -10_000_000),
    ],
)
def test_the_documented_scale_puts_the_result_above_everything(score: Score, expected: int) -> None:
    assert document_score(Line(1, 1, 100, score, ())) == expected
    assert document_score(Line(1, 1, 100, score, (), documented=7)) == 7


def test_contradicting_scores_do_not_go_on_for_ever() -> None:
    deepening = Deepening(plan_for(Position.start(), may_solve=False, max_depth=8))
    for _ in range(5):
        deepening.next()
        deepening.report(settled(0, 0, 19))
    steps = 0
    while not deepening.is_finished:
        step = deepening.next()
        steps += 1
        if steps % 2:
            deepening.report(settled(step.task.beta, 1 << 30, 19))
        else:
            deepening.report(settled(-(1 << 30), step.task.alpha, NO_MOVE))
        assert steps < 200


def test_a_simulated_request_counts_the_work_of_every_worker() -> None:
    position = random_position(9, 5)
    searchers = [PlainSearcher(bytearray(STATE_BYTES)) for _ in range(3)]
    request = simulate(plan_for(position, goal=Goal.EXACT), Simulation(searchers, Scheduler(EAGER), 500, 5))
    assert request.nodes == sum(request.worker_nodes)
    assert len(request.worker_nodes) == 3
    assert request.largest_nodes <= request.time
    assert request.lines[0].score.kind is ScoreKind.DISCS
