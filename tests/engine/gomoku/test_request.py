"""What a search in Gomoku is told, from limits, options and position."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.config import Config, load_config
from othello_engine.engine.clock import NO_LIMIT
from othello_engine.engine.gomoku.request import MOST_PER_MOVE, make_gomoku_order
from othello_engine.engine.jobs import SearchOrder
from othello_engine.errors import EngineError, IllegalMoveError
from othello_engine.gomoku.position import NO_CELL, GomokuPosition
from othello_engine.gomoku.task import MAX_DEPTH
from othello_engine.types import Goal, Limits
from tests.engine.gomoku.support import FINISHED, QUIET, named

START = GomokuPosition.start()
STRONG = load_config(profile="gomoku")
CLASSIC = load_config(profile="gomoku-classic")
DEEPEST_CLASSIC = 12


def order(limits: Limits, position: GomokuPosition = START, config: Config = STRONG) -> SearchOrder:
    return make_gomoku_order(limits, position, config, 5.0)


def hard(limits: Limits, position: GomokuPosition = START, config: Config = STRONG) -> float:
    """Milliseconds after which the search stops."""
    hard_ms = order(limits, position, config).budget.hard_ms
    assert hard_ms is not None
    return hard_ms


# -- limits ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("config", [STRONG, CLASSIC])
def test_a_bare_request_gets_the_profile_s_time(config: Config) -> None:
    made = order(Limits(), config=config)
    assert made.budget.hard_ms == {"gomoku": 2970, "gomoku-classic": 4970}[config.profile.name]
    assert (made.node_limit, made.is_open, made.pondering, made.asked_at, made.no_move) == (0, False, False, 5.0, -1)
    assert made.waits_for_workers
    assert not made.clean_table
    assert made.plan.max_depth == {"gomoku": MAX_DEPTH, "gomoku-classic": DEEPEST_CLASSIC}[config.profile.name]
    assert (made.plan.position, made.plan.multipv, made.plan.moves, made.plan.must_hurry) == (START, 1, (), True)
    assert made.plan.unit == config.profile.units_per_disc


@pytest.mark.parametrize(
    "limits",
    [Limits(depth=3), Limits(nodes=3), Limits(infinite=True), Limits(level=3)],
)
def test_any_limit_of_its_own_keeps_the_profile_s_time_away(limits: Limits) -> None:
    assert order(limits).budget == NO_LIMIT


@pytest.mark.parametrize(("depth", "used"), [(-5, 1), (0, 1), (1, 1), (12, 12), (60, 60), (61, 60), (10**20, 60)])
def test_a_depth_is_clamped_and_the_documented_search_goes_to_its_own_limit(depth: int, used: int) -> None:
    assert order(Limits(depth=depth)).plan.max_depth == used
    assert order(Limits(depth=depth), config=CLASSIC).plan.max_depth == min(used, DEEPEST_CLASSIC)


@pytest.mark.parametrize("level", [0, 1, 7, 12, 13, 60])
def test_a_level_is_a_depth(level: int) -> None:
    assert order(Limits(level=level)).plan.max_depth == max(1, level)
    assert order(Limits(level=level), config=CLASSIC).plan.max_depth == max(1, min(level, DEEPEST_CLASSIC))
    set_by_hand = order(Limits(), config=STRONG.with_option("Level", level))
    assert (set_by_hand.plan.max_depth, set_by_hand.budget) == (max(1, level), NO_LIMIT)
    timed = order(Limits(move_time_ms=100), config=STRONG.with_option("Level", level))
    assert timed.plan.max_depth == MAX_DEPTH


@pytest.mark.parametrize("level", [-1, 61])
def test_there_is_no_such_level(level: int) -> None:
    with pytest.raises(EngineError, match=f"level {level}"):
        order(Limits(level=level))


@pytest.mark.parametrize(("nodes", "used"), [(None, 0), (0, 1), (-4, 1), (1, 1), (12_345, 12_345)])
def test_nodes(nodes: int | None, used: int) -> None:
    assert order(Limits(nodes=nodes)).node_limit == used


def test_an_infinite_search_has_no_budget_whatever_else_is_said() -> None:
    made = order(Limits(infinite=True, move_time_ms=10, black_ms=10))
    assert (made.is_open, made.budget, made.pondering) == (True, NO_LIMIT, False)


def test_a_ponder_search_keeps_its_budget_for_later() -> None:
    made = order(Limits(ponder=True, move_time_ms=1000))
    assert (made.pondering, made.is_open, made.budget.hard_ms) == (True, False, 970)


@pytest.mark.parametrize(
    ("limits", "hurries"),
    [
        (Limits(), True),
        (Limits(move_time_ms=500), True),
        (Limits(black_ms=500), True),
        (Limits(level=4), True),
        (Limits(nodes=4), True),
        (Limits(depth=4), False),
        (Limits(infinite=True), False),
        (Limits(ponder=True, move_time_ms=500), False),
        (Limits(thorough=True), False),
        (Limits(multipv=2), False),
    ],
)
def test_an_only_reply_is_answered_at_once_where_a_move_is_asked_for(limits: Limits, hurries: bool) -> None:
    assert order(limits).plan.must_hurry == hurries


# -- lines, moves, heatmaps --------------------------------------------------------------------------------------


def test_as_many_lines_as_the_request_says_or_else_the_option() -> None:
    config = STRONG.with_option("MultiPV", 4)
    assert order(Limits()).plan.multipv == 1
    assert order(Limits(), config=config).plan.multipv == 4
    assert order(Limits(multipv=2), config=config).plan.multipv == 2


def test_root_moves_stay_in_order_once_each() -> None:
    d4, a1 = named("d4", "a1")
    assert order(Limits(search_moves=(d4, a1, d4)), QUIET).plan.moves == (d4, a1)
    assert order(Limits(search_moves=()), QUIET).plan.moves == ()


@pytest.mark.parametrize(("move", "name"), [(named("e5")[0], "e5"), (100, "100"), (NO_CELL, "-1"), (-7, "-7")])
def test_a_root_move_that_is_none_is_named(move: int, name: str) -> None:
    a1 = named("a1")[0]
    with pytest.raises(IllegalMoveError, match=rf"\({name}\)") as error:
        order(Limits(search_moves=(a1, move)), QUIET)
    assert (error.value.move, error.value.index) == (name, 2)


def test_a_finished_game_has_no_root_moves() -> None:
    with pytest.raises(IllegalMoveError):
        order(Limits(search_moves=named("j10")), FINISHED)
    assert order(Limits(), FINISHED).plan.position == FINISHED


@pytest.mark.parametrize("limits", [Limits(goal=Goal.EXACT), Limits(goal=Goal.WLD), Limits(window=(-1, 1))])
@pytest.mark.parametrize("config", [STRONG, CLASSIC])
def test_there_is_no_solving(limits: Limits, config: Config) -> None:
    with pytest.raises(EngineError, match="Gomoku"):
        order(limits, config=config)


def test_who_gets_a_heatmap_and_how_the_root_is_divided() -> None:
    plan = order(Limits()).plan
    assert (plan.wants_heatmap, plan.only_heatmap, plan.is_dealt_out) == (False, False, False)
    plan = order(Limits(heatmap=True)).plan
    assert (plan.wants_heatmap, plan.only_heatmap, plan.is_dealt_out) == (True, True, False)
    plan = order(Limits(), config=STRONG.with_option("ResultLine", "json")).plan
    assert (plan.wants_heatmap, plan.only_heatmap, plan.is_dealt_out) == (True, False, False)
    assert not order(Limits(), config=STRONG.with_option("ResultLine", "csv")).plan.wants_heatmap
    plan = order(Limits(), config=CLASSIC).plan
    assert (plan.wants_heatmap, plan.only_heatmap, plan.is_dealt_out) == (True, False, True)


# -- clocks ------------------------------------------------------------------------------------------------------


def test_the_clock_is_that_of_the_side_to_move() -> None:
    white = START.with_side(1)
    assert order(Limits(black_ms=60_000)).budget == order(Limits(black_ms=60_000, white_ms=5)).budget
    assert order(Limits(white_ms=60_000), white).budget == order(Limits(white_ms=60_000, black_ms=5), white).budget
    assert order(Limits(white_ms=60_000), white).budget == order(Limits(black_ms=60_000)).budget
    with_increment = order(Limits(black_ms=60_000, black_increment_ms=1000)).budget
    assert order(Limits(black_ms=60_000, black_increment_ms=1000, white_increment_ms=9)).budget == with_increment
    assert with_increment != order(Limits(black_ms=60_000)).budget
    assert order(Limits(white_ms=60_000)).budget == NO_LIMIT  # nothing is known of the own one


@given(st.integers(1, 10**8), st.integers(0, 1 << 20), st.integers(0, 120))
def test_never_more_than_a_fifth_of_the_clock_for_one_move(clock: int, seed: int, n_stones: int) -> None:
    """While other moves follow, and nothing comes back."""
    dice = random.Random(seed)
    cells = bytearray(225)
    for cell in dice.sample(range(225), n_stones):
        cells[cell] = dice.choice((1, 2))
    budget = order(Limits(black_ms=clock), GomokuPosition(15, bytes(cells))).budget
    assert budget.hard_ms is not None
    assert budget.soft_ms is not None
    assert 0 <= budget.soft_ms <= budget.hard_ms <= clock * MOST_PER_MOVE
    assert not budget.may_overrun_soft


@given(st.integers(1, 10**7), st.integers(0, 10**6), st.one_of(st.none(), st.integers(-3, 60)))
def test_never_more_than_there_is(clock: int, increment: int, moves_to_go: int | None) -> None:
    limits = Limits(black_ms=clock, black_increment_ms=increment, moves_to_go=moves_to_go)
    budget = order(limits).budget
    assert budget.hard_ms is not None
    assert budget.soft_ms is not None
    assert 0 <= budget.soft_ms <= budget.hard_ms < clock


@pytest.mark.parametrize("clock", [0, -1, -(10**30)])
@pytest.mark.parametrize("more", [{}, {"black_increment_ms": 5000}, {"moves_to_go": 1}, {"move_time_ms": 10_000}])
def test_a_clock_that_has_run_out_is_answered_at_once(clock: int, more: dict[str, Any]) -> None:
    assert hard(Limits(black_ms=clock, **more)) == 0


def test_a_longer_game_is_planned_for_fewer_moves_to_come_but_never_for_few() -> None:
    shares = []
    for n_own in (0, 10, 20, 30, 60):
        cells = bytearray(225)
        cells[: 3 * n_own : 3] = bytes([1]) * n_own
        position = GomokuPosition(15, bytes(cells))
        assert position.n_stones(0) == n_own
        soft = order(Limits(black_ms=100_000), position).budget.soft_ms
        assert soft is not None
        shares.append(soft)
    assert shares == sorted(shares)
    assert shares[0] < shares[2]
    assert shares[-1] == shares[-2] < 100_000 / 7


def test_the_moves_to_go_are_planned_for_if_they_are_few() -> None:
    few = order(Limits(black_ms=100_000, moves_to_go=3)).budget
    assert few.soft_ms is not None
    assert few.hard_ms is not None
    assert 30_000 < few.soft_ms <= few.hard_ms <= 40_000
    assert order(Limits(black_ms=100_000, moves_to_go=500)).budget == order(Limits(black_ms=100_000)).budget
    last = order(Limits(black_ms=100_000, moves_to_go=1)).budget
    assert last.hard_ms is not None
    assert 99_000 < last.hard_ms < 100_000
    assert order(Limits(black_ms=100_000, moves_to_go=0)).budget == last


def test_of_move_time_and_clock_the_tighter_counts() -> None:
    on_clock = hard(Limits(black_ms=60_000))
    assert hard(Limits(black_ms=60_000, move_time_ms=100)) == 70
    assert hard(Limits(black_ms=60_000, move_time_ms=59_000)) == on_clock
    assert hard(Limits(black_ms=10**30, move_time_ms=10**30)) > 10**16


@pytest.mark.parametrize(("time_ms", "used"), [(-5, 0), (0, 0), (5, 0), (25, 20), (40, 20), (100, 70), (5000, 4970)])
def test_a_move_time_leaves_room_for_the_way_to_the_client(time_ms: int, used: float) -> None:
    assert hard(Limits(move_time_ms=time_ms)) == used
    assert hard(Limits(move_time_ms=time_ms), config=CLASSIC) == used


def test_only_the_own_clock_runs_before_there_are_workers() -> None:
    assert order(Limits(move_time_ms=10)).waits_for_workers
    assert order(Limits(white_ms=10)).waits_for_workers
    assert not order(Limits(black_ms=10)).waits_for_workers
    assert not order(Limits(white_ms=10), START.with_side(1)).waits_for_workers
