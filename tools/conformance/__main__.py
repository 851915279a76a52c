"""Checks whether an engine program speaks its dialect, step by step, and shows what fails.

    othello-engine conformance --protocol native|nboard|gtp|cassio|gomocup [options] -- COMMAND...

Every check is one rule with a source. The program is started once and again when a check has done it harm or needs a
process of its own. Exit status: 0 all passed, 1 something failed, 2 the command line or the program can't be used.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rich.console import Console

from tools.conformance.check import Check, Limits, ProgramError
from tools.conformance.checks import DIALECTS
from tools.conformance.report import Report, list_checks, write_json
from tools.conformance.runner import Outcome, Runner, Verdict

OK, FAILED, UNUSABLE, NOBODY_READS, INTERRUPTED = 0, 1, 2, 4, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    own, command = arguments, list[str]()
    if "--" in arguments:
        border = arguments.index("--")
        own, command = arguments[:border], arguments[border + 1 :]
    parser = _parser()
    try:
        options = parser.parse_args(own)
        checks = _chosen(parser, options)
        if not options.list:
            _require_usable(parser, options, command)
    except SystemExit as end:  # argparse has said why
        return int(end.code or 0)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a program may say anything
    console = Console()
    try:
        if options.list:
            list_checks(checks, console)
            return OK
        return _run(options, command, checks, console)
    except ProgramError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return UNUSABLE
    except SystemExit:  # of `rich`, which has seen that nobody reads any more
        return NOBODY_READS


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="othello-engine conformance",
        usage="%(prog)s --protocol PROTOCOL [options] -- COMMAND...",
        description="Check whether an engine program speaks its dialect, and show what fails.",
        epilog="Exit status: 0 all passed, 1 something failed, 2 the command line or the program can't be used.",
    )
    parser.add_argument("--protocol", required=True, choices=DIALECTS, help="the dialect that the program speaks")
    parser.add_argument("--dir", type=Path, metavar="DIR", help="folder in which the program runs (the current one)")
    parser.add_argument(
        "--only",
        action="append",
        metavar="PATTERN",
        help="only checks whose topic or name holds this text, or matches it if there are wildcards; may be repeated",
    )
    parser.add_argument("--list", action="store_true", help="list the checks and end")
    parser.add_argument(
        "--timeout",
        type=float,
        default=Limits().answer,
        metavar="S",
        help=f"seconds given to one answer (%(default)g); the start may take {Limits().start:g}",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the whole run to this file")
    parser.add_argument("--verbose", action="store_true", help="show the whole transcript of every check")
    return parser


def _chosen(parser: argparse.ArgumentParser, options: argparse.Namespace) -> list[Check[Any]]:
    checks = DIALECTS[options.protocol].suite.ordered()
    if options.only:
        checks = [check for check in checks if any(_matches(pattern, check) for pattern in options.only)]
        if not checks:
            parser.error(f"--only: no check of {options.protocol} is like {' or '.join(options.only)}")
    return checks


def _matches(pattern: str, check: Check[Any]) -> bool:
    texts = (check.topic.lower(), check.name)
    if any(sign in pattern for sign in "*?["):
        return any(fnmatchcase(text, pattern.lower()) for text in texts)
    return any(pattern.lower() in text for text in texts)


def _require_usable(parser: argparse.ArgumentParser, options: argparse.Namespace, command: Sequence[str]) -> None:
    if not command:
        parser.error("no program to check: write its command behind --")
    if not 0 < options.timeout < 1e6:
        parser.error(f"--timeout: some seconds, not {options.timeout:g}")
    if options.dir and not options.dir.is_dir():
        parser.error(f"--dir: no folder {options.dir}")
    if options.json and not options.json.absolute().parent.is_dir():
        parser.error(f"--json: no folder {options.json.parent}")


def _run(options: argparse.Namespace, command: Sequence[str], checks: Sequence[Check[Any]], console: Console) -> int:
    report = Report(console, verbose=options.verbose)
    outcomes: list[Outcome] = []
    interrupted = False
    start = time.perf_counter()
    limits = Limits(answer=options.timeout, start=max(Limits().start, options.timeout))
    with closing(Runner(DIALECTS[options.protocol].client, command, options.dir, limits)) as runner:
        try:
            with console.status("") as status:
                for check in checks:
                    status.update(f"{check.topic}: {check.name}")
                    was_ready = not runner.unready
                    outcomes.append(runner.run(check))
                    if was_ready:
                        report.add(outcomes[-1])
        except KeyboardInterrupt:
            interrupted = True
    seconds = time.perf_counter() - start
    report.end(outcomes, seconds, runner.unready)
    if options.json:
        try:
            write_json(options.json, options.protocol, command, outcomes, seconds)
        except OSError as error:
            raise ProgramError(f"can't write {options.json}: {error.strerror}") from None
    if interrupted:
        print(f"interrupted after {len(outcomes)} of {len(checks)} checks", file=sys.stderr)
        return INTERRUPTED
    return FAILED if any(outcome.verdict is Verdict.FAIL for outcome in outcomes) else OK


if __name__ == "__main__":
    sys.exit(main())
