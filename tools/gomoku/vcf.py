"""Puzzles of continuous fours: what counts as solved, and the table."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.table import Table

from tools.gomoku.fours import UndecidedError, win_after, wins_quietly
from tools.gomoku.records import Puzzle
from tools.gomoku.solvers import Found

_MORE_FOURS = 3
"""So many moves more than in the shortest win a first move may take, to keep it."""


@dataclass(frozen=True, slots=True)
class Solution:
    """One puzzle, judged. problem: empty if it was solved. has_length: the win that is claimed is as short as the
    shortest one of fours alone, or shorter.
    """

    puzzle: Puzzle
    found: Found
    problem: str = ""
    has_length: bool = False


def judge(puzzle: Puzzle, found: Found, within_ms: float | None = None, needs_length: bool = False) -> Solution:
    """Solved: the engine claims a win, and its first move is that of the known line, or is proved to keep a win: by
    fours from then on, or with fours against every reply if it makes none itself.
    """
    has_length = found.mate is not None and 0 < found.mate <= puzzle.plies
    problem = _problem(puzzle, found)
    if not problem and within_ms is not None and 1000 * found.seconds > within_ms:
        problem = f"{1000 * found.seconds:.0f} ms"
    if not problem and needs_length and not has_length:
        problem = f"a win in {found.mate}, not {puzzle.plies}"
    return Solution(puzzle, found, problem, has_length)


def _problem(puzzle: Puzzle, found: Found) -> str:
    if found.move is None:
        return found.fault
    name = puzzle.position.move_name(found.move)
    if found.mate is None or found.mate <= 0:
        return f"{name}, no win claimed"
    if found.move == puzzle.line[0]:
        return ""
    try:
        most = puzzle.n_fours + _MORE_FOURS
        is_won = win_after(puzzle.position, found.move, most) is not None
        is_won = is_won or wins_quietly(puzzle.position, found.move, most)
    except UndecidedError:
        return f"{name}, could not be checked"
    return "" if is_won else f"{name} is not proved to win; a win in {found.mate} is claimed"


def table(solutions: Sequence[Solution], title: str) -> Table:
    """A row for each length, and one for all."""
    found = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    found.add_column("moves to the five", justify="left")
    for name in ("puzzles", "solved", "right length", "ms, median", "ms, worst", "s, all"):
        found.add_column(name, justify="right")
    for n_fours in sorted({solution.puzzle.n_fours for solution in solutions}):
        chosen = [solution for solution in solutions if solution.puzzle.n_fours == n_fours]
        found.add_row(str(n_fours), *_cells(chosen), style="red" if any(each.problem for each in chosen) else None)
    found.add_section()
    found.add_row("all", *_cells(solutions))
    return found


def _cells(solutions: Sequence[Solution]) -> list[str]:
    times = [solution.found.seconds for solution in solutions]
    return [
        str(len(solutions)),
        str(sum(not solution.problem for solution in solutions)),
        str(sum(solution.has_length for solution in solutions)),
        f"{1000 * statistics.median(times):.1f}",
        f"{1000 * max(times):.1f}",
        f"{sum(times):.2f}",
    ]


def missed_lines(solutions: Sequence[Solution]) -> list[str]:
    """A line for each puzzle that was not solved."""
    return [f"line {each.puzzle.number}: {each.problem}" for each in solutions if each.problem]


def to_json(solution: Solution) -> dict[str, object]:
    puzzle, found = solution.puzzle, solution.found
    line: dict[str, object] = {"line": puzzle.number, "moves_to_five": puzzle.n_fours, "solved": not solution.problem}
    if solution.problem:
        line["problem"] = solution.problem
    return line | {
        "move": None if found.move is None else puzzle.position.move_name(found.move),
        "mate": found.mate,
        "ms": round(1000 * found.seconds, 2),
        "nodes": found.nodes,
    }
