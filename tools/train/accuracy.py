"""How far an evaluation is from the truth: on positions with exact scores, and on deep values of openings.

    python -m tools.train.accuracy --work WORK --weights FILE [--data DATA] [--json FILE]

WORK has the test sets (tools/train/data.py makes them); the openings are shown if DATA is given. None of these
positions is trained on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from othello_engine.errors import EngineError
from othello_engine.formats.boards import parse_board
from tools.train.labelling import search_values
from tools.train.weights_buffer import read_weights
from tools.train.work import Runner, WorkFolderError, load

PLIES = (0, 1, 2)
BALANCED = 16
"""Positions whose score is at most this are looked at once more by themselves."""
OPENING_BANDS = ((30, 39), (40, 44), (45, 49), (50, 52), (53, 56))
OPENINGS = "edax_l16_openings.txt.gz"
"""Name of their file in DATA/positions."""
TABLE_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Errors in discs of one set, by plies searched before the evaluation is asked."""

    name: str
    n: int
    rmse: tuple[float, ...]
    mae: tuple[float, ...]
    sign: tuple[float, ...]
    """Per cent of positions that are not drawn whose winner is told."""
    balanced_rmse: tuple[float, ...]


def measure(name: str, truth: np.ndarray, values: Sequence[np.ndarray]) -> Accuracy:
    """Errors of values (one array for each of PLIES) against the truth, all in discs."""
    errors = [value - truth for value in values]
    won = truth != 0
    near = np.abs(truth) <= BALANCED
    return Accuracy(
        name,
        len(truth),
        tuple(float(np.sqrt(np.mean(error**2))) for error in errors),
        tuple(float(np.mean(np.abs(error))) for error in errors),
        tuple(100 * float(np.mean(np.sign(value[won]) == np.sign(truth[won]))) for value in values),
        tuple(float(np.sqrt(np.mean(error[near] ** 2))) for error in errors),
    )


def on_test_sets(work: Path, runner: Runner, weights: np.ndarray) -> list[Accuracy]:
    """Accuracy on WORK/testsets, fewest empties first."""
    found = []
    for path in sorted((work / "testsets").glob("e*.npz")):
        arrays = load(path)
        boards = arrays["player"], arrays["opponent"]
        values = [search_values(runner, path.stem, weights, *boards, depth) for depth in PLIES]
        found.append(measure(path.stem, arrays["score"].astype(np.float64), values))
    return found


def on_openings(path: Path, runner: Runner, weights: np.ndarray) -> list[Accuracy]:
    """Accuracy against the deep values of a file of lines `BOARD SIDE; SCORE`, by bands of empty squares."""
    rows = []
    with gzip.open(path, "rt", encoding="ascii") as lines:
        for line in lines:
            board, _, score = line.rpartition(";" if ";" in line else " ")
            position = parse_board(board)
            rows.append((position.player, position.opponent, float(score)))
    player = np.array([row[0] for row in rows], dtype=np.uint64)
    opponent = np.array([row[1] for row in rows], dtype=np.uint64)
    truth = np.array([row[2] for row in rows])
    n_empties = 64 - np.bitwise_count(player | opponent).astype(np.int64)
    values = [search_values(runner, path.stem, weights, player, opponent, depth) for depth in PLIES]
    found = []
    for low, high in OPENING_BANDS:
        band = (n_empties >= low) & (n_empties <= high)
        if band.any():
            found.append(measure(f"openings {low}-{high}", truth[band], [value[band] for value in values]))
    return found


def show(console: Console, found: Sequence[Accuracy]) -> None:
    """A table of errors, one row per set."""
    table = Table(
        title="error in discs by plies searched",
        caption=f"told: of 100 positions that are not drawn, winners told\nclose: RMSE where |score| <= {BALANCED}",
        box=box.SIMPLE_HEAD,
        padding=0,
        width=TABLE_WIDTH,
    )
    table.add_column("set")
    table.add_column("positions", justify="right")
    for group in ("RMSE", "MAE", "told", "close"):
        for plies in PLIES:
            table.add_column(f"{group}\n{plies}", justify="right")
    for each in found:
        columns = (*each.rmse, *each.mae, *each.sign, *each.balanced_rmse)
        table.add_row(each.name, f"{each.n:,}", *(f"{value:.2f}" for value in columns))
    console.print(table, crop=False)  # a file or a pipe only seems to be 80 columns wide


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.train.accuracy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="work folder of the training")
    parser.add_argument("--weights", type=Path, required=True, metavar="FILE", help="weight file")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with positions/ (default: no openings)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, metavar="T", help="(default: all cores)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    options = build_parser().parse_args(arguments)
    console = Console()
    runner = Runner(console, options.threads)
    try:
        weights, header = read_weights(options.weights)
        found = on_test_sets(options.work, runner, weights)
        if not found:
            raise WorkFolderError(f"no test sets in {options.work}")
        if options.data is not None:
            found += on_openings(options.data / "positions" / OPENINGS, runner, weights)
        if options.json is not None:
            record = {"weights": asdict(header), "plies": PLIES, "sets": [asdict(each) for each in found]}
            options.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    except (OSError, WorkFolderError, EngineError) as error:
        Console(stderr=True).print(f"tools.train.accuracy: {error}", style="bold red", markup=False)
        return 2
    console.print(f"{header.name}, sha256 {header.sha256[:16]}", highlight=False)
    show(console, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
