"""Where the games begin: after random moves, at even positions after random moves, or at those of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from othello_engine.position import Position
from tools.levels.judge import SearchJudge
from tools.match.openings import Opening, OpeningsError, drawn, random_openings, read_openings
from tools.match.record import OTHELLO
from tools.match.settings import UsageError

EVEN_DISCS = 4.0
"""An even opening is worth no more to either side."""
EVEN_DEPTH = 8
MOST_MOVES = 40

Value = Callable[[Position], float]
"""Of a position for the side to move, in discs."""


def openings(source: str, n_wanted: int, seed: int, variant: str = OTHELLO) -> list[Opening]:
    """The first so many openings of a source; more of them begin with the same ones. Raises UsageError.

    source: `random:N`, after N random moves; `even:N`, those of them whose value to the engine is small; or a file.
    """
    kind, _, length = source.partition(":")
    if kind in ("random", "even") and length:
        if not length.isdecimal() or not 1 <= int(length) <= MOST_MOVES:
            raise UsageError(f"openings: {kind}:N takes 1 to {MOST_MOVES} moves, not {length!a}")
        found = random_openings(int(length), seed)
        if kind == "random":
            return _enough(source, list(islice(found, n_wanted)), n_wanted)
        with SearchJudge(EVEN_DEPTH, 0, variant) as judge:
            return _enough(source, list(islice(even(found, judge.value), n_wanted)), n_wanted)
    try:
        known = read_openings(Path(source).expanduser())
    except OpeningsError as error:
        raise UsageError(f"openings: {error}") from None
    return _enough(source, drawn(known, seed)[:n_wanted], n_wanted)


def even(found: Iterator[Opening], value: Value) -> Iterator[Opening]:
    """Those where neither side is far ahead."""
    return (opening for opening in found if abs(value(opening.position)) <= EVEN_DISCS)


def _enough(source: str, found: list[Opening], n_wanted: int) -> list[Opening]:
    if len(found) < n_wanted:
        raise UsageError(f"{n_wanted} different openings are needed; {source} has {len(found)}")
    return found
