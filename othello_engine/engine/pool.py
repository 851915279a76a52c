"""The worker processes: started, fed, watched, replaced, ended. One thread owns a pool and calls everything here.

The pool knows nothing of searches. It turns what happens on pipes and process sentinels into events, and keeps as
many workers running as it was told to. On a cold kernel cache the first worker compiles alone and the others start when
it is ready; on a warm one all start at once.

The stop flag of a worker belongs to the parent: cleared before a request is sent, set to end it. A worker has at most
one request to compute at a time, so no flag can reach the wrong one.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from othello_engine.core.layout import NODES_OFFSET, STATE_BYTES, STOP_OFFSET
from othello_engine.engine import worker as worker_module
from othello_engine.engine.loading import is_cache_warm
from othello_engine.engine.messages import (
    Control,
    Evaluate,
    Evaluated,
    Exit,
    Expand,
    Failed,
    Feed,
    Hello,
    Loading,
    NewGame,
    Perft,
    Ready,
    Reply,
    Search,
    UseState,
    UseTable,
    UseWeights,
    Work,
)
from othello_engine.engine.shared import SharedBlock

_SPAWN = get_context("spawn")

MAX_LOAD_FAILURES = 3
"""Workers that may fail before one gets ready; after that the fault is not bad luck."""
STUCK_AFTER_S = 5.0
"""A worker that has not seen its stop flag for so long is stopped, swapped out or broken: it is replaced."""
EXIT_GRACE_S = 0.6
"""What a worker gets to leave by itself before it is killed; it needs milliseconds."""
LEAST_LIFE_S = 1.0
"""A worker that dies sooner than this after it got ready is replaced with a delay, twice as long each time."""
FIRST_DELAY_S = 0.25
LONGEST_DELAY_S = 8.0

Compute = Search | Expand | Perft | Feed


@dataclass(frozen=True, slots=True)
class WorkerReady:
    worker: Worker


@dataclass(frozen=True, slots=True)
class WorkerReplied:
    """A reply to a Compute or Evaluate request; `worker` is idle again after the former."""

    worker: Worker
    reply: Reply


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """A worker is gone. request: what it was computing, after `nodes` nodes; questions: what it was asked besides."""

    worker: Worker
    request: Compute | None
    nodes: int
    questions: tuple[Evaluate, ...]


Event = WorkerReady | WorkerReplied | WorkerLost


class _Stage(Enum):
    STARTING = 0
    LOADING = 1
    READY = 2
    LEAVING = 3


class Worker:
    """One search process as its parent sees it. number: from 1, kept by its successors."""

    def __init__(self, number: int, loader: str, evaluation: str) -> None:
        self.number = number
        self.stage = _Stage.STARTING
        self.request: Compute | None = None
        self.questions: dict[int, Evaluate] = {}
        self.has_failed = False
        self._is_released = False
        self.changed_at = time.monotonic()
        self.stopped_at: float | None = None
        self.tables_on_the_way = 0
        """Tables sent whose receipt has not been confirmed."""
        self.must_forget = False
        """A new game has begun since its last request."""
        with contextlib.ExitStack() as on_failure, contextlib.ExitStack() as always:
            self.state = SharedBlock.create(STATE_BYTES)
            on_failure.callback(self.state.close)

            def pipe(duplex: bool) -> tuple[Any, Any]:
                ends = _SPAWN.Pipe(duplex=duplex)
                for end in ends:
                    on_failure.callback(end.close)
                return ends

            their_work, self._work = pipe(duplex=True)  # descriptors travel over this one, both ways
            their_control, self._control = pipe(duplex=False)
            self.replies, their_replies = pipe(duplex=False)
            theirs = their_work, their_control, their_replies
            # Only the worker may hold its ends, or neither side would see the other one go.
            for end in theirs:
                always.callback(end.close)
            self.process = _SPAWN.Process(
                target=worker_module.main,
                args=(*theirs, loader, evaluation),
                name=f"othello-engine worker {number}",
                daemon=True,
            )
            with _interrupts_blocked(), _main_module_hidden():
                self.process.start()
            on_failure.pop_all()

    @property
    def is_ready(self) -> bool:
        return self.stage is _Stage.READY

    @property
    def is_idle(self) -> bool:
        return self.stage is _Stage.READY and self.request is None

    @property
    def nodes(self) -> int:
        """Nodes of the present request so far; 0 for an idle worker and for one that is gone."""
        if self.request is None or self._is_released:
            return 0
        return int(self.state.view[NODES_OFFSET // 8])

    def compute(self, request: Compute) -> None:
        """Send work to an idle worker."""
        assert self.is_idle
        self.state.view[STOP_OFFSET // 8] = 0
        self.state.view[NODES_OFFSET // 8] = 0
        self.stopped_at = None
        self.request = request
        if self.must_forget:
            self.must_forget = False
            self.send(NewGame())
        self.send(request)

    def ask(self, question: Evaluate) -> None:
        """Send a question that is answered even while the worker computes."""
        self.questions[question.id] = question
        self._tell(question)

    def stop(self) -> None:
        """End the present request soon; it is answered all the same."""
        if self._is_released:
            return
        self.state.view[STOP_OFFSET // 8] = 1
        if self.stopped_at is None:
            self.stopped_at = time.monotonic()

    def send(self, work: Work) -> None:
        """Hand over work; a worker that is gone takes nothing, and its sentinel tells."""
        with contextlib.suppress(OSError):
            self._work.send(work)

    def send_block(self, work: UseState | UseWeights | UseTable, block: SharedBlock) -> None:
        """Hand over memory; the receipt of a table is confirmed by `Ready`."""
        if isinstance(work, UseTable):
            self.tables_on_the_way += 1
        with contextlib.suppress(OSError):
            self._work.send(work)
            assert self.process.pid is not None
            block.send(self._work, self.process.pid)

    def _tell(self, control: Control) -> None:
        with contextlib.suppress(OSError):
            self._control.send(control)

    def leave(self) -> None:
        """Tell it to end, whatever it is doing."""
        self.stage = _Stage.LEAVING
        self.changed_at = time.monotonic()
        self.stop()
        self._tell(Exit())

    def release(self) -> None:
        """Free everything that belonged to a process that has ended."""
        self._is_released = True
        put_away(self.process)
        self._close_pipes()
        self.state.close()

    def _close_pipes(self) -> None:
        for pipe in (self._work, self._control, self.replies):
            with contextlib.suppress(OSError):
                pipe.close()


class Pool:
    """As many workers as `resize` says, all with the same table and the same weights.

    say: told, in words for the user, what happens to workers. loader, evaluation: see `worker.main`.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        evaluation: str,
        loader: str,
        is_cache_warm: Callable[[str], bool] = is_cache_warm,
    ) -> None:
        self._say = say
        self._evaluation = evaluation
        self._loader = loader
        self._is_cache_warm = is_cache_warm
        self._target = 0
        self._may_start_all = False
        self._table: SharedBlock | None = None
        self._weights: SharedBlock | None = None
        self._workers: dict[int, Worker] = {}
        self._leaving: list[Worker] = []
        self._said: set[str] = set()
        self._failures = 0
        self._delay_s = 0.0
        self._not_before = 0.0
        self.failure: str | None = None
        """Why there are no workers and will be none; None while there is hope."""
        self.revision = 0
        """Changes whenever `waitables` does."""

    # -- how many ------------------------------------------------------------------------------------------------

    def resize(self, n: int) -> None:
        """Keep `n` workers from now on; surplus ones leave, even in the middle of something."""
        self._target = n
        self.failure = None
        self._failures = 0
        for number in [number for number in self._workers if number > n]:
            worker = self._workers.pop(number)
            worker.leave()
            self._leaving.append(worker)
            self.revision += 1
        self._fill()

    def use_table(self, block: SharedBlock) -> None:
        """Give all workers, present and future, this transposition table; they are ready again when they have it."""
        self._table = block
        for worker in self._workers.values():
            if worker.stage is not _Stage.STARTING:
                worker.stage = _Stage.LOADING
                worker.send_block(UseTable(), block)

    def use_weights(self, block: SharedBlock | None) -> None:
        """Give all workers that will be started these weights of the evaluation, if it has any."""
        assert not self._workers
        self._weights = block

    def new_game(self) -> None:
        """Let all workers forget what orders their moves, before they next compute."""
        for worker in self._workers.values():
            worker.must_forget = True

    @property
    def workers(self) -> list[Worker]:
        """Present workers by number, those still loading included."""
        return [self._workers[number] for number in sorted(self._workers)]

    @property
    def ready(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.is_ready]

    @property
    def idle(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.is_idle]

    @property
    def is_complete(self) -> bool:
        """True when as many workers are ready as there should be."""
        return 0 < self._target == len(self._workers) and all(each.is_ready for each in self._workers.values())

    def _fill(self) -> None:
        if self._target == 0 or self.failure is not None or time.monotonic() < self._not_before:
            return
        if not self._may_start_all:
            self._may_start_all = self._is_cache_warm(self._loader)
        free = (number for number in count(1) if number not in self._workers)
        while len(self._workers) < self._wanted and self._start(next(free)):
            pass

    @property
    def _wanted(self) -> int:
        """Workers that there should be now: on a cold cache one compiles first."""
        return self._target if self._may_start_all else min(1, self._target)

    def _start(self, number: int) -> bool:
        """Start a worker; False if that has failed and must wait."""
        try:
            self._workers[number] = Worker(number, self._loader, self._evaluation)
            self.revision += 1
        except OSError as error:  # no memory, no descriptors, too many processes
            self._failed(f"can't start a worker: {error}")
            return False
        return True

    def _postpone(self) -> None:
        """Wait before the next start, twice as long each time."""
        self._delay_s = min(max(2 * self._delay_s, FIRST_DELAY_S), LONGEST_DELAY_S)
        self._not_before = time.monotonic() + self._delay_s

    # -- what happens --------------------------------------------------------------------------------------------

    def waitables(self) -> list[Any]:
        """What to wait on: pipes and process sentinels."""
        found: list[Any] = []
        for worker in self._workers.values():
            found += [worker.replies, worker.process.sentinel]
        found += [worker.process.sentinel for worker in self._leaving]
        return found

    def next_deadline(self) -> float | None:
        """When `collect` should be called even if nothing happens (monotonic clock); None: never."""
        times = [worker.changed_at + EXIT_GRACE_S for worker in self._leaving]
        times += [
            worker.stopped_at + STUCK_AFTER_S
            for worker in self._workers.values()
            if worker.request is not None and worker.stopped_at is not None
        ]
        if len(self._workers) < self._wanted and self.failure is None:
            times.append(self._not_before)  # perhaps past: then at once
        return min(times, default=None)

    def collect(self, happened: Iterable[Any]) -> list[Event]:
        """Events behind the waitables that became ready; also does what its deadlines ask for."""
        fired = set(happened)
        events: list[Event] = []
        for worker in self.workers:
            is_gone = worker.process.sentinel in fired
            if (is_gone or worker.replies in fired) and not self._read(worker, events, drain=is_gone):
                self._bury(worker, events)
        self._tend()
        self._fill()
        return events

    def _read(self, worker: Worker, events: list[Event], drain: bool) -> bool:
        """Take the reply that is there, or all that are left of a dead worker; False at the end of the pipe."""
        try:
            while not drain or worker.replies.poll():
                event = self._receive(worker, worker.replies.recv())
                if event is not None:
                    events.append(event)
                if not drain:
                    return True
        except (EOFError, OSError):
            pass
        return False

    def _receive(self, worker: Worker, reply: Reply) -> Event | None:
        if isinstance(reply, Hello):
            worker.stage = _Stage.LOADING
            worker.send_block(UseState(), worker.state)
            if self._weights is not None:
                worker.send_block(UseWeights(), self._weights)
            if self._table is not None:
                worker.send_block(UseTable(), self._table)
            return None
        if isinstance(reply, Loading):
            if reply.compiling:
                self._say(f"compiling {reply.done} of {reply.total} kernels")
            return None
        if isinstance(reply, Ready):
            worker.tables_on_the_way -= 1
            if worker.tables_on_the_way > 0:
                return None
            worker.stage = _Stage.READY
            self.failure = None
            worker.changed_at = time.monotonic()
            self._failures = 0
            self._may_start_all = True
            for note in reply.notes:
                self._say_once(note)
            return WorkerReady(worker)
        if isinstance(reply, Failed) and reply.id == 0:
            worker.has_failed = True
            self._failed(f"worker {worker.number} failed: {reply.text}")
            return None
        if worker.request is not None and reply.id == worker.request.id:
            worker.request = None
            worker.stopped_at = None
            return WorkerReplied(worker, reply)
        if isinstance(reply, Evaluated | Failed) and worker.questions.pop(reply.id, None) is not None:
            return WorkerReplied(worker, reply)
        return None

    def _bury(self, worker: Worker, events: list[Event]) -> None:
        """A worker that was not told to leave has ended, or its pipe has."""
        del self._workers[worker.number]
        self.revision += 1
        nodes = worker.nodes
        events.append(WorkerLost(worker, worker.request, nodes, tuple(worker.questions.values())))
        worker.process.kill()
        worker.process.join()
        reason = _reason(worker.process.exitcode)
        now = time.monotonic()
        if worker.stage is _Stage.READY:
            if now - worker.changed_at < LEAST_LIFE_S:
                self._postpone()
            else:
                self._delay_s = 0.0
            self._say(f"worker {worker.number} died ({reason}), replaced")
        elif not worker.has_failed:
            self._failed(f"worker {worker.number} died while loading ({reason})")
        worker.release()

    def _failed(self, text: str) -> None:
        """One more attempt at a worker has failed before it got ready. After several, those that there are must do."""
        self._failures += 1
        self._postpone()
        self._say_once(text)
        if self._failures < MAX_LOAD_FAILURES:
            return
        living = [worker for worker in self._workers.values() if not worker.has_failed]
        if living:
            self._target = len(living)
            self._say_once(f"going on with {len(living)} workers")
        else:
            self.failure = text

    def _tend(self) -> None:
        """See to workers that are leaving and to stuck ones."""
        now = time.monotonic()
        for worker in list(self._leaving):
            if worker.process.exitcode is None and now - worker.changed_at > EXIT_GRACE_S:
                worker.process.kill()
                worker.process.join()
            if worker.process.exitcode is not None:
                self._leaving.remove(worker)
                self.revision += 1
                worker.release()
        for worker in self._workers.values():
            is_stopped = worker.request is not None and worker.stopped_at is not None
            if is_stopped and worker.stopped_at is not None and now - worker.stopped_at > STUCK_AFTER_S:
                worker.process.kill()  # its sentinel will tell

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._say(text)

    # -- the end -------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End all workers and free everything; returns within about EXIT_GRACE_S. Idempotent."""
        self._target = 0
        everybody = [*self._workers.values(), *self._leaving]
        for worker in self._workers.values():
            worker.leave()
        self._workers.clear()
        self._leaving.clear()
        deadline = time.monotonic() + EXIT_GRACE_S
        for worker in everybody:
            worker.process.join(max(0.0, deadline - time.monotonic()))
            if worker.process.exitcode is None:
                worker.process.kill()
        for worker in everybody:
            worker.release()


def put_away(process: BaseProcess) -> None:
    """Wait for the end of a process that has been told to end, and free what belongs to it.

    Starting a process in another thread collects the exit status of all that have ended. Until that thread has written
    it down, this one is told that there is no such process, which multiprocessing takes for one that still runs.
    """
    deadline = time.monotonic() + EXIT_GRACE_S
    while True:
        process.join()
        try:
            process.close()
            return
        except ValueError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.001)


def _reason(exitcode: int | None) -> str:
    if exitcode is None:
        return "still there"
    return f"signal {-exitcode}" if exitcode < 0 else f"exit status {exitcode}"


_hiding = threading.Lock()


@contextlib.contextmanager
def _main_module_hidden() -> Iterator[None]:
    """Keep a starting process from importing the program's main module a second time.

    A spawned process does so to find functions defined there. Workers need none, and the main module may be a script
    without a guard, which would start another engine, or a test runner, which would take seconds.
    """
    with _hiding:
        main = sys.modules.get("__main__")
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            if main is None:
                del sys.modules["__main__"]
            else:
                sys.modules["__main__"] = main


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Start a process with SIGINT blocked, so that Ctrl-C cannot hit it before it has learned to ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # when it starts itself later, it unblocks what is blocked here
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def wake_pipe() -> tuple[Connection[Any, Any], Connection[Any, Any]]:
    """A pipe for waking the thread that waits: (its end, the callers' end)."""
    return _SPAWN.Pipe(duplex=False)
