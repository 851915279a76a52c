"""By how much `go time T` is overrun, seen from the reader's end: arrival of `bestmove` minus T after writing
`go`.

A negative overrun is time given back: a solved position, a single legal move, or the reserve kept for the
transport.

    python -m tools.measure.move_time
    python -m tools.measure.move_time --counts 20:50 100:20
"""

from __future__ import annotations

import argparse
import random
import sys

from rich.console import Console

from othello_engine.types import square_name
from tools.measure.driver import EngineProcess
from tools.measure.figures import Report, common_options, histogram_table, progress, summary_table
from tools.measure.positions import random_positions


def parse_count(text: str) -> tuple[int, int]:
    """`T:N`, N moves of T milliseconds."""
    time_text, _, count_text = text.partition(":")
    try:
        pair = int(time_text), int(count_text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form T:N") from None
    if min(pair) < 0:
        raise argparse.ArgumentTypeError(f"{text!r} holds a negative number")
    return pair


def main() -> int:
    parser = common_options("Measure the overrun of go time T.")
    parser.add_argument(
        "--counts",
        type=parse_count,
        nargs="+",
        default=[(20, 350), (50, 300), (100, 250), (1000, 100)],
        metavar="T:N",
        help="N moves of T ms each",
    )
    parser.add_argument("--limit", type=float, default=15, metavar="MS", help="target: largest overrun, ms")
    parser.add_argument(
        "--fewest-empties", type=int, default=15, metavar="N", help="positions with fewer are solved before T is over"
    )
    options = parser.parse_args()
    console = Console(stderr=True)
    rng = random.Random(options.seed)
    # Interleaved, so that a disturbance of the machine does not hit one T alone.
    times = [t for t, n in options.counts for _ in range(n)]
    rng.shuffle(times)
    positions = random_positions(rng, len(times), minimum_empties=options.fewest_empties)

    overruns: dict[int, list[float]] = {t: [] for t, _ in options.counts}
    illegal = 0
    with EngineProcess(options={"Threads": options.threads}) as engine, progress(console) as bar:
        task = bar.add_task("thinking", total=len(times), note="")
        engine.wait_ready()
        for t, position in zip(times, positions, strict=True):
            engine.ask(f"setboard {position.to_text()}")
            answer = engine.search(f"go time {t}", timeout=t / 1000 + 10)
            overruns[t].append(1000 * answer.seconds - t)
            illegal += answer.best not in [square_name(move) for move in position.legal_moves]
            bar.update(task, advance=1, note=f"max {max(max(o) for o in overruns.values() if o):.1f} ms")
        status = engine.quit()

    report = Report("overrun of go time T")
    rows = [(f"T = {t} ms", overruns[t]) for t in sorted(overruns)]
    everything = [value for _, values in rows for value in values]
    report.tables.append(summary_table("overrun at the reader's end", "ms", [*rows, ("all", everything)]))
    if everything:
        edges = (-1000, -100, -50, -20, -10, -5, 0, 2, 5, 10, 15, 20, 50)
        report.tables.append(histogram_table("histogram", "ms", everything, edges))
        report.target(f"largest overrun in {len(everything)} moves", max(everything), options.limit, "ms")
    report.target("illegal answers", illegal, 0, "")
    report.target("exit status", status, 0, "")
    report.raw["overrun_ms"] = {str(t): values for t, values in overruns.items()}
    return report.finish(Console(), options.json)


if __name__ == "__main__":
    sys.exit(main())
