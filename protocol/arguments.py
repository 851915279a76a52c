"""What may stand on the command line. Kept apart, so that the daemon without arguments doesn't wait for `argparse`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

DIALECTS = ("native", "nboard", "gtp", "cassio", "gomocup")
"""What the daemon can speak. Each is a module of this package, with a service of that name in it."""

_DESCRIPTION = """\
An engine for Othello and Gomoku. Without a command it reads the lines of its protocol from standard
input and answers on standard output until quit or the end of input:

  $ othello-engine
  setboard startpos moves f5d6c3     set a position
  go time 4000                       think four seconds; ends with bestmove
  help                               what else there is
  quit
"""

_EPILOG = """\
examples:
  othello-engine --set threads=2 --set hash=512      a daemon with options
  othello-engine --protocol nboard                   as the NBoard program starts it
  othello-engine --profile gomoku                    five in a row instead of Othello
  othello-engine --protocol gomocup                  as Gomoku managers start it (also: pbrain-othello-engine)
  othello-engine solve endgames.obf --limit 10       solve the first ten positions
  othello-engine solve --help                        every move, files of results, going on
  othello-engine perft 11                            count lines of play
  othello-engine convert games.ggf games.sgf         game files from one format to another
  echo 'go depth 12' | othello-engine                one search from a shell

exit status: 0 done, 1 solve or convert found something wrong, 2 bad command line or configuration,
3 internal error, 4 the reader of the output went away, 128 + n ended by signal n.
"""


_SOLVE_EPILOG = """\
A line is 64 squares from a1 to h8 (X black, O white, - empty), the side to move, and if they
are known the values of moves or of the position:

  -OXXXXX-XOOO-XXXXXOOOOXOXOXOOOOOXOXXOOO-XOOOXOXO-OOXXXO-XOOOOOOO X; a1:+14; h7:+0;

examples:
  othello-engine solve endgames.obf                          a table, each score compared
  othello-engine solve endgames.obf --moves --json all.json  the value of every move as well
  othello-engine solve endgames.obf --csv out.csv --resume   again after an interruption: goes on
  make-boards | othello-engine solve - --jsonl               an answer for each line, at once

Positions that are done are in the files OUT whatever ends the program. docs/solve.md says more.
"""

_CONVERT_EPILOG = """\
formats, by the end of the name, with or without .gz:
  .ggf   GGF, game server: names, clocks, value and time of each move, set-up positions
  .sgf   SGF, GM[2]: names, set-up positions, value of each move; the main line of a tree
  .wtb   WTHOR: games, and beside them the players (.jou) and tournaments (.trn)
  .txt   a game a line: f5d6c3... and perhaps a score
  .obf   positions; of a game the last one

examples:
  othello-engine convert WTH_2023.wtb games.ggf      names from WTH_2023.jou or WTHOR.JOU
  othello-engine convert games.ggf.gz games.wtb      writes games.jou and games.trn too
  othello-engine convert new.ggf new.wtb --players WTHOR.JOU --tournaments WTHOR.TRN
                                                     keeps the numbers of the base's names
  grep Anna games.ggf | othello-engine convert - anna.sgf --from ggf
  othello-engine convert games.sgf - --to txt | head

Every game is replayed: passes are put in or left out as OUT needs them, the result of a finished
game is what the board shows. Games that can't be converted are named and left out (exit status 1).
OUT appears when it is whole. docs/formats.md says what each format keeps.
"""


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments as attributes; a mistake ends the program with status 2.

    command: None for the daemon. settings, more_settings: (name, value) pairs of `--set`, before and after the
    command. config, profile, log: only there if given.
    """
    return _parser().parse_args(argv)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="othello-engine",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument(
        "--protocol",
        choices=DIALECTS,
        default="native",
        help="what the daemon speaks: native (the default), nboard, gtp, cassio, or gomocup for Gomoku",
    )
    _add_common(parser, "settings")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")

    def add(name: str, summary: str, **more: Any) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False, **more)
        _add_common(command, "more_settings")
        return command

    perft = add("perft", "count the lines of play to each depth up to D")
    perft.add_argument("depth", metavar="D", type=_whole_number(1, 60))
    perft.add_argument("--board", metavar="BOARD", default="startpos", help="64 squares and a side (default: startpos)")

    bench = add("bench", "search fixed positions; the node sum of one worker is the build's signature")
    bench.add_argument("depth", metavar="D", nargs="?", type=_whole_number(1, 60), help="plies")
    bench.add_argument("--threads", metavar="N", type=_whole_number(1, 256), help="workers (default: 1)")
    bench.add_argument("--hash", metavar="MIB", type=_whole_number(1, 65536), help="table (default: 16)")

    solve = add(
        "solve",
        "solve the positions of an OBF file and compare with its scores",
        usage="othello-engine solve FILE [options]",
        epilog=_SOLVE_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    solve.add_argument("file", metavar="FILE", help="an .obf file; - solves lines of standard input as they come")
    solve.add_argument("--threads", metavar="N", type=_whole_number(1, 256), help="workers")
    solve.add_argument("--limit", metavar="K", type=_whole_number(1, 10**9), help="only the first K positions")
    solve.add_argument("--wld", action="store_true", help="only who wins: win, draw or loss")
    solve.add_argument("--moves", action="store_true", help="value and line of play of every move, not of the best")
    for name, form in (("json", "one JSON object"), ("jsonl", "one JSON object a line"), ("csv", "CSV")):
        solve.add_argument(
            f"--{name}",
            metavar="OUT",
            nargs="?",
            const="-",
            help=f"results as {form}, to OUT or instead of the table",
        )
    solve.add_argument("--resume", action="store_true", help="go on with what the files OUT hold already")

    convert = add(
        "convert",
        "convert games between GGF, SGF, WTHOR, transcripts and OBF",
        usage="othello-engine convert IN OUT [options]",
        epilog=_CONVERT_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    convert.add_argument("source", metavar="IN", help="a file of games; - for standard input")
    convert.add_argument("target", metavar="OUT", help="the file to write; - for standard output")
    formats = ("ggf", "sgf", "wtb", "txt", "obf")
    convert.add_argument("--from", metavar="FORMAT", dest="source_format", choices=formats, help="if not by the name")
    convert.add_argument("--to", metavar="FORMAT", dest="target_format", choices=formats, help="if not by the name")
    convert.add_argument("--players", metavar="F.jou", help="names of a WTHOR base, if not beside the file")
    convert.add_argument("--tournaments", metavar="F.trn", help="the same for tournaments")
    convert.add_argument("--strict", action="store_true", help="the first bad game ends it, and nothing is written")

    add("warmup", "compile everything ahead of time")
    add("profiles", "list the profiles: evaluation, search set-up and levels under one name")
    # Programs of their own: here only to be listed.
    for name, summary in (
        ("match", "play engines against each other: any dialects, clocks, openings, SPRT"),
        ("conformance", "check step by step that an engine speaks its dialect properly"),
    ):
        commands.add_parser(name, help=f"{summary}; see {name} --help", add_help=False)
    return parser


def _add_common(parser: argparse.ArgumentParser, settings: str) -> None:
    group = parser.add_argument_group("configuration")
    suppress = argparse.SUPPRESS
    group.add_argument("--config", metavar="FILE", default=suppress, help="YAML file with option values")
    group.add_argument("--profile", metavar="NAME", default=suppress, help="evaluation, search set-up, levels")
    group.add_argument(
        "--set",
        metavar="NAME=VALUE",
        dest=settings,
        action="append",
        type=_setting,
        default=[],
        help="one option; may be repeated",
    )
    group.add_argument("--log", metavar="FILE", default=suppress, help="append a copy of the traffic")


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"write NAME=VALUE, not {text!a}")
    return name.strip(), value.strip()


def _whole_number(minimum: int, maximum: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not minimum <= int(text[:20]) <= maximum:
            raise argparse.ArgumentTypeError(f"a whole number from {minimum} to {maximum}, not {text!a}")
        return int(text)

    return parse
