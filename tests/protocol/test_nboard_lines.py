"""NBoard's language: what lines mean, and how answers are spelled."""

from __future__ import annotations

import math
import re
import time

import pytest

from othello_engine.position import Position
from othello_engine.types import PASS, Bound, Score, ScoreKind, parse_square, square_name
from protocol.nboard_lines import (
    MAX_SECONDS,
    Command,
    Hello,
    Hint,
    Move,
    Ping,
    Plain,
    RefusedError,
    SetContempt,
    SetDepth,
    SetGame,
    format_analysis,
    format_answer,
    format_depth,
    format_discs,
    format_nodestats,
    format_search,
    format_status,
    parse_command,
)
from tests.positions import EARLIEST_PASS, EARLY_END
from tests.protocol.fake_engine import info

F5 = parse_square("f5")
START_BOARD = "BO[8 ---------------------------O*------*O--------------------------- *]"


def ggf(moves: str, tags: str = "TI[5:00]") -> str:
    return f"(;GM[Othello]PC[here]PB[A]PW[B]RE[?]{tags}TY[8]{START_BOARD}{moves};)"


# -- commands ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("nboard 1", Hello(1)),
        ("nboard 2", Hello(2)),
        ("nboard 3", Hello(2)),
        ("nboard 2.5", Hello(2)),
        ("nboard", Hello(2)),
        ("set depth 12", SetDepth(12)),
        ("set depth 0", SetDepth(0)),
        ("set contempt -100", SetContempt(-100)),
        ("set contempt +0.5", SetContempt(0.5)),
        ("go", Plain.GO),
        ("go now", Plain.GO),
        ("learn", Plain.LEARN),
        ("analyze", Plain.ANALYZE),
        ("clear", Plain.CLEAR),
        ("quit", Plain.QUIT),
        ("hint 4", Hint(4)),
        ("hint", Hint(1)),
        ("ping 7", Ping("7")),
        ("ping -007", Ping("-007")),
        ("  SET\tDepth   5  ", SetDepth(5)),
        ("Go", Plain.GO),
    ],
)
def test_a_command_means(line: str, command: Command) -> None:
    assert parse_command(line) == command


@pytest.mark.parametrize(
    ("line", "move", "seconds"),
    [
        ("move F5", F5, 0),
        ("move f5", F5, 0),
        ("move F5/-0.50", F5, 0),
        ("move F5/-0.50/1.25", F5, 1.25),
        ("move F5//3", F5, 3),
        ("move F5/", F5, 0),
        ("move F5//", F5, 0),
        ("move F5/0,45/2.5", F5, 2.5),
        ("move F5/NaN/2.5", F5, 2.5),
        ("move F5/1.0,-1.0/2.5", F5, 2.5),
        ("move F5//5.0E-4", F5, 0.0005),
        ("move F5//1:05", F5, 65),
        ("move F5//never", F5, 0),
        ("move F5//-3", F5, 0),
        ("move F5//nan", F5, 0),
        ("move F5//inf", F5, MAX_SECONDS),
        ("move F5//1e400", F5, MAX_SECONDS),
        ("move PA", PASS, 0),
        ("move pa//0.1", PASS, 0.1),
        ("move --", PASS, 0),
        ("move f5 -0.50 1.25", F5, 1.25),
        ("move f5 3", F5, 0),
        ("move pa -64.00 0.0", PASS, 0),
        ("move PASS/0.00/0.00", PASS, 0),
    ],
)
def test_a_move_comes_with_a_time_and_the_value_does_not_matter(line: str, move: int, seconds: float) -> None:
    assert parse_command(line) == Move(move, seconds)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "frob",
        "f5",
        "set",
        "set volume 11",
        "set myname Me",
        "depth 5",
        "pong 3",
        "===",
        "status hello",
        "gó",
    ],
)
def test_what_an_engine_does_not_know_means_nothing(line: str) -> None:
    assert parse_command(line) is None


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("set depth", "set depth takes a whole number from 0, not ''"),
        ("set depth -1", "set depth takes a whole number from 0, not '-1'"),
        ("set depth 12.5", "set depth takes a whole number from 0, not '12.5'"),
        ("set depth " + "9" * 50, f"set depth takes a whole number from 0, not '{'9' * 37}...'"),
        ("set contempt much", "set contempt takes a number of discs, not 'much'"),
        ("set contempt nan", "set contempt takes a number of discs, not 'nan'"),
        ("hint 0", "hint takes a whole number from 1, not '0'"),
        ("hint all", "hint takes a whole number from 1, not 'all'"),
        ("hint \u0663", "hint takes a whole number from 1, not '\\u0663'"),
        ("ping", "ping takes a whole number, not ''"),
        ("ping pong", "ping takes a whole number, not 'pong'"),
        ("move", "move: '' is neither a square nor a pass"),
        ("move i9/0.5", "move: 'i9' is neither a square nor a pass"),
        ("move f5 d6", "move: 'f5 d6' is neither a square nor a pass"),
        ("set game", "set game: '' is no game; GGF begins with '(;'"),
        ("set game f5d6", "set game: 'f5d6' is no game; GGF begins with '(;'"),
        ("set game " + ggf("B[F5]W[A1]"), "set game: move 2, W[a1]: no disc turned"),
        ("set game " + ggf("B[F5]W[PA]"), "set game: move 2, W[PA]: a pass is not allowed while there is a move"),
        ("set game " + ggf("W[F5]"), "set game: move 1, W[f5]: it is Black's turn"),
        ("set game " + ggf("").replace("Othello", "Go"), "set game: GM[Go]: a game of another kind; Othello is read"),
        ("set game " + ggf("B[F5/0.5"), "set game: 'B[F5/0.5;)' is no tag; TAG[value] is needed"),
    ],
)
def test_a_command_that_cannot_be_carried_out_is_refused_by_name(line: str, text: str) -> None:
    with pytest.raises(RefusedError, match=f"^{re.escape(text)}$"):
        parse_command(line)


def moves_of(line: str) -> list[tuple[int, float | None]]:
    command = parse_command(line)
    assert isinstance(command, SetGame)
    return [(each.move, each.seconds) for each in command.game.moves]


def test_a_game_has_its_times_whatever_stands_for_values() -> None:
    moves = "B[F5//2.45]W[D6/0.00]B[C3/NaN/1]W[d3/0,45/5.0E-4]B[C4/1.5,-1.5/1:05]"
    (_, first), (_, second), (_, third), (_, fourth), (_, fifth) = moves_of(f"set game {ggf(moves)}")
    assert (first, second, third, fifth) == (2.45, 0, 1, 65)
    assert fourth == pytest.approx(0.0005, abs=0.0006)


def test_a_game_may_end_in_a_forced_pass_or_leave_it_to_the_next_move() -> None:
    line = "".join(f"{'BW'[i // 2 % 2]}[{EARLIEST_PASS[i : i + 2]}]" for i in range(0, len(EARLIEST_PASS), 2))
    assert moves_of(f"set game {ggf(line + 'B[PA]')}")[-1] == (PASS, None)
    assert [move for move, _ in moves_of(f"set game {ggf(line + 'B[PA]W[D6]')}")][-2:] == [PASS, parse_square("d6")]
    assert moves_of(f"set game {ggf(line + 'B[PA]W[D6]')}") == moves_of(f"set game {ggf(line + 'W[D6]')}")


def test_a_finished_game_with_a_pass_before_its_last_move_is_read() -> None:
    command = parse_command("set game " + ggf("").replace(";)", _tags(EARLY_END) + ";)"))
    assert isinstance(command, SetGame)
    assert command.game.score == -62


def _tags(transcript: str) -> str:
    """The moves as tags, the colours as the rules give them."""
    steps = Position.start().follow(transcript)
    return "".join(f"{'WB'[after.side]}[{square_name(move)}]" for move, after in steps)


def test_a_game_may_have_a_count_before_it_and_text_that_looks_like_a_move() -> None:
    assert moves_of("set game 1 " + ggf("B[F5]", "TI[5:00]CO[B[F5/x/y]")) == [(F5, None)]


# -- answers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", ["B[", "B[F5/", "W[F5//"])
def test_a_longest_line_of_open_brackets_is_refused_at_once(piece: str) -> None:
    began = time.monotonic()
    with pytest.raises(RefusedError):
        parse_command("set game (;GM[Othello]" + piece * (65_000 // len(piece)))
    assert time.monotonic() - began < 2


def test_a_line_of_play_is_one_word_with_passes_in_it() -> None:
    line = info(12, pv=(F5, PASS, parse_square("d6")), score=Score(ScoreKind.CENTIDISCS, -135), selectivity=73)
    assert format_search(line) == "search F5PAD6 -1.35 0 12"


@pytest.mark.parametrize(
    ("score", "changes", "depth"),
    [
        (Score(ScoreKind.DISCS, 12), {}, "100%"),
        (Score(ScoreKind.WLD, -1), {}, "100%W"),
        (Score(ScoreKind.DISCS, 12), {"selectivity": 73}, "18"),
        (Score(ScoreKind.WLD, 1), {"selectivity": 99}, "18"),
        (Score(ScoreKind.DISCS, 12, Bound.LOWER), {}, "18"),
        (Score(ScoreKind.DISCS, 12, Bound.UPPER), {}, "18"),
        (Score(ScoreKind.DISCS, 12), {"complete": False}, "18"),
        (Score(ScoreKind.CENTIDISCS, 120), {}, "18"),
        (Score(ScoreKind.RAW, 480), {}, "18"),
    ],
)
def test_a_per_cent_sign_is_for_what_is_proved(score: Score, changes: dict[str, object], depth: str) -> None:
    assert format_depth(info(18, score=score, **changes)) == depth


@pytest.mark.parametrize(
    ("score", "value"),
    [
        (Score(ScoreKind.DISCS, -64), "-64.00"),
        (Score(ScoreKind.CENTIDISCS, -1), "-0.01"),
        (Score(ScoreKind.RAW, 100), "0.25"),
        (Score(ScoreKind.RAW, -1), "0.00"),
        (Score(ScoreKind.WLD, 1), "1.00"),
    ],
)
def test_a_value_is_discs_with_two_decimals_and_never_minus_zero(score: Score, value: str) -> None:
    assert format_discs(score.discs) == value


def test_answers_are_spelled_with_slashes() -> None:
    assert format_answer(F5, 0.35, 0.5) == "=== F5/0.35/0.50"
    assert format_answer(F5, None, 12.346) == "=== F5//12.35"
    assert format_answer(PASS, None, 0) == "=== PA//0.00"


def test_the_other_answers_are_as_the_specification_has_them() -> None:
    assert format_nodestats(412345, 0.0415) == "nodestats 412345 0.042"
    assert format_analysis(0, -0.001) == "analysis 0 0.00"
    assert format_status("") == "status"
    assert format_status("Thinking ") == "status Thinking"


def test_no_time_is_not_a_number() -> None:
    command = parse_command("move f5//-nan")
    assert isinstance(command, Move)
    assert not math.isnan(command.seconds)
