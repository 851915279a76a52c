"""`convert IN OUT`: games from one format to another, one at a time, whatever the size of the file.

OUT is written under another name and renamed when all is done: nobody ever sees half of it. Games that can't be
read or written are told of and left out.
"""

from __future__ import annotations

import gzip
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from othello_engine.errors import PositionError
from othello_engine.formats import wthor
from othello_engine.formats.files import (
    DAMAGED,
    GameFormat,
    format_game,
    format_of,
    name_without_suffix,
    names_beside,
    read_games,
    read_names,
    uncompressed,
)
from othello_engine.formats.game import Game, GameError
from protocol import exit_status
from protocol.batch.screen import Screen, count
from protocol.lines import Wire

STANDARD_STREAM = "-"
_ERRORS_SHOWN = 10
_PROGRESS_EVERY = 256
"""Games between two looks at how far it is."""


class ConvertError(Exception):
    """Why nothing was written; the text names the file."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """What is asked. source, target: paths, or `-`. players, tournaments: name files of WTHOR, if not beside it."""

    source: str
    target: str
    source_format: GameFormat
    target_format: GameFormat
    players: str | None = None
    tournaments: str | None = None
    is_strict: bool = False

    @classmethod
    def of(
        cls,
        source: str,
        target: str,
        source_format: str | None = None,
        target_format: str | None = None,
        players: str | None = None,
        tournaments: str | None = None,
        is_strict: bool = False,
    ) -> Conversion:
        """The conversion of a command line. Raises ConvertError if a format isn't known."""
        conversion = cls(
            source,
            target,
            _chosen_format(source, source_format, "--from"),
            _chosen_format(target, target_format, "--to"),
            players,
            tournaments,
            is_strict,
        )
        is_wthor = GameFormat.WTHOR in (conversion.source_format, conversion.target_format)
        if target == STANDARD_STREAM and conversion.target_format is GameFormat.WTHOR:
            raise ConvertError("WTHOR is three files, games, players and tournaments; standard output takes one")
        for option, path in (("--players", players), ("--tournaments", tournaments)):
            if path is not None and not is_wthor:
                raise ConvertError(f"{option} is for WTHOR files (.wtb); neither {source} nor {target} is one")
        return conversion


def _chosen_format(path: str, chosen: str | None, option: str) -> GameFormat:
    if chosen is not None:
        return GameFormat(chosen)
    form = None if path == STANDARD_STREAM else format_of(path)
    if form is not None:
        return form
    suffixes = " ".join(f".{each.value}" for each in GameFormat)
    if path == STANDARD_STREAM:
        name = "standard input" if option == "--from" else "standard output"
        raise ConvertError(f"{name} needs {option} FORMAT ({suffixes.replace('.', '')})")
    raise ConvertError(f"{path}: its name ends in none of {suffixes}; say {option} FORMAT")


# -- the run -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Counts:
    """What became of the games so far."""

    converted: int = 0
    refused: int = 0
    misstated: int = 0
    first_misstated: str = ""

    @property
    def seen(self) -> int:
        return self.converted + self.refused


def convert(conversion: Conversion, screen: Screen, wire: Wire) -> int:
    """Converts and prints a line of totals; the exit status. Raises ConvertError if nothing could be written."""
    began = time.monotonic()
    counts = _Counts()
    try:
        remark = _convert_all(conversion, counts, wire)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ConvertError(f"{error.filename or conversion.target}: {error.strerror or error}") from None
    if counts.refused > _ERRORS_SHOWN:
        _say(f"... and {count(counts.refused - _ERRORS_SHOWN)} more errors")
    if remark:
        _say(remark)
    totals = _totals(counts, time.monotonic() - began)
    if conversion.target == STANDARD_STREAM:
        sys.stderr.write(f"{totals}\n")
    else:
        screen.line(totals)
    return exit_status.WRONG if counts.refused else exit_status.DONE


def _convert_all(conversion: Conversion, counts: _Counts, wire: Wire) -> str:
    """Reads, writes and counts; what should be known about the result, if anything."""
    source = "standard input" if conversion.source == STANDARD_STREAM else conversion.source

    def refuse(error: GameError) -> None:
        if conversion.is_strict:
            raise ConvertError(f"{source}: {error}")
        counts.refused += 1
        if counts.refused <= _ERRORS_SHOWN:
            _say(f"{source}: {error}")

    with ExitStack() as stack:
        file = stack.enter_context(_opened(conversion.source, source, wire))
        names = _names(conversion)
        sink = stack.enter_context(_open_sink(conversion, names, wire))
        advance = stack.enter_context(_progress(file, conversion, wire))
        for game in _named(read_games(uncompressed(file), conversion.source_format, names, refuse), source):
            _convert_one(game, sink, counts, refuse)
            if counts.seen % _PROGRESS_EVERY == 0:
                advance(counts.seen)
        if not counts.converted:
            raise _nothing_written(counts, source)
        return sink.finish()


def _convert_one(game: Game, sink: _Sink, counts: _Counts, refuse: Callable[[GameError], None]) -> None:
    number = counts.seen + 1
    try:
        sink.add(game)
    except GameError as error:
        refuse(GameError(f"game {number}: {error}", number))
        return
    counts.converted += 1
    if game.is_misstated:
        counts.misstated += 1
        stated = game.stated.score if game.stated else None
        if counts.misstated == 1:
            said = "another winner" if stated is None else f"{stated:+g}"
            counts.first_misstated = f"game {number} says {said}, its moves {game.score:+d}"


def _nothing_written(counts: _Counts, source: str) -> ConvertError:
    if counts.refused:
        more = f" ({counts.refused - _ERRORS_SHOWN:,} more errors)" if counts.refused > _ERRORS_SHOWN else ""
        return ConvertError(f"{source}: no game that can be converted{more}; nothing is written")
    return ConvertError(f"{source}: no games")


def _totals(counts: _Counts, seconds: float) -> str:
    games = "1 game" if counts.converted == 1 else f"{count(counts.converted)} games"
    parts = [f"{games} converted in {seconds:.1f} s"]
    if counts.refused:
        parts.append(f"{count(counts.refused)} left out")
    if counts.misstated:
        parts.append(f"{count(counts.misstated)} with a wrong result, corrected ({counts.first_misstated})")
    return "; ".join(parts)


def _say(text: str) -> None:
    sys.stderr.write(f"othello-engine: {text}\n")


# -- reading -----------------------------------------------------------------------------------------------


@contextmanager
def _opened(path: str, name: str, wire: Wire) -> Iterator[IO[bytes]]:
    """The file to read."""
    try:
        if path != STANDARD_STREAM:
            file: IO[bytes] = open(path, "rb")  # noqa: SIM115
        elif wire.input is None:
            raise ConvertError(f"{name}: closed")
        else:
            file = open(wire.input, "rb", closefd=False)  # noqa: SIM115
    except OSError as error:
        raise ConvertError(f"{name}: {error.strerror}") from None
    with file:
        yield file


def _named(games: Iterator[Game], source: str) -> Iterator[Game]:
    """The games; an error in reading them names where they come from."""
    try:
        yield from games
    except GameError as error:
        raise ConvertError(f"{source}: {error}") from None
    except DAMAGED as error:
        raise ConvertError(f"{source}: damaged: {error}") from None
    except OSError as error:
        raise ConvertError(f"{source}: {error.strerror or error}") from None


def _names(conversion: Conversion) -> wthor.Names:
    """Names that are given or lie beside a WTHOR file that is read."""
    try:
        beside = wthor.Names()
        if conversion.source_format is GameFormat.WTHOR and conversion.source != STANDARD_STREAM:
            beside = names_beside(Path(conversion.source))
        players, tournaments = beside.players, beside.tournaments
        if conversion.players is not None:
            players = read_names(Path(conversion.players), wthor.read_players)
        if conversion.tournaments is not None:
            tournaments = read_names(Path(conversion.tournaments), wthor.read_tournaments)
    except PositionError as error:
        raise ConvertError(str(error)) from None
    except OSError as error:
        raise ConvertError(f"{error.filename}: {error.strerror}") from None
    if conversion.source_format is GameFormat.WTHOR:
        for found, what, suffix in ((players, "players", ".jou"), (tournaments, "tournaments", ".trn")):
            if found is None:
                _say(f"{conversion.source}: no {suffix} file beside it, {what} are numbers; --{what} names one")
    return wthor.Names(players, tournaments)


# -- writing -----------------------------------------------------------------------------------------------


class _Sink(Protocol):
    """Takes games. finish: writes what is left; what should be known about the result, if anything."""

    def add(self, game: Game) -> None: ...
    def finish(self) -> str: ...


class _TextSink:
    """Writes games in a format that is text."""

    def __init__(self, out: IO[bytes], form: GameFormat) -> None:
        self._out = out
        self._form = form

    def add(self, game: Game) -> None:
        self._out.write(format_game(game, self._form).encode("utf-8", "replace"))

    def finish(self) -> str:
        return ""


class _WthorSink:
    """Writes the three files of WTHOR."""

    def __init__(self, files: list[IO[bytes]], writer: wthor.WthorWriter) -> None:
        self._files = files
        self._writer = writer

    def add(self, game: Game) -> None:
        self._writer.add(game)

    def finish(self) -> str:
        self._writer.write(*self._files)
        if self._writer.loses_years:
            return "games of several years: a WTHOR file has room for one, so none is written"
        return ""


@contextmanager
def _open_sink(conversion: Conversion, names: wthor.Names, wire: Wire) -> Iterator[_Sink]:
    """What OUT becomes; only when the context ends without an error is it there."""
    with ExitStack() as stack:
        target, form = conversion.target, conversion.target_format
        if target == STANDARD_STREAM:
            if wire.output is None:
                raise ConvertError("standard output: closed")
            yield _TextSink(stack.enter_context(open(wire.output, "wb", closefd=False)), form)
            return
        path = Path(target)
        files = [stack.enter_context(_replacing(path))]
        if form is not GameFormat.WTHOR:
            yield _TextSink(files[0], form)
            return
        stem = name_without_suffix(path)
        files += [stack.enter_context(_replacing(path.with_name(stem + suffix))) for suffix in (".jou", ".trn")]
        writer = stack.enter_context(closing(wthor.WthorWriter(names.players or (), names.tournaments or ())))
        yield _WthorSink(files, writer)


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of `path` when it is whole, and vanishes if it isn't.

    What is no ordinary file, such as a pipe or `/dev/null`, is written to as it is.
    """
    target = Path(os.path.realpath(path))
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as file, _compressed(file, path) as out:
            yield out
        return
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(part, "xb") as file:
            if mode is not None:
                os.chmod(part, stat.S_IMODE(mode))
            with _compressed(file, path) as out:
                yield out
        os.replace(part, target)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError):
            error.filename = str(path)  # not a name that nobody has seen
        raise


@contextmanager
def _compressed(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if not path.name.lower().endswith(".gz"):
        yield file
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as out:
        yield out  # type: ignore[misc]


# -- progress ----------------------------------------------------------------------------------------------


@contextmanager
def _progress(file: IO[bytes], conversion: Conversion, wire: Wire) -> Iterator[Callable[[int], None]]:
    """Shows on stderr how far the reading is, if somebody sees that and no games; call it with their number."""
    shows_games = conversion.target == STANDARD_STREAM and wire.output is not None and os.isatty(wire.output)
    if shows_games or not sys.stderr.isatty():
        yield lambda n_games: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    size = os.fstat(file.fileno()).st_size or None
    shown: tuple[Any, ...] = (BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*shown, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=size)

        def advance(n_games: int) -> None:
            bar.update(task, completed=file.tell() if size else None, description=f"{count(n_games)} games")

        yield advance
