"""The weights that come with the program, for tools that run searchers without an engine."""

from __future__ import annotations

import mmap

from othello_engine.evaluation.features import WEIGHTS_BYTES
from othello_engine.evaluation.weights import load, shipped_file


def shipped_weights(evaluation: str = "patterns") -> mmap.mmap | None:
    """The shipped weights of an evaluation in memory of their own; None for one that needs none."""
    path = shipped_file(evaluation)
    if path is None:
        return None
    memory = mmap.mmap(-1, WEIGHTS_BYTES)
    load(path, memory)
    return memory
