"""The board: a cell array, two bitboards of 64-bit words, and what shift-and-mask finds on them.

Bit `cell & 63` of word `cell >> 6` stands for the cell; a board of 15 uses four words and its strides are 1, 15, 16
and 14. Cells that follow one another in a bitboard at a stride need not lie in one line of the board: the masks `ahead`
and `behind` tell where they do.
"""

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, VOID, ZERO, kernel
from othello_engine.core.simd import popcount, square_of
from othello_engine.gomoku.classic.state import (
    BOARD_WORDS,
    EMPTY_ROW,
    FOUND,
    FRAME,
    PAD_WORDS,
    ROW_STRIDE,
    SECOND_SPARE,
    SPARE,
    STATE,
)
from othello_engine.gomoku.position import BLACK_STONE, BLOCKED, EMPTY, WHITE_STONE

_PAD = np.int64(PAD_WORDS)
_WORD_BITS = np.uint64(64)
_LOW_SIX = np.int64(63)
_SIX = np.int64(6)
_BLACK_STONE = np.int8(BLACK_STONE)
_EMPTY_CELL = np.int8(EMPTY)
_EMPTY = np.int64(EMPTY_ROW)
_SPARE, _SECOND, _FOUND = np.int64(SPARE), np.int64(SECOND_SPARE), np.int64(FOUND)


def set_geometry(state, size):
    """Masks, strides and places for boards of `size` cells on a side, into the record."""
    state.width = size
    state.words = (size * size + 63) // 64
    state.bit_steps[:] = (1, size, size + 1, size - 1)
    state.steps[:] = (1, ROW_STRIDE, ROW_STRIDE + 1, ROW_STRIDE - 1)
    rows, columns = np.divmod(np.arange(size * size), size)
    state.place[: size * size] = (rows + FRAME) * ROW_STRIDE + columns + FRAME
    for direction, (down, right) in enumerate(((0, 1), (1, 0), (1, 1), (1, -1))):
        for reach in range(6):
            for masks, sign in ((state.ahead, 1), (state.behind, -1)):
                row, column = rows + sign * reach * down, columns + sign * reach * right
                on_board = (row >= 0) & (row < size) & (column >= 0) & (column < size)
                masks[direction, reach] = _words(on_board)


def _words(bits):
    """BOARD_WORDS words in which bit `cell` is set where the array is true."""
    padded = np.zeros(BOARD_WORDS * 64, dtype=np.uint8)
    padded[: len(bits)] = bits
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


def set_position(state, size, cells):
    """Put a position into the record. cells: one byte each, as of a GomokuPosition."""
    if int(state.width) != size:
        set_geometry(state, size)
    contents = np.frombuffer(cells, dtype=np.uint8)
    state.cells[:] = BLOCKED
    state.cells[state.place[: size * size]] = contents
    state.boards[:] = 0
    for row, content in enumerate((BLACK_STONE, WHITE_STONE, EMPTY)):
        state.boards[row, PAD_WORDS : PAD_WORDS + BOARD_WORDS] = _words(contents == content)
    key = size
    for row, content in enumerate((BLACK_STONE, WHITE_STONE, BLOCKED)):
        for cell in np.flatnonzero(contents == content):
            key ^= int(state.zobrist[row, cell])
    state.key = key


def cells_of(state, row):
    """The cells of a row of `boards`, ascending."""
    words = state.boards[row, PAD_WORDS : PAD_WORDS + BOARD_WORDS]
    return [64 * index + bit for index, word in enumerate(words.tolist()) for bit in range(64) if word >> bit & 1]


@kernel(U64(STATE, I64, I64, I64))
def ahead_of(state, row, index, amount):
    """Word `index` of a board, each bit telling of the cell `amount` (0 to 127) further on."""
    word = index + _PAD + (amount >> _SIX)
    shift = np.uint64(amount & _LOW_SIX)
    low = state.boards[row, word] >> shift
    if shift == ZERO:
        return low
    return low | state.boards[row, word + np.int64(1)] << (_WORD_BITS - shift)


@kernel(U64(STATE, I64, I64, I64))
def behind_of(state, row, index, amount):
    """Word `index` of a board, each bit telling of the cell `amount` (0 to 127) before."""
    word = index + _PAD - (amount >> _SIX)
    shift = np.uint64(amount & _LOW_SIX)
    high = state.boards[row, word] << shift
    if shift == ZERO:
        return high
    return high | state.boards[row, word - np.int64(1)] >> (_WORD_BITS - shift)


@kernel(VOID(STATE, I64, I64), entry=True)
def put(state, cell, side):
    """Place a stone of BLACK (0) or WHITE (1) on an empty cell."""
    bit = ONE << np.uint64(cell & _LOW_SIX)
    word = (cell >> _SIX) + _PAD
    state.boards[side, word] ^= bit
    state.boards[_EMPTY, word] ^= bit
    state.cells[state.place[cell]] = _BLACK_STONE + np.int8(side)
    state.key ^= state.zobrist[side, cell]


@kernel(VOID(STATE, I64, I64), entry=True)
def take_back(state, cell, side):
    """Undo `put`."""
    bit = ONE << np.uint64(cell & _LOW_SIX)
    word = (cell >> _SIX) + _PAD
    state.boards[side, word] ^= bit
    state.boards[_EMPTY, word] ^= bit
    state.cells[state.place[cell]] = _EMPTY_CELL
    state.key ^= state.zobrist[side, cell]


@kernel(I64(STATE, I64), entry=True)
def has_five(state, side):
    """1 if the side has five or more in a row: the board AND itself shifted by one to four strides, AND start cells."""
    for direction in range(4):
        stride = state.bit_steps[direction]
        for index in range(state.words):
            starts = state.ahead[direction, 4, index]
            for reach in range(5):
                starts &= ahead_of(state, side, index, reach * stride)
            if starts != ZERO:
                return np.int64(1)
    return np.int64(0)


@kernel(I64(STATE, I64), entry=True)
def five_points(state, side):
    """How many empty cells complete a five of the side. The cells are left in row BLACK_POINTS or WHITE_POINTS."""
    count = np.int64(0)
    row = side + np.int64(3)
    for index in range(state.words):
        found = ZERO
        for direction in range(4):
            stride = state.bit_steps[direction]
            # after the loop over `reach`: stones on all of the next (last) `reach` cells
            next_1 = ahead_of(state, side, index, stride) & state.ahead[direction, 1, index]
            next_2 = next_1 & ahead_of(state, side, index, 2 * stride) & state.ahead[direction, 2, index]
            next_3 = next_2 & ahead_of(state, side, index, 3 * stride) & state.ahead[direction, 3, index]
            next_4 = next_3 & ahead_of(state, side, index, 4 * stride) & state.ahead[direction, 4, index]
            last_1 = behind_of(state, side, index, stride) & state.behind[direction, 1, index]
            last_2 = last_1 & behind_of(state, side, index, 2 * stride) & state.behind[direction, 2, index]
            last_3 = last_2 & behind_of(state, side, index, 3 * stride) & state.behind[direction, 3, index]
            last_4 = last_3 & behind_of(state, side, index, 4 * stride) & state.behind[direction, 4, index]
            found |= next_4 | last_1 & next_3 | last_2 & next_2 | last_3 & next_1 | last_4
        found &= state.boards[_EMPTY, index + _PAD]
        state.boards[row, index + _PAD] = found
        count += popcount(found)
    return count


@kernel(I64(STATE, I64))
def four_cells(state, side):
    """How many cells make a four of the side, that is, a five-point: the empty ones of a window with three stones and
    two empty cells. The cells are left in row FOUND."""
    for index in range(state.words):
        state.boards[_FOUND, index + _PAD] = ZERO
    for direction in range(4):
        stride = state.bit_steps[direction]
        seen = ZERO
        for index in range(state.words):
            free = state.ahead[direction, 4, index]
            ones = twos = fours = ZERO
            for reach in range(5):
                stones = ahead_of(state, side, index, reach * stride)
                free &= stones | ahead_of(state, _EMPTY, index, reach * stride)
                carry = ones & stones
                ones ^= stones
                fours |= twos & carry
                twos ^= carry
            threes = free & ones & twos & ~fours
            state.boards[_SPARE, index + _PAD] = threes
            seen |= threes
        if seen != ZERO:
            for index in range(state.words):
                for reach in range(5):
                    state.boards[_FOUND, index + _PAD] |= behind_of(state, _SPARE, index, reach * stride)
    count = np.int64(0)
    for index in range(state.words):
        state.boards[_FOUND, index + _PAD] &= state.boards[_EMPTY, index + _PAD]
        count += popcount(state.boards[_FOUND, index + _PAD])
    return count


@kernel(I64(STATE, I64))
def first_cell(state, row):
    """The lowest cell of a row of `boards`, -1 if it is empty."""
    for index in range(state.words):
        word = state.boards[row, index + _PAD]
        if word != ZERO:
            return (np.int64(index) << _SIX) + square_of(word)
    return np.int64(-1)


@kernel(I64(STATE))
def near_stones(state):
    """How many empty cells have a stone in the square of 5x5 around them. They are left in row FOUND."""
    for index in range(state.words):
        state.boards[_SPARE, index + _PAD] = state.boards[0, index + _PAD] | state.boards[1, index + _PAD]
    for index in range(state.words):
        near = state.boards[_SPARE, index + _PAD]
        for reach in range(1, 3):
            near |= ahead_of(state, _SPARE, index, np.int64(reach)) & state.ahead[0, reach, index]
            near |= behind_of(state, _SPARE, index, np.int64(reach)) & state.behind[0, reach, index]
        state.boards[_SECOND, index + _PAD] = near
    count = np.int64(0)
    for index in range(state.words):
        near = state.boards[_SECOND, index + _PAD]
        for reach in range(1, 3):
            near |= ahead_of(state, _SECOND, index, reach * state.width)
            near |= behind_of(state, _SECOND, index, reach * state.width)
        near &= state.boards[_EMPTY, index + _PAD]
        state.boards[_FOUND, index + _PAD] = near
        count += popcount(near)
    return count
