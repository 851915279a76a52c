"""Placing stones and taking them back: lines, combinations, sets, counts, sums and hash stay true at every step."""

import numba
import numpy as np

from othello_engine.core.jit import I64, U64, VOID, kernel
from othello_engine.core.simd import square_of
from othello_engine.gomoku.lines import CELL_FIVE, CELL_FOUR, CELL_FOUR_OPEN_THREE, CELL_OPEN_THREE
from othello_engine.gomoku.position import BLOCKED
from othello_engine.gomoku.state import (
    CHANGES,
    COUNTS,
    FIVES,
    FOURS,
    FRAME_WORDS,
    HASH,
    MAX_CELLS,
    MAX_FRAMES,
    MAX_LINES,
    NEAR,
    SET_WORDS,
    STATE,
    THREES,
    VALUE,
)

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_LOW6 = np.int64(63)
_SIX = np.int64(6)
_WORDS = np.int64(FRAME_WORDS)
_SET = np.int64(SET_WORDS)
_CELLS = np.int64(MAX_CELLS)
_LINES = np.int64(MAX_LINES)
_ALL_WALLS = np.int64((1 << 62) - 1)
_COUNT_BITS = np.uint64(0xFFFF)
_FIVE = np.int64(CELL_FIVE)
_FOUR = np.int64(CELL_FOUR)
_FIRST_THREE = np.int64(CELL_OPEN_THREE)
_FOUR_OPEN_THREE = np.int64(CELL_FOUR_OPEN_THREE)
_BLOCKED = np.int64(BLOCKED)
_NONE = np.int64(-1)


@kernel(I64(I64, I64, I64, I64))
def line_of(direction, row, column, size):
    """Index of the line through a cell, into state.lines."""
    if direction == np.int64(0):
        return row
    if direction == np.int64(1):
        return _LINES + column
    if direction == np.int64(2):
        return np.int64(2) * _LINES + column - row + size - np.int64(1)
    return np.int64(3) * _LINES + row + column


@kernel(VOID(STATE, I64, I64, I64))
def _recount(state, place, old, new):
    """A cell goes from one cell class to another, at least one of them an open three or more.

    place: cell, plus 512 for white.
    """
    cell = place & np.int64(511)
    side = place >> np.int64(9)
    base = state.frame * _WORDS
    counts = base + COUNTS + np.int64(2) * side
    if old >= np.int64(8):
        state.frames[counts + ((old >> np.int64(2)) & np.int64(1))] -= _ONE << np.uint64((old & np.int64(3)) << 4)
    if new >= np.int64(8):
        state.frames[counts + ((new >> np.int64(2)) & np.int64(1))] += _ONE << np.uint64((new & np.int64(3)) << 4)
    word = base + (cell >> _SIX) + _SET * side
    bit = _ONE << np.uint64(cell & _LOW6)
    if (old >= _FOUR) != (new >= _FOUR):
        state.frames[word + FOURS] ^= bit
    if (old == _FIVE) != (new == _FIVE):
        state.frames[word + FIVES] ^= bit
    was_three = (old >= _FIRST_THREE and old < _FOUR) or old == _FOUR_OPEN_THREE
    is_three = (new >= _FIRST_THREE and new < _FOUR) or new == _FOUR_OPEN_THREE
    if was_three != is_three:
        state.frames[word + THREES] ^= bit


@kernel(VOID(STATE, I64, I64))
def _add(state, word, number):
    """Add a signed number to a word of the frames."""
    state.frames[word] = np.uint64(np.int64(state.frames[word]) + number)


@kernel(VOID(STATE, I64, I64, I64))
def _change(state, cell, old, new):
    """A cell's combinations (black, white << 16) go from `old` to `new`: sums, counts, sets and the undo stack."""
    state.changes[state.n_changes] = (cell << np.int64(32)) | old
    state.n_changes += np.int64(1)
    state.combos[cell] = np.uint32(new)
    low = np.int64(0xFFFF)
    values = state.frame * _WORDS + VALUE
    if (old ^ new) & low != np.int64(0):
        before = np.int64(state.info[old & low])
        after = np.int64(state.info[new & low])
        _add(state, values, (after >> np.int64(16)) - (before >> np.int64(16)))
        before &= np.int64(15)
        after &= np.int64(15)
        if before != after and (before | after) >= np.int64(8):
            _recount(state, cell, before, after)
    if (old ^ new) >> np.int64(16) != np.int64(0):
        before = np.int64(state.info[old >> np.int64(16)])
        after = np.int64(state.info[new >> np.int64(16)])
        _add(state, values + np.int64(1), (after >> np.int64(16)) - (before >> np.int64(16)))
        before &= np.int64(15)
        after &= np.int64(15)
        if before != after and (before | after) >= np.int64(8):
            _recount(state, cell + np.int64(512), before, after)


@kernel(I64(STATE, I64))
def _spread(state, window):
    """Class for black | class for white << 16 of the cell in the middle of nine cells."""
    class_ = np.int64(state.line_class[(window & np.int64(0xFF)) | ((window >> np.int64(2)) & np.int64(0xFF00))])
    return (class_ & np.int64(15)) | ((class_ >> np.int64(4)) << np.int64(16))


@kernel(VOID(STATE), entry=True)
def set_up(state):
    """Make everything from `cells`, on a board of `board_size` by `board_size`. `near_of` is that of the size."""
    size = state.board_size
    state.frame = np.int64(0)
    state.n_changes = np.int64(0)
    state.n_moves = np.int64(0)
    state.n_empty = np.int64(0)
    for line in range(np.int64(4) * _LINES):
        state.lines[line] = _ALL_WALLS
    for word in range(_WORDS):
        state.frames[word] = _ZERO
    for word in range(_SET):
        state.empty[word] = _ZERO
    for cell in range(size * size):
        content = np.int64(state.cells[cell])
        row = cell // size
        column = cell - row * size
        if content == np.int64(0):
            state.n_empty += np.int64(1)
            state.empty[cell >> _SIX] |= _ONE << np.uint64(cell & _LOW6)
        else:
            state.frames[HASH] ^= state.zobrist[(content - np.int64(1)) * _CELLS + cell]
            if content != _BLOCKED:
                for word in range(_SET):
                    state.frames[NEAR + word] |= state.near_of[cell * _SET + word]
        for direction in range(np.int64(4)):
            position = (row if direction == np.int64(1) else column) + np.int64(4)
            # From wall to content.
            line = line_of(direction, row, column, size)
            state.lines[line] ^= (_BLOCKED ^ content) << (np.int64(2) * position)
    state.frames[HASH] ^= state.zobrist[np.int64(3) * _CELLS + size]
    for cell in range(size * size):
        state.combos[cell] = np.uint32(0)
        if state.cells[cell] != 0:
            continue
        row = cell // size
        column = cell - row * size
        combos = np.int64(0)
        for direction in range(np.int64(4)):
            position = row if direction == np.int64(1) else column
            word = state.lines[line_of(direction, row, column, size)]
            combos |= _spread(state, word >> (np.int64(2) * position)) << (np.int64(4) * direction)
        _change(state, np.int64(cell), np.int64(0), combos)
        state.n_changes = np.int64(0)
    # _change counted from combination 0, whose value is as good as any.
    nothing = (np.int64(state.info[0]) >> np.int64(16)) * state.n_empty
    _add(state, VALUE, nothing)
    _add(state, VALUE + np.int64(1), nothing)


@kernel(VOID(STATE, I64, I64), entry=True)
def place(state, cell, side):
    """Put a stone of a side (0 black, 1 white) on an empty cell. At most MAX_FRAMES - 1 stones can be placed."""
    size = state.board_size
    row = cell // size
    column = cell - row * size
    old_base = state.frame * _WORDS
    base = old_base + _WORDS
    state.frame += np.int64(1)
    for word in range(_WORDS):
        state.frames[base + word] = state.frames[old_base + word]
    state.frames[base + CHANGES] = np.uint64(state.n_changes)
    for word in range(_SET):
        state.frames[base + word] |= state.near_of[cell * _SET + word]
    state.frames[base + HASH] ^= state.zobrist[side * _CELLS + cell]
    state.empty[cell >> _SIX] ^= _ONE << np.uint64(cell & _LOW6)
    state.cells[cell] = np.int8(side + np.int64(1))
    state.last[state.frame] = np.int16(cell)
    state.n_empty -= np.int64(1)
    _change(state, cell, np.int64(state.combos[cell]), np.int64(0))
    stone = side + np.int64(1)
    for direction in range(np.int64(4)):
        if direction == np.int64(0):
            line, position, step = row, column, np.int64(1)
        elif direction == np.int64(1):
            line, position, step = _LINES + column, row, size
        elif direction == np.int64(2):
            line = np.int64(2) * _LINES + column - row + size - np.int64(1)
            position, step = column, size + np.int64(1)
        else:
            line, position, step = np.int64(3) * _LINES + row + column, column, np.int64(1) - size
        line_word = state.lines[line] | (stone << (np.int64(2) * position + np.int64(8)))
        state.lines[line] = line_word
        # Of nine cells around, from four back to four ahead; seen from the first, its own window begins four back.
        place_ = np.int64(2) * position
        mask = np.int64(0x000F000F) << (np.int64(4) * direction)
        for offset in range(np.int64(-4), np.int64(5)):
            shift = place_ + np.int64(2) * offset
            if (line_word >> (shift + np.int64(8))) & np.int64(3) != np.int64(0):
                continue
            neighbour = cell + step * offset
            old = np.int64(state.combos[neighbour])
            class_ = _spread(state, line_word >> shift)
            new = (old & ~mask) | (class_ << (np.int64(4) * direction))
            if new != old:
                _change(state, neighbour, old, new)


@kernel(VOID(STATE), entry=True)
def undo(state):
    """Take the last placed stone back."""
    base = state.frame * _WORDS
    cell = np.int64(state.last[state.frame])
    size = state.board_size
    row = cell // size
    column = cell - row * size
    stone = np.int64(state.cells[cell])
    first = np.int64(state.frames[base + CHANGES])
    index = state.n_changes - np.int64(1)
    while index >= first:
        entry = state.changes[index]
        state.combos[entry >> np.int64(32)] = np.uint32(entry & np.int64(0xFFFFFFFF))
        index -= np.int64(1)
    state.n_changes = first
    across = stone << (np.int64(2) * column + np.int64(8))
    state.lines[row] ^= across
    state.lines[_LINES + column] ^= stone << (np.int64(2) * row + np.int64(8))
    state.lines[np.int64(2) * _LINES + column - row + size - np.int64(1)] ^= across
    state.lines[np.int64(3) * _LINES + row + column] ^= across
    state.empty[cell >> _SIX] ^= _ONE << np.uint64(cell & _LOW6)
    state.cells[cell] = np.int8(0)
    state.n_empty += np.int64(1)
    state.frame -= np.int64(1)


@kernel(I64(STATE, I64, I64))
def count_of(state, side, class_):
    """How many cells have a cell class from CELL_OPEN_THREE on for this side."""
    word = state.frame * _WORDS + COUNTS + np.int64(2) * side + ((class_ >> np.int64(2)) & np.int64(1))
    return np.int64((state.frames[word] >> np.uint64((class_ & np.int64(3)) << 4)) & _COUNT_BITS)


@kernel(U64(STATE, I64))
def strong_counts(state, side):
    """The counts of CELL_FOUR_PLUS (sixteen low bits), FOUR_OPEN_THREE, OPEN_FOUR and FIVE of a side."""
    return state.frames[state.frame * _WORDS + COUNTS + np.int64(2) * side + np.int64(1)]


@kernel(numba.boolean(STATE, I64))
def has_four(state, side):
    """True if the side can make a four or five somewhere."""
    counts = state.frame * _WORDS + COUNTS + np.int64(2) * side
    return state.frames[counts + np.int64(1)] != _ZERO or state.frames[counts] >> np.uint64(48) != _ZERO


@kernel(I64(STATE, I64))
def five_cell(state, side):
    """A cell where the side completes five, -1 if there is none."""
    first = state.frame * _WORDS + FIVES + _SET * side
    for word in range(_SET):
        bits = state.frames[first + word]
        if bits != _ZERO:
            return np.int64(64) * word + square_of(bits)
    return _NONE


@kernel(I64(STATE, I64, I64))
def info_of(state, cell, side):
    """Cell class | order score << 4 | value << 16 of an empty cell for a side."""
    return np.int64(state.info[(np.int64(state.combos[cell]) >> (np.int64(16) * side)) & np.int64(0xFFFF)])


assert MAX_FRAMES < 1 << 15
