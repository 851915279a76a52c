"""Weight files for tests that must not depend on which weights come with the program."""

from __future__ import annotations

from pathlib import Path

from othello_engine.evaluation import weights
from othello_engine.evaluation.features import WEIGHTS_BYTES


def write_weights(path: Path, first: int = 0) -> Path:
    """A weight file of zeros, except for the very first weight of all."""
    learned = bytearray(WEIGHTS_BYTES)
    learned[:2] = first.to_bytes(2, "little", signed=True)
    weights.write(path, learned, weights.WeightsHeader(path.stem, "nothing was learned"))
    return path
