"""What all dialects have in common, as far as the shared checks need it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tools.conformance.check import CheckFailed, Limits, require
from tools.conformance.talk import Talk


@dataclass(frozen=True, slots=True)
class Exchange:
    """A line to send, and patterns of the lines that answer it, in order; what may come in between is not listed."""

    line: str
    answers: tuple[str, ...] = ()


class Client(ABC):
    """One conversation in a dialect, with the words that the shared checks are made of.

    history: all conversations of the run so far, this one included; for rules about everything that was printed.
    """

    name: ClassVar[str]
    grammar: ClassVar[Mapping[str, re.Pattern[str]]]
    """Every line that the dialect knows, by kind."""
    noise: ClassVar[frozenset[str]]
    """Kinds of lines that may come at any time and answer nothing."""
    partial: ClassVar[frozenset[str]] = frozenset()
    """Kinds of lines of which several may come in a dialogue before the one that is waited for."""
    skips_foreign_lines: ClassVar[bool] = False
    """True if clients skip lines that they don't know, so that those are a fault of their own and no wrong answer."""
    final: ClassVar[str]
    """Pattern of the one line that ends a search."""
    complaint: ClassVar[str]
    """Pattern of the answer to a line that is wrong."""
    must_complain: ClassVar[bool]
    """True if a wrong line is always answered; otherwise silence is as good."""
    farewell: ClassVar[str] = ""
    """What comes after `quit`, if anything."""
    quit_line: ClassVar[str] = "quit"
    short_search: ClassVar[tuple[str, ...]]
    """Commands for a search that ends soon, in the start position."""
    long_search: ClassVar[tuple[str, ...]] = ()
    """Commands for a search that does not end by itself; empty if the dialect has none."""
    dialogue: ClassVar[tuple[Exchange, ...]]
    """A dialogue with fixed answers, for disturbances of all kinds; a search in it comes last."""

    def __init__(self, talk: Talk, limits: Limits, history: Sequence[Talk] = ()) -> None:
        self.talk = talk
        self.limits = limits
        self.history = history or [talk]

    # -- what each dialect says in its own words -------------------------------------------------------------

    @abstractmethod
    def greet(self) -> None:
        """Introduce ourselves and wait until the engine is ready, for as long as its start may take."""

    @abstractmethod
    def reset(self) -> None:
        """Idle and at the start position, whatever the last check did."""

    @abstractmethod
    def sync(self, limit: float | None = None) -> list[str]:
        """A ping: all lines up to its answer, which is not among them."""

    @abstractmethod
    def set_landmark(self) -> None:
        """Set up a position in which the engine's answer is known beforehand (where the dialect has a state)."""

    @abstractmethod
    def require_landmark(self) -> None:
        """Fail unless the engine is still at the position of `set_landmark`."""

    # -- what follows from that ------------------------------------------------------------------------------

    def send(self, *lines: str) -> None:
        self.talk.send(*lines)

    def provoke(self, data: bytes) -> list[str]:
        """Send bytes as a line and return everything that they bring about."""
        self.talk.send_bytes(data + b"\n")
        return self.sync()

    def kind_of(self, line: str) -> str | None:
        """The grammar's name for a line; None if it is none of the dialect."""
        return next((kind for kind, pattern in self.grammar.items() if pattern.fullmatch(line)), None)

    def finals(self, lines: Sequence[str]) -> list[str]:
        """Those lines that end a search."""
        return [line for line in lines if re.fullmatch(self.final, line)]

    def search_to_end(self, *commands: str) -> list[str]:
        """Send commands of which the last starts a search; all lines up to the one that ends it."""
        self.send(*commands)
        return self.talk.until(self.final, self.limits.answer, "the answer that ends the search")

    def require_complaint(self, lines: Sequence[str], about: str) -> None:
        """Fail unless these lines are the right answer to one wrong line."""
        told = [line for line in lines if self._tells(line)]
        complaints = [line for line in lines if re.fullmatch(self.complaint, line)]
        if self.must_complain:
            require(
                len(complaints) == 1 and len(told) == 1, f"exactly one answer, an error, to {about}; got {len(told)}"
            )
        else:
            require(not told and len(complaints) <= 1, f"silence, or one line that describes it, to {about}")

    def _tells(self, line: str) -> bool:
        return self.kind_of(line) not in self.noise

    def _next_answer(self, pattern: str, limit: float) -> str:
        """The next line that is the answer, or no noise; fails if there is none."""

        def ends(line: str) -> bool:
            kind = self.kind_of(line)
            skipped = kind in self.noise | self.partial or (kind is None and self.skips_foreign_lines)
            return re.fullmatch(pattern, line) is not None or not skipped

        return self.talk.find(ends, limit, f"the line {pattern}")

    def perform(
        self, disguise: Callable[[bytes], bytes] = lambda line: line, *, at_once: bool = False, limit: float = 0.0
    ) -> None:
        """Send the dialogue, each line's bytes disguised, and fail unless its answers come, in order, and no others.

        at_once: everything in one write.
        """
        limit = limit or self.limits.answer
        batches = [self.dialogue] if at_once else [(exchange,) for exchange in self.dialogue]
        for batch in batches:
            self.talk.send_bytes(b"".join(disguise(exchange.line.encode() + b"\n") for exchange in batch))
            for answer in (answer for exchange in batch for answer in exchange.answers):
                line = self._next_answer(answer, limit)
                if not re.fullmatch(answer, line):
                    raise CheckFailed(f"the line {answer} before any other")
