"""Trains the weights of the `gomoku` profile, and plays weights files against each other.

    python -m tools.train.gomoku --data DATA --out FILE [--work WORK]
    python -m tools.train.gomoku match A B --data DATA --nodes N --games N

DATA has the folder gomoku/. A weights file named `hand` means the values set by hand. The same command on the same data
gives the same numbers. docs/gomoku-training.md tells what the steps do and what they are worth.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy import sparse

from othello_engine.errors import EngineError
from othello_engine.gomoku.lines import MULTISETS, lines_digest
from othello_engine.gomoku.weights import (
    LARGEST_ORDER,
    LARGEST_VALUE,
    CellWeights,
    by_hand,
    read,
    write,
)
from tools.train.gomoku_fit import (
    N_MULTISETS,
    OTHER_SHARE,
    Choices,
    Ridge,
    choice_loss,
    choices_of,
    differences,
    fit_orders,
    fit_values,
    ranks_of,
)
from tools.train.gomoku_labels import Labels, labelled_positions, load_labels, make_labels, save_labels
from tools.train.gomoku_positions import (
    GAME,
    GAMES,
    PLIES_LEFT,
    PLY,
    THREATENED,
    WON,
    Game,
    GomokuDataError,
    is_test,
    positions_of,
    read_games,
)
from tools.train.work import WorkFolderError, check_recipe


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the weights are made.

    value_scale: evaluation units of one logit: p(win) = 1 / (1 + exp(-value / value_scale)). order_scale: points of one
    logit. near_end, threatened: weights of positions in the last plies of a game, and of those where the opponent could
    make an open four. order_every: one position in so many is used for the orders. rare: multisets seen less often are
    held to be worth no less than weaker ones. rounds: of labels, the positions that are drawn (about half of them are
    fit) and the nodes of the search that scores one; each is made with the weights before it, and what is learnt
    then is from all labels so far.
    """

    value_scale: float = 250.0
    order_scale: float = 40.0
    near_end: float = 0.3
    near_end_plies: int = 6
    threatened: float = 0.5
    value_ridge: Ridge = field(default=Ridge(30.0, 400.0))
    order_ridge: Ridge = field(default=Ridge(3.0, 10.0))
    order_every: int = 6
    iterations: int = 60
    rare: int = 300
    label_ridge: Ridge = field(default=Ridge(30.0, 100.0))
    rounds: tuple[tuple[int, int], ...] = ((80_000, 2_000), (160_000, 2_000))
    seed: int = 1


RECIPE = Recipe()
"""The recipe of the shipped weights."""

STAGES = (6, 15, 25, 40, 60, 200)
"""Stones at which the stages of the reports begin, and where the last ends."""
_HAND_VALUE_SCALE = 240.0
_HAND_ORDER_SCALE = 60.0
"""Units of a logit that suit the numbers set by hand best."""


def log_loss(logits: np.ndarray, won: np.ndarray) -> float:
    """Mean of minus the log probability of the results."""
    return float(np.mean(np.logaddexp(0, logits) - won * logits))


def raise_rare(values: np.ndarray, counts: np.ndarray, rare: int) -> np.ndarray:
    """Values in which a multiset seen fewer than `rare` times is worth no less than one with a weaker line in it.

    values, counts: (multisets,). Of the weaker ones only those count that have a single line one class lower.
    """
    number: dict[tuple[int, ...], int] = {classes: index for index, classes in enumerate(MULTISETS)}
    raised = values.copy()
    for index in sorted(range(N_MULTISETS), key=lambda index: sum(MULTISETS[index])):
        if counts[index] >= rare:
            continue
        classes = MULTISETS[index]
        for place in range(4):
            if classes[place]:
                lower = tuple(sorted((*classes[:place], classes[place] - 1, *classes[place + 1 :])))
                raised[index] = max(raised[index], raised[number[lower]])
    return raised


@dataclass(frozen=True, slots=True, eq=False)
class Lessons:
    """Positions to learn from. counts: as of `differences`. chances: (n,) chance of the side to move to win, 0 and 1
    for results. weight: (n,) how much each counts."""

    counts: sparse.csr_matrix
    chances: np.ndarray
    weight: np.ndarray

    def __add__(self, other: Lessons) -> Lessons:
        return Lessons(
            sparse.vstack([self.counts, other.counts], "csr"),
            np.concatenate([self.chances, other.chances]),
            np.concatenate([self.weight, other.weight]),
        )


def lessons_of_results(counts: sparse.csr_matrix, facts: np.ndarray, recipe: Recipe) -> Lessons:
    """Positions of the games with the results of these."""
    weight = np.where(facts[:, PLIES_LEFT] <= recipe.near_end_plies, recipe.near_end, 1.0)
    weight *= np.where(facts[:, THREATENED] > 0, recipe.threatened, 1.0)
    return Lessons(counts, facts[:, WON].astype(float), weight)


def lessons_of_labels(labels: Labels, recipe: Recipe) -> Lessons:
    """Positions with the chances that a search gives them."""
    positions, which = labelled_positions(labels)
    weight = np.where(positions.facts[:, THREATENED] > 0, recipe.threatened, 1.0)
    return Lessons(differences(positions), labels.chances(recipe.value_scale)[which], weight)


def train_values(lessons: Lessons, recipe: Recipe, prior: np.ndarray, ridge: Ridge) -> tuple[np.ndarray, float]:
    """Values of the multisets and of the move, in logits. prior: the same."""
    values, tempo = fit_values(lessons.counts, lessons.chances, lessons.weight, prior, ridge, recipe.iterations)
    seen = np.asarray((lessons.counts != 0).sum(axis=0)).reshape(-1)
    return raise_rare(values, seen, recipe.rare), tempo


def train_orders(choices: Choices, recipe: Recipe, prior: np.ndarray) -> np.ndarray:
    """Order scores of the multisets, in logits. prior: the same."""
    own, _ = fit_orders(choices, prior, recipe.order_ridge, recipe.iterations)
    seen = np.bincount(choices.pairs.reshape(-1), minlength=N_MULTISETS)
    return raise_rare(own, seen, recipe.rare)


def report_values(name: str, logits: np.ndarray, facts: np.ndarray) -> str:
    """Loss and share of right sides over all quiet positions, and loss by stage."""
    won = facts[:, WON].astype(float)
    quiet = facts[:, THREATENED] == 0
    text = [f"{name}: loss {log_loss(logits[quiet], won[quiet]):.4f}"]
    text.append(f"right {100 * np.mean((logits[quiet] > 0) == (won[quiet] > 0)):.1f} %")
    for first, last in pairwise(STAGES):
        stage = quiet & (facts[:, PLY] >= first) & (facts[:, PLY] < last)
        if stage.any():
            text.append(f"{first}-{last - 1}: {log_loss(logits[stage], won[stage]):.4f}")
    return ", ".join(text)


def report_orders(name: str, choices: Choices, facts: np.ndarray, own: np.ndarray, other: np.ndarray) -> str:
    """Loss, and in how many quiet positions the move played is among the first k."""
    ranks = ranks_of(choices, own, other)[facts[choices.rows, THREATENED] == 0]
    text = [f"{name}: loss {choice_loss(choices, own, other):.4f}"]
    text += [f"first {k}: {100 * np.mean(ranks < k):.1f} %" for k in (1, 3, 5, 10)]
    return ", ".join(text)


def some_choices(choices: Choices, kept: np.ndarray) -> Choices:
    """Those of a mask."""
    sizes = np.diff(choices.ends, prepend=0)
    pairs = np.ascontiguousarray(choices.pairs[np.repeat(kept, sizes)])
    return Choices(pairs, np.cumsum(sizes[kept]), choices.rows[kept])


def packed(values: np.ndarray, orders: np.ndarray, tempo: float, name: str) -> CellWeights:
    """Rounded numbers within the limits of the file. orders: the lowest becomes 0."""
    values = np.clip(np.rint(values), -LARGEST_VALUE, LARGEST_VALUE).astype(np.int16)
    orders = np.clip(np.rint(orders - orders.min()), 0, LARGEST_ORDER).astype(np.int16)
    return CellWeights(values, orders, round(tempo), name)


def train(games: list[Game], recipe: Recipe, name: str, work: Path | None = None) -> CellWeights:
    """All rounds, with reports on the games kept for validation. work: folder that keeps the labels."""
    began = time.perf_counter()
    hand = by_hand()
    positions = positions_of(games)
    facts = positions.facts
    test = np.array([is_test(game) for game in range(len(games))])[facts[:, GAME]]
    counts = differences(positions)
    _say(began, f"{len(positions)} positions, {int(test.sum())} of them for validation")
    choices = choices_of(positions)
    is_checked = test[choices.rows]
    check = some_choices(choices, is_checked)
    learn = some_choices(choices, ~is_checked & (np.arange(len(choices.rows)) % recipe.order_every == 0))
    lessons = lessons_of_results(counts[~test], facts[~test], recipe)
    test_counts, test_facts = counts[test], facts[test]
    del positions, counts, choices

    def report(title: str, weights: CellWeights, value_scale: float) -> None:
        if len(test_facts):
            logits = (test_counts @ weights.values.astype(float) + weights.tempo) / value_scale
            _say(began, report_values(f"values {title}", logits, test_facts))

    def report_order(title: str, orders: np.ndarray) -> None:
        if len(check.ends):
            _say(began, report_orders(f"orders {title}", check, facts, orders, OTHER_SHARE * orders))

    report("set by hand", hand, _HAND_VALUE_SCALE)
    report_order("set by hand", hand.orders / _HAND_ORDER_SCALE)
    orders = train_orders(learn, recipe, hand.orders / _HAND_ORDER_SCALE)
    report_order("trained", orders)
    prior, tempo = train_values(lessons, recipe, hand.values / _HAND_VALUE_SCALE, recipe.value_ridge)
    del lessons

    def weights_of(values: np.ndarray, tempo: float) -> CellWeights:
        return packed(values * recipe.value_scale, orders * recipe.order_scale, tempo * recipe.value_scale, name)

    weights = weights_of(prior, tempo)
    report("trained by results", weights, recipe.value_scale)
    learnt = [game for number, game in enumerate(games) if not is_test(number)]
    known: Lessons | None = None
    for number, (n_labels, nodes) in enumerate(recipe.rounds, 1):
        path = None if work is None else work / f"labels-{number}.npz"
        if path is not None and path.exists():
            labels = load_labels(path)
        else:
            labels = make_labels(learnt, weights, n_labels, nodes, recipe.seed + number)
            if path is not None:
                save_labels(path, labels)
        found = lessons_of_labels(labels, recipe)
        known = found if known is None else known + found
        logits = (found.counts @ weights.values.astype(float) + weights.tempo) / recipe.value_scale
        _say(began, f"{len(found.chances)} labels; loss on them before: {log_loss(logits, found.chances):.4f}")
        weights = weights_of(*train_values(known, recipe, prior, recipe.label_ridge))
        report(f"trained by labels, round {number}", weights, recipe.value_scale)
    return weights


def _say(began: float, text: str) -> None:
    print(f"{time.perf_counter() - began:5.0f} s  {text}", flush=True)


def _weights(path: str) -> CellWeights:
    return by_hand() if path == "hand" else read(Path(path))


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.train.gomoku", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder with gomoku/")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="weights file to write")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep labels here, and go on from them")
    parser.add_argument("--labels", type=int, metavar="N", help="one round of labels only, N positions drawn: a trial")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N games: a trial")
    return parser


def build_match_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.train.gomoku match")
    parser.add_argument("first", help="weights file, or `hand`")
    parser.add_argument("second", help="weights file, or `hand`")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder with gomoku/")
    parser.add_argument("--nodes", type=int, default=20_000, metavar="N", help="a move (default: 20000)")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="even (default: 100)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] == ["match"]:
            from tools.train.gomoku_match import OPENINGS, play_match, read_openings

            options = build_match_parser().parse_args(given[1:])
            openings = read_openings([options.data / name for name in OPENINGS], max(options.games // 2, 1))
            print(play_match((_weights(options.first), _weights(options.second)), options.nodes, openings))
            return 0
        options = build_parser().parse_args(given)
        games = read_games(options.data / GAMES)[: options.limit]
        recipe = RECIPE if options.labels is None else replace(RECIPE, rounds=((options.labels, 2_000),))
        if options.work is not None:
            check_recipe(options.work, {"recipe": str(recipe), "games": len(games), "lines": lines_digest()})
        weights = train(games, recipe, options.out.stem, options.work)
        write(options.out, weights, f"python -m tools.train.gomoku; {recipe}")
    except (OSError, GomokuDataError, WorkFolderError, EngineError) as error:
        print(f"tools.train.gomoku: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
