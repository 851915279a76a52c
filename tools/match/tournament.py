"""Plays a schedule, several games at once, and hands out the games as they end.

Each game in progress has a thread and programs of its own; threads wait in the system for their programs, and work
for microseconds between. What ends a tournament early is the caller, who closes it; programs that fail again and again
are taken out.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType

from tools.engines.drivers import FaultKind
from tools.engines.player import Player
from tools.engines.spec import EngineSpec
from tools.match.game import Rules, play_game
from tools.match.record import GameRecord
from tools.match.schedule import Meeting

_FAILURES = (FaultKind.CRASH, FaultKind.HANG, FaultKind.REFUSAL)
_JOIN_S = 30.0


class Tournament:
    """The games of a schedule. Iterate over it once; close it, or use it in a `with` statement.

    give_up: an engine that fails so many games one after another, by crash, hang or refusal, is withdrawn: its further
    games are not played. interrupt: ends at once what games may wait for besides their programs.
    """

    def __init__(
        self,
        specs: Sequence[EngineSpec],
        meetings: Iterable[Meeting],
        rules: Rules,
        concurrency: int = 1,
        give_up: int = 3,
        interrupt: Callable[[], None] | None = None,
    ) -> None:
        self.specs = specs
        self.withdrawn: set[str] = set()
        """Names of the engines that were taken out."""
        self._rules = rules
        self._give_up = give_up
        self._interrupt = interrupt
        self._done: set[int] = set()
        self._failures: Counter[str] = Counter()
        self._meetings = iter(meetings)
        self._lock = threading.Lock()
        self._finished: queue.SimpleQueue[GameRecord | BaseException | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._tables = [[Player(spec) for spec in specs] for _ in range(concurrency)]
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Tournament:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def skip(self, record: GameRecord) -> None:
        """Before the start: a game that was played already. To be called in the order in which they ended."""
        self._done.add(record.number)
        self._note(record)

    def _note(self, record: GameRecord) -> None:
        """Count the failures of a game."""
        for side, name in enumerate((record.black, record.white)):
            failed = record.fault is not None and record.fault.side == side and record.fault.kind in _FAILURES
            self._failures[name] = self._failures[name] + 1 if failed else 0
            if self._failures[name] >= self._give_up:
                self.withdrawn.add(name)

    def __iter__(self) -> Iterator[GameRecord]:
        """The games, as they end. A failure inside the manager is raised here."""
        for players in self._tables:
            thread = threading.Thread(target=self._work, args=(players,), daemon=True, name="game")
            self._threads.append(thread)
            thread.start()
        n_working = len(self._threads)
        while n_working:
            record = self._finished.get()
            if isinstance(record, BaseException):
                raise record
            if record is None:
                n_working -= 1
                continue
            yield record

    def close(self) -> None:
        """End all programs; games that are being played are dropped."""
        self._stopped.set()
        if self._interrupt:
            self._interrupt()
        for players in self._tables:
            for player in players:
                player.interrupt()
        for thread in self._threads:
            if thread.ident is not None:  # an interrupt may have come just before its start; then it has nothing to do
                thread.join(_JOIN_S)

    def _next(self) -> Meeting | None:
        with self._lock:
            return next(self._meetings, None)

    def _work(self, players: list[Player]) -> None:
        try:
            while not self._stopped.is_set() and (meeting := self._next()):
                for game in (0, 1):
                    self._play(meeting, game, players)
        except BaseException as error:
            self._finished.put(error)
        finally:
            for player in players:
                player.close()
            self._finished.put(None)

    def _play(self, meeting: Meeting, game: int, players: list[Player]) -> None:
        number = 2 * meeting.pair + game
        black, white = (players[engine] for engine in meeting.colours(game))
        if number in self._done or self._stopped.is_set() or self.withdrawn & {black.spec.name, white.spec.name}:
            return
        record = play_game((black, white), meeting.opening, self._rules).with_number(number)
        if not self._stopped.is_set():
            with self._lock:  # counted in the order in which they are handed out
                self._note(record)
                self._finished.put(record)
