"""The `phased` evaluations written from their documentation, to be obvious: boards as lists, squares as pairs.

Built on the rules of `tests/oracle.py`; nothing here comes from the engine. The weights are those of docs/phased.md.
"""

from __future__ import annotations

from tests.oracle import (
    ALL_SQUARES,
    CORNERS,
    EMPTY,
    Board,
    Square,
    beside,
    discs,
    frontier,
    moves,
    never_turned_on_edge,
    other,
)

TERMS = ("mobility", "frontier", "corners", "stability", "parity", "discs")

OTHELLO = {
    "opening": (113, -103, 1717, 62, 0, 0),
    "middle": (148, -130, 985, 125, 0, 0),
    "end": (202, -65, 173, 94, 357, 2),
}
ANTI_OTHELLO = {
    "opening": (30, -9, -596, -128, 0, 0),
    "middle": (37, -65, -459, -68, 0, 0),
    "end": (94, -33, -227, -62, -116, -16),
}
"""Hundredths of a disc for each unit of the terms, in the order of TERMS."""

_ROWS = [[(row, column) for column in range(8)] for row in range(8)]
_COLUMNS = [[(row, column) for row in range(8)] for column in range(8)]
_FALLING = [[square for square in ALL_SQUARES if square[0] - square[1] == k] for k in range(-7, 8)]
_RISING = [[square for square in ALL_SQUARES if square[0] + square[1] == k] for k in range(15)]
_EDGES = [_ROWS[0], _ROWS[7], _COLUMNS[0], _COLUMNS[7]]
_DIRECTIONS = [(_ROWS, (0, 1)), (_COLUMNS, (1, 0)), (_FALLING, (1, 1)), (_RISING, (1, -1))]
"""The lines of each direction, and the step along them."""


def n_empties(board: Board) -> int:
    return sum(row.count(EMPTY) for row in board)


def phase(board: Board) -> str:
    if n_empties(board) > 44:
        return "opening"
    return "middle" if n_empties(board) > 20 else "end"


def stable(board: Board, colour: str) -> set[Square]:
    """Discs known to stay: those of an edge that no moves along it can turn, and those whose four lines are each full
    or go on, on one side, with a disc known to stay; off the edge, a disc known to stay needs no line to be full."""
    found = set()
    for edge in _EDGES:
        kept = never_turned_on_edge("".join(board[row][column] for row, column in edge))
        found |= {square for square, symbol in zip(edge, kept, strict=True) if symbol == colour}

    def is_full(lines: list[list[Square]], square: Square) -> bool:
        (line,) = [each for each in lines if square in each]
        return all(board[row][column] != EMPTY for row, column in line)

    own = set(discs(board, colour))
    found |= {square for square in own if all(is_full(lines, square) for lines, _ in _DIRECTIONS)}
    inner = {(row, column) for row, column in own if 1 <= row <= 6 and 1 <= column <= 6}
    while True:
        joining = {
            (row, column)
            for row, column in inner - found
            if all(
                is_full(lines, (row, column))
                or (row + down, column + right) in found
                or (row - down, column - right) in found
                for lines, (down, right) in _DIRECTIONS
            )
        }
        if not joining:
            return found
        found |= joining


def regions(board: Board) -> list[set[Square]]:
    """The empties, those together that touch each other, corner to corner too."""
    left = {square for square in ALL_SQUARES if board[square[0]][square[1]] == EMPTY}
    found = []
    while left:
        region, border = set(), {left.pop()}
        while border:
            region |= border
            border = {near for square in border for near in beside(*square) if near in left}
            left -= border
        found.append(region)
    return found


def regions_of_its_own(board: Board, colour: str) -> int:
    """How many odd regions this side can enter and the other can't."""
    own, their = set(moves(board, colour)), set(moves(board, other(colour)))
    return sum(1 for region in regions(board) if len(region) % 2 == 1 and region & own and not region & their)


def terms(board: Board, colour: str) -> dict[str, int]:
    """The differences, `colour` less the other side, without weights."""

    def counts(side: str) -> list[int]:
        return [
            len(moves(board, side)),
            len(frontier(board, side)),
            sum(1 for row, column in CORNERS if board[row][column] == side),
            len(stable(board, side)),
            regions_of_its_own(board, side) if phase(board) == "end" else 0,
            len(discs(board, side)),
        ]

    pairs = zip(TERMS, counts(colour), counts(other(colour)), strict=True)
    return {term: own - their for term, own, their in pairs}


def evaluate(board: Board, colour: str, table: dict[str, tuple[int, ...]]) -> int:
    """Hundredths of a disc for `colour`, the side to move, by OTHELLO's or ANTI_OTHELLO's weights."""
    found = terms(board, colour)
    return sum(weight * found[term] for term, weight in zip(TERMS, table[phase(board)], strict=True))
