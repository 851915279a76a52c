"""The engine with real processes and a Gomoku searcher in plain Python: requests, answers, games that change."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import psutil
import pytest

from othello_engine.config import load_config
from othello_engine.engine.engine import Engine, SearchHandle
from othello_engine.errors import BusyError, ConfigError, EngineError, IllegalMoveError
from othello_engine.gomoku.plain import quick_move
from othello_engine.gomoku.position import NO_CELL, GomokuPosition
from othello_engine.position import Position
from othello_engine.types import Goal, Limits, RootValue, Score, ScoreKind, SearchInfo, SearchResult
from tests.engine.conftest import EngineMaker, worker_processes
from tests.engine.gomoku.plain_gomoku import (
    DEADLY_LOADER,
    FAULTY_LOADER,
    LOADER,
    PROVED,
    value,
)
from tests.engine.gomoku.support import (
    FINISHED,
    FULL,
    IN_THREE,
    LOST,
    MUST_BLOCK,
    QUIET,
    WON,
    best_values,
    named,
    new_searcher,
    random_position,
    task_of,
)

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition

PATIENCE_S = 60
"""For what takes no time on a machine that has some."""
MATE = ScoreKind.MATE

SharedEngine = Callable[..., Engine]


@pytest.fixture(scope="module")
def _engines() -> Iterator[dict[tuple[str, int], Engine]]:
    engines: dict[tuple[str, int], Engine] = {}
    yield engines
    for engine in engines.values():
        engine.close()
    assert worker_processes() == []


@pytest.fixture
def shared(_engines: dict[tuple[str, int], Engine]) -> SharedEngine:
    """Engines for the tests of this module, ready and with nothing remembered; by profile and number of workers."""

    def take(profile: str = "gomoku", threads: int = 1) -> Engine:
        if (profile, threads) not in _engines:
            config = load_config(profile=profile, overrides={"Threads": threads, "Hash": 1, "BoardSize": 10})
            _engines[profile, threads] = Engine(config, loader=LOADER)
        engine = _engines[profile, threads]
        assert engine.wait_ready(PATIENCE_S)
        engine.new_game()
        return engine

    return take


each_profile = pytest.mark.parametrize("profile", ["gomoku", "gomoku-classic"])
each_number = pytest.mark.parametrize("threads", [1, 3])


def ask(engine: Engine, position: GomokuPosition, **limits: object) -> SearchResult:
    """The answer to one request; the move is legal, and every line a line of play."""
    engine.set_position(position)
    result = engine.go(Limits(**limits)).wait(PATIENCE_S)  # type: ignore[arg-type]
    assert result.best_move in (position.legal_moves or (NO_CELL,))
    for line in result.lines:
        after = position
        for move in line.pv:
            after = after.play(move)
    return result


# -- a search and its answer -------------------------------------------------------------------------------------


@each_profile
@each_number
@pytest.mark.parametrize("position", [QUIET, MUST_BLOCK.with_side(1), random_position(5, 4)])
def test_the_best_score_is_that_of_plain_minimax(
    shared: SharedEngine, profile: str, threads: int, position: GomokuPosition
) -> None:
    result = ask(shared(profile, threads), position, depth=2)
    (line,) = result.lines
    values = best_values(position, 2)
    assert line.depth == 2
    assert line.score.value == values[result.best_move] == max(values.values())
    assert result.document_score == line.score.value
    assert result.best_move == line.pv[0]
    assert result.ponder_move == line.pv[1]
    assert result.error is None
    assert sum(result.worker_nodes) == result.nodes


@each_profile
@each_number
def test_reports_come_in_order_with_the_result_last(shared: SharedEngine, profile: str, threads: int) -> None:
    engine = shared(profile, threads)
    engine.set_position(QUIET)
    seen: list[SearchInfo | SearchResult] = []
    result = engine.go(Limits(depth=2, multipv=2), seen.append, seen.append).wait(PATIENCE_S)
    assert seen[-1] is result
    infos = [event for event in seen[:-1] if isinstance(event, SearchInfo)]
    assert len(infos) == len(seen) - 1
    assert [(info.depth, info.rank) for info in infos] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert [info.nodes for info in infos] == sorted(info.nodes for info in infos)
    assert all(info.complete for info in infos)
    assert infos[-1].hashfull == 7


def test_shards_come_to_the_same_with_any_number_of_workers(shared: SharedEngine) -> None:
    """Best score of equal depths; every root move is searched once, so the nodes add up to those of one worker."""
    position = random_position(6, 11)
    for limits in ({"depth": 1}, {"depth": 2}, {"depth": 2, "multipv": 3}):
        results = [ask(shared("gomoku-classic", threads), position, **limits) for threads in (1, 3)]
        scores = [[(line.depth, line.rank, line.score) for line in result.lines] for result in results]
        assert scores[0] == scores[1]
        if "multipv" not in limits:  # else another of two equal moves may be left out of the second line
            assert results[0].nodes == results[1].nodes
        assert results[0].root_values == results[1].root_values
        assert sum(results[1].worker_nodes) == results[1].nodes
        assert len([nodes for nodes in results[1].worker_nodes if nodes]) == 3


def test_the_nodes_of_shards_are_those_of_a_heatmap_a_glance_and_each_depth(shared: SharedEngine) -> None:
    searcher, position = new_searcher(), random_position(6, 11)
    expected = searcher.expand(task_of(position, 0)).nodes
    expected += sum(searcher.run(task_of(position, depth)).nodes for depth in (0, 1, 2))
    assert ask(shared("gomoku-classic", 3), position, depth=2).nodes == expected


# -- proofs and forced moves -------------------------------------------------------------------------------------


@each_profile
@each_number
def test_a_win_at_once_is_played_at_once(shared: SharedEngine, profile: str, threads: int) -> None:
    engine = shared(profile, threads)
    for limits in ({"move_time_ms": 60_000}, {"infinite": False, "black_ms": 10**9}, {"depth": 9}, {}):
        result = ask(engine, WON, **limits)
        assert WON.play(result.best_move).winner == 0
        (line,) = result.lines
        assert (line.score, line.pv) == (Score(MATE, 1), (result.best_move,))
        assert result.ponder_move == NO_CELL


@each_profile
@each_number
def test_a_proved_win_ends_the_search(shared: SharedEngine, profile: str, threads: int) -> None:
    result = ask(shared(profile, threads), IN_THREE, move_time_ms=60_000)
    assert result.lines[0].score == Score(MATE, 3)
    assert len(result.lines[0].pv) == 3
    assert IN_THREE.move_name(result.best_move) in ("c5", "g5")


@each_number
def test_a_proved_loss_ends_the_search(shared: SharedEngine, threads: int) -> None:
    result = ask(shared("gomoku", threads), LOST, move_time_ms=60_000)
    assert result.lines[0].score == Score(MATE, -2)
    assert result.document_score < -PROVED


@each_profile
@each_number
def test_a_forced_reply_is_answered_after_a_few_plies(shared: SharedEngine, profile: str, threads: int) -> None:
    result = ask(shared(profile, threads), MUST_BLOCK, move_time_ms=60_000)
    assert MUST_BLOCK.move_name(result.best_move) == "g5"
    assert 1 <= result.lines[0].depth <= 4 + threads - 1
    assert result.ponder_move in MUST_BLOCK.play("g5").legal_moves


@each_profile
@pytest.mark.parametrize(
    ("position", "value"), [(FINISHED, -1), (FINISHED.with_side(0), 1), (FULL, 0), (FULL.with_side(1), 0)]
)
def test_a_finished_game_is_answered_without_a_move(
    shared: SharedEngine, profile: str, position: GomokuPosition, value: int
) -> None:
    engine = shared(profile, 3)
    for limits in ({"move_time_ms": 60_000}, {"multipv": 4, "depth": 3}, {"heatmap": True}):
        result = ask(engine, position, **limits)
        assert (result.best_move, result.ponder_move) == (NO_CELL, NO_CELL)
        assert [line.score for line in result.lines] == [Score(ScoreKind.WLD, value)]
        assert result.error is None


def test_a_finished_game_needs_no_workers(make_engine: EngineMaker) -> None:
    engine = make_engine(1, loader=DEADLY_LOADER, ready=False, profile="gomoku")
    assert ask(engine, FINISHED, move_time_ms=60_000).lines[0].score.value == -1


@each_profile
def test_the_last_cell_is_played_and_the_game_is_drawn(shared: SharedEngine, profile: str) -> None:
    cells = bytearray(FULL.cells)
    cells[37] = 0
    last = GomokuPosition(10, bytes(cells), 1)
    result = ask(shared(profile, 3), last, depth=9)
    assert result.best_move == 37
    assert last.play(37).is_over


# -- limits ------------------------------------------------------------------------------------------------------


@each_profile
@each_number
@pytest.mark.parametrize("limit", [0, 1, 5, 30, 60])
def test_every_time_limit_brings_a_legal_move(shared: SharedEngine, profile: str, threads: int, limit: int) -> None:
    engine = shared(profile, threads)
    for n_stones, seed in ((0, 1), (4, 2), (7, 3)):
        position = random_position(n_stones, seed)
        assert ask(engine, position, move_time_ms=limit).error is None


@each_profile
@pytest.mark.parametrize("clock", [0, -1, -(10**18), 1, 30, 400])
def test_every_clock_brings_a_legal_move(shared: SharedEngine, profile: str, clock: int) -> None:
    engine = shared(profile, 3)
    ask(engine, QUIET, black_ms=clock, white_ms=10**18)
    ask(engine, QUIET.with_side(1), black_ms=10**18, white_ms=clock, move_time_ms=10_000)


def test_what_there_is_no_time_for_is_a_glance(shared: SharedEngine) -> None:
    result = ask(shared(), QUIET, move_time_ms=0)
    assert result.lines in ((), result.lines[:1])
    if not result.lines:
        assert result.best_move == quick_move(QUIET)


def test_a_game_clock_runs_while_the_engine_loads(make_engine: EngineMaker) -> None:
    engine = make_engine(1, loader="tests.engine.gomoku.plain_gomoku:no_such_loader", ready=False, profile="gomoku")
    assert ask(engine, WON, black_ms=1).best_move == quick_move(WON)


def test_one_worker_stops_exactly_at_a_node_limit(shared: SharedEngine) -> None:
    for profile in ("gomoku", "gomoku-classic"):
        for limit in (30, 200, 1000):
            result = ask(shared(profile, 1), QUIET, nodes=limit)
            assert result.nodes == limit
            assert all(line.complete for line in result.lines) or profile == "gomoku"


@each_profile
def test_several_workers_stop_soon_after_a_node_limit(shared: SharedEngine, profile: str) -> None:
    for limit in (1, 300, 2000):
        result = ask(shared(profile, 3), QUIET, nodes=limit)
        assert result.nodes < limit + 2000
        assert result.nodes >= limit or profile == "gomoku-classic"  # the first share that is used up ends it
        assert result.error is None


def test_a_level_is_a_depth(shared: SharedEngine) -> None:
    assert ask(shared(), QUIET, level=2).lines[0].depth == 2
    with pytest.raises(EngineError, match="level"):
        ask(shared(), QUIET, level=61)


# -- lines and root moves ----------------------------------------------------------------------------------------


@each_profile
@each_number
@pytest.mark.parametrize("multipv", [2, 3, 12])
def test_as_many_lines_as_asked_for_each_with_its_own_score(
    shared: SharedEngine, profile: str, threads: int, multipv: int
) -> None:
    result = ask(shared(profile, threads), QUIET, depth=1, multipv=multipv)
    values = best_values(QUIET, 1)
    assert len(values) == 12
    assert [line.rank for line in result.lines] == list(range(1, multipv + 1))
    assert [line.score.value for line in result.lines] == sorted(values.values(), reverse=True)[:multipv]
    assert all(values[line.pv[0]] == line.score.value for line in result.lines)


@each_profile
@each_number
def test_more_lines_than_cells_near_the_stones(shared: SharedEngine, profile: str, threads: int) -> None:
    result = ask(shared(profile, threads), QUIET, depth=1, multipv=15)
    assert result.error is None
    assert len({line.pv[0] for line in result.lines}) == 15
    assert {line.pv[0] for line in result.lines} > set(best_values(QUIET, 1))


@each_profile
@each_number
def test_only_the_root_moves_asked_for(shared: SharedEngine, profile: str, threads: int) -> None:
    engine = shared(profile, threads)
    far, near = named("j10", "f4")
    for moves in ((far,), (far, near), (near, far, near)):
        result = ask(engine, QUIET, depth=2, search_moves=moves)
        values = best_values(QUIET, 2, tuple(dict.fromkeys(moves)))
        assert values[result.best_move] == result.lines[0].score.value == max(values.values())
        result = ask(engine, QUIET, depth=1, search_moves=moves, multipv=9)
        assert {line.pv[0] for line in result.lines} == set(moves)


@each_profile
@each_number
def test_a_win_that_is_not_allowed_is_not_played(shared: SharedEngine, profile: str, threads: int) -> None:
    moves = named("a1", "j10")
    assert ask(shared(profile, threads), WON, depth=2, search_moves=moves).best_move in moves


def test_root_moves_that_are_none_are_refused(shared: SharedEngine) -> None:
    engine = shared()
    engine.set_position(QUIET)
    for moves in (named("e5"), (-1,), (100,)):
        with pytest.raises(IllegalMoveError):
            engine.go(Limits(search_moves=moves))
    assert not engine.is_searching
    assert ask(engine, QUIET, depth=1).error is None


@each_profile
def test_what_there_is_only_in_othello_is_refused(shared: SharedEngine, profile: str) -> None:
    engine = shared(profile, 3)
    for limits in (Limits(goal=Goal.EXACT), Limits(goal=Goal.WLD), Limits(window=(-1, 1))):
        with pytest.raises(EngineError, match="Gomoku"):
            engine.go(limits)
    with pytest.raises(EngineError, match="Othello"):
        engine.perft(2)
    with pytest.raises(EngineError, match="Othello"):
        engine.feed(Position.start(), -1, 1, 5)
    assert not engine.is_searching
    assert ask(engine, QUIET, depth=1).error is None


# -- stop, ponder, infinite --------------------------------------------------------------------------------------


@each_profile
@each_number
def test_a_search_without_end_waits_for_stop(shared: SharedEngine, profile: str, threads: int) -> None:
    engine = shared(profile, threads)
    for position in (QUIET, WON, FINISHED):
        engine.set_position(position)
        handle = engine.go(Limits(infinite=True))
        with pytest.raises(TimeoutError):
            handle.wait(0.1)
        with pytest.raises(BusyError):
            engine.go()
        engine.stop()
        result = handle.wait(PATIENCE_S)
        assert result.best_move in (position.legal_moves or (NO_CELL,))
        assert result.lines
        if position is WON:
            assert result.lines[0].score == Score(MATE, 1)


def test_of_a_stopped_iteration_of_shards_nothing_counts(shared: SharedEngine) -> None:
    engine = shared("gomoku-classic", 3)
    engine.set_position(QUIET)
    infos: list[SearchInfo] = []
    handle = engine.go(Limits(infinite=True), infos.append)
    deadline = time.monotonic() + PATIENCE_S
    while not any(info.depth == 2 for info in infos):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    handle.stop()
    result = handle.wait(PATIENCE_S)
    (line,) = result.lines
    assert line.complete
    assert line.depth >= 2
    assert line.score.value == best_values(QUIET, line.depth)[result.best_move]
    assert result.nodes > infos[-1].nodes  # but its nodes were visited


@each_profile
@each_number
def test_stops_and_new_searches_in_quick_succession(shared: SharedEngine, profile: str, threads: int) -> None:
    engine = shared(profile, threads)
    dice = random.Random(threads)
    for _ in range(12):
        position = random_position(dice.randrange(8), dice.randrange(99))
        engine.set_position(position)
        handle = engine.go(Limits(infinite=True, multipv=dice.choice((1, 3))))
        time.sleep(dice.choice((0, 0, 0.003, 0.02)))
        handle.stop()
        result = handle.wait(PATIENCE_S)
        assert result.best_move in position.legal_moves
        assert result.error is None


@each_profile
def test_a_ponder_hit_starts_the_limits(shared: SharedEngine, profile: str) -> None:
    engine = shared(profile, 3)
    engine.set_position(QUIET)
    handle = engine.go(Limits(ponder=True, move_time_ms=60))
    with pytest.raises(TimeoutError):
        handle.wait(0.2)
    engine.ponder_hit()
    with pytest.raises(EngineError):
        engine.ponder_hit()
    assert handle.wait(PATIENCE_S).best_move in QUIET.legal_moves
    handle = engine.go(Limits(ponder=True, move_time_ms=60_000))
    engine.stop()
    assert handle.wait(PATIENCE_S).best_move in QUIET.legal_moves


def test_a_position_that_is_set_while_a_search_runs_is_for_the_next_one(shared: SharedEngine) -> None:
    engine = shared()
    engine.set_position(WON)
    handle = engine.go(Limits(infinite=True))
    engine.set_position(FINISHED)
    engine.stop()
    assert WON.play(handle.wait(PATIENCE_S).best_move).winner == 0
    assert engine.go(Limits(depth=1)).wait(PATIENCE_S).best_move == NO_CELL


# -- heatmaps and static values ----------------------------------------------------------------------------------


def heatmap(position: GomokuPosition) -> tuple[RootValue, ...]:
    found = new_searcher().expand(task_of(position, 0)).moves
    return tuple(RootValue(each.move, each.score) for each in found)


@each_profile
@each_number
def test_a_heatmap_is_answered_without_a_search(shared: SharedEngine, profile: str, threads: int) -> None:
    engine = shared(profile, threads)
    for position in (QUIET, WON, MUST_BLOCK, LOST, GomokuPosition.start(10)):
        result = ask(engine, position, heatmap=True)
        assert result.root_values == heatmap(position)
        n_moves = len(result.root_values)
        assert result.nodes <= 2 * n_moves  # the map, and the glance
        assert all(line.depth <= 1 for line in result.lines)
    assert WON.play(ask(engine, WON, heatmap=True).best_move).winner == 0
    assert MUST_BLOCK.move_name(ask(engine, MUST_BLOCK, heatmap=True).best_move) == "g5"


@each_profile
def test_who_sees_the_heatmap_of_a_search(shared: SharedEngine, profile: str) -> None:
    result = ask(shared(profile, 3), QUIET, depth=1)
    assert result.root_values == (heatmap(QUIET) if profile == "gomoku-classic" else ())


def test_the_json_result_line_wants_a_heatmap(shared: SharedEngine) -> None:
    engine = shared()
    engine.set_option("ResultLine", "json")
    try:
        assert ask(engine, QUIET, depth=1).root_values == heatmap(QUIET)
    finally:
        engine.set_option("ResultLine", "none")
    assert ask(engine, QUIET, depth=1).root_values == ()


@each_profile
def test_a_static_value_is_that_of_the_searcher_also_while_it_searches(shared: SharedEngine, profile: str) -> None:
    engine = shared(profile, 3)
    engine.set_position(QUIET)
    handle = engine.go(Limits(infinite=True))
    for position in (QUIET, QUIET.with_side(1), WON, MUST_BLOCK, GomokuPosition.start(17)):
        score = engine.evaluate(position)
        assert (score.kind, score.value) == (ScoreKind.RAW, value(position.size, position.cells, position.side))
        assert score.units_per_disc == engine.config.profile.units_per_disc
    handle.stop()
    handle.wait(PATIENCE_S)
    assert engine.evaluate() == engine.evaluate(QUIET)


# -- workers that die --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("profile", "threads"), [("gomoku", 2), ("gomoku-classic", 2)])
def test_a_killed_worker_costs_nothing_but_time(
    make_engine: EngineMaker, messages: list[str], profile: str, threads: int
) -> None:
    engine = make_engine(threads, loader=LOADER, profile=profile)
    engine.set_position(IN_THREE.with_side(1))
    handle = engine.go(Limits(depth=4))
    time.sleep(0.02)
    victim = wait_for_workers(threads)[0]
    victim.kill()
    result = handle.wait(PATIENCE_S)
    assert result.error is None
    assert result.best_move in IN_THREE.legal_moves
    assert result.lines[0].depth >= 4
    deadline = time.monotonic() + PATIENCE_S
    while victim in wait_for_workers(threads):
        assert time.monotonic() < deadline
    assert any("died (signal 9), replaced" in message for message in messages)


def test_a_search_that_kills_its_workers_is_answered_with_a_glance(make_engine: EngineMaker) -> None:
    engine = make_engine(2, loader=DEADLY_LOADER, profile="gomoku")
    result = ask(engine, WON, depth=4)
    assert "died" in (result.error or "")
    assert result.best_move == quick_move(WON)


@pytest.mark.parametrize("profile", ["gomoku", "gomoku-classic"])
def test_a_fault_of_the_searcher_is_told_of_and_the_last_iteration_answered(
    make_engine: EngineMaker, profile: str
) -> None:
    engine = make_engine(2, loader=FAULTY_LOADER, profile=profile)
    result = ask(engine, QUIET, depth=4)
    assert "deep trouble" in (result.error or "")
    assert result.lines[0].depth == 1
    assert ask(engine, QUIET, depth=1).error is None


# -- games that change -------------------------------------------------------------------------------------------


def wait_for_workers(n: int) -> list[psutil.Process]:
    """Until there are exactly so many, beside those of the engines that the module shares."""
    deadline = time.monotonic() + PATIENCE_S
    while len(found := [each for each in worker_processes() if each not in _others]) != n:
        assert time.monotonic() < deadline, f"{len(found)} workers instead of {n}"
        time.sleep(0.02)
    return found


_others: list[psutil.Process] = []


@pytest.fixture(autouse=True)
def _notice_shared_workers(request: pytest.FixtureRequest) -> Iterator[None]:
    _others[:] = worker_processes()
    yield
    _others.clear()


def test_a_game_begins_on_a_board_of_the_option_s_size(make_engine: EngineMaker) -> None:
    engine = make_engine(1, loader=LOADER, ready=False, profile="gomoku")
    assert engine.position == GomokuPosition.start(15)
    engine.set_option("BoardSize", 12)
    assert engine.position == GomokuPosition.start(15)  # until the next game
    engine.new_game()
    assert engine.position == GomokuPosition.start(12)
    assert ask(engine, GomokuPosition.start(20), depth=2).error is None
    engine.set_option("BoardSize", 20)
    engine.new_game()
    assert engine.go(Limits(depth=1)).wait(PATIENCE_S).best_move == 10 * 20 + 10
    for size in (9, 21, "big"):
        with pytest.raises(ConfigError):
            engine.set_option("BoardSize", size)
    engine.new_game()
    assert engine.position == GomokuPosition.start(20)


def test_profiles_and_games_change_back_and_forth(make_engine: EngineMaker) -> None:
    engine = make_engine(2, loader=LOADER, profile="gomoku", BoardSize=11)
    steps: list[tuple[str, str, str, AnyPosition]] = [
        ("Game", "othello", "strong", Position.start()),
        ("Game", "gomoku", "gomoku", GomokuPosition.start(11)),
        ("Profile", "classic", "classic", Position.start()),
        ("Profile", "gomoku-classic", "gomoku-classic", GomokuPosition.start(11)),
        ("Game", "gomoku", "gomoku-classic", GomokuPosition.start(11)),
        ("Profile", "gomoku", "gomoku", GomokuPosition.start(11)),
    ]
    former = wait_for_workers(2)
    for name, new, profile, start in steps:
        before = engine.position
        engine.set_option(name, new)
        assert engine.config.profile.name == profile
        assert engine.position == start
        result = engine.go(Limits(depth=1)).wait(PATIENCE_S)
        assert result.error is None
        assert result.best_move in start.legal_moves
        assert engine.evaluate().value == (0 if isinstance(start, GomokuPosition) else engine.evaluate(start).value)
        assert engine.wait_ready(PATIENCE_S)
        now = wait_for_workers(2)
        if new == "gomoku" and profile == "gomoku-classic":
            assert now == former
            assert engine.position is before
        else:
            assert not set(now) & set(former)
        former = now


def test_another_profile_of_the_same_game_keeps_the_position(make_engine: EngineMaker) -> None:
    engine = make_engine(1, loader=LOADER, ready=False, profile="gomoku")
    engine.set_position(QUIET)
    engine.set_option("Profile", "gomoku-classic")
    assert engine.position == QUIET
    assert engine.go(Limits(depth=1)).wait(PATIENCE_S).best_move in QUIET.legal_moves


@pytest.mark.parametrize("name", ["Game", "Profile", "BoardSize"])
def test_nothing_changes_while_a_search_runs(shared: SharedEngine, name: str) -> None:
    engine = shared()
    engine.set_position(QUIET)
    handle = engine.go(Limits(infinite=True))
    with pytest.raises(BusyError):
        engine.set_option(name, {"Game": "othello", "Profile": "gomoku-classic", "BoardSize": "19"}[name])
    with pytest.raises(BusyError):
        engine.new_game()
    assert (engine.config.game, engine.config.profile.name, engine.config.board_size) == ("gomoku", "gomoku", 10)
    assert engine.position == QUIET
    handle.stop()
    assert handle.wait(PATIENCE_S).best_move in QUIET.legal_moves


def test_what_the_other_game_does_not_have_is_refused_and_nothing_changes(make_engine: EngineMaker) -> None:
    engine = make_engine(1, ready=False, loader=LOADER, profile="strong", Variant="anti")
    with pytest.raises(ConfigError, match="anti"):
        engine.set_option("Game", "gomoku")
    assert (engine.config.game, engine.position) == ("othello", Position.start())
    engine.set_option("Variant", "othello")
    engine.set_option("Game", "gomoku")
    options: tuple[tuple[str, str | bool], ...] = (("Variant", "anti"), ("LimitStrength", True))
    for name, refused in options:
        with pytest.raises(ConfigError):
            engine.set_option(name, refused)
    engine.set_option("ResultLine", "json")
    with pytest.raises(ConfigError, match="ResultLine"):
        engine.set_option("Game", "othello")
    assert (engine.config.game, engine.position) == ("gomoku", GomokuPosition.start())


def test_positions_of_the_other_game_are_refused(make_engine: EngineMaker) -> None:
    engine = make_engine(1, loader=LOADER, ready=False, profile="gomoku")
    start: AnyPosition = Position.start()
    engine.set_position(QUIET)
    with pytest.raises(EngineError, match="gomoku"):
        engine.set_position(Position.start())
    with pytest.raises(EngineError, match="gomoku"):
        engine.evaluate(Position.start())
    assert engine.position == QUIET
    engine.set_option("Game", "othello")
    with pytest.raises(EngineError, match="strong"):
        engine.set_position(QUIET)
    with pytest.raises(EngineError, match="strong"):
        engine.evaluate(QUIET)
    assert engine.position == start


def test_an_engine_that_changed_its_game_leaves_nobody_behind() -> None:
    before = worker_processes()
    with Engine(load_config(profile="gomoku", overrides={"Threads": 2, "Hash": 1}), loader=LOADER) as engine:
        for game in ("othello", "gomoku", "othello"):
            engine.set_option("Game", game)  # without waiting for anything
        assert engine.go(Limits(depth=1)).wait(PATIENCE_S).best_move in Position.start().legal_moves
    deadline = time.monotonic() + PATIENCE_S
    while [each for each in worker_processes() if each not in before]:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_running_search_is_answered_when_the_engine_closes(make_engine: EngineMaker) -> None:
    engine = make_engine(2, loader=LOADER, profile="gomoku")
    engine.set_position(QUIET)
    handle: SearchHandle = engine.go(Limits(infinite=True))
    engine.close()
    assert handle.wait(PATIENCE_S).best_move in QUIET.legal_moves
    with pytest.raises(EngineError, match="closed"):
        engine.go()
