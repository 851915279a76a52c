"""The rules on plain Python integers, without Numba.

The position value and the parent process use these, so that nothing waits for compilation; the vector
intrinsics of `simd` use them as their uncompiled twins. The compiled kernels are tested against them, and both
against the nested-list oracle of the tests.

A bitboard is an int whose bit x is square x (0 = a1, 7 = h1, 63 = h8).
"""

from __future__ import annotations

from collections.abc import Iterable

from othello_engine.types import N_SQUARES, PASS

FULL = 0xFFFFFFFFFFFFFFFF
NOT_EDGE_FILES = 0x7E7E7E7E7E7E7E7E
CORNERS = 0x8100000000000081

# (shift toward higher squares, opponents that such a ray may cross without wrapping)
_LINES = ((1, NOT_EDGE_FILES), (8, FULL), (7, NOT_EDGE_FILES), (9, NOT_EDGE_FILES))


def legal_moves(player: int, opponent: int) -> int:
    """Squares the side to move may play; 0 means pass or game over."""
    found = 0
    for shift, crossable in _LINES:
        inner = opponent & crossable
        up = inner & (player << shift)
        down = inner & (player >> shift)
        for _ in range(5):
            up |= inner & (up << shift)
            down |= inner & (down >> shift)
        found |= (up << shift) | (down >> shift)
    return found & ~(player | opponent) & FULL


def flips(square: int, player: int, opponent: int) -> int:
    """Opponent discs turned by playing an empty `square`; 0 if that is no legal move."""
    turned = 0
    start = 1 << square
    for shift, crossable in _LINES:
        inner = opponent & crossable
        run = 0
        cursor = (start << shift) & inner
        while cursor:
            run |= cursor
            step = cursor << shift
            if step & player:
                turned |= run
                break
            cursor = step & inner
        run = 0
        cursor = (start >> shift) & inner
        while cursor:
            run |= cursor
            step = cursor >> shift
            if step & player:
                turned |= run
                break
            cursor = step & inner
    return turned


def final_score(player: int, opponent: int) -> int:
    """Disc difference for `player` in a finished game, the empty squares given to the winner."""
    mine, theirs = player.bit_count(), opponent.bit_count()
    if mine > theirs:
        return N_SQUARES - 2 * theirs
    if mine < theirs:
        return 2 * mine - N_SQUARES
    return 0


def after_moves(player: int, opponent: int, moves: Iterable[int]) -> tuple[int, int]:
    """(player, opponent) after these moves, passes included, seen by the side to move then. They must be legal."""
    for move in moves:
        turned = 0 if move == PASS else flips(move, player, opponent)
        placed = 0 if move == PASS else 1 << move
        player, opponent = opponent ^ turned, player | turned | placed
    return player, opponent
