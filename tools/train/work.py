"""The work folder: files that appear whole or not at all, steps that are not done twice, and threads with progress."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures import ThreadPoolExecutor as Pool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Arrays = dict[str, np.ndarray]

_WORTH_TELLING_S = 0.5
_TELL_EVERY_S = 15.0
"""Between two lines of progress where there is no terminal to show a bar."""


class WorkFolderError(Exception):
    """The folder holds the results of other settings."""


def save(path: Path, **arrays: np.ndarray) -> None:
    """Write an uncompressed .npz under a temporary name, then rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        np.savez(file, **arrays)
    temporary.replace(path)


def load(path: Path) -> Arrays:
    """All arrays of an .npz file."""
    with np.load(path) as archive:
        return {name: archive[name] for name in archive.files}


def check_recipe(folder: Path, recipe: dict[str, Any]) -> None:
    """Note the settings of a new folder; raises WorkFolderError when an old one was filled with others."""
    path = folder / "recipe.json"
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
        if found != recipe:
            raise WorkFolderError(f"{folder} was made with {found}, not with {recipe}; use another folder or empty it")
        return
    folder.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(recipe), encoding="utf-8")
    temporary.replace(path)


@dataclass
class Runner:
    """Runs the steps: says what happens, spreads work over threads, and keeps the time of each step."""

    console: Console
    n_threads: int
    seconds: dict[str, float] = field(default_factory=dict)

    def step(self, name: str, path: Path, make: Callable[[], Any]) -> None:
        """Call `make`, which writes `path`, unless the file is there."""
        if path.exists():
            return
        began = time.perf_counter()
        make()
        self.seconds[name] = time.perf_counter() - began
        if self.seconds[name] >= _WORTH_TELLING_S:
            self.say(f"{name}: {self.seconds[name]:.1f} s")

    def say(self, text: str) -> None:
        self.console.print(f"{time.strftime('%H:%M:%S')} {text}", markup=False, highlight=False, soft_wrap=True)

    def spread(
        self, name: str, n_items: int, chunk: int, new_tool: Callable[[], Any], work: Callable[[Any, int, int], Any]
    ) -> None:
        """Call work(tool, first, last) for all chunks of range(n_items), each thread with a tool of its own.

        The work is a kernel that releases the interpreter lock and writes into arrays at the items' own places, so
        that the result doesn't depend on the number of threads.
        """
        tools = [new_tool() for _ in range(self.n_threads)]

        def run(first: int) -> int:
            tool = tools.pop()  # atomic, and never more jobs run than there are tools
            try:
                last = min(first + chunk, n_items)
                work(tool, first, last)
                return last - first
            finally:
                tools.append(tool)

        columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        is_terminal = self.console.is_terminal
        done = 0
        told = time.monotonic()
        with (
            Pool(self.n_threads) as pool,
            Progress(*columns, console=self.console, transient=True, disable=not is_terminal) as progress,
        ):
            task = progress.add_task(name, total=n_items)
            waiting = {pool.submit(run, first) for first in range(0, n_items, chunk)}
            try:
                while waiting:
                    finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    done += sum(job.result() for job in finished)
                    progress.update(task, completed=done)
                    if not is_terminal and time.monotonic() - told >= _TELL_EVERY_S:
                        told = time.monotonic()
                        self.say(f"  {name}: {done:,} of {n_items:,}")
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
