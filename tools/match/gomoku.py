"""Openings of Gomoku: read in the two spellings of its managers, or made by scattered stones; and games as SGF.

Stones lie in the order in which they were played, black first, so that whoever is next has the move.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from othello_engine.gomoku.position import EMPTY, STONES, USUAL_SIZE, GomokuPosition, cell_name
from othello_engine.types import BLACK, WHITE
from tools.engines.drivers import FaultKind

if TYPE_CHECKING:
    from tools.match.record import GameRecord, Played

RANDOM_STONES = (2, 12)
"""A single stone leaves neither side in balance, and many without a three are hardly found by chance."""
_OFFSETS = re.compile(r"([-+]?\d+\s*,\s*[-+]?\d+(?:\s*,\s*[-+]?\d+\s*,\s*[-+]?\d+)*)(?![\d,])\s*(.*)")


@dataclass(frozen=True, slots=True)
class GomokuOpening:
    """The first stones of a game on the empty board, and the position after them."""

    start: GomokuPosition
    moves: tuple[int, ...]
    position: GomokuPosition
    name: str = ""

    @classmethod
    def of(cls, moves: str | Sequence[str], size: int = USUAL_SIZE, name: str = "") -> GomokuOpening:
        """Raises IllegalMoveError; ValueError if nothing is left to play."""
        start = GomokuPosition.start(size)
        steps = start.follow(moves)
        position = steps[-1][1] if steps else start
        if position.is_over:
            raise ValueError("the game is over after the opening")
        return cls(start, tuple([move for move, _ in steps]), position, name)

    @property
    def text(self) -> str:
        """`h8i7g6`, empty for the start."""
        return transcript(self.moves, self.start.size)

    @property
    def line(self) -> str:
        """As `parse_opening` reads it back."""
        return f"{self.text} {self.name}".rstrip()


def transcript(moves: Sequence[int], size: int) -> str:
    """The names of the cells one after another, without a blank."""
    return "".join([cell_name(move, size) for move in moves])


def parse_opening(line: str, size: int) -> GomokuOpening:
    """The opening of one line, for a board of this size: names of cells (`h8i7g6`, with blanks or without), or columns
    and rows counted from the cell in the middle (`0,0, 1,-1`; size // 2 in both); a name may stand behind. Raises
    ValueError; errors of moves are such.
    """
    offsets = _OFFSETS.fullmatch(line.strip())
    if offsets:
        numbers = [int(number) for number in offsets[1].split(",")]
        moves = [_at_offset(x, y, size) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
        return GomokuOpening.of(moves, size, offsets[2])
    words = line.split()
    n_moves = next((i for i, word in enumerate(words) if not _is_moves(word)), len(words))
    if not n_moves:
        raise ValueError(f"{words[0][:40] if words else ''!a} is neither names of cells nor offsets")
    return GomokuOpening.of("".join(words[:n_moves]), size, " ".join(words[n_moves:]))


def _at_offset(x: int, y: int, size: int) -> str:
    column, row = size // 2 + x, size // 2 + y
    if not (0 <= column < size and 0 <= row < size):
        raise ValueError(f"{x},{y} is not on a board of {size}")
    return cell_name(row * size + column, size)


def _is_moves(word: str) -> bool:
    """True if a word is spelled as cells are. Those of a bigger board count, so that they are named as mistakes."""
    return bool(re.fullmatch(r"(?:[a-zA-Z][1-9]\d?)+", word))


# --- random openings

_WINDOW = 5
_WEIGHTS = (0, 1, 4, 16, 64, 256)
"""What a row of five cells is worth to a colour that has so many of them, and the other none."""
_SPREAD = 7
"""Cells on a side of the square in which stones are scattered; more for more stones."""
_MARGIN = 2


def random_openings(size: int, n_stones: int, seed: int) -> Iterator[GomokuOpening]:
    """Different openings of so many stones, for as long as new ones are found; those that `is_even` takes.

    Stones lie at random in a square of seven cells, or more for many stones, which lies at random on the board, two
    cells from its edge where there is room.
    """
    source = random.Random(seed)
    seen: set[GomokuPosition] = set()
    in_vain = 0
    while in_vain < 1000:
        in_vain += 1
        opening = _scattered(source, size, n_stones)
        if opening.position not in seen and is_even(opening.position):
            seen.add(opening.position)
            in_vain = 0
            yield opening


def _scattered(source: random.Random, size: int, n_stones: int) -> GomokuOpening:
    spread = _SPREAD
    while spread**2 < 4 * n_stones:
        spread += 1
    margin = min(_MARGIN, (size - spread) // 2)
    top, left = (source.randrange(margin, size - spread - margin + 1) for _ in range(2))
    cells = [(top + row) * size + left + column for row in range(spread) for column in range(spread)]
    start = position = GomokuPosition.start(size)
    moves: list[int] = []
    for move in source.sample(cells, n_stones):
        if position.is_over:  # a five by chance; no longer even, and fit for nothing
            break
        position = position.play(move)
        moves.append(move)
    return GomokuOpening(start, tuple(moves), position)


def is_even(position: GomokuPosition) -> bool:
    """Whether both sides have about the same chances, as far as a count of open rows can tell.

    A row of five cells without a stone of the other colour is worth 1 with one stone and 4 with two. Nobody has three
    in such a row, and the side to move is behind by a sixth to a half of what its best move gains: that much was worth
    the move in 170 games of two programs from openings of 4 to 6 stones, in which those with less were mostly won by
    the side to move and those with more by the other.
    """
    rows = rows_of_five(position.size)
    worth = dict.fromkeys((BLACK, WHITE), 0)
    gains = [0] * len(position.cells)
    mover = position.side
    for row in rows:
        contents = [position.cells[cell] for cell in row]
        counts = [contents.count(stone) for stone in STONES]
        if counts[BLACK] and counts[WHITE]:
            continue
        n = max(counts)
        if n >= 3:
            return False
        owner = BLACK if counts[BLACK] else WHITE
        worth[owner] += _WEIGHTS[n]
        gain = _WEIGHTS[n + 1] - _WEIGHTS[n] if owner == mover or not n else _WEIGHTS[n]
        for cell, content in zip(row, contents, strict=True):
            if content == EMPTY:
                gains[cell] += gain
    lead, gain = worth[1 - mover] - worth[mover], max(gains)
    return gain <= 6 * lead and 2 * lead <= gain


@lru_cache
def rows_of_five(size: int) -> tuple[tuple[int, ...], ...]:
    """All rows of five cells of a board."""
    found = []
    for row in range(size):
        for column in range(size):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                end_row, end_column = row + (_WINDOW - 1) * down, column + (_WINDOW - 1) * right
                if end_row < size and 0 <= end_column < size:
                    found.append(tuple((row + i * down) * size + column + i * right for i in range(_WINDOW)))
    return tuple(found)


# --- SGF


def format_sgf(record: GameRecord, event: str, date: str) -> str:
    """A game on one line, FF[4] GM[4]: letters for column and row, `aa` in the upper left corner. A comment of a move
    tells its milliseconds, and what the program said of it.
    """
    size = record.start.size
    tags = [("SZ", str(size)), ("RU", "freestyle"), ("PB", record.black), ("PW", record.white)]
    tags += [("EV", event), ("DT", date[:10]), ("RE", _sgf_result(record))]
    comment = record.fault_line or ("" if record.ending == "played" else record.ending)
    tags.append(("GC", f"game {record.number + 1}{f', {comment}' if comment else ''}"))
    head = "".join([f"{tag}[{_escape(value)}]" for tag, value in tags if value])
    moves = [_sgf_move(each, "BW"[index % 2], size) for index, each in enumerate(record.moves)]
    return f"(;FF[4]CA[UTF-8]GM[4]{head}{''.join(moves)})"


def _sgf_result(record: GameRecord) -> str:
    if not record.score:
        return "Draw"
    how = ""
    if record.fault:
        how = {FaultKind.TIME: "T", FaultKind.RESIGNATION: "R"}.get(record.fault.kind, "F")
    return f"{'B' if record.score > 0 else 'W'}+{how}"


def _sgf_move(played: Played, colour: str, size: int) -> str:
    row, column = divmod(played.move, size)
    place = f"{chr(ord('a') + column)}{chr(ord('a') + row)}"
    said = [] if played.seconds is None else [f"{1000 * played.seconds:.0f} ms"]
    known = (("value", played.value), ("depth", played.depth), ("nodes", played.nodes))
    said += [
        f"{name} {value:g}" if name == "value" else f"{name} {value}" for name, value in known if value is not None
    ]
    comment = f"C[{', '.join(said)}]" if said else ""
    return f";{colour}[{place}]{comment}"


def _escape(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("]", "\\]")
