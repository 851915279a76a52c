"""Who plays: an engine set to a level, or a random mover; and the seat at a table that each of them takes in turn."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from othello_engine.config import OptionValue, load_config
from othello_engine.engine.engine import Engine
from othello_engine.position import Position
from othello_engine.types import Limits, SearchResult
from tools.match.record import Played

MAX_SEED = 2**31 - 1
"""Of the option Seed; 0 has a meaning of its own and is not used."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """One who plays. profile: of its engine, None for the random mover. options: what the engine is set to. nodes:
    visited at most for a move, besides what the level says; a style is not kept then.
    """

    name: str
    profile: str | None = None
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    nodes: int | None = None


RANDOM = Contestant("random")
"""Plays every legal move with the same probability."""


class EngineFailedError(Exception):
    """A search of ours failed inside; the text says where and why."""


class Seat(Protocol):
    """One side of a table, over many games."""

    def begin(self, contestant: Contestant, seed: int) -> None:
        """A new game, played by this one. seed: 1 to MAX_SEED."""

    def choose(self, position: Position) -> Played:
        """The move in a position that has one, and what was said about it."""

    def close(self) -> None:
        """The seat is not needed any more."""


class EngineSeat:
    """A seat whose engines stay in memory from game to game, one for each profile; a search has one worker.

    So the same position, contestant and seed give the same move wherever the level is limited by depth or nodes.
    loader: where workers get their searcher from (for tests).
    """

    def __init__(self, loader: str | None = None) -> None:
        self._loader = loader
        self._engines: dict[str, Engine] = {}
        self._options: dict[str, set[str]] = {}
        self._engine: Engine | None = None
        self._limits = Limits()
        self._source = random.Random(0)

    def begin(self, contestant: Contestant, seed: int) -> None:
        """Raises ConfigError for options that the profile does not take."""
        self._source = random.Random(seed)
        self._engine = None
        if contestant.profile is None:
            return
        options = {"Threads": 1, **contestant.options, "Seed": seed}
        engine = self._engines.get(contestant.profile)
        if engine is not None and self._options[contestant.profile] != set(options):
            engine.close()  # an option that nobody sets would keep the value of another contestant
            engine = None
        if engine is None:
            engine = Engine(load_config(profile=contestant.profile, overrides=options), loader=self._loader)
            self._engines[contestant.profile] = engine
            self._options[contestant.profile] = set(options)
            engine.wait_ready()
        for name, value in options.items():
            engine.set_option(name, value)
        engine.new_game()
        self._engine = engine
        self._limits = Limits()
        if contestant.nodes is not None:
            self._limits = Limits(nodes=contestant.nodes, level=engine.config.level)

    def choose(self, position: Position) -> Played:
        if self._engine is None:
            return Played(self._source.choice(position.legal_moves))
        self._engine.set_position(position)
        result = searched(self._engine, self._limits)
        line = result.lines[0] if result.lines else None
        return Played(
            result.best_move,
            result.time_ms / 1000,
            line.score.discs if line else None,
            line.depth if line else None,
            result.nodes,
        )

    def close(self) -> None:
        for engine in self._engines.values():
            engine.close()


def searched(engine: Engine, limits: Limits) -> SearchResult:
    """The result of a search of the engine's position. Raises EngineFailedError if the search failed."""
    result = engine.go(limits).wait()
    if result.error is not None:
        raise EngineFailedError(f"{engine.position.to_text()}: {result.error}")
    return result
