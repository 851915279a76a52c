"""Short midgame searches by whose values the exact endgame orders its moves, where a node is worth that much.

They use no table: their results are of use at once or never, and would drive out proofs.
"""

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, ZERO, kernel
from othello_engine.core.simd import flips, legal_moves
from othello_engine.evaluation.lanes import ROW_BYTES, row_after, row_after_pass
from othello_engine.evaluation.patterns import DISC_UNIT
from othello_engine.search.leaf import LOWEST, best_after, final_score, row_at
from othello_engine.search.ordering import VALUE_DEPTH, order_by_value, pick
from othello_engine.search.state import STATE
from othello_engine.types import NO_MOVE

_ONE = np.int64(1)
_NO_MOVE = np.int64(NO_MOVE)
_ROW = np.uint64(ROW_BYTES)


@kernel(I64(STATE, U64, U64, I64, I64, I64, I64))
def preview(state, player, opponent, alpha, beta, depth, ply):
    """Fail-soft value in the window (alpha, beta), alpha < beta, after `depth` plies, at least 1; hundredths of a disc.

    With the trained evaluation, whose row of this ply is filled. Passes cost no depth. Worth nothing once the stop flag
    is set. Oracle: full-width search.
    """
    state.nodes += _ONE
    row = row_at(state, ply)
    next_row = row + _ROW
    moves = legal_moves(player, opponent)
    if moves == ZERO:
        if legal_moves(opponent, player) == ZERO:
            return final_score(player, opponent) * np.int64(DISC_UNIT)
        row_after_pass(row, next_row)
        return -preview(state, opponent, player, -beta, -alpha, depth, ply + _ONE)
    if depth <= _ONE:
        return best_after(state, player, opponent, moves, beta, np.int64(DISC_UNIT), ply)
    if state.node_limit != 0 and state.nodes >= state.node_limit:
        state.stop = np.int64(2)
    if state.stop != 0:
        return alpha
    n_moves = order_by_value(state, player, opponent, moves, VALUE_DEPTH, ply, _NO_MOVE, _NO_MOVE)
    best = LOWEST
    low = alpha
    for index in range(n_moves):
        x = pick(state, ply, np.int64(index), n_moves)
        turned = flips(x, player, opponent)
        row_after(row, next_row, x, turned)
        score = -preview(
            state, opponent ^ turned, player ^ turned ^ (ONE << np.uint64(x)), -beta, -low, depth - _ONE, ply + _ONE
        )
        if score > best:
            best = score
            if best > low:
                low = best
                if best >= beta:
                    return best
    return best
