"""Finds the weights of the `phased` profile: for Othello from public games, for anti-Othello from games against itself.

    python -m tools.train.phased --data DATA [--othello | --anti]

DATA has the folder games/. Prints the weights as they stand in othello_engine/evaluation/phased.py, and how well they
tell results that they were not fitted to. The same command on the same data prints the same weights. docs/phased.md
tells what the numbers mean.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
from scipy.optimize import lsq_linear

from othello_engine.core.jit import I64, ONE, U64, VOID, ZERO, kernel
from othello_engine.core.simd import flips, legal_moves, popcount, square_of
from othello_engine.evaluation.phased import (
    ANTI_WEIGHTS,
    DISC_UNIT,
    END,
    END_EMPTIES,
    MIDDLE,
    MIDDLE_EMPTIES,
    OPENING,
    TERMS,
    WEIGHTS,
    phase_of,
    terms,
)
from othello_engine.position import Position
from othello_engine.search.leaf import final_score
from tools.train import exact
from tools.train.games import NO_THEO, TEST_YEAR, THEO_MOVES, GamesError, read_lines, replay

SOURCES = ("wthor", "playok_2023", "egaroucid3_selfplay")
"""Files of games that the weights are fitted to; WTHOR's without the years that are for tests."""
TEST_SOURCE = "wthor"
GAMES = 30_000
"""Of each file, spread over it."""
SOLVED_EMPTIES = 14
"""Positions of games have exact scores from here on; those before it, the score that they lead to here."""
FIRST_EMPTIES = 56
"""Positions with more are too much alike to learn from."""

MOBILITY, FRONTIER, CORNERS, STABILITY, PARITY, DISCS = range(len(TERMS))
PHASES = ("opening", "middle", "end")
FREE = {OPENING: 4, MIDDLE: 4, END: 6}
"""So many of the terms, from the first on, are fitted in a phase; the others weigh nothing there."""
OPENING_STABILITY = 0.5
"""In Othello a stable disc weighs at most this part of what it weighs in the middle: there are too few to tell."""

ANTI_ROUNDS = 3
ANTI_GAMES = 20_000
"""A round."""
ANTI_DEPTH = 2
ANTI_SOLVED_EMPTIES = 10
OPENING_PLIES = (8, 14)
"""How many moves at random a game begins with, at least and at most."""
NOISE_DISCS = 2.0
"""Standard deviation of what is added to the values of moves while games are played to learn from, in discs."""
MATCH_OPENINGS = 1_000
SEED = 20

_U64S = numba.uint64[::1]
_U8S = numba.uint8[::1]
_I8S = numba.int8[::1]
_I64S = numba.int64[::1]
_TABLE = numba.types.Array(numba.int64, 2, "C")
_START = Position.start()
_BLACK, _WHITE = np.uint64(_START.player), np.uint64(_START.opponent)
_LIMIT = np.int64(1 << 20)
_NOT_KNOWN = np.int64(127)
_SORTED_EMPTIES = np.int64(5)
"""With fewer empties a solve is not worth sorting moves."""


@dataclass(frozen=True)
class Labelled:
    """Positions and the scores that they are thought to have, in discs, good ones for the side to move above 0."""

    player: np.ndarray
    opponent: np.ndarray
    target: np.ndarray

    def of_phase(self, phase: int) -> tuple[np.ndarray, np.ndarray]:
        """(terms, targets) of the positions of a phase: float64 (n, 6) and (n,)."""
        rows = np.zeros((len(self.player), len(TERMS)), np.int64)
        n_empties = np.zeros(len(self.player), np.int64)
        fill_terms(self.player, self.opponent, rows, n_empties)
        first = (FIRST_EMPTIES, int(MIDDLE_EMPTIES), int(END_EMPTIES))[phase]
        last = (int(MIDDLE_EMPTIES), int(END_EMPTIES), 0)[phase]
        chosen = (n_empties <= first) & (n_empties > last)
        return rows[chosen].astype(np.float64), self.target[chosen]


@kernel(VOID(_U64S, _U64S, numba.int64[:, ::1], _I64S))
def fill_terms(player, opponent, rows, n_empties):
    """Terms and number of empties of each position."""
    for index in range(len(player)):
        found = terms(player[index], opponent[index])
        rows[index, 0], rows[index, 1], rows[index, 2] = found[0], found[1], found[2]
        rows[index, 3], rows[index, 4], rows[index, 5] = found[3], found[4], found[5]
        n_empties[index] = popcount(~(player[index] | opponent[index]))


# -- public games --------------------------------------------------------------------------------------------


def read_games(path: Path, limit: int | None, years: range) -> Labelled:
    """Positions of recorded games. years: those of the games to take; 0 if a file doesn't tell it.

    Up to 24 empties the target is WTHOR's theoretical score, where there is one. Raises GamesError.
    """
    lines = [line for line in read_lines(path, None) if line[3] in years]
    lines = lines[:: 1 if limit is None else max(1, len(lines) // limit)][:limit]
    pairs = np.frombuffer(b"".join(line[0] for line in lines), np.uint8).reshape(-1, 2)
    squares = (pairs[:, 0] - ord("a")) + 8 * (pairs[:, 1] - ord("1"))
    offsets = np.zeros(len(lines) + 1, np.int64)
    np.cumsum([len(line[0]) // 2 for line in lines], out=offsets[1:])
    player, opponent = np.empty(len(squares), np.uint64), np.empty(len(squares), np.uint64)
    black, played = np.empty(len(squares), np.uint8), np.empty(len(lines), np.int8)
    replay(squares, offsets, 0, len(lines), player, opponent, black, played)
    if np.any(played != [line[1] for line in lines]):
        raise GamesError(f"{path} has games that are not legal or have another score")

    solver, score = exact.Solver(exact.GAMES_TABLE_BYTES), np.zeros(len(squares), np.int8)
    nothing = np.zeros(len(lines), bool)
    exact.label_games(
        solver.state, offsets, player, opponent, black, played, nothing, SOLVED_EMPTIES, 0, len(lines), score
    )
    target = score.astype(np.float64)
    game = np.repeat(np.arange(len(lines)), np.diff(offsets))
    theo = np.array([line[2] for line in lines])[game]
    is_early = (np.arange(len(squares)) - offsets[game] <= THEO_MOVES) & (theo != NO_THEO)
    target[is_early] = (np.where(black != 0, 1, -1) * theo)[is_early]
    return Labelled(player, opponent, target)


def joined(parts: Sequence[Labelled]) -> Labelled:
    return Labelled(
        np.concatenate([part.player for part in parts]),
        np.concatenate([part.opponent for part in parts]),
        np.concatenate([part.target for part in parts]),
    )


# -- the fit -------------------------------------------------------------------------------------------------


def fit_phase(labelled: Labelled, phase: int, lower: Sequence[float], upper: Sequence[float]) -> np.ndarray:
    """int64 (6,): weights of a phase in hundredths of a disc by least squares, between bounds in discs."""
    rows, target = labelled.of_phase(phase)
    n = FREE[phase]
    found = lsq_linear(rows[:, :n], target, bounds=(lower[:n], upper[:n]), method="bvls").x
    weights = np.zeros(len(TERMS), np.int64)
    weights[:n] = np.rint(DISC_UNIT * found)
    return weights


def fit_othello(labelled: Labelled) -> np.ndarray:
    """int64 (3, 6): the weights for Othello. Each term that counts in a phase speaks for the side that it should:
    frontier discs cost something, all else is worth something."""
    least = 1 / DISC_UNIT
    lower, upper = [least, -np.inf, least, least, least, least], [np.inf, -least, *[np.inf] * 4]
    weights = np.zeros((len(PHASES), len(TERMS)), np.int64)
    for phase in (END, MIDDLE):
        weights[phase] = fit_phase(labelled, phase, lower, upper)
    lower[STABILITY], upper[STABILITY] = 0, OPENING_STABILITY * weights[MIDDLE, STABILITY] / DISC_UNIT
    weights[OPENING] = fit_phase(labelled, OPENING, lower, upper)
    return weights


def fit_anti(labelled: Labelled) -> np.ndarray:
    """int64 (3, 6): the weights for anti-Othello, of any sign."""
    free = [np.inf] * len(TERMS)
    return np.array([fit_phase(labelled, phase, [-each for each in free], free) for phase in range(len(PHASES))])


def shares(weights: np.ndarray, labelled: Labelled) -> np.ndarray:
    """float64 (3, 6): how much each term moves the value: weight times the term's standard deviation, in discs."""
    deviations = [labelled.of_phase(phase)[0].std(axis=0) for phase in range(len(PHASES))]
    return np.abs(weights) / DISC_UNIT * np.array(deviations)


def report_free(labelled: Labelled) -> None:
    """Print what the terms would weigh before the last phase without any bounds, and were discs let weigh something."""
    for phase in (OPENING, MIDDLE):
        rows, target = labelled.of_phase(phase)
        for name, chosen in (("free", TERMS[:PARITY]), ("free, with discs", (*TERMS[:PARITY], TERMS[DISCS]))):
            used = rows[:, [TERMS.index(term) for term in chosen]]
            found = lsq_linear(used, target, method="bvls").x
            rmse = np.sqrt(np.mean((used @ found - target) ** 2))
            weights = dict(zip(chosen, np.rint(DISC_UNIT * found).astype(int).tolist(), strict=True))
            print(f"{PHASES[phase]}, {name}: RMSE {rmse:.2f}, {weights}")


def report(name: str, weights: np.ndarray, labelled: Labelled) -> None:
    """Print how well the weights tell the targets, and the share of each term."""
    share = shares(weights, labelled)
    print(f"\n{name}: {len(labelled.player):,} positions")
    print(f"{'phase':8} {'RMSE':>6} {'r':>6}  weight * deviation, discs:", *(f"{term:>9}" for term in TERMS))
    for phase, phase_name in enumerate(PHASES):
        rows, target = labelled.of_phase(phase)
        value = rows @ weights[phase] / DISC_UNIT
        rmse, r = np.sqrt(np.mean((value - target) ** 2)), np.corrcoef(value, target)[0, 1]
        print(f"{phase_name:8} {rmse:6.2f} {r:6.3f} {'':27}", *(f"{each:9.2f}" for each in share[phase]))


def print_weights(name: str, weights: np.ndarray) -> None:
    print(f"\n{name} = np.array(\n    [")
    for row in weights.tolist():
        print(f"        {row},")
    print("    ],\n    dtype=np.int64,\n)", flush=True)


# -- anti-Othello: a small search of its own -----------------------------------------------------------------
#
# The engine's search has its weights compiled in; here they change from round to round.


@kernel(I64(_TABLE, I64, U64, U64, I64, I64, I64))
def look(weights, sign, player, opponent, alpha, beta, depth):
    """Value in hundredths of a disc by alpha-beta of `depth` plies; a pass costs none.

    sign: 1 in Othello, -1 in anti-Othello, for the scores of finished games.
    """
    moves = legal_moves(player, opponent)
    if moves == ZERO:
        if legal_moves(opponent, player) == ZERO:
            return sign * np.int64(DISC_UNIT) * final_score(player, opponent)
        if depth > np.int64(0):
            return -look(weights, sign, opponent, player, -beta, -alpha, depth)
    if depth == np.int64(0):
        row = phase_of(popcount(~(player | opponent)))
        found = terms(player, opponent)
        return (
            weights[row, 0] * found[0]
            + weights[row, 1] * found[1]
            + weights[row, 2] * found[2]
            + weights[row, 3] * found[3]
            + weights[row, 4] * found[4]
            + weights[row, 5] * found[5]
        )
    best = -_LIMIT
    while moves != ZERO:
        square = square_of(moves)
        moves &= moves - ONE
        turned = flips(square, player, opponent)
        placed = turned | (ONE << np.uint64(square))
        value = -look(weights, sign, opponent ^ turned, player ^ placed, -beta, -max(alpha, best), depth - np.int64(1))
        best = max(best, value)
        if best >= beta:
            break
    return best


@kernel(I64(I64, U64, U64, I64, I64))
def solve(sign, player, opponent, alpha, beta):
    """Exact final score, times `sign`, inside the window; a bound of it outside. Oracle: full-width negamax."""
    moves = legal_moves(player, opponent)
    if moves == ZERO:
        if legal_moves(opponent, player) == ZERO:
            return sign * final_score(player, opponent)
        return -solve(sign, opponent, player, -beta, -alpha)
    is_sorted = popcount(~(player | opponent)) >= _SORTED_EMPTIES
    best = -_LIMIT
    while moves != ZERO:
        chosen = moves & (~moves + ONE)
        if is_sorted:  # the move that leaves the fewest replies
            fewest, left = np.int64(99), moves
            while left != ZERO:
                bit = left & (~left + ONE)
                left ^= bit
                turned = flips(square_of(bit), player, opponent)
                replies = popcount(legal_moves(opponent ^ turned, player ^ turned ^ bit))
                if replies < fewest:
                    fewest, chosen = replies, bit
        moves ^= chosen
        turned = flips(square_of(chosen), player, opponent)
        value = -solve(sign, opponent ^ turned, player ^ turned ^ chosen, -beta, -max(alpha, best))
        best = max(best, value)
        if best >= beta:
            break
    return best


@kernel(VOID(_TABLE, _TABLE, I64, I64, I64, numba.float64, numba.float64, I64, _I64S, _U64S, _U64S, _U8S, _I64S, _I8S))
def play(
    black_weights,
    white_weights,
    sign,
    black_depth,
    white_depth,
    black_noise,
    white_noise,
    seed,
    opening_plies,
    player,
    opponent,
    black,
    offsets,
    score,
):
    """Play a game for each of opening_plies, which says how many moves at random it begins with.

    depth: plies seen, the move itself included; 0 plays at random. noise: deviation of what is added to each move's
    value, in hundredths of a disc. Fills the positions before each move, (player, opponent, is black to move); those of
    game g are at offsets[g]..offsets[g + 1] - 1; and the scores in Othello, for Black. The same seed gives game g the
    same random opening whoever plays.
    """
    count = np.int64(0)
    for game in range(len(opening_plies)):
        np.random.seed(seed + game)
        offsets[game] = count
        p, o = _BLACK, _WHITE
        is_black = True
        ply = np.int64(0)
        while True:
            moves = legal_moves(p, o)
            if moves == ZERO:
                p, o, is_black = o, p, not is_black
                moves = legal_moves(p, o)
                if moves == ZERO:
                    break
            player[count], opponent[count], black[count] = p, o, np.uint8(is_black)
            count += np.int64(1)
            depth, noise = (black_depth, black_noise) if is_black else (white_depth, white_noise)
            weights = black_weights if is_black else white_weights
            if ply < opening_plies[game]:
                depth = np.int64(0)
            best, best_bit = -1e9, ZERO
            while moves != ZERO:
                bit = moves & (~moves + ONE)
                moves ^= bit
                if depth == np.int64(0):
                    value = np.random.random()
                else:
                    turned = flips(square_of(bit), p, o)
                    seen = look(weights, sign, o ^ turned, p ^ turned ^ bit, -_LIMIT, _LIMIT, depth - np.int64(1))
                    # Equal moves are drawn among, too.
                    value = np.float64(-seen) + noise * np.random.normal() + 0.5 * np.random.random()
                if value > best:
                    best, best_bit = value, bit
            turned = flips(square_of(best_bit), p, o)
            p, o = o ^ turned, p ^ turned ^ best_bit
            is_black = not is_black
            ply += np.int64(1)
        value = final_score(p, o)
        score[game] = np.int8(value if is_black else -value)
    offsets[len(opening_plies)] = count


@kernel(VOID(I64, I64, _U64S, _U64S, _U8S, _I64S, _I8S, _I8S))
def label(sign, solved_empties, player, opponent, black, offsets, score, target):
    """Walk games backwards: exact scores from solved_empties on, the last of them carried on above.

    target: for the side to move, times `sign`. The move that was played proves a lower bound.
    """
    for game in range(len(score)):
        value = sign * np.int64(score[game])
        for index in range(offsets[game + 1] - 1, offsets[game] - 1, -1):
            side = np.int64(1) if black[index] != 0 else np.int64(-1)
            if popcount(~(player[index] | opponent[index])) <= solved_empties:
                known = side * value
                value = side * max(known, solve(sign, player[index], opponent[index], known, np.int64(64)))
            target[index] = np.int8(side * value)


@dataclass(frozen=True)
class Player:
    """Who plays: weights, plies seen (0: at random) and noise in discs."""

    weights: np.ndarray
    depth: int
    noise: float = 0.0


@dataclass(frozen=True)
class Played:
    """Positions of games, as `play` fills them, and the games' scores in Othello, for Black."""

    player: np.ndarray
    opponent: np.ndarray
    black: np.ndarray
    offsets: np.ndarray
    score: np.ndarray


def play_games(black: Player, white: Player, sign: int, n_games: int, seed: int) -> Played:
    """Games from openings of moves at random."""
    plies = np.random.default_rng([SEED, seed]).integers(OPENING_PLIES[0], OPENING_PLIES[1] + 1, n_games)
    player, opponent = np.zeros(60 * n_games, np.uint64), np.zeros(60 * n_games, np.uint64)
    is_black = np.zeros(60 * n_games, np.uint8)
    offsets, score = np.zeros(n_games + 1, np.int64), np.zeros(n_games, np.int8)
    play(
        np.ascontiguousarray(black.weights),
        np.ascontiguousarray(white.weights),
        sign,
        black.depth,
        white.depth,
        DISC_UNIT * black.noise,
        DISC_UNIT * white.noise,
        1_000_000 * seed,
        plies,
        player,
        opponent,
        is_black,
        offsets,
        score,
    )
    n = offsets[-1]
    return Played(player[:n], opponent[:n], is_black[:n], offsets, score)


def labelled_games(played: Played, sign: int) -> Labelled:
    target = np.zeros(len(played.player), np.int8)
    label(
        sign,
        ANTI_SOLVED_EMPTIES,
        played.player,
        played.opponent,
        played.black,
        played.offsets,
        played.score,
        target,
    )
    return Labelled(played.player, played.opponent, target.astype(np.float64))


def match(first: Player, second: Player, sign: int, n_openings: int, seed: int) -> tuple[float, float, float]:
    """(per cent of the points, its standard error, mean result in discs) of the first player, colours changed."""
    one = sign * play_games(first, second, sign, n_openings, seed).score.astype(np.float64)
    two = -sign * play_games(second, first, sign, n_openings, seed).score.astype(np.float64)
    points = (np.sign(one) + np.sign(two)) / 4 + 0.5
    return 100 * points.mean(), 100 * points.std() / np.sqrt(n_openings), np.concatenate([one, two]).mean()


# -- the program ---------------------------------------------------------------------------------------------


def make_othello(data: Path, limit: int | None) -> None:
    """Fit and report the weights for Othello."""
    folder = data / "games"
    training = joined(
        [read_games(folder / f"{name}.txt.gz", limit, range(TEST_YEAR)) for name in SOURCES],
    )
    testing = read_games(folder / f"{TEST_SOURCE}.txt.gz", None, range(TEST_YEAR, 10_000))
    weights = fit_othello(training)
    print_weights("WEIGHTS", weights)
    report("fitted to", weights, training)
    report_free(training)
    report(f"WTHOR from {TEST_YEAR} on", weights, testing)
    if not np.array_equal(weights, WEIGHTS):
        report("the same by the weights of the engine", WEIGHTS, testing)


def make_anti(n_games: int, n_openings: int) -> None:
    """Learn and report the weights for anti-Othello: rounds of games, solved ends and a fit, from weights of 0."""
    weights = np.zeros_like(ANTI_WEIGHTS)
    for number in range(1, ANTI_ROUNDS + 1):
        began = time.perf_counter()
        self_player = Player(weights, ANTI_DEPTH, NOISE_DISCS)
        labelled = labelled_games(play_games(self_player, self_player, -1, n_games, number), -1)
        weights = fit_anti(labelled)
        print(f"\nround {number}, {time.perf_counter() - began:.0f} s")
        print_weights("ANTI_WEIGHTS", weights)
        report("fitted to", weights, labelled)
    report_free(labelled)
    fitted = Player(weights, ANTI_DEPTH, NOISE_DISCS)
    testing = labelled_games(play_games(fitted, fitted, -1, n_games // 4, ANTI_ROUNDS + 1), -1)
    report("other games of these weights", weights, testing)
    print(f"\nanti-Othello, {2 * n_openings} games each, paired openings of moves at random")
    for depth in (2, 3):
        for name, other in (
            ("WEIGHTS, negated", Player(-WEIGHTS, depth)),
            ("random mover", Player(weights, 0)),
            ("fewest discs", Player(np.array([[0, 0, 0, 0, 0, -1]] * len(PHASES)), depth)),
        ):
            points, error, discs = match(Player(weights, depth), other, -1, n_openings, 100 + depth)
            print(f"{depth} plies against {name:17} {points:5.1f} % +- {error:.1f}, {discs:+.1f} discs", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.train.phased", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with games/; needed for Othello")
    parser.add_argument(
        "--games", type=int, default=GAMES, metavar="N", help="games of each file (default: %(default)s)"
    )
    parser.add_argument(
        "--anti-games", type=int, default=ANTI_GAMES, metavar="N", help="a round (default: %(default)s)"
    )
    parser.add_argument("--openings", type=int, default=MATCH_OPENINGS, metavar="N", help="of the matches at the end")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--othello", action="store_true", help="only the weights for Othello")
    only.add_argument("--anti", action="store_true", help="only those for anti-Othello")
    options = parser.parse_args(arguments)
    if not options.anti:
        if options.data is None:
            parser.error("--data is needed")
        make_othello(options.data, options.games)
    if not options.othello:
        make_anti(options.anti_games, options.openings)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
