"""Games between two weights files of the Gomoku search, within this process, a fixed number of nodes a move.

Every opening is played twice with colours swapped. The same command gives the same games.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from othello_engine.core.layout import EPOCHS, STATE_BYTES
from othello_engine.gomoku.driver import Searcher, mate_of
from othello_engine.gomoku.position import NO_CELL, GomokuPosition
from othello_engine.gomoku.task import MAX_DEPTH, GomokuTask
from othello_engine.gomoku.weights import CellWeights
from tools.train.gomoku_positions import GomokuDataError

OPENINGS = ("gomoku/openings_piskvork.txt", "gomoku/openings_freestyle20_3800.txt")
"""Below the data folder."""
SIZE = 15
_TABLE_BYTES = 1 << 24
_NUMBER = re.compile(r"-?\d+")
_MARGIN = 3
"""Cells that an opening keeps from the border."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """From the first player's view. pairs: points of each pair of games, 0 to 2."""

    wins: int
    draws: int
    losses: int
    pairs: tuple[float, ...]

    @property
    def share(self) -> float:
        """Points a game."""
        return sum(self.pairs) / (2 * len(self.pairs))

    @property
    def error(self) -> float:
        """Standard error of the share, from the spread of the pairs."""
        n = len(self.pairs)
        return float(np.std(np.array(self.pairs) / 2, ddof=1)) / math.sqrt(n) if n > 1 else math.nan

    def __str__(self) -> str:
        share, error = self.share, self.error
        return (
            f"+{self.wins} ={self.draws} -{self.losses}, {100 * share:.1f} % +- {100 * error:.1f} (one standard error)"
        )


class Player:
    """A searcher with weights of its own, which takes moves by a fixed number of nodes."""

    def __init__(self, weights: CellWeights, nodes: int) -> None:
        self._buffer = bytearray(STATE_BYTES)
        self._table = bytearray(_TABLE_BYTES)
        self._searcher = Searcher(self._buffer, weights)
        self._searcher.attach_table(self._table)
        self._nodes = nodes
        self._epoch = 0
        self._generation = 0

    def new_game(self) -> None:
        """Forget the games before."""
        self._searcher.new_game()
        self._epoch = (self._epoch + 1) % EPOCHS
        self._generation = 0

    def move(self, position: GomokuPosition) -> tuple[int, int]:
        """The move played in a position that isn't over, and the mate that is proved, in plies; see GomokuResult."""
        self._generation = (self._generation + 1) % 256
        first = self._run(position, 0, self._nodes)
        if first.best_move != NO_CELL:
            return first.best_move, first.mate
        losing = tuple(entry.move for entry in first.moves if entry.mate < 0)
        left = self._nodes
        best, score, mate = NO_CELL, 0, 0
        for depth in range(1, MAX_DEPTH + 1):
            found = self._run(position, depth, left, losing, best, score)
            if found.best_move != NO_CELL:
                best, score, mate = found.best_move, found.score, mate_of(found.score)
            left -= max(found.nodes, 1)
            if not found.complete or left <= 0 or mate:
                break
        if best == NO_CELL:
            heat = self._searcher.expand(GomokuTask(position.size, position.cells, position.side, 0))
            best = heat.moves[0].move
        return best, mate

    def _run(
        self,
        position: GomokuPosition,
        depth: int,
        nodes: int,
        losing: tuple[int, ...] = (),
        former_move: int = NO_CELL,
        former_score: int = 0,
    ):
        self._searcher.stop_flag = 0
        return self._searcher.run(
            GomokuTask(
                position.size,
                position.cells,
                position.side,
                depth,
                losing=losing,
                node_limit=nodes,
                generation=self._generation,
                epoch=self._epoch,
                former_move=former_move,
                former_score=former_score,
            )
        )


def read_openings(paths: list[Path], n: int, size: int = SIZE) -> list[tuple[int, ...]]:
    """`n` different openings of three stones or more, moved to the middle of the board, spread over the files.

    Those that don't leave room to the border are left out. Raises GomokuDataError if there are fewer.
    """
    found: dict[tuple[int, ...], None] = {}
    for path in paths:
        for line in path.read_text(encoding="ascii").splitlines():
            numbers = [int(number) for number in _NUMBER.findall(line)]
            columns, rows = np.array(numbers[0::2]), np.array(numbers[1::2])
            if len(columns) < 3 or len(columns) != len(rows):
                continue
            columns = columns - (columns.min() + columns.max()) // 2 + size // 2
            rows = rows - (rows.min() + rows.max()) // 2 + size // 2
            places = np.concatenate([columns, rows])
            if places.min() >= _MARGIN and places.max() < size - _MARGIN:
                found[tuple(int(cell) for cell in rows * size + columns)] = None
    openings = list(found)
    if len(openings) < n:
        raise GomokuDataError(f"only {len(openings)} openings fit, {n} are wanted")
    return [openings[index * len(openings) // n] for index in range(n)]


def play_game(players: tuple[Player, Player], opening: tuple[int, ...], size: int = SIZE) -> int:
    """The winner of a game between the players of the first and of the second colour: 0 or 1, -1 for a draw."""
    position = GomokuPosition(size, bytes(size * size), 0)
    for player in players:
        player.new_game()
    for cell in opening:
        position = position.play(cell)
    while not position.is_over:
        cell, _ = players[position.side].move(position)
        position = position.play(cell)
    return -1 if position.winner is None else position.winner


def play_match(weights: tuple[CellWeights, CellWeights], nodes: int, openings: list[tuple[int, ...]]) -> MatchResult:
    """Two games from each opening."""
    first, second = Player(weights[0], nodes), Player(weights[1], nodes)
    points = {1: 0, 0: 0, -1: 0}
    pairs = []
    for opening in openings:
        as_black = play_game((first, second), opening)
        as_white = play_game((second, first), opening)
        results = [0 if winner == -1 else 1 if winner == own else -1 for own, winner in ((0, as_black), (1, as_white))]
        for result in results:
            points[result] += 1
        pairs.append(1 + sum(results) / 2)
    return MatchResult(points[1], points[0], points[-1], tuple(pairs))
