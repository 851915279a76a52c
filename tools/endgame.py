"""How long exact solving takes: by empty squares, with more workers, and for the winner alone.

    python -m tools.endgame curve                            nodes and seconds for 16 to 24 empty squares
    python -m tools.endgame curve --empties 20-22 --positions 10
    python -m tools.endgame compare FILE.obf                 1 worker, 2 workers, and who wins

The positions of `curve` are from games that the engine plays against itself at a few plies, after random openings: one
game has one position of each kind. `compare` solves each position of a file in all ways in turn, each with an empty
table, so that a disturbance of the machine does not hit one of them alone, and holds the scores against each other.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from othello_engine.config import load_config
from othello_engine.engine.engine import Engine
from othello_engine.formats.obf import read_obf
from othello_engine.position import Position
from othello_engine.types import Goal, Limits
from tools.measure.figures import Report, common_options, percentile, progress

RANDOM_PLIES = 10
PLAYING_DEPTH = 4
WORKERS_TARGET = 1.75
"""Seconds of one worker over those of two."""
WLD_TARGET = 0.5
"""Nodes for the winner over those for the score."""


@contextmanager
def ready_engine(profile: str | None, threads: int, hash_mb: int) -> Iterator[Engine]:
    engine = Engine(load_config(profile=profile, overrides={"Threads": threads, "Hash": hash_mb}))
    try:
        engine.start()
        engine.wait_ready()
        yield engine
    finally:
        engine.close()


def solve(engine: Engine, position: Position, goal: Goal) -> tuple[int, float, int]:
    """Nodes, seconds and score of a solve that begins with an empty table."""
    engine.new_game()
    engine.set_position(position)
    began = time.perf_counter()
    result = engine.go(Limits(goal=goal)).wait()
    return result.nodes, time.perf_counter() - began, result.lines[0].score.value


def game(engine: Engine, rng: random.Random) -> list[Position]:
    """Positions of a game of the engine against itself, after random moves; those where the side to move must pass are
    left out."""
    position = Position.start()
    found = []
    for ply in range(200):
        if position.is_over:
            break
        if not position.must_pass:
            found.append(position)
        if ply < RANDOM_PLIES or position.must_pass:
            position = position.play(rng.choice(position.legal_moves))
        else:
            engine.set_position(position)
            position = position.play(engine.go(Limits(depth=PLAYING_DEPTH)).wait().best_move)
    return found


def game_positions(engine: Engine, empties: Sequence[int], n: int, rng: random.Random) -> dict[int, list[Position]]:
    """By empty squares: `n` positions, one of each game at most."""
    found: dict[int, list[Position]] = {each: [] for each in empties}
    while any(len(positions) < n for positions in found.values()):
        engine.new_game()
        for position in game(engine, rng):
            positions = found.get(position.n_empties)
            if positions is not None and len(positions) < n:
                positions.append(position)
    return found


# -- curve ---------------------------------------------------------------------------------------------------


def curve(options: argparse.Namespace, console: Console) -> Report:
    report = Report("endgame curve")
    low, _, high = options.empties.partition("-")
    empties = range(int(low), int(high or low) + 1)
    table = Table(title=f"means of {options.positions} positions, workers: {options.threads}", title_justify="left")
    for heading in ("empties", "M nodes", "geometric", "seconds", "median", "90 %", "max", "M nodes/s"):
        table.add_column(heading, justify="right")
    with ready_engine(options.profile, options.threads, options.hash) as engine, progress(console) as bar:
        chosen = game_positions(engine, empties, options.positions, random.Random(options.seed))
        task = bar.add_task("solving", total=len(empties) * options.positions, note="")
        for n_empties, positions in chosen.items():
            nodes, seconds = [], []
            for position in positions:
                bar.update(task, note=f"{n_empties} empty squares")
                n, s, _ = solve(engine, position, Goal.EXACT)
                nodes.append(n)
                seconds.append(s)
                bar.advance(task)
            geometric = math.exp(statistics.fmean(math.log(n) for n in nodes))
            figures = (
                statistics.fmean(nodes) / 1e6,
                geometric / 1e6,
                statistics.fmean(seconds),
                statistics.median(seconds),
                percentile(seconds, 90),
                max(seconds),
                sum(nodes) / sum(seconds) / 1e6,
            )
            table.add_row(str(n_empties), *(f"{figure:.4g}" for figure in figures))
            report.raw[str(n_empties)] = {"nodes": nodes, "seconds": seconds}
    report.tables.append(table)
    return report


# -- compare -------------------------------------------------------------------------------------------------


def cell(mega_nodes: float, seconds: float) -> str:
    return f"{mega_nodes:.4g} M {seconds:.4g} s"


def compare(options: argparse.Namespace, console: Console) -> Report:
    report = Report("endgame comparison")
    with options.file.open(encoding="utf-8-sig", errors="replace") as file:
        records = list(read_obf(file))[: options.limit]
    ways = {"1 worker": (1, Goal.EXACT), "2 workers": (2, Goal.EXACT), "win/draw/loss": (1, Goal.WLD)}
    table = Table(title=str(options.file), title_justify="left")
    for heading in ("#", "empties", "score", *ways):
        table.add_column(heading, justify="right")
    sums = {way: [0.0, 0.0] for way in ways}
    with (
        ready_engine(options.profile, 1, options.hash) as one,
        ready_engine(options.profile, 2, options.hash) as two,
        progress(console) as bar,
    ):
        engines = {1: one, 2: two}
        for record in bar.track(records, description="solving", update_period=1):
            answers = {way: solve(engines[n], record.position, goal) for way, (n, goal) in ways.items()}
            score = answers["1 worker"][2]
            if answers["2 workers"][2] != score or answers["win/draw/loss"][2] != (score > 0) - (score < 0):
                raise SystemExit(f"{record.position.to_text()}: different scores {answers}")
            for way, (nodes, seconds, _) in answers.items():
                sums[way][0] += nodes / 1e6
                sums[way][1] += seconds
            cells = (cell(nodes / 1e6, seconds) for nodes, seconds, _ in answers.values())
            table.add_row(str(record.line_number), str(record.position.n_empties), f"{score:+d}", *cells)
    table.add_row("", "", "", *(cell(*sums[way]) for way in ways))
    report.tables.append(table)
    gained = sums["1 worker"][1] / sums["2 workers"][1]
    report.target("time, 2 workers against 1", gained, WORKERS_TARGET, "x", at_least=True)
    report.target("nodes, win/draw/loss against score", sums["win/draw/loss"][0] / sums["1 worker"][0], WLD_TARGET, "x")
    report.raw["sums"] = sums
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    parser = common_options(__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(threads=1)
    parser.add_argument("--profile", help="default: the program's")
    parser.add_argument("--hash", type=int, default=256, metavar="MIB", help="table (256)")
    commands = parser.add_subparsers(title="commands", dest="command", required=True)
    by_empties = commands.add_parser("curve", help="by empty squares")
    by_empties.add_argument("--empties", default="16-24", metavar="FROM-TO", help="16-24")
    by_empties.add_argument("--positions", type=int, default=50, metavar="N", help="of each (50)")
    by_ways = commands.add_parser("compare", help="one worker, two, and who wins")
    by_ways.add_argument("file", type=Path, metavar="FILE.obf")
    by_ways.add_argument("--limit", type=int, metavar="K", help="only the first K positions")
    options = parser.parse_args(arguments)
    run = {"curve": curve, "compare": compare}[options.command]
    return run(options, Console(stderr=True)).finish(Console(), options.json)


if __name__ == "__main__":
    sys.exit(main())
