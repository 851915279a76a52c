"""Wins by an unbroken chain of fours (VCF).

The attacker plays only moves that make a five-point, and the defender answers on it. A five of the defender's comes
first: if his answer makes a four, the attacker must play on its five-point, and that must be a four again. A position
counts as won only if no answer breaks the chain, so what is found is proved; what isn't found may have been out of
reach (`vcf_is_cut`: more plies than allowed, `vcf_is_out`: nodes used up, or stopped).
"""

import numpy as np

from othello_engine.core.jit import I64, ONE, ZERO, kernel
from othello_engine.core.simd import square_of
from othello_engine.gomoku.classic.board import first_cell, five_points, four_cells, put, take_back
from othello_engine.gomoku.classic.state import (
    ALLOWED,
    BOARD_WORDS,
    EMPTY_ROW,
    FOUND,
    PAD_WORDS,
    STATE,
    VCF_PLIES,
    VCF_SLOTS,
)

NEVER = np.int64(1 << 20)
"""Plies of an entry of the memory that says: no win by fours, however long."""

_PAD = np.int64(PAD_WORDS)
_FOUND, _ALLOWED = np.int64(FOUND), np.int64(ALLOWED)
_SLOT_MASK = np.uint64(VCF_SLOTS - 1)
_WHITE_ATTACKS = np.uint64(0x9E3779B97F4A7C15)
_ZERO, _ONE, _TWO, _THREE = np.int64(0), np.int64(1), np.int64(2), np.int64(3)
_STONE = np.int8(1)


@kernel(I64(STATE, I64, I64), entry=True)
def points_of_stone(state, cell, side):
    """How many five-points of the side lie in one row of five with its stone on `cell`; the first four of them are left
    in state.points."""
    place = state.place[cell]
    own = np.int8(side) + _STONE
    count = _ZERO
    row, column = cell // state.width, cell % state.width
    for direction in range(4):
        step = state.steps[direction]
        found = _ZERO
        for start in range(-4, 1):
            stones = _ZERO
            gap = np.int64(99)
            for reach in range(start, start + 5):
                content = state.cells[place + reach * step]
                if content == own:
                    stones += _ONE
                elif content == 0:
                    gap = np.int64(reach)
            if stones == 4 and gap != 99:
                bit = _ONE << (gap + np.int64(4))
                if found & bit == 0:
                    found |= bit
                    if count < 4:
                        down = _ZERO if direction == 0 else gap
                        right = gap if direction == 0 or direction == 2 else (-gap if direction == 3 else _ZERO)
                        state.points[count] = (row + down) * state.width + column + right
                    count += _ONE
    return count


@kernel(I64(STATE, I64, I64, I64), entry=True)
def vcf(state, side, ply, limit):
    """Plies until the side to move has a five, at most `limit` (odd), by fours alone; 0: no such win was found.

    ply: 0 where the search begins, there only moves of row ALLOWED are tried. The line is left in state.vcf_line. Sets
    vcf_is_cut or vcf_is_out if 0 is no proof that there is none.
    """
    state.nodes += _ONE
    if state.stop != 0 or state.nodes >= state.vcf_end:
        state.vcf_is_out = _ONE
        return _ZERO
    if state.node_limit != 0 and state.nodes >= state.node_limit:
        state.stop = _TWO
        state.vcf_is_out = _ONE
        return _ZERO

    # Step 1. Five now, or too far from one.
    if five_points(state, side) > 0:
        state.vcf_line[ply] = first_cell(state, side + _THREE)
        return _ONE
    if limit < 3 or ply + _TWO > np.int64(VCF_PLIES):
        state.vcf_is_cut = _ONE
        return _ZERO

    # Step 2. Known to fail.
    key = state.key if side == 0 else state.key ^ _WHITE_ATTACKS
    slot = np.int64(key & _SLOT_MASK)
    if ply > 0 and state.vcf_keys[slot] == key and state.vcf_plies[slot] >= limit:
        if state.vcf_plies[slot] < NEVER:
            state.vcf_is_cut = _ONE
        return _ZERO

    # Step 3. The defender's fives.
    foe = _ONE - side
    n_against = five_points(state, foe)
    if n_against > 1:
        return _ZERO
    must = first_cell(state, foe + _THREE)
    if four_cells(state, side) == 0:
        return _ZERO
    for index in range(state.words):
        moves = state.boards[_FOUND, index + _PAD]
        if ply == 0:
            moves &= state.boards[_ALLOWED, index + _PAD]
        if n_against > 0:
            moves &= ONE << np.uint64(must & np.int64(63)) if must >> np.int64(6) == index else ZERO
        state.vcf_moves[ply, index] = moves

    # Step 4. A move that makes two five-points wins at once.
    for index in range(state.words):
        moves = state.vcf_moves[ply, index]
        while moves != ZERO:
            cell = (np.int64(index) << np.int64(6)) + square_of(moves)
            moves &= moves - ONE
            put(state, cell, side)
            count = points_of_stone(state, cell, side)
            take_back(state, cell, side)
            if count > 1:
                state.vcf_line[ply] = cell
                state.vcf_line[ply + _ONE] = state.points[0]
                state.vcf_line[ply + _TWO] = state.points[1]
                return _THREE

    # Step 5. The others, each with its one answer. What was cut is noted for this position alone.
    if limit < 5:
        state.vcf_is_cut = _ONE
        return _ZERO
    was_cut = state.vcf_is_cut
    state.vcf_is_cut = _ZERO
    for index in range(state.words):
        moves = state.vcf_moves[ply, index]
        while moves != ZERO:
            cell = (np.int64(index) << np.int64(6)) + square_of(moves)
            moves &= moves - ONE
            put(state, cell, side)
            points_of_stone(state, cell, side)
            answer = state.points[0]
            put(state, answer, foe)
            plies = vcf(state, side, ply + _TWO, limit - _TWO)
            take_back(state, answer, foe)
            take_back(state, cell, side)
            if plies > 0:
                state.vcf_line[ply] = cell
                state.vcf_line[ply + _ONE] = answer
                return plies + _TWO
            if state.vcf_is_out != 0:
                return _ZERO
    if ply > 0:
        state.vcf_keys[slot] = key
        state.vcf_plies[slot] = limit if state.vcf_is_cut != 0 else NEVER
    state.vcf_is_cut |= was_cut
    return _ZERO


def shortest_vcf(state, side, n_nodes, moves=None):
    """(plies, line, is_certain) of the shortest win by fours of the side to move; plies 0 if none was found.

    n_nodes: give up after so many. moves: the only first moves to try, all if None. is_certain: there is none if none
    was found. Goes on from three plies to five and so on, as long as something was cut.
    """
    words = np.zeros(BOARD_WORDS, dtype=np.uint64)
    if moves is None:
        words[:] = state.boards[EMPTY_ROW, PAD_WORDS : PAD_WORDS + BOARD_WORDS]
    else:
        for cell in moves:
            words[cell >> 6] |= np.uint64(1 << (cell & 63))
    state.boards[ALLOWED, PAD_WORDS : PAD_WORDS + BOARD_WORDS] = words
    state.vcf_end = state.nodes + n_nodes
    state.vcf_is_out = 0
    for limit in range(3, VCF_PLIES + 1, 2):
        state.vcf_is_cut = 0
        plies = int(vcf(state, side, 0, limit))
        if plies:
            return plies, tuple(int(cell) for cell in state.vcf_line[:plies]), True
        if state.vcf_is_out or not state.vcf_is_cut:
            break
    return 0, (), not (state.vcf_is_out or state.vcf_is_cut)
