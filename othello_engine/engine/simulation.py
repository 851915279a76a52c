"""The scheduler with any number of pretended workers, in one thread: how well would the work divide?

A discrete-event simulation whose clock counts nodes. Every pretended worker has a searcher of its own; all searchers
share one table. A search is run in slices of a node limit. After each slice the table holds what it found out and the
search goes on from there, so that the workers see each other's entries at about the time at which real ones would.
What a slice repeats of the one before it is counted, for one worker as for many.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Protocol

from othello_engine.engine.deepening import Deepening, Line, Plan
from othello_engine.engine.scheduler import Outcome, Scheduler, Work
from othello_engine.search.task import Expansion, Task, TaskResult
from othello_engine.types import NO_MOVE

SLICE_NODES = 20_000
"""Nodes between two looks at the other workers. What is repeated to get to where a slice ended does not show in
the sum."""
LATENCY_NODES = 1500
"""Nodes that a worker could have searched while a request or a reply travels (0.15 ms at 10 million a second)."""

_NOTHING = TaskResult(0, NO_MOVE, (), 0, complete=False, first_done=False)


class Searching(Protocol):
    """What a searcher must offer; `search.driver.Searcher` does. stop_flag: set by a run that met its node limit."""

    stop_flag: int

    def run(self, task: Task) -> TaskResult: ...

    def expand(self, task: Task) -> Expansion: ...


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """time: nodes on the critical path. worker_nodes: by worker. tasks: requests handed out."""

    outcome: Outcome
    time: int
    worker_nodes: tuple[int, ...]
    tasks: int

    @property
    def nodes(self) -> int:
        """Nodes of all workers together."""
        return sum(self.worker_nodes)

    @property
    def largest_nodes(self) -> int:
        """Nodes of the worker that had the most to do."""
        return max(self.worker_nodes)


class _Worker:
    def __init__(self, searcher: Searching) -> None:
        self.searcher = searcher
        self.nodes = 0
        self.spent = 0  # of them, for the present work
        self.work: Work[Task] | None = None
        self.is_stopped = False
        self.slice_ends: int | None = None  # while in the middle of a slice that does not end the task
        self.result = _NOTHING
        self.expansion: Expansion | None = None
        self.plan = 0  # number of the one event planned for it that still holds


class Simulation:
    """Pretended workers that outlive one search, as real ones do.

    dies: asked whenever a worker has finished something whether it dies instead of saying so. halt_at: time at which
    every search is halted from outside.
    """

    def __init__(
        self,
        searchers: Sequence[Searching],
        scheduler: Scheduler,
        slice_nodes: int = SLICE_NODES,
        latency: int = LATENCY_NODES,
        dies: Callable[[], bool] | None = None,
        halt_at: int | None = None,
    ) -> None:
        self._scheduler = scheduler
        self._workers = [_Worker(searcher) for searcher in searchers]
        self._slice_nodes = slice_nodes
        self._latency = latency
        self._dies = dies
        self._halt_at = halt_at
        self._events: list[tuple[int, int, Callable[[int], None]]] = []
        self._n_events = 0
        self._n_tasks = 0

    def run(self, task: Task, order: Sequence[int] = ()) -> SimulationResult:
        """One search of the root; the clock starts at zero."""
        self._scheduler.begin(task, order)
        return self._simulate()

    def widen(self, alpha: int, beta: int) -> SimulationResult:
        """The last root again in another window."""
        self._scheduler.widen(alpha, beta)
        return self._simulate()

    def _simulate(self) -> SimulationResult:
        for worker in self._workers:
            worker.nodes = 0
        self._n_tasks = 0
        self._events.clear()
        now = 0
        if self._halt_at is not None:
            self._at(self._halt_at, lambda _: self._scheduler.halt())
        self._feed(now)
        while not self._scheduler.is_over or self._scheduler.n_running:
            if not self._events:
                raise AssertionError("the search came to a standstill")
            now, _, action = heapq.heappop(self._events)
            action(now)
            self._feed(now)
        nodes = tuple(worker.nodes for worker in self._workers)
        return SimulationResult(self._scheduler.outcome(), now, nodes, self._n_tasks)

    # -- what the conductor does --------------------------------------------------------------------------------

    def _feed(self, now: int) -> None:
        idle = [worker for worker in self._workers if worker.work is None]
        while idle:
            work = self._scheduler.take(now, len(idle))
            if work is None:
                break
            worker = idle.pop(0)
            worker.work, worker.is_stopped, worker.spent, worker.result = work, False, 0, _NOTHING
            self._n_tasks += 1
            self._plan(worker, now + self._latency, self._compute)
        for id in self._scheduler.stops():
            for worker in self._workers:
                if worker.work is not None and worker.work.id == id:
                    self._stop(worker, now)
        again = self._scheduler.next_division(len(idle)) if idle else None
        if again is not None:
            self._at(max(now + 1, int(again)), lambda _: None)

    def _stop(self, worker: _Worker, now: int) -> None:
        worker.is_stopped = True
        if worker.slice_ends is not None:  # it would have seen the flag now
            unused = worker.slice_ends - now
            worker.nodes -= unused
            worker.spent -= unused
            worker.slice_ends = None
            self._plan(worker, now + self._latency, self._reply)

    # -- what the workers do ------------------------------------------------------------------------------------

    def _compute(self, worker: _Worker, now: int) -> None:
        work = worker.work
        assert work is not None
        worker.slice_ends = None
        if work.expand:
            worker.expansion = worker.searcher.expand(work.task)
            nodes = worker.expansion.nodes
            worker.nodes += nodes
            self._plan(worker, now + nodes + self._latency, self._reply)
        elif worker.is_stopped:
            self._plan(worker, now + self._latency, self._reply)
        else:
            worker.searcher.stop_flag = 0
            worker.result = worker.searcher.run(replace(work.task, node_limit=self._slice_nodes))
            nodes = worker.result.nodes
            worker.nodes += nodes
            worker.spent += nodes
            if worker.result.complete:
                self._plan(worker, now + nodes + self._latency, self._reply)
            else:
                worker.slice_ends = now + nodes
                self._plan(worker, now + nodes, self._compute)

    def _reply(self, worker: _Worker, now: int) -> None:
        work, worker.work = worker.work, None
        assert work is not None
        if self._dies is not None and self._dies():
            self._scheduler.lost(work.id, worker.spent)
        elif work.expand:
            assert worker.expansion is not None
            self._scheduler.expanded(work.id, worker.expansion)
        else:
            self._scheduler.searched(work.id, replace(worker.result, nodes=worker.spent))

    # -- the clock ----------------------------------------------------------------------------------------------

    def _at(self, time: int, action: Callable[[int], None]) -> None:
        self._n_events += 1
        heapq.heappush(self._events, (time, self._n_events, action))

    def _plan(self, worker: _Worker, time: int, step: Callable[[_Worker, int], None]) -> None:
        """Let the worker take a step at a later time, in place of what was planned for it before."""
        worker.plan += 1
        plan = worker.plan

        def happen(now: int) -> None:
            if plan == worker.plan:
                step(worker, now)

        self._at(time, happen)


@dataclass(frozen=True, slots=True)
class SimulatedRequest:
    """A whole request. time: nodes on the critical path of all its searches together."""

    time: int
    worker_nodes: tuple[int, ...]
    tasks: int
    lines: tuple[Line, ...]

    @property
    def nodes(self) -> int:
        return sum(self.worker_nodes)

    @property
    def largest_nodes(self) -> int:
        return max(self.worker_nodes)


def simulate(plan: Plan, simulation: Simulation, epoch: int = 0) -> SimulatedRequest:
    """Answer a request, iteration by iteration, as the engine would without any limit of time.

    epoch: of the table; another number than before means an empty table.
    """
    deepening = Deepening(plan)
    time = tasks = 0
    nodes: list[int] = []
    while not deepening.is_finished:
        step = deepening.next()
        if step.continues:
            result = simulation.widen(step.task.alpha, step.task.beta)
        else:
            result = simulation.run(replace(step.task, generation=1, epoch=epoch), step.order)
        deepening.report(result.outcome)
        time += result.time
        tasks += result.tasks
        nodes = [sum(pair) for pair in zip_longest(nodes, result.worker_nodes, fillvalue=0)]
    return SimulatedRequest(time, tuple(nodes), tasks, deepening.lines)
