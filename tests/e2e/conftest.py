"""Fixtures of the end-to-end tests: engines that are started, watched and cleaned up.

`engine` is one ready process for as many tests as possible, since each start costs a second; a test that ends
its process, or fails, gets the next test a new one. `start` makes processes for one test alone.

A test that passes must leave its engines with an empty stderr and without surviving processes; that is
asserted here, once, for all.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.measure.driver import EngineProcess

SHARED_OPTIONS = {"Threads": 2, "Hash": 16}

StartEngine = Callable[..., EngineProcess]

_FAILED = pytest.StashKey[bool]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder `e2e` and run it after all other tests."""
    here = Path(__file__).parent
    mine = [item for item in items if here in item.path.parents]
    for item in mine:
        item.add_marker(pytest.mark.e2e)
    items[:] = [item for item in items if here not in item.path.parents] + mine


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let fixtures know whether their test failed: then they clean up without asserting more."""
    report = yield
    if report.when == "call":
        item.stash[_FAILED] = report.failed
    return report


def failed(request: pytest.FixtureRequest) -> bool:
    return bool(request.node.stash.get(_FAILED, True))


class Shared:
    """The one engine that `engine` hands from test to test."""

    def __init__(self) -> None:
        self._engine: EngineProcess | None = None

    def take(self) -> EngineProcess:
        """A ready, idle engine at the start position with an empty table."""
        if self._engine is None or self._engine.popen.poll() is not None:
            self._engine = EngineProcess(options=SHARED_OPTIONS)
            self._engine.wait_ready()
        self._engine.ask("newgame")
        return self._engine

    def give_back(self) -> None:
        """Assert that the engine is idle, alive and quiet; the test has passed."""
        engine = self._engine
        assert engine is not None
        leftovers = engine.ask("stop")
        assert not [line for line in leftovers if line.startswith("bestmove")], leftovers
        assert engine.stderr_text == ""

    def discard(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None


@pytest.fixture(scope="session")
def _shared() -> Iterator[Shared]:
    shared = Shared()
    yield shared
    shared.discard()


@pytest.fixture
def engine(_shared: Shared, request: pytest.FixtureRequest) -> Iterator[EngineProcess]:
    """A ready engine with two workers, reset; shared with other tests."""
    yield _shared.take()
    if failed(request):
        _shared.discard()
        return
    try:
        _shared.give_back()
    except BaseException:
        _shared.discard()
        raise


@pytest.fixture(scope="session")
def warm_cache() -> None:
    """Compiles all kernels into the user's cache folder if they are not there yet."""
    with EngineProcess(options={"Threads": 1}) as engine:
        engine.wait_ready()
        engine.quit()


@pytest.fixture
def start(warm_cache: None, request: pytest.FixtureRequest) -> Iterator[StartEngine]:
    """Starts engines that end with the test.

    `start(arguments, options=..., env=..., cwd=..., command=...)`, and with `quiet=False` for a test that
    expects text on stderr.
    """
    started: list[tuple[EngineProcess, bool]] = []

    def start_one(*arguments: str, quiet: bool = True, **settings: Any) -> EngineProcess:
        process = EngineProcess(arguments, **settings)
        started.append((process, quiet))
        return process

    yield start_one
    try:
        if not failed(request):
            for process, quiet in started:
                if process.popen.poll() is None:
                    assert process.quit() == 0
                assert process.wait_gone(3) == []
                assert not quiet or process.stderr_text == ""
    finally:
        for process, _ in started:
            process.close()
