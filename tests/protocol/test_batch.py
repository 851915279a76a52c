"""The subcommands on a scripted engine: rows, totals, files, status."""

from __future__ import annotations

import csv
import errno
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from othello_engine.config import load_config
from othello_engine.formats.obf import ObfRecord, parse_obf_line, read_obf
from othello_engine.notation import parse_move
from othello_engine.position import Position
from othello_engine.types import Bound, Goal, Limits, Score, ScoreKind, parse_square
from protocol.batch.bench import bench, bench_positions
from protocol.batch.perft import perft
from protocol.batch.results import CsvForm, JsonForm, ResultFile, ResultsError, Solved, Totals
from protocol.batch.screen import Screen
from protocol.batch.solve import Question, solve, take_up
from protocol.batch.warmup import warmup
from tests.protocol.fake_engine import FakeEngine, answer_truly, count_truly, info
from tests.protocol.fake_engine import solve as solve_by_looking

SIX_EMPTIES = """\
% small endgames
----OOOXOO-OOOOX-OXXXXXXOXOOOXXXOOOOOOXXOOOOOOXXOOOOXXXXOOOOXXOO X; a3:+12; c2:+2; a1:-4; c1:-6; b1:-8;
XOOOX-OXXOXXXOXX-OXOOXOX-OOOXXOX-XOOOOOOXXXOXXOOXXOOOOXXX--OOOOO O; f1:+2; a5:-6; b8:-8; a4:-10;
"""
NO_SCORE = "-OXXXXX-XOOO-XXXXXOOOOXOXOXOOOOOXOXXOOO-XOOOXOXO-OOXXXO-XOOOOOOO X"

THE_SCORE = Question()


def engine(answer: Callable[[FakeEngine, Limits], None] = answer_truly) -> FakeEngine:
    fake = FakeEngine(load_config(profile="classic", overrides={"Threads": 2}), lambda text: None)
    fake.answer = answer
    fake.count_for_me = count_truly
    return fake


def screen() -> tuple[Screen, io.StringIO]:
    paper = io.StringIO()
    return Screen(paper), paper


def test_solved_positions_are_compared_with_the_file() -> None:
    shown, paper = screen()
    fake = engine()
    assert solve(fake, shown, list(read_obf(SIX_EMPTIES.splitlines()))) == 0
    head, *rows, totals = paper.getvalue().splitlines()
    assert head.split() == ["#", "depth", "score", "move", "nodes", "time", "nodes/s", "file"]
    assert rows[0].split() == ["1", "6", "+12", "a3", "600", "0.000", "600,000", "+12", "right"]
    assert [row.split()[-1] for row in rows] == ["right", "right"]
    assert totals.startswith("2 positions: 2 right; 1,200 nodes in ")
    assert "\x1b" not in paper.getvalue()


def test_only_who_wins_is_compared_on_request() -> None:
    shown, paper = screen()
    fake = engine()
    assert solve(fake, shown, list(read_obf(SIX_EMPTIES.splitlines())), Question(wld=True)) == 0
    assert [row.split()[2] for row in paper.getvalue().splitlines()[1:3]] == ["win", "win"]
    assert fake.limits == Limits(goal=Goal.WLD, multipv=1)


def test_a_position_without_a_score_is_neither_right_nor_wrong() -> None:
    shown, paper = screen()
    assert solve(engine(), shown, [parse_obf_line(NO_SCORE)]) == 0
    assert paper.getvalue().splitlines()[1].split()[-2:] == ["-", "unknown"]


@pytest.mark.parametrize(
    "line",
    [
        SIX_EMPTIES.splitlines()[1].replace("+12", "+14"),
        SIX_EMPTIES.splitlines()[1].replace("a3:+12", "a3:+10").replace("c2:+2", "c2:+12"),
        f"{NO_SCORE}; -64;",
    ],
    ids=["other score", "other move", "value only"],
)
def test_a_difference_is_wrong_and_shows_in_the_status(line: str) -> None:
    shown, paper = screen()
    assert solve(engine(), shown, [parse_obf_line(line)]) == 1
    assert paper.getvalue().splitlines()[1].endswith("wrong")
    assert paper.getvalue().splitlines()[2].startswith("1 position: 1 wrong; ")


@pytest.mark.parametrize(
    ("listed", "question", "verdict"),
    [
        ("c2:+2;", THE_SCORE, "wrong"),
        ("c2:+2;", Question(wld=True), "right"),
        ("c2:+2;", Question(all_moves=True), "right"),
        ("c2:+4;", Question(all_moves=True), "wrong"),
        ("c2:+14;", THE_SCORE, "wrong"),
        ("c2:+12;", THE_SCORE, "right"),
        ("a3:+10; c2:+2;", THE_SCORE, "wrong"),
        ("c2:+2; +10;", THE_SCORE, "wrong"),
        ("a3:+10; c2:+2; a1:-4; c1:-6; b1:-8; d1:-12;", THE_SCORE, "wrong"),
    ],
)
def test_a_file_that_lists_some_moves_is_judged_by_them_if_all_are_known(
    listed: str, question: Question, verdict: str
) -> None:
    record = parse_obf_line(f"{SIX_EMPTIES.splitlines()[1].partition(';')[0]}; {listed}")
    shown, paper = screen()
    solve(engine(answer_every_move if question.all_moves else answer_truly), shown, [record], question)
    assert paper.getvalue().splitlines()[1].split()[-1] == verdict


def test_a_result_that_is_no_proof_is_wrong() -> None:
    def guess(fake: FakeEngine, limits: Limits) -> None:
        fake.finish("a3", lines=(info(4, "a3"),))

    def give_up(fake: FakeEngine, limits: Limits) -> None:
        fake.finish("a3", error="a worker failed")

    for answer in (guess, give_up):
        assert solve(engine(answer), screen()[0], list(read_obf(SIX_EMPTIES.splitlines()[:2]))) == 1


def test_a_finished_game_needs_no_search_result() -> None:
    over = Position.from_moves("e6f4d3e7f6g5e3e2f3c4f5f2")
    shown, paper = screen()
    assert solve(engine(), shown, [parse_obf_line(f"{over.to_text()}; -64;")]) == 0
    assert paper.getvalue().splitlines()[1].split()[2:4] == ["-64", "none"]


def solve_to_text(
    records: list[ObfRecord], question: Question = THE_SCORE, kept: dict[int, Solved] | None = None
) -> tuple[str, str]:
    """What is written as JSON and as CSV."""
    as_json, as_csv = io.BytesIO(), io.BytesIO()
    shown, paper = screen()
    done = tuple((kept or {}).values())
    totals = Totals(len(records), done)
    files = [
        ResultFile("-", as_json, JsonForm(question.goal.value, 2), done, len(records)),
        ResultFile("-", as_csv, CsvForm(), done),
    ]
    answer = answer_every_move if question.all_moves else answer_truly
    solve(engine(answer), shown, records, question, totals, files, kept or {}, show_rows=False)
    assert paper.getvalue() == ""
    return as_json.getvalue().decode(), as_csv.getvalue().decode()


def test_results_are_written_as_json_and_csv() -> None:
    records = list(read_obf(SIX_EMPTIES.splitlines()))
    as_json, as_csv = solve_to_text(records)
    report = json.loads(as_json)
    assert report["goal"] == "exact"
    assert report["threads"] == 2
    assert report["totals"]["right"] == report["totals"]["positions"] == 2
    assert report["totals"]["remaining"] == 0
    first = report["positions"][0]
    assert (first["board"], first["line"]) == (records[0].position.to_text(), 2)
    assert (first["score"], first["expected"], first["move"], first["verdict"]) == (12, 12, "a3", "right")
    assert first["pv"] == "a3 c2 a1 b1 d1 pass c1"
    rows = list(csv.DictReader(io.StringIO(as_csv)))
    assert tuple(rows[0]) == Solved.__slots__
    assert [row["score"] for row in rows] == ["12", "2"]


# -- every move --------------------------------------------------------------------------------------------


def answer_every_move(fake: FakeEngine, limits: Limits) -> None:
    """The truth about each root move."""
    position = fake.position
    assert position is not None
    lines = []
    for move in position.legal_moves:
        value, rest = solve_by_looking(position.play(move))
        value = -value
        score = Score(ScoreKind.DISCS, value)
        if limits.goal is Goal.WLD:
            score = Score(ScoreKind.WLD, (value > 0) - (value < 0))
        lines.append(info(position.n_empties, score=score, pv=(move, *rest)))
    lines.sort(key=lambda line: -line.score.value)
    assert limits.multipv == max(1, len(lines))
    ranked = tuple(replace(line, rank=rank) for rank, line in enumerate(lines, 1))
    fake.finish(ranked[0].pv[0] if ranked else None, lines=ranked)


def test_every_move_has_its_value_and_line_of_play() -> None:
    shown, paper = screen()
    records = list(read_obf(SIX_EMPTIES.splitlines()))
    assert solve(engine(answer_every_move), shown, records, Question(all_moves=True)) == 0
    rows = paper.getvalue().splitlines()
    assert rows[1].split()[-1] == "right"
    assert [row.split()[:3] for row in rows[2:4]] == [["+12", "a3", "a3"], ["+2", "c2", "c2"]]
    assert rows[2].split()[2:] == ["a3", "c2", "a1", "b1", "d1", "pass", "c1"]
    as_json, as_csv = solve_to_text(records, Question(all_moves=True))
    first = json.loads(as_json)["positions"][0]
    assert first["moves"][0] == {"move": "a3", "score": 12, "pv": "a3 c2 a1 b1 d1 pass c1"}
    cells = next(csv.DictReader(io.StringIO(as_csv)))["moves"]
    assert cells == "a3:+12 c2:+2 a1:-4 c1:-6 b1:-8 d1:-12"


def test_the_value_of_every_listed_move_is_compared() -> None:
    line = SIX_EMPTIES.splitlines()[1].replace("c1:-6", "c1:-4")
    assert solve(engine(), screen()[0], [parse_obf_line(line)]) == 0
    shown, paper = screen()
    assert solve(engine(answer_every_move), shown, [parse_obf_line(line)], Question(all_moves=True)) == 1
    rows = paper.getvalue().splitlines()
    assert rows[1].endswith("wrong")
    assert [row.split()[1] for row in rows if "(file: -4)" in row] == ["c1"]


def test_who_wins_by_every_move() -> None:
    shown, paper = screen()
    records = [parse_obf_line(SIX_EMPTIES.splitlines()[1])]
    assert solve(engine(answer_every_move), shown, records, Question(wld=True, all_moves=True)) == 0
    assert [row.split()[0] for row in paper.getvalue().splitlines()[2:8]] == ["win"] * 2 + ["loss"] * 4


# -- lines of play -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pv", "changes", "fault"),
    [
        ("a3 c2 a1 b1 d1 pass", {}, "a3: the line of play stops with 1 empty squares"),
        ("a3 c2 a1 b1 d1 c1", {}, "a3: the line of play is not legal: White has no move and must pass (c1)"),
        ("c2 a3 a1 c1 d1 b1", {}, "c2: the line of play "),
        ("", {}, "no move: no line of play"),
        ("a3 c2 a1 b1 d1 pass c1", {"selectivity": 99}, "a3: not proved"),
        ("a3 c2 a1 b1 d1 pass c1", {"score": Score(ScoreKind.DISCS, 12, Bound.LOWER)}, "a3: not proved"),
        ("a3 c2 a1 b1 d1 pass c1", {"score": Score(ScoreKind.WLD, 1)}, "a3: not proved"),
        ("a3 c2 a1 b1 d1 pass c1", {"score": Score(ScoreKind.DISCS, 14)}, "a3: the line of play ends in +12"),
    ],
)
def test_a_line_of_play_that_does_not_bear_out_its_score_is_wrong(
    pv: str, changes: dict[str, object], fault: str
) -> None:
    def answer(fake: FakeEngine, limits: Limits) -> None:
        moves = tuple(parse_move(move) for move in pv.split())
        fake.finish("a3", lines=(info(6, **{"score": Score(ScoreKind.DISCS, 12), "pv": moves, **changes}),))

    shown, paper = screen()
    assert solve(engine(answer), shown, [parse_obf_line(SIX_EMPTIES.splitlines()[1])]) == 1
    assert fault in paper.getvalue().splitlines()[2]


def test_values_of_some_moves_are_not_those_of_all() -> None:
    shown, paper = screen()
    records = [parse_obf_line(SIX_EMPTIES.splitlines()[1])]
    assert solve(engine(answer_truly), shown, records, Question(all_moves=True)) == 1
    assert "values of only 1 of 6 moves" in paper.getvalue()


# -- going on ----------------------------------------------------------------------------------------------


def results_of(records: list[ObfRecord], question: Question = THE_SCORE) -> list[Solved]:
    as_json, _ = solve_to_text(records, question)
    return JsonForm(question.goal.value, 1).read(as_json)


def test_a_run_goes_on_where_it_ended() -> None:
    records = list(read_obf(SIX_EMPTIES.splitlines()))
    earlier = results_of(records[:1])
    kept = take_up({"r.json": earlier, "r.csv": []}, records, Question())
    assert kept == {1: earlier[0]}
    as_json, as_csv = solve_to_text(records, kept=kept)
    totals = json.loads(as_json)["totals"]
    assert (totals["positions"], totals["right"], totals["nodes"]) == (2, 2, 1200)
    assert [row["number"] for row in csv.DictReader(io.StringIO(as_csv))] == ["1", "2"]


def test_going_on_takes_what_any_of_the_files_has() -> None:
    records = list(read_obf(SIX_EMPTIES.splitlines()))
    both = results_of(records)
    assert take_up({"r.json": both[:1], "r.csv": both}, records, Question()) == {1: both[0], 2: both[1]}


def test_results_move_with_their_positions_and_are_compared_anew() -> None:
    records = list(read_obf(SIX_EMPTIES.splitlines()))
    earlier = results_of(records[1:])
    changed = parse_obf_line(SIX_EMPTIES.splitlines()[2].replace("f1:+2", "f1:+4"), 9)
    kept = take_up({"r.json": earlier}, [records[0], changed], Question())
    assert list(kept) == [2]
    assert (kept[2].number, kept[2].line, kept[2].expected, kept[2].verdict) == (2, 9, 4, "wrong")


def test_a_board_that_stands_twice_is_solved_twice() -> None:
    records = list(read_obf(SIX_EMPTIES.splitlines()[1:2] * 3))
    assert list(take_up({"r.csv": results_of(records[:2])}, records, Question())) == [1, 2]


def test_a_result_with_a_fault_is_not_kept() -> None:
    records = list(read_obf(SIX_EMPTIES.splitlines()[:2]))
    (one,) = results_of(records)
    faulty = replace(one, fault="a worker failed", verdict="wrong")
    assert take_up({"r.csv": [faulty]}, records, Question(all_moves=True)) == {}


def test_a_result_with_a_fault_neither_hides_nor_contradicts_one_without() -> None:
    records = list(read_obf(SIX_EMPTIES.splitlines()[:2]))
    (good,) = results_of(records)
    faulty = replace(good, score=-2, fault="a worker failed", verdict="wrong")
    assert take_up({"a.csv": [faulty], "b.jsonl": [good]}, records, Question()) == {1: good}
    assert take_up({"a.csv": [good], "b.jsonl": [faulty]}, records, Question()) == {1: good}
    with pytest.raises(ResultsError, match="not among those to solve"):
        take_up({"a.csv": [faulty]}, [], Question())


def test_results_that_do_not_belong_here_are_refused() -> None:
    records = list(read_obf(SIX_EMPTIES.splitlines()))
    both = results_of(records)
    with pytest.raises(ResultsError, match=r"r\.csv: the results are of a run with another variant"):
        take_up({"r.csv": both}, records, Question(wld=True))
    with pytest.raises(ResultsError, match="another variant, --wld or --moves"):
        take_up({"r.csv": both}, records, Question(all_moves=True))
    with pytest.raises(ResultsError, match="another variant, --wld or --moves"):
        take_up({"r.csv": results_of(records, Question(all_moves=True))}, records, Question())
    with pytest.raises(ResultsError, match=r"r\.csv: holds a position that is not among those to solve \(XOOOX-"):
        take_up({"r.csv": both}, records[:1], Question())
    with pytest.raises(ResultsError, match=r"b\.csv and a\.json disagree on ----OOOX"):
        take_up({"a.json": both, "b.csv": [replace(both[0], score=10)]}, records, Question())


def test_an_interruption_closes_the_files_and_prints_the_totals() -> None:
    def positions() -> Iterator[ObfRecord]:
        yield parse_obf_line(SIX_EMPTIES.splitlines()[1])
        raise KeyboardInterrupt

    shown, paper = screen()
    as_json = io.BytesIO()
    files = [ResultFile("-", as_json, JsonForm("exact", 1), planned=3)]
    with pytest.raises(KeyboardInterrupt):
        solve(engine(), shown, positions(), totals=Totals(3), files=files)
    assert paper.getvalue().splitlines()[-1].startswith("interrupted; 1 of 3 positions: 1 right; 600 nodes in ")
    assert json.loads(as_json.getvalue())["totals"]["remaining"] == 2


class Full(io.BytesIO):
    """Takes `n` writes."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n = n

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        self.n -= 1
        if self.n < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def test_each_file_counts_what_it_holds_itself() -> None:
    shown, paper = screen()
    whole, full = io.BytesIO(), Full(2)
    files = [
        ResultFile("whole", whole, JsonForm("exact", 1), planned=2),
        ResultFile("full", full, JsonForm("exact", 1), planned=2),
    ]
    with pytest.raises(ResultsError, match="full: No space left"):
        solve(engine(), shown, list(read_obf(SIX_EMPTIES.splitlines())), totals=Totals(2), files=files)
    assert json.loads(whole.getvalue())["totals"]["positions"] == 2
    assert (files[1].totals.positions, files[1].totals.as_json()["remaining"]) == (1, 1)
    assert paper.getvalue().splitlines()[-1].startswith("interrupted; 1 of 2 positions: 1 right;")


def test_what_fails_after_an_interruption_does_not_hide_it() -> None:
    class Gone(io.StringIO):
        def write(self, text: str, /) -> int:
            if text.startswith("interrupted"):
                raise OSError(errno.EIO, "Input/output error")
            return super().write(text)

    def positions() -> Iterator[ObfRecord]:
        yield parse_obf_line(SIX_EMPTIES.splitlines()[1])
        raise KeyboardInterrupt

    last = io.BytesIO()
    files = [ResultFile("full", Full(2), JsonForm("exact", 1)), ResultFile("-", last, JsonForm("exact", 1))]
    with pytest.raises(KeyboardInterrupt):
        solve(engine(), Screen(Gone()), positions(), files=files)
    assert json.loads(last.getvalue())["totals"]["positions"] == 1


def test_perft_shows_a_row_for_each_depth() -> None:
    shown, paper = screen()
    assert perft(engine(), shown, Position.start(), 4) == 0
    rows = [line.split() for line in paper.getvalue().splitlines()]
    assert rows[0] == ["depth", "nodes", "time", "nodes/s"]
    assert [row[:2] for row in rows[1:]] == [["1", "4"], ["2", "12"], ["3", "56"], ["4", "244"]]


def test_bench_starts_every_position_afresh_and_closes_with_the_signature() -> None:
    fake = engine()
    shown, paper = screen()
    assert bench(fake, shown, 3) == 0
    assert fake.names().count("new_game") == fake.names().count("go") == len(bench_positions())
    lines = paper.getvalue().splitlines()
    assert len(lines) == len(bench_positions()) + 2
    assert lines[-1].startswith(f"bench nodes {300 * len(bench_positions())} time ")
    assert fake.limits == Limits(depth=3, multipv=1)


def test_warm_up_tries_the_engine_and_says_how_long_it_took() -> None:
    fake = engine()
    shown, paper = screen()
    assert warmup(fake, shown, 0.0) == 0
    assert "go" in fake.names()
    assert paper.getvalue().startswith("ready after ")


def test_squares_of_the_file_are_those_of_the_engine() -> None:
    record = parse_obf_line(SIX_EMPTIES.splitlines()[1])
    assert record.best_moves == (parse_square("a3"),)
