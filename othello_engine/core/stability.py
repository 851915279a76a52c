"""Discs that can never be turned again: a lower bound that is cheap enough for the search.

A disc counts as stable if it is on an edge and no sequence of moves along that edge can turn it (table over all
6,561 edges), or if each of its four lines is full or continues into a stable disc of the same colour.
"""

import numpy as np

from othello_engine.core.jit import U64, ZERO, kernel


def _edge_after(player, opponent, square):
    """(player, opponent) after `player` puts a disc on an empty edge square, turning discs along the edge only."""
    turned = np.zeros_like(player)
    for direction in (1, -1):
        run = np.zeros_like(player)
        is_open = np.ones(player.shape, dtype=bool)
        position = square + direction
        while 0 <= position < 8:
            bit = 1 << position
            is_closed = is_open & (player & bit != 0)
            turned = np.where(is_closed, turned | run, turned)
            is_open &= opponent & bit != 0
            run = np.where(is_open, run | bit, run)
            position += direction
    return player | turned | (1 << square), opponent & ~turned


def _edge_table():
    """uint8[65536]: stable discs of `player` on an edge, index = player * 256 + opponent.

    Either side may place on any empty square of the edge, turning or not, since discs off the edge may make the
    move legal. Filled from full edges to empty ones.
    """
    boards = np.arange(65536)
    player, opponent = boards >> 8, boards & 255
    n_empties = np.array([8 - int(b).bit_count() for b in range(256)])[player | opponent]
    n_empties[(player & opponent) != 0] = -1
    stable = np.zeros(65536, dtype=np.int64)
    for n in range(9):
        chosen = np.flatnonzero(n_empties == n)
        p, o = player[chosen], opponent[chosen]
        kept = p.copy()
        for square in range(8):
            is_empty = ((p | o) >> square) & 1 == 0
            pe, oe = p[is_empty], o[is_empty]
            p1, o1 = _edge_after(pe, oe, square)
            o2, p2 = _edge_after(oe, pe, square)
            kept[is_empty] &= stable[p1 * 256 + o1] & stable[p2 * 256 + o2]
        stable[chosen] = kept
    return stable.astype(np.uint8)


EDGE_STABLE = _edge_table()

_FILE_A = np.uint64(0x0101010101010101)
_FILE_A_TO_BYTE = np.uint64(0x0102040810204080)
_BYTE_TO_FILE_A = np.uint64(0x0002040810204081)
_BYTE = np.uint64(255)
_INTERIOR = np.uint64(0x007E7E7E7E7E7E00)


def _lacking(column_step, row_step, distance):
    """Squares that have no square at `distance` steps in this direction: the board ends before."""
    found = 0
    for square in range(64):
        column, row = (square & 7) + column_step * distance, (square >> 3) + row_step * distance
        if not (0 <= column < 8 and 0 <= row < 8):
            found |= 1 << square
    return np.uint64(found)


_SE1, _SE2, _SE4 = (_lacking(1, 1, distance) for distance in (1, 2, 4))
_NW1, _NW2, _NW4 = (_lacking(-1, -1, distance) for distance in (1, 2, 4))
_SW1, _SW2, _SW4 = (_lacking(-1, 1, distance) for distance in (1, 2, 4))
_NE1, _NE2, _NE4 = (_lacking(1, -1, distance) for distance in (1, 2, 4))


@kernel(U64(U64))
def _full_falling(full):
    """Squares whose whole a1-h8 parallel is occupied, from both ends of the line by doubling."""
    down = full & (_SE1 | (full >> np.uint64(9)))
    down = down & (_SE2 | (down >> np.uint64(18)))
    down = down & (_SE4 | (down >> np.uint64(36)))
    up = full & (_NW1 | (full << np.uint64(9)))
    up = up & (_NW2 | (up << np.uint64(18)))
    up = up & (_NW4 | (up << np.uint64(36)))
    return down & up


@kernel(U64(U64))
def _full_rising(full):
    """Squares whose whole a8-h1 parallel is occupied."""
    down = full & (_SW1 | (full >> np.uint64(7)))
    down = down & (_SW2 | (down >> np.uint64(14)))
    down = down & (_SW4 | (down >> np.uint64(28)))
    up = full & (_NE1 | (full << np.uint64(7)))
    up = up & (_NE2 | (up << np.uint64(14)))
    up = up & (_NE4 | (up << np.uint64(28)))
    return down & up


@kernel(U64(U64))
def _byte_to_file_a(byte):
    """Bit k of the byte to square k of file a."""
    # The top bit goes by itself: multiplied along, it would carry into its neighbours.
    low = byte & np.uint64(127)
    return ((low * _BYTE_TO_FILE_A) & _FILE_A) | ((byte >> np.uint64(7)) << np.uint64(56))


@kernel(U64(U64, U64))
def _edge_stable_discs(player, opponent):
    """Stable discs of `player` on the four edges, by the edge table."""
    top = np.uint64(EDGE_STABLE[((player & _BYTE) << np.uint64(8)) | (opponent & _BYTE)])
    shift = np.uint64(56)
    bottom = np.uint64(EDGE_STABLE[((player >> shift) << np.uint64(8)) | (opponent >> shift)])
    west = ((player & _FILE_A) * _FILE_A_TO_BYTE) >> shift
    west_other = ((opponent & _FILE_A) * _FILE_A_TO_BYTE) >> shift
    left = np.uint64(EDGE_STABLE[(west << np.uint64(8)) | west_other])
    seven = np.uint64(7)
    east = (((player >> seven) & _FILE_A) * _FILE_A_TO_BYTE) >> shift
    east_other = (((opponent >> seven) & _FILE_A) * _FILE_A_TO_BYTE) >> shift
    right = np.uint64(EDGE_STABLE[(east << np.uint64(8)) | east_other])
    return top | (bottom << shift) | _byte_to_file_a(left) | (_byte_to_file_a(right) << seven)


@kernel(U64(U64, U64))
def stable_discs(player, opponent):
    """Discs of `player` proved stable, as a bitboard (a subset of all stable ones).

    Oracle: no continuation of the game turns any of them.
    """
    full = player | opponent
    row = full & (full >> np.uint64(1))
    row = row & (row >> np.uint64(2))
    row = row & (row >> np.uint64(4)) & _FILE_A
    row = row * _BYTE
    column = full & ((full >> np.uint64(8)) | (full << np.uint64(56)))
    column = column & ((column >> np.uint64(16)) | (column << np.uint64(48)))
    column = column & ((column >> np.uint64(32)) | (column << np.uint64(32)))
    falling = _full_falling(full)
    rising = _full_rising(full)
    stable = _edge_stable_discs(player, opponent) | (player & row & column & falling & rising)
    candidates = player & _INTERIOR & ~stable
    while candidates != ZERO:
        supported = (
            candidates
            & (row | (stable << np.uint64(1)) | (stable >> np.uint64(1)))
            & (column | (stable << np.uint64(8)) | (stable >> np.uint64(8)))
            & (falling | (stable << np.uint64(9)) | (stable >> np.uint64(9)))
            & (rising | (stable << np.uint64(7)) | (stable >> np.uint64(7)))
        )
        if supported == ZERO:
            break
        stable |= supported
        candidates ^= supported
    return stable
