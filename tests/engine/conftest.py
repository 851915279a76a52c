"""Engines that are closed at the end of a test, and must leave no process behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psutil
import pytest

from othello_engine.config import load_config
from othello_engine.engine.engine import Engine
from tests.engine.plain_searcher import LOADER

EngineMaker = Callable[..., Engine]


def worker_processes() -> list[psutil.Process]:
    """Search processes that this process has started."""
    found = []
    for process in psutil.Process().children():
        try:
            if any("spawn_main" in word for word in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.fixture
def messages() -> list[str]:
    """What the engines of `make_engine` say."""
    return []


@pytest.fixture
def make_engine(messages: list[str]) -> Iterator[EngineMaker]:
    """Makes engines with plain workers, or with another loader; waits until they are ready unless told not to."""
    engines: list[Engine] = []
    others = worker_processes()

    def make(
        threads: int = 2, loader: str = LOADER, ready: bool = True, profile: str = "classic", **options: object
    ) -> Engine:
        overrides: dict[str, object] = {"Threads": threads, "Hash": 1, **options}
        engine = Engine(load_config(profile=profile, overrides=overrides), messages.append, loader)
        engines.append(engine)
        if ready:
            assert engine.wait_ready(60)
        return engine

    yield make
    for engine in engines:
        engine.close()
    assert [process for process in worker_processes() if process not in others] == []
