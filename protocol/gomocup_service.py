"""What makes every answer come in time, whatever the engine does: deadlines, and moves that are found without it.

A dialect is a subclass of `PunctualService`: it says what a task is and how its answer is spelled. A task waits for the
kernels only as long as its own time allows. A search that should have ended is told to, and is not waited for if it
does not; the engine then counts as busy until it comes out with a result that nobody wants any more.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

from othello_engine.gomoku.plain import quick_move
from othello_engine.gomoku.position import NO_CELL, GomokuPosition
from othello_engine.types import SearchInfo, SearchResult
from protocol.gomocup_info import Allowance
from protocol.gomocup_opening import Plan, Question
from protocol.service import Event, Found, Reported, Search, Service, Task, Wiring, describe

STOP_PATIENCE_MS = 40
"""A search that was told to stop has so much time to come out with its move; then the best one so far is taken."""
COMFORT_PART = 0.6
"""Lines for people come only in this part of a move's time: some managers look at the clock when a line comes."""
LEAST_TALKING_MS = 200
"""A move with less time than this has one line for people, at its end."""


@dataclass(slots=True, kw_only=True)
class Loading(Task):
    """Waits for the kernels, until this time by the service's clock."""

    due: float


@dataclass(slots=True, kw_only=True)
class Move(Search):
    """A request for a move. asked_at: by the service's clock. best: the last line that came. avoid: cells that a move
    without a search had better not take."""

    position: GomokuPosition
    asked_at: float
    allowance: Allowance
    avoid: frozenset[int] = frozenset()
    best: SearchInfo | None = None

    @property
    def is_on_clock(self) -> bool:
        """False: it waits for the kernels, as long as its own time allows."""
        return False


@dataclass(slots=True, kw_only=True)
class Planning(Task):
    """A request that takes several searches. asked_at: as of a Move. question: of the search that runs."""

    asked_at: float
    allowance: Allowance
    plan: Plan
    question: Question


class PunctualService(Service):
    """A service whose searches are answered in time."""

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring)
        self.hashfull = 0
        """Use of the table as last reported, per mille."""
        self._late: int | None = None
        """The generation of a search that was answered before it had ended."""
        self._when_free: list[Callable[[], None]] = []

    # -- what a dialect says -----------------------------------------------------------------------------------

    @abstractmethod
    def say_note(self, text: str) -> None:
        """A line for people, without which nothing is missing."""

    @abstractmethod
    def answer_loading(self) -> None:
        """The kernels are loaded, or are not waited for any longer."""

    @abstractmethod
    def answer_plan(self, task: Planning, answer: str) -> None:
        """The answer that a plan has come to."""

    # -- tasks -------------------------------------------------------------------------------------------------

    def start_task(self, task: Task) -> None:
        """As for every service; but behind a search that has not come to its end the engine is not free yet."""
        if self._late is not None and not isinstance(task, Loading):
            self.task = task
        else:
            super().start_task(task)

    def begin(self, task: Move | Planning) -> None:
        """Starts a task; it has its answer even if there is no engine."""
        try:
            self.start_task(task)
        except Exception as error:
            self._fail_task(task, describe(error))

    def launch(self, task: Task) -> None:
        """Hands a task to the engine; the time that has gone by since a move was asked for is gone."""
        if isinstance(task, Move):
            task.limits = task.allowance.limits_after(self.ms_since(task))
        super().launch(task)

    def launch_other(self, task: Task) -> None:
        """A plan begins with its first question. Loading has waited for nothing else than this."""
        if isinstance(task, Planning):
            self._ask(task)
        else:
            self.give_up_other(task)

    def give_up_other(self, task: Task) -> None:
        """A task that is no search was stopped before the engine had it, or the engine could not take it."""
        if isinstance(task, Planning):
            self._end_without_engine(task)
        else:
            self.answer_loading()
            self.end_task()

    def _give_up(self, task: Task, problem: str | None = None) -> None:
        """The answer of a task that was stopped before the engine had it, or that it could not take."""
        if isinstance(task, Move):
            if problem is not None:
                self.say_note(f"internal error: {problem}")
            self._answer_move(task, self._best_so_far(task))
        else:
            self.give_up_other(task)

    def finish_search(self, search: Search, result: SearchResult) -> None:
        """The search has ended: whatever the engine came out with, the answer is an empty cell."""
        assert isinstance(search, Move)
        if result.error is not None or result.best_move not in search.position.legal_moves:
            problem = result.error or f"the search came out with the cell {result.best_move}"
            self.say_note(f"internal error: {problem}")
            result = self._best_so_far(search)
        self._answer_move(search, result)

    def _answer_move(self, move: Move, result: SearchResult) -> None:
        self.answer(move, result)
        if self.task is move:
            self.end_task()

    def _best_so_far(self, search: Move) -> SearchResult:
        """The move of the last line that came, or one without a search."""
        best = search.best
        if best is not None and best.pv and best.pv[0] in search.position.legal_moves:
            return SearchResult(best.pv[0], NO_CELL, (best,), best.nodes, best.time_ms)
        self.say_note("there was no time for a search: a move at a glance")
        return SearchResult(quick_move(search.position, avoid=search.avoid), NO_CELL, (), 0, 0)

    def do_when_free(self, job: Callable[[], None]) -> None:
        """Does what the engine refuses while it searches, now or when it has come to rest."""
        if self.is_free:
            job()
        else:
            self._when_free.append(job)

    @property
    def is_free(self) -> bool:
        """True unless the engine is behind with a search that was answered without it."""
        return self._late is None

    def _take(self, event: Event) -> None:
        task = self.task
        if isinstance(event, Reported) and isinstance(task, Move) and event.generation == task.generation:
            self.hashfull = event.info.hashfull
            if event.info.rank == 1:
                task.best = event.info
        if isinstance(event, Found) and event.generation == self._late:
            self._late = None
            jobs, self._when_free = self._when_free, []
            for job in jobs:
                job()
            if task is not None and not task.launched:
                super().start_task(task)
        super()._take(event)

    # -- plans -------------------------------------------------------------------------------------------------

    def _ask(self, task: Planning) -> None:
        """Searches what the plan wants to know, in its part of the time that is left."""
        question = task.question
        limits = replace(task.allowance.limits, multipv=min(question.n_lines, len(question.position.legal_moves)))
        if not task.allowance.is_instant:
            assert task.allowance.thinking_ms is not None
            left_ms = task.allowance.thinking_ms - self.ms_since(task)
            share_ms = max(1, round(left_ms * question.share)) + self.config.move_overhead_ms
            limits = replace(limits, move_time_ms=share_ms, black_ms=None, white_ms=None)
        self.go(task.generation, question.position, limits)

    def take_result(self, task: Task, result: SearchResult) -> None:
        """The result of a search: the move, or the next step of a plan."""
        if not isinstance(task, Planning):
            super().take_result(task, result)
            return
        try:
            task.question = task.plan.send(result)
        except StopIteration as end:
            self._end_plan(task, end.value)
            return
        if task.stopping or task.allowance.is_instant:
            self._end_without_engine(task)
            return
        task.generation = self.next_generation()
        self._ask(task)

    def _end_without_engine(self, task: Planning) -> None:
        """Whatever the plan still wants to know is not found out."""
        try:
            while True:
                move = quick_move(task.question.position)
                task.question = task.plan.send(SearchResult(move, NO_CELL, (), 0, 0))
        except StopIteration as end:
            self._end_plan(task, end.value)

    def _end_plan(self, task: Planning, answer: str) -> None:
        self.answer_plan(task, answer)
        if self.task is task:
            self.end_task()

    # -- the clock ---------------------------------------------------------------------------------------------

    def ms_since(self, task: Move | Planning) -> float:
        """Milliseconds since a task was asked for."""
        return 1000 * (self._clock() - task.asked_at)

    def is_comfortable(self, task: Move | Planning) -> bool:
        """True if so much of a task's time is left that a line more does no harm."""
        end_ms = task.allowance.answer_ms
        return end_ms is None or (end_ms >= LEAST_TALKING_MS and self.ms_since(task) < COMFORT_PART * end_ms)

    def stop_now(self) -> None:
        """Ends the search that runs; its answer comes soon, from the engine or without it."""
        task = self.task
        if isinstance(task, Move | Planning):
            answer_ms = _earliest(task.allowance.answer_ms, self.ms_since(task) + STOP_PATIENCE_MS)
            task.allowance = replace(task.allowance, answer_ms=answer_ms)
        self.stop_task()

    def stop_at_end_of_input(self) -> None:
        """Nobody will say anything any more: what is owed is given now."""
        if self.task is not None and not self.task.stopping:
            self.stop_now()

    def _due_in(self) -> float | None:
        """Seconds until `_watch_clock` has something to do; None if only other events matter."""
        task = self.task
        if isinstance(task, Loading):
            return max(0.0, task.due - self._clock())
        if not isinstance(task, Move | Planning):
            return None
        allowance = task.allowance
        if not task.launched:
            end_ms = _earliest(allowance.patience_ms, allowance.answer_ms)
        elif task.stopping:
            end_ms = allowance.answer_ms
        else:
            end_ms = allowance.stop_ms
        return None if end_ms is None else max(0.0, (end_ms - self.ms_since(task)) / 1000)

    def _seconds_to_wait(self) -> float | None:
        return _earliest(super()._seconds_to_wait(), self._due_in())

    def _do_what_is_due(self) -> None:
        super()._do_what_is_due()
        if self.exit_status is None:
            self._watch_clock()

    def _watch_clock(self) -> None:
        """Whatever happens, an answer is given in its time."""
        while self._due_in() == 0:
            task = self.task
            assert task is not None
            if not task.launched or not task.stopping:
                self.stop_task()
            elif self._events.empty():
                self._answer_without_engine(task)
            else:  # what has come meanwhile may be the result
                return

    def _answer_without_engine(self, task: Task) -> None:
        """The engine does not come out with its result: it is not waited for."""
        self._late = task.generation
        if isinstance(task, Planning):
            self._end_without_engine(task)
        elif isinstance(task, Move):
            self._answer_move(task, self._best_so_far(task))


def _earliest(*times: float | None) -> float | None:
    return min((each for each in times if each is not None), default=None)
