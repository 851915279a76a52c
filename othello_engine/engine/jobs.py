"""What the conductor works on, one at a time: a search, or a count of leaves. Policy without processes or waiting.

A job is stepped by the conductor whenever something has happened or its `wake_at` has come. It gives work to idle
workers, takes what they reply, and is done when `is_done`; then `finish` tells whoever asked. Callbacks are made from
`step` and `finish`, on the conductor's thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

from othello_engine.core import plain
from othello_engine.engine.clock import (
    NO_LIMIT,
    Budget,
    Verdict,
    may_solve,
    may_start,
    solve_cost_ms,
    unrest,
)
from othello_engine.engine.deepening import LATER_MARGIN, Iteration, Line, Step, document_score
from othello_engine.engine.messages import Counted, Expand, Expanded, Failed, Perft, Reply, Search, Searched
from othello_engine.engine.pool import Compute, Worker
from othello_engine.types import N_SQUARES, NO_MOVE, RootValue, SearchInfo, SearchResult

STOP_GRACE_S = 0.008
"""How long a stopped search waits for its workers' last replies, which take a fraction of that; afterwards it answers
with what it has, so that a worker without processor time can't delay an answer."""
NODE_CHECK_S = 0.002
"""How often the node counts of several workers are added up when nodes are limited."""
HEARTBEAT_S = 1.0
"""A search without news repeats its best line with the present node count."""
PONDER_SOLVE_MS = 10_000
"""A solve that is likely to take no longer than this is begun while pondering; otherwise deeper plies come first."""
MAX_LOSSES = 3
"""Workers in a row that may die over a job without anything coming back: then the job itself is deadly."""
PERFT_SPLIT_DEPTH = 3
"""Plies that the parent lists itself when several workers count: a few hundred positions to hand out."""
PERFT_ALONE_DEPTH = 7
"""Up to this depth a perft is one request: it takes less time than dividing it."""


class Job(Protocol):
    """A search or a perft."""

    @property
    def is_done(self) -> bool: ...
    def step(self, workers: list[Worker], failure: str | None) -> None:
        """Go on. workers: those that are ready. failure: why there are none and will be none."""

    def replied(self, worker: Worker, reply: Reply) -> None: ...
    def lost(self, request: Compute, nodes: int) -> None: ...
    def wake_at(self) -> float | None: ...
    def stop(self) -> None: ...
    def fail(self, text: str) -> None:
        """Something inside has gone wrong: answer as well as possible."""

    def finish(self) -> None:
        """Tell whoever asked. Called once, when done."""


# -- search ------------------------------------------------------------------------------------------------------


class Iterations(Protocol):
    """Which searches answer a request: what a SearchJob needs of a `Deepening`, which is one; so each game has its own.

    Outcomes are what the Division that goes with it gives.
    """

    @property
    def lines(self) -> tuple[Line, ...]:
        """Best first: what would be answered now."""

    @property
    def is_finished(self) -> bool: ...
    @property
    def is_between_iterations(self) -> bool: ...
    @property
    def iteration(self) -> Iteration: ...
    @property
    def progress(self) -> tuple[int, int]: ...
    @property
    def is_silent(self) -> bool:
        """True if only the line that is chosen in the end is told: the better ones would give the mistake away."""

    @property
    def wants_proof(self) -> bool:
        """True if a solve is asked for, whether it is likely to end in time or not."""

    def hand_over(self, fits: Callable[[Iteration, float], bool]) -> None: ...
    def next(self) -> Step[Any]: ...
    def report(self, outcome: Any) -> tuple[Line, ...]: ...
    def interrupt(self, outcome: Any) -> None: ...
    def worth(self, line: Line) -> float:
        """The score of a line in the unit of the time model's thresholds."""

    def solve_share(self, iteration: Iteration) -> float:
        """What a solve costs, in terms of an exact one of the same empties."""

    def conclusion(self) -> tuple[tuple[Line, ...], int]:
        """The lines of the answer, best first, and its move, which is legal whatever has happened."""

    def root_values(self) -> tuple[RootValue, ...]:
        """What is known of the root moves besides, for those who show it; best first."""


class Division(Protocol):
    """How a search is divided among workers: what a SearchJob needs of a `Scheduler`, which is one."""

    @property
    def is_over(self) -> bool: ...
    @property
    def n_running(self) -> int: ...
    def begin(self, task: Any, order: tuple[int, ...] = ()) -> None: ...
    def widen(self, alpha: int, beta: int) -> None: ...
    def halt(self) -> None: ...
    def outcome(self) -> Any: ...
    def take(self, now: float, idle: int, budget: int = 0) -> Any: ...
    def next_division(self, idle: int) -> float | None: ...
    def stops(self) -> list[int]: ...
    def searched(self, id: int, result: Any) -> None: ...
    def expanded(self, id: int, expansion: Any) -> None: ...
    def lost(self, id: int, nodes: int = 0) -> None: ...


@dataclass(frozen=True, slots=True)
class SearchOrder:
    """What a search is asked, as a plan of its game, and when it has to end.

    budget: counts from `asked_at`, or, if `waits_for_workers`, from when there are some; while `pondering`, from the
    ponder hit. is_open: only a stop brings the result. node_limit: 0 = none. clean_table: nothing that earlier searches
    have left in the table may count. no_move: stands for none in the result.
    """

    plan: Any
    budget: Budget = NO_LIMIT
    node_limit: int = 0
    clean_table: bool = False
    is_open: bool = False
    pondering: bool = False
    waits_for_workers: bool = True
    asked_at: float = 0.0
    no_move: int = NO_MOVE


class SearchJob:
    """One `go`. age: gives the (generation, epoch) to stamp on table entries, asked when the search begins."""

    def __init__(
        self,
        order: SearchOrder,
        deepening: Iterations,
        scheduler: Division,
        on_info: Callable[[SearchInfo], None],
        on_result: Callable[[SearchResult], None],
        age: Callable[[], tuple[int, int]] = lambda: (0, 0),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.is_pondering = order.pondering
        self._order = order
        self._age: tuple[int, int] | None = None
        self._next_age = age
        self._deepening = deepening
        self._scheduler = scheduler
        self._on_info = on_info
        self._on_result = on_result
        self._clock = clock
        self._is_open = order.is_open or order.pondering
        self._counts_from: float | None = None if order.pondering or order.waits_for_workers else order.asked_at
        self._given: dict[int, Worker] = {}  # by id of the work
        self._nodes: dict[int, int] = {}  # by number of the worker, of finished work
        self._hashfull = 0
        self._is_searching = False  # a step of the deepening is with the scheduler
        self._stop_requested = False
        self._halted_at: float | None = None
        self._losses = 0
        self._error: str | None = None
        self._n_idle = 0
        self._iteration_began = 0.0
        self._durations = (0.0, 0.0)  # of the last two iterations, the later one first
        self._verdicts: list[Verdict] = []  # of the midgame iterations
        self._n_workers = 1
        self._told_at = order.asked_at
        self._told: tuple[SearchInfo, ...] = ()
        self._is_exhausted = False  # nothing more to find out, or no time to
        self.is_done = False

    # -- from outside -------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Answer now."""
        self._stop_requested = True
        self._is_open = False

    def ponder_hit(self, now: float) -> None:
        """The guessed move was played: the budget starts."""
        self._is_open = self._order.is_open
        self._counts_from = now

    def fail(self, text: str) -> None:
        self._error = text
        self.stop()
        self._scheduler.halt()
        self._pass_on_stops()
        self._deepening.interrupt(None)
        self._halted_at = float("-inf")  # nothing that still comes can be relied on
        self._end()

    def finish(self) -> None:
        result = self._result()
        if self._deepening.is_silent:
            for info in result.lines:
                self._on_info(info)
        self._on_result(result)

    # -- the conductor's turn -----------------------------------------------------------------------------------

    def step(self, workers: list[Worker], failure: str | None) -> None:
        if self.is_done:
            return
        now = self._clock()
        self._n_workers = max(1, len(workers))
        if workers and self._counts_from is None and not self._order.pondering:
            self._counts_from = now
        if failure is not None and not workers:
            self._error = failure
            self._deepening.interrupt(None)
            self._is_exhausted = True
        if self._stop_requested or self._is_out_of_time(now) or self._is_out_of_nodes():
            self._halt(now)
        while not self.is_done:
            if self._halted_at is not None:
                if self._scheduler.n_running and now - self._halted_at < STOP_GRACE_S:
                    break
                self._conclude()
            elif self._is_exhausted:
                if self._is_open:
                    break  # waits silently for stop
                self._end()
            elif not self._is_searching:
                self._begin_step(now)
            elif self._scheduler.is_over:
                self._end_step(now)
            else:
                break
        if not self.is_done and self._halted_at is None and not self._is_exhausted:
            self._feed([worker for worker in workers if worker.is_idle], now)
            self._heartbeat(now)
        self._pass_on_stops()

    def wake_at(self) -> float | None:
        if self.is_done:
            return None
        now = self._clock()
        times = []
        if self._halted_at is not None:
            return self._halted_at + STOP_GRACE_S
        deadline = self._deadline()
        if deadline is not None and not self._is_open:
            times.append(deadline)
        if self._is_exhausted:
            return min(times, default=None)
        if self._is_searching:
            times.append(self._told_at + HEARTBEAT_S)
            if self._order.node_limit and len(self._given) > 1:
                times.append(now + NODE_CHECK_S)
            if self._n_idle:
                division = self._scheduler.next_division(self._n_idle)
                if division is not None:
                    times.append(division)
        return min(times, default=None)

    def replied(self, worker: Worker, reply: Reply) -> None:
        if isinstance(reply, Searched | Expanded | Failed) and self._given.pop(reply.id, None) is None:
            return
        self._losses = 0
        if isinstance(reply, Searched):
            self._hashfull = reply.hashfull
            self._add_nodes(worker, reply.result.nodes)
            self._scheduler.searched(reply.id, reply.result)
        elif isinstance(reply, Expanded):
            self._add_nodes(worker, reply.expansion.nodes)
            self._scheduler.expanded(reply.id, reply.expansion)
        elif isinstance(reply, Failed):
            self.fail(reply.text)

    def lost(self, request: Compute, nodes: int) -> None:
        worker = self._given.pop(request.id, None)
        if worker is None:
            return
        self._add_nodes(worker, nodes)
        self._scheduler.lost(request.id, nodes)
        self._losses += 1
        if self._losses >= MAX_LOSSES:
            self.fail(f"{self._losses} workers died over this search")

    # -- steps of the deepening ---------------------------------------------------------------------------------

    def _begin_step(self, now: float) -> None:
        deepening = self._deepening
        if 0 < self._order.node_limit <= self.nodes:
            deepening.interrupt(None)
        deepening.hand_over(lambda iteration, margin: self._fits(iteration, margin, now))
        if deepening.is_finished or (deepening.is_between_iterations and not self._may_start(now)):
            self._is_exhausted = True
            return
        step = deepening.next()
        if step.is_new:
            self._iteration_began = now
        if step.continues:
            self._scheduler.widen(step.task.alpha, step.task.beta)
        else:
            if self._age is None:
                self._age = self._next_age()
            generation, epoch = self._age
            self._scheduler.begin(replace(step.task, generation=generation, epoch=epoch), step.order)
        self._is_searching = True

    def _end_step(self, now: float) -> None:
        outcome = self._scheduler.outcome()
        if not outcome.settled:  # a worker reached the node limit
            self._halt(now)
            return
        self._is_searching = False
        iteration = self._deepening.iteration
        lines = self._deepening.report(outcome)
        if lines:
            if not iteration.is_solve:
                best = lines[0]
                self._verdicts.append(Verdict(best.move, self._deepening.worth(best)))
            self._durations = (now - self._iteration_began, self._durations[0])
            if not self._deepening.is_silent:
                self._tell(lines, now)

    def _may_start(self, now: float) -> bool:
        """True if the clock lets another iteration begin."""
        if self._is_open or self._counts_from is None:
            return True
        budget = self._order.budget
        elapsed_ms = (now - self._counts_from) * 1000
        iteration = self._deepening.iteration
        if iteration.is_solve and not budget.may_overrun_soft:
            if self._deepening.wants_proof:
                return budget.hard_ms is None or elapsed_ms < budget.hard_ms
            return self._fits(iteration, LATER_MARGIN, now)
        last, before = (duration * 1000 for duration in self._durations)
        return may_start(budget, elapsed_ms, last, before, unrest(self._verdicts))

    def _fits(self, iteration: Iteration, margin: float, now: float) -> bool:
        """True if a solve fits in the time, so many times over."""
        cost_ms = solve_cost_ms(iteration.depth, self._n_workers, self._deepening.solve_share(iteration))
        if self._is_open or self._counts_from is None:
            return cost_ms <= PONDER_SOLVE_MS
        return may_solve(self._order.budget, (now - self._counts_from) * 1000, cost_ms, margin)

    def _halt(self, now: float) -> None:
        if self._halted_at is None:
            self._halted_at = now
            self._scheduler.halt()

    def _conclude(self) -> None:
        """Take what the halted step has come to."""
        if self._is_searching:
            outcome = self._scheduler.outcome()
            self._is_searching = False
            before = self._deepening.progress
            if outcome.settled:
                self._deepening.report(outcome)
            # An outcome that has given a line is used up; one that missed its window may still prove a better move.
            self._deepening.interrupt(outcome if self._deepening.progress == before else None)
        else:
            self._deepening.interrupt(None)
        self._halted_at = None
        self._is_exhausted = True

    def _end(self) -> None:
        self.is_done = True

    # -- workers ------------------------------------------------------------------------------------------------

    def _feed(self, idle: list[Worker], now: float) -> None:
        """Give the idle workers something to do."""
        while idle:
            left = 0
            if self._order.node_limit:
                left = max(1, self._order.node_limit - self.nodes)
            work = self._scheduler.take(now, len(idle), left)
            if work is None:
                break
            worker = idle.pop(0)
            self._given[work.id] = worker
            worker.compute(Expand(work.id, work.task) if work.expand else Search(work.id, work.task))
        self._n_idle = len(idle)

    def _pass_on_stops(self) -> None:
        for id in self._scheduler.stops():
            worker = self._given.get(id)
            if worker is not None and worker.request is not None and worker.request.id == id:
                worker.stop()

    def _add_nodes(self, worker: Worker, nodes: int) -> None:
        self._nodes[worker.number] = self._nodes.get(worker.number, 0) + nodes

    # -- limits -------------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> int:
        """Nodes so far, those of running work included."""
        return sum(self._nodes.values()) + sum(worker.nodes for worker in self._given.values())

    def _deadline(self) -> float | None:
        budget = self._order.budget
        is_solving = self._is_searching and self._deepening.iteration.is_solve
        limit_ms = budget.solve_ms if is_solving else budget.hard_ms
        if self._counts_from is None or limit_ms is None:
            return None
        return self._counts_from + limit_ms / 1000

    def _is_out_of_time(self, now: float) -> bool:
        deadline = self._deadline()
        return not self._is_open and deadline is not None and now >= deadline

    def _is_out_of_nodes(self) -> bool:
        limit = self._order.node_limit
        return limit > 0 and len(self._given) > 1 and not self._is_open and self.nodes >= limit

    # -- reports ------------------------------------------------------------------------------------------------

    def _tell(self, lines: tuple[Line, ...], now: float) -> None:
        self._told = self._infos(lines)
        self._told_at = now
        for info in self._told:
            self._on_info(info)

    def _heartbeat(self, now: float) -> None:
        if now - self._told_at >= HEARTBEAT_S:
            if self._deepening.lines and not self._deepening.is_silent:
                self._tell(self._deepening.lines, now)
            self._told_at = now

    def _infos(self, lines: tuple[Line, ...]) -> tuple[SearchInfo, ...]:
        nodes = self.nodes
        seconds = max(0.0, self._clock() - self._order.asked_at)
        return tuple(
            SearchInfo(
                depth=line.depth,
                selective_depth=line.selective_depth,
                selectivity=line.selectivity,
                rank=rank,
                score=line.score,
                nodes=nodes,
                time_ms=int(seconds * 1000),
                nps=int(nodes / seconds) if seconds > 0 else 0,
                hashfull=self._hashfull,
                pv=line.pv,
                complete=line.complete,
            )
            for rank, line in enumerate(lines, 1)
        )

    def _result(self) -> SearchResult:
        lines, best_move = self._deepening.conclusion()
        infos = self._infos(lines)
        n_workers = max(self._nodes, default=0)
        return SearchResult(
            best_move=best_move,
            ponder_move=lines[0].pv[1] if lines and len(lines[0].pv) > 1 else self._order.no_move,
            lines=infos,
            nodes=self.nodes,
            time_ms=int(max(0.0, self._clock() - self._order.asked_at) * 1000),
            document_score=document_score(lines[0]) if lines else 0,
            worker_nodes=tuple(self._nodes.get(number, 0) for number in range(1, n_workers + 1)),
            error=self._error,
            root_values=self._deepening.root_values(),
        )


# -- perft -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PerftResult:
    """Leaves at `depth`, the deepest one counted in full (0 if none was).

    time_ms: what counting that depth took. error: why the count ended early, if it was not stopped.
    """

    depth: int
    nodes: int
    time_ms: int
    error: str | None = None


class PerftJob:
    """Counts the leaves of all depths up to one. A forced pass is a ply, a finished game one leaf."""

    def __init__(
        self,
        player: int,
        opponent: int,
        depth: int,
        ids: Iterator[int],
        on_info: Callable[[int, int, int], None],
        on_result: Callable[[PerftResult], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._board = player, opponent
        self._target = depth
        self._ids = ids
        self._on_info = on_info
        self._on_result = on_result
        self._clock = clock
        self._depth_began = clock()
        self._depth = 0
        self._waiting: list[tuple[int, int, int]] = []
        self._given: dict[int, tuple[Worker, tuple[int, int, int]]] = {}
        self._count = 0
        self._best = PerftResult(0, 0, 0)
        self._losses = 0
        self.is_done = False

    def stop(self) -> None:
        self._end()

    def fail(self, text: str) -> None:
        self._best = replace(self._best, error=text)
        self._end()

    def finish(self) -> None:
        self._on_result(self._best)

    def step(self, workers: list[Worker], failure: str | None) -> None:
        if failure is not None and not workers:
            self.fail(failure)
        if not workers:
            return
        while not self.is_done and not self._waiting and not self._given:
            self._next_depth(len(workers))
        for worker in workers:
            if worker.is_idle and self._waiting:
                part = self._waiting.pop()
                request = Perft(next(self._ids), *part)
                self._given[request.id] = worker, part
                worker.compute(request)

    def wake_at(self) -> float | None:
        return None

    def replied(self, worker: Worker, reply: Reply) -> None:
        if isinstance(reply, Counted | Failed) and self._given.pop(reply.id, None) is None:
            return
        self._losses = 0
        if isinstance(reply, Failed):
            self.fail(reply.text)
        elif isinstance(reply, Counted) and reply.nodes is not None:
            self._count += reply.nodes

    def lost(self, request: Compute, nodes: int) -> None:
        _, part = self._given.pop(request.id, (None, None))
        if part is not None:
            self._waiting.append(part)
            self._losses += 1
            if self._losses >= MAX_LOSSES:
                self.fail(f"{self._losses} workers died over this count")

    def _next_depth(self, n_workers: int) -> None:
        """Report the depth that is counted, if one is, and list what the next one needs."""
        if self._depth:
            time_ms = int((self._clock() - self._depth_began) * 1000)
            self._best = PerftResult(self._depth, self._count, time_ms)
            self._on_info(self._depth, self._count, time_ms)
        if self._depth >= self._target:
            self._end()
            return
        self._depth += 1
        self._depth_began = self._clock()
        self._count = 0
        if self._depth <= PERFT_ALONE_DEPTH or n_workers == 1:
            self._waiting = [(*self._board, self._depth)]
        else:
            positions, finished = _positions_after(*self._board, PERFT_SPLIT_DEPTH)
            self._count = finished
            self._waiting = [(*board, self._depth - PERFT_SPLIT_DEPTH) for board in positions]

    def _end(self) -> None:
        """Done, counted or not; workers still at it are stopped and their counts dropped."""
        self.is_done = True
        self._waiting.clear()
        for id, (worker, _) in self._given.items():
            if worker.request is not None and worker.request.id == id:
                worker.stop()
        self._given.clear()


def _positions_after(player: int, opponent: int, plies: int) -> tuple[list[tuple[int, int]], int]:
    """All positions after so many plies, one for every line of play, and the lines that ended before."""
    boards, finished = [(player, opponent)], 0
    for _ in range(plies):
        following = []
        for own, other in boards:
            moves = plain.legal_moves(own, other)
            if not moves:
                if plain.legal_moves(other, own):
                    following.append((other, own))
                else:
                    finished += 1
            for square in range(N_SQUARES):
                if moves >> square & 1:
                    turned = plain.flips(square, own, other)
                    following.append((other ^ turned, own | turned | 1 << square))
        boards = following
    return boards, finished
