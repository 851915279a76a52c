"""Plays games, several at once, and keeps them in a folder, so that none is played twice."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from othello_engine.position import Position
from othello_engine.types import BLACK, PASS
from tools.levels.fields import Field, Round, rounds, seed_of
from tools.levels.players import Seat
from tools.match.folder import GAMES, OPENINGS, Folder
from tools.match.openings import Opening
from tools.match.record import GameRecord, Played
from tools.match.settings import UsageError

SETTINGS = "levels.json"

_T = TypeVar("_T")
_R = TypeVar("_R")
_T_in = TypeVar("_T_in", contravariant=True)
_R_out = TypeVar("_R_out", covariant=True)

SeatMaker = Callable[[], Seat]


class StoppedError(Exception):
    """The work was called off."""


class Worker(Protocol[_T_in, _R_out]):
    """Does tasks one after another, on a thread of its own; raises StoppedError if it was called off meanwhile."""

    def __call__(self, task: _T_in, /) -> _R_out: ...

    def close(self) -> None: ...


class Gang(Generic[_T, _R]):
    """Several workers that share the tasks. Iterate over it once for the results as they come; close it."""

    def __init__(
        self, tasks: Iterable[_T], make_worker: Callable[[threading.Event], Worker[_T, _R]], n_workers: int
    ) -> None:
        """make_worker: called on the worker's own thread, with what tells it to stop."""
        self._tasks = iter(tasks)
        self._make_worker = make_worker
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._results: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True, name="levels") for _ in range(n_workers)]

    def __iter__(self) -> Iterator[_R]:
        """A failure of a worker is raised here."""
        for thread in self._threads:
            thread.start()
        n_working = len(self._threads)
        while n_working:
            kind, value = self._results.get()
            if kind == "error":
                raise value
            if kind == "end":
                n_working -= 1
            else:
                yield value

    def close(self) -> None:
        """End all work; what is not finished is dropped."""
        self._stopped.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _next(self) -> tuple[_T] | None:
        with self._lock:
            for task in self._tasks:
                return (task,)
        return None

    def _work(self) -> None:
        try:
            with closing(self._make_worker(self._stopped)) as worker:
                while not self._stopped.is_set() and (found := self._next()):
                    self._results.put(("result", worker(found[0])))
        except StoppedError:
            pass
        except BaseException as error:
            self._results.put(("error", error))
        finally:
            self._results.put(("end", None))


class GameTable:
    """Plays single games between two seats."""

    def __init__(self, make_seat: SeatMaker, seed: int, is_anti: bool, stopped: threading.Event) -> None:
        self._seats = (make_seat(), make_seat())
        self._seed = seed
        self._is_anti = is_anti
        self._stopped = stopped

    def close(self) -> None:
        for seat in self._seats:
            seat.close()

    def __call__(self, task: Round) -> GameRecord:
        """The game, played to its end."""
        began = time.perf_counter()
        for seat, contestant in zip(self._seats, (task.black, task.white), strict=True):
            seat.begin(contestant, seed_of(self._seed, task.number, contestant.name))
        position = task.opening.position
        moves = [Played(move) for move in task.opening.moves]
        while not position.is_over:
            if self._stopped.is_set():
                raise StoppedError
            moves.append(Played(PASS) if position.must_pass else self._seats[position.side].choose(position))
            position = position.play(moves[-1].move)
        return GameRecord(
            black=task.black.name,
            white=task.white.name,
            start=task.opening.start,
            n_opening=len(task.opening.moves),
            moves=tuple(moves),
            score=position.final_score_in(self._is_anti, BLACK),
            wall_s=round(time.perf_counter() - began, 6),
            number=task.number,
            is_anti=self._is_anti,
        )


# -- the folder --------------------------------------------------------------------------------------------------


def describe(field: Field, source: str, seed: int, variant: str) -> dict[str, Any]:
    """What games depend on: games of another description are not mixed with these.

    What the tables of levels and strengths say is part of it; what the search makes of that is not.
    """
    description = {
        "variant": variant,
        "seed": seed,
        "openings": source,
        "contestants": field.describe(),
        "pairings": field.pairings,
    }
    read_back: dict[str, Any] = json.loads(json.dumps(description))
    return read_back


def open_folder(path: Path, description: dict[str, Any], openings: Sequence[Opening]) -> Folder:
    """The folder of games of this description, made if it is not there. Raises UsageError if it holds others."""
    lines = [opening.line for opening in openings]
    try:
        path.mkdir(parents=True, exist_ok=True)
        if (path / SETTINGS).exists():
            changed = _differences(load_description(path), description)
            known = (path / OPENINGS).read_text(encoding="utf-8").splitlines()
            if any(old != new for old, new in zip(known, lines, strict=False)):
                changed.append("the openings themselves")
            if changed:
                raise UsageError(f"{path} has games of other {', '.join(changed)}; name another folder with --out")
            if len(lines) < len(known):
                lines = known
        (path / SETTINGS).write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
        (path / OPENINGS).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        (path / GAMES).touch()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    return Folder(path, event="levels")


def load_description(path: Path) -> dict[str, Any]:
    """What the games of a folder depend on. Raises UsageError if there is no such folder."""
    try:
        description = json.loads((path / SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageError(f"{path} holds no games of levels") from None
    if not isinstance(description, dict):
        raise UsageError(f"{path} holds no games of levels")
    return description


def load_games(path: Path) -> list[GameRecord]:
    """All finished games of a folder. Raises UsageError."""
    try:
        return list(Folder(path).records())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _differences(known: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    return [key for key in wanted if known.get(key) != wanted[key]]


def play_missing(
    field: Field,
    openings: Sequence[Opening],
    folder: Folder,
    seed: int,
    make_seat: SeatMaker,
    n_tables: int,
    is_anti: bool = False,
) -> Generator[GameRecord]:
    """Play every game that the folder does not hold, and keep it there; the games as they end.

    Close the iterator to end early; what was played is safe.
    """
    folder.lock()
    try:
        done = {record.number for record in folder.records()}
        folder.rebuild()
        folder.open()
        missing = (task for task in rounds(field, openings) if task.number not in done)
        with closing(Gang(missing, lambda stopped: GameTable(make_seat, seed, is_anti, stopped), n_tables)) as gang:
            for record in gang:
                folder.append(record)
                yield record
    finally:
        folder.close()


def positions_of(record: GameRecord) -> Iterator[tuple[Position, int]]:
    """Every position of a game that was no part of the opening, with the move played there; passes are left out."""
    position = record.start
    for index, played in enumerate(record.moves):
        if index >= record.n_opening and played.is_square:
            yield position, played.move
        position = position.play(played.move)
