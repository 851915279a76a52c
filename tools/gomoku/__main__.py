"""The command line: `python -m tools.gomoku suite|vcf|speed`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tools.gomoku import speed, suite, vcf
from tools.gomoku.records import CLASSES, RecordsError, read_puzzles, read_suite
from tools.gomoku.solvers import PROTOCOLS, EngineSolver, ProgramSolver, Solver, SolverError

PROGRAM = "python -m tools.gomoku"
_T = TypeVar("_T")

HELP = f"""\
Measures an engine of Gomoku: our own as a Python object, or any program with --engine.

examples:
  all positions with known answers, 0.3 s each:
    {PROGRAM} suite peer-positions.txt --time 300
  only wins by fours, of the right length, each within 50 ms:
    {PROGRAM} suite peer-positions.txt --classes vcf vcf-only --length --within 50
  another program, over Gomocup's protocol:
    {PROGRAM} suite peer-positions.txt --engine ./pbrain-carbon --time 1000
  the puzzles of continuous fours, every tenth of them:
    {PROGRAM} vcf vcf_freestyle_20x20.tsv --every 10
  nodes per second with one worker, and it must be a million:
    {PROGRAM} speed --time 3000 --at-least 1000000

exit status: 0 everything that was asked was passed, 1 something was missed, 2 it could not be asked
"""

SUITE_HELP = """\
Asks for a move in every record and judges it. A record is passed if the move is one of its answers; `nowin1` if no win
in 1 is claimed; `lost` if the score, where the engine tells one, is a losing one; `vcf-only` also with a shorter win
that is claimed. In `state` our own rules are tested, and no engine is asked.

The file: a record a line, seven fields between ` | `: name, class, moves, answers, win, how it was verified, note.
"""
VCF_HELP = """\
Asks for a move in every puzzle. One is solved if the engine claims a win, and its first move is that of the known line
or is proved to keep a win, by a plain search of all fours. The right length is that of the shortest win by fours, or
less.

The file: a puzzle a line, three fields between TABs: own moves to the five, moves from the empty board, winning line.
The board has 20 cells on a side. Programs of Gomocup's protocol have to claim the win in a message (`ev +M5`).
"""
SPEED_HELP = """\
Counts nodes in three positions of 3 stones and three of 9, by the engine's own count and our clock. Where a win is
proved there is little to count; the table says so.
"""


def build_parser() -> argparse.ArgumentParser:
    described, _, examples = HELP.partition("examples:")
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description=described, epilog="examples:" + examples, formatter_class=raw
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="suite|vcf|speed")

    def command(name: str, text: str, summary: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=summary, description=text, formatter_class=raw)

    found = command("suite", SUITE_HELP, "positions with known answers")
    found.add_argument("file", type=Path, metavar="FILE", help="the records")
    classes = f"only these of {', '.join(CLASSES)}"
    found.add_argument("--classes", nargs="+", choices=CLASSES, default=list(CLASSES), metavar="CLASS", help=classes)
    found.add_argument("--ids", nargs="+", default=[], metavar="ID", help="only these records")
    _add_judging(found, "a win that is not claimed as short as the known one, or a loss as long, is no pass")
    _add_engine(found)

    found = command("vcf", VCF_HELP, "puzzles of continuous fours")
    found.add_argument("file", type=Path, metavar="FILE", help="the puzzles")
    found.add_argument("--every", type=_positive, default=1, metavar="N", help="only each Nth puzzle (1)")
    _add_judging(found, "a longer win than the shortest one by fours is no pass")
    _add_engine(found)

    found = command("speed", SPEED_HELP, "nodes per second")
    found.add_argument(
        "--stones", type=int, nargs="+", choices=sorted(speed.POSITIONS), default=sorted(speed.POSITIONS)
    )
    found.add_argument("--at-least", type=_positive, metavar="N", help="nodes per second that are asked for")
    _add_engine(found)
    return parser


def _add_judging(parser: argparse.ArgumentParser, length: str) -> None:
    parser.add_argument("--within", type=float, metavar="MS", help="a later answer is no pass; milliseconds")
    parser.add_argument("--length", action="store_true", help=length)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every answer there")


def _add_engine(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the engine")
    group.add_argument("--engine", metavar="CMD", help="a program (default: our engine as a Python object)")
    group.add_argument("--protocol", choices=PROTOCOLS, default="gomocup", help="what the program speaks (gomocup)")
    group.add_argument("--profile", default="gomoku", help="of our engine (gomoku)")
    group.add_argument("--time", type=_positive, default=1000, metavar="MS", help="for each move (1000)")
    group.add_argument(
        "--option",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="of the engine, such as Threads=2 (without it: 1), or told as INFO, such as thread_num=2",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, not {text}")
    return number


def make_solver(options: argparse.Namespace) -> Solver:
    """Raises SolverError."""
    told = [_option(text) for text in options.option]
    if options.engine is not None:
        return ProgramSolver(options.engine, options.protocol, options.time / 1000, told)
    return EngineSolver(options.profile, options.time, told)


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise SolverError(f"--option: {text!a} is no NAME=VALUE")
    return name, value


def run_suite(options: argparse.Namespace, console: Console) -> int:
    records = [each for each in read_suite(options.file) if each.kind in options.classes]
    if options.ids:
        unknown = set(options.ids) - {each.name for each in records}
        if unknown:
            raise RecordsError(f"{options.file}: no such record in these classes: {', '.join(sorted(unknown))}")
        records = [each for each in records if each.name in options.ids]
    if not records:
        raise RecordsError(f"{options.file}: no record of these classes")
    asked = [each for each in records if each.kind != "state"]
    verdicts = [suite.judge_state(each) for each in records if each.kind == "state"]
    name = "our rules"
    if asked:
        with make_solver(options) as solver:
            name = solver.name
            for record in _shown(asked, console):
                found = solver.ask(record.moves, record.position)
                verdicts.append(suite.judge(record, found, options.within, options.length))
    table = suite.class_table(verdicts, f"{name}, {options.time} ms")
    return _report(console, options, table, suite.missed_lines(verdicts), verdicts, suite.to_json)


def run_vcf(options: argparse.Namespace, console: Console) -> int:
    puzzles = read_puzzles(options.file)[:: options.every]
    solutions = []
    with make_solver(options) as solver:
        for puzzle in _shown(puzzles, console):
            found = solver.ask(puzzle.moves, puzzle.position)
            solutions.append(vcf.judge(puzzle, found, options.within, options.length))
        table = vcf.table(solutions, f"{solver.name}, at most {options.time} ms")
    return _report(console, options, table, vcf.missed_lines(solutions), solutions, vcf.to_json)


def run_speed(options: argparse.Namespace, console: Console) -> int:
    speeds = []
    with make_solver(options) as solver:
        for n_stones in options.stones:
            asked = _shown(speed.positions(n_stones), console)
            speeds.append(speed.Speed(n_stones, tuple([solver.ask(moves, position) for moves, position in asked])))
        console.print(speed.table(speeds, f"{solver.name}, {options.time} ms"))
    problems = [f"{each.n_stones} stones: {one.fault}" for each in speeds for one in each.found if one.fault]
    problems += [f"{each.n_stones} stones: the engine tells no nodes" for each in speeds if not each.nodes_per_second]
    if options.at_least:
        slow = [each for each in speeds if each.nodes_per_second < options.at_least]
        problems += [f"{each.n_stones} stones: {each.nodes_per_second:,.0f} nodes/s" for each in slow]
    _say(console, problems)
    return 1 if problems else 0


def _report(
    console: Console,
    options: argparse.Namespace,
    table: Table,
    problems: Sequence[str],
    results: Sequence[_T],
    to_json: Callable[[_T], dict[str, Any]],
) -> int:
    console.print(table)
    _say(console, problems)
    if options.json:
        lines = [json.dumps(to_json(each)) for each in results]
        options.json.write_text("\n".join(lines) + "\n", encoding="ascii")
    return 1 if problems else 0


def _say(console: Console, problems: Sequence[str]) -> None:
    for problem in problems:
        console.print(problem, style="red", markup=False, highlight=False, soft_wrap=True)


def _shown(items: Sequence[_T], console: Console) -> Iterable[_T]:
    """With a bar where somebody watches."""
    return track(items, "asking", console=console, transient=True) if console.is_terminal else items


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    options = build_parser().parse_args(arguments)
    console = Console(markup=False, emoji=False, highlight=False)
    run = {"suite": run_suite, "vcf": run_vcf, "speed": run_speed}[options.command]
    try:
        return run(options, console)
    except KeyboardInterrupt:
        return 130
    except (RecordsError, SolverError, OSError) as error:
        complaint = Console(stderr=True)
        complaint.print(f"gomoku: {error}", style="bold red", markup=False, highlight=False, soft_wrap=True)
        return 2


if __name__ == "__main__":
    sys.exit(main())
