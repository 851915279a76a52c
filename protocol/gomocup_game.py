"""A game as a Gomocup manager tells it: stones of the engine, of the opponent, and cells that nobody may use. Pure.

Colours are ours to find: a manager speaks of own stones and the opponent's. Black is who moves while the numbers of
stones are even, and the engine is always the side that moves next when it is asked for a move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from othello_engine.gomoku.position import BLOCKED, STONES, GomokuPosition
from othello_engine.types import BLACK, WHITE
from protocol.gomocup_lines import DEAD, OPPONENT, OWN, RefusedError, format_point

Stone = tuple[int, int]
"""(cell, OWN, OPPONENT or DEAD)"""


@dataclass(frozen=True, slots=True)
class Game:
    """A board and the stones on it, in the order in which they came."""

    size: int
    stones: tuple[Stone, ...] = ()

    @classmethod
    def of(cls, size: int, stones: Iterable[Stone]) -> Game:
        """A game of these stones. Raises RefusedError for two on one cell and for a field that is none."""
        game = cls(size)
        for cell, whose in stones:
            if whose not in (OWN, OPPONENT, DEAD):
                raise RefusedError(f"a field is {OWN}, {OPPONENT} or {DEAD}, not {whose}")
            game = game.with_stone(cell, whose)
        return game

    @property
    def is_empty(self) -> bool:
        """True if nothing has been played."""
        return not self.stones

    def with_stone(self, cell: int, whose: int) -> Game:
        """The game with one stone more. Raises RefusedError if the cell is not empty."""
        if any(cell == each for each, _ in self.stones):
            raise RefusedError(f"{format_point(cell, self.size)} is not empty")
        return Game(self.size, (*self.stones, (cell, whose)))

    def without_stone(self, cell: int) -> Game:
        """The game without the stone on this cell. Raises RefusedError if there is none."""
        left = tuple(stone for stone in self.stones if stone[0] != cell or stone[1] == DEAD)
        if len(left) == len(self.stones):
            raise RefusedError(f"there is no stone on {format_point(cell, self.size)}")
        return Game(self.size, left)

    def position(self, mover: int = OWN) -> GomokuPosition:
        """The position in which the engine is to move, or the OPPONENT."""
        n_stones = sum(whose != DEAD for _, whose in self.stones)
        side = BLACK if n_stones % 2 == 0 else WHITE
        contents = {mover: STONES[side], OWN + OPPONENT - mover: STONES[1 - side], DEAD: BLOCKED}
        cells = bytearray(self.size**2)
        for cell, whose in self.stones:
            cells[cell] = contents[whose]
        return GomokuPosition(self.size, bytes(cells), side)
