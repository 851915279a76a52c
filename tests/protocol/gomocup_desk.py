"""What the tests of the Gomocup dialect share: a desk that checks every line that is printed."""

from __future__ import annotations

import re
from collections.abc import Callable

from othello_engine.gomoku.position import GomokuPosition, parse_cell
from othello_engine.types import Limits, Score, ScoreKind, SearchInfo
from protocol.gomocup import GomocupService
from protocol.gomocup_lines import OPPONENT, OWN, format_point
from protocol.lines import InputItem
from tests.protocol.fake_engine import DialectDesk, FakeEngine, info

LINE = re.compile(
    r"\d{1,2},\d{1,2}( \d{1,2},\d{1,2}){0,2}|OK|SWAP|FORBID \.|(ERROR|UNKNOWN|MESSAGE) \S.*"
    r'|name="[^"]+", version="[^"]+", author="[^"]+", country="[^"]+"'
)


class Desk(DialectDesk[GomocupService]):
    """A desk where a manager of Gomoku engines speaks."""

    def __init__(
        self,
        cold: bool = False,
        prepare: Callable[[FakeEngine], None] | None = None,
        profile: str | None = "gomoku",
        **options: object,
    ) -> None:
        super().__init__(GomocupService, cold, prepare, profile, **options)
        self.service.head_start_s = 0.0  # not the time that the tests have taken so far

    def ask(self, *items: InputItem | None) -> list[str]:
        """Sends lines; what is answered, without messages for people."""
        return answers(self.send(*items))

    def said(self) -> list[str]:
        """What was said since the last look."""
        lines = super().said()
        for line in lines:
            assert LINE.fullmatch(line), repr(line)
            assert line == line.strip(), repr(line)
            assert line.isascii(), repr(line)
        return lines

    def wait_for(self, pattern: str, timeout: float = 5) -> list[str]:
        lines = super().wait_for(pattern, timeout)
        return [*lines, *self.said()]

    def finish(self, move: str | int | None = None, **changes: object) -> list[str]:
        """Ends the running search, with the first empty cell unless told otherwise; what is answered then."""
        self.engine.finish(self.cell(move) if isinstance(move, str) else move, **changes)
        return answers(self.said())

    def cell(self, name: str) -> int:
        return parse_cell(name, self.searched.size)

    @property
    def searched(self) -> GomokuPosition:
        """The position of the last search."""
        position = self.engine.position
        assert isinstance(position, GomokuPosition)
        return position

    @property
    def position(self) -> GomokuPosition:
        """Where the game stands: the opponent is to move behind a stone of the engine, and the engine otherwise."""
        game = self.service.game
        assert game is not None
        return game.position(OPPONENT if game.stones and game.stones[-1][1] == OWN else OWN)


def answers(lines: list[str]) -> list[str]:
    """The lines that are no messages for people."""
    return [line for line in lines if not line.startswith("MESSAGE")]


def moved(lines: list[str]) -> list[str]:
    """The lines that are a move."""
    return [line for line in lines if re.fullmatch(r"\d+,\d+", line)]


def line(*cells: int, depth: int = 5, score: int = 10, mate: int = 0, rank: int = 1) -> SearchInfo:
    """A line of play."""
    value = Score(ScoreKind.MATE, mate) if mate else Score(ScoreKind.RAW, score, units_per_disc=100)
    return info(depth, pv=cells, score=value, rank=rank)


def answer_somehow(engine: FakeEngine, limits: Limits) -> None:
    """A few lines and a move that depends on the position only."""
    position = engine.position
    assert isinstance(position, GomokuPosition)
    moves = limits.search_moves or position.legal_moves
    cell = moves[(7 * position.n_empties) % len(moves)]
    lines = tuple(line(cell, depth=depth) for depth in (1, 2, 3))
    engine.report(*lines)
    if limits.infinite:
        engine.stop_flag.wait(10)
    engine.finish(cell, lines=lines[-1:], nodes=300)


def self_answering() -> Desk:
    """A desk with an engine that answers by itself, in the thread of the test."""

    def prepare(engine: FakeEngine) -> None:
        go = engine.go

        def go_and_answer(*arguments: object, **named: object) -> object:
            ticket = go(*arguments, **named)  # type: ignore[arg-type]
            assert engine.limits is not None
            answer_somehow(engine, engine.limits)
            return ticket

        engine.go = go_and_answer  # type: ignore[method-assign, assignment]

    return Desk(prepare=prepare)


def point(name: str, size: int = 15) -> str:
    """`x,y` of a cell's name."""
    return format_point(parse_cell(name, size), size)
