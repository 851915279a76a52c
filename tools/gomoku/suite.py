"""Positions with known answers: what counts as passed, and the table."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.table import Table

from othello_engine.gomoku.position import GomokuPosition
from othello_engine.types import BLACK, WHITE
from tools.gomoku.records import CLASSES, Record
from tools.gomoku.solvers import Found

_WITH_LENGTH = ("win1", "openfour", "doublefour", "fourthree", "doublethree", "vcf", "vcf-only", "vct", "lost")
"""Classes whose records say how long the win, or the loss, is."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One record, judged. found: None for a `state`, of which no engine is asked. problem: empty if it was passed.
    has_length: the engine's claim is as short as the known win, or shorter; None where there is nothing to compare.
    """

    record: Record
    found: Found | None
    problem: str = ""
    has_length: bool | None = None


def judge_state(record: Record) -> Verdict:
    """Our own rules against a record of the class `state`."""
    winner = {BLACK: "over B", WHITE: "over W", None: "ongoing"}[record.position.winner]
    return Verdict(record, None, "" if winner == record.state else f"{winner}, not {record.state}")


def judge(record: Record, found: Found, within_ms: float | None = None, needs_length: bool = False) -> Verdict:
    """An engine's answer.

    within_ms: a later answer is none. needs_length: where a length is known, a win that is not claimed to be as short,
    or a loss not as long, is no pass.
    """
    has_length = _has_length(record, found)
    problem = _problem(record, found)
    if not problem and within_ms is not None and 1000 * found.seconds > within_ms:
        problem = f"{1000 * found.seconds:.0f} ms"
    if not problem and needs_length and has_length is False:
        problem = f"length {'not claimed' if found.mate is None else found.mate}, not {_length_text(record)}"
    return Verdict(record, found, problem, has_length)


def _problem(record: Record, found: Found) -> str:
    position = record.position
    if found.move is None:
        return found.fault
    if record.kind == "nowin1":
        return "claims a win in 1" if found.mate == 1 else ""
    if record.kind == "lost":
        return "doesn't see that it loses" if found.claims_loss is False else ""
    if found.move in record.answers:
        return ""
    if record.kind == "vcf-only" and record.win is not None and found.mate is not None and 0 < found.mate <= record.win:
        return ""  # with threes it is won sooner
    return f"{position.move_name(found.move)}, not {_names(position, record.answers)}{_claim(found)}"


def _has_length(record: Record, found: Found) -> bool | None:
    if record.win is None or record.kind not in _WITH_LENGTH or found.move is None:
        return None
    if found.mate is None:
        return False
    if record.win < 0:
        return found.mate == record.win
    # Shorter than a known shortest win of fours alone it may be with threes; where all is proved it can't be.
    return 0 < found.mate <= record.win


def _length_text(record: Record) -> str:
    return str(record.win) if record.is_exact else f"at most {record.win}"


def _names(position: GomokuPosition, moves: Sequence[int]) -> str:
    return " ".join(position.move_name(move) for move in moves)


def _claim(found: Found) -> str:
    if found.mate is None:
        return ""
    return f"; claims a {'win' if found.mate > 0 else 'loss'} in {abs(found.mate)}"


# --- tables


def class_table(verdicts: Sequence[Verdict], title: str) -> Table:
    """A row for each class that there is, and one for all."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("class", no_wrap=True)
    for name in ("records", "passed", "right length", "ms, median", "ms, worst", "s, all"):
        table.add_column(name, justify="right")
    for kind in CLASSES:
        if chosen := [verdict for verdict in verdicts if verdict.record.kind == kind]:
            table.add_row(kind, *_cells(chosen), style="red" if any(each.problem for each in chosen) else None)
    table.add_section()
    table.add_row("all", *_cells(verdicts))
    return table


def _cells(verdicts: Sequence[Verdict]) -> list[str]:
    times = [verdict.found.seconds for verdict in verdicts if verdict.found is not None]
    lengths = [verdict.has_length for verdict in verdicts if verdict.has_length is not None]
    return [
        str(len(verdicts)),
        str(sum(not verdict.problem for verdict in verdicts)),
        f"{sum(lengths)} of {len(lengths)}" if lengths else "-",
        f"{1000 * statistics.median(times):.1f}" if times else "-",
        f"{1000 * max(times):.1f}" if times else "-",
        f"{sum(times):.2f}" if times else "-",
    ]


def missed_lines(verdicts: Sequence[Verdict]) -> list[str]:
    """A line for each record that was not passed."""
    return [f"{each.record.name} ({each.record.kind}): {each.problem}" for each in verdicts if each.problem]


def to_json(verdict: Verdict) -> dict[str, object]:
    record, found = verdict.record, verdict.found
    line: dict[str, object] = {"id": record.name, "class": record.kind, "passed": not verdict.problem}
    if verdict.problem:
        line["problem"] = verdict.problem
    if found is not None:
        line |= {
            "move": None if found.move is None else record.position.move_name(found.move),
            "mate": found.mate,
            "score": found.score,
            "ms": round(1000 * found.seconds, 2),
            "nodes": found.nodes,
            "depth": found.depth,
        }
    return line
