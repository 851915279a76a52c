"""Positions with the score of a search: the second round of the Gomoku trainer learns to foretell it.

They are taken from the games, most of them led astray by one or two moves that the order scores recommend, for the
search meets bad moves far more often than the games show them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from othello_engine.core.layout import TABLE_BUCKET_BYTES
from othello_engine.gomoku.board import five_cell, place, set_up
from othello_engine.gomoku.forcing import known_end
from othello_engine.gomoku.search import STOPPED_SCORE, list_moves, search
from othello_engine.gomoku.table import MATE_BOUND
from othello_engine.gomoku.weights import CellWeights, info_table
from tools.train.gomoku_positions import (
    FIRST_PLY,
    GAME,
    GAMES_SIZE,
    LAST_PLY,
    Game,
    Positions,
    positions_of,
    state_for,
)
from tools.train.work import load, save

INFINITE = 32_000
DEEPEST = 30
_TABLE_BUCKETS = 1 << 16
_STRAY_CHANCES = (0.3, 0.4, 0.3)
"""Of no, one and two moves of our own after those of the game."""
_STRAY_AMONG = 10
"""Best candidates by order score that such a move is drawn from."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """games: each the moves to a position and the best move there that the search found; their winner means nothing.
    of: (n,) number of the game that a position comes from. scores: (n,) for the side to move, evaluation units."""

    games: list[Game]
    of: np.ndarray
    scores: np.ndarray

    def chances(self, scale: float) -> np.ndarray:
        """(n,) chance to win that the scores mean, with so many units a logit; 1 or 0 if it is proved."""
        chances = 1 / (1 + np.exp(-self.scores / scale))
        return np.where(np.abs(self.scores) >= MATE_BOUND, self.scores > 0, chances)


class Labeller:
    """Searches positions with given weights. nodes: of one search."""

    def __init__(self, weights: CellWeights, nodes: int, size: int = GAMES_SIZE) -> None:
        self._state, self._proofs = state_for(size)
        self._state.info[:] = info_table(weights)
        self._state.tempo = weights.tempo
        self._table = np.zeros(_TABLE_BUCKETS * TABLE_BUCKET_BYTES, np.uint8)
        self._state.table_address = self._table.ctypes.data
        self._state.table_mask = _TABLE_BUCKETS - 1
        self._nodes = nodes
        self._size = size

    def label(self, moves: list[int], n_stray: int, rng: np.random.Generator) -> tuple[list[int], int] | None:
        """The moves, those astray and the best one, and its score; None if the end can be told without a search."""
        state, moves = self._set_up(moves), list(moves)
        side = len(moves) % 2
        for _ in range(n_stray):
            if self._is_clear(side):
                return None
            n_moves = int(list_moves(state, side, 0, -1, 0))
            entries = np.sort(np.array(state.moves[:n_moves]))[::-1]
            state.n_moves = 0
            if not n_moves:
                return None
            cell = int(entries[rng.integers(min(n_moves, _STRAY_AMONG))]) & 1023
            place(state, cell, side)
            moves.append(cell)
            side = 1 - side
        if self._is_clear(side):
            return None
        state = self._set_up(moves)
        best, score = -1, 0
        for depth in range(1, DEEPEST + 1):
            found = int(search(state, side, -INFINITE, INFINITE, depth, 0, 0))
            if found == int(STOPPED_SCORE):
                break
            score = found
            if state.pv_length[0] > 0:
                best = int(state.pv[0])
            if abs(score) >= MATE_BOUND:
                break
        if best < 0:
            return None
        return [*moves, best], score

    def _is_clear(self, side: int) -> bool:
        return int(known_end(self._state, side)) != 0 or int(five_cell(self._state, 1 - side)) >= 0

    def _set_up(self, moves: list[int]) -> Any:
        state = self._state
        state.cells[: self._size**2] = 0
        state.cells[moves] = np.arange(len(moves)) % 2 + 1
        set_up(state)
        state.killers[:] = -1
        state.replies[:] = -1
        state.history[:] = 0
        state.stop = state.nodes = 0
        state.node_limit = self._nodes
        state.epoch = (int(state.epoch) + 1) & 0xFFFF
        return state


def make_labels(games: list[Game], weights: CellWeights, n: int, nodes: int, seed: int) -> Labels:
    """About `n` positions, less those whose end is clear, from games drawn at random."""
    rng = np.random.default_rng(seed)
    labeller = Labeller(weights, nodes)
    found, of, scores = [], [], []
    for number in rng.integers(len(games), size=n):
        moves = games[number].moves
        ply = int(rng.integers(FIRST_PLY, max(min(len(moves), LAST_PLY - 2), FIRST_PLY + 1)))
        labelled = labeller.label(list(moves[:ply]), int(rng.choice(3, p=_STRAY_CHANCES)), rng)
        if labelled is not None:
            found.append(Game(tuple(labelled[0]), 0))
            of.append(int(number))
            scores.append(labelled[1])
    return Labels(found, np.array(of), np.array(scores))


def save_labels(path: Path, labels: Labels) -> None:
    """Keep labels in a file."""
    moves = np.concatenate([np.array(game.moves, np.int16) for game in labels.games])
    ends = np.cumsum([len(game.moves) for game in labels.games])
    save(path, moves=moves, ends=ends, of=labels.of, scores=labels.scores)


def load_labels(path: Path) -> Labels:
    """Labels of a file of save_labels."""
    kept = load(path)
    games = [Game(tuple(map(int, moves)), 0) for moves in np.split(kept["moves"], kept["ends"][:-1])]
    return Labels(games, kept["of"], kept["scores"])


def labelled_positions(labels: Labels) -> tuple[Positions, np.ndarray]:
    """The fit ones among the positions, and which they are."""
    positions = positions_of(labels.games, only_last=True)
    return positions, positions.facts[:, GAME]
