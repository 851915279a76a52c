"""What a check is: a rule of a dialect with its source, and a function that tries it on a running engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

ClientT = TypeVar("ClientT")


class Severity(StrEnum):
    """How much depends on a rule: MUST breaks some client, SHOULD costs a convenience or is custom."""

    MUST = "must"
    SHOULD = "should"


class CheckFailed(Exception):  # noqa: N818 - the opposite of passing, no error of ours
    """The engine broke the rule. expected: what should have come, in words or as a line. evidence: what shows the
    fault; without it, the transcript of the check does.
    """

    def __init__(self, expected: str, evidence: tuple[str, ...] = ()) -> None:
        super().__init__(expected)
        self.expected = expected
        self.evidence = evidence


class CheckSkipped(Exception):  # noqa: N818
    """The rule can't be tried on this engine; the text says why."""


class ProgramError(Exception):
    """The program can't be started at all."""


def require(condition: bool, expected: str) -> None:
    """Fail the running check unless `condition` holds."""
    if not condition:
        raise CheckFailed(expected)


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that are waited for things.

    start: the first sign of readiness, which may include compiling the whole engine. answer: anything that needs some
    thinking or none. prompt: what a client notices as a delay, such as the answer to `stop`. quiet: how long silence
    is listened to. exit: from the last command to the end of the process.
    """

    start: float = 180.0
    answer: float = 10.0
    prompt: float = 2.0
    quiet: float = 0.3
    exit: float = 5.0


@dataclass(frozen=True, slots=True)
class Check(Generic[ClientT]):
    """One rule.

    title: the rule as a sentence. source: who says so, short. fresh: needs a process of its own, which has been told
    nothing yet; otherwise the check gets one that is ready, idle and at the start position.
    """

    name: str
    topic: str
    title: str
    source: str
    severity: Severity
    fresh: bool
    run: Callable[[ClientT], None]


class Suite(Generic[ClientT]):
    """The checks of a dialect, in the order in which they were written; topics keep together.

    A check is a function whose name, with hyphens, is the check's name and whose docstring is its title.
    """

    def __init__(self) -> None:
        self.checks: list[Check[ClientT]] = []

    def must(self, topic: str, source: str, *, fresh: bool = False) -> Callable[[Callable[[ClientT], None]], None]:
        return self._adder(topic, source, Severity.MUST, fresh)

    def should(self, topic: str, source: str, *, fresh: bool = False) -> Callable[[Callable[[ClientT], None]], None]:
        return self._adder(topic, source, Severity.SHOULD, fresh)

    def _adder(
        self, topic: str, source: str, severity: Severity, fresh: bool
    ) -> Callable[[Callable[[ClientT], None]], None]:
        def add(function: Callable[[ClientT], None]) -> None:
            name = function.__name__.strip("_").replace("_", "-")
            title = " ".join((function.__doc__ or "").split()).rstrip(".")
            assert title, f"{name} has no docstring"
            assert all(check.name != name for check in self.checks), f"two checks are called {name}"
            self.checks.append(Check(name, topic, title, source, severity, fresh, function))

        return add

    def ordered(self) -> list[Check[ClientT]]:
        """The checks, those of a topic one after another, topics by their first check."""
        topics = list(dict.fromkeys(check.topic for check in self.checks))
        return sorted(self.checks, key=lambda check: topics.index(check.topic))
