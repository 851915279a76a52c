"""Perft that can be stopped: between subtrees of a few milliseconds the stop flag is looked at."""

from typing import Any

import numpy as np

from othello_engine.core import plain
from othello_engine.core.perft import perft as perft_kernel

SLICE_DEPTH = 7
"""Depth of the subtrees that are counted in one go."""


def count_leaves(state: Any, player: int, opponent: int, depth: int) -> int | None:
    """Leaves at `depth` (a pass is a ply, a finished game one leaf); None if the stop flag was set.

    state: the search state; its stop flag is obeyed, and the leaves are added to its nodes.
    """
    if state.stop:
        return None
    if depth <= SLICE_DEPTH:
        leaves = int(perft_kernel(np.uint64(player), np.uint64(opponent), depth))
        state.nodes += leaves
        return leaves
    moves = plain.legal_moves(player, opponent)
    if not moves:
        if not plain.legal_moves(opponent, player):
            return 1
        return count_leaves(state, opponent, player, depth - 1)
    total = 0
    while moves:
        square = (moves & -moves).bit_length() - 1
        moves &= moves - 1
        leaves_below = count_leaves(state, *plain.after_moves(player, opponent, (square,)), depth - 1)
        if leaves_below is None:
            return None
        total += leaves_below
    return total
