"""Plays paired games between two engine programs and says which is stronger, with the uncertainty.

    python -m tools.duel --openings FILE --pairs 100 --time-ms 200 \\
        --first "othello-engine --set Threads=1" --first-protocol native \\
        --second "./engine -gtp" --second-protocol gtp --second-dir PATH

Every opening is played twice, the second time with colours changed. The openings are drawn from the file, one a line,
by the seed; a match of more pairs begins with those of a shorter one. Programs keep running from game to game. One that
plays an illegal move, ends, falls silent or refuses a command loses that game, and the match goes on.

Times and depths reach the native protocol as `go time T depth D`. NBoard has a depth only (`set depth D`), GTP neither:
there the program's own command line must hold it to the time, and the time given here is for the report and for telling
when the program is silent. Compare the measured times before you believe a result.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from othello_engine.errors import IllegalMoveError
from tools.duel.engines import DIALECTS, EngineSpec, FaultError, Player
from tools.duel.match import Opening, Pair, play_match
from tools.duel.report import game_line, pair_line, result_table, summary

SIDES = ("first", "second")
_ANSWER_LIMIT_FACTOR = 10
_ANSWER_LIMIT_EXTRA_S = 5.0
_ANSWER_LIMIT_NO_TIME_S = 60.0
"""A program is silent after ten times its budget and five seconds, or after a minute if it has no budget."""


class UsageError(Exception):
    """The command line can't be carried out."""


def load_openings(path: Path, n_pairs: int, seed: int) -> list[Opening]:
    """`n_pairs` different openings of a file: a transcript at the start of each line, a name may follow.

    Empty lines and lines with `#` are skipped. The same seed gives the same openings, and more pairs the same first
    ones.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(str(error)) from None
    numbered = [(i, line.split()[0]) for i, line in enumerate(lines, 1) if line.strip() and line.lstrip()[0] != "#"]
    if n_pairs > len(numbered):
        raise UsageError(f"{n_pairs} pairs need as many openings; {path} has {len(numbered)}")
    random.Random(seed).shuffle(numbered)
    openings = []
    for line_number, moves in numbered[:n_pairs]:
        try:
            openings.append(Opening.from_moves(moves))
        except (IllegalMoveError, ValueError) as error:
            raise UsageError(f"{path}, line {line_number}: {error}") from None
    return openings


def make_spec(options: argparse.Namespace, side: str) -> EngineSpec:
    """The engine of one side; UsageError if its dialect can't pass on what was asked for."""
    given = {name.removeprefix(f"{side}_"): value for name, value in vars(options).items() if name.startswith(side)}
    command = tuple(shlex.split(given[side]))
    if not command:
        raise UsageError(f"--{side} is empty")
    dialect, time_ms, depth = given["protocol"], given["time_ms"], given["depth"]
    if depth and not DIALECTS[dialect].takes_depth:
        raise UsageError(f"--{side}-depth: {dialect} has no word for it; use the program's own options")
    if time_ms is None and depth is None:
        time_ms = options.time_ms
    limit_s = options.move_limit or _ANSWER_LIMIT_NO_TIME_S
    if time_ms and not options.move_limit:
        limit_s = _ANSWER_LIMIT_EXTRA_S + _ANSWER_LIMIT_FACTOR * time_ms / 1000
    return EngineSpec(given["name"] or side, command, dialect, time_ms, depth, limit_s, given["dir"])


def check_starts(specs: Sequence[EngineSpec]) -> None:
    """Raises UsageError if a program can't play from the start: then the whole match would be faults."""
    for spec in specs:
        with closing(Player(spec)) as player:
            try:
                player.start_game(())
            except FaultError as fault:
                raise UsageError(f"{spec.name} does not start: {fault.kind}: {fault}") from None


def run(options: argparse.Namespace, specs: tuple[EngineSpec, EngineSpec], console: Console) -> list[Pair]:
    """Play the match and show it; what is finished comes back, also if the user interrupts it."""
    openings = load_openings(options.openings, options.pairs, options.seed)
    if options.out and not options.out.absolute().parent.is_dir():
        raise UsageError(f"--out: no folder {options.out.parent}")
    check_starts(specs)
    columns = (TextColumn("pairs"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    pairs: list[Pair] = []
    with ExitStack() as stack:
        games_file = stack.enter_context(options.games.open("a", encoding="ascii")) if options.games else None
        match = stack.enter_context(closing(play_match(specs, openings, options.concurrency)))
        bar = stack.enter_context(Progress(*columns, console=console, transient=True))
        task = bar.add_task("pairs", total=len(openings))
        try:
            for pair in match:
                pairs.append(pair)
                console.print(pair_line(pair, pairs), markup=False, highlight=False, soft_wrap=True)
                for game in pair.games:
                    if games_file:
                        print(game_line(game, specs), file=games_file, flush=True)
                    if game.fault:
                        culprit, reason = specs[game.fault.culprit].name, game.fault.text.splitlines()[0]
                        text = f"      {culprit}: {game.fault.kind}: {reason}"
                        console.print(text, style="red", markup=False, highlight=False, soft_wrap=True)
                bar.update(task, completed=len(pairs))
        except KeyboardInterrupt:
            console.print(f"interrupted after {len(pairs)} of {len(openings)} pairs", style="bold red")
    return pairs


def add_engine_options(parser: argparse.ArgumentParser, side: str) -> argparse._ArgumentGroup:
    """Options for the program of one side, as `make_spec` reads them, but for limits; the group they are in."""
    group = parser.add_argument_group(f"the {side} engine")
    group.add_argument(f"--{side}", required=True, metavar="COMMAND", help="command line, as for a shell")
    group.add_argument(
        f"--{side}-protocol", choices=sorted(DIALECTS), default="native", help="what it speaks (default: native)"
    )
    group.add_argument(f"--{side}-name", metavar="NAME", help=f"in tables and files (default: {side})")
    group.add_argument(f"--{side}-dir", type=Path, metavar="DIR", help="where it runs (default: here)")
    return group


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.duel", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for side in SIDES:
        group = add_engine_options(parser, side)
        group.add_argument(f"--{side}-time-ms", type=positive, metavar="T", help="instead of --time-ms")
        group.add_argument(
            f"--{side}-depth", type=positive, metavar="D", help="depth or level; alone it takes the place of the time"
        )
    group = parser.add_argument_group("the match")
    group.add_argument("--openings", type=Path, required=True, metavar="FILE", help="transcripts, one a line")
    group.add_argument("--pairs", type=positive, default=100, metavar="N", help="openings played (default: 100)")
    group.add_argument("--seed", type=int, default=1, metavar="S", help="chooses the openings (default: 1)")
    group.add_argument("--time-ms", type=positive, default=200, metavar="T", help="time of a move (default: 200)")
    group.add_argument(
        "--move-limit", type=float, metavar="SECONDS", help="silent after so long (default: ten times the time and 5 s)"
    )
    group.add_argument(
        "--concurrency", type=positive, default=1, metavar="N", help="games at once, a core for each (default: 1)"
    )
    group.add_argument("--out", type=Path, metavar="FILE", help="write everything as JSON")
    group.add_argument("--games", type=Path, metavar="FILE", help="append the games, one a line")
    return parser


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, not {text}")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status: 0 also if there were faults, 2 for a bad command line, 130 if
    interrupted.
    """
    options = build_parser().parse_args(arguments)
    console = Console()
    began = time.perf_counter()
    try:
        specs = (make_spec(options, SIDES[0]), make_spec(options, SIDES[1]))
        pairs = run(options, specs, console)
    except (UsageError, OSError) as error:
        to_stderr = Console(stderr=True)
        to_stderr.print(f"duel: {error}", style="bold red", markup=False, highlight=False, soft_wrap=True)
        return 2
    if pairs:
        console.print(result_table(specs, pairs))
    if pairs and options.out:
        settings = {
            "openings": str(options.openings),
            "openings_sha256": hashlib.sha256(options.openings.read_bytes()).hexdigest(),
            "n_pairs": options.pairs,
            "seed": options.seed,
            "concurrency": options.concurrency,
            "seconds": round(time.perf_counter() - began, 1),
        }
        options.out.write_text(json.dumps(summary(specs, pairs, settings), indent=1) + "\n", encoding="ascii")
    return 0 if len(pairs) == options.pairs else 130


if __name__ == "__main__":
    sys.exit(main())
