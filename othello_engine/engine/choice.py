"""Which move a player with a style plays, out of all moves with their values. Pure, plain Python.

Players who err are imitated by what they get wrong: the value of a move, the worth of many discs turned at once, a
corner that isn't seen, a square next to a corner that looks harmless. What a player gets wrong is drawn by lot, but not
by chance: each draw is a hash of the position, the seed and the move, the same on every machine. So whoever asks twice
gets the same move, and another seed gives another player of the same strength.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from statistics import NormalDist
from typing import TYPE_CHECKING

from othello_engine.config import Style
from othello_engine.core import plain

if TYPE_CHECKING:
    from othello_engine.engine.deepening import Line

_NEIGHBOURS = {0: (1, 8, 9), 7: (6, 14, 15), 56: (48, 49, 57), 63: (54, 55, 62)}
"""Corner -> the squares next to it."""
_DIGITS = 6
"""Decimals of a disc that count: more would let the last bit of a logarithm decide between two moves."""


def choose(
    style: Style, player: int, opponent: int, lines: Sequence[Line], seed: int = 0, is_anti: bool = False
) -> Line:
    """The line that such a player picks.

    player, opponent: bitboards, by side to move. lines: one for each move in question, all searched to one depth, none
    of them a pass, best first; at least one.
    """
    lot = Lot(player, opponent, seed)
    seen = lines
    if not is_anti:
        seen = [
            line for line in lines if not (_is_corner(line.move) and lot.draw("miss", line.move) < style.misses_corner)
        ]
        seen = seen or lines  # who can play only corners finds one
    risky = plain.CORNERS if is_anti else _next_to_empty_corners(player, opponent)
    safe = max((line.score.discs for line in seen if not risky >> line.move & 1), default=None)

    def worth(line: Line) -> float:
        value = line.score.discs
        if risky >> line.move & 1 and safe is not None and lot.draw("careless", line.move) < style.careless:
            value = max(value, safe)
        turned = plain.flips(line.move, player, opponent).bit_count()
        value += style.greed * (-turned if is_anti else turned)
        if style.noise:
            value += style.noise * NormalDist().inv_cdf(lot.draw("noise", line.move))
        return round(value, _DIGITS)

    worths = [worth(line) for line in seen]
    good = [line for line, value in zip(seen, worths, strict=True) if value >= max(worths) - style.within]
    return good[int(lot.draw("within") * len(good))] if style.within else good[0]


class Lot:
    """Draws numbers between 0 and 1, both excluded: always the same for the same things."""

    def __init__(self, player: int, opponent: int, seed: int) -> None:
        self._text = f"{player:016x} {opponent:016x} {seed}"

    def draw(self, *what: object) -> float:
        """what: what the number is for. Different things get independent numbers."""
        words = " ".join([self._text, *map(str, what)])
        number = int.from_bytes(blake2b(words.encode(), digest_size=8).digest(), "big") >> 12
        return (number + 0.5) / (1 << 52)  # exact: no rounding reaches 0 or 1


def _is_corner(move: int) -> bool:
    return bool(plain.CORNERS >> move & 1)


def _next_to_empty_corners(player: int, opponent: int) -> int:
    """Bitboard of the squares beside and diagonal to empty corners, which players call C and X."""
    taken = player | opponent
    return sum(1 << square for corner, near in _NEIGHBOURS.items() if not taken >> corner & 1 for square in near)
