"""Budgets: never past the time given, never a division by zero, something for every move."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.engine.clock import (
    CHANGED,
    NO_LIMIT,
    NORMAL,
    RESTLESS,
    SOLVE_MS,
    STEADY,
    TRANSPORT_MS,
    Budget,
    TimeRules,
    Verdict,
    budget_for,
    may_solve,
    may_start,
    move_time_budget,
    own_moves_left,
    solve_cost_ms,
    unrest,
)
from othello_engine.types import BLACK, WHITE, Limits

CLASSIC = TimeRules(reserve_ms=30, minimum_ms=50, solve_empties=14)

times = st.integers(-(10**18), 10**18)
small_times = st.integers(-1000, 10_000)


@pytest.mark.parametrize(
    ("time", "budget"),
    [(4000, 3970), (1000, 970), (100, 70), (80, 50), (60, 50), (50, 45), (20, 15), (5, 0), (1, 0), (0, 0), (-7, 0)],
)
def test_the_documented_rule_within_the_time_given(time: int, budget: int) -> None:
    assert move_time_budget(time, CLASSIC) == budget


@given(times, st.integers(0, 5000), st.integers(0, 5000))
def test_a_move_time_is_never_exceeded(time: int, reserve: int, minimum: int) -> None:
    budget = move_time_budget(time, TimeRules(reserve, minimum))
    assert 0 <= budget <= max(0, time - TRANSPORT_MS)


def test_no_limit_of_time_means_no_budget() -> None:
    assert budget_for(Limits(depth=7), BLACK, 60, CLASSIC) == NO_LIMIT


def test_the_clock_is_chosen_by_colour() -> None:
    limits = Limits(black_ms=100_000, white_ms=1_000)
    black = budget_for(limits, BLACK, 50, CLASSIC)
    white = budget_for(limits, WHITE, 50, CLASSIC)
    assert black.hard_ms is not None
    assert white.hard_ms is not None
    assert black.hard_ms > 20 * white.hard_ms


def test_the_opponents_clock_alone_sets_no_limit() -> None:
    assert budget_for(Limits(white_ms=5), BLACK, 50, CLASSIC) == NO_LIMIT


@given(times, st.integers(-(10**18), 10**18), st.none() | st.integers(-5, 100), st.integers(0, 64))
def test_a_clock_is_never_overrun(clock: int, increment: int, moves_to_go: int | None, empties: int) -> None:
    limits = Limits(black_ms=clock, black_increment_ms=increment, moves_to_go=moves_to_go)
    budget = budget_for(limits, BLACK, empties, CLASSIC)
    assert budget.soft_ms is not None
    assert budget.hard_ms is not None
    assert budget.solve_ms is not None
    assert 0 <= budget.soft_ms <= budget.hard_ms <= budget.solve_ms <= max(0, clock - TRANSPORT_MS)


@pytest.mark.parametrize("clock", [0, -1, -500, -(10**18)])
@pytest.mark.parametrize("increment", [0, 1000])
def test_a_clock_that_has_run_out_means_at_once(clock: int, increment: int) -> None:
    limits = Limits(white_ms=clock, white_increment_ms=increment)
    assert budget_for(limits, WHITE, 30, CLASSIC).hard_ms == 0


@given(st.integers(200, 10**7), st.integers(0, 3000), st.integers(0, 60), st.integers(0, 40))
def test_a_whole_game_fits_into_its_clock(clock: int, increment: int, start: int, lag: int) -> None:
    """Playing every move to its hard limit, with the reserve lost on the way each time, never empties the clock."""
    left = float(clock)
    for empties in range(start, 0, -2):
        limits = Limits(black_ms=int(left), black_increment_ms=increment)
        budget = budget_for(limits, BLACK, empties, TimeRules(30, 50, 14))
        assert budget.hard_ms is not None
        left -= budget.hard_ms + min(lag, TRANSPORT_MS)
        assert left >= -1
        left += increment


def test_the_last_moves_still_get_time() -> None:
    for empties in range(20, 0, -1):
        budget = budget_for(Limits(black_ms=1000), BLACK, empties, CLASSIC)
        assert budget.hard_ms is not None
        assert budget.hard_ms >= 50


@pytest.mark.parametrize("moves_to_go", [0, -5, 1])
def test_an_absurd_number_of_moves_to_go_counts_as_one(moves_to_go: int) -> None:
    limits = Limits(black_ms=10_000, moves_to_go=moves_to_go)
    assert budget_for(limits, BLACK, 40, CLASSIC) == budget_for(Limits(black_ms=10_000), BLACK, 1, CLASSIC)


@pytest.mark.parametrize(("clock", "kept"), [(30, 17), (100, 30), (1_000, 75), (10_000, 105)])
def test_more_is_kept_back_where_a_delay_would_cost_the_game(clock: int, kept: int) -> None:
    budget = budget_for(Limits(black_ms=clock, moves_to_go=1), BLACK, 40, TimeRules(10, 0, 20))
    assert budget.hard_ms is not None
    assert clock - budget.hard_ms == pytest.approx(kept, abs=1)


def test_moves_to_go_spreads_the_clock_no_thinner_than_the_board_does() -> None:
    few = budget_for(Limits(black_ms=60_000, moves_to_go=5), BLACK, 50, CLASSIC)
    many = budget_for(Limits(black_ms=60_000, moves_to_go=500), BLACK, 50, CLASSIC)
    plain = budget_for(Limits(black_ms=60_000), BLACK, 50, CLASSIC)
    assert few.soft_ms is not None
    assert plain.soft_ms is not None
    assert few.soft_ms > 2 * plain.soft_ms
    assert many == plain


def test_the_tighter_of_two_limits_counts() -> None:
    both = Limits(move_time_ms=60_000, black_ms=1_000)
    assert budget_for(both, BLACK, 40, CLASSIC) == budget_for(Limits(black_ms=1_000), BLACK, 40, CLASSIC)
    both = Limits(move_time_ms=100, black_ms=1_000_000)
    assert budget_for(both, BLACK, 40, CLASSIC).hard_ms == 70
    assert budget_for(both, BLACK, 40, CLASSIC).solve_ms == 70
    both = Limits(move_time_ms=100, black_ms=900)  # the share of the clock is less, half of the clock is more
    assert budget_for(both, BLACK, 60, CLASSIC).solve_ms == 70


@pytest.mark.parametrize(("empties", "moves"), [(60, 30), (59, 30), (2, 1), (1, 1), (0, 1)])
def test_own_moves_left(empties: int, moves: int) -> None:
    assert own_moves_left(empties) == moves


@given(small_times, small_times, st.integers(0, 60))
def test_more_time_is_never_a_smaller_budget(a: int, b: int, empties: int) -> None:
    low, high = sorted((a, b))
    small = budget_for(Limits(black_ms=low), BLACK, empties, CLASSIC).hard_ms
    large = budget_for(Limits(black_ms=high), BLACK, empties, CLASSIC).hard_ms
    assert small is not None
    assert large is not None
    assert small <= large


def test_an_iteration_that_cannot_end_in_time_is_not_begun() -> None:
    clock = Budget(soft_ms=1000, hard_ms=3000, may_overrun_soft=False)
    assert may_start(clock, 500, 100, 40)
    assert not may_start(clock, 1000, 100, 40)
    assert not may_start(clock, 900, 800, 200)
    assert not may_start(clock, 900, 800, 0)
    assert may_start(clock, 300, 200, 0)


def test_with_a_fixed_time_even_a_part_of_an_iteration_is_welcome() -> None:
    fixed = Budget(soft_ms=1000, hard_ms=1000, may_overrun_soft=True)
    assert may_start(fixed, 999, 900, 300)
    assert not may_start(fixed, 1000, 1, 1)


def test_without_a_budget_everything_may_start() -> None:
    assert may_start(NO_LIMIT, 1e9, 1e9, 1)


# -- by stability -------------------------------------------------------------------------------------------------


def verdicts(moves: str, *discs: float) -> list[Verdict]:
    """One for each letter; the last score holds on."""
    return [Verdict(ord(move), discs[min(index, len(discs) - 1)]) for index, move in enumerate(moves)]


def test_little_is_known_after_one_iteration() -> None:
    assert unrest([]) == unrest(verdicts("a", 3)) == NORMAL


def test_a_move_that_stays_the_best_is_worth_less_and_less_time() -> None:
    factors = [unrest(verdicts("b" + "a" * n, 4)) for n in range(2, 12)]
    assert factors[0] == NORMAL
    assert factors == sorted(factors, reverse=True)
    assert factors[-1] == STEADY


def test_a_change_of_mind_is_worth_more_time_until_it_is_confirmed() -> None:
    assert unrest(verdicts("aaaaaaab", 4)) == CHANGED
    assert unrest(verdicts("aaaaaaabb", 4)) == NORMAL


def test_a_falling_score_is_worth_more_time_whatever_the_move() -> None:
    steady = verdicts("aaaaaaaa", 4)
    small, large, crash = ([*steady, Verdict(ord("a"), discs)] for discs in (3.5, 1.0, -40.0))
    assert unrest(small) < NORMAL
    assert NORMAL < unrest(large) < unrest(crash) == RESTLESS
    assert unrest([*steady, Verdict(ord("b"), 1.0)]) > CHANGED


def test_scores_that_swing_with_the_parity_of_the_depth_do_not_fall() -> None:
    assert unrest(verdicts("aaaaaa", 6, 2, 6, 2, 6, 2)) < NORMAL


def test_a_score_that_rises_needs_no_more_time() -> None:
    assert unrest(verdicts("aaaaaa", 0, 2, 4, 6, 8, 10)) < NORMAL


@given(st.lists(st.builds(Verdict, st.integers(0, 3), st.floats(-64, 64))))
def test_unrest_stays_within_its_bounds(history: list[Verdict]) -> None:
    assert STEADY <= unrest(history) <= RESTLESS


def test_unrest_moves_the_soft_limit_and_never_the_hard_one() -> None:
    clock = Budget(soft_ms=1000, hard_ms=3000, may_overrun_soft=False)
    assert not may_start(clock, 1500, 100, 40)
    assert may_start(clock, 1500, 100, 40, CHANGED)
    assert not may_start(clock, 600, 100, 40, STEADY)
    assert not may_start(clock, 2400, 800, 400, RESTLESS)
    fixed = Budget(soft_ms=1000, hard_ms=1000, may_overrun_soft=True)
    assert may_start(fixed, 999, 900, 300, STEADY)


# -- the hand-over to the solve -----------------------------------------------------------------------------------


def test_a_solve_costs_what_the_table_says_and_rises_evenly_between() -> None:
    for empties, cost in SOLVE_MS.items():
        assert solve_cost_ms(empties) == pytest.approx(cost)
    costs = [solve_cost_ms(empties) for empties in range(61)]
    assert costs == sorted(costs)
    assert all(1.5 < later / sooner < 3.5 for sooner, later in itertools.pairwise(costs))


def test_workers_and_weaker_claims_make_it_cheaper() -> None:
    assert solve_cost_ms(20, 2) < solve_cost_ms(20, 1) < 2 * solve_cost_ms(20, 2)
    assert solve_cost_ms(20, 1, 0.5) == pytest.approx(solve_cost_ms(20) / 2)


def test_a_solve_must_fit_with_its_margin_into_what_is_left() -> None:
    budget = Budget(100, 300, may_overrun_soft=False, solve_ms=1000)
    assert may_solve(budget, 200, 200, 4)
    assert not may_solve(budget, 201, 200, 4)
    assert may_solve(NO_LIMIT, 1e9, 1e9, 4)


def test_a_solve_gets_more_of_the_clock_than_a_midgame_move() -> None:
    budget = budget_for(Limits(black_ms=60_000), BLACK, 30, CLASSIC)
    assert budget.hard_ms is not None
    assert budget.solve_ms is not None
    assert budget.hard_ms < budget.solve_ms <= 30_000


@given(st.integers(1, 10**7), st.integers(3, 60))
def test_a_solve_that_fails_leaves_half_of_the_clock(clock: int, empties: int) -> None:
    solve_ms = budget_for(Limits(black_ms=clock), BLACK, empties, CLASSIC).solve_ms
    assert solve_ms is not None
    assert solve_ms <= clock / 2
