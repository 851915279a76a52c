"""Games as lines of text: what may stand between moves and behind them, and what is refused."""

from __future__ import annotations

import doctest
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.formats import text as module
from othello_engine.formats.game import Ending, Game, GameError, Result
from othello_engine.formats.text import format_line, parse_line, read_text
from othello_engine.types import BLACK
from tests import positions
from tests.formats.games import (
    ENDINGS,
    GAMES,
    PASS_AND_EARLY_END,
    UNFINISHED,
    game_from_the_middle,
    sample_transcripts,
    without_last_pass,
    without_stated,
)


def test_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    "line",
    [
        "f5d6c3d3c4",
        "F5D6C3D3C4",
        "F5d6C3d3C4",
        "f5 d6 c3 d3 c4",
        "1. f5 d6 2. c3 d3 3. c4",
        "1.f5d6 2.c3d3 3.c4",
        "1 f5 2 d6 3 c3 4 d3 5 c4",
        "+f5-d6+c3-d3+c4",
        "f5-d6-c3-d3-c4",
        "  f5d6c3d3c4\t\r\n",
    ],
)
@pytest.mark.parametrize(
    ("behind", "score", "comment"),
    [
        ("", None, ""),
        (" +12", 12, ""),
        (" -3", -3, ""),
        ("  0", 0, ""),
        (": +02", 2, ""),
        (":-64", -64, ""),
        (" +8 +6 2014", 8, "+6 2014"),
        (" 12 Anna - Bo, 2026", 12, "Anna - Bo, 2026"),
        ("\t33-31", None, "33-31"),
        (" 2014", None, "2014"),
        (" ; Anna - Bo", None, "Anna - Bo"),
        (",+4,Anna", 4, "Anna"),
        (" % remark", None, "remark"),
        ("# 65", None, "65"),
    ],
)
def test_moves_in_every_form_and_what_may_stand_behind_them(
    line: str, behind: str, score: int | None, comment: str
) -> None:
    game = parse_line(line.rstrip() + behind)
    assert game.moves == UNFINISHED.moves
    assert game.stated == (None if score is None else Result.of_score(score))
    assert game.comment == comment


@pytest.mark.parametrize("spelled", ["pa", "PA", "pass", "ps", " -- ", "@@@@", "0000", ""])
def test_a_pass_is_read_in_every_spelling_or_left_out(spelled: str) -> None:
    line = positions.EARLY_END[:-2] + spelled + "d1 -62"
    assert parse_line(line).moves == PASS_AND_EARLY_END.moves


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("hello", "move: 'hello' is neither a move nor a score"),
        ("+12", "move: '+12' is neither a move nor a score"),
        ("f5d6x9", "move 3: 'x9' is neither a move nor a score"),
        ("f5 d6 i3 c4", "move 3: 'i3' is neither a move nor a score"),
        ("f5d6c", "move 3: 'c' is neither a move nor a score"),
        ("f5d612", "move 3: '12' is neither a move nor a score"),
        ("f5d6 Anna +12", "move 3: 'Anna' is neither a move nor a score"),
        ("f5d6a1", "move 3, a1: no disc turned"),
        ("f5D6A1", "move 3, A1: no disc turned"),
        ("f5 pa d6", "move 2, pa: a pass is not allowed while there is a move"),
        (positions.BLACK_WIPES_OUT + "a1", "move 10, a1: the game is over"),
        ("f5d6\u0436", "move 3: '\\u0436' is neither a move nor a score"),
    ],
)
def test_a_bad_line_is_refused_with_what_is_wrong(line: str, error: str) -> None:
    with pytest.raises(GameError) as caught:
        parse_line(line)
    assert str(caught.value) == error


def test_a_game_is_written_with_its_score() -> None:
    assert [format_line(game) for game in ENDINGS] == [
        f"{positions.WIPE_OUT} -64",
        f"{positions.PASS_THEN_WIPE_OUT} +64",
        f"{positions.EARLY_END} -62",
        positions.FIVE_MOVES,
    ]
    assert format_line(replace(UNFINISHED, stated=Result.of_score(-8, Ending.RESIGNED))).endswith(" -8")
    assert format_line(replace(UNFINISHED, stated=Result(None, Ending.TIME, BLACK))) == positions.FIVE_MOVES
    with pytest.raises(GameError, match="without moves"):
        format_line(Game())


@pytest.mark.parametrize(
    ("behind", "score", "comment"),
    [
        (" -12 8a", -12, ""),
        ("\t+12\t8a\t1\ta\tb", 12, "1\ta\tb"),
        (" 8a", None, ""),
        (" ; 8a, Anna", None, "Anna"),
        (" 0;8a", 0, ""),
    ],
)
def test_anti_othello_has_a_mark(behind: str, score: int | None, comment: str) -> None:
    game = parse_line(positions.FIVE_MOVES + behind)
    assert (game.is_anti, game.comment) == (True, comment)
    assert game.stated == (None if score is None else Result.of_score(score))
    assert parse_line(format_line(game)) == replace(game, comment="")


@pytest.mark.parametrize("behind", [" 18a", " +1 8ab", " +8 a", " ; Anna 8a"])
def test_what_only_looks_like_the_mark_is_a_remark(behind: str) -> None:
    assert not parse_line(positions.FIVE_MOVES + behind).is_anti


@given(GAMES, st.booleans())
def test_what_is_written_is_read_back(game: Game, is_anti: bool) -> None:
    game = replace(game, match_type="8a" if is_anti else "")
    game = without_last_pass(game)
    if not game.moves and game.start == Game().start:
        return
    assert without_stated(parse_line(format_line(game))) == game


def test_a_set_up_position_stands_before_the_moves_as_edax_writes_it() -> None:
    game = game_from_the_middle(3, 10)
    line = format_line(game)
    assert line.startswith(f"{game.start.to_text()};")
    assert without_stated(parse_line(line)) == game
    assert parse_line(line.replace("X;", "*;").replace(";", "; ")).moves == game.moves
    assert parse_line(game.start.to_text() + ";") == Game(start=game.start)


def test_recorded_games_are_read_back() -> None:
    transcripts = sample_transcripts()
    games = list(read_text(transcripts))
    assert [game.transcript for game in games] == transcripts
    assert [format_line(game) for game in read_text(map(format_line, games))] == [format_line(game) for game in games]


def test_blank_lines_and_comments_are_no_games_and_errors_name_the_line() -> None:
    errors: list[GameError] = []
    lines = ["\ufeff% games\n", "\n", "f5d6c3\n", "  \r\n", "# f5a1\n", "f5a1 +2\n", "d3c3\n"]
    assert [game.transcript for game in read_text(lines, errors.append)] == ["f5d6c3", "d3c3"]
    assert [(str(error), error.number) for error in errors] == [("game 2, line 6: move 2, a1: no disc turned", 2)]
    with pytest.raises(GameError, match=r"^game 2, line 6: "):
        list(read_text(lines))


@given(st.text(st.sampled_from("abcdefgh12345678-+. pPasS@0;:%xX*\n")) | st.text())
def test_garbage_raises_nothing_but_the_formats_error(text: str) -> None:
    errors: list[GameError] = []
    list(read_text(text.splitlines(), errors.append))
    for garbage in (text, positions.FIVE_MOVES + text, "-" * 64 + "X;" + text):
        try:
            parse_line(garbage)
        except GameError:
            continue
