"""Small work folders and weights whose values are known without computing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from othello_engine.evaluation.features import NETWORK_USED, ONE
from othello_engine.evaluation.weights import WeightsHeader, write
from othello_engine.position import Position
from tests.positions import image, late_positions
from tests.trained import zero_weights
from tools.train.games import NO_THEO
from tools.train.work import save


def constant_weights(path: Path, discs: int) -> Path:
    """A weight file with which every position is worth so many discs to the side to move."""
    weights = zero_weights()
    weights.networks[:, NETWORK_USED - 1] = 100 * discs * ONE  # the output offset
    write(path, weights.buffer, WeightsHeader(path.stem, "every position is worth the same"))
    return path


def quiet_positions(n_empties: int, count: int, seed: int = 1) -> list[Position]:
    """Positions in which nobody passes and no game ends within three plies."""

    def is_quiet(position: Position, plies: int) -> bool:
        if position.must_pass or position.is_over:
            return False
        return plies == 0 or all(is_quiet(position.play(move), plies - 1) for move in position.legal_moves)

    found: list[Position] = []
    while len(found) < count:
        found += [each for each in late_positions(n_empties, count, seed) if is_quiet(each, 3)]
        seed += 1
    return found[:count]


def canonical(player: int, opponent: int) -> tuple[int, int]:
    return min((image(player, index), image(opponent, index)) for index in range(8))


def boards(positions: Sequence[Position]) -> dict[str, np.ndarray]:
    return {
        "player": np.array([each.player for each in positions], np.uint64),
        "opponent": np.array([each.opponent for each in positions], np.uint64),
    }


def write_testset(work: Path, n_empties: int, positions: Sequence[Position], scores: Sequence[int]) -> None:
    save(work / "testsets" / f"e{n_empties:02}.npz", **boards(positions), score=np.array(scores, np.int8))


def write_positions(
    work: Path,
    n_empties: int,
    positions: Sequence[Position],
    score: float,
    theo: float = NO_THEO,
    n_training: int = 0,
) -> None:
    """Positions of games with the same scores, the first n_training of them for training and the others held out."""
    n = len(positions)
    save(
        work / "positions" / f"e{n_empties:02}.npz",
        **boards(positions),
        score=np.full(n, score, np.float32),
        theo=np.full(n, theo, np.float32),
        held_out=np.arange(n) >= n_training,
    )
