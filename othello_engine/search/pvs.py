"""Principal variation search: the open-window search on top of both null-window searches, and the root.

One kernel serves the midgame (values in evaluation units) and the exact endgame (discs); `state.exact` tells which.
The root is the node at `state.root_ply`: it honours `state.root_moves` and records what each finished move proved.
"""

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, VOID, ZERO, kernel
from othello_engine.core.simd import flips, legal_moves, popcount
from othello_engine.evaluation.evaluate import follow_pass
from othello_engine.evaluation.patterns import DISC_UNIT
from othello_engine.search import table
from othello_engine.search.endgame import STOPPED, ended_score, nws_endgame
from othello_engine.search.leaf import LOWEST, follow_move, leaf_value, row_at, terminal_value
from othello_engine.search.midgame import STOPPED_VALUE, nws_midgame
from othello_engine.search.ordering import order, pick, reward
from othello_engine.search.probcut import NO_SELECTIVITY
from othello_engine.search.state import STATE
from othello_engine.types import NO_MOVE, PASS

_NO_MOVE = np.int64(NO_MOVE)
_PASS = np.int64(PASS)

INTERNAL_DEEPENING_DEPTH = np.int64(5)
"""An open-window node this deep without a table move is first searched two plies shallower."""


@kernel(I64(STATE, U64, U64, I64, I64, I64), entry=True)
def null_window(state, player, opponent, alpha, depth, ply):
    """Null-window value by the search that `state.exact` chooses; STOPPED_VALUE when stopped.

    A selective solve is a midgame search to the end of the game, whose value is turned into discs.
    """
    if state.exact == 0:
        return nws_midgame(state, player, opponent, alpha, depth, ply)
    if state.selectivity >= NO_SELECTIVITY:
        score = nws_endgame(state, player, opponent, alpha, ply)
        return STOPPED_VALUE if score == STOPPED else score
    n_empties = np.int64(64) - popcount(player | opponent)
    unit = np.int64(DISC_UNIT)
    score = nws_midgame(state, player, opponent, alpha * unit, n_empties, ply)
    if score == STOPPED_VALUE:
        return STOPPED_VALUE
    # Pruned values are not whole discs: what is above alpha stays above, what is not stays below.
    if score > alpha * unit:
        return max(score // unit, alpha + np.int64(1))
    return min(-(-score // unit), alpha)


@kernel(VOID(STATE, I64, I64))
def lead_pv(state, ply, move):
    """The variation of this ply becomes `move` followed by the variation of the next ply."""
    length = min(state.pv_length[ply + np.int64(1)], np.int64(126) - ply)
    state.pv[ply, 0] = np.int8(move)
    for index in range(length):
        state.pv[ply, index + 1] = state.pv[ply + np.int64(1), index]
    state.pv_length[ply] = length + np.int64(1)


@kernel(I64(STATE, U64, U64, I64, I64, I64, I64), entry=True)
def pvs(state, player, opponent, alpha, beta, depth, ply):
    """Fail-soft value in the window (alpha, beta), alpha < beta; leaves its line in row `ply` of state.pv.

    The evaluation's row of this ply is filled. When exact, depth is ignored. Returns STOPPED_VALUE once the stop flag
    is set.
    """
    state.pv_length[ply] = np.int64(0)
    is_root = ply == state.root_ply
    if beta == alpha + np.int64(1) and not is_root:
        return null_window(state, player, opponent, alpha, depth, ply)

    # Step 1. Stop flag, node limit, leaf.
    state.nodes += np.int64(1)
    if state.stop != 0:
        return STOPPED_VALUE
    if state.node_limit != 0 and state.nodes >= state.node_limit:
        state.stop = np.int64(2)
        return STOPPED_VALUE
    if ply > state.selective_depth:
        state.selective_depth = ply
    is_exact = state.exact != 0
    if not is_exact and depth <= np.int64(0):
        return leaf_value(state, player, opponent, ply)

    # Step 2. Moves; pass and end of game.
    moves = legal_moves(player, opponent)
    if moves == ZERO:
        if legal_moves(opponent, player) == ZERO:
            # Of a selective solve the unit of the state is that of the midgame search below.
            return ended_score(state, player, opponent) if is_exact else terminal_value(state, player, opponent, ply)
        follow_pass(state.evaluation, row_at(state, ply))
        score = pvs(state, opponent, player, -beta, -alpha, depth, ply + np.int64(1))
        if score == STOPPED_VALUE:
            return STOPPED_VALUE
        lead_pv(state, ply, _PASS)
        if is_root:
            state.root_best_move, state.root_best_score = _PASS, -score
            state.root_first_done = np.int64(1)
        return -score
    is_restricted = is_root and state.root_moves != ZERO
    if is_restricted:
        moves &= state.root_moves

    # Step 3. Table: only for the moves; an open window wants its line of play, not a stored value.
    kind = table.KIND_EXACT if is_exact else table.KIND_ESTIMATE
    n_empties = popcount(~(player | opponent))
    entry_depth = n_empties if is_exact else depth
    is_proof = is_exact and state.selectivity >= NO_SELECTIVITY
    bucket = table.bucket_of(state, player, opponent, n_empties, is_proof)
    meta = table.probe(state, bucket, player, opponent)[1]
    if meta == ZERO and not is_proof:
        # Midgame searches end in proofs. Not the other way round: near the end their moves are bad guesses for a proof.
        meta = table.probe(state, table.bucket_of(state, player, opponent, n_empties, True), player, opponent)[1]
    first, second = table.entry_move(meta), table.entry_second_move(meta)
    if first == _NO_MOVE and not is_exact and depth >= INTERNAL_DEEPENING_DEPTH and not is_root:
        if pvs(state, player, opponent, alpha, beta, depth - np.int64(2), ply) == STOPPED_VALUE:
            return STOPPED_VALUE
        meta = table.probe(state, bucket, player, opponent)[1]
        first, second = table.entry_move(meta), table.entry_second_move(meta)
        state.pv_length[ply] = np.int64(0)

    if is_root and state.root_former_move != _NO_MOVE and state.root_former_move != first:
        # Whether an interrupted search has found something better can only be said against the former best move.
        second = first
        first = state.root_former_move

    # Step 4. Search the first move with the open window, the others with a null window until one is better.
    n_moves = order(state, player, opponent, moves, entry_depth, ply, first, second)
    best = LOWEST
    best_move = _NO_MOVE
    low = alpha
    for index in range(n_moves):
        x = pick(state, ply, np.int64(index), n_moves)
        turned = flips(x, player, opponent)
        next_player = opponent ^ turned
        next_opponent = player ^ turned ^ (ONE << np.uint64(x))
        next_ply = ply + np.int64(1)
        next_depth = depth - np.int64(1)
        is_open = index == 0
        if not is_open:
            state.pv_length[next_ply] = np.int64(0)
            follow_move(state, ply, x, turned)
            score = null_window(state, next_player, next_opponent, ~low, next_depth, next_ply)
            if score == STOPPED_VALUE:
                return STOPPED_VALUE
            score = -score
            is_open = low < score and score < beta
            if is_root and score > low and score > best:
                # Proved better than all before it, even if the search for its true value is cut short.
                state.root_best_move, state.root_best_score = x, score
        else:
            score = LOWEST
        if is_open:
            follow_move(state, ply, x, turned)
            score = pvs(state, next_player, next_opponent, -beta, -low, next_depth, next_ply)
            if score == STOPPED_VALUE:
                return STOPPED_VALUE
            score = -score
        if score > best:
            best = score
            best_move = x
            if score > low:
                low = score
                lead_pv(state, ply, x)
            elif index == 0:
                lead_pv(state, ply, x)
        if is_root:
            # Also takes back what a null window promised and the open one, on other table entries, did not confirm.
            state.root_best_move, state.root_best_score = best_move, best
            state.root_first_done = np.int64(1)
        if best >= beta:
            reward(state, ply, x, max(depth, np.int64(1)))
            break

    # Step 5. Keep, unless moves were left out on purpose.
    if state.stop == 0 and not is_restricted:
        table.store(state, bucket, player, opponent, kind, entry_depth, state.selectivity, alpha, beta, best, best_move)
    return best
