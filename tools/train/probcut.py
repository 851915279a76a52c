"""Fits ProbCut's error model: how far searches of one depth are from deeper ones, on searches of our own.

    python -m tools.train.probcut --work WORK [--round third] [--deepest 9] [--per-number 200]

Positions of games and beside games are searched to all depths without pruning. For each pair of depths, the error is
the difference of the two values, in hundredths of a disc; printed are its mean and deviation, and the coefficients that
`othello_engine/search/probcut.py` holds. Values are kept in WORK/probcut.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from othello_engine.search.probcut import deviation, reduced_depth, terms
from tools.train.labelling import search_values
from tools.train.network import Network, packed
from tools.train.rounds import training_positions
from tools.train.work import Runner, load, save

NUMBERS = range(12, 54, 2)


def sample(work: Path, n_empties: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Boards with so many empties: half from games, half from beside them."""
    games = training_positions(work, n_empties, size // 2)
    siblings = load(work / "siblings" / f"e{n_empties:02}.npz")
    rows = np.linspace(0, len(siblings["player"]) - 1, size // 2).astype(np.int64)
    return (
        np.concatenate([games["player"], siblings["player"][rows]]),
        np.concatenate([games["opponent"], siblings["opponent"][rows]]),
    )


def search_all(work: Path, runner: Runner, weights: np.ndarray, deepest: int, size: int) -> dict[int, np.ndarray]:
    """Number of empties -> float32 (deepest + 1, positions): values in discs by depth."""
    found = {}
    for n in NUMBERS:
        path = work / "probcut" / f"e{n:02}.npz"

        def make(n: int = n, path: Path = path) -> None:
            player, opponent = sample(work, n, size)
            depths = range(min(deepest, n - 1) + 1)
            values = [search_values(runner, f"{n} empties", weights, player, opponent, depth) for depth in depths]
            save(path, values=np.stack(values))

        runner.step(f"searches at {n} empties", path, make)
        found[n] = load(path)["values"]
    return found


def pairs(values: dict[int, np.ndarray]) -> np.ndarray:
    """Rows (n_empties, depth, reduced, mean error, deviation, positions): the pairs that the search uses."""
    rows = []
    for n, table in values.items():
        for depth in range(1, len(table)):
            for reduced in range(depth):
                # One wild position must not set the scale: beyond four deviations errors count as four.
                error = 100 * (table[depth] - table[reduced]).astype(np.float64)
                error -= np.median(error)
                limit = 4 * 1.4826 * np.median(np.abs(error)) + 1
                deviation = float(np.sqrt(np.mean(np.clip(error, -limit, limit) ** 2)))
                mean = float(np.mean(100 * (table[depth] - table[reduced])))
                rows.append((n, depth, reduced, mean, deviation, table.shape[1]))
    return np.array(rows)


def fit(rows: np.ndarray) -> np.ndarray:
    """Coefficients of `terms`, least squares; pairs that ProbCut uses count four times."""
    _, depth, reduced, _, measured, _ = rows.T
    used = np.array([reduced_depth(int(d)) == r for d, r in zip(depth, reduced, strict=True)])
    weight = np.sqrt(np.where(used & (depth >= 3), 4.0, 1.0) * np.where(depth >= 3, 1.0, 0.1))
    same_parity = (depth - reduced) % 2 == 0
    keep = same_parity | (reduced == 0)
    matrix = np.array([terms(*row[:3]) for row in rows])
    return np.linalg.lstsq((matrix * weight[:, None])[keep], (np.log(measured) * weight)[keep], rcond=None)[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.train.probcut", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="work folder of the training")
    parser.add_argument("--round", default="third", help="whose network (default: %(default)s)")
    parser.add_argument("--deepest", type=int, default=9, metavar="D", help="plies (default: %(default)s)")
    parser.add_argument("--per-number", type=int, default=200, metavar="N", help="positions (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, metavar="T")
    options = parser.parse_args(arguments)
    console = Console()
    runner = Runner(console, options.threads)
    weights = packed(Network.load(options.work / "rounds" / options.round / "network.npz"))
    rows = pairs(search_all(options.work, runner, weights, options.deepest, options.per_number))
    coefficients = fit(rows)
    console.print("coefficients:", ", ".join(f"{each:.4f}" for each in coefficients))
    table = Table(title="deviation in hundredths of a disc: measured / formula")
    table.add_column("depth, reduced")
    shown = [n for n in NUMBERS if n % 6 == 0]
    for n in shown:
        table.add_column(str(n), justify="right")
    depths = sorted({int(d) for d in rows[:, 1]})
    for depth in depths:
        for reduced in sorted({0, reduced_depth(depth)} - {depth}):
            cells = []
            for n in shown:
                found = rows[(rows[:, 0] == n) & (rows[:, 1] == depth) & (rows[:, 2] == reduced)]
                if len(found):
                    cells.append(f"{found[0, 4]:.0f} / {deviation(n, depth, reduced, tuple(coefficients)):.0f}")
                else:
                    cells.append("")
            table.add_row(f"{depth}, {reduced}", *cells)
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
