"""An engine as its user describes it: a command, a dialect, and the limits of its thinking."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

START_LIMIT_S = 180.0
"""Allowed to a program until it is ready: long enough to compile everything on a slow and busy machine."""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)", re.ASCII)


class PassStyle(StrEnum):
    """Whether a forced pass is told to a GTP engine."""

    WRITTEN = "written"
    """`play b pass`."""
    IMPLIED = "implied"
    """Never: the engine is asked for the next move of the other colour."""
    AUTO = "auto"
    """Written, until the engine refuses one."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an engine may think; None means no limit. Times in seconds.

    move_s: for each move. clock_s: for all moves of a game, with increment_s more for each. depth: plies, or what the
    program takes for it. nodes: positions for each move.
    """

    move_s: float | None = None
    clock_s: float | None = None
    increment_s: float = 0.0
    depth: int | None = None
    nodes: int | None = None

    def __str__(self) -> str:
        """`100 ms`, `60 s + 1 s`, `depth 12`, several with commas, or `its own`."""
        parts = [] if self.move_s is None else [format_duration(self.move_s)]
        if self.clock_s is not None:
            parts.append(f"{format_duration(self.clock_s)} + {format_duration(self.increment_s)}")
        parts += [f"depth {self.depth}"] if self.depth else []
        parts += [f"{self.nodes} nodes"] if self.nodes else []
        return ", ".join(parts) or "its own"


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """An engine and how it is to be used.

    name: in tables and files, one word. protocol: a key of `drivers.DIALECTS`. directory: where it runs. environment:
    added to ours. options: (name, value), told to it at its start in the way of its dialect. precision: percent, asked
    of a Cassio engine in the midgame. restart: a process for every game.
    """

    name: str
    command: tuple[str, ...]
    protocol: str = "native"
    directory: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    limits: Limits = field(default_factory=Limits)
    passes: PassStyle = PassStyle.AUTO
    precision: int = 73
    restart: bool = False
    start_limit_s: float = START_LIMIT_S


def parse_duration(text: str) -> float:
    """Seconds of `100ms`, `2s`, `5m`, `1.5 h`; ValueError without a unit, since programs differ in theirs.

    >>> parse_duration("250ms")
    0.25
    """
    match = _DURATION.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{text!a} is no time; write a number and its unit, such as 100ms, 2s, 5m")
    return float(match[1]) * _UNITS[match[2]]


def parse_clock(text: str) -> tuple[float, float]:
    """Seconds for the game and for each move, of `60s+1s` or `5m`.

    >>> parse_clock("1m+500ms")
    (60.0, 0.5)
    """
    main, plus, increment = text.partition("+")
    clock = parse_duration(main), parse_duration(increment) if plus else 0.0
    if not clock[0]:
        raise ValueError(f"{text!a} leaves no time at all")
    return clock


def format_duration(seconds: float) -> str:
    """As `parse_duration` reads it, with a blank: milliseconds below one second."""
    return f"{1000 * seconds:g} ms" if seconds < 1 else f"{seconds:g} s"
