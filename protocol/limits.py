"""What the limits of a request mean in a position. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from othello_engine.types import BLACK, Limits

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition


def own_limits(limits: Limits, position: AnyPosition) -> Limits:
    """The limits without the clock of the side that is not to move, and what belongs to a clock only with a clock."""
    if position.side == BLACK:
        limits = replace(limits, white_ms=None, white_increment_ms=0)
        own_clock = limits.black_ms
    else:
        limits = replace(limits, black_ms=None, black_increment_ms=0)
        own_clock = limits.white_ms
    if own_clock is None:
        limits = replace(limits, black_increment_ms=0, white_increment_ms=0, moves_to_go=None)
    return limits
