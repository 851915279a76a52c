"""Weights of the trained evaluation made up for tests, and the oracle's value by them.

They come from a formula, not from a random generator whose numbers another version may change.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from othello_engine.evaluation.features import (
    FAMILIES,
    HIDDEN,
    INSTANCES,
    MOBILITY_SIDE,
    N_NETWORKS,
    N_ROWS,
    NETWORK_INTS,
    NETWORKS_OFFSET,
    POTENTIAL_SIDE,
    ROW_BYTES,
    WEIGHTS_BYTES,
    WIDTH,
)
from tests import oracle

Patterns = list[tuple[str, list[oracle.Square]]]

COUNTS = {"mobility": MOBILITY_SIDE**2, "potential": POTENTIAL_SIDE**2, "parity": 16, "discs": 130}
"""Name -> rows of its table, in the order in memory, behind the families."""


def tables() -> dict[str, slice]:
    """Where the table of each family and each count lies, in rows."""
    sizes = {name: 3 ** len(squares) for name, squares in FAMILIES.items()} | COUNTS
    ends = list(itertools.accumulate(sizes.values()))
    return {name: slice(end - sizes[name], end) for name, end in zip(sizes, ends, strict=True)}


TABLES = tables()


def squares_of(numbers: tuple[int, ...]) -> list[oracle.Square]:
    return [divmod(square, 8) for square in numbers]


ALL_PATTERNS: Patterns = [
    (name, squares) for name, numbers in FAMILIES.items() for squares in oracle.instances(squares_of(numbers))
]
"""Every place where a pattern is read, found by the oracle."""
PATTERNS_AS_READ: Patterns = [(each.family, squares_of(each.squares)) for each in INSTANCES]
"""The same as the engine has them: of mirror images, it may have chosen the other one."""


def noise(count: int, seed: int, most: int) -> np.ndarray:
    """int32: numbers between -most and most without visible order."""
    words = np.arange(count, dtype=np.uint32) * np.uint32(2) + np.uint32(2 * seed * 0x3C6EF372 % 2**32 + 1)
    for factor in (0x9E3779B1, 0x85157AF5):
        words *= np.uint32(factor)
        words ^= words >> np.uint32(15)
    return ((words >> np.uint32(8)) % np.uint32(2 * most + 1)).astype(np.int32) - np.int32(most)


@dataclass(frozen=True, slots=True)
class TrainedWeights:
    """Weights as they lie in memory, and views of them: int16 (N_ROWS, WIDTH), int32 (N_NETWORKS, NETWORK_INTS)."""

    buffer: np.ndarray
    rows: np.ndarray
    networks: np.ndarray

    @property
    def address(self) -> np.uint64:
        return np.uint64(self.buffer.ctypes.data)

    def network_address(self, n_empties: int) -> np.uint64:
        return np.uint64(self.networks[n_empties].ctypes.data)

    def set_network(self, n_empties: int, network: oracle.TrainedNetwork) -> None:
        hidden = [network.hidden[unit][element] for element in range(WIDTH) for unit in range(HIDDEN)]
        numbers = [*network.direct, *hidden, *network.offset, *network.output, network.last]
        self.networks[n_empties, : len(numbers)] = numbers

    def network(self, n_empties: int) -> oracle.TrainedNetwork:
        """Boards with fewer discs than the start, which no game has, use the last one."""
        numbers = self.networks[min(n_empties, N_NETWORKS - 1)].tolist()
        direct, numbers = numbers[:WIDTH], numbers[WIDTH:]
        hidden, numbers = numbers[: WIDTH * HIDDEN], numbers[WIDTH * HIDDEN :]
        offset, output, last = numbers[:HIDDEN], numbers[HIDDEN : 2 * HIDDEN], numbers[2 * HIDDEN]
        return oracle.TrainedNetwork(direct, [hidden[unit::HIDDEN] for unit in range(HIDDEN)], offset, output, last)

    def row(self, table: str, index: int) -> list[int]:
        found: list[int] = self.rows[TABLES[table]][index].tolist()
        return found

    def value(self, player: int, opponent: int, patterns: Patterns = ALL_PATTERNS) -> int:
        """By the oracle."""
        board = oracle.board_of_bits(player, opponent)
        return oracle.trained_evaluation(board, oracle.BLACK, patterns, self.row, self.network)


def zero_weights() -> TrainedWeights:
    buffer = np.zeros(WEIGHTS_BYTES, dtype=np.uint8)
    rows = buffer[: N_ROWS * ROW_BYTES].view("<i2").reshape(N_ROWS, WIDTH)
    return TrainedWeights(buffer, rows, buffer[NETWORKS_OFFSET:].view("<i4").reshape(N_NETWORKS, NETWORK_INTS))


def made_up_weights(seed: int, most: int = 60, is_folded: bool = True) -> TrainedWeights:
    """All weights there are, small enough for no sum to reach the end of its type.

    is_folded: what is the same on mirror images of a board has the same row.
    """
    weights = zero_weights()
    weights.rows[:] = noise(weights.rows.size, seed, most).reshape(weights.rows.shape)
    if is_folded:
        fold(weights)
    parts = ((WIDTH, 900), (WIDTH * HIDDEN, 700), (HIDDEN, 300_000), (HIDDEN, 900), (1, 150_000))
    for n_empties in range(N_NETWORKS):
        numbers = [noise(n, seed + 100 * n_empties + part, size) for part, (n, size) in enumerate(parts, 1)]
        joined = np.concatenate(numbers)
        weights.networks[n_empties, : len(joined)] = joined
    return weights


def fold(weights: TrainedWeights) -> None:
    """Make rows of mirror images equal: their mean."""
    for name, numbers in FAMILIES.items():
        squares = squares_of(numbers)
        orders = {tuple(squares.index(s) for s in each) for each in oracle.images(squares) if set(each) == set(squares)}
        n = len(squares)
        # One axis for each square, the first square's last.
        cube = weights.rows[TABLES[name]].reshape(*[3] * n, WIDTH).astype(np.int32)
        axes = [[*(n - 1 - order[n - 1 - axis] for axis in range(n)), n] for order in orders]
        total = sum((cube.transpose(each) for each in axes), np.zeros_like(cube))
        weights.rows[TABLES[name]] = (total // len(orders)).reshape(-1, WIDTH)
    parity = weights.rows[TABLES["parity"]]
    for images in ((1, 2, 4, 8), (3, 5, 10, 12), (6, 9), (7, 11, 13, 14)):
        parity[list(images)] = parity[images[0]]


def mobility_weights(worth: int = 40) -> TrainedWeights:
    """An evaluation with some sense: a move more than the other side has is worth so many hundredths."""
    weights = zero_weights()
    for table, side, factor in (("mobility", MOBILITY_SIDE, 2), ("potential", POTENTIAL_SIDE, 1)):
        own, other = np.divmod(np.arange(side**2), side)
        weights.rows[TABLES[table], 0] = factor * (own - other)
    weights.networks[:, 0] = 1024 * worth // 2
    return weights
