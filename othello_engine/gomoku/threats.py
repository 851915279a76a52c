"""Wins by threats: the attacker plays moves after which he would win by force if the defender did nothing.

Those are fours, open threes, and quiet moves that prepare fours or two open threes on one cell. Depth-first
proof-number search (df-pn) over such moves and all replies that can matter: a win is a proof; that none is found proves
nothing.

A reply matters only if it stands on a cell of the win that it is to stop, or makes a four of the defender's, at once or
together with one of his replies in that win. All other replies leave the win as it is.
"""

import numpy as np

from othello_engine.core.jit import I64, U64, VOID, kernel
from othello_engine.core.simd import load_word, square_of, store_word
from othello_engine.gomoku.board import count_of, five_cell, has_four, info_of, place, strong_counts, undo
from othello_engine.gomoku.forcing import (
    ATTACKER_KEYS,
    FAILED,
    fours_move,
    fours_win,
    is_stopped,
    known_end,
    position_key,
)
from othello_engine.gomoku.lines import (
    CELL_CLOSED_THREE,
    CELL_CLOSED_TWO,
    CELL_DOUBLE_OPEN_THREE,
    CELL_FOUR,
    CELL_OPEN_FOUR,
    CELL_OPEN_THREE,
)
from othello_engine.gomoku.state import (
    FIVES,
    FOURS,
    FRAME_WORDS,
    MAX_CELLS,
    MAX_FRAMES,
    MOVE_STACK,
    NEAR,
    SET_WORDS,
    STATE,
    THREES,
)

INFINITE_PROOF = np.int64(500_000)
"""Of a proof number: disproved; of a disproof number: proved."""

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_COUNT = np.uint64(0xFFFF)
_WORDS = np.int64(FRAME_WORDS)
_SET = np.int64(SET_WORDS)
_CELLS = np.int64(MAX_CELLS)
_NONE = np.int64(-1)
_ROOM = np.int64(MAX_FRAMES - 40)
_STACK_ROOM = np.int64(MOVE_STACK - 2 * MAX_CELLS)
_NUMBER = np.int64((1 << 20) - 1)
_CELL = np.int64(1023)
_SALT = np.uint64(0x9E3779B97F4A7C15)
_SHORTEST = np.int64(5)
"""Plies of a win that is not seen at once."""
_KNOWN = np.int64((1 << 48) - 1)
_FOUR = np.int64(CELL_FOUR)
_OPEN_FOUR = np.int64(CELL_OPEN_FOUR)
_OPEN_THREE = np.int64(CELL_OPEN_THREE)
_CLOSED_THREE = np.int64(CELL_CLOSED_THREE)
_DOUBLE_OPEN_THREE = np.int64(CELL_DOUBLE_OPEN_THREE)
_CLOSED_TWO = np.int64(CELL_CLOSED_TWO)
_WIN_STONES = np.int64(12)
"""Own stones of a win by fours that is looked for at a node."""
_WIN_NODES = np.int64(20)
"""Positions that may be looked at for it: few, since most nodes have none, and a deep one is found move by move."""
_ATTACKS_A_POINT = np.int64(8)
_REPLIES_A_POINT = np.int64(4)
"""The sum of the children's numbers would count what transposes many times: the largest of them counts, and a point for
so many others."""
_FORK_LENGTH = np.int64(5)
_OPEN = np.int64(1) | (np.int64(1) << np.int64(20))
"""Both numbers 1."""


@kernel(I64(I64, I64, I64))
def _packed(proof, disproof, plies):
    """What is known of a position in one word."""
    return proof | disproof << np.int64(20) | plies << np.int64(40)


@kernel(U64(STATE, U64, I64, I64))
def _key_after(state, key, cell, side):
    """Key of the search for threats after a stone of `side`, which is the other side's turn."""
    return key ^ state.zobrist[side * _CELLS + cell] ^ ATTACKER_KEYS[side] ^ ATTACKER_KEYS[np.int64(1) - side]


@kernel(U64(STATE, I64, I64))
def threat_key(state, side, attacker):
    """Key of the position with `side` to move, while `attacker` looks for a win that ends on frame `threats_end`."""
    # The number of stones at the end, whatever position the frames were counted from.
    end = np.uint64(state.threats_end - state.frame - state.n_empty)
    return position_key(state, side) ^ ((ATTACKER_KEYS[attacker] + end) * _SALT)


@kernel(I64(STATE, U64))
def threat_entry(state, key):
    """Proof number | disproof number << 20 | plies to the win << 40 | move << 48; 0 if nothing is known."""
    slot = np.int64(key & state.threat_mask) * np.int64(2)
    data = load_word(state.threat_address, slot + np.int64(1))
    if load_word(state.threat_address, slot) != key ^ data:
        return np.int64(0)
    return np.int64(data)


@kernel(VOID(STATE, U64, I64, I64))
def _keep(state, key, packed, move):
    """Keep what is known of a position, in place of whatever is there."""
    data = np.uint64(packed | (move & _CELL) << np.int64(48))
    slot = np.int64(key & state.threat_mask) * np.int64(2)
    store_word(state.threat_address, slot, key ^ data)
    store_word(state.threat_address, slot + np.int64(1), data)


@kernel(VOID(STATE, I64, I64))
def _add_set(state, zone, first):
    """Add a set of the frames to a zone."""
    for word in range(_SET):
        state.zones[zone + word] |= state.frames[first + word]


@kernel(VOID(STATE, I64, I64))
def _add_cell(state, zone, cell):
    """Add a cell to a zone."""
    state.zones[zone + (cell >> np.int64(6))] |= _ONE << np.uint64(cell & np.int64(63))


@kernel(VOID(STATE, I64, I64))
def _add_open_fours(state, zone, attacker):
    """Cells where a stone stops every open four that the attacker can make here, with one cell or with two fours."""
    forced = five_cell(state, np.int64(1) - attacker)
    first = state.frame * _WORDS + FOURS + _SET * attacker
    scratch = (np.int64(MAX_FRAMES) + np.int64(1)) * _SET
    n_found = np.int64(0)
    for word in range(_SET):
        bits = state.frames[first + word]
        while bits != _ZERO and n_found < np.int64(6):
            cell = np.int64(64) * word + square_of(bits)
            bits &= bits - _ONE
            if (info_of(state, cell, attacker) & np.int64(15)) < _OPEN_FOUR or (forced != _NONE and forced != cell):
                continue
            place(state, cell, attacker)
            fives = state.frame * _WORDS + FIVES + _SET * attacker
            for other in range(_SET):
                stopping = state.frames[fives + other]
                if other == cell >> np.int64(6):
                    stopping |= _ONE << np.uint64(cell & np.int64(63))
                if n_found == np.int64(0):
                    state.zones[scratch + other] = stopping
                else:
                    state.zones[scratch + other] &= stopping
            undo(state)
            n_found += np.int64(1)
    for word in range(_SET):
        state.zones[zone + word] |= state.zones[scratch + word]


@kernel(I64(STATE, I64, I64, I64))
def find_zone(state, attacker, length, zone):
    """Collect the cells where a reply can stop a win by fours of the attacker in `length` plies; 1 if that went well.

    As if it were his turn. zone: first of the words of state.zones for the set, which is emptied before.
    """
    defender = np.int64(1) - attacker
    for word in range(_SET):
        state.zones[zone + word] = _ZERO
    bottom = state.frame
    is_done = np.int64(0)
    while length > FAILED:
        _add_set(state, zone, state.frame * _WORDS + FOURS + _SET * defender)
        if length == np.int64(3):
            _add_open_fours(state, zone, attacker)
            is_done = np.int64(1)
            break
        cell = fours_move(state, attacker, length)
        if cell == _NONE:
            break
        _add_cell(state, zone, cell)
        place(state, cell, attacker)
        reply = five_cell(state, attacker)
        _add_cell(state, zone, reply)
        place(state, reply, defender)
        length = fours_win(state, attacker, _WIN_STONES)
    while state.frame > bottom:
        undo(state)
    return is_done


@kernel(I64(STATE, I64, I64))
def _find_fork_zone(state, attacker, zone):
    """The same for a win by two open threes on one cell, where the defender has no four; 0 if there is none such."""
    defender = np.int64(1) - attacker
    if count_of(state, attacker, _DOUBLE_OPEN_THREE) == np.int64(0) or has_four(state, defender):
        return np.int64(0)
    first = state.frame * _WORDS + THREES + _SET * attacker
    fork = _NONE
    for word in range(_SET):
        state.zones[zone + word] = _ZERO
        bits = state.frames[first + word]
        while bits != _ZERO and fork == _NONE:
            cell = np.int64(64) * word + square_of(bits)
            bits &= bits - _ONE
            if info_of(state, cell, attacker) & np.int64(15) == _DOUBLE_OPEN_THREE:
                fork = cell
    place(state, fork, attacker)
    _add_set(state, zone, state.frame * _WORDS + FOURS + _SET * attacker)
    undo(state)
    _add_cell(state, zone, fork)
    # A stone that prepares a four of the defender's.
    for word in range(_SET):
        bits = state.frames[state.frame * _WORDS + NEAR + word] & state.empty[word]
        while bits != _ZERO:
            cell = np.int64(64) * word + square_of(bits)
            bits &= bits - _ONE
            if info_of(state, cell, defender) & np.int64(15) >= _CLOSED_THREE:
                _add_cell(state, zone, cell)
    return np.int64(1)


@kernel(I64(STATE, I64))
def _fours(state, side):
    """fours_win within what one node may use."""
    if not has_four(state, side):
        return FAILED
    state.proof_left = _WIN_NODES
    return fours_win(state, side, _WIN_STONES)


@kernel(VOID(STATE, U64, I64, I64, I64))
def _push(state, key, cell, side, fresh):
    """Put a move of `side` onto the stack of moves, as packed numbers << 10 | cell. fresh: of an unknown position."""
    known = threat_entry(state, _key_after(state, key, cell, side)) & _KNOWN
    state.moves[state.n_moves] = (fresh if known == np.int64(0) else known) << np.int64(10) | cell
    state.n_moves += np.int64(1)


@kernel(VOID(STATE, I64, U64))
def _list_attacks(state, attacker, key):
    """Push what the attacker may try."""
    defender = np.int64(1) - attacker
    base = state.frame * _WORDS
    must_stop = (strong_counts(state, defender) >> np.uint64(32)) & _COUNT != _ZERO
    for word in range(_SET):
        bits = state.frames[base + NEAR + word] & state.empty[word]
        if must_stop:
            bits = state.frames[base + FOURS + word] | state.frames[base + FOURS + _SET + word]
        while bits != _ZERO:
            cell = np.int64(64) * word + square_of(bits)
            bits &= bits - _ONE
            class_ = info_of(state, cell, attacker) & np.int64(15)
            if class_ >= _CLOSED_TWO:
                _push(state, key, cell, attacker, _packed(state.attack_proofs[class_], np.int64(1), np.int64(0)))


@kernel(VOID(STATE, I64, I64, U64))
def _list_replies(state, zone, defender, key):
    """Push the cells of a zone."""
    for word in range(_SET):
        bits = state.zones[zone + word] & state.empty[word]
        while bits != _ZERO:
            cell = np.int64(64) * word + square_of(bits)
            bits &= bits - _ONE
            _push(state, key, cell, defender, _OPEN)


@kernel(I64(STATE, I64, I64, I64, I64))
def prove(state, attacker, is_defence, proof_limit, disproof_limit):
    """Proof number | disproof number << 20 | plies to the win << 40, searched until one number reaches its limit.

    is_defence: 1 if it is the defender's turn. 0 once the stop flag is set or state.nodes has passed `threats_until`.
    """
    # Step 1. What can be told at once.
    if is_stopped(state) or state.nodes > state.threats_until:
        return np.int64(0)
    defender = np.int64(1) - attacker
    side = defender if is_defence != np.int64(0) else attacker
    failed = _packed(INFINITE_PROOF, np.int64(0), np.int64(0))
    won = _packed(np.int64(0), INFINITE_PROOF, np.int64(0))
    if state.frame > _ROOM or state.n_moves > _STACK_ROOM:
        return failed
    key = threat_key(state, side, attacker)
    known = threat_entry(state, key) & _KNOWN
    if known != np.int64(0) and (known & _NUMBER == np.int64(0) or known & _NUMBER == INFINITE_PROOF):
        return known
    start = state.n_moves
    longest = np.int64(0)  # of a win that no reply stops
    forced = _NONE
    result = np.int64(-1)
    left = state.threats_end - state.frame
    if is_defence == np.int64(0):
        end = known_end(state, attacker)
        if end == np.int64(0):
            end = max(_fours(state, attacker), np.int64(0))
        if end > np.int64(0) and end <= left:
            result = won + (end << np.int64(40))
        elif end < np.int64(0) or left < _SHORTEST:
            result = failed
        forced = five_cell(state, defender)
    else:
        fives = strong_counts(state, attacker) >> np.uint64(48)
        if strong_counts(state, defender) >> np.uint64(48) != _ZERO:
            result = failed
        elif fives > _ONE and left >= np.int64(2):
            result = won + (np.int64(2) << np.int64(40))
        elif fives == _ONE:
            forced = five_cell(state, attacker)
        else:
            length = _fours(state, attacker)
            if (
                length <= FAILED
                and left > _SHORTEST
                and _find_fork_zone(state, attacker, state.frame * _SET) != np.int64(0)
            ):
                length = _FORK_LENGTH
            elif (
                length <= FAILED
                or length >= left
                or _fours(state, defender) > FAILED
                or find_zone(state, attacker, length, state.frame * _SET) == np.int64(0)
            ):
                result = failed
            longest = length
    if state.stop != np.int64(0):
        return np.int64(0)
    if result >= np.int64(0):
        _keep(state, key, result, _NONE)
        return result

    # Step 2. Moves, with what is known of each.
    if forced != _NONE:
        _push(state, key, forced, side, _OPEN)
    elif is_defence != np.int64(0):
        _list_replies(state, state.frame * _SET, defender, key)
    else:
        _list_attacks(state, attacker, key)
    stack_end = state.n_moves

    # Step 3. Search the most promising move until a limit is reached. Numbers seen from the side to move: `near` is the
    # least among the moves, `far` the largest and a point for some others.
    while True:
        near = INFINITE_PROOF
        second = INFINITE_PROOF
        far = np.int64(0)
        largest = np.int64(0)
        n_open = np.int64(0)
        best = _NONE
        plies = longest
        for index in range(start, stack_end):
            known = state.moves[index] >> np.int64(10)
            own, other = known & _NUMBER, (known >> np.int64(20)) & _NUMBER
            if is_defence != np.int64(0):
                own, other = other, own
                if other == np.int64(0):
                    plies = max(plies, known >> np.int64(40))
            if own == INFINITE_PROOF:
                continue
            n_open += np.int64(1)
            largest = max(largest, other)
            if own < near:
                second = near
                near = own
                best = index
            elif own < second:
                second = own
        if near == np.int64(0):
            far = INFINITE_PROOF
        elif is_defence == np.int64(0):
            far = largest + (n_open - np.int64(1)) // _ATTACKS_A_POINT
        else:
            far = largest + (n_open - np.int64(1)) // _REPLIES_A_POINT
        if n_open == np.int64(0):
            far = np.int64(0)
        elif near != np.int64(0):
            far = min(far, INFINITE_PROOF - np.int64(1))
        proof, disproof = (far, near) if is_defence != np.int64(0) else (near, far)
        if proof >= proof_limit or disproof >= disproof_limit or proof == np.int64(0) or disproof == np.int64(0):
            break
        cell = state.moves[best] & _CELL
        known = state.moves[best] >> np.int64(10)
        other = known & _NUMBER if is_defence != np.int64(0) else (known >> np.int64(20)) & _NUMBER
        near_limit = disproof_limit if is_defence != np.int64(0) else proof_limit
        far_limit = proof_limit if is_defence != np.int64(0) else disproof_limit
        next_near = min(near_limit, second + np.int64(1) + second // np.int64(4))
        next_far = min(far_limit - far + other, INFINITE_PROOF)
        if next_far <= other:
            next_far = other + np.int64(1)
        place(state, cell, side)
        if is_defence != np.int64(0):
            found = prove(state, attacker, np.int64(0), next_far, next_near)
        else:
            found = prove(state, attacker, np.int64(1), next_near, next_far)
        undo(state)
        if found == np.int64(0):
            state.n_moves = start
            return found
        state.moves[best] = found << np.int64(10) | cell
    state.n_moves = start

    # Step 4. Keep.
    move = _NONE
    length = np.int64(0)
    if proof == np.int64(0):
        length = plies + np.int64(1)
        if is_defence == np.int64(0):
            known = state.moves[best] >> np.int64(10)
            move = state.moves[best] & _CELL
            length = (known >> np.int64(40)) + np.int64(1)
    result = _packed(proof, disproof, length)
    _keep(state, key, result, move)
    return result


@kernel(I64(STATE, I64, I64, I64), entry=True)
def threats_win(state, side, longest, n_nodes):
    """Plies in which the side to move wins by threats, at most `longest`; 0: no win found in `n_nodes` positions."""
    state.threats_until = state.nodes + n_nodes
    state.threats_end = state.frame + min(longest, state.n_empty)
    return prove(state, side, np.int64(0), INFINITE_PROOF, INFINITE_PROOF) >> np.int64(40)


@kernel(I64(STATE, I64), entry=True)
def threats_move(state, side):
    """The move of a win that threats_win has found, -1 if it is not one of its own kind (fours, or seen at once)."""
    data = threat_entry(state, threat_key(state, side, side))
    move = (data >> np.int64(48)) & _CELL
    return _NONE if data == np.int64(0) or data & _NUMBER != np.int64(0) or move == _CELL else move


@kernel(I64(STATE, I64), entry=True)
def threats_reply(state, side):
    """The reply of `side` that holds out longest against the win that threats_win has found, -1 if none is known."""
    key = threat_key(state, side, np.int64(1) - side)
    found = _NONE
    longest = np.int64(0)
    for cell in range(state.board_size * state.board_size):
        if state.cells[cell] != 0:
            continue
        known = threat_entry(state, _key_after(state, key, cell, side)) & _KNOWN
        if known != np.int64(0) and known & _NUMBER == np.int64(0) and known >> np.int64(40) > longest:
            longest = known >> np.int64(40)
            found = np.int64(cell)
    return found
