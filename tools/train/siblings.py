"""Positions beside the games: one random legal move away from a training position.

A search visits mostly such positions, and games show only good moves.
"""

from __future__ import annotations

from pathlib import Path

import numba
import numpy as np

from othello_engine.core.jit import I64, ONE, VOID, ZERO, kernel
from othello_engine.core.simd import flips, legal_moves, popcount, square_of
from tools.train.exact import solve_positions
from tools.train.games import canonical_positions
from tools.train.work import Runner, load, save

SEED = 4
LABELLED = range(1, 14)
"""Numbers of empties at which siblings get their exact scores."""
UNLABELLED = range(14, 56)
N_LABELLED = 250_000
N_UNLABELLED = 350_000
MUST_PASS_PART = 0.1
"""Positions without a move, beside the others, at most."""
DRAWS = 4
"""Random moves tried from each training position, as long as positions are missing."""
TYPICAL_LOSS = 8
"""Discs that a random move loses, about: where the search for the score begins."""

_U64S = numba.uint64[::1]
_OVER, _MOVES, _PASSES = 0, 1, 2


@kernel(VOID(_U64S, _U64S, _U64S, I64, I64, numba.uint8[::1]))
def play_random(player, opponent, random, first, last, kind):
    """Play one legal move, chosen by the random word, in positions first..last-1, in place.

    kind: 1 if the other side then has a move, 2 if it must pass, 0 if the game is over or there was no move.
    """
    for index in range(first, last):
        p, o = player[index], opponent[index]
        moves = legal_moves(p, o)
        kind[index] = np.uint8(0)
        if moves == ZERO:
            continue
        for _ in range(random[index] % np.uint64(popcount(moves))):
            moves &= moves - ONE
        square = square_of(moves)
        turned = flips(square, p, o)
        p, o = o ^ turned, p ^ turned ^ (ONE << np.uint64(square))
        player[index], opponent[index] = p, o
        if legal_moves(p, o) != ZERO:
            kind[index] = np.uint8(1)
        elif legal_moves(o, p) != ZERO:
            kind[index] = np.uint8(2)


def draw(parents: dict[str, np.ndarray], n_empties: int, avoided: np.ndarray, size: int) -> dict[str, np.ndarray]:
    """Distinct canonical siblings with so many empties: those with a move, then those that must pass.

    parents: training rows with one empty more. avoided: hashes that may not come out.
    """
    rng = np.random.default_rng([SEED, n_empties])
    n_parents = len(parents["player"])
    rows = np.concatenate([rng.permutation(n_parents) for _ in range(DRAWS)])
    player, opponent = parents["player"][rows], parents["opponent"][rows]
    kind = np.empty(len(rows), np.uint8)
    random = rng.integers(0, 1 << 63, len(rows), np.uint64)
    play_random(player, opponent, random, 0, len(rows), kind)
    player, opponent, hashes = canonical_positions(player, opponent)
    first = np.zeros(len(rows), bool)
    first[np.unique(hashes, return_index=True)[1]] = True
    fresh = first & ~np.isin(hashes, avoided)
    normal = np.flatnonzero(fresh & (kind == _MOVES))[:size]
    passing = np.flatnonzero(fresh & (kind == _PASSES))[: int(len(normal) * MUST_PASS_PART)]
    taken = np.concatenate([normal, passing])
    return {
        "player": player[taken],
        "opponent": opponent[taken],
        "must_pass": kind[taken] == _PASSES,
        "parent_score": parents["score"][rows[taken]],
    }


def make_siblings(positions: Path, n_empties: int, avoided: np.ndarray, path: Path, runner: Runner) -> None:
    """Write the siblings with so many empties, with exact scores for the mover up to LABELLED.

    positions: folder of the positions of games. None of these comes out, nor one of `avoided`.
    """
    parents = load(positions / f"e{n_empties + 1:02}.npz")
    training = ~parents["held_out"]
    known = load(positions / f"e{n_empties:02}.npz")
    known_hashes = canonical_positions(known["player"], known["opponent"])[2]
    is_labelled = n_empties in LABELLED
    drawn = draw(
        {name: parents[name][training] for name in ("player", "opponent", "score")},
        n_empties,
        np.concatenate([avoided, known_hashes]),
        N_LABELLED if is_labelled else N_UNLABELLED,
    )
    parent_score = drawn.pop("parent_score")
    if is_labelled:
        # No move is better than the best one, so the other side gets at least the negated score of the parent.
        lower = (-parent_score).astype(np.int8)
        guess = np.minimum(lower + TYPICAL_LOSS, 64).astype(np.int8)
        name = f"siblings, {n_empties} empties"
        drawn["score"] = solve_positions(runner, name, drawn["player"], drawn["opponent"], guess, lower)
    save(path, **drawn)
