"""Hostile input: long lines, binary bytes, unknown words. One error line each, and life goes on."""

from __future__ import annotations

import random

import pytest

from tests.e2e.client import texts
from tests.positions import START_TEXT
from tools.measure.driver import EngineProcess
from tools.measure.garbage import CLASSES, LINE_LIMIT, errors_of


def test_a_line_of_five_mebibytes_is_one_error(engine: EngineProcess) -> None:
    engine.send_bytes(b"setboard " + b"x" * (5 << 20) + b"\nquery gameover\nisready\n")
    answers = texts(engine.read_until("readyok"), "error", "response")
    assert [answer[:21] for answer in answers] == ["error line-too-long -", "response false"]


def test_the_longest_line_is_read_and_one_byte_more_is_not(engine: EngineProcess) -> None:
    line = "setboard startpos moves f5 d6"
    engine.send_bytes(line.ljust(LINE_LIMIT).encode() + b"\n")
    assert engine.ask() == []
    engine.send_bytes(line.ljust(LINE_LIMIT + 1).encode() + b"\n")
    (error,) = engine.ask()
    assert error.startswith("error line-too-long -")


@pytest.mark.parametrize("data", [b"\x00", b"go\x00depth 1", b"\x00\x01\x02 \xff\xfe", b"\x1b[A", b"display\x07"])
def test_binary_bytes_are_one_error(engine: EngineProcess, data: bytes) -> None:
    engine.send_bytes(data + b"\n")
    (error,) = engine.ask()
    assert error.startswith("error bad-encoding -")


def test_text_that_is_not_ascii_is_answered_in_ascii(engine: EngineProcess) -> None:
    engine.send_bytes("zug f5 \u2014 \u6771\n".encode())
    engine.send_bytes(b"\xe9t\xe9 3\n")
    engine.send_bytes("setoption name \u00c4ra value 1\n".encode())
    answers = engine.ask()
    assert [answer.split()[1] for answer in answers] == [
        "unknown-command",
        "unknown-command",
        "unknown-option",
    ]
    assert all(answer.isascii() for answer in answers)


@pytest.mark.parametrize("word", ["foo", "go!", "GOO", "best", "bestmove d3", "readyok", "-", "--help", "uci2"])
def test_an_unknown_word_is_one_error(engine: EngineProcess, word: str) -> None:
    (error,) = engine.ask(word)
    assert error.startswith("error unknown-command "), error


REFUSED_SEARCHES = (
    ("go depth", "missing-argument depth"),
    ("go time", "missing-argument time"),
    ("go searchmoves", "missing-argument searchmoves"),
    ("go window 5", "missing-argument"),
    ("go depth x", "bad-argument x"),
    ("go depth 3.5", "bad-argument 3.5"),
    ("go nodes -5", "bad-argument -5"),
    ("go frob 3", "bad-argument frob"),
    ("go depth 3 frob", "bad-argument frob"),
    ("go exact wld", "bad-argument"),
    ("go ponder infinite", "bad-argument"),
    ("go time 100 btime 100", "bad-argument"),
    ("go movetime 100 wtime 100", "bad-argument"),
    ("go selectivity 12", "bad-argument 12"),
    ("go multipv 0", "bad-argument 0"),
    ("go window 5 5", "bad-argument"),
    ("go window 5 -5", "bad-argument"),
    ("go searchmoves a1", "illegal-move a1"),
    ("go searchmoves d3 d4", "illegal-move d4"),
    ("perft", "missing-argument"),
    ("perft x", "bad-argument x"),
    ("perft -1", "bad-argument -1"),
    ("bench x", "bad-argument x"),
    ("query", "missing-argument"),
    ("query nothing", "bad-argument nothing"),
    ("debug", "missing-argument"),
    ("debug perhaps", "bad-argument perhaps"),
    ("ponderhit", "not-pondering"),
)


@pytest.mark.parametrize(("command", "error"), REFUSED_SEARCHES)
def test_a_refused_command_is_one_error_and_no_search(engine: EngineProcess, command: str, error: str) -> None:
    (said,) = engine.ask(command)
    assert said.startswith(f"error {error}"), said
    assert engine.ask("display")[0] == f"board {START_TEXT}"


def test_every_kind_of_garbage_is_answered_as_often_as_due(engine: EngineProcess) -> None:
    rng = random.Random(17)
    for maker, _ in CLASSES:
        lines = [line for line in (maker(rng) for _ in range(150)) if not line.is_go]
        count = errors_of(engine, rng, lines[:20] if maker.__name__ == "too_long" else lines)
        checked = lines[:20] if maker.__name__ == "too_long" else lines
        assert sum(line.fewest for line in checked) <= count <= sum(line.most for line in checked), maker
