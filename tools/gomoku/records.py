"""Positions with known answers, and puzzles, as they lie in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from othello_engine.errors import IllegalMoveError
from othello_engine.gomoku.position import GomokuPosition, parse_cell

SUITE_SIZE, PUZZLE_SIZE = 15, 20
"""Cells on a side of the boards in both kinds of files."""

CLASSES = (
    *("state", "win1", "nowin1", "block1", "lost", "openfour", "doublefour", "fourthree", "doublethree"),
    *("defend3", "only", "vcf", "vcf-only", "vct"),
)
"""Of the positions with known answers."""


class RecordsError(Exception):
    """A file that can't be used; the text names file and line."""


@dataclass(frozen=True, slots=True)
class Record:
    """A position and what is known of it.

    kind: one of CLASSES. moves: all stones, black first. answers: accepted cells; of a `state` none. state: `over B`,
    `over W` or `ongoing`; empty for the other kinds. win: plies to the five, both sides counted, negative if the side
    to move loses; None if nothing is claimed. is_exact: no shorter win is possible.
    """

    name: str
    kind: str
    moves: tuple[int, ...]
    position: GomokuPosition
    answers: tuple[int, ...] = ()
    state: str = ""
    win: int | None = None
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which the side to move wins by continuous fours.

    n_fours: its moves until the five is on the board, the five included. line: such a line, both sides, without the
    last two plies where they are clear. number: line of the file.
    """

    number: int
    moves: tuple[int, ...]
    position: GomokuPosition
    n_fours: int
    line: tuple[int, ...]

    @property
    def plies(self) -> int:
        """To the five, both sides counted."""
        return 2 * self.n_fours - 1


_R = TypeVar("_R")


def read_suite(path: Path) -> list[Record]:
    """Records of seven fields between ` | `: name, class, moves, answers, win, two for people. Raises RecordsError."""
    return _read(path, _parse_record)


def read_puzzles(path: Path) -> list[Puzzle]:
    """Puzzles of three fields between TABs: own moves to the five, moves, winning line. Raises RecordsError."""
    return _read(path, _parse_puzzle)


def _read(path: Path, parse: Callable[[int, str], _R]) -> list[_R]:
    found = []
    try:
        for number, line in _lines(path):
            try:
                found.append(parse(number, line))
            except (ValueError, IndexError) as error:
                raise RecordsError(f"{path}, line {number}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecordsError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not found:
        raise RecordsError(f"{path}: nothing in it")
    return found


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                yield number, line.rstrip("\r\n")


def _position(moves: str, size: int) -> tuple[tuple[int, ...], GomokuPosition]:
    start = GomokuPosition.start(size)
    steps = start.follow(moves)
    return tuple([move for move, _ in steps]), steps[-1][1] if steps else start


def _parse_record(number: int, line: str) -> Record:
    fields = [field.strip() for field in line.split(" | ")]
    if len(fields) != 7:
        raise ValueError(f"7 fields are needed, not {len(fields)}")
    name, kind, text, answers, win = fields[:5]
    if kind not in CLASSES:
        raise ValueError(f"no such class: {kind!a}")
    moves, position = _position(text, SUITE_SIZE)
    if kind == "state":
        if answers not in ("over B", "over W", "ongoing"):
            raise ValueError(f"no such state: {answers!a}")
        return Record(name, kind, moves, position, state=answers)
    if position.is_over:
        raise ValueError("the game is over")
    cells = [each.partition(":")[0] for each in answers.split(",")] if answers != "-" else []
    return Record(
        name,
        kind,
        moves,
        position,
        tuple([_legal(position, cell) for cell in cells]),
        win=None if win == "-" else int(win.removeprefix("<=")),
        is_exact=win not in ("-", "") and not win.startswith("<="),
    )


def _legal(position: GomokuPosition, name: str) -> int:
    cell = parse_cell(name, position.size)
    if cell not in position.legal_moves:
        raise IllegalMoveError(f"an answer is no legal move ({name})", name)
    return cell


def _parse_puzzle(number: int, line: str) -> Puzzle:
    n_fours, text, winning = line.split("\t")
    moves, position = _position(text, PUZZLE_SIZE)
    if position.is_over or int(n_fours) < 1:
        raise ValueError("the game is over")
    steps = position.follow(winning)
    if not steps:
        raise ValueError("no winning line")
    return Puzzle(number, moves, position, int(n_fours), tuple([move for move, _ in steps]))
