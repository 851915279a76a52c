"""`solve FILE`: solves positions one after another and compares with the scores that stand beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from othello_engine.errors import IllegalMoveError
from othello_engine.formats.obf import ObfRecord
from othello_engine.position import Position
from othello_engine.types import (
    NO_MOVE,
    Bound,
    Goal,
    Limits,
    ScoreKind,
    SearchInfo,
    SearchResult,
    square_name,
)
from protocol import exit_status
from protocol.batch.results import MoveValue, ResultFile, ResultsError, Solved, Totals
from protocol.batch.screen import Column, Progress, Screen, count, seconds
from protocol.commands import format_moves, format_score, nodes_per_second
from protocol.facade import EngineLike
from protocol.lines import clean_line

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
_MOVE_COLUMNS = (Column("", 4), Column("", 5), Column("", 6), Column("", 4, align_left=True), Column("", 0))
"""A move stands under the best one; its line of play takes the rest of the row."""
_STYLES = {"right": "green", "wrong": "bold red", "unknown": "dim"}

_NOTHING: Mapping[int, Solved] = {}
_T = TypeVar("_T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about every position. wld: only who wins. all_moves: the value of each move, not of the best.
    is_anti: fewest discs win."""

    wld: bool = False
    all_moves: bool = False
    is_anti: bool = False

    @property
    def goal(self) -> Goal:
        """The goal of the searches."""
        return Goal.WLD if self.wld else Goal.EXACT

    @property
    def name(self) -> str:
        """What result files say that was asked: `exact`, `wld`, and in anti-Othello `anti exact`, `anti wld`."""
        return f"anti {self.goal.value}" if self.is_anti else self.goal.value

    def answers(self, one: Solved) -> bool:
        """True if a result answers this question, and not another one."""
        needs_moves = self.all_moves and not one.fault and one.move != square_name(NO_MOVE)
        return one.goal == self.name and (bool(one.moves) if needs_moves else self.all_moves or not one.moves)


_JUST_THE_SCORE = Question()


# -- the run -----------------------------------------------------------------------------------------------


def solve(
    engine: EngineLike,
    screen: Screen,
    records: Iterable[ObfRecord],
    question: Question = _JUST_THE_SCORE,
    totals: Totals | None = None,
    files: Sequence[ResultFile] = (),
    kept: Mapping[int, Solved] = _NOTHING,
    show_rows: bool = True,
) -> int:
    """Solves positions one after another, prints a row for each and totals; the exit status.

    records: may be endless; the next one is taken when the one before is done. kept: results that there are
    already, by number; the files begin with them. totals: count them in. files: receive each result before its
    row is shown. show_rows: False where a file goes to the same stream.
    """
    totals = totals or Totals()
    for each in (totals, *(file.totals for file in files)):
        each.start_clock()
    shown = screen if show_rows else None
    try:
        _solve_all(engine, screen, records, question, totals, files, kept, show_rows)
    except BrokenPipeError:
        raise  # nobody reads the totals
    except BaseException:  # which stays the reason of the end, whatever else fails
        for file in files:
            with suppress(OSError, ResultsError):
                file.close()
        with suppress(OSError):
            _print_totals(shown, totals, len(kept), interrupted=True)
        raise
    for file in files:
        file.close()
    _print_totals(shown, totals, len(kept))
    return exit_status.WRONG if totals.verdicts["wrong"] else exit_status.DONE


def _solve_all(
    engine: EngineLike,
    screen: Screen,
    records: Iterable[ObfRecord],
    question: Question,
    totals: Totals,
    files: Sequence[ResultFile],
    kept: Mapping[int, Solved],
    show_rows: bool,
) -> None:
    if show_rows:
        screen.header(_COLUMNS)
    with screen.progress(totals.planned if show_rows or not screen.is_terminal else None) as progress:
        for number, record in enumerate(records, 1):
            if number not in kept:
                one = _solve_one(engine, number, record, question, progress)
                for file in files:
                    file.add(one)
                totals.add(one)
                if show_rows:
                    _print_rows(screen, one, record, question)
            progress.advance()


def _solve_one(engine: EngineLike, number: int, record: ObfRecord, question: Question, progress: Progress) -> Solved:
    position = record.position
    empties = f"{position.n_empties} empty squares"

    def describe(info: SearchInfo) -> None:
        if info.rank == 1:
            certainty = "" if info.selectivity == 100 else f" at {info.selectivity}%"
            progress.describe(f"{empties}, depth {info.depth}{certainty}: {format_score(info.score)}")

    progress.describe(empties)
    engine.set_position(position)
    n_lines = max(1, len(position.legal_moves)) if question.all_moves else 1
    # Without a selectivity: selective searches prepare the exact one, and save a third of the nodes.
    result = engine.go(Limits(goal=question.goal, multipv=n_lines), on_info=describe).wait()
    return judge(number, record, question, result)


def _print_totals(screen: Screen | None, totals: Totals, n_kept: int, interrupted: bool = False) -> None:
    if screen is None:
        return
    n = totals.positions
    begin = f"{n} position{'s' * (n != 1)}"
    if interrupted:
        begin = "interrupted; " + (begin if totals.planned is None else f"{n} of {totals.planned} positions")
    if n_kept:
        begin += f", {n_kept} of them solved before"
    parts = [f"{totals.verdicts[verdict]} {verdict}" for verdict in _STYLES if totals.verdicts[verdict]]
    rate = count(nodes_per_second(totals.nodes, totals.time_ms))
    screen.line(
        f"{begin}: {', '.join(parts) or 'none'}; {count(totals.nodes)} nodes in {seconds(totals.time_ms)} s, "
        f"{rate} nodes/s; {seconds(totals.wall_ms)} s in all",
        style="bold red" if totals.verdicts["wrong"] else "bold",
    )


# -- results -----------------------------------------------------------------------------------------------


def judge(number: int, record: ObfRecord, question: Question, result: SearchResult) -> Solved:
    """A result with what the file says about it."""
    position = record.position
    best = result.lines[0] if result.lines else None
    score = best.score.value if best else position.final_score_in(question.is_anti) if position.is_over else 0
    lines = [line for line in result.lines if line.pv] if question.all_moves else []
    one = Solved(
        number=number,
        line=record.line_number,
        board=position.to_text(),
        empties=position.n_empties,
        depth=best.depth if best else 0,
        score=_sign(score) if question.wld else score,
        move=square_name(result.best_move),
        pv=format_moves(best.pv) if best else "",
        nodes=result.nodes,
        time_ms=result.time_ms,
        nps=nodes_per_second(result.nodes, result.time_ms),
        expected=None,
        verdict="",
        goal=question.name,
        fault=clean_line(_fault(position, result, question)),
        moves=tuple(
            MoveValue(
                square_name(line.pv[0]),
                _sign(line.score.value) if question.wld else line.score.value,
                format_moves(line.pv),
            )
            for line in lines
        ),
    )
    return compare(one, record)


def compare(one: Solved, record: ObfRecord) -> Solved:
    """The result with what the file says, and with a verdict.

    The score must be the file's, the best of its moves if it gives no other, and so must be the value of every move
    that both know. Only with every move's value can a better move than the file's be told from a wrong score.
    """

    def known(score: int | None) -> int | None:
        return _sign(score) if score is not None and one.goal.endswith(Goal.WLD.value) else score

    listed = {square_name(move): known(score) for move, score in record.scores}
    found = {one.move: one.score, **{each.move: each.score for each in one.moves}}
    expected = known(record.value)
    lists_moves_only = bool(record.scores) and record.value == record.scores[0][1]
    if one.fault:
        verdict = "wrong"
    elif expected is None:
        verdict = "unknown"
    elif any(listed.get(move, score) != score for move, score in found.items()):
        verdict = "wrong"
    elif one.score == expected or (one.score > expected and one.moves and lists_moves_only):
        verdict = "right"
    else:
        verdict = "wrong"
    return replace(one, line=record.line_number, expected=expected, verdict=verdict)


def _fault(position: Position, result: SearchResult, question: Question) -> str:
    """Why a result can't be trusted; empty if all its lines of play are proved and play out as they claim."""
    if result.error:
        return result.error
    if position.is_over:
        return ""
    if not result.lines:
        return "no result"
    for line in result.lines:
        fault = _fault_of_line(position, line, question)
        if fault:
            return f"{format_moves(line.pv[:1]) or 'no move'}: {fault}"
    first_moves = {line.pv[0] for line in result.lines}
    if result.best_move not in first_moves:
        return f"no line of play of {square_name(result.best_move)}"
    if question.all_moves and len(first_moves) < len(position.legal_moves):
        return f"values of only {len(first_moves)} of {len(position.legal_moves)} moves"
    return ""


def _fault_of_line(position: Position, line: SearchInfo, question: Question) -> str:
    kinds = (ScoreKind.DISCS, ScoreKind.WLD) if question.wld else (ScoreKind.DISCS,)
    is_exact = line.score.kind in kinds and line.score.bound is Bound.EXACT
    if not is_exact or line.selectivity < 100 or not line.complete:
        return "not proved"
    if not line.pv:
        return "no line of play"
    end = position
    try:
        for move in line.pv:
            end = end.play(move)
    except IllegalMoveError as error:
        return f"the line of play is not legal: {error}"
    if question.wld:
        return ""
    if not end.is_over:
        return f"the line of play stops with {end.n_empties} empty squares"
    final = end.final_score_in(question.is_anti, position.side)
    return "" if final == line.score.value else f"the line of play ends in {final:+d}"


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)


# -- going on ----------------------------------------------------------------------------------------------


def take_up(
    earlier: Mapping[str, Sequence[Solved]], records: Sequence[ObfRecord], question: Question
) -> dict[int, Solved]:
    """The results of an earlier run that still hold, by the number of their position now.

    earlier: results by the file that holds them; what one file lacks another may have. The verdicts are made
    anew. A result with a fault is dropped, and one without takes its place. Raises ResultsError where the files
    are of another question or of other positions, or disagree.
    """
    waiting: dict[tuple[str, int], tuple[str, Solved]] = {}
    for path, results in earlier.items():
        for place, one in zip(_occurrences(one.board for one in results), results, strict=True):
            if not question.answers(one):
                raise ResultsError(f"{path}: the results are of a run with another variant, --wld or --moves")
            other_path, other = waiting.setdefault(place, (path, one))
            if other.fault:
                waiting[place] = (path, one)
            elif not one.fault and other.score != one.score:
                raise ResultsError(f"{path} and {other_path} disagree on {one.board}")
    kept: dict[int, Solved] = {}
    boards = _occurrences(record.position.to_text() for record in records)
    for number, (place, record) in enumerate(zip(boards, records, strict=True), 1):
        found = waiting.pop(place, None)
        if found is not None and not found[1].fault:
            kept[number] = compare(replace(found[1], number=number), record)
    for path, one in waiting.values():
        raise ResultsError(f"{path}: holds a position that is not among those to solve ({one.board})")
    return kept


def _occurrences(things: Iterable[_T]) -> Iterator[tuple[_T, int]]:
    """Each thing with how often it came before."""
    seen: Counter[_T] = Counter()
    for thing in things:
        yield thing, seen[thing]
        seen[thing] += 1


# -- rows --------------------------------------------------------------------------------------------------


def _print_rows(screen: Screen, one: Solved, record: ObfRecord, question: Question) -> None:
    """The row of a position, and beneath it those of its moves and what is wrong with it."""

    def show(score: int | None) -> str:
        if score is None:
            return "-"
        return ("draw", "win", "loss")[score] if question.wld else f"{score:+d}"

    cells = (
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
    screen.row(_COLUMNS, cells, _STYLES[one.verdict])
    listed = {square_name(move): score for move, score in record.scores}
    for each in one.moves:
        expected = listed.get(each.move, each.score)
        if question.wld:
            expected = _sign(expected)
        differs = expected != each.score
        note = f"(file: {show(expected)})  " if differs else ""
        screen.row(
            _MOVE_COLUMNS,
            ("", "", show(each.score), each.move, note + each.pv),
            _STYLES["wrong"] if differs else None,
        )
    if one.fault:
        screen.line(f"      {one.fault}", _STYLES["wrong"])
