"""WTHOR, the game base of the French Othello Federation: a file of games, one of players, one of tournaments.

Games are records of 68 bytes that hold numbers of names (`.wtb`); the names are in files beside them (`.jou`,
`.trn`), which many files of games may share. Scores are black's discs, empty squares to the winner. Passes are not
stored. A file is of one year, and says how many squares were empty at the places of its theoretical scores.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from tempfile import SpooledTemporaryFile
from typing import IO

from othello_engine.errors import IllegalMoveError
from othello_engine.formats.game import STANDARD_START, Game, GameError, Result, Theory, bare_moves
from othello_engine.formats.recorded import OnError, report
from othello_engine.types import BLACK, N_SQUARES, PASS, WHITE, square_name

_HEADER = struct.Struct("<4BIHH4B")
_RECORD = struct.Struct("<3H2B60s")
_PLAYER_BYTES = 20
_TOURNAMENT_BYTES = 26
_RECORDS_AT_ONCE = 1024
_RECORDS_IN_MEMORY = 1 << 24
"""Bytes of records that the writer keeps in memory; more are kept in a temporary file."""

_DEFAULT_DEPTH = 24
_DEPTH_OF_ZERO = 22
_MAX_NAMES = 0xFFFF

_CODES = bytes(11 + 10 * (square // 8) + square % 8 for square in range(N_SQUARES))
"""A move's byte by its square: ten times the row, plus the column."""
_NO_SQUARE = 0xFF
_EDAX_FILLER = bytes([92])
"""What Edax 4.6 writes behind the last move, instead of zeros, into games with a pass or an early end."""
_SQUARES = bytes(_CODES.index(code) if code in _CODES else _NO_SQUARE for code in range(256))
"""A move's square by its byte."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first 16 bytes of a file. created: century, year, month, day. depth: as stored, 0 means 22."""

    created: tuple[int, int, int, int]
    n_games: int
    n_names: int
    year: int
    board_size: int
    is_solitaire: int
    depth: int
    reserved: int

    @classmethod
    def parse(cls, data: bytes, what: str) -> Header:
        """The header of a file. Raises GameError if it is of another board. what: names the file in errors."""
        if len(data) < _HEADER.size:
            raise GameError(f"{what}: {len(data)} bytes are no WTHOR file; its header has {_HEADER.size}")
        values = _HEADER.unpack(data[: _HEADER.size])
        header = cls(values[:4], *values[4:])
        if header.board_size not in (0, 8):
            raise GameError(f"{what}: board size {header.board_size}; boards of 8x8 squares are read, no others")
        if header.is_solitaire not in (0, 1):
            raise GameError(f"{what}: no WTHOR file; byte 13 is {header.is_solitaire}")
        return header

    def to_bytes(self) -> bytes:
        """The 16 bytes."""
        more = (self.year, self.board_size, self.is_solitaire, self.depth, self.reserved)
        return _HEADER.pack(*self.created, self.n_games, self.n_names, *more)


# -- names -------------------------------------------------------------------------------------------------


def read_players(data: bytes) -> list[str]:
    """The names of a `.jou` file, by number. Raises GameError."""
    return _read_names(data, _PLAYER_BYTES, "players")


def read_tournaments(data: bytes) -> list[str]:
    """The names of a `.trn` file, by number. Raises GameError."""
    return _read_names(data, _TOURNAMENT_BYTES, "tournaments")


def _read_names(data: bytes, size: int, what: str) -> list[str]:
    header = Header.parse(data, what)
    names = data[_HEADER.size :]
    if len(names) != size * header.n_names:
        expected = f"{header.n_names} names of {size} bytes"
        raise GameError(f"{what}: the header promises {expected}, and {len(names)} bytes follow it")
    return [names[at : at + size].partition(b"\0")[0].decode("latin-1").strip() for at in range(0, len(names), size)]


@dataclass(frozen=True, slots=True)
class Names:
    """Players and tournaments by number; None where there is no file: names are then numbers such as `#17`."""

    players: Sequence[str] | None = None
    tournaments: Sequence[str] | None = None


# -- reading -----------------------------------------------------------------------------------------------


def read_wthor(
    read: Callable[[int], bytes], names: Names | None = None, on_error: OnError | None = None
) -> Iterator[Game]:
    """The games of a `.wtb` file, one by one, as they are read.

    read: that of a binary file. The first game carries the file's header (see `Game.header`). Raises GameError,
    which names game and offset. on_error: takes that instead, if it is about one game or about the length of the
    file, and the reading goes on.
    """
    first = read(_HEADER.size)
    header = Header.parse(first, "header")
    if header.is_solitaire:
        raise GameError("header: a file of solitaires, not of games")
    if header.n_names and not header.n_games:
        raise GameError("header: a file of names, not of games")
    build = _builder(header, names or Names())
    note = f"wthor {first.hex(' ')}"
    number = 0
    rest = b""
    while data := read(_RECORD.size * _RECORDS_AT_ONCE):
        data = rest + data
        n_whole = len(data) // _RECORD.size * _RECORD.size
        rest = data[n_whole:]
        for record in _RECORD.iter_unpack(data[:n_whole]):
            number += 1
            try:
                game = build(record, note)
            except GameError as error:
                offset = _HEADER.size + _RECORD.size * (number - 1)
                report(error, number, f"offset {offset}", on_error)
            else:
                note = ""
                yield game
    if number != header.n_games or rest:
        more = f" and {len(rest)} bytes" if rest else ""
        message = f"the header promises {header.n_games} games, the file has {number}{more}"
        report(GameError(message), number + 1, f"offset {_HEADER.size + _RECORD.size * number}", on_error)


_Record = tuple[int, int, int, int, int, bytes]


def _builder(header: Header, names: Names) -> Callable[[_Record, str], Game]:
    """Makes games of a file's records. Raises GameError."""
    year = str(header.year) if header.year else ""
    depth = header.depth or _DEPTH_OF_ZERO

    def build(record: _Record, note: str) -> Game:
        tournament, black, white, score, theoretical, moves = record
        codes = moves.partition(b"\0")[0].rstrip(_EDAX_FILLER)
        squares = codes.translate(_SQUARES)
        if _NO_SQUARE in squares:
            index = squares.index(_NO_SQUARE)
            raise GameError(f"move {index + 1}: code {codes[index]} is no square")
        try:
            return Game(
                moves=bare_moves(squares),
                black=_name(names.players, black, "player"),
                white=_name(names.players, white, "player"),
                event=_name(names.tournaments, tournament, "tournament"),
                date=year,
                stated=Result.of_score(_difference(score, "score")),
                theory=Theory(_difference(theoretical, "theoretical score"), depth),
                header=note,
            )
        except IllegalMoveError as error:
            reason = str(error).partition(" (")[0]
            raise GameError(f"move {error.index}, {square_name(squares[error.index - 1])}: {reason}") from None

    return build


def _name(names: Sequence[str] | None, number: int, what: str) -> str:
    if names is None:
        return f"#{number}"
    if number >= len(names):
        raise GameError(f"{what} {number}, but there are {len(names)} names, from 0")
    return names[number]


def _difference(discs: int, what: str) -> int:
    """Black minus white, of black's discs with the empty squares at the winner's."""
    if discs > N_SQUARES:
        raise GameError(f"{what} {discs}: more discs than squares")
    return 2 * discs - N_SQUARES


# -- writing -----------------------------------------------------------------------------------------------


class _NameTable:
    """Numbers for names, in the order in which they come; those of a given file first."""

    def __init__(self, size: int, what: str, known: Iterable[str]) -> None:
        self._size = size
        self._what = what
        self._numbers: dict[str, int] = {}
        self._by_bytes: dict[bytes, int] = {}
        self._stored: list[bytes] = []
        for name in known:
            self._append(_encode(name, size))

    def number(self, name: str) -> int:
        """The number of a name. Names that are the same when stored have the same one."""
        number = self._numbers.get(name)
        if number is None:
            stored = _encode(name, self._size)
            number = self._by_bytes.get(stored)
            if number is None:
                if len(self._stored) == _MAX_NAMES:
                    raise GameError(f"more than {_MAX_NAMES} {self._what}, which WTHOR can't number")
                number = self._append(stored)
            self._numbers[name] = number
        return number

    def _append(self, stored: bytes) -> int:
        number = len(self._stored)
        self._stored.append(stored)
        self._by_bytes.setdefault(stored, number)
        return number

    def to_bytes(self, created: tuple[int, int, int, int]) -> bytes:
        """The file."""
        return Header(created, 0, len(self._stored), 0, 0, 0, 0, 0).to_bytes() + b"".join(self._stored)


def _encode(name: str, size: int) -> bytes:
    """A name as it is stored: ISO-8859-1, letters without accents that it lacks, at least one zero byte behind."""
    text = " ".join(name.replace("\0", " ").split())
    try:
        data = text.encode("latin-1")
    except UnicodeEncodeError:
        data = "".join(_latin(character) for character in text).encode("latin-1")
    return data[: size - 1].ljust(size, b"\0")


def _latin(character: str) -> str:
    if ord(character) < 0x100:
        return character
    plain_letters = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return plain_letters or "?"


class WthorWriter:
    """Collects games and writes the three files: records as they come, headers when all games are known.

    players, tournaments: names that keep their numbers, those of a base to which the games belong. created: the
    day written in the headers; that of the first game's file if it came from one, else today.
    """

    def __init__(
        self, players: Iterable[str] = (), tournaments: Iterable[str] = (), created: date | None = None
    ) -> None:
        self._players = _NameTable(_PLAYER_BYTES, "players", players)
        self._tournaments = _NameTable(_TOURNAMENT_BYTES, "tournaments", tournaments)
        self._records = SpooledTemporaryFile(max_size=_RECORDS_IN_MEMORY)  # noqa: SIM115
        self._created = created
        self._origin: Header | None = None
        self._years: Counter[str] = Counter()
        self._depth = 0
        self.n_games = 0

    def add(self, game: Game) -> None:
        """Takes one game more. Raises GameError for what a record can't hold; then nothing is changed."""
        if game.start != STANDARD_START:
            raise GameError("a game from a set-up position can't be written to a WTHOR file")
        if game.is_anti:
            raise GameError("a game of anti-Othello can't be written to a WTHOR file")
        theory = game.theory
        if theory is not None and self._depth and theory.n_empties != self._depth:
            there = f"{theory.n_empties} empties, those before it at {self._depth}"
            raise GameError(f"a theoretical score at {there}; a WTHOR file has one place for all")
        score = _discs(_score(game))
        squares = bytes([each.move for each in game.moves if each.move != PASS])
        record = _RECORD.pack(
            self._tournaments.number(game.event),
            self._players.number(game.black),
            self._players.number(game.white),
            score,
            score if theory is None else _discs(theory.score),
            squares.translate(_CODES_OF_BYTES),
        )
        if not self.n_games:
            self._origin = _origin(game.header)
        if theory is not None:
            self._depth = theory.n_empties
        self._years[_year(game.date)] += 1
        self._records.write(record)
        self.n_games += 1

    @property
    def loses_years(self) -> bool:
        """True if games are of several years: a file has room for one, and then holds none."""
        return len(self._years) > 1

    def write(self, games: IO[bytes], players: IO[bytes], tournaments: IO[bytes]) -> None:
        """Writes the `.wtb`, `.jou` and `.trn` files."""
        origin = self._origin
        day = self._created or date.today()
        created = (day.year // 100, day.year % 100, day.month, day.day)
        size = 8
        depth = self._depth or _DEFAULT_DEPTH
        reserved = 0
        if origin is not None:
            created, size, reserved = origin.created, origin.board_size, origin.reserved
            if depth == _DEPTH_OF_ZERO and not origin.depth:
                depth = 0
        year = 0 if len(self._years) != 1 else int(next(iter(self._years)) or 0)
        games.write(Header(created, self.n_games, 0, year, size, 0, depth, reserved).to_bytes())
        self._records.seek(0)
        while data := self._records.read(1 << 20):
            games.write(data)
        players.write(self._players.to_bytes(created))
        tournaments.write(self._tournaments.to_bytes(created))

    def close(self) -> None:
        """Lets go of the records."""
        self._records.close()


_CODES_OF_BYTES = _CODES + bytes(256 - N_SQUARES)


def _origin(note: str) -> Header | None:
    """The header of the file that a game came from."""
    form, _, data = note.partition(" ")
    if form != "wthor":
        return None
    try:
        return Header.parse(bytes.fromhex(data), "")
    except ValueError:
        return None


def _score(game: Game) -> float:
    """Black minus white: of the board at the end, else as stated; of a game about which nobody knows, a draw."""
    result = game.result
    if result is None:
        return 0.0
    if result.score is None:
        return {BLACK: 64.0, WHITE: -64.0, None: 0.0}[result.winner]
    return result.score


def _discs(score: float) -> int:
    """Black's discs."""
    return min(max(int(score + N_SQUARES) // 2, 0), N_SQUARES)


def _year(text: str) -> str:
    match = re.match(r"\d{4}(?!\d)", text, re.ASCII)
    return match[0] if match else ""
