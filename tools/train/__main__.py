"""Trains the weights of the `strong` profile: games, labels, network, accuracy, weight file.

    python -m tools.train --data DATA --work WORK [--out FILE]

DATA has the folders games/ and positions/. All intermediate results stay in WORK; started again, the program goes on
where it stopped. The same command on the same data gives the same file, byte for byte. docs/evaluation.md tells what
the steps do and what they are worth.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from othello_engine.errors import EngineError
from othello_engine.evaluation.weights import WeightsHeader, write
from tools.train import accuracy
from tools.train.data import make_data
from tools.train.exact import DEEPEST
from tools.train.games import GamesError
from tools.train.network import Network, packed
from tools.train.rounds import Round, run_round
from tools.train.work import Runner, WorkFolderError

ROUNDS = (
    Round("first", depth=0, steps=(1.0, 0.5)),
    Round("second", depth=4, selectivity=87, steps=(1.0, 0.5)),
    Round(
        "third",
        depth=6,
        selectivity=73,
        steps=(0.5, 0.25, 0.1),
        balance=20,
        far_balance=20,
        most=100_000,
        opening_most=40_000,
    ),
    Round(
        "fourth",
        depth=6,
        selectivity=73,
        steps=(0.8, 0.4, 0.2, 0.08),
        balance=60,
        far_balance=20,
        most=150_000,
        opening_most=60_000,
        selfplay=800_000,
    ),
)
"""The recipe of the shipped weights."""


def recipe() -> str:
    """One line for the head of the weight file."""
    return "python -m tools.train; " + "; ".join(map(str, ROUNDS))


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.train", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder with games/ and positions/")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="folder for everything in between")
    parser.add_argument("--out", type=Path, metavar="FILE", help="weight file to write (default: none)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, metavar="T", help="(default: all cores)")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N games of each file and of self-play: a trial")
    parser.add_argument("--with-gpl", action="store_true", help="also games under the GPL: not for shipped weights")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    options = build_parser().parse_args(arguments)
    console = Console()
    runner = Runner(console, options.threads)
    try:
        make_data(options.data, options.work, runner, options.limit, DEEPEST, options.with_gpl)
        network: Network | None = None
        for settings in ROUNDS:
            if options.limit is not None:
                settings = replace(settings, selfplay=min(settings.selfplay, options.limit))
            network = run_round(options.work, runner, settings, network, DEEPEST)
            weights = packed(network)
            found = accuracy.on_test_sets(options.work, runner, weights)
            found += accuracy.on_openings(options.data / "positions" / accuracy.OPENINGS, runner, weights)
            console.print(f"after the {settings.name} round:")
            accuracy.show(console, found)
        if options.out is not None:
            write(options.out, weights, WeightsHeader(options.out.stem, recipe()))
    except (OSError, GamesError, WorkFolderError, EngineError) as error:
        Console(stderr=True).print(f"tools.train: {error}", style="bold red", markup=False)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
