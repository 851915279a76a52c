"""The state machine of the native protocol: the only place that knows what may happen when.

One thread runs it and takes one event after another: lines from the reader, reports and results from the
engine, the end of input or output. It never waits for anything but the next event. What has to wait
(kernels that load, a static value that a worker computes) is waited for on a helper thread and comes back
as an event.

IDLE    nothing runs
SEARCH  a search that ends by itself
OPEN    a search that only `stop` ends (`go infinite`), or that `ponderhit` turns into the former
BATCH   perft or bench
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import NamedTuple, Protocol

from othello_engine import __version__
from othello_engine.config import Config
from othello_engine.errors import ConfigError, EngineError, WeightsError
from othello_engine.position import Position
from othello_engine.types import NO_MOVE, Limits, Score, SearchInfo, SearchResult, square_name
from protocol import commands, exit_status
from protocol.commands import CommandError, Plain
from protocol.facade import EngineLike, MakeEngine, PerftCount
from protocol.lines import InputItem, LineError
from protocol.progress import ProgressGate
from protocol.traffic import TrafficLog

QUEUE_LIMIT = 1024
"""Lines that wait for a finite search to end; more are refused."""

_QUIT_GRACE_SECONDS = 0.8
"""How long a `quit` lets the commands before it have their answers while the engine is loading."""
_READER_CHECK_SECONDS = 1.0
"""How often, after the end of input, it is made sure that somebody still reads the answers."""

_DEFERRED = frozenset(("setboard", "move", "undo", "newgame", "setoption", "go", "perft", "bench"))
"""Commands that wait while a finite task runs. All others are answered at once."""


class State(Enum):
    """What is going on."""

    IDLE = auto()
    SEARCH = auto()
    OPEN = auto()
    BATCH = auto()


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


class Evaluated(NamedTuple):
    """A static value, or the problem with it."""

    score: Score | None
    problem: str = ""


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


class Counting(NamedTuple):
    """One depth of the perft of this generation."""

    generation: int
    depth: int
    nodes: int
    time_ms: int


class Counted(NamedTuple):
    """The end of the perft of this generation."""

    generation: int
    total: PerftCount


Event = Received | Ended | Loaded | Evaluated | Said | Reported | Found | Counting | Counted


# -- tasks -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Search:
    """A `go`. early: the result of an open search that has nothing left to do and waits for `stop`."""

    generation: int
    position: Position
    limits: Limits
    gate: ProgressGate
    with_rank: bool
    launched: bool = False
    stopping: bool = False
    early: SearchResult | None = None


@dataclass(slots=True)
class _Perft:
    generation: int
    position: Position
    depth: int
    launched: bool = False
    stopping: bool = False


@dataclass(slots=True)
class _Bench:
    """generation: of the position being searched. restore: options to set back, by name."""

    generation: int
    positions: tuple[Position, ...]
    depth: int
    restore: dict[str, int]
    index: int = 0
    nodes: int = 0
    time_ms: int = 0
    launched: bool = False
    stopping: bool = False


_Task = _Search | _Perft | _Bench


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


class Service:
    """Answers command lines with the help of an engine, which is built and started when it is first needed.

    `post` may be called from any thread and from signal handlers; everything else belongs to the thread in
    `run`.
    """

    def __init__(
        self,
        config: Config,
        make_engine: MakeEngine,
        output: Output,
        traffic: TrafficLog | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.exit_status: int | None = None
        self._config = config
        self._make_engine = make_engine
        self._engine: EngineLike | None = None
        self._output = output
        self._traffic = traffic or TrafficLog()
        self._clock = clock
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._helper = _Helper()
        self._state = State.IDLE
        self._line = [Position.start()]
        self._task: _Task | None = None
        self._generation = 0
        self._queue: deque[str] = deque()
        self._inbox: deque[InputItem | None] = deque()
        self._held = ""
        self._quit_deadline: float | None = None
        self._owed_readyok = 0
        self._loading = False
        self._has_loaded = False
        self._input_ended = False
        self._debug = False

    @property
    def state(self) -> State:
        """What is going on."""
        return self._state

    @property
    def position(self) -> Position:
        """The current position."""
        return self._line[-1]

    @property
    def _is_occupied(self) -> bool:
        """True if an answer is still to come."""
        return self._state is not State.IDLE or bool(self._held)

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
            if isinstance(event, Found | Counted) and self._task is not None:
                self._fail_task(self._task, _describe(error))
            else:
                self._internal_error(error)
        self._go_on()

    def close(self) -> None:
        """Ends the engine, if there is one. May take as long as the engine does."""
        if self._engine is not None:
            self._engine.close()

    def _seconds_to_wait(self) -> float | None:
        due: list[float] = []
        if isinstance(self._task, _Search) and (seconds := self._task.gate.seconds_until_due()) is not None:
            due.append(seconds)
        if self._quit_deadline is not None:
            due.append(max(0.0, self._quit_deadline - self._clock()))
        if self._input_ended:
            due.append(_READER_CHECK_SECONDS)
        return min(due, default=None)

    def _do_what_is_due(self) -> None:
        """What needs no event: a report that waited, a quit that waited, a look at who still reads."""
        if self.exit_status is not None:
            return
        if isinstance(self._task, _Search):
            self._print_infos(self._task, self._task.gate.flush())
        if self._quit_deadline is not None and self._clock() >= self._quit_deadline:
            self.exit_status = exit_status.DONE
        elif self._input_ended and self._is_occupied and self._output.reader_is_gone():
            self.exit_status = exit_status.OUTPUT_CLOSED

    # -- events ------------------------------------------------------------------------------------------

    def _take(self, event: Event) -> None:
        match event:
            case Received(item):
                self._receive(item)
            case Reported(generation, info):
                if isinstance(self._task, _Search) and self._task.generation == generation:
                    self._print_infos(self._task, self._task.gate.offer(info))
            case Found(generation, result):
                self._take_result(generation, result)
            case Counting(generation, depth, nodes, time_ms):
                if self._task is not None and self._task.generation == generation:
                    self._say(commands.format_perft_info(depth, nodes, time_ms))
            case Counted(generation, total):
                if self._task is not None and self._task.generation == generation:
                    self._say(commands.format_perft(total.depth, total.nodes, total.time_ms))
                    self._end_task()
            case Loaded(problem):
                self._take_loaded(problem)
            case Evaluated(score, problem):
                self._say(f"eval {commands.format_score(score)}" if score else _internal(problem))
                self._release("eval")
            case Said(text):
                self._output.send(f"info string {text}", progress=True)
            case Ended(status):
                self.exit_status = status

    def _receive(self, item: InputItem | None) -> None:
        if isinstance(item, str):
            self._traffic.received(item)
        if self._held:
            self._inbox.append(item)
            if isinstance(item, str) and commands.command_word(item) == "quit":
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
            self._say(commands.format_error(item.value, "-", text[item]))
        else:
            self._take_line(item)

    def _take_line(self, line: str) -> None:
        """Runs a command, lets it wait, or refuses it: the table of the protocol page."""
        word = commands.command_word(line)
        if not word:
            return
        if word not in _DEFERRED or self._state is State.IDLE:
            self._run_line(line)
        elif self._state is State.OPEN:
            self._say(commands.format_error("busy", line.split()[0], "not before stop"))
        elif len(self._queue) >= QUEUE_LIMIT:
            problem = f"{QUEUE_LIMIT} lines are waiting already"
            self._say(commands.format_error("busy", line.split()[0], problem))
        else:
            self._queue.append(line)

    def _run_line(self, line: str) -> None:
        try:
            self._run(commands.parse_command(line))
            if self._engine is None and self.exit_status is None:
                self._start_engine()
        except CommandError as error:
            self._say(commands.format_error(error.code, error.token, error.text))
        except Exception as error:
            self._internal_error(error)

    def _go_on(self) -> None:
        """What has become possible: lines that waited, the end after the end of input."""
        while self.exit_status is None:
            if self._state is State.IDLE and not self._held and self._queue:
                self._run_line(self._queue.popleft())
            elif not self._held and self._inbox:
                self._process(self._inbox.popleft())
            else:
                break
        if self._input_ended and self.exit_status is None:
            if self._state is State.OPEN:
                self._stop()
                self._go_on()
            elif not self._is_occupied:
                self.exit_status = exit_status.DONE

    def _hold(self, reason: str) -> None:
        """Lets all further lines wait, in order, until `_release` with the same reason."""
        self._held = reason

    def _release(self, reason: str) -> None:
        if self._held == reason:
            self._held = ""

    # -- commands ----------------------------------------------------------------------------------------

    def _run(self, command: commands.Command) -> None:
        match command:
            case commands.Handshake(word):
                for line in commands.format_handshake(word, __version__, self._config):
                    self._say(line)
            case Plain.IS_READY:
                self._run_isready()
            case commands.SetOption(spec, value):
                self._set_option(spec.name, spec.key, value)
            case commands.SetBoard(line):
                self._line = list(line)
            case commands.Move(words):
                self._line += commands.play_words(self.position, words)
            case commands.Undo(n_plies):
                self._undo(n_plies)
            case Plain.NEW_GAME:
                if self._engine is not None:
                    self._engine.new_game()
                self._line = [Position.start()]
            case commands.Go(limits):
                self._start_search(limits)
            case Plain.STOP:
                self._stop()
            case Plain.PONDER_HIT:
                self._ponder_hit()
            case Plain.DISPLAY:
                for line in commands.format_display(self.position):
                    self._say(line)
            case Plain.EVAL:
                self._evaluate()
            case commands.Query(topic):
                self._say(commands.format_query(topic, self.position))
            case commands.Perft(depth):
                self._start_task(State.BATCH, _Perft(self._next_generation(), self.position, depth))
            case commands.Bench():
                self._start_bench(command)
            case commands.Debug(on):
                self._debug = on
            case Plain.HELP:
                for line in commands.format_help():
                    self._say(line)
            case Plain.QUIT:
                self.exit_status = exit_status.DONE

    def _run_isready(self) -> None:
        if self._started_engine().is_ready or (self._task is not None and self._task.launched):
            self._say("readyok")
            return
        self._owed_readyok += 1
        self._await_loading()
        if self._state is State.IDLE:
            self._hold("isready")

    def _set_option(self, name: str, key: str, value: int | bool | str | None) -> None:
        if value is None:
            if self._engine is not None:
                self._engine.clear_hash()
            return
        try:
            changed = self._config.with_option(name, value)
            if key == "log_file":
                self._traffic.open(str(value))
            if key == "eval_file":
                self._started_engine()  # which alone can tell whether the file is any good
            if self._engine is not None:
                self._engine.set_option(name, value)
        except OSError as error:
            raise CommandError("io", str(value), error.strerror or str(error)) from None
        except WeightsError as error:
            raise CommandError("io", str(value), str(error)) from None
        except (ConfigError, EngineError) as error:
            raise CommandError("bad-option-value", str(value), str(error)) from None
        self._config = changed

    def _undo(self, n_plies: int) -> None:
        if n_plies >= len(self._line):
            played = len(self._line) - 1
            text = f"{played} {'ply' if played == 1 else 'plies'} to take back"
            raise CommandError("nothing-to-undo", str(n_plies), text)
        del self._line[-n_plies:]

    def _evaluate(self) -> None:
        engine, position = self._started_engine(), self.position

        def job() -> None:
            try:
                engine.wait_ready()
                self.post(Evaluated(engine.evaluate(position)))
            except Exception as error:
                self.post(Evaluated(None, _describe(error)))

        self._helper.run(job)
        if self._state is State.IDLE:
            self._hold("eval")

    def _ponder_hit(self) -> None:
        task = self._task
        if self._state is not State.OPEN or not isinstance(task, _Search) or not task.limits.ponder:
            raise CommandError("not-pondering", "ponderhit", "no go ponder is running")
        self._state = State.SEARCH
        if not task.launched:
            task.limits = replace(task.limits, ponder=False)
        elif task.early is not None:
            self._finish_search(task, task.early)
        elif self._engine is not None:
            self._engine.ponder_hit()

    # -- the engine --------------------------------------------------------------------------------------

    def _start_engine(self) -> EngineLike:
        """Builds the engine, once, and lets it load. What was said before is on its way by then."""
        self._output.flush(0.05)
        engine = self._make_engine(self._config, lambda text: self.post(Said(text)))
        engine.start()
        self._engine = engine
        return engine

    def _started_engine(self) -> EngineLike:
        return self._engine if self._engine is not None else self._start_engine()

    def _await_loading(self) -> None:
        """Asks for a `Loaded` event, once."""
        if self._loading:
            return
        self._loading = True
        engine = self._started_engine()

        def job() -> None:
            try:
                problem = None if engine.wait_ready() else "the engine did not get ready"
            except Exception as error:
                problem = _describe(error)
            self.post(Loaded(problem))

        self._helper.run(job)

    def _take_loaded(self, problem: str | None) -> None:
        self._loading = False
        self._has_loaded = self._has_loaded or problem is None
        for _ in range(self._owed_readyok):
            self._say("readyok" if problem is None else _internal(problem))
        self._owed_readyok = 0
        self._release("isready")
        if self._task is not None and not self._task.launched:
            if problem is None:
                self._launch(self._task)
            else:
                self._fail_task(self._task, problem)

    # -- tasks -------------------------------------------------------------------------------------------

    def _next_generation(self) -> int:
        self._generation += 1
        return self._generation

    def _start_search(self, limits: Limits) -> None:
        position = self.position
        commands.check_search_moves(position, limits.search_moves)
        limits = commands.limits_here(limits, position, self._config)
        gate = ProgressGate(self._config.info_interval_ms / 1000, self._clock)
        with_rank = (limits.multipv or self._config.multipv) > 1
        task = _Search(self._next_generation(), position, limits, gate, with_rank)
        self._start_task(State.OPEN if limits.is_open else State.SEARCH, task)

    def _start_bench(self, command: commands.Bench) -> None:
        from protocol.batch.bench import BENCH_DEPTH, BENCH_HASH_MB, BENCH_THREADS, bench_positions

        engine = self._started_engine()
        wanted = {
            "Threads": (self._config.threads, command.threads or BENCH_THREADS),
            "Hash": (self._config.hash_mb, command.hash_mb or BENCH_HASH_MB),
        }
        task = _Bench(self._next_generation(), bench_positions(), command.depth or BENCH_DEPTH, {})
        try:
            for name, (present, value) in wanted.items():
                if value != present:
                    task.restore[name] = present
                    engine.set_option(name, value)
        except (ConfigError, EngineError) as error:
            self._restore_options(task)
            raise CommandError("bad-argument", "bench", str(error)) from None
        self._start_task(State.BATCH, task)

    def _start_task(self, state: State, task: _Task) -> None:
        engine = self._started_engine()
        self._state = state
        self._task = task
        # On a game clock time runs while kernels load, too, and the engine counts it. After the first time it is the
        # engine's affair how many workers are up.
        is_on_clock = isinstance(task, _Search) and (task.limits.black_ms, task.limits.white_ms) != (None, None)
        if engine.is_ready or self._has_loaded or is_on_clock:
            self._launch(task)
        else:
            self._await_loading()

    def _launch(self, task: _Task) -> None:
        """Hands a task to the engine, which is ready."""
        engine = self._started_engine()
        generation = task.generation
        task.launched = True
        try:
            match task:
                case _Search():
                    self._say_debug(f"search {generation}: {_describe_limits(task.limits)}")
                    self._go(engine, generation, task.position, task.limits)
                case _Perft():
                    engine.set_position(task.position)
                    engine.perft(
                        task.depth,
                        lambda depth, nodes, ms: self.post(Counting(generation, depth, nodes, ms)),
                        lambda count: self.post(Counted(generation, count)),
                    )
                case _Bench():
                    engine.new_game()
                    limits = Limits(depth=task.depth, multipv=1)
                    self._go(engine, generation, task.positions[task.index], limits)
        except Exception as error:
            self._fail_task(task, _describe(error))

    def _go(self, engine: EngineLike, generation: int, position: Position, limits: Limits) -> None:
        engine.set_position(position)
        engine.go(
            limits,
            lambda info: self.post(Reported(generation, info)),
            lambda result: self.post(Found(generation, result)),
        )

    def _stop(self) -> None:
        """Ends the running task, if any; what waits behind it goes on.

        An open search that was stopped ends by itself, so what comes before its answer waits its turn.
        """
        task = self._task
        if task is None:
            return
        task.stopping = True
        if self._state is State.OPEN:
            self._state = State.SEARCH
        if not task.launched:
            self._give_up_before_launch(task)
        elif isinstance(task, _Search) and task.early is not None:
            self._finish_search(task, task.early)
        elif self._engine is not None:
            self._engine.stop()

    def _take_result(self, generation: int, result: SearchResult) -> None:
        task = self._task
        if task is None or task.generation != generation:
            return
        if isinstance(task, _Bench):
            self._take_bench_result(task, result)
        elif isinstance(task, _Search):
            if self._state is State.OPEN:
                task.early = result
            else:
                self._finish_search(task, result)

    def _finish_search(self, task: _Search, result: SearchResult) -> None:
        """The last report, then the one `bestmove`."""
        legal = task.position.legal_moves or (NO_MOVE,)
        problem = result.error
        if result.best_move not in legal:
            problem = problem or f"the search came out with {square_name(result.best_move)}"
            result = replace(result, best_move=legal[0], ponder_move=NO_MOVE)
        for info in task.gate.finish(result):
            self._say(commands.format_info(info, task.with_rank))
        if problem is not None:
            self._say(_internal(problem))
        if result.worker_nodes:
            self._say_debug(f"nodes by worker {' '.join(str(nodes) for nodes in result.worker_nodes)}")
        if self._config.result_line == "csv":
            self._say(commands.format_result_line(result))
        self._say(commands.format_best_move(result, self._config.ponder))
        self._end_task()

    def _take_bench_result(self, task: _Bench, result: SearchResult) -> None:
        task.index += 1
        task.nodes += result.nodes
        task.time_ms += result.time_ms
        self._say(commands.format_bench_info(task.index, result))
        if task.stopping or task.index == len(task.positions):
            self._finish_bench(task)
        else:
            task.generation = self._next_generation()
            self._launch(task)

    def _finish_bench(self, task: _Bench) -> None:
        self._say(commands.format_bench(task.nodes, task.time_ms))
        self._restore_options(task)
        self._end_task()

    def _restore_options(self, task: _Bench) -> None:
        engine = self._started_engine()
        for name, value in task.restore.items():
            engine.set_option(name, value)
        engine.new_game()

    def _give_up_before_launch(self, task: _Task) -> None:
        """The answer of a task that was stopped while the engine was still loading."""
        match task:
            case _Search():
                move = (*task.position.legal_moves, NO_MOVE)[0]
                self._finish_search(task, SearchResult(move, NO_MOVE, (), 0, 0))
            case _Perft():
                self._say(commands.format_perft(0, 0, 0))
                self._end_task()
            case _Bench():
                self._finish_bench(task)

    def _fail_task(self, task: _Task, problem: str) -> None:
        """The answer of a task that the engine could not take: the client must not wait for ever."""
        self._say(_internal(problem))
        task.stopping = True
        self._give_up_before_launch(task)

    def _end_task(self) -> None:
        self._state = State.IDLE
        self._task = None

    # -- output ------------------------------------------------------------------------------------------

    def _say(self, line: str) -> None:
        self._output.send(line)

    def _say_debug(self, text: str) -> None:
        if self._debug:
            self._say(f"info string {text}")

    def _print_infos(self, task: _Search, infos: list[SearchInfo]) -> None:
        for info in infos:
            self._output.send(commands.format_info(info, task.with_rank), progress=True)

    def _internal_error(self, error: Exception) -> None:
        self._say(_internal(_describe(error)))


def _describe(error: Exception) -> str:
    return str(error) or type(error).__name__


def _internal(problem: str) -> str:
    return commands.format_error("internal", "-", problem)


def _describe_limits(limits: Limits) -> str:
    """The limits that are set, for `debug on`."""
    default = Limits()
    parts = []
    for name in Limits.__slots__:
        value = getattr(limits, name)
        if value != getattr(default, name):
            parts.append(f"{name} {getattr(value, 'value', value)}")
    return ", ".join(parts) or "no limits given"
