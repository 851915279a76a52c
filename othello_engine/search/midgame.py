"""Null-window search of the midgame, in units of the evaluation."""

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, ZERO, inlined, kernel
from othello_engine.core.simd import flips, legal_moves, popcount, prefetch, square_of
from othello_engine.evaluation.evaluate import PATTERNS, follow_pass
from othello_engine.evaluation.patterns import DISC_UNIT, value_of_row
from othello_engine.search import table
from othello_engine.search.endgame import STOPPED, nws_endgame
from othello_engine.search.leaf import LOWEST, follow_move, leaf_value, nws_last, row_at, terminal_value
from othello_engine.search.ordering import order, pick, reward
from othello_engine.search.probcut import (
    NO_SELECTIVITY,
    PROBCUT_DEPTH,
    probcut_depth,
    shallow_tolerance,
    static_tolerance,
)
from othello_engine.search.state import STATE
from othello_engine.types import NO_MOVE

_NO_MOVE = np.int64(NO_MOVE)

STOPPED_VALUE = np.int64(-(1 << 40))
"""Returned up the tree after the stop flag was seen; never stored, never believed."""

TABLE_DEPTH = np.int64(2)
"""From this depth on the table is asked and filled; below, a probe costs more than it saves."""
ETC_DEPTH = np.int64(4)
"""From this depth on the replies' entries are asked before any move is searched."""
SOLVE_EMPTIES = np.int64(10)
"""A search that reaches the end of the game anyway is an exact solve from here on."""

GUESS_SHIFT = np.int64(1)
"""Halves the tolerance of the static value: what lies farther inside the window is not worth a shallow search."""


@kernel(I64(STATE, U64, U64, I64, I64))
def _solved(state, player, opponent, alpha, ply):
    """Fail-soft value of the whole rest of the game, by the exact search."""
    # In discs: a value is above alpha exactly when its discs are above this.
    discs = alpha // np.int64(DISC_UNIT)
    if discs >= np.int64(64):
        return np.int64(64 * DISC_UNIT)
    if discs < np.int64(-64):
        return np.int64(-64 * DISC_UNIT)
    score = nws_endgame(state, player, opponent, discs, ply)
    return STOPPED_VALUE if score == STOPPED else score * np.int64(DISC_UNIT)


@inlined
def _probcut(state, player, opponent, moves, alpha, depth, ply, n_empties):
    """A value on the far side of alpha that a shallower search makes likely enough; LOWEST if it does not.

    Part of nws_midgame: calling back makes it one recursive kernel.
    """
    reduced = probcut_depth(depth)
    margin = shallow_tolerance(state.selectivity, n_empties, depth)
    guess = static_tolerance(state.selectivity, n_empties, depth) >> GUESS_SHIFT
    value = value_of_row(state.weights_address, row_at(state, ply), player, opponent, moves)
    result = LOWEST
    if reduced == np.int64(0) and value > alpha + margin:
        result = alpha + np.int64(1)
    elif reduced == np.int64(0) and value <= alpha - margin:
        result = alpha
    if reduced > np.int64(0) and value > alpha - guess and alpha + margin < np.int64(64 * DISC_UNIT):
        bound = alpha + margin
        score = nws_midgame(state, player, opponent, bound, reduced, ply)
        if score == STOPPED_VALUE:
            result = STOPPED_VALUE
        elif score > bound:
            result = alpha + np.int64(1)
    if (
        reduced > np.int64(0)
        and result == LOWEST
        and value <= alpha + guess
        and alpha - margin > np.int64(-64 * DISC_UNIT)
    ):
        bound = alpha - margin
        score = nws_midgame(state, player, opponent, bound, reduced, ply)
        if score == STOPPED_VALUE:
            result = STOPPED_VALUE
        elif score <= bound:
            result = alpha
    return result


@kernel(I64(STATE, U64, U64, I64, I64, I64))
def nws_midgame(state, player, opponent, alpha, depth, ply):
    """Fail-soft value to `depth` plies in the null window (alpha, alpha + 1). Passes cost no depth.

    The evaluation's row of this ply is filled. Returns STOPPED_VALUE once the stop flag is set.
    """
    # Step 1. Leaves, and the last ply of a search with the trained evaluation.
    is_trained = state.evaluation == PATTERNS
    if is_trained and depth == np.int64(1):
        return nws_last(state, player, opponent, alpha, ply)
    n_empties = np.int64(64) - popcount(player | opponent)
    if is_trained and depth >= n_empties and n_empties <= SOLVE_EMPTIES and state.draw_value == 0:
        return _solved(state, player, opponent, alpha, ply)
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
        follow_pass(state.evaluation, row_at(state, ply))
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

    # Step 4. Enhanced transposition cutoff: a move whose reply position is already refuted. The entries are asked for
    # all at once, since each has to come from main memory.
    if depth >= ETC_DEPTH:
        rest = moves
        while rest != ZERO:
            bit = rest & (~rest + ONE)
            rest ^= bit
            turned = flips(square_of(bit), player, opponent)
            prefetch(table.bucket_address(state, opponent ^ turned, player ^ turned ^ bit))
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

    # Step 5. ProbCut: a shallower search that is far enough on one side of alpha.
    if is_trained and depth >= PROBCUT_DEPTH and state.selectivity < NO_SELECTIVITY:
        score = _probcut(state, player, opponent, moves, alpha, depth, ply, n_empties)
        if score != LOWEST:
            return score

    # Step 6. Search, best first. Ordering by values is dear: the table's move goes before, it often saves that.
    n_moves = popcount(moves)
    is_first_known = is_trained and first != _NO_MOVE and moves & (ONE << np.uint64(first)) != ZERO
    n_before = np.int64(1) if is_first_known else np.int64(0)
    best = LOWEST
    best_move = _NO_MOVE
    for index in range(n_moves):
        if index < n_before:
            x = first
        else:
            if index == n_before:
                if is_first_known:
                    moves ^= ONE << np.uint64(first)
                order(state, player, opponent, moves, depth, ply, first, second)
            x = pick(state, ply, np.int64(index) - n_before, n_moves - n_before)
        turned = flips(x, player, opponent)
        placed = player ^ turned ^ (ONE << np.uint64(x))
        if depth > TABLE_DEPTH:
            prefetch(table.bucket_address(state, opponent ^ turned, placed))  # asked for in a moment
        follow_move(state, ply, x, turned)
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

    # Step 7. Keep.
    if depth >= TABLE_DEPTH and state.stop == 0:
        table.store(
            state,
            bucket,
            player,
            opponent,
            table.KIND_ESTIMATE,
            depth,
            state.selectivity,
            alpha,
            alpha + np.int64(1),
            best,
            best_move,
        )
    return best
