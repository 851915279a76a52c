"""What the parent and a worker say to each other. Plain tuples, cheap to pickle; no behaviour.

Work goes down one pipe, for the worker's main thread; what must reach it while it computes (`Evaluate`, `Exit`) down
another, for its listener; replies come up a third. Every request with an `id` gets exactly one reply with that id,
unless the worker dies. The stop flag and the node count travel through shared memory instead, see `pool`.
"""

from __future__ import annotations

import copyreg
from dataclasses import fields
from operator import attrgetter
from typing import Any, NamedTuple

from othello_engine.gomoku.task import GomokuResult, GomokuTask, Heatmap, RootScore
from othello_engine.search.task import Child, Claim, Expansion, Task, TaskResult

AnyTask = Task | GomokuTask
AnyResult = TaskResult | GomokuResult
AnyExpansion = Expansion | Heatmap
Board = tuple[int | bytes, ...]
"""What a searcher's `evaluate` takes: bitboards of player and opponent, or size, cells and side of a Gomoku board."""

# -- requests ----------------------------------------------------------------------------------------------------


class UseState(NamedTuple):
    """Take the block that follows on the pipe as search state."""


class UseWeights(NamedTuple):
    """Take the block that follows on the pipe as weights of the evaluation. Sent once, before the table; what is in it
    may come, and change, later."""


class UseTable(NamedTuple):
    """Take the block that follows on the pipe as transposition table; the reply is a `Ready`."""


class NewGame(NamedTuple):
    """Forget killers and history."""


class Search(NamedTuple):
    id: int
    task: AnyTask


class Expand(NamedTuple):
    id: int
    task: AnyTask


class Evaluate(NamedTuple):
    id: int
    board: Board


class Perft(NamedTuple):
    id: int
    player: int
    opponent: int
    depth: int


class Feed(NamedTuple):
    """Put a claim into the table. generation, epoch: of the entries."""

    id: int
    claim: Claim
    generation: int
    epoch: int


class Exit(NamedTuple):
    """Leave at once."""


Work = UseState | UseWeights | UseTable | NewGame | Search | Expand | Perft | Feed
Control = Evaluate | Exit

# -- replies -----------------------------------------------------------------------------------------------------


class Hello(NamedTuple):
    """The process runs and listens; it can be sent memory now."""


class Loading(NamedTuple):
    """`done` of `total` kernels are ready; `compiling` tells compiling from loading."""

    done: int
    total: int
    compiling: bool


class Ready(NamedTuple):
    """Kernels are there and touched, the table is attached and in memory; `notes` are said to the user once."""

    notes: tuple[str, ...]


class Searched(NamedTuple):
    """hashfull: table use per mille, looked at now and then."""

    id: int
    result: AnyResult
    hashfull: int


class Expanded(NamedTuple):
    id: int
    expansion: AnyExpansion


class Evaluated(NamedTuple):
    id: int
    value: int


class Counted(NamedTuple):
    """nodes: None if the count was stopped."""

    id: int
    nodes: int | None


class Fed(NamedTuple):
    """The claim is in the table."""

    id: int


class Failed(NamedTuple):
    """A request, or loading (id 0), raised; `text` is the end of the traceback on one line."""

    id: int
    text: str


def _pickle_by_fields(kind: type[Any]) -> None:
    """Send values of a frozen dataclass as the arguments that make them: half the time of the usual way."""
    values = attrgetter(*(each.name for each in fields(kind)))
    copyreg.pickle(kind, lambda value: (kind, values(value)))


for _kind in (Task, TaskResult, Child, Expansion, GomokuTask, GomokuResult, RootScore, Heatmap):
    _pickle_by_fields(_kind)

Reply = Hello | Loading | Ready | Searched | Expanded | Evaluated | Counted | Fed | Failed
