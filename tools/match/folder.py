"""The folder of a match: what was to be played, and every game as it ended.

`match.json` and `openings.txt` say what is played, `games.jsonl` holds the finished games, a line each, and is the
truth: what is not in it was not played. `games.ggf` (Gomoku: `games.sgf`) and `games.txt` are the same games for other
programs.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TextIO

from tools.match.games import AnyOpening, MatchGame, OthelloGame
from tools.match.record import GameRecord, RecordError
from tools.match.settings import UsageError, game_of_raw

SETTINGS, OPENINGS, GAMES, TRANSCRIPTS = "match.json", "openings.txt", "games.jsonl", "games.txt"
_OTHELLO = OthelloGame()


class Folder:
    """The files of one match. Raises UsageError for a folder that can't be used.

    event, date: told in the games. untold: by engine, what it could not be told: limits, and the variant. game: names
    the file for other programs; a variant shares that with its game.
    """

    def __init__(
        self,
        path: Path,
        event: str = "",
        date: str = "",
        untold: Mapping[str, Sequence[str]] | None = None,
        game: MatchGame = _OTHELLO,
    ) -> None:
        self.path = path
        self.game = game
        self.event = event
        self.date = date
        self.untold = {name: list(what) for name, what in (untold or {}).items()}
        self._files: list[TextIO] = []
        self._locked: IO[bytes] | None = None
        self._is_broken = False

    @classmethod
    def refuse_used(cls, path: Path) -> None:
        """Raises UsageError if a match is there already."""
        if (path / GAMES).exists():
            raise UsageError(f"{path} holds a match already; go on with --resume {path}, or name another folder")

    @classmethod
    def create(
        cls,
        path: Path,
        settings: dict[str, Any],
        openings: Sequence[AnyOpening],
        event: str = "",
        untold: Mapping[str, Sequence[str]] | None = None,
        game: MatchGame = _OTHELLO,
    ) -> Folder:
        """A new match. settings: as they were given; YAML has dates too, and they are kept as text."""
        cls.refuse_used(path)
        date = f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S}"
        folder = cls(path, event, date, untold, game)
        match = {"name": event, "date": date, "untold": folder.untold, "settings": settings}
        try:
            path.mkdir(parents=True, exist_ok=True)
            (path / SETTINGS).write_text(json.dumps(match, indent=1, default=str) + "\n", encoding="utf-8")
            (path / OPENINGS).write_text("".join(f"{opening.line}\n" for opening in openings), encoding="utf-8")
            (path / GAMES).touch()
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from None
        return folder

    @classmethod
    def load(cls, path: Path) -> tuple[Folder, dict[str, Any], list[AnyOpening]]:
        """A match that was begun, its settings and its openings."""
        try:
            match = json.loads((path / SETTINGS).read_text(encoding="utf-8"))
            lines = (path / OPENINGS).read_text(encoding="utf-8").removesuffix("\n").split("\n")
            settings = match["settings"]
            if not (path / GAMES).exists() or not isinstance(settings, dict):
                raise ValueError("no settings or no games file")
            game = game_of_raw(settings)
            openings = [game.opening(line) for line in lines]
            folder = cls(path, match["name"], match["date"], match["untold"], game)
        except OSError as error:
            raise UsageError(f"{path} holds no match to go on with: {error.strerror} ({error.filename})") from None
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{path} holds no match to go on with: {error}") from None
        return folder, settings, openings

    def lock(self) -> None:
        """Keep other managers from this folder until it is closed, or until this process ends in whatever way."""
        self._locked = open(self.path / GAMES, "rb")  # noqa: SIM115 - close() closes it
        try:
            fcntl.flock(self._locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise UsageError(f"{self.path}: this match is being played by another process") from None
        except OSError:  # some network file systems know no locks
            pass

    def records(self) -> Iterator[GameRecord]:
        """The finished games, in the order in which they ended. A last line that was not written whole is cut off."""
        path = self.path / GAMES
        seen: set[int] = set()
        with open(path, "rb+") as file:
            end = 0
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    record = GameRecord.from_json(line.decode("utf-8"))
                except (RecordError, UnicodeDecodeError) as error:
                    raise UsageError(f"{path}, line {number}: {error}") from None
                if record.number in seen:
                    raise UsageError(f"{path}, line {number}: game {record.number + 1} once more")
                seen.add(record.number)
                yield record
                end += len(line)
        os.truncate(path, end)

    def rebuild(self) -> None:
        """Write the files for other programs anew from the games file."""
        with (
            open(self.path / self.game.file_name, "w", encoding="utf-8") as games,
            open(self.path / TRANSCRIPTS, "w", encoding="utf-8") as transcripts,
        ):
            for record in self.records():
                games.write(self._game_line(record))
                transcripts.write(transcript_line(record))

    def open(self) -> None:
        """Ready to append games."""
        for name in (GAMES, self.game.file_name, TRANSCRIPTS):
            self._files.append(open(self.path / name, "a", encoding="utf-8"))  # noqa: SIM115 - close() closes them

    def append(self, record: GameRecord) -> None:
        """Write a game; it counts as played when the line in the games file is whole. Raises UsageError if it can't
        be written.
        """
        games, others, transcripts = self._files
        try:
            games.write(record.to_json() + "\n")
            games.flush()
            others.write(self._game_line(record))
            transcripts.write(transcript_line(record))
        except OSError as error:
            self._is_broken = True
            raise UsageError(
                f"{self.path}: {error.strerror}; the games before this are safe, go on later with --resume {self.path}"
            ) from None

    def close(self) -> None:
        files = [file for file in (*self._files, self._locked) if file is not None]
        self._files, self._locked = [], None
        with contextlib.ExitStack() as stack:  # all of them, whatever one may find
            if self._is_broken:  # what is still in memory will not be written either
                stack.enter_context(contextlib.suppress(OSError))
            for file in files:
                stack.callback(file.close)

    def _game_line(self, record: GameRecord) -> str:
        return record.game.file_line(record, self.event, self.date) + "\n"


def transcript_line(record: GameRecord) -> str:
    """`TRANSCRIPT SCORE [8a] GAME BLACK WHITE [ENDING]`, separated by TABs; see GameRecord for the score. `8a` marks
    anti-Othello, `15x15` Gomoku. A board that is not the start stands before the moves, with a `;` behind it.
    `othello_engine.formats.text` reads it, but for Gomoku.
    """
    game = record.game
    start = "" if record.start == game.start else f"{record.start.to_text()};"
    fields = [start + record.transcript, f"{record.score:+d}", *game.marks]
    fields += [str(record.number + 1), record.black, record.white]
    if record.fault:
        fields.append(f"{record.fault.kind} of {record.black if record.fault.side == 0 else record.white}")
    elif record.ending != "played":
        fields.append(record.ending)
    return "\t".join(fields) + "\n"
