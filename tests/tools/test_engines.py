"""Engine programs seen from outside: processes that misbehave in every way, and what each dialect's driver says."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

import tools.engines
from othello_engine.formats.game import GameClock
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE, parse_square
from tests.tools.players import playing
from tools.engines.drivers import Evaluation, FaultError, FaultKind, Setup, between, untold_limits
from tools.engines.player import Player
from tools.engines.process import (
    MAX_LINE,
    EndedError,
    FloodError,
    Program,
    ProgramError,
    SilenceError,
    StartError,
)
from tools.engines.spec import EngineSpec, Limits, PassStyle, format_duration, parse_clock, parse_duration

FAKE = Path(__file__).with_name("fake_player.py")
ROOT = Path(tools.engines.__file__).parents[2]
OTHELLO = ("native", "nboard", "gtp", "cassio")
START = Position.start()
BEFORE_A_PASS = tuple(move for move, _ in START.follow("d3c3e6d2d1e1b3c1"))  # black must pass
AFTER_A_PASS = START.follow("d3c3e6d2d1e1b3c1pa")[-1][1]


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def soon(seconds: float = 5.0) -> float:
    return time.perf_counter() + seconds


def session_members(session: int) -> list[int]:
    """Living processes of a session, found without the code that is tested."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


def wait_gone(session: int) -> list[int]:
    deadline = soon()
    while (left := session_members(session)) and time.perf_counter() < deadline:
        time.sleep(0.02)
    return left


# --- processes


def test_lines_go_in_and_come_out_with_their_times() -> None:
    with Program(["cat"]) as program:
        sent_at = program.send("one", "two")
        lines = [program.read_line(soon()), program.read_line(soon())]
        assert [line.text for line in lines] == ["one", "two"]
        assert all(sent_at < line.at <= time.perf_counter() for line in lines)
        program.send("three")
        assert program.read_until(re.compile("th.*"), soon())[-1].raw == b"three\n"
        assert program.read_available() == []


def test_any_bytes_can_be_read() -> None:
    with Program(["cat"]) as program:
        program.send_bytes(b"caf\xc3\xa9 \xff\r\n\n\x00x")
        program.end_input()
        lines = [program.read_line(soon()) for _ in range(3)]
        assert [line.text for line in lines] == ["café \ufffd", "", "\x00x"]
        assert lines[0].raw == b"caf\xc3\xa9 \xff\r\n"
        assert lines[2].raw == b"\x00x"
        with pytest.raises(EndedError):
            program.read_line(soon())


@pytest.mark.parametrize(
    ("command", "directory", "reason"),
    [
        ("no-such-engine", None, "no such program on the PATH"),
        ("/no/such/engine", None, "no such file"),
        ("cat", "/no/such/folder", "no such folder"),
        (str(FAKE.parent / "__init__.py"), None, "not executable"),
    ],
)
def test_what_cannot_be_started_is_named(command: str, directory: str | None, reason: str) -> None:
    with pytest.raises(StartError, match=reason):
        Program([command], directory=directory)


def test_a_program_is_found_from_its_own_folder_and_gets_its_environment(tmp_path: Path) -> None:
    script = tmp_path / "engine"
    script.write_text('#!/bin/sh\necho "$PWD $COLOUR"\n')
    script.chmod(0o755)
    with Program(["./engine"], directory=tmp_path, environment={"COLOUR": "black"}) as program:
        assert program.read_line(soon()).text == f"{tmp_path} black"


def test_the_end_of_a_program_is_seen_and_its_last_words_kept() -> None:
    with Program(["sh", "-c", "echo 'bad book' >&2; exit 3"]) as program:
        with pytest.raises(EndedError, match="ended with status 3; stderr: bad book"):
            program.read_line(soon())
        assert program.exit_status == 3


def test_the_end_is_seen_though_a_child_holds_the_output() -> None:
    with Program(["sh", "-c", "sleep 600 & exit 3"]) as program:
        before = time.perf_counter()
        with pytest.raises(EndedError):
            program.read_line(soon(20))
        assert time.perf_counter() - before < 5
        assert len(program.pids()) == 1
    assert wait_gone(program.pid) == []


def test_silence_has_an_end() -> None:
    with Program(["sleep", "600"]) as program:
        before = time.perf_counter()
        with pytest.raises(SilenceError):
            program.read_line(soon(0.2))
        assert 0.2 <= time.perf_counter() - before < 2


def test_a_flood_of_lines_costs_no_memory_and_no_more_than_the_time() -> None:
    with Program(["yes", "x" * 1000]) as program:
        program.read_line(soon())
        time.sleep(0.3)
        before = psutil.Process().memory_info().rss
        with pytest.raises(SilenceError):
            program.read_until(re.compile("never"), soon(0.5))
        assert psutil.Process().memory_info().rss - before < 8 << 20
        assert len(b"".join(line.raw for line in program.read_available())) < 1 << 18


def test_a_flood_on_standard_error_does_not_move_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter(range(100))
    with Program(["sleep", "600"]) as program:
        monkeypatch.setattr(program, "_wait", lambda seconds: next(looks) >= 0)  # something can always be read
        with pytest.raises(SilenceError):
            program.read_line(soon(-1))


def test_a_line_without_end_is_a_flood() -> None:
    flood = python("while True: print('x' * 100000, end='')")
    with Program(flood) as program, pytest.raises(FloodError, match=str(MAX_LINE)):
        program.read_line(soon())


def test_a_program_that_does_not_read_is_not_waited_for_for_ever() -> None:
    with Program(["sleep", "600"]) as program, pytest.raises(SilenceError, match="does not read"):
        program.send_bytes(b"x" * (1 << 20), limit_s=0.2)


def test_a_program_that_writes_before_it_reads_on_can_do_so() -> None:
    with Program(["cat"]) as program:  # both pipes are full long before the end
        program.send_bytes(b"123456789\n" * 100_000)
        for _ in range(100_000):
            assert program.read_line(soon()).raw == b"123456789\n"


def test_writing_to_an_ended_program_is_an_error_of_its_own() -> None:
    with Program(["true"]) as program:
        program.wait_exit(5)
        with pytest.raises(EndedError, match="input is closed"):
            program.send("hello")
    with pytest.raises(EndedError):
        program.send("hello")


def test_close_lets_a_program_end_by_itself_and_kills_it_otherwise() -> None:
    with Program(["sh", "-c", "cat >/dev/null; exit 7"]) as program:
        assert program.close(grace_s=5) == 7
    stubborn = Program([sys.executable, str(FAKE), "native", "lasting"])
    stubborn.send("uoi")
    stubborn.read_until(re.compile("uoiok"), soon())
    assert stubborn.close(grace_s=0.2) == -signal.SIGKILL
    assert stubborn.close() == -signal.SIGKILL


def test_kill_from_another_thread_ends_waiting() -> None:
    with Program(["sleep", "600"]) as program:
        threading.Timer(0.2, program.kill).start()
        before = time.perf_counter()
        with pytest.raises(EndedError):
            program.read_line(soon(20))
        assert time.perf_counter() - before < 5


def test_cpu_time_counts_children() -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ntime.sleep(600)"
    with Program(["sh", "-c", f'"{sys.executable}" -c "{busy}" & wait']) as program:
        program.read_line(soon(20))
        assert program.cpu_seconds() >= 0.25


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, None])
def test_nothing_survives_the_manager(how: signal.Signals | None) -> None:
    """PM-1, PM-3: whether it is killed, interrupted, or ends without closing anything."""
    shell = "trap '' INT TERM HUP; sleep 600 & sleep 600"
    code = f"""
import sys, time
from tools.engines.process import Program
program = Program(["sh", "-c", {shell!r}])
time.sleep(0.2)
print(program.pid, flush=True)
sys.stdin.readline()
"""
    with subprocess.Popen(
        python(code),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as manager:
        assert manager.stdout is not None
        session = int(manager.stdout.readline())
        assert len(session_members(session)) == 3
        if how is None:
            manager.communicate(b"\n")
        else:
            manager.send_signal(how)
        manager.wait(10)
    assert wait_gone(session) == []


# --- drivers


def fake(dialect: str, behaviour: str = "good", limits: Limits = Limits(), **more: object) -> EngineSpec:  # noqa: B008
    return EngineSpec("fake", (sys.executable, str(FAKE), dialect, behaviour), dialect, limits=limits, **more)  # type: ignore[arg-type]


def told(tmp_path: Path, spec: EngineSpec, clock_s: float | None = None, setup: Setup | None = None) -> list[str]:
    """What a program reads from its start to its second move: white plays after black's pass, black answers."""
    log = tmp_path / "log"
    log.unlink(missing_ok=True)
    spec = EngineSpec(
        **{
            **{name: getattr(spec, name) for name in EngineSpec.__dataclass_fields__},
            "command": (*spec.command, "--log", str(log)),
        }
    )
    clock = GameClock(spec.limits.clock_s, spec.limits.increment_s, 0.0) if spec.limits.clock_s else None
    with playing(spec) as player:
        player.start_game(setup or Setup(START, BEFORE_A_PASS, (None, clock), "them", "us"))
        if setup is None:
            player.played(BLACK, PASS, 0.0)
        answer = player.choose(WHITE, clock_s, 5.0)
        assert answer.text.lower() == "b4"
        player.played(WHITE, parse_square("b4"), 0.25)
        player.played(BLACK, parse_square("b2"), 0.5)
        player.drop(politely=True)
    return log.read_text().splitlines()


def test_native_is_told_options_limits_and_only_what_is_new(tmp_path: Path) -> None:
    limits = Limits(move_s=0.07, depth=3, nodes=500)
    lines = told(tmp_path, fake("native", limits=limits, options=(("Clear Hash", ""), ("Threads", "2"))))
    assert lines == [
        "uoi",
        "setoption name Clear Hash value ",
        "setoption name Threads value 2",
        "isready",
        "newgame",
        f"setboard {START.to_text()} moves d3 c3 e6 d2 d1 e1 b3 c1",
        "isready",
        "move pass",
        "go time 70 depth 3 nodes 500",
        "quit",
    ]


def test_native_is_told_its_clock(tmp_path: Path) -> None:
    lines = told(tmp_path, fake("native", limits=Limits(clock_s=60, increment_s=0.5)), clock_s=12.3456)
    assert "go wtime 12346 winc 500" in lines


def test_nboard_is_told_depth_clocks_and_moves_with_their_times(tmp_path: Path) -> None:
    limits = Limits(clock_s=90, increment_s=1, depth=8)
    lines = told(tmp_path, fake("nboard", limits=limits, options=(("contempt", "0"),)), clock_s=90)
    assert lines[:4] == ["nboard 2", "set contempt 0", "set depth 8", "ping 1"]
    assert lines[4].startswith("set game (;GM[Othello]PC[match]PB[them]PW[us]")
    assert "TW[1:30/0:01/0:00]" in lines[4]
    assert lines[4].endswith("*]B[D3//0]W[C3//0]B[E6//0]W[D2//0]B[D1//0]W[E1//0]B[B3//0]W[C1//0];)")
    assert lines[5:] == ["ping 2", "move PA//0.000", "go", "quit"]


def test_nboard_moves_are_bare_without_a_clock(tmp_path: Path) -> None:
    lines = told(tmp_path, fake("nboard"))
    assert lines[2].endswith("*]B[D3]W[C3]B[E6]W[D2]B[D1]W[E1]B[B3]W[C1];)")
    assert lines[4:] == ["move PA", "go", "quit"]


def test_gtp_is_told_both_colours_and_passes_but_not_what_it_played(tmp_path: Path) -> None:
    lines = told(tmp_path, fake("gtp", options=(("set_level", "3"),)))
    opening = [("b", "d3"), ("w", "c3"), ("b", "e6"), ("w", "d2"), ("b", "d1"), ("w", "e1"), ("b", "b3"), ("w", "c1")]
    assert lines == [
        *["protocol_version", "list_commands", "boardsize 8", "set_level 3", "clear_board"],
        *[f"play {colour} {move}" for colour, move in opening],
        *["play b pass", "genmove w", "play b b2", "quit"],
    ]


@pytest.mark.parametrize(
    ("behaviour", "limits", "clock_s", "lines", "untold"),
    [
        ("good", Limits(move_s=0.1), None, ["time_settings 0 0.1 1"], []),
        ("good", Limits(move_s=2), None, ["time_settings 0 2 1"], []),
        ("good", Limits(clock_s=60), 12.3456, ["time_settings 60 0 0", "time_left w 12.346 0"], []),
        ("whole-seconds", Limits(clock_s=60), 12.9, ["time_settings 60 0 0", "time_left w 12 0"], []),
        ("whole-seconds", Limits(move_s=2), None, ["time_settings 0 2 1"], []),
        ("whole-seconds", Limits(move_s=0.1), None, [], ["time per move (it takes whole seconds only)"]),
        ("timeless", Limits(clock_s=60), 12.9, [], ["clock"]),
        ("timeless", Limits(move_s=1, depth=5), None, [], ["depth", "time per move"]),
    ],
)
def test_gtp_is_told_its_time_as_well_as_it_understands(
    tmp_path: Path, behaviour: str, limits: Limits, clock_s: float | None, lines: list[str], untold: list[str]
) -> None:
    spec = fake("gtp", behaviour, limits)
    said = told(tmp_path, spec, clock_s)
    assert [line for line in said if line.startswith("time_") and line != "time_settings 10.5 0 0"] == lines
    with playing(spec) as player:
        player.start_game(Setup(START, ()))
        assert sorted(player.untold) == untold


def test_cassio_is_asked_about_positions(tmp_path: Path) -> None:
    board = AFTER_A_PASS.to_text().replace(" ", "")
    lines = told(tmp_path, fake("cassio"))
    assert lines == [
        "ENGINE-PROTOCOL init",
        "ENGINE-PROTOCOL new-position",
        f"ENGINE-PROTOCOL midgame-search {board} -64.00 64.00 60 100",
        "ENGINE-PROTOCOL quit",
    ]
    lines = told(tmp_path, fake("cassio", limits=Limits(depth=12), precision=95))
    assert f"ENGINE-PROTOCOL midgame-search {board} -64.00 64.00 12 95" in lines
    lines = told(tmp_path, fake("cassio", limits=Limits(depth=55), precision=95))
    assert f"ENGINE-PROTOCOL endgame-search {board} -64 64 100" in lines


@pytest.mark.parametrize("dialect", OTHELLO)
def test_a_game_can_begin_from_any_board(tmp_path: Path, dialect: str) -> None:
    lines = told(tmp_path, fake(dialect), setup=Setup(AFTER_A_PASS, ()))
    assert len(lines) >= 3
    if dialect == "gtp":
        [load] = [line for line in lines if line.startswith("loadsgf")]
        assert not Path(load.split()[1]).exists()


@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        ("native", Evaluation(-1.5, 7, 99)),
        ("nboard", Evaluation(-1.5, 7, 99)),
        ("gtp", Evaluation()),
        ("cassio", Evaluation(-1.5, 60, 99)),
    ],
)
def test_what_an_engine_says_of_its_move_is_kept(dialect: str, said: Evaluation) -> None:
    with playing(fake(dialect)) as player:
        for colours in ((), (19,)):  # the value is the mover's, whatever the colour
            player.start_game(Setup(START, colours))
            assert player.choose(len(colours), None, 5.0).evaluation == said


@pytest.mark.parametrize(
    ("behaviour", "style", "is_fine"),
    [
        ("good", PassStyle.WRITTEN, True),
        ("good", PassStyle.AUTO, True),
        ("implied", PassStyle.IMPLIED, True),
        ("implied", PassStyle.AUTO, True),
        ("implied", PassStyle.WRITTEN, False),
        ("good", PassStyle.IMPLIED, False),
    ],
)
def test_gtp_passes_are_told_as_the_engine_likes_them(behaviour: str, style: PassStyle, is_fine: bool) -> None:
    with playing(fake("gtp", behaviour, passes=style)) as player:
        player.start_game(Setup(START, BEFORE_A_PASS))
        try:
            player.played(BLACK, PASS, 0.0)
            answer = player.choose(WHITE, None, 5.0).text
        except FaultError:
            answer = ""
        assert (answer == "b4") is is_fine


def test_limits_without_a_word_are_told_to_the_user() -> None:
    everything = Limits(move_s=1, depth=3, nodes=5)
    assert untold_limits(fake("native", limits=everything)) == ()
    assert untold_limits(fake("nboard", limits=everything)) == ("time per move", "nodes")
    assert untold_limits(fake("gtp", limits=everything)) == ("depth", "nodes")
    assert untold_limits(fake("cassio", limits=Limits(clock_s=1, nodes=5))) == ("clock", "nodes")


@pytest.mark.parametrize(
    ("dialect", "behaviour", "kind"),
    [
        *[(dialect, "crashing", FaultKind.CRASH) for dialect in OTHELLO],
        *[(dialect, "orphaning", FaultKind.CRASH) for dialect in OTHELLO],
        *[(dialect, "silent", FaultKind.HANG) for dialect in OTHELLO],
        *[(dialect, "flooding", FaultKind.HANG) for dialect in OTHELLO],
        *[(dialect, "refusing", FaultKind.REFUSAL) for dialect in ("native", "gtp", "cassio")],
    ],
)
def test_faults_are_told_apart_in_every_dialect(dialect: str, behaviour: str, kind: FaultKind) -> None:
    with playing(fake(dialect, behaviour)) as player:
        player.start_game(Setup(START, ()))
        for side in (BLACK, WHITE):
            player.played(side, parse_square(player.choose(side, None, 5.0).text), 0.0)
        with pytest.raises(FaultError) as fault:
            player.choose(BLACK, None, 0.3)
        player.drop()  # no need to wait until it listens
        assert fault.value.kind is kind


@pytest.mark.parametrize("dialect", OTHELLO)
def test_a_chatty_program_is_no_worse_than_a_quiet_one(dialect: str) -> None:
    with playing(fake(dialect, "chatty")) as player:
        player.start_game(Setup(START, BEFORE_A_PASS))
        player.played(BLACK, PASS, 0.0)
        assert player.choose(WHITE, None, 10.0).text.lower() == "b4"


def test_a_refused_option_is_named() -> None:
    with (
        playing(fake("native", options=(("Treads", "2"),))) as player,
        pytest.raises(FaultError, match="Treads") as fault,
    ):
        player.start_game(Setup(START, ()))
    assert fault.value.kind is FaultKind.REFUSAL
    with (
        playing(fake("gtp", options=(("set_level", "none"),))) as player,
        pytest.raises(FaultError, match="no such level"),
    ):
        player.start_game(Setup(START, ()))


def test_a_program_that_never_gets_ready_is_given_up() -> None:
    with playing(fake("native", "unready", start_limit_s=0.3)) as player, pytest.raises(FaultError) as fault:
        player.start_game(Setup(START, ()))
    assert fault.value.kind is FaultKind.HANG


def test_the_wait_for_a_program_that_never_gets_ready_is_not_the_managers_time() -> None:
    with playing(fake("native", "unready", start_limit_s=0.3)) as player:
        with pytest.raises(FaultError):
            player.start_game(Setup(START, ()))
        assert player.held_s >= 0.3


def test_an_interruption_while_a_program_is_started_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*arguments: object, **more: object) -> Program:
        player.interrupt()  # there is no program to kill yet
        return Program(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("tools.engines.player.Program", start)
    before = time.perf_counter()
    with playing(fake("native", "unready", start_limit_s=20.0)) as player, pytest.raises(FaultError, match="closed"):
        player.start_game(Setup(START, ()))
    assert time.perf_counter() - before < 5


@pytest.mark.parametrize("dialect", OTHELLO)
def test_a_player_ends_politely_and_for_certain(dialect: str) -> None:
    for behaviour in ("good", "lasting"):
        player = Player(fake(dialect, behaviour))
        player.start_game(Setup(START, ()))
        [driver] = [player._driver]
        assert driver is not None
        player.close()
        assert session_members(driver.program.pid) == []
        with pytest.raises(FaultError, match="closed"):
            player.start_game(Setup(START, ()))


# --- specifications


def test_times_need_a_unit() -> None:
    assert [parse_duration(text) for text in ("100ms", "2s", "1.5 m", "1h")] == [0.1, 2, 90, 3600]
    assert parse_clock("60s+500ms") == (60, 0.5)
    assert parse_clock("5m") == (300, 0)
    for text in ("100", "fast", "-1s", "1s+"):
        with pytest.raises(ValueError, match="is no time"):
            parse_clock(text)
    with pytest.raises(ValueError, match="no time at all"):
        parse_clock("0s+1s")


def test_limits_are_written_as_they_are_read() -> None:
    assert str(Limits(move_s=0.1)) == "100 ms"
    assert str(Limits(clock_s=60, increment_s=0.5, depth=8, nodes=1000)) == "60 s + 500 ms, depth 8, 1000 nodes"
    assert str(Limits()) == "its own"
    for seconds in (0.001, 0.25, 1, 1.5, 90):
        assert parse_duration(format_duration(seconds)) == seconds


def test_all_errors_of_programs_are_program_errors() -> None:
    assert {StartError, EndedError, SilenceError, FloodError} == set(ProgramError.__subclasses__())


@pytest.mark.parametrize(
    ("low", "high", "value"),
    [(2, 2, 2), (1, 3, 2), (2, 64, 2), (-64, -3, -3), (-64, 64, None), (64, 64, 64), (-64, -64, -64)],
)
def test_of_a_half_open_value_the_end_there_is_counts(low: float, high: float, value: float | None) -> None:
    assert between(low, high) == value
