"""Hints: every move of a position with its value among the others, from 30 for the worst to 90 for the best. Pure.

The values compare the moves of one position and nothing else: they are no chances of winning, and say nothing about
other positions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from othello_engine.types import RootValue, Score, ScoreKind, SearchInfo

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition

LOWEST, HIGHEST = 30, 90
"""Values of the worst and of the best move."""
ALL_EQUAL = 50
"""Value of every move if none is better than another."""
BANDS = (("amber", 75), ("emerald", 50), ("blue", LOWEST))
"""Names for parts of the scale, each with its least value."""

_COLOURS = {"amber": 33, "emerald": 32, "blue": 34}
"""ANSI numbers of the terminal's yellow, green and blue."""


@dataclass(frozen=True, slots=True)
class MoveHint:
    """A move and what a search says about it. value: from LOWEST to HIGHEST. depth: plies, the move itself included."""

    move: int
    value: int
    score: Score
    depth: int

    @property
    def band(self) -> str:
        """The part of the scale that the value lies in."""
        return next(name for name, least in BANDS if self.value >= least)


def hints_of(lines: Iterable[SearchInfo]) -> tuple[MoveHint, ...]:
    """The moves that these lines begin with, best first, equal ones in the order of the board."""
    found = [line for line in lines if line.pv]
    numbers = _numbers([line.score for line in found])
    ranked = sorted(zip(numbers, found, strict=True), key=lambda pair: (-pair[0], pair[1].pv[0]))
    values = relative_values([number for number, _ in ranked])
    return tuple(
        MoveHint(line.pv[0], value, line.score, line.depth) for value, (_, line) in zip(values, ranked, strict=True)
    )


def hints_of_heatmap(values: Iterable[RootValue]) -> tuple[MoveHint, ...]:
    """The moves of a heatmap in its order, best first.

    Its numbers span orders of magnitude, so their logarithms are compared. The order may rest on more than the numbers;
    then a move counts for as much as the best number behind it.
    """
    found = list(values)
    numbers = [math.copysign(math.log1p(abs(each.value)), each.value) for each in found]
    numbers = list(accumulate(reversed(numbers), max))[::-1]
    return tuple(
        MoveHint(each.move, value, Score(ScoreKind.RAW, each.value), 0)
        for value, each in zip(relative_values(numbers), found, strict=True)
    )


def relative_values(numbers: Sequence[float]) -> list[int]:
    """Numbers mapped to the scale in a straight line, and rounded, halves up."""
    if not numbers:
        return []
    low, high = min(numbers), max(numbers)
    if low == high:
        return [ALL_EQUAL] * len(numbers)
    scaled = ((number - low) / (high - low) * (HIGHEST - LOWEST) + LOWEST for number in numbers)
    return [math.floor(each + 0.5) for each in scaled]


def _numbers(scores: Sequence[Score]) -> list[float]:
    """What is compared: the scores as they are, or discs where some are of another kind.

    Of several lines the best are found first. So a solve that was cut short has the scores of the best moves, and
    estimates or only the winner of the others: these are no better than the worst of the solved ones.
    """
    if len({score.kind for score in scores}) <= 1:
        return [float(score.value) for score in scores]
    worst = min((score.discs for score in scores if score.kind is ScoreKind.DISCS), default=64.0)
    return [score.discs if score.kind is ScoreKind.DISCS else min(score.discs, worst) for score in scores]


def hint_diagram(position: AnyPosition, hints: Iterable[MoveHint], in_colour: bool) -> list[str]:
    """The board as lines of text, with the values on the squares. in_colour: bands as colours of an ANSI terminal."""
    size = position.size
    cells = [f"{square:>3}" for square in position.to_text()[: size * size]]
    for hint in hints:
        if 0 <= hint.move < len(cells):
            start, end = (f"\x1b[{_COLOURS[hint.band]}m", "\x1b[0m") if in_colour else ("", "")
            cells[hint.move] = f" {start}{hint.value}{end}"
    margin = len(str(size))
    letters = " " * (margin + 2) + "  ".join(chr(ord("a") + column) for column in range(size))
    rows = [f"{row + 1:{margin}}{''.join(cells[size * row : size * (row + 1)])}  {row + 1}" for row in range(size)]
    return [letters, *rows, letters, position.diagram()[-1]]
