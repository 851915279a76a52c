"""The main search: principal variation search over a static test for won and lost positions at every node.

Scores are for the side to move. A win in n plies is worth MATE - n. Wins are proofs, as far as they don't rest on an
evaluation: of a position that is lost, all candidates have been searched, none of them pruned or reduced away.
"""

import numpy as np

from othello_engine.core.jit import I64, VOID, kernel
from othello_engine.core.simd import square_of
from othello_engine.gomoku.board import five_cell, has_four, info_of, place, strong_counts, undo
from othello_engine.gomoku.forcing import FAILED, fours_win, is_stopped, known_end, position_key
from othello_engine.gomoku.lines import (
    CELL_DOUBLE_OPEN_THREE,
    CELL_FIVE,
    CELL_FOUR,
    CELL_FOUR_OPEN_THREE,
    CELL_OPEN_FOUR,
    CELL_OPEN_THREE,
    CELL_OPEN_THREE_PLUS,
)
from othello_engine.gomoku.state import (
    FOURS,
    FRAME_WORDS,
    MAX_CELLS,
    MAX_PLY,
    NEAR,
    REDUCTIONS,
    SET_WORDS,
    STATE,
    VALUE,
)
from othello_engine.gomoku.table import (
    EXACT,
    LOWER,
    MATE,
    MATE_BOUND,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    probe,
    store,
)

INFINITE = np.int64(32_000)
STOPPED_SCORE = np.int64(32_001)
"""Instead of a score, once the stop flag is set."""
LARGEST_EVALUATION = np.int64(6_000)

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_COUNT = np.uint64(0xFFFF)
_NONE = np.int64(-1)
_WORDS = np.int64(FRAME_WORDS)
_SET = np.int64(SET_WORDS)
_CELLS = np.int64(MAX_CELLS)
_PLIES = np.int64(MAX_PLY)
_ROW = np.int64(MAX_PLY + 2)
_FIVE = np.int64(CELL_FIVE)
_FOUR = np.int64(CELL_FOUR)
_OPEN_FOUR = np.int64(CELL_OPEN_FOUR)
_OPEN_THREE = np.int64(CELL_OPEN_THREE)
_OPEN_THREE_PLUS = np.int64(CELL_OPEN_THREE_PLUS)
_DOUBLE_OPEN_THREE = np.int64(CELL_DOUBLE_OPEN_THREE)
_FOUR_OPEN_THREE = np.int64(CELL_FOUR_OPEN_THREE)
_REDUCTIONS = np.int64(REDUCTIONS)

_TABLE_MOVE_BONUS = np.int64(1 << 30)
_KILLER_BONUS = np.int64(90)
_REPLY_BONUS = np.int64(60)
_HISTORY_LIMIT = np.int64(16_384)
_HISTORY_SHIFT = np.int64(7)
_LEAF_FOURS = np.int64(12)
"""Own stones of a win by fours that is looked for within the search."""
_FUTILITY = np.int64(120)
"""Evaluation units a ply: how much a position may still gain or lose, roughly."""
_LAST_DEFENCE = np.int64(-6)
"""Depth down to which defences against an open four are searched after the depth is used up."""


@kernel(I64(STATE, I64), entry=True)
def static_score(state, side):
    """Value for the side to move from the sums of both sides."""
    first = state.frame * _WORDS + VALUE
    own = np.int64(state.frames[first + side])
    other = np.int64(state.frames[first + np.int64(1) - side])
    return min(max(own - other + state.tempo, -LARGEST_EVALUATION), LARGEST_EVALUATION)


@kernel(I64(STATE, I64, I64, I64, I64), entry=True)
def list_moves(state, side, ply, first, is_all):
    """Put the moves to be searched onto the stack of moves, as order score << 10 | cell; their number.

    first: move of the table or -1. If the opponent could make an open four, only what can prevent that: a cell where he
    would make a four, or an own four. is_all: every candidate even so.
    """
    opponent = np.int64(1) - side
    base = state.frame * _WORDS
    is_threatened = (strong_counts(state, opponent) >> np.uint64(32)) & _COUNT != _ZERO and is_all == np.int64(0)
    start = state.n_moves
    killer1 = np.int64(state.killers[np.int64(2) * ply])
    killer2 = np.int64(state.killers[np.int64(2) * ply + np.int64(1)])
    last = np.int64(state.last[state.frame]) if state.frame > np.int64(0) else _NONE
    reply = np.int64(state.replies[opponent * _CELLS + last]) if last >= np.int64(0) else _NONE
    own_shift = np.uint64(16) * np.uint64(side)
    other_shift = np.uint64(16) - own_shift
    n_moves = start
    for word in range(_SET):
        if is_threatened:
            bits = state.frames[base + FOURS + word] | state.frames[base + FOURS + _SET + word]
        else:
            bits = state.frames[base + NEAR + word] & state.empty[word]
        while bits != _ZERO:
            cell = np.int64(64) * word + square_of(bits)
            bits &= bits - _ONE
            combos = np.uint64(state.combos[cell])
            own = np.int64(state.info[(combos >> own_shift) & _COUNT])
            other = np.int64(state.info[(combos >> other_shift) & _COUNT])
            score = np.int64(5) * ((own >> np.int64(4)) & np.int64(0xFFF)) + np.int64(4) * (
                (other >> np.int64(4)) & np.int64(0xFFF)
            )
            score += np.int64(state.history[side * _CELLS + cell]) >> _HISTORY_SHIFT
            if cell == first:
                score += _TABLE_MOVE_BONUS
            elif cell in (killer1, killer2):
                score += _KILLER_BONUS
            elif cell == reply:
                score += _REPLY_BONUS
            state.moves[n_moves] = (score + np.int64(1 << 12)) << np.int64(10) | cell
            n_moves += np.int64(1)
    state.n_moves = n_moves
    return n_moves - start


@kernel(I64(STATE, I64, I64))
def pick(state, index, end):
    """Bring the best of the moves from `index` on to `index`, and return it."""
    best = index
    for other in range(index + np.int64(1), end):
        if state.moves[other] > state.moves[best]:
            best = other
    found = state.moves[best]
    state.moves[best] = state.moves[index]
    state.moves[index] = found
    return found


@kernel(VOID(STATE, I64, I64))
def lead_pv(state, ply, move):
    """The variation of this ply becomes `move` followed by the variation of the next ply."""
    length = min(state.pv_length[ply + np.int64(1)], _PLIES - ply)
    row = ply * _ROW
    state.pv[row] = np.int16(move)
    for index in range(length):
        state.pv[row + index + np.int64(1)] = state.pv[row + _ROW + index]
    state.pv_length[ply] = length + np.int64(1)


@kernel(VOID(STATE, I64, I64, I64))
def _adjust(state, side, cell, bonus):
    """Move a history score toward its limit by `bonus`, either sign."""
    index = side * _CELLS + cell
    old = np.int64(state.history[index])
    state.history[index] = np.int32(old + bonus - old * abs(bonus) // _HISTORY_LIMIT)


@kernel(VOID(STATE, I64, I64, I64, I64, I64, I64))
def _reward(state, side, ply, cell, depth, first, index):
    """A quiet move has cut; those before it, from `first` to below `index` on the stack, have not."""
    bonus = min(np.int64(32) * depth * depth, np.int64(2_000))
    _adjust(state, side, cell, bonus)
    for other in range(first, index):
        _adjust(state, side, state.moves[other] & np.int64(1023), -bonus)
    if np.int64(state.killers[np.int64(2) * ply]) != cell:
        state.killers[np.int64(2) * ply + np.int64(1)] = state.killers[np.int64(2) * ply]
        state.killers[np.int64(2) * ply] = np.int16(cell)
    if state.frame > np.int64(0):
        state.replies[(np.int64(1) - side) * _CELLS + np.int64(state.last[state.frame])] = np.int16(cell)


@kernel(I64(STATE, I64, I64, I64, I64, I64, I64), entry=True)
def search(state, side, alpha, beta, depth, ply, may_pass):
    """Fail-soft score in the window (alpha, beta); leaves its line in row `ply` of state.pv.

    may_pass: 1 if the side to move may try what happens without a move. STOPPED_SCORE once the stop flag is set.
    """
    # Step 1. Stop flag, and what can be told at once.
    if is_stopped(state):
        return STOPPED_SCORE
    state.pv_length[ply] = np.int64(0)
    if ply > state.selective_depth:
        state.selective_depth = ply
    end = known_end(state, side)
    if end > np.int64(0):
        return MATE - ply - end
    if end < np.int64(0):
        return ply - end - MATE
    if state.n_empty == np.int64(0):
        return np.int64(0)
    opponent = np.int64(1) - side
    next_ply = ply + np.int64(1)
    if ply >= _PLIES:
        return static_score(state, side)

    # Step 2. A five to be stopped: one move, which costs no depth.
    forced = five_cell(state, opponent)
    if forced != _NONE:
        place(state, forced, side)
        score = search(state, opponent, -beta, -alpha, depth, next_ply, np.int64(1))
        undo(state)
        if score == STOPPED_SCORE:
            return STOPPED_SCORE
        lead_pv(state, ply, forced)
        return -score

    # Step 3. No win can be shorter than what is found already.
    alpha = max(alpha, ply - MATE)
    beta = min(beta, MATE - ply - np.int64(5))
    if alpha >= beta:
        return alpha
    is_open = beta - alpha > np.int64(1)

    # Step 4. Table.
    key = position_key(state, side)
    data = probe(state, key)
    first = entry_move(data)
    if first >= _CELLS or (first >= np.int64(0) and state.cells[first] != 0):
        first = _NONE
    if data != _ZERO and not is_open:
        score = entry_score(data, ply)
        bound = entry_bound(data)
        if entry_depth(data) >= depth or score >= MATE_BOUND or score <= -MATE_BOUND:
            if bound & LOWER != np.int64(0) and score >= beta:
                return score
            if bound & UPPER != np.int64(0) and score <= alpha:
                return score

    # Step 5. Leaf, and a win by fours.
    is_threatened = (strong_counts(state, opponent) >> np.uint64(32)) & _COUNT != _ZERO
    static = static_score(state, side)
    if depth <= np.int64(0) and not is_threatened and static >= beta:
        return static
    if has_four(state, side) and (data == _ZERO or depth <= np.int64(0)):
        state.proof_left = np.int64(300) + np.int64(200) * max(depth, np.int64(0))
        length = fours_win(state, side, _LEAF_FOURS)
        if state.stop != np.int64(0):
            return STOPPED_SCORE
        if length > FAILED:
            score = MATE - ply - length
            store(state, key, ply, np.int64(0), score, LOWER, _NONE)
            return score
    if depth <= np.int64(0) and (not is_threatened or depth <= _LAST_DEFENCE or static <= alpha):
        return static

    # Step 6. Positions that are far outside the window.
    is_quiet = not is_threatened and not has_four(state, opponent)
    if not is_open and depth > np.int64(0) and alpha > -MATE_BOUND and beta < MATE_BOUND:
        if is_quiet and depth <= np.int64(6) and static - _FUTILITY * depth >= beta:
            return static
        if not is_threatened and depth <= np.int64(2) and static + np.int64(3) * _FUTILITY * depth <= alpha:
            return static
        if is_quiet and may_pass != np.int64(0) and depth >= np.int64(4) and static >= beta:
            state.pv_length[next_ply] = np.int64(0)
            reduced = depth - np.int64(3) - depth // np.int64(4)
            score = search(state, opponent, -beta, np.int64(1) - beta, reduced, next_ply, np.int64(0))
            if score == STOPPED_SCORE:
                return STOPPED_SCORE
            if -score >= beta:
                return min(-score, MATE_BOUND - np.int64(1))

    # Step 7. Without a move from the table the ordering is poor: less depth.
    if first == _NONE and depth >= np.int64(5):
        depth -= np.int64(1)

    # Step 8. Moves, best first.
    start = state.n_moves
    n_moves = list_moves(state, side, ply, first, np.int64(0))
    stack_end = state.n_moves
    best = -INFINITE
    best_move = _NONE
    low = alpha
    n_searched = np.int64(0)
    if n_moves == np.int64(0):
        return static
    # Defending against an open four costs no depth.
    is_extended = is_threatened and depth > np.int64(0) and ply < np.int64(2) * state.root_depth
    for index in range(start, stack_end):
        cell = pick(state, index, stack_end) & np.int64(1023)
        own_class = info_of(state, cell, side) & np.int64(15)
        other_class = info_of(state, cell, opponent) & np.int64(15)
        is_four = own_class >= _FOUR
        is_loud = own_class >= _OPEN_THREE or other_class >= _OPEN_THREE_PLUS or is_threatened

        # Step 9. Quiet moves late in the list. Never while all moves lose: a loss is to be a proof.
        if best > -MATE_BOUND and not is_open and not is_loud:
            if n_searched >= np.int64(4) + depth * depth:
                continue
            if depth <= np.int64(4) and static + _FUTILITY * (depth + np.int64(2)) <= alpha:
                continue

        # Step 10. Reductions.
        next_depth = depth - (np.int64(0) if is_extended else np.int64(1))
        reduction = np.int64(0)
        if depth >= np.int64(2) and n_searched >= (np.int64(3) if is_open else np.int64(1)) and not is_four:
            reduction = np.int64(
                state.reductions[
                    min(depth, _REDUCTIONS - np.int64(1)) * _REDUCTIONS + min(n_searched, _REDUCTIONS - np.int64(1))
                ]
            )
            if is_loud:
                reduction -= np.int64(1)
            elif not is_open:
                reduction += np.int64(1)
            reduction -= np.int64(state.history[side * _CELLS + cell]) // np.int64(6_000)
            reduction = max(np.int64(0), min(reduction, next_depth))

        place(state, cell, side)
        n_searched += np.int64(1)
        score = -INFINITE
        is_wanted = n_searched == np.int64(1)
        if not is_wanted:
            score = search(state, opponent, -low - np.int64(1), -low, next_depth - reduction, next_ply, np.int64(1))
            if score != STOPPED_SCORE and -score > low and reduction > np.int64(0):
                score = search(state, opponent, -low - np.int64(1), -low, next_depth, next_ply, np.int64(1))
            if score == STOPPED_SCORE:
                undo(state)
                state.n_moves = start
                return STOPPED_SCORE
            score = -score
            is_wanted = score > low and score < beta
        if is_wanted:
            score = search(state, opponent, -beta, -low, next_depth, next_ply, np.int64(1))
            if score == STOPPED_SCORE:
                undo(state)
                state.n_moves = start
                return STOPPED_SCORE
            score = -score
        undo(state)
        if score > best:
            best = score
            if score > low:
                low = score
                best_move = cell
                lead_pv(state, ply, cell)
            if score >= beta:
                if not is_four:
                    _reward(state, side, ply, cell, max(depth, np.int64(1)), start, index)
                break
    state.n_moves = start

    # Step 11. Keep.
    bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
    store(state, key, ply, depth, best, bound, best_move)
    return best


@kernel(I64(STATE, I64, I64, I64, I64), entry=True)
def search_root(state, side, alpha, beta, depth):
    """Score of the position of frame 0 within a window over the moves root_cells[:n_root], the first one openly.

    root_scores: of each move what it is worth at most, as far as `n_root_done` moves are done; root_nodes likewise. The
    best move so far and its score are in root_best_move and root_best_score; -1 before the first is done. Returns
    STOPPED_SCORE once the stop flag is set.
    """
    state.root_depth = depth
    state.root_best_move = _NONE
    state.root_best_score = -INFINITE
    state.n_root_done = np.int64(0)
    state.pv_length[0] = np.int64(0)
    opponent = np.int64(1) - side
    low = alpha
    best = -INFINITE
    next_ply = np.int64(1)
    next_depth = depth - np.int64(1)
    for index in range(state.n_root):
        cell = state.root_cells[index]
        nodes = state.nodes
        own_class = info_of(state, cell, side) & np.int64(15)
        other_class = info_of(state, cell, opponent) & np.int64(15)
        reduction = np.int64(0)
        if depth >= np.int64(3) and index >= 4 and own_class < _OPEN_THREE and other_class < _OPEN_THREE_PLUS:
            row = min(depth, _REDUCTIONS - np.int64(1)) * _REDUCTIONS
            reduction = np.int64(state.reductions[row + min(np.int64(index), _REDUCTIONS - np.int64(1))])
            reduction = max(np.int64(0), min(reduction, next_depth))
        score = -INFINITE
        is_wanted = index == 0 and own_class != _FIVE
        is_running = True
        if own_class == _FIVE:  # below the root a five is seen before it is played
            score = MATE - np.int64(1)
            state.pv_length[1] = np.int64(0)
        else:
            place(state, cell, side)
        if index > 0 and own_class != _FIVE:
            score = search(state, opponent, -low - np.int64(1), -low, next_depth - reduction, next_ply, np.int64(1))
            if score != STOPPED_SCORE and -score > low and reduction > np.int64(0):
                score = search(state, opponent, -low - np.int64(1), -low, next_depth, next_ply, np.int64(1))
            is_running = score != STOPPED_SCORE
            score = -score
            is_wanted = is_running and score > low and score < beta
            if is_wanted:
                # Proved better than all before it, even if the search for its true value is cut short.
                state.root_best_move, state.root_best_score = cell, score
        if is_wanted:
            score = search(state, opponent, -beta, -low, next_depth, next_ply, np.int64(1))
            is_running = score != STOPPED_SCORE
            score = -score
        if own_class != _FIVE:
            undo(state)
        if not is_running:
            return STOPPED_SCORE
        state.root_scores[index] = score
        state.root_nodes[index] = state.nodes - nodes
        state.n_root_done = np.int64(index) + np.int64(1)
        if score > best:
            best = score
            state.root_best_move, state.root_best_score = cell, score
            if score > low or index == 0:
                lead_pv(state, np.int64(0), cell)
            low = max(low, score)
        elif state.root_best_score != best:
            # Takes back what a null window promised and the open one did not confirm.
            state.root_best_move, state.root_best_score = np.int64(state.pv[0]), best
        if best >= beta:
            break
    return best


@kernel(I64(STATE, I64, I64, I64), entry=True)
def find_losing(state, side, limit, n_nodes):
    """Of each root move root_cells[:n_root], none of which makes five: plies until it has lost, into root_scores.

    0 where that isn't known. Known is what the opponent wins at once, or by fours with at most `limit` stones, if that
    is found within n_nodes positions, a tenth of them for one move. How many moves have been looked at: all, unless the
    stop flag is set.
    """
    opponent = np.int64(1) - side
    left = n_nodes
    for index in range(state.n_root):
        place(state, state.root_cells[index], side)
        end = known_end(state, opponent)
        if end <= np.int64(0) and left > np.int64(0):
            given = max(np.int64(1), min(left, n_nodes // np.int64(10)))
            state.proof_left = given
            end = fours_win(state, opponent, limit)
            left -= given - max(state.proof_left, np.int64(0))
        undo(state)
        if state.stop != np.int64(0):
            return np.int64(index)
        state.root_scores[index] = end + np.int64(1) if end > np.int64(0) else np.int64(0)
    return state.n_root
