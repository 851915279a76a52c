"""Openings: where games begin. Read from a file, or made by random moves. Those of Othello; files of any game."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from othello_engine.formats.transcript import format_moves
from othello_engine.notation import BLACK_SYMBOLS, BYTE_ORDER_MARK, EMPTY_SYMBOLS, WHITE_SYMBOLS, scan_moves
from othello_engine.position import Position
from othello_engine.types import N_SQUARES

_BOARD_SYMBOLS = frozenset(BLACK_SYMBOLS + WHITE_SYMBOLS + EMPTY_SYMBOLS)
_COMMENTS = ("#", "%", "//")


class OpeningsError(Exception):
    """A file of openings that can't be used; the text names file and line."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The first moves of a game from a position, forced passes included, and the position after them."""

    start: Position
    moves: tuple[int, ...]
    position: Position
    name: str = ""

    @classmethod
    def of(cls, moves: str, start: Position | None = None, name: str = "") -> Opening:
        """Raises IllegalMoveError; ValueError if nothing is left to play."""
        first = start or Position.start()
        steps = first.follow(moves)
        position = steps[-1][1] if steps else first
        if position.is_over:
            raise ValueError("the game is over after the opening")
        return cls(first, tuple([move for move, _ in steps]), position, name)

    @property
    def text(self) -> str:
        """`f5d6c3`, empty for the start, or the board and the moves behind it."""
        moves = format_moves(self.moves)
        return moves if self.start == Position.start() else f"{self.start.to_text()} {moves}".rstrip()

    @property
    def line(self) -> str:
        """As `parse_opening` reads it back."""
        separator = " " if self.start == Position.start() else "; "
        return f"{self.text}{separator}{self.name}".rstrip("; ")


class _HasPosition(Protocol):
    @property
    def position(self) -> Hashable: ...


_O = TypeVar("_O", bound=_HasPosition)


def read_openings(path: Path) -> list[Opening]:
    """All openings of a file of Othello, see `read_lines` and `parse_opening`. Raises OpeningsError."""
    return read_lines(path, parse_opening)


def read_lines(path: Path, parse: Callable[[str], _O]) -> list[_O]:
    """All openings of a file, one a line; `.gz` is unpacked. Raises OpeningsError.

    parse: raises ValueError for a line that is none. Empty lines and those that begin with `#`, `%` or `//` are
    skipped, and positions that came before: they would be the same games once more.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    found: dict[Hashable, _O] = {}
    try:
        with opener(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.removeprefix(BYTE_ORDER_MARK).strip()
                if line and not line.startswith(_COMMENTS):
                    try:
                        opening = parse(line)
                    except ValueError as error:  # OthelloErrors about positions and moves are ValueErrors too
                        raise OpeningsError(f"{path}, line {number}: {error}") from None
                    found.setdefault(opening.position, opening)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise OpeningsError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not found:
        raise OpeningsError(f"{path}: no opening in it")
    return list(found.values())


def parse_opening(line: str) -> Opening:
    """The opening of one line: a transcript, which may have blanks, or a board of 64 squares and the side to move, as
    in OBF files, perhaps with moves; what stands behind is its name. Raises ValueError; errors of boards and moves are
    such.
    """
    if len(line) > N_SQUARES and _BOARD_SYMBOLS.issuperset(line[:N_SQUARES]):
        board, _, rest = line.partition(";")
        side, *moves = board[N_SQUARES:].split() or [""]
        start = Position.from_text(f"{board[:N_SQUARES]} {side}".rstrip())
        return Opening.of(" ".join(moves), start, rest.rpartition(";")[2].strip())
    words = line.split()
    n_moves = next((i for i, word in enumerate(words) if not _is_moves(word)), len(words))
    if not n_moves:
        raise ValueError(f"{words[0][:40]!a} is neither moves nor a board")
    return Opening.of(" ".join(words[:n_moves]), name=" ".join(words[n_moves:]))


def _is_moves(word: str) -> bool:
    return all(each.move is not None for each in scan_moves(word))


def drawn(openings: list[_O], seed: int) -> list[_O]:
    """The openings in the order that the seed gives. A shorter match plays the first ones of a longer one."""
    order = list(openings)
    random.Random(seed).shuffle(order)
    return order


def random_openings(n_moves: int, seed: int) -> Iterator[Opening]:
    """Different positions after so many random moves, one after another, for as long as new ones are found."""
    source = random.Random(seed)
    seen: set[Position] = set()
    in_vain = 0
    while in_vain < 1000:
        in_vain += 1
        position = Position.start()
        moves: list[int] = []
        while len(moves) < n_moves and not position.is_over:
            moves.append(source.choice(position.legal_moves))
            position = position.play(moves[-1])
        if position not in seen and not position.is_over:
            seen.add(position)
            in_vain = 0
            yield Opening(Position.start(), tuple(moves), position)
