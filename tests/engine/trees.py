"""Random game trees and a searcher on them: what the scheduler needs, without a board.

A position is a number. Its moves, their replies and the values at the leaves follow from the number by hashing, so a
tree of any size takes no memory. Some positions must pass, some end the game before the depth is used up.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import lru_cache

from othello_engine.search.task import SCORE_LIMIT, Child, Expansion, Task, TaskResult
from othello_engine.types import NO_MOVE, PASS

HIGHEST = 30


@dataclass(frozen=True)
class Tree:
    """seed: which tree. width: most moves in a position. quiet: percent of positions with a value near zero."""

    seed: int
    width: int = 5
    passes: int = 8
    endings: int = 5

    def _noise(self, position: int, salt: int) -> int:
        mixed = (position * 0x9E3779B97F4A7C15 + salt * 0xC2B2AE3D27D4EB4F + self.seed) & (1 << 64) - 1
        mixed ^= mixed >> 31
        mixed = mixed * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
        return mixed ^ mixed >> 29

    def value(self, position: int) -> int:
        return self._noise(position, 1) % (2 * HIGHEST + 1) - HIGHEST

    def is_over(self, position: int) -> bool:
        return position != 1 and self._noise(position, 2) % 100 < self.endings

    def moves(self, position: int) -> list[tuple[int, int]]:
        """(move, next position); a single PASS where a pass is forced."""
        must_pass = not self._was_pass(position) and self._noise(position, 3) % 100 < self.passes
        if must_pass:
            return [(PASS, position * 64 + 63 & (1 << 60) - 1)]
        n = 1 + self._noise(position, 4) % self.width
        return [(move, (position * 64 + move & (1 << 60) - 1)) for move in range(n)]

    def _was_pass(self, position: int) -> bool:
        return position % 64 == 63

    def child_depth(self, position: int, depth: int) -> int:
        return depth if self.moves(position)[0][0] == PASS else depth - 1

    @lru_cache(maxsize=1 << 16)  # noqa: B019 - trees live as long as their test
    def negamax(self, position: int, depth: int) -> int:
        """The true value, by looking at everything."""
        if depth <= 0 or self.is_over(position):
            return self.value(position)
        depth = self.child_depth(position, depth)
        return max(-self.negamax(after, depth) for _, after in self.moves(position))

    def root_scores(self, position: int, depth: int) -> dict[int, int]:
        """True value of every root move."""
        depth = self.child_depth(position, depth)
        return {move: -self.negamax(after, depth) for move, after in self.moves(position)}


class StoppedError(Exception):
    """The node limit is reached."""


@dataclass
class TreeSearcher:
    """Fail-soft alpha-beta with a table that may be shared, and may forget or contradict.

    lies: per cent of table hits that return a wrong bound, as tables of mixed depth do.
    """

    tree: Tree
    table: dict[tuple[int, int], tuple[int, int, int]] = field(default_factory=dict)
    seed: int = 0
    lies: int = 0
    stop_flag: int = 0
    forgets: int = 20

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.nodes = 0
        self.limit = 0

    def run(self, task: Task) -> TaskResult:
        self.nodes, self.limit = 0, task.node_limit
        best, best_move = -SCORE_LIMIT, NO_MOVE
        pv: tuple[int, ...] = ()
        first_done = False
        low = task.alpha
        try:
            self.visit()
            if task.depth <= 0 or self.tree.is_over(task.player):
                return TaskResult(self.tree.value(task.player), NO_MOVE, (), self.nodes, True)
            depth = self.tree.child_depth(task.player, task.depth)
            for move, after in self.ordered(task.player, task.depth):
                if task.moves and move != PASS and not task.moves >> move & 1:
                    continue
                score, line = self.search(after, depth, -task.beta, -low)
                if -score > best:
                    best, best_move, pv = -score, move, (move, *line)
                first_done = True
                low = max(low, best)
                if low >= task.beta:
                    break
        except StoppedError:
            return TaskResult(best, best_move, pv, self.nodes, False, first_done)
        return TaskResult(best, best_move, pv, self.nodes, True)

    def expand(self, task: Task) -> Expansion:
        children = []
        depth = self.tree.child_depth(task.player, task.depth)
        for move, after in self.ordered(task.player, task.depth):
            lower, upper, best = self.table.get((after, depth), (-SCORE_LIMIT, SCORE_LIMIT, NO_MOVE))
            if self.tree.is_over(after):
                lower = upper = self.tree.value(after)
            children.append(Child(move, after, 0, lower, upper, best, False, self.tree.is_over(after)))
        return Expansion(tuple(children), children[0].move == PASS, len(children))

    def visit(self) -> None:
        self.nodes += 1
        if self.limit and self.nodes >= self.limit:
            raise StoppedError

    def ordered(self, position: int, depth: int) -> list[tuple[int, int]]:
        _, _, best = self.table.get((position, depth), (0, 0, NO_MOVE))
        return sorted(self.tree.moves(position), key=lambda pair: pair[0] != best)

    def search(self, position: int, depth: int, alpha: int, beta: int) -> tuple[int, tuple[int, ...]]:
        self.visit()
        if depth <= 0 or self.tree.is_over(position):
            return self.tree.value(position), ()
        key = position, depth
        lower, upper, move = self.table.get(key, (-SCORE_LIMIT, SCORE_LIMIT, NO_MOVE))
        if self.lies and self.random.randrange(100) < self.lies:
            lie = self.random.randint(-HIGHEST, HIGHEST)
            return lie, ()
        line: tuple[int, ...] = () if move == NO_MOVE else (move,)
        if lower >= beta or lower == upper:
            return lower, line
        if upper <= alpha:
            return upper, line
        best, low = -SCORE_LIMIT, alpha
        line = ()
        next_depth = self.tree.child_depth(position, depth)
        for move, after in self.ordered(position, depth):
            score, rest = self.search(after, next_depth, -beta, -low)
            if -score > best:
                best, line = -score, (move, *rest)
            low = max(low, best)
            if low >= beta:
                break
        if self.random.randrange(100) >= self.forgets:
            new_lower = max(lower, best) if best > alpha else lower
            new_upper = min(upper, best) if best < beta else upper
            if new_lower <= new_upper:
                self.table[key] = new_lower, new_upper, line[0]
        return best, line
