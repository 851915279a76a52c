"""The eight symmetries of the board and the canonical form of a position."""

import numba
import numpy as np

from othello_engine.core import simd
from othello_engine.core.jit import I64, U64, kernel

_PAIR = numba.types.UniTuple(numba.uint64, 2)


@kernel(U64(U64))
def mirror_rows(bits):
    """Top to bottom: a1 <-> a8."""
    return simd.byte_swap(bits)


@kernel(U64(U64))
def mirror_columns(bits):
    """Left to right: a1 <-> h1."""
    a, b, c = (
        np.uint64(0x5555555555555555),
        np.uint64(0x3333333333333333),
        np.uint64(0x0F0F0F0F0F0F0F0F),
    )
    x = ((bits >> np.uint64(1)) & a) | ((bits & a) << np.uint64(1))
    x = ((x >> np.uint64(2)) & b) | ((x & b) << np.uint64(2))
    return ((x >> np.uint64(4)) & c) | ((x & c) << np.uint64(4))


@kernel(U64(U64))
def transpose(bits):
    """Along the a1-h8 diagonal: b1 <-> a2."""
    x = bits
    t = (x ^ (x >> np.uint64(7))) & np.uint64(0x00AA00AA00AA00AA)
    x = x ^ t ^ (t << np.uint64(7))
    t = (x ^ (x >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
    x = x ^ t ^ (t << np.uint64(14))
    t = (x ^ (x >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
    return x ^ t ^ (t << np.uint64(28))


@kernel(U64(U64, I64))
def symmetric(bits, index):
    """Image `index` (0..7, 0 = itself): bit 0 mirrors rows, bit 1 columns, bit 2 transposes last."""
    x = bits
    if index & np.int64(1):
        x = mirror_rows(x)
    if index & np.int64(2):
        x = mirror_columns(x)
    if index & np.int64(4):
        x = transpose(x)
    return x


@kernel(_PAIR(U64, U64))
def canonical(player, opponent):
    """The smallest (player, opponent) of the eight images, compared by player first."""
    best_player, best_opponent = player, opponent
    for index in range(1, 8):
        p, o = symmetric(player, index), symmetric(opponent, index)
        if p < best_player or (p == best_player and o < best_opponent):
            best_player, best_opponent = p, o
    return best_player, best_opponent
