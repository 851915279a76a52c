"""Exact endgame search in discs: solvers for the last four empties, and the null-window search above them.

Everything here is fail-soft around a null window (alpha, alpha + 1) and counts empties for the side with more discs.
Passes cost nothing; two in a row end the game. Calls go nws_endgame > _nws_shallow > solve_4 > solve_3 > solve_2 >
solve_1; or nws_endgame > nws_regions where `state.by_regions` says so. Only these two know anti-Othello, whose scores
are the usual ones of the final position with the other sign.
"""

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, VOID, ZERO, kernel
from othello_engine.core.last_flip import count_last_flips
from othello_engine.core.parity import QUADRANT_SQUARES, quadrant_parity
from othello_engine.core.simd import flips, legal_moves, popcount, prefetch, square_of
from othello_engine.core.stability import stable_discs
from othello_engine.evaluation.evaluate import PATTERNS
from othello_engine.evaluation.lanes import ROW_BYTES, own_view_after, row_after, row_after_pass
from othello_engine.evaluation.patterns import DISC_UNIT, value_of_row
from othello_engine.search import table
from othello_engine.search.leaf import final_score, row_at
from othello_engine.search.preview import preview
from othello_engine.search.state import STATE
from othello_engine.types import NO_MOVE

_NO_MOVE = np.int64(NO_MOVE)
_CORNERS = np.uint64(0x8100000000000081)

_PROVED = np.int64(100)
"""Per cent: nothing here is pruned on suspicion, whatever selectivity the search around it has."""
STOPPED = np.int64(-1000)
"""Returned up the tree after the stop flag was seen; never stored, never believed."""

SHALLOW_EMPTIES = np.int64(6)
"""Up to here moves are ordered by parity alone and the table is not used."""

_NEIGHBOURS = np.array(
    [
        sum(
            1 << (row * 8 + column)
            for row in range(max(0, (s >> 3) - 1), min(8, (s >> 3) + 2))
            for column in range(max(0, (s & 7) - 1), min(8, (s & 7) + 2))
            if row * 8 + column != s
        )
        for s in range(64)
    ],
    dtype=np.uint64,
)


@kernel(I64(STATE, U64, U64))
def ended_score(state, player, opponent):
    """Score in discs of a finished game of the variant that is played."""
    score = final_score(player, opponent)
    return -score if state.anti != 0 else score


@kernel(I64(U64, I64, I64))
def solve_1(player, alpha, square):
    """Value with one empty square left; exact, or any bound on the right side of alpha."""
    mine = popcount(player)
    score = np.int64(2) * mine - np.int64(62)
    turned = count_last_flips(square, player)
    if turned > 0:
        return score + np.int64(2) * turned
    # The player must pass: the opponent, holding all the other squares, may move there.
    if score <= np.int64(0):
        score -= np.int64(2)
        if score > alpha:
            score -= np.int64(2) * count_last_flips(square, ~player)
    elif score > alpha:
        turned = count_last_flips(square, ~player)
        if turned > 0:
            score -= np.int64(2) * turned + np.int64(2)
    return score


@kernel(I64(STATE, U64, U64, I64, I64, I64))
def solve_2(state, player, opponent, alpha, x1, x2):
    """Fail-soft value with the two empty squares x1, x2, tried in that order."""
    state.nodes += np.int64(1)
    best = np.int64(-65)
    if _NEIGHBOURS[x1] & opponent != ZERO:
        turned = flips(x1, player, opponent)
        if turned != ZERO:
            state.nodes += np.int64(1)
            best = -solve_1(opponent ^ turned, ~alpha, x2)
            if best > alpha:
                return best
    if _NEIGHBOURS[x2] & opponent != ZERO:
        turned = flips(x2, player, opponent)
        if turned != ZERO:
            state.nodes += np.int64(1)
            return max(best, -solve_1(opponent ^ turned, ~alpha, x1))
    if best > np.int64(-65):
        return best
    # Pass: the same for the other side, whose aim is at least -alpha.
    best = np.int64(65)
    if _NEIGHBOURS[x1] & player != ZERO:
        turned = flips(x1, opponent, player)
        if turned != ZERO:
            state.nodes += np.int64(1)
            best = solve_1(player ^ turned, alpha, x2)
            if best <= alpha:
                return best
    if _NEIGHBOURS[x2] & player != ZERO:
        turned = flips(x2, opponent, player)
        if turned != ZERO:
            state.nodes += np.int64(1)
            return min(best, solve_1(player ^ turned, alpha, x1))
    if best < np.int64(65):
        return best
    return final_score(player, opponent)


@kernel(I64(STATE, U64, U64, I64, I64, I64, I64))
def _try_3(state, player, opponent, alpha, x1, x2, x3):
    """Best of the moves with three empties, in the given order; -65 if there is none."""
    best = np.int64(-65)
    if _NEIGHBOURS[x1] & opponent != ZERO:
        turned = flips(x1, player, opponent)
        if turned != ZERO:
            best = -solve_2(state, opponent ^ turned, player ^ turned ^ (ONE << np.uint64(x1)), ~alpha, x2, x3)
            if best > alpha:
                return best
    if _NEIGHBOURS[x2] & opponent != ZERO:
        turned = flips(x2, player, opponent)
        if turned != ZERO:
            score = -solve_2(state, opponent ^ turned, player ^ turned ^ (ONE << np.uint64(x2)), ~alpha, x1, x3)
            if score > alpha:
                return score
            best = max(best, score)
    if _NEIGHBOURS[x3] & opponent != ZERO:
        turned = flips(x3, player, opponent)
        if turned != ZERO:
            score = -solve_2(state, opponent ^ turned, player ^ turned ^ (ONE << np.uint64(x3)), ~alpha, x1, x2)
            best = max(best, score)
    return best


@kernel(I64(STATE, U64, U64, I64, I64, I64, I64))
def solve_3(state, player, opponent, alpha, x1, x2, x3):
    """Fail-soft value with three empty squares, tried in the given order."""
    state.nodes += np.int64(1)
    best = _try_3(state, player, opponent, alpha, x1, x2, x3)
    if best > np.int64(-65):
        return best
    best = _try_3(state, opponent, player, ~alpha, x1, x2, x3)
    if best > np.int64(-65):
        return -best
    return final_score(player, opponent)


@kernel(I64(STATE, U64, U64, I64, I64, I64, I64, I64))
def _try_4(state, player, opponent, alpha, x1, x2, x3, x4):
    """Best of the moves with four empties, in the given order; -65 if there is none."""
    best = np.int64(-65)
    if _NEIGHBOURS[x1] & opponent != ZERO:
        turned = flips(x1, player, opponent)
        if turned != ZERO:
            placed = player ^ turned ^ (ONE << np.uint64(x1))
            best = -solve_3(state, opponent ^ turned, placed, ~alpha, x2, x3, x4)
            if best > alpha:
                return best
    if _NEIGHBOURS[x2] & opponent != ZERO:
        turned = flips(x2, player, opponent)
        if turned != ZERO:
            placed = player ^ turned ^ (ONE << np.uint64(x2))
            score = -solve_3(state, opponent ^ turned, placed, ~alpha, x1, x3, x4)
            if score > alpha:
                return score
            best = max(best, score)
    if _NEIGHBOURS[x3] & opponent != ZERO:
        turned = flips(x3, player, opponent)
        if turned != ZERO:
            placed = player ^ turned ^ (ONE << np.uint64(x3))
            score = -solve_3(state, opponent ^ turned, placed, ~alpha, x1, x2, x4)
            if score > alpha:
                return score
            best = max(best, score)
    if _NEIGHBOURS[x4] & opponent != ZERO:
        turned = flips(x4, player, opponent)
        if turned != ZERO:
            placed = player ^ turned ^ (ONE << np.uint64(x4))
            score = -solve_3(state, opponent ^ turned, placed, ~alpha, x1, x2, x3)
            best = max(best, score)
    return best


@kernel(I64(STATE, U64, U64, I64))
def solve_4(state, player, opponent, alpha):
    """Fail-soft value with four empty squares: those alone in their quadrant are tried first."""
    state.nodes += np.int64(1)
    empties = ~(player | opponent)
    parity = quadrant_parity(empties)
    alone = empties & QUADRANT_SQUARES[parity]
    rest = empties & ~alone
    x = np.int64(0)
    x1 = x2 = x3 = x4 = np.int64(0)
    for index in range(4):
        if alone != ZERO:
            x = square_of(alone)
            alone &= alone - ONE
        else:
            x = square_of(rest)
            rest &= rest - ONE
        if index == 0:
            x1 = x
        elif index == 1:
            x2 = x
        elif index == 2:
            x3 = x
        else:
            x4 = x
    best = _try_4(state, player, opponent, alpha, x1, x2, x3, x4)
    if best > np.int64(-65):
        return best
    best = _try_4(state, opponent, player, ~alpha, x1, x2, x3, x4)
    if best > np.int64(-65):
        return -best
    return final_score(player, opponent)


@kernel(I64(U64, U64, I64))
def _one_left(player, opponent, square):
    """Exact value with one empty square, through the general flips."""
    turned = flips(square, player, opponent)
    if turned != ZERO:
        return final_score(player | turned | (ONE << np.uint64(square)), opponent & ~turned)
    turned = flips(square, opponent, player)
    if turned != ZERO:
        return final_score(player & ~turned, opponent | turned | (ONE << np.uint64(square)))
    return final_score(player, opponent)


@kernel(I64(STATE, U64, U64, I64, U64, I64))
def solve_few(state, player, opponent, alpha, empties, n_empties):
    """Fail-soft value with 0 to 3 empties, for positions that start there."""
    if n_empties == np.int64(0):
        state.nodes += np.int64(1)
        return final_score(player, opponent)
    x1 = square_of(empties)
    if n_empties == np.int64(1):
        state.nodes += np.int64(1)
        return _one_left(player, opponent, x1)
    empties &= empties - ONE
    x2 = square_of(empties)
    if n_empties == np.int64(2):
        return solve_2(state, player, opponent, alpha, x1, x2)
    empties &= empties - ONE
    return solve_3(state, player, opponent, alpha, x1, x2, square_of(empties))


# Stability can only cut when alpha is high enough that the opponent's sure discs matter: by empties, rising because
# early positions have few sure discs. 4 or 8 more or less change the time by less than its noise.
_STABILITY_ALPHA = np.array(
    [99, 99, 99, 99, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 48,
     50, 50, 52, 52, 54, 54, 56, 56, 58, 58, 60, 60] + [62] * 25,
    dtype=np.int64,
)  # fmt: skip


@kernel(I64(U64, U64, I64, I64))
def stability_bound(player, opponent, alpha, n_empties):
    """An upper bound <= alpha proved by the opponent's stable discs, or 65 when there is none."""
    if alpha >= _STABILITY_ALPHA[n_empties]:
        bound = np.int64(64) - np.int64(2) * popcount(stable_discs(opponent, player))
        if bound <= alpha:
            return bound
    return np.int64(65)


@kernel(I64(STATE, U64, U64, I64, I64))
def _nws_shallow(state, player, opponent, alpha, n_empties):
    """Fail-soft value with 4 to SHALLOW_EMPTIES empties: odd quadrants first, no table."""
    if n_empties == np.int64(4):
        return solve_4(state, player, opponent, alpha)
    state.nodes += np.int64(1)
    bound = stability_bound(player, opponent, alpha, n_empties)
    if bound <= alpha:
        return bound
    moves = legal_moves(player, opponent)
    if moves == ZERO:
        if legal_moves(opponent, player) == ZERO:
            return final_score(player, opponent)
        return -_nws_shallow(state, opponent, player, ~alpha, n_empties)
    odd = QUADRANT_SQUARES[quadrant_parity(~(player | opponent))]
    best = np.int64(-65)
    # Corners of odd regions, odd regions, corners, the rest.
    for group in range(2):
        part = moves & odd if group == 0 else moves & ~odd
        corners = part & _CORNERS
        part &= ~_CORNERS
        while corners | part != ZERO:
            if corners != ZERO:
                x = square_of(corners)
                corners &= corners - ONE
            else:
                x = square_of(part)
                part &= part - ONE
            turned = flips(x, player, opponent)
            placed = player ^ turned ^ (ONE << np.uint64(x))
            score = -_nws_shallow(state, opponent ^ turned, placed, ~alpha, n_empties - np.int64(1))
            if score > best:
                best = score
                if best > alpha:
                    return best
    return best


REGION_EMPTIES = np.int64(7)
"""Up to here `nws_regions` takes over, where it is wanted."""
_NOT_PASSED, _PASSED = np.int64(0), np.int64(1)


@kernel(I64(STATE, U64, U64, I64, U64, I64))
def nws_regions(state, player, opponent, alpha, empties, has_passed):
    """Fail-soft value with few empties, as the `phased` profile documents it: no list of moves, no sorting, each empty
    square is tried in turn, those of odd quadrants first. Also the one for anti-Othello.

    has_passed: whether the opponent had no move. A number, since a literal truth value is a type of its own, for which
    the recursive call would find no code. Oracle: plain negamax.
    """
    state.nodes += np.int64(1)
    odd = QUADRANT_SQUARES[quadrant_parity(empties)]
    best = np.int64(-65)
    for group in range(2):
        squares = empties & odd if group == 0 else empties & ~odd
        while squares != ZERO:
            bit = squares & (~squares + ONE)
            squares ^= bit
            x = square_of(bit)
            if _NEIGHBOURS[x] & opponent == ZERO:
                continue
            turned = flips(x, player, opponent)
            if turned == ZERO:
                continue
            score = -nws_regions(state, opponent ^ turned, player ^ turned ^ bit, ~alpha, empties ^ bit, _NOT_PASSED)
            if score > best:
                best = score
                if best > alpha:
                    return best
    if best > np.int64(-65):
        return best
    if has_passed == _NOT_PASSED and empties != ZERO:
        return -nws_regions(state, opponent, player, ~alpha, empties, _PASSED)
    return ended_score(state, player, opponent)


REPLY_COST = 28
CORNER_REPLY_COST = np.int64(32)
ODD_REPLY_COST = np.int64(6)
POTENTIAL_COST = np.int64(4)
"""Costs of a reply, one on a corner, one in an odd quadrant, and an empty square beside our discs. These and the other
weights of the ordering were found by node counts (docs/search.md)."""

REPLIES_COST = np.array([-40, REPLY_COST - 12] + [REPLY_COST * n for n in range(2, 65)], dtype=np.int64)
"""Cost of so many replies. A pass, and a single reply, are better than the rule says."""


def _square_bonus():
    bonus = np.zeros(64, dtype=np.int64)
    bonus[[0, 7, 56, 63]] = 25  # corners
    bonus[[9, 14, 49, 54]] = -16  # X-squares
    bonus[[2, 3, 4, 5, 58, 59, 60, 61]] = bonus[[16, 24, 32, 40, 23, 31, 39, 47]] = 12  # edges between the C-squares
    return bonus


SQUARE_BONUS = _square_bonus()
"""Ordering bonus of a move to a square; in anti-Othello its cost."""
ANTI_REPLY_COST = np.int64(28)
ANTI_TURNED_COST = np.int64(10)
"""Costs of a reply, and of a disc turned, in anti-Othello."""


@kernel(I64(U64, U64, U64, U64))
def _reply_cost(player, opponent, moves, odd):
    """How much the side to move after our move can do: its moves and its potential moves.

    player: the replying side. moves: its legal moves. odd: squares of the odd quadrants, before our move.
    """
    cost = REPLIES_COST[popcount(moves)] + CORNER_REPLY_COST * popcount(moves & _CORNERS)
    west_east = np.uint64(0x7E7E7E7E7E7E7E7E)
    inner = opponent & west_east
    beside = (
        (inner << ONE) | (inner >> ONE)
        | (opponent << np.uint64(8)) | (opponent >> np.uint64(8))
        | (inner << np.uint64(7)) | (inner >> np.uint64(7))
        | (inner << np.uint64(9)) | (inner >> np.uint64(9))
    ) & ~(player | opponent)  # fmt: skip
    return cost + ODD_REPLY_COST * popcount(moves & odd) + POTENTIAL_COST * popcount(beside)


_ODD_BONUS = np.array([0] * 7 + [12] * 6 + [6] * 5 + [3] * 4 + [0] * 43, dtype=np.int64)
"""Ordering bonus of a move into an odd quadrant, by empties."""


VALUE_EMPTIES = np.int64(14)
"""With the trained evaluation, moves are ordered by it from here on."""
VALUE_SCALE = np.int64(4)
"""Order score of 64 hundredths of a disc."""
PREVIEW_DEPTH = np.array([0] * 21 + [2] * 3 + [4] * 41, dtype=np.int64)
"""With the trained evaluation, by empties: plies of midgame search in place of its static value; 0 = none."""
PREVIEW_SCALE = np.int64(7)
"""Order score of 64 hundredths of a disc found by a midgame search. It is surer than a static value: replies count less
beside it."""
PREVIEW_MARGIN = np.int64(8)
"""Discs below alpha from which on it does not matter how bad a move is."""
_LOWEST_VALUE = np.int64(-65 * DISC_UNIT)
_ROW = np.uint64(ROW_BYTES)
_HIGHEST_ORDER = np.int64(1) << np.int64(22)
_TABLE_MOVE = np.int64(1) << np.int64(20)
_SECOND_TABLE_MOVE = np.int64(1) << np.int64(19)
_TAKEN = np.int64(-1)
"""Below every move's order: all are positive."""


@kernel(VOID(STATE, U64, U64, I64, I64, I64, I64))
def _add_previews(state, player, opponent, alpha, depth, ply, n_moves):
    """Add what a midgame search to `depth` plies says of them to the order of the moves in row `ply` of the state.

    Those already taken, and table moves, stay as they are.
    """
    list_ = state.moves[ply]
    row = row_at(state, ply)
    enough = np.int64(DISC_UNIT) * (PREVIEW_MARGIN - alpha)
    for index in range(n_moves):
        packed = list_[index]
        if packed != _TAKEN and packed >> np.int64(16) < _HIGHEST_ORDER + (_SECOND_TABLE_MOVE >> np.int64(1)):
            x = packed & np.int64(255)
            turned = state.turned[ply, index]
            placed = player ^ turned ^ (ONE << np.uint64(x))
            row_after(row, row + _ROW, x, turned)
            estimate = preview(state, opponent ^ turned, placed, _LOWEST_VALUE, enough, depth, ply + np.int64(1))
            list_[index] = packed - ((estimate * PREVIEW_SCALE >> np.int64(6)) << np.int64(16))


@kernel(I64(STATE, U64, U64, I64, I64))
def nws_endgame(state, player, opponent, alpha, ply):
    """Fail-soft exact value in discs of any position, null window (alpha, alpha + 1).

    -65 <= alpha <= 64. The evaluation's row of this ply is filled if there are VALUE_EMPTIES or more. Returns STOPPED
    once the stop flag is set. Oracle: plain negamax.
    """
    # Step 1. Few empties: no table, no ordering by mobility.
    empties = ~(player | opponent)
    n_empties = popcount(empties)
    if n_empties <= REGION_EMPTIES and state.by_regions != 0:
        return nws_regions(state, player, opponent, alpha, empties, _NOT_PASSED)
    if n_empties <= SHALLOW_EMPTIES:
        if n_empties >= np.int64(4):
            return _nws_shallow(state, player, opponent, alpha, n_empties)
        return solve_few(state, player, opponent, alpha, empties, n_empties)

    # Step 2. Stop flag and node limit.
    state.nodes += np.int64(1)
    if state.stop != 0:
        return STOPPED
    if state.node_limit != 0 and state.nodes >= state.node_limit:
        state.stop = np.int64(2)
        return STOPPED

    # Step 3. Stability cutoff: discs that are sure bound the score only where more discs are better.
    is_anti = state.anti != 0
    if not is_anti:
        bound = stability_bound(player, opponent, alpha, n_empties)
        if bound <= alpha:
            return bound

    # Step 4. Moves; pass and end of game.
    by_value = state.evaluation == PATTERNS and n_empties >= VALUE_EMPTIES
    row = row_at(state, ply)
    moves = legal_moves(player, opponent)
    if moves == ZERO:
        if legal_moves(opponent, player) == ZERO:
            return ended_score(state, player, opponent)
        if by_value:
            row_after_pass(row, row + _ROW)
        score = nws_endgame(state, opponent, player, ~alpha, ply + np.int64(1))
        return STOPPED if score == STOPPED else -score

    # Step 5. Table.
    bucket = table.bucket_of(state, player, opponent, n_empties, True)
    bounds, meta = table.probe(state, bucket, player, opponent)
    if table.answers(meta, table.KIND_EXACT, n_empties, _PROVED):
        lower, upper = table.lower_bound(bounds), table.upper_bound(bounds)
        if lower > alpha:
            return lower
        if upper <= alpha:
            return upper
    first, second = table.entry_move(meta), table.entry_second_move(meta)

    # Step 6. Make the moves. What the table knows about the replies is asked for now and read when it has arrived.
    list_ = state.moves[ply]
    all_turned = state.turned[ply]
    buckets = state.buckets[ply]
    is_enhanced = n_empties > SHALLOW_EMPTIES + np.int64(1)
    table_address, table_mask = table.place_of(state, n_empties - np.int64(1), True)
    n_moves = np.int64(0)
    while moves != ZERO:
        x = square_of(moves)
        moves &= moves - ONE
        turned = flips(x, player, opponent)
        if turned == opponent and not is_anti:  # wipe-out
            return np.int64(64)
        list_[n_moves] = x
        all_turned[n_moves] = turned
        if is_enhanced:
            placed = player ^ turned ^ (ONE << np.uint64(x))
            child_bucket = table.bucket_in(table_address, table_mask, opponent ^ turned, placed)
            prefetch(child_bucket)
            buckets[n_moves] = child_bucket
        n_moves += np.int64(1)

    # Step 7. Enhanced transposition cutoff: a move whose reply position is already refuted.
    if is_enhanced:
        for index in range(n_moves):
            x = list_[index]
            turned = all_turned[index]
            placed = player ^ turned ^ (ONE << np.uint64(x))
            child_bounds, child_meta = table.probe(state, buckets[index], opponent ^ turned, placed)
            if table.answers(child_meta, table.KIND_EXACT, n_empties - np.int64(1), _PROVED):
                score = -table.upper_bound(child_bounds)
                if score > alpha:
                    table.store(
                        state, bucket, player, opponent, table.KIND_EXACT, n_empties, _PROVED, alpha,
                        alpha + np.int64(1), score, x,
                    )  # fmt: skip
                    return score

    # Step 8. Order: table moves first, then what leaves the opponent little to do.
    odd = QUADRANT_SQUARES[quadrant_parity(empties)]
    preview_depth = PREVIEW_DEPTH[n_empties] if by_value else np.int64(0)
    n_before = np.int64(0)
    for index in range(n_moves):
        x = list_[index]
        turned = all_turned[index]
        value = _HIGHEST_ORDER
        if x == first:
            value += _TABLE_MOVE
            n_before = np.int64(1)
        elif x == second:
            value += _SECOND_TABLE_MOVE
        else:
            next_player = opponent ^ turned
            placed = player ^ turned ^ (ONE << np.uint64(x))
            replies = legal_moves(next_player, placed)
            if is_anti:
                value -= ANTI_REPLY_COST * popcount(replies) + ANTI_TURNED_COST * popcount(turned) + SQUARE_BONUS[x]
            else:
                value += SQUARE_BONUS[x] - _reply_cost(next_player, placed, replies, odd)
            if (ONE << np.uint64(x)) & odd != ZERO:
                value += _ODD_BONUS[n_empties]
            if by_value and preview_depth == np.int64(0):
                own_view_after(row, row + _ROW, x, turned)
                estimate = value_of_row(state.weights_address, row + _ROW, next_player, placed, replies)
                value -= estimate * VALUE_SCALE >> np.int64(6)
        list_[index] = (value << np.int64(16)) | (np.int64(index) << np.int64(8)) | x

    # Step 9. Search, best first.
    best = np.int64(-65)
    best_move = _NO_MOVE
    for step in range(n_moves):
        # Previews are dear, and the table's move, searched before them, often saves them.
        if step == n_before and preview_depth > np.int64(0):
            _add_previews(state, player, opponent, alpha, preview_depth, ply, n_moves)
        packed = list_[0]
        for index in range(1, n_moves):
            packed = max(packed, list_[index])
        x = packed & np.int64(255)
        index = (packed >> np.int64(8)) & np.int64(255)
        list_[index] = _TAKEN
        turned = all_turned[index]
        placed = player ^ turned ^ (ONE << np.uint64(x))
        if by_value and n_empties > VALUE_EMPTIES:
            row_after(row, row + _ROW, x, turned)
        score = nws_endgame(state, opponent ^ turned, placed, ~alpha, ply + np.int64(1))
        if score == STOPPED:
            return STOPPED
        score = -score
        if score > best:
            best = score
            best_move = x
            if best > alpha:
                break

    # Step 10. Keep.
    if state.stop != 0:
        return STOPPED
    table.store(
        state,
        bucket,
        player,
        opponent,
        table.KIND_EXACT,
        n_empties,
        _PROVED,
        alpha,
        alpha + np.int64(1),
        best,
        best_move,
    )
    return best
