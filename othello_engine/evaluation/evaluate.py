"""The one interface between search and evaluations.

An evaluation is a number in the search state. Some keep a *row* of data for each ply, next to one another in memory:
`begin` fills the row of a position, `follow` and `follow_pass` the next row from it, and `static_value` reads the row.
For an evaluation without rows they do nothing. To add an evaluation: write its kernels, give it a number here and a
branch in each function below, and name it in EVALUATIONS.
"""

import numpy as np

from othello_engine.core.jit import I64, U64, VOID, kernel
from othello_engine.evaluation import classic, lanes, patterns, phased
from othello_engine.evaluation.lanes import ROW_BYTES
from othello_engine.types import ScoreKind

CLASSIC = np.int64(0)
PATTERNS = np.int64(1)
PHASED = np.int64(2)
ANTI = np.int64(3)
"""Of anti-Othello: whoever searches with it plays that, and solves for the fewest discs."""

EVALUATIONS = {
    "classic": (int(CLASSIC), ScoreKind.RAW, classic.DISC_UNIT, classic.WIN_UNIT),
    "patterns": (int(PATTERNS), ScoreKind.CENTIDISCS, patterns.DISC_UNIT, 0),
    "phased": (int(PHASED), ScoreKind.CENTIDISCS, phased.DISC_UNIT, 0),
    "anti": (int(ANTI), ScoreKind.CENTIDISCS, -phased.DISC_UNIT, 0),
}
"""Name -> (number, kind of its scores, worth of one disc at the end, extra worth of a win), in its own units."""

_ROW = np.uint64(ROW_BYTES)


@kernel(VOID(I64, U64, U64, U64), entry=True)
def begin(evaluation, row, player, opponent):
    """Fill the row at this address for a position."""
    if evaluation == PATTERNS:
        lanes.row_of(row, player, opponent)


@kernel(VOID(I64, U64, I64, U64))
def follow(evaluation, row, square, turned):
    """Fill the row after this one: a move on `square` that turned these discs."""
    if evaluation == PATTERNS:
        lanes.row_after(row, row + _ROW, square, turned)


@kernel(VOID(I64, U64))
def follow_pass(evaluation, row):
    """Fill the row after this one: a pass."""
    if evaluation == PATTERNS:
        lanes.row_after_pass(row, row + _ROW)


@kernel(I64(I64, U64, U64, U64, U64, U64), entry=True)
def static_value(evaluation, weights, row, player, opponent, moves):
    """Value of an unfinished position for the side to move, in the units of the evaluation.

    weights: address of trained weights, if it has some. row: the position's, filled. moves: its legal moves.
    """
    if evaluation == PATTERNS:
        return patterns.value_of_row(weights, row, player, opponent, moves)
    if evaluation == PHASED:
        return phased.evaluate(player, opponent)
    if evaluation == ANTI:
        return phased.evaluate_anti(player, opponent)
    return classic.evaluate(player, opponent)
