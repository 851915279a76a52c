"""Makes the labelled positions that the weights are trained and tested on.

    python -m tools.train.data --data DATA --work WORK [--limit N] [--threads T] [--deepest E] [--with-gpl]

DATA has the folders games/ and positions/. Every step writes its files below WORK and is skipped when they are
there. The results depend on the data and the settings only, not on the number of threads.

    games.npz              all games, replayed
    avoided.npz            hashes of all test positions
    labels.npz             scores of all positions of games
    positions/eNN.npz      distinct positions with NN empties
    testsets/eNN.npz       test sets with exact scores
    siblings/eNN.npz       positions one random move beside the games
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from tools.train import exact, siblings, testsets
from tools.train.games import GamesError, load_games, make_games
from tools.train.work import Runner, WorkFolderError, check_recipe, load, save


def make_data(data: Path, work: Path, runner: Runner, limit: int | None, deepest: int, with_gpl: bool) -> None:
    """All steps, in an order that lets training begin as early as possible."""
    check_recipe(work, {"limit": limit, "deepest": deepest, "siblings": max(siblings.LABELLED), "with_gpl": with_gpl})
    games_path, avoided_path, labels_path = (work / f"{name}.npz" for name in ("games", "avoided", "labels"))
    runner.step("games", games_path, lambda: make_games(data / "games", games_path, runner, with_gpl, limit))
    games = load_games(games_path)
    runner.step("test positions", avoided_path, lambda: testsets.make_avoided(games, data / "positions", avoided_path))
    avoided = load(avoided_path)["hash"]
    runner.step("labels", labels_path, lambda: save(labels_path, score=exact.label(games, runner, deepest)))

    position_paths = {n: work / "positions" / f"e{n:02}.npz" for n in exact.N_EMPTIES}
    if not all(path.exists() for path in position_paths.values()):
        score = load(labels_path)["score"]
        held_out = games.held_out | (testsets.touched_games(games, avoided_path) & ~games.is_test)
        runner.say(f"  held out: {np.count_nonzero(held_out):,} of {games.n_games:,} games")
        for n, path in position_paths.items():
            runner.step(
                f"positions, {n} empties",
                path,
                lambda n=n, path=path: exact.make_positions(games, held_out, score, n, avoided, path),
            )

    for n in testsets.SIZES:
        path = work / "testsets" / f"e{n:02}.npz"
        runner.step(
            f"test set, {n} empties", path, lambda n=n, path=path: testsets.make_testset(games, n, path, runner)
        )
    for n in (*siblings.LABELLED, *siblings.UNLABELLED):
        path = work / "siblings" / f"e{n:02}.npz"
        runner.step(
            f"siblings, {n} empties",
            path,
            lambda n=n, path=path: siblings.make_siblings(work / "positions", n, avoided, path, runner),
        )
    runner.say("all done")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tools.train.data", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder with games/ and positions/")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="folder for the results")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N games of each file (default: all)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, metavar="T", help="(default: all cores)")
    parser.add_argument(
        "--deepest",
        type=_deepest,
        default=exact.DEEPEST,
        metavar="E",
        help="exact up to E empties (default: %(default)s)",
    )
    parser.add_argument("--with-gpl", action="store_true", help="also games under the GPL: not for shipped weights")
    return parser


def _deepest(text: str) -> int:
    least = max(siblings.LABELLED) + 1  # the scores of siblings are found from those of their parents
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"at least {least}, not {text}")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    options = build_parser().parse_args(arguments)
    runner = Runner(Console(), options.threads)
    try:
        make_data(options.data, options.work, runner, options.limit, options.deepest, options.with_gpl)
    except (OSError, GamesError, WorkFolderError) as error:
        Console(stderr=True).print(f"tools.train.data: {error}", style="bold red", markup=False)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
