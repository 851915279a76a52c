"""Games as lines of text: the moves, and behind them what else is known.

    f5d6c3d3c4...
    1. F5 D6 2. C3 ...   +12   Anna - Bo, 2026
    f5d6c3d3c4... ; a remark
    f5d6c3d3c4...   -12   8a   Anna - Bo
    --OOO------O-----XXX-------XX------XX-------X------------------- X;b4...

A game from a set-up position has the board before it: 64 squares, the side to move and `;`, as Edax writes it.
Behind the moves stands nothing, a score (black minus white) and then anything, or one of `; : , % # | "` and then
anything. `8a`, with or without a score before it, marks anti-Othello, where the score is white minus black. Whatever
else stands there is an error, or a damaged move would go unnoticed with all that follow it.
Blank lines and lines that begin with `#` or `%` are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from othello_engine.errors import IllegalMoveError
from othello_engine.formats.game import ANTI_TYPE, STANDARD_START, Game, GameError, Result, bare_moves
from othello_engine.formats.recorded import OnError, excerpt, report
from othello_engine.notation import BYTE_ORDER_MARK, parse_move
from othello_engine.position import Position
from othello_engine.types import N_SQUARES, square_name

_MOVE = r"(?:[a-h][1-8]|pass|pa|ps|(?<!-)--(?!-)|@@@@|0000(?!\d))"
_ONE_MOVE = re.compile(_MOVE, re.IGNORECASE | re.ASCII)
_NUMBER = rf"(?<!\d)\d{{1,3}}(?:\.+|(?=\s*{_MOVE}))"
_MOVES = re.compile(rf"(?:\s*+(?:{_NUMBER}\s*+)?+(?:[+-](?=\s*{_MOVE})\s*+)?+{_MOVE})*+", re.IGNORECASE | re.ASCII)
_REMARK = re.compile(r"\s*(?:$|(?<!\S)[+-]?\d|[;:,%#|\"])", re.ASCII)
_BOARD = re.compile(r"([-._XOxo*]{64}\s*[XOxo*])\s*;", re.ASCII)
_SCORE = re.compile(r"([+-]?\d{1,2})(?![^\s;:,%#|\"])", re.ASCII)
_ANTI = re.compile(rf"{ANTI_TYPE}(?![^\s;:,%#|\"])", re.ASCII | re.IGNORECASE)
_MARKS = " \t\r\n;:,%#|"

_SQUARES = {square_name(square): square for square in range(N_SQUARES)}
_SQUARES |= {name.upper(): square for name, square in _SQUARES.items()}

MAX_LINE_CHARACTERS = 1 << 16


def read_text(lines: Iterable[str], on_error: OnError | None = None) -> Iterator[Game]:
    """The games of a file's lines, one by one, as they are read.

    Raises GameError, which names game, line and move. on_error: takes that instead, and the reading goes on.
    """
    number = 0
    for line_number, line in enumerate(lines, 1):
        text = (line.removeprefix(BYTE_ORDER_MARK) if line_number == 1 else line).strip()
        if not text or text[0] in "#%":
            continue
        number += 1
        try:
            game = parse_line(text)
        except GameError as error:
            report(error, number, f"line {line_number}", on_error)
        else:
            yield game


def parse_line(line: str) -> Game:
    """The game of one line. Raises GameError, which names the move.

    >>> game = parse_line("1. F5 D6 2. C3  +12 Anna - Bo")
    >>> game.transcript, game.stated.score, game.comment
    ('f5d6c3', 12, 'Anna - Bo')
    """
    text = line.strip()
    board = _BOARD.match(text)
    start = Position.from_text(board[1]) if board else STANDARD_START
    match = _MOVES.match(text, board.end() if board else 0)
    assert match is not None  # which may be empty
    written = _ONE_MOVE.findall(match[0])
    rest = text[match.end() :]
    if not (written or board) or not _REMARK.match(text, match.end()):
        what = "move" if not written else f"move {len(written) + 1}"
        raise GameError(f"{what}: {excerpt(_first_word(rest))} is neither a move nor a score")
    stated: Result | None = None
    remark = rest.strip(_MARKS)
    score = _SCORE.match(remark)
    if score and abs(int(score[1])) <= N_SQUARES:
        stated = Result.of_score(int(score[1]))
        remark = remark[score.end() :].strip(_MARKS)
    anti = _ANTI.match(remark)
    if anti:
        remark = remark[anti.end() :].strip(_MARKS)
    moves = bare_moves([_square(each) for each in written])
    try:
        return Game(start, moves, stated=stated, match_type=ANTI_TYPE if anti else "", comment=remark)
    except IllegalMoveError as error:
        reason = str(error).partition(" (")[0]
        raise GameError(f"move {error.index}, {written[error.index - 1]}: {reason}") from None


def _first_word(text: str) -> str:
    words = text.split(maxsplit=1)
    return words[0] if words else ""


def _square(text: str) -> int:
    square = _SQUARES.get(text)
    return parse_move(text) if square is None else square


def format_line(game: Game) -> str:
    """The moves and, if it is known, the score; without a line end. Raises GameError for a game of neither."""
    board = "" if game.start == STANDARD_START else f"{game.start.to_text()};"
    if not game.moves and not board:
        raise GameError("a game without moves can't be written as a line of moves")
    result = game.result
    score = "" if result is None or result.score is None else f" {round(result.score):+d}"
    return f"{board}{game.transcript}{score}{f' {ANTI_TYPE}' if game.is_anti else ''}"
