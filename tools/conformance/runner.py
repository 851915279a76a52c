"""Runs checks one after another, on one process as long as that does no harm, and keeps what they found."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from tools.conformance.check import Check, CheckFailed, CheckSkipped, Limits
from tools.conformance.clients.client import Client
from tools.conformance.talk import Talk, printable

_START_FACTOR = 5
"""Later starts are given so many times the seconds of the first: what had to be compiled has been."""


class Verdict(StrEnum):
    OK = "ok"
    FAIL = "FAIL"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a check. reason: what was expected, or why it was skipped; empty if it passed. transcript: the
    conversation of the check, or what else shows the fault.
    """

    check: Check[Any]
    verdict: Verdict
    seconds: float
    reason: str = ""
    transcript: tuple[str, ...] = ()


class Runner:
    """Checks for one program. Call `close` at the end."""

    def __init__(
        self, client_type: type[Client], command: Sequence[str], directory: Path | None, limits: Limits
    ) -> None:
        self._client_type = client_type
        self._command = command
        self._directory = directory
        self._limits = limits
        self._history: list[Talk] = []
        self._shared: Client | None = None
        self.unready = ""
        """Why no further check can be tried."""
        self._knows_start = False

    def close(self) -> None:
        self._drop()

    def run(self, check: Check[Any]) -> Outcome:
        """Try one rule. Raises ProgramError if the program can't be started at all."""
        start = time.perf_counter()
        if self.unready:
            return Outcome(check, Verdict.SKIPPED, 0.0, self.unready)
        client: Client | None = None
        mark = 0
        verdict, reason = Verdict.OK, ""
        evidence: tuple[str, ...] = ()
        try:
            client = self._new_client() if check.fresh else self._shared_client()
            mark = 0 if check.fresh else len(client.talk.events)
            check.run(client)
        except CheckSkipped as skipped:
            verdict, reason = Verdict.SKIPPED, str(skipped)
        except CheckFailed as failed:
            verdict, reason, evidence = Verdict.FAIL, failed.expected, failed.evidence
        except (LookupError, ValueError) as error:  # the check came upon something that it could not read
            verdict, reason = Verdict.FAIL, f"an answer that can be read ({type(error).__name__}: {error})"
        finally:
            if client is not None and check.fresh:
                client.talk.close()
        if verdict is Verdict.FAIL and not check.fresh:
            self._drop()  # who knows what else it takes amiss
        said = self._history[-1].events if client is None else client.talk.events[mark:]
        transcript = tuple(map(printable, evidence or said))
        return Outcome(check, verdict, time.perf_counter() - start, reason, transcript)

    def _new_client(self) -> Client:
        talk = Talk(self._command, self._directory)
        self._history.append(talk)
        return self._client_type(talk, self._limits, self._history)

    def _shared_client(self) -> Client:
        """A client at the start position: the one that there is, or a new one if that has come to harm."""
        if self._shared is not None and self._shared.talk.is_usable:
            try:
                self._shared.reset()
                return self._shared
            except CheckFailed:
                pass
        self._drop()
        client = self._shared = self._new_client()
        try:
            client.greet()
            if not self._knows_start:
                seconds = time.perf_counter() - client.talk.started_at
                self._limits = replace(self._limits, start=max(self._limits.answer, _START_FACTOR * seconds))
                self._knows_start = True
            client.reset()
        except CheckFailed:
            self.unready = "the program did not get ready"
            raise
        return client

    def _drop(self) -> None:
        if self._shared is not None:
            self._shared.talk.close()
            self._shared = None
