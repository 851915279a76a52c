"""Files of games whatever their format: which one, compressed or not, in any encoding, and from one to another."""

from __future__ import annotations

import doctest
import gzip
import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.formats import files, notes, recorded
from othello_engine.formats.files import GameFormat, format_game, format_of, names_beside, open_games, read_games
from othello_engine.formats.game import Game, GameError, Theory
from othello_engine.formats.wthor import Names, WthorWriter
from othello_engine.position import Position
from tests import positions
from tests.formats.games import (
    ENDINGS,
    REAL_GAMES,
    UNFINISHED,
    WIPE_OUT,
    game_from_the_middle,
    sample_games,
    without_stated,
)

TEXT_FORMATS = (GameFormat.GGF, GameFormat.SGF, GameFormat.TEXT)


def text_of(games: list[Game], form: GameFormat) -> str:
    return "".join(format_game(game, form) for game in games)


def write_base(folder: Path, stem: str, games: list[Game], suffixes: tuple[str, str, str]) -> Path:
    """A WTHOR base with these suffixes; the path of its games."""
    writer = WthorWriter()
    for game in games:
        writer.add(game)
    papers = [io.BytesIO() for _ in suffixes]
    writer.write(*papers)
    writer.close()
    for suffix, paper in zip(suffixes, papers, strict=True):
        data = paper.getvalue()
        (folder / f"{stem}{suffix}").write_bytes(gzip.compress(data) if suffix.endswith(".gz") else data)
    return folder / f"{stem}{suffixes[0]}"


def test_examples_in_the_docstrings_are_true() -> None:
    for module in (files, notes, recorded):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.ggf", GameFormat.GGF),
        ("/x/A.B.SGF", GameFormat.SGF),
        ("WTH_2023.WTB", GameFormat.WTHOR),
        ("a.txt.gz", GameFormat.TEXT),
        ("a.OBF.GZ", GameFormat.OBF),
        ("a.pgn", None),
        ("ggf", None),
        ("a.gz", None),
        ("", None),
    ],
)
def test_the_name_says_the_format(name: str, form: GameFormat | None) -> None:
    assert format_of(name) is form
    assert format_of(Path(name)) is form


@pytest.mark.parametrize("form", TEXT_FORMATS)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_games_of_a_file_are_read_compressed_or_not(tmp_path: Path, form: GameFormat, suffix: str) -> None:
    path = tmp_path / f"games.{form.value}{suffix}"
    data = text_of(list(ENDINGS), form).encode()
    path.write_bytes(gzip.compress(data) if suffix else data)
    assert [without_stated(game) for game in open_games(path)] == list(ENDINGS)
    bare = tmp_path / "games"
    bare.write_bytes(path.read_bytes())
    assert [without_stated(game) for game in open_games(bare, form)] == list(ENDINGS)


@pytest.mark.parametrize("form", TEXT_FORMATS)
@pytest.mark.parametrize(
    "encode",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: text.encode("latin-1"),
        lambda text: text.rstrip("\n").encode(),
    ],
)
def test_line_ends_and_encodings_make_no_difference(tmp_path: Path, form: GameFormat, encode: object) -> None:
    games = [replace(game, black="Élodie", comment="ß") for game in ENDINGS]
    path = tmp_path / f"games.{form.value}"
    path.write_bytes(encode(text_of(games, form)))  # type: ignore[operator]
    known = [replace(game, black="", comment="") for game in games] if form is GameFormat.TEXT else games
    assert [without_stated(game) for game in open_games(path)] == known


@pytest.mark.parametrize(
    "suffixes", [(".wtb", ".jou", ".trn"), (".WTB", ".JOU", ".TRN"), (".wtb.gz", ".jou.gz", ".trn.gz")]
)
def test_names_lie_beside_a_wthor_file(tmp_path: Path, suffixes: tuple[str, str, str]) -> None:
    games = sample_games(20)
    path = write_base(tmp_path, "WTH_2026", games, suffixes)
    assert [replace(game, stated=None, header="") for game in open_games(path)] == games
    (tmp_path / f"WTH_2026{suffixes[1]}").rename(tmp_path / f"Wthor{suffixes[1]}")
    (tmp_path / f"WTH_2026{suffixes[2]}").rename(tmp_path / f"WTHOR{suffixes[2]}")
    assert [replace(game, stated=None, header="") for game in open_games(path)] == games
    assert next(open_games(path, names=Names())).black == "#0"


def test_missing_names_are_numbers(tmp_path: Path) -> None:
    path = write_base(tmp_path, "x", [WIPE_OUT], (".wtb", ".jou", ".trn"))
    (tmp_path / "x.trn").unlink()
    names = names_beside(path)
    assert (names.players, names.tournaments) == ([""], None)
    assert [(game.black, game.event) for game in open_games(path)] == [("", "#0")]


def test_errors_name_the_file(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("f5d6\nf5a1\nd3\n")
    with pytest.raises(GameError) as caught:
        list(open_games(bad))
    assert str(caught.value) == f"{bad}: game 2, line 2: move 2, a1: no disc turned"
    errors: list[GameError] = []
    assert len(list(open_games(bad, on_error=errors.append))) == 2
    assert [str(error) for error in errors] == [str(caught.value)]

    with pytest.raises(GameError, match=r"x\.pgn: its name says no format of games \(\.ggf \.sgf"):
        list(open_games("x.pgn"))
    with pytest.raises(FileNotFoundError):
        list(open_games(tmp_path / "missing.ggf"))
    cut = tmp_path / "cut.ggf.gz"
    cut.write_bytes(gzip.compress(text_of(sample_games(50), GameFormat.GGF).encode())[:1000])
    with pytest.raises(GameError, match=r"cut\.ggf\.gz: damaged: "):
        list(open_games(cut))
    (tmp_path / "bad.jou").write_bytes(b"nothing")
    (tmp_path / "bad.wtb").write_bytes(b"nothing")
    with pytest.raises(GameError, match=r"bad\.jou: players: 7 bytes are no WTHOR file"):
        list(open_games(tmp_path / "bad.wtb"))


def test_a_line_that_never_ends_is_one_error_and_no_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("othello_engine.formats.text.MAX_LINE_CHARACTERS", 100)
    path = tmp_path / "long.txt"
    path.write_text("f5d6\n" + "f5d6" * 1000 + "\nd3c3\n")
    errors: list[GameError] = []
    assert [game.transcript for game in open_games(path, on_error=errors.append)] == ["f5d6", "d3c3"]
    assert [error.number for error in errors] == [2]


# -- positions ---------------------------------------------------------------------------------------------


def test_positions_are_games_without_moves(tmp_path: Path) -> None:
    path = tmp_path / "x.obf"
    path.write_text(
        f"% heading\n\n{positions.START_TEXT}; f5:+2; d3:+0;\n{positions.FIVE_MOVES_TEXT}; -6; remark\nbad\n"
        f"{positions.EARLIEST_PASS_TEXT};\n"
    )
    errors: list[GameError] = []
    games = list(open_games(path, on_error=errors.append))
    assert [str(error) for error in errors] == [
        f"{path}: game 3, line 5: field 1: 'a' is no square; write X, O and - (column 2)"
    ]
    assert games == [
        Game(theory=Theory(2, 60)),
        Game(start=Position.from_text(positions.FIVE_MOVES_TEXT), theory=Theory(6, 55), comment="remark"),
        Game(start=Position.from_text(positions.EARLIEST_PASS_TEXT)),
    ]


def test_of_a_game_the_last_position_is_written_with_its_value() -> None:
    assert format_game(UNFINISHED, GameFormat.OBF) == f"{positions.FIVE_MOVES_TEXT};\n"
    valued = replace(UNFINISHED, theory=Theory(6, 55))
    assert format_game(valued, GameFormat.OBF) == f"{positions.FIVE_MOVES_TEXT}; -6;\n"
    assert format_game(replace(UNFINISHED, theory=Theory(6, 24)), GameFormat.OBF).endswith("O;\n")
    last = WIPE_OUT.final_position
    assert format_game(WIPE_OUT, GameFormat.OBF) == f"{last.to_text()}; {last.final_score:+d};\n"


@pytest.mark.parametrize("form", [GameFormat.GGF, GameFormat.SGF, GameFormat.OBF])
def test_a_position_keeps_its_value_in_every_format_with_room_for_it(form: GameFormat) -> None:
    game = Game(start=game_from_the_middle(4, 30).start, theory=Theory(-8, 30))
    again = list(read_games(io.BytesIO(format_game(game, form).encode()), form))
    assert [without_stated(each) for each in again] == [game]


def test_wthor_is_no_text() -> None:
    assert [form for form in GameFormat if not form.is_text] == [GameFormat.WTHOR]
    with pytest.raises(ValueError, match="WthorWriter"):
        format_game(WIPE_OUT, GameFormat.WTHOR)


@given(st.binary(max_size=300), st.sampled_from(GameFormat))
def test_garbage_raises_nothing_but_the_formats_error(data: bytes, form: GameFormat) -> None:
    errors: list[GameError] = []
    try:
        list(read_games(io.BytesIO(data), form, on_error=errors.append))
    except GameError as error:
        errors.append(error)
    assert all(str(error).isascii() for error in errors)


# -- real data ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(not REAL_GAMES.is_dir(), reason="needs ../shared/data")
@pytest.mark.parametrize(
    "name", [path.name for path in sorted(REAL_GAMES.glob("*.txt.gz"))] if REAL_GAMES.is_dir() else []
)
def test_recorded_games_are_the_same_through_every_format(name: str) -> None:
    n_games = 0
    for game in open_games(REAL_GAMES / name):
        n_games += 1
        assert game.is_over
        assert not game.is_misstated
        if n_games % 40 == 0:
            for form in TEXT_FORMATS:
                (again,) = read_games(io.BytesIO(format_game(game, form).encode()), form)
                assert again.moves == game.moves
    assert n_games > 1000
