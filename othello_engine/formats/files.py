"""Files of games whatever their format: which one it is, its games one by one, games as its text.

for game in open_games("games.ggf.gz"):
    print(game.black, game.white, game.score)
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import IO, cast

from othello_engine.errors import PositionError
from othello_engine.formats import ggf, obf, sgf, text, wthor
from othello_engine.formats.game import Game, GameError, Theory
from othello_engine.formats.obf import ObfRecord
from othello_engine.formats.recorded import OnError, read_chunks, report
from othello_engine.types import BLACK

_GZIP_MAGIC = b"\x1f\x8b"
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, UnicodeError)
"""What reading raises where a compressed file is damaged."""


class GameFormat(Enum):
    """A format of game files; the value is its suffix without the dot."""

    GGF = "ggf"
    SGF = "sgf"
    WTHOR = "wtb"
    TEXT = "txt"
    OBF = "obf"

    @property
    def is_text(self) -> bool:
        """False for the binary one."""
        return self is not GameFormat.WTHOR


def format_of(path: Path | str) -> GameFormat | None:
    """The format that a file's name says, in any case, with or without `.gz`; None if it says none."""
    name = Path(path).name.lower().removesuffix(".gz")
    suffix = name.rpartition(".")[2] if "." in name else ""
    return next((each for each in GameFormat if each.value == suffix), None)


# -- reading -----------------------------------------------------------------------------------------------


def open_games(
    path: Path | str,
    form: GameFormat | None = None,
    names: wthor.Names | None = None,
    on_error: OnError | None = None,
) -> Iterator[Game]:
    """The games of a file, one by one, as they are read. Compressed files are known by their first bytes.

    form: if the name doesn't say it. names: for WTHOR; without them those beside the file are read. The file is
    opened when the first game is asked for. Raises GameError, which names file, game, place and move, and OSError.
    on_error: takes the errors of single games instead, and the reading goes on.
    """
    form = form or format_of(path)
    if form is None:
        suffixes = " ".join(f".{each.value}" for each in GameFormat)
        raise GameError(f"{path}: its name says no format of games ({suffixes})")

    def name_file(error: GameError) -> GameError:
        return GameError(f"{path}: {error}", error.number)

    if form is GameFormat.WTHOR and names is None:
        names = names_beside(Path(path))
    with open(path, "rb") as file:
        collect = None if on_error is None else lambda error: on_error(name_file(error))
        try:
            yield from read_games(uncompressed(file), form, names, collect)
        except GameError as error:
            raise name_file(error) from None
        except DAMAGED as error:
            raise GameError(f"{path}: damaged: {error}") from None


def read_games(
    file: IO[bytes], form: GameFormat, names: wthor.Names | None = None, on_error: OnError | None = None
) -> Iterator[Game]:
    """The games of a binary stream, one by one, as they are read. Errors as in `open_games`, without the file."""
    if form is GameFormat.WTHOR:
        return wthor.read_wthor(file.read, names, on_error)
    return _read_text_games(file, form, on_error)


def _read_text_games(file: IO[bytes], form: GameFormat, on_error: OnError | None) -> Iterator[Game]:
    lines = io.TextIOWrapper(file, encoding="utf-8-sig", errors=_LATIN_FALLBACK)
    try:
        if form is GameFormat.GGF:
            yield from ggf.read_ggf(read_chunks(lines.read), on_error)
        elif form is GameFormat.SGF:
            yield from sgf.read_sgf(read_chunks(lines.read), on_error)
        elif form is GameFormat.TEXT:
            yield from text.read_text(_bounded_lines(lines), on_error)
        else:
            yield from _read_positions(_bounded_lines(lines), on_error)
    finally:
        lines.detach()  # whoever opened the file closes it


def uncompressed(file: IO[bytes]) -> IO[bytes]:
    """The stream as it was before it was compressed, if it was."""
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", file))
    if buffered.peek(2)[:2] == _GZIP_MAGIC:
        return cast("IO[bytes]", io.BufferedReader(gzip.GzipFile(fileobj=buffered), 1 << 16))
    return buffered


def _bounded_lines(lines: io.TextIOWrapper) -> Iterator[str]:
    """The lines of a text; of one that is too long the beginning, with words that no list of moves can end in."""
    while line := lines.readline(text.MAX_LINE_CHARACTERS):
        is_cut = len(line) == text.MAX_LINE_CHARACTERS and not line.endswith("\n")
        yield line + " ... and more than a line may hold" if is_cut else line
        while is_cut and (more := lines.readline(text.MAX_LINE_CHARACTERS)):
            is_cut = not more.endswith("\n")


def _read_latin(error: UnicodeError) -> tuple[str, int]:
    """Bytes that aren't UTF-8 are read as ISO-8859-1: old files, and the names of WTHOR."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


_LATIN_FALLBACK = "othello_engine.latin_fallback"
codecs.register_error(_LATIN_FALLBACK, _read_latin)


def names_beside(games: Path) -> wthor.Names:
    """The players and tournaments of a WTHOR file: of files with its name, else those of the base, beside it."""
    return wthor.Names(
        _read_names_of(games, ".jou", wthor.read_players), _read_names_of(games, ".trn", wthor.read_tournaments)
    )


def _read_names_of(games: Path, suffix: str, read: Callable[[bytes], list[str]]) -> list[str] | None:
    stem = name_without_suffix(games)
    for wanted in (f"{stem}{suffix}", f"WTHOR{suffix}"):
        for path in _same_but_for_case(games.parent, wanted):
            return read_names(path, read)
    return None


def read_names(path: Path, read: Callable[[bytes], list[str]]) -> list[str]:
    """The names of a file, which may be compressed; read: `read_players` or `read_tournaments`.

    Raises GameError, which names the file, and OSError.
    """
    try:
        with open(path, "rb") as file:
            return read(uncompressed(file).read())
    except GameError as error:
        raise GameError(f"{path}: {error}") from None
    except DAMAGED as error:
        raise GameError(f"{path}: damaged: {error}") from None


def name_without_suffix(path: Path) -> str:
    """`WTH_2023` of `WTH_2023.wtb.gz`."""
    name = path.name[:-3] if path.name.lower().endswith(".gz") else path.name
    return name.rpartition(".")[0] or name


def _same_but_for_case(folder: Path, name: str) -> Iterator[Path]:
    """The files of this name, compressed or not; the exact one first."""
    wanted = name.lower()
    found = [each for each in folder.iterdir() if each.name.lower() in (wanted, f"{wanted}.gz")]
    yield from sorted(found, key=lambda each: (each.name != name, each.name.lower() != wanted, each.name))


# -- writing -----------------------------------------------------------------------------------------------


def format_game(game: Game, form: GameFormat) -> str:
    """The game in a format that is text, with the line end. Raises GameError for what the format can't hold."""
    if form is GameFormat.GGF:
        return ggf.format_ggf(game) + "\n"
    if form is GameFormat.SGF:
        return sgf.format_sgf(game) + "\n"
    if form is GameFormat.TEXT:
        return text.format_line(game) + "\n"
    if form is GameFormat.OBF:
        return obf.format_obf(_as_record(game)) + "\n"
    raise ValueError("WTHOR is written by a WthorWriter")


# -- positions ---------------------------------------------------------------------------------------------


def _read_positions(lines: Iterator[str], on_error: OnError | None) -> Iterator[Game]:
    """The positions of an OBF file as games without moves; the value of a position is its theoretical score."""
    numbers = iter(range(1, 1 << 62))
    for line_number, line in enumerate(lines, 1):
        body = line.removeprefix("\ufeff") if line_number == 1 else line
        if not body.strip() or body.lstrip().startswith("%"):
            continue
        number = next(numbers)
        try:
            record = obf.parse_obf_line(body.rstrip("\r\n"), line_number)
        except PositionError as error:
            place, _, reason = str(error).partition(", ")
            report(GameError(reason), number, place, on_error)
        else:
            yield _as_game(record)


def _as_game(record: ObfRecord) -> Game:
    position = record.position
    if record.value is None:
        return Game(start=position, comment=record.comment)
    score = record.value if position.side == BLACK else -record.value
    return Game(start=position, theory=Theory(score, position.n_empties), comment=record.comment)


def _as_record(game: Game) -> ObfRecord:
    """The position at the end of a game, with its value if that is known."""
    position = game.final_position
    score = game.score
    if score is None and game.theory is not None and game.theory.n_empties == position.n_empties:
        score = game.theory.score
    if score is None:
        return ObfRecord(position)
    return ObfRecord(position, value=score if position.side == BLACK else -score)
