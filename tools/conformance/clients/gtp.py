"""GTP, version 2: framing, answers, and the moves of Othello in its words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from othello_engine.position import Position
from othello_engine.types import PASS, square_name
from tools.conformance.check import CheckFailed, CheckSkipped, require
from tools.conformance.clients.client import Client, Exchange
from tools.conformance.positions import PASS_GAME, SINGLE_MOVE_GAME, legal

_SPEED = "time_settings 0 1 1"
"""One second a move, for engines that know it: nothing that is checked needs more."""
_PASS_MOVES = re.findall("..", PASS_GAME)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. text: what stands behind the mark and the id, lines joined."""

    ok: bool
    text: str
    lines: tuple[str, ...]


def _moves(transcript: Sequence[str]) -> list[str]:
    """`play` commands, passes written."""
    steps = Position.start().follow("".join(transcript))
    return [f"play {'wb'[reached.side]} {square_name(move)}" for move, reached in steps]


class GtpClient(Client):
    """A controller."""

    name = "gtp"
    grammar: ClassVar[Mapping[str, re.Pattern[str]]] = {
        "answer": re.compile(r"[=?]\d*(?: .*)?"),
        "end": re.compile(""),
        "more": re.compile(r"(?![=?]).*\S.*"),  # further lines of an answer; text before one is noticed in `ask`
    }
    noise = frozenset({"end"})
    final = r"= ?(?:\d+ )?(?:[A-Ha-h][1-8]|[Pp][Aa][Ss][Ss]|resign)"
    complaint = r"\?.*"
    must_complain = True
    farewell = "= ?"
    short_search = (_SPEED, *_moves([SINGLE_MOVE_GAME]), "genmove w")
    dialogue = (
        Exchange("protocol_version", ("= 2",)),
        Exchange("clear_board", ("= ?",)),
        *(Exchange(move, ("= ?",)) for move in _moves([PASS_GAME])),
        Exchange("play b d6", (r"\? .*",)),
        Exchange("play b pass", ("= ?",)),
        Exchange("known_command frobnicate", ("= false",)),
        Exchange("play w b4", ("= ?",)),
        Exchange("frobnicate", (r"\? unknown command",)),
        Exchange("undo", ("= ?",)),
        Exchange("protocol_version", ("= 2",)),
    )
    _version = "2"
    _commands: list[str] | None = None

    def greet(self) -> None:
        answer = self.ask("protocol_version", limit=self.limits.start)
        self._version = answer.text

    def reset(self) -> None:
        self.sync()
        self.ask(_SPEED)
        self.done("clear_board")

    def sync(self, limit: float | None = None) -> list[str]:
        """Asks for the version, which nothing else answers. An id that the engine ought to have forgotten may stand
        before it.
        """
        self.send("protocol_version")
        lines: list[str] = []
        while True:
            answer = self.read(limit)
            if answer.ok and re.fullmatch(rf"(?:\d+ )?{re.escape(self._version)}", answer.text):
                return lines
            lines += answer.lines

    def set_landmark(self) -> None:
        self.done("clear_board")
        self.play(PASS_GAME)

    def require_landmark(self) -> None:
        """White may play b4 and nothing else has changed: the implied pass and the move are taken back afterwards."""
        self.done("play b pass")
        self.done("play w b4")
        for _ in range(len(_PASS_MOVES) + 2):
            self.done("undo")
        self.fails("undo")

    # -- asking ----------------------------------------------------------------------------------------------

    def read(self, limit: float | None = None) -> Answer:
        """The next answer, whole."""
        limit = limit or self.limits.answer
        first = self.talk.find(lambda line: line[:1] in ("=", "?"), limit, "= or ?")
        lines = [first]
        while line := self.talk.next_line(limit, "an empty line, which ends the answer"):
            lines.append(line)
        text = first[1:].lstrip("0123456789").strip()
        return Answer(first[0] == "=", "\n".join([text, *lines[1:]]), tuple(lines))

    def ask(self, command: str, limit: float | None = None) -> Answer:
        self.send(command)
        return self.read(limit)

    def done(self, command: str) -> str:
        """Send a command that must succeed; its answer's text."""
        answer = self.ask(command)
        require(answer.ok, f"=, since this is right: {command}")
        return answer.text

    def fails(self, command: str) -> str:
        """Send a command that must be refused; the message."""
        answer = self.ask(command)
        require(not answer.ok, f"?, since this is wrong: {command}")
        return answer.text

    def commands(self) -> list[str]:
        """What `list_commands` says; asked for once."""
        if self._commands is None:
            self._commands = self.done("list_commands").split()
        return self._commands

    def need(self, *names: str) -> None:
        """Skip the running check unless the engine offers these commands."""
        missing = [name for name in names if name not in self.commands()]
        if missing:
            raise CheckSkipped(f"the engine does not offer {', '.join(missing)}")

    def play(self, transcript: str, *, passes: bool = True) -> None:
        """Play moves; with passes False forced passes are left out, as Quarry does."""
        for command in _moves([transcript]):
            if passes or not command.endswith("pass"):
                self.done(command)

    def genmove(self, side: int, command: str = "genmove", limit: float | None = None) -> str:
        """The engine's move, in our spelling."""
        answer = self.ask(f"{command} {'bw'[side]}", limit)
        if not answer.ok or not re.fullmatch(r"[a-h][1-8]|pass", answer.text.lower()):
            raise CheckFailed("= and a move")
        return answer.text.lower()

    def require_at(self, position: Position) -> None:
        """Fail unless the moves of this position, and no others, are accepted; undo takes each back."""
        colour = "bw"[position.side]
        moves = legal(position)
        for move in sorted(moves):
            self.done(f"play {colour} {move}")
            self.done("undo")
        strange = next(name for name in (square_name(square) for square in range(PASS)) if name not in moves)
        self.fails(f"play {colour} {strange}")
