"""`solve FILE`: solves the positions of a test file and compares with the scores that stand there."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TextIO

from othello_engine import __version__
from othello_engine.formats.obf import ObfRecord
from othello_engine.types import Goal, Limits, ScoreKind, SearchResult, square_name
from protocol import exit_status
from protocol.batch.screen import Column, Screen, count, seconds
from protocol.commands import format_moves, nodes_per_second
from protocol.facade import EngineLike

_COLUMNS = (
    Column("#", 4),
    Column("depth", 5),
    Column("score", 6),
    Column("move", 4, align_left=True),
    Column("nodes", 16),
    Column("time", 10),
    Column("nodes/s", 13),
    Column("file", 4),
    Column("", 7, align_left=True),
)
_STYLES = {"right": "green", "wrong": "bold red", "unknown": "dim"}


@dataclass(frozen=True, slots=True)
class Solved:
    """One position solved. score: discs, or 1, 0, -1 for who wins. expected: the file's, None if it has none.

    verdict: `right`, `wrong`, or `unknown` without a score to compare with.
    """

    number: int
    line: int
    board: str
    empties: int
    depth: int
    score: int
    move: str
    pv: str
    nodes: int
    time_ms: int
    nps: int
    expected: int | None
    verdict: str


def solve(
    engine: EngineLike,
    screen: Screen,
    records: Sequence[ObfRecord],
    wld: bool = False,
    json_file: TextIO | None = None,
    csv_file: TextIO | None = None,
    show_rows: bool = True,
) -> int:
    """Solves positions one after another, prints a row for each and totals; the exit status.

    wld: only who wins. json_file, csv_file: receive the same results. show_rows: False where the JSON text
    goes to the same stream.
    """
    solved: list[Solved] = []
    began = time.monotonic()
    if show_rows:
        screen.header(_COLUMNS)
    with screen.progress(len(records)) as progress:
        for number, record in enumerate(records, 1):
            progress.describe(f"{record.position.n_empties} empty squares")
            engine.set_position(record.position)
            goal = Goal.WLD if wld else Goal.EXACT
            result = engine.go(Limits(goal=goal, selectivity=100, multipv=1)).wait()
            one = _judge(number, record, result, wld)
            solved.append(one)
            if show_rows:
                screen.row(_COLUMNS, _cells(one, wld), _STYLES[one.verdict])
            progress.advance()
    wall_ms = int((time.monotonic() - began) * 1000)
    if show_rows:
        _print_totals(screen, solved, wall_ms)
    if json_file is not None:
        _write_json(json_file, solved, engine.config.threads, wld, wall_ms)
    if csv_file is not None:
        _write_csv(csv_file, solved)
    return exit_status.WRONG if any(one.verdict == "wrong" for one in solved) else exit_status.DONE


def _judge(number: int, record: ObfRecord, result: SearchResult, wld: bool) -> Solved:
    """A result with what the file says about it.

    The score must be the file's, and so must the value of the move, where the file lists it. A result that
    is no proof is wrong whatever its number.
    """
    position = record.position
    best = result.lines[0] if result.lines else None
    score = best.score.value if best else position.final_score if position.is_over else 0
    expected, played = record.value, record.score_of(result.best_move)
    if wld:
        score, expected, played = _sign(score) or 0, _sign(expected), _sign(played)
    proved = position.is_over or (best is not None and best.selectivity == 100 and _is_final(best.score.kind))
    verdict = "unknown"
    if not proved or result.error:
        verdict = "wrong"
    elif expected is not None:
        verdict = "right" if score == expected and played in (None, expected) else "wrong"
    return Solved(
        number=number,
        line=record.line_number,
        board=position.to_text(),
        empties=position.n_empties,
        depth=best.depth if best else 0,
        score=score,
        move=square_name(result.best_move),
        pv=format_moves(best.pv) if best else "",
        nodes=result.nodes,
        time_ms=result.time_ms,
        nps=nodes_per_second(result.nodes, result.time_ms),
        expected=expected,
        verdict=verdict,
    )


def _is_final(kind: ScoreKind) -> bool:
    return kind in (ScoreKind.DISCS, ScoreKind.WLD)


def _sign(score: int | None) -> int | None:
    return None if score is None else (score > 0) - (score < 0)


def _cells(one: Solved, wld: bool) -> tuple[object, ...]:
    def show(score: int | None) -> str:
        if score is None:
            return "-"
        return ("draw", "win", "loss")[score] if wld else f"{score:+d}"

    return (
        one.number,
        one.depth,
        show(one.score),
        one.move,
        count(one.nodes),
        seconds(one.time_ms),
        count(one.nps),
        show(one.expected),
        one.verdict,
    )


def _print_totals(screen: Screen, solved: Sequence[Solved], wall_ms: int) -> None:
    nodes = sum(one.nodes for one in solved)
    time_ms = sum(one.time_ms for one in solved)
    verdicts = [one.verdict for one in solved]
    parts = [f"{verdicts.count(verdict)} {verdict}" for verdict in _STYLES if verdict in verdicts]
    rate = count(nodes_per_second(nodes, time_ms))
    screen.line(
        f"{len(solved)} positions: {', '.join(parts)}; {count(nodes)} nodes in {seconds(time_ms)} s, "
        f"{rate} nodes/s; {seconds(wall_ms)} s in all",
        style="bold red" if "wrong" in verdicts else "bold",
    )


def _write_json(file: TextIO, solved: Sequence[Solved], threads: int, wld: bool, wall_ms: int) -> None:
    nodes = sum(one.nodes for one in solved)
    time_ms = sum(one.time_ms for one in solved)
    report: dict[str, Any] = {
        "engine": f"othello-engine {__version__}",
        "goal": "wld" if wld else "exact",
        "threads": threads,
        "positions": [asdict(one) for one in solved],
        "totals": {
            "positions": len(solved),
            "right": sum(one.verdict == "right" for one in solved),
            "wrong": sum(one.verdict == "wrong" for one in solved),
            "nodes": nodes,
            "time_ms": time_ms,
            "nps": nodes_per_second(nodes, time_ms),
            "wall_ms": wall_ms,
        },
    }
    json.dump(report, file, indent=2)
    file.write("\n")


def _write_csv(file: TextIO, solved: Sequence[Solved]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(Solved.__slots__)
    writer.writerows([getattr(one, name) for name in Solved.__slots__] for one in solved)
