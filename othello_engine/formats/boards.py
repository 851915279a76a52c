"""Boards as programs and people hand them over: `startpos`, or 64 squares and a side in one or more words."""

from __future__ import annotations

from collections.abc import Sequence

from othello_engine.errors import BoardError
from othello_engine.position import Position

START_WORD = "startpos"


def parse_board(text: str, default_side: int | None = None) -> Position:
    """The position of a board text or of the word `startpos`.

    Spellings and errors as in `Position.from_text`. Raises BoardError, which names the column.

    >>> parse_board("startpos") == Position.start()
    True
    """
    if text.strip().lower() == START_WORD:
        return Position.start()
    return Position.from_text(text, default_side)


def parse_setup(words: Sequence[str], default_side: int | None = None) -> Position:
    """The position of a set-up command's words: `startpos`, `<64 squares><side>`, or board and side apart.

    Columns of errors count in the words joined by single spaces, the first word beginning in column 1.

    >>> parse_setup(["-" * 27 + "OX------XO" + "-" * 27, "black"]) == Position.start()
    True
    """
    if not words:
        raise BoardError("no board (column 1)", 1)
    return parse_board(" ".join(words), default_side)


def format_board(position: Position) -> str:
    """The 64 squares as `X`, `O` and `-`, a space, and the side to move; `parse_board` reads it back."""
    return position.to_text()
