"""OBF: streaming reader, writer, and errors that name line and field."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.errors import BoardError, PositionError
from othello_engine.formats.obf import ObfRecord, format_obf, open_obf, parse_obf_line, read_obf
from othello_engine.position import Position
from othello_engine.types import PASS, parse_square
from tests import positions

BOARD = "----OOOXOO-OOOOX-OXXXXXXOXOOOXXXOOOOOOXXOOOOOOXXOOOOXXXXOOOOXXOO X"
LINE = f"{BOARD}; a3:+12; c2:+2; a1:-4; c1:-6; b1:-8; d1:-12;"
A3, C2, A1, C1, B1, D1 = map(parse_square, ("a3", "c2", "a1", "c1", "b1", "d1"))
SCORES = ((A3, 12), (C2, 2), (A1, -4), (C1, -6), (B1, -8), (D1, -12))


def error_of(line: str, line_number: int = 7) -> PositionError:
    with pytest.raises(PositionError) as caught:
        parse_obf_line(line, line_number)
    assert str(caught.value).isascii()
    assert str(caught.value).startswith(f"line {line_number}, field ")
    return caught.value


def test_a_line_gives_position_scores_value_and_line_number() -> None:
    record = parse_obf_line(LINE, 3)
    assert record == ObfRecord(Position.from_text(BOARD), SCORES, 12, "", 3)
    assert record.best_moves == (A3,)
    assert record.score_of(B1) == -8
    assert record.score_of(parse_square("b2")) is None


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        LINE.rstrip(";"),
        LINE + "\r\n",
        LINE.upper(),
        LINE.replace("; ", ";"),
        LINE.replace("; ", "  ;\t ").replace(":", " : "),
        f"{BOARD}; c2:+2; d1:-12; a1:-4; a3:12; b1:-8; c1:-6;",
        f"{BOARD};; a3:+12;;; c2:+2; a1:-4; c1:-6; b1:-8; d1:-12;;",
        BOARD.replace(" X", "X") + LINE[66:],
        BOARD.replace("-", ".").replace("X", "*") + LINE[66:],
    ],
)
def test_blanks_case_order_and_line_ends_do_not_matter(line: str) -> None:
    assert parse_obf_line(line) == ObfRecord(Position.from_text(BOARD), SCORES, 12)


def test_a_score_alone_is_the_value_of_the_position() -> None:
    assert parse_obf_line(f"{BOARD}; +12") == ObfRecord(Position.from_text(BOARD), (), 12)
    assert parse_obf_line(f"{BOARD}; -3;").value == -3
    assert parse_obf_line(f"{BOARD}; 0").value == 0
    assert parse_obf_line(f"{BOARD}; a3:+12; 14;").value == 14


def test_a_board_alone_has_no_value() -> None:
    for line in (BOARD, BOARD + ";", BOARD + "\n"):
        record = parse_obf_line(line)
        assert (record.scores, record.value, record.best_moves) == ((), None, ())


def test_equal_best_moves_are_all_listed() -> None:
    assert parse_obf_line(f"{BOARD}; c2:+2; a1:-4; a3:+2").best_moves == (C2, A3)


@pytest.mark.parametrize(
    ("tail", "comment"),
    [
        (" [six empties]", "[six empties]"),
        (" six empties, hard", "six empties, hard"),
        (" % six empties; all moves", "% six empties; all moves"),
    ],
)
def test_text_behind_the_last_field_is_a_comment(tail: str, comment: str) -> None:
    record = parse_obf_line(LINE + tail)
    assert record.comment == comment
    assert record.scores == SCORES


def test_the_filler_for_a_pass_nobody_may_make_is_skipped() -> None:
    """Collections of another engine end every line with `--:-127`."""
    assert parse_obf_line(LINE + " --:-127;").scores == SCORES


def test_a_forced_pass_can_have_a_score() -> None:
    record = parse_obf_line(positions.EARLIEST_PASS_TEXT + "; --:+4;")
    assert record.scores == ((PASS, 4),)
    assert parse_obf_line(format_obf(record)) == record


def test_comment_lines_and_blank_lines_are_skipped_and_counted() -> None:
    text = f"\ufeff% heading\r\n\r\n{LINE}\r\n  % more\n   \n{BOARD}; +12\n% End of the endgame script\n"
    records = list(read_obf(text.splitlines(keepends=True)))
    assert [record.line_number for record in records] == [3, 6]


def test_a_byte_order_mark_before_the_board_is_skipped() -> None:
    (record,) = read_obf(["\ufeff" + LINE])
    assert record.scores == SCORES


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_files_of_every_line_end_are_read(tmp_path: Path, newline: str, encoding: str) -> None:
    path = tmp_path / "three.obf"
    path.write_bytes(newline.join(["% three", LINE, "", BOARD, LINE]).encode(encoding))
    assert [record.line_number for record in open_obf(path)] == [2, 4, 5]


def test_bad_lines_can_be_told_of_and_left_out() -> None:
    errors: list[PositionError] = []
    records = list(read_obf([LINE, "XO X", "% fine", f"{BOARD}; a3:+99", LINE], errors.append))
    assert [record.line_number for record in records] == [1, 5]
    assert [str(error)[:15] for error in errors] == ["line 2, field 1", "line 4, field 2"]


def test_the_reader_streams() -> None:
    def lines() -> Iterator[str]:
        yield LINE
        raise AssertionError("the second line is not needed yet")

    assert next(read_obf(lines())).scores == SCORES


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(open_obf(tmp_path / "missing.obf"))


@pytest.mark.parametrize(
    ("line", "field", "message"),
    [
        (f"{BOARD}; a3:+12; a3:+10;", 3, "a3 is listed twice"),
        (f"{BOARD}; b2:+12;", 2, "b2 is not legal"),
        (f"{BOARD}; a3:+12; e1:+2;", 3, "e1 is not legal"),
        (f"{BOARD}; i3:+12;", 2, "'i3' is no move"),
        (f"{BOARD}; a33:+12;", 2, "'a33' is no move"),
        (f"{BOARD}; a3:twelve;", 2, "'twelve' is no score"),
        (f"{BOARD}; a3:+1.5;", 2, "'+1.5' is no score"),
        (f"{BOARD}; a3:;", 2, "'' is no score"),
        (f"{BOARD}; a3:+65;", 2, "score +65 is outside -64..64"),
        (f"{BOARD}; -99", 2, "score -99 is outside"),
        (f"{BOARD}; +2; +4;", 3, "a second value '+4'"),
        (f"{BOARD}; what; a3:+12;", 2, "'what' is neither"),
        (f"{BOARD}; a3:\u0661;", 2, "is no score"),
        (f"{BOARD[:64]}; a3:+12;", 1, "no side to move"),
        (f"{BOARD[1:]}; a3:+12;", 1, "only 63 of 64 squares"),
        ("hello", 1, "'h' is no square"),
    ],
)
def test_errors_name_line_and_field(line: str, field: int, message: str) -> None:
    text = str(error_of(line))
    assert text.startswith(f"line 7, field {field}: ")
    assert message in text


def test_a_bad_board_keeps_its_column() -> None:
    error = error_of(LINE[:30] + "?" + LINE[31:])
    assert isinstance(error, BoardError)
    assert error.column == 31


def test_errors_in_a_file_name_the_line_of_the_file() -> None:
    with pytest.raises(PositionError, match="line 4, field 2"):
        list(read_obf(["% x", LINE, "", f"{BOARD}; b2:+12;"]))


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        f"{BOARD}; +12;",
        f"{BOARD};",
        f"{BOARD}; a3:+12; +14; a comment",
        f"{BOARD}; a3:+0;",
        f"{positions.FFO_40.text}; a2:+38; c7:+36; d8:+34; % FFO 40",
    ],
)
def test_what_is_written_is_read_back(line: str) -> None:
    assert format_obf(parse_obf_line(line)) == line


@given(st.data())
def test_any_record_is_read_back(data: st.DataObject) -> None:
    game = positions.random_game(data.draw(st.randoms(use_true_random=False)))
    position = data.draw(st.sampled_from(game))
    listed = data.draw(st.lists(st.sampled_from(position.legal_moves or (PASS,)), unique=True))
    scores = {move: data.draw(st.integers(-64, 64)) for move in listed if position.legal_moves}
    best_first = tuple(sorted(scores.items(), key=lambda item: -item[1]))
    value = data.draw(st.none() | st.integers(-64, 64))
    if best_first and value is None:
        value = best_first[0][1]
    record = ObfRecord(position, best_first, value, data.draw(st.sampled_from(["", "[note]", "% note"])))
    assert parse_obf_line(format_obf(record)) == record


@given(st.text(max_size=120) | st.text(alphabet="aA13:;+- %x", max_size=40).map(lambda tail: BOARD + ";" + tail))
def test_any_line_is_a_record_or_a_position_error(line: str) -> None:
    try:
        parse_obf_line(line, 1)
    except PositionError as error:
        is_named = "line 1, field" in str(error)
        assert is_named
