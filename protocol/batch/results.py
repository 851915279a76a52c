"""The results of `solve` as files: JSON, lines of JSON, CSV. What is written, and how it is read back to go on.

A position that was added is with the system at once, and the file is whole again: not even a killed process
loses it. The rare write that is cut in the middle leaves the positions before it readable.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import os
import shutil
import stat
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
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
_TEXTS = ("board", "move", "pv", "verdict", "goal", "fault")


class Totals:
    """What results come to. planned: the positions there are, None if nobody knows."""

    def __init__(self, planned: int | None = None, results: Iterable[Solved] = ()) -> None:
        self.planned = planned
        self.verdicts: Counter[str] = Counter()
        self.nodes = 0
        self.time_ms = 0
        for one in results:
            self.add(one)
        self.start_clock()

    def start_clock(self) -> None:
        """Time begins now."""
        self._began = time.monotonic()

    def add(self, one: Solved) -> None:
        """Counts a result."""
        self.verdicts[one.verdict] += 1
        self.nodes += one.nodes
        self.time_ms += one.time_ms

    def plus(self, one: Solved) -> Totals:
        """Those of one result more; these stay as they are."""
        more = copy.copy(self)
        more.verdicts = Counter(self.verdicts)
        more.add(one)
        return more

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


_NOT_OURS = "not results of this version of solve"


class Form(Protocol):
    """How a file looks: a head, a text for each result with separators between, and a tail. All ASCII."""

    @property
    def head(self) -> str: ...
    @property
    def mark(self) -> str: ...  # how every file of the form begins
    @property
    def separator(self) -> str: ...
    def text(self, one: Solved) -> str: ...
    def tail(self, totals: Totals) -> str: ...
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

    def tail(self, totals: Totals) -> str:
        return ""

    def read(self, text: str) -> list[Solved]:
        rows = text.split("\n")[1:-1]  # a last one without an end may be cut in its last cell: nothing shows it
        return [_numbered_line(number, row, self._read_row) for number, row in enumerate(rows, 2)]

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

    def tail(self, totals: Totals) -> str:
        return ""

    def read(self, text: str) -> list[Solved]:
        *lines, last = text.split("\n")
        if _is_json(last):  # else half of a result, or nothing
            lines.append(last)
        return [_numbered_line(number, line, _read_object) for number, line in enumerate(lines, 1)]


class JsonForm:
    """One object for the run. Its positions stand in lines of their own, so that a cut file can be read."""

    separator = ","
    mark = '{\n  "engine": "othello-engine '

    def __init__(self, goal: str, threads: int) -> None:
        self.head = f'{self.mark}{__version__}",\n  "goal": "{goal}",\n  "threads": {threads},\n  "positions": ['

    def text(self, one: Solved) -> str:
        return f"\n    {json.dumps(asdict(one))}"

    def tail(self, totals: Totals) -> str:
        return f'\n  ],\n  "totals": {json.dumps(totals.as_json())}\n}}\n'

    def read(self, text: str) -> list[Solved]:
        try:
            report = json.loads(text)
        except ValueError:
            return self._read_cut(text)
        if not isinstance(report.get("positions"), list):
            raise ValueError(_NOT_OURS)
        return [_from_values(values) for values in report["positions"]]

    def _read_cut(self, text: str) -> list[Solved]:
        """The positions before the place where a write was cut; behind it the former tail may still stand.

        Raises ValueError if more than that is behind it: then the file was damaged in another way.
        """
        _, _, rest = text.partition('"positions": [\n')
        found: list[Solved] = []
        is_cut = False
        lines = (rest or text).splitlines()
        for n, line in enumerate(lines, 1):
            try:
                values, _ = json.JSONDecoder().raw_decode(line.strip())  # whatever stands behind it
            except ValueError:
                values = None
            if not isinstance(values, Mapping):
                is_cut = True
                continue
            if is_cut:
                raise ValueError(f"damaged after {len(found)} positions")
            try:
                found.append(_from_values(values))
            except ValueError:
                if lines[n:] != ["}"]:  # else half a result that runs into the former totals
                    raise
        return found


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _numbered_line(number: int, line: str, read: Any) -> Solved:
    try:
        one: Solved = read(line)
    except (ValueError, csv.Error) as error:
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
    except (TypeError, KeyError, AttributeError, OverflowError):
        raise ValueError("no result of this version") from None
    texts = [values[name] for name in _TEXTS] + [text for each in moves for text in (each.move, each.pv)]
    if not all(isinstance(text, str) and text.isascii() and text.isprintable() for text in texts):
        raise ValueError("no result of this version")
    return Solved(**{**values, **numbers, "expected": expected, "moves": moves})


# -- files -------------------------------------------------------------------------------------------------


STANDARD_OUTPUT = "-"
"""The path that means it."""


class ResultFile:
    """A file of results, open to take more.

    path: for messages. file: has no buffer, in which what a full disk refused would wait for another try.
    kept: results that it begins with. planned: as of `Totals`. totals: of what the file holds.

    A regular file is whole after every result, since the tail is written again behind each. Anything else (a
    pipe, a terminal) gets the tail when it is closed.
    """

    def __init__(
        self, path: str, file: BinaryIO, form: Form, kept: Sequence[Solved] = (), planned: int | None = None
    ) -> None:
        self._path = path
        self._file = file
        self._form = form
        self._rewinds = path != STANDARD_OUTPUT and _is_regular(file)
        self._end = 0
        self._is_torn = False
        self._is_first = not kept
        self.totals = Totals(planned, kept)
        self._put(_beginning(form, kept), self.totals)

    def add(self, one: Solved) -> None:
        """Writes a result, at once."""
        totals = self.totals.plus(one)
        self._put(("" if self._is_first else self._form.separator) + self._form.text(one), totals)
        self._is_first = False
        self.totals = totals

    def close(self) -> None:
        """Writes the tail, unless it stands there.

        A file that is whole is left alone: an interruption may have come when a result was written but `_end`
        not yet moved behind it, and a tail written there would replace it.
        """
        if not self._rewinds:
            self._put(self._form.tail(self.totals), self.totals)
        elif self._is_torn:
            self._put("", self.totals)

    def _put(self, text: str, totals: Totals) -> None:
        with _named(self._path):
            if not self._rewinds:
                _write(self._file, text)
                return
            try:
                self._file.seek(self._end)
                _write(self._file, text + self._form.tail(totals))  # in one write, so that it is done or not
                self._file.truncate()
            except OSError:
                self._is_torn = True
                raise
            self._end += len(text)


def open_results(path: str, form: Form, kept: Sequence[Solved] = (), planned: int | None = None) -> BinaryIO:
    """A file for results, created or emptied. With results to keep it holds them at every moment."""
    with _named(path):
        if kept:
            place = os.path.realpath(path)
            part = f"{place}.part"
            try:
                with open_binary(part, "wb") as file:
                    _write(file, _beginning(form, kept) + form.tail(Totals(planned, kept)))
                if os.path.exists(place):
                    shutil.copymode(place, part)
                os.replace(part, place)
            except BaseException:
                with suppress(OSError):
                    os.unlink(part)
                raise
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
            raise ValueError(_NOT_OURS)
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
        n_written = cast("int | None", file.write(data))
        if n_written is None:  # a pipe that doesn't block, and is full
            time.sleep(0.01)
        else:
            data = data[n_written:]


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
