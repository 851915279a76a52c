"""Engines as players for the time of a test."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tools.engines.player import Player
from tools.engines.spec import EngineSpec


@contextlib.contextmanager
def players(*specs: EngineSpec) -> Iterator[list[Player]]:
    """One of each, closed in the end."""
    found = [Player(spec) for spec in specs]
    try:
        yield found
    finally:
        for player in found:
            player.close()


@contextlib.contextmanager
def playing(spec: EngineSpec) -> Iterator[Player]:
    """The same for one."""
    with players(spec) as (player,):
        yield player
