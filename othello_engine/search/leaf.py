"""The last ply of a midgame search: static values, finished games, and the evaluation's rows of data."""

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, VOID, ZERO, kernel
from othello_engine.core.simd import flips, legal_moves, popcount, square_of
from othello_engine.evaluation.evaluate import follow, follow_pass, static_value
from othello_engine.evaluation.lanes import ROW_BYTES, own_view_after
from othello_engine.evaluation.patterns import value_of_row
from othello_engine.search.state import STATE

LOWEST = np.int64(-(1 << 30))
"""Below every value."""

_ONE = np.int64(1)
_ROW = np.uint64(ROW_BYTES)
_PROMISING = np.uint64(0xBD3CFFFFFFFF3CBD)
"""All but the X- and C-squares: they are tried first."""


@kernel(I64(U64, U64))
def final_score(player, opponent):
    """Disc difference of a finished game, empties to the side with more. Oracle: plain.final_score."""
    mine, theirs = popcount(player), popcount(opponent)
    if mine > theirs:
        return np.int64(64) - np.int64(2) * theirs
    if mine < theirs:
        return np.int64(2) * mine - np.int64(64)
    return np.int64(0)


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


@kernel(I64(STATE, U64, U64, U64, I64, I64, I64))
def best_after(state, player, opponent, moves, bound, unit, ply):
    """Value of the best of the moves, not none, by the trained evaluation of the positions after them; the first one of
    `bound` or more ends it.

    unit: what a disc of a finished game is worth; 0: that game is worth what it is in search units.
    """
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
        if replies != ZERO or legal_moves(next_opponent, next_player) != ZERO:
            own_view_after(row, next_row, x, turned)
            score = -value_of_row(state.weights_address, next_row, next_player, next_opponent, replies)
        elif unit == np.int64(0):
            score = -terminal_value(state, next_player, next_opponent, ply + _ONE)
        else:
            score = -final_score(next_player, next_opponent) * unit
        if score > best:
            best = score
            if best >= bound:
                return best
    return best


@kernel(I64(STATE, U64, U64, I64, I64))
def nws_last(state, player, opponent, alpha, ply):
    """Fail-soft value one ply deep by the trained evaluation: neither table nor ordering, children by value alone."""
    state.nodes += _ONE
    moves = legal_moves(player, opponent)
    if moves == ZERO:
        if legal_moves(opponent, player) == ZERO:
            return terminal_value(state, player, opponent, ply)
        follow_pass(state.evaluation, row_at(state, ply))
        return -nws_last(state, opponent, player, ~alpha, ply + _ONE)
    return best_after(state, player, opponent, moves, alpha + _ONE, np.int64(0), ply)
