"""How the program ends: end of input, quit, signals, broken pipes, closed descriptors, exit status."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.client import run_script
from tests.e2e.conftest import StartEngine
from tests.positions import SOLVED
from tools.measure.driver import COMMAND, engine_environment, session_members

MIDGAME = "setboard startpos moves f5d6c3d3c4f4f6"
SHELL_COMMAND = shlex.join(COMMAND)

INTERRUPTED = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
"""Documented exit status for each signal that means quit."""
OUTPUT_CLOSED = 4
"""Documented exit status when the reader of the output went away."""


# -- end of input --------------------------------------------------------------------------------------------


def test_a_script_that_ends_in_a_bounded_search_gets_its_answer(warm_cache: None) -> None:
    lines, status, said = run_script(f"setboard {SOLVED[2].text}\ngo depth 20\n")
    assert lines[-1] == "bestmove a3"
    assert (status, said) == (0, "")


def test_a_last_line_without_newline_counts(warm_cache: None) -> None:
    lines, status, _ = run_script(f"setboard {SOLVED[2].text}\ngo exact")
    assert lines[-1] == "bestmove a3"
    assert status == 0


def test_everything_queued_is_finished_before_the_end(warm_cache: None) -> None:
    script = f"{MIDGAME}\ngo depth 3\ngo depth 4\nperft 3\nsetboard {SOLVED[2].text}\ngo exact\ndisplay\n"
    lines, status, said = run_script(script)
    final = [line.split()[0] for line in lines if line.startswith(("bestmove", "perft"))]
    assert final == ["bestmove", "bestmove", "perft", "bestmove"]
    assert "bestmove a3" in lines
    assert (status, said) == (0, "")


@pytest.mark.parametrize("go", ["go infinite", "go ponder time 100"])
def test_a_script_that_ends_in_an_unbounded_search_ends(warm_cache: None, go: str) -> None:
    begin = time.perf_counter()
    lines, status, said = run_script(f"{MIDGAME}\n{go}\n", timeout=60)
    assert sum(line.startswith("bestmove") for line in lines) == 1
    assert (status, said) == (0, "")
    assert time.perf_counter() - begin < 10


@pytest.mark.parametrize("script", ["", "\n", "# nothing\n", "stop\n"])
def test_an_empty_script_ends_without_a_word(script: str) -> None:
    begin = time.perf_counter()
    assert run_script(script) == ([], 0, "")
    assert time.perf_counter() - begin < 3


def test_what_follows_quit_is_not_answered() -> None:
    lines, status, said = run_script("query gameover\nquit\ndisplay\n")
    assert lines == ["response false"]
    assert (status, said) == (0, "")


# -- quit ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threads", "go"),
    [
        (1, "go infinite"),
        (2, "go time 60000"),
        (2, "perft 20"),
        pytest.param(2, "go infinite", marks=pytest.mark.slow),
        pytest.param(1, "go time 60000", marks=pytest.mark.slow),
        pytest.param(1, "perft 20", marks=pytest.mark.slow),
        pytest.param(4, "go ponder time 100", marks=pytest.mark.slow),
    ],
)
def test_quit_during_a_search_ends_everything_at_once(start: StartEngine, threads: int, go: str) -> None:
    engine = start(options={"Threads": threads})
    engine.wait_ready()
    engine.send(MIDGAME, go)
    time.sleep(0.1)
    begin = time.perf_counter()
    assert engine.quit() == 0
    assert time.perf_counter() - begin < 1
    assert not [line for line in engine.read_to_end() if line.text.startswith(("bestmove", "perft depth"))]
    assert engine.wait_gone(1) == []


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.3, 0.6])
def test_quit_during_the_start_ends_everything_at_once(start: StartEngine, delay: float) -> None:
    engine = start()
    engine.send("isready")
    time.sleep(delay)
    begin = time.perf_counter()
    assert engine.quit() == 0
    assert time.perf_counter() - begin < 2
    assert engine.wait_gone(1) == []


# -- signals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("searching", "number"),
    [
        pytest.param(False, signal.SIGTERM, id="idle, SIGTERM"),
        pytest.param(False, signal.SIGINT, id="idle, SIGINT", marks=pytest.mark.slow),
        pytest.param(False, signal.SIGHUP, id="idle, SIGHUP", marks=pytest.mark.slow),
        pytest.param(True, signal.SIGTERM, id="searching, SIGTERM", marks=pytest.mark.slow),
        pytest.param(True, signal.SIGINT, id="searching, SIGINT"),
        pytest.param(True, signal.SIGHUP, id="searching, SIGHUP"),
    ],
)
def test_a_signal_to_the_whole_group_means_quit(start: StartEngine, searching: bool, number: signal.Signals) -> None:
    engine = start(options={"Threads": 2 if searching else 1}, quiet=False)
    engine.wait_ready()
    if searching:
        engine.send(MIDGAME, "go infinite")
        time.sleep(0.2)
    begin = time.perf_counter()
    os.killpg(engine.pid, number)
    assert engine.wait_exit(3) == INTERRUPTED[number]
    assert time.perf_counter() - begin < 1
    assert engine.wait_gone(1) == []
    assert "Traceback" not in engine.stderr_text
    assert len(engine.stderr_text.splitlines()) <= 1


def test_a_signal_during_the_start_leaves_no_traceback(start: StartEngine) -> None:
    for delay in (0.02, 0.08, 0.2, 0.4):
        engine = start(quiet=False)
        engine.send("isready")
        time.sleep(delay)
        os.killpg(engine.pid, signal.SIGTERM)
        assert engine.wait_exit(3) in (INTERRUPTED[signal.SIGTERM], -signal.SIGTERM)
        assert engine.wait_gone(2) == []
        assert "Traceback" not in engine.stderr_text


@pytest.mark.slow
def test_a_signal_is_never_lost_whenever_it_comes(start: StartEngine) -> None:
    """A handler may run only between two Python instructions: one that waits in C must be woken all the
    same.
    """
    for _ in range(30):
        engine = start(options={"Threads": 1})
        engine.wait_ready()
        os.kill(engine.pid, signal.SIGTERM)
        assert engine.wait_exit(3) == INTERRUPTED[signal.SIGTERM]


# -- pipes and descriptors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("go", ["go infinite", pytest.param("go time 60000", marks=pytest.mark.slow)])
def test_a_reader_that_goes_away_ends_the_program_quietly(warm_cache: None, go: str) -> None:
    popen = subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=engine_environment(),
        bufsize=0,
        start_new_session=True,
    )
    assert popen.stdin is not None
    assert popen.stdout is not None
    assert popen.stderr is not None
    try:
        popen.stdin.write(f"setoption name InfoInterval value 10\n{MIDGAME}\nisready\n{go}\n".encode())
        assert popen.stdout.read(1)
        popen.stdout.close()
        begin = time.perf_counter()
        popen.stdin.write(b"isready\n")
        status = popen.wait(5)
        assert time.perf_counter() - begin < 1.5
        assert status == OUTPUT_CLOSED
        assert popen.stderr.read() == b""
        time.sleep(0.3)
        assert session_members(popen.pid) == []
    finally:
        for process in session_members(popen.pid):
            process.kill()
        for stream in (popen.stdin, popen.stderr):
            stream.close()
        popen.wait()


def shell(script: str, text: str = "", timeout: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", script],
        input=text,
        capture_output=True,
        text=True,
        env=engine_environment(),
        timeout=timeout,
        check=False,
    )


def test_a_closed_stdin_is_an_end_of_input() -> None:
    done = shell(f"exec {SHELL_COMMAND} 0<&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_closed_stdout_ends_the_program_quietly() -> None:
    done = shell(f"exec {SHELL_COMMAND} 1>&-", "display\nisready\n")
    assert done.stderr == ""
    assert done.returncode == OUTPUT_CLOSED


def test_a_closed_stderr_does_no_harm(warm_cache: None) -> None:
    done = shell(f"exec {SHELL_COMMAND} 2>&-", f"setboard {SOLVED[2].text}\ngo exact\n")
    assert done.stdout.splitlines()[-1] == "bestmove a3"
    assert done.returncode == 0


def test_all_descriptors_closed_is_an_end_of_input() -> None:
    assert shell(f"exec {SHELL_COMMAND} 0<&- 1>&- 2>&-").returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_no_traceback() -> None:
    done = shell(f"exec {SHELL_COMMAND} >/dev/full", "display\ndisplay\nquit\n")
    assert "Traceback" not in done.stderr


# -- exit status ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["solve", "--help"], 0),
        (["--no-such-option"], 2),
        (["no-such-command"], 2),
        (["perft"], 2),
        (["perft", "x"], 2),
        (["perft", "-1"], 2),
        (["solve"], 2),
        (["--set", "nonsense=1"], 2),
        (["--set", "threads=0"], 2),
        (["--set", "threads"], 2),
        (["--profile", "nobody"], 2),
        (["--config", "/nonexistent/engine.yaml"], 2),
        (["solve", "/nonexistent/file.obf"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_the_exit_status_tells_a_bad_command_line(arguments: list[str], status: int) -> None:
    done = subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=engine_environment(),
        timeout=30,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    if status == 0:
        assert done.stderr == ""
        assert done.stdout
    else:
        assert done.stderr
        offender = arguments[-1].split("=")[0].lstrip("-")
        assert offender.lower() in done.stderr.lower()


def test_a_bad_configuration_file_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "engine.yaml"
    file.write_text("hash_mb: 64\nhsah: 3\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "protocol", "--config", str(file)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=engine_environment(),
        timeout=30,
        check=False,
    )
    assert done.returncode == 2
    assert "hsah" in done.stderr
    assert "Traceback" not in done.stderr
