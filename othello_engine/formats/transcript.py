"""Transcripts: the moves of a game as text, such as `f5d6c3` or `1. F5 D6 2. C3`."""

from __future__ import annotations

from collections.abc import Iterable

from othello_engine.position import Position
from othello_engine.types import PASS, square_name


def parse_moves(position: Position, moves: str | Iterable[str]) -> list[tuple[int, Position]]:
    """Plays a transcript from a position: every move with the position after it, forced passes included.

    moves: text, or words of it. Squares in any case, run together or apart, with or without move numbers and
    the signs `+` and `-` of log books. A forced pass may be left out or written as `pass pa ps -- @@@@ 0000`;
    any other pass is an error. The end of the text need not be the end of the game.
    Raises IllegalMoveError with the text of the move and its 1-based index among the moves written.

    >>> len(parse_moves(Position.start(), ["f5", "d6c3"]))
    3
    """
    return position.follow(moves)


def format_moves(moves: Iterable[int], separator: str = "", passes: bool = False) -> str:
    """The moves as text, lower case. Passes are left out, as readers insert them, or written as `pa`.

    >>> format_moves([37, 43, 18])
    'f5d6c3'
    """
    spelled = ("pa" if move == PASS else square_name(move) for move in moves if passes or move != PASS)
    return separator.join(spelled)
