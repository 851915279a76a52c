"""How well a search divides over workers: real time with those there are, and a simulation of more.

    python -m tools.scaling                         # both
    python -m tools.scaling --real 1 2 --depth 13
    python -m tools.scaling --simulate 1 2 4 8 --set split_depth=9
    python -m tools.scaling --profile classic

Real: time and nodes to a fixed depth on midgame positions, each with an empty table. Every position is searched with
all numbers of workers in turn, so that a disturbance of the machine does not hit one of them alone.

Simulated: the same scheduler with pretended workers (see `othello_engine.engine.simulation`); the speed-up by the
largest worker's nodes, which is what many cores could reach if handing out work took no time, and by the critical path,
which counts the time that workers wait for work and that requests travel.
"""

from __future__ import annotations

import argparse
import mmap
import sys
import time
from dataclasses import dataclass, field, fields, replace

from rich.console import Console
from rich.table import Table

from othello_engine.config import load_config
from othello_engine.core.layout import STATE_BYTES
from othello_engine.engine.engine import Engine
from othello_engine.engine.loading import load_othello
from othello_engine.engine.request import make_order
from othello_engine.engine.scheduler import Scheduler, Tuning
from othello_engine.engine.simulation import LATENCY_NODES, SLICE_NODES, Simulation, simulate
from othello_engine.position import Position
from othello_engine.types import Limits
from protocol.batch.bench import bench_positions
from tools.measure.figures import Report, common_options, progress
from tools.shipped import shipped_weights

HASH_MB = 64
NODES_PER_SECOND = 10_000_000
"""What one core does in the midgame: turns the scheduler's seconds into the simulation's nodes."""
N_POSITIONS = 20
DEPTHS = {"classic": (13, 12)}
"""By profile: plies with real workers, and with pretended ones."""
USUAL_DEPTHS = (20, 19)
TARGETS = {2: 1.6, 4: 2.8, 8: 4.5}
"""By number of workers: real time for 2, the largest worker's nodes for 4 and 8."""


@dataclass(slots=True)
class Sum:
    """Totals over all positions. time: seconds, or nodes on the critical path."""

    time: float = 0.0
    nodes: int = 0
    largest: int = 0
    tasks: int = 0
    scores: list[int] = field(default_factory=list)

    def add(self, time: float, worker_nodes: tuple[int, ...], score: int, tasks: int = 0) -> None:
        self.time += time
        self.nodes += sum(worker_nodes)
        self.largest += max(worker_nodes, default=0)
        self.tasks += tasks
        self.scores.append(score)


def midgame_positions(n: int, depth: int) -> list[Position]:
    """The first `n` positions of the bench that are searched to `depth` plies and not solved."""
    least = max(18, depth + 3)
    return [position for position in bench_positions() if least <= position.n_empties <= 54][:n]


def run_real(
    counts: list[int], positions: list[Position], depth: int, profile: str, console: Console
) -> dict[int, Sum]:
    sums = {n: Sum() for n in counts}
    engines = {n: Engine(load_config(profile=profile, overrides={"Threads": n, "Hash": HASH_MB})) for n in counts}
    try:
        for engine in engines.values():
            engine.start()
            engine.wait_ready()
        with progress(console) as bar:
            task = bar.add_task("searching", total=len(positions), note="")
            for position in positions:
                for n, engine in engines.items():
                    engine.new_game()
                    engine.set_position(position)
                    began = time.perf_counter()
                    result = engine.go(Limits(depth=depth)).wait()
                    took = time.perf_counter() - began
                    sums[n].add(took, result.worker_nodes, result.lines[0].score.value)
                bar.update(task, advance=1)
    finally:
        for engine in engines.values():
            engine.close()
    return sums


def run_simulated(
    counts: list[int],
    positions: list[Position],
    depth: int,
    profile: str,
    tuning: Tuning,
    latency: int,
    console: Console,
) -> dict[int, Sum]:
    sums = {n: Sum() for n in counts}
    config = load_config(profile=profile)
    evaluation = config.profile.evaluation
    weights = shipped_weights(evaluation)
    backend = load_othello(lambda *_: None)
    table = mmap.mmap(-1, HASH_MB << 20)
    in_nodes = replace(tuning, least_run=tuning.least_run * NODES_PER_SECOND)
    epoch = 0
    with progress(console) as bar:
        task = bar.add_task("simulating", total=len(positions) * len(counts), note="")
        for position in positions:
            for n in counts:
                epoch += 1
                searchers = [backend.searcher(bytearray(STATE_BYTES), evaluation, weights) for _ in range(n)]
                for searcher in searchers:
                    searcher.attach_table(table)
                plan = make_order(Limits(depth=depth), position, config, 0.0).plan
                simulation = Simulation(searchers, Scheduler(in_nodes), SLICE_NODES, latency)
                found = simulate(plan, simulation, epoch=epoch)
                sums[n].add(found.time, found.worker_nodes, found.lines[0].score.value, found.tasks)
                bar.update(task, advance=1, note=f"{n} workers")
    return sums


def table_of(title: str, sums: dict[int, Sum], unit: str, scale: float) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in ("workers", unit, "speed-up", "M nodes", "to one", "largest", "speed-up", "tasks"):
        table.add_column(heading, justify="right")
    base = sums[min(sums)]
    for n, each in sums.items():
        table.add_row(
            str(n),
            f"{each.time * scale:.2f}",
            f"{base.time / each.time:.2f}",
            f"{each.nodes / 1e6:.1f}",
            f"{each.nodes / base.nodes:.2f}",
            f"{each.largest / 1e6:.1f}",
            f"{base.largest / each.largest:.2f}",
            str(each.tasks or ""),
        )
    return table


def parse_tuning(texts: list[str]) -> Tuning:
    """`name=value` for fields of Tuning."""
    known = {each.name: each for each in fields(Tuning)}
    changes: dict[str, float | int] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in known:
            raise SystemExit(f"--set {text}: one of {', '.join(known)}")
        changes[name] = float(value) if name == "least_run" else int(value)
    return replace(Tuning(), **changes)  # type: ignore[arg-type]


def main() -> int:
    parser = common_options(__doc__.splitlines()[0] if __doc__ else "")
    parser.formatter_class = argparse.ArgumentDefaultsHelpFormatter
    parser.add_argument("--profile", default="strong", help="whose evaluation and search")
    parser.add_argument("--depth", type=int, help="plies, with real workers; None: by the profile")
    parser.add_argument("--simulated-depth", type=int, help="plies, with pretended ones; None: by the profile")
    parser.add_argument("--positions", type=int, default=N_POSITIONS, metavar="N")
    parser.add_argument("--real", type=int, nargs="*", default=[1, 2], metavar="N", help="numbers of real workers")
    parser.add_argument("--simulate", type=int, nargs="*", default=[1, 2, 4, 8], metavar="N", help="pretended ones")
    parser.add_argument("--latency", type=int, default=LATENCY_NODES, help="nodes per message, in the simulation")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="fields of the scheduler's Tuning")
    options = parser.parse_args()
    console = Console(stderr=True)
    report = Report("scaling")
    tuning = parse_tuning(options.set)
    usual, usual_simulated = DEPTHS.get(options.profile, USUAL_DEPTHS)

    if options.real:
        depth = options.depth or usual
        positions = midgame_positions(options.positions, depth)
        real = run_real(options.real, positions, depth, options.profile, console)
        report.tables.append(table_of(f"real, {len(positions)} positions to depth {depth}", real, "seconds", 1))
        report.raw["real"] = {str(n): [each.time, each.nodes, each.largest] for n, each in real.items()}
        if {1, 2} <= real.keys():
            gained = real[1].time / real[2].time
            report.target("time, 2 workers against 1", gained, TARGETS[2], "x", at_least=True)
    if options.simulate:
        depth = options.simulated_depth or usual_simulated
        positions = midgame_positions(options.positions, depth)
        made = run_simulated(options.simulate, positions, depth, options.profile, tuning, options.latency, console)
        title = f"simulated, {len(positions)} positions to depth {depth}"
        report.tables.append(table_of(title, made, "M nodes", 1e-6))
        report.raw["simulated"] = {str(n): [each.time, each.nodes, each.largest] for n, each in made.items()}
        if 1 in made:
            for n in (4, 8):
                if n in made:
                    gained = made[1].largest / made[n].largest
                    report.target(f"largest worker's nodes, {n} against 1", gained, TARGETS[n], "x", at_least=True)
    return report.finish(Console(), options.json)


if __name__ == "__main__":
    sys.exit(main())
