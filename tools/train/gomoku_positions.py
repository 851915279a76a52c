"""Positions of the Gomoku games as the trainer sees them: of each one the multisets of the cells that matter.

A position is taken after every move of a game but the first plies. Left out is what the search settles without an
evaluation: the side to move or its opponent can complete five, there is a win that the static test sees, or a win by
fours. What remains is kept as pairs of multisets, those of the side to move and of its opponent, one pair a cell.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import njit

from othello_engine.core.jit import I64
from othello_engine.gomoku.board import five_cell, place, set_up, strong_counts, undo
from othello_engine.gomoku.forcing import FAILED, fours_win, known_end
from othello_engine.gomoku.lines import CELL_CLASS, CELL_ONE, MULTISET_OF
from othello_engine.gomoku.state import (
    FOURS,
    FRAME_WORDS,
    MAX_FRAMES,
    NEAR,
    SET_WORDS,
    STATE,
    fill_near,
    new_state,
)
from othello_engine.gomoku.weights import by_hand, info_table

GAMES = "gomoku/engine_games_20x20.txt.gz"
"""The games, below the data folder."""
GAMES_SIZE = 20
TEST_GAME_OF = 20
"""One game in so many is kept for validation."""
FIRST_PLY = 6
"""Moves before are given openings."""
LAST_PLY = 200
FOURS_NODES = 300
"""Of the search for a win by fours that makes a position unfit."""

CANDIDATE = 1 << 14
"""Bit of the first of a pair: the search would list the cell."""
PLAYED = 1 << 15
"""Bit of the first of a pair: the move that was played."""
MULTISET = (1 << 11) - 1
"""Bits of the multiset."""

(PLY, PLIES_LEFT, WON, THREATENED, GAME, N_FACTS) = range(6)
"""Columns of the facts of a position: stones on the board, moves to the end of the game, 1 if the side to move has
won it, 1 if its opponent could make an open four, number of the game."""

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_COUNT = np.uint64(0xFFFF)
_NONE = np.int64(-1)
_WORDS = np.int64(FRAME_WORDS)
_SET = np.int64(SET_WORDS)
_PROOF_ENTRIES = 1 << 16
_FOURS_STONES = np.int64(12)
_MOVE = re.compile("([a-t])([0-9]+)")


class GomokuDataError(Exception):
    """A file of games or openings isn't what it should be."""


@dataclass(frozen=True, slots=True)
class Game:
    """moves: cells in order, black's first. winner: 0 black, 1 white."""

    moves: tuple[int, ...]
    winner: int


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """facts: (n, N_FACTS) int32. pairs: (m, 2) uint16, multisets of the side to move (with the bits CANDIDATE and
    PLAYED) and of its opponent, for one position after the other. ends: (n,) int64, where the pairs of each end."""

    facts: np.ndarray
    pairs: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.facts)


def read_games(path: Path, size: int = GAMES_SIZE) -> list[Game]:
    """All games of a file, one a line: `MOVES WINNER ...`. Raises GomokuDataError, which names file and line."""
    games = []
    with gzip.open(path, "rt", encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            text, winner = [*line.split(), "", ""][:2]
            cells = [(int(row) - 1) * size + ord(column) - ord("a") for column, row in _MOVE.findall(text)]
            is_whole = "".join(f"{column}{row}" for column, row in _MOVE.findall(text)) == text
            if not is_whole or winner not in ("1", "2") or len(set(cells)) < len(cells):
                raise GomokuDataError(f"{path}, line {number}: not a game")
            if not all(0 <= cell < size * size for cell in cells):
                raise GomokuDataError(f"{path}, line {number}: a move is not on the board")
            games.append(Game(tuple(cells), int(winner) - 1))
    return games


def is_test(game: int) -> bool:
    """True if the game of this number is kept for validation."""
    return game % TEST_GAME_OF == TEST_GAME_OF - 1


# Not kept on disk by `kernel`: Numba wouldn't see that a kernel it calls has changed.
@njit(I64(STATE, numba.int64[::1], I64, I64, numba.uint16[::1], numba.uint16[:, ::1], numba.int64[:, ::1]))
def _play_out(state, moves, first_ply, last_ply, multiset_of, pairs, found):
    """Play a game from the empty board, which was set up, and describe its fit positions; their number.

    multiset_of: by combination, 0 for the dull ones that both sides may have alike. pairs: room for all pairs. found:
    a row for each position: ply, 1 if threatened, and where its pairs end.
    """
    n_found = np.int64(0)
    n_pairs = np.int64(0)
    cells = state.board_size * state.board_size
    for ply in range(min(np.int64(moves.shape[0]), last_ply)):
        side = np.int64(ply) & np.int64(1)
        opponent = np.int64(1) - side
        is_fit = ply >= first_ply and known_end(state, side) == np.int64(0) and five_cell(state, opponent) == _NONE
        if is_fit:
            state.proof_left = np.int64(FOURS_NODES)
            is_fit = fours_win(state, side, _FOURS_STONES) <= FAILED
        if is_fit:
            is_threatened = (strong_counts(state, opponent) >> np.uint64(32)) & _COUNT != _ZERO
            base = state.frame * _WORDS
            own_shift = np.uint64(16) * np.uint64(side)
            for cell in range(cells):
                if state.cells[cell] != 0:
                    continue
                word = np.int64(cell) >> np.int64(6)
                if is_threatened:
                    bits = state.frames[base + FOURS + word] | state.frames[base + FOURS + _SET + word]
                else:
                    bits = state.frames[base + NEAR + word]
                is_candidate = (bits >> np.uint64(cell & 63)) & _ONE
                combos = np.uint64(state.combos[cell])
                own = multiset_of[(combos >> own_shift) & _COUNT]
                other = multiset_of[(combos >> (np.uint64(16) - own_shift)) & _COUNT]
                if own == other and is_candidate == _ZERO and np.int64(state.info[combos & _COUNT] & 15) <= CELL_ONE:
                    continue
                entry = np.int64(own)
                if is_candidate != _ZERO:
                    entry |= np.int64(CANDIDATE)
                if cell == moves[ply]:
                    entry |= np.int64(PLAYED)
                pairs[n_pairs, 0] = np.uint16(entry)
                pairs[n_pairs, 1] = other
                n_pairs += np.int64(1)
            found[n_found, 0] = ply
            found[n_found, 1] = np.int64(1) if is_threatened else np.int64(0)
            found[n_found, 2] = n_pairs
            n_found += np.int64(1)
        place(state, moves[ply], side)
    return n_found


def state_for(size: int) -> tuple[Any, np.ndarray]:
    """A state record with an empty board of this size and the values set by hand, and its table of proofs."""
    state = new_state()
    weights = by_hand()
    state.info[:] = info_table(weights)
    state.tempo = weights.tempo
    proofs = np.zeros(_PROOF_ENTRIES, np.uint64)
    state.proof_address = proofs.ctypes.data
    state.proof_mask = _PROOF_ENTRIES - 1
    fill_near(state, size)
    return state, proofs


def positions_of(games: list[Game], size: int = GAMES_SIZE, only_last: bool = False) -> Positions:
    """The fit positions of all games, in their order; GAME is the place in the list.

    only_last: of each game the one before the last move.
    """
    state, _proofs = state_for(size)
    room = np.zeros((LAST_PLY * size * size, 2), np.uint16)
    found = np.zeros((LAST_PLY, 3), np.int64)
    facts, pairs, ends = [], [], []
    n_pairs = 0
    state.cells[: size * size] = 0
    set_up(state)
    for number, game in enumerate(games):
        moves = np.array(game.moves, np.int64)
        n_found = int(
            _play_out(state, moves, len(moves) - 1 if only_last else FIRST_PLY, LAST_PLY, MULTISET_OF, room, found)
        )
        while state.frame > 0:
            undo(state)
        rows = np.zeros((n_found, N_FACTS), np.int32)
        rows[:, PLY] = found[:n_found, 0]
        rows[:, PLIES_LEFT] = len(moves) - rows[:, PLY]
        rows[:, WON] = rows[:, PLY] % 2 == game.winner
        rows[:, THREATENED] = found[:n_found, 1]
        rows[:, GAME] = number
        facts.append(rows)
        n_own = int(found[n_found - 1, 2]) if n_found else 0
        pairs.append(room[:n_own].copy())
        ends.append(n_pairs + found[:n_found, 2])
        n_pairs += n_own
    return Positions(np.concatenate(facts), np.concatenate(pairs), np.concatenate(ends))


def parts(positions: Positions, chunk: int) -> Iterator[tuple[slice, slice]]:
    """Slices of at most `chunk` positions, and of their pairs."""
    for first in range(0, len(positions), chunk):
        last = min(first + chunk, len(positions))
        start = int(positions.ends[first - 1]) if first else 0
        yield slice(first, last), slice(start, int(positions.ends[last - 1]))


assert LAST_PLY + 2 * int(_FOURS_STONES) < MAX_FRAMES
assert int(CELL_CLASS.max()) < 16
