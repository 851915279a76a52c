"""The engine with real processes and a searcher in plain Python: requests, answers, states."""

from __future__ import annotations

import random
import threading
import time

import pytest

from othello_engine.config import load_config
from othello_engine.engine import jobs
from othello_engine.engine.clock import ANTI_SHARE
from othello_engine.engine.deepening import last_timed_depth
from othello_engine.engine.engine import Engine, PerftResult, SearchHandle
from othello_engine.engine.scheduler import Scheduler
from othello_engine.engine.shared import MEBIBYTE, TableBlock, create_table_block
from othello_engine.errors import BusyError, ConfigError, EngineError, IllegalMoveError, WorkerError
from othello_engine.position import Position
from othello_engine.types import (
    NO_MOVE,
    PASS,
    Bound,
    Goal,
    Limits,
    ScoreKind,
    SearchInfo,
    SearchResult,
)
from tests.engine.conftest import EngineMaker, worker_processes
from tests.engine.plain_searcher import BROKEN_LOADER, DEADLY_LOADER, FAULTY_LOADER, LOADER
from tests.engine.test_deepening import move_scores, random_position
from tests.positions import EARLIEST_PASS, WIPE_OUT

MIDGAME = Position.from_moves("f5d6c3d3c4f4f6")


# -- a search and its answer ------------------------------------------------------------------------------------


def test_nothing_is_started_before_it_is_needed() -> None:
    engine = Engine(load_config(overrides={"Threads": 2}), loader=LOADER)
    engine.set_position(MIDGAME)
    engine.set_option("Hash", 2)
    engine.stop()
    assert not engine.is_ready
    assert not engine.is_searching
    assert worker_processes() == []
    engine.close()
    engine.close()


def test_a_search_starts_the_engine_by_itself(make_engine: EngineMaker) -> None:
    engine = make_engine(1, ready=False)
    result = engine.go(Limits(depth=3)).wait(30)
    assert result.best_move in Position.start().legal_moves
    assert result.error is None


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_solves_are_perfect_with_any_number_of_workers(make_engine: EngineMaker, threads: int) -> None:
    engine = make_engine(threads)
    for seed in range(6):
        position = random_position(8, seed)
        scores = move_scores(position)
        engine.set_position(position)
        result = engine.go(Limits(goal=Goal.EXACT)).wait(60)
        assert result.lines[0].score.kind is ScoreKind.DISCS
        assert result.lines[0].score.value == max(scores.values()) == scores[result.best_move]
        assert sum(result.worker_nodes) == result.nodes


def test_callbacks_come_in_order_on_one_thread_with_the_result_last(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    engine.set_position(MIDGAME)
    seen: list[SearchInfo | SearchResult] = []
    threads = set()

    def take(event: SearchInfo | SearchResult) -> None:
        seen.append(event)
        threads.add(threading.current_thread())

    result = engine.go(Limits(depth=5), take, take).wait(30)
    assert seen[-1] is result
    infos = [event for event in seen[:-1] if isinstance(event, SearchInfo)]
    assert len(infos) == len(seen) - 1
    assert [info.depth for info in infos] == sorted(info.depth for info in infos)
    assert [info.nodes for info in infos] == sorted(info.nodes for info in infos)
    assert len(threads) == 1
    assert threading.current_thread() not in threads
    assert result.best_move == infos[-1].pv[0]
    assert result.ponder_move == infos[-1].pv[1]
    assert infos[-1].hashfull == 7


def test_a_new_search_may_be_begun_in_the_callback_of_the_old_one(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    handles: list[SearchHandle] = []

    def again(result: SearchResult) -> None:
        assert not engine.is_searching
        if len(handles) < 5:
            handles.append(engine.go(Limits(depth=2), on_result=again))

    engine.go(Limits(depth=2), on_result=again).wait(10)
    for index in range(5):
        handles[index].wait(10)
    assert len(handles) == 5


def test_a_callback_that_raises_does_no_harm(make_engine: EngineMaker, caplog: pytest.LogCaptureFixture) -> None:
    engine = make_engine(1)

    def bad(*_: object) -> None:
        raise RuntimeError("mine")

    result = engine.go(Limits(depth=3), bad, bad).wait(10)
    assert result.error is None
    assert engine.go(Limits(depth=3)).wait(10).error is None
    assert "callback" in caplog.text


def test_a_wait_that_takes_too_long_raises(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    handle = engine.go(Limits(infinite=True))
    with pytest.raises(TimeoutError):
        handle.wait(0.05)
    assert not handle.done
    handle.stop()
    assert handle.wait(5).best_move in Position.start().legal_moves
    assert handle.done


# -- limits -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 10, 20, 60])
@pytest.mark.parametrize("threads", [1, 2])
def test_every_time_limit_is_kept_with_a_legal_move(make_engine: EngineMaker, limit: int, threads: int) -> None:
    engine = make_engine(threads)
    for seed in range(10):
        position = random_position(12 + 4 * seed, seed)
        engine.set_position(position)
        started = time.perf_counter()
        result = engine.go(Limits(move_time_ms=limit)).wait(5)
        assert result.best_move in position.legal_moves
        assert time.perf_counter() - started < limit / 1000 + 0.1
    exact = random_position(7, 99)
    engine.set_position(exact)
    assert engine.go(Limits(goal=Goal.EXACT)).wait(30).lines[0].score.value == max(move_scores(exact).values())


@pytest.mark.parametrize("clock", [0, -1, -(10**18)])
def test_a_clock_that_has_run_out_is_answered_at_once(make_engine: EngineMaker, clock: int) -> None:
    engine = make_engine(1)
    started = time.perf_counter()
    result = engine.go(Limits(black_ms=clock, white_ms=10**18)).wait(5)
    assert time.perf_counter() - started < 0.1
    assert result.best_move in Position.start().legal_moves


def test_enormous_times_are_no_trouble(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    for limits in (Limits(move_time_ms=10**30), Limits(black_ms=10**18, black_increment_ms=10**18)):
        handle = engine.go(limits)
        time.sleep(0.05)
        assert not handle.done
        engine.stop()
        handle.wait(5)


def test_a_game_clock_runs_while_the_engine_loads(make_engine: EngineMaker) -> None:
    engine = make_engine(1, loader=BROKEN_LOADER, ready=False)
    result = engine.go(Limits(black_ms=1)).wait(5)
    assert result.best_move in Position.start().legal_moves


def test_one_worker_stops_exactly_at_a_node_limit(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    engine.set_position(MIDGAME)
    for limit in (1, 50, 1000, 5000):
        engine.new_game()
        engine.set_position(MIDGAME)
        assert engine.go(Limits(nodes=limit)).wait(10).nodes == limit


def test_several_workers_stop_soon_after_a_node_limit(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    engine.set_position(MIDGAME)
    result = engine.go(Limits(nodes=5000)).wait(10)
    assert 5000 <= result.nodes < 9000


def test_one_worker_repeats_itself_after_a_new_game(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    seen = []
    for _ in range(3):
        engine.new_game()
        engine.set_position(MIDGAME)
        result = engine.go(Limits(depth=5)).wait(30)
        seen.append((result.best_move, result.nodes, [line.pv for line in result.lines]))
    assert seen[0] == seen[1] == seen[2]


def test_a_bare_go_gets_the_profile_s_time(make_engine: EngineMaker) -> None:
    engine = make_engine(1, Level=2)
    engine.set_position(MIDGAME)
    assert engine.go().wait(10).lines[0].depth == 2  # the level was set by hand


def test_depths_beyond_all_bounds_are_clamped(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    position = random_position(2, 4)
    for depth in (-1, 0, 1, 60, 61, 64, 127, 255, 1 << 31, 10**20):
        engine.set_position(position)
        assert engine.go(Limits(depth=depth)).wait(10).best_move in position.legal_moves


# -- special positions ------------------------------------------------------------------------------------------


def test_a_finished_game_is_answered_without_a_move(make_engine: EngineMaker) -> None:
    engine = make_engine(1, ready=False)
    engine.set_position(Position.from_moves(WIPE_OUT))
    result = engine.go(Limits(move_time_ms=60_000)).wait(1)
    assert (result.best_move, result.ponder_move) == (NO_MOVE, NO_MOVE)
    assert result.lines[0].score.value == -64


def test_a_forced_pass_and_a_single_move_are_answered_soon(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    engine.set_position(Position.from_moves(EARLIEST_PASS))
    result = engine.go(Limits(move_time_ms=60_000)).wait(2)
    assert result.best_move == PASS
    assert result.lines[0].score.bound is Bound.EXACT


def test_root_moves_that_are_none_are_refused(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    with pytest.raises(IllegalMoveError, match="a1"):
        engine.go(Limits(search_moves=(19, 0)))
    with pytest.raises(EngineError, match="window"):
        engine.go(Limits(window=(4, 4)))
    with pytest.raises(EngineError, match="level"):
        engine.go(Limits(level=61))
    assert engine.go(Limits(depth=3, search_moves=(26,))).wait(10).best_move == 26


@pytest.mark.parametrize("multipv", [1, 2, 4, 10, 99])
@pytest.mark.parametrize("threads", [1, 2])
def test_as_many_lines_as_there_are_moves(make_engine: EngineMaker, threads: int, multipv: int) -> None:
    engine = make_engine(threads)
    for position in (MIDGAME, Position.from_moves(EARLIEST_PASS), Position.from_moves(WIPE_OUT)):
        engine.set_position(position)
        for limits in (Limits(depth=3, multipv=multipv), Limits(move_time_ms=30, multipv=multipv)):
            result = engine.go(limits).wait(20)
            moves = [line.pv[0] for line in result.lines if line.pv]
            wanted = min(multipv, len(position.legal_moves))
            assert len(moves) == wanted or (limits.depth is None and len(moves) < wanted)  # stopped in the first ply
            assert len(set(moves)) == len(moves)
            assert [line.rank for line in result.lines] == list(range(1, len(result.lines) + 1))
            if moves:
                assert result.best_move == moves[0]


# -- stop, open searches, ponder --------------------------------------------------------------------------------


def test_a_stop_while_idle_does_not_linger(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    engine.stop()
    engine.stop()
    handle = engine.go(Limits(infinite=True))
    time.sleep(0.3)
    assert not handle.done
    engine.stop()
    handle.wait(2)


def test_an_open_search_with_nothing_left_to_find_waits_for_its_stop(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    infos: list[SearchInfo] = []
    engine.set_position(random_position(4, 1))
    handle = engine.go(Limits(infinite=True), infos.append)
    time.sleep(0.3)
    n_infos = len(infos)
    before = time.process_time()
    time.sleep(1.2)
    assert time.process_time() - before < 0.02
    assert len(infos) == n_infos
    assert not handle.done
    engine.stop()
    assert handle.wait(1).lines[0].score.kind is ScoreKind.DISCS


def test_a_finished_game_in_an_open_search_waits_too(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    engine.set_position(Position.from_moves(WIPE_OUT))
    handle = engine.go(Limits(infinite=True))
    time.sleep(0.2)
    assert not handle.done
    engine.stop()
    assert handle.wait(1).best_move == NO_MOVE


def test_a_ponder_hit_starts_the_clock(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    engine.set_position(MIDGAME)
    handle = engine.go(Limits(ponder=True, move_time_ms=200))
    time.sleep(0.4)
    assert not handle.done
    engine.ponder_hit()
    hit_at = time.perf_counter()
    assert handle.wait(2).best_move in MIDGAME.legal_moves
    assert 0.1 < time.perf_counter() - hit_at < 0.25


def test_a_ponder_hit_on_a_solved_position_is_answered_at_once(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    engine.set_position(random_position(3, 1))
    handle = engine.go(Limits(ponder=True, move_time_ms=60_000))
    time.sleep(0.2)
    assert not handle.done
    engine.ponder_hit()
    handle.wait(0.2)


def test_a_ponder_miss_is_a_stop(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    handle = engine.go(Limits(ponder=True, move_time_ms=500))
    engine.stop()
    handle.wait(1)
    engine.set_position(MIDGAME)
    assert engine.go(Limits(depth=2)).wait(5).best_move in MIDGAME.legal_moves


def test_a_ponder_hit_without_pondering_is_an_error(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    with pytest.raises(EngineError):
        engine.ponder_hit()
    handle = engine.go(Limits(infinite=True))
    with pytest.raises(EngineError):
        engine.ponder_hit()
    engine.stop()
    handle.wait(1)
    handle = engine.go(Limits(ponder=True, depth=3))
    engine.ponder_hit()
    with pytest.raises(EngineError):
        engine.ponder_hit()
    handle.wait(5)


def test_five_hundred_restarts_are_all_answered_for_their_own_position(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    dice = random.Random(5)
    positions = [random_position(6 + index % 50, index) for index in range(50)]
    n_results = 0

    def count(_: SearchResult) -> None:
        nonlocal n_results
        n_results += 1

    for _ in range(500):
        position = dice.choice(positions)
        engine.set_position(position)
        handle = engine.go(Limits(infinite=True), on_result=count)
        time.sleep(dice.choice([0, 0, 0.001, 0.003, 0.005]))
        engine.stop()
        result = handle.wait(2)
        assert result.error is None
        assert result.best_move in position.legal_moves
        for line in result.lines:
            assert line.pv[0] in position.legal_moves
    assert n_results == 500


def test_searches_that_end_by_themselves_race_with_stops(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    engine.set_position(random_position(5, 8))
    answers: list[SearchResult] = []
    for round in range(200):
        handle = engine.go(Limits(depth=2), on_result=answers.append)
        if round % 2:
            time.sleep(0.001 * (round % 5))
        engine.stop()
        handle.wait(2)
        handle.stop()
    assert len(answers) == 200


# -- states -----------------------------------------------------------------------------------------------------


def test_what_is_refused_during_a_search(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    handle = engine.go(Limits(infinite=True))
    assert engine.is_searching
    for call in (
        engine.go,
        engine.new_game,
        engine.clear_hash,
        lambda: engine.perft(3),
        lambda: engine.set_option("Threads", 2),
        lambda: engine.set_option("Clear Hash"),
    ):
        with pytest.raises(BusyError):
            call()
    assert engine.config.threads == 1
    engine.set_position(MIDGAME)
    engine.stop()
    assert handle.wait(2).best_move in Position.start().legal_moves
    assert not engine.is_searching
    assert engine.go(Limits(depth=2)).wait(5).best_move in MIDGAME.legal_moves


def test_unknown_options_and_values_are_refused_by_name(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    before = engine.config
    for name, value in (("Hush", 1), ("Hash", 0), ("Hash", "x"), ("Threads", -3), ("Selectivity", 74)):
        with pytest.raises(ConfigError):
            engine.set_option(name, value)
    assert engine.config == before


def test_a_new_game_goes_back_to_the_start(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    engine.set_position(MIDGAME)
    engine.new_game()
    assert engine.position == Position.start()


def test_after_closing_everything_is_refused(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    engine.close()
    for call in (engine.go, engine.start, engine.evaluate, engine.wait_ready, lambda: engine.perft(2)):
        with pytest.raises(EngineError, match="closed"):
            call()
    engine.stop()
    assert not engine.is_ready or worker_processes() == []


def test_closing_answers_the_search_that_runs(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    results: list[SearchResult] = []
    handle = engine.go(Limits(infinite=True), on_result=results.append)
    time.sleep(0.1)
    started = time.perf_counter()
    engine.close()
    assert time.perf_counter() - started < 1
    result = handle.wait(1)
    assert results == [result]
    assert result.error is not None
    assert result.best_move in Position.start().legal_moves


def test_closing_from_a_callback_is_possible(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    engine.go(Limits(depth=2), on_result=lambda _: engine.close()).wait(5)
    deadline = time.monotonic() + 2
    while worker_processes() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert worker_processes() == []


def test_an_engine_that_is_dropped_closes_itself() -> None:
    engine = Engine(load_config(overrides={"Threads": 2, "Hash": 1}), loader=LOADER)
    engine.wait_ready(30)
    assert len(worker_processes()) == 2
    del engine
    assert worker_processes() == []


def test_waiting_on_the_engine_s_own_thread_is_refused(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    caught: list[Exception] = []

    def wait(_: SearchResult) -> None:
        for call in (engine.evaluate, engine.wait_ready):
            try:
                call()
            except EngineError as error:
                caught.append(error)

    engine.go(Limits(depth=1), on_result=wait).wait(5)
    assert len(caught) == 2


# -- static values and perft ------------------------------------------------------------------------------------


def test_static_values_are_answered_during_a_search(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    value = engine.evaluate(MIDGAME)
    handle = engine.go(Limits(infinite=True))
    for _ in range(20):
        started = time.perf_counter()
        assert engine.evaluate(MIDGAME) == value
        assert time.perf_counter() - started < 0.2
    assert not handle.done
    engine.stop()
    handle.wait(2)
    assert engine.evaluate() != value


@pytest.mark.parametrize("threads", [1, 3])
def test_perft_counts_every_line_at_every_depth(
    make_engine: EngineMaker, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("othello_engine.engine.jobs.PERFT_ALONE_DEPTH", 3)
    engine = make_engine(threads)
    seen: list[tuple[int, int]] = []
    result = engine.perft(5, lambda depth, nodes, ms: seen.append((depth, nodes))).wait(30)
    assert seen == [(1, 4), (2, 12), (3, 56), (4, 244), (5, 1396)]
    assert (result.depth, result.nodes) == (5, 1396)


def test_a_perft_counts_passes_as_plies_and_finished_games_as_leaves(
    make_engine: EngineMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(2)
    for seed in range(5):
        position = random_position(5, seed)
        engine.set_position(position)
        whole = engine.perft(6).wait(30).nodes
        with monkeypatch.context() as patch:
            patch.setattr("othello_engine.engine.jobs.PERFT_ALONE_DEPTH", 3)
            assert engine.perft(6).wait(30).nodes == whole


def test_a_stopped_perft_gives_the_last_depth_counted_in_full(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    results: list[PerftResult] = []
    handle = engine.perft(20, on_result=results.append)
    time.sleep(0.3)
    engine.stop()
    result = handle.wait(2)
    assert results == [result]
    known = {0: 0, 1: 4, 2: 12, 3: 56, 4: 244, 5: 1396, 6: 8200, 7: 55092, 8: 390216}
    assert result.nodes == known[result.depth]
    assert engine.go(Limits(depth=2)).wait(5).error is None


# -- faults -----------------------------------------------------------------------------------------------------


def test_workers_that_never_get_ready_are_reported(make_engine: EngineMaker, messages: list[str]) -> None:
    engine = make_engine(2, loader=BROKEN_LOADER, ready=False)
    with pytest.raises(WorkerError, match="no such kernel"):
        engine.wait_ready(30)
    result = engine.go(Limits(move_time_ms=60_000)).wait(5)
    assert result.best_move in Position.start().legal_moves
    assert "no such kernel" in str(result.error)
    with pytest.raises(EngineError, match="no such kernel"):
        engine.evaluate(timeout=5)
    assert engine.perft(3).wait(5).error is not None
    assert any("no such kernel" in message for message in messages)


def test_a_search_that_kills_its_workers_is_given_up(make_engine: EngineMaker) -> None:
    engine = make_engine(1, loader=DEADLY_LOADER)
    result = engine.go(Limits(move_time_ms=60_000)).wait(20)
    assert result.best_move in Position.start().legal_moves
    assert "died" in str(result.error)


def test_a_fault_in_a_worker_is_told_with_a_legal_move(make_engine: EngineMaker) -> None:
    engine = make_engine(2, loader=FAULTY_LOADER)
    result = engine.go(Limits(depth=6)).wait(20)
    assert result.best_move in Position.start().legal_moves
    assert "deep trouble" in str(result.error)
    assert result.lines[0].depth == 2
    assert engine.go(Limits(depth=2)).wait(20).error is None


def test_a_fault_in_the_parent_is_told_with_a_legal_move(
    make_engine: EngineMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(2)

    def fail(*_: object) -> None:
        raise ZeroDivisionError("in here")

    with monkeypatch.context() as patch:
        patch.setattr(Scheduler, "searched", fail)
        result = engine.go(Limits(depth=6)).wait(20)
    assert result.best_move in Position.start().legal_moves
    assert "in here" in str(result.error)
    again = engine.go(Limits(depth=4)).wait(20)
    assert again.error is None
    assert again.lines[0].depth == 4


# -- options that change the workers ------------------------------------------------------------------------------


def test_the_number_of_workers_follows_the_option(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    for threads in (3, 2, 4, 1):
        engine.set_option("Threads", threads)
        assert engine.wait_ready(30)
        deadline = time.monotonic() + 2
        while len(worker_processes()) != threads and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(worker_processes()) == threads
        assert engine.go(Limits(depth=3)).wait(10).best_move in Position.start().legal_moves


def test_the_table_can_be_resized_between_searches(make_engine: EngineMaker, messages: list[str]) -> None:
    engine = make_engine(2)
    for megabytes in (1, 16, 3, 64, 1):
        engine.set_option("Hash", megabytes)
        assert engine.go(Limits(depth=3)).wait(10).error is None
    assert not any("memory" in message for message in messages)


def test_a_table_larger_than_the_machine_is_cut_down_with_one_message(
    make_engine: EngineMaker, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(megabytes: int, **_: int) -> TableBlock:
        return create_table_block(megabytes, available=lambda: 40 * MEBIBYTE)

    monkeypatch.setattr("othello_engine.engine.conductor.create_table_block", create)
    engine = make_engine(1)
    engine.set_option("Hash", 65536)
    assert engine.go(Limits(depth=3)).wait(10).error is None
    about_memory = [message for message in messages if "65536 MiB" in message]
    assert len(about_memory) == 1


def test_without_memory_for_another_table_the_old_one_serves(
    make_engine: EngineMaker, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(1)

    def refuse(megabytes: int, **_: int) -> TableBlock:
        raise OSError("none left")

    monkeypatch.setattr("othello_engine.engine.conductor.create_table_block", refuse)
    engine.set_option("Hash", 64)
    assert engine.go(Limits(depth=3)).wait(10).error is None
    assert any("none left" in message for message in messages)


def test_without_memory_for_any_table_the_engine_says_so(
    make_engine: EngineMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(megabytes: int, **_: int) -> TableBlock:
        raise OSError("none left")

    monkeypatch.setattr("othello_engine.engine.conductor.create_table_block", refuse)
    engine = make_engine(1, ready=False)
    with pytest.raises(WorkerError, match="none left"):
        engine.wait_ready(5)
    result = engine.go(Limits(move_time_ms=60_000)).wait(5)
    assert "none left" in str(result.error)
    assert result.best_move in Position.start().legal_moves


# -- time and the end of the game ---------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [Limits(move_time_ms=400), Limits(black_ms=4000, white_ms=4000)])
def test_a_solve_that_fits_in_the_time_takes_over(make_engine: EngineMaker, limits: Limits) -> None:
    position = random_position(6, 3)
    engine = make_engine(1)
    engine.set_position(position)
    (line,) = engine.go(limits).wait(10).lines
    assert (line.score.kind, line.score.value) == (ScoreKind.DISCS, max(move_scores(position).values()))


def test_a_solve_that_does_not_fit_is_left_alone_on_a_clock(
    make_engine: EngineMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "solve_cost_ms", lambda *_: 1e9)
    engine = make_engine(1)
    engine.set_position(random_position(6, 3))
    (line,) = engine.go(Limits(black_ms=4000, white_ms=4000)).wait(10).lines
    assert line.score.kind is ScoreKind.RAW
    assert line.depth == last_timed_depth(6)
    (line,) = engine.go(Limits(move_time_ms=400)).wait(10).lines
    assert line.score.kind is ScoreKind.DISCS  # the time would be lost otherwise
    (line,) = engine.go(Limits(black_ms=4000, white_ms=4000, goal=Goal.EXACT)).wait(10).lines
    assert line.score.kind is ScoreKind.DISCS  # asked for


def test_a_solve_is_expected_to_take_longer_in_anti_othello(
    make_engine: EngineMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: dict[str, list[float]] = {"othello": [], "anti": []}
    for variant, found in shares.items():
        monkeypatch.setattr(jobs, "solve_cost_ms", lambda *asked, found=found: found.append(asked[2]) or 1e9)
        engine = make_engine(1, profile="phased", Variant=variant)
        engine.set_position(random_position(6, 3))
        engine.go(Limits(black_ms=4000, white_ms=4000)).wait(10)
    assert shares["anti"]
    assert {share / ANTI_SHARE for share in shares["anti"]} == set(shares["othello"])


def test_a_move_that_stays_the_best_is_played_sooner(make_engine: EngineMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    spent = {}
    engine = make_engine(1)
    engine.set_position(MIDGAME)
    for unrest in (0.02, 2.5):
        monkeypatch.setattr(jobs, "unrest", lambda _, factor=unrest: factor)
        engine.new_game()
        engine.set_position(MIDGAME)
        spent[unrest] = engine.go(Limits(black_ms=20_000, white_ms=20_000)).wait(20).time_ms
    assert 3 * spent[0.02] < spent[2.5]
