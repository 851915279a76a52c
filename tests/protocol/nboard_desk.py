"""What the tests of the NBoard dialect share: a desk that checks every line, games as programs write them."""

from __future__ import annotations

import re
from collections.abc import Callable

from othello_engine.position import Position
from othello_engine.types import PASS, Score, ScoreKind, SearchInfo, square_name
from protocol.lines import InputItem
from protocol.nboard import NboardService
from tests.protocol.fake_engine import DialectDesk, FakeEngine, info

START_BOARD = "8 ---------------------------O*------*O--------------------------- *"

REQUESTS = ("go", "hint 2", "analyze")

GRAMMAR = re.compile(
    r"set myname OthelloEngine\d*"
    r"|status( \S.*)?"
    r"|search ([A-H][1-8]|PA)+ -?\d+\.\d\d 0 (\d+|100%W?)"
    r"|=== ([A-H][1-8]|PA)/(-?\d+\.\d\d)?/\d+\.\d\d"
    r"|pong [+-]?\d+"
    r"|nodestats \d+ \d+\.\d{3}"
    r"|analysis \d+ -?\d+\.\d\d"
    r"|learned"
)
"""What may be printed at all."""


class Desk(DialectDesk[NboardService]):
    """A desk where NBoard is spoken, with what is printed checked; `begin` skips what every test would."""

    def __init__(
        self,
        cold: bool = False,
        prepare: Callable[[FakeEngine], None] | None = None,
        profile: str = "strong",
        **options: object,
    ) -> None:
        super().__init__(NboardService, cold, prepare, profile, **options)

    def said(self) -> list[str]:
        lines = super().said()
        for line in lines:
            assert GRAMMAR.fullmatch(line), line
            assert "-0.00" not in line, line
        return lines

    @property
    def position(self) -> Position:
        return self.service.record.position


def begin(*lines: str, **settings: object) -> Desk:
    """A desk after a handshake and these lines."""
    desk = Desk(**settings)  # type: ignore[arg-type]
    desk.send("nboard 2", "ping 1", *lines)
    return desk


def until(desk: Desk, pattern: str, *lines: InputItem) -> list[str]:
    """What is said from these lines on up to one that matches."""
    said = desk.send(*lines)
    if not any(re.fullmatch(pattern, line) for line in said):
        said += desk.wait_for(pattern)
    return said


def ggf(transcript: str = "", tags: str = "TI[5:00]", board: str = START_BOARD, times: str = "") -> str:
    """A game as the NBoard program writes it. times: what stands behind each move, such as `//1.5`."""
    position = Position.from_text(board.replace("*", "X")[2:])
    moves = ""
    for move, after in position.follow(transcript):
        moves += f"{'WB'[after.side]}[{'PA' if move == PASS else square_name(move).upper()}{times}]"
    return f"(;GM[Othello]PC[NBoard]DT[2026-01-05 10:00:00 GMT]PB[A]PW[B]RE[?]{tags}TY[8]BO[{board}]{moves};)"


def cp(depth: int, move: str, value: int, rank: int = 1, **changes: object) -> SearchInfo:
    """A line of a midgame search."""
    return info(depth, move, rank=rank, score=Score(ScoreKind.CENTIDISCS, value), selectivity=73, **changes)
