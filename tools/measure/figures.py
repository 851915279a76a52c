"""Honest statistics of a run, its table on the terminal, and its JSON record.

Percentiles are by nearest rank, so that every figure shown was really measured; the maximum is always shown.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import platform
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest measured value that at least `percent` per cent of the values do not exceed."""
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    rank = max(1, math.ceil(percent / 100 * len(ordered)))
    return ordered[rank - 1]


@dataclass(frozen=True, slots=True)
class Summary:
    """What is told about a list of measured values."""

    n: int
    minimum: float
    median: float
    p90: float
    p99: float
    maximum: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Summary:
        return cls(
            n=len(values),
            minimum=min(values),
            median=statistics.median(values),
            p90=percentile(values, 90),
            p99=percentile(values, 99),
            maximum=max(values),
        )


def slope_per_hour(points: Sequence[tuple[float, float]]) -> float:
    """Least-squares slope of (seconds, value) points, in values per hour; 0 for fewer than two points."""
    if len(points) < 2:
        return 0.0
    times, values = zip(*points, strict=True)
    if len(set(times)) < 2:
        return 0.0
    return float(statistics.linear_regression(times, values).slope) * 3600


@dataclass(frozen=True, slots=True)
class Verdict:
    """One target: what was asked, what was measured, and whether that is good enough."""

    what: str
    target: str
    measured: str
    met: bool


@dataclass(slots=True)
class Report:
    """The outcome of one program: tables, targets, and the raw values for the JSON file."""

    title: str
    verdicts: list[Verdict] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    raw: dict[str, object] = field(default_factory=dict)

    def target(self, what: str, measured: float, limit: float, unit: str, *, at_least: bool = False) -> None:
        """Record a limit that `measured` must not exceed (or with `at_least` must reach)."""
        met = measured >= limit if at_least else measured <= limit
        sign = ">=" if at_least else "<="
        blank = f" {unit}" if unit else ""
        self.verdicts.append(Verdict(what, f"{sign} {limit:g}{blank}", f"{measured:.4g}{blank}", met))

    @property
    def met(self) -> bool:
        return all(verdict.met for verdict in self.verdicts)

    def finish(self, console: Console, json_file: Path | None) -> int:
        """Show everything, write the JSON file if one is asked for; the program's exit status."""
        for table in self.tables:
            console.print(table)
        table = Table(title=f"{self.title}: targets", title_justify="left")
        for heading in ("measure", "target", "measured", ""):
            table.add_column(heading, justify="left")
        for verdict in self.verdicts:
            table.add_row(verdict.what, verdict.target, verdict.measured, "met" if verdict.met else "MISSED")
        if self.verdicts:
            console.print(table)
        if json_file is not None:
            record = {
                "title": self.title,
                "command": sys.argv,
                "machine": machine(),
                "targets": [asdict(verdict) for verdict in self.verdicts],
                **self.raw,
            }
            json_file.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        return 0 if self.met else 1


def summary_table(title: str, unit: str, rows: Iterable[tuple[str, Sequence[float]]]) -> Table:
    """A table with one summary a row; all values in `unit`."""
    table = Table(title=f"{title} ({unit})", title_justify="left")
    table.add_column("")
    for heading in ("n", "min", "median", "90 %", "99 %", "max"):
        table.add_column(heading, justify="right")
    for name, values in rows:
        if not values:
            table.add_row(name, "0", *["-"] * 5)
            continue
        s = Summary.of(values)
        figures = (s.minimum, s.median, s.p90, s.p99, s.maximum)
        table.add_row(name, str(s.n), *(f"{figure:.2f}" for figure in figures))
    return table


def histogram_table(title: str, unit: str, values: Sequence[float], edges: Sequence[float]) -> Table:
    """How many values fall between neighbouring edges; the outer bins are open."""
    table = Table(title=f"{title} ({unit})", title_justify="left")
    for heading, side in (("from", "right"), ("to", "right"), ("count", "right"), ("", "left")):
        table.add_column(heading, justify=side)  # type: ignore[arg-type]
    bounds = [-math.inf, *edges, math.inf]
    counts = [sum(low <= v < high for v in values) for low, high in itertools.pairwise(bounds)]
    most = max(counts, default=0) or 1
    for (low, high), count in zip(itertools.pairwise(bounds), counts, strict=True):
        if count or (math.isfinite(low) and math.isfinite(high)):
            marks = "#" * math.ceil(40 * count / most)
            table.add_row(f"{low:g}", f"{high:g}", str(count), marks)
    return table


def machine() -> dict[str, object]:
    """What the figures depend on."""
    model = platform.processor() or platform.machine()
    cpu_info = Path("/proc/cpuinfo")
    if cpu_info.exists():
        for line in cpu_info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found: dict[str, object] = {
        "processor": model,
        "cores": usable,
        "load_average": list(os.getloadavg()) if hasattr(os, "getloadavg") else [],
        "system": platform.platform(),
        "python": platform.python_version(),
    }
    for package in ("numba", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


@contextmanager
def progress(console: Console) -> Iterator[Progress]:
    """A progress bar on stderr, silent when that is no terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield bar


def common_options(description: str) -> argparse.ArgumentParser:
    """A parser with the options that every program here has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="search processes of the engine")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of everything random here")
    parser.add_argument("--json", type=Path, default=None, metavar="FILE", help="write the full record there")
    return parser
