"""Null-window search of the midgame, in units of the evaluation."""

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, VOID, ZERO, inlined, kernel
from othello_engine.core.simd import flips, legal_moves, popcount, square_of
from othello_engine.evaluation.evaluate import PATTERNS, follow, follow_pass, static_value
from othello_engine.evaluation.lanes import ROW_BYTES, own_view_after
from othello_engine.evaluation.patterns import DISC_UNIT, value_of_row
from othello_engine.search import table
from othello_engine.search.endgame import STOPPED, final_score, nws_endgame
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
LOWEST = np.int64(-(1 << 30))

TABLE_DEPTH = np.int64(2)
"""From this depth on the table is asked and filled; below, a probe costs more than it saves."""
ETC_DEPTH = np.int64(4)
"""From this depth on the replies' entries are asked before any move is searched."""
SOLVE_EMPTIES = np.int64(10)
"""A search that reaches the end of the game anyway is an exact solve from here on."""

_ONE = np.int64(1)
GUESS_SHIFT = np.int64(1)
_ROW = np.uint64(ROW_BYTES)
_PROMISING = np.uint64(0xBD3CFFFFFFFF3CBD)
"""All but the X- and C-squares: one ply before the leaves they are tried first."""


@kernel(U64(STATE, I64))
def row_at(state, ply):
    """Address of the evaluation's row of this ply."""
    return state.rows_address + np.uint64(ply) * _ROW


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
    """Static value of a leaf, whose row is filled; the true one if the game is over."""
    moves = legal_moves(player, opponent)
    if moves == ZERO and legal_moves(opponent, player) == ZERO:
        return terminal_value(state, player, opponent, ply)
    return static_value(state.evaluation, state.weights_address, row_at(state, ply), player, opponent, moves)


@kernel(VOID(STATE, I64, I64, U64))
def follow_move(state, ply, square, turned):
    """Fill the evaluation's row of the next ply."""
    follow(state.evaluation, row_at(state, ply), square, turned)


@kernel(I64(STATE, U64, U64, I64, I64))
def _nws_last(state, player, opponent, alpha, ply):
    """Fail-soft value one ply deep by the trained evaluation: neither table nor ordering, children by value alone."""
    state.nodes += _ONE
    moves = legal_moves(player, opponent)
    if moves == ZERO:
        if legal_moves(opponent, player) == ZERO:
            return terminal_value(state, player, opponent, ply)
        follow_pass(state.evaluation, row_at(state, ply))
        return -_nws_last(state, opponent, player, ~alpha, ply + _ONE)
    row = row_at(state, ply)
    next_row = row + _ROW
    best = LOWEST
    part = moves & _PROMISING
    rest = moves & ~_PROMISING
    while part | rest != ZERO:
        if part == ZERO:
            part, rest = rest, ZERO
        x = square_of(part)
        part &= part - ONE
        turned = flips(x, player, opponent)
        next_player = opponent ^ turned
        next_opponent = player ^ turned ^ (ONE << np.uint64(x))
        replies = legal_moves(next_player, next_opponent)
        state.nodes += _ONE
        if replies == ZERO and legal_moves(next_opponent, next_player) == ZERO:
            score = -terminal_value(state, next_player, next_opponent, ply + _ONE)
        else:
            own_view_after(row, next_row, x, turned)
            score = -value_of_row(state.weights_address, next_row, next_player, next_opponent, replies)
        if score > best:
            best = score
            if best > alpha:
                return best
    return best


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
def _probcut(state, player, opponent, alpha, depth, ply, n_empties):
    """A value on the far side of alpha that a shallower search makes likely enough; 0 and False if it does not.

    Part of nws_midgame: calling back makes it one recursive kernel.
    """
    reduced = probcut_depth(depth)
    margin = shallow_tolerance(state.selectivity, n_empties, depth)
    guess = static_tolerance(state.selectivity, n_empties, depth) >> GUESS_SHIFT
    value = value_of_row(state.weights_address, row_at(state, ply), player, opponent, legal_moves(player, opponent))
    result = LOWEST
    if value > alpha - guess and alpha + margin < np.int64(64 * DISC_UNIT):
        bound = alpha + margin
        score = nws_midgame(state, player, opponent, bound, reduced, ply)
        if score == STOPPED_VALUE:
            result = STOPPED_VALUE
        elif score > bound:
            result = alpha + np.int64(1)
    if result == LOWEST and value <= alpha + guess and alpha - margin > np.int64(-64 * DISC_UNIT):
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
        return _nws_last(state, player, opponent, alpha, ply)
    if is_trained and depth >= np.int64(64) - popcount(player | opponent):
        if np.int64(64) - popcount(player | opponent) <= SOLVE_EMPTIES and state.draw_value == 0:
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

    # Step 5. ProbCut: a shallower search that is far enough on one side of alpha.
    if is_trained and depth >= PROBCUT_DEPTH and state.selectivity < NO_SELECTIVITY:
        score = _probcut(state, player, opponent, alpha, depth, ply, np.int64(64) - popcount(player | opponent))
        if score != LOWEST:
            return score

    # Step 6. Order and search, best first.
    n_moves = order(state, player, opponent, moves, depth, ply, first, second)
    best = LOWEST
    best_move = _NO_MOVE
    for index in range(n_moves):
        x = pick(state, ply, np.int64(index), n_moves)
        turned = flips(x, player, opponent)
        placed = player ^ turned ^ (ONE << np.uint64(x))
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
            alpha,
            alpha + np.int64(1),
            best,
            best_move,
        )
    return best
