"""Replays recorded games: every move legal, every pass forced, the end reached, the recorded score right.

    python -m tools.replay_games FILE [FILE ...] [--limit N] [--seed S] [--rules kernels|plain]

Each line of a file (plain or gzip text) is `MOVES SCORE [more columns]`: squares run together such as
`f5d6c3`, passes left out, and the final score, black minus white, empties to the winner. Blank lines and
lines that begin with `#` or `%` are skipped. Exit status: 0 if every game is right, 1 if any is not, 2 if a
file can't be read.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from othello_engine.core import plain
from othello_engine.errors import IllegalMoveError
from othello_engine.formats.transcript import parse_moves
from othello_engine.position import Position

_FAULTS_SHOWN = 10
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Rules:
    """The two functions a replay needs: moves of a side, and the discs a move turns."""

    legal_moves: Callable[[int, int], int]
    flips: Callable[[int, int, int], int]


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of playing a game's moves from the start."""

    n_moves: int
    n_passes: int
    black: int
    white: int
    """Bitboards at the end."""
    is_over: bool

    @property
    def score(self) -> int:
        """Black minus white, empties to the winner."""
        return plain.final_score(self.black, self.white)


@dataclass(slots=True)
class Summary:
    """Counts over all games replayed so far, and the first faults in words."""

    n_games: int = 0
    n_moves: int = 0
    n_passes: int = 0
    n_games_with_passes: int = 0
    n_early_ends: int = 0
    n_wipe_outs: int = 0
    n_illegal: int = 0
    n_unfinished: int = 0
    n_mismatches: int = 0
    n_unreadable: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def n_faults(self) -> int:
        return self.n_illegal + self.n_unfinished + self.n_mismatches + self.n_unreadable

    def add(self, place: str, line: str, rules: Rules) -> None:
        """Replay the game of one line and count what was found."""
        self.n_games += 1
        moves, _, rest = line.strip().partition(" ")
        try:
            recorded_score = int(rest.split()[0])
        except (IndexError, ValueError):
            self.n_unreadable += 1
            self._note(f"{place}: no score behind the moves")
            return
        game = replay(moves, rules)
        if game is None:
            self.n_illegal += 1
            self._note(f"{place}: {_why_illegal(moves)}")
            return
        self.n_moves += game.n_moves
        self.n_passes += game.n_passes
        self.n_games_with_passes += game.n_passes > 0
        self.n_early_ends += game.is_over and (game.black | game.white) != plain.FULL
        self.n_wipe_outs += 0 in (game.black, game.white)
        if not game.is_over:
            self.n_unfinished += 1
            self._note(f"{place}: not over after the last move")
        elif game.score != recorded_score:
            self.n_mismatches += 1
            self._note(f"{place}: recorded score {recorded_score:+d}, played {game.score:+d}")

    def _note(self, fault: str) -> None:
        if len(self.faults) < _FAULTS_SHOWN:
            self.faults.append(fault)


# -- replaying -----------------------------------------------------------------------------------------------


def replay(moves: str, rules: Rules) -> Replay | None:
    """Plays the moves from the start, passing where the rules force it; None if one of them is illegal."""
    start = Position.start()
    player, opponent = start.player, start.opponent
    black_moves = True
    n_passes = 0
    text = moves.lower()
    if len(text) % 2:
        return None
    for index in range(0, len(text), 2):
        column, row = ord(text[index]) - ord("a"), ord(text[index + 1]) - ord("1")
        if not (0 <= column < 8 and 0 <= row < 8):
            return None
        square = 8 * row + column
        legal = rules.legal_moves(player, opponent)
        if not legal:
            player, opponent = opponent, player
            black_moves = not black_moves
            n_passes += 1
            legal = rules.legal_moves(player, opponent)
        if not legal >> square & 1:
            return None
        turned = rules.flips(square, player, opponent)
        player, opponent = opponent ^ turned, player | turned | 1 << square
        black_moves = not black_moves
    is_over = not rules.legal_moves(player, opponent) and not rules.legal_moves(opponent, player)
    black, white = (player, opponent) if black_moves else (opponent, player)
    return Replay(len(text) // 2, n_passes, black, white, is_over)


def _why_illegal(moves: str) -> str:
    """The reason by the rules of the position, which are not the ones that refused the game."""
    try:
        parse_moves(Position.start(), moves)
    except IllegalMoveError as error:
        return f"illegal, {error}"
    return "refused, though the plain rules allow every move"


def kernel_rules() -> Rules:
    """The engine's compiled moves and flips; the plain ones if the compiler is off or missing."""
    try:
        from othello_engine.core import jit, moves
    except ImportError:
        return plain_rules()
    if not jit.IS_COMPILED:
        return plain_rules()
    return Rules(moves.legal_moves, moves.flips)


def plain_rules() -> Rules:
    """The rules on plain integers, as the position uses them; without Numba and slower."""
    return Rules(plain.legal_moves, plain.flips)


# -- files ---------------------------------------------------------------------------------------------------


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """(place, line) of every line that holds a game; gzip is recognised by its first bytes."""
    with path.open("rb") as raw:
        is_gzip = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    opener: Any = gzip.open if is_gzip else open
    with opener(path, "rt", encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and line.lstrip()[0] not in "#%":
                yield f"{path.name}:{number}", line


def choose_lines(paths: Sequence[Path], limit: int | None, seed: int | None) -> list[tuple[str, str]]:
    """All lines, or the first `limit`, or, with a seed, `limit` random ones in the order of the files."""
    lines = [line for path in paths for line in read_lines(path)]
    if limit is None or limit >= len(lines):
        return lines
    if seed is None:
        return lines[:limit]
    chosen = sorted(random.Random(seed).sample(range(len(lines)), limit))
    return [lines[index] for index in chosen]


# -- command line --------------------------------------------------------------------------------------------


def replay_lines(lines: Sequence[tuple[str, str]], rules: Rules, console: Console) -> Summary:
    """Replay all games with a progress bar on `console`."""
    summary = Summary()
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("games", total=len(lines))
        for place, line in lines:
            summary.add(place, line, rules)
            if summary.n_games % 256 == 0:
                progress.update(task, completed=summary.n_games)
    return summary


def summary_table(summary: Summary, seconds: float) -> Table:
    """The counts, one a row; faults in red."""
    table = Table(title="games replayed", show_header=False)
    table.add_column(justify="left")
    table.add_column(justify="right")
    for name, count in (
        ("games", summary.n_games),
        ("moves", summary.n_moves),
        ("passes", summary.n_passes),
        ("games with a pass", summary.n_games_with_passes),
        ("ended with empty squares", summary.n_early_ends),
        ("ended by a wipe-out", summary.n_wipe_outs),
    ):
        table.add_row(name, f"{count:,}")
    table.add_section()
    for name, count in (
        ("illegal", summary.n_illegal),
        ("unfinished", summary.n_unfinished),
        ("score mismatches", summary.n_mismatches),
        ("unreadable lines", summary.n_unreadable),
    ):
        table.add_row(name, f"{count:,}", style="bold red" if count else None)
    table.add_section()
    table.add_row("seconds", f"{seconds:.1f}")
    table.add_row("games per second", f"{summary.n_games / max(seconds, 1e-9):,.0f}")
    return table


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="replay_games", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="games, plain or gzip text")
    parser.add_argument("--limit", type=_positive, metavar="N", help="replay only N games (default: all)")
    parser.add_argument(
        "--seed",
        type=int,
        metavar="S",
        help="with --limit: choose the games at random (default: the first N)",
    )
    parser.add_argument(
        "--rules",
        choices=("kernels", "plain"),
        default="kernels",
        help="compiled kernels, or plain Python without Numba (default: kernels)",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, not {text}")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    options = build_parser().parse_args(arguments)
    to_stderr = Console(stderr=True)
    try:
        lines = choose_lines(options.files, options.limit, options.seed)
    except (OSError, EOFError, zlib.error) as error:
        to_stderr.print(f"replay_games: {error}", style="bold red", markup=False)
        return 2
    rules = kernel_rules() if options.rules == "kernels" else plain_rules()
    began = time.perf_counter()
    summary = replay_lines(lines, rules, to_stderr)
    to_stdout = Console()
    to_stdout.print(summary_table(summary, time.perf_counter() - began))
    for fault in summary.faults:
        to_stdout.print(fault, style="red", markup=False, highlight=False, soft_wrap=True)
    if summary.n_faults > len(summary.faults):
        to_stdout.print(f"... and {summary.n_faults - len(summary.faults):,} more")
    return 1 if summary.n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
