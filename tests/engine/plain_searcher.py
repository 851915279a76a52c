"""A searcher in plain Python, for workers without kernels: slow, simple, and right.

Workers load it by name, see `LOADER`. Its table is a dictionary of its own; it only marks the shared one, so that tests
can see that all workers have the same.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from othello_engine.core import plain
from othello_engine.core.layout import NODES_OFFSET, STOP_OFFSET
from othello_engine.engine.loading import Progress
from othello_engine.search.task import EXACT_LIMIT, SCORE_LIMIT, Child, Claim, Expansion, Task, TaskResult
from othello_engine.types import NO_MOVE, PASS

LOADER = "tests.engine.plain_searcher:load"
BROKEN_LOADER = "tests.engine.plain_searcher:load_never"
DEADLY_LOADER = "tests.engine.plain_searcher:load_deadly"
FAULTY_LOADER = "tests.engine.plain_searcher:load_faulty"
SLOW_FEED_LOADER = "tests.engine.plain_searcher:load_slow_feed"
TALKING_LOADER = "tests.engine.plain_searcher:load_talking"

DISC = 100
SLOW_FEED_S = 0.4


class StoppedError(Exception):
    """The stop flag was set, or the node limit reached."""


def after(move: int, player: int, opponent: int) -> tuple[int, int]:
    """The board after a move, seen by the other side."""
    if move == PASS:
        return opponent, player
    turned = plain.flips(move, player, opponent)
    return opponent ^ turned, player | turned | 1 << move


def squares(moves: int) -> list[int]:
    return [square for square in range(64) if moves >> square & 1]


class PlainState:
    """What a plain searcher has in shared memory, of either game. limit: of nodes, 0 = none."""

    def __init__(self, state_buffer: Any) -> None:
        self.words = memoryview(state_buffer).cast("q")
        self.shared: Any = None
        self.nodes = self.limit = 0

    @property
    def stop_flag(self) -> int:
        return int(self.words[STOP_OFFSET // 8])

    @stop_flag.setter
    def stop_flag(self, value: int) -> None:
        self.words[STOP_OFFSET // 8] = value

    def attach_table(self, buffer: Any) -> None:
        self.shared = buffer

    def visit(self) -> None:
        self.nodes += 1
        self.words[NODES_OFFSET // 8] = self.nodes
        if self.words[STOP_OFFSET // 8] or (self.limit and self.nodes >= self.limit):
            raise StoppedError


class PlainSearcher(PlainState):
    def __init__(self, state_buffer: Any, evaluation: str = "plain", weights: Any = None) -> None:
        self.weights = None if weights is None else memoryview(weights).cast("h")
        super().__init__(state_buffer)
        self.table: dict[tuple[int, int, int, bool], tuple[int, int, int]] = {}
        self.exact = False

    def attach_table(self, buffer: Any) -> None:
        super().attach_table(buffer)
        self.table.clear()

    def new_game(self) -> None:
        self.table.clear()

    def evaluate(self, player: int, opponent: int) -> int:
        """Mobility, and the very first weight of all if there are any."""
        if not plain.legal_moves(player, opponent) and not plain.legal_moves(opponent, player):
            return DISC * plain.final_score(player, opponent)
        mobility = plain.legal_moves(player, opponent).bit_count()
        learned = 0 if self.weights is None else self.weights[0]
        return learned + 10 * (mobility - plain.legal_moves(opponent, player).bit_count())

    def run(self, task: Task) -> TaskResult:
        self.nodes, self.limit, self.exact = 0, task.node_limit, task.exact
        depth = 60 if task.exact else task.depth
        best, best_move, first_done = -SCORE_LIMIT, NO_MOVE, False
        line: tuple[int, ...] = ()
        low = task.alpha
        try:
            self.visit()
            for move in self.ordered(task.player, task.opponent, depth, task.moves):
                score, rest = self.search(
                    *after(move, task.player, task.opponent),
                    depth - (move != PASS),
                    -task.beta,
                    -low,
                )
                if -score > best:
                    best, best_move, line = -score, move, (move, *rest)
                first_done = True
                low = max(low, best)
                if low >= task.beta:
                    break
            if best_move == NO_MOVE:
                best = self.leaf(task.player, task.opponent)
        except StoppedError:
            return TaskResult(best, best_move, line, self.nodes, False, first_done)
        if not task.moves and best_move != NO_MOVE:
            self.table[task.player, task.opponent, depth, task.exact] = -SCORE_LIMIT, SCORE_LIMIT, best_move
        return TaskResult(best, best_move, line, self.nodes, True)

    def expand(self, task: Task) -> Expansion:
        self.exact = task.exact
        children = []
        moves = self.ordered(task.player, task.opponent, 60 if task.exact else task.depth, task.moves)
        for move in moves:
            player, opponent = after(move, task.player, task.opponent)
            lower, upper = (-EXACT_LIMIT, EXACT_LIMIT) if task.exact else (-SCORE_LIMIT, SCORE_LIMIT)
            is_over = not plain.legal_moves(player, opponent) and not plain.legal_moves(opponent, player)
            if is_over:
                lower = upper = self.leaf(player, opponent)
            children.append(Child(move, player, opponent, lower, upper, over=is_over))
        return Expansion(tuple(children), moves == [PASS], len(children))

    def feed(self, claim: Claim, generation: int, epoch: int) -> None:
        move = claim.moves[0] if claim.moves else NO_MOVE
        self.table[claim.player, claim.opponent, claim.depth, False] = claim.lower, claim.upper, move

    def perft(self, player: int, opponent: int, depth: int) -> int | None:
        if self.words[STOP_OFFSET // 8]:
            return None
        if depth == 0:
            return 1
        moves = self.ordered(player, opponent, -1, 0)
        if not moves:
            return 1
        counts = [self.perft(*after(move, player, opponent), depth - 1) for move in moves]
        return None if None in counts else sum(count for count in counts if count is not None)

    def leaf(self, player: int, opponent: int) -> int:
        return plain.final_score(player, opponent) if self.exact else self.evaluate(player, opponent)

    def ordered(self, player: int, opponent: int, depth: int, allowed: int) -> list[int]:
        moves = plain.legal_moves(player, opponent)
        if not moves:
            return [PASS] if plain.legal_moves(opponent, player) else []
        if allowed:
            moves &= allowed
        known = self.table.get((player, opponent, depth, self.exact), (0, 0, NO_MOVE))[2]
        shallower = self.table.get((player, opponent, depth - 1, self.exact), (0, 0, NO_MOVE))[2]
        first = known if known != NO_MOVE else shallower
        return sorted(squares(moves), key=lambda move: move != first)

    def search(self, player: int, opponent: int, depth: int, alpha: int, beta: int) -> tuple[int, tuple[int, ...]]:
        self.visit()
        moves = self.ordered(player, opponent, depth, 0)
        if depth <= 0 or not moves:
            return self.leaf(player, opponent), ()
        key = player, opponent, depth, self.exact
        lower, upper, known = self.table.get(key, (-SCORE_LIMIT, SCORE_LIMIT, NO_MOVE))
        if lower >= beta or lower == upper:
            return lower, () if known == NO_MOVE else (known,)
        if upper <= alpha:
            return upper, ()
        best, low = -SCORE_LIMIT, alpha
        line: tuple[int, ...] = ()
        for move in moves:
            score, rest = self.search(*after(move, player, opponent), depth - (move != PASS), -beta, -low)
            if -score > best:
                best, line = -score, (move, *rest)
            low = max(low, best)
            if low >= beta:
                break
        self.table[key] = (
            max(lower, best) if best > alpha else lower,
            min(upper, best) if best < beta else upper,
            line[0],
        )
        return best, line


class PlainBackend:
    notes: tuple[str, ...] = ("plain searcher",)
    othello: type[PlainSearcher] = PlainSearcher

    def searcher(self, state_buffer: Any, evaluation: str, weights: Any = None) -> Any:
        return self.othello(state_buffer, evaluation, weights)

    def table_use(self, buffer: Any, generation: int, epoch: int) -> int:
        return 7


def load(progress: Progress) -> PlainBackend:
    """What workers call."""
    for done in range(1, 4):
        progress(done, 3, True)
    return PlainBackend()


def load_never(progress: Progress) -> PlainBackend:
    raise RuntimeError("no such kernel")


class _Deadly(PlainSearcher):
    def run(self, task: Task) -> TaskResult:
        time.sleep(0.02)
        os._exit(3)


class _Faulty(PlainSearcher):
    def run(self, task: Task) -> TaskResult:
        if task.depth > 2:
            raise ZeroDivisionError("deep trouble")
        return super().run(task)


class _DeadlyBackend(PlainBackend):
    othello = _Deadly


class _FaultyBackend(PlainBackend):
    othello = _Faulty


def load_deadly(progress: Progress) -> PlainBackend:
    """Searches end the worker."""
    return _DeadlyBackend()


def load_faulty(progress: Progress) -> PlainBackend:
    """Searches beyond a few plies raise."""
    return _FaultyBackend()


class _Talking(PlainSearcher):
    def run(self, task: Task) -> TaskResult:
        print("printed by a worker", flush=True)
        os.write(1, b"written by a worker\n")
        print(sys.stdin.read(), flush=True)
        return super().run(task)


class _TalkingBackend(PlainBackend):
    othello = _Talking


def load_talking(progress: Progress) -> PlainBackend:
    """Searches print, and read what they must not get."""
    return _TalkingBackend()


class _SlowFeed(PlainSearcher):
    def feed(self, claim: Claim, generation: int, epoch: int) -> None:
        time.sleep(SLOW_FEED_S)


class _SlowFeedBackend(PlainBackend):
    othello = _SlowFeed


def load_slow_feed(progress: Progress) -> PlainBackend:
    """Claims take a while to be put into the table."""
    return _SlowFeedBackend()
