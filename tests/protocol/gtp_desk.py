"""What the tests of the GTP dialect share: a desk that checks the framing of every answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, square_name
from protocol.gtp import GtpService
from protocol.lines import InputItem
from tests.protocol.fake_engine import DialectDesk, FakeEngine, answer_truly

FIRST_LINE = re.compile(r"[=?]\d*( \S.*)?")


def split_answers(lines: Iterable[str]) -> list[str]:
    """The answers among printed lines, each without the empty line that must stand at its end."""
    answers: list[str] = []
    begun: list[str] = []
    for line in lines:
        assert line == line.rstrip(), repr(line)
        assert line.isascii(), repr(line)
        if line:
            assert begun or FIRST_LINE.fullmatch(line), repr(line)
            begun.append(line)
        else:
            assert begun, "an empty line that ends nothing"
            answers.append("\n".join(begun))
            begun = []
    assert begun == [], "an answer without its end"
    return answers


class Desk(DialectDesk[GtpService]):
    """A desk where GTP is spoken."""

    def __init__(
        self,
        cold: bool = False,
        prepare: Callable[[FakeEngine], None] | None = None,
        profile: str | None = "classic",
        **options: object,
    ) -> None:
        super().__init__(GtpService, cold, prepare, profile, **options)

    def answers(self, *lines: InputItem | None) -> list[str]:
        """Sends lines; the answers so far."""
        return split_answers(self.send(*lines))

    def ask(self, line: str) -> str:
        """The one answer to one command."""
        (answer,) = self.answers(line)
        return answer

    def finish(self, move: str | int | None = None, **changes: object) -> list[str]:
        """Ends the running search, with the first legal move unless told otherwise; the answers then."""
        self.engine.finish(move, **changes)
        return split_answers(self.said())

    def play(self, transcript: str) -> None:
        """Plays moves from where the game stands; passes are sent."""
        for move, after in self.position.follow(transcript):
            assert self.ask(play_command(move, after)) == "="

    @property
    def position(self) -> Position:
        return self.service.position


def play_command(move: int, after: Position) -> str:
    """The command for a move, by the position that it leads to."""
    return f"play {'w' if after.side == BLACK else 'b'} {square_name(move)}"


def commands_of(transcript: str, start: Position | None = None, passes: bool = True) -> list[str]:
    """The commands that play a game; with passes False as Quarry does, without those."""
    steps = (start or Position.start()).follow(transcript)
    return [play_command(move, after) for move, after in steps if passes or move != PASS]


def knowing() -> Desk:
    """A desk with an engine that answers by itself."""
    return Desk(prepare=lambda engine: setattr(engine, "answer", answer_truly))


def wait_for_answer(desk: Desk, *lines: str) -> str:
    """The next answer after these lines, if it is the only one."""
    said = desk.send(*lines)
    if "" not in said:
        said += desk.wait_for("")
    (answer,) = split_answers(said)
    return answer
