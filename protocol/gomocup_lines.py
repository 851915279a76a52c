"""The language of Gomocup managers and Yixin-Board: lines to values, answers to lines. Pure.

A point is `x,y`, x the column and y the row, both from 0 at the upper left corner. This is the one place where points
and cells (row * size + column) are turned into each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from othello_engine import __version__
from othello_engine.gomoku.position import LARGEST, SMALLEST, cell_name
from othello_engine.types import Score, ScoreKind, SearchInfo

NAME = "othello-engine"
UNREADABLE = "\0"
"""Begins what stands in for a line that could not be read: no line that was read has it."""
STOP_WORDS = frozenset(("YXSTOP", "STOP"))
"""Commands that end a search with the best move so far."""
QUIT_WORD = "END"
END_OF_BLOCK = "DONE"
BLOCKS = frozenset(("BOARD", "YXBOARD", "SWAP2BOARD", "YXBLOCK", "YXBLOCKUNDO"))
"""Commands that go on with a line for each point, up to END_OF_BLOCK."""

OWN, OPPONENT, DEAD = 1, 2, 3
"""Whose a stone of BOARD is; DEAD: nobody's, and nobody can play there."""

_POINT = re.compile(r"([+-]?[0-9]{1,9})\s*,\s*([+-]?[0-9]{1,9})")
_STONE = re.compile(r"([+-]?[0-9]{1,9})\s*,\s*([+-]?[0-9]{1,9})\s*(?:,\s*([+-]?[0-9]{1,9}))?")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_SHOWN = 40
"""Characters of a line that a complaint repeats."""


class RefusedError(Exception):
    """A command that is known and can't be complied with; the text says why."""


# -- lines in ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Command:
    """A command line. name: in capitals. text: what stands behind the name."""

    name: str
    text: str


def parse_command(line: str) -> Command | None:
    """The command of a line; None for a blank one.

    >>> parse_command(" turn  7, 8 ")
    Command(name='TURN', text='7, 8')
    """
    words = line.split(None, 1)
    return Command(words[0].upper(), words[1].strip() if len(words) > 1 else "") if words else None


def parse_size(text: str) -> int:
    """The side of a square board, written once, or twice as older Yixin-Boards do. Raises RefusedError.

    >>> parse_size("15"), parse_size("20 20")
    (15, 20)
    """
    numbers = [_whole(word) for word in text.split()]
    if len(numbers) not in (1, 2) or None in numbers:
        raise RefusedError(f"a size is a whole number from {SMALLEST} to {LARGEST}, not {quoted(text)}")
    size = numbers[0]
    if size != numbers[-1]:
        raise RefusedError("rectangular boards are not supported")
    if size is None or not SMALLEST <= size <= LARGEST:
        raise RefusedError(f"size {text.split()[0]} is not supported, only {SMALLEST} to {LARGEST}")
    return size


def refuse_rectangle(text: str) -> RefusedError:
    """Why RECTSTART is refused, whatever stands behind it."""
    sides = re.fullmatch(r"\s*([0-9]{1,9})\s*[,\s]\s*([0-9]{1,9})\s*", text)
    if sides is None:
        return RefusedError(f"two sides are needed, not {quoted(text)}; rectangular boards are not supported")
    if int(sides[1]) == int(sides[2]):
        return RefusedError(f"START {int(sides[1])} is the command for a square board")
    return RefusedError("rectangular boards are not supported")


def parse_point(text: str, size: int) -> int:
    """The cell of a point. Raises RefusedError.

    >>> parse_point("7,9", 15)
    142
    """
    found = _POINT.fullmatch(text)
    if found is None:
        raise RefusedError(f"a point is x,y, not {quoted(text)}")
    return _cell(int(found[1]), int(found[2]), size)


def parse_stone(text: str, size: int) -> tuple[int, int | None]:
    """The cell of a line of a block and the number behind it, if there is one. Raises RefusedError."""
    found = _STONE.fullmatch(text)
    if found is None:
        raise RefusedError(f"a stone is x,y,field, not {quoted(text)}")
    return _cell(int(found[1]), int(found[2]), size), None if found[3] is None else int(found[3])


def _cell(x: int, y: int, size: int) -> int:
    if not (0 <= x < size and 0 <= y < size):
        raise RefusedError(f"{x},{y} is not on the board")
    return y * size + x


def parse_number(text: str) -> int | None:
    """The whole number that begins a text; None if there is none."""
    words = text.split()
    return _whole(words[0]) if words else None


def _whole(word: str) -> int | None:
    return int(word) if _NUMBER.fullmatch(word) else None


def quoted(text: str) -> str:
    """A user's text in a message: ASCII, and short enough to read."""
    return ascii(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


# -- lines out ---------------------------------------------------------------------------------------------


def format_about() -> str:
    """Who this is, as managers take it apart; `name` comes first, or one of them takes the line for something else."""
    return f'name="{NAME}", version="{__version__}", author="The othello-engine developers", country="none"'


def format_point(cell: int, size: int) -> str:
    """`x,y` of a cell.

    >>> format_point(142, 15)
    '7,9'
    """
    row, column = divmod(cell, size)
    return f"{column},{row}"


def format_points(cells: Iterable[int], size: int) -> str:
    """Several points on one line."""
    return " ".join(format_point(cell, size) for cell in cells)


def format_error(problem: str) -> str:
    """The refusal of a command that is known."""
    return f"ERROR {problem}"


def format_unknown(text: str) -> str:
    """The answer to a line that is no command."""
    return f"UNKNOWN {text}"


def format_message(text: str) -> str:
    """A line for people."""
    return f"MESSAGE {text}"


def format_report(info: SearchInfo, size: int, ranked: bool = False) -> str:
    """A line of play in the layout that clients take apart. ranked: with its rank, as one of several.

    >>> from othello_engine.types import Score
    >>> info = SearchInfo(12, 24, 100, 1, Score(ScoreKind.RAW, 35), 1_450_000, 1318, 1_100_152, 0, (112, 128))
    >>> format_report(info, 15)
    'MESSAGE depth 12-24 ev 35 n 1450K n/ms 1100 tm 1318 pv H8 I9'
    """
    rank = f"multipv {info.rank} " if ranked else ""
    fields = (
        f"depth {info.depth}-{max(info.depth, info.selective_depth)} {rank}ev {format_score(info.score)}",
        f"n {format_count(info.nodes)} n/ms {info.nps // 1000} tm {info.time_ms}",
        f"pv {' '.join(cell_name(cell, size).upper() for cell in info.pv)}".rstrip(),
    )
    return format_message(" ".join(fields))


def format_score(score: Score) -> str:
    """A score: in the evaluation's units, or `+M5`, `-M4`: plies until the five is on the board."""
    if score.kind is ScoreKind.MATE:
        return f"{'+' if score.value > 0 else '-'}M{abs(score.value)}"
    return str(score.value)


def format_count(count: int) -> str:
    """A number of nodes in up to four digits; only the largest have more.

    >>> format_count(9_999), format_count(1_450_000), format_count(23_456_789_000)
    ('9999', '1450K', '23G')
    """
    for unit in ("", "K", "M"):
        if count < 10_000:
            return f"{count}{unit}"
        count //= 1000
    return f"{count}G"
