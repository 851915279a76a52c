"""Who is asked: a program that speaks Gomocup's protocol or ours, or the engine as a Python object."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Protocol

from othello_engine.config import Config, load_config
from othello_engine.engine.engine import Engine
from othello_engine.errors import IllegalMoveError, OthelloError
from othello_engine.gomoku.position import GomokuPosition, parse_cell
from othello_engine.types import Limits, ScoreKind
from tools.engines.drivers import FaultError, Setup
from tools.engines.player import Player
from tools.engines.spec import EngineSpec
from tools.engines.spec import Limits as ProgramLimits
from tools.match.games import NATIVE, GomokuGame

PROTOCOLS = GomokuGame.protocols
_PATIENCE_S = 30.0
"""Beyond the time of a move; also for a move without one."""


class SolverError(Exception):
    """The engine can't be asked at all; the text says why."""


@dataclass(frozen=True, slots=True)
class Found:
    """What came back for a position.

    move: a legal cell, or None; fault: why there is none. mate: plies to the five as the engine claims it, negative if
    it sees itself lose, None if it claims nothing. score: in the engine's own unit. seconds: from the question to the
    answer, on our clock. nodes, depth: as it says; None if it says nothing.
    """

    move: int | None
    seconds: float
    mate: int | None = None
    score: float | None = None
    nodes: int | None = None
    depth: int | None = None
    fault: str = ""

    @property
    def claims_loss(self) -> bool | None:
        """Whether it sees itself losing; None if it says nothing of its score."""
        if self.mate is not None:
            return self.mate < 0
        return None if self.score is None else self.score < 0


class Solver(Protocol):
    """Something to ask. Use it in a `with` statement. Entering may raise SolverError."""

    name: str

    def __enter__(self) -> Solver: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def ask(self, moves: Sequence[int], position: GomokuPosition) -> Found:
        """What is played in a position, which these moves from the empty board lead to. Nothing is known of former
        questions.
        """


class ProgramSolver:
    """A program. protocol: one of PROTOCOLS; move_s: its time for a move, None for its own; options: told to it."""

    def __init__(
        self, command: str, protocol: str, move_s: float | None, options: Sequence[tuple[str, str]] = ()
    ) -> None:
        words = tuple(shlex.split(command))
        if not words:
            raise SolverError("no command")
        told = tuple(options)
        try:
            told = GomokuGame().native_options(told) if protocol == NATIVE else told
        except ValueError as error:
            raise SolverError(str(error)) from None
        self.name = command
        self._patience_s = _PATIENCE_S + (move_s or 0.0)
        self._player = Player(EngineSpec(words[0], words, protocol, options=told, limits=ProgramLimits(move_s=move_s)))

    def __enter__(self) -> ProgramSolver:
        try:
            self._player.start_game(Setup(GomokuPosition.start(), ()))
        except FaultError as fault:
            self._player.close()
            raise SolverError(f"{self.name} can't play: {fault.kind}: {str(fault).splitlines()[0]}") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._player.close()

    def ask(self, moves: Sequence[int], position: GomokuPosition) -> Found:
        began = time.perf_counter()
        try:
            self._player.start_game(Setup(GomokuPosition.start(position.size), tuple(moves)))
            began = time.perf_counter()
            answer = self._player.choose(position.side, None, self._patience_s)
        except FaultError as fault:
            self._player.drop()
            return Found(None, time.perf_counter() - began, fault=f"{fault.kind}: {str(fault).splitlines()[0]}")
        said = answer.evaluation
        found = Found(None, answer.seconds, said.mate, said.value, said.nodes, said.depth)
        try:
            position.play(answer.text)
        except IllegalMoveError as error:
            return replace(found, fault=str(error))
        return replace(found, move=parse_cell(answer.text, position.size))


class EngineSolver:
    """The engine of this package. time_ms: for a move; None for what the profile says. Raises SolverError."""

    def __init__(self, profile: str, time_ms: int | None, options: Sequence[tuple[str, str]] = ()) -> None:
        try:
            self._config = _configured(profile, options)
        except OthelloError as error:
            raise SolverError(str(error)) from None
        self.name = f"profile {profile}"
        self._limits = Limits(move_time_ms=time_ms)
        self._engine = Engine(self._config)
        self._wait_s = _PATIENCE_S + (time_ms or self._config.profile.move_time_ms or 0) / 1000

    def __enter__(self) -> EngineSolver:
        try:
            self._engine.start()
            self._engine.wait_ready()
        except OthelloError as error:
            self._engine.close()
            raise SolverError(str(error)) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine.close()

    def ask(self, moves: Sequence[int], position: GomokuPosition) -> Found:
        self._engine.new_game()
        self._engine.set_position(position)
        began = time.perf_counter()
        try:
            result = self._engine.go(self._limits).wait(self._wait_s)
        except TimeoutError:
            self._engine.stop()
            return Found(None, time.perf_counter() - began, fault="hang: no answer in time")
        seconds = time.perf_counter() - began
        fault = f"failed inside: {result.error}" if result.error else ""
        if result.best_move not in position.legal_moves:
            fault = fault or f"no legal move: {position.move_name(result.best_move)}"
            return Found(None, seconds, nodes=result.nodes, fault=fault)
        move = None if fault else result.best_move
        if not result.lines:
            return Found(move, seconds, nodes=result.nodes, fault=fault)
        line = result.lines[0]
        mate = line.score.value if line.score.kind is ScoreKind.MATE else None
        score = None if mate is not None else float(line.score.value)
        return Found(move, seconds, mate, score, result.nodes, line.depth, fault)


def _configured(profile: str, options: Sequence[tuple[str, str]]) -> Config:
    return load_config(profile=profile, overrides={"Threads": "1", **dict(options)})
