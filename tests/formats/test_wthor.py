"""WTHOR against its documented bytes and against a decoder that shares nothing with ours."""

from __future__ import annotations

import io
import struct
from contextlib import closing
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.formats.game import Ending, Game, GameError, Result, Theory
from othello_engine.formats.ggf import format_ggf, read_ggf
from othello_engine.formats.wthor import Names, WthorWriter, read_players, read_tournaments, read_wthor
from othello_engine.types import BLACK
from tests import oracle, positions
from tests.formats.games import (
    ENDINGS,
    PASS_AND_EARLY_END,
    PASS_AND_WIPE_OUT,
    UNFINISHED,
    WIPE_OUT,
    game_from_the_middle,
    sample_games,
    sample_transcripts,
)

CREATED = date(2026, 1, 5)
HEADER = bytes.fromhex("14 1a 01 05 03 00 00 00 00 00 ea 07 08 00 18 00")
RECORDS = (
    "00 00 00 00 01 00 00 00 41 2e 22 4b 42 39 23 19 24 2b 38 1a",
    "00 00 01 00 00 00 40 40 38 40 49 24 22 3f 3e 43 4e 4a 54 48 52 17 1b 0c",
    "00 00 00 00 01 00 01 01 41 42 38 2e 2f 40 22 26 2b 17 19 20 2a 29 43 4e 34 3f 0c 10 0e",
)
GAMES_FILE = HEADER + b"".join(bytes.fromhex(record).ljust(68, b"\0") for record in RECORDS)
PLAYERS_FILE = bytes.fromhex("14 1a 01 05 00 00 00 00 02 00 00 00 00 00 00 00") + b"".join(
    name.ljust(20, b"\0") for name in (b"Anna Alpha", b"Bo Beta")
)
TOURNAMENTS_FILE = bytes.fromhex("14 1a 01 05 00 00 00 00 01 00 00 00 00 00 00 00") + b"Example cup 2026".ljust(
    26, b"\0"
)
NAMES = Names(("Anna Alpha", "Bo Beta"), ("Example cup 2026",))


def written(
    games: list[Game], names: Names | None = None, created: date | None = CREATED
) -> tuple[bytes, bytes, bytes]:
    """The three files of games."""
    names = names or Names()
    files = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with closing(WthorWriter(names.players or (), names.tournaments or (), created)) as writer:
        for game in games:
            writer.add(game)
        writer.write(*files)
    return tuple(file.getvalue() for file in files)


def read(data: bytes, names: Names | None = NAMES) -> tuple[list[Game], list[str]]:
    errors: list[GameError] = []
    games = list(read_wthor(io.BytesIO(data).read, names, errors.append))
    return games, [str(error) for error in errors]


def error_of(data: bytes) -> str:
    with pytest.raises(GameError) as caught:
        list(read_wthor(io.BytesIO(data).read, NAMES))
    return str(caught.value)


def decoded(data: bytes) -> list[tuple[int, int, int, int, int, str]]:
    """Tournament, players, scores and transcript of each record, straight from the description of the format."""
    records = []
    for at in range(16, len(data), 68):
        tournament, black, white = struct.unpack_from("<HHH", data, at)
        moves = "".join("abcdefgh"[code % 10 - 1] + str(code // 10) for code in data[at + 8 : at + 68] if code)
        records.append((tournament, black, white, data[at + 6], data[at + 7], moves))
    return records


# -- the documented files ----------------------------------------------------------------------------------


def test_the_documented_files_are_read() -> None:
    games, errors = read(GAMES_FILE)
    assert errors == []
    assert [game.moves for game in games] == [game.moves for game in ENDINGS[:3]]
    assert [(game.black, game.white) for game in games] == [
        ("Anna Alpha", "Bo Beta"),
        ("Bo Beta", "Anna Alpha"),
        ("Anna Alpha", "Bo Beta"),
    ]
    assert {(game.event, game.date) for game in games} == {("Example cup 2026", "2026")}
    assert [game.stated for game in games] == [Result.of_score(score) for score in (-64, 64, -62)]
    assert [game.theory for game in games] == [Theory(score, 24) for score in (-64, 64, -62)]
    assert not any(game.is_misstated for game in games)
    assert read_players(PLAYERS_FILE) == ["Anna Alpha", "Bo Beta"]
    assert read_tournaments(TOURNAMENTS_FILE) == ["Example cup 2026"]


def test_the_documented_files_are_written_byte_for_byte() -> None:
    known = {"event": "Example cup 2026", "date": "2026-01-05"}
    anna, bo = "Anna Alpha", "Bo Beta"
    games = [
        replace(WIPE_OUT, black=anna, white=bo, **known),
        replace(PASS_AND_WIPE_OUT, black=bo, white=anna, **known),
        replace(PASS_AND_EARLY_END, black=anna, white=bo, **known),
    ]
    assert written(games) == (GAMES_FILE, PLAYERS_FILE, TOURNAMENTS_FILE)


# -- there and back ----------------------------------------------------------------------------------------


def test_an_independent_decoder_finds_what_was_written() -> None:
    games = sample_games()
    data, players, tournaments = written(games)
    assert struct.unpack("<4BIHH4B", data[:16]) == (20, 26, 1, 5, 300, 0, 2026, 8, 0, 24, 0)
    records = decoded(data)
    assert len(records) == len(games)
    names = [players[at : at + 20].rstrip(b"\0").decode("latin-1") for at in range(16, len(players), 20)]
    events = [tournaments[at : at + 26].rstrip(b"\0").decode("latin-1") for at in range(16, len(tournaments), 26)]
    transcripts = sample_transcripts()
    for game, transcript, (tournament, black, white, score, theoretical, moves) in zip(
        games, transcripts, records, strict=True
    ):
        assert moves == transcript
        assert (events[tournament], names[black], names[white]) == (game.event, game.black, game.white)
        assert game.theory is not None
        assert theoretical == (game.theory.score + 64) // 2
        assert 2 * score - 64 == game.score == oracle_score(transcript)


def oracle_score(transcript: str) -> int:
    """Black minus white by the nested lists of the tests."""
    board, colour = oracle.board_of("-" * 27 + "OX------XO" + "-" * 27), oracle.BLACK
    for at in range(0, len(transcript), 2):
        if not oracle.moves(board, colour):
            colour = oracle.other(colour)
        board = oracle.play(board, colour, int(transcript[at + 1]) - 1, "abcdefgh".index(transcript[at]))
        colour = oracle.other(colour)
    return oracle.final_score(board, oracle.BLACK)


def test_games_are_the_same_after_ggf_and_back() -> None:
    data, players, tournaments = written(sample_games(), created=date(1999, 12, 31))
    names = Names(read_players(players), read_tournaments(tournaments))
    games, _ = read(data, names)
    again = list(read_ggf([format_ggf(game) + "\n" for game in games]))
    assert again == games
    assert written(again, names, created=None) == (data, players, tournaments)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(ENDINGS[:3]),
            st.text(st.characters(max_codepoint=0xFF, exclude_categories=("Cc", "Zs")), min_size=1, max_size=19),
            st.text(st.characters(max_codepoint=0xFF, exclude_categories=("Cc", "Zs")), min_size=1, max_size=25),
            st.integers(-32, 32),
        ),
        min_size=1,
        max_size=5,
    ),
    st.integers(1, 60),
)
def test_names_and_scores_survive(drawn: list[tuple[Game, str, str, int]], depth: int) -> None:
    games = [
        replace(game, black=name, white=event[:19], event=event, date="1977", theory=Theory(2 * half, depth))
        for game, name, event, half in drawn
    ]
    data, players, tournaments = written(games)
    again, errors = read(data, Names(read_players(players), read_tournaments(tournaments)))
    assert errors == []
    assert [replace(game, stated=None, header="") for game in again] == games


def test_an_unfinished_game_keeps_the_score_of_its_file() -> None:
    stated = replace(UNFINISHED, stated=Result.of_score(-10))
    data, *_ = written([stated, UNFINISHED, replace(UNFINISHED, stated=Result(None, Ending.RESIGNED, BLACK))])
    assert [record[3] for record in decoded(data)] == [27, 32, 64]
    games, errors = read(data, None)
    assert errors == []
    assert [game.score for game in games] == [None] * 3
    assert games[0].stated == Result.of_score(-10)


def test_a_wrong_score_of_a_finished_game_is_stated_and_written_right() -> None:
    data = GAMES_FILE.replace(bytes.fromhex(RECORDS[2]), bytes.fromhex(RECORDS[2].replace("01 01 41", "3f 01 41")))
    games, _ = read(data)
    assert [game.is_misstated for game in games] == [False, False, True]
    assert games[2].stated == Result.of_score(62)
    assert written(games, NAMES)[0] == GAMES_FILE


# -- headers and names -------------------------------------------------------------------------------------


def test_the_header_of_the_file_is_kept_but_for_its_count() -> None:
    old = bytes.fromhex("13 63 0c 1f 03 00 00 00 00 00 cf 07 00 00 00 07") + GAMES_FILE[16:]
    games, _ = read(old)
    assert {game.date for game in games} == {"1999"}
    assert {game.theory.n_empties for game in games if game.theory} == {22}
    assert written(games, NAMES)[0] == old
    assert written(games[:2], NAMES)[0][:16] == old[:4] + b"\2" + old[5:16]


def test_names_are_numbered_as_they_come_behind_those_of_a_base() -> None:
    game = replace(WIPE_OUT, black="Bo Beta", white="New Name", event="New cup")
    data, players, tournaments = written([game], NAMES)
    assert decoded(data)[0][:3] == (1, 1, 2)
    assert read_players(players) == ["Anna Alpha", "Bo Beta", "New Name"]
    assert read_tournaments(tournaments) == ["Example cup 2026", "New cup"]


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("Élodie", "Élodie"),
        ("Łukasz Šimić", "?ukasz Simic"),
        ("Влад", "????"),
        ("a name of more than nineteen", "a name of more than"),
        (" two  blanks\0", "two blanks"),
        ("", ""),
    ],
)
def test_names_are_stored_as_well_as_they_can(name: str, stored: str) -> None:
    players = written([replace(WIPE_OUT, black=name, white="x")])[1]
    assert read_players(players)[0] == stored
    assert len(players) == 16 + 2 * 20


def test_without_name_files_names_are_numbers() -> None:
    games, _ = read(GAMES_FILE, None)
    assert (games[0].black, games[0].white, games[0].event) == ("#0", "#1", "#0")


def test_a_file_of_several_years_says_none() -> None:
    games = [replace(WIPE_OUT, date="1999"), replace(WIPE_OUT, date="2001-02-03")]
    assert struct.unpack_from("<H", written(games)[0], 10) == (0,)
    assert struct.unpack_from("<H", written(games[1:])[0], 10) == (2001,)
    assert struct.unpack_from("<H", written([WIPE_OUT])[0], 10) == (0,)


# -- errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "header: 0 bytes are no WTHOR file; its header has 16"),
        (HEADER[:12] + b"\x0a" + HEADER[13:], "header: board size 10; boards of 8x8 squares are read, no others"),
        (HEADER[:13] + b"\1" + HEADER[14:], "header: a file of solitaires, not of games"),
        (HEADER[:13] + b"\7" + HEADER[14:], "header: no WTHOR file; byte 13 is 7"),
        (PLAYERS_FILE, "header: a file of names, not of games"),
        (GAMES_FILE[:-68], "game 3, offset 152: the header promises 3 games, the file has 2"),
        (GAMES_FILE[:-1], "game 3, offset 152: the header promises 3 games, the file has 2 and 67 bytes"),
        (GAMES_FILE + bytes(70), "game 5, offset 288: the header promises 3 games, the file has 4 and 2 bytes"),
        (GAMES_FILE[:92] + b"\x0a" + GAMES_FILE[93:], "game 2, offset 84: move 1: code 10 is no square"),
        (GAMES_FILE[:92] + b"\x0b" + GAMES_FILE[93:], "game 2, offset 84: move 1, a1: no disc turned"),
        (GAMES_FILE[:90] + b"\x41" + GAMES_FILE[91:], "game 2, offset 84: score 65: more discs than squares"),
        (GAMES_FILE[:86] + b"\x02" + GAMES_FILE[87:], "game 2, offset 84: player 2, but there are 2 names, from 0"),
    ],
)
def test_a_bad_file_or_game_is_refused_with_what_is_wrong(data: bytes, error: str) -> None:
    assert error_of(data) == error


def test_the_games_around_a_bad_one_are_read() -> None:
    data = GAMES_FILE[:92] + b"\x63" + GAMES_FILE[93:-1]
    games, errors = read(data)
    assert [game.moves for game in games] == [WIPE_OUT.moves]
    assert errors == [
        "game 2, offset 84: move 1: code 99 is no square",
        "game 3, offset 152: the header promises 3 games, the file has 2 and 67 bytes",
    ]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"short", "players: 5 bytes are no WTHOR file; its header has 16"),
        (PLAYERS_FILE[:-1], "players: the header promises 2 names of 20 bytes, and 39 bytes follow it"),
        (TOURNAMENTS_FILE, "players: the header promises 1 names of 20 bytes, and 26 bytes follow it"),
    ],
)
def test_a_bad_file_of_names_is_refused(data: bytes, error: str) -> None:
    with pytest.raises(GameError) as caught:
        read_players(data)
    assert str(caught.value) == error


def test_what_a_record_cannot_hold_is_refused_and_changes_nothing() -> None:
    writer = WthorWriter(created=CREATED)
    writer.add(replace(WIPE_OUT, theory=Theory(-64, 24)))
    for game, words in (
        (game_from_the_middle(1, 9), "set-up position"),
        (replace(WIPE_OUT, match_type="8a"), "anti-Othello"),
        (replace(WIPE_OUT, black="Never Seen", theory=Theory(0, 20)), "one place for all"),
    ):
        with pytest.raises(GameError, match=words):
            writer.add(game)
    files = io.BytesIO(), io.BytesIO(), io.BytesIO()
    writer.write(*files)
    writer.close()
    assert files[0].getvalue()[:16] == HEADER[:4] + b"\1" + HEADER[5:10] + b"\0\0" + HEADER[12:]
    assert len(files[1].getvalue()) == 16 + 20


def test_a_name_too_many_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("othello_engine.formats.wthor._MAX_NAMES", 2)
    with pytest.raises(GameError, match="more than 2 players"):
        written([replace(WIPE_OUT, black=name) for name in "abc"])


def test_what_edax_puts_behind_the_last_move_is_no_move() -> None:
    filled = b"".join(bytes.fromhex(record).ljust(68, b"\x5c") for record in RECORDS)
    games, errors = read(HEADER + filled)
    assert ([game.transcript for game in games], errors) == (
        [positions.WIPE_OUT, positions.PASS_THEN_WIPE_OUT, positions.EARLY_END],
        [],
    )


@given(st.binary(max_size=400), st.integers(0, 219), st.binary(max_size=80))
def test_garbage_raises_nothing_but_the_formats_error(data: bytes, at: int, spot: bytes) -> None:
    for garbage in (data, HEADER + data, GAMES_FILE[:at] + spot + GAMES_FILE[at + len(spot) :]):
        for read_names in (read_players, read_tournaments):
            try:
                read_names(garbage)
            except GameError:
                continue
        try:
            list(read_wthor(io.BytesIO(garbage).read, NAMES, lambda error: None))
        except GameError:
            continue
