"""Cassio's ENGINE-PROTOCOL: commands, result lines taken apart, and what Cassio itself asks of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from othello_engine.position import Position
from othello_engine.types import BLACK, PASS
from tools.conformance.check import CheckFailed, require
from tools.conformance.clients.client import Client, Exchange
from tools.conformance.positions import ASYMMETRIC_GAME, SIX_EMPTIES, SIX_EMPTIES_SCORE, after, legal

PREFIX = "ENGINE-PROTOCOL"
_MOVE = r"(?:[A-Ha-h][1-8]|[Pp][Aa])"
_BOUND = r"[BW][+-]\d+(?:\.\d+)?"
_RESULT = (
    r"(?P<position>[XO-]{64}[XO]), move (?P<move>[A-Ha-h][1-8]|[Pp][Aa]|--), depth (?P<depth>\d+), "
    rf"@(?P<precision>\d+)%, (?P<lower>{_BOUND}) <=? v <=? (?P<upper>{_BOUND}), (?P<pv>--|(?:{_MOVE})*)"
    r"(?:, node (?P<node>\d+))?(?:, time (?P<time>\d+(?:\.\d+)?))?"
)


def text_of(position: Position) -> str:
    """The 64 squares and the side, run together."""
    return position.to_text().replace(" ", "")


@dataclass(frozen=True, slots=True)
class Result:
    """A result line. lower, upper: bounds of the value in discs, seen from black. pv: as it stands, in its case."""

    position: str
    move: str
    depth: int
    precision: int
    lower: float
    upper: float
    pv: tuple[str, ...]
    line: str

    @classmethod
    def read(cls, line: str) -> Result | None:
        """None if the line is no result."""
        found = re.fullmatch(_RESULT, line)
        if not found:
            return None
        # White's bounds are written in white's order, so that from black's side the first may be the upper one.
        lower, upper = sorted(
            float(found[name][1:]) * (1 if found[name][0] == "B" else -1) for name in ("lower", "upper")
        )
        pv = tuple(re.findall(_MOVE, found["pv"]))
        return cls(
            found["position"], found["move"], int(found["depth"]), int(found["precision"]), lower, upper, pv, line
        )


class CassioClient(Client):
    """The part of Cassio."""

    name = "cassio"
    grammar: ClassVar[Mapping[str, re.Pattern[str]]] = {
        kind: re.compile(pattern)
        for kind, pattern in {
            "ready": r"ready\.",
            "ok": r"ok\.",
            "heartbeat": r"\.",
            "log": r"(?:DEBUG|WARNING).*",
            "version": r"version: \S.*",
            "result": _RESULT,
            "infos": r"node \d+, time \d+(?:\.\d+)?",
            "error": r"(?:ERROR|Error): \S.*",
            "farewell": r"bye bye\.",
        }.items()
    }
    noise = frozenset({"heartbeat", "log"})
    partial = frozenset({"result"})
    skips_foreign_lines = True
    final = r"ready\."
    complaint = r"(?:ERROR|Error):.*"
    must_complain = True
    farewell = r"bye bye\."
    quit_line = f"{PREFIX} quit"
    short_search = (f"{PREFIX} midgame-search {text_of(after(ASYMMETRIC_GAME))} -64.00 64.00 4 73",)
    long_search = (f"{PREFIX} midgame-search {text_of(after(ASYMMETRIC_GAME))} -64.00 64.00 50 100",)
    dialogue = (
        Exchange(f"{PREFIX} get-version", ("version: .*", r"ready\.")),
        Exchange(f"{PREFIX} init", (r"ready\.",)),
        Exchange(f"{PREFIX}  new-position", (r"ready\.",)),
        Exchange(f"{PREFIX} empty-hash"),
        Exchange("hello engine", ("ERROR: .*",)),
        Exchange(f"{PREFIX} frobnicate", ("ERROR: .*", r"ready\.")),
        Exchange(
            f"{PREFIX} endgame-search {SIX_EMPTIES.replace(' ', '')} -64 64 100",
            (r"[XO-]{65}, move A3, .* @100%, B\+12.*", r"ready\."),
        ),
    )

    def greet(self) -> None:
        self.send(f"{PREFIX} get-version")
        self.talk.until(r"ready\.", self.limits.start, "ready.")
        self.ask("init", limit=self.limits.start)

    def reset(self) -> None:
        self.ask("stop")
        self.sync()
        self.ask("new-position")

    def sync(self, limit: float | None = None) -> list[str]:
        """Asks for the version, which nothing else answers."""
        self.send(f"{PREFIX} get-version")
        lines = self.talk.until("version: .*", limit or self.limits.answer, "version: ...")[:-1]
        self.talk.until(r"ready\.", limit or self.limits.answer, "ready.")
        return lines

    def set_landmark(self) -> None:
        """There is no state; `require_landmark` tries whether a search is right."""

    def require_landmark(self) -> None:
        position = Position.from_text(SIX_EMPTIES)
        result = self.endgame(position)
        require(result.lower == result.upper == SIX_EMPTIES_SCORE, f"B+{SIX_EMPTIES_SCORE}.00 as both bounds")

    # -- asking ----------------------------------------------------------------------------------------------

    def ask(self, command: str, limit: float | None = None) -> list[str]:
        """Send a command and wait for its `ready.`; the lines before that."""
        self.send(f"{PREFIX} {command}".rstrip())
        return self.talk.until(r"ready\.", limit or self.limits.answer, "ready.")[:-1]

    def results(self, lines: Sequence[str]) -> list[Result]:
        return [result for line in lines if (result := Result.read(line))]

    def search(self, command: str, position: Position) -> Result:
        """Send a search and wait for its end; the last result, checked as Cassio does it."""
        lines = self.ask(command)
        results = self.results(lines)
        if not results:
            raise CheckFailed("a result line before ready.")
        for result in results:
            require(result.position == text_of(position), "the position that was asked about in the result")
        return results[-1]

    def midgame(
        self, position: Position, depth: int = 4, precision: int = 73, alpha: float = -64, beta: float = 64
    ) -> Result:
        command = f"midgame-search {text_of(position)} {alpha:.2f} {beta:.2f} {depth} {precision}"
        return self.search(command, position)

    def endgame(self, position: Position, precision: int = 100, alpha: int = -64, beta: int = 64) -> Result:
        return self.search(f"endgame-search {text_of(position)} {alpha} {beta} {precision}", position)

    def require_line(self, result: Result, position: Position) -> None:
        """Fail unless the line of play is legal and begins with the move, passes before it left out."""
        moves = [move.lower() for move in result.pv]
        squares = [move for move in moves if move != "pa"]
        require(squares[:1] == [result.move.lower()], f"a line of play that begins with {result.move}")
        reached = position
        for move in moves:
            name = "pass" if move == "pa" else move
            if name != "pass" and legal(reached) == {"pass"}:
                reached = reached.play(PASS)
            require(name in legal(reached), f"a legal move instead of {move} in the line of play")
            reached = reached.play(name)

    def require_cases(self, result: Result, position: Position) -> None:
        """Fail unless black's moves are in upper and white's in lower case."""
        reached = position
        for move in result.pv:
            if move.lower() != "pa":
                if legal(reached) == {"pass"}:
                    reached = reached.play(PASS)
                expected = move.upper() if reached.side == BLACK else move.lower()
                require(move == expected, f"{expected} instead of {move}: black in upper, white in lower case")
            reached = reached.play("pass" if move.lower() == "pa" else move)
