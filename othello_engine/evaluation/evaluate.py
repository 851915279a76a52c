"""The one interface between search and evaluations: `static_value(state, player, opponent)`.

An evaluation is a number in the state record. To add one: write its kernel, give it a number here and a branch
below, and name it in EVALUATIONS.
"""

from othello_engine.core.jit import I64, U64, kernel
from othello_engine.evaluation import classic
from othello_engine.types import ScoreKind

CLASSIC = 0

EVALUATIONS = {
    "classic": (CLASSIC, ScoreKind.RAW, classic.DISC_UNIT, classic.WIN_UNIT),
}
"""Name -> (number, kind of its scores, worth of one disc at the end, extra worth of a win), in its own units."""


@kernel(I64(I64, U64, U64), entry=True)
def static_value(evaluation, player, opponent):
    """Value of an unfinished position for the side to move, in the units of evaluation number `evaluation`."""
    return classic.evaluate(player, opponent)
