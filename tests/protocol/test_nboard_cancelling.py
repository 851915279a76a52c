"""The NBoard dialect when things get in each other's way: cancelled requests, the end, races, garbage."""

from __future__ import annotations

import random
import re
import threading

import pytest

from othello_engine.position import Position
from othello_engine.types import Limits, square_name
from protocol import exit_status
from protocol.lines import LineError
from protocol.nboard import NboardService
from protocol.service import QUEUE_LIMIT
from tests.protocol.fake_engine import FakeEngine
from tests.protocol.nboard_desk import REQUESTS, Desk, begin, cp, ggf, until

# -- cancelling --------------------------------------------------------------------------------------------

STATE_LINES = ("nboard 2", "set depth 3", "set contempt 100", f"set game {ggf('d3')}", "move f5", "clear")


def busy(request_line: str, *lines: str) -> Desk:
    """A desk with a request running, whose engine takes its time to stop."""
    desk = begin("set depth 9", *lines)
    desk.send(request_line)
    desk.engine.stops_at_once = False
    return desk


@pytest.mark.parametrize("request_line", REQUESTS)
@pytest.mark.parametrize("line", STATE_LINES)
def test_a_state_command_ends_what_runs_and_is_carried_out_when_the_engine_is_quiet(
    request_line: str, line: str
) -> None:
    desk = busy(request_line)
    state = (desk.service.record, desk.engine.names().count("clear_hash"))
    assert desk.send(line) == []
    assert desk.engine.names()[-1] == "stop"
    assert (desk.service.record, desk.engine.names().count("clear_hash")) == state
    desk.engine.report(cp(9, "d3", 10), cp(9, "c4", 0, 2))
    desk.engine.finish("d3", lines=(cp(9, "d3", 10),), nodes=1000)
    said = desk.said()
    assert said[0] == "status"
    assert all(re.fullmatch("set myname .*", line) for line in said[1:])
    assert desk.service.task is None
    if line.startswith(("set game", "move")):
        assert desk.service.record != state[0]
    assert desk.send("ping 2") == ["pong 2"]


@pytest.mark.parametrize("request_line", REQUESTS)
def test_ping_ends_what_runs_and_nothing_of_it_comes_afterwards(request_line: str) -> None:
    desk = busy(request_line)
    assert desk.send("ping 2") == []
    assert desk.pass_time(5) == []
    desk.engine.report(cp(9, "d3", 10))
    desk.engine.finish("d3", lines=(cp(9, "d3", 10),), nodes=1000)
    assert desk.said() == ["status", "pong 2"]
    assert desk.pass_time(5) == []


def test_a_report_that_waits_for_its_interval_goes_with_its_hint() -> None:
    desk = busy("hint 1")
    desk.engine.report(cp(5, "d3", 10), cp(6, "d3", 10))
    assert desk.said() == ["search D3 0.10 0 5"]
    desk.send("ping 2")
    assert desk.pass_time(5) == []
    desk.engine.finish("d3", lines=(cp(6, "d3", 10),))
    assert desk.said() == ["status", "pong 2"]


@pytest.mark.parametrize("first", REQUESTS)
@pytest.mark.parametrize("second", REQUESTS)
def test_a_new_request_takes_the_place_of_the_old_one(first: str, second: str) -> None:
    desk = busy(first)
    assert desk.send(second) == []
    desk.engine.finish("c4", lines=(cp(9, "c4", 10),))
    assert desk.said() == ["status", f"status {_STATUS[second]}"]
    desk.engine.finish("e6", lines=(cp(9, "e6", -20),))
    said = [line for line in desk.said() if not line.startswith(("nodestats", "status"))]
    assert said == [_ANSWERS[second]]


_STATUS = {"go": "Thinking", "hint 2": "Analysing", "analyze": "Analysing position 1 of 1"}
_ANSWERS = {"go": "=== E6/-0.20/0.00", "hint 2": "search E6 -0.20 0 9", "analyze": "analysis 0 -0.20"}


def test_a_request_that_waits_is_dropped_for_the_next_line_and_learn_is_not() -> None:
    desk = busy("hint 2")
    assert desk.send("go", "hint 1", "learn", "go", "move f5", "analyze", "ping 2", "hint 3", "ping 3", "go") == []
    desk.engine.finish()
    said = [line for line in desk.said() if line and not line.startswith("status")]
    assert said == ["learned", "pong 2", "pong 3"]
    assert desk.engine.names().count("go") == 2
    assert desk.engine.position == Position.from_moves("f5")
    assert desk.engine.names().count("stop") == 1


def test_an_analysis_ends_between_two_positions() -> None:
    desk = busy("analyze", f"set game {ggf('f5d6c3')}")
    desk.engine.finish(lines=(cp(3, "d3", 0),))
    assert "analysis 3 0.00" in desk.said()
    desk.send("ping 2")
    desk.engine.finish(lines=(cp(3, "d3", 0),))
    assert desk.said() == ["status", "pong 2"]
    assert desk.engine.names().count("go") == 2


@pytest.mark.parametrize(
    "line", ["", "frob", "set frob 1", "hint x", "ping", "set depth -1", "move q9", "set game (;GM[Go];)"]
)
def test_what_means_nothing_or_is_refused_ends_nothing(line: str) -> None:
    desk = busy("go")
    said = desk.send(line)
    assert all(text.startswith("status ") for text in said)
    assert "stop" not in desk.engine.names()
    desk.engine.finish("d3")
    assert desk.said()[-1] == "=== D3//0.00"


def test_an_illegal_move_during_a_search_ends_it_and_is_refused_when_its_turn_comes() -> None:
    desk = busy("go")
    desk.send("move a1", "ping 2")
    desk.engine.finish()
    assert desk.said() == ["status", "status move A1: no disc turned", "pong 2"]


def test_too_many_waiting_lines_are_refused() -> None:
    desk = busy("go")
    desk.send(*["set depth 3"] * QUEUE_LIMIT)
    assert desk.send("ping 9") == [f"status ping: {QUEUE_LIMIT} lines are waiting already"]


def test_a_flood_of_requests_does_not_fill_the_queue() -> None:
    desk = busy("go")
    assert desk.send(*["hint 1"] * (2 * QUEUE_LIMIT), "ping 2") == []
    desk.engine.finish()
    assert desk.said() == ["status", "pong 2"]


def test_a_search_that_fails_while_it_is_cancelled_says_nothing() -> None:
    desk = busy("go")
    desk.send("ping 2")
    desk.engine.finish(error="the worker died")
    assert desk.said() == ["status", "pong 2"]


# -- the end -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("request_line", ["", *REQUESTS])
def test_quit_ends_the_program_whatever_runs(request_line: str) -> None:
    desk = begin()
    desk.send(request_line)
    desk.engine.stops_at_once = False
    desk.send("quit")
    if request_line:  # the engine is still stopping; the line's own arrival ends the process within a second
        assert desk.ended is None
        desk.engine.finish()
        desk.said()
    assert desk.ended == exit_status.DONE


def test_quit_while_loading_ends_the_program_within_a_second() -> None:
    desk = Desk(cold=True)
    desk.send("nboard 2", "ping 1", "go", "quit")
    desk.pass_time(1)
    assert desk.ended == exit_status.DONE


def test_quit_is_known_in_any_case_and_with_anything_behind_it() -> None:
    assert NboardService.is_quit(" QUIT now")
    assert not NboardService.is_quit("quite")


def test_a_running_go_is_answered_after_the_end_of_input() -> None:
    desk = begin()
    desk.send("go", None)
    assert desk.ended is None
    desk.engine.finish("d3")
    assert desk.said()[-1] == "=== D3//0.00"
    assert desk.ended == exit_status.DONE


def test_a_hint_and_an_analysis_are_finished_after_the_end_of_input() -> None:
    desk = begin()
    desk.send("hint 1", None)
    desk.engine.finish(lines=(cp(5, "d3", 0),))
    assert desk.said()[0] == "search D3 0.00 0 5"
    assert desk.ended == exit_status.DONE
    desk = begin(f"set game {ggf('f5')}")
    desk.send("analyze", None)
    for _ in range(2):
        assert desk.ended is None
        desk.engine.finish(lines=(cp(5, "d3", 0),))
        desk.said()
    assert desk.ended == exit_status.DONE


def test_what_only_a_client_would_end_ends_soon_after_the_end_of_input() -> None:
    desk = begin("set depth 60")
    desk.send("hint 1")
    desk.engine.report(cp(20, "d3", 5))
    desk.said()
    desk.send(None)
    assert desk.pass_time(1.9) == []
    assert desk.pass_time(0.1) == ["nodestats 0 2.000", "status"]
    assert desk.ended == exit_status.DONE


def test_after_the_end_of_input_each_position_of_an_analysis_has_a_little_time() -> None:
    desk = begin("set depth 60", f"set game {ggf('f5d6')}", "analyze")
    desk.send(None)
    desk.engine.stops_at_once = False
    for n_made in (2, 1, 0):
        desk.pass_time(1.9)
        assert desk.engine.names().count("stop") == 2 - n_made
        desk.pass_time(0.1)
        desk.pass_time(1)
        assert desk.engine.names().count("stop") == 3 - n_made
        desk.engine.finish(lines=(cp(9, "d3", 0),))
        assert desk.said()[0] == f"analysis {n_made} 0.00"
    assert desk.ended == exit_status.DONE


def test_a_go_is_not_cut_short_by_the_end_of_input() -> None:
    desk = begin("nboard 1", "set depth 60", "go")
    desk.send(None)
    desk.pass_time(1000)
    assert desk.engine.is_searching


def test_idle_the_end_of_input_is_the_end() -> None:
    desk = begin()
    desk.send(None)
    assert desk.ended == exit_status.DONE


def test_nobody_is_thought_for_when_nobody_reads() -> None:
    desk = begin()
    desk.send("hint 1", None)
    desk.paper.gone = True
    desk.pass_time(1)
    assert desk.ended == exit_status.OUTPUT_CLOSED


# -- races and garbage -------------------------------------------------------------------------------------


def test_after_a_pong_there_is_never_anything_of_before() -> None:
    """Engines that end by themselves at any moment, against pings that come at any moment."""
    rng = random.Random(5)

    def answer(engine: FakeEngine, limits: Limits) -> None:
        for depth in range(1, 4):
            engine.report(cp(depth, "d3", 1), *(cp(depth, "c4", 0, 2),) * (limits.multipv == 2))
            engine.stop_flag.wait(rng.random() / 1000)
        engine.finish("d3", lines=(cp(3, "d3", 1),))

    desk = begin(prepare=lambda engine: setattr(engine, "answer", answer), InfoInterval=0)
    for n in range(2, 300):
        desk.send(rng.choice(REQUESTS))
        threading.Event().wait(rng.random() / 300)
        lines = until(desk, f"pong {n}", f"ping {n}")
        assert lines[-1] == f"pong {n}"
        assert len([line for line in lines if line.startswith("===")]) <= 1
        assert desk.said() == []


WORDS = [
    *("nboard", "set", "depth", "contempt", "game", "move", "hint", "go", "ping", "learn", "analyze", "clear", "setx"),
    *("1", "2", "-1", "0", "3", "99", "1e9", "nan", "NaN", "9" * 21, "f5", "d6", "F5/1.0/2", "PA", "--"),
    *("(;", ";)", "(;)", "GM[Othello]", "GM[Go]", "B[F5]", "W[A1]", "BO[8]", "BO[10]", "TI[5:00]", "TI[x]"),
    *("===", "pong", "status", "///", "/", "[", "]", "[[", ";", "'", '"', "%", "$", "\\", "\t", "\u00e4\u6771"),
]


def garbage(rng: random.Random) -> str | LineError:
    """A line that may be anything, a proper command included; never `quit`."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice(list(LineError))
    if kind == 1:
        return bytes(rng.randrange(32, 256) for _ in range(rng.randrange(80))).decode("utf-8", "replace")
    if kind == 2:
        text = ggf("f5d6c3d3c4")
        at = rng.randrange(len(text))
        return f"set game {text[:at]}{rng.choice(WORDS)}{text[at + rng.randrange(4) :]}"
    if kind == 3:
        return f"{rng.choice(WORDS)} {rng.choice('x9(;[]/ ') * rng.choice((10, 1000, 60_000))}"
    if kind == 4:
        behind = rng.choice(("", "/", "//", "/x/y", "/1/1", "\u00a0"))
        return f"move {rng.choice('abcdefghi')}{rng.randrange(10)}{behind}"
    if kind == 5:
        return f"{rng.choice(('hint', 'ping', 'set depth', 'set contempt', 'nboard'))} {rng.choice(WORDS)}"
    return " ".join(rng.choices(WORDS, k=rng.randrange(1, 6)))


def test_two_thousand_lines_of_garbage_leave_a_service_that_knows_what_it_was_told() -> None:
    rng = random.Random(20260105)

    def answer(engine: FakeEngine, limits: Limits) -> None:
        engine.finish(lines=(cp(1, "d3", 0),))

    desk = begin(prepare=lambda engine: setattr(engine, "answer", answer))
    believed = desk.position
    for n in range(2000):
        line = garbage(rng)
        last = last_line_for(line)
        lines = until(desk, last, line) if last else desk.send(line)
        assert len([text for text in lines if last and re.fullmatch(last, text)]) == bool(last), (n, line)
        assert all(not text.startswith(("===", "learned", "pong")) or re.fullmatch(last, text) for text in lines)
        assert desk.send(f"ping {1000 + n}")[-1:] == [f"pong {1000 + n}"], (n, line)
        believed = told(believed, line, desk.position)
        assert desk.position == believed, (n, line)
        assert desk.ended is None
    assert until(desk, "===.*", f"set game {ggf('f5')}", "go")[-1] == "=== F4/0.00/0.00"


def last_line_for(line: str | LineError) -> str:
    """A pattern of the last line of the answer that is due; empty if none is."""
    word, _, rest = ("", "", "") if isinstance(line, LineError) else line.strip().partition(" ")
    rest = rest.strip()
    number = re.fullmatch("[+-]?[0-9]{1,18}", rest)
    match word.lower():
        case "go":
            return "===.*"
        case "analyze":
            return "nodestats .*"
        case "hint" if not rest or (number and int(rest) > 0):
            return "nodestats .*"
        case "ping" if number:
            return re.escape(f"pong {rest}")
        case "learn":
            return "learned"
    return ""


def told(before: Position, line: str | LineError, now: Position) -> Position:
    """The position that a line leads to, told by the rules alone. Games that were changed at random are believed."""
    if isinstance(line, LineError):
        return before
    words = line.lower().split()
    if words[:2] == ["set", "game"]:
        return now
    if words[:1] == ["move"]:
        spelled = " ".join(words[1:]).split("/")[0].strip()
        name = "pass" if spelled in ("pa", "--", "pass", "ps") else spelled
        legal = [square_name(move) for move in before.legal_moves]
        if name in legal:
            return before.play(name)
        if legal == ["pass"] and name in [square_name(move) for move in before.play("pass").legal_moves]:
            return before.play("pass").play(name)
    return before
