"""The results of `solve` as files: JSON, lines of JSON, CSV. What is written, and how it is read back to go on.

A position that was added is with the system at once, and the file is whole again: not even a killed process
loses it. The rare write that is cut in the middle leaves the positions before it readable.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import stat
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Protocol, cast

from othello_engine import __version__
from protocol.commands import nodes_per_second


class ResultsError(Exception):
    """A file of results that can't be written or gone on with; the text names it."""


# -- what there is to write --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A move, its value for the side to move, and the line of play after it, the move itself first."""

    move: str
    score: int
    pv: str = ""


@dataclass(frozen=True, slots=True)
class Solved:
    """One position solved. score: discs, or 1, 0, -1 for who wins. expected: the file's, None if it has none.

    verdict: `right`, `wrong`, or `unknown` without a score to compare with. fault: why the result can't be
    trusted whatever the file says; empty if all is well. moves: every move, best first, if that was asked for.
    """

    number: int
    line: int
    board: str
    empties: int
    depth: int
    score: int
    move: str
    pv: str
    nodes: int
    time_ms: int
    nps: int
    expected: int | None
    verdict: str
    goal: str
    fault: str = ""
    moves: tuple[MoveValue, ...] = ()


FIELDS: tuple[str, ...] = Solved.__slots__
_NUMBERS = ("number", "line", "empties", "depth", "score", "nodes", "time_ms", "nps")


class Totals:
    """What the results come to so far. planned: the positions there are, None if nobody knows."""

    def __init__(self, planned: int | None = None) -> None:
        self.planned = planned
        self.verdicts: Counter[str] = Counter()
        self.nodes = 0
        self.time_ms = 0
        self.start_clock()

    def start_clock(self) -> None:
        """Time begins now."""
        self._began = time.monotonic()

    def add(self, one: Solved) -> None:
        """Counts a result."""
        self.verdicts[one.verdict] += 1
        self.nodes += one.nodes
        self.time_ms += one.time_ms

    @property
    def positions(self) -> int:
        """The number of results."""
        return self.verdicts.total()

    @property
    def wall_ms(self) -> int:
        """Milliseconds since the clock was started."""
        return int((time.monotonic() - self._began) * 1000)

    def as_json(self) -> dict[str, int | None]:
        """The totals by name. remaining: positions still to solve; 0 tells a finished run from a cut one."""
        return {
            "positions": self.positions,
            "remaining": None if self.planned is None else self.planned - self.positions,
            "right": self.verdicts["right"],
            "wrong": self.verdicts["wrong"],
            "unknown": self.verdicts["unknown"],
            "nodes": self.nodes,
            "time_ms": self.time_ms,
            "nps": nodes_per_second(self.nodes, self.time_ms),
            "wall_ms": self.wall_ms,
        }


# -- forms -------------------------------------------------------------------------------------------------


class Form(Protocol):
    """How a file looks: a head, a text for each result with separators between, and a tail. All ASCII."""

    @property
    def head(self) -> str: ...
    @property
    def mark(self) -> str: ...  # how every file of the form begins
    @property
    def separator(self) -> str: ...
    def text(self, one: Solved) -> str: ...
    def tail(self) -> str: ...
    def read(self, text: str) -> list[Solved]: ...  # raises ValueError


class CsvForm:
    """A heading and a row for each position; the moves as `a2:+38 c7:+36`."""

    head = mark = ",".join(FIELDS) + "\n"
    separator = ""

    def text(self, one: Solved) -> str:
        cells = {name: getattr(one, name) for name in FIELDS}
        cells["moves"] = " ".join(f"{each.move}:{each.score:+d}" for each in one.moves)
        paper = io.StringIO()
        csv.writer(paper, lineterminator="\n").writerow(cells.values())
        return paper.getvalue()

    def tail(self) -> str:
        return ""

    def read(self, text: str) -> list[Solved]:
        return [_numbered_line(number, line, self._read_row) for number, line in _whole_lines(text, first=2)]

    def _read_row(self, line: str) -> Solved:
        (cells,) = csv.reader([line])
        values: dict[str, Any] = dict(zip(FIELDS, cells, strict=True))
        moves = (word.partition(":") for word in values["moves"].split())
        return _from_values({**values, "moves": [{"move": move, "score": score} for move, _, score in moves]})


class JsonLinesForm:
    """An object in a line of its own for each position."""

    head = separator = ""
    mark = '{"number": '

    def text(self, one: Solved) -> str:
        return json.dumps(asdict(one)) + "\n"

    def tail(self) -> str:
        return ""

    def read(self, text: str) -> list[Solved]:
        return [_numbered_line(number, line, _read_object) for number, line in _whole_lines(text)]


class JsonForm:
    """One object for the run. Its positions stand in lines of their own, so that a cut file can be read."""

    separator = ","
    mark = '{\n  "engine": "othello-engine '

    def __init__(self, goal: str, threads: int, totals: Totals) -> None:
        self._totals = totals
        self.head = f'{self.mark}{__version__}",\n  "goal": "{goal}",\n  "threads": {threads},\n  "positions": ['

    def text(self, one: Solved) -> str:
        return f"\n    {json.dumps(asdict(one))}"

    def tail(self) -> str:
        return f'\n  ],\n  "totals": {json.dumps(self._totals.as_json())}\n}}\n'

    def read(self, text: str) -> list[Solved]:
        try:
            report = json.loads(text)
        except ValueError:
            return self._read_cut(text)
        return [_from_values(values) for values in report["positions"]]

    def _read_cut(self, text: str) -> list[Solved]:
        """The positions before the place where a write was cut; behind it the former tail may still stand."""
        _, _, rest = text.partition('"positions": [\n')
        found = []
        for line in rest.splitlines():
            try:
                values, _ = json.JSONDecoder().raw_decode(line.strip())  # whatever stands behind it
                found.append(_from_values(values))
            except ValueError:
                break
        return found


def _whole_lines(text: str, first: int = 1) -> Iterator[tuple[int, str]]:
    """Number and text of the lines from `first` on; a last one without an end is half of a result."""
    lines = text.split("\n")[:-1]
    return enumerate(lines[first - 1 :], first)


def _numbered_line(number: int, line: str, read: Any) -> Solved:
    try:
        one: Solved = read(line)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None
    return one


def _read_object(line: str) -> Solved:
    return _from_values(json.loads(line))


def _from_values(values: Any) -> Solved:
    """The result of a file's values. Raises ValueError if they aren't those of a result."""
    if not isinstance(values, Mapping) or tuple(values) != FIELDS:
        raise ValueError("no result of this version")
    try:
        numbers = {name: int(values[name]) for name in _NUMBERS}
        expected = None if values["expected"] in (None, "") else int(values["expected"])
        moves = tuple(MoveValue(each["move"], int(each["score"]), each.get("pv", "")) for each in values["moves"])
    except (TypeError, KeyError, AttributeError):
        raise ValueError("no result of this version") from None
    return Solved(**{**values, **numbers, "expected": expected, "moves": moves})


# -- files -------------------------------------------------------------------------------------------------


STANDARD_OUTPUT = "-"
"""The path that means it."""


class ResultFile:
    """A file of results, open to take more. path: for messages. kept: results that it begins with.

    file: has no buffer, in which what a full disk refused would wait for another try. A regular file is whole
    after every result, since the tail is written again behind each. Anything else (a pipe, a terminal) gets the
    tail when it is closed.
    """

    def __init__(self, path: str, file: BinaryIO, form: Form, kept: Sequence[Solved] = ()) -> None:
        self._path = path
        self._file = file
        self._form = form
        self._rewinds = path != STANDARD_OUTPUT and _is_regular(file)
        self._end = 0
        self._is_first = not kept
        self._put(_beginning(form, kept))

    def add(self, one: Solved) -> None:
        """Writes a result, at once."""
        self._put(("" if self._is_first else self._form.separator) + self._form.text(one))
        self._is_first = False

    def close(self) -> None:
        """Writes the tail, with what the totals are now."""
        self._put("" if self._rewinds else self._form.tail())

    def _put(self, text: str) -> None:
        with _named(self._path):
            if self._rewinds:  # in one write, so that it is done or not
                self._file.seek(self._end)
                _write(self._file, text + self._form.tail())
                self._file.truncate()
                self._end += len(text)
            else:
                _write(self._file, text)


def open_results(path: str, form: Form, kept: Sequence[Solved] = ()) -> BinaryIO:
    """A file for results, created or emptied. With results to keep it holds them at every moment."""
    with _named(path):
        if kept:
            place = os.path.realpath(path)
            part = f"{place}.part"
            with open_binary(part, "wb") as file:
                _write(file, _beginning(form, kept) + form.tail())
            shutil.copymode(place, part)
            os.replace(part, place)
        return open_binary(path, "r+b" if kept else "wb")


def read_results(path: str, form: Form) -> list[Solved]:
    """The results in a file, without a last one that was cut; none if there is no such file.

    Raises ResultsError if the file is something else.
    """
    if not os.path.exists(path):
        return []
    with _named(path), open(path, encoding="utf-8-sig", errors="replace") as file:
        text = file.read()
    try:
        if not (text.startswith(form.mark) or form.mark.startswith(text)):
            raise ValueError("not results of this version of solve")
        return form.read(text)
    except ValueError as error:
        raise ResultsError(f"{path}: {error}") from None


def _beginning(form: Form, kept: Sequence[Solved]) -> str:
    return form.head + form.separator.join(map(form.text, kept))


def open_binary(file: str | int, mode: str) -> BinaryIO:
    """A file without a buffer. A descriptor stays open when the file is closed."""
    return cast("BinaryIO", open(file, mode, buffering=0, closefd=not isinstance(file, int)))


def _write(file: BinaryIO, text: str) -> None:
    data = text.encode("ascii")
    while data:
        data = data[file.write(data) :]


def _is_regular(file: BinaryIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:  # no descriptor, as in memory
        return False


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Errors of the system name the file; a reader that went away stays one."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
