"""What cells are worth by their classes: values set by hand, or trained ones from a file of the package.

A weights file is one line that names the format, one line of JSON, and little-endian int16 numbers compressed by zlib:
a value and an order score for each of MULTISETS, then the value of having the move. JSON: `name` and `recipe` for
people, `lines`, the digest of the classes that the numbers belong to, `sha256` of the numbers.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from othello_engine.errors import WeightsError
from othello_engine.gomoku import lines
from othello_engine.gomoku.lines import CELL_CLASS, COMBO_CLASS, MULTISET_OF, MULTISETS, lines_digest

SHIPPED = Path(__file__).with_name("gomoku.weights")
"""Trained weights that come with the program, if there are any."""
LARGEST_ORDER = 2047
LARGEST_VALUE = 2047
"""Of one cell, either sign."""

_MAGIC = b"othello-engine gomoku weights 1\n"
_LONGEST_LINE = 1 << 16

_LINE_VALUE = {
    lines.DEAD: 0,
    lines.CLOSED_ONE: 1,
    lines.OPEN_ONE: 2,
    lines.CLOSED_TWO: 4,
    lines.OPEN_TWO_WEAK: 7,
    lines.OPEN_TWO: 9,
    lines.OPEN_TWO_STRONG: 10,
    lines.CLOSED_THREE: 12,
    lines.OPEN_THREE_WEAK: 22,
    lines.OPEN_THREE: 28,
    lines.FOUR: 32,
    lines.OPEN_FOUR: 60,
    lines.FIVE: 80,
}
_CELL_BONUS = {
    lines.CELL_DOUBLE_OPEN_TWO: 4,
    lines.CELL_CLOSED_THREE_PLUS: 5,
    lines.CELL_OPEN_THREE_PLUS: 10,
    lines.CELL_DOUBLE_OPEN_THREE: 40,
    lines.CELL_FOUR_PLUS: 15,
    lines.CELL_FOUR_OPEN_THREE: 60,
}
_CELL_ORDER = (0, 4, 12, 25, 32, 45, 28, 50, 110, 150, 320, 120, 200, 500, 900, 1200)


@dataclass(frozen=True, slots=True, eq=False)
class CellWeights:
    """values, orders: int16, one for each of MULTISETS, evaluation units and points of move ordering. tempo: value of
    having the move."""

    values: np.ndarray
    orders: np.ndarray
    tempo: int
    name: str = ""


def by_hand() -> CellWeights:
    """Numbers from the meaning of the classes, for want of trained ones."""
    sums = np.array([sum(_LINE_VALUE[class_] for class_ in classes) for classes in MULTISETS])
    values = sums + np.array([_CELL_BONUS.get(int(class_), 0) for class_ in CELL_CLASS])
    orders = sums + np.array(_CELL_ORDER)[CELL_CLASS]
    return CellWeights(values.astype(np.int16), orders.astype(np.int16), 100, "by hand")


def shipped() -> CellWeights:
    """Those of the package's file, else those set by hand. Raises WeightsError if the file is bad."""
    return read(SHIPPED) if SHIPPED.exists() else by_hand()


def info_table(weights: CellWeights) -> np.ndarray:
    """(N_COMBINATIONS,) int32: cell class | order score << 4 | value << 16, by combination."""
    orders = weights.orders.astype(np.int32)[MULTISET_OF]
    values = weights.values.astype(np.int32)[MULTISET_OF]
    return COMBO_CLASS.astype(np.int32) | orders << 4 | values << 16


def write(path: Path, weights: CellWeights, recipe: str) -> None:
    """Keep weights in a file. Raises WeightsError if they are not what `read` takes."""
    _check(path, weights)
    numbers = np.concatenate([weights.values, weights.orders, [weights.tempo]]).astype("<i2").tobytes()
    header = {
        "name": weights.name,
        "recipe": recipe,
        "lines": lines_digest(),
        "sha256": hashlib.sha256(numbers).hexdigest(),
    }
    path.write_bytes(_MAGIC + json.dumps(header).encode() + b"\n" + zlib.compress(numbers, 9))


def read(path: Path) -> CellWeights:
    """The weights of a file. Raises WeightsError, which names the file and the fault."""
    n_bytes = 2 * (2 * len(MULTISETS) + 1)
    try:
        with path.open("rb") as file:
            if file.readline(_LONGEST_LINE) != _MAGIC:
                raise WeightsError(f"{path}: not a file of gomoku weights of this version")
            header = json.loads(file.readline(_LONGEST_LINE))
            numbers = zlib.decompressobj().decompress(file.read(2 * n_bytes), n_bytes + 1)
        name, digest, sha256 = str(header["name"]), header["lines"], header["sha256"]
    except (OSError, ValueError, TypeError, KeyError, zlib.error) as error:
        raise WeightsError(f"{path}: {error}") from error
    if digest != lines_digest():
        raise WeightsError(f"{path}: the weights belong to other classes of lines")
    if len(numbers) != n_bytes or hashlib.sha256(numbers).hexdigest() != sha256:
        raise WeightsError(f"{path}: the file is damaged: its checksum is wrong")
    all_ = np.frombuffer(numbers, "<i2").astype(np.int16)
    values, orders = all_[: len(MULTISETS)], all_[len(MULTISETS) : -1]
    weights = CellWeights(values, orders, int(all_[-1]), name)
    _check(path, weights)
    return weights


def _check(path: Path, weights: CellWeights) -> None:
    for numbers, lowest, highest in (
        (weights.values, -LARGEST_VALUE, LARGEST_VALUE),
        (weights.orders, 0, LARGEST_ORDER),
        (np.array([weights.tempo]), -LARGEST_VALUE, LARGEST_VALUE),
    ):
        if numbers.ndim != 1 or numbers.min() < lowest or numbers.max() > highest:
            raise WeightsError(f"{path}: a number is not within {lowest} to {highest}")
    if not len(weights.values) == len(weights.orders) == len(MULTISETS):
        raise WeightsError(f"{path}: not {len(MULTISETS)} numbers of each kind")
