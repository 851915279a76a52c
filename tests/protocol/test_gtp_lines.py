"""The language of GTP without a service: requests, words, answers, GoGui's forms."""

from __future__ import annotations

from typing import Any

import pytest

from othello_engine.config import load_config, option_spec
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE, Bound, Score, ScoreKind, parse_square
from protocol import gtp_lines
from protocol.gtp_lines import Request, RequestError
from tests.positions import BLACK_WIPES_OUT, EARLIEST_PASS_TEXT, FULL_DRAW, WIPE_OUT
from tests.protocol.fake_engine import info

# -- requests ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("name", Request("", "name", "")),
        ("7 play b f5", Request("7", "play", "b f5")),
        ("\t 0012\tplay   b\tf5  ", Request("0012", "play", "b f5")),
        ("play b f5 # a remark # and more", Request("", "play", "b f5")),
        ("2147483647 name#x", Request("2147483647", "name", "")),
        ("7", Request("7", "", "")),
        ("7name", Request("", "7name", "")),
        ("-7 name", Request("", "-7", "name")),
        ("na\x00me\x7f\x1b", Request("", "name", "")),
        ("\u0667 name", Request("", "\u0667", "name")),
        ("1" * 40 + " name", Request("", "1" * 40, "name")),
        ("name\xa0x", Request("", "name\xa0x", "")),
    ],
)
def test_a_line_is_an_id_a_name_and_arguments(line: str, request_: Request) -> None:
    assert gtp_lines.parse_request(line) == request_


@pytest.mark.parametrize("line", ["", "   ", "\t", "# play b f5", "  #", "\x01\x02", "\r"])
def test_what_asks_for_nothing(line: str) -> None:
    assert gtp_lines.parse_request(line) is None


def test_only_gogui_s_own_comment_interrupts() -> None:
    assert gtp_lines.is_interrupt("# interrupt")
    assert gtp_lines.is_interrupt("  #  interrupt \t")
    for line in ("#interrupted", "# interrupt me", "interrupt", "name # interrupt", "#", "# Interruption"):
        assert not gtp_lines.is_interrupt(line)


@pytest.mark.parametrize("word", ["b", "B", "black", "BLACK", "Black"])
def test_black_in_all_spellings(word: str) -> None:
    assert gtp_lines.parse_colour(word) == BLACK
    assert gtp_lines.parse_colour(word.replace("b", "w").replace("B", "W")[0]) == WHITE


@pytest.mark.parametrize("word", ["", "x", "blacks", "0", "*", "\u00e9"])
def test_what_is_no_colour(word: str) -> None:
    with pytest.raises(RequestError, match="syntax error: the colour is b or w, not '"):
        gtp_lines.parse_colour(word)


@pytest.mark.parametrize(("word", "move"), [("f5", "f5"), ("F5", "f5"), ("a1", "a1"), ("H8", "h8")])
def test_squares_in_any_case(word: str, move: str) -> None:
    assert gtp_lines.parse_vertex(word) == parse_square(move)


@pytest.mark.parametrize("word", ["pass", "PASS", "Pass", "pa", "--"])
def test_passes_in_any_spelling(word: str) -> None:
    assert gtp_lines.parse_vertex(word) == PASS


@pytest.mark.parametrize("word", ["i1", "a9", "j10", "a0", "t19"])
def test_a_square_of_another_board_is_an_illegal_move(word: str) -> None:
    with pytest.raises(RequestError, match="illegal move: "):
        gtp_lines.parse_vertex(word)


@pytest.mark.parametrize("word", ["resign", "5f", "", "f55x", "\u00e95", "f\u0665"])
def test_what_is_no_square_at_all(word: str) -> None:
    with pytest.raises(RequestError, match="syntax error: "):
        gtp_lines.parse_vertex(word)


def test_pairs_of_colours_and_squares() -> None:
    assert gtp_lines.parse_moves(["B", "F5", "w", "pass"]) == [(BLACK, parse_square("f5")), (WHITE, PASS)]
    assert gtp_lines.parse_moves([]) == []
    with pytest.raises(RequestError, match="a vertex is missing behind 'w'"):
        gtp_lines.parse_moves(["b", "f5", "w"])


@pytest.mark.parametrize(
    ("word", "seconds"), [("0", 0), ("12", 12), ("0.25", 0.25), ("3.", 3), ("-1.5", -1.5), ("9" * 299, 1e9)]
)
def test_times(word: str, seconds: float) -> None:
    assert gtp_lines.parse_seconds(word) == seconds


@pytest.mark.parametrize("word", ["nan", "inf", "1e3", "", ".5", "1,5", "0x10", "9" * 400, "\u0661"])
def test_what_is_no_time(word: str) -> None:
    with pytest.raises(RequestError, match="syntax error: a time is a number of seconds"):
        gtp_lines.parse_seconds(word)


@pytest.mark.parametrize("word", ["-1", "1.0", "", "\u0661", "\u00b2", "x"])
def test_what_is_no_count(word: str) -> None:
    with pytest.raises(RequestError, match="syntax error: a whole number"):
        gtp_lines.parse_count(word)


def test_a_count_may_be_as_long_as_it_likes() -> None:
    assert gtp_lines.parse_count("9" * 60_000) == 10**9


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a.sgf", ("a.sgf", "")),
        ("a.sgf 12", ("a.sgf", "12")),
        ("my games/a b.sgf", ("my games/a b.sgf", "")),
        ("my games/a b.sgf 3", ("my games/a b.sgf", "3")),
        ('"my games/a 3"', ("my games/a 3", "")),
        ('"a b.sgf" 7', ("a b.sgf", "7")),
        ("12", ("12", "")),
    ],
)
def test_file_names_with_and_without_blanks_and_move_numbers(text: str, parts: tuple[str, str]) -> None:
    assert gtp_lines.parse_file_name(text) == parts


def test_messages_quote_what_was_wrong_shortly_and_in_ascii() -> None:
    assert gtp_lines.quoted("\u00e9" * 100) == "'" + "\\xe9" * 37 + "...'"


# -- answers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_id", "lines", "printed"),
    [
        ("", (), ["=", ""]),
        ("7", (), ["=7", ""]),
        ("", ("d6",), ["= d6", ""]),
        ("7", ("d6",), ["=7 d6", ""]),
        ("", ("a", "b"), ["= a", "b", ""]),
        ("3", ("", "  a", "", "b"), ["=3", "  a", "b", ""]),
        ("", ("",), ["=", ""]),
    ],
)
def test_answers_have_no_blank_line_inside_and_one_at_the_end(
    request_id: str, lines: tuple[str, ...], printed: list[str]
) -> None:
    assert gtp_lines.format_success(request_id, lines) == printed


def test_refusals() -> None:
    assert gtp_lines.format_failure("", "unknown command") == ["? unknown command", ""]
    assert gtp_lines.format_failure("42", "unknown command") == ["?42 unknown command", ""]


@pytest.mark.parametrize(
    ("position", "score", "result"),
    [
        (Position.from_moves(WIPE_OUT), "W+64", "White wins by 64, 0 discs to 16"),
        (Position.from_moves(BLACK_WIPES_OUT), "B+64", "Black wins by 64, 13 discs to 0"),
        (Position.from_text(FULL_DRAW + " X"), "0", "Draw, 32 discs to 32"),
    ],
)
def test_scores_count_for_black_whoever_is_to_move(position: Position, score: str, result: str) -> None:
    for each in (position, position.swapped()):
        assert gtp_lines.format_score(each) == score
        assert gtp_lines.format_result(each) == result
        other = {"W": "B", "B": "W", "0": "0"}[score[0]] + score[1:]
        assert gtp_lines.format_score(each, is_anti=True) == other
    anti = {"White wins": "Black wins", "Black wins": "White wins"}.get(result[:10], result[:10]) + result[10:]
    assert gtp_lines.format_result(position, is_anti=True) == anti


def test_boards_begin_with_row_8() -> None:
    rows = gtp_lines.format_board(lambda x: str(x))
    assert rows[0] == "56 57 58 59 60 61 62 63"
    assert rows[7] == "0 1 2 3 4 5 6 7"
    discs = gtp_lines.format_discs(Position.from_moves("f5d6c3"))
    assert discs == [
        ". . . . . . . .",
        ". . . . . . . .",
        ". . . O . . . .",
        ". . . O X X . .",
        ". . . X X . . .",
        ". . X . . . . .",
        ". . . . . . . .",
        ". . . . . . . .",
    ]


def test_legal_moves_are_spelled_as_gogui_compares_them() -> None:
    assert gtp_lines.format_legal_moves(Position.start()) == "D3 C4 F5 E6"
    assert gtp_lines.format_legal_moves(Position.from_text(EARLIEST_PASS_TEXT)) == "pass"
    assert gtp_lines.format_legal_moves(Position.from_moves(WIPE_OUT)) == ""


# -- scores of moves ---------------------------------------------------------------------------------------


def cp(move: str, value: int, **changes: Any) -> Any:
    return info(9, move, score=Score(ScoreKind.CENTIDISCS, value), selectivity=73, **changes)


def exact(move: str, value: int, **changes: Any) -> Any:
    return info(9, move, score=Score(ScoreKind.DISCS, value), **changes)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (cp("d3", 234), "Black +2.3, depth 9 at 73 %"),
        (cp("d3", -5), "Black -0.1, depth 9 at 73 %"),
        (cp("d3", -2), "Black +0.0, depth 9 at 73 %"),
        (exact("d3", 12), "Black +12, proved"),
        (exact("d3", 0), "Black +0, proved"),
        (exact("d3", 12, selectivity=95), "Black +12, depth 9 at 95 %"),
        (exact("d3", 12, complete=False), "Black +12, depth 9"),
        (info(9, score=Score(ScoreKind.DISCS, 12, Bound.LOWER)), "Black +12, depth 9"),
        (info(9, score=Score(ScoreKind.WLD, 1)), "Black win, proved"),
        (info(9, score=Score(ScoreKind.WLD, 0)), "Black draw, proved"),
        (info(9, score=Score(ScoreKind.WLD, -1)), "Black loss, proved"),
        (info(9, score=Score(ScoreKind.RAW, 800)), "Black +2.0, depth 9"),
    ],
)
def test_a_score_says_what_it_rests_on(line: Any, text: str) -> None:
    assert gtp_lines.format_verdict(Position.start(), line) == text


@pytest.mark.parametrize("sign", [1, -1])
def test_influence_is_black_s_advantage_between_minus_one_and_one(sign: int) -> None:
    position = Position.start() if sign == 1 else Position.start().swapped()
    lines = [exact("d3", 40), exact("c4", 8), cp("f5", -400), exact("e6", -64)]
    rows = gtp_lines.format_influence(position, lines)
    values = {(column, 8 - i): float(x) for i, row in enumerate(rows) for column, x in zip("abcdefgh", row.split())}  # noqa: B905
    expected = {("d", 3): 1.0, ("c", 4): 0.5, ("f", 5): -0.25, ("e", 6): -1.0}
    for place, value in values.items():
        assert value == sign * expected.get(place, 0.0), place


def test_coloured_moves_go_from_green_to_red() -> None:
    lines = [exact("d3", 6), exact("c4", 1), exact("f5", -4), exact("e6", -30)]
    assert gtp_lines.format_coloured_moves(Position.start(), lines) == [
        "LABEL d3 +6 c4 +1 f5 -4 e6 -30",
        "COLOR #00c800 d3",
        "COLOR #c8c800 c4",
        "COLOR #c80000 f5",
        "COLOR #c80000 e6",
        "TEXT Black +6, proved",
    ]


def test_a_side_that_must_pass_has_no_coloured_moves() -> None:
    position = Position.from_text(EARLIEST_PASS_TEXT)
    assert gtp_lines.format_coloured_moves(position, [info(3, pv=(PASS,))]) == ["TEXT Black has no move"]


# -- options -----------------------------------------------------------------------------------------------


def read_parameter(line: str) -> tuple[str, str, str]:
    """Type, key and value as GoGui's dialog takes a line apart."""
    kind, _, rest = line[1:].partition("] ")
    key, _, value = rest.partition(" ")
    return kind, key, value


@pytest.mark.parametrize(
    ("profile", "missing"),
    [("strong", set()), ("classic", {"Variant"}), ("weighted", {"Variant", "LimitStrength", "Elo"})],
)
def test_parameters_that_the_profile_lacks_are_not_listed(profile: str, missing: set[str]) -> None:
    listed = {read_parameter(line)[1] for line in gtp_lines.format_parameters(load_config(profile=profile))}
    assert {"Variant", "LimitStrength", "Elo"} - listed == missing


def test_every_parameter_can_be_read_back() -> None:
    config = load_config(overrides={"Threads": 2, "EvalFile": "/some where/x"})
    lines = gtp_lines.format_parameters(config)
    for line in lines:
        kind, key, value = read_parameter(line)
        spec = option_spec(key)
        text = gtp_lines.parse_parameter(spec, value)
        assert config.with_option(key, text).value_of(spec) == config.value_of(spec)
        assert not kind.startswith("list") or value in kind.split("/")
    assert "[string] Threads 2" in lines
    assert "[list/73/87/95/98/99/100] Selectivity 73" in lines


def test_truth_values_are_one_and_zero() -> None:
    spec = option_spec("Ponder")
    for text, value in (("1", True), ("0", False), ("true", True), ("false", False)):
        config = load_config().with_option("Ponder", gtp_lines.parse_parameter(spec, text))
        assert config.ponder is value
        assert gtp_lines.format_parameter(spec, config) == str(int(value))
    assert gtp_lines.parse_parameter(option_spec("Seed"), "1") == "1"
