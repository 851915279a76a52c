"""GGF: every tag and spelling, passes, clocks, results, collections, and errors that name their place."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.formats import ggf
from othello_engine.formats.game import Ending, Game, GameClock, GameError, GameMove, Result, Theory
from othello_engine.formats.ggf import (
    format_clock,
    format_ggf,
    format_result,
    parse_clock,
    parse_ggf,
    parse_result,
    read_ggf,
)
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE, parse_square
from tests import positions
from tests.formats.games import (
    CLOCKS,
    ENDINGS,
    PASS_AND_EARLY_END,
    PASS_AND_WIPE_OUT,
    RESULTS,
    UNFINISHED,
    WIPE_OUT,
    annotated,
    game_from_the_middle,
    sample_games,
    without_stated,
)

START_TAG = "BO[8 ---------------------------O*------*O--------------------------- *]"
T1 = (
    "(;GM[Othello]PC[local]DT[2026-01-05 10:00:00 GMT]PB[Anna]PW[Bo]RE[-64.00]TI[5:00]TY[8]"
    f"{START_TAG}B[E6]W[F4]B[D3]W[E7]B[F6]W[G5]B[E3]W[E2]B[F3]W[C4]B[F5]W[F2];)"
)
T2 = (
    f"(;GM[Othello]PC[local]PB[Anna]PW[Bo]RE[+64.00]TI[5:00]TY[8]{START_TAG}B[F5]W[D6]B[C7]W[F3]B[D3]W[C6]"
    "B[B6]W[G6]B[H7]W[D7]B[D8]W[B7]B[B8]W[C2]B[G2]W[PA]B[B1];)"
)
SETUP = (
    "(;GM[Othello]PC[local]PB[Anna]PW[Bo]RE[?]TI[5:00//1:00]TY[8]"
    "BO[8 -O*****-*OOO-*****OOOO*O*O*OOOOO*O**OOO-*OOO*O*O-OO***O-*OOOOOOO *]B[A1/14.00/0.5];)"
)


def error_of(text: str) -> str:
    with pytest.raises(GameError) as caught:
        parse_ggf(text)
    assert str(caught.value).isascii()
    return str(caught.value)


def read(text: str) -> tuple[list[Game], list[str]]:
    errors: list[GameError] = []
    games = list(read_ggf([text], errors.append))
    for size in (1, 7, 64):
        again: list[GameError] = []
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert list(read_ggf(pieces, again.append)) == games
        assert [str(error) for error in again] == [str(error) for error in errors]
    return games, [str(error) for error in errors]


def test_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(ggf).failed == 0


# -- one game ----------------------------------------------------------------------------------------------


def test_the_documented_games_are_read_and_written_letter_for_letter() -> None:
    for text in (T1, T2, SETUP):
        assert format_ggf(parse_ggf(text)) == text
    first = parse_ggf(T1)
    assert first.moves == WIPE_OUT.moves
    assert (first.place, first.date, first.black, first.white) == ("local", "2026-01-05 10:00:00 GMT", "Anna", "Bo")
    assert (first.stated, first.black_clock, first.white_clock) == (Result.of_score(-64), *[GameClock(300, 0, 120)] * 2)
    assert parse_ggf(T2).moves == PASS_AND_WIPE_OUT.moves


def test_a_set_up_game_has_its_start_its_value_and_its_time() -> None:
    game = parse_ggf(SETUP)
    board = SETUP[SETUP.index("8 -O") + 2 : SETUP.index("]B[A1")]
    assert game.start == Position.from_text(board)
    assert game.moves == (GameMove(0, 14.0, 0.5),)
    assert game.black_clock == GameClock(300, 0, 60)
    assert list(game.final_position.legal_moves) == [parse_square(name) for name in ("h1", "h5", "h7")]


@pytest.mark.parametrize("seed", range(6))
def test_a_game_may_begin_with_either_side(seed: int) -> None:
    game = game_from_the_middle(seed, 7 + seed)
    assert game.start.side == (BLACK if seed % 2 else WHITE)
    text = format_ggf(game)
    assert re.search(r"\](B|W)\[", text[text.index("BO[") :])[1] == "BW"[game.start.side]  # type: ignore[index]
    assert without_stated(parse_ggf(text)) == game


@pytest.mark.parametrize("spelled", ["PA", "pa", "PASS", "Pass", "ps", "--", "@@@@", "PA//1.5", "PA/-3.00/0.1"])
def test_a_pass_is_read_in_every_spelling(spelled: str) -> None:
    assert [each.move for each in parse_ggf(T2.replace("PA", spelled)).moves].count(PASS) == 1


def test_a_pass_may_be_left_out() -> None:
    assert parse_ggf(T2.replace("W[PA]", "")) == parse_ggf(T2)


@pytest.mark.parametrize(
    ("written", "move"),
    [
        ("F5", GameMove(37)),
        ("f5", GameMove(37)),
        (" f5 ", GameMove(37)),
        ("F5/2.00", GameMove(37, 2.0)),
        ("F5/-2", GameMove(37, -2.0)),
        ("F5/+.5/10", GameMove(37, 0.5, 10.0)),
        ("F5//2.45", GameMove(37, None, 2.45)),
        ("F5/1.00/", GameMove(37, 1.0)),
        ("F5//", GameMove(37)),
        ("F5//1:02.5", GameMove(37, None, 62.5)),
    ],
)
def test_moves_carry_value_and_time(written: str, move: GameMove) -> None:
    assert parse_ggf(f"(;GM[Othello]B[{written}];)").moves == (move,)


@pytest.mark.parametrize(
    "text",
    [
        T1.replace("][", "] ["),
        T1.replace("]", "]\n"),
        T1.replace("]", "]\r\n"),
        T1.replace("B[E6]W[F4]", "b[e6]w[f4]"),
        T1.replace("GM[Othello]", "gm[OTHELLO]"),
        T1.replace("GM[Othello]", ""),
        T1.replace(START_TAG, ""),
        T1.replace("O*------*O", "O* ------ *O"),
        T1.replace(";)", ")"),
        T1.replace("TY[8]", "TY[8k]XX[unknown]KM[0.5]KB[]"),
        "\ufeff" + T1 + "\r\n",
    ],
)
def test_other_writers_habits_make_no_difference(text: str) -> None:
    assert parse_ggf(text).moves == WIPE_OUT.moves


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "'' is no game; GGF begins with '(;'"),
        ("f5d6c3", "'f5d6c3' is no game; GGF begins with '(;'"),
        ("(;GM[Othello]B[f5]", "the end ';)' is missing"),
        ("(;GM[Othello]B[f5", "'B[f5' is no tag; TAG[value] is needed"),
        ("(;GM[Othello]B2[f5];)", "'B2[f5];)' is no tag; TAG[value] is needed"),
        ("(;GM[Othello]B[f5];)(;)", "'(;)' after the end of the game"),
        ("(;GM[Go]B[f5];)", "GM[Go]: a game of another kind; Othello is read"),
        ("(;GM[Othello]TY[10]B[f5];)", "TY[10]: boards of 8x8 squares are read, no others"),
        ("(;GM[Othello]TY[88]B[f5];)", "TY[88]: boards of 8x8 squares are read, no others"),
        ("(;GM[Othello]TY[10]BO[10 --- *]B[f5];)", "BO[10 ...]: boards of 8x8 squares are read, no others"),
        ("(;GM[Othello]BO[8 --- *]B[f5];)", "BO: only 3 of 64 squares (column 7)"),
        ("(;GM[Othello]B[f5]W[f4]B[a1];)", "move 3, B[a1]: no disc turned"),
        ("(;GM[Othello]B[f5]W[f5];)", "move 2, W[f5]: square occupied"),
        ("(;GM[Othello]B[f5]W[i9];)", "move 2, W[i9]: 'i9' is no move"),
        ("(;GM[Othello]B[f5]W[a10];)", "move 2, W[a10]: 'a10' is no move"),
        ("(;GM[Othello]B[];)", "move 1, B[]: '' is no move"),
        ("(;GM[Othello]B[f5/1/2/3];)", "move 1, B[f5/1/2/3]: more than a move, a value and a time"),
        ("(;GM[Othello]B[PA];)", "move 1, B[PA]: a pass is not allowed while there is a move"),
        ("(;GM[Othello]B[f5]B[d6];)", "move 2, B[d6]: it is White's turn"),
        ("(;GM[Othello]W[f5];)", "move 1, W[f5]: it is Black's turn"),
        (T2.replace("W[PA]B[B1]", "W[B1]"), "move 16, W[b1]: it is Black's turn"),
    ],
)
def test_a_bad_game_is_refused_with_what_is_wrong(text: str, error: str) -> None:
    assert error_of(text) == error


@pytest.mark.parametrize(
    ("written", "value", "seconds"),
    [
        ("/0,45/1,5", 0.45, 1.5),
        ("/5.0E-4/1e1", 0.0005, 10.0),
        ("/-.5/1:30", -0.5, 90.0),
        ("/NaN/0.5", None, 0.5),
        ("/1.0,2.0/0.5", None, 0.5),
        ("/x/1:x", None, None),
        ("/--/", None, None),
    ],
)
def test_what_a_player_thought_never_costs_the_game(written: str, value: float | None, seconds: float | None) -> None:
    game = parse_ggf(f"(;GM[Othello]B[f5{written}]W[d6];)")
    assert game.moves[0] == GameMove(37, value, seconds)
    assert game.transcript == "f5d6"


# -- clocks and results ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("5:00", GameClock(300)),
        ("05:00//02:00", GameClock(300)),
        ("15:00/0:30/1:00", GameClock(900, 30, 60)),
        ("5:00//1:00", GameClock(300, 0, 60)),
        ("1:00:00", GameClock(3600)),
        ("1.02:00:00", GameClock(93600)),
        ("0:00/0:12.5", GameClock(0, 12.5)),
        ("/0:10", GameClock(0, 10)),
        ("90", GameClock(90)),
        ("5:00//0:00", GameClock(300, 0, 0)),
        ("", None),
        ("fast", None),
        ("5:00/0:01/0:02/0:03", None),
        ("-5:00", None),
    ],
)
def test_clocks_have_main_time_increment_and_extension(text: str, clock: GameClock | None) -> None:
    assert parse_clock(text) == clock


@given(CLOCKS)
def test_clocks_are_read_as_they_were_written(clock: GameClock) -> None:
    assert parse_clock(format_clock(clock)) == clock


def test_each_player_may_have_a_clock() -> None:
    game = parse_ggf("(;GM[Othello]TI[5:00]TW[2:00/0:10]B[f5];)")
    assert (game.black_clock, game.white_clock) == (GameClock(300), GameClock(120, 10))
    assert "TB[5:00]TW[2:00/0:10]" in format_ggf(game)
    assert "TI[" not in format_ggf(game)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("+12.00", Result(12, winner=BLACK)),
        ("-64.000", Result(-64, winner=WHITE)),
        ("0", Result(0)),
        ("+3.50:s", Result(3.5, Ending.AGREED, BLACK)),
        ("-10.00:r", Result(-10, Ending.RESIGNED, WHITE)),
        ("+64:t", Result(64, Ending.TIME, BLACK)),
        ("+64:z", Result(64, Ending.PLAYED, BLACK)),
        ("?", None),
        ("", None),
        ("B+12", None),
    ],
)
def test_results_are_blacks_with_a_suffix_for_the_end(text: str, result: Result | None) -> None:
    assert parse_result(text) == result


@given(RESULTS)
def test_results_are_read_as_they_were_written(result: Result) -> None:
    assert parse_result(format_result(result)) == result


def test_an_unfinished_game_keeps_its_stated_result() -> None:
    text = format_ggf(replace(UNFINISHED, stated=Result.of_score(-10, Ending.RESIGNED)))
    assert "RE[-10.00:r]" in text
    assert parse_ggf(text).stated == Result.of_score(-10, Ending.RESIGNED)
    assert "RE[?]" in format_ggf(UNFINISHED)


def test_a_winner_without_a_score_gets_all_discs() -> None:
    assert format_result(Result(None, Ending.RESIGNED, WHITE)) == "-64.00:r"
    assert format_result(Result(None)) == "+0.00"


def test_a_wrong_result_is_corrected_and_kept_as_stated() -> None:
    game = parse_ggf(format_ggf(PASS_AND_EARLY_END).replace("RE[-62.00]", "RE[+62.000]"))
    assert (game.score, game.stated, game.is_misstated) == (-62, Result.of_score(62), True)
    text = format_ggf(game)
    assert "RE[-62.00]" in text
    assert "CO[stated: +62.00]" in text
    assert parse_ggf(text) == game


@pytest.mark.parametrize("match_type", ["8a", "s8ar18"])
def test_a_game_of_anti_othello_keeps_its_result(match_type: str) -> None:
    text = T1.replace("RE[-64.00]", "RE[+64.00]").replace("TY[8]", f"TY[{match_type}]")
    game = parse_ggf(text)
    assert (game.match_type, game.score, game.is_misstated) == (match_type, 64, False)
    assert format_ggf(game) == text
    assert format_ggf(parse_ggf(text.replace("RE[+64.00]", "RE[-64.00]"))).count("RE[+64.00]") == 1


# -- what is written ---------------------------------------------------------------------------------------


@given(annotated())
def test_what_is_written_is_read_back(game: Game) -> None:
    again = parse_ggf(format_ggf(game))
    assert without_stated(again) == without_stated(game)
    assert again.result == game.result
    if game.is_misstated:
        assert again.stated == game.stated


def test_recorded_games_are_read_back() -> None:
    games = sample_games()
    text = "".join(format_ggf(game) + "\n" for game in games)
    assert [without_stated(game) for game in read_ggf([text])] == games


@given(st.text(), st.text())
def test_no_text_breaks_the_format(name: str, comment: str) -> None:
    game = parse_ggf(format_ggf(replace(UNFINISHED, black=name, comment=comment)))
    assert game.moves == UNFINISHED.moves
    assert game.black == " ".join(name.replace("[", "(").replace("]", ")").split())


def test_notes_are_told_from_comments() -> None:
    game = parse_ggf("(;GM[Othello]CO[theoretical: -2 at 24 empties]CO[nice game]CO[theoretical: bad]B[f5];)")
    assert (game.theory, game.comment) == (Theory(-2, 24), "nice game\ntheoretical: bad")


# -- files -------------------------------------------------------------------------------------------------


def test_games_follow_one_another_in_any_arrangement() -> None:
    text = f"\ufeff1 {T1}\n2 {T1}{T2}\n\n{T2.replace(']', ']' + chr(10))}\r\n  {SETUP}"
    games, errors = read(text)
    assert [game.transcript for game in games] == [
        *[positions.WIPE_OUT] * 2,
        *[positions.PASS_THEN_WIPE_OUT] * 2,
        "a1",
    ]
    assert errors == []


def test_an_empty_file_has_no_games() -> None:
    assert read("") == ([], [])
    assert read(" \n\n ") == ([], [])


def test_errors_name_game_and_line_and_the_rest_is_read() -> None:
    broken = T2.replace("]B[B1];)", "")
    text = f"{T1}\n(;GM[Go]B[aa];)\n{broken}\n\n{T2}\nhello {T1}\n{T1.replace('B[E6]', 'B[A1]')}\n{T1}\n"
    games, errors = read(text)
    assert [game.transcript for game in games] == [
        positions.WIPE_OUT,
        positions.PASS_THEN_WIPE_OUT,
        positions.WIPE_OUT,
        positions.WIPE_OUT,
    ]
    assert errors == [
        "game 2, line 2: GM[Go]: a game of another kind; Othello is read",
        "game 3, line 3: the end of the game '(;GM[Othello]PC[local...' is missing",
        "game 5, line 6: 'hello' is no game",
        "game 7, line 7: move 1, B[a1]: no disc turned",
    ]


def test_the_first_error_ends_the_reading_without_a_taker() -> None:
    games = read_ggf([T1, "\n(;GM[Othello]B[a1];)\n", T1])
    assert next(games).moves == WIPE_OUT.moves
    with pytest.raises(GameError, match=r"^game 2, line 2: move 1, B\[a1\]: no disc turned$") as caught:
        next(games)
    assert caught.value.number == 2


def test_a_game_without_an_end_is_given_up_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("othello_engine.formats.recorded.MAX_GAME_CHARACTERS", 5000)
    waiting = 0

    def pieces() -> Iterator[str]:
        nonlocal waiting
        for piece in (T1, "(;GM[Othello]CO[", *["x" * 1000] * 50, "\n" + T2):
            waiting += len(piece)
            yield piece

    refused_at: list[int] = []
    errors: list[str] = []

    def refuse(error: GameError) -> None:
        refused_at.append(waiting)
        errors.append(str(error))

    games = list(read_ggf(pieces(), refuse))
    assert [game.moves for game in games] == [WIPE_OUT.moves, PASS_AND_WIPE_OUT.moves]
    assert errors == ["game 2, line 1: the end of the game '(;GM[Othello]CO[xxxxx...' is missing"]
    assert refused_at[0] < len(T1) + 7000


@given(st.text(st.sampled_from("(;)[]GMBOWothel8*-f5d6/PA \n1\\]")) | st.text())
def test_garbage_raises_nothing_but_the_formats_error(text: str) -> None:
    errors: list[GameError] = []
    list(read_ggf([text], errors.append))
    for garbage in (text, f"(;GM[Othello]{text};)"):
        try:
            parse_ggf(garbage)
        except GameError:
            continue


def test_endings_of_every_kind_survive() -> None:
    for game in ENDINGS:
        assert without_stated(parse_ggf(format_ggf(game))) == game
