"""Engine programs as players: one small driver per dialect, and the process that it talks to.

A driver knows the words of its dialect and nothing of the rules; what a program plays is judged by the match. All
drivers get the same three calls: `start_game` with the moves so far, `choose`, and `played` for every further move of
either side, forced passes included (they are never asked for).
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, square_name
from tools.measure.driver import START_TIMEOUT, EngineProcess, NoAnswerError

_COMMAND_TIMEOUT_S = 20.0
"""For answers that need no thinking: `pong`, `readyok`, an empty GTP answer."""


class FaultKind(StrEnum):
    """Ways to lose a game without playing it to the end."""

    ILLEGAL = "illegal move"
    CRASH = "crash"
    SILENCE = "silence"
    REFUSAL = "refusal"
    """The program answered a proper command with an error."""


class FaultError(Exception):
    """A program did not do its part. The text may have many lines; the first one says it all."""

    def __init__(self, kind: FaultKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """A program and its limits as the command line of the match gives them."""

    name: str
    command: tuple[str, ...]
    dialect: str
    """A key of DIALECTS."""
    time_ms: int | None
    """Budget of a move; None for no limit in time. Only the native dialect can pass it on."""
    depth: int | None
    """Depth or level; None to leave it to the program."""
    answer_limit_s: float
    """A program that takes longer for a move is silent: it loses the game and is replaced."""
    directory: Path | None = None
    """Where it runs; None for the current folder."""


@dataclass(frozen=True, slots=True)
class Ply:
    """One move of a game; `move` may be PASS."""

    side: int
    move: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program wants to play, in its own spelling, and the seconds it took."""

    text: str
    seconds: float


class Driver(ABC):
    """A dialect spoken to one running process. Every method may raise FaultError."""

    takes_time = False
    """Can tell the program how long to think on a move; otherwise the program's own command line must say it."""
    takes_depth = False

    def __init__(self, spec: EngineSpec, process: EngineProcess) -> None:
        self.spec = spec
        self.process = process

    @abstractmethod
    def greet(self) -> None:
        """Introduce ourselves and wait until the program is ready."""

    @abstractmethod
    def start_game(self, plies: Sequence[Ply]) -> None:
        """A new game from the start, with these moves made; ready to think when it returns."""

    @abstractmethod
    def choose(self) -> Answer:
        """The program's move in the present position."""

    @abstractmethod
    def played(self, ply: Ply) -> None:
        """A move was made, by either side."""

    def _send(self, *lines: str) -> float:
        try:
            return self.process.send(*lines)
        except OSError as error:
            raise FaultError(FaultKind.CRASH, f"its input is closed: {error}") from None

    def _ask(self, line: str, pattern: str, limit_s: float = _COMMAND_TIMEOUT_S) -> Answer:
        """Send a line and wait for the answer that matches; its text is what the pattern's first group matched."""
        sent_at = self._send(line)
        try:
            last = self.process.read_until(pattern, limit_s)[-1]
        except NoAnswerError as error:
            # The reader gives up early only when there is nothing more to come.
            ended = time.perf_counter() < sent_at + limit_s
            raise FaultError(FaultKind.CRASH if ended else FaultKind.SILENCE, f"{line}: {error}") from None
        except AssertionError as error:
            raise FaultError(FaultKind.CRASH, str(error)) from None
        found = re.fullmatch(pattern, last.text)
        assert found is not None
        return Answer(found.group(1), last.at - sent_at)


class NativeDriver(Driver):
    """The project's own protocol, docs/protocol.md."""

    takes_time = True
    takes_depth = True

    def greet(self) -> None:
        self._ask("uoi", "(uoiok)", START_TIMEOUT)
        self._ask("isready", "(readyok)", START_TIMEOUT)

    def start_game(self, plies: Sequence[Ply]) -> None:
        self._moves = [square_name(ply.move) for ply in plies]
        self._send("newgame", self._position())
        self._ready()

    def choose(self) -> Answer:
        limits = [
            f"{word} {value}" for word, value in (("time", self.spec.time_ms), ("depth", self.spec.depth)) if value
        ]
        return self._accepted(
            self._ask(" ".join(["go", *limits]), r"(error .*|bestmove \S+).*", self.spec.answer_limit_s)
        )

    def played(self, ply: Ply) -> None:
        self._moves.append(square_name(ply.move))
        self._send(self._position())

    def _position(self) -> str:
        return " ".join(["setboard startpos moves", *self._moves]) if self._moves else "setboard startpos"

    def _ready(self) -> None:
        self._accepted(self._ask("isready", r"(error .*|readyok)"))

    @staticmethod
    def _accepted(answer: Answer) -> Answer:
        if answer.text.startswith("error"):
            raise FaultError(FaultKind.REFUSAL, answer.text)
        return Answer(answer.text.removeprefix("bestmove "), answer.seconds)


class NBoardDriver(Driver):
    """NBoard, version 1, which all engines of this kind speak: no clock, only a depth."""

    takes_depth = True
    _n_pings = 0

    def greet(self) -> None:
        self._send("nboard 1")
        if self.spec.depth:
            self._send(f"set depth {self.spec.depth}")
        self._barrier(START_TIMEOUT)

    def start_game(self, plies: Sequence[Ply]) -> None:
        moves = "".join(f"{'BW'[ply.side]}[{self._move(ply)}]" for ply in plies)
        squares = Position.start().to_text().replace("X", "*")
        header = f"GM[Othello]PC[duel]PB[black]PW[white]RE[?]TI[15:00]TY[8]BO[8 {squares}]"
        self._send(f"set game (;{header}{moves};)")
        self._barrier()

    def choose(self) -> Answer:
        # MOVE/EVAL/TIME by the book; some programs write blanks for the slashes.
        return self._ask("go", r"=== *([^ /]+).*", self.spec.answer_limit_s)

    def played(self, ply: Ply) -> None:
        self._send(f"move {self._move(ply)}")

    def _barrier(self, limit_s: float = _COMMAND_TIMEOUT_S) -> None:
        self._n_pings += 1
        self._ask(f"ping {self._n_pings}", f"(pong {self._n_pings})", limit_s)

    @staticmethod
    def _move(ply: Ply) -> str:
        return "PA" if ply.move == PASS else square_name(ply.move).upper()


class GtpDriver(Driver):
    """GTP version 2 with written passes. Its time settings know whole seconds only, so none are sent."""

    _moved_itself = False

    def greet(self) -> None:
        self._order("protocol_version", START_TIMEOUT)
        self._order("boardsize 8")

    def start_game(self, plies: Sequence[Ply]) -> None:
        self._moved_itself = False
        self._order("clear_board")
        for ply in plies:
            self.played(ply)
        self._side = 1 - plies[-1].side if plies else BLACK

    def choose(self) -> Answer:
        answer = self._order(f"genmove {'bw'[self._side]}", self.spec.answer_limit_s)
        self._moved_itself = True
        return answer

    def played(self, ply: Ply) -> None:
        self._side = 1 - ply.side
        if self._moved_itself:  # genmove has made the move
            self._moved_itself = False
            return
        self._order(f"play {'bw'[ply.side]} {square_name(ply.move)}")

    def _order(self, line: str, limit_s: float = _COMMAND_TIMEOUT_S) -> Answer:
        answer = self._ask(line, r"([=?].*)", limit_s)
        if answer.text.startswith("?"):
            raise FaultError(FaultKind.REFUSAL, f"{line}: {answer.text}")
        return Answer(answer.text.removeprefix("=").strip(), answer.seconds)


DIALECTS: dict[str, type[Driver]] = {"native": NativeDriver, "nboard": NBoardDriver, "gtp": GtpDriver}


class Player:
    """One engine over a whole match: started when it is needed, and again after it was dropped."""

    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self._driver: Driver | None = None
        self._closed = False

    def start_game(self, plies: Sequence[Ply]) -> None:
        """Ready to think on the position after these moves, on a new process if there is none."""
        if self._driver is None:
            self._driver = self._start()
        self._driver.start_game(plies)

    def choose(self) -> Answer:
        return self._running().choose()

    def played(self, ply: Ply) -> None:
        self._running().played(ply)

    def cpu_seconds(self) -> float:
        """CPU time of the process and its children so far."""
        return self._running().process.cpu_seconds()

    def drop(self) -> None:
        """End the process; the next game starts a new one."""
        driver, self._driver = self._driver, None
        if driver is not None:
            driver.process.close()

    def close(self) -> None:
        """End the process for good. From another thread it ends a game that is being played."""
        self._closed = True
        self.drop()

    def _running(self) -> Driver:
        if self._driver is None:
            raise FaultError(FaultKind.CRASH, "closed")
        return self._driver

    def _start(self) -> Driver:
        try:
            process = EngineProcess(command=self.spec.command, cwd=self.spec.directory, check_grammar=False)
        except OSError as error:
            raise FaultError(FaultKind.CRASH, f"can't be started: {error}") from None
        driver = DIALECTS[self.spec.dialect](self.spec, process)
        try:
            driver.greet()
            if self._closed:
                raise FaultError(FaultKind.CRASH, "closed")
        except BaseException:
            process.close()
            raise
        return driver
