"""Search values as labels: many positions, each searched to a fixed depth with the weights trained so far."""

from __future__ import annotations

import numba
import numpy as np

from othello_engine.core.jit import I64, VOID, kernel
from othello_engine.core.layout import TABLE_BUCKET_BYTES
from othello_engine.evaluation.evaluate import EVALUATIONS, begin
from othello_engine.search.leaf import row_at
from othello_engine.search.pvs import pvs
from othello_engine.search.state import STATE, new_state
from othello_engine.types import NO_MOVE
from tools.train.work import Runner

CHUNK = 2048
"""Positions searched on one table, from an empty one: a value depends on its neighbours in the chunk, no others."""
_TABLE_BYTES = 1 << 20
_LIMIT = np.int64(1 << 30)
_WORDS = numba.types.Array(numba.uint64, 1, "C")
_FLOATS = numba.types.Array(numba.float32, 1, "C")


@kernel(VOID(STATE, _WORDS, _WORDS, _FLOATS, I64, I64, I64))
def _label(state, player, opponent, value, depth, first, last):
    for i in range(first, last):
        begin(state.evaluation, row_at(state, np.int64(0)), player[i], opponent[i])
        score = pvs(state, player[i], opponent[i], -_LIMIT, _LIMIT, depth, np.int64(0))
        value[i] = np.float32(score) / np.float32(100)


class Labeller:
    """State record and table of one thread. weights: as `network.packed` makes them, kept by the caller."""

    def __init__(self, weights: np.ndarray, selectivity: int = 100) -> None:
        self.state = state = new_state()
        number, _, state.disc_unit, state.win_unit = EVALUATIONS["patterns"]
        state.evaluation = number
        state.weights_address = weights.ctypes.data
        state.selectivity = selectivity
        state.root_former_move = NO_MOVE
        state.killers[:] = NO_MOVE
        self._table = np.zeros(_TABLE_BYTES // 8 + 8, dtype=np.uint64)
        address = self._table.ctypes.data
        state.table_address = address + -address % TABLE_BUCKET_BYTES
        state.table_mask = _TABLE_BYTES // TABLE_BUCKET_BYTES - 1

    def label(self, chunk: int, arrays: tuple[np.ndarray, ...], depth: int, first: int, last: int) -> None:
        """Write values in discs into arrays[2][first:last]; arrays: player, opponent, value."""
        self.state.epoch = 1 + chunk % 65535
        _label(self.state, *arrays, depth, first, last)


def search_values(
    runner: Runner,
    name: str,
    weights: np.ndarray,
    player: np.ndarray,
    opponent: np.ndarray,
    depth: int,
    selectivity: int = 100,
) -> np.ndarray:
    """float32 (n,): values in discs for the side to move (which may have to pass), by a search of `depth` plies."""
    value = np.empty(len(player), dtype=np.float32)
    arrays = (player, opponent, value)

    def work(labeller: Labeller, first: int, last: int) -> None:
        labeller.label(first // CHUNK, arrays, depth, first, last)

    runner.spread(name, len(player), CHUNK, lambda: Labeller(weights, selectivity), work)
    return value
