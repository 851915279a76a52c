"""What moves are worth: to the default profile in the midgame, exactly near the end of the game."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from othello_engine.config import OptionValue, load_config
from othello_engine.engine.engine import Engine
from othello_engine.position import Position
from othello_engine.types import Goal, Limits
from tools.levels.players import searched
from tools.match.record import OTHELLO

PROFILE = "strong"
_MEMORY_MB = 64


class SearchJudge:
    """Values of positions and moves in discs for the side to move. One position at a time; close it.

    depth: plies of a search without forward pruning. exact_empties: from so few empty squares on, the true values.
    """

    def __init__(self, depth: int, exact_empties: int, variant: str = OTHELLO) -> None:
        options: dict[str, OptionValue] = {"Threads": 1, "Hash": _MEMORY_MB}
        if variant != OTHELLO:
            options["Variant"] = variant
        self._engine = Engine(load_config(profile=PROFILE, overrides=options))
        self._depth = depth
        self._exact_empties = exact_empties

    def __enter__(self) -> SearchJudge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._engine.close()

    def is_exact(self, position: Position) -> bool:
        return position.n_empties <= self._exact_empties

    def value(self, position: Position, moves: Sequence[int] = ()) -> float:
        """Of the best of these moves, of all if none is given. The position is not over."""
        chosen = tuple(moves) or None
        if self.is_exact(position):
            limits = Limits(goal=Goal.EXACT, selectivity=100, search_moves=chosen)
        else:
            limits = Limits(depth=self._depth, selectivity=100, search_moves=chosen, thorough=True)
        self._engine.set_position(position)
        return searched(self._engine, limits).lines[0].score.discs
