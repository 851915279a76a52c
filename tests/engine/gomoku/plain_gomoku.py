"""A Gomoku searcher in plain Python, for workers without kernels: slow, simple, and right.

Plain minimax without any pruning, so that what a root move is worth, and how many nodes that takes, depends on nothing
else than the position and the depth. Workers load it by name, see `LOADER`; for Othello's profiles the same loader has
Othello's plain searcher.
"""

from __future__ import annotations

import os
import time
from functools import cache
from typing import Any

from othello_engine.core.layout import NODES_OFFSET
from othello_engine.engine.loading import Progress
from othello_engine.gomoku.position import EMPTY, NO_CELL, STONES, GomokuPosition
from othello_engine.gomoku.task import GomokuResult, GomokuTask, Heatmap, RootScore
from tests.engine.plain_searcher import PlainBackend, PlainState, StoppedError

LOADER = "tests.engine.gomoku.plain_gomoku:load"
DEADLY_LOADER = "tests.engine.gomoku.plain_gomoku:load_deadly"
FAULTY_LOADER = "tests.engine.gomoku.plain_gomoku:load_faulty"

WIN = 1_000_000
"""Score of a five on the board now; one less for each ply until then."""
PROVED = WIN - 1000
NEAR = 1
"""Candidates are so many cells or fewer away from a stone, in any direction."""


@cache
def windows(size: int) -> tuple[tuple[int, ...], ...]:
    """All rows of five cells of a board."""
    found = []
    for row in range(size):
        for column in range(size):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                places = [(row + n * down, column + n * right) for n in range(5)]
                if all(0 <= r < size and 0 <= c < size for r, c in places):
                    found.append(tuple(r * size + c for r, c in places))
    return tuple(found)


@cache
def windows_of(size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """The same by the cells that they run over."""
    return tuple(tuple(each for each in windows(size) if cell in each) for cell in range(size * size))


@cache
def near(size: int, cell: int) -> tuple[int, ...]:
    """The cells at most NEAR away, the cell itself included."""
    row, column = divmod(cell, size)
    return tuple(
        r * size + c
        for r in range(max(0, row - NEAR), min(size, row + NEAR + 1))
        for c in range(max(0, column - NEAR), min(size, column + NEAR + 1))
    )


def makes_five(size: int, cells: bytes | bytearray, cell: int, stone: int) -> bool:
    """True if a stone on this empty cell is part of five in a row."""
    return any(all(cells[each] == stone or each == cell for each in row) for row in windows_of(size)[cell])


def candidates(size: int, cells: bytes | bytearray) -> list[int]:
    """Empty cells near a stone; on a board without one the middle; else all empty cells. In the order of the board."""
    stones = [cell for cell, content in enumerate(cells) if content in STONES]
    found = sorted({other for cell in stones for other in near(size, cell) if cells[other] == EMPTY})
    middle = (size // 2) * size + size // 2
    if not found and not stones and cells[middle] == EMPTY:
        return [middle]
    return found or [cell for cell, content in enumerate(cells) if content == EMPTY]


def value(size: int, cells: bytes | bytearray, side: int) -> int:
    """For the side to move: a row of five cells with stones of one side only counts by the square of their number."""
    total = 0
    for row in windows(size):
        own = other = 0
        for cell in row:
            own += cells[cell] == STONES[side]
            other += cells[cell] == STONES[1 - side]
        if not other:
            total += own * own
        elif not own:
            total -= other * other
    return total


def mate_of(score: int) -> int:
    """Plies to the five, negative for a loss, 0 if the score proves nothing."""
    if abs(score) < PROVED:
        return 0
    return WIN - score if score > 0 else -WIN - score


class PlainGomoku(PlainState):
    def __init__(self, state_buffer: Any, evaluation: str = "gomoku", weights: Any = None) -> None:
        super().__init__(state_buffer)
        self.deepest = 0

    def new_game(self) -> None:
        pass

    def evaluate(self, size: int, cells: bytes, side: int) -> int:
        winner = GomokuPosition(size, cells, side).winner
        if winner is not None:
            return WIN if winner == side else -WIN
        return value(size, cells, side)

    def expand(self, task: GomokuTask) -> Heatmap:
        """Every candidate counts as a node; what it looks like is the value of the board with it."""
        found = []
        cells = bytearray(task.cells)
        for cell in candidates(task.size, cells):
            cells[cell] = STONES[task.side]
            found.append(RootScore(cell, value(task.size, cells, task.side)))
            cells[cell] = EMPTY
        found.sort(key=lambda each: -each.score)
        return Heatmap(tuple(found), len(found))

    def run(self, task: GomokuTask) -> GomokuResult:
        self.nodes, self.limit, self.deepest = 0, task.node_limit, 0
        self.words[NODES_OFFSET // 8] = 0
        cells = bytearray(task.cells)
        moves = [cell for cell in task.moves or candidates(task.size, cells) if cells[cell] == EMPTY]
        moves = [move for move in moves if move not in task.excluded]
        moves = moves or [cell for cell, each in enumerate(cells) if each == EMPTY and cell not in task.excluded]
        if task.depth == 0:
            return self.facts(task, cells, moves)
        moves = [move for move in moves if move not in task.losing] or moves
        moves.sort(key=lambda move: move != task.former_move)
        known: list[tuple[int, tuple[int, ...]]] = []
        complete = False
        try:
            for move in moves:
                known.append(self.after(task.size, cells, move, task.side, task.depth, 1))
            complete = True
        except StoppedError:
            pass
        if not known or (not complete and task.former_move not in [line[0] for _, line in known]):
            return GomokuResult(0, NO_CELL, (), self.nodes, complete)
        score, line = max(known, key=lambda each: each[0])
        roots = sorted((RootScore(pv[0], points, mate_of(points)) for points, pv in known), key=lambda r: -r.score)
        return GomokuResult(score, line[0], line, self.nodes, complete, mate_of(score), self.deepest, tuple(roots))

    def facts(self, task: GomokuTask, cells: bytearray, moves: list[int]) -> GomokuResult:
        """A five, or which moves leave the opponent one."""
        try:
            for _ in moves:
                self.visit_at(1)
        except StoppedError:
            return GomokuResult(0, NO_CELL, (), self.nodes, False)
        fives = [move for move in moves if makes_five(task.size, cells, move, STONES[task.side])]
        if fives:
            won = tuple(RootScore(move, WIN - 1, 1) for move in fives)
            return GomokuResult(WIN - 1, fives[0], (fives[0],), self.nodes, True, 1, 1, won)
        empty = [cell for cell, content in enumerate(cells) if content == EMPTY]
        threats = [cell for cell in empty if makes_five(task.size, cells, cell, STONES[1 - task.side])]
        losing = tuple(RootScore(move, 2 - WIN, -2) for move in moves if set(threats) - {move})
        left = [move for move in moves if move not in [each.move for each in losing]]
        if losing and len(left) == 1:
            return GomokuResult(0, left[0], (left[0],), self.nodes, True, moves=losing)
        return GomokuResult(0, NO_CELL, (), self.nodes, True, moves=losing)

    def visit_at(self, ply: int) -> None:
        self.deepest = max(self.deepest, ply)
        self.visit()

    def after(
        self, size: int, cells: bytearray, move: int, side: int, depth: int, ply: int
    ) -> tuple[int, tuple[int, ...]]:
        """What a move is worth to the side that makes it, and the line."""
        self.visit_at(ply)
        if makes_five(size, cells, move, STONES[side]):
            return WIN - ply, (move,)
        cells[move] = STONES[side]
        try:
            if depth == 1:
                return value(size, cells, side), (move,)
            if EMPTY not in cells:
                return 0, (move,)
            best: tuple[int, tuple[int, ...]] = -WIN, ()
            for reply in candidates(size, cells):
                best = max(best, self.after(size, cells, reply, 1 - side, depth - 1, ply + 1), key=lambda each: each[0])
            return -best[0], (move, *best[1])
        finally:
            cells[move] = EMPTY


class Backend(PlainBackend):
    """Gomoku's searcher for the evaluations of Gomoku, Othello's for the others."""

    notes = ("plain searchers",)
    gomoku: type[PlainGomoku] = PlainGomoku

    def searcher(self, state_buffer: Any, evaluation: str, weights: Any = None) -> Any:
        if evaluation.startswith("gomoku"):
            return self.gomoku(state_buffer)
        return super().searcher(state_buffer, evaluation, weights)


class _Deadly(PlainGomoku):
    def run(self, task: GomokuTask) -> GomokuResult:
        time.sleep(0.02)
        os._exit(3)


class _Faulty(PlainGomoku):
    def run(self, task: GomokuTask) -> GomokuResult:
        if task.depth > 1:
            raise ZeroDivisionError("deep trouble")
        return super().run(task)


class _DeadlyBackend(Backend):
    gomoku = _Deadly


class _FaultyBackend(Backend):
    gomoku = _Faulty


def load(progress: Progress) -> Backend:
    """What workers call."""
    progress(1, 1, True)
    return Backend()


def load_deadly(progress: Progress) -> Backend:
    """Searches end the worker."""
    return _DeadlyBackend()


def load_faulty(progress: Progress) -> Backend:
    """Searches beyond one ply raise."""
    return _FaultyBackend()
