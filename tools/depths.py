"""Times how long two engine programs take to the same depths in the same positions.

    python -m tools.depths --games FILE --depths 12 16 20 \\
        --engine name=ours command="othello-engine --set Threads=1" \\
        --engine name=other command="./engine -nboard" protocol=nboard directory=PATH

Engines are described as for `othello-engine match`, but for their limits.

The positions are those of N games after 20 to 32 moves, the games drawn from the file (one a line, `.gz` too; only the
moves matter) by the seed. The programs take turns in every position; each position is a new game, each depth a new
process. What a depth means is each program's own affair: all prune in their own way, so read the ratio together with
a match.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from othello_engine.errors import IllegalMoveError
from tools.engines.drivers import DIALECTS, FaultError, Setup
from tools.engines.player import Player
from tools.engines.spec import EngineSpec, Limits
from tools.match.openings import Opening
from tools.match.settings import UsageError, make_settings, parse_words

PLIES = (20, 23, 26, 29, 32)
"""Moves before the positions, in turn."""
_PATIENCE_S = 600.0


@dataclass(frozen=True, slots=True)
class DepthTimes:
    """Seconds of both programs to one depth, in the order of the positions."""

    depth: int
    first: tuple[float, ...]
    second: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Time of the second over that of the first, in all."""
        return sum(self.second) / sum(self.first)

    @property
    def typical_ratio(self) -> float:
        """Geometric mean of the ratios of single positions, which no single hard one decides."""
        return math.exp(sum(math.log(b / a) for a, b in zip(self.first, self.second, strict=True)) / len(self.first))


def load_positions(path: Path, n_positions: int, seed: int) -> list[Opening]:
    """Positions of games drawn by the seed. Raises UsageError if the file has too few that are long enough."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as file:
            games = [line.split()[0] for line in file if line.strip() and line.lstrip()[0] != "#"]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(str(error)) from None
    random.Random(seed).shuffle(games)
    found: list[Opening] = []
    for game in games:
        if len(found) == n_positions:
            break
        moves = game[: 2 * PLIES[len(found) % len(PLIES)]]
        try:
            opening = Opening.of(moves)
        except (IllegalMoveError, ValueError):
            continue
        if len(moves) == 2 * PLIES[len(found) % len(PLIES)] and not opening.position.must_pass:
            found.append(opening)
    if len(found) < n_positions:
        raise UsageError(f"{path} has {len(found)} games that are long enough, not {n_positions}")
    return found


def measure(specs: tuple[EngineSpec, EngineSpec], depth: int, positions: Sequence[Opening]) -> DepthTimes:
    """Both programs to this depth in all positions. Raises UsageError, naming the one that fails."""
    players = [Player(replace(spec, limits=Limits(depth=depth))) for spec in specs]
    seconds: tuple[list[float], list[float]] = ([], [])
    with closing(players[0]), closing(players[1]):
        for opening in track(positions, f"depth {depth}", transient=True):
            for player, found in zip(players, seconds, strict=True):
                try:
                    player.start_game(Setup(opening.start, opening.moves))
                    found.append(player.choose(opening.position.side, None, _PATIENCE_S).seconds)
                except FaultError as fault:
                    raise UsageError(f"{player.spec.name}: {fault.kind}: {str(fault).splitlines()[0]}") from None
    return DepthTimes(depth, tuple(seconds[0]), tuple(seconds[1]))


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.depths", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--engine", nargs="+", action="append", default=[], metavar="KEY=VALUE", help="one of the two programs"
    )
    group = parser.add_argument_group("the positions")
    group.add_argument("--games", type=Path, required=True, metavar="FILE", help="transcripts, one a line")
    group.add_argument("--positions", type=positive, default=50, metavar="N", help="(default: %(default)s)")
    group.add_argument("--seed", type=int, default=1, metavar="S", help="chooses the games (default: 1)")
    group.add_argument(
        "--depths", type=positive, nargs="+", default=[12, 16, 20], metavar="D", help="(default: 12 16 20)"
    )
    group.add_argument("--out", type=Path, metavar="FILE", help="write all times as JSON")
    return parser


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, not {text}")
    return number


def make_specs(options: argparse.Namespace) -> tuple[EngineSpec, EngineSpec]:
    """Both programs. Raises UsageError."""
    raw = {"engines": [parse_words(words, f"--engine {i}") for i, words in enumerate(options.engine, 1)]}
    specs = make_settings(raw, "command line").engines
    if len(specs) != 2:
        raise UsageError(f"two engines are needed, not {len(specs)}")
    for spec in specs:
        if "depth" not in DIALECTS[spec.protocol].takes:
            raise UsageError(f"{spec.name}: {spec.protocol} has no word for a depth")
        if spec.limits != Limits():
            raise UsageError(f"{spec.name}: {spec.limits}: limits are given by --depths")
    return specs[0], specs[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status: 2 for a bad command line or a program that fails."""
    options = build_parser().parse_args(arguments)
    console, to_stderr = Console(), Console(stderr=True)
    found: list[DepthTimes] = []
    try:
        specs = make_specs(options)
        positions = load_positions(options.games, options.positions, options.seed)
        for depth in options.depths:
            found.append(measure(specs, depth, positions))
            console.print(f"depth {depth}: {found[-1].ratio:.2f}", highlight=False)
            if options.out:
                names = [each.name for each in specs]
                record = {"seed": options.seed, "engines": names, "depths": [asdict(each) for each in found]}
                options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="ascii")
    except (UsageError, OSError) as error:
        to_stderr.print(f"depths: {error}", style="bold red", markup=False, highlight=False, soft_wrap=True)
        return 2
    table = Table(title=f"seconds for {options.positions} positions", box=box.SIMPLE_HEAD)
    for name in ("depth", specs[0].name, specs[1].name, "ratio", "typical ratio"):
        table.add_column(name, justify="right")
    for each in found:
        sums = (f"{sum(each.first):.2f}", f"{sum(each.second):.2f}")
        table.add_row(str(each.depth), *sums, f"{each.ratio:.2f}", f"{each.typical_ratio:.2f}")
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
