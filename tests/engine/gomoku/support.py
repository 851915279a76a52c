"""Positions for these tests, and pretended workers that drive a division of a search without processes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from othello_engine.core.layout import STATE_BYTES
from othello_engine.engine.gomoku.deepening import GomokuDeepening, GomokuPlan
from othello_engine.engine.gomoku.division import GomokuOutcome, Shards, Together
from othello_engine.engine.scheduler import Work
from othello_engine.gomoku.position import NO_CELL, GomokuPosition
from othello_engine.gomoku.task import GomokuResult, GomokuTask
from tests.engine.gomoku.plain_gomoku import PlainGomoku

QUIET = GomokuPosition.from_moves("e5f6e6f5", 10)
"""Ten cells on a side, two stones each."""
WON = GomokuPosition.from_moves("c5c6d5d6e5e6f5j9", 10).with_side(0)
"""Black makes five at b5 or g5."""
MUST_BLOCK = GomokuPosition.from_text(40 * "#" + "-OXXXX----" + "---OO-----" + 40 * "#" + " O")
"""White has to play g5. Two rows to play on keep searches short."""
LOST = GomokuPosition.from_moves("c5a1d5a3e5a8f5", 10)
"""White can't stop b5 and g5 both."""
IN_THREE = GomokuPosition.from_text(40 * "#" + "---XXX----" + "---OO-----" + 40 * "#" + " X")
"""Black makes an open four at c5 or g5, and five two plies later. The same two rows."""
FINISHED = GomokuPosition.from_moves("c5a1d5a3e5a8f5b9g5", 10)
"""Black has won, White would be to move."""
FULL = GomokuPosition.from_text(
    "".join("XO"[(column // 2 + row) % 2] for row in range(10) for column in range(10)) + " X"
)
"""Full, and nobody has five."""


def named(*names: str, size: int = 10) -> tuple[int, ...]:
    position = GomokuPosition.start(size)
    return tuple(position.parse_move(name) for name in names)


def task_of(position: GomokuPosition, depth: int, **changes: Any) -> GomokuTask:
    return GomokuTask(position.size, position.cells, position.side, depth, **changes)


def random_position(n_stones: int, seed: int, size: int = 10) -> GomokuPosition:
    """A game that nobody has won, stones near each other."""
    dice = random.Random(seed)
    while True:
        position = GomokuPosition.start(size)
        middle = size // 2
        near = [
            row * size + column for row in range(middle - 2, middle + 3) for column in range(middle - 2, middle + 3)
        ]
        for _ in range(n_stones):
            position = position.play(dice.choice([cell for cell in near if cell in position.legal_moves]))
            if position.is_over:
                break
        if not position.is_over:
            return position


def new_searcher() -> PlainGomoku:
    return PlainGomoku(bytearray(STATE_BYTES))


def result(move: int, score: int = 0, **changes: Any) -> GomokuResult:
    """A complete result with one move."""
    values: dict[str, Any] = {"pv": (move,) if move != NO_CELL else (), "nodes": 10, "complete": True}
    return GomokuResult(score, move, **{**values, **changes})


def unfinished(nodes: int = 5) -> GomokuResult:
    return GomokuResult(0, NO_CELL, (), nodes, False)


class Team:
    """Workers that finish in any order, or die.

    dice: chooses whose turn it is to end its work. deaths: per cent of the works that are lost.
    """

    def __init__(self, division: Together | Shards, n_workers: int, seed: int = 0, deaths: int = 0) -> None:
        self.division = division
        self.n_workers = n_workers
        self.dice = random.Random(seed)
        self.deaths = deaths
        self.works: dict[int, Work[GomokuTask]] = {}
        self.stopped: list[int] = []
        self.given: list[Work[GomokuTask]] = []
        self.nodes = 0

    def feed(self, budget: int = 0) -> list[Work[GomokuTask]]:
        """Give work to whoever is idle, pass stops on; what was given."""
        fed = []
        while len(self.works) < self.n_workers:
            work = self.division.take(0.0, self.n_workers - len(self.works), budget)
            if work is None:
                break
            assert work.id not in self.works
            self.works[work.id] = work
            fed.append(work)
        self.given += fed
        for id in self.division.stops():
            assert id in self.works, "a stop for work that nobody has"
            assert id not in self.stopped, "a stop named twice"
            self.stopped.append(id)
        assert self.division.n_running == len(self.works)
        return fed

    def end_one(self) -> None:
        """Some worker ends its work, or dies over it."""
        id = self.dice.choice(sorted(self.works))
        work = self.works.pop(id)
        if self.dice.randrange(100) < self.deaths:
            self.division.lost(id, 1)
            return
        found: Any
        if work.expand:
            found = new_searcher().expand(work.task)
            self.division.expanded(id, found)
        else:
            found = unfinished() if id in self.stopped else _searched(work.task)
            self.division.searched(id, found)
        self.nodes += found.nodes

    def run(self) -> GomokuOutcome:
        """Until the root is settled."""
        for _ in range(10_000):
            self.feed()
            if self.division.is_over:
                return self.division.outcome()
            assert self.works, "the search came to a standstill"
            self.end_one()
        raise AssertionError("no end")

    def run_out(self) -> None:
        """Until nobody has work any more."""
        for _ in range(1000):
            assert self.feed() == []
            if not self.works:
                assert self.division.n_running == 0
                return
            self.end_one()
        raise AssertionError("no end")


DEEPEST = 3
"""Companions of short searches would take for ever; they pretend to go deeper than this."""


def _searched(task: GomokuTask) -> GomokuResult:
    return _search(replace(task, depth=min(task.depth, DEEPEST), is_companion=False))


@cache
def _search(task: GomokuTask) -> GomokuResult:
    return new_searcher().run(task)


def answer(plan: GomokuPlan, team: Team) -> GomokuDeepening:
    """A request to its end."""
    deepening = GomokuDeepening(plan)
    while not deepening.is_finished:
        step = deepening.next()
        team.division.begin(step.task, step.order)
        outcome = team.run()
        assert outcome.settled
        deepening.report(outcome)
    team.run_out()
    return deepening


def best_values(position: GomokuPosition, depth: int, moves: Sequence[int] = ()) -> dict[int, int]:
    """What every root move is worth at this depth, by plain minimax."""
    found = new_searcher().run(task_of(position, depth, moves=tuple(moves)))
    return {each.move: each.score for each in found.moves}
