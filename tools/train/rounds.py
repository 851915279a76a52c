"""Training in rounds: each labels all positions by searches with the network of the round before, then learns them.

Positions near the end have exact scores from the start. In the first round all others are labelled with how their game
ended (with perfect play from where that is known); later rounds carry what the endings teach backwards by searches.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tools.train.labelling import search_values
from tools.train.network import Network, Samples, packed, train
from tools.train.selfplay import MOST_EMPTIES, make_selfplay
from tools.train.work import Arrays, Runner, load, save

SEED = 1
ALL = 1 << 40
"""More positions than there are."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of training.

    depth: of the label searches; 0 labels with the games' endings. selectivity: of the label searches. game_part,
    far_part: part of a label that comes from the game's ending, below and from `far_empties` empties on. balance,
    far_balance: likewise, a position counts 1 / (1 + (label / balance)^2); 0: all the same. siblings: how much a
    sibling counts. most: positions of games, and siblings, that are searched at each number of empties; opening_most:
    the same from `opening_empties` on, where searches are dear and positions alike. Those with exact scores are all
    taken. steps: step sizes of the passes. anew: begin with a new network, else with that of the round before.
    selfplay: games that the engine has played against itself, with the network of the round before the first that asks
    for some; their positions join in as those of the games do, but above those with exact scores labelled by search
    alone.
    """

    name: str
    depth: int
    steps: tuple[float, ...]
    selectivity: int = 100
    game_part: float = 0.3
    far_part: float = 0.2
    far_empties: int = 25
    balance: float = 0.0
    far_balance: float = 0.0
    siblings: float = 1.0
    most: int = 400_000
    opening_most: int = 100_000
    opening_empties: int = 42
    anew: bool = False
    selfplay: int = 0


def _thinned(arrays: Arrays, most: int) -> Arrays:
    """Evenly spread rows, at most so many."""
    n = len(arrays["player"])
    if n <= most:
        return arrays
    rows = np.linspace(0, n - 1, most).astype(np.int64)
    return {name: array[rows] for name, array in arrays.items()}


def training_positions(folder: Path, n: int, most: int) -> Arrays:
    """Positions of training games below a folder with n empties, at most so many."""
    positions = load(folder / "positions" / f"e{n:02}.npz")
    return _thinned({name: array[~positions["held_out"]] for name, array in positions.items()}, most)


class _Labels:
    """Labels of one round, made when asked for and kept in its folder."""

    def __init__(self, work: Path, runner: Runner, settings: Round, weights: np.ndarray | None) -> None:
        self._folder = work / "rounds" / settings.name
        self._runner = runner
        self._settings = settings
        self._weights = weights

    def values(self, name: str, n: int, arrays: Arrays) -> np.ndarray:
        """float32: search values of these positions."""
        path = self._folder / f"{name}-e{n:02}.npz"

        def make() -> None:
            assert self._weights is not None
            boards = arrays["player"], arrays["opponent"]
            depth, selectivity = self._settings.depth, self._settings.selectivity
            values = search_values(self._runner, path.stem, self._weights, *boards, depth, selectivity)
            save(path, value=values)

        self._runner.step(f"{self._settings.name}: {path.stem}", path, make)
        return load(path)["value"]


def _samples_of(work: Path, labels: _Labels, settings: Round, n: int, exact_to: int) -> list[Samples]:
    """Labelled positions with n empties."""
    found = []
    balance = settings.balance if n < settings.far_empties else settings.far_balance

    def add(arrays: Arrays, label: np.ndarray, factor: np.ndarray | float) -> None:
        importance = np.full(len(label), factor, np.float32)
        if balance:
            importance /= 1 + (label / balance) ** 2
        found.append(Samples(arrays["player"], arrays["opponent"], label.astype(np.float32), importance))

    most = settings.most if n < settings.opening_empties else settings.opening_most
    positions = training_positions(work, n, most if n > exact_to else ALL)
    ending = np.where(positions["theo"] > -65, positions["theo"], positions["score"])
    if n <= exact_to:
        label = positions["score"]
    elif settings.depth == 0:
        label = ending
    else:
        part = settings.game_part if n < settings.far_empties else settings.far_part
        label = (1 - part) * labels.values("games", n, positions) + part * ending
    add(positions, label, 1.0)

    path = work / "siblings" / f"e{n:02}.npz"
    if path.exists():
        siblings = load(path)
        if "score" in siblings:
            add(siblings, siblings["score"], settings.siblings)
        elif settings.depth > 0:
            siblings = _thinned(siblings, most)
            add(siblings, labels.values("siblings", n, siblings), settings.siblings)

    if settings.selfplay and n <= MOST_EMPTIES:
        positions = training_positions(work / "selfplay", n, most if n > exact_to else ALL)
        add(positions, positions["score"] if n <= exact_to else labels.values("selfplay", n, positions), 1.0)
    return found


def run_round(work: Path, runner: Runner, settings: Round, before: Network | None, exact_to: int) -> Network:
    """The network after this round. exact_to: most empties at which positions of games have exact scores.

    The result is kept in WORK/rounds/NAME and not made again. before: is changed.
    """
    path = work / "rounds" / settings.name / "network.npz"

    def make() -> None:
        weights = None if before is None else packed(before)
        if settings.selfplay:
            assert weights is not None
            make_selfplay(work, settings.selfplay, weights, runner, exact_to)
        labels = _Labels(work, runner, settings, weights)
        samples = Samples.joined(
            [part for n in range(1, 60) for part in _samples_of(work, labels, settings, n, exact_to)]
        )
        runner.say(f"{settings.name}: {len(samples):,} positions")
        network = Network.new(SEED) if before is None or settings.anew else before
        network.forget_gradients()
        train(network, samples, settings.steps, SEED, runner.say)
        network.save(path)

    runner.step(f"{settings.name} round", path, make)
    return Network.load(path)
