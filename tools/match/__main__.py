"""The command line of the match manager: `othello-engine match`, or `python -m tools.match`."""

from __future__ import annotations

import argparse
import datetime
import io
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

from rich.console import Console

from othello_engine.config import available_cores
from tools.engines.drivers import FaultError, Setup
from tools.engines.player import Player
from tools.match.folder import Folder
from tools.match.games import AnyOpening
from tools.match.openings import OpeningsError, drawn, read_lines
from tools.match.run import play
from tools.match.settings import (
    ENGINE_KEYS,
    MATCH_KEYS,
    SPRT_KEYS,
    Raw,
    Settings,
    UsageError,
    key_table,
    load_yaml,
    make_settings,
    merged,
    parse_words,
)

PROGRAM = "othello-engine match"
_DEFAULT_PAIRS = 100
START = "start"
"""As openings: the start position alone."""
_SWITCH_S = 0.0005
"""A thread whose engine has answered waits at most so long for the interpreter."""

HELP = f"""\
Plays engines against each other and says which is stronger, and how sure that is.

Engines are programs that speak native, NBoard, GTP or Cassio, in Gomoku native or Gomocup. Every opening is played
twice, with colours changed. Our rules judge; a program that crashes, hangs, plays an illegal move or is late loses that
game, and the match goes on. Everything is written to a folder as it is played; an interrupted match goes on with
--resume.

examples:
  two versions, 100 ms a move, 200 openings of a file, two games at once:
    {PROGRAM} --engine name=new command="./new/othello-engine" \\
      --engine name=old command="./old/othello-engine" --each movetime=100ms option.Threads=1 \\
      --openings xot.txt --pairs 200 --concurrency 2
  another dialect; what it can't be told has to be in the command:
    {PROGRAM} --engine name=ours command="othello-engine" movetime=200ms \\
      --engine name=ntest command="./ntest x" protocol=nboard directory=ntest depth=12 --openings random:8
  stop as soon as it is decided whether the first is 5 Elo stronger, or not:
    {PROGRAM} match.yaml --sprt elo0=0 elo1=5
  Gomoku, against a program of Gomocup:
    {PROGRAM} --game gomoku --engine name=ours command="othello-engine" \\
      --engine name=carbon command=./pbrain-carbon protocol=gomocup --each movetime=500ms --pairs 25
  the same from a file, and go on after an interruption:
    {PROGRAM} match.yaml --out results
    {PROGRAM} --resume results

keys of the match, in the file or as options (--give-up 5):
{key_table(MATCH_KEYS)}

keys of an engine, in the file, in --engine, or in --each for all of them:
{key_table(ENGINE_KEYS)}

keys of --sprt:
{key_table(SPRT_KEYS)}

exit status: 0 played to the end (faults included), 2 a mistake in the description, 130 interrupted
"""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description=HELP.partition("examples:")[0],
        epilog="examples:" + HELP.partition("examples:")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="YAML file with the match")
    parser.add_argument("--engine", nargs="+", action="append", default=[], metavar="KEY=VALUE", help="an engine")
    parser.add_argument("--each", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="for all engines")
    parser.add_argument("--sprt", nargs="+", metavar="KEY=VALUE", help="sequential test, such as elo0=0 elo1=5")
    for name in MATCH_KEYS:
        if name != "sprt":
            parser.add_argument(f"--{name.replace('_', '-')}", metavar="X", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for all results (default: match-DATE-TIME)")
    parser.add_argument("--resume", type=Path, metavar="DIR", help="go on with an interrupted match")
    parser.add_argument("--quiet", action="store_true", help="no lines for single games, but for faults")
    return parser


def raw_settings(options: argparse.Namespace) -> tuple[Raw, str]:
    """What the file and the options say together, the options having the last word; and where it stands."""
    where = str(options.file) if options.file else "command line"
    raw = load_yaml(options.file) if options.file else {}
    if options.engine:
        raw["engines"] = [parse_words(words, f"--engine {i}") for i, words in enumerate(options.engine, 1)]
    if options.each:
        each = raw.get("each") or {}
        given = parse_words(options.each, "--each")
        raw["each"] = merged(each, given) if isinstance(each, dict) else given
    if options.sprt:
        raw["sprt"] = parse_words(options.sprt, "--sprt")
    for name in MATCH_KEYS:
        value = getattr(options, name, None)
        if name != "sprt" and value is not None:
            raw[name] = value
    return raw, where


def choose_openings(settings: Settings) -> list[AnyOpening]:
    """The openings in the order in which they are played. Raises UsageError if there are too few."""
    source, wanted, game = settings.openings, settings.pairs, settings.game
    if source is None or source == START:
        if wanted and wanted > 1:
            raise UsageError(f"pairs: {wanted}, but without openings there is only the start; try --openings random:8")
        return [game.opening("")]
    if source.startswith("random:"):
        n_moves = source.removeprefix("random:")
        least, most = game.random_moves
        if not n_moves.isdecimal() or not least <= int(n_moves) <= most:
            raise UsageError(f"openings: random:N takes {least} to {most} moves, not {n_moves!a}")
        wanted = wanted or _DEFAULT_PAIRS
        found = list(islice(game.random_openings(int(n_moves), settings.seed), wanted))
    else:
        try:
            known = read_lines(Path(source).expanduser(), game.opening)
        except OpeningsError as error:
            raise UsageError(f"openings: {error}") from None
        wanted = wanted or min(_DEFAULT_PAIRS, len(known))
        found = drawn(known, settings.seed)[:wanted]
    if len(found) < wanted:
        raise UsageError(f"pairs: {wanted} need as many different openings; {source} has {len(found)}")
    return found


def check_starts(settings: Settings, openings: Sequence[AnyOpening], console: Console) -> dict[str, list[str]]:
    """Start every program once and give it an opening: what fails now would fail in every game. Returns what
    a program could not be told: limits, and the variant. Raises UsageError.
    """
    boards = [opening for opening in openings if opening.start != openings[0].start][:1]
    untold: dict[str, list[str]] = {}
    for spec in settings.engines:
        with console.status(f"starting {spec.name}"), closing(Player(spec)) as player:
            try:
                for opening in [openings[0], *boards]:
                    player.start_game(Setup(opening.start, opening.moves))
                if what := [*player.untold, *settings.game.untold(spec.protocol)]:
                    untold[spec.name] = what
            except FaultError as fault:
                raise UsageError(f"{spec.name} can't play: {fault.kind}: {fault}") from None
    for name, what in untold.items():
        _note(console, f"{name} is not told: {', '.join(what)}; its command line has to keep it")
    return untold


def _note(console: Console, text: str) -> None:
    console.print(text, style="yellow", markup=False, highlight=False, soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    options = build_parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names, and the sign of an error, may be more than ASCII
    console = Console(markup=False, emoji=False, highlight=False)  # names are no markup
    try:
        with _interruptible(), _quick_threads():
            return resume(options, console) if options.resume else begin(options, console)
    except KeyboardInterrupt:
        return 130
    except (UsageError, OSError) as error:
        complaint = Console(stderr=True)
        complaint.print(f"match: {error}", style="bold red", markup=False, highlight=False, soft_wrap=True)
        return 2


@contextmanager
def _interruptible() -> Iterator[None]:
    """SIGTERM and SIGHUP end the match as Ctrl-C does."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def _quick_threads() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def begin(options: argparse.Namespace, console: Console) -> int:
    """A new match."""
    raw, where = raw_settings(options)
    settings = make_settings(raw, where)
    openings = choose_openings(settings)
    path = options.out or Path(f"match-{datetime.datetime.now():%Y-%m-%d-%H%M%S}")
    Folder.refuse_used(path)
    untold = check_starts(settings, openings, console)
    if settings.concurrency > available_cores():
        _note(console, f"{settings.concurrency} games at once, but {available_cores()} cores: times will suffer")
    raw = with_folders(raw, settings)
    folder = Folder.create(path, raw, openings, settings.name, untold, settings.game)
    return play(make_settings(raw, where), openings, folder, console, options.quiet)


def with_folders(raw: Raw, settings: Settings) -> Raw:
    """The settings with every engine's folder written out, so that the match can be resumed from anywhere."""
    folders = [str((spec.directory or Path()).absolute()) for spec in settings.engines]
    engines = [{**engine, "directory": folder} for engine, folder in zip(raw["engines"], folders, strict=True)]
    for engine in engines:
        engine.pop("dir", None)
    return {**raw, "engines": engines}


def resume(options: argparse.Namespace, console: Console) -> int:
    """Go on with a match. Only how many games are played at once may be changed. Of a match that is over, the summary
    is written anew, and no program is started.
    """
    given, _ = raw_settings(options)
    changed = set(given) - {"concurrency"} | ({"out"} if options.out else set())
    if changed:
        raise UsageError(f"--resume goes on with the match as it was; {', '.join(sorted(changed))} can't be changed")
    folder, raw, openings = Folder.load(options.resume)
    settings = make_settings({**raw, **given}, str(options.resume))
    return play(settings, openings, folder, console, options.quiet, lambda: check_starts(settings, openings, console))


if __name__ == "__main__":
    sys.exit(main())
