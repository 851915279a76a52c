"""The native protocol, docs/protocol.md: its grammar, its search lines taken apart, and the words to ask for things."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from othello_engine.position import Position
from tools.conformance.check import CheckFailed, require
from tools.conformance.clients.client import Client, Exchange
from tools.conformance.positions import PASS_GAME, after, legal

MOVE = r"(?:[a-h][1-8]|pass)"
_COUNT = r"\d+"
_WORD = r"[!-~]+"
_TEXT = rf"{_WORD}(?: +{_WORD})*"
_SCORE = r"(?:(?:cp|disc|raw) [-+]?\d+|wld (?:win|draw|loss))(?: (?:lowerbound|upperbound))?"
_ERROR_CODES = (
    "unknown-command|missing-argument|bad-argument|unknown-option|bad-option-value|bad-board|illegal-move|"
    "nothing-to-undo|busy|not-pondering|io|line-too-long|bad-encoding|internal"
)


@dataclass(frozen=True, slots=True)
class SearchLine:
    """An `info` line of a search; absent numbers are None. bound: lowerbound, upperbound or empty."""

    depth: int
    sel: int | None
    multipv: int
    score: tuple[str, str] | None
    """Kind and value as they stand: ("cp", "-35")."""
    bound: str
    pv: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> SearchLine:
        """From a line that fits the grammar."""

        def number(word: str) -> int | None:
            found = re.search(rf" {word} (\d+)", text)
            return int(found[1]) if found else None

        score = re.search(r" score (\w+) (\S+)(?: (lowerbound|upperbound))?", text)
        pv = re.search(rf" pv ({MOVE}(?: {MOVE})*)", text)
        return cls(
            depth=number("depth") or 0,
            sel=number("sel"),
            multipv=number("multipv") or 1,
            score=(score[1], score[2]) if score else None,
            bound=(score[3] or "") if score else "",
            pv=tuple(pv[1].split()) if pv else (),
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a `go` brought: the search lines that have a depth, the move, and all lines as they came."""

    infos: tuple[SearchLine, ...]
    best: str
    lines: tuple[str, ...]

    @property
    def last(self) -> SearchLine:
        """The last line of the best line of play."""
        for info in reversed(self.infos):
            if info.multipv == 1 and info.score:
                return info
        raise CheckFailed("an `info` line with a score")


class NativeClient(Client):
    """UOI."""

    name = "native"
    grammar: ClassVar[Mapping[str, re.Pattern[str]]] = {
        kind: re.compile(pattern, re.ASCII)
        for kind, pattern in {
            "id": rf"id {_WORD} {_TEXT}",
            "option": rf"option name {_TEXT} type (?:check|spin|combo|string|button)(?: {_TEXT})?",
            "handshake": r"(?:uoi|ugi)ok",
            "ready": "readyok",
            "string": rf"info string(?: +{_TEXT})?",
            "bench": rf"(?:info bench {_COUNT}|bench) nodes {_COUNT}(?: {_TEXT})?",
            "perft": rf"(?:info perft {_COUNT}|perft depth {_COUNT}) nodes {_COUNT} time {_COUNT} nps {_COUNT}",
            "info": rf"info depth {_COUNT}(?: \w+ (?:{_SCORE}|{MOVE}|-?\d+)(?: lowerbound| upperbound)?)*"
            rf"(?: pv {MOVE}(?: {MOVE})*)?(?: string {_TEXT})?",
            "bestmove": rf"bestmove (?:{MOVE}(?: ponder {MOVE})?|none)",
            "board": r"board [XO-]{64} [XO]",
            "empties": rf"empties {_COUNT}",
            "legal": r"legal (?:pass|none|[a-h][1-8](?: [a-h][1-8])*)",
            "eval": r"eval (?:cp|raw|disc) [-+]?\d+",
            "response": r"response (?:true|false|p1win|p2win|draw|none)",
            "error": rf"error (?:{_ERROR_CODES}) {_WORD}(?: {_TEXT})?",
            "row": r"(?:[0-7],[0-7]|-1,-1),-?\d+(?:,\d+){4}",
        }.items()
    }
    noise = frozenset({"string", "info"})
    final = r"bestmove .*"
    complaint = r"error .*"
    must_complain = True
    short_search = ("go depth 4",)
    long_search = ("go infinite",)
    dialogue = (
        Exchange(f"setboard startpos moves {PASS_GAME}"),
        Exchange("query p1turn", ("response true",)),
        Exchange("display", ("board .* X", "empties 52", "legal pass")),
        Exchange("move pass b4"),
        Exchange("query p1turn", ("response true",)),
        Exchange("isready", ("readyok",)),
        Exchange("undo 2"),
        Exchange("frobnicate", ("error unknown-command frobnicate .*",)),
        Exchange("perft 1", ("info perft 1 .*", "perft depth 1 nodes 1 .*")),
        Exchange("go depth 2", ("bestmove pass",)),
    )

    def greet(self) -> None:
        self.send("uoi")
        self.talk.until("uoiok", self.limits.start, "uoiok, which ends the handshake")
        self.sync(self.limits.start)

    def reset(self) -> None:
        self.send("stop")
        self.sync()
        self.send("setboard startpos")
        require(not self.sync(), "silence after `setboard startpos`")

    def sync(self, limit: float | None = None) -> list[str]:
        self.send("isready")
        return self.talk.until("readyok", limit or self.limits.answer, "readyok")[:-1]

    def set_landmark(self) -> None:
        self.set_up(after(PASS_GAME))

    def require_landmark(self) -> None:
        self.require_board(after(PASS_GAME))

    # -- asking ----------------------------------------------------------------------------------------------

    def ask(self, *commands: str) -> list[str]:
        """Send commands that are answered at once; what they answer, without `info` lines."""
        self.send(*commands)
        return [line for line in self.sync() if self._tells(line)]

    def ask_one(self, command: str, expected: str) -> str:
        """Send a command; fail unless it is answered with one line, which the pattern matches."""
        lines = self.ask(command)
        if len(lines) != 1 or not re.fullmatch(expected, lines[0]):
            raise CheckFailed(f"the line {expected}, and no other, to: {command}")
        return lines[0]

    def refused(self, command: str, code: str, token: str = _WORD) -> None:
        """Send a command; fail unless the one answer is an error with this code and token."""
        self.ask_one(command, rf"error {code} {token}(?: .*)?")

    def find(self, kind: str, limit: float) -> str:
        """The next line of a kind; others are skipped."""
        return self.talk.find(lambda line: self.kind_of(line) == kind, limit, f"a line {kind} ...")

    def set_up(self, position: Position) -> None:
        require(not self.ask(f"setboard {position.to_text()}"), "silence after a position that is good")

    def board(self) -> str:
        """The engine's board and side."""
        lines = self.ask("display")
        if not lines or not re.fullmatch(self.grammar["board"], lines[0]):
            raise CheckFailed("the line `board <64 squares> <side>` first, to: display")
        return lines[0].removeprefix("board ")

    def require_board(self, position: Position) -> None:
        require(self.board() == position.to_text(), f"board {position.to_text()}")

    def go(self, limits: str, *, limit: float | None = None) -> Answer:
        """Start a search and wait for its end."""
        self.send(f"go {limits}".rstrip())
        return self.answer(limit)

    def answer(self, limit: float | None = None) -> Answer:
        """The end of a search that was started."""
        lines = self.talk.until(r"bestmove .*|error .*", limit or self.limits.answer, "bestmove")
        if not lines[-1].startswith("bestmove"):
            raise CheckFailed("a search, and bestmove at its end")
        infos = [SearchLine.read(line) for line in lines if self.kind_of(line) == "info"]
        return Answer(tuple(infos), lines[-1].split()[1], tuple(lines))

    def require_legal(self, move: str, position: Position) -> None:
        names = legal(position) or {"none"}
        require(move in names, f"one of {' '.join(sorted(names))}")

    def require_silence(self, seconds: float | None = None) -> None:
        """Fail if anything but reports of a search comes in so many seconds."""
        lines = self.talk.lines_for(seconds or self.limits.quiet)
        require(all(self.kind_of(line) in self.noise for line in lines), "no answer yet")


def pieces(moves: str) -> Sequence[str]:
    """A transcript's moves one by one."""
    return re.findall(r"[a-h][1-8]|pa(?:ss)?|--", moves)
