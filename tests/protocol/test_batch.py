"""The subcommands on a scripted engine: rows, totals, files, status."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest

from othello_engine.config import load_config
from othello_engine.formats.obf import parse_obf_line, read_obf
from othello_engine.position import Position
from othello_engine.types import Limits, parse_square
from protocol.batch.bench import bench, bench_positions
from protocol.batch.perft import perft
from protocol.batch.screen import Screen
from protocol.batch.solve import Solved, solve
from protocol.batch.warmup import warmup
from tests.protocol.fake_engine import FakeEngine, answer_truly, count_truly, info

SIX_EMPTIES = """\
% small endgames
----OOOXOO-OOOOX-OXXXXXXOXOOOXXXOOOOOOXXOOOOOOXXOOOOXXXXOOOOXXOO X; a3:+12; c2:+2; a1:-4; c1:-6; b1:-8;
XOOOX-OXXOXXXOXX-OXOOXOX-OOOXXOX-XOOOOOOXXXOXXOOXXOOOOXXX--OOOOO O; f1:+2; a5:-6; b8:-8; a4:-10;
"""
NO_SCORE = "-OXXXXX-XOOO-XXXXXOOOOXOXOXOOOOOXOXXOOO-XOOOXOXO-OOXXXO-XOOOOOOO X"


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
    assert solve(engine(), shown, list(read_obf(SIX_EMPTIES.splitlines())), wld=True) == 0
    assert [row.split()[2] for row in paper.getvalue().splitlines()[1:3]] == ["win", "win"]


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
    assert "1 wrong" in paper.getvalue().splitlines()[2]


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


def test_results_are_written_as_json_and_csv() -> None:
    shown, paper = screen()
    as_json, as_csv = io.StringIO(), io.StringIO()
    records = list(read_obf(SIX_EMPTIES.splitlines()))
    solve(engine(), shown, records, json_file=as_json, csv_file=as_csv, show_rows=False)
    assert paper.getvalue() == ""
    report = json.loads(as_json.getvalue())
    assert report["goal"] == "exact"
    assert report["threads"] == 2
    assert report["totals"]["right"] == report["totals"]["positions"] == 2
    first = report["positions"][0]
    assert (first["board"], first["line"]) == (records[0].position.to_text(), 2)
    assert (first["score"], first["expected"], first["move"], first["verdict"]) == (12, 12, "a3", "right")
    assert first["pv"] == "a3 c2 a1 b1 d1 pass c1"
    rows = list(csv.DictReader(io.StringIO(as_csv.getvalue())))
    assert tuple(rows[0]) == Solved.__slots__
    assert [row["score"] for row in rows] == ["12", "2"]


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
