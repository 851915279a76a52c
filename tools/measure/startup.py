"""How long the program needs from its start to `uoiok` and to `readyok`, on a warm and on an empty kernel
cache.

Times run from just before the process is created to the arrival of the answer at the reader's end.

    python -m tools.measure.startup
    python -m tools.measure.startup --repeats 20 --cold-repeats 3 --json startup.json
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console

from tools.measure.driver import START_TIMEOUT, EngineProcess, engine_environment
from tools.measure.figures import Report, Summary, common_options, progress, summary_table


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds from the start of one process to its two answers, and the progress lines seen on the way."""

    uoiok: float
    readyok: float
    progress_lines: int


def measure_start(threads: int, env: Mapping[str, str]) -> Start:
    """Start the program, shake hands, wait until it is ready, quit."""
    with EngineProcess(env=env) as engine:
        engine.send("uoi")
        uoiok = engine.read_until("uoiok", START_TIMEOUT)[-1].at - engine.started_at
        engine.send(f"setoption name Threads value {threads}", "isready")
        lines = engine.read_until("readyok", START_TIMEOUT)
        readyok = lines[-1].at - engine.started_at
        engine.quit()
    return Start(uoiok, readyok, sum(line.kind == "string" for line in lines))


def main() -> int:
    parser = common_options("Measure the time from process start to uoiok and readyok.")
    parser.add_argument("--repeats", type=int, default=15, metavar="N", help="starts on a warm cache")
    parser.add_argument(
        "--cold-repeats",
        type=int,
        default=1,
        metavar="N",
        help="starts on an empty cache (all kernels compiled)",
    )
    parser.add_argument("--uoiok-limit", type=float, default=150, metavar="MS", help="target: worst uoiok, ms")
    parser.add_argument("--warm-limit", type=float, default=1.0, metavar="S", help="target: median warm readyok, s")
    parser.add_argument("--cold-limit", type=float, default=45, metavar="S", help="target: worst cold readyok, s")
    options = parser.parse_args()
    console = Console(stderr=True)

    warm: list[Start] = []
    cold: list[Start] = []
    with progress(console) as bar:
        task = bar.add_task("filling the cache", total=options.repeats + options.cold_repeats, note="")
        measure_start(options.threads, engine_environment())
        bar.update(task, description="warm starts")
        for _ in range(options.repeats):
            warm.append(measure_start(options.threads, engine_environment()))
            bar.advance(task)
            time.sleep(0.05)
        bar.update(task, description="cold starts")
        for _ in range(options.cold_repeats):
            with tempfile.TemporaryDirectory(prefix="engine-cold-") as folder:
                cold.append(measure_start(options.threads, engine_environment(OTHELLO_ENGINE_CACHE=folder)))
            bar.advance(task)

    report = Report("start-up")
    rows = [
        ("uoiok, warm", [1000 * start.uoiok for start in warm]),
        ("uoiok, cold", [1000 * start.uoiok for start in cold]),
        ("readyok, warm", [1000 * start.readyok for start in warm]),
        ("readyok, cold", [1000 * start.readyok for start in cold]),
    ]
    report.tables.append(summary_table(f"from process start, {options.threads} workers", "ms", rows))
    uoiok = [1000 * start.uoiok for start in (*warm, *cold)]
    if uoiok:
        report.target("worst uoiok, warm or cold", max(uoiok), options.uoiok_limit, "ms")
    if warm:
        median = Summary.of([start.readyok for start in warm]).median
        report.target("median readyok, warm", median, options.warm_limit, "s")
    if cold:
        report.target("worst readyok, cold", max(start.readyok for start in cold), options.cold_limit, "s")
        fewest = min(start.progress_lines for start in cold)
        report.target("progress lines while compiling", fewest, 1, "", at_least=True)
    report.raw["milliseconds"] = dict(rows)
    return report.finish(Console(), options.json)


if __name__ == "__main__":
    sys.exit(main())
