"""Null-window search of the midgame, in units of the evaluation."""

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, ZERO, kernel
from othello_engine.core.simd import flips, legal_moves, square_of
from othello_engine.evaluation.evaluate import static_value
from othello_engine.search import table
from othello_engine.search.endgame import final_score
from othello_engine.search.ordering import order_moves, pick, reward
from othello_engine.search.state import STATE
from othello_engine.types import NO_MOVE

_NO_MOVE = np.int64(NO_MOVE)

STOPPED_VALUE = np.int64(-(1 << 40))
"""Returned up the tree after the stop flag was seen; never stored, never believed."""
LOWEST = np.int64(-(1 << 30))

TABLE_DEPTH = np.int64(2)
"""From this depth on the table is asked and filled; below, a probe costs more than it saves."""
ETC_DEPTH = np.int64(4)
"""From this depth on the replies' entries are asked before any move is searched."""


@kernel(I64(STATE, U64, U64, I64), entry=True)
def terminal_value(state, player, opponent, ply):
    """Worth of a finished game in search units, for the side to move at `ply`.

    Passes are plies, so an even ply has the side to move at the root.
    """
    difference = final_score(player, opponent)
    value = difference * state.disc_unit
    if difference > 0:
        return value + state.win_unit
    if difference < 0:
        return value - state.win_unit
    return -state.draw_value if ply & np.int64(1) else state.draw_value


@kernel(I64(STATE, U64, U64, I64), entry=True)
def leaf_value(state, player, opponent, ply):
    """Static value of a leaf; the true one if the game is over."""
    if legal_moves(player, opponent) == ZERO and legal_moves(opponent, player) == ZERO:
        return terminal_value(state, player, opponent, ply)
    return static_value(state.evaluation, player, opponent)


@kernel(I64(STATE, U64, U64, I64, I64, I64))
def nws_midgame(state, player, opponent, alpha, depth, ply):
    """Fail-soft value to `depth` plies in the null window (alpha, alpha + 1). Passes cost no depth.

    Returns STOPPED_VALUE once the stop flag is set.
    """
    # Step 1. Stop flag, node limit, leaf.
    state.nodes += np.int64(1)
    if state.stop != 0:
        return STOPPED_VALUE
    if state.node_limit != 0 and state.nodes >= state.node_limit:
        state.stop = np.int64(2)
        return STOPPED_VALUE
    if depth <= np.int64(0):
        return leaf_value(state, player, opponent, ply)

    # Step 2. Moves; pass and end of game.
    moves = legal_moves(player, opponent)
    if moves == ZERO:
        if legal_moves(opponent, player) == ZERO:
            return terminal_value(state, player, opponent, ply)
        score = nws_midgame(state, opponent, player, ~alpha, depth, ply + np.int64(1))
        return STOPPED_VALUE if score == STOPPED_VALUE else -score

    # Step 3. Table.
    bucket = ZERO
    first = _NO_MOVE
    second = _NO_MOVE
    if depth >= TABLE_DEPTH:
        bucket = table.bucket_address(state, player, opponent)
        bounds, meta = table.probe(state, bucket, player, opponent)
        if table.answers(meta, table.KIND_ESTIMATE, depth, state.selectivity):
            lower, upper = table.lower_bound(bounds), table.upper_bound(bounds)
            if lower > alpha:
                return lower
            if upper <= alpha:
                return upper
        first, second = table.entry_move(meta), table.entry_second_move(meta)

    # Step 4. Enhanced transposition cutoff: a move whose reply position is already refuted.
    if depth >= ETC_DEPTH:
        rest = moves
        while rest != ZERO:
            bit = rest & (~rest + ONE)
            rest ^= bit
            x = square_of(bit)
            turned = flips(x, player, opponent)
            next_player, next_opponent = opponent ^ turned, player ^ turned ^ bit
            child_bounds, child_meta = table.probe(
                state, table.bucket_address(state, next_player, next_opponent), next_player, next_opponent
            )
            if table.answers(child_meta, table.KIND_ESTIMATE, depth - np.int64(1), state.selectivity):
                score = -table.upper_bound(child_bounds)
                if score > alpha:
                    return score

    # Step 5. Order and search, best first.
    n_moves = order_moves(state, player, opponent, moves, depth, ply, first, second)
    best = LOWEST
    best_move = _NO_MOVE
    for index in range(n_moves):
        x = pick(state, ply, np.int64(index), n_moves)
        turned = flips(x, player, opponent)
        placed = player ^ turned ^ (ONE << np.uint64(x))
        score = nws_midgame(state, opponent ^ turned, placed, ~alpha, depth - np.int64(1), ply + np.int64(1))
        if score == STOPPED_VALUE:
            return STOPPED_VALUE
        score = -score
        if score > best:
            best = score
            best_move = x
            if best > alpha:
                reward(state, ply, x, depth)
                break

    # Step 6. Keep.
    if depth >= TABLE_DEPTH and state.stop == 0:
        table.store(
            state,
            bucket,
            player,
            opponent,
            table.KIND_ESTIMATE,
            depth,
            alpha,
            alpha + np.int64(1),
            best,
            best_move,
        )
    return best
