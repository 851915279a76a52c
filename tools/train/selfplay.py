"""Games of the engine against itself, played fast and with much variety, for the positions that they pass through.

Both sides take the move with the best value after two plies, after a random number has been added to each value. In
the opening these numbers are large, so that hardly two games are alike; later each game has a size of its own, from
hardly wrong to a beginner's. Towards the end nothing is added, and the
search sees two plies more for a while. What the moves are worth does not matter much: the
positions get exact scores, or values of deeper searches, afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numba
import numpy as np

from othello_engine.core.jit import I64, ONE, VOID, ZERO, kernel
from othello_engine.core.simd import flips, legal_moves, square_of
from othello_engine.evaluation.evaluate import begin
from othello_engine.position import Position
from othello_engine.search.leaf import row_at
from othello_engine.search.pvs import pvs
from othello_engine.search.state import STATE
from tools.train import exact
from tools.train.games import NO_THEO, SELF_PLAY, Games, canonical_positions, replay
from tools.train.labelling import Labeller
from tools.train.testsets import touched_games
from tools.train.work import Runner, check_recipe, load, save

SEED = 7
BATCH = 100_000
"""Games in a file."""
CHUNK = 64
"""Games that one thread plays before it takes others."""
MOST_EMPTIES = 52
"""Beyond, positions are too much alike to need more of them."""
OPENING_PLIES = (8, 24)
"""How long a game's opening is, at least and at most."""
OPENING_DISCS = 5.0
"""Standard deviation of what is added to a value in the opening, in discs."""
LATER_DISCS = (0.5, 1.5, 3.0, 6.0)
"""The same from there on: one of these for the whole game."""
EARNEST_EMPTIES = 14
"""From so many empty squares on the best move is played, after two plies more."""
_LAST_EMPTIES = 10
"""From so many on the moves are looked at shallowly again: the scores are corrected afterwards."""

_START = Position.start()
_BLACK, _WHITE = np.uint64(_START.player), np.uint64(_START.opponent)
_LIMIT = np.int64(1 << 30)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_1, _FACTOR_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_PART = np.uint64(0xFFFF)
_MEAN = np.float32(2 * 0xFFFF)
_DEVIATION = np.float32(np.sqrt((0x10000**2 - 1) / 3))
"""Of the sum of four 16-bit numbers."""


@kernel(numba.float32(numba.uint64))
def nearly_normal(word):
    """A number with mean 0 and deviation 1 from a random word: the sum of its four quarters, scaled."""
    total = (word & _PART) + (word >> np.uint64(16) & _PART) + (word >> np.uint64(32) & _PART) + (word >> np.uint64(48))
    return (np.float32(total) - _MEAN) / _DEVIATION


@kernel(VOID(STATE, numba.uint64[::1], numba.float32[:, ::1], I64, I64, numba.uint8[:, ::1], numba.uint8[::1]))
def play_games(state, random, discs, first, last, squares, length):
    """Play games first..last-1 from the start.

    random: one word for each game. discs: deviation of what is added to the values at each ply, (games, 60). squares:
    the moves without passes, (games, 60), of which `length` are filled.
    """
    for game in range(first, last):
        p, o = _BLACK, _WHITE
        word = random[game]
        ply = np.int64(0)
        while True:
            moves = legal_moves(p, o)
            if moves == ZERO:
                p, o = o, p
                moves = legal_moves(p, o)
                if moves == ZERO:
                    break
            n_empties = np.int64(60) - ply
            depth = np.int64(3) if _LAST_EMPTIES < n_empties <= EARNEST_EMPTIES else np.int64(1)
            hundredths = discs[game, ply] * np.float32(100)
            best, best_square = np.float32(-1e9), np.int64(0)
            while moves != ZERO:
                square = square_of(moves)
                moves &= moves - ONE
                turned = flips(square, p, o)
                child_p, child_o = o ^ turned, p ^ turned ^ (ONE << np.uint64(square))
                begin(state.evaluation, row_at(state, np.int64(0)), child_p, child_o)
                value = np.float32(-pvs(state, child_p, child_o, -_LIMIT, _LIMIT, depth, np.int64(0)))
                word += _STEP  # splitmix64 (Steele, Lea, Flood 2014)
                mixed = (word ^ (word >> np.uint64(30))) * _FACTOR_1
                mixed = (mixed ^ (mixed >> np.uint64(27))) * _FACTOR_2
                value += hundredths * nearly_normal(mixed ^ (mixed >> np.uint64(31)))
                if value > best:
                    best, best_square = value, square
            squares[game, ply] = np.uint8(best_square)
            turned = flips(best_square, p, o)
            p, o = o ^ turned, p ^ turned ^ (ONE << np.uint64(best_square))
            ply += np.int64(1)
        length[game] = np.uint8(ply)


def deviations(rng: np.random.Generator, n_games: int) -> np.ndarray:
    """float32 (n_games, 60): deviation of what is added to the values of moves, in discs, at each ply."""
    opening = rng.integers(OPENING_PLIES[0], OPENING_PLIES[1] + 1, n_games)
    later = rng.choice(np.array(LATER_DISCS, np.float32), n_games)
    plies = np.arange(60)
    found = np.where(plies < opening[:, None], np.float32(OPENING_DISCS), later[:, None])
    return np.where(plies >= 60 - EARNEST_EMPTIES, np.float32(0), found).astype(np.float32)


def as_games(squares: np.ndarray, offsets: np.ndarray, runner: Runner) -> Games:
    """Replayed games. squares: uint8, the moves of all games; those of game g at offsets[g]..offsets[g + 1] - 1."""
    n_games = len(offsets) - 1
    player, opponent = np.empty(len(squares), np.uint64), np.empty(len(squares), np.uint64)
    black = np.empty(len(squares), np.uint8)
    score = np.empty(n_games, np.int8)
    runner.spread(
        "replay",
        n_games,
        4096,
        lambda: None,
        lambda _, first, last: replay(squares, offsets, first, last, player, opponent, black, score),
    )
    return Games(
        offsets=offsets,
        player=player,
        opponent=opponent,
        black=black,
        score=score,
        theo=np.full(n_games, NO_THEO, np.int8),
        source=np.full(n_games, SELF_PLAY, np.uint8),
        year=np.zeros(n_games, np.int16),
        is_test=np.zeros(n_games, bool),
        held_out=np.zeros(n_games, bool),
    )


def make_batch(batch: int, n_games: int, weights: np.ndarray, path: Path, runner: Runner, deepest: int) -> None:
    """Play games and find their exact scores from `deepest` empties on; write the moves and the scores."""
    rng = np.random.default_rng([SEED, batch])
    random = rng.integers(0, 1 << 63, n_games, np.uint64)
    discs = deviations(rng, n_games)
    squares, length = np.zeros((n_games, 60), np.uint8), np.zeros(n_games, np.uint8)

    def work(labeller: Labeller, first: int, last: int) -> None:
        labeller.state.epoch = 1 + first // CHUNK % 65535
        play_games(labeller.state, random, discs, first, last, squares, length)

    runner.spread(f"self-play, games of batch {batch + 1}", n_games, CHUNK, lambda: Labeller(weights), work)
    offsets = np.zeros(n_games + 1, np.int64)
    np.cumsum(length, out=offsets[1:])
    moves = squares[np.arange(60) < length[:, None]]
    games = as_games(moves, offsets, runner)
    save(path, squares=moves, length=length, score=exact.label(games, runner, deepest))


def make_selfplay(work: Path, n_games: int, weights: np.ndarray, runner: Runner, deepest: int) -> None:
    """Games with these weights, and WORK/selfplay/positions/eNN.npz: their distinct positions and scores.

    Positions of test sets and held-out ones do not come out, nor games
    that pass through late test positions.
    """
    folder = work / "selfplay"
    check_recipe(folder, {"games": n_games, "deepest": deepest})
    paths = {n: folder / "positions" / f"e{n:02}.npz" for n in range(1, MOST_EMPTIES + 1)}
    if all(path.exists() for path in paths.values()):
        return
    batches = [folder / f"games-{batch:02}.npz" for batch in range(-(-n_games // BATCH))]
    for batch, path in enumerate(batches):
        size = min(BATCH, n_games - batch * BATCH)
        runner.step(
            f"self-play, batch {batch + 1} of {len(batches)}",
            path,
            lambda batch=batch, size=size, path=path: make_batch(batch, size, weights, path, runner, deepest),
        )
    parts = [load(path) for path in batches]
    offsets = np.zeros(n_games + 1, np.int64)
    np.cumsum(np.concatenate([part["length"] for part in parts]), out=offsets[1:])
    games = as_games(np.concatenate([part["squares"] for part in parts]), offsets, runner)
    score = np.concatenate([part["score"] for part in parts])
    avoided_path = work / "avoided.npz"
    avoided = load(avoided_path)["hash"]
    games = replace(games, is_test=touched_games(games, avoided_path))

    def make_positions(n_empties: int, path: Path) -> None:
        known = load(work / "positions" / f"e{n_empties:02}.npz")
        held_out = known["held_out"]
        hidden = canonical_positions(known["player"][held_out], known["opponent"][held_out])[2]
        both = np.concatenate([avoided, hidden])
        exact.make_positions(games, games.held_out, score, n_empties, both, path)

    for n, path in paths.items():
        runner.step(f"positions of self-play, {n} empties", path, lambda n=n, path=path: make_positions(n, path))
