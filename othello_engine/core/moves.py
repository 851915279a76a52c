"""Moves and flips, as kernels that may be called from Python and from other kernels."""

from othello_engine.core import simd
from othello_engine.core.jit import I64, U64, kernel


@kernel(U64(U64, U64))
def legal_moves(player, opponent):
    """Squares the side to move may play, as a bitboard; 0 means pass or game over.

    player, opponent: disjoint. Source: doubling fill along eight rays. Oracle: plain.legal_moves.
    """
    return simd.legal_moves(player, opponent)


@kernel(U64(I64, U64, U64))
def flips(square, player, opponent):
    """Opponent discs turned by playing `square` (0..63, empty); 0 if the move is illegal. Oracle: plain.flips."""
    return simd.flips(square, player, opponent)
