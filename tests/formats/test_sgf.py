r"""SGF, GM[2]: both spellings of squares, every pass, variations, set-ups, `\]` and `\\`, errors with their place."""

from __future__ import annotations

import doctest
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.formats import sgf
from othello_engine.formats.game import Ending, Game, GameClock, GameError, GameMove, Result, Theory
from othello_engine.formats.sgf import format_result, format_sgf, parse_result, parse_sgf, parse_text, read_sgf
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE
from tests import positions
from tests.formats.games import (
    ENDINGS,
    PASS_AND_EARLY_END,
    PASS_AND_WIPE_OUT,
    UNFINISHED,
    WIPE_OUT,
    annotated,
    game_from_the_middle,
    sample_games,
    without_last_pass,
    without_stated,
)

T1 = "(;FF[4]GM[2]SZ[8];B[e6];W[f4];B[d3];W[e7];B[f6];W[g5];B[e3];W[e2];B[f3];W[c4];B[f5];W[f2])"
T2 = (
    "(;FF[4]GM[2]SZ[8]PB[Anna]PW[Bo]RE[B+64];B[f5];W[d6];B[c7];W[f3];B[d3];W[c6];B[b6];W[g6];B[h7];W[d7];B[d8];W[b7];"
    "B[b8];W[c2];B[g2];B[b1])"
)
LETTERS = "(;FF[4]GM[2]SZ[8];B[fe];W[df];B[cc];W[dc];B[cd])"
EDAX = """\
(;FF[4]GM[2]AP[edax:4.6]
PC[Edax]DT[2026-11-30]
PB[?]PW[?]
SZ[8]AB[e4][d5]AW[d4][e5]PL[B]
RE[B+64]
B[f5];W[d6];
B[c7];W[f3];
B[d3];W[c6];
B[b6];W[g6];
B[h7];W[d7];
B[d8];W[b7];
B[b8];W[c2];
B[g2];W[PA];
B[b1];)
"""


def error_of(text: str) -> str:
    with pytest.raises(GameError) as caught:
        parse_sgf(text)
    assert str(caught.value).isascii()
    return str(caught.value)


def read(text: str) -> tuple[list[Game], list[str]]:
    errors: list[GameError] = []
    games = list(read_sgf([text], errors.append))
    for size in (1, 11, 100):
        again: list[GameError] = []
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert list(read_sgf(pieces, again.append)) == games
        assert [str(error) for error in again] == [str(error) for error in errors]
    return games, [str(error) for error in errors]


def test_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(sgf).failed == 0


# -- one game ----------------------------------------------------------------------------------------------


def test_the_documented_games_are_read() -> None:
    assert parse_sgf(T1).moves == WIPE_OUT.moves
    second = parse_sgf(T2)
    assert (second.moves, second.black, second.white) == (PASS_AND_WIPE_OUT.moves, "Anna", "Bo")
    assert parse_sgf(LETTERS).moves == UNFINISHED.moves


def test_the_safe_form_is_written_letter_for_letter() -> None:
    assert format_sgf(parse_sgf(T2)) == T2
    assert format_sgf(WIPE_OUT) == T1.replace("SZ[8]", "SZ[8]RE[W+64]")
    assert format_sgf(UNFINISHED) == "(;FF[4]GM[2]SZ[8]RE[?];B[f5];W[d6];B[c3];W[d3];B[c4])"


def test_semicolons_behind_moves_and_a_written_standard_start_are_edaxs_way() -> None:
    assert parse_sgf(EDAX).moves == PASS_AND_WIPE_OUT.moves


@pytest.mark.parametrize("spelled", ["PA", "pa", "pass", "--", "@@@@", "", "tt", " "])
def test_a_pass_is_read_in_every_spelling(spelled: str) -> None:
    assert parse_sgf(EDAX.replace("PA", spelled)).moves == PASS_AND_WIPE_OUT.moves


def test_a_pass_is_not_written() -> None:
    for game in (PASS_AND_WIPE_OUT, PASS_AND_EARLY_END):
        assert format_sgf(game).count(";") == len(game.moves)


@pytest.mark.parametrize(
    "text",
    [
        T1.replace("[", " [").replace("]", "] "),
        T1.replace(";", "\r\n;"),
        T1.replace("B[", "b[").replace("W[", "w["),
        T1.replace("e6", "E6").replace("f2", "F2"),
        T1.replace("GM[2]SZ[8]", ""),
        T1.replace("SZ[8]", "SZ[8:8]"),
        T1.replace("W[f4]", "W[f4]C[a comment \\] B[a1\\] (;]BL[17.5]N[x]"),
        T1.replace("B[f5];W[f2])", "B[f5](;W[f2])(;W[e1](;B[d1])(;B[f1])))"),
        T1.replace("FF[4]", "FF[4]C[first] [second]"),
        "\ufeff" + T1 + "\n",
    ],
)
def test_other_writers_habits_make_no_difference(text: str) -> None:
    assert parse_sgf(text).moves == WIPE_OUT.moves


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "'' is no game; SGF begins with '(;'"),
        ("(B[f5])", "'(B[f5])' is no game; SGF begins with '(;'"),
        ("(;GM[2];B[f5]", "the end ')' is missing"),
        ("(;GM[2];B[f5)", "the end ')' is missing"),
        ("(;GM[2];B[f5]))", "')' after the end of the game"),
        ("(;GM[2]!;B[f5])", "'!;B[f5])' is no property; NAME[value] is needed"),
        ("(;GM[2]B;B[f5])", "'B;B[f5])' is no property; NAME[value] is needed"),
        ("(;GM[1];B[jj])", "GM[1]: a game of another kind; GM[2], Othello, is read"),
        ("(;GM[2]SZ[10];B[jj])", "SZ[10]: boards of 8x8 squares are read, no others"),
        ("(;GM[2];B[f5];W[d6];B[a1])", "move 3, B[a1]: no disc turned"),
        ("(;GM[2];B[f5];W[jj])", "move 2, W[jj]: 'jj' is no move"),
        ("(;GM[2];B[f5];W[d6];AB[a1];B[c3])", "AB after move 2: discs set up within a game can't be read"),
        ("(;GM[2];B[f5];B[d6])", "move 2, B[d6]: it is White's turn"),
        ("(;GM[2];B[f5];W[])", "move 2, W[PA]: a pass is not allowed while there is a move"),
        ("(;GM[2]AB[z1];B[f5])", "AB[z1]: 'z1' is no move"),
        ("(;GM[2]AB[];B[f5])", "AB[]: '' is no square"),
        ("(;GM[2]PL[q];B[f5])", "PL[q]: B or W is needed"),
    ],
)
def test_a_bad_game_is_refused_with_what_is_wrong(text: str, error: str) -> None:
    assert error_of(text) == error


# -- set-ups -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_a_game_may_begin_with_either_side(seed: int) -> None:
    game = game_from_the_middle(seed, 7 + seed)
    text = format_sgf(game)
    assert "AB[" in text
    assert f"PL[{'BW'[game.start.side]}]" in text
    assert without_stated(parse_sgf(text)) == game
    assert without_stated(parse_sgf(text.replace(f"PL[{'BW'[game.start.side]}]", ""))).moves == game.moves


def test_the_first_move_knows_better_who_begins() -> None:
    game = game_from_the_middle(2, 9)
    wrong = format_sgf(game).replace(f"PL[{'BW'[game.start.side]}]", f"PL[{'WB'[game.start.side]}]")
    assert parse_sgf(wrong).start == game.start


def test_a_side_that_must_pass_at_the_start_passes() -> None:
    start = Position.from_text(positions.EARLIEST_PASS_TEXT)
    game = Game.of("b4", start)
    assert game.moves[0].move == PASS
    text = format_sgf(game)
    assert text.endswith("PL[B];W[b4])")
    assert parse_sgf(text) == game


def test_discs_may_be_given_as_rectangles_and_taken_away() -> None:
    game = parse_sgf("(;GM[2]AB[a1:c2][fe]AE[b1]AW[h8][a2])")
    assert game.start == Position.from_text("X-X-----OXX-----" + "-" * 21 + "X" + "-" * 25 + "O X")


def test_colours_numbered_by_pl_are_read() -> None:
    assert parse_sgf("(;GM[2]PL[2]AB[d4][e5]AW[d5][e4])").start.side == WHITE


# -- what is known about a game ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("B+12", Result(12, winner=BLACK)),
        ("w+4.5", Result(-4.5, winner=WHITE)),
        ("0", Result(0)),
        ("Draw", Result(0)),
        ("B+R", Result(None, Ending.RESIGNED, BLACK)),
        ("W+Resign", Result(None, Ending.RESIGNED, WHITE)),
        ("W+T", Result(None, Ending.TIME, WHITE)),
        ("B+", Result(None, Ending.PLAYED, BLACK)),
        ("Void", None),
        ("?", None),
        ("", None),
    ],
)
def test_results_are_the_winners(text: str, result: Result | None) -> None:
    assert parse_result(text) == result
    if result is not None:
        assert parse_result(format_result(result)) == result


def test_a_resignation_keeps_its_score_in_a_note() -> None:
    game = replace(UNFINISHED, stated=Result.of_score(-10, Ending.RESIGNED))
    text = format_sgf(game)
    assert "RE[W+R]GC[stated: -10.00:r]" in text
    assert parse_sgf(text) == game


def test_a_wrong_result_is_corrected_and_kept_as_stated() -> None:
    """Edax 4.6 writes the sign wrong where an odd number of discs was placed."""
    game = parse_sgf(format_sgf(PASS_AND_EARLY_END).replace("RE[W+62]", "RE[B+62]"))
    assert (game.score, game.is_misstated) == (-62, True)
    assert "RE[W+62]GC[stated: +62.00]" in format_sgf(game)
    assert parse_sgf(format_sgf(game)) == game


@pytest.mark.parametrize("rules", ["anti", "Anti-Othello"])
def test_a_game_of_anti_othello_keeps_its_result(rules: str) -> None:
    game = replace(PASS_AND_EARLY_END, match_type="8a", stated=Result.of_score(62))
    text = format_sgf(game)
    assert "RE[B+62]RU[anti]" in text
    assert parse_sgf(text.replace("RU[anti]", f"RU[{rules}]")) == game
    assert not parse_sgf(text.replace("RU[anti]", "RU[Japanese]")).is_anti


def test_values_are_blacks_in_the_file_and_the_movers_in_the_game() -> None:
    game = parse_sgf("(;GM[2];B[f5]V[2.5];W[d6]V[3];B[c3]V[abc])")
    assert game.moves == (GameMove(37, 2.5), GameMove(43, -3.0), GameMove(18))
    assert ";B[f5]V[2.50];W[d6]V[3.00];B[c3]" in format_sgf(game)


def test_the_main_time_is_kept_if_it_is_the_same_for_both() -> None:
    game = replace(UNFINISHED, black_clock=GameClock(300, 5), white_clock=GameClock(300, 5))
    assert parse_sgf(format_sgf(game)).white_clock == GameClock(300, 0, 0)
    assert "TM[" not in format_sgf(replace(game, white_clock=GameClock(200)))


def test_notes_are_told_from_comments() -> None:
    game = parse_sgf("(;GM[2]GC[a\nb\ntheoretical: +4 at 24 empties]C[c];B[f5])")
    assert (game.theory, game.comment) == (Theory(4, 24), "a\nb\nc")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"a\]b", "a]b"),
        (r"a\\b", "a\\b"),
        (r"a\\\]", "a\\]"),
        (r"\a\:", "a:"),
        ("a\\\nb", "ab"),
        ("a\\\r\nb", "ab"),
        ("[", "["),
    ],
)
def test_escapes_are_undone(written: str, text: str) -> None:
    assert parse_text(written) == text


@given(st.text("\\][;()a \n") | st.text())
def test_no_text_breaks_the_format(text: str) -> None:
    game = parse_sgf(format_sgf(replace(UNFINISHED, black=text, white="\\", comment=text)))
    assert game.moves == UNFINISHED.moves
    assert (game.black, game.white) == (" ".join(text.split()), "\\")


@given(annotated(st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs")), max_size=12), times=False))
def test_what_is_written_is_read_back(game: Game) -> None:
    game = without_last_pass(game)
    text = format_sgf(game)
    again = parse_sgf(text)
    passes_valueless = tuple(replace(each, value=None) if each.move == PASS else each for each in game.moves)
    assert without_stated(again) == replace(without_stated(game), moves=passes_valueless)
    assert format_sgf(again) == text
    assert ("CA[UTF-8]" in text) is not text.isascii()


def test_recorded_games_are_read_back() -> None:
    games = sample_games()
    text = "".join(format_sgf(game) + "\n" for game in games)
    assert [without_stated(game) for game in read_sgf([text])] == games


# -- files -------------------------------------------------------------------------------------------------


def test_games_follow_one_another_in_any_arrangement() -> None:
    games, errors = read(f"\ufeff{T1}\n{T2}{LETTERS}\n\n  {EDAX}\r\n{T1.replace(';', chr(10) + ';')}")
    assert [game.transcript for game in games] == [
        positions.WIPE_OUT,
        positions.PASS_THEN_WIPE_OUT,
        positions.FIVE_MOVES,
        positions.PASS_THEN_WIPE_OUT,
        positions.WIPE_OUT,
    ]
    assert errors == []


def test_errors_name_game_and_line_and_the_rest_is_read() -> None:
    text = f"{T1}\n(;GM[1];B[aa])\n(;FF[4]GM[2];B[f5]\n{T2}\njunk\n{T1.replace('e6', 'a1')}\n{T1}\n"
    games, errors = read(text)
    assert [game.transcript for game in games] == [
        positions.WIPE_OUT,
        positions.PASS_THEN_WIPE_OUT,
        positions.WIPE_OUT,
    ]
    assert errors == [
        "game 2, line 2: GM[1]: a game of another kind; GM[2], Othello, is read",
        "game 3, line 3: the end of the game '(;FF[4]GM[2];B[f5]' is missing",
        "game 5, line 5: 'junk' is no game",
        "game 6, line 6: move 1, B[a1]: no disc turned",
    ]


def test_brackets_within_values_are_text() -> None:
    games, errors = read(T1.replace("SZ[8]", "SZ[8]C[(;FF (( \\] ))]") + T1)
    assert ([game.moves for game in games], errors) == ([WIPE_OUT.moves] * 2, [])


@given(st.text(st.sampled_from("(;)[]FGMBOWPLA42*-f5d6: \n\\")) | st.text())
def test_garbage_raises_nothing_but_the_formats_error(text: str) -> None:
    errors: list[GameError] = []
    list(read_sgf([text], errors.append))
    for garbage in (text, f"(;GM[2]{text})"):
        try:
            parse_sgf(garbage)
        except GameError:
            continue


def test_endings_of_every_kind_survive() -> None:
    for game in ENDINGS:
        assert without_stated(parse_sgf(format_sgf(game))) == game
