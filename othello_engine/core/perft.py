"""Perft: counts of the leaves of the game tree, to prove the move generator and to measure it."""

import numpy as np

from othello_engine.core import simd
from othello_engine.core.jit import I64, ONE, U64, ZERO, kernel


@kernel(I64(U64, U64, I64), entry=True)
def perft(player, opponent, depth):
    """Leaves at `depth` plies; a forced pass is one ply, a finished game is one leaf at any depth.

    depth >= 0. The last ply is counted from the move bitboard without making the moves.
    """
    if depth == np.int64(0):
        return np.int64(1)
    moves = simd.legal_moves(player, opponent)
    if moves == ZERO:
        if simd.legal_moves(opponent, player) == ZERO:
            return np.int64(1)
        return perft(opponent, player, depth - np.int64(1))
    if depth == np.int64(1):
        return simd.popcount(moves)
    leaves = np.int64(0)
    while moves != ZERO:
        square = simd.square_of(moves)
        moves &= moves - ONE
        turned = simd.flips(square, player, opponent)
        placed = player ^ turned ^ (ONE << np.uint64(square))
        leaves += perft(opponent ^ turned, placed, depth - np.int64(1))
    return leaves
