"""NBoard, versions 1 and 2: its grammar, its messages taken apart, and games as GGF."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, square_name
from tools.conformance.check import CheckFailed, require
from tools.conformance.clients.client import Client, Exchange
from tools.conformance.positions import PASS_GAME, after, legal

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+|NaN)"
_EVAL = rf"{_NUMBER}(?:,{_NUMBER})?"
_MOVE = r"(?:[A-Ha-h][1-8]|--|[Pp][Aa](?:[Ss][Ss]?)?)"
_PV = rf"{_MOVE}(?:-?{_MOVE})*"
_DEPTH = r"\d+(?:%\w?)?"
_HEADER = "GM[Othello]PC[conformance]PB[black]PW[white]RE[?]"
DEFAULT_DEPTH = 4
LONG_DEPTH = 60


def ggf(moves: str = "", *, start: Position | None = None, clock: str = "TI[15:00]", seconds: str = "") -> str:
    """A game as the GUI writes it. moves: a transcript, forced passes left out or written; seconds: behind each move,
    as in `/0.5/1.2`.
    """
    position = start or Position.start()
    squares, side = position.to_text().replace("X", "*").split()
    written = []
    for move, reached in position.follow(moves):
        colour = "BW"[1 - reached.side]
        written.append(f"{colour}[{'PA' if move == PASS else square_name(move).upper()}{seconds}]")
    return f"(;{_HEADER}{clock}TY[8]BO[8 {squares} {side}]{''.join(written)};)"


@dataclass(frozen=True, slots=True)
class Hint:
    """A `search` or `book` message."""

    move: str
    value: float
    depth: str

    @property
    def plies(self) -> float:
        """The depth as a number; one in per cent, a solve, is above all others."""
        return 1000 if "%" in self.depth else int(self.depth)

    @classmethod
    def read(cls, line: str) -> Hint:
        """From a line that fits the grammar."""
        _, pv, value, _, depth, *_ = line.split()
        return cls(spell(pv), float(value.split(",")[0]), depth)


def spell(text: str) -> str:
    """The first move of a text as our rules spell it: `d3`, `pass`."""
    first = text[:2].lower()
    return "pass" if first in ("pa", "--") else first


class NBoardClient(Client):
    """The part of the GUI."""

    name = "nboard"
    grammar: ClassVar[Mapping[str, re.Pattern[str]]] = {
        kind: re.compile(pattern)
        for kind, pattern in {
            "name": r"set myname \S+",
            "status": r"status(?: .*)?",
            "search": rf"(?:search|book) +{_PV} +{_EVAL} +\d+ +{_DEPTH}(?: .*)?",
            "move": rf"=== ?{_MOVE}(?:/(?:{_EVAL})?(?:/{_NUMBER})?)?",
            "pong": r"pong -?\d+",
            "nodestats": r"nodestats \d+ \d+(?:\.\d+)?",
            "analysis": rf"analysis \d+ {_EVAL}",
            "learned": r"learned",
        }.items()
    }
    noise = frozenset({"name", "status", "search", "nodestats"})
    skips_foreign_lines = True
    final = r"===.*"
    complaint = r"status .*"
    must_complain = False
    short_search = ("go",)
    long_search = (f"set depth {LONG_DEPTH}", "hint 1")
    dialogue = (
        Exchange("nboard 2"),
        Exchange(f"set depth {DEFAULT_DEPTH}"),
        Exchange(f"set game {ggf(PASS_GAME)}"),
        Exchange("ping 901", ("pong 901",)),
        Exchange("move PA//0.00"),
        Exchange("ping 902", ("pong 902",)),
        Exchange("go", (r"=== ?(?:B4|D6|b4|d6)\b.*",)),
    )
    _n_pings = 0

    def greet(self) -> None:
        self.send("nboard 2", f"set depth {DEFAULT_DEPTH}", f"set game {ggf()}")
        self.sync(self.limits.start)

    def reset(self) -> None:
        self.sync()
        self.send(f"set depth {DEFAULT_DEPTH}", f"set game {ggf()}")
        self.sync()

    def sync(self, limit: float | None = None) -> list[str]:
        self._n_pings += 1
        self.send(f"ping {self._n_pings}")
        pong = f"pong {self._n_pings}"
        return self.talk.until(pong, limit or self.limits.answer, pong)[:-1]

    def set_landmark(self) -> None:
        self.set_game(PASS_GAME)

    def require_landmark(self) -> None:
        self.require_at(after(PASS_GAME))

    # -- asking ----------------------------------------------------------------------------------------------

    def set_game(self, moves: str = "", *, clock: str = "TI[15:00]", seconds: str = "") -> None:
        """Replace the game, as the GUI does it: a ping behind."""
        self.send(f"set game {ggf(moves, clock=clock, seconds=seconds)}")
        self.sync()

    def set_board(self, position: Position) -> None:
        self.send(f"set game {ggf(start=position)}")
        self.sync()

    def move(self, move: str) -> list[str]:
        """Add a move; what comes until the next pong."""
        self.send(f"move {move}")
        return self.sync()

    def go(self, limit: float | None = None) -> str:
        """The move that the engine chooses, spelled as our rules do."""
        self.send("go")
        lines = self.talk.until(self.final, limit or self.limits.answer, "=== MOVE")
        return spell(lines[-1].removeprefix("===").strip())

    def require_at(self, position: Position) -> None:
        """Fail unless a move of this position is chosen."""
        names = legal(position)
        require(self.go() in names, f"=== and one of {' '.join(sorted(names)).upper().replace('PASS', 'PA')}")

    def hint(self, n_moves: int, *, limit: float | None = None) -> list[Hint]:
        """The hints for the present position, as deep as `set depth` has it."""
        self.send(f"hint {n_moves}")
        lines = [self.talk.find(lambda line: self.kind_of(line) == "search", limit or self.limits.answer, "search ...")]
        while more := self.talk.lines_for(self.limits.quiet):
            lines += more
        lines += self.sync()
        return self.read_hints(lines)

    def read_hints(self, lines: Sequence[str]) -> list[Hint]:
        for line in lines:
            if line.startswith(("search", "book")) and self.kind_of(line) != "search":
                raise CheckFailed("`search PV EVAL 0 DEPTH`")
        return [Hint.read(line) for line in lines if self.kind_of(line) == "search"]

    def analysis(self, n_plies: int) -> dict[int, float]:
        """The answer to `analyze` of a game of so many plies: values by the number of moves made."""
        self.send("analyze")
        values: dict[int, float] = {}
        expected = f"`analysis MADE EVAL` for each of 0 to {n_plies}"
        while len(values) <= n_plies:
            line = self.talk.find(lambda line: line.startswith("analysis"), self.limits.answer, expected)
            if self.kind_of(line) != "analysis":
                raise CheckFailed("`analysis MADE EVAL`")
            _, made, value = line.split()
            require(int(made) not in values and int(made) <= n_plies, f"{expected}, once")
            values[int(made)] = float(value.split(",")[0])
        return values


def for_black(value: float, position: Position) -> float:
    """A value of the side to move, seen from black."""
    return value if position.side == BLACK else -value
