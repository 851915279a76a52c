"""Exact scores: of all late positions of games, of single positions, and the files of labelled positions."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numba
import numpy as np

from othello_engine.core.jit import I64, VOID, kernel
from othello_engine.core.layout import TABLE_BUCKET_BYTES
from othello_engine.search.endgame import nws_endgame
from othello_engine.search.state import STATE, new_state
from othello_engine.types import NO_MOVE
from tools.train.games import NO_THEO, Games, canonical_positions
from tools.train.work import Runner, save

DEEPEST = 14
"""Positions of games with at most so many empties get their exact scores."""
THEO_EMPTIES = 24
GAMES_TABLE_BYTES = 2 << 20
"""Small enough for the processor's own cache: faster here than a larger one."""
N_EMPTIES = range(1, 60)

_U64S = numba.uint64[::1]
_U8S = numba.uint8[::1]
_I64S = numba.int64[::1]
_I8S = numba.int8[::1]


@kernel(I64(STATE, numba.uint64, numba.uint64, I64, I64))
def solve(state, player, opponent, lower, guess):
    """Exact score by null windows that start at a guess; much faster when it is right.

    lower: a proved lower bound, -64 if there is none. Both are even, as all scores are.
    """
    upper = np.int64(64)
    guess = min(max(guess, lower), upper)
    while lower < upper:
        # Odd, between two possible scores: is it at least `guess`, or, where that is known, more?
        alpha = guess + np.int64(1) if guess == lower else guess - np.int64(1)
        score = nws_endgame(state, player, opponent, alpha, np.int64(0))
        if score > alpha:
            lower = score
        else:
            upper = score
        guess = score
    return lower


@kernel(VOID(STATE, _U64S, _U64S, _I8S, _I8S, I64, I64, _I8S))
def solve_many(state, player, opponent, lower, guess, first, last, score):
    """Exact scores of positions first..last-1; see `solve`."""
    for index in range(first, last):
        state.generation = (state.generation + np.int64(1)) & np.int64(255)
        score[index] = solve(state, player[index], opponent[index], np.int64(lower[index]), np.int64(guess[index]))


@kernel(VOID(STATE, _I64S, _U64S, _U64S, _U8S, _I8S, numba.boolean[::1], I64, I64, I64, _I8S))
def label_games(state, offsets, player, opponent, black, final, skip, deepest, first, last, score):
    """Walk games first..last-1 backwards: exact scores up to `deepest` empties, the last of them carried on above.

    score: for the side to move, at each position's place. The move that was played proves a lower bound, and mostly
    it is the true score, so that one null window settles it.
    """
    for game in range(first, last):
        if skip[game]:
            continue
        state.generation = (state.generation + np.int64(1)) & np.int64(255)
        value = np.int64(final[game])
        start = offsets[game]
        for index in range(offsets[game + 1] - 1, start - 1, -1):
            sign = np.int64(1) if black[index] != 0 else np.int64(-1)
            if np.int64(60) - (index - start) <= deepest:
                value = sign * solve(state, player[index], opponent[index], sign * value, sign * value)
            score[index] = np.int8(sign * value)


class Solver:
    """State record and table of one thread."""

    def __init__(self, table_bytes: int) -> None:
        """table_bytes: a power of two, at least one bucket."""
        self.state: Any = new_state()
        self.state.exact = 1
        self.state.killers[:] = NO_MOVE
        self.table = np.zeros(table_bytes + TABLE_BUCKET_BYTES, np.uint8)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.table.data))
        self.state.table_address = -(-address // TABLE_BUCKET_BYTES) * TABLE_BUCKET_BYTES
        self.state.table_mask = table_bytes // TABLE_BUCKET_BYTES - 1


def solve_positions(
    runner: Runner,
    name: str,
    player: np.ndarray,
    opponent: np.ndarray,
    guess: np.ndarray,
    lower: np.ndarray | None = None,
    table_bytes: int = GAMES_TABLE_BYTES,
    chunk: int = 256,
) -> np.ndarray:
    """Exact scores (int8) of positions, from guesses and, where known, proved lower bounds."""
    score = np.empty(len(player), np.int8)
    bound = np.full(len(player), -64, np.int8) if lower is None else lower
    runner.spread(
        name,
        len(player),
        chunk,
        lambda: Solver(table_bytes),
        lambda solver, first, last: solve_many(solver.state, player, opponent, bound, guess, first, last, score),
    )
    return score


def label(games: Games, runner: Runner, deepest: int) -> np.ndarray:
    """int8: scores for the mover of all positions of all games but the test games, at the positions' places."""
    score = np.zeros(len(games.player), np.int8)

    def work(solver: Solver, first: int, last: int) -> None:
        label_games(
            solver.state,
            games.offsets,
            games.player,
            games.opponent,
            games.black,
            games.score,
            games.is_test,
            deepest,
            first,
            last,
            score,
        )

    runner.spread("exact scores", games.n_games, 256, lambda: Solver(GAMES_TABLE_BYTES), work)
    return score


def make_positions(
    games: Games, held_out: np.ndarray, score: np.ndarray, n_empties: int, avoided: np.ndarray, path: Path
) -> None:
    """Write the distinct positions with so many empties of all games but the test games.

    held_out: mask of games. score: see `label`. avoided: hashes of canonical positions to leave out.
    """
    chosen, places = games.at(n_empties, ~games.is_test)
    player, opponent, hashes = canonical_positions(games.player[places], games.opponent[places])
    theo = np.full(len(chosen), NO_THEO, np.int64)
    if n_empties >= THEO_EMPTIES:
        known = (games.theo[chosen] != NO_THEO) & (games.lengths[chosen] > 60 - THEO_EMPTIES)
        sign = np.where(games.black[places] != 0, 1, -1)
        theo[known] = (sign * games.theo[chosen])[known]
    keep = ~np.isin(hashes, avoided)
    merged = merge(
        player[keep],
        opponent[keep],
        score[places][keep],
        theo[keep],
        chosen[keep].astype(np.int32),
        games.source[chosen][keep],
        held_out[chosen][keep],
    )
    save(path, **merged)


def merge(
    player: np.ndarray,
    opponent: np.ndarray,
    score: np.ndarray,
    theo: np.ndarray,
    game: np.ndarray,
    source: np.ndarray,
    held_out: np.ndarray,
) -> dict[str, np.ndarray]:
    """One row for each position, sorted, with the means of its scores.

    Held-out rows of a position that training rows have too are dropped: they could not check anything.
    """
    order = np.lexsort((game, held_out, opponent, player))
    player, opponent, held_out = player[order], opponent[order], held_out[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = (player[1:] != player[:-1]) | (opponent[1:] != opponent[:-1])
    group = np.cumsum(is_first) - 1
    starts = np.flatnonzero(is_first)
    used = held_out == held_out[starts][group]
    score, theo = score[order].astype(np.float64), theo[order].astype(np.float64)
    has_theo = used & (theo != NO_THEO)
    n_groups = len(starts)
    count = np.bincount(group, used, n_groups)
    theo_count = np.bincount(group, has_theo, n_groups)
    theo_sum = np.bincount(group, np.where(has_theo, theo, 0.0), n_groups)
    return {
        "player": player[starts],
        "opponent": opponent[starts],
        "score": (np.bincount(group, np.where(used, score, 0.0), n_groups) / count).astype(np.float32),
        "theo": np.where(theo_count > 0, theo_sum / np.maximum(theo_count, 1), NO_THEO).astype(np.float32),
        "count": np.minimum(count, 65535).astype(np.uint16),
        "game": game[order][starts],
        "source": source[order][starts],
        "held_out": held_out[starts],
    }
