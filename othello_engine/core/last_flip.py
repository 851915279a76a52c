"""Discs turned by the move into the last empty square."""

from othello_engine.core import simd
from othello_engine.core.jit import I64, U64, kernel


@kernel(I64(I64, U64))
def count_last_flips(square, player):
    """How many discs `player` turns at `square` when every other square holds a disc; 0 if none.

    With a full board the opponent's discs are the complement, and `square` itself is on none of its own rays.
    Oracle: plain.flips with the complement as opponent.
    """
    return simd.popcount(simd.flips(square, player, ~player))
