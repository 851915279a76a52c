"""The features of the trained evaluation: which squares each pattern looks at, and where its weights lie. Plain Python.

A *family* is a set of squares and all its different images under the eight symmetries of the board; the images are
its *instances* and share one table. An instance is read as a number in base three, one digit for each of its squares (0
empty, 1 of the side to move, 2 of the opponent), and that number picks a row of the family's table. Behind the pattern
tables lie those of a few counts that no pattern sees. All rows picked are added up: a short vector that describes the
position. From it, a small network makes the value; there is one network for each number of empty squares.

In memory: first the rows, N_ROWS times WIDTH int16, in the order of FAMILIES, then the counts; then the networks, for
0, 1, .. 60 empty squares, each NETWORK_INTS int32:

    WIDTH           direct weights: vector to value
    WIDTH * HIDDEN  hidden weights: row by row, one row for each element of the vector
    HIDDEN          hidden offsets
    HIDDEN          output weights: hidden to value
    1               output offset
    and zeros up to NETWORK_INTS

Fixed point: ONE stands for 1 in vectors, hidden weights and hidden units; direct and output weights and the output
offset are in hundredths of a disc, the offset times ONE.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from othello_engine.types import parse_square

_LAYOUT = {
    "edge": "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "corner 2x5": "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
    "corner 3x3": "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "triangle": "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
    "block": "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
    "hook": "a1 b1 c1 d1 e1 a2 b2 a3 a4 a5",
    "band": "a1 b1 a2 b2 c2 b3 c3 d3 c4 d4",
    "second row": "a1 a2 b2 c2 d2 e2 f2 g2 h2 h1",
    "kite": "a1 b1 a2 b2 c2 d2 e2 b3 b4 b5",
    "row 2": "a2 b2 c2 d2 e2 f2 g2 h2",
    "row 3": "a3 b3 c3 d3 e3 f3 g3 h3",
    "row 4": "a4 b4 c4 d4 e4 f4 g4 h4",
    "diagonal 8": "a1 b2 c3 d4 e5 f6 g7 h8",
    "diagonal 7": "b1 c2 d3 e4 f5 g6 h7",
    "diagonal 6": "c1 d2 e3 f4 g5 h6",
    "diagonal 5": "d1 e2 f3 g4 h5",
    "diagonal 4": "e1 f2 g3 h4",
}
FAMILIES: dict[str, tuple[int, ...]] = {
    name: tuple(parse_square(each) for each in squares.split()) for name, squares in _LAYOUT.items()
}
"""Name -> squares of the first instance; the first square is the lowest digit."""

WIDTH = 16
"""Elements of the vector."""
HIDDEN = 16
"""Hidden units of a network."""
ONE_BITS = 10
ONE = 1 << ONE_BITS
"""What stands for 1 in fixed point."""
N_LANES = 80
"""Instances, filled up to whole vectors of 16 numbers of 16 bits; lanes without an instance stay zero."""

MOBILITY_SIDE = 32
"""Moves of one side are counted up to one less than this: a table over both sides' moves."""
POTENTIAL_SIDE = 48
"""The same for the empty squares beside the other side's discs."""


def symmetries(square: int) -> list[int]:
    """The square's images under the eight symmetries, always in the same order of symmetries."""
    row, column = divmod(square, 8)
    images = []
    for _ in range(2):
        for _ in range(4):
            images.append(8 * row + column)
            row, column = column, 7 - row  # a quarter turn
        row, column = row, 7 - column  # a reflection
    return images


@dataclass(frozen=True, slots=True)
class Instance:
    """One placing of a family. squares: lowest digit first. offset: of the first row of its family's table."""

    family: str
    squares: tuple[int, ...]
    offset: int


def _instances() -> list[Instance]:
    found = []
    offset = 0
    for family, squares in FAMILIES.items():
        images = list(zip(*(symmetries(square) for square in squares), strict=True))
        seen = set()
        for image in images:
            if frozenset(image) not in seen:
                seen.add(frozenset(image))
                found.append(Instance(family, image, offset))
        offset += 3 ** len(squares)
    return found


INSTANCES = _instances()
assert len(INSTANCES) <= N_LANES

N_PATTERN_ROWS = sum(3 ** len(squares) for squares in FAMILIES.values())
MOBILITY_OFFSET = N_PATTERN_ROWS
POTENTIAL_OFFSET = MOBILITY_OFFSET + MOBILITY_SIDE**2
PARITY_OFFSET = POTENTIAL_OFFSET + POTENTIAL_SIDE**2
"""16 rows: which quadrants have an odd number of empty squares."""
DISCS_OFFSET = PARITY_OFFSET + 16
"""130 rows: own discs, apart for even and odd numbers of empty squares."""
N_ROWS = DISCS_OFFSET + 130

N_NETWORKS = 61
NETWORK_USED = WIDTH + WIDTH * HIDDEN + HIDDEN + HIDDEN + 1
NETWORK_INTS = -(-NETWORK_USED // 16) * 16
ROW_BYTES = 2 * WIDTH
NETWORK_BYTES = 4 * NETWORK_INTS
NETWORKS_OFFSET = -(-N_ROWS * ROW_BYTES // 64) * 64
"""Byte offset of the first network."""
WEIGHTS_BYTES = NETWORKS_OFFSET + N_NETWORKS * NETWORK_BYTES
"""All weights; int16 and int32 are little-endian."""


def _powers() -> list[list[int]]:
    """[square][lane]: the value of that square's digit in the lane's instance, 0 if it is not part of it."""
    table = [[0] * N_LANES for _ in range(64)]
    for lane, instance in enumerate(INSTANCES):
        for digit, square in enumerate(instance.squares):
            table[square][lane] = 3**digit
    return table


POWERS = _powers()


def _digest() -> str:
    instances = [(each.squares, each.offset) for each in INSTANCES]
    text = repr((FAMILIES, instances, N_ROWS, WIDTH, HIDDEN, ONE_BITS, N_NETWORKS, NETWORK_INTS, WEIGHTS_BYTES))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


FEATURES_DIGEST = _digest()
"""Weights trained for other features carry another digest and are refused."""
