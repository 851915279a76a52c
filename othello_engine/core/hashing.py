"""Hash of a position, for table indices. The table stores the whole position, so a collision costs speed only."""

import numpy as np

from othello_engine.core.jit import U64, kernel

_PLAYER_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_OPPONENT_FACTOR = np.uint64(0xC2B2AE3D27D4EB4F)
_MIX = np.uint64(0xD6E8FEB86659FD93)


@kernel(U64(U64, U64))
def position_hash(player, opponent):
    """64 well-mixed bits of (player, opponent): two multiplications, folded and multiplied again."""
    h = (player * _PLAYER_FACTOR) ^ (
        ((opponent * _OPPONENT_FACTOR) << np.uint64(31)) | ((opponent * _OPPONENT_FACTOR) >> np.uint64(33))
    )
    h = (h ^ (h >> np.uint64(32))) * _MIX
    return h ^ (h >> np.uint64(32))
