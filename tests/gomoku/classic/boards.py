"""Boards for these tests: from text, at random, and the records of the published list of positions."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from othello_engine.gomoku.position import GomokuPosition, parse_cell
from othello_engine.gomoku.task import GomokuTask
from tests.gomoku.classic.oracle import Board

SOME_RECORDS = Path(__file__).with_name("records.txt")
"""A few of the list, each class at least once."""
ALL_RECORDS = Path(__file__).parents[4] / "shared" / "data" / "gomoku" / "peer-positions.txt"

SYMBOLS = "-XO#"


@dataclass(frozen=True)
class Record:
    """A line of the list. answers: names of cells, `over B`, `over W` or `ongoing`. win: as written."""

    name: str
    kind: str
    position: GomokuPosition
    answers: frozenset[str]
    win: str


def records(path: Path) -> list[Record]:
    """The records of a file; none if there is no such file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        if line.startswith("#"):
            continue
        name, kind, moves, answers, win, *_ = (part.strip() for part in line.split("|"))
        stones = bytearray(225)
        names = _names(moves)
        for index, cell in enumerate(names):
            stones[parse_cell(cell, 15)] = 1 + index % 2
        listed = frozenset(answer.split(":")[0] for answer in answers.split(",") if answer != "-")
        found.append(Record(name, kind, GomokuPosition(15, bytes(stones), len(names) % 2), listed, win))
    return found


def _names(moves: str) -> list[str]:
    names: list[str] = []
    for symbol in moves:
        if symbol.isalpha():
            names.append(symbol)
        else:
            names[-1] += symbol
    return names


def task_of(position: GomokuPosition, depth: int, **rest: Any) -> GomokuTask:
    """A task for this position."""
    return GomokuTask(position.size, position.cells, position.side, depth, **rest)


def board_of(position: GomokuPosition) -> Board:
    """The oracle's board."""
    text = [SYMBOLS[content] for content in position.cells]
    return [text[row * position.size : (row + 1) * position.size] for row in range(position.size)]


def place_rows(rows: dict[int, str], size: int = 15, side: int = 0) -> GomokuPosition:
    """A position from some of its rows (from 0 on); the others are empty, as is what a text leaves out."""
    lines = [rows.get(row, "").ljust(size, "-") for row in range(size)]
    return GomokuPosition(size, bytes(SYMBOLS.index(symbol) for symbol in "".join(lines)), side)


def random_position(
    seed: int, size: int, stones: int, spread: int, blocked: int = 0, five: bool = True, walls: bool = False
) -> GomokuPosition:
    """Stones at random in a square of `spread` cells, with blocked cells among them. five: there may be one. walls: all
    cells outside the square are blocked, so that little is left to look at."""
    lots = random.Random(seed)
    while True:
        row, column = (lots.randrange(size - spread + 1) for _ in range(2))
        square = [(row + r) * size + column + c for r in range(spread) for c in range(spread)]
        cells = bytearray(size * size)
        if walls:
            cells = bytearray(0 if cell in square else 3 for cell in range(size * size))
        for index, cell in enumerate(lots.sample(square, min(len(square), stones + blocked))):
            cells[cell] = 3 if index < blocked else 1 + index % 2
        position = GomokuPosition(size, bytes(cells), lots.randrange(2))
        if five or position.winner is None:
            return position
