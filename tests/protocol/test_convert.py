"""`convert IN OUT`: what becomes of OUT, of bad games, of names, and what is said about it."""

from __future__ import annotations

import gzip
import io
import os
import random
import re
import signal
import stat
import struct
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pexpect
import pytest

from othello_engine.formats.files import GameFormat, format_game, open_games
from othello_engine.formats.game import Game, Result
from protocol.batch.convert import Conversion, ConvertError, convert
from protocol.batch.screen import Screen
from protocol.lines import Wire
from tests import positions
from tests.formats.games import (
    ENDINGS,
    PASS_AND_EARLY_END,
    REAL_GAMES,
    UNFINISHED,
    WIPE_OUT,
    game_from_the_middle,
    sample_games,
    without_stated,
)
from tests.protocol.test_cli import ENVIRONMENT

NO_WIRE = Wire(None, None)
TOTALS = re.compile(r"([\d,]+) games? converted in \d+\.\d s(; .*)?\n")


def write(path: Path, games: list[Game], form: GameFormat | None = None) -> Path:
    form = form or GameFormat(path.suffix[1:])
    path.write_text("".join(format_game(game, form) for game in games), encoding="utf-8")
    return path


def run(source: Path | str, target: Path | str, **options: str | bool) -> tuple[int, str]:
    """Exit status and what is printed on standard output."""
    paper = io.StringIO()
    conversion = Conversion.of(str(source), str(target), **options)  # type: ignore[arg-type]
    return convert(conversion, Screen(paper), NO_WIRE), paper.getvalue()


def command(*arguments: str | Path, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "protocol", "convert", *map(str, arguments)],
        input=data,
        capture_output=True,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# -- from one format to another ----------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["ggf", "sgf", "txt", "ggf.gz", "sgf.gz", "txt.gz"])
def test_games_come_through(tmp_path: Path, suffix: str) -> None:
    games = sample_games(40)
    source = write(tmp_path / "in.ggf", games)
    status, said = run(source, tmp_path / f"out.{suffix}")
    assert (status, TOTALS.fullmatch(said)[1]) == (0, "40")  # type: ignore[index]
    again = [without_stated(game) for game in open_games(tmp_path / f"out.{suffix}")]
    assert again == ([Game(moves=game.moves) for game in games] if suffix.startswith("txt") else games)
    assert names_in(tmp_path) == ["in.ggf", f"out.{suffix}"]


def test_wthor_is_the_same_after_every_format_with_room_for_it(tmp_path: Path) -> None:
    source = write(tmp_path / "in.ggf", sample_games())
    assert run(source, tmp_path / "base.wtb")[0] == 0
    base = {suffix: (tmp_path / f"base.{suffix}").read_bytes() for suffix in ("wtb", "jou", "trn")}
    for between in ("ggf", "sgf", "sgf.gz"):
        assert run(tmp_path / "base.wtb", tmp_path / f"x.{between}")[0] == 0
        assert run(tmp_path / f"x.{between}", tmp_path / "back.wtb")[0] == 0
        assert {suffix: (tmp_path / f"back.{suffix}").read_bytes() for suffix in base} == base


def test_compressed_wthor_is_read_and_written(tmp_path: Path) -> None:
    source = write(tmp_path / "in.ggf", sample_games(10))
    run(source, tmp_path / "a.wtb.gz")
    run(source, tmp_path / "b.wtb")
    assert gzip.decompress((tmp_path / "a.wtb.gz").read_bytes()) == (tmp_path / "b.wtb").read_bytes()
    assert names_in(tmp_path) == ["a.jou", "a.trn", "a.wtb.gz", "b.jou", "b.trn", "b.wtb", "in.ggf"]
    run(tmp_path / "a.wtb.gz", tmp_path / "a.ggf")
    run(tmp_path / "b.wtb", tmp_path / "b.ggf")
    assert (tmp_path / "a.ggf").read_bytes() == (tmp_path / "b.ggf").read_bytes()


def test_a_base_that_is_given_keeps_its_numbers(tmp_path: Path) -> None:
    games = sample_games(60)
    run(write(tmp_path / "all.ggf", games), tmp_path / "base.wtb")
    part = write(tmp_path / "part.ggf", games[30:])
    names = {"players": str(tmp_path / "base.jou"), "tournaments": str(tmp_path / "base.trn")}
    run(part, tmp_path / "part.wtb", **names)
    assert (tmp_path / "part.wtb").read_bytes()[16:] == (tmp_path / "base.wtb").read_bytes()[16 + 30 * 68 :]
    assert (tmp_path / "part.jou").read_bytes() == (tmp_path / "base.jou").read_bytes()
    run(part, tmp_path / "alone.wtb")
    assert (tmp_path / "alone.wtb").read_bytes() != (tmp_path / "part.wtb").read_bytes()


def test_names_may_be_somewhere_else_or_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(write(tmp_path / "in.ggf", [replace(WIPE_OUT, black="Anna", event="Cup")]), tmp_path / "a.wtb")
    (tmp_path / "a.jou").rename(tmp_path / "players")
    (tmp_path / "a.trn").rename(tmp_path / "tournaments")
    run(tmp_path / "a.wtb", tmp_path / "numbers.ggf")
    assert "PB[#0]" in (tmp_path / "numbers.ggf").read_text()
    said = capsys.readouterr().err
    assert "a.wtb: no .jou file beside it, players are numbers; --players names one" in said
    assert "a.wtb: no .trn file beside it, tournaments are numbers; --tournaments names one" in said
    run(
        tmp_path / "a.wtb",
        tmp_path / "names.ggf",
        players=str(tmp_path / "players"),
        tournaments=str(tmp_path / "tournaments"),
    )
    assert "EV[Cup]DT[]" not in (tmp_path / "names.ggf").read_text()
    assert "EV[Cup]PB[Anna]" in (tmp_path / "names.ggf").read_text()
    assert capsys.readouterr().err == ""


def test_games_of_several_years_are_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write(tmp_path / "in.ggf", [replace(WIPE_OUT, date="1999"), replace(WIPE_OUT, date="2001")])
    assert run(source, tmp_path / "out.wtb")[0] == 0
    assert "several years" in capsys.readouterr().err


def test_wrong_results_are_corrected_and_counted(tmp_path: Path) -> None:
    line = format_game(PASS_AND_EARLY_END, GameFormat.SGF).replace("RE[W+62]", "RE[B+62]")
    source = tmp_path / "edax.sgf"
    source.write_text(format_game(WIPE_OUT, GameFormat.SGF) + line * 2)
    status, said = run(source, tmp_path / "out.txt")
    assert status == 0
    assert said.endswith("; 2 with a wrong result, corrected (game 2 says +62, its moves -62)\n")
    assert (tmp_path / "out.txt").read_text().splitlines()[1].endswith(" -62")


def test_the_last_positions_of_games_become_a_file_of_positions(tmp_path: Path) -> None:
    source = tmp_path / "openings.txt"
    source.write_text(f"{positions.FIVE_MOVES}\n{positions.EARLIEST_PASS}\n")
    assert run(source, tmp_path / "openings.obf")[0] == 0
    assert (tmp_path / "openings.obf").read_text() == (
        f"{positions.FIVE_MOVES_TEXT};\n{positions.EARLIEST_PASS_TEXT};\n"
    )


def write_base(folder: Path, rows: list[list[str]]) -> None:
    """A WTHOR base of `MOVES SCORE THEORETICAL YEAR`, packed without our writer; names are made up."""
    rng = random.Random(1)
    players = [f"Joueur numéro {n}" for n in range(3000)]
    years = sorted({row[3] for row in rows})
    records = bytearray()
    for moves, score, theory, year in rows:
        codes = bytes(10 * int(moves[at + 1]) + "abcdefgh".index(moves[at]) + 1 for at in range(0, len(moves), 2))
        names = (years.index(year), rng.randrange(len(players)), rng.randrange(len(players)))
        records += struct.pack("<3H2B60s", *names, (int(score) + 64) // 2, (int(theory) + 64) // 2, codes)
    created = (20, 26, 1, 5)
    (folder / "base.wtb").write_bytes(struct.pack("<4BIHH4B", *created, len(rows), 0, 2023, 8, 0, 24, 0) + records)
    for suffix, names, size in ((".jou", players, 20), (".trn", [f"Tournois {year}" for year in years], 26)):
        data = b"".join(name.encode("latin-1").ljust(size, b"\0") for name in names)
        (folder / f"base{suffix}").write_bytes(struct.pack("<4BIHH4B", *created, 0, len(names), 0, 0, 0, 0, 0) + data)


@pytest.mark.slow
@pytest.mark.skipif(not REAL_GAMES.is_dir(), reason="needs ../shared/data")
@pytest.mark.parametrize("suffix", ["ggf", "sgf.gz"])
def test_the_whole_base_of_recorded_games_is_the_same_after_there_and_back(tmp_path: Path, suffix: str) -> None:
    with gzip.open(REAL_GAMES / "wthor.txt.gz", "rt", encoding="ascii") as lines:
        write_base(tmp_path, [line.split() for line in lines])
    assert run(tmp_path / "base.wtb", tmp_path / f"between.{suffix}")[0] == 0
    names = {"players": str(tmp_path / "base.jou"), "tournaments": str(tmp_path / "base.trn")}
    status, said = run(tmp_path / f"between.{suffix}", tmp_path / "back.wtb", **names)
    assert (status, TOTALS.fullmatch(said)[1]) == (0, "131,285")  # type: ignore[index]
    for each in ("wtb", "jou", "trn"):
        assert (tmp_path / f"back.{each}").read_bytes() == (tmp_path / f"base.{each}").read_bytes()


# -- bad games ---------------------------------------------------------------------------------------------


def test_bad_games_are_told_of_counted_and_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.txt"
    source.write_text("f5d6\n" + "f5a1\n" * 14 + "d3\n")
    status, said = run(source, tmp_path / "out.ggf")
    assert (status, TOTALS.fullmatch(said)[1]) == (1, "2")  # type: ignore[index]
    assert "; 14 left out\n" in said
    errors = capsys.readouterr().err.splitlines()
    assert errors[0] == f"othello-engine: {source}: game 2, line 2: move 2, a1: no disc turned"
    assert errors[10:] == ["othello-engine: ... and 4 more errors"]
    assert [game.transcript for game in open_games(tmp_path / "out.ggf")] == ["f5d6", "d3"]


def test_what_out_cannot_hold_is_named_by_its_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.ggf"
    write(source, [WIPE_OUT, game_from_the_middle(1, 9), UNFINISHED])
    source.write_text("rubbish\n" + source.read_text())
    assert run(source, tmp_path / "out.wtb")[0] == 1
    errors = capsys.readouterr().err.splitlines()
    assert errors == [
        f"othello-engine: {source}: game 1, line 1: 'rubbish' is no game",
        f"othello-engine: {source}: game 3: a game from a set-up position can't be written to a WTHOR file",
    ]
    assert len((tmp_path / "out.wtb").read_bytes()) == 16 + 2 * 68


def test_strict_ends_at_the_first_bad_game_and_writes_nothing(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("f5d6\nf5a1\n")
    (tmp_path / "out.ggf").write_text("before")
    with pytest.raises(ConvertError, match=r"in\.txt: game 2, line 2: move 2, a1: no disc turned"):
        run(source, tmp_path / "out.ggf", is_strict=True)
    assert (tmp_path / "out.ggf").read_text() == "before"
    assert names_in(tmp_path) == ["in.txt", "out.ggf"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "in.ggf: no games"),
        (b"\n\n", "in.ggf: no games"),
        (b"(;GM[Go]B[aa];)", "in.ggf: no game that can be converted; nothing is written"),
        (b"<html>" * 30, "in.ggf: no game that can be converted; nothing is written"),
        (b"\x1f\x8b\x08nothing", "in.ggf: damaged: "),
    ],
)
def test_without_a_game_nothing_is_written(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "in.ggf").write_bytes(data)
    for target in ("out.sgf", "out.wtb"):
        with pytest.raises(ConvertError) as caught:
            run(tmp_path / "in.ggf", tmp_path / target)
        assert words in str(caught.value)
        assert names_in(tmp_path) == ["in.ggf"]


def test_a_cut_archive_leaves_out_as_it_was(tmp_path: Path) -> None:
    data = gzip.compress("".join(format_game(game, GameFormat.GGF) for game in sample_games()).encode())
    (tmp_path / "in.ggf.gz").write_bytes(data[: len(data) // 2])
    with pytest.raises(ConvertError, match=r"in\.ggf\.gz: damaged: "):
        run(tmp_path / "in.ggf.gz", tmp_path / "out.txt")
    assert names_in(tmp_path) == ["in.ggf.gz"]


# -- the file OUT ------------------------------------------------------------------------------------------


def test_a_file_may_be_converted_onto_itself_and_keeps_its_mode_and_links(tmp_path: Path) -> None:
    path = write(tmp_path / "games.ggf", list(ENDINGS))
    path.chmod(0o640)
    (tmp_path / "link.ggf").symlink_to(path)
    assert run(path, tmp_path / "link.ggf")[0] == 0
    assert (tmp_path / "link.ggf").is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [without_stated(game) for game in open_games(path)] == list(ENDINGS)


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    source = write(tmp_path / "in.ggf", [WIPE_OUT])
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert run(source, pipe, target_format="txt")[0] == 0
    assert os.read(reading, 1000) == f"{positions.WIPE_OUT} -64\n".encode()
    os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("source", "target", "options", "words"),
    [
        ("missing.ggf", "out.sgf", {}, "missing.ggf: No such file or directory"),
        (".", "out.sgf", {"source_format": "ggf"}, ": Is a directory"),
        ("in.ggf", "nowhere/out.sgf", {}, "nowhere/out.sgf: No such file or directory"),
        ("in.ggf", "folder.sgf", {}, "folder.sgf: Is a directory"),
        ("in.pgn", "out.sgf", {}, "in.pgn: its name ends in none of .ggf .sgf .wtb .txt .obf; say --from FORMAT"),
        ("in.ggf", "out.pgn", {}, "out.pgn: its name ends in none of .ggf .sgf .wtb .txt .obf; say --to FORMAT"),
        ("-", "out.sgf", {}, "standard input needs --from FORMAT (ggf sgf wtb txt obf)"),
        ("in.ggf", "-", {}, "standard output needs --to FORMAT (ggf sgf wtb txt obf)"),
        ("in.ggf", "-", {"target_format": "wtb"}, "WTHOR is three files"),
        ("in.ggf", "out.sgf", {"players": "x.jou"}, "--players is for WTHOR files (.wtb)"),
        ("in.ggf", "out.wtb", {"players": "missing.jou"}, "missing.jou: No such file or directory"),
        ("in.ggf", "out.wtb", {"tournaments": "in.ggf"}, "in.ggf: tournaments: "),
        ("in.ggf", "out.sgf", {"source_format": "wtb"}, "in.ggf: header: "),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, target: str, options: dict[str, str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.ggf", [WIPE_OUT])
    (tmp_path / "folder.sgf").mkdir()
    with pytest.raises(ConvertError) as caught:
        run(source, target, **options)
    assert words in str(caught.value)
    assert names_in(tmp_path) == ["folder.sgf", "in.ggf"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_an_error_that_names_out(tmp_path: Path) -> None:
    source = write(tmp_path / "in.ggf", sample_games())
    with pytest.raises(ConvertError, match=r"/dev/full: No space left on device"):
        run(source, "/dev/full", target_format="ggf")


# -- the program -------------------------------------------------------------------------------------------


def test_standard_input_and_output_carry_games_and_nothing_else(tmp_path: Path) -> None:
    data = "".join(format_game(game, GameFormat.GGF) for game in ENDINGS).encode()
    for stream in (data, gzip.compress(data), b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")):
        done = command("-", "-", "--from", "ggf", "--to", "txt", data=stream)
        assert done.returncode == 0
        assert done.stdout.decode().splitlines() == [format_game(game, GameFormat.TEXT).strip() for game in ENDINGS]
        assert TOTALS.fullmatch(done.stderr.decode())
    done = command("-", tmp_path / "x.sgf", "--from", "ggf", data=data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert TOTALS.fullmatch(done.stdout.decode())
    assert len(list(open_games(tmp_path / "x.sgf"))) == len(ENDINGS)


def test_exit_status_and_words_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("f5d6\nf5a1\n")
    done = command(tmp_path / "in.txt", tmp_path / "out.ggf")
    assert done.returncode == 1
    assert b"1 game converted in " in done.stdout
    assert done.stderr.decode() == f"othello-engine: {tmp_path}/in.txt: game 2, line 2: move 2, a1: no disc turned\n"
    for arguments, words in (
        (["in.ggf"], "OUT"),
        (["missing.ggf", "x.sgf"], "missing.ggf: No such file"),
        (["a.ggf", "b.sgf", "--from", "pgn"], "'pgn'"),
        (["a.pgn", "b.sgf"], "--from FORMAT"),
    ):
        done = command(*arguments)
        assert (done.returncode, done.stdout) == (2, b"")
        assert words in done.stderr.decode()
        assert b"Traceback" not in done.stderr


def test_on_a_terminal_it_shows_how_far_it_is(tmp_path: Path) -> None:
    source = write(tmp_path / "in.ggf", sample_games() * 6)
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "protocol", "convert", str(source), str(tmp_path / "out.sgf")],
        env={**ENVIRONMENT, "TERM": "xterm"},
        encoding="utf-8",
        dimensions=(24, 100),
        timeout=30,
    )
    terminal.expect(r"\d+%")
    terminal.expect(r"[\d,]+ games ")
    terminal.expect(r"1,800 games converted in")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


def test_help_teaches() -> None:
    done = command("--help")
    assert done.returncode == 0
    for words in ("convert IN OUT", "WTHOR.JOU", "--from ggf", ".obf", "exit status 1", "docs/formats.md"):
        assert words in done.stdout.decode()


def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path) -> None:
    source = write(tmp_path / "in.ggf", sample_games() * 4)
    done = subprocess.run(
        f"{sys.executable} -m protocol convert {source} - --to ggf | head -c 100; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )
    assert done.stdout.splitlines()[-1].endswith(b"4")
    assert done.stderr == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    fifo = tmp_path / "in.txt"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [sys.executable, "-m", "protocol", "convert", str(fifo), str(tmp_path / "out.wtb")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    with open(fifo, "wb") as writing:
        writing.write(b"f5d6\n" * 50_000)
        writing.flush()
        began = time.monotonic()
        while len(names_in(tmp_path)) < 4:  # three files have been begun
            assert time.monotonic() - began < 30
            time.sleep(0.01)
        process.send_signal(number)
        out, errors = process.communicate(timeout=30)
    assert (process.returncode, out, errors) == (128 + number, b"", b"")
    assert names_in(tmp_path) == ["in.txt"]


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    source = write(tmp_path / "in.ggf", [replace(WIPE_OUT, stated=Result.of_score(-64))])
    script = (
        "import sys\n"
        "from protocol.cli import main\n"
        "main(sys.argv[1:])\n"
        "heavy = ('numba', 'numpy', 'llvmlite', 'multiprocessing', 'rich')\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "convert", str(source), str(tmp_path / "out.wtb")],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )
    assert done.stderr == "[]\n"
