"""Where the subcommands print: rows in columns, and a progress bar where somebody watches.

On a terminal rows have colour and a bar stands below them; anywhere else they are plain lines, and a bar is
shown only if stderr is a terminal. Rich is imported only for a terminal.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, its width, and where its cells stand."""

    heading: str
    width: int
    align_left: bool = False


class Progress:
    """A bar to advance; without a terminal it does nothing."""

    def __init__(self, bar: Any = None, task: Any = None) -> None:
        self._bar = bar
        self._task = task

    def describe(self, text: str) -> None:
        """Says what is being done."""
        if self._bar is not None:
            self._bar.update(self._task, description=text)

    def advance(self) -> None:
        """One more is done."""
        if self._bar is not None:
            self._bar.advance(self._task)


class Screen:
    """Prints to a stream that may be a terminal. A stream that is closed by its reader raises
    BrokenPipeError."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._console = _console(out) if out.isatty() else None

    @property
    def is_terminal(self) -> bool:
        """True if somebody may be watching."""
        return self._console is not None

    def line(self, text: str, style: str | None = None) -> None:
        """Prints a line; style: for terminals, as Rich names it."""
        if self._console is not None:
            from rich.text import Text

            self._console.print(Text(text, style=style or ""), soft_wrap=True)
        else:
            self._out.write(text.rstrip() + "\n")
            self._out.flush()

    def header(self, columns: Sequence[Column]) -> None:
        """Prints the headings."""
        self.line(_aligned(columns, [column.heading for column in columns]), style="bold")

    def row(self, columns: Sequence[Column], cells: Sequence[object], style: str | None = None) -> None:
        """Prints one row; cells as `str` shows them."""
        self.line(_aligned(columns, [str(cell) for cell in cells]), style)

    @contextmanager
    def progress(self, total: int | None) -> Iterator[Progress]:
        """A bar below what is printed, as long as the context lasts; none without a total."""
        console = self._console or (_console(sys.stderr) if sys.stderr.isatty() else None)
        if console is None or total is None:
            yield Progress()
            return
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        shown = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Bar(*shown, console=console, transient=True) as bar:
            yield Progress(bar, bar.add_task("", total=total))


class LoadingBar:
    """Shows on stderr how far kernels are loaded or compiled, if stderr is a terminal.

    Takes the engine's messages; those that say `12 of 57` move the bar, others are printed.
    """

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None
        self._visible = sys.stderr.isatty()

    def message(self, text: str) -> None:
        """A message of the engine."""
        if not self._visible:
            return
        found = re.search(r"(\d+) of (\d+)", text)
        if found is None:
            sys.stderr.write(f"{text}\n")
            return
        done, total = int(found[1]), int(found[2])
        if self._bar is None:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            shown = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Progress(*shown, console=_console(sys.stderr), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=total)
        self._bar.update(self._task, completed=done, total=total, description=text.split()[0])
        if done >= total:
            self.close()

    def close(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    try:
        width: int | None = os.get_terminal_size(stream.fileno()).columns
    except OSError:
        width = None
    return Console(file=stream, width=width)


def _aligned(columns: Sequence[Column], cells: Sequence[str]) -> str:
    texts = (
        cell.ljust(column.width) if column.align_left else cell.rjust(column.width)
        for column, cell in zip(columns, cells, strict=True)
    )
    return "  ".join(texts).rstrip()


def count(number: int) -> str:
    """A number to read: `1,234,567`."""
    return f"{number:,}"


def seconds(time_ms: int) -> str:
    """Milliseconds as seconds: `0.428`."""
    return f"{time_ms / 1000:.3f}"
