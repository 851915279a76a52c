"""The process tree: killed workers, killed parents, idle cost, shared memory, the number of cores."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from othello_engine.position import Position
from tests.e2e.client import assert_playable, legal_names, workers_in_the_end
from tests.e2e.conftest import StartEngine
from tests.positions import SOLVED
from tools.measure.driver import COMMAND, EngineProcess, engine_environment

MIDGAME = "setboard startpos moves f5d6c3d3c4f4f6"
ROOT = Position.from_moves("f5d6c3d3c4f4f6")
SHM = Path("/dev/shm")

needs_proc = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")


def shared_memory_names(engine: EngineProcess) -> set[str]:
    """Names in /dev/shm that any of the engine's processes has mapped or holds open."""
    found = set()
    for process in engine.processes():
        root = Path(f"/proc/{process.pid}")
        try:
            maps = (root / "maps").read_text(encoding="utf-8", errors="replace").splitlines()
            targets = [os.readlink(entry) for entry in (root / "fd").iterdir()]
        except OSError:
            continue
        places = [line.split(maxsplit=5)[5] for line in maps if len(line.split(maxsplit=5)) == 6]
        found |= {place for place in (*places, *targets) if place.startswith("/dev/shm/")}
    return found


# -- a worker dies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("which", "number"),
    [
        pytest.param(0, signal.SIGKILL, id="first, SIGKILL"),
        pytest.param(-1, signal.SIGSEGV, id="last, SIGSEGV"),
        pytest.param(0, signal.SIGSEGV, id="first, SIGSEGV", marks=pytest.mark.slow),
        pytest.param(-1, signal.SIGKILL, id="last, SIGKILL", marks=pytest.mark.slow),
    ],
)
def test_a_worker_killed_during_a_search_costs_only_time(
    start: StartEngine, which: int, number: signal.Signals
) -> None:
    engine = start(options={"Threads": 2, "Hash": 16}, quiet=False)
    engine.wait_ready()
    sent_at = engine.send(MIDGAME, "go time 1000")
    time.sleep(0.3)
    victim = engine.workers()[which]
    victim.send_signal(number)
    answer = engine.collect(sent_at, timeout=5)
    assert_playable(ROOT, answer)
    # Not a measure of the clock (tools.measure.move_time is): a new process starts meanwhile on the same cores.
    assert answer.seconds < 1.5
    again = engine.search(f"setboard {SOLVED[2].text}", "go exact", timeout=20)
    assert (again.best, again.last.score) == ("a3", 12)
    workers = workers_in_the_end(engine, 2)
    assert victim.pid not in [worker.pid for worker in workers]
    assert "Traceback" not in engine.stderr_text


def test_every_worker_killed_at_once_costs_only_time(start: StartEngine) -> None:
    engine = start(options={"Threads": 2, "Hash": 16}, quiet=False)
    engine.wait_ready()
    sent_at = engine.send(MIDGAME, "go time 1500")
    time.sleep(0.3)
    for worker in engine.workers():
        worker.kill()
    answer = engine.collect(sent_at, timeout=5)
    assert answer.best in legal_names(ROOT)
    assert answer.seconds < 1.55
    again = engine.search(f"setboard {SOLVED[2].text}", "go exact", timeout=20)
    assert (again.best, again.last.score) == ("a3", 12)


def test_a_worker_killed_while_idle_is_replaced(start: StartEngine) -> None:
    engine = start(options={"Threads": 2, "Hash": 16}, quiet=False)
    engine.wait_ready()
    engine.workers()[0].kill()
    time.sleep(0.2)
    answer = engine.search(f"setboard {SOLVED[2].text}", "go exact", timeout=20)
    assert (answer.best, answer.last.score) == ("a3", 12)
    workers_in_the_end(engine, 2)


def test_a_worker_killed_during_perft_does_not_change_the_count(start: StartEngine) -> None:
    engine = start(options={"Threads": 2, "Hash": 16}, quiet=False)
    engine.wait_ready()
    engine.send("setboard startpos", "perft 11")
    time.sleep(0.15)
    engine.workers()[0].kill()
    last = engine.read_until("perft depth .*", 60)[-1].text
    assert last.startswith("perft depth 11 nodes 212258800 ")


# -- the parent dies -----------------------------------------------------------------------------------------


@needs_proc
@pytest.mark.parametrize(("n_workers", "searching"), [(1, False), (4, True)], ids=["idle", "searching"])
def test_a_killed_parent_leaves_nothing_behind(start: StartEngine, n_workers: int, searching: bool) -> None:
    before = set(SHM.iterdir()) if SHM.exists() else set()
    engine = start(options={"Threads": n_workers, "Hash": 16}, quiet=False)
    engine.wait_ready()
    if searching:
        engine.send(MIDGAME, "go infinite")
        time.sleep(0.2)
    assert len(engine.workers()) == n_workers
    assert shared_memory_names(engine) == set()
    os.kill(engine.pid, signal.SIGKILL)
    assert engine.wait_exit(3) == -signal.SIGKILL
    assert engine.wait_gone(2) == []
    left = (set(SHM.iterdir()) if SHM.exists() else set()) - before
    assert not [path for path in left if "sem.mp" not in path.name]


@pytest.mark.slow
def test_twenty_kills_at_random_moments_leave_nothing_behind(start: StartEngine) -> None:
    for i in range(20):
        engine = start(options={"Threads": 2, "Hash": 16}, quiet=False)
        engine.send("isready", MIDGAME, "go infinite")
        time.sleep(0.1 * i)
        assert shared_memory_names(engine) == set()
        os.kill(engine.pid, signal.SIGKILL)
        engine.wait_exit(3)
        assert engine.wait_gone(3) == []


def test_a_parent_killed_during_the_start_leaves_nothing_behind(start: StartEngine) -> None:
    for delay in (0.1, 0.3, 0.6):
        engine = start(options={"Threads": 2}, quiet=False)
        engine.send("isready")
        time.sleep(delay)
        os.kill(engine.pid, signal.SIGKILL)
        engine.wait_exit(3)
        assert engine.wait_gone(3) == []


# -- at rest -------------------------------------------------------------------------------------------------


def test_an_idle_engine_uses_no_processor_time(engine: EngineProcess) -> None:
    engine.search(MIDGAME, "go depth 5")
    time.sleep(0.3)
    before = engine.cpu_seconds()
    time.sleep(3.0)
    assert engine.cpu_seconds() - before < 0.03


@pytest.mark.slow
def test_ten_idle_seconds_cost_less_than_a_tenth(engine: EngineProcess) -> None:
    engine.search(MIDGAME, "go depth 5")
    time.sleep(0.3)
    before = engine.cpu_seconds()
    time.sleep(10.0)
    assert engine.cpu_seconds() - before < 0.1


@needs_proc
def test_workers_hold_neither_end_of_the_wire(engine: EngineProcess) -> None:
    """A child with the pipe's write end would keep the client from seeing the engine's end."""
    wires = {
        os.readlink(f"/proc/{os.getpid()}/fd/{stream.fileno()}")
        for stream in (engine.popen.stdin, engine.popen.stdout)
        if stream
    }
    assert len(wires) == 2
    for worker in engine.workers():
        held = {os.readlink(entry) for entry in Path(f"/proc/{worker.pid}/fd").iterdir()}
        assert not held & wires, f"worker {worker.pid}"


def test_two_engines_side_by_side_do_not_disturb_each_other(start: StartEngine) -> None:
    stays, goes = (start(options={"Threads": 1, "Hash": 16}, quiet=False) for _ in range(2))
    for engine in (stays, goes):
        engine.wait_ready()
    stays.send(MIDGAME, "go infinite")
    goes.send(MIDGAME, "go infinite")
    time.sleep(0.2)
    os.kill(goes.pid, signal.SIGKILL)
    assert goes.wait_gone(3) == []
    time.sleep(0.2)
    assert_playable(ROOT, stays.search("stop"))
    assert stays.quit() == 0
    assert stays.stderr_text == ""


# -- cores and memory ----------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("taskset") is None, reason="needs taskset")
def test_one_core_means_one_worker_by_default(start: StartEngine) -> None:
    engine = start(command=["taskset", "-c", "0", *COMMAND])
    engine.wait_ready()
    engine.search("setboard startpos", "go depth 3")
    assert len(engine.workers()) == 1
    engine.send("uoi")
    lines = [line.text for line in engine.read_until("uoiok")]
    assert "option name Threads type spin default 1 min 1 max 256" in lines


def test_all_usable_cores_are_used_by_default(start: StartEngine) -> None:
    engine = start()
    engine.wait_ready()
    engine.search("setboard startpos moves f5d6c3", "go depth 4")
    assert 1 <= len(engine.workers()) <= len(psutil.Process().cpu_affinity())


@pytest.mark.slow
def test_fifty_searches_later_memory_is_the_same(start: StartEngine) -> None:
    engine = start(options={"Threads": 2, "Hash": 1})
    engine.wait_ready()

    def private_mib() -> float:
        return float(sum(p.memory_info().rss - p.memory_info().shared for p in engine.processes()) / 2**20)

    for _ in range(20):
        engine.search("newgame", MIDGAME, "go time 50")
    before = private_mib()
    for _ in range(50):
        engine.search("newgame", MIDGAME, "go time 50")
    assert private_mib() - before < 2


@pytest.mark.skipif(not SHM.is_mount() or os.geteuid() != 0, reason="needs root and /dev/shm")
def test_a_small_shared_memory_file_system_is_no_obstacle(warm_cache: None) -> None:
    """Shared memory of containers is 64 MiB or less; a table larger than that must neither fail nor crash."""
    script = "mount -t tmpfs -o size=1m tmpfs /dev/shm && exec " + " ".join(COMMAND) + " --set hash_mb=256"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script],
        input=f"setboard {SOLVED[2].text}\ngo exact\n{MIDGAME}\ngo time 300\n",
        capture_output=True,
        text=True,
        env=engine_environment(),
        timeout=60,
        check=False,
    )
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(f"can't mount here: {done.stderr.strip()}")
    answers = [line for line in done.stdout.splitlines() if line.startswith("bestmove")]
    assert answers[0] == "bestmove a3"
    assert len(answers) == 2
    assert done.returncode == 0
