"""The command line of the program that measures levels: `python -m tools.levels`."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from othello_engine.config import available_cores, load_config
from othello_engine.engine.engine import Engine
from othello_engine.errors import OthelloError
from tools.levels.fields import DEFAULT_PROFILE, Field, default_elos, ladder, rounds, strengths
from tools.levels.judge import PROFILE, SearchJudge
from tools.levels.mistakes import Reviewer, ReviewFile, habits, read_reviews
from tools.levels.openings import openings
from tools.levels.play import Gang, SeatMaker, describe, load_description, load_games, open_folder, play_missing
from tools.levels.players import RANDOM, EngineFailedError, EngineSeat
from tools.levels.report import (
    Sheet,
    disorder,
    draw_strengths,
    ladder_sheet,
    mistakes_sheet,
    replace_section,
    standing_of,
    steps,
    strength_sheet,
)
from tools.levels.report import strengths as measured_strengths
from tools.match.record import ANTI, OTHELLO, GameRecord
from tools.match.settings import UsageError

PROGRAM = "python -m tools.levels"
REVIEWS = "mistakes.jsonl"
_LOG_EVERY_S = 15.0
"""Between two lines of progress where there is no terminal."""
_WIDTH = 120
"""Columns of a table where there is no terminal."""

DESCRIPTION = """\
Measures how strong the levels are, and what they do wrong, by games of the engine against itself.

All games are kept under --out as they end: after an interruption the same command goes on, and the same command with
more games plays only those that are missing. The same seed gives the same games wherever the levels are limited by
depth or nodes, as those of `phased` are.
"""

EXAMPLES = f"""\
examples:
  the levels of `phased`, each against the one below, and the lowest against a random mover:
    {PROGRAM} ladder --games 300 --out levels
  the same in anti-Othello:
    {PROGRAM} ladder --variant anti --out levels
  a quick look at numbered levels of another profile:
    {PROGRAM} ladder --profile strong --levels 0 2 4 --games 20 --openings random:8 --out look
  the strengths of LimitStrength, each against those up to three steps away:
    {PROGRAM} strength --elo 800 950 1100 1250 1400 --games 100 --out levels
  what the levels did wrong in the games of `ladder`:
    {PROGRAM} mistakes --out levels
  all tables into docs/levels.md, and the picture beside it:
    {PROGRAM} report --out levels

A folder with games of other levels, openings or seeds is refused rather than mixed with new ones.

exit status: 0 as it should be; 1 a target was missed, or a strength is no stronger than the one below; 2 a mistake in
the command; 130 interrupted
"""


def build_parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog=PROGRAM, description=DESCRIPTION, epilog=EXAMPLES, formatter_class=formatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of all games and results")
    common.add_argument(
        "--concurrency", type=_positive, default=available_cores(), metavar="N", help="at once (default: the cores)"
    )
    games = argparse.ArgumentParser(add_help=False)
    games.add_argument("--seed", type=int, default=1, metavar="S", help="of openings and levels (default: 1)")
    games.add_argument(
        "--openings",
        default="even:8",
        metavar="X",
        help="even:N, positions after N random moves in which neither side is far ahead; random:N, any of them; or a "
        "file, one opening a line (default: %(default)s)",
    )
    variant = argparse.ArgumentParser(add_help=False)
    variant.add_argument("--variant", choices=(OTHELLO, ANTI), default=OTHELLO, help="(default: %(default)s)")

    command = commands.add_parser(
        "ladder",
        parents=[common, games, variant],
        help="each level against the one below",
        description="Plays each level against the one below it, and the lowest against a random mover. A level should "
        "score 75 % against the next lower one, the lowest 90 % against the random mover.",
    )
    command.add_argument("--games", type=_even, default=300, metavar="N", help="of each pairing (default: 300)")
    command.add_argument("--profile", default=DEFAULT_PROFILE, help="(default: %(default)s)")
    command.add_argument("--levels", nargs="+", default=[], metavar="L", help="(default: all that have names)")
    command.set_defaults(run=run_ladder)

    command = commands.add_parser(
        "strength",
        parents=[common, games],
        help="steps of LimitStrength against each other",
        description="Plays steps of the option Elo against each other and rates them from all results.",
    )
    command.add_argument("--games", type=_even, default=100, metavar="N", help="of each pairing (default: 100)")
    command.add_argument("--profile", default="strong", help="(default: %(default)s)")
    command.add_argument(
        "--elo", type=int, nargs="+", default=[], metavar="E", help="(default: the rows of configs/strength.yaml)"
    )
    command.add_argument(
        "--span", type=_positive, default=3, metavar="K", help="steps farther apart don't meet (default: 3)"
    )
    command.set_defaults(run=run_strength)

    command = commands.add_parser(
        "mistakes",
        parents=[common, variant],
        help="what the levels do wrong in the games of `ladder`",
        description="Counts in the games of `ladder`, per game: corners given (the opponent can take a corner that it "
        "could not take before, and another move would have prevented it), corners missed (one could be taken, was "
        "not, and was worth more), moves to an X-square beside an empty corner, and discs lost against the best "
        "move. Games against the random mover count for the random mover only.",
    )
    command.add_argument(
        "--games", type=_even, default=100, metavar="N", help="of each pairing are looked at, at most (default: 100)"
    )
    command.add_argument("--depth", type=_positive, default=8, metavar="D", help="plies in the midgame (default: 8)")
    command.add_argument(
        "--exact", type=_positive, default=16, metavar="E", help="empties from which losses are exact (default: 16)"
    )
    command.set_defaults(run=run_mistakes)

    command = commands.add_parser(
        "report",
        parents=[common],
        help="write what was measured into the documentation",
        description="Writes a table for everything found under --out between the markers of the page, such as "
        "<!-- levels:ladder --> and <!-- /levels:ladder -->, and the picture of the strengths.",
    )
    command.add_argument("--page", type=Path, default=Path("docs/levels.md"), help="(default: %(default)s)")
    command.add_argument(
        "--picture", type=Path, default=Path("docs/pictures/strength.png"), help="(default: %(default)s)"
    )
    command.set_defaults(run=run_report)
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, not {text}")
    return number


def _even(text: str) -> int:
    number = _positive(text)
    if number % 2:
        raise argparse.ArgumentTypeError(f"an even number, as every opening is played twice, not {text}")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    options = build_parser().parse_args(arguments)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        status: int = options.run(options)
    except KeyboardInterrupt:
        _say("interrupted; the same command goes on", "yellow")
        return 130
    except (UsageError, OthelloError, EngineFailedError, OSError) as error:
        _say(f"levels: {error}", "bold red")
        return 2
    finally:
        signal.signal(signal.SIGTERM, before)
    return status


# -- the commands ------------------------------------------------------------------------------------------------


def run_ladder(options: argparse.Namespace) -> int:
    field = ladder(options.profile, options.levels, options.variant)
    path = ladder_folder(options.out, options.variant)
    play(field, path, options, options.variant)
    sheet, is_met = read_ladder(path)
    _show(sheet)
    return 0 if is_met else 1


def run_strength(options: argparse.Namespace) -> int:
    field = strengths(options.profile, options.elo or default_elos(), options.span)
    path = strength_folder(options.out)
    play(field, path, options, OTHELLO)
    sheet, is_monotonic = read_strengths(path, path / "strength.png")
    _show(sheet)
    return 0 if is_monotonic else 1


def run_mistakes(options: argparse.Namespace) -> int:
    path = ladder_folder(options.out, options.variant)
    review(path, options.games, options.depth, options.exact, options.concurrency)
    _show(read_mistakes(path))
    return 0


def run_report(options: argparse.Namespace) -> int:
    sheets: dict[str, Sheet] = {}
    for variant, suffix in ((OTHELLO, ""), (ANTI, "-anti")):
        path = ladder_folder(options.out, variant)
        if path.exists():
            sheets[f"ladder{suffix}"] = read_ladder(path)[0]
            if (path / REVIEWS).exists():
                sheets[f"mistakes{suffix}"] = read_mistakes(path)
    if strength_folder(options.out).exists():
        sheets["strength"] = read_strengths(strength_folder(options.out), options.picture)[0]
    if not sheets:
        raise UsageError(f"{options.out} holds no games of levels")
    text = options.page.read_text(encoding="utf-8")
    for name, sheet in sheets.items():
        text = replace_section(text, name, sheet.to_markdown())
    options.page.write_text(text, encoding="utf-8")
    _say(f"{options.page}: {', '.join(sheets)}")
    return 0


def ladder_folder(out: Path, variant: str) -> Path:
    return out / ("ladder" if variant == OTHELLO else f"ladder-{variant}")


def strength_folder(out: Path) -> Path:
    return out / "strength"


# -- playing and judging -----------------------------------------------------------------------------------------


def play(
    field: Field, path: Path, options: argparse.Namespace, variant: str, make_seat: SeatMaker = EngineSeat
) -> None:
    """Play what is missing of a field."""
    _compile()
    found = openings(options.openings, options.games // 2, options.seed, variant)
    folder = open_folder(path, describe(field, options.openings, options.seed, variant), found)
    n_games = sum(1 for _ in rounds(field, found))
    numbers = range(n_games)
    n_done = sum(record.number in numbers for record in folder.records())
    with _progress("games", n_games, n_done) as advance:
        games = play_missing(field, found, folder, options.seed, make_seat, options.concurrency, variant == ANTI)
        with closing(games):
            for record in games:
                advance(f"{record.black} - {record.white} {record.score:+d}")


def review(path: Path, n_games: int, depth: int, exact_empties: int, n_judges: int) -> None:
    """Judge the first games of each pairing that are not judged yet."""
    variant = load_description(path)["variant"]
    _compile()
    file = ReviewFile(path / REVIEWS, {"profile": PROFILE, "depth": depth, "exact_empties": exact_empties})
    done = {each.game for each in file.load()}
    chosen = first_games(load_games(path), n_games)
    missing = [record for record in chosen if record.number not in done]

    def make_reviewer(stopped: threading.Event) -> Reviewer:
        return Reviewer(SearchJudge(depth, exact_empties, variant), stopped)

    with (
        _progress("games", len(chosen), len(chosen) - len(missing)) as advance,
        closing(Gang(missing, make_reviewer, n_judges)) as gang,
    ):
        for pair in gang:
            file.append(pair)
            advance(" - ".join(each.name for each in pair))


def first_games(records: Sequence[GameRecord], n_games: int) -> list[GameRecord]:
    """The first so many games of each pairing, by their numbers."""
    seen: Counter[frozenset[str]] = Counter()
    chosen = []
    for record in sorted(records, key=lambda record: record.number):
        pairing = frozenset((record.black, record.white))
        if seen[pairing] < n_games:
            seen[pairing] += 1
            chosen.append(record)
    return chosen


# -- what is in a folder -----------------------------------------------------------------------------------------


def read_ladder(path: Path) -> tuple[Sheet, bool]:
    """The table of a ladder's games, and whether all targets are met."""
    description = load_description(path)
    names = [each["name"] for each in description["contestants"]]
    found = steps(standing_of(names, load_games(path)))
    return ladder_sheet(found, description), all(step.is_met for step in found)


def read_strengths(path: Path, picture: Path) -> tuple[Sheet, bool]:
    """The table of the strengths, and whether each is stronger than the one below; the picture is drawn."""
    description = load_description(path)
    names = [each["name"] for each in description["contestants"]]
    found = measured_strengths(standing_of(names, load_games(path)))
    draw_strengths(found, picture)
    return strength_sheet(found, description), not disorder(found)


def read_mistakes(path: Path) -> Sheet:
    """The table of the mistakes in a ladder's games."""
    description = load_description(path)
    judged, by_game = read_reviews(path / REVIEWS)
    names = [each["name"] for each in description["contestants"]]
    found = habits(names, [each for pair in by_game.values() for each in pair], RANDOM.name)
    return mistakes_sheet(found, description, judged)


# -- what the user sees ------------------------------------------------------------------------------------------


class _Advance:
    """Told of every game that is done."""

    def __init__(self, console: Console, n_all: int, n_done: int, bar: Progress | None) -> None:
        self._console, self._bar = console, bar
        self._n_all, self._n_done, self._n_before = n_all, n_done, n_done
        self._began = self._told_at = time.perf_counter()
        self._task = bar.add_task("", total=n_all, completed=n_done, note="") if bar else None

    def __call__(self, note: str) -> None:
        self._n_done += 1
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._n_done, note=note)
            return
        now = time.perf_counter()
        if now - self._told_at >= _LOG_EVERY_S:
            self._told_at = now
            left = (now - self._began) * (self._n_all - self._n_done) / (self._n_done - self._n_before)
            self._console.print(f"{self._n_done} of {self._n_all} games, {left:.0f} s left", highlight=False)


@contextmanager
def _progress(what: str, n_all: int, n_done: int) -> Generator[_Advance]:
    """A bar with the time left on stderr; a line now and then where that is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Advance(console, n_all, n_done, None)
        return
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, speed_estimate_period=600) as bar:
        yield _Advance(console, n_all, n_done, bar)


def _compile() -> None:
    """Start an engine once, so that what has to be compiled is compiled once, and seen."""
    with (
        Console(stderr=True).status("starting") as status,
        Engine(load_config(overrides={"Threads": 1, "Hash": 1}), status.update) as engine,
    ):
        engine.wait_ready()


def _show(sheet: Sheet) -> None:
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH
    console.print(sheet.to_rich())


def _say(text: str, style: str | None = None) -> None:
    Console(stderr=True).print(text, style=style, markup=False, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
