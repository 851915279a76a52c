"""Transcripts: spellings, implied and written passes, and errors that say which move and why."""

from __future__ import annotations

import doctest
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.errors import IllegalMoveError
from othello_engine.formats import transcript
from othello_engine.formats.transcript import format_moves, parse_moves
from othello_engine.position import Position
from othello_engine.types import PASS, square_name
from tests import positions

START = Position.start()


def moves_of(text: str | list[str], position: Position = START) -> list[str]:
    return [square_name(move) for move, _ in parse_moves(position, text)]


def error_of(text: str | list[str], position: Position = START) -> IllegalMoveError:
    with pytest.raises(IllegalMoveError) as caught:
        parse_moves(position, text)
    assert f"move {caught.value.index}: " in str(caught.value)
    assert str(caught.value).isascii()
    return caught.value


def test_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(transcript).failed == 0


@pytest.mark.parametrize(
    "text",
    [
        "f5d6c3d3c4",
        "F5D6C3D3C4",
        "f5D6c3D3c4",
        "f5 d6 c3 d3 c4",
        "  f5\td6\r\nc3\nd3 c4\r\n",
        "\ufefff5d6c3d3c4",
        "1. f5 d6 2. c3 d3 3. c4",
        "1.f5d6 2.c3d3 3.c4",
        "1. f5 2. d6 3. c3 4. d3 5. c4",
        "1 f5 2 d6 3 c3 4 d3 5 c4",
        "1. f5 1... d6 2. c3 d3 3. c4",
        "+f5-d6+c3-d3+c4",
        "f5-d6-c3-d3-c4",
        "f5 - d6 - c3 - d3 - c4",
        ["f5", "d6", "c3", "d3", "c4"],
        ["f5d6", "C3", "d3c4"],
        ["f5d6c3d3c4"],
    ],
)
def test_every_form_of_a_transcript_is_read(text: str | list[str]) -> None:
    steps = parse_moves(START, text)
    assert [square_name(move) for move, _ in steps] == ["f5", "d6", "c3", "d3", "c4"]
    assert steps[-1][1].to_text() == positions.FIVE_MOVES_TEXT


def test_every_move_comes_with_the_position_after_it() -> None:
    position = START
    for move, after in parse_moves(START, positions.FIVE_MOVES):
        position = position.play(move)
        assert after == position


def test_nothing_is_no_move() -> None:
    for nothing in ("", "  \r\n", "\ufeff", [], [""], "1."):
        assert parse_moves(START, nothing) == []


@pytest.mark.parametrize(
    ("moves", "n_moves", "n_passes", "black_score"),
    [
        (positions.WIPE_OUT, 12, 0, -64),
        (positions.PASS_THEN_WIPE_OUT, 16, 1, 64),
        (positions.EARLY_END, 21, 1, -62),
        (positions.EARLY_END.upper(), 21, 1, -62),
    ],
)
def test_reference_games_end_as_they_should(moves: str, n_moves: int, n_passes: int, black_score: int) -> None:
    steps = parse_moves(START, moves)
    last = steps[-1][1]
    assert [move for move, _ in steps].count(PASS) == n_passes
    assert len(steps) == n_moves + n_passes
    assert last.is_over
    assert last.final_score == (black_score if last.side == 0 else -black_score)


@pytest.mark.parametrize("spelling", ["pass", "pa", "ps", "--", "@@@@", "0000", "PA", "Pass", " -- ", " pa "])
def test_a_written_forced_pass_equals_the_implied_one(spelling: str) -> None:
    implied = parse_moves(START, "f5d6c7f3d3c6b6g6h7d7d8b7b8c2g2b1")
    assert parse_moves(START, f"f5d6c7f3d3c6b6g6h7d7d8b7b8c2g2{spelling}b1") == implied
    assert implied[-2][0] == PASS


def test_a_pass_at_the_end_of_the_text_is_only_taken_if_written() -> None:
    """The end of the text is not the end of the game, and nobody has moved after the pass yet."""
    assert moves_of(positions.EARLIEST_PASS)[-1] == "c1"
    assert moves_of(positions.EARLIEST_PASS + "pa")[-2:] == ["c1", "pass"]
    assert moves_of(positions.EARLIEST_PASS + "b4")[-2:] == ["pass", "b4"]


def test_a_transcript_may_begin_anywhere() -> None:
    position = Position.from_text(positions.EARLIEST_PASS_TEXT)
    assert moves_of("b4", position) == ["pass", "b4"]
    assert moves_of("pass d6", position) == ["pass", "d6"]


@pytest.mark.parametrize(
    ("text", "move", "index", "reason"),
    [
        ("f5e3", "e3", 2, "no disc turned"),
        ("f5 d6 e4", "e4", 3, "square occupied"),
        ("f5F5", "F5", 2, "square occupied"),
        ("pass", "pass", 1, "a pass is not allowed while there is a move"),
        ("f5 PA d6", "PA", 2, "a pass is not allowed while there is a move"),
        ("f5d6--", "--", 3, "a pass is not allowed while there is a move"),
        ("f50000", "0000", 2, "a pass is not allowed while there is a move"),
        ("f5 0000", "0000", 2, "a pass is not allowed while there is a move"),
        ("f5x9", "x9", 2, "neither a square nor a pass"),
        ("f5 i4", "i4", 2, "neither a square nor a pass"),
        ("f5 d9", "d9", 2, "neither a square nor a pass"),
        ("f5 d", "d", 2, "neither a square nor a pass"),
        ("f5 5", "5", 2, "neither a square nor a pass"),
        ("f55", "5", 2, "neither a square nor a pass"),
        ("f5d63", "3", 3, "neither a square nor a pass"),
        ("f5---d6", "---d6", 2, "neither a square nor a pass"),
        ("f5 \u0435\u0036", "\u0435\u0036", 2, "neither a square nor a pass"),
        ("1. f5 d6 2. c3 a1", "a1", 4, "no disc turned"),
        (["f5", "d6c3", "a1"], "a1", 4, "no disc turned"),
        (positions.EARLIEST_PASS + "a8", "a8", 9, "no disc turned"),
        (positions.EARLIEST_PASS + "papa", "pa", 10, "a pass is not allowed while there is a move"),
        (positions.WIPE_OUT + "a1", "a1", 13, "the game is over"),
        (positions.WIPE_OUT + "pa", "pa", 13, "the game is over"),
        (positions.EARLY_END + " a8", "a8", 22, "the game is over"),
    ],
)
def test_the_first_bad_move_is_named_with_place_and_reason(
    text: str | list[str], move: str, index: int, reason: str
) -> None:
    """RU-2: an optional pass is never taken. Inserted passes and move numbers are not counted."""
    error = error_of(text)
    assert (error.move, error.index) == (move, index)
    assert str(error).startswith(reason)


def test_a_wrong_move_names_the_side_after_an_inserted_pass() -> None:
    """After d3c3e6d2d1e1b3c1 Black passes; the next square is White's move and judged as such."""
    error = error_of(positions.EARLIEST_PASS + "b4a1")
    assert (error.move, error.index) == ("a1", 10)


@pytest.mark.parametrize("n", [5, 60])
def test_long_junk_is_cut_short_in_the_message(n: int) -> None:
    assert len(str(error_of("f5" + "\u4e00" * n))) < 160


def test_moves_are_written_without_or_with_passes() -> None:
    moves = [move for move, _ in parse_moves(START, positions.PASS_THEN_WIPE_OUT)]
    assert format_moves(moves) == positions.PASS_THEN_WIPE_OUT
    assert format_moves(moves, passes=True) == "f5d6c7f3d3c6b6g6h7d7d8b7b8c2g2pab1"
    assert format_moves(moves[:3], separator=" ") == "f5 d6 c7"
    assert format_moves([]) == ""


@given(st.integers(0, 10_000), st.sampled_from(["", " ", "-", "+"]), st.booleans(), st.booleans())
def test_what_is_written_is_read_back(seed: int, separator: str, passes: bool, upper: bool) -> None:
    game = positions.random_game(random.Random(seed), squeeze=0.4)
    moves = positions.moves_of(game)
    text = format_moves(moves, separator, passes)
    steps = parse_moves(START, text.upper() if upper else text)
    assert [move for move, _ in steps] == moves
    assert steps[-1][1] == game[-1]


@given(st.text(alphabet="abcdefgh12345678 .-+@0psPASSX", max_size=40) | st.text(max_size=40))
def test_any_text_is_a_game_or_an_illegal_move_error(text: str) -> None:
    try:
        steps = parse_moves(START, text)
    except IllegalMoveError as error:
        is_named = error.index >= 1 and error.move in text
        assert is_named
    else:
        position = START
        for move, after in steps:
            position = position.play(move)
            assert position == after
