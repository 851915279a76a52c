"""The engine as a Python object: set a position, start a search, be told, stop it.

    with Engine() as engine:
        engine.set_position(Position.start().play("f5"))
        result = engine.go(Limits(move_time_ms=1000), on_info=print).wait()

All methods return at once, except those whose name says `wait`, and `evaluate`. They may be called from any thread,
callbacks included. One search runs at a time.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeVar

from othello_engine.config import GOMOKU, Config, OptionValue, load_config, option_spec
from othello_engine.engine.conductor import Ask, Begin, Conductor, Question
from othello_engine.engine.deepening import Deepening
from othello_engine.engine.gomoku.deepening import GomokuDeepening, GomokuPlan
from othello_engine.engine.gomoku.division import Shards, Together
from othello_engine.engine.gomoku.request import make_gomoku_order
from othello_engine.engine.jobs import Division, Iterations, Job, PerftJob, PerftResult, SearchJob, SearchOrder
from othello_engine.engine.loading import KERNELS
from othello_engine.engine.request import make_claim, make_order
from othello_engine.engine.scheduler import Scheduler
from othello_engine.errors import BusyError, EngineError
from othello_engine.evaluation.weights import check as check_weights
from othello_engine.games import start_position
from othello_engine.gomoku.position import GomokuPosition
from othello_engine.position import Position
from othello_engine.types import BLACK, Limits, Score, ScoreKind, SearchInfo, SearchResult

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition

__all__ = ["Engine", "PerftHandle", "PerftResult", "SearchHandle"]

_log = logging.getLogger(__name__)
_R = TypeVar("_R")


class _Handle(Generic[_R]):
    """Something that runs and will have a result."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._result: _R | None = None
        self._is_done = threading.Event()

    @property
    def done(self) -> bool:
        """True when the result is there and its callback has been called."""
        return self._is_done.is_set()

    def wait(self, timeout: float | None = None) -> _R:
        """The result, as soon as it is there. timeout: seconds; raises TimeoutError after that."""
        if not self._is_done.wait(timeout):
            raise TimeoutError("still running")
        assert self._result is not None
        return self._result

    def stop(self) -> None:
        """End it soon; the result comes all the same. Does nothing when it is done."""
        self._stop()

    def _resolve(self, result: _R) -> None:
        self._result = result
        self._is_done.set()


class SearchHandle(_Handle[SearchResult]):
    """A search that was started."""


class PerftHandle(_Handle[PerftResult]):
    """A count of leaves that was started."""


class Engine:
    """An engine for Othello and Gomoku with worker processes of its own. Starts nothing before it has to.

    config: options and profile; the defaults if None. on_message: takes short texts for people, such as
    `compiling 12 of 57 kernels`. Callbacks come on a thread of the engine, in order, the result last; they must return
    soon, since the engine waits for them. Close it, or use it in a `with` statement; it closes itself at the end of the
    program, and leaves nothing behind even if the program is killed.

    The profile says which game it is; positions are those of that game, `Position` or `GomokuPosition`.

    loader: where workers get their searcher from (for tests).
    """

    def __init__(
        self,
        config: Config | None = None,
        on_message: Callable[[str], None] | None = None,
        loader: str | None = None,
    ) -> None:
        self._config = load_config() if config is None else config
        self._on_message = on_message
        self._loader = loader
        self._lock = threading.RLock()
        self._position = start_position(self._config)
        self._conductor: Conductor | None = None
        self._retired: list[Conductor] = []
        """Told to end their workers, which they may still be about."""
        self._running: Job | None = None
        self._is_closed = False
        self._finalizer: weakref.finalize[..., Engine] | None = None

    # -- life ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to load in the background. Idempotent; whatever needs the workers does it by itself."""
        self._started()

    def wait_ready(self, timeout: float | None = None) -> bool:
        """Wait until all workers are up and their kernels compiled. False if that takes longer than `timeout` seconds.

        Raises WorkerError if it will never be.
        """
        conductor = self._started()
        if conductor.is_own_thread:
            raise EngineError("wait_ready would wait for the thread it is called on")
        return conductor.wait_ready(timeout)

    @property
    def is_ready(self) -> bool:
        """True when a search would begin at full strength at once."""
        return self._conductor is not None and self._conductor.is_ready

    def close(self) -> None:
        """End the workers; a search that runs is answered. Idempotent."""
        with self._lock:
            self._is_closed = True
            conductors = [*self._retired, *([self._conductor] if self._conductor is not None else [])]
            self._retired.clear()
        for conductor in conductors:
            conductor.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self.close()

    def _started(self) -> Conductor:
        with self._lock:
            if self._is_closed:
                raise EngineError("the engine is closed")
            if self._conductor is None:
                say = self._on_message
                self._conductor = Conductor(
                    say if say is not None else _ignore,
                    self._config.evaluation,
                    self._config.threads,
                    self._config.hash_mb,
                    self._loader or KERNELS[self._config.game],
                    self._config.eval_file,
                )
                self._finalizer = weakref.finalize(self, self._conductor.close)  # also at the end of the program
                self._conductor.start()
            return self._conductor

    # -- options and position ------------------------------------------------------------------------------------

    @property
    def config(self) -> Config:
        """The options in force."""
        return self._config

    def set_option(self, name: str, value: OptionValue | None = None) -> None:
        """Change an option, with effect at once. A button takes no value.

        Raises ConfigError for what the option does not take, BusyError while a search runs, WeightsError for a file
        that EvalFile can't take.
        """
        with self._lock:
            spec = option_spec(name)
            if spec.kind == "button":
                self.clear_hash()
                return
            changed = self._config.with_option(name, value)
            self._refuse_if_busy(f"{spec.name} can't be changed")
            if spec.key == "eval_file" and changed.eval_file:
                check_weights(changed.eval_file)
            former, self._config = self._config, changed
            if former.game != changed.game:
                self._position = start_position(changed)
            conductor = self._conductor
            if conductor is None:
                return
            if spec.key in ("profile", "game", "variant"):
                if _workers_of(former) != _workers_of(changed):
                    conductor.close(0)
                    self._retired = [*(each for each in self._retired if not each.has_ended), conductor]
                    if self._finalizer is not None:
                        self._finalizer.detach()
                    self._conductor = None
                    self._started()
                return
            # Also if the value is the old one: it may not have been had the last time.
            if spec.key == "threads":
                conductor.post(lambda: conductor.use_threads(changed.threads), changes_workers=True)
            elif spec.key == "hash_mb":
                conductor.post(lambda: conductor.use_hash(changed.hash_mb), changes_workers=True)
            elif spec.key == "eval_file":
                conductor.post(lambda: conductor.use_weights(changed.eval_file), changes_workers=True)

    def clear_hash(self) -> None:
        """Forget everything in the transposition table. Raises BusyError while a search runs."""
        with self._lock:
            self._refuse_if_busy("the table can't be cleared")
            if self._conductor is not None:
                self._conductor.post(self._conductor.clear_hash)

    def feed(
        self,
        position: Position,
        lower: float,
        upper: float,
        depth: int,
        selectivity: int = 100,
        moves: Sequence[int] = (),
    ) -> None:
        """Tell what is known about a position from elsewhere, for the searches that follow.

        lower, upper: bounds of its value to `depth` plies, in discs for the side to move; -64 and 64 say nothing.
        selectivity: confidence in per cent. moves: the line of play that leads there, forced passes included.

        The bounds go into the transposition table, for all positions of the line. Searches with forward pruning rely on
        them, others only try the moves first: what was not found here is no proof. Raises BusyError while a search
        runs, EngineError or IllegalMoveError for what can't be.
        """
        with self._lock:
            self._refuse_if_busy("the table can't be fed")
            self._refuse_in_gomoku("feeding the table")
            claim = make_claim(position, (lower, upper), depth, selectivity, moves, self._config)
            conductor = self._started()
            conductor.post(lambda: conductor.feed(claim))

    def new_game(self) -> None:
        """Back to the start position, with nothing remembered of earlier searches. BusyError while one runs."""
        with self._lock:
            self._refuse_if_busy("a new game can't be begun")
            self._position = start_position(self._config)
            if self._conductor is not None:
                self._conductor.post(self._conductor.new_game)

    def set_position(self, position: AnyPosition) -> None:
        """The position for the next search; a running one goes on with its own. EngineError if it is of another game
        than the profile."""
        with self._lock:
            self._position = self._of_this_game(position)

    @property
    def position(self) -> AnyPosition:
        return self._position

    # -- search --------------------------------------------------------------------------------------------------

    @property
    def is_searching(self) -> bool:
        """True from `go` or `perft` until its result is on the way to its callback."""
        return self._running is not None

    def go(
        self,
        limits: Limits | None = None,
        on_info: Callable[[SearchInfo], None] | None = None,
        on_result: Callable[[SearchResult], None] | None = None,
    ) -> SearchHandle:
        """Search the position. Without limits the profile's time per move, or the level, ends it.

        There is exactly one result, with a legal move whatever happens. Raises BusyError while a search runs,
        IllegalMoveError for a root move that is none.
        """
        asked_at = time.monotonic()
        with self._lock:
            self._refuse_if_busy("a search can't be begun")
            conductor = self._started()
            order, deepening, division = self._plan(limits or Limits(), conductor, asked_at)
            side = self._position.side
            handle = SearchHandle(lambda: self._stop(job))

            def deliver(result: SearchResult) -> None:
                self._finished(job)
                _call(on_result, result)
                handle._resolve(result)

            job = SearchJob(
                order,
                deepening,
                division,
                lambda info: _call(on_info, info),
                deliver,
                age=lambda: conductor.next_age(order.plan.draw_value * (1 if side == BLACK else -1)),
            )
            if order.clean_table:
                conductor.post(conductor.clear_hash)
            self._run(conductor, job)
        return handle

    def stop(self) -> None:
        """End the running search or perft soon; its result comes. Does nothing when idle."""
        with self._lock:
            if self._running is not None:
                self._stop(self._running)

    def ponder_hit(self) -> None:
        """The move that was pondered on was played: the limits begin to count. EngineError if not pondering."""
        with self._lock:
            job, conductor = self._running, self._conductor
            if not isinstance(job, SearchJob) or not job.is_pondering or conductor is None:
                raise EngineError("not pondering")
            now = time.monotonic()
            job.is_pondering = False
            conductor.post(lambda: job.ponder_hit(now))

    def perft(
        self,
        depth: int,
        on_info: Callable[[int, int, int], None] | None = None,
        on_result: Callable[[PerftResult], None] | None = None,
    ) -> PerftHandle:
        """Count the lines of play of the position, depth by depth, with all workers.

        A forced pass is one ply, a finished game one line. on_info: is told depth, count and milliseconds of each
        depth. `stop` ends it early, with the last depth counted in full. Raises BusyError while a search runs.
        """
        with self._lock:
            self._refuse_if_busy("a count can't be begun")
            self._refuse_in_gomoku("counting lines of play")
            assert isinstance(self._position, Position)
            conductor = self._started()
            handle = PerftHandle(lambda: self._stop(job))

            def deliver(result: PerftResult) -> None:
                self._finished(job)
                _call(on_result, result)
                handle._resolve(result)

            job = PerftJob(
                self._position.player,
                self._position.opponent,
                depth,
                conductor.ids,
                lambda *counted: _call(on_info, *counted),
                deliver,
            )
            self._run(conductor, job)
        return handle

    def evaluate(self, position: AnyPosition | None = None, timeout: float = 60) -> Score:
        """Static value of a position, the present one if None, for the side to move; also while a search runs.

        Raises TimeoutError after `timeout` seconds, EngineError if no worker can answer.
        """
        conductor = self._started()
        if conductor.is_own_thread:
            raise EngineError("evaluate would wait for the thread it is called on")
        wanted = self._position if position is None else self._of_this_game(position)
        if isinstance(wanted, GomokuPosition):
            question = Question((wanted.size, wanted.cells, wanted.side))
        else:
            question = Question((wanted.player, wanted.opponent))
        conductor.post(Ask(conductor, question))
        if not question.answered.wait(timeout):
            raise TimeoutError("no worker has answered")
        if question.error is not None:
            raise EngineError(question.error)
        profile = self._config.profile
        return Score(ScoreKind(profile.score_kind), question.value, units_per_disc=profile.units_per_disc)

    # -- inside --------------------------------------------------------------------------------------------------

    def _plan(self, limits: Limits, conductor: Conductor, asked_at: float) -> tuple[SearchOrder, Iterations, Division]:
        """What a search is asked, which searches of the root answer it, and how these are divided."""
        position = self._position
        if isinstance(position, GomokuPosition):
            order = make_gomoku_order(limits, position, self._config, asked_at)
            plan: GomokuPlan = order.plan
            dealt_out = Shards(conductor.ids) if plan.is_dealt_out else None
            return (
                order,
                GomokuDeepening(plan),
                dealt_out or Together(conductor.ids, plan.wants_heatmap, plan.max_depth),
            )
        order = make_order(limits, position, self._config, asked_at)
        return order, Deepening(order.plan), Scheduler(ids=conductor.ids)

    def _of_this_game(self, position: AnyPosition) -> AnyPosition:
        if isinstance(position, GomokuPosition) != (self._config.game == GOMOKU):
            raise EngineError(f"not a position of the game that the profile {self._config.profile.name} plays")
        return position

    def _refuse_in_gomoku(self, what: str) -> None:
        if self._config.game == GOMOKU:
            raise EngineError(f"{what} is for Othello")

    def _run(self, conductor: Conductor, job: Job) -> None:
        self._running = job
        try:
            conductor.post(Begin(conductor, job))
        except EngineError:
            self._running = None
            raise

    def _stop(self, job: Job) -> None:
        conductor = self._conductor
        if conductor is not None and self._running is job:
            with contextlib.suppress(EngineError):  # closed meanwhile: then the job is answered anyway
                conductor.post(lambda: conductor.end(job))

    def _finished(self, job: Job) -> None:
        with self._lock:
            if self._running is job:
                self._running = None

    def _refuse_if_busy(self, what: str) -> None:
        if self._running is not None:
            raise BusyError(f"{what} while a search runs")


def _workers_of(config: Config) -> tuple[object, ...]:
    """What the workers are started with."""
    return config.game, config.evaluation, config.eval_file, config.threads, config.hash_mb


def _ignore(_: str) -> None:
    """Take a message that nobody wants."""


def _call(callback: Callable[..., None] | None, *arguments: object) -> None:
    """Call a user's function; its faults are logged, since the engine must go on."""
    if callback is None:
        return
    try:
        callback(*arguments)
    except BaseException:  # SystemExit as well: it would end the thread that owns the workers
        _log.exception("a callback failed")
