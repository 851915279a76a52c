"""Shares one search over several workers: a tree of positions whose leaves are tasks. No processes, no clocks here.

The caller owns the workers. It asks `take` for work whenever a worker is idle, reports what came back through
`searched`, `expanded` and `lost`, and stops the workers whose tasks `stops` names. So the same code runs under real
processes, under a simulation, and under tests with workers that are slow or die.

How it works. Every node has proved bounds, from its own side, and, while somebody wants to know more about it, a
window. A node is settled when its bounds decide the window. A leaf is searched by one worker. While all workers have
something to do, nothing is divided; with one worker that is always so, and then an iteration is one task. When a
worker is idle, the largest running leaf is stopped and opened: its moves become nodes, with what the shared table
already proves about them, and are searched instead. Bounds flow up; windows flow down; what no bound or window needs
any more is stopped, whole subtrees at a time.

Young brothers wait: at a PV node and at a node expected to fail high (CUT), the first move is searched alone, then the
others at once; at a node expected to fail low (ALL) all moves are given out at once. At a PV node all moves but the
first get a null window above the best score so far, and the open window only when that fails high.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import count
from typing import Generic, TypeVar

from othello_engine.search.task import EXACT_LIMIT, SCORE_LIMIT, Expansion, Task, TaskResult
from othello_engine.types import N_SQUARES, NO_MOVE, PASS


class Kind(Enum):
    """What is expected of a node: a score inside an open window, a fail high, a fail low."""

    PV = 0
    CUT = 1
    ALL = 2


class _State(Enum):
    IDLE = 0
    """Nobody needs more about it now, or its parent has not come to it yet."""
    READY = 1
    """A leaf that waits for a worker."""
    RUNNING = 2
    """A leaf that a worker searches."""
    OPENING = 3
    """Its moves have been asked for."""
    OPEN = 4
    """Its moves are searched in its place."""


_CONFIDENCES = (95, 100)
"""Of companions of a selective solve: what the next solve of the position is about, which finds its work done."""
_COMPANION_PART = 4
"""A search gets its first companion after this part of `least_run`: it interrupts nothing."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """When work is divided. Measured with `tools/scaling.py`; see there before changing one of these.

    least_run: a task that runs no longer than this is left alone, in the caller's unit of time. Most tasks end
    sooner, and stopping one costs what it has not stored yet. split_depth, split_empties: a smaller leaf is never
    divided, since a task for less than a few milliseconds costs more to send than to search. open_depth,
    open_empties: a leaf at least this large is opened right away, without being tried first, while there are
    more idle workers than leaves.
    """

    least_run: float = 0.004
    split_depth: int = 9
    split_empties: int = 14
    open_depth: int = 10
    open_empties: int = 17


@dataclass(slots=True, eq=False)
class _Node:
    parent: _Node | None
    move: int
    player: int
    opponent: int
    depth: int
    kind: Kind
    path: tuple[int, ...]
    lower: int
    upper: int
    alpha: int = 0
    beta: int = 0
    state: _State = _State.IDLE
    wanted: bool = False
    dirty: bool = False
    divide: bool = False
    """Stopped in order to be opened."""
    unsplittable: bool = False
    own_lower: int = -SCORE_LIMIT
    own_upper: int = SCORE_LIMIT
    pv: tuple[int, ...] = ()
    """Line that goes with own_lower; begins with a move of this node."""
    children: list[_Node] = field(default_factory=list)
    nodes: int = 0
    work: Work[Task] | None = None

    @property
    def is_settled(self) -> bool:
        """True when the bounds decide the window."""
        return self.lower >= self.beta or self.upper <= self.alpha or self.lower == self.upper

    @property
    def n_empties(self) -> int:
        return N_SQUARES - (self.player | self.opponent).bit_count()


T = TypeVar("T")
"""The tasks of a game."""


@dataclass(slots=True, eq=False)
class Work(Generic[T]):
    """One request for one worker. expand: the moves of the position are wanted, not its score. companion: the result
    counts for nothing, only what it leaves in the table."""

    id: int
    task: T
    expand: bool
    started: float
    stopping: bool = False
    node: _Node | None = None
    """None once the search it belonged to is over, and for a companion."""
    companion: bool = False


@dataclass(frozen=True, slots=True)
class RootMove:
    """What is proved about one root move, from the root's side. pv begins with the move."""

    move: int
    lower: int
    upper: int
    pv: tuple[int, ...]
    nodes: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search of the root has come to.

    settled: the bounds decide the window: exact if lower == upper, else a fail low or a fail high. If not settled, the
    search was halted, and `best_move` is given only if it is proved to be at least as good as the former best move at
    this depth; `lower` is then what is proved for it. moves: best first, in the order for the next search; empty if
    the root was never opened. nodes: of this search.
    """

    settled: bool
    lower: int
    upper: int
    best_move: int
    pv: tuple[int, ...]
    moves: tuple[RootMove, ...]
    nodes: int
    selective_depth: int


class Scheduler:
    """Divides one root search at a time. All methods are for one thread.

    ids: numbers for works, if they must differ from those of others. `now` is in the unit of `Tuning.least_run`.
    """

    def __init__(self, tuning: Tuning | None = None, ids: Iterator[int] | None = None) -> None:
        self.tuning = Tuning() if tuning is None else tuning
        self._ids = count(1) if ids is None else ids
        self._running: dict[int, Work[Task]] = {}
        self._ready: list[_Node] = []
        self._to_open: list[_Node] = []
        self._stops: list[int] = []
        self._root: _Node | None = None
        self._task: Task | None = None
        self._order: dict[int, int] = {}
        self._halted = False
        self._former = NO_MOVE
        self._selective_depth = 0
        self._has_budget = False

    # -- one search of the root ---------------------------------------------------------------------------------

    def begin(self, task: Task, order: Sequence[int] = ()) -> None:
        """Start on a root position; what was running for an earlier one is stopped and forgotten.

        order: root moves, best first, as far as an order is known; its first is the former best move.
        """
        self.halt()
        for work in self._running.values():
            work.node = None
        self._task = task
        self._order = {move: rank for rank, move in enumerate(order)}
        self._ready.clear()
        self._to_open.clear()
        self._former = order[0] if order else NO_MOVE
        self._halted = False
        self._selective_depth = 0
        limit = EXACT_LIMIT if task.exact else SCORE_LIMIT
        kind = Kind.PV if task.beta - task.alpha > 1 else Kind.CUT
        root = _Node(None, NO_MOVE, task.player, task.opponent, task.depth, kind, (), -limit, limit)
        self._root = root
        self._want(root, task.alpha, task.beta, kind)

    def widen(self, alpha: int, beta: int) -> None:
        """Go on with the same root in another window; everything proved so far stays."""
        assert self._root is not None
        assert self._task is not None
        self._halted = False
        best_move, lower, _ = self._best_of(self._root)
        if best_move != NO_MOVE and lower >= self._task.beta:
            self._former = best_move  # proved better than the former best: what comes is measured against it
        self._task = replace(self._task, alpha=alpha, beta=beta)
        self._root.dirty = True
        self._want(self._root, alpha, beta, Kind.PV if beta - alpha > 1 else Kind.CUT)

    def halt(self) -> None:
        """Hand out no more work and stop all that runs; results that still come in are used."""
        self._halted = True
        if self._root is not None:
            self._drop(self._root)
        for work in self._running.values():
            self._stop(work)

    @property
    def is_over(self) -> bool:
        """True when there is nothing more to find out: the root is settled or the search was halted.

        Some tasks may still be running; they have been told to stop.
        """
        return self._halted or self._root is None or self._root.is_settled

    @property
    def n_running(self) -> int:
        """Requests that workers hold, those told to stop included."""
        return len(self._running)

    def outcome(self) -> Outcome:
        """What is proved about the root so far."""
        root = self._root
        assert root is not None
        best_move, lower, pv = self._best_of(root)
        moves = tuple(
            RootMove(child.move, -child.upper, -child.lower, (child.move, *_line(child)), child.nodes)
            for child in self._ranked(root)
        )
        settled = root.is_settled
        return Outcome(
            settled=settled,
            lower=root.lower if settled else lower,
            upper=root.upper,
            best_move=best_move,
            pv=pv,
            moves=moves,
            nodes=root.nodes,
            selective_depth=self._selective_depth,
        )

    # -- the workers' side --------------------------------------------------------------------------------------

    def take(self, now: float, idle: int, budget: int = 0) -> Work[Task] | None:
        """Work for one of `idle` idle workers. None: nothing now, though something may have been told to stop.

        budget: nodes that this work may visit, 0 = any number.
        """
        if self.is_over:
            return None
        if self._to_open:
            node = min(self._to_open, key=lambda each: each.path)
            self._to_open.remove(node)
            return self._start(node, now, True, 0)
        if self._ready:
            node = min(self._ready, key=lambda each: each.path)
            self._ready.remove(node)
            if idle > len(self._ready) + 1 and self._is_large(node):
                node.state = _State.OPENING
                return self._start(node, now, True, 0)
            node.state = _State.RUNNING
            return self._start(node, now, False, budget)
        if self._prunes:
            self._has_budget = budget != 0
            return None if self._has_budget else self._companion(now)
        self._divide_something(now, idle)
        return None

    def next_division(self, idle: int) -> float | None:
        """When to call `take` again, if it came back empty, because a task has run long enough to be divided.

        None: not before something comes in from a worker.
        """
        if self.is_over or self._on_the_way() >= idle:
            return None
        if self._prunes:
            main = self._main_work()
            return None if self._has_budget or main is None else self._companions_from(main)
        times = [work.started for work in self._running.values() if self._is_divisible(work)]
        return min(times) + self.tuning.least_run if times else None

    def stops(self) -> list[int]:
        """Ids of the running works to stop now; each is named once."""
        if self.is_over:
            for work in self._running.values():
                if work.companion:
                    self._stop(work)
        stops, self._stops = self._stops, []
        return [id for id in stops if id in self._running]

    def searched(self, id: int, result: TaskResult) -> None:
        """A worker has ended the search `id`, by itself or because it was stopped."""
        work = self._running.pop(id)
        node = work.node
        if node is None:
            return
        node.work = None
        node.state = _State.IDLE
        self._count(node, result.nodes)
        self._selective_depth = max(self._selective_depth, len(node.path) + result.selective_depth)
        self._learn(node, work.task, result)
        if not result.complete and not work.stopping:
            self.halt()  # the node limit is reached
        self._resume(node)
        self._settle_above(node)

    def expanded(self, id: int, expansion: Expansion) -> None:
        """A worker has listed the moves of the position of `id`."""
        node = self._running.pop(id).node
        if node is None:
            return
        node.work = None
        node.state = _State.IDLE
        self._count(node, expansion.nodes)
        if not node.children:
            self._add_children(node, expansion)
        if node.children:
            node.dirty = True
            self._refresh(node)
        else:
            node.unsplittable = True
        self._resume(node)
        self._settle_above(node)

    def lost(self, id: int, nodes: int = 0) -> None:
        """The worker that held `id` is gone, after so many nodes: the work goes back in the queue."""
        node = self._running.pop(id).node
        if node is None:
            return
        node.work = None
        node.state = _State.IDLE
        self._count(node, nodes)
        self._resume(node)

    # -- handing out --------------------------------------------------------------------------------------------

    def _start(self, node: _Node, now: float, expand: bool, budget: int) -> Work[Task]:
        assert self._task is not None
        is_root = node.parent is None
        task = replace(
            self._task,
            player=node.player,
            opponent=node.opponent,
            alpha=node.alpha,
            beta=node.beta,
            depth=node.depth,
            moves=self._task.moves if is_root else 0,
            node_limit=budget,
            ply=len(node.path),
            former_move=self._former if is_root else NO_MOVE,
        )
        work = Work(next(self._ids), task, expand, now, node=node)
        node.work = work
        node.divide = False
        self._running[work.id] = work
        return work

    @property
    def _prunes(self) -> bool:
        """True if the search prunes forward: its tree is too thin, and its parts too short, to be divided.

        Then one worker searches the root, and the others the same a little deeper: what they leave in the table makes
        the first one's search, and the next one, shorter.
        """
        assert self._task is not None
        return self._task.selectivity < 100

    def _main_work(self) -> Work[Task] | None:
        """Of a search that prunes: the one work whose result counts, if it runs and is not being stopped."""
        return next((work for work in self._running.values() if work.node is not None and not work.stopping), None)

    def _companions_from(self, main: Work[Task]) -> float:
        """When a companion of this work is worth starting."""
        return main.started + self.tuning.least_run / _COMPANION_PART

    def _companion(self, now: float) -> Work[Task] | None:
        """A search that helps the one that runs; None if that is too young."""
        main = self._main_work()
        if main is None or now < self._companions_from(main):
            return None
        n_companions = sum(1 for work in self._running.values() if work.companion and not work.stopping)
        if main.task.exact:
            higher = [level for level in _CONFIDENCES if level > main.task.selectivity]
            task = replace(main.task, selectivity=higher[n_companions % len(higher)])
        else:
            task = replace(main.task, depth=main.task.depth + 1 + n_companions % 2)
        work = Work(next(self._ids), task, False, now, companion=True)
        self._running[work.id] = work
        return work

    def _is_large(self, node: _Node) -> bool:
        """True if the leaf is worth opening before anybody has tried it."""
        assert self._task is not None
        if node.unsplittable or self._task.undivided or self._prunes:
            return False
        if self._task.exact:
            return node.n_empties >= self.tuning.open_empties
        return node.depth >= self.tuning.open_depth

    def _is_divisible(self, work: Work[Task]) -> bool:
        node = work.node
        if node is None or work.expand or work.stopping or not node.wanted or node.unsplittable:
            return False
        assert self._task is not None
        if self._task.undivided or self._prunes:
            return False
        if self._task.exact:
            return node.n_empties >= self.tuning.split_empties
        return node.depth >= self.tuning.split_depth

    def _divide_something(self, now: float, idle: int) -> None:
        """Stop the most promising running leaf, unless enough is on the way already."""
        if self._on_the_way() >= idle:
            return
        candidates = [
            work.node
            for work in self._running.values()
            if work.node is not None and self._is_divisible(work) and now - work.started >= self.tuning.least_run
        ]
        if not candidates:
            return
        node = max(candidates, key=_promise)
        node.divide = True
        assert node.work is not None
        self._stop(node.work)

    def _on_the_way(self) -> int:
        """Divisions that will soon bring new leaves."""
        return sum(1 for work in self._running.values() if work.expand or (work.node is not None and work.node.divide))

    def _stop(self, work: Work[Task]) -> None:
        if not work.stopping and not work.expand:
            work.stopping = True
            self._stops.append(work.id)

    # -- windows, downward --------------------------------------------------------------------------------------

    def _want(self, node: _Node, alpha: int, beta: int, kind: Kind) -> None:
        """Somebody needs to know how the node stands to the window (alpha, beta)."""
        is_new = not node.wanted or (node.alpha, node.beta, node.kind) != (alpha, beta, kind)
        node.alpha, node.beta, node.kind, node.wanted = alpha, beta, kind, True
        if node.is_settled:
            self._drop(node)
        elif node.state is _State.IDLE:
            self._resume(node)
        elif node.state is _State.RUNNING:
            # A narrower window inside the running one is answered all the same; one beside it is not.
            work = node.work
            assert work is not None
            if work.task.beta <= alpha or beta <= work.task.alpha:
                self._stop(work)
        elif node.state is _State.OPEN and (is_new or node.dirty):
            self._distribute(node)

    def _resume(self, node: _Node) -> None:
        """Bring an idle node, if it is wanted and not settled, back to work."""
        if self._halted or not node.wanted or node.is_settled:
            return
        if node.children:
            node.state = _State.OPEN
            self._distribute(node)
        elif node.divide and not node.unsplittable:
            node.state = _State.OPENING
            self._to_open.append(node)
        else:
            node.state = _State.READY
            self._ready.append(node)

    def _drop(self, node: _Node) -> None:
        """Nobody needs more about the node: take back what waits and stop what runs, for its whole subtree."""
        node.wanted = False
        if node.state is _State.READY:
            self._ready.remove(node)
            node.state = _State.IDLE
        elif node.state is _State.RUNNING:
            assert node.work is not None
            self._stop(node.work)
        elif node.state is _State.OPENING and node.work is None:
            self._to_open.remove(node)
            node.state = _State.IDLE
        elif node.state is _State.OPEN:
            node.state = _State.IDLE
            for child in node.children:
                if child.wanted:
                    self._drop(child)

    def _distribute(self, node: _Node) -> None:
        """Give every child of an open node the window that the node's own window and bounds ask of it."""
        node.dirty = False
        low = max(node.alpha, node.lower)
        must_wait = node.kind is not Kind.ALL and -node.children[0].lower > low
        for index, child in enumerate(node.children):
            if -child.lower <= low or (must_wait and index > 0):
                if child.wanted:
                    self._drop(child)
            elif node.kind is not Kind.PV:
                self._want(child, -node.beta, -low, Kind.ALL if node.kind is Kind.CUT else Kind.CUT)
            elif must_wait or (-child.upper >= low and low > node.alpha):
                # the first move, or the one whose null window failed high: its exact value is wanted
                is_open = node.beta - low > 1
                self._want(child, -node.beta, -low, Kind.PV if is_open else Kind.ALL)
            else:
                self._want(child, -low - 1, -low, Kind.CUT)

    # -- bounds, upward -----------------------------------------------------------------------------------------

    def _learn(self, node: _Node, task: Task, result: TaskResult) -> None:
        """Take over what a search of the node itself has proved."""
        score = result.score
        if result.complete:
            lower = score if score > task.alpha else -SCORE_LIMIT
            upper = score if score < task.beta else SCORE_LIMIT
        elif result.best_move != NO_MOVE and score > task.alpha:
            lower, upper = score, SCORE_LIMIT
            if node.parent is None and not result.first_done:
                return  # a root move counts only against the former best
        else:
            return
        if lower > task.alpha and lower >= node.own_lower:
            node.pv = result.pv
        if (lower > node.upper or upper < node.lower) and not result.complete:
            return  # a mere bound is not worth an exact value
        if lower > node.upper or upper < node.lower:
            # Estimates of one depth may contradict each other, since the table mixes depths. The newer one stands,
            # as an exact value, so that the same question is never asked twice.
            node.own_lower = node.own_upper = score
            node.lower = node.upper = score
            return
        node.own_lower, node.own_upper = max(node.own_lower, lower), min(node.own_upper, upper)
        node.lower, node.upper = max(node.lower, lower), min(node.upper, upper)

    def _refresh(self, node: _Node) -> None:
        """Compute the bounds of a node from its children and from what it was itself searched to."""
        assert self._task is not None
        limit = EXACT_LIMIT if self._task.exact else SCORE_LIMIT
        lower = max(-child.upper for child in node.children)
        upper = max(-child.lower for child in node.children)
        if max(lower, node.own_lower) <= min(upper, node.own_upper):
            lower, upper = max(lower, node.own_lower), min(upper, node.own_upper)
        else:
            node.own_lower, node.own_upper = -limit, limit  # contradicted by something newer
        node.lower, node.upper = lower, upper

    def _settle_above(self, node: _Node) -> None:
        """The bounds of a node may have changed: refresh its ancestors, then adjust windows from the top one down."""
        top = node
        while top.parent is not None:
            parent = top.parent
            before = parent.lower, parent.upper
            self._refresh(parent)
            parent.dirty = True
            top = parent
            if (parent.lower, parent.upper) == before:
                break
        if top is node or not top.wanted or self._halted:
            return
        if top.is_settled:
            self._drop(top)
        elif top.state is _State.OPEN:
            self._distribute(top)

    def _count(self, node: _Node, nodes: int) -> None:
        place: _Node | None = node
        while place is not None:
            place.nodes += nodes
            place = place.parent

    # -- the tree -----------------------------------------------------------------------------------------------

    def _add_children(self, node: _Node, expansion: Expansion) -> None:
        assert self._task is not None
        limit = EXACT_LIMIT if self._task.exact else SCORE_LIMIT
        children = list(expansion.children)
        if node.parent is None:
            allowed = self._task.moves
            if allowed:
                children = [child for child in children if child.move == PASS or allowed >> child.move & 1]
            unknown = len(self._order)
            children.sort(key=lambda child: self._order.get(child.move, unknown))
        depth = node.depth if expansion.must_pass else max(0, node.depth - 1)
        node.children = [
            _Node(
                node,
                child.move,
                child.player,
                child.opponent,
                depth,
                Kind.ALL,
                (*node.path, index),
                max(child.lower, -limit),
                min(child.upper, limit),
                own_lower=child.lower,
                own_upper=child.upper,
                pv=() if child.best_move == NO_MOVE else (child.best_move,),
            )
            for index, child in enumerate(children)
        ]

    def _best_of(self, root: _Node) -> tuple[int, int, tuple[int, ...]]:
        """The root's best move so far, what is proved for it, and its line; NO_MOVE if nothing is."""
        assert self._task is not None
        # Bounds that meet below the window prove their move just as well.
        is_exact = root.lower == root.upper
        alpha = min(self._task.alpha, root.lower - 1) if is_exact else self._task.alpha
        best_move, lower, pv = NO_MOVE, root.own_lower, root.pv
        if pv and root.own_lower > alpha:
            best_move = pv[0]
        if root.children:
            former = root.children[0]
            for child in root.children:
                proved = -child.upper
                is_better = best_move == NO_MOVE or proved > lower
                # Settled: all moves have been compared. Halted: a move counts only against the former best one.
                is_comparable = root.is_settled or child is former or proved >= -former.lower
                if proved > alpha and is_better and is_comparable:
                    best_move, lower, pv = child.move, proved, (child.move, *_line(child))
        return best_move, lower, pv

    def _ranked(self, root: _Node) -> Iterable[_Node]:
        """Root moves for the next search: the best, those proved better than others, then by the work they made."""
        return sorted(root.children, key=lambda child: (child.upper, -child.nodes))


def _promise(node: _Node) -> tuple[int, int, tuple[int, ...]]:
    """Large leaves first; among equals those whose moves can all be given out at once; then the later ones."""
    at_once = {Kind.ALL: 2, Kind.PV: 1, Kind.CUT: 0}
    return node.depth, at_once[node.kind], node.path


def _line(node: _Node) -> tuple[int, ...]:
    """The best line known from a node on; may be cut short."""
    if node.children:
        best = min(node.children, key=lambda child: child.upper)
        if -best.upper >= node.own_lower:
            return (best.move, *_line(best))
    return node.pv
