"""Training of the evaluation: rows of patterns and counts, and the networks on top, by stochastic gradient descent.

Each position changes what it used at once, with a step size of its own for every row and weight that falls with the
gradients it has seen (Adagrad). Rows that few positions pick so get large steps, rows that many pick small ones; a row
stands for all readings of a pattern that are each other's mirror image ("folded"). One thread, a fixed order: the same
data and seed give the same network, bit for bit.

Inside, values are in tens of discs, so that everything is of the size of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import numba
import numpy as np

from othello_engine.core.jit import I64, kernel
from othello_engine.core.simd import legal_moves
from othello_engine.evaluation.features import (
    FAMILIES,
    HIDDEN,
    INSTANCES,
    N_LANES,
    N_NETWORKS,
    N_ROWS,
    NETWORK_INTS,
    NETWORKS_OFFSET,
    ONE,
    PARITY_OFFSET,
    ROW_BYTES,
    WIDTH,
    symmetries,
)
from othello_engine.evaluation.lanes import row_of
from othello_engine.evaluation.patterns import discs_index, mobility_index, parity_index, potential_index
from tools.train.weights_buffer import new_buffer
from tools.train.work import load, save

DISCS = np.float32(10)
"""Discs that stand for 1 while training."""
LAST_OWN_NETWORK = 51
"""Beyond, so few positions are different that even and odd numbers of empties share a network each."""
SHOWN_EVERY = 1 << 18

_MATRIX = numba.types.Array(numba.float32, 2, "C")
_CUBE = numba.types.Array(numba.float32, 3, "C")
_FLOATS = numba.types.Array(numba.float32, 1, "C")
_WORDS = numba.types.Array(numba.uint64, 1, "C")
_INTS = numba.types.Array(numba.int32, 1, "C")
_LONGS = numba.types.Array(numba.int64, 1, "C")
_SHORTS = numba.types.Array(numba.uint16, 1, "C")
_F32 = numba.float32


@dataclass(slots=True)
class Samples:
    """Labelled positions. player, opponent: uint64 (n,); label: float32, discs for the side to move; importance."""

    player: np.ndarray
    opponent: np.ndarray
    label: np.ndarray
    importance: np.ndarray

    def __len__(self) -> int:
        return len(self.player)

    @property
    def n_empties(self) -> np.ndarray:
        return 64 - np.bitwise_count(self.player | self.opponent).astype(np.int64)

    @classmethod
    def joined(cls, parts: list[Samples]) -> Samples:
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(slots=True)
class Network:
    """All parameters, float32, and beside each the sum of its squared gradients (`seen_...`)."""

    rows: np.ndarray  # (N_ROWS, WIDTH)
    direct: np.ndarray  # (N_NETWORKS, WIDTH)
    hidden: np.ndarray  # (N_NETWORKS, HIDDEN, WIDTH)
    offset: np.ndarray  # (N_NETWORKS, HIDDEN)
    output: np.ndarray  # (N_NETWORKS, HIDDEN)
    last: np.ndarray  # (N_NETWORKS,)
    seen_rows: np.ndarray  # (N_ROWS,): one for a whole row
    seen_direct: np.ndarray
    seen_hidden: np.ndarray
    seen_offset: np.ndarray
    seen_output: np.ndarray
    seen_last: np.ndarray

    @classmethod
    def new(cls, seed: int) -> Network:
        """Small random numbers; all networks begin alike."""
        rng = np.random.default_rng(seed)

        def normal(deviation: float, *shape: int) -> np.ndarray:
            return (rng.normal(size=shape) * deviation).astype(np.float32)

        def alike(array: np.ndarray) -> np.ndarray:
            return np.ascontiguousarray(np.broadcast_to(array, (N_NETWORKS, *array.shape)))

        rows = normal(0.01, N_ROWS, WIDTH)
        direct, hidden, output = normal(0.5, WIDTH), normal(0.3, HIDDEN, WIDTH), normal(0.3, HIDDEN)
        parameters = (
            rows,
            alike(direct),
            alike(hidden),
            np.zeros((N_NETWORKS, HIDDEN), np.float32),
            alike(output),
            np.zeros(N_NETWORKS, np.float32),
        )
        network = cls(*parameters, *(np.empty(0, np.float32) for _ in parameters))
        network.forget_gradients()
        return network

    def forget_gradients(self) -> None:
        """Begin again with large steps."""
        self.seen_rows = np.full(N_ROWS, 1e-3, np.float32)
        for name in ("direct", "hidden", "offset", "output", "last"):
            setattr(self, f"seen_{name}", np.full_like(getattr(self, name), 1e-2))

    def arrays(self) -> tuple[np.ndarray, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    def save(self, path: Path) -> None:
        save(path, **{field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def load(cls, path: Path) -> Network:
        arrays = load(path)
        return cls(*(arrays[field.name] for field in fields(cls)))


def folding() -> np.ndarray:
    """int32 (N_ROWS,): the row that stands for each row; the first of those that images of a position make equal."""
    fold = np.arange(N_ROWS, dtype=np.int32)
    offset = 0
    for squares in FAMILIES.values():
        size = 3 ** len(squares)
        digits = (np.arange(size)[:, None] // 3 ** np.arange(len(squares))) % 3
        for image in zip(*(symmetries(square) for square in squares), strict=True):
            if set(image) == set(squares):
                order = [image.index(square) for square in squares]
                mirrored = digits[:, order] @ 3 ** np.arange(len(squares))
                fold[offset : offset + size] = np.minimum(fold[offset : offset + size], offset + mirrored)
        offset += size
    for parities in ((1, 2, 4, 8), (3, 5, 10, 12), (6, 9), (7, 11, 13, 14)):  # as many quadrants, lying alike
        for parity in parities:
            fold[PARITY_OFFSET + parity] = PARITY_OFFSET + parities[0]
    return fold


def network_of(n_empties: np.ndarray) -> np.ndarray:
    """Number of the network that is trained for so many empties."""
    return np.where(n_empties <= LAST_OWN_NETWORK, n_empties, LAST_OWN_NETWORK - 1 + n_empties % 2)


_OFFSETS = np.array([instance.offset for instance in INSTANCES], dtype=np.int32)
_N_INSTANCES = len(INSTANCES)
_N_PLACES = _N_INSTANCES + 4


@kernel(numba.float64(
    _WORDS, _WORDS, _FLOATS, _FLOATS, _INTS, _LONGS, I64, I64, _INTS,
    _MATRIX, _MATRIX, _CUBE, _MATRIX, _MATRIX, _FLOATS, _FLOATS, _MATRIX, _CUBE, _MATRIX, _MATRIX, _FLOATS,
    _F32, _F32,
), fastmath=True)  # fmt: skip
def _descend(
    player, opponent, label, importance, number, order, first, last, fold,
    rows, direct, hidden, offset, output, last_, seen_rows, seen_direct, seen_hidden, seen_offset, seen_output,
    seen_last, row_step, step,
):  # fmt: skip
    """One pass over order[first:last]; the sum of squared errors before each step, weighted."""
    indices = np.zeros(2 * N_LANES, dtype=np.uint16)
    address = np.uint64(indices.ctypes.data)
    places = np.zeros(_N_PLACES, dtype=np.int64)
    vector = np.zeros(WIDTH, dtype=np.float32)
    change = np.zeros(WIDTH, dtype=np.float32)
    units = np.zeros(HIDDEN, dtype=np.float32)
    nothing = np.float32(0)
    total = 0.0
    for at in range(first, last):
        i = order[at]
        p, o = player[i], opponent[i]
        n = number[i]
        row_of(address, p, o)
        for lane in range(_N_INSTANCES):
            places[lane] = fold[_OFFSETS[lane] + np.int64(indices[lane])]
        places[_N_INSTANCES] = mobility_index(legal_moves(p, o), legal_moves(o, p))
        places[_N_INSTANCES + 1] = potential_index(p, o)
        places[_N_INSTANCES + 2] = fold[parity_index(p, o)]
        places[_N_INSTANCES + 3] = discs_index(p, o)

        # Forward.
        for j in range(WIDTH):
            vector[j] = nothing
        for k in range(_N_PLACES):
            place = places[k]
            for j in range(WIDTH):
                vector[j] += rows[place, j]
        value = last_[n]
        for j in range(WIDTH):
            value += direct[n, j] * vector[j]
        for m in range(HIDDEN):
            unit = offset[n, m]
            for j in range(WIDTH):
                unit += hidden[n, m, j] * max(vector[j], nothing)
            units[m] = unit
            value += output[n, m] * max(unit, nothing)

        # Backward: half the gradient of importance * error squared.
        error = value - label[i] / DISCS
        total += np.float64(importance[i] * error * error)
        error *= importance[i]
        for j in range(WIDTH):
            change[j] = error * direct[n, j]
            slope = error * vector[j]
            seen_direct[n, j] += slope * slope
            direct[n, j] -= step * slope / np.sqrt(seen_direct[n, j])
        seen_last[n] += error * error
        last_[n] -= step * error / np.sqrt(seen_last[n])
        for m in range(HIDDEN):
            if units[m] > nothing:
                back = error * output[n, m]
                slope = error * units[m]
                seen_output[n, m] += slope * slope
                output[n, m] -= step * slope / np.sqrt(seen_output[n, m])
                seen_offset[n, m] += back * back
                offset[n, m] -= step * back / np.sqrt(seen_offset[n, m])
                for j in range(WIDTH):
                    if vector[j] > nothing:
                        change[j] += back * hidden[n, m, j]
                        slope = back * vector[j]
                        seen_hidden[n, m, j] += slope * slope
                        hidden[n, m, j] -= step * slope / np.sqrt(seen_hidden[n, m, j])
        size = nothing
        for j in range(WIDTH):
            size += change[j] * change[j]
        size /= np.float32(WIDTH)
        for k in range(_N_PLACES):
            place = places[k]
            seen_rows[place] += size
            factor = row_step / np.sqrt(seen_rows[place])
            for j in range(WIDTH):
                rows[place, j] -= factor * change[j]
    return total


def train(
    network: Network,
    samples: Samples,
    step_sizes: tuple[float, ...],
    seed: int,
    tell: Callable[[str], None],
    row_step: float = 0.02,
    step: float = 0.02,
) -> None:
    """Improve the network in place: one pass over the samples, in a new random order, for each of the step sizes.

    step_sizes: factors of both step constants, in turn for each pass.
    """
    number = network_of(samples.n_empties).astype(np.int32)
    fold = folding()
    rng = np.random.default_rng(seed)
    for index, factor in enumerate(step_sizes):
        order = rng.permutation(len(samples))
        total = 0.0
        for first in range(0, len(order), SHOWN_EVERY):
            last = min(first + SHOWN_EVERY, len(order))
            total += _descend(
                samples.player, samples.opponent, samples.label, samples.importance, number, order, first, last, fold,
                *network.arrays(), np.float32(row_step * factor), np.float32(step * factor),
            )  # fmt: skip
        error = float(DISCS) * np.sqrt(total / samples.importance.sum(dtype=np.float64))
        tell(f"  pass {index + 1} of {len(step_sizes)}, step {factor:g}: error {error:.3f} discs")


def packed(network: Network) -> np.ndarray:
    """uint8 (WEIGHTS_BYTES,), 64-byte aligned: the network in the fixed point that the engine computes in."""
    buffer = new_buffer()
    rows = np.clip(np.round(network.rows[folding()] * ONE), -32768, 32767)
    buffer[: N_ROWS * ROW_BYTES] = rows.astype("<i2").view(np.uint8).ravel()
    numbers = np.zeros((N_NETWORKS, NETWORK_INTS), dtype="<i4")
    sources = network_of(np.maximum(np.arange(N_NETWORKS), 1))
    hundredths = 100 * float(DISCS)
    for n, source in enumerate(sources):
        parts = (
            network.direct[source] * hundredths,
            network.hidden[source].T.ravel() * ONE,
            network.offset[source] * (ONE * ONE),
            network.output[source] * hundredths,
            network.last[source : source + 1] * (hundredths * ONE),
        )
        joined = np.round(np.concatenate(parts).astype(np.float64))
        numbers[n, : len(joined)] = joined
    buffer[NETWORKS_OFFSET:] = numbers.view(np.uint8).ravel()
    return buffer
