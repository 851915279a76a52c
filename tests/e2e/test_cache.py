"""The kernel cache: cold, read-only, missing, damaged, and many engines at once.

A cold start compiles everything, so most of this is slow. What is quick, and what must work whatever the
cache is like, runs always.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from othello_engine.core.cache import CACHE_VARIABLE, KernelCache
from othello_engine.position import Position
from tests.e2e.client import Terminal, assert_playable, legal_names
from tests.e2e.conftest import StartEngine
from tests.e2e.test_startup import solves
from tests.positions import START_TEXT
from tools.measure.driver import COMMAND, EngineProcess, engine_environment

COLD_LIMIT = 120.0
"""Seconds for a cold start here, where the machine may be slow and busy; the target is measured by a tool."""


def cold_environment(folder: Path | str) -> dict[str, str]:
    return engine_environment(**{CACHE_VARIABLE: str(folder)})


@pytest.fixture
def copied_cache(warm_cache: None, tmp_path: Path) -> Iterator[Path]:
    """A private copy of the complete warm cache."""
    cache = KernelCache()
    assert cache.folder is not None
    assert cache.is_complete()
    base = tmp_path / "cache"
    shutil.copytree(cache.folder, base / cache.folder.name)
    yield base
    for path in (base, *base.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)


# -- quick ---------------------------------------------------------------------------------------------------


def test_a_copied_cache_is_as_good_as_the_first(start: StartEngine, copied_cache: Path) -> None:
    engine = start(options={"Threads": 1}, env=cold_environment(copied_cache))
    assert engine.wait_ready() < 10
    solves(engine)


def test_everything_but_the_search_works_without_any_home(start: StartEngine) -> None:
    env = engine_environment(HOME="/dev/null", XDG_CACHE_HOME="/dev/null", TMPDIR="/dev/null")
    engine = start(env=env, quiet=False)
    engine.send("uoi")
    engine.read_until("uoiok", 5)
    engine.send("display")
    assert engine.read_until("board .*", 5)[-1].text == f"board {START_TEXT}"
    assert engine.quit() == 0
    assert "Traceback" not in engine.stderr_text


def test_progress_is_told_while_kernels_are_compiled(start: StartEngine, tmp_path: Path) -> None:
    engine = start(options={"Threads": 1}, env=cold_environment(tmp_path), quiet=False)
    engine.send("isready")
    lines = engine.read_until("info string .*compil.*", 20)
    assert not [line for line in lines if line.kind == "ready"]
    begin = time.perf_counter()
    assert engine.quit() == 0
    assert time.perf_counter() - begin < 2
    assert engine.wait_gone(2) == []
    assert "Traceback" not in engine.stderr_text


def test_a_search_can_be_stopped_before_the_kernels_are_there(start: StartEngine, tmp_path: Path) -> None:
    engine = start(options={"Threads": 1}, env=cold_environment(tmp_path), quiet=False)
    engine.send("setboard startpos moves f5", "go infinite")
    shown = engine.read_until("info string .*compil.*", 20)
    assert not [line for line in shown if line.kind == "bestmove"]
    engine.send("display")
    engine.read_until("board .*", 2)
    answer = engine.search("stop", timeout=2)
    assert answer.best in legal_names(Position.from_moves("f5"))
    assert engine.quit() == 0


# -- slow ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_cold_start_is_ready_in_time_and_then_at_full_speed(start: StartEngine, tmp_path: Path) -> None:
    engine = start(options={"Threads": 2}, env=cold_environment(tmp_path))
    assert engine.wait_ready() < COLD_LIMIT
    answer = engine.search("setboard startpos moves f5d6c3", "go time 100")
    assert answer.seconds < 0.15
    solves(engine)
    assert engine.quit() == 0
    # The second process loads what the first compiled, and computes the same.
    second = start(options={"Threads": 2}, env=cold_environment(tmp_path))
    assert second.wait_ready() < 10
    solves(second)


@pytest.mark.slow
@pytest.mark.parametrize("cache", ["no home", "off", "read-only file"])
def test_an_unusable_cache_is_said_once_and_does_no_harm(start: StartEngine, tmp_path: Path, cache: str) -> None:
    env = {
        "no home": engine_environment(HOME="/dev/null", XDG_CACHE_HOME="/dev/null", TMPDIR="/dev/null"),
        "off": cold_environment("off"),
        "read-only file": cold_environment("/dev/null/cache"),
    }[cache]
    engine = start(options={"Threads": 1}, env=env, quiet=False)
    engine.wait_ready(COLD_LIMIT)
    solves(engine)
    assert engine.quit() == 0
    assert "Traceback" not in engine.stderr_text
    assert len(engine.stderr_text.splitlines()) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["truncated", "emptied", "scrambled", "index removed", "manifest broken"])
def test_a_damaged_cache_is_repaired(start: StartEngine, copied_cache: Path, damage: str) -> None:
    data = sorted(copied_cache.rglob("*.nbc"))
    index = sorted(copied_cache.rglob("*.nbi"))
    if damage == "truncated":
        for path in data:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif damage == "emptied":
        for path in (*data, *index):
            path.write_bytes(b"")
    elif damage == "scrambled":
        middle = data[len(data) // 2]
        content = bytearray(middle.read_bytes())
        content[len(content) // 2] ^= 0xFF
        middle.write_bytes(content)
    elif damage == "index removed":
        index[0].unlink()
    else:
        (manifest,) = copied_cache.rglob("manifest.json")
        manifest.write_text("{", encoding="utf-8")
    engine = start(options={"Threads": 2}, env=cold_environment(copied_cache))
    engine.wait_ready(COLD_LIMIT)
    solves(engine)
    assert engine.quit() == 0
    again = start(options={"Threads": 2}, env=cold_environment(copied_cache))
    assert again.wait_ready() < 10


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_warm_cache_that_became_read_only_is_used(start: StartEngine, copied_cache: Path) -> None:
    for path in (*copied_cache.rglob("*"), copied_cache):
        path.chmod(0o555 if path.is_dir() else 0o444)
    engine = start(options={"Threads": 1}, env=cold_environment(copied_cache), quiet=False)
    engine.wait_ready(COLD_LIMIT)
    solves(engine)


MOUNT_READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'


@pytest.mark.slow
def test_a_warm_cache_on_a_read_only_file_system_does_no_harm(start: StartEngine, copied_cache: Path) -> None:
    as_read_only = ["unshare", "--mount", "sh", "-c", MOUNT_READ_ONLY, "sh", str(copied_cache)]
    try:
        mounted = subprocess.run([*as_read_only, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("can't mount here")
    env = cold_environment(copied_cache)
    engine = start(options={"Threads": 1}, env=env, command=[*as_read_only, *COMMAND], quiet=False)
    engine.wait_ready(COLD_LIMIT)
    solves(engine)
    assert engine.quit() == 0
    assert "Traceback" not in engine.stderr_text


@pytest.mark.slow
def test_six_engines_at_once_on_a_cold_cache_all_answer(start: StartEngine, tmp_path: Path) -> None:
    begin = time.perf_counter()
    engines = [start(options={"Threads": 1}, env=cold_environment(tmp_path)) for _ in range(6)]
    for engine in engines:
        engine.send("isready")
    for engine in engines:
        engine.read_until("readyok", 2 * COLD_LIMIT)
    assert time.perf_counter() - begin < 1.5 * COLD_LIMIT
    for engine in engines:
        solves(engine)


@pytest.mark.slow
def test_kernels_are_compiled_ahead_of_time_on_request(start: StartEngine, tmp_path: Path) -> None:
    env = cold_environment(tmp_path)
    warmup = EngineProcess(["warmup"], env=env, check_grammar=False)
    try:
        assert warmup.wait_exit(COLD_LIMIT) == 0
        assert "Traceback" not in warmup.stderr_text
    finally:
        warmup.close()
    engine = start(options={"Threads": 1}, env=env)
    assert engine.wait_ready() < 10
    assert_playable(Position.start(), engine.search("setboard startpos", "go depth 3"))


@pytest.mark.slow
def test_a_terminal_sees_clean_protocol_lines_while_kernels_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    with Terminal(["--set", "threads=1"]) as terminal:
        terminal.send("isready")
        terminal.child.expect("readyok\r\n", timeout=COLD_LIMIT)
        assert terminal.quit() == 0
