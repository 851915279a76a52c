"""What the protocol needs of an engine: the part of `othello_engine.engine.Engine` that it calls.

Written down as structural types, so that the service can be tested with a scripted engine, and so that
importing the protocol imports no engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from othello_engine.config import Config
from othello_engine.types import Limits, Score, SearchInfo, SearchResult

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition
    from othello_engine.position import Position


class PerftCount(Protocol):
    """How many lines of play there are: of the deepest depth that was counted in full."""

    @property
    def depth(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def time_ms(self) -> int: ...


class SearchTicket(Protocol):
    """A search that was started."""

    def wait(self, timeout: float | None = None) -> SearchResult: ...


class PerftTicket(Protocol):
    """A perft that was started."""

    def wait(self, timeout: float | None = None) -> PerftCount: ...


class EngineLike(Protocol):
    """An engine: one position, at most one search at a time, callbacks on a thread of its own.

    Nothing here may wait for a search; only `wait_ready` and `evaluate` may wait for the loading of kernels.
    Callbacks of a search come in order, the result last, and the engine takes a new search from then on.
    """

    @property
    def is_ready(self) -> bool: ...
    @property
    def config(self) -> Config: ...
    def start(self) -> None: ...
    def wait_ready(self, timeout: float | None = None) -> bool: ...
    def set_option(self, name: str, value: int | bool | str) -> None: ...
    def set_position(self, position: AnyPosition) -> None: ...
    def go(
        self,
        limits: Limits = ...,
        on_info: Callable[[SearchInfo], None] | None = None,
        on_result: Callable[[SearchResult], None] | None = None,
    ) -> SearchTicket: ...
    def stop(self) -> None: ...
    def ponder_hit(self) -> None: ...
    def new_game(self) -> None: ...
    def clear_hash(self) -> None: ...
    def feed(
        self,
        position: Position,
        lower: float,
        upper: float,
        depth: int,
        selectivity: int = ...,
        moves: Sequence[int] = ...,
    ) -> None: ...
    def evaluate(self, position: AnyPosition | None = None, timeout: float = ...) -> Score: ...
    def perft(
        self,
        depth: int,
        on_info: Callable[[int, int, int], None] | None = None,
        on_result: Callable[[PerftCount], None] | None = None,
    ) -> PerftTicket: ...
    def close(self) -> None: ...


MakeEngine = Callable[[Config, Callable[[str], None]], EngineLike]
"""Builds an engine with a configuration and a taker of messages, that has not started anything yet."""
