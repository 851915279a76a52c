"""What becomes of processes and memory: killed workers, killed parents, interrupts, idle time. Plain workers."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import othello_engine
from othello_engine.engine import jobs, pool
from othello_engine.position import Position
from othello_engine.types import Goal, Limits
from tests.engine.conftest import EngineMaker, worker_processes
from tests.engine.plain_searcher import TALKING_LOADER
from tests.engine.test_deepening import move_scores, random_position

ROOT = Path(othello_engine.__file__).resolve().parent.parent
MIDGAME = Position.from_moves("f5d6c3d3c4f4f6")
SHM = Path("/dev/shm")

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")


# -- workers ------------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_killed_worker_costs_nothing_but_time(make_engine: EngineMaker, messages: list[str], threads: int) -> None:
    engine = make_engine(threads)
    position = random_position(8, 7)
    engine.set_position(position)
    handle = engine.go(Limits(goal=Goal.EXACT))
    time.sleep(0.02)
    victim = random.Random(threads).choice(worker_processes())
    victim.kill()
    result = handle.wait(60)
    assert result.error is None
    assert result.lines[0].score.value == max(move_scores(position).values())
    assert any("died (signal 9), replaced" in message for message in messages)
    deadline = time.monotonic() + 5
    while len(worker_processes()) < threads and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(worker_processes()) == threads
    assert victim.pid not in [process.pid for process in worker_processes()]


@posix
def test_workers_killed_again_and_again_do_not_change_a_result(make_engine: EngineMaker) -> None:
    engine = make_engine(3)
    dice = random.Random(3)
    for seed in range(4):
        position = random_position(8, 20 + seed)
        engine.set_position(position)
        handle = engine.go(Limits(goal=Goal.EXACT))
        for _ in range(2):
            time.sleep(dice.random() * 0.3)
            for victim in worker_processes()[:1]:
                victim.kill()
        result = handle.wait(60)
        assert result.error is None
        assert result.lines[0].score.value == max(move_scores(position).values())


@posix
def test_a_search_without_any_worker_left_is_answered_in_time(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    engine.set_position(MIDGAME)
    started = time.perf_counter()
    handle = engine.go(Limits(move_time_ms=300))
    time.sleep(0.2)
    for victim in worker_processes():
        victim.kill()
    result = handle.wait(2)
    assert time.perf_counter() - started < 0.4
    assert result.best_move in MIDGAME.legal_moves
    assert result.error is None


@posix
def test_a_killed_idle_worker_is_replaced(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    worker_processes()[0].kill()
    assert engine.go(Limits(depth=3)).wait(10).error is None


@posix
def test_a_question_to_a_killed_worker_is_asked_again(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    value = engine.evaluate(MIDGAME)
    victim = worker_processes()[0]
    victim.suspend()
    victim.kill()
    assert engine.evaluate(MIDGAME, timeout=10) == value


@posix
def test_a_perft_survives_a_killed_worker(make_engine: EngineMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PERFT_ALONE_DEPTH", 3)
    engine = make_engine(2)
    handle = engine.perft(6)
    time.sleep(0.1)
    worker_processes()[0].kill()
    assert handle.wait(60).nodes == 8200


@posix
def test_a_worker_that_does_not_get_the_processor_delays_no_answer(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    engine.set_position(MIDGAME)
    frozen = worker_processes()[1]
    handle = engine.go(Limits(infinite=True))
    time.sleep(0.2)
    frozen.suspend()
    started = time.perf_counter()
    engine.stop()
    result = handle.wait(2)
    assert time.perf_counter() - started < 0.1
    assert result.best_move in MIDGAME.legal_moves
    assert engine.go(Limits(move_time_ms=100)).wait(2).best_move in MIDGAME.legal_moves
    frozen.resume()
    assert engine.go(Limits(depth=4)).wait(10).error is None


@posix
def test_a_worker_that_stays_frozen_is_replaced(make_engine: EngineMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("othello_engine.engine.pool.STUCK_AFTER_S", 0.3)
    engine = make_engine(1)
    frozen = worker_processes()[0]
    engine.set_position(MIDGAME)
    handle = engine.go(Limits(infinite=True))
    time.sleep(0.4)  # in the middle of an iteration that takes seconds
    frozen.suspend()
    engine.stop()
    handle.wait(2)
    assert engine.go(Limits(depth=3)).wait(10).error is None
    assert frozen.pid not in [process.pid for process in worker_processes()]


def test_idle_workers_cost_no_processor_time(make_engine: EngineMaker) -> None:
    engine = make_engine(2)
    engine.go(Limits(depth=3)).wait(10)
    processes = [psutil.Process(), *worker_processes()]

    def spent() -> float:
        return sum(sum(process.cpu_times()[:2]) for process in processes)

    time.sleep(0.2)
    before = spent()
    time.sleep(1.5)
    assert spent() - before < 0.03


@posix
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_worker_whose_end_another_thread_sees_first_is_put_away_all_the_same() -> None:
    is_over = threading.Event()

    def look_around() -> None:
        while not is_over.is_set():
            multiprocessing.active_children()  # as starting a process does

    threads = [threading.Thread(target=look_around) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(60):
            process = multiprocessing.get_context("fork").Process(target=int)
            process.start()
            pool.put_away(process)
            with pytest.raises(ValueError, match="closed"):
                process.join()
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


# -- whole programs -----------------------------------------------------------------------------------------------

PROGRAM = """
    import signal, sys, time
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has it ignored in what it starts with &
    from othello_engine.config import load_config
    from othello_engine.engine.engine import Engine
    from othello_engine.types import Limits
    engine = Engine(load_config(overrides={{"Threads": 2, "Hash": 1}}), loader="{loader}")
    engine.wait_ready()
    print("ready", flush=True)
    {rest}
"""


_started: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """Whatever a failed test has left running ends with it."""
    yield
    while _started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(_started.pop().pid, signal.SIGKILL)


def run_program(
    rest: str, loader: str = "tests.engine.plain_searcher:load", **options: object
) -> subprocess.Popen[str]:
    """Start a script without a main guard, in a session of its own."""
    script = textwrap.dedent(PROGRAM).format(rest=textwrap.dedent(rest), loader=loader)
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    _started.append(process)
    return process


def family(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]


def gone_within(processes: list[psutil.Process], seconds: float) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return not [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]


@posix
@pytest.mark.parametrize("searching", [False, True])
def test_a_killed_parent_leaves_no_process_and_no_memory(searching: bool) -> None:
    before = set(SHM.iterdir()) if SHM.is_dir() else set()
    rest = "engine.go(Limits(infinite=True)); " if searching else ""
    process = run_program(rest + "time.sleep(60)")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    processes = family(process)
    assert len(processes) >= 3
    process.kill()
    assert gone_within(processes, 3)
    process.communicate()
    assert (set(SHM.iterdir()) if SHM.is_dir() else set()) == before


@posix
def test_a_program_that_forgets_to_close_ends_all_the_same() -> None:
    process = run_program("engine.go(Limits(infinite=True))")
    out, err = process.communicate(timeout=20)
    assert (out, err, process.returncode) == ("ready\n", "", 0)


@posix
def test_an_interrupt_reaches_the_program_and_no_worker() -> None:
    process = run_program(
        """
    try:
        engine.go(Limits(infinite=True)).wait()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    engine.close()
    print("closed", flush=True)
    """
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    processes = family(process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert out == "interrupted\nclosed\n"
    assert err == ""
    assert gone_within(processes, 2)


@posix
def test_what_a_worker_prints_goes_to_stderr() -> None:
    process = run_program("engine.go(Limits(depth=2)).wait(); engine.close()", loader=TALKING_LOADER)
    out, err = process.communicate("this line is for the program alone\n", timeout=20)
    assert out == "ready\n"
    assert "printed by a worker" in err
    assert "written by a worker" in err
    assert "for the program" not in err


@posix
def test_workers_start_behind_a_thread_that_reads_the_same_input() -> None:
    process = run_program(
        """
    import threading
    threading.Thread(target=lambda: print("read", sys.stdin.readline().strip(), flush=True), daemon=True).start()
    engine.set_option("Threads", 3)
    engine.wait_ready()
    print("three", flush=True)
    time.sleep(0.5)
    engine.close()
    """
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "ready\n"
    assert process.stdout.readline() == "three\n"
    process.stdin.write("hello\n")
    process.stdin.flush()
    out, err = process.communicate(timeout=20)
    assert (out, err) == ("read hello\n", "")


def test_importing_the_engine_loads_no_numba() -> None:
    code = (
        "import sys, othello_engine.engine.engine, othello_engine.engine.simulation\n"
        "print(sorted({'numba', 'numpy', 'llvmlite', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"
