"""Board texts: every spelling is read, every mistake is named with its column."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.core import plain
from othello_engine.errors import BoardError
from othello_engine.formats import boards
from othello_engine.formats.boards import format_board, parse_board, parse_setup
from othello_engine.notation import BLACK_SYMBOLS, EMPTY_SYMBOLS, WHITE_SYMBOLS
from othello_engine.position import Position
from othello_engine.types import BLACK, WHITE
from tests import positions

FIVE_MOVES = Position.from_moves(positions.FIVE_MOVES)
BOARD = positions.FIVE_MOVES_TEXT[:64]


def error_of(text: str, default_side: int | None = None) -> BoardError:
    with pytest.raises(BoardError) as caught:
        parse_board(text, default_side)
    error = caught.value
    assert str(error).isascii()
    assert f"(column {error.column})" in str(error)
    return error


def test_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(boards).failed == 0


@pytest.mark.parametrize("black", BLACK_SYMBOLS)
@pytest.mark.parametrize("white", WHITE_SYMBOLS)
@pytest.mark.parametrize("empty", EMPTY_SYMBOLS)
def test_every_spelling_of_discs_and_empties_is_read(black: str, white: str, empty: str) -> None:
    text = BOARD.translate(str.maketrans("XO-", black + white + empty))
    assert parse_board(f"{text} {white}") == FIVE_MOVES
    assert parse_board(f"{text} {black}") == FIVE_MOVES.swapped()


def test_the_spellings_are_those_of_the_contract() -> None:
    assert set(BLACK_SYMBOLS) == set("Xx*Bb")
    assert set(WHITE_SYMBOLS) == set("OoWw")
    assert set(EMPTY_SYMBOLS) == set("-._")


@pytest.mark.parametrize("side", ["O", "o", "W", "w", "white", "White", "WHITE"])
def test_every_spelling_of_the_side_is_read(side: str) -> None:
    assert parse_board(f"{BOARD} {side}") == FIVE_MOVES
    assert parse_board(BOARD + side) == FIVE_MOVES


@pytest.mark.parametrize("side", ["X", "x", "B", "b", "*", "black", "Black"])
def test_every_spelling_of_black_is_read(side: str) -> None:
    assert parse_board(f"{BOARD} {side}").side == BLACK


@pytest.mark.parametrize(
    "text",
    [
        positions.FIVE_MOVES_TEXT,
        BOARD + "O",
        positions.FIVE_MOVES_TEXT + "\r\n",
        "\ufeff" + positions.FIVE_MOVES_TEXT,
        "  " + positions.FIVE_MOVES_TEXT + "  ",
        "\t".join((BOARD, "O")),
        "\r\n".join(BOARD[row : row + 8] for row in range(0, 64, 8)) + "\r\nO\r\n",
        " ".join(BOARD) + " O",
        "\n".join(" ".join(BOARD[row : row + 8]) for row in range(0, 64, 8)) + "\nO",
    ],
)
def test_white_space_line_ends_and_byte_order_mark_do_not_count(text: str) -> None:
    assert parse_board(text) == FIVE_MOVES


def test_side_may_be_absent_only_with_a_default() -> None:
    assert parse_board(BOARD, default_side=WHITE) == FIVE_MOVES
    assert parse_board(BOARD + " X", default_side=WHITE) == FIVE_MOVES.swapped()
    assert parse_board("\n".join(" ".join(BOARD[r : r + 8]) for r in range(0, 64, 8)), WHITE) == FIVE_MOVES
    error = error_of(BOARD)
    assert "no side to move" in str(error)
    assert error.column == 65


@pytest.mark.parametrize("digit", "0123456789")
def test_digits_are_refused_and_the_message_says_why(digit: str) -> None:
    error = error_of(BOARD[:20] + digit + BOARD[21:] + " X")
    assert error.column == 21
    assert "programs disagree on its colour" in str(error)


@pytest.mark.parametrize("character", ["?", "q", "+", "#", "\u25cf", "\u00d7", "e", "\0"])
@pytest.mark.parametrize("square", [0, 31, 63])
def test_a_strange_character_is_named_with_its_column(character: str, square: int) -> None:
    error = error_of(BOARD[:square] + character + BOARD[square + 1 :] + " O")
    assert error.column == square + 1
    assert ascii(character) in str(error)


def test_a_byte_order_mark_inside_the_board_is_a_strange_character() -> None:
    assert error_of(BOARD[:5] + "\ufeff" + BOARD[5:] + " O").column == 6


def test_columns_count_in_the_text_as_given() -> None:
    text = "  " + BOARD[:8] + " " + BOARD[8:16] + " ?" + BOARD[17:] + " O"
    assert error_of(text).column == text.index("?") + 1
    assert error_of("\ufeff" + BOARD[:3] + "?" + BOARD[4:] + " O").column == 5


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "only 0 of 64"),
        ("   ", 1, "only 0 of 64"),
        ("X", 2, "only 1 of 64"),
        (BOARD[:63], 64, "only 63 of 64"),
        (BOARD[:63] + " X", 65, "only 63 of 64"),
        (BOARD[:62] + " X", 64, "only 62 of 64"),
        (BOARD[:10] + " white", 12, "only 10 of 64"),
        (BOARD[:62] + "O", 64, "only 63 of 64"),
        (BOARD[:63] + "O", 65, "no side"),
        (BOARD + "-", 65, "more than 64"),
        (BOARD + "- X", 65, "more than 64"),
        (BOARD + "X X", 65, "more than 64"),
        (BOARD + BOARD + " X", 65, "more than 64"),
        (BOARD + " ?", 66, "no side to move"),
        (BOARD + " 0", 66, "no side to move"),
        (BOARD + " 1", 66, "no side to move"),
        (BOARD + " Y", 66, "no side to move"),
        (BOARD + " X;", 67, "after the side"),
        (BOARD + " X moves f5", 68, "after the side"),
        (BOARD + " black!", 67, "after the side"),
        ("startpost", 1, "'s' is no square"),
        ("8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1", 1, "digit"),
    ],
)
def test_wrong_lengths_and_sides_are_named(text: str, column: int, message: str) -> None:
    error = error_of(text)
    assert message in str(error)
    assert error.column == column


def test_a_board_that_lacks_a_square_is_not_read_with_its_side_as_a_disc() -> None:
    """63 squares, a blank and `X` are 64 characters; with a default side they must still be refused."""
    assert "only 63" in str(error_of(BOARD[:63] + " X", default_side=BLACK))
    assert "only 63" in str(error_of(BOARD[:40] + " " + BOARD[40:63] + " O", default_side=BLACK))


def test_words_of_a_command_are_read_like_the_joined_text() -> None:
    assert parse_setup([BOARD, "O"]) == parse_setup([BOARD + "O"]) == FIVE_MOVES
    assert parse_setup([*(BOARD[row : row + 8] for row in range(0, 64, 8)), "white"]) == FIVE_MOVES
    assert parse_setup(["startpos"]) == parse_setup(["STARTPOS"]) == Position.start()
    assert parse_setup([BOARD], default_side=WHITE) == FIVE_MOVES
    with pytest.raises(BoardError) as caught:
        parse_setup([BOARD, "?"])
    assert caught.value.column == 66
    with pytest.raises(BoardError) as caught:
        parse_setup([])
    assert caught.value.column == 1


def test_examples_of_the_contract() -> None:
    start, five_moves, pass_forced = (
        positions.START_TEXT,
        positions.FIVE_MOVES_TEXT,
        positions.EARLIEST_PASS_TEXT,
    )
    assert parse_board(start) == Position.start()
    assert len(parse_board(start).legal_moves) == 4
    assert parse_board(five_moves) == Position.from_moves("f5d6c3d3c4")
    assert parse_board(pass_forced) == Position.from_moves(positions.EARLIEST_PASS)
    assert parse_board(pass_forced).must_pass


@pytest.mark.parametrize("text", [board for board, _ in positions.FINISHED])
def test_finished_and_one_coloured_boards_are_valid(text: str) -> None:
    for side in "XO":
        assert format_board(parse_board(text + side)) == f"{text} {side}"


@given(st.integers(0, plain.FULL), st.integers(0, plain.FULL), st.sampled_from([BLACK, WHITE]))
def test_what_is_written_is_read_back(occupied: int, own: int, side: int) -> None:
    position = Position(occupied & own, occupied & ~own, side)
    text = format_board(position)
    assert parse_board(text) == position
    assert len(text) == 66


@given(st.text(alphabet="XxOo-._*bBwW 01\r\n\t?\ufeffstarpo", max_size=90) | st.text(max_size=90))
def test_any_text_is_a_position_or_a_board_error(text: str) -> None:
    try:
        parse_board(text)
    except BoardError as error:
        is_named = 1 <= error.column <= len(text) + 1 and str(error).isascii()
        assert is_named


@given(st.integers(0, 63), st.characters(exclude_characters="XxBb*OoWw-._", exclude_categories=["Cs"]))
def test_one_wrong_character_is_always_found(square: int, character: str) -> None:
    text = BOARD[:square] + character + BOARD[square + 1 :] + " O"
    error = error_of(text)
    if not character.isspace() and not (square == 0 and character == "\ufeff"):
        assert error.column == square + 1
