"""What a search is told, from limits, options and position."""

from __future__ import annotations

import random

import pytest

from othello_engine.config import Config, load_config, strengths
from othello_engine.engine.deepening import _iterations
from othello_engine.engine.request import make_order
from othello_engine.errors import EngineError, IllegalMoveError
from othello_engine.position import Position
from othello_engine.types import PASS, Goal, Limits, ScoreKind, square_name
from tests.engine.test_deepening import random_position
from tests.positions import EARLIEST_PASS, WIPE_OUT

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


def test_a_bare_request_is_limited_by_the_level_and_by_a_time_where_the_profile_says_so(strong: Config) -> None:
    order = make_order(Limits(), START, strong, 0.0)
    level = strong.profile.levels[strong.level]
    assert order.budget.hard_ms == 2990
    assert (order.plan.max_depth, order.plan.solve_empties) == (level.depth, level.solves[-1][0])
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


# -- searches of a fixed depth -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def weighted() -> Config:
    return load_config(profile="weighted")


@pytest.mark.parametrize(
    ("limits", "depth"),
    [
        (Limits(), 4),
        (Limits(infinite=True), 4),
        (Limits(ponder=True), 4),
        (Limits(move_time_ms=1), 4),
        (Limits(black_ms=0, white_ms=0), 4),
        (Limits(level=1), 1),
        (Limits(depth=1), 1),
        (Limits(depth=7, move_time_ms=1000), 7),
        (Limits(depth=99), 60),
        (Limits(level=2, multipv=64, thorough=True), 4),
    ],
)
def test_a_search_of_a_fixed_depth_is_the_level_s_or_the_one_asked_for(
    weighted: Config, limits: Limits, depth: int
) -> None:
    plan = make_order(limits, START, weighted, 0.0).plan
    assert (plan.fixed_depth, plan.max_depth, plan.moves) == (True, depth, 0)
    assert (plan.score_kind, plan.unit, plan.selectivity) == (ScoreKind.RAW, weighted.profile.units_per_disc, 100)


def test_no_clock_cuts_the_search_of_a_level_but_one_of_a_depth(weighted: Config) -> None:
    assert make_order(Limits(move_time_ms=1), START, weighted, 0.0).budget.hard_ms is None
    assert make_order(Limits(black_ms=-5), START, weighted, 0.0).budget.hard_ms is None
    assert make_order(Limits(depth=30, move_time_ms=100), START, weighted, 0.0).budget.hard_ms == 90
    assert make_order(Limits(nodes=7), START, weighted, 0.0).node_limit == 7


@pytest.mark.parametrize("goal", [Goal.EXACT, Goal.WLD])
def test_a_profile_without_a_solver_refuses_to_solve(weighted: Config, goal: Goal) -> None:
    with pytest.raises(EngineError, match="the profile weighted never solves"):
        make_order(Limits(goal=goal), START, weighted, 0.0)


def chosen(config: Config, position: Position, asked_at: float = 0.0, limits: Limits | None = None) -> int:
    """Bitboard of the root moves that are left to the search."""
    plan = make_order(Limits() if limits is None else limits, position, config, asked_at).plan
    assert (plan.max_depth, plan.fixed_depth) == (1, True)
    return plan.moves


def test_the_easy_level_takes_a_legal_move_by_seed_and_position(weighted: Config) -> None:
    rng = random.Random(20261130)
    seeds = [weighted.with_option("Level", "easy").with_option("Seed", seed) for seed in range(1, 9)]
    found = set()
    for _ in range(50):
        position = random_position(rng.randrange(8, 50), rng.randrange(1000))
        for config in seeds:
            move = chosen(config, position, asked_at=rng.random())
            assert move == chosen(config, position, asked_at=rng.random())
            assert move.bit_count() == 1 or position.must_pass
            assert move & position.legal_bitboard == move
            found.add((position, move))
    assert len(found) > 2 * 50  # seeds differ


def test_without_a_seed_the_easy_level_takes_every_move_now_and_then(weighted: Config) -> None:
    easy = weighted.with_option("Level", "easy")
    taken = [chosen(easy, START, asked_at=1000 + index / 7) for index in range(400)]
    counts = [taken.count(1 << move) for move in START.legal_moves]
    assert sum(counts) == 400
    assert all(60 < count < 140 for count in counts)  # 100 each, more or less; five standard deviations are 43


def test_the_same_seed_takes_the_same_move_on_every_machine(weighted: Config) -> None:
    easy = weighted.with_option("Level", "easy").with_option("Seed", 7)
    moves = [square_name(chosen(easy, Position.from_moves(game)).bit_length() - 1) for game in ("", "f5", "f5d6c3")]
    assert moves == ["e6", "d6", "g5"]


def test_the_easy_level_chooses_among_the_moves_asked_for(weighted: Config) -> None:
    easy = weighted.with_option("Level", 0)
    limits = Limits(search_moves=START.legal_moves[1:3])
    taken = {chosen(easy, START, index / 7, limits) for index in range(100)}
    assert taken == {1 << move for move in START.legal_moves[1:3]}


@pytest.mark.parametrize(
    "limits", [Limits(multipv=3), Limits(infinite=True), Limits(level=0, thorough=True), Limits(multipv=64, level=0)]
)
def test_whoever_wants_more_than_a_move_is_not_served_at_random(weighted: Config, limits: Limits) -> None:
    plan = make_order(limits, START, weighted.with_option("Level", "easy"), 0.0).plan
    assert (plan.max_depth, plan.moves) == (3, 0)


def test_the_option_of_many_lines_does_not_make_the_easy_level_think(weighted: Config) -> None:
    config = weighted.with_option("Level", "easy").with_option("MultiPV", 5)
    assert chosen(config, START).bit_count() == 1


def test_the_easy_level_passes_and_knows_an_end(weighted: Config) -> None:
    easy = weighted.with_option("Level", "easy")
    for position in (Position.from_moves(EARLIEST_PASS), Position.from_moves(WIPE_OUT)):
        assert chosen(easy, position) == 0


# -- solves of a level ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 5, 10, 12, 21, 24, 36, 60])
def test_a_level_solves_with_the_confidence_of_the_first_row_that_fits(strong: Config, level: int) -> None:
    row = strong.levels[level]
    for n_empties in range(4, 60):
        position = random_position(n_empties, n_empties)
        plan = make_order(Limits(level=level), position, strong, 0.0).plan
        fitting = [confidence for empties, confidence in row.solves if position.n_empties <= empties]
        assert (position.n_empties <= plan.solve_empties) == bool(fitting)
        assert plan.max_depth == row.depth
        assert plan.wld_empties == plan.solve_empties
        if fitting:
            assert plan.solve_selectivity == fitting[0]


def test_a_solve_is_never_less_sure_than_the_option_says(strong: Config) -> None:
    position = random_position(28, 1)
    assert position.n_empties == 28
    for selectivity, expected in ((73, (30, 87)), (87, (30, 87)), (95, (27, 98)), (98, (27, 98)), (99, (24, 100))):
        config = strong.with_option("Selectivity", selectivity)
        plan = make_order(Limits(level=21), position, config, 0.0).plan
        assert (plan.solve_empties, plan.solve_selectivity) == expected
    asked = make_order(Limits(level=21, selectivity=99), random_position(26, 1), strong, 0.0).plan
    assert (asked.selectivity, asked.solve_selectivity, asked.solve_empties) == (99, 99, 24)


def test_anti_othello_is_searched_without_forward_pruning(strong: Config) -> None:
    anti = strong.with_option("Variant", "anti")
    for limits in (Limits(), Limits(level=21), Limits(depth=9, selectivity=73), Limits(goal=Goal.EXACT)):
        plan = make_order(limits, random_position(20, 1), anti, 0.0).plan
        assert (plan.selectivity, plan.solve_selectivity, plan.is_anti) == (100, 100, True)
    assert not make_order(Limits(), START, strong, 0.0).plan.is_anti
    assert make_order(Limits(level=21), START, anti, 0.0).plan.max_depth == anti.levels[21].depth


# -- players with a style ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def phased() -> Config:
    return load_config(profile="phased")


MOVE_REQUESTS = [
    Limits(),
    Limits(ponder=True),
    Limits(move_time_ms=1000),
    Limits(black_ms=60_000, white_ms=60_000),
    Limits(search_moves=START.legal_moves[:2]),
]
OTHER_REQUESTS = [
    Limits(infinite=True),
    Limits(multipv=2),
    Limits(multipv=64, thorough=True),
    Limits(thorough=True),
    Limits(goal=Goal.EXACT),
    Limits(goal=Goal.WLD),
    Limits(window=(-3, 3)),
]


@pytest.mark.parametrize("level", ["beginner", "intermediate", "advanced", "expert"])
@pytest.mark.parametrize("limits", MOVE_REQUESTS)
def test_a_level_with_a_name_plays_every_move_that_is_asked_for(phased: Config, level: str, limits: Limits) -> None:
    config = phased.with_option("Level", level).with_option("MultiPV", 7)
    row = config.levels[config.level]
    order = make_order(limits, START, config, 0.0)
    assert order.plan.style == row.style
    assert order.plan.max_depth == row.depth
    assert order.node_limit == row.nodes
    assert order.clean_table
    if row.style is not None:
        assert order.plan.multipv == len(limits.search_moves or START.legal_moves)
        assert not order.plan.may_solve
    timed = limits.move_time_ms is not None or limits.black_ms is not None
    assert (order.budget.hard_ms is not None) == timed


def test_a_move_time_set_by_hand_limits_a_level_with_a_name_as_well(phased: Config) -> None:
    order = make_order(Limits(), START, phased.with_option("MoveTime", 300), 0.0)
    assert order.budget.hard_ms == 290
    assert order.node_limit == phased.levels[3].nodes


@pytest.mark.parametrize("limits", [*OTHER_REQUESTS, Limits(depth=3), Limits(nodes=1000)])
def test_whoever_wants_more_than_a_move_gets_no_mistakes(phased: Config, limits: Limits) -> None:
    plan = make_order(limits, START, phased.with_option("Level", "beginner"), 0.0).plan
    assert plan.style is None
    assert plan.multipv == (limits.multipv or 1)


def test_the_end_of_the_game_is_played_straight(phased: Config) -> None:
    for level in range(3):
        config = phased.with_option("Level", level)
        row = config.levels[level]
        for n_empties in range(4, 20):
            position = random_position(n_empties, 3 * n_empties)
            plan = make_order(Limits(), position, config, 0.0).plan
            is_near = position.n_empties <= row.exact_empties
            assert (plan.style is None) == (is_near or len(position.legal_moves) == 1)
            if is_near:
                assert (plan.multipv, plan.may_solve, plan.solve_selectivity) == (1, True, 100)


def test_a_forced_move_and_a_finished_game_need_no_choice(phased: Config) -> None:
    beginner = phased.with_option("Level", "beginner")
    for position in (Position.from_moves(EARLIEST_PASS), Position.from_moves(WIPE_OUT)):
        assert make_order(Limits(), position, beginner, 0.0).plan.style is None
    assert make_order(Limits(search_moves=(START.legal_moves[0],)), START, beginner, 0.0).plan.style is None


def test_who_asks_for_several_lines_is_served_by_the_strongest_level(phased: Config) -> None:
    beginner, expert = phased.with_option("Level", "beginner"), phased.with_option("Level", "expert")
    for limits in (Limits(multipv=4), Limits(multipv=64, thorough=True), Limits(window=(-3, 3))):
        assert make_order(limits, START, beginner, 0.0) == make_order(limits, START, expert, 0.0)
    assert make_order(Limits(level=0, multipv=4), START, beginner, 0.0).plan.max_depth == beginner.levels[0].depth


@pytest.mark.parametrize("limits", [*MOVE_REQUESTS, Limits(depth=20), Limits(nodes=10_000_000), Limits(level=30)])
def test_limited_strength_comes_on_top_of_every_other_limit(strong: Config, limits: Limits) -> None:
    strength = strengths()[3]
    config = strong.with_option("LimitStrength", True).with_option("Elo", strength.elo)
    order, usual = make_order(limits, START, config, 0.0), make_order(limits, START, strong, 0.0)
    assert order.plan.style == strength.style
    assert order.plan.max_depth == strength.depth
    assert (order.plan.selectivity, order.plan.may_solve) == (100, False)
    assert (order.budget, order.node_limit) == (usual.budget, usual.node_limit)
    assert order.clean_table
    assert not usual.clean_table


@pytest.mark.parametrize("limits", OTHER_REQUESTS)
def test_analysis_is_as_strong_as_ever(strong: Config, limits: Limits) -> None:
    config = strong.with_option("LimitStrength", True).with_option("Elo", 1000)
    assert make_order(limits, START, config, 0.0) == make_order(limits, START, strong, 0.0)


def test_limited_strength_never_sees_further_than_asked(strong: Config) -> None:
    limited = strong.with_option("LimitStrength", True).with_option("Elo", strengths()[-1].elo)
    assert make_order(Limits(depth=2), START, limited, 0.0).plan.max_depth == 2
    assert make_order(Limits(level=3), START, limited, 0.0).plan.max_depth == 3


def test_limited_strength_solves_only_what_it_can_see(strong: Config) -> None:
    for strength in strengths():
        limited = strong.with_option("LimitStrength", True).with_option("Elo", strength.elo)
        for limits in (Limits(), Limits(move_time_ms=10_000), Limits(depth=60)):
            for n_empties in range(4, 24):
                position = random_position(n_empties, n_empties)
                plan = make_order(limits, position, limited, 0.0).plan
                ends = [each for each in _iterations(plan) if each.is_solve]
                sight = max(strength.exact_empties, strength.depth)
                assert bool(ends) == (position.n_empties <= sight and len(position.legal_moves) > 1)


def test_between_two_rows_each_position_is_for_one_of_them_in_proportion(strong: Config) -> None:
    weaker, stronger = strengths()[5:7]
    assert weaker.depth != stronger.depth
    for part in (0.2, 0.7):
        elo = weaker.elo + round(part * (stronger.elo - weaker.elo))
        limited = strong.with_option("LimitStrength", True).with_option("Elo", elo)
        boards = [board for board in (random_position(30, seed) for seed in range(300)) if len(board.legal_moves) > 1]
        players = []
        for board in boards:
            plan = make_order(Limits(), board, limited, 0.0).plan
            assert plan == make_order(Limits(), board, limited, 1.0).plan
            players.append((plan.max_depth, plan.style))
        assert set(players) == {(weaker.depth, weaker.style), (stronger.depth, stronger.style)}
        assert abs(players.count((stronger.depth, stronger.style)) / len(players) - part) < 0.1


def test_limited_strength_in_anti_othello(strong: Config) -> None:
    config = strong.with_option("Variant", "anti").with_option("LimitStrength", True)
    plan = make_order(Limits(), START, config, 0.0).plan
    assert plan.is_anti
    assert plan.style is not None
