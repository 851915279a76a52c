"""How long `stop` takes: from writing it to reading the `bestmove` of an unbounded search.

Each try sets a position out of a random game, starts `go infinite`, waits a random time and stops. Positions
that may be solved before the stop comes are part of it: their answer is held back, and must come at once as
well.

    python -m tools.measure.stop_latency
    python -m tools.measure.stop_latency --tries 100 --threads 1
"""

from __future__ import annotations

import random
import sys
import time

from rich.console import Console

from othello_engine.position import Position
from othello_engine.types import square_name
from tools.measure.driver import EngineProcess
from tools.measure.figures import Report, Summary, common_options, histogram_table, progress, summary_table
from tools.measure.positions import random_positions


def stop_once(engine: EngineProcess, position: Position, delay: float) -> tuple[float, bool]:
    """Milliseconds from `stop` to the answer, and whether the answer was a legal move."""
    engine.send(f"setboard {position.to_text()}", "go infinite")
    time.sleep(delay)
    stopped_at = engine.send("stop")
    answer = engine.collect(stopped_at)
    legal = [square_name(move) for move in position.legal_moves]
    return 1000 * answer.seconds, answer.best in legal


def main() -> int:
    parser = common_options("Measure the time from stop to bestmove.")
    parser.add_argument("--tries", type=int, default=1000, metavar="N", help="how often to stop")
    parser.add_argument("--longest-delay", type=float, default=100, metavar="MS", help="go to stop: 0 to this, ms")
    parser.add_argument("--median-limit", type=float, default=5, metavar="MS", help="target: median, ms")
    parser.add_argument("--p99-limit", type=float, default=20, metavar="MS", help="target: 99th percentile, ms")
    options = parser.parse_args()
    console = Console(stderr=True)
    rng = random.Random(options.seed)
    positions = random_positions(rng, options.tries)

    latencies: list[float] = []
    illegal = 0
    with EngineProcess(options={"Threads": options.threads}) as engine, progress(console) as bar:
        task = bar.add_task("stopping", total=options.tries, note="")
        engine.wait_ready()
        for position in positions:
            latency, legal = stop_once(engine, position, rng.uniform(0, options.longest_delay) / 1000)
            latencies.append(latency)
            illegal += not legal
            bar.update(task, advance=1, note=f"max {max(latencies):.1f} ms")
        status = engine.quit()

    report = Report("stop to bestmove")
    if latencies:
        name = f"{options.threads} workers"
        report.tables.append(summary_table("stop to bestmove", "ms", [(name, latencies)]))
        report.tables.append(histogram_table("histogram", "ms", latencies, (0.5, 1, 2, 5, 10, 20, 50)))
        summary = Summary.of(latencies)
        report.target("median", summary.median, options.median_limit, "ms")
        report.target("99th percentile", summary.p99, options.p99_limit, "ms")
    report.target("illegal answers", illegal, 0, "")
    report.target("exit status", status, 0, "")
    report.raw["milliseconds"] = latencies
    return report.finish(Console(), options.json)


if __name__ == "__main__":
    sys.exit(main())
