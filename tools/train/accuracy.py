"""How far an evaluation is from the truth: on positions with exact scores, and on deep values of openings."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from othello_engine.formats.boards import parse_board
from tools.train.labelling import search_values
from tools.train.work import Runner, load

PLIES = (0, 1, 2)
BALANCED = 16
"""Positions whose score is at most this are looked at once more by themselves."""
OPENING_BANDS = ((30, 39), (40, 44), (45, 49), (50, 52), (53, 56))


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Errors in discs of one set, by plies searched before the evaluation is asked."""

    name: str
    n: int
    rmse: tuple[float, ...]
    mae: tuple[float, ...]
    sign: tuple[float, ...]
    """Per cent of positions that are not drawn whose winner is told."""
    balanced_rmse: tuple[float, ...]


def _measure(name: str, truth: np.ndarray, values: list[np.ndarray]) -> Accuracy:
    errors = [value - truth for value in values]
    won = truth != 0
    near = np.abs(truth) <= BALANCED
    return Accuracy(
        name,
        len(truth),
        tuple(float(np.sqrt(np.mean(error**2))) for error in errors),
        tuple(float(np.mean(np.abs(error))) for error in errors),
        tuple(100 * float(np.mean(np.sign(value[won]) == np.sign(truth[won]))) for value in values),
        tuple(float(np.sqrt(np.mean(error[near] ** 2))) for error in errors),
    )


def on_test_sets(work: Path, runner: Runner, weights: np.ndarray) -> list[Accuracy]:
    """Accuracy on WORK/testsets, fewest empties first."""
    found = []
    for path in sorted((work / "testsets").glob("e*.npz")):
        arrays = load(path)
        boards = arrays["player"], arrays["opponent"]
        values = [search_values(runner, path.stem, weights, *boards, depth) for depth in PLIES]
        found.append(_measure(path.stem, arrays["score"].astype(np.float64), values))
    return found


def on_openings(path: Path, runner: Runner, weights: np.ndarray) -> list[Accuracy]:
    """Accuracy against the deep values of a file of lines `BOARD SIDE; SCORE`, by bands of empty squares."""
    rows = []
    with gzip.open(path, "rt", encoding="ascii") as lines:
        for line in lines:
            board, _, score = line.rpartition(";" if ";" in line else " ")
            position = parse_board(board)
            rows.append((position.player, position.opponent, float(score)))
    player = np.array([row[0] for row in rows], dtype=np.uint64)
    opponent = np.array([row[1] for row in rows], dtype=np.uint64)
    truth = np.array([row[2] for row in rows])
    n_empties = 64 - np.bitwise_count(player | opponent).astype(np.int64)
    values = [search_values(runner, path.stem, weights, player, opponent, depth) for depth in PLIES]
    found = []
    for low, high in OPENING_BANDS:
        band = (n_empties >= low) & (n_empties <= high)
        if band.any():
            found.append(_measure(f"openings {low}-{high}", truth[band], [value[band] for value in values]))
    return found
