"""Whole dialogues: the documented one, whole games, and the same words in many disguises."""

from __future__ import annotations

import re
import time

import pytest

from othello_engine.position import Position
from tests.e2e.client import Terminal, assert_playable, board_line, final_lines, mask, run_script, texts
from tests.e2e.conftest import StartEngine
from tests.positions import EARLIEST_PASS, EARLIEST_PASS_TEXT, SOLVED, START_TEXT
from tools.measure.driver import EngineProcess

QUICK_DIALOGUE = (
    "setboard startpos moves f5d6c3",
    "display",
    "query p1turn",
    "move d3 c4",
    "undo",
    "display",
    "query gameover",
    "setboard startpos moves f5 e3",
    "go depth",
    "newgame",
    "display",
)
"""Commands that need no search process, so that many fresh starts cost little."""


def test_the_dialogue_of_the_protocol_page_goes_as_printed(start: StartEngine) -> None:
    engine = start()
    engine.send("uoi")
    handshake = texts(engine.read_until("uoiok"))
    assert handshake[0].startswith("id name ")
    assert handshake[1].startswith("id author ")
    assert any(re.fullmatch(r"option name Hash type spin default \d+ min 1 max 65536", t) for t in handshake)
    engine.send("setoption name Hash value 64", "isready")
    assert texts(engine.read_until("readyok", 180), "error") == []

    position = Position.from_moves("f5d6c3")
    answer = engine.search("setboard startpos moves f5d6c3", "go movetime 500 multipv 2")
    assert_playable(position, answer)
    best, second = final_lines(answer)
    assert (best.multipv, second.multipv) == (1, 2)
    assert best.pv[0] == answer.best != second.pv[0]
    # An iteration that is cut short leaves the first line at a depth that the second has not reached.
    if best.depth == second.depth and best.bound == second.bound == "":
        assert best.score is not None
        assert second.score is not None
        assert best.score >= second.score

    answer = engine.search(f"setboard {SOLVED[2].text}", "go exact")
    assert (answer.best, answer.last.score_kind, answer.last.score) == ("a3", "disc", 12)
    assert (answer.last.depth, answer.last.sel) == (6, 100)

    shown = engine.ask(f"setboard startpos moves {EARLIEST_PASS}", "display")
    assert shown[:3] == [f"board {EARLIEST_PASS_TEXT}", "empties 52", "legal pass"]
    assert all(line.startswith("info string ") for line in shown[3:])
    assert engine.search("go depth 4").best == "pass"

    (error,) = engine.ask("setboard startpos moves f5 e3")
    assert error.startswith("error illegal-move e3 at 2")
    (error,) = engine.ask("go depth")
    assert error.startswith("error missing-argument depth")
    assert engine.quit() == 0
    assert engine.read_to_end() == []


@pytest.mark.parametrize("echo", [False, True])
def test_a_terminal_script_plays_a_whole_game_by_single_moves(warm_cache: None, echo: bool) -> None:
    position = Position.start()
    with Terminal(echo=echo) as terminal:
        terminal.send("setoption name Threads value 1")
        terminal.send("isready")
        terminal.wait_for("readyok", 180)
        while not position.is_over:
            terminal.send("go depth 2")
            move = terminal.wait_for("bestmove .*").split()[1]
            position = position.play(move)
            terminal.send(f"move {move}")
        terminal.send("display")
        assert terminal.wait_for("board .*") == board_line(position)
        assert terminal.wait_for("legal .*") == "legal none"
        terminal.send("go depth 2")
        assert terminal.wait_for("bestmove .*") == "bestmove none"
        assert terminal.quit() == 0


def test_a_terminal_script_plays_a_whole_game_by_one_position_line(warm_cache: None) -> None:
    position, moves = Position.start(), ""
    with Terminal() as terminal:
        terminal.send("setoption name Threads value 1")
        while not position.is_over:
            line = f"setboard startpos moves {moves}" if moves else "setboard startpos"
            assert len(line) < 1000
            terminal.send(line)
            terminal.send("go depth 1")
            move = terminal.wait_for("bestmove .*", 180).split()[1]
            position = position.play(move)
            moves += move
        terminal.send(f"setboard startpos moves {moves}")
        terminal.send("display")
        assert terminal.wait_for("board .*") == board_line(position)
        assert terminal.quit() == 0


def test_nothing_is_said_before_the_first_command(start: StartEngine) -> None:
    engine = start()
    assert engine.read_for(1.5) == []
    assert engine.stderr_text == ""


def clean_transcript(start: StartEngine) -> list[str]:
    return start().ask_unloaded(*QUICK_DIALOGUE)


@pytest.mark.parametrize(
    "disturb",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda text: text.replace("\n", "\r"), id="CR"),
        pytest.param(lambda text: "\ufeff" + text, id="byte order mark"),
        pytest.param(lambda text: text.replace(" ", "\t"), id="tabs"),
        pytest.param(lambda text: text.replace(" ", "  \t "), id="many blanks"),
        pytest.param(lambda text: text.replace("\n", " \n  "), id="blanks around"),
        pytest.param(lambda text: text.replace("\n", "\n\n# remark\n\n"), id="blank lines and remarks"),
        pytest.param(str.upper, id="upper case"),
    ],
)
def test_disturbed_input_gets_the_answers_of_clean_input(start: StartEngine, disturb: object) -> None:
    expected = clean_transcript(start)
    assert callable(disturb)
    engine = start()
    engine.send_bytes(disturb("\n".join(QUICK_DIALOGUE) + "\n").encode())
    answers = engine.ask_unloaded()
    assert [a.lower() for a in answers] == [e.lower() for e in expected]


def test_upper_case_starts_a_search(engine: EngineProcess) -> None:
    engine.send("SETBOARD STARTPOS MOVES F5D6C3", "GO DEPTH 2")
    assert_playable(Position.from_moves("f5d6c3"), engine.collect(0))


def test_a_script_written_at_once_before_the_start_is_answered_as_if_sent_slowly(start: StartEngine) -> None:
    script = [
        "uoi",
        "setoption name Threads value 1",
        "isready",
        "setboard startpos moves f5d6c3",
        "go depth 5",
        "display",
        f"setboard {SOLVED[2].text}",
        "go exact",
        "go depth 2",
        "perft 4",
        "nonsense",
    ]
    engine = start()
    slow: list[str] = []
    ends = {"uoi": "uoiok", "isready": "readyok", "perft": "perft .*", "go": "bestmove .*"}
    for command in script:
        engine.send(command)
        if end := ends.get(command.split()[0]):
            slow += texts(engine.read_until(end, 180))
        else:
            slow += engine.ask()
    # While a search runs `display` is answered at once, so its place among the infos may differ: ask it of
    # each side's own lines.
    fast, status, said = run_script("\n".join(script) + "\n", arguments=())

    def of_kind(lines: list[str], first: tuple[str, ...]) -> list[str]:
        return [mask(line) for line in lines if line.startswith(first)]

    for first in (
        ("id", "option", "uoiok"),
        ("readyok",),
        ("bestmove",),
        ("board", "legal"),
        ("perft", "info perft"),
        ("error",),
    ):
        assert of_kind(fast, first) == of_kind(slow, first), first
    assert (status, said) == (0, "")


def test_output_on_a_narrow_terminal_is_that_of_a_pipe(start: StartEngine) -> None:
    piped = start().ask_unloaded(*QUICK_DIALOGUE)
    with Terminal(columns=20) as terminal:
        for command in (*QUICK_DIALOGUE, "query end-of-answers"):
            terminal.send(command)
        terminal.child.expect("error bad-argument end-of-answers[^\r]*\r\n")
        shown = terminal.child.before
        assert isinstance(shown, str)
        assert terminal.quit() == 0
    assert "\x1b" not in shown
    assert shown.split("\r\n")[:-1] == piped


def test_no_carriage_return_is_ever_written_to_a_pipe(start: StartEngine) -> None:
    engine = start()
    engine.keep_raw = True
    engine.send_bytes(b"uoi\r\n")
    engine.ask_unloaded(*QUICK_DIALOGUE, "help", "debug on")
    assert engine.raw
    assert b"\r" not in engine.raw
    assert engine.raw.isascii()


def test_each_reply_comes_before_the_next_command_is_sent(start: StartEngine) -> None:
    engine = start()
    for _ in range(20):
        begin = time.perf_counter()
        engine.send("display")
        engine.read_until("legal .*", 5)
        assert time.perf_counter() - begin < 1
        engine.ask_unloaded()


def test_a_match_runner_of_the_general_game_interface_is_served(engine: EngineProcess) -> None:
    engine.send("ugi")
    lines = texts(engine.read_until("ugiok"))
    assert lines[0].startswith("id name ")
    position, moves = Position.start(), ""
    engine.send("uginewgame")
    opening = "f5d6c3"
    for move in (opening[i : i + 2] for i in range(0, len(opening), 2)):
        position = position.play(move)
        moves += f" {move}"
    engine.send(f"position fen {START_TEXT} moves{moves}")
    assert engine.ask("query gameover", "query p1turn", "query result") == [
        "response false",
        "response false",
        "response none",
    ]
    answer = engine.search("go p1time 200 p2time 200 p1inc 10 p2inc 10")
    assert_playable(position, answer)
    assert answer.ponder is None


def test_the_chess_handshake_is_not_answered(start: StartEngine) -> None:
    engine = start()
    assert not [line for line in engine.ask_unloaded("uci") if line == "uciok"]
