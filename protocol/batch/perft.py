"""`perft D`: the lines of play to each depth, counted by all workers."""

from __future__ import annotations

from othello_engine.position import Position
from protocol import exit_status
from protocol.batch.screen import Column, Screen, count, seconds
from protocol.commands import nodes_per_second
from protocol.facade import EngineLike

_COLUMNS = (Column("depth", 5), Column("nodes", 20), Column("time", 9), Column("nodes/s", 15))


def perft(engine: EngineLike, screen: Screen, position: Position, depth: int) -> int:
    """Prints a row for each depth; the exit status. A pass is a ply, a finished game one line of play."""
    screen.header(_COLUMNS)

    def show(depth: int, nodes: int, time_ms: int) -> None:
        rate = count(nodes_per_second(nodes, time_ms)) if time_ms else "-"
        screen.row(_COLUMNS, (depth, count(nodes), seconds(time_ms), rate))

    engine.set_position(position)
    engine.perft(depth, show).wait()
    return exit_status.DONE
