"""The one thread that owns the workers: waits for whatever comes first, and sees to it.

Commands from other threads, replies, deaths of workers and deadlines all meet in one blocking wait. Other threads only
`post` commands, which are run here in order. Nothing in here is allowed to end the thread: what goes wrong becomes the
error of the job that runs, which still gets its answer.
"""

from __future__ import annotations

import logging
import selectors
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection, wait
from typing import Any

from othello_engine.core.layout import EPOCHS
from othello_engine.engine.jobs import Job
from othello_engine.engine.knowledge import Knowledge
from othello_engine.engine.messages import Board, Evaluate, Evaluated, Failed, Feed
from othello_engine.engine.pool import Event, Pool, Worker, WorkerLost, WorkerReplied, wake_pipe
from othello_engine.engine.shared import WORKER_BYTES, SharedBlock, create_table_block, table_size
from othello_engine.errors import EngineError, WorkerError
from othello_engine.search.task import Claim

_log = logging.getLogger(__name__)

LONGEST_WAIT_S = 3600.0
"""Deadlines may be further away than the system's timers can count."""
MAX_FAULTS = 100
"""Faults without a quiet moment between them: the thread gives up rather than spin."""
MAX_CLAIMS = 4096
"""Claims that wait for a worker; beyond that the oldest is forgotten."""


@dataclass(slots=True)
class Question:
    """A static evaluation that somebody waits for. value: once answered; error: if it can't be."""

    board: Board
    value: int = 0
    error: str | None = None
    answered: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class Begin:
    """The command that begins a job."""

    conductor: Conductor
    job: Job

    def __call__(self) -> None:
        self.conductor.begin(self.job)


@dataclass(frozen=True, slots=True)
class Ask:
    """The command that asks a question."""

    conductor: Conductor
    question: Question

    def __call__(self) -> None:
        self.conductor.ask(self.question)


class Conductor:
    """Runs jobs on a pool of workers.

    say: takes messages for the user, on the conductor's thread. eval_file: weights of the evaluation; empty for those
    that come with it.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        evaluation: str,
        threads: int,
        hash_mb: int,
        loader: str,
        eval_file: str = "",
    ) -> None:
        self.ids = count(1)
        self.generation = 0
        self.epoch = 0
        self._draw_value = 0
        self._say = say
        self._threads = threads
        self._hash_mb = hash_mb
        self._knowledge = Knowledge(evaluation, eval_file, self._tell, self.post)
        self._pool = Pool(self._tell, evaluation, loader)
        self._table: SharedBlock | None = None
        self._job: Job | None = None
        self._clear_wanted = False
        self._questions: dict[int, Question] = {}
        self._unasked: deque[Question] = deque()
        self._claims: deque[Claim] = deque(maxlen=MAX_CLAIMS)
        self._commands: deque[Callable[[], None]] = deque()
        self._state = threading.Condition()  # guards what follows, and the pairing of commands with wake-ups
        self._is_awake = False
        self._is_ready = False
        self._is_closing = False
        self._failure: str | None = None
        self._sleeper, self._waker = wake_pipe()
        self._waiter = _Waiter(self._pool, self._sleeper)
        self._thread = threading.Thread(target=self._run, name="othello-engine conductor", daemon=True)

    # -- from any thread ----------------------------------------------------------------------------------------

    def start(self) -> None:
        self._thread.start()

    def post(self, command: Callable[[], None], changes_workers: bool = False) -> None:
        """Run a command on the conductor's thread, after those posted before. changes_workers: the engine counts as
        not ready from now until it is again."""
        with self._state:
            if self._is_closing:
                raise EngineError("the engine is closed")
            self._commands.append(command)
            if changes_workers:
                self._is_ready = False
                self._failure = None
            self._wake()

    @property
    def is_ready(self) -> bool:
        with self._state:
            return self._is_ready

    @property
    def has_ended(self) -> bool:
        """True when its thread is gone, and all its workers with it."""
        return not self._thread.is_alive()

    @property
    def is_own_thread(self) -> bool:
        return threading.current_thread() is self._thread

    def wait_ready(self, timeout: float | None) -> bool:
        """True when all workers are up; False after the timeout. Raises WorkerError if there will be none."""
        with self._state:
            self._state.wait_for(lambda: self._is_ready or self._failure or self._is_closing, timeout)
            if self._is_closing:
                raise EngineError("the engine is closed")
            if self._failure and not self._is_ready:
                raise WorkerError(self._failure)
            return self._is_ready

    def close(self, timeout: float = 2.0) -> None:
        """End the workers and the thread; a running job is answered. Idempotent."""
        with self._state:
            self._is_closing = True
            self._state.notify_all()
            self._wake()
        if not self.is_own_thread and self._thread.is_alive():
            self._thread.join(timeout)

    def _wake(self) -> None:
        if not self._is_awake and not self._waker.closed:
            self._is_awake = True
            self._waker.send_bytes(b"!")

    # -- commands, on the conductor's thread --------------------------------------------------------------------

    def begin(self, job: Job) -> None:
        """Run a job; the one before must be done."""
        assert self._job is None
        self._job = job

    def end(self, job: Job) -> None:
        """Stop a job, if it is the one that runs."""
        if self._job is job:
            job.stop()

    def next_age(self, draw_value: int = 0) -> tuple[int, int]:
        """Generation and epoch for the table entries of a new search.

        draw_value: for Black. The table's estimates hold for one value of a draw only.
        """
        if draw_value != self._draw_value:
            self._draw_value = draw_value
            self.clear_hash()
        self.generation = (self.generation + 1) & 255
        return self.generation, self.epoch

    def use_threads(self, n: int) -> None:
        self._threads = n
        self._set_up()

    def use_hash(self, megabytes: int) -> None:
        """Replace the table by an empty one of another size, if that is a change. Without memory the old one stays."""
        self._hash_mb = megabytes
        old = self._table
        if old is not None and old.size == table_size(megabytes):
            return
        try:
            made = create_table_block(
                megabytes,
                reusable=0 if old is None else old.size,
                reserved=max(0, self._threads - len(self._pool.ready)) * WORKER_BYTES + self._knowledge.bytes_to_come,
            )
        except OSError as error:
            if old is None:
                raise
            self._tell(f"no memory for a table of {megabytes} MiB, the old one stays: {error}")
            return
        self._table = made.block
        self._clear_wanted = False
        self._pool.use_table(made.block)
        if old is not None:
            old.close()
        if made.message:
            self._tell(made.message)

    def use_weights(self, eval_file: str) -> None:
        """Read other weights. What runs next waits for them; a bad file is told of, and the old ones stay."""
        self._knowledge.use(eval_file)
        if self._table is None:
            self._set_up()

    def clear_hash(self) -> None:
        """Empty the table before the next search: its entries are of an epoch that is over. Memory is touched only
        when the epochs come round."""
        self.epoch = (self.epoch + 1) % EPOCHS
        self._clear_wanted = self._clear_wanted or self.epoch == 0
        self._claims.clear()

    def new_game(self) -> None:
        """Forget everything that could change the next search."""
        self.generation = 0
        self.clear_hash()
        self._pool.new_game()

    def ask(self, question: Question) -> None:
        """Have a position evaluated by any worker, even while it searches."""
        ready = self._able
        if ready:
            id = next(self.ids)
            self._questions[id] = question
            ready[0].ask(Evaluate(id, question.board))
        elif self._trouble is not None:
            _answer(question, error=self._trouble)
        else:
            self._unasked.append(question)

    def feed(self, claim: Claim) -> None:
        """Have a claim put into the table before the next search begins."""
        self._claims.append(claim)

    def _feed_table(self) -> bool:
        """Give claims to idle workers; True while some are not yet in the table."""
        for worker in self._able:
            if worker.is_idle and self._claims:
                # As new as the entries of the next search, which is to find them.
                worker.compute(Feed(next(self.ids), self._claims.popleft(), (self.generation + 1) & 255, self.epoch))
        return bool(self._claims) or any(isinstance(worker.request, Feed) for worker in self._pool.ready)

    @property
    def _able(self) -> list[Worker]:
        """Workers that may compute something now."""
        return self._pool.ready if self._knowledge.is_settled else []

    @property
    def _trouble(self) -> str | None:
        """Why nothing can be computed, and won't be; None while there is hope."""
        return self._knowledge.failure or self._pool.failure

    # -- the thread ---------------------------------------------------------------------------------------------

    def _run(self) -> None:
        faults = 0
        is_set_up = False
        while not self._is_closing and faults < MAX_FAULTS:
            try:
                if not is_set_up:
                    is_set_up = True
                    self._set_up()
                self._turn()
                faults = 0
            except Exception as error:
                faults += 1
                _log.debug("fault in the conductor", exc_info=True)
                self._fault(f"{type(error).__name__}: {error} {_place(error)}")
        try:
            self._shut_down("the engine is closed" if self._is_closing else "the engine has failed")
        except Exception:
            _log.exception("fault while closing")

    def _set_up(self) -> None:
        """Get weights and a table, if there are none yet, and as many workers as wanted."""
        try:
            if self._table is None:
                self._knowledge.prepare()
                self._pool.use_weights(self._knowledge.block)
                self.use_hash(self._hash_mb)
            self._pool.resize(self._threads)
        except Exception as error:
            self._pool.failure = f"the engine can't start: {error}"
            self._tell(self._pool.failure)

    def _turn(self) -> None:
        """Wait for something to happen, and see to it."""
        self._run_commands()
        self._step()
        happened = self._waiter.wait(self._timeout())
        if self._sleeper in happened:
            with self._state:
                self._sleeper.recv_bytes()
                self._is_awake = False
        for event in self._pool.collect(happened):
            self._see_to(event)

    def _timeout(self) -> float | None:
        with self._state:
            if self._commands or self._is_closing:
                return 0.0
        times = [self._pool.next_deadline(), self._job.wake_at() if self._job is not None else None]
        known = [each for each in times if each is not None]
        return max(0.0, min(min(known) - time.monotonic(), LONGEST_WAIT_S)) if known else None

    def _run_commands(self) -> None:
        while True:
            with self._state:
                if not self._commands or self._is_closing:
                    return
                command = self._commands.popleft()
            command()

    def _see_to(self, event: Event) -> None:
        if isinstance(event, WorkerReplied):
            reply = event.reply
            question = self._questions.pop(reply.id, None) if isinstance(reply, Evaluated | Failed) else None
            if question is not None:
                if isinstance(reply, Evaluated):
                    _answer(question, reply.value)
                else:
                    assert isinstance(reply, Failed)
                    _answer(question, error=reply.text)
            elif self._job is not None:
                self._job.replied(event.worker, reply)
        elif isinstance(event, WorkerLost):
            if self._job is not None and event.request is not None:
                self._job.lost(event.request, event.nodes)
            for asked in event.questions:
                question = self._questions.pop(asked.id, None)
                if question is not None:
                    self.ask(question)

    def _step(self) -> None:
        """Let the job go on as far as it can, and deal with what has changed about readiness."""
        is_quiet = all(worker.request is None for worker in self._pool.ready)
        if self._knowledge.has_news and is_quiet and not self._questions:
            self._knowledge.change_over()
            self.clear_hash()  # its scores are those of the old weights
        if self._able or self._trouble is not None:
            while self._unasked:
                self.ask(self._unasked.popleft())
        if self._clear_wanted and is_quiet:
            self._clear_wanted = False
            self._pool.new_game()  # the tables of their own, too, hold entries of the epoch that begins again
            if self._table is not None:
                self._table.clear()
        if not self._clear_wanted:
            self._feed_table()
        while self._job is not None:
            # A search must not begin while leftovers of the one before could still write into the cleared table.
            must_wait = self._clear_wanted or self._feed_table()
            self._job.step([] if must_wait else self._able, self._trouble)
            if not self._job.is_done:
                break
            job, self._job = self._job, None
            job.finish()
            self._run_commands()
        with self._state:
            is_complete = self._pool.is_complete and self._knowledge.is_settled
            if is_complete and not self._commands and not self._is_ready:
                self._is_ready = True
                self._state.notify_all()
            if self._failure != self._trouble:
                self._failure = self._trouble
                self._state.notify_all()

    def _fault(self, text: str) -> None:
        """Something here went wrong: the job ends with a legal move and the reason."""
        job, self._job = self._job, None
        if job is None:
            self._tell(f"internal error: {text}")
            return
        try:
            job.fail(text)
        finally:
            job.finish()

    def _shut_down(self, reason: str) -> None:
        with self._state:
            self._is_closing = True
            left = list(self._commands)
            self._commands.clear()
            self._state.notify_all()
        for command in left:  # a job or a question that was only just posted still gets its answer
            if isinstance(command, Begin):
                command()
            elif isinstance(command, Ask):
                self._unasked.append(command.question)
        job, self._job = self._job, None
        self._pool.close()
        if self._table is not None:
            self._table.close()
        self._knowledge.close()
        for question in [*self._questions.values(), *self._unasked]:
            _answer(question, error=reason)
        if job is not None:
            job.fail(reason)
            job.finish()
        self._waiter.close()
        with self._state:
            for pipe in (self._sleeper, self._waker):
                pipe.close()

    def _tell(self, text: str) -> None:
        try:
            self._say(text)
        except Exception:
            _log.exception("a message callback failed")


class _Waiter:
    """Waits for a pool and for the conductor's own pipe.

    `multiprocessing.connection.wait` sets everything up anew for each wait, which costs as much as all the rest of a
    turn. Where a selector can watch pipes and sentinels, it is kept as long as they are the same.
    """

    def __init__(self, pool: Pool, sleeper: Connection[Any, Any]) -> None:
        self._pool = pool
        self._sleeper = sleeper
        self._revision = -1
        self._selector: selectors.BaseSelector | None = None

    def wait(self, timeout: float | None) -> list[Any]:
        """What has become readable, or has ended, within `timeout` seconds."""
        if sys.platform == "win32":
            return wait([self._sleeper, *self._pool.waitables()], timeout)
        if self._selector is None or self._revision != self._pool.revision:
            self.close()
            self._revision = self._pool.revision
            self._selector = selectors.DefaultSelector()
            for waitable in (self._sleeper, *self._pool.waitables()):
                self._selector.register(waitable, selectors.EVENT_READ)
        return [key.fileobj for key, _ in self._selector.select(timeout)]

    def close(self) -> None:
        if self._selector is not None:
            self._selector.close()
            self._selector = None


def _answer(question: Question, value: int = 0, error: str | None = None) -> None:
    question.value, question.error = value, error
    question.answered.set()


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"({frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno})" if frames else ""
