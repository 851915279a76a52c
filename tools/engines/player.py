"""An engine over many games: its program is started when it is needed, and again after it was lost."""

from __future__ import annotations

import contextlib

from tools.engines.drivers import DIALECTS, Answer, Driver, FaultError, FaultKind, Setup
from tools.engines.process import Program, ProgramError, StartError
from tools.engines.spec import EngineSpec

_GRACE_S = 1.0
"""From `quit` to the end of a program; then it is killed."""


class Player:
    """An engine that plays one game at a time. Every method that talks to the program may raise FaultError."""

    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self._driver: Driver | None = None
        self._program: Program | None = None  # also while it is greeted
        self._is_closed = False
        self._held_before_s = 0.0

    def start_game(self, setup: Setup) -> None:
        """Ready to think after these moves, in a new program if there is none or it has ended since the last game."""
        if self._driver is not None and self._driver.program.exit_status is not None:
            self.drop()
        if self._driver is None:
            self._driver = self._start()
        self._driver.start_game(setup)

    def choose(self, side: int, clock_s: float | None, patience_s: float) -> Answer:
        return self._running.choose(side, clock_s, patience_s)

    def played(self, side: int, move: int, seconds: float) -> None:
        self._running.played(side, move, seconds)

    @property
    def untold(self) -> tuple[str, ...]:
        """See Driver; of the program that runs."""
        return self._running.untold

    @property
    def held_s(self) -> float:
        """Seconds in which its programs were waited for, so far."""
        return self._held_before_s + (self._driver.held_s if self._driver else 0.0)

    def cpu_seconds(self) -> float:
        """CPU time of the program and its children so far."""
        return self._running.program.cpu_seconds()

    def drop(self, politely: bool = False) -> None:
        """End the program; the next game starts a new one."""
        driver, self._driver = self._driver, None
        if driver is None:
            return
        self._held_before_s += driver.held_s
        if politely:
            with contextlib.suppress(ProgramError):
                driver.say_goodbye()
        driver.program.close(_GRACE_S if politely else 0.0)

    def close(self) -> None:
        """End the program for good."""
        self._is_closed = True
        self.drop(politely=True)

    def interrupt(self) -> None:
        """From another thread: kill the program, so that a game that is being played ends in a fault at once."""
        self._is_closed = True
        program = self._program
        if program is not None:
            program.kill()

    @property
    def _running(self) -> Driver:
        if self._driver is None:
            raise FaultError(FaultKind.CRASH, "closed")
        return self._driver

    def _start(self) -> Driver:
        if self._is_closed:
            raise FaultError(FaultKind.CRASH, "closed")
        spec = self.spec
        try:
            program = Program(spec.command, directory=spec.directory, environment=dict(spec.environment))
        except StartError as error:
            raise FaultError(FaultKind.CRASH, str(error)) from None
        self._program = program
        driver = DIALECTS[spec.protocol](spec, program)
        try:
            if not self._is_closed:  # `interrupt` may have come before there was a program to kill
                driver.greet()
            if self._is_closed:
                raise FaultError(FaultKind.CRASH, "closed")
        except BaseException:
            self._held_before_s += driver.held_s
            program.close()
            raise
        return driver
