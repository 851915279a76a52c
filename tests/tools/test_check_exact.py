"""The judge of exact answers: its plain solver, the positions it takes, and that it finds what is wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from othello_engine.position import Position
from othello_engine.types import NO_MOVE, PASS, Bound, Goal, Score, ScoreKind, SearchInfo, SearchResult, parse_square
from tests import positions
from tests.core.support import several
from tests.search.support import perfect_score, score_after, successors
from tools import check_exact, plain_solver
from tools.check_exact import Case, Kind, endgames, faults_of_answer, faults_of_claim, faults_of_line, kind_of, main

SIX = positions.SOLVED[2]
"""Every move of it is known: a3 +12, c2 +2, a1 -4 and worse."""


# -- the plain solver ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_empties", range(1, 7))
@pytest.mark.parametrize("prunes", [False, True])
def test_the_plain_solver_gives_the_scores_of_another_one(n_empties: int, prunes: bool) -> None:
    for position in positions.late_positions(n_empties, several(20, 3), n_empties):
        p, o = position.player, position.opponent
        assert plain_solver.score(p, o, prunes) == perfect_score(p, o)
        after = {move: -perfect_score(*boards) for move, *boards in successors(p, o)}
        assert plain_solver.move_scores(p, o, prunes) == after


@pytest.mark.parametrize("known", positions.SOLVED, ids=lambda known: known.name)
def test_the_plain_solver_gives_published_scores(known: positions.Known) -> None:
    p, o = known.position.player, known.position.opponent
    assert plain_solver.score(p, o, prunes=True) == known.score
    scores = plain_solver.move_scores(p, o, prunes=True)
    assert {move: scores[parse_square(move)] for move, _ in known.moves} == dict(known.moves)


@pytest.mark.parametrize(("text", "score"), positions.FINISHED)
def test_a_finished_game_has_its_score_and_no_moves(text: str, score: int) -> None:
    position = Position.from_text(text, default_side=0)
    assert plain_solver.score(position.player, position.opponent) == score
    assert plain_solver.move_scores(position.player, position.opponent) == {}
    assert plain_solver.line_score(position.player, position.opponent, ()) == score


def test_a_line_is_followed_by_the_rules() -> None:
    for seed in range(several(30, 5)):
        game = positions.random_game(random.Random(seed), squeeze=0.5)
        start = next(position for position in game if position.n_empties <= 12)
        line = tuple(positions.moves_of(game)[game.index(start) :])
        p, o = start.player, start.opponent
        assert (plain_solver.line_score(p, o, line), True) == score_after(p, o, line)
        if line:
            assert plain_solver.line_score(p, o, line[:-1]) == plain_solver.UNFINISHED
        taken = (p | o).bit_length() - 1
        for wrong in (taken, NO_MOVE, -1, *([PASS] if line[:1] != (PASS,) else [])):
            assert plain_solver.line_score(p, o, (wrong, *line)) == plain_solver.ILLEGAL


# -- positions -----------------------------------------------------------------------------------------------


def test_positions_are_as_many_as_wanted_most_of_them_special_and_the_same_again() -> None:
    found = endgames([2, 7, 12], 16, random.Random(5))
    for n_empties, chosen in found.items():
        assert len(chosen) == 16
        assert {position.n_empties for position, _ in chosen} == {n_empties}
        assert all(kind_of(position) is kind for position, kind in chosen)
        assert len({kind for _, kind in chosen}) == 4
    assert endgames([2, 7, 12], 16, random.Random(5)) == found


# -- the judge -----------------------------------------------------------------------------------------------


@cache
def case_of(known: positions.Known) -> Case:
    return Case.of(known.position)


def best_line(position: Position) -> tuple[int, ...]:
    line = []
    while not position.is_over:
        scores = plain_solver.move_scores(position.player, position.opponent)
        line.append(max(scores, key=lambda move: scores[move]))
        position = position.play(line[-1])
    return tuple(line)


def right_answer(goal: Goal = Goal.EXACT) -> SearchResult:
    line = best_line(SIX.position)
    score = Score(ScoreKind.WLD, 1) if goal is Goal.WLD else Score(ScoreKind.DISCS, SIX.score)
    info = SearchInfo(6, len(line), 100, 1, score, 100, 1, 100_000, 0, line)
    return SearchResult(line[0], line[1], (info,), 100, 1)


def judged(result: SearchResult, goal: Goal = Goal.EXACT) -> list[str]:
    case = case_of(SIX)
    faults = list(faults_of_answer(result, case, goal))
    return faults + [fault for info in result.lines for fault in faults_of_line(info, case, goal)]


def changed(result: SearchResult, **changes: object) -> SearchResult:
    return replace(result, lines=(replace(result.lines[0], **changes),))  # type: ignore[arg-type]


@pytest.mark.parametrize("goal", [Goal.EXACT, Goal.WLD])
def test_a_right_answer_has_no_faults(goal: Goal) -> None:
    assert judged(right_answer(goal), goal) == []


C2, A1 = parse_square("c2"), parse_square("a1")


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda r: changed(r, score=Score(ScoreKind.DISCS, SIX.score + 2)), "score 14, not 12"),
        (lambda r: changed(r, score=Score(ScoreKind.DISCS, SIX.score, Bound.LOWER)), "not a proof"),
        (lambda r: changed(r, score=Score(ScoreKind.CENTIDISCS, SIX.score)), "not a proof"),
        (lambda r: changed(r, selectivity=99), "not a proof"),
        (lambda r: changed(r, pv=r.lines[0].pv[:-1]), "stops before the end"),
        (lambda r: changed(r, pv=(r.best_move, r.best_move)), "illegal line"),
        (lambda r: replace(changed(r, pv=(C2, *best_line(SIX.position.play(C2)))), best_move=C2), "worth 2, not exact"),
        (lambda r: replace(r, best_move=C2), "does not begin the best line"),
        (lambda r: replace(r, best_move=NO_MOVE), "not legal"),
        (lambda r: replace(r, lines=()), "0 lines"),
        (lambda r: replace(r, error="a worker died"), "a worker died"),
    ],
)
def test_every_fault_of_an_answer_is_found(spoil: Callable[[SearchResult], SearchResult], fault: str) -> None:
    assert any(fault in each for each in judged(spoil(right_answer())))


@pytest.mark.parametrize(
    ("move", "score", "is_true"),
    [
        (A1, Score(ScoreKind.DISCS, -4, Bound.LOWER), True),
        (A1, Score(ScoreKind.DISCS, -2, Bound.LOWER), False),
        (A1, Score(ScoreKind.DISCS, -4, Bound.UPPER), True),
        (A1, Score(ScoreKind.DISCS, -6, Bound.UPPER), False),
        (C2, Score(ScoreKind.DISCS, 2), False),  # true of the move, but as the first line it says that this is best
        (C2, Score(ScoreKind.WLD, 1), True),
        (A1, Score(ScoreKind.WLD, 0, Bound.LOWER), False),
        (A1, Score(ScoreKind.WLD, 0, Bound.UPPER), True),
        (A1, Score(ScoreKind.CENTIDISCS, 5000), True),  # an estimate proves nothing, and may be anything
        (PASS, Score(ScoreKind.DISCS, -64, Bound.LOWER), False),
    ],
)
def test_bounds_are_judged_as_what_they_promise_about_their_move(move: int, score: Score, is_true: bool) -> None:
    info = replace(right_answer().lines[0], pv=(move,), score=score)
    assert (list(faults_of_claim(info, case_of(SIX).moves)) == []) == is_true
    selective = replace(info, selectivity=73)
    assert list(faults_of_claim(selective, case_of(SIX).moves)) == []


# -- the program ---------------------------------------------------------------------------------------------

SMALL = ["--positions", "4", "--empties", "3,6", "--threads", "1", "--profiles", "classic"]


def test_the_program_tells_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--json", str(tmp_path / "record.json")]) == 0
    shown = capsys.readouterr()
    assert "classic x 1: 0 differences" in shown.err
    assert "by empties" in shown.out
    assert json.loads((tmp_path / "record.json").read_text())["differences"] == []


def test_differences_are_shown_with_commands_and_give_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case_of_position = Case.of

    def wrong(position: Position, kind: Kind = Kind.ORDINARY) -> Case:
        case = case_of_position(position, kind)
        return replace(case, score=case.score + 2, moves={move: score + 2 for move, score in case.moves.items()})

    monkeypatch.setattr(check_exact.Case, "of", wrong)
    assert main(SMALL) == 1
    shown = capsys.readouterr()
    assert "classic x 1, cold table: line 1: score" in shown.err
    assert "\n    setboard " in shown.err
    assert "MISSED" in shown.out


@pytest.mark.parametrize("text", ["0-3", "a", "4-2", ""])
def test_a_range_that_is_none_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--empties", text])
    assert "invalid" in capsys.readouterr().err
