"""Clocks by GTP's rules: what a search gets, what moves cost, what the controller says."""

from __future__ import annotations

import pytest

from othello_engine.engine.clock import TimeRules, clock_budget
from othello_engine.types import BLACK, WHITE, Limits
from protocol.gtp_clock import Clocks, TimeSettings


def clocks(main: float, period: float, stones: int) -> Clocks:
    made = Clocks()
    made.set(TimeSettings(main, period, stones))
    return made


def black(ms: int, increment: int = 0, moves_to_go: int | None = None) -> Limits:
    return Limits(black_ms=ms, black_increment_ms=increment, moves_to_go=moves_to_go)


def test_without_settings_nothing_limits_a_search() -> None:
    assert Clocks().limits(BLACK) == Limits()


@pytest.mark.parametrize("settings", [(0, 1, 0), (300, 30, 0), (0, 0, 0), (0, 0, 5)])
def test_settings_that_mean_no_limit(settings: tuple[float, float, int]) -> None:
    made = clocks(*settings)
    assert made.limits(BLACK) == Limits()
    made.spend(BLACK, 1000)
    assert made.limits(BLACK) == Limits()


def test_sudden_death_counts_down_for_each_side_alone() -> None:
    made = clocks(60, 0, 0)
    made.spend(BLACK, 12.5)
    assert made.limits(BLACK) == black(47_500)
    assert made.limits(WHITE) == Limits(white_ms=60_000)
    made.spend(BLACK, 100)
    assert made.limits(BLACK) == black(0)


def test_a_new_game_has_full_clocks() -> None:
    made = clocks(60, 30, 5)
    made.spend(BLACK, 70)
    made.set_left(WHITE, 3, 2)
    made.restart()
    assert made.limits(BLACK) == black(60_000, 6_000)
    assert made.limits(WHITE) == Limits(white_ms=60_000, white_increment_ms=6_000)


def test_periods_begin_at_once_without_main_time_and_are_renewed_after_their_moves() -> None:
    made = clocks(0, 30, 3)
    assert made.limits(BLACK) == black(30_000, 0, 3)
    made.spend(BLACK, 12)
    assert made.limits(BLACK) == black(18_000, 0, 2)
    made.spend(BLACK, 1)
    made.spend(BLACK, 1)
    assert made.limits(BLACK) == black(30_000, 0, 3)


def test_a_time_for_each_move() -> None:
    made = clocks(0, 5, 1)
    for _ in range(3):
        assert made.limits(BLACK) == black(5_000, 0, 1)
        made.spend(BLACK, 4.9)


def test_the_move_that_uses_up_the_main_time_is_the_first_of_a_period() -> None:
    made = clocks(10, 30, 3)
    made.spend(BLACK, 15)
    assert made.limits(BLACK) == black(25_000, 0, 2)


def test_main_time_that_ends_exactly_leaves_a_full_period_but_for_the_move() -> None:
    made = clocks(10, 30, 3)
    made.spend(BLACK, 10)
    assert made.limits(BLACK) == black(30_000, 0, 2)


def test_the_last_main_time_is_spent_together_with_the_period_that_follows() -> None:
    made = clocks(10, 30, 3)
    assert made.limits(BLACK) == black(40_000, 0, 3)
    made = clocks(11, 30, 3)
    assert made.limits(BLACK) == black(11_000, 10_000)


def test_a_period_that_was_overrun_is_over_until_its_moves_are_made() -> None:
    made = clocks(0, 10, 2)
    made.spend(BLACK, 11)
    assert made.limits(BLACK) == black(0, 0, 1)
    made.spend(BLACK, 0)
    assert made.limits(BLACK) == black(10_000, 0, 2)


def test_what_the_controller_says_counts_more_than_our_own_count() -> None:
    made = clocks(60, 30, 5)
    made.spend(BLACK, 50)
    made.set_left(BLACK, 42.5, 0)
    assert made.limits(BLACK) == black(42_500, 6_000)
    made.set_left(BLACK, 7, 3)
    assert made.limits(BLACK) == black(7_000, 0, 3)
    made.spend(BLACK, 2)
    assert made.limits(BLACK) == black(5_000, 0, 2)
    made.set_left(BLACK, 0, 0)
    assert made.limits(BLACK) == black(30_000, 0, 5)


def test_a_clock_can_be_told_of_without_settings() -> None:
    made = Clocks()
    made.set_left(BLACK, 20, 0)
    assert made.limits(BLACK) == black(20_000)
    assert made.limits(WHITE) == Limits()
    made.set_left(WHITE, 8, 2)
    made.spend(WHITE, 3)
    made.spend(WHITE, 3)
    assert made.limits(WHITE) == Limits(white_ms=8_000, moves_to_go=2)


def test_a_clock_that_shows_nothing_starts_none() -> None:
    made = clocks(0, 1, 0)
    made.set_left(BLACK, 0, 0)
    assert made.limits(BLACK) == Limits()
    made = clocks(5, 0, 0)
    made.set_left(BLACK, 0, 0)
    assert made.limits(BLACK) == black(0)


@pytest.mark.parametrize("settings", [(0, 10, 1), (0, 30, 5), (3, 10, 2), (60, 20, 10), (30, 0, 0), (1, 2, 1)])
def test_thinking_as_long_as_the_limits_allow_never_loses_on_time(settings: tuple[float, float, int]) -> None:
    """A referee with a clock of its own, and thirty moves of which each takes its hard limit."""
    main, period, stones = settings
    made = clocks(*settings)
    left, moves, in_period = main, stones, main == 0
    if in_period:
        left = period
    for n_empties in range(60, 0, -2):
        limits = made.limits(BLACK)
        assert limits.black_ms is not None
        budget = clock_budget(limits.black_ms, limits.black_increment_ms, limits.moves_to_go, n_empties, TimeRules(5))
        assert budget.hard_ms is not None
        taken = max(budget.hard_ms, budget.solve_ms or 0) / 1000
        made.spend(BLACK, taken)
        left -= taken
        if left < 0 and not in_period:
            in_period, left = True, left + period
        assert left > 0
        if in_period:
            moves -= 1
            if moves == 0:
                left, moves = period, stones
