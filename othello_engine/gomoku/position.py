"""A Gomoku position as a value: the stones, whose turn it is, and what the rules of freestyle say about it.

Immutable, hashable, and free of Numba. Five or more in a row win, nothing is forbidden, a full board is a draw.

>>> position = GomokuPosition.start().play("h8").play("i9")
>>> position.side == BLACK, position.size, position.n_empties
(True, 15, 223)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from othello_engine.errors import BoardError, IllegalMoveError, PositionError
from othello_engine.notation import BLACK_SYMBOLS, EMPTY_SYMBOLS, SIDE_NAMES, SIDE_SYMBOLS, WHITE_SYMBOLS, parse_side
from othello_engine.types import BLACK, WHITE

SMALLEST, LARGEST = 10, 20
"""Sizes of boards that can be played on."""
USUAL_SIZE = 15
NO_CELL = -1
"""No move at all: the game is over, or none is known."""

EMPTY, BLACK_STONE, WHITE_STONE, BLOCKED = range(4)
"""What a cell holds. Nobody can play on a blocked cell, and no row runs over it."""
STONES = (BLACK_STONE, WHITE_STONE)
"""The stone of BLACK and that of WHITE."""

_SYMBOLS = "-XO#"
_CONTENTS = {
    **dict.fromkeys(EMPTY_SYMBOLS, EMPTY),
    **dict.fromkeys(BLACK_SYMBOLS, BLACK_STONE),
    **dict.fromkeys(WHITE_SYMBOLS, WHITE_STONE),
    "#": BLOCKED,
}
_MOVE = re.compile(r"([a-z])([1-9][0-9]?)")


def cell_name(cell: int, size: int) -> str:
    """`a1` for the upper left cell, `b1` to the right of it: a letter for the column, a number for the row.

    cell: row * size + column, or NO_CELL, which is `none`. ValueError otherwise.
    """
    if cell == NO_CELL:
        return "none"
    if not 0 <= cell < size * size:
        raise ValueError(f"no such cell: {cell}")
    row, column = divmod(cell, size)
    return f"{chr(ord('a') + column)}{row + 1}"


def parse_cell(text: str, size: int) -> int:
    """The cell of a name in any case, row * size + column; ValueError otherwise."""
    found = _MOVE.fullmatch(text.lower())
    if found is not None and text.isascii():
        column, row = ord(found[1]) - ord("a"), int(found[2]) - 1
        if column < size and row < size:
            return row * size + column
    raise ValueError(f"not a cell: {text!a}")


def scan_cells(text: str) -> list[str]:
    """The names of cells of a text in which they stand one after another, with white space or commas or without:
    `h8i7g6`. What is no name comes out as it stands."""
    return re.findall(r"[a-zA-Z][0-9]{1,2}|[^\s,]+?(?=[a-zA-Z][0-9]|[\s,]|$)", text)


@dataclass(frozen=True, slots=True, repr=False)
class GomokuPosition:
    """Stones on a square board and the side to move.

    size: cells on a side, SMALLEST to LARGEST. cells: one byte each, row by row from the top: EMPTY, BLACK_STONE,
    WHITE_STONE, BLOCKED. side: BLACK or WHITE. Any board makes a position, however many stones each side has, with a
    finished game or without. Raises PositionError for what is none.
    """

    NO_MOVE: ClassVar[int] = NO_CELL

    size: int
    cells: bytes
    side: int = BLACK
    winner: int | None = field(init=False, compare=False, default=None)
    """BLACK or WHITE if there is a row of five; both is BLACK, which only a set-up board can have."""

    def __post_init__(self) -> None:
        if not SMALLEST <= self.size <= LARGEST:
            raise PositionError(f"a board has {SMALLEST} to {LARGEST} cells on a side, not {self.size}")
        if self.side not in (BLACK, WHITE):
            raise PositionError(f"the side to move is BLACK or WHITE, not {self.side!r}")
        if len(self.cells) != self.size**2 or any(cell > BLOCKED for cell in self.cells):
            raise PositionError(f"a board of {self.size} needs {self.size**2} cells of 0 to {BLOCKED}")
        for side in (WHITE, BLACK):
            stones = (cell for cell, content in enumerate(self.cells) if content == STONES[side])
            if any(self._has_five(cell, STONES[side]) for cell in stones):
                object.__setattr__(self, "winner", side)

    # -- ways in ---------------------------------------------------------------------------------------------

    @classmethod
    def start(cls, size: int = USUAL_SIZE) -> GomokuPosition:
        """The empty board, Black to move."""
        return cls(size, bytes(size * size))

    @classmethod
    def from_text(cls, text: str, default_side: int | None = None) -> GomokuPosition:
        """The position of a board text: the cells row by row from a1, then the side to move.

        Black is `X x * B b`, white `O o W w`, empty `- . _`, blocked `#`; white space doesn't count. The number of
        cells tells the size. The side may be left out only if `default_side` is given. Raises BoardError, which names
        the column.

        >>> GomokuPosition.from_text("-" * 112 + "X" + "-" * 112 + " O") == GomokuPosition.start().play("h8")
        True
        """
        symbols = [(column, symbol) for column, symbol in enumerate(text, 1) if not symbol.isspace()]
        end = symbols[-1][0] + 1 if symbols else 1
        words = text.split()
        side_text = words[-1] if len(words) > 1 and len(words[-1]) != len(words[0]) else ""
        try:
            side = parse_side(side_text) if side_text else default_side
        except ValueError:
            side, side_text = default_side, ""
        board = symbols[: len(symbols) - len(side_text)]
        if not side_text and side is None and _size_of(len(board) - 1) is not None and _size_of(len(board)) is None:
            side_text = board.pop()[1]  # written without a space
            try:
                side = parse_side(side_text)
            except ValueError:
                problem = f"{side_text!a} is no side to move; write X or O (column {end - 1})"
                raise BoardError(problem, end - 1) from None
        contents = bytearray()
        for column, symbol in board:
            content = _CONTENTS.get(symbol)
            if content is None:
                problem = f"{symbol!a} is no cell; write X, O, - or # (column {column})"
                raise BoardError(problem, column)
            contents.append(content)
        size = _size_of(len(contents))
        if size is None:
            problem = f"{len(contents)} cells are no square of {SMALLEST} to {LARGEST} (column {end})"
            raise BoardError(problem, end)
        if side is None:
            raise BoardError(f"no side to move behind the board; write X or O (column {end})", end)
        return cls(size, bytes(contents), side)

    @classmethod
    def from_moves(cls, moves: str | Iterable[str], size: int = USUAL_SIZE) -> GomokuPosition:
        """The position after these moves from the empty board.

        >>> GomokuPosition.from_moves("h8i7g6").n_empties
        222
        """
        start = cls.start(size)
        steps = start.follow(moves)
        return steps[-1][1] if steps else start

    # -- ways out --------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """A character `X`, `O`, `-` or `#` for each cell, a space, the side: what `from_text` reads back."""
        return f"{''.join(_SYMBOLS[content] for content in self.cells)} {SIDE_SYMBOLS[self.side]}"

    def diagram(self) -> list[str]:
        """The board as lines of text, row 1 on top; a last line with the side to move and the stones, black first."""
        letters = "   " + " ".join(chr(ord("a") + column) for column in range(self.size))
        rows = []
        for row in range(self.size):
            cells = self.cells[row * self.size : (row + 1) * self.size]
            rows.append(f"{row + 1:2} {' '.join(_SYMBOLS[content] for content in cells)} {row + 1}")
        state = f"{SIDE_NAMES[self.side]} ({SIDE_SYMBOLS[self.side]}) to move"
        if self.winner is not None:
            state = f"game over, {SIDE_NAMES[self.winner]} wins"
        elif self.is_over:
            state = "game over, a draw"
        return [letters, *rows, letters, f"{state}, {self.n_stones(BLACK)}-{self.n_stones(WHITE)}"]

    def __str__(self) -> str:
        return "\n".join(self.diagram())

    def __repr__(self) -> str:
        return f"GomokuPosition.from_text({self.to_text()!r})"

    def parse_move(self, text: str) -> int:
        """The cell of a name in any case; ValueError if this board has none of that name."""
        return parse_cell(text, self.size)

    def move_name(self, move: int) -> str:
        """`h8` for a cell of this board, `none` for NO_CELL."""
        return cell_name(move, self.size)

    # -- stones ----------------------------------------------------------------------------------------------

    @property
    def n_empties(self) -> int:
        """Cells that can still be played on."""
        return self.cells.count(EMPTY)

    def n_stones(self, side: int) -> int:
        """Stones of BLACK or WHITE."""
        return self.cells.count(STONES[side])

    # -- rules -----------------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """True if somebody has five in a row, or no cell is empty."""
        return self.winner is not None or EMPTY not in self.cells

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """The empty cells in order, or none if the game is over."""
        if self.winner is not None:
            return ()
        return tuple(cell for cell, content in enumerate(self.cells) if content == EMPTY)

    def play(self, move: int | str) -> GomokuPosition:
        """The position after a move, a cell or its name. Raises IllegalMoveError, which names it."""
        if isinstance(move, str):
            try:
                cell = parse_cell(move, self.size)
            except ValueError:
                raise IllegalMoveError(f"no cell of this board ({move!a})", move) from None
        else:
            cell = move
            if not 0 <= cell < len(self.cells):
                raise IllegalMoveError(f"no cell of this board ({cell})", str(cell))
        name = self.move_name(cell)
        if self.winner is not None:
            raise IllegalMoveError(f"the game is over ({name})", name)
        if self.cells[cell] != EMPTY:
            raise IllegalMoveError(f"not an empty cell ({name})", name)
        cells = bytearray(self.cells)
        cells[cell] = STONES[self.side]
        return self._with(bytes(cells), 1 - self.side, cell)

    def follow(self, moves: str | Iterable[str]) -> list[tuple[int, GomokuPosition]]:
        """Each move of a text or a list, with the position after it. IllegalMoveError names the first that is none."""
        position, steps = self, []
        for index, name in enumerate(scan_cells(moves) if isinstance(moves, str) else moves, 1):
            try:
                position = position.play(name)
            except IllegalMoveError as error:
                text = f"{str(error).rpartition(' (')[0]} (move {index}: {name})"
                raise IllegalMoveError(text, error.move, index) from None
            steps.append((parse_cell(name, self.size), position))
        return steps

    def with_side(self, side: int) -> GomokuPosition:
        """The same board with BLACK or WHITE to move."""
        return GomokuPosition(self.size, self.cells, side)

    def _with(self, cells: bytes, side: int, move: int) -> GomokuPosition:
        """After a move: only rows through its cell can be new."""
        after = object.__new__(GomokuPosition)
        stone = cells[move]
        for name, value in (("size", self.size), ("cells", cells), ("side", side), ("winner", None)):
            object.__setattr__(after, name, value)
        if after._has_five(move, stone):
            object.__setattr__(after, "winner", STONES.index(stone))
        return after

    def _has_five(self, cell: int, stone: int) -> bool:
        """True if `stone`, which lies on `cell`, is part of a row of five or more."""
        for step in ((0, 1), (1, 0), (1, 1), (1, -1)):
            there = sum(1 for _ in self._run(cell, step, stone))
            back = sum(1 for _ in self._run(cell, (-step[0], -step[1]), stone))
            if there + back >= 4:
                return True
        return False

    def _run(self, cell: int, step: tuple[int, int], stone: int) -> Iterator[int]:
        """The cells with `stone` that follow `cell` without a gap."""
        row, column = divmod(cell, self.size)
        while True:
            row, column = row + step[0], column + step[1]
            if not (0 <= row < self.size and 0 <= column < self.size):
                return
            if self.cells[row * self.size + column] != stone:
                return
            yield row * self.size + column


def _size_of(n_cells: int) -> int | None:
    """The side of a board of so many cells; None if there is no such board."""
    return next((size for size in range(SMALLEST, LARGEST + 1) if size * size == n_cells), None)
