"""How a run is shown: a line a check, transcripts of what failed, a summary; and the same as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from tools.conformance.check import Check, Severity
from tools.conformance.runner import Outcome, Verdict
from tools.conformance.talk import CAME

_STYLES = {Verdict.OK: "green", Verdict.FAIL: "bold red", Verdict.SKIPPED: "yellow"}
_INDENT = " " * 10
_MAX_WIDTH = 160
_MAX_LINES = 20
_LINES_AT_START = 4
_MAX_ALIKE = 5
"""Of more lines in a row that begin with the same word, the first and the last are shown."""


class Report:
    """Prints outcomes as they come."""

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self._console = console
        self._verbose = verbose
        self._topic = ""

    def add(self, outcome: Outcome) -> None:
        check = outcome.check
        if check.topic != self._topic:
            self._topic = check.topic
            self._print(Text(check.topic, style="bold"))
        line = Text("  ").append(f"{outcome.verdict:8}", style=_STYLES[outcome.verdict])
        line.append(check.name).append(f"  {check.title}", style="dim")
        if outcome.seconds >= 1:
            line.append(f"  {outcome.seconds:.1f} s", style="dim")
        self._print(line)
        if outcome.verdict is Verdict.SKIPPED:
            self._print(Text(_INDENT + outcome.reason, style="yellow"))
        if outcome.verdict is Verdict.FAIL or self._verbose:
            for event in outcome.transcript if self._verbose else shortened(outcome.transcript):
                self._print(Text(_INDENT + event))
        if outcome.verdict is Verdict.FAIL:
            self._print(Text(f"{_INDENT}expected: {outcome.reason}", style="bold"))
            self._print(Text(f"{_INDENT}{check.severity} (source: {check.source})", style="dim"))

    def end(self, outcomes: Sequence[Outcome], seconds: float, why_not_all: str = "") -> None:
        """The summary. why_not_all: if there were checks that could not be tried, and were not shown."""
        failed = [outcome.check for outcome in outcomes if outcome.verdict is Verdict.FAIL]
        self._print(Text())
        if why_not_all:
            self._print(Text(f"{why_not_all}; the other checks were not tried", style="yellow"))
        self._print(Text(summary(outcomes, seconds), style="bold red" if failed else "bold green"))
        if failed:
            self._print(Text("failed: " + ", ".join(check.name for check in failed)))

    def _print(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True, highlight=False)


def summary(outcomes: Sequence[Outcome], seconds: float) -> str:
    """One line with the counts."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    failures = Counter(outcome.check.severity for outcome in outcomes if outcome.verdict is Verdict.FAIL)
    parts = [f"{counts[Verdict.OK]} ok", f"{counts[Verdict.FAIL]} failed"]
    if failures:
        parts[1] += f" ({failures[Severity.MUST]} must, {failures[Severity.SHOULD]} should)"
    if counts[Verdict.SKIPPED]:
        parts.append(f"{counts[Verdict.SKIPPED]} skipped")
    return f"{len(outcomes)} checks: {', '.join(parts)}; {seconds:.0f} s"


def shortened(transcript: Sequence[str]) -> list[str]:
    """A transcript without what a reader can do without: the middle of a row of like lines, of a long line, and of the
    whole if it is long.
    """
    if len(transcript) > _MAX_LINES:
        transcript = [event for event in transcript if event != CAME]
    lines: list[str] = []
    row: list[str] = []
    for event in [*transcript, ""]:
        if row and (not event.startswith(CAME) or event.split()[1:2] != row[0].split()[1:2]):
            lines += row if len(row) <= _MAX_ALIKE else [row[0], f"{CAME}... {len(row) - 2} lines", row[-1]]
            row = []
        if event.startswith(CAME):
            row.append(event)
        elif event:
            lines.append(event)
    if len(lines) > _MAX_LINES:
        n_at_end = _MAX_LINES - _LINES_AT_START
        lines = [*lines[:_LINES_AT_START], f"# ... {len(lines) - _MAX_LINES} lines", *lines[-n_at_end:]]
    return [_narrow(line) for line in lines]


def _narrow(line: str) -> str:
    half = _MAX_WIDTH // 2
    return line if len(line) <= _MAX_WIDTH else f"{line[:half]} ... {line[-half:]}"


def list_checks(checks: Sequence[Check[Any]], console: Console) -> None:
    """What would be checked."""
    topic = ""
    for check in checks:
        if check.topic != topic:
            topic = check.topic
            console.print(Text(topic, style="bold"), highlight=False)
        line = Text(f"  {check.severity:7}").append(check.name, style="bold").append(f"  {check.title}")
        console.print(line.append(f"  [{check.source}]", style="dim"), soft_wrap=True, highlight=False)


def write_json(path: Path, protocol: str, command: Sequence[str], outcomes: Sequence[Outcome], seconds: float) -> None:
    """The whole run, transcripts in full."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    data = {
        "protocol": protocol,
        "command": list(command),
        "seconds": round(seconds, 2),
        "summary": {verdict.value.lower(): counts[verdict] for verdict in Verdict},
        "checks": [
            {
                "name": outcome.check.name,
                "topic": outcome.check.topic,
                "title": outcome.check.title,
                "source": outcome.check.source,
                "severity": outcome.check.severity.value,
                "verdict": outcome.verdict.value.lower(),
                "seconds": round(outcome.seconds, 3),
                "reason": outcome.reason,
                "transcript": list(outcome.transcript),
            }
            for outcome in outcomes
        ],
    }
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
