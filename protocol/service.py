"""What every dialect of the daemon shares: one thread that takes events, one engine, one search at a time.

A dialect is a subclass: it decides what a line means and how an answer is spelled. This file holds what is the same for
all of them: building and loading the engine, a search's life from its launch to its one answer, lines that have to
wait, the end of input, faults.

One thread runs a service and takes one event after another: lines from the reader, reports and results from the engine,
the end of input or output. It never waits for anything but the next event. What has to wait (kernels that load, a
static value that a worker computes) is waited for on a helper thread and comes back as an event.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from othello_engine.config import OTHELLO, Config, OptionValue
from othello_engine.errors import ConfigError
from othello_engine.position import Position
from othello_engine.types import Limits, SearchInfo, SearchResult
from protocol import exit_status
from protocol.facade import EngineLike, MakeEngine
from protocol.lines import InputItem, LineError
from protocol.progress import ProgressGate
from protocol.traffic import TrafficLog

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition

QUEUE_LIMIT = 1024
"""Lines that wait for a search to end; more are refused."""

_QUIT_GRACE_SECONDS = 0.8
"""How long a `quit` lets the commands before it have their answers while the engine is loading."""
_READER_CHECK_SECONDS = 1.0
"""How often, while an answer is to come, it is made sure that somebody still reads it."""


class Output(Protocol):
    """Where lines go. `send` never waits; a progress line may be dropped."""

    def send(self, line: str, progress: bool = False) -> None: ...
    def flush(self, timeout: float) -> bool: ...
    def reader_is_gone(self) -> bool: ...


# -- events ------------------------------------------------------------------------------------------------

# Named tuples, since their classes take a third of the time of dataclasses to make, and the handshake waits for that.


class Received(NamedTuple):
    """A line, a line that could not be read, or None: the end of input."""

    item: InputItem | None


class Ended(NamedTuple):
    """The program is to end with this status, now."""

    status: int


class Loaded(NamedTuple):
    """The engine is ready, or has the problem that keeps it from getting there."""

    problem: str | None


class Said(NamedTuple):
    """A message of the engine for people."""

    text: str


class Reported(NamedTuple):
    """A line of play of the search of this generation."""

    generation: int
    info: SearchInfo


class Found(NamedTuple):
    """The result of the search of this generation."""

    generation: int
    result: SearchResult


class Done(NamedTuple):
    """Something that was waited for elsewhere has come; what is to be done with it here. answers: the running task."""

    job: Callable[[], None]
    answers: bool = False


Event = Received | Ended | Loaded | Said | Reported | Found | Done


# -- tasks -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Task:
    """Something that runs for a while and then has exactly one answer.

    generation: what comes from the engine for another generation is of no interest any more. launched: the engine has
    it. stopping: it was asked to end.
    """

    generation: int
    launched: bool = False
    stopping: bool = False


@dataclass(slots=True, kw_only=True)
class Search(Task):
    """A search of a position. gate: which of its reports are worth printing."""

    position: AnyPosition
    limits: Limits
    gate: ProgressGate

    @property
    def is_on_clock(self) -> bool:
        """True if a clock of the game runs."""
        return (self.limits.black_ms, self.limits.white_ms) != (None, None)


@dataclass(frozen=True, slots=True)
class Wiring:
    """What a service is connected to. clock: seconds, monotonic."""

    config: Config
    make_engine: MakeEngine
    output: Output
    traffic: TrafficLog = field(default_factory=TrafficLog)
    clock: Callable[[], float] = time.monotonic


class _Helper:
    """Runs what may take long, one job after another, on a thread that starts with the first job."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, job: Callable[[], None]) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="helper", daemon=True)
            self._thread.start()
        self._jobs.put(job)

    def _work(self) -> None:
        while True:
            self._jobs.get()()


# -- the service -------------------------------------------------------------------------------------------


class Service(ABC):
    """Answers lines with the help of an engine, which is built and started when it is first needed.

    `post` may be called from any thread and from signal handlers; everything else belongs to the thread in `run`.
    """

    quits_at_once: ClassVar[bool] = True
    """A line that `is_quit` recognises ends the program within a second, whatever runs. Otherwise it waits its turn."""
    games: ClassVar[tuple[str, ...]] = (OTHELLO,)
    """What the dialect can play."""
    drops_control_characters: ClassVar[bool] = False
    """Control characters in a line are left out of it. Otherwise such a line is refused."""

    def __init__(self, wiring: Wiring) -> None:
        self.exit_status: int | None = None
        self.config = wiring.config
        self.traffic = wiring.traffic
        self.task: Task | None = None
        self.waiting: deque[str] = deque()
        """Lines whose turn comes when the task has ended."""
        self._make_engine = wiring.make_engine
        self._engine: EngineLike | None = None
        self._output = wiring.output
        self._clock = wiring.clock
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._helper = _Helper()
        self._generation = 0
        self._inbox: deque[InputItem | None] = deque()
        self._held = ""
        self._quit_deadline: float | None = None
        self._loading = False
        self._has_loaded = False
        self._input_ended = False

    # -- what a dialect says -------------------------------------------------------------------------------

    @staticmethod
    @abstractmethod
    def is_quit(line: str) -> bool:
        """True for a line that ends the program. Called on the reader's thread as well."""

    @abstractmethod
    def take_line(self, line: str) -> None:
        """A line has come: run it, append it to `waiting`, or refuse it. Nothing is held back at this time."""

    @abstractmethod
    def run_line(self, line: str) -> bool:
        """Carry out a line; False if it was refused. An exception ends in `say_fault`."""

    @abstractmethod
    def refuse_line(self, problem: LineError, text: str) -> None:
        """A line could not be read at all; text says why."""

    @abstractmethod
    def say_fault(self, problem: str) -> None:
        """Something failed inside: say so, if the dialect has a way to."""

    @abstractmethod
    def say_message(self, text: str) -> None:
        """Pass on a message of the engine for people (it compiles, a worker was replaced), if there is a way to."""

    @abstractmethod
    def show_lines(self, search: Search, infos: list[SearchInfo]) -> None:
        """Print lines of play of the running search, those of one depth best first. They may be dropped."""

    @abstractmethod
    def answer(self, search: Search, result: SearchResult) -> None:
        """The one answer of a search. The move is legal; `result.error` says if it failed. May start another task."""

    # -- what a dialect may change -----------------------------------------------------------------------------

    def loaded(self, problem: str | None) -> None:  # noqa: B027 - most have nothing to do
        """The engine has got ready, or never will; before waiting tasks begin."""

    def launch_other(self, task: Task) -> None:
        """Hand a task that is no search to the engine."""
        raise NotImplementedError

    def give_up_other(self, task: Task) -> None:
        """Answer a task that is no search and was stopped before the engine had it."""
        raise NotImplementedError

    def glance(self, position: AnyPosition) -> int:
        """A legal move without a search, the position's NO_MOVE if there is none."""
        if isinstance(position, Position) or position.is_over:
            return (*position.legal_moves, position.NO_MOVE)[0]
        from othello_engine.gomoku.plain import quick_move

        return quick_move(position)

    def take_result(self, task: Task, result: SearchResult) -> None:
        """A search that this task asked for has come to an end."""
        if isinstance(task, Search):
            self.finish_search(task, result)

    def stop_at_end_of_input(self) -> None:  # noqa: B027 - most have no such task
        """No more lines will come. A task that only another line would end is to be stopped now."""

    # -- running ---------------------------------------------------------------------------------------------

    def post(self, event: Event) -> None:
        """Hands over an event; from any thread."""
        self._events.put(event)

    def run(self) -> int:
        """Takes events until the program is to end; the exit status."""
        while self.exit_status is None:
            event: Event | None = None
            with contextlib.suppress(queue.Empty):
                event = self._events.get(timeout=self._seconds_to_wait())
            self.handle(event)
        return self.exit_status

    def handle(self, event: Event | None) -> None:
        """Takes one event, and then whatever it gave way to. None: nothing happened, but something may be due."""
        try:
            if event is not None:
                self._take(event)
            self._do_what_is_due()
        except Exception as error:  # a mistake of ours must not end a long-lived process, nor keep its client waiting
            is_answer = isinstance(event, Found) or (isinstance(event, Done) and event.answers)
            if is_answer and self.task is not None:
                self._fail_task(self.task, describe(error))
            else:
                self.say_fault(describe(error))
        self._go_on()

    def close(self) -> None:
        """Ends the engine, if there is one. May take as long as the engine does."""
        if self._engine is not None:
            self._engine.close()

    @property
    def is_occupied(self) -> bool:
        """True if an answer is still to come."""
        return self.task is not None or bool(self._held)

    def _seconds_to_wait(self) -> float | None:
        due: list[float] = []
        if isinstance(self.task, Search) and (seconds := self.task.gate.seconds_until_due()) is not None:
            due.append(seconds)
        if self._quit_deadline is not None:
            due.append(max(0.0, self._quit_deadline - self._clock()))
        if self.is_occupied:
            due.append(_READER_CHECK_SECONDS)
        return min(due, default=None)

    def _do_what_is_due(self) -> None:
        """What needs no event: a report that waited, a quit that waited, a look at who still reads."""
        if self.exit_status is not None:
            return
        if isinstance(self.task, Search):
            self._show(self.task, self.task.gate.flush())
        if self._quit_deadline is not None and self._clock() >= self._quit_deadline:
            self.exit_status = exit_status.DONE
        elif self.is_occupied and self._output.reader_is_gone():
            self.exit_status = exit_status.OUTPUT_CLOSED

    def _take(self, event: Event) -> None:
        match event:
            case Received(item):
                self._receive(item)
            case Reported(generation, info):
                if isinstance(self.task, Search) and self.task.generation == generation:
                    self._show(self.task, self.task.gate.offer(info))
            case Found(generation, result):
                if self.task is not None and self.task.generation == generation:
                    self.take_result(self.task, result)
            case Loaded(problem):
                self._take_loaded(problem)
            case Said(text):
                self.say_message(text)
            case Done(job):
                job()
            case Ended(status):
                self.exit_status = status

    def _receive(self, item: InputItem | None) -> None:
        if isinstance(item, str):
            self.traffic.received(item)
        if self._held:
            self._inbox.append(item)
            if self.quits_at_once and isinstance(item, str) and self.is_quit(item):
                self._quit_deadline = self._clock() + _QUIT_GRACE_SECONDS
        else:
            self._process(item)

    def _process(self, item: InputItem | None) -> None:
        if item is None:
            self._input_ended = True
        elif isinstance(item, LineError):
            text = {
                LineError.TOO_LONG: "a line has at most 65536 bytes",
                LineError.BAD_ENCODING: "control characters in the line",
            }
            self.refuse_line(item, text[item])
        else:
            self.take_line(item)

    def _go_on(self) -> None:
        """What has become possible: lines that waited, the end after the end of input."""
        while self.exit_status is None:
            if self.task is None and not self._held and self.waiting:
                self.run_now(self.waiting.popleft())
            elif not self._held and self._inbox:
                with self._saying_faults():
                    self._process(self._inbox.popleft())
            else:
                break
        if self._input_ended and self.exit_status is None:
            if not self.is_occupied:
                self.exit_status = exit_status.DONE
            elif not self._held:
                was_running = self.task
                with self._saying_faults():
                    self.stop_at_end_of_input()
                if self.task is not was_running:
                    self._go_on()

    @contextlib.contextmanager
    def _saying_faults(self) -> Iterator[None]:
        """What is raised is said, and the loop goes on."""
        try:
            yield
        except Exception as error:
            self.say_fault(describe(error))

    # -- for dialects: lines -----------------------------------------------------------------------------------

    def run_now(self, line: str) -> None:
        """Carries out a line; what it raises is said as a fault."""
        try:
            if self.run_line(line) and self._engine is None and self.exit_status is None:
                self._start_engine()  # whoever speaks to us will want it, and it loads while they go on
        except Exception as error:
            self.say_fault(describe(error))

    def hold(self, reason: str) -> None:
        """Lets all further lines wait, in order, until `release` with the same reason."""
        self._held = reason

    def release(self, reason: str) -> None:
        """Lines go on, if it was this that held them."""
        if self._held == reason:
            self._held = ""

    def say(self, line: str, progress: bool = False) -> None:
        """Sends a line; a progress line may be dropped if the reader is slow."""
        self._output.send(line, progress)

    def run_on_helper(self, job: Callable[[], Done]) -> None:
        """Runs what has to wait for something on another thread; what comes of it happens on this one."""
        self._helper.run(lambda: self.post(job()))

    # -- for dialects: the engine ------------------------------------------------------------------------------

    @property
    def engine_if_built(self) -> EngineLike | None:
        """The engine; None before anything needed it."""
        return self._engine

    @property
    def engine(self) -> EngineLike:
        """The engine, built and loading if there was none."""
        return self._engine if self._engine is not None else self._start_engine()

    @property
    def is_loaded(self) -> bool:
        """True if a search would begin at once."""
        return self.engine.is_ready or (self.task is not None and self.task.launched)

    def await_loading(self) -> None:
        """Asks for `loaded`, once."""
        if self._loading:
            return
        engine = self.engine
        self._loading = True

        def job() -> None:
            try:
                problem = None if engine.wait_ready() else "the engine did not get ready"
            except Exception as error:
                problem = describe(error)
            self.post(Loaded(problem))

        self._helper.run(job)

    def change_option(self, name: str, value: OptionValue) -> None:
        """Changes an option, here and in the engine; whatever refuses it (see `Engine.set_option`) changes nothing."""
        changed = self.config.with_option(name, value)
        if changed.game not in self.games:
            raise ConfigError(f"{name} {value}: this dialect plays {' and '.join(self.games)}")
        if self._engine is not None:
            self._engine.set_option(name, value)
        if (changed.profile, changed.variant) != (self.config.profile, self.config.variant):
            self._has_loaded = False  # it may have other workers now
        self.config = changed

    def _start_engine(self) -> EngineLike:
        """Builds the engine, once, and lets it load. What was said before is on its way by then."""
        self._output.flush(0.05)
        engine = self._make_engine(self.config, lambda text: self.post(Said(text)))
        engine.start()
        self._engine = engine
        return engine

    def _take_loaded(self, problem: str | None) -> None:
        self._loading = False
        self._has_loaded = self._has_loaded or problem is None
        self.loaded(problem)
        if self.task is not None and not self.task.launched:
            if problem is None:
                self.launch(self.task)
            else:
                self._fail_task(self.task, problem)

    # -- for dialects: tasks -----------------------------------------------------------------------------------

    def next_generation(self) -> int:
        """A number for a new task, or for the next search of one: what comes for earlier ones is dropped."""
        self._generation += 1
        return self._generation

    def start_search(self, position: AnyPosition, limits: Limits) -> Search:
        """Begins a search, as soon as the engine has loaded. Its lines and its one answer come later."""
        search = Search(self.next_generation(), position=position, limits=limits, gate=self.new_gate())
        self.start_task(search)
        return search

    def new_gate(self) -> ProgressGate:
        """Lets through what a search's client should see of its reports, by the option InfoInterval."""
        return ProgressGate(self.config.info_interval_ms / 1000, self._clock)

    def start_task(self, task: Task) -> None:
        """Begins a task, as soon as the engine has loaded."""
        engine = self.engine
        self.task = task
        # On a game clock time runs while kernels load, too, and the engine counts it. After the first time it is the
        # engine's affair how many workers are up.
        is_on_clock = isinstance(task, Search) and task.is_on_clock
        if engine.is_ready or self._has_loaded or is_on_clock:
            self.launch(task)
        else:
            self.await_loading()

    def launch(self, task: Task) -> None:
        """Hands a task to the engine, which is ready."""
        task.launched = True
        try:
            if isinstance(task, Search):
                self.go(task.generation, task.position, task.limits)
            else:
                self.launch_other(task)
        except Exception as error:
            self._fail_task(task, describe(error))

    def go(self, generation: int, position: AnyPosition, limits: Limits) -> None:
        """Lets the engine search; reports and result come as events of this generation."""
        engine = self.engine
        engine.set_position(position)
        engine.go(
            limits,
            lambda info: self.post(Reported(generation, info)),
            lambda result: self.post(Found(generation, result)),
        )

    def stop_task(self) -> None:
        """Ends the running task soon, if there is one; its answer comes."""
        task = self.task
        if task is None:
            return
        task.stopping = True
        if not task.launched:
            self._give_up(task)
        elif self._engine is not None:
            self._engine.stop()

    def finish_search(self, search: Search, result: SearchResult) -> None:
        """The search has ended: whatever the engine came out with, its answer is a legal move."""
        position = search.position
        legal = position.legal_moves or (position.NO_MOVE,)
        if result.best_move not in legal:
            problem = result.error or f"the search came out with {position.move_name(result.best_move)}"
            result = replace(result, best_move=self.glance(position), ponder_move=position.NO_MOVE, error=problem)
        self.answer(search, result)
        if self.task is search:
            self.end_task()

    def end_task(self) -> None:
        """The task has been answered."""
        self.task = None

    def _give_up(self, task: Task, problem: str | None = None) -> None:
        """The answer of a task that was stopped before the engine had it."""
        if isinstance(task, Search):
            position = task.position
            move = self.glance(position)
            self.finish_search(task, SearchResult(move, position.NO_MOVE, (), 0, 0, error=problem))
        else:
            self.give_up_other(task)

    def _fail_task(self, task: Task, problem: str) -> None:
        """The answer of a task that the engine could not take: the client must not wait for ever."""
        task.stopping = True
        try:
            if not isinstance(task, Search):
                self.say_fault(problem)
            self._give_up(task, problem)
        except Exception as error:  # not even that can be answered; what comes next has to be
            if self.task is task:
                self.end_task()
            self.say_fault(describe(error))

    def _show(self, search: Search, infos: list[SearchInfo]) -> None:
        if infos:
            self.show_lines(search, infos)


def describe(error: Exception) -> str:
    """An exception in words, never empty."""
    return str(error) or type(error).__name__
