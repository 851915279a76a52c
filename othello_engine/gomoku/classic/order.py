"""The order in which moves are tried: a tier, and within it the documented score, both computed once per candidate.

The documented scores alone would put a four before a win (an open four is worth more than WIN_NOW), so moves are
compared by (tier, score). The score as such is what the heatmap shows.
"""

import numpy as np

from othello_engine.core.jit import I64, kernel
from othello_engine.gomoku.classic.patterns import SCORES
from othello_engine.gomoku.classic.state import STATE
from othello_engine.gomoku.classic.windows import IS_FIVE, IS_FOUR, IS_OPEN_THREE, fork_bonus, line_threat
from othello_engine.gomoku.position import BLACK_STONE, EMPTY, WHITE_STONE

WIN_NOW = 40_000_000
BLOCK_WIN_NOW = 35_000_000
OWN_FOUR = 34_000_000
BLOCK_FOUR = 30_000_000
OWN_DOUBLE = 22_000_000
BLOCK_DOUBLE = 18_000_000
OWN_THREE = 11_000_000
BLOCK_THREE = 7_000_000

DOUBLE_THREAT = 4_500_000
"""A fork bonus of at least so much is a double threat."""

TIERS = (0, BLOCK_THREE, OWN_THREE, BLOCK_DOUBLE, OWN_DOUBLE, BLOCK_FOUR, OWN_FOUR, BLOCK_WIN_NOW, WIN_NOW)
"""What a tier's scores begin with; the index is the tier, a quiet move's is 0."""
OWN_FIVE_TIER, BLOCK_FIVE_TIER = 8, 7

_TIER_SCORES = np.array(TIERS, dtype=np.int64)
_DOUBLE_THREAT = np.int64(DOUBLE_THREAT)
_FIVE, _FOUR, _THREE = np.int64(IS_FIVE), np.int64(IS_FOUR), np.int64(IS_OPEN_THREE)
_BLACK, _WHITE, _EMPTY = np.int8(BLACK_STONE), np.int8(WHITE_STONE), np.int8(EMPTY)
_CENTRE = np.int64(1 << 5)
_ONE = np.int64(1)

_TIER_SHIFT = np.int64(50)
_SCORE_SHIFT = np.int64(9)
_SCORE_MASK = np.int64((1 << 41) - 1)
_CELL_MASK = np.int64(511)


@kernel(I64(I64, I64))
def line_pattern(own, empty):
    """Pattern score of the row through bit 5 of a line of eleven bits, the new stone included."""
    before = after = np.int64(0)
    while before < 5 and (own >> (np.int64(4) - before)) & _ONE:
        before += _ONE
    while after < 5 and (own >> (np.int64(6) + after)) & _ONE:
        after += _ONE
    length = before + after + _ONE
    if length >= 5:
        return SCORES[5, 0]
    n_open = ((empty >> (np.int64(4) - before)) & _ONE) + ((empty >> (np.int64(6) + after)) & _ONE)
    return SCORES[length, n_open]


@kernel(I64(STATE, I64))
def centre_bonus(state, cell):
    """2 * (size // 2) in the centre, one less for each step away from it along rows and columns."""
    middle = state.width // 2
    return max(np.int64(0), 2 * middle - abs(cell // state.width - middle) - abs(cell % state.width - middle))


@kernel(I64(STATE, I64, I64))
def order_key(state, cell, side):
    """Tier, documented score and cell of a move, packed so that the better move has the larger key. Equal scores: the
    lower cell first."""
    place = state.place[cell]
    attack = defend = attack_threat = defend_threat = np.int64(0)
    own_fours = own_threes = foe_fours = foe_threes = np.int64(0)
    own_five = foe_five = False
    for direction in range(4):
        step = state.steps[direction]
        black = white = empty = np.int64(0)
        for bit in range(11):
            content = state.cells[place + (bit - 5) * step]
            black |= np.int64(content == _BLACK) << bit
            white |= np.int64(content == _WHITE) << bit
            empty |= np.int64(content == _EMPTY) << bit
        empty &= ~_CENTRE
        own = (black if side == 0 else white) | _CENTRE
        foe = (white if side == 0 else black) | _CENTRE
        threat, kind = line_threat(own, empty)
        attack_threat += threat
        own_five |= kind == _FIVE
        own_fours += np.int64(kind == _FOUR)
        own_threes += np.int64(kind == _THREE)
        threat, kind = line_threat(foe, empty)
        defend_threat += threat
        foe_five |= kind == _FIVE
        foe_fours += np.int64(kind == _FOUR)
        foe_threes += np.int64(kind == _THREE)
        attack += line_pattern(own, empty)
        defend += line_pattern(foe, empty)

    attack_fork = fork_bonus(own_fours, own_threes)
    defend_fork = fork_bonus(foe_fours, foe_threes)
    is_own = True
    if own_five:
        tier = np.int64(8)
    elif foe_five:
        tier = np.int64(7)
    elif own_fours > 0:
        tier = np.int64(6)
    elif foe_fours > 0:
        tier, is_own = np.int64(5), False
    elif attack_fork >= _DOUBLE_THREAT:
        tier = np.int64(4)
    elif defend_fork >= _DOUBLE_THREAT:
        tier, is_own = np.int64(3), False
    elif own_threes > 0:
        tier = np.int64(2)
    elif foe_threes > 0:
        tier, is_own = np.int64(1), False
    else:
        tier = np.int64(0)
    score = _TIER_SCORES[tier]
    if tier == 0:
        score = centre_bonus(state, cell) + 8 * attack + 4 * defend + 3 * attack_threat + 2 * defend_threat
        score += attack_fork + defend_fork // 2
    elif tier < 7:
        score += attack_threat + attack_fork if is_own else defend_threat + defend_fork
    return tier << _TIER_SHIFT | score << _SCORE_SHIFT | (_CELL_MASK - cell)


@kernel(I64(I64))
def key_cell(key):
    """The cell of an order key."""
    return _CELL_MASK - (key & _CELL_MASK)


@kernel(I64(I64))
def key_tier(key):
    """The tier of an order key."""
    return key >> _TIER_SHIFT


def unpack_key(key):
    """(cell, tier, documented score) of an order key."""
    key = int(key)
    return 511 - (key & 511), key >> 50, key >> 9 & int(_SCORE_MASK)
