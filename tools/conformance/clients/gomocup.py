"""The protocol of Gomocup and piskvork: points, boards, and what managers expect of each answer."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from tools.conformance.check import CheckFailed, Limits, require
from tools.conformance.clients.client import Client, Exchange
from tools.conformance.talk import Talk

SIZE = 15
UNLIMITED = 2_147_483_647
TURN_MS = 300
"""What a move may take where nothing is said about it."""
OWN, OPPONENT, DEAD = 1, 2, 3
LANDMARK = ((3, 3, OPPONENT), (11, 3, OWN), (3, 11, OPPONENT), (12, 12, OWN), (6, 2, OPPONENT))
"""Stones without any symmetry, far from each other."""

Point = tuple[int, int]
"""(x, y): column and row, from 0 at the upper left corner."""
Stone = tuple[int, int, int]
"""(x, y, whose)"""


def board_lines(stones: Iterable[Stone]) -> list[str]:
    """The lines of a BOARD, from the first to the last."""
    return ["BOARD", *(f"{x},{y},{whose}" for x, y, whose in stones), "DONE"]


class GomocupClient(Client):
    """A manager."""

    name = "gomocup"
    grammar: ClassVar[Mapping[str, re.Pattern[str]]] = {
        kind: re.compile(pattern)
        for kind, pattern in {
            "move": r"\d{1,2},\d{1,2}",
            "stones": r"\d{1,2},\d{1,2}(?: \d{1,2},\d{1,2}){1,2}",
            "ok": "OK",
            "swap": "SWAP",
            "error": r"ERROR \S.*",
            "unknown": r"UNKNOWN \S.*",
            "message": r"MESSAGE \S.*",
            "debug": r"DEBUG \S.*",
            "suggestion": r"SUGGEST \d{1,2},\d{1,2}",
            "forbidden": r"FORBID (?:\d{4})*\.",
            "about": r"[a-z]\w* ?= ?\"[^\"]*\"(?:, ?\w+ ?= ?\"[^\"]*\")*",
        }.items()
    }
    noise = frozenset({"message", "debug"})
    final = r"\d{1,2},\d{1,2}"
    complaint = r"(?:ERROR|UNKNOWN).*"
    must_complain = True
    quit_line = "END"
    short_search = ("START 15", f"INFO timeout_turn {TURN_MS}", *board_lines(LANDMARK))
    long_search = (
        "START 15",
        "INFO timeout_turn 60000",
        "INFO timeout_match 0",
        f"INFO time_left {UNLIMITED}",
        *board_lines(LANDMARK[:3]),
    )
    dialogue = (
        Exchange("ABOUT", (grammar["about"].pattern,)),
        Exchange("START 15", ("OK",)),
        Exchange(f"INFO timeout_turn {TURN_MS}"),
        Exchange("INFO no_such_key 1 2 3"),
        Exchange("TURN 15,0", ("ERROR .*",)),
        Exchange("TURN 7", ("ERROR .*",)),
        Exchange("FROBNICATE", ("UNKNOWN .*",)),
        *(Exchange(line) for line in board_lines(LANDMARK)[:-1]),
        Exchange("DONE", (final,)),
    )

    def __init__(self, talk: Talk, limits: Limits, history: Sequence[Talk] = ()) -> None:
        super().__init__(talk, limits, history)
        self._landmark: list[Point] = []

    def greet(self) -> None:
        self.send(f"START {SIZE}")
        self.answer("OK", self.limits.start)

    def reset(self) -> None:
        """An empty board of 15, and short moves without any other limit."""
        self.sync()
        self.start()

    def sync(self, limit: float | None = None) -> list[str]:
        """Asks who the engine is, which nothing else answers."""
        self.send("ABOUT")
        pattern = self.grammar["about"].pattern
        return self.talk.until(pattern, limit or self.limits.answer, 'name="...", ..., as the answer to ABOUT')[:-1]

    def set_landmark(self) -> None:
        self.start()
        move = self.move(*board_lines(LANDMARK))
        self._landmark = [*((x, y) for x, y, _ in LANDMARK), move]

    def require_landmark(self) -> None:
        """The stones are still there: nothing can be played on them."""
        for x, y in self._landmark:
            self.fails(f"TURN {x},{y}")

    # -- asking ----------------------------------------------------------------------------------------------

    def answer(self, pattern: str, limit: float | None = None) -> str:
        """The next line that is no message; fails unless it is of this pattern."""
        line = self._next_answer(pattern, limit or self.limits.answer)
        require(re.fullmatch(pattern, line) is not None, f"the line {pattern}")
        return line

    def done(self, *lines: str) -> None:
        """Send lines of which the last must be answered by OK."""
        self.send(*lines)
        self.answer("OK")

    def fails(self, *lines: str) -> str:
        """Send lines of which the last must be refused, by one ERROR and nothing else."""
        self.send(*lines)
        line = self.answer("ERROR .*")
        told = [each for each in self.sync() if self.kind_of(each) not in self.noise]
        require(not told, f"nothing but the ERROR to {lines[-1]}")
        return line

    def start(self, size: int = SIZE, turn_ms: int = TURN_MS) -> None:
        """A new game in which every move has so much time."""
        self.done(f"START {size}")
        self.send("INFO rule 0", f"INFO timeout_turn {turn_ms}", "INFO timeout_match 0", f"INFO time_left {UNLIMITED}")

    def move(self, *lines: str, limit: float | None = None) -> Point:
        """Send lines of which the last asks for a move; the move."""
        self.send(*lines)
        return self.point(self.answer(self.final, limit))

    def timed_move(self, allowed_s: float, *lines: str) -> Point:
        """The same; fails unless the move comes within so many seconds."""
        start = time.perf_counter()
        move = self.move(*lines, limit=allowed_s + self.limits.answer)
        seconds = time.perf_counter() - start
        require(seconds <= allowed_s, f"a move within {allowed_s:g} s, not after {seconds:.3f} s")
        return move

    @staticmethod
    def point(line: str) -> Point:
        x, y = line.split(",")
        return int(x), int(y)

    def require_free(self, move: Point, taken: Iterable[Point], size: int = SIZE) -> None:
        """Fail unless the move is on the board and on an empty cell."""
        require(0 <= move[0] < size and 0 <= move[1] < size, f"a cell of a board of {size}")
        require(move not in set(taken), "an empty cell")

    def offers(self, *lines: str) -> str | None:
        """Send lines of which the last may be unknown to an engine; the answer, None if it is unknown."""
        self.send(*lines)
        line = self._next_answer(r"(?!UNKNOWN).*", self.limits.answer)
        return None if line.startswith(("UNKNOWN", "ERROR")) else line

    def silent(self, *lines: str) -> None:
        """Send lines that have no answer."""
        self.send(*lines)
        told = [line for line in self.sync() if self.kind_of(line) not in self.noise]
        if told:
            raise CheckFailed(f"no answer to {lines[-1]}")
