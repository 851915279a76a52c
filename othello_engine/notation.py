"""How squares, passes, moves and boards are spelled. Text only: nothing here knows the rules.

`position` and `formats` build on this, so that every door into the engine reads the same spellings and
refuses the same mistakes. Messages are ASCII whatever the text was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from othello_engine.errors import BoardError
from othello_engine.types import BLACK, N_SQUARES, PASS, WHITE, parse_square

BLACK_SYMBOLS = "X*Bxb"
WHITE_SYMBOLS = "OWow"
EMPTY_SYMBOLS = "-._"
SIDE_SYMBOLS = "XO"
"""What is written for BLACK and WHITE; the first of each spelling."""
SIDE_NAMES = ("Black", "White")

PASS_SPELLINGS = ("pass", "pa", "ps", "--", "@@@@", "0000")
"""Read in any case; `pass` is what the engine writes, `pa` what transcripts hold."""

BYTE_ORDER_MARK = "\ufeff"

_SIDES = {
    **dict.fromkeys(BLACK_SYMBOLS, BLACK),
    **dict.fromkeys(WHITE_SYMBOLS, WHITE),
    "black": BLACK,
    "white": WHITE,
}


def parse_side(text: str) -> int:
    """BLACK or WHITE for `X x * B b black` and `O o W w white`; ValueError otherwise."""
    side = _SIDES.get(text, _SIDES.get(text.lower()))
    if side is None:
        raise ValueError(f"not a side: {text!a}")
    return side


# -- moves ---------------------------------------------------------------------------------------------------


def parse_move(text: str) -> int:
    """The square of `d3` (any case) or PASS for one of PASS_SPELLINGS; ValueError otherwise."""
    if text.lower() in PASS_SPELLINGS:
        return PASS
    return parse_square(text)


# One move, or something that may stand between two moves: white space, the signs that log books put before
# a move (a double dash is a pass), a move number with its dots. A number without dots counts only right
# before a move, so that a stray `35` or the last digit of `f55` is not swallowed.
_MOVE_OR_FILLER = re.compile(
    r"""(?P<move> [a-h][1-8] | pass | pa | ps | (?<!-)--(?!-) | @@@@ | 0000(?!\d) )
      | (?P<filler> \s+ | \+ | (?<!-)-(?!-)
          | (?<!\d)\d{1,3} (?: \.+ | (?= \s* (?: [a-h][1-8] | p[as] | -- | @@@@ | 0000 ) ) ) )
      | (?P<junk> \S{1,16} )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class WrittenMove:
    """A move as it stands in a text: its spelling and its square, PASS, or None if it is no move at all."""

    text: str
    move: int | None


def scan_moves(text: str) -> Iterator[WrittenMove]:
    """The moves of a transcript, one after another, whatever stands between them.

    Takes `f5d6c3`, `F5 D6 C3`, `1. f5 d6 2. c3`, `+f5-d6+c3`, and all PASS_SPELLINGS. What is neither a move
    nor a filler comes out with move None; the reader then stops, since it can't know where the text goes on.
    """
    start = 1 if text.startswith(BYTE_ORDER_MARK) else 0
    for match in _MOVE_OR_FILLER.finditer(text, start):
        written = match[0]
        if match["move"]:
            yield WrittenMove(written, parse_move(written))
        elif match["junk"]:
            yield WrittenMove(written, None)


# -- boards --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrittenBoard:
    """A board as it stands in a text; side is None where the text names none."""

    black: int
    white: int
    side: int | None


def _contents(symbol: str, column: int) -> int | None:
    """BLACK, WHITE, or None for an empty square; BoardError for anything else."""
    if symbol in BLACK_SYMBOLS:
        return BLACK
    if symbol in WHITE_SYMBOLS:
        return WHITE
    if symbol in EMPTY_SYMBOLS:
        return None
    if symbol.isdigit():
        raise BoardError(
            f"digit {symbol!a} refused, programs disagree on its colour; write X, O and - (column {column})",
            column,
        )
    raise BoardError(f"{symbol!a} is no square; write X, O and - (column {column})", column)


def _side_stands_apart(text: str) -> bool:
    """True if the last word of the text is a side, set off from squares that are not spaced one by one.

    Then it can't be the 64th square, and a board that lacks one is told from a board that lacks the side.
    """
    words = text.split()
    return len(words) > 1 and words[-1].lower() in _SIDES and any(len(word) > 1 for word in words[:-1])


def scan_board(text: str) -> WrittenBoard:
    """64 squares, a1 b1 ... h8, and perhaps the side to move.

    Black is `X x * B b`, white `O o W w`, empty `- . _`; white space, carriage returns and a byte order mark
    don't count. Digits are refused: `0` is black in some programs and white in others. Raises BoardError,
    whose column is the 1-based place in the text as given; where something is missing, its place.
    """
    symbols = [
        (column, symbol)
        for column, symbol in enumerate(text, 1)
        if not symbol.isspace() and not (column == 1 and symbol == BYTE_ORDER_MARK)
    ]
    end = symbols[-1][0] + 1 if symbols else 1
    n_squares = N_SQUARES
    if _side_stands_apart(text):
        n_squares = min(len(symbols) - len(text.split()[-1]), N_SQUARES)

    discs = [0, 0]
    for square, (column, symbol) in enumerate(symbols[:n_squares]):
        colour = _contents(symbol, column)
        if colour is not None:
            discs[colour] |= 1 << square
    if len(symbols[:n_squares]) < N_SQUARES:
        column = symbols[n_squares][0] if n_squares < len(symbols) else end
        found = len(symbols[:n_squares])
        raise BoardError(f"only {found} of {N_SQUARES} squares (column {column})", column)

    rest = "".join(symbol for _, symbol in symbols[N_SQUARES:])
    if not rest:
        return WrittenBoard(discs[BLACK], discs[WHITE], None)
    try:
        return WrittenBoard(discs[BLACK], discs[WHITE], parse_side(rest))
    except ValueError:
        raise _after_the_board(symbols[N_SQUARES:]) from None


def _after_the_board(rest: list[tuple[int, str]]) -> BoardError:
    """What is wrong with the text behind 64 squares that is no side to move."""
    column, symbol = rest[0]
    if all(each in BLACK_SYMBOLS + WHITE_SYMBOLS + EMPTY_SYMBOLS for _, each in rest):
        return BoardError(f"more than {N_SQUARES} squares and a side (column {column})", column)
    if symbol in BLACK_SYMBOLS + WHITE_SYMBOLS:
        column, symbol = rest[1]
        return BoardError(f"{symbol!a} after the side to move (column {column})", column)
    return BoardError(f"{symbol!a} is no side to move; write X or O (column {column})", column)


def format_squares(black: int, white: int) -> str:
    """The 64 characters `X`, `O` and `-` of two bitboards."""
    return "".join("X" if black >> x & 1 else "O" if white >> x & 1 else "-" for x in range(N_SQUARES))
