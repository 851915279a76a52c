"""A scripted engine and a desk to put the service on: everything happens when the test says so.

By default nothing ends by itself: the test reports lines of play and finishes searches by hand, in its own
thread. With `answer` set, searches are answered on a thread of their own, for tests that want a race.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from othello_engine.config import Config, load_config
from othello_engine.errors import BusyError, EngineError
from othello_engine.position import Position
from othello_engine.types import (
    NO_MOVE,
    Goal,
    Limits,
    Score,
    ScoreKind,
    SearchInfo,
    SearchResult,
    parse_square,
)
from protocol.lines import InputItem
from protocol.native import NativeService
from protocol.service import Ended, Received, Service, Wiring

T = TypeVar("T")
S = TypeVar("S", bound=Service)
OnInfo = Callable[[SearchInfo], None]
OnResult = Callable[[SearchResult], None]


@dataclass(frozen=True)
class Count:
    depth: int
    nodes: int
    time_ms: int


class Ticket(Generic[T]):
    """A search or perft that was started; waits for `give`."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._value: T | None = None

    def give(self, value: T) -> None:
        self._value = value
        self._done.set()

    def wait(self, timeout: float | None = None) -> T:
        if not self._done.wait(timeout):
            raise TimeoutError
        assert self._value is not None
        return self._value


def info(depth: int, move: str = "d3", **changes: object) -> SearchInfo:
    """A line of play; squares in `pv` may be names."""
    values: dict[str, object] = {
        "depth": depth,
        "selective_depth": depth + 2,
        "selectivity": 100,
        "rank": 1,
        "score": Score(ScoreKind.RAW, 10 * depth),
        "nodes": 100 * depth,
        "time_ms": depth,
        "nps": 100_000,
        "hashfull": 0,
        "pv": (parse_square(move),),
    }
    return SearchInfo(**{**values, **changes})  # type: ignore[arg-type]


class FakeEngine:
    """Takes notes of its calls in `calls`, names first."""

    def __init__(self, config: Config, on_message: Callable[[str], None]) -> None:
        self.say = on_message
        self.calls: list[tuple[object, ...]] = []
        self.ready = threading.Event()
        self.ready.set()
        self.broken: str | None = None
        self.answer: Callable[[FakeEngine, Limits], None] | None = None
        self.count_for_me: Callable[[FakeEngine, int], None] | None = None
        self.stops_at_once = True
        self.position: Position | None = None
        self.limits: Limits | None = None
        self.refuses: Exception | None = None
        self._config = config
        self._on_info: OnInfo | None = None
        self._on_result: OnResult | None = None
        self._on_depth: Callable[[int, int, int], None] | None = None
        self._on_count: Callable[[Count], None] | None = None
        self._counted = Count(0, 0, 0)
        self._ticket = Ticket[SearchResult]()
        self._perft_ticket = Ticket[Count]()
        self._lock = threading.Lock()
        self.stop_flag = threading.Event()

    # -- what the service sees ---------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        return self.ready.is_set() and self.broken is None

    @property
    def config(self) -> Config:
        return self._config

    def start(self) -> None:
        self.calls.append(("start",))

    def wait_ready(self, timeout: float | None = None) -> bool:
        self.ready.wait(timeout)
        if self.broken:
            raise EngineError(self.broken)
        return self.ready.is_set()

    def set_option(self, name: str, value: int | bool | str) -> None:
        self.calls.append(("set_option", name, value))
        if self.refuses is not None:
            raise self.refuses
        self._config = self._config.with_option(name, value)

    def set_position(self, position: Position) -> None:
        self.calls.append(("set_position", position.to_text()))
        self.position = position

    def go(
        self, limits: Limits | None = None, on_info: OnInfo | None = None, on_result: OnResult | None = None
    ) -> Ticket[SearchResult]:
        if self.refuses is not None:
            raise self.refuses
        with self._lock:
            if self._on_result is not None:
                raise BusyError("a search is running")
            self._on_info = on_info or (lambda line: None)
            self._on_result = on_result or (lambda result: None)
            self._ticket = ticket = Ticket[SearchResult]()
        assert limits is not None
        self.limits = limits
        self.stop_flag.clear()
        self.calls.append(("go", limits))
        if self.answer is not None:
            threading.Thread(target=self.answer, args=(self, limits), daemon=True).start()
        return ticket

    def perft(
        self,
        depth: int,
        on_info: Callable[[int, int, int], None] | None = None,
        on_result: Callable[[Count], None] | None = None,
    ) -> Ticket[Count]:
        self.calls.append(("perft", depth))
        self._counted = Count(0, 0, 0)
        self._on_depth = on_info or (lambda depth, nodes, time_ms: None)
        self._on_count = on_result or (lambda count: None)
        self._perft_ticket = Ticket[Count]()
        if self.count_for_me is not None:
            threading.Thread(target=self.count_for_me, args=(self, depth), daemon=True).start()
        return self._perft_ticket

    def stop(self) -> None:
        self.calls.append(("stop",))
        self.stop_flag.set()
        if self.answer is not None or not self.stops_at_once:
            return
        if self._on_result is not None:
            self.finish()
        elif self._on_count is not None:
            self.finish_perft()

    def ponder_hit(self) -> None:
        self.calls.append(("ponder_hit",))

    def new_game(self) -> None:
        self.calls.append(("new_game",))

    def clear_hash(self) -> None:
        self.calls.append(("clear_hash",))

    def feed(
        self,
        position: Position,
        lower: float,
        upper: float,
        depth: int,
        selectivity: int = 100,
        moves: Sequence[int] = (),
    ) -> None:
        self.calls.append(("feed", position.to_text(), lower, upper, depth, selectivity, tuple(moves)))

    def evaluate(self, position: Position | None = None, timeout: float = 60) -> Score:
        assert position is not None
        self.calls.append(("evaluate", position.to_text()))
        if self.refuses is not None:
            raise self.refuses
        return Score(ScoreKind(self._config.profile.score_kind), position.disc_difference)

    def close(self) -> None:
        self.calls.append(("close",))

    # -- what the test does ------------------------------------------------------------------------------

    @property
    def is_searching(self) -> bool:
        return self._on_result is not None

    def names(self) -> list[object]:
        """The names of all calls so far."""
        return [call[0] for call in self.calls]

    def report(self, *lines: SearchInfo) -> None:
        """Reports lines of play of the running search."""
        assert self._on_info is not None
        for line in lines:
            self._on_info(line)

    def finish(self, move: str | int | None = None, **changes: object) -> None:
        """Ends the running search, with the first legal move unless told otherwise."""
        with self._lock:
            on_result, self._on_result = self._on_result, None
        assert on_result is not None
        assert self.position is not None
        best = parse_square(move) if isinstance(move, str) else move
        if best is None:
            best = (*self.position.legal_moves, NO_MOVE)[0]
        values: dict[str, object] = {
            "best_move": best,
            "ponder_move": NO_MOVE,
            "lines": (),
            "nodes": 0,
            "time_ms": 0,
        }
        result = SearchResult(**{**values, **changes})  # type: ignore[arg-type]
        ticket = self._ticket
        on_result(result)
        ticket.give(result)

    def count(self, depth: int, nodes: int) -> None:
        """Reports a depth of the running perft."""
        assert self._on_depth is not None
        self._counted = Count(depth, nodes, depth)
        self._on_depth(depth, nodes, depth)

    def finish_perft(self) -> None:
        """Ends the running perft with the last depth reported."""
        on_count, self._on_count = self._on_count, None
        assert on_count is not None
        on_count(self._counted)
        self._perft_ticket.give(self._counted)


# -- engines that know -------------------------------------------------------------------------------------


def solve(position: Position, is_anti: bool = False) -> tuple[int, tuple[int, ...]]:
    """Score and line of play of a position with few empty squares, by looking at everything."""
    if position.is_over:
        return position.final_score_in(is_anti), ()
    best: tuple[int, tuple[int, ...]] = (-65, ())
    for move in position.legal_moves:
        score, line = solve(position.play(move), is_anti)
        best = max(best, (-score, (move, *line)), key=lambda pair: pair[0])
    return best


def answer_truly(engine: FakeEngine, limits: Limits) -> None:
    """Truth where it is cheap, plausible lines elsewhere."""
    position = engine.position
    assert position is not None
    if position.is_over:
        engine.finish(NO_MOVE)
        return
    lines: list[SearchInfo]
    if limits.goal is not Goal.AUTO:
        value, pv = solve(position, engine.config.is_anti)
        score = Score(ScoreKind.DISCS, value)
        if limits.goal is Goal.WLD:
            score = Score(ScoreKind.WLD, (value > 0) - (value < 0))
        lines = [info(position.n_empties, score=score, pv=pv)]
        engine.report(*lines)
        shown = 10_000_000 + 10_000 * value
        engine.finish(pv[0], lines=tuple(lines), nodes=lines[0].nodes, document_score=shown)
        return
    moves = position.legal_moves[: limits.multipv or 1]
    score = Score(ScoreKind(engine.config.profile.score_kind), 7)
    selectivity = engine.config.selectivity
    for depth in range(1, (limits.depth or 3) + 1):
        lines = [
            info(depth, pv=(move,), rank=rank, score=score, selectivity=selectivity)
            for rank, move in enumerate(moves, 1)
        ]
        engine.report(*lines)
    if limits.is_open:
        engine.stop_flag.wait(10)
    engine.finish(moves[0], lines=tuple(lines), nodes=lines[0].nodes)


def count_truly(engine: FakeEngine, depth: int) -> None:
    def count(position: Position, depth: int) -> int:
        if depth == 0 or position.is_over:
            return 1
        return sum(count(position.play(move), depth - 1) for move in position.legal_moves)

    assert engine.position is not None
    for d in range(1, depth + 1):
        engine.count(d, count(engine.position, d))
    engine.finish_perft()


# -- the desk --------------------------------------------------------------------------------------------


class Paper:
    """An output that keeps lines in memory."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.gone = False

    def send(self, line: str, progress: bool = False) -> None:
        self.lines.append(line)

    def flush(self, timeout: float) -> bool:
        return True

    def reader_is_gone(self) -> bool:
        return self.gone


class DialectDesk(Generic[S]):
    """A service with a fake engine, run in the test's own thread, one line after another.

    cold: the engine is not ready until `engine.ready.set()`. prepare: does something to the engine when it
    is built. profile: by name; None for the default one.
    """

    def __init__(
        self,
        dialect: Callable[[Wiring], S],
        cold: bool = False,
        prepare: Callable[[FakeEngine], None] | None = None,
        profile: str | None = "classic",
        **options: object,
    ) -> None:
        self.paper = Paper()
        self.now = 1000.0
        self._engine: FakeEngine | None = None

        def make(config: Config, on_message: Callable[[str], None]) -> FakeEngine:
            assert self._engine is None, "one engine is enough"
            self._engine = FakeEngine(config, on_message)
            if cold:
                self._engine.ready.clear()
            if prepare is not None:
                prepare(self._engine)
            return self._engine

        config = load_config(profile=profile, overrides={"Threads": 2, **options})
        self.service = dialect(Wiring(config, make, self.paper, clock=lambda: self.now))  # type: ignore[arg-type]

    @property
    def engine(self) -> FakeEngine:
        assert self._engine is not None, "no engine yet"
        return self._engine

    @property
    def has_engine(self) -> bool:
        return self._engine is not None

    def send(self, *items: InputItem | None) -> list[str]:
        """Hands over input and takes what is said."""
        for item in items:
            if self.ended is not None:
                break
            self.service.handle(Received(item))
            self._work()
        return self.said()

    def said(self) -> list[str]:
        """What was said since the last look."""
        self._work()
        lines, self.paper.lines = self.paper.lines, []
        return lines

    def wait_for(self, pattern: str, timeout: float = 5) -> list[str]:
        """Works until a line matches `pattern` as a whole; all lines up to then."""
        deadline = time.monotonic() + timeout
        while not any(re.fullmatch(pattern, line) for line in self.paper.lines):
            left = deadline - time.monotonic()
            assert left > 0, f"no {pattern!r} in {self.paper.lines}"
            try:
                self.service.handle(self.service._events.get(timeout=left))
            except queue.Empty:
                continue
        return self.said()

    def pass_time(self, seconds: float) -> list[str]:
        """The clock goes on, and what is then due happens."""
        self.now += seconds
        self.service.handle(None)
        return self.said()

    def _work(self) -> None:
        while self.service.exit_status is None:
            try:
                event = self.service._events.get_nowait()
            except queue.Empty:
                return
            self.service.handle(event)

    @property
    def ended(self) -> int | None:
        return self.service.exit_status


class Desk(DialectDesk[NativeService]):
    """A desk where the native protocol is spoken."""

    def __init__(
        self,
        cold: bool = False,
        prepare: Callable[[FakeEngine], None] | None = None,
        profile: str | None = "classic",
        **options: object,
    ) -> None:
        super().__init__(NativeService, cold, prepare, profile, **options)


def interrupt(desk: Desk, status: int) -> None:
    """What a signal handler does."""
    desk.service.post(Ended(status))
