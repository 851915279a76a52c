"""Nodes per second after a few stones and after some more."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.table import Table

from othello_engine.gomoku.position import GomokuPosition
from tools.gomoku.solvers import Found

POSITIONS = {
    3: ("h8i9g8", "h8g9i7", "h8i8g10"),
    9: ("h8i9g8i8i10h10g9g10f8", "h8i8g10h7i6f9g9i7h6", "h10c8c10f10c11h12d9d12i11"),
}
"""By stones: quiet beginnings on a board of 15, in which nobody has a win that is found at once."""


@dataclass(frozen=True, slots=True)
class Speed:
    """What an engine counted in the positions of so many stones."""

    n_stones: int
    found: tuple[Found, ...]

    @property
    def nodes_per_second(self) -> float:
        """Of all nodes to all the time; 0 if the engine counts none."""
        nodes = sum(each.nodes or 0 for each in self.found)
        return nodes / max(1e-9, sum(each.seconds for each in self.found))

    @property
    def proved(self) -> int:
        """How many positions ended with a proof, in which there is little to measure."""
        return sum(each.mate is not None for each in self.found)


def positions(n_stones: int) -> list[tuple[tuple[int, ...], GomokuPosition]]:
    """Moves and what they lead to."""
    found = []
    for text in POSITIONS[n_stones]:
        steps = GomokuPosition.start().follow(text)
        found.append((tuple([move for move, _ in steps]), steps[-1][1]))
    return found


def table(speeds: Sequence[Speed], title: str) -> Table:
    found = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for name in ("stones", "positions", "nodes/s, all", "slowest", "fastest", "depth", "proved"):
        found.add_column(name, justify="right")
    for speed in speeds:
        each = [(one.nodes or 0) / max(1e-9, one.seconds) for one in speed.found]
        depths = [one.depth for one in speed.found if one.depth is not None]
        found.add_row(
            str(speed.n_stones),
            str(len(speed.found)),
            f"{speed.nodes_per_second:,.0f}",
            f"{min(each):,.0f}",
            f"{max(each):,.0f}",
            f"{statistics.mean(depths):.1f}" if depths else "-",
            str(speed.proved),
        )
    return found
