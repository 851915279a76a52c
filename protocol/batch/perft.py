"""`perft D`: the lines of play to each depth, counted by all workers."""

from __future__ import annotations

import queue

from othello_engine.position import Position
from protocol import exit_status
from protocol.batch.screen import Column, Screen, count, seconds
from protocol.commands import nodes_per_second
from protocol.facade import EngineLike

_COLUMNS = (Column("depth", 5), Column("nodes", 20), Column("time", 9), Column("nodes/s", 15))


def perft(engine: EngineLike, screen: Screen, position: Position, depth: int) -> int:
    """Prints a row for each depth; the exit status. A pass is a ply, a finished game one line of play."""
    screen.header(_COLUMNS)
    counted: queue.SimpleQueue[tuple[int, int, int] | None] = queue.SimpleQueue()
    engine.set_position(position)
    engine.perft(depth, lambda *one: counted.put(one), lambda total: counted.put(None))
    while (one := counted.get()) is not None:
        reached, nodes, time_ms = one
        rate = count(nodes_per_second(nodes, time_ms)) if time_ms else "-"
        screen.row(_COLUMNS, (reached, count(nodes), seconds(time_ms), rate))
    return exit_status.DONE
