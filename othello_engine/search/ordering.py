"""Move ordering of the midgame search: which move first. It never changes a value, only the work.

The documented constants of the `classic` profile, and one term of our own: the moves left to the opponent. The trained
evaluation orders by its values; `phased` in the way that its page documents.
"""

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, VOID, ZERO, kernel
from othello_engine.core.simd import flips, legal_moves, popcount, square_of
from othello_engine.evaluation.classic import SQUARE_WEIGHTS, neighbours
from othello_engine.evaluation.evaluate import CLASSIC, PATTERNS
from othello_engine.evaluation.lanes import ROW_BYTES, own_view_after
from othello_engine.evaluation.patterns import value_of_row
from othello_engine.search.leaf import row_at
from othello_engine.search.state import STATE

TABLE_MOVE = np.int64(200_000)
FIRST_KILLER = np.int64(80_000)
SECOND_KILLER = np.int64(40_000)
CORNER = np.int64(10_000)
SQUARE_FACTOR = np.int64(20)
FLIP_FACTOR = np.int64(35)
REPLY_FACTOR = np.int64(600)
"""Ours: cost of each move left to the opponent (a corner counts twice). It matters little: docs/search.md."""
REPLY_DEPTH = np.int64(2)
"""Below, the replies are leaves: counting moves would cost as much as searching them."""
SECOND_TABLE_MOVE = np.int64(100_000)
HISTORY_LIMIT = np.int64(30_000)
"""History stays below the killers; when an entry reaches this, all are halved."""

_CORNERS = np.uint64(0x8100000000000081)


@kernel(I64(STATE, U64, U64, U64, I64, I64, I64, I64))
def order_moves(state, player, opponent, moves, depth, ply, first, second):
    """Write the moves of the bitboard into row `ply` of state.moves; returns how many.

    Packed as order score << 8 | square; `pick` takes them best first. depth: plies left at this node. first, second:
    table moves or NO_MOVE.
    """
    row = state.moves[ply]
    n_moves = np.int64(0)
    while moves != ZERO:
        x = square_of(moves)
        bit = moves & (~moves + ONE)
        moves ^= bit
        turned = flips(x, player, opponent)
        value = state.history[ply & np.int64(1), x] + SQUARE_WEIGHTS[x] * SQUARE_FACTOR
        value += FLIP_FACTOR * popcount(turned)
        if x == first:
            value += TABLE_MOVE
        elif x == second:
            value += SECOND_TABLE_MOVE
        if x == state.killers[ply, 0]:
            value += FIRST_KILLER
        elif x == state.killers[ply, 1]:
            value += SECOND_KILLER
        if bit & _CORNERS != ZERO:
            value += CORNER
        if depth >= REPLY_DEPTH:
            replies = legal_moves(opponent ^ turned, player ^ turned ^ bit)
            value -= REPLY_FACTOR * (popcount(replies) + popcount(replies & _CORNERS))
        row[n_moves] = (value << np.int64(8)) | x
        n_moves += np.int64(1)
    return n_moves


FIRST_OF_TABLE = np.int64(1 << 21)
SECOND_OF_TABLE = np.int64(1 << 20)
"""Table moves come before what any value says."""
VALUE_DEPTH = np.int64(3)
"""From this depth on replies are ordered by their value; below by counting moves, which costs much less."""
VALUE_REPLY_COST = np.int64(40)
"""Hundredths of a disc that each reply left to the opponent costs a move, beside the value of the position."""
COUNT_REPLY_COST = np.int64(16)
COUNT_POTENTIAL_COST = np.int64(8)
COUNT_CORNER = np.int64(25)
_ROW = np.uint64(ROW_BYTES)


@kernel(I64(STATE, U64, U64, U64, I64, I64, I64, I64))
def order_by_value(state, player, opponent, moves, depth, ply, first, second):
    """As `order_moves`, by the trained evaluation; the row of this ply is filled, the next one is overwritten."""
    row = row_at(state, ply)
    list_ = state.moves[ply]
    n_moves = np.int64(0)
    while moves != ZERO:
        x = square_of(moves)
        bit = moves & (~moves + ONE)
        moves ^= bit
        turned = flips(x, player, opponent)
        next_player, next_opponent = opponent ^ turned, player ^ turned ^ bit
        if x == first:
            value = FIRST_OF_TABLE
        elif x == second:
            value = SECOND_OF_TABLE
        else:
            replies = legal_moves(next_player, next_opponent)
            if depth >= VALUE_DEPTH:
                own_view_after(row, row + _ROW, x, turned)
                value = -value_of_row(state.weights_address, row + _ROW, next_player, next_opponent, replies)
                value -= VALUE_REPLY_COST * popcount(replies)
            else:
                value = -COUNT_REPLY_COST * (popcount(replies) + popcount(replies & _CORNERS))
                value -= COUNT_POTENTIAL_COST * popcount(neighbours(next_opponent) & ~(next_player | next_opponent))
                if bit & _CORNERS != ZERO:
                    value += COUNT_CORNER
        list_[n_moves] = (value << np.int64(8)) | x
        n_moves += np.int64(1)
    return n_moves


PHASED_REPLY_DEPTH = np.int64(3)
"""From this depth on `phased` counts the replies left to the opponent; below, a table of squares costs less."""
PHASED_SQUARES = np.array(
    [
        [100, -20, 20, 10, 10, 20, -20, 100],
        [-20, -50, -5, -5, -5, -5, -50, -20],
        [20, -5, 10, 5, 5, 10, -5, 20],
        [10, -5, 5, 0, 0, 5, -5, 10],
        [10, -5, 5, 0, 0, 5, -5, 10],
        [20, -5, 10, 5, 5, 10, -5, 20],
        [-20, -50, -5, -5, -5, -5, -50, -20],
        [100, -20, 20, 10, 10, 20, -20, 100],
    ],
    dtype=np.int64,
).ravel()
"""Order of a move by its square, index = row * 8 + column: corners 100, X-squares -50."""
_PHASED_CORNER = np.int64(1 << 10)


@kernel(I64(STATE, U64, U64, U64, I64, I64, I64, I64))
def order_phased(state, player, opponent, moves, depth, ply, first, second):
    """As `order_moves`: the table's move, corners, then fewest replies, or in shallow branches the better squares.

    In anti-Othello corners come last, and squares in the opposite order.
    """
    list_ = state.moves[ply]
    sign = np.int64(-1) if state.anti != 0 else np.int64(1)
    n_moves = np.int64(0)
    while moves != ZERO:
        x = square_of(moves)
        bit = moves & (~moves + ONE)
        moves ^= bit
        if x == first:
            value = FIRST_OF_TABLE
        elif x == second:
            value = SECOND_OF_TABLE
        elif depth >= PHASED_REPLY_DEPTH:
            turned = flips(x, player, opponent)
            value = -popcount(legal_moves(opponent ^ turned, player ^ turned ^ bit))
            if bit & _CORNERS != ZERO:
                value += sign * _PHASED_CORNER
        else:
            value = sign * PHASED_SQUARES[x]
        list_[n_moves] = (value << np.int64(8)) | x
        n_moves += np.int64(1)
    return n_moves


@kernel(I64(STATE, U64, U64, U64, I64, I64, I64, I64), entry=True)
def order(state, player, opponent, moves, depth, ply, first, second):
    """Write the moves into row `ply` of state.moves in the way that goes with the evaluation; returns how many."""
    if state.evaluation == PATTERNS:
        return order_by_value(state, player, opponent, moves, depth, ply, first, second)
    if state.evaluation != CLASSIC:
        return order_phased(state, player, opponent, moves, depth, ply, first, second)
    return order_moves(state, player, opponent, moves, depth, ply, first, second)


@kernel(I64(STATE, I64, I64, I64))
def pick(state, ply, index, n_moves):
    """Square of the best move from `index` on in row `ply`; it is swapped to `index`."""
    row = state.moves[ply]
    top = index
    for other in range(index + 1, n_moves):
        if row[other] > row[top]:
            top = other
    packed = row[top]
    row[top] = row[index]
    row[index] = packed
    return packed & np.int64(255)


@kernel(VOID(STATE, I64, I64, I64))
def reward(state, ply, square, depth):
    """Remember a move that caused a cutoff: as killer of its ply, and in the history of its side."""
    if state.killers[ply, 0] != square:
        state.killers[ply, 1] = state.killers[ply, 0]
        state.killers[ply, 0] = square
    side = ply & np.int64(1)
    state.history[side, square] += depth * depth
    if state.history[side, square] > HISTORY_LIMIT:
        for side_ in range(2):
            for other in range(64):
                state.history[side_, other] >>= np.int64(1)
