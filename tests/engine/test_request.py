"""What a search is told, from limits, options and position."""

from __future__ import annotations

import pytest

from othello_engine.config import Config, load_config
from othello_engine.engine.request import make_order
from othello_engine.errors import EngineError, IllegalMoveError
from othello_engine.position import Position
from othello_engine.types import PASS, Goal, Limits, ScoreKind
from tests.engine.test_deepening import random_position
from tests.positions import EARLIEST_PASS

START = Position.start()


@pytest.fixture(scope="module")
def config() -> Config:
    return load_config(profile="classic")


@pytest.fixture(scope="module")
def strong() -> Config:
    return load_config(profile="strong")


def test_a_bare_request_gets_the_profile_s_time(config: Config) -> None:
    order = make_order(Limits(), START, config, 0.0)
    assert order.budget.hard_ms == 3970
    assert order.plan.score_kind is ScoreKind.RAW
    assert order.plan.solve_empties == 14
    assert order.plan.selectivity == 100
    assert not order.is_open


def test_a_bare_request_is_limited_by_the_level_where_the_profile_has_no_time(strong: Config) -> None:
    order = make_order(Limits(), START, strong, 0.0)
    level = strong.profile.levels[strong.level]
    assert order.budget.hard_ms is None
    assert (order.plan.max_depth, order.plan.solve_empties) == (level.depth, level.exact_empties)
    assert order.plan.score_kind is ScoreKind.CENTIDISCS
    assert (order.plan.selectivity, order.plan.unit) == (73, 100)


def test_a_level_set_by_hand_limits_a_bare_request(config: Config) -> None:
    order = make_order(Limits(), START, config.with_option("Level", 9), 0.0)
    level = config.profile.levels[9]
    assert order.budget.hard_ms is None
    assert (order.plan.max_depth, order.plan.solve_empties) == (level.depth, level.exact_empties)


def test_a_move_time_set_by_hand_limits_a_bare_request_in_place_of_profile_and_level(
    config: Config, strong: Config
) -> None:
    for given in (config, strong):
        order = make_order(Limits(), START, given.with_option("MoveTime", 1000), 0.0)
        assert order.budget.hard_ms == 1000 - given.move_overhead_ms
        assert order.plan.max_depth == make_order(Limits(move_time_ms=5), START, given, 0.0).plan.max_depth
    both = make_order(Limits(), START, strong.with_option("MoveTime", 1000).with_option("Level", 9), 0.0)
    assert both.budget.hard_ms is not None
    assert both.plan.max_depth == strong.profile.levels[9].depth


@pytest.mark.parametrize(
    "limits",
    [
        Limits(depth=3),
        Limits(nodes=3),
        Limits(infinite=True),
        Limits(goal=Goal.EXACT),
        Limits(goal=Goal.WLD),
        Limits(level=3),
    ],
)
def test_any_limit_of_its_own_keeps_the_profile_s_time_away(config: Config, limits: Limits) -> None:
    assert make_order(limits, START, config, 0.0).budget.hard_ms is None


def test_several_lines_alone_are_no_limit(config: Config) -> None:
    assert make_order(Limits(multipv=3), START, config, 0.0).budget.hard_ms == 3970


def test_an_infinite_search_has_no_budget_whatever_else_is_said(config: Config) -> None:
    order = make_order(Limits(infinite=True, move_time_ms=10), START, config, 0.0)
    assert order.is_open
    assert order.budget.hard_ms is None


def test_a_ponder_search_keeps_its_budget_for_later(config: Config) -> None:
    order = make_order(Limits(ponder=True, move_time_ms=1000), START, config, 0.0)
    assert order.pondering
    assert not order.is_open
    assert order.budget.hard_ms == 970


@pytest.mark.parametrize(("depth", "used"), [(-5, 1), (0, 1), (1, 1), (60, 60), (61, 60), (10**20, 60)])
def test_a_depth_is_clamped(config: Config, depth: int, used: int) -> None:
    assert make_order(Limits(depth=depth), START, config, 0.0).plan.max_depth == used


def test_a_depth_that_reaches_the_end_allows_a_solve(config: Config) -> None:
    position = random_position(10, 1)
    assert make_order(Limits(depth=10), position, config, 0.0).plan.may_solve
    assert not make_order(Limits(depth=9), position, config, 0.0).plan.may_solve


def test_only_a_game_clock_runs_before_there_are_workers(config: Config) -> None:
    assert make_order(Limits(move_time_ms=10), START, config, 0.0).waits_for_workers
    assert not make_order(Limits(black_ms=10), START, config, 0.0).waits_for_workers
    assert make_order(Limits(white_ms=10), START, config, 0.0).waits_for_workers


def test_root_moves_become_a_bitboard(config: Config) -> None:
    assert make_order(Limits(search_moves=(19, 26)), START, config, 0.0).plan.moves == 1 << 19 | 1 << 26
    must_pass = Position.from_moves(EARLIEST_PASS)
    assert make_order(Limits(search_moves=(PASS,)), must_pass, config, 0.0).plan.moves == 0


@pytest.mark.parametrize("moves", [(0,), (19, 0), (PASS,), (-1,), (99,)])
def test_root_moves_that_are_none_are_refused(config: Config, moves: tuple[int, ...]) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        make_order(Limits(search_moves=moves), START, config, 0.0)
    assert caught.value.index == len(moves)


def test_an_empty_window_and_an_unknown_level_are_refused(config: Config) -> None:
    with pytest.raises(EngineError, match="window"):
        make_order(Limits(window=(3, 3)), START, config, 0.0)
    for level in (-1, 61):
        with pytest.raises(EngineError, match="level"):
            make_order(Limits(level=level), START, config, 0.0)


def test_a_search_that_does_not_prune_is_not_called_selective(config: Config) -> None:
    order = make_order(Limits(selectivity=73, goal=Goal.EXACT), START, config, 0.0)
    assert order.plan.solve_selectivity == order.plan.selectivity == 100


def test_a_solve_with_a_limit_has_something_to_fall_back_on(config: Config) -> None:
    assert not make_order(Limits(goal=Goal.EXACT), START, config, 0.0).plan.is_limited
    assert make_order(Limits(goal=Goal.EXACT, nodes=100), START, config, 0.0).plan.is_limited
    assert make_order(Limits(goal=Goal.EXACT, move_time_ms=100), START, config, 0.0).plan.is_limited
