"""How a Gomoku search is divided among workers. No processes, no clocks here; the interface is that of `Scheduler`.

Together: every worker searches the whole root, to different depths, and they help each other through the shared table.
The first complete result of the depth that is wanted, or of a greater one, counts. When the next depth is wanted, the
worker that has already begun with it goes on.

Shards: the documented way. The best root moves are dealt out in turn; each worker searches its own to the same depth.
A depth counts when all have come to its end; then the best score wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from othello_engine.engine.scheduler import Work
from othello_engine.gomoku.position import EMPTY, NO_CELL
from othello_engine.gomoku.task import MAX_DEPTH, GomokuResult, GomokuTask, Heatmap, RootScore
from othello_engine.types import RootValue

ROOT_LIMIT = 36
"""Root moves that are dealt out."""
FIRST_HELPED_DEPTH = 3
"""Shallower searches are over before a second worker could help."""


@dataclass(frozen=True, slots=True)
class GomokuOutcome:
    """What a search of the root has come to.

    settled: `result` is that of a complete search to `depth`, which may be greater than what was asked for. If not, it
    is what an interrupted one has proved, or None.
    """

    settled: bool
    depth: int
    result: GomokuResult | None
    heatmap: tuple[RootValue, ...] = ()


class _Division:
    """What both ways have in common. ids: numbers for works. wants_heatmap: ask for one before anything else."""

    def __init__(self, ids: Iterator[int], wants_heatmap: bool) -> None:
        self._ids = ids
        self._wants_heatmap = wants_heatmap
        self._heatmap: Heatmap | None = None
        self._task: GomokuTask | None = None
        self._running: dict[int, Work[GomokuTask]] = {}
        self._stops: list[int] = []
        self._halted = False

    @property
    def n_running(self) -> int:
        """Requests that workers hold, those told to stop included."""
        return len(self._running)

    @property
    def is_over(self) -> bool:
        """True when there is nothing more to find out: the root is settled or the search was halted."""
        return self._halted or self._task is None or self._is_settled

    @property
    def _is_settled(self) -> bool:
        raise NotImplementedError

    def widen(self, alpha: int, beta: int) -> None:
        """Workers see to their windows themselves."""
        raise AssertionError("a Gomoku search has no window")

    def halt(self) -> None:
        """Hand out no more work and stop all that runs; results that still come in are used."""
        self._halted = True
        self._stop_all()

    def next_division(self, idle: int) -> float | None:
        """Nothing is divided later than at once."""
        return None

    def stops(self) -> list[int]:
        """Ids of the running works to stop now; each is named once."""
        if self.is_over:  # and nothing new was begun: the search is at its end
            self._stop_all()
        stops, self._stops = self._stops, []
        return [id for id in stops if id in self._running]

    def take(self, now: float, idle: int, budget: int = 0) -> Work[GomokuTask] | None:
        """Work for one of `idle` idle workers. budget: nodes that it may visit, 0 = any number."""
        if self.is_over or self._task is None:
            return None
        if self._wants_heatmap and self._heatmap is None:
            if any(work.expand for work in self._running.values()):
                return None
            return self._start(self._task, now, expand=True)
        return self._next_work(self._task, now, idle, budget)

    def expanded(self, id: int, expansion: Heatmap) -> None:
        """A worker has listed the root moves."""
        self._running.pop(id)
        self._heatmap = expansion

    def lost(self, id: int, nodes: int = 0) -> None:
        """The worker that held `id` is gone: somebody else must do it."""
        self._running.pop(id, None)

    def _next_work(self, task: GomokuTask, now: float, idle: int, budget: int) -> Work[GomokuTask] | None:
        raise NotImplementedError

    def _start(self, task: GomokuTask, now: float, expand: bool = False, companion: bool = False) -> Work[GomokuTask]:
        work = Work(next(self._ids), task, expand, now, companion=companion)
        self._running[work.id] = work
        return work

    def _stop(self, work: Work[GomokuTask]) -> None:
        if not work.stopping:
            work.stopping = True
            self._stops.append(work.id)

    def _stop_all(self) -> None:
        for work in self._running.values():
            self._stop(work)

    @property
    def _root_values(self) -> tuple[RootValue, ...]:
        if self._heatmap is None or not self._wants_heatmap:
            return ()
        return tuple(RootValue(move.move, move.score) for move in self._heatmap.moves)


class Together(_Division):
    """All workers search the whole root. last_depth: no search is deeper."""

    def __init__(self, ids: Iterator[int], wants_heatmap: bool = False, last_depth: int = MAX_DEPTH) -> None:
        super().__init__(ids, wants_heatmap)
        self._last_depth = last_depth
        self._results: dict[int, GomokuResult] = {}  # by depth
        self._partial: GomokuResult | None = None

    def begin(self, task: GomokuTask, order: tuple[int, ...] = ()) -> None:
        """Start on a root position; what runs for it already, to this depth or a greater one, goes on."""
        former, self._task = self._task, task
        self._halted = False
        self._partial = None
        is_same = former is not None and _root_of(former) == _root_of(task)
        if not is_same:
            self._results.clear()
        for work in self._running.values():
            if not is_same or work.task.depth < task.depth:
                self._stop(work)

    @property
    def _is_settled(self) -> bool:
        return self._task is not None and any(depth >= self._task.depth for depth in self._results)

    def outcome(self) -> GomokuOutcome:
        """What is known of the root."""
        assert self._task is not None
        depth = max(self._results, default=-1)
        if depth >= self._task.depth:
            return GomokuOutcome(True, depth, self._results[depth], self._root_values)
        return GomokuOutcome(False, self._task.depth, self._partial, self._root_values)

    def searched(self, id: int, result: GomokuResult) -> None:
        """A worker has ended the search `id`, by itself or because it was stopped."""
        work = self._running.pop(id)
        task = self._task
        if task is None or _root_of(work.task) != _root_of(task):
            return
        if result.complete:
            self._results[work.task.depth] = result
        elif work.task.depth == task.depth and (result.best_move != NO_CELL or task.depth == 0):
            self._partial = result
        if not result.complete and not work.stopping and not work.companion:
            self.halt()  # the node limit is reached

    def _next_work(self, task: GomokuTask, now: float, idle: int, budget: int) -> Work[GomokuTask] | None:
        depths = {work.task.depth for work in self._running.values() if not work.stopping and not work.expand}
        if task.depth not in depths:
            return self._start(replace(task, node_limit=budget), now)
        if budget or task.depth < FIRST_HELPED_DEPTH:
            return None
        depth = next(depth for depth in range(task.depth + 1, task.depth + len(depths) + 2) if depth not in depths)
        if depth > self._last_depth:
            return None
        return self._start(replace(task, depth=depth, is_companion=True), now, companion=True)


class Shards(_Division):
    """The best root moves are dealt out in turn."""

    def __init__(self, ids: Iterator[int]) -> None:
        super().__init__(ids, wants_heatmap=True)
        self._moves: list[int] = []
        self._shards: list[tuple[int, ...]] = []
        self._waiting: list[tuple[int, ...]] = []
        self._results: list[GomokuResult] = []
        self._is_dealt = False
        self._is_cut_short = False

    def begin(self, task: GomokuTask, order: tuple[int, ...] = ()) -> None:
        """Start on a root position."""
        self._stop_all()
        former, self._task = self._task, task
        self._halted = self._is_cut_short = False
        self._results = []
        if former is None or (former.moves, former.excluded) != (task.moves, task.excluded):
            self._is_dealt = False
        self._waiting = list(self._shards) if self._is_dealt else []

    @property
    def _is_settled(self) -> bool:
        return self._is_dealt and not self._is_cut_short and len(self._results) == len(self._shards)

    def outcome(self) -> GomokuOutcome:
        """The best of all shards; of an iteration that was cut short nothing counts."""
        assert self._task is not None
        if not self._is_settled:
            return GomokuOutcome(False, self._task.depth, None, self._root_values)
        merged = _merged(self._results, [self._task.former_move, *self._moves], self._task.depth)
        return GomokuOutcome(True, self._task.depth, merged, self._root_values)

    def searched(self, id: int, result: GomokuResult) -> None:
        """A worker has ended its shard, by itself or because it was stopped."""
        work = self._running.pop(id)
        task = self._task
        if task is None or (work.task.depth, work.task.excluded) != (task.depth, task.excluded):
            return
        if result.complete:
            self._results.append(result)
            return
        self._is_cut_short = True
        if not work.stopping:
            self.halt()  # the node limit is reached

    def lost(self, id: int, nodes: int = 0) -> None:
        """The worker is gone: its shard waits for another."""
        work = self._running.pop(id, None)
        if work is not None and not work.expand and not work.stopping:
            self._waiting.append(work.task.moves)

    def _next_work(self, task: GomokuTask, now: float, idle: int, budget: int) -> Work[GomokuTask] | None:
        is_untouched = len(self._waiting) == len(self._shards) and not self._running
        if not self._is_dealt or (is_untouched and idle > len(self._shards)):  # a worker has come up meanwhile
            self._deal(task, idle)
        if not self._waiting:
            return None
        # A limit of nodes is for all together; what a shard leaves unused the next ones may have.
        share = max(1, budget // len(self._waiting)) if budget else 0
        return self._start(replace(task, moves=self._waiting.pop(0), node_limit=share), now)

    def _deal(self, task: GomokuTask, n_workers: int) -> None:
        assert self._heatmap is not None
        listed = [move.move for move in self._heatmap.moves if not task.moves or move.move in task.moves]
        listed += [move for move in task.moves if move not in listed]
        moves = [move for move in listed if move not in task.excluded]
        if not moves:  # only those are left that are far from any stone
            cells = (cell for cell, content in enumerate(task.cells) if content == EMPTY)
            moves = [cell for cell in cells if cell not in task.excluded]
        moves = moves[:ROOT_LIMIT]
        self._moves = moves
        shards = [tuple(moves[number::n_workers]) for number in range(n_workers)]
        self._shards = [shard for shard in shards if shard]
        self._waiting = list(self._shards)
        self._is_dealt = True


def _root_of(task: GomokuTask) -> tuple[object, ...]:
    """What makes two tasks searches of the same root: all but the depth and what helps."""
    return task.size, task.cells, task.side, task.moves, task.excluded


def _merged(results: list[GomokuResult], order: list[int], depth: int) -> GomokuResult:
    """What several workers have found out about their shares of the root moves.

    order: the root moves, the best before any search first; of equal ones the first counts, as with one worker.
    """
    places = {move: place for place, move in enumerate(dict.fromkeys(order))}
    known = sorted((move for result in results for move in result.moves), key=_rank, reverse=True)
    nodes = sum(result.nodes for result in results)
    deepest = max(result.selective_depth for result in results)

    def merit(result: GomokuResult) -> tuple[bool, tuple[int, int], int]:
        return result.best_move != NO_CELL, _rank(result), -places.get(result.best_move, 0)

    best = replace(max(results, key=merit), nodes=nodes, selective_depth=deepest, moves=tuple(known))
    if depth > 0 or (best.best_move != NO_CELL and best.mate > 0):
        return best
    # Seen by one worker, its only move is one of several.
    losing = {move.move for move in known if move.mate < 0}
    left = [move for move in dict.fromkeys(order) if move not in losing and move != NO_CELL]
    only = left[0] if len(left) == 1 and losing else NO_CELL
    return replace(best, best_move=only, mate=0, score=0, pv=(only,) if only != NO_CELL else ())


def _rank(found: GomokuResult | RootScore) -> tuple[int, int]:
    """Wins first, the nearest before the others; losses last, the farthest before the others."""
    if found.mate:
        return (1 if found.mate > 0 else -1), -found.mate
    return 0, found.score
