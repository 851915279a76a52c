"""Who meets whom, with which opening."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from tools.match.games import AnyOpening


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two games of an opening. In the first of them, number 2 * pair, engine `first` plays black."""

    pair: int
    first: int
    second: int
    opening: AnyOpening

    def colours(self, game: int) -> tuple[int, int]:
        """The engines that play black and white in the first (0) or second (1) game."""
        return (self.first, self.second) if game == 0 else (self.second, self.first)


def pairings(n_engines: int, mode: str) -> list[tuple[int, int]]:
    """All pairs of engines that meet: everyone with everyone, or with mode `gauntlet` the first with all others."""
    found = list(combinations(range(n_engines), 2))
    return [pair for pair in found if pair[0] == 0] if mode == "gauntlet" else found


def schedule(n_engines: int, mode: str, openings: Sequence[AnyOpening]) -> Iterator[Meeting]:
    """All meetings, opening by opening, so that every engine has played about as much at any time."""
    pair = 0
    for opening in openings:
        for first, second in pairings(n_engines, mode):
            yield Meeting(pair, first, second, opening)
            pair += 1
