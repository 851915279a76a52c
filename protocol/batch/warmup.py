"""`warmup`: compiles all kernels into the user's cache, so that the first game starts as fast as any
other."""

from __future__ import annotations

import time

from othello_engine.games import start_position
from othello_engine.types import Limits
from protocol import exit_status
from protocol.batch.screen import Screen
from protocol.facade import EngineLike


def warmup(engine: EngineLike, screen: Screen, began: float) -> int:
    """Tries an engine that has got ready, and so has compiled what was missing; the exit status.

    began: when it was told to start, in seconds of the monotonic clock.
    """
    engine.set_position(start_position(engine.config))
    engine.go(Limits(depth=4)).wait()
    screen.line(f"ready after {time.monotonic() - began:.1f} s")
    return exit_status.DONE
