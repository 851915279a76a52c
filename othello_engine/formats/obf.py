"""OBF: files of test positions, one a line, with the scores of their moves.

    <64 squares> <side>; MOVE:SCORE; MOVE:SCORE; ...; comment

A line may also carry the value of the position alone (`...; +8`), or nothing but the board. Lines that begin
with `%` and blank lines are skipped. The list of moves need not be complete or sorted in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from othello_engine.errors import BoardError, PositionError
from othello_engine.notation import BYTE_ORDER_MARK, parse_move
from othello_engine.position import Position
from othello_engine.types import N_SQUARES, PASS, square_name

_MOVE_FIELD = re.compile(r"(?P<move>[^\s:]{2,4})\s*:\s*(?P<score>\S.*)?$", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d{1,4}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ObfRecord:
    """One position of a test file.

    scores: (move, discs) as far as the file lists them, best first, from the side to move's view. A move
    that is missing is of unknown value. value: the score of the position itself, as given or else the best
    of `scores`; None if the line has neither. line_number: 1-based, 0 for a record not read from a file.
    """

    position: Position
    scores: tuple[tuple[int, int], ...] = ()
    value: int | None = None
    comment: str = ""
    line_number: int = 0

    @property
    def best_moves(self) -> tuple[int, ...]:
        """The listed moves of the highest score."""
        return tuple(move for move, score in self.scores if score == self.scores[0][1])

    def score_of(self, move: int) -> int | None:
        """What the file says about a move; None if it doesn't list it."""
        return dict(self.scores).get(move)


def read_obf(lines: Iterable[str], on_error: Callable[[PositionError], None] | None = None) -> Iterator[ObfRecord]:
    """The records of a file's lines, one by one, as they are read.

    lines: an open text file will do. Raises PositionError (BoardError for a bad board) naming line and field.
    on_error: takes that instead, and the reading goes on with the next line.
    """
    for line_number, line in enumerate(lines, 1):
        if line_number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        if line.strip() and not line.lstrip().startswith("%"):
            try:
                record = parse_obf_line(line, line_number)
            except PositionError as error:
                if on_error is None:
                    raise
                on_error(error)
            else:
                yield record


def open_obf(path: Path | str) -> Iterator[ObfRecord]:
    """The records of a file; LF, CRLF or CR, UTF-8 with or without a byte order mark.

    The file is opened when the first record is asked for, and raises OSError then.
    """
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        yield from read_obf(file)


def parse_obf_line(line: str, line_number: int = 0) -> ObfRecord:
    """The record of one line.

    Raises PositionError naming the line and the field (the board is field 1), or BoardError with the column.
    """
    board, *fields = line.split(";")
    try:
        position = Position.from_text(board)
    except BoardError as error:
        raise BoardError(f"line {line_number}, field 1: {error}", error.column) from None

    scores: dict[int, int] = {}
    value: int | None = None
    comment = ""
    for index, raw in enumerate(fields, 2):
        field = raw.strip()
        where = f"line {line_number}, field {index}"
        if not field:
            continue
        if field.startswith("%"):
            comment = ";".join(fields[index - 2 :]).strip()
            break
        move_field = _MOVE_FIELD.match(field)
        if move_field:
            move = _parse_listed_move(move_field["move"], position, where)
            if move == PASS and not position.must_pass:
                continue  # `--:-127`, a filler of some collections: says nothing about this position
            if move in scores:
                raise PositionError(f"{where}: {square_name(move)} is listed twice")
            scores[move] = _parse_score(move_field["score"] or "", where)
        elif _NUMBER.fullmatch(field):
            if value is not None:
                raise PositionError(f"{where}: a second value {field!a} for the position")
            value = _parse_score(field, where)
        elif index == len(fields) + 1:
            comment = field
        else:
            raise PositionError(f"{where}: {field!a} is neither MOVE:SCORE nor a number")

    best_first = tuple(sorted(scores.items(), key=lambda item: -item[1]))
    if value is None and best_first:
        value = best_first[0][1]
    return ObfRecord(position, best_first, value, comment, line_number)


def format_obf(record: ObfRecord) -> str:
    """One line without its end, in the form that `parse_obf_line` and other programs read.

    The value is written only where no move scores imply it.
    """
    fields = [record.position.to_text()]
    fields += [f"{'--' if move == PASS else square_name(move)}:{score:+d}" for move, score in record.scores]
    if record.value is not None and (not record.scores or record.value != record.scores[0][1]):
        fields.append(f"{record.value:+d}")
    line = "; ".join(fields) + ";"
    return f"{line} {record.comment}" if record.comment else line


def _parse_listed_move(text: str, position: Position, where: str) -> int:
    try:
        move = parse_move(text)
    except ValueError:
        raise PositionError(f"{where}: {text!a} is no move") from None
    if move != PASS and not position.legal_bitboard >> move & 1:
        raise PositionError(f"{where}: {square_name(move)} is not legal in this position")
    return move


def _parse_score(text: str, where: str) -> int:
    if not _NUMBER.fullmatch(text.strip()):
        raise PositionError(f"{where}: {text!a} is no score; a whole number of discs is needed")
    score = int(text)
    if not -N_SQUARES <= score <= N_SQUARES:
        raise PositionError(f"{where}: score {score:+d} is outside -{N_SQUARES}..{N_SQUARES}")
    return score
