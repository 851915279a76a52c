"""The games of the engine under one roof: what a position is, and where a game starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from othello_engine.config import GOMOKU, Config
from othello_engine.position import Position

if TYPE_CHECKING:
    from othello_engine.gomoku.position import GomokuPosition

    AnyPosition = Position | GomokuPosition


def start_position(config: Config) -> AnyPosition:
    """The start of a game, as the options say."""
    if config.game != GOMOKU:
        return Position.start()
    from othello_engine.gomoku.position import GomokuPosition  # Othello's handshake does not wait for it

    return GomokuPosition.start(config.board_size)
