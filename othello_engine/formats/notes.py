"""What a game knows that GGF and SGF have no place for: lines of a comment in a fixed wording.

    theoretical: +2 at 24 empties
    stated: -12.00
    header: wthor 14 1a 01 05 ...

People can read them, other programs take them for comments, and our readers take them back out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from othello_engine.formats.game import Ending, Game, Result, Theory

_THEORY = re.compile(r"theoretical: ([+-]\d{1,2}) at (\d{1,2}) empties", re.ASCII)
_STATED = re.compile(r"stated: ([+-]\d{1,6}(?:\.\d{1,6})?)(?::([rts]))?", re.ASCII)
_HEADER = re.compile(r"header: (\w+(?: [0-9a-f]{2})+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Notes:
    """What was found in comments; comment is the rest of them."""

    theory: Theory | None = None
    stated: Result | None = None
    header: str = ""
    comment: str = ""


_NOTHING = Notes()


def split_notes(comments: Iterable[str]) -> Notes:
    """Tells notes from what people wrote."""
    theory: Theory | None = None
    stated: Result | None = None
    header = ""
    rest: list[str] = []
    for comment in comments:
        if match := _THEORY.fullmatch(comment):
            theory = Theory(int(match[1]), int(match[2]))
        elif match := _STATED.fullmatch(comment):
            stated = Result.of_score(float(match[1]), Ending(match[2] or ""))
        elif match := _HEADER.fullmatch(comment):
            header = match[1]
        else:
            rest.append(comment)
    if not (theory or stated or header or rest):
        return _NOTHING
    return Notes(theory, stated, header, "\n".join(rest).strip())


def format_notes(game: Game) -> list[str]:
    """The comments of a game, what people wrote first."""
    notes = [game.comment] if game.comment else []
    if game.theory is not None:
        notes.append(f"theoretical: {game.theory.score:+d} at {game.theory.n_empties} empties")
    if game.is_misstated and game.stated is not None and game.stated.score is not None:
        ending = f":{game.stated.ending.value}" if game.stated.ending.value else ""
        notes.append(f"stated: {game.stated.score:+.2f}{ending}")
    if game.header:
        notes.append(f"header: {game.header}")
    return notes
