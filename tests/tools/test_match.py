"""Matches between fake engines: games and their faults, tournaments, the folder, and the program."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pexpect
import psutil
import pytest

from othello_engine.errors import EngineError
from othello_engine.formats.game import Game, Result, bare_moves
from othello_engine.formats.ggf import format_ggf, parse_ggf, read_ggf
from othello_engine.formats.text import read_text
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE
from tests.tools.fake_player import LATE_S, SLOW_S
from tests.tools.players import players
from tools import plain_solver
from tools.engines.drivers import FaultKind
from tools.engines.player import Player
from tools.engines.spec import EngineSpec, Limits
from tools.match.__main__ import main
from tools.match.folder import Folder, transcript_line
from tools.match.game import Rules, play_game
from tools.match.games import OthelloGame
from tools.match.openings import Opening, OpeningsError, drawn, parse_opening, random_openings, read_openings
from tools.match.picture import course
from tools.match.record import Fault, GameRecord, Played, RecordError
from tools.match.schedule import pairings, schedule
from tools.match.solver import ExactSolver
from tools.match.standing import Standing
from tools.match.stats import points_interval
from tools.match.tournament import Tournament

FAKE = Path(__file__).with_name("fake_player.py")
ROOT = FAKE.parents[2]
FORFEIT = 64
OPENINGS = ["f5d6c3d3c4", "f5f6e6f4e3", "f5f4e3f6g5", "f5d6c5f4e3"]
BEFORE_A_PASS = "d3c3e6d2d1e1b3c1"  # black must pass
QUICK = Rules(margin_s=0.1, hang_s=0.4, patience_s=0.5)


def fake(dialect: str = "native", behaviour: str = "good", name: str = "", **more: object) -> EngineSpec:
    limits = more.pop("limits", Limits(move_s=0.05))
    command = (sys.executable, str(FAKE), dialect, behaviour)
    return EngineSpec(name or behaviour, command, dialect, limits=limits, **more)  # type: ignore[arg-type]


def game(black: EngineSpec, white: EngineSpec, opening: str = OPENINGS[0], rules: Rules = QUICK) -> GameRecord:
    with players(black, white) as (first, second):
        return play_game((first, second), parse_opening(opening), rules)


def tournament(specs: Sequence[EngineSpec], *openings: str, mode: str = "round-robin", **more: int) -> list[GameRecord]:
    meetings = schedule(len(specs), mode, [Opening.of(moves) for moves in openings])
    with Tournament(specs, meetings, QUICK, **more) as games:
        return sorted(games, key=lambda record: record.number)


def first_legal_game(start: Position) -> Position:
    """The end of the game in which both play the first legal move."""
    while not start.is_over:
        start = start.play(start.legal_moves[0])
    return start


def anti_score(end: Position) -> int:
    """White's discs minus black's on a board as it is printed, empty squares to the colour with more."""
    board = end.to_text()[:64]
    black, white, empty = (board.count(sign) for sign in "XO-")
    if black == white:
        return 0
    return white - black + (empty if white > black else -empty)


def engine_processes() -> set[int]:
    """Our children, but for the guard."""
    return {child.pid for child in psutil.Process().children() if "guard.py" not in " ".join(child.cmdline())}


# --- games


@pytest.mark.parametrize("dialect", OthelloGame.protocols)
@pytest.mark.parametrize(
    "opening",
    [
        OPENINGS[0],
        BEFORE_A_PASS,
        "--OOO------O-----XXX-------XX------XX-------X------------------- X",
        "-" * 27 + "XO------OX" + "-" * 27 + " O",
    ],
)
def test_a_whole_game_is_played_in_every_dialect(dialect: str, opening: str) -> None:
    start = parse_opening(opening).position
    end = first_legal_game(start)
    for black, white in ((fake(dialect), fake()), (fake(), fake(dialect))):
        record = game(black, white, opening)
        assert record.fault is None
        assert record.ending == "played"
        assert record.score == (end.final_score if end.side == BLACK else -end.final_score)
        assert record.to_game().final_position == end
        thought = record.moves[record.n_opening :]
        assert all((each.seconds is None) == (each.move == PASS) for each in thought)
        assert all(each.seconds is None for each in record.moves[: record.n_opening])


@pytest.mark.parametrize("opening", [OPENINGS[1], BEFORE_A_PASS, "-" * 27 + "XO------OX" + "-" * 27 + " O"])
def test_in_anti_othello_fewest_discs_win(opening: str) -> None:
    anti, usual = (game(fake(), fake("gtp", name="b"), opening, replace(QUICK, is_anti=each)) for each in (True, False))
    assert anti.score == anti_score(first_legal_game(parse_opening(opening).position)) == -usual.score
    assert anti.transcript == usual.transcript
    assert (anti.is_anti, usual.is_anti) == (True, False)
    assert anti.points == 1 - usual.points


@pytest.mark.parametrize("is_anti", [False, True])
def test_a_fault_loses_in_either_variant(is_anti: bool) -> None:
    rules = replace(QUICK, is_anti=is_anti)
    assert game(fake("gtp", "illegal"), fake(), rules=rules).score == -FORFEIT
    assert game(fake(), fake("gtp", "resigning"), rules=rules).score == FORFEIT


def test_times_and_values_of_the_moves_are_kept() -> None:
    record = game(fake(behaviour="slow"), fake("gtp"))
    side = WHITE
    for each in record.moves[record.n_opening :]:
        if each.move != PASS:
            assert each.seconds is not None
            assert (each.seconds >= SLOW_S) is (side == BLACK)
            assert (each.value, each.depth, each.nodes) == ((-1.5, 7, 99) if side == BLACK else (None, None, None))
        side = 1 - side


@pytest.mark.parametrize(
    ("dialect", "behaviour", "kind", "text"),
    [
        ("nboard", "illegal", FaultKind.ILLEGAL, "'D4' in "),
        ("gtp", "passing", FaultKind.ILLEGAL, "a pass is not allowed"),
        ("cassio", "crashing", FaultKind.CRASH, "told to crash"),
        ("native", "orphaning", FaultKind.CRASH, "told to leave a child"),
        ("nboard", "no-start", FaultKind.CRASH, "told not to start"),
        ("gtp", "silent", FaultKind.HANG, "no answer in time"),
        ("cassio", "flooding", FaultKind.HANG, "no answer in time"),
        ("native", "late", FaultKind.TIME, "s where 0.050 s were left"),
        ("native", "refusing", FaultKind.REFUSAL, "told to refuse"),
        ("gtp", "resigning", FaultKind.RESIGNATION, "it resigned"),
    ],
)
def test_a_fault_loses_its_game_and_no_other(dialect: str, behaviour: str, kind: FaultKind, text: str) -> None:
    bad, good = fake(dialect, behaviour), fake()
    with players(bad, good) as (bad_player, good_player):
        opening = Opening.of(OPENINGS[0])
        for colours, side in (((bad_player, good_player), BLACK), ((good_player, bad_player), WHITE)):
            record = play_game(colours, opening, QUICK)
            assert record.fault is not None
            assert (record.fault.side, record.fault.kind, record.ending) == (side, kind, kind)
            assert re.search(text, record.fault.text)
            assert record.score == (-FORFEIT if side == BLACK else FORFEIT)
        with players(fake()) as (third,):
            assert play_game((third, good_player), opening, QUICK).fault is None


@pytest.mark.parametrize("dialect", OthelloGame.protocols)
def test_an_answer_given_twice_is_taken_once(dialect: str) -> None:
    record = game(fake(dialect, "doubling"), fake(), BEFORE_A_PASS)
    assert record.fault is None
    assert record.to_game().final_position == first_legal_game(Position.from_moves(BEFORE_A_PASS))


@pytest.mark.parametrize("dialect", OthelloGame.protocols)
def test_a_late_answer_is_not_taken_for_the_next_one(dialect: str) -> None:
    """Answers come after the loss on time, and after the program was given up."""
    opening = Opening.of(OPENINGS[0])
    with players(fake(dialect, "late"), fake()) as (late, good):
        slow = Rules(margin_s=0.1, hang_s=0.4)
        assert play_game((late, good), opening, slow).ending == FaultKind.TIME
        patient = Rules(margin_s=1.0)
        record = play_game((late, good), opening, patient)
        assert record.fault is None
        assert max(each.seconds or 0 for each in record.moves) >= LATE_S
        hasty = Rules(margin_s=0.0, hang_s=0.05)
        assert play_game((late, good), opening, hasty).ending == FaultKind.HANG
        assert play_game((late, good), opening, patient).fault is None


def test_a_program_without_limit_hangs_when_patience_ends() -> None:
    began = time.perf_counter()
    record = game(fake(behaviour="silent", limits=Limits(depth=3)), fake())
    assert record.ending == FaultKind.HANG
    assert 0.5 <= time.perf_counter() - began < 5


def test_a_clock_runs_over_the_whole_game_and_increments_are_added() -> None:
    """Some 25 moves of 10 ms each."""
    slow = fake(behaviour="slow", limits=Limits(clock_s=0.1))
    record = game(slow, fake(), rules=Rules(margin_s=0.0, hang_s=1.0))
    assert record.ending == FaultKind.TIME
    spent = sum(each.seconds or 0 for each in record.moves[1::2])
    n_moves = sum(each.seconds is not None for each in record.moves) // 2
    assert spent <= 0.1
    assert 4 <= n_moves <= 10
    enough = fake(behaviour="slow", limits=Limits(clock_s=0.1, increment_s=0.1))
    assert game(enough, fake(), rules=Rules(margin_s=0.0)).fault is None
    assert game(slow, fake(), rules=Rules(margin_s=2.0)).fault is None


def test_a_crashed_program_is_started_again(tmp_path: Path) -> None:
    with players(fake(), fake("nboard", f"crash-once:{tmp_path / 'mark'}")) as (good, bad):
        first = play_game((good, bad), Opening.of(OPENINGS[0]), QUICK)
        second = play_game((bad, good), Opening.of(OPENINGS[0]), QUICK)
    assert first.fault is not None
    assert "told to crash once" in first.fault.text
    assert second.fault is None


def test_a_program_that_ended_between_games_is_started_again() -> None:
    with players(fake(), fake("nboard")) as (good, other):
        assert play_game((good, other), Opening.of(OPENINGS[0]), QUICK).fault is None
        program = other._running.program
        program.send("quit")
        program.wait_exit(5)
        assert play_game((other, good), Opening.of(OPENINGS[0]), QUICK).fault is None


def test_programs_keep_running_from_game_to_game_unless_told_otherwise() -> None:
    before = engine_processes()
    with players(fake(), fake("gtp", restart=True)) as (kept, restarted):
        for moves in OPENINGS[:2]:
            assert play_game((kept, restarted), Opening.of(moves), QUICK).fault is None
            assert len(engine_processes() - before) == 1


def test_cpu_time_is_not_known_of_a_program_that_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter([1.0, 2.0, 0.0, 2.5])
    monkeypatch.setattr(Player, "cpu_seconds", lambda self: next(counts))
    assert game(fake(), fake()).cpu_s is None


def test_adjudication_takes_the_solvers_word() -> None:
    asked = []

    def solver(position: Position) -> int:
        asked.append(position)
        return 6

    record = game(fake(), fake(), rules=Rules(adjudicate_empties=10, solver=solver))
    [position] = asked
    assert position.n_empties == 10
    assert record.ending == "adjudicated"
    assert record.score == (6 if position.side == BLACK else -6)
    assert sum(each.is_square for each in record.moves) == 50


def test_the_solvers_time_is_not_the_managers() -> None:
    def solver(position: Position) -> int:
        time.sleep(0.3)
        return 0

    record = game(fake(), fake(), rules=Rules(adjudicate_empties=50, solver=solver))
    assert record.wall_s >= 0.3 > record.manager_s


# --- records


def test_a_record_survives_its_line() -> None:
    record = game(fake(), fake("gtp", "crashing"), BEFORE_A_PASS).with_number(7)
    again = GameRecord.from_json(record.to_json())
    assert again.to_json() == record.to_json()
    assert (again.number, again.pair) == (7, 3)
    assert again.fault == record.fault
    assert again == record
    board = game(fake(), fake(), "-" * 27 + "XO------OX" + "-" * 27 + " O")
    assert GameRecord.from_json(board.to_json()).start == board.start


@pytest.mark.parametrize("behaviour", ["good", "crashing"])
def test_a_record_of_anti_othello_stays_one(behaviour: str) -> None:
    record = game(fake("gtp", behaviour), fake(), rules=replace(QUICK, is_anti=True))
    assert GameRecord.from_json(record.to_json()) == record
    assert '"variant":"anti"' in record.to_json()
    written = format_ggf(record.to_game())
    assert f"RE[{record.score:+.2f}{':r' if record.fault else ''}]" in written
    assert "TY[8a]" in written
    with pytest.raises(RecordError, match="variant 'misere'"):
        GameRecord.from_json(record.to_json().replace('"anti"', '"misere"'))


@pytest.mark.parametrize("behaviour", ["good", "crashing"])
@pytest.mark.parametrize("opening", [OPENINGS[0], BEFORE_A_PASS])
def test_other_files_keep_the_result_of_anti_othello(opening: str, behaviour: str) -> None:
    record = game(fake("gtp", behaviour), fake(name="b"), opening, replace(QUICK, is_anti=True))
    [as_ggf] = read_ggf([format_ggf(record.to_game())])
    [as_text] = read_text([transcript_line(record)])
    for read in (as_ggf, as_text):
        assert read.result is not None
        assert (read.result.score, read.is_misstated) == (record.score, False)
        assert read.moves[0].move == record.moves[0].move
        again = parse_ggf(format_ggf(read))
        assert (again.result, again.match_type) == (read.result, "8a")


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"game":1}', "null", '{"moves":3,"opening_moves":0}'])
def test_a_line_that_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        GameRecord.from_json(text)


def test_a_fault_is_told_in_the_game_file() -> None:
    moves = tuple(Played(move) for move in Opening.of("f5d6").moves)
    fault = Fault(WHITE, FaultKind.TIME, "1.2 s where 1 s were left\nmore")
    written = GameRecord("a", "b", Position.start(), 2, moves, 64, "time loss", fault).to_game("cup")
    assert written.event == "cup"
    assert written.result is not None
    assert (written.result.score, written.result.ending.value) == (64, "t")
    assert written.comment == "game 1, time loss of b: 1.2 s where 1 s were left"


@pytest.mark.parametrize("opening", [OPENINGS[0], BEFORE_A_PASS, "-" * 27 + "XO------OX" + "-" * 27 + " O"])
def test_the_transcripts_are_read_as_games(opening: str) -> None:
    record = game(fake(), fake("gtp", name="b"), opening)
    [read] = read_text([transcript_line(record)])
    assert read == Game(
        record.start,
        bare_moves(each.move for each in record.moves),
        stated=Result.of_score(record.score),
        comment="1\tgood\tb",
    )
    assert read.score == record.score


# --- openings


def test_openings_are_read_in_every_form(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    board = "--OOO------O-----XXX-------XX------XX-------X-------------------"
    path.write_text(
        "\ufeff# a comment\n% another\n\nf5d6c3d3c4  Tiger\nF5 F6 E6 f4\n1. f5 f4 2. e3\n"
        f"{board} X; b4:+2; name\n{board}O\nf5d6c3d3c4 again\n"
    )
    openings = read_openings(path)
    assert [opening.text for opening in openings] == ["f5d6c3d3c4", "f5f6e6f4", "f5f4e3", f"{board} X", f"{board} O"]
    assert openings[0].name == "Tiger"
    assert openings[3].name == "name"
    for opening in openings:
        assert parse_opening(opening.line) == opening


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("f5f5", "square occupied"),
        ("f5 d6 a1", "no disc turned"),
        ("Tiger", "neither moves nor a board"),
        ("e6f4d3e7f6g5e3e2f3c4f5f2", "over after the opening"),
        ("-" * 64 + "-", "more than 64 squares"),
        ("-" * 64 + " X", "over"),
    ],
)
def test_an_opening_that_cannot_be_played_is_named(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(f"f5d6\n{line}\n")
    with pytest.raises(OpeningsError, match=f"{path}, line 2: .*{reason}"):
        read_openings(path)


def test_a_file_without_openings_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OpeningsError, match="No such file"):
        read_openings(tmp_path / "missing")
    (tmp_path / "empty").write_text("# nothing\n")
    with pytest.raises(OpeningsError, match="no opening"):
        read_openings(tmp_path / "empty")
    (tmp_path / "x.gz").write_text("f5d6\n")
    with pytest.raises(OpeningsError):
        read_openings(tmp_path / "x.gz")


def test_the_seed_orders_the_openings() -> None:
    openings = [Opening.of(moves) for moves in OPENINGS]
    orders = {tuple(opening.text for opening in drawn(openings, seed)) for seed in range(8)}
    assert len(orders) > 1
    assert all(sorted(order) == sorted(OPENINGS) for order in orders)
    assert drawn(openings, 3) == drawn(openings, 3)


def test_random_openings_differ_from_each_other_and_are_the_same_for_a_seed() -> None:
    def some(seed: int, n: int) -> list[Opening]:
        return [opening for opening, _ in zip(random_openings(6, seed), range(n), strict=False)]

    assert some(1, 50)[:20] == some(1, 20)
    assert some(1, 20) != some(2, 20)
    assert len({opening.position for opening in some(1, 50)}) == 50
    assert all(len(opening.moves) == 6 for opening in some(1, 50))
    assert sum(1 for _ in random_openings(1, 1)) == 4


# --- tournaments


def test_everyone_meets_everyone_or_the_first_meets_all() -> None:
    assert pairings(4, "round-robin") == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert pairings(4, "gauntlet") == [(0, 1), (0, 2), (0, 3)]
    meetings = list(schedule(3, "round-robin", [Opening.of(moves) for moves in OPENINGS[:2]]))
    assert [meeting.pair for meeting in meetings] == list(range(6))
    assert [meeting.opening.text for meeting in meetings] == [OPENINGS[0]] * 3 + [OPENINGS[1]] * 3
    assert meetings[1].colours(0) == (0, 2)
    assert meetings[1].colours(1) == (2, 0)


def test_every_opening_is_played_with_both_colours() -> None:
    names = ("a", "b", "c")
    records = tournament([fake(name=name) for name in names], *OPENINGS[:2], concurrency=2)
    assert [record.number for record in records] == list(range(12))
    for first, second in zip(records[::2], records[1::2], strict=True):
        assert (first.black, first.white) == (second.white, second.black)
        assert first.transcript[:10] == second.transcript[:10]
        assert first.score == second.score  # the same moves were played


def test_games_at_the_same_time_are_the_same_games() -> None:
    one = tournament([fake(name="a"), fake("gtp", name="b")], *OPENINGS)
    three = tournament([fake(name="a"), fake("gtp", name="b")], *OPENINGS, concurrency=3)
    assert [(r.black, r.transcript, r.score) for r in one] == [(r.black, r.transcript, r.score) for r in three]


def test_a_program_that_fails_again_and_again_is_taken_out() -> None:
    specs = [fake(name="good"), fake("gtp", "crashing"), fake("nboard", name="fine")]
    records = tournament(specs, *OPENINGS, give_up=3)
    failed = [record for record in records if record.fault]
    assert len(failed) == 3
    assert {"crashing"} == {(r.black, r.white)[r.fault.side] for r in failed if r.fault}
    assert sum({record.black, record.white} == {"good", "fine"} for record in records) == 8


def test_failures_that_are_not_in_a_row_take_nobody_out(tmp_path: Path) -> None:
    records = tournament([fake(), fake("gtp", "illegal")], *OPENINGS, give_up=1)
    assert len(records) == 8  # an illegal move is no failure of the program
    records = tournament([fake(), fake("gtp", f"crash-once:{tmp_path / 'mark'}")], *OPENINGS, give_up=2)
    assert [record.fault is None for record in records] == [False] + [True] * 7


def test_a_tournament_that_is_broken_off_leaves_no_process() -> None:
    before = engine_processes()
    meetings = schedule(2, "round-robin", [Opening.of(moves) for moves in OPENINGS])
    began = time.perf_counter()
    with Tournament([fake(behaviour="slow", name="a"), fake(behaviour="silent")], meetings, Rules(), 2) as games:
        time.sleep(0.1)
        iterator = iter(games)
        with contextlib.suppress(StopIteration):
            threading.Timer(0.8, games.close).start()
            next(iterator)
    assert engine_processes() <= before
    assert time.perf_counter() - began < 10


# --- standing


def record_of(black: str, white: str, score: int, number: int) -> GameRecord:
    return GameRecord(black, white, Position.start(), 0, (), score, number=number)


def test_the_standing_counts_games_and_takes_its_errors_from_pairs() -> None:
    standing = Standing(["a", "b"])
    for number, score in enumerate([10, 4, 0, -2, -6, 8]):
        black, white = ("a", "b") if number % 2 == 0 else ("b", "a")
        standing.add(record_of(black, white, score, number))
    duel = standing.duels[0, 1]
    assert (duel.wins, duel.draws, duel.losses) == (2, 1, 3)
    assert duel.pentanomial == [1, 0, 1, 1, 0]
    assert duel.course == [0.5, 0.75, 0.0]
    assert duel.points == pytest.approx((0.5 + 0.75 + 0.0) / 3)
    assert duel.mean_discs == pytest.approx(-1.0)
    # means of the pairs: 3, 1, -7
    assert duel.discs_error == pytest.approx(((16 + 4 + 36) / 2 / 3) ** 0.5)
    assert [conduct.points for conduct in standing.conduct] == [2.5, 3.5]
    assert [conduct.discs for conduct in standing.conduct] == [-6, 6]


def test_half_a_pair_counts_as_games_only() -> None:
    standing = Standing(["a", "b"])
    duel = standing.add(record_of("b", "a", 10, 1))
    assert (duel.n_games, duel.losses, duel.n_pairs, duel.course) == (1, 1, 0, [])
    standing.add(record_of("a", "b", 10, 0))
    assert duel.pentanomial == [0, 0, 1, 0, 0]


def test_conduct_separates_the_midgame() -> None:
    steps = Position.start().follow("f5d6c3d3c4f4f6")
    moves = [Played(move, 0.3 if i < 2 else 0.1, depth=i, nodes=100) for i, (move, _) in enumerate(steps)]
    start = Position.start()
    record = GameRecord("a", "b", start, 0, tuple(moves), 0, cpu_s=(0.25, 0.0))
    standing = Standing(["a", "b"], [0.25, None])
    standing.add(record)
    conduct = standing.conduct[0]
    assert conduct.n_moves == 4
    assert conduct.mean_ms == pytest.approx(150)
    assert conduct.worst == 0.3
    assert conduct.n_over == 1
    assert conduct.mean_depth == 3
    assert conduct.nodes_per_second == pytest.approx(400 / 0.6)
    assert conduct.cpu_share == pytest.approx(0.25 / 0.6)
    late = GameRecord("a", "b", steps[-1][1], 0, (Played(PASS), Played(25, 9.0)), 0)
    assert late.start.n_empties >= 24
    standing.add(late)
    assert conduct.n_midgame == conduct.n_moves


def test_the_course_of_a_long_match_ends_with_its_result() -> None:
    points = [1.0, 0.5, 0.25, 0.75] * 1000
    places, means, intervals = course(points)
    assert len(places) <= 400
    assert (places[0], places[-1]) == (1, 4000)
    assert (means[0], means[-1]) == (1.0, pytest.approx(0.625))
    assert intervals[-1] == points_interval((0, 1000, 1000, 1000, 1000))
    assert course([]) == ([], [], [])
    assert course([0.5])[:2] == ([1], [0.5])


# --- the program


def engine(name: str, dialect: str, behaviour: str = "good") -> list[str]:
    command = shlex.join([sys.executable, str(FAKE), dialect, behaviour])
    return ["--engine", f"name={name}", f"command={command}", f"protocol={dialect}"]


@pytest.fixture
def openings_file(tmp_path: Path) -> Path:
    path = tmp_path / "openings.txt"
    path.write_text("# some openings\n\n" + "".join(f"{moves}  name\n" for moves in OPENINGS))
    return path


def match(out: Path, *options: str | Path, second: Sequence[str] = ()) -> int:
    arguments = [
        *engine("a", "native"),
        *(second or engine("b", "gtp")),
        "--each",
        "movetime=100ms",
        "--out",
        out,
        *options,
    ]
    return main([str(argument) for argument in arguments])


def games_of(out: Path) -> list[GameRecord]:
    lines = (out / "games.jsonl").read_text().splitlines()
    return sorted((GameRecord.from_json(line) for line in lines), key=lambda record: record.number)


def test_the_program_writes_everything_to_its_folder(
    tmp_path: Path, openings_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    bad = engine("bad", "gtp", "illegal")
    assert match(out, "--openings", openings_file, "--pairs", "3", "--seed", "7", "--name", "cup", second=bad) == 0
    printed = capsys.readouterr().out
    assert "illegal move of bad: 'd4' in" in printed
    assert "6 of 6 games" in printed
    records = games_of(out)
    assert [record.number for record in records] == list(range(6))
    expected = [opening.text for opening in drawn(read_openings(openings_file), 7)][:3]
    assert [record.transcript[:10] for record in records] == [moves for moves in expected for _ in range(2)]
    with open(out / "games.ggf") as file:
        games = list(read_ggf(file))
    assert [game.event for game in games] == ["cup"] * 6
    assert all(game.result is not None and abs(game.result.score or 0) == FORFEIT for game in games)
    lines = [line.split("\t") for line in (out / "games.txt").read_text().splitlines()]
    assert [line[2] for line in lines] == ["1", "2", "3", "4", "5", "6"]
    assert all(line[5] == "illegal move of bad" for line in lines)
    report = json.loads((out / "summary.json").read_text())
    assert report["state"] == "played to the end"
    assert report["pairings"][0]["wins"] == 6
    assert report["engines"][1]["faults"] == {"illegal move": 6}
    assert report["engines"][0]["limits"] == "100 ms"
    assert report["overhead_ms"] > 0
    text = (out / "summary.md").read_text()
    assert "| bad | gtp | 100 ms |" in text
    assert "6 illegal move" in text
    assert text.count("- illegal move of bad: 'd4' in") == 6
    assert (out / "score.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (out / "score.svg").read_text()


def test_a_match_of_more_pairs_begins_with_those_of_a_shorter_one(tmp_path: Path, openings_file: Path) -> None:
    for pairs in (2, 4):
        assert match(tmp_path / f"out{pairs}", "--openings", openings_file, "--pairs", f"{pairs}", "--seed", "3") == 0
    short, long = games_of(tmp_path / "out2"), games_of(tmp_path / "out4")
    assert [record.transcript for record in long[:4]] == [record.transcript for record in short]


def test_a_yaml_file_says_the_same_as_the_command_line(tmp_path: Path, openings_file: Path) -> None:
    command = shlex.join([sys.executable, str(FAKE)])
    path = tmp_path / "match.yaml"
    path.write_text(
        f"name: cup\nopenings: {openings_file}\npairs: 2\nseed: 9\n"
        f"each: {{movetime: 100ms, options: {{Threads: 1}}}}\n"
        f"engines:\n- {{name: a, command: {command} native, options: {{Hash: 16}}}}\n"
        f"- {{name: b, command: [{sys.executable}, {FAKE}, gtp], protocol: gtp, options: null}}\n"
    )
    raw = path.read_text().replace(", options: null", "").replace(", options: {Threads: 1}", "")
    path.write_text(raw)
    assert main([str(path), "--out", str(tmp_path / "one")]) == 0
    assert match(tmp_path / "two", "--openings", openings_file, "--pairs", "2", "--seed", "9") == 0
    one, two = games_of(tmp_path / "one"), games_of(tmp_path / "two")
    assert [(r.black, r.transcript) for r in one] == [(r.black, r.transcript) for r in two]
    assert main([str(path), "--pairs", "1", "--out", str(tmp_path / "three")]) == 0
    assert len(games_of(tmp_path / "three")) == 2


def test_the_sequential_test_ends_the_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    bad = engine("bad", "gtp", "illegal")
    options = ["--openings", "random:6", "--pairs", "500", "--sprt", "elo0=0", "elo1=100"]
    assert match(out, *options, second=bad) == 0
    report = json.loads((out / "summary.json").read_text())
    assert report["state"] == "decided: H1 accepted"
    assert report["sprt"]["llr"] >= report["sprt"]["bounds"][1] == pytest.approx(2.944, abs=1e-3)
    assert 4 < report["games_played"] < 100
    assert "H1 accepted" in capsys.readouterr().out
    games = (out / "games.jsonl").read_bytes()
    before = engine_processes()
    assert main(["--resume", str(out)]) == 0
    assert (out / "games.jsonl").read_bytes() == games
    again = json.loads((out / "summary.json").read_text())
    assert {**again, "seconds_of_this_run": 0, "memory_mb": 0} == {**report, "seconds_of_this_run": 0, "memory_mb": 0}
    assert engine_processes() == before


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_match_goes_on_to_the_same_result(
    tmp_path: Path, openings_file: Path, how: signal.Signals
) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    slow = engine("b", "gtp", "slow")
    options = ["--openings", str(openings_file), "--pairs", "3", "--concurrency", "2"]
    arguments = [*engine("a", "native"), *slow, "--each", "movetime=100ms", *options]
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.match", *arguments, "--out", str(out)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    deadline = time.perf_counter() + 60
    while time.perf_counter() < deadline and not ((out / "games.jsonl").exists() and len(games_of(out)) >= 2):
        time.sleep(0.02)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(how)
    printed, _ = process.communicate(timeout=30)
    assert process.returncode == (-9 if how is signal.SIGKILL else 130), printed
    if how is not signal.SIGKILL:
        assert f"go on with: othello-engine match --resume {out}" in printed
        assert json.loads((out / "summary.json").read_text())["state"] == "interrupted"
    _, alive = psutil.wait_procs(children, timeout=5)
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []
    before = games_of(out)
    assert 2 <= len(before) < 6
    with open(out / "games.jsonl", "a") as file:
        file.write('{"game":6,"black":"a","wh')  # as if it had ended in the middle of a line
    assert main(["--resume", str(out)]) == 0
    assert main([*arguments, "--out", str(whole)]) == 0
    after = games_of(out)
    assert [record.to_json() for record in after if record.number in {r.number for r in before}] == [
        record.to_json() for record in before
    ]
    assert [(r.number, r.black, r.transcript, r.score) for r in after] == [
        (r.number, r.black, r.transcript, r.score) for r in games_of(whole)
    ]
    with open(out / "games.ggf") as file:
        assert len(list(read_ggf(file))) == 6
    results = [json.loads((folder / "summary.json").read_text())["pairings"] for folder in (out, whole)]
    assert results[0] == results[1]


def test_a_terminal_shows_a_table_and_control_c_ends_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = [
        *engine("a", "native"),
        *engine("b", "gtp", "slow"),
        "--each",
        "movetime=100ms",
        "--openings",
        "random:6",
    ]
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "tools.match", *arguments, "--out", str(out)],
        cwd=str(ROOT),
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
        dimensions=(40, 80),
        encoding="utf-8",
        timeout=60,
    )
    terminal.expect("match: [1-9][0-9]* of 200 games")
    for word in ("w-d-l", "discs", "Elo", "LOS", "faults", "none"):
        terminal.expect_exact(word)
    terminal.sendintr()
    terminal.expect("interrupted; everything is in")
    terminal.expect("go on with: othello-engine match --resume")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_match_that_nobody_watches_any_more_ends_as_if_interrupted(tmp_path: Path, is_terminal: bool) -> None:
    out = tmp_path / "out"
    engines = [*engine("a", "native"), *engine("b", "gtp", "slow")]
    output, ours = os.openpty() if is_terminal else os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.match", *engines, "--openings", "random:6", "--out", str(out)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=ours,
        stderr=ours,
    )
    os.close(ours)
    printed = b""
    while b" of 200 games" not in printed:
        printed += os.read(output, 1 << 16)
    os.close(output)
    if is_terminal:
        process.send_signal(signal.SIGHUP)  # as the system does
    process.wait(30)
    assert json.loads((out / "summary.json").read_text())["state"] == "interrupted"
    assert process.returncode == 130


def test_a_match_can_be_resumed_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "engine"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" native\n')
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    second = ["--engine", "name=b", "command=./engine"]
    assert match(Path("out"), "--openings", "random:6", "--pairs", "2", second=second) == 0
    games = (tmp_path / "out" / "games.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "out" / "games.jsonl").write_text("".join(games[:1]))
    monkeypatch.chdir("/")
    assert main(["--resume", str(tmp_path / "out")]) == 0
    assert [record.number for record in games_of(tmp_path / "out")] == [0, 1, 2, 3]


def test_a_finished_folder_is_not_overwritten(
    tmp_path: Path, openings_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert match(tmp_path / "out", "--openings", openings_file, "--pairs", "1") == 0
    assert match(tmp_path / "out", "--openings", openings_file, "--pairs", "2") == 2
    assert "holds a match already" in capsys.readouterr().err
    missing = ["--engine", "name=b", "command=/no/such/engine"]
    assert match(tmp_path / "out", second=missing) == 2  # said before programs are started
    assert "holds a match already" in capsys.readouterr().err
    assert len(games_of(tmp_path / "out")) == 2
    assert main(["--resume", str(tmp_path / "out"), "--seed", "3"]) == 2
    assert "seed can't be changed" in capsys.readouterr().err
    assert main(["--resume", str(tmp_path / "out"), "--out", "elsewhere"]) == 2
    assert "out can't be changed" in capsys.readouterr().err
    assert main(["--resume", str(tmp_path)]) == 2
    assert "holds no match to go on with" in capsys.readouterr().err


def test_a_damaged_games_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert match(out, "--openings", "random:6", "--pairs", "2") == 0
    lines = (out / "games.jsonl").read_text().splitlines(keepends=True)
    (out / "games.jsonl").write_text("".join([*lines[:2], "what?\n", *lines[2:]]))
    assert main(["--resume", str(out)]) == 2
    assert "games.jsonl, line 3: no record of a game" in capsys.readouterr().err
    assert (out / "games.jsonl").read_text().splitlines(keepends=True)[3:] == lines[2:]


def test_a_game_that_does_not_belong_to_the_match_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert match(out, "--openings", "random:6", "--pairs", "1") == 0
    lines = (out / "games.jsonl").read_text().splitlines(keepends=True)
    (out / "games.jsonl").write_text("".join([*lines, lines[0]]))
    assert main(["--resume", str(out)]) == 2
    assert "games.jsonl, line 3: game 1 once more" in capsys.readouterr().err
    (out / "games.jsonl").write_text("".join(lines).replace('"a"', '"c"'))
    assert main(["--resume", str(out)]) == 2
    assert f"{out}: game 1 is of c, which is not in the match" in capsys.readouterr().err


def test_a_folder_belongs_to_one_manager_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert match(out, "--openings", "random:6", "--pairs", "1") == 0
    folder, _, _ = Folder.load(out)
    folder.lock()
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    assert main(["--resume", str(out)]) == 2
    assert f"{out}: this match is being played by another process" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in out.iterdir()} == files
    folder.close()
    assert main(["--resume", str(out)]) == 0


def test_a_full_disk_ends_the_match_and_loses_no_game(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = [*engine("a", "native"), *engine("b", "native"), "--openings", "random:6", "--pairs", "30"]
    done = subprocess.run(
        [sys.executable, "-m", "tools.match", *arguments, "--out", str(out)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    assert done.returncode == 2
    assert f"match: {out}: File too large; the games before this are safe" in done.stderr
    assert "Traceback" not in done.stderr
    with open(out / "games.jsonl", "rb") as file:
        n_whole = sum(line.endswith(b"\n") for line in file)
    assert 5 < n_whole < 60
    assert main(["--resume", str(out)]) == 0
    assert [record.number for record in games_of(out)] == list(range(60))


def test_names_may_look_like_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of Rich, of Matplotlib, of Markdown; and the font lacks one."""
    path, out = tmp_path / "match.yaml", tmp_path / "out"
    command = [sys.executable, str(FAKE), "native"]
    engines = [{"name": name, "command": command} for name in ("_a|b:cat:", "$\\foo$", "\u65e5")]
    path.write_text(json.dumps({"name": "a [/b] $\\foo$", "engines": engines}))
    assert main([str(path), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    for name in ("a [/b] $\\foo$: 6 of 6 games", "_a|b:cat:", "$\\foo$", "\u65e5"):
        assert name in printed
    assert "_a|b:cat: against" in re.sub(r"<!--|-->", "", (out / "score.svg").read_text(encoding="utf-8"))


def test_any_locale_will_do(tmp_path: Path) -> None:
    """And a title that YAML takes for a date."""
    path, out = tmp_path / "match.yaml", tmp_path / "out"
    engines = [{"name": name, "command": [sys.executable, str(FAKE), "native"]} for name in ("\u017dofie", "b")]
    path.write_text(f"name: 2026-11-30\nengines: {json.dumps(engines)}\n")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(ROOT)}
    for arguments in ([path, "--out", out], ["--resume", out]):
        done = subprocess.run(
            [sys.executable, "-m", "tools.match", *arguments], env={**os.environ, **ascii_only}, capture_output=True
        )
        assert done.returncode == 0, done.stderr
        assert b"2026-11-30: 2 of 2 games" in done.stdout
        assert "\u017dofie" in (out / "games.txt").read_text(encoding="utf-8")


def test_limits_that_can_not_be_told_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert match(tmp_path / "out", second=engine("b", "cassio")) == 0
    assert "b is not told: time per move; its command line has to keep it" in capsys.readouterr().out
    assert "- b: time per move" in (tmp_path / "out" / "summary.md").read_text()


def test_the_end_of_a_match_whose_engines_fail_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = engine("bad", "native", "crashing")
    assert match(tmp_path / "out", "--openings", "random:6", "--give-up", "2", second=bad) == 0
    printed = capsys.readouterr().out
    assert "too few engines are left" in printed
    assert "bad was taken out: 2 games one after another failed" in printed
    assert len(games_of(tmp_path / "out")) == 2


def test_adjudication_agrees_with_the_plain_solver() -> None:
    position, found = Position.from_moves(BEFORE_A_PASS), []
    while not position.is_over:
        position = position.play(position.legal_moves[-1])
        if position.n_empties <= 7:
            found.append(position)
    passes = [position.swapped() for position in found if position.swapped().must_pass]
    assert passes
    with ExactSolver() as solver:
        for position in found + passes:
            assert solver(position) == plain_solver.score(position.player, position.opponent), position


def test_adjudication_of_anti_othello_agrees_with_the_plain_solver() -> None:
    found = []
    for line in ("f5", BEFORE_A_PASS):
        position = Position.from_moves(line)
        while not position.is_over:
            position = position.play(position.legal_moves[-1])
            if position.n_empties <= 7:
                found.append(position)
    found += [position.swapped() for position in found if position.swapped().must_pass]
    assert any(position.must_pass for position in found)
    with ExactSolver(is_anti=True) as solver:
        for position in found:
            assert solver(position) == plain_solver.score(position.player, position.opponent, anti=True), position


def test_what_is_solved_can_be_interrupted() -> None:
    caught: list[BaseException] = []

    def ask(solver: ExactSolver) -> None:
        try:
            solver(Position.start())  # takes for ever
        except Exception as error:
            caught.append(error)

    with ExactSolver() as solver:
        threads = [threading.Thread(target=ask, args=(solver,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        before = time.perf_counter()
        solver.interrupt()
        for thread in threads:
            thread.join(20)
        assert time.perf_counter() - before < 10
    assert [type(error) for error in caught] == [EngineError, EngineError]


def test_a_tournament_that_is_closed_interrupts_its_solver() -> None:
    asked, ended = threading.Event(), threading.Event()

    def solver(position: Position) -> int:
        asked.set()
        assert ended.wait(20)
        return 0

    rules = Rules(adjudicate_empties=60, solver=solver)
    meetings = schedule(2, "round-robin", [Opening.of(OPENINGS[0])])
    games = Tournament([fake(name="a"), fake(name="b")], meetings, rules, interrupt=ended.set)
    threading.Thread(target=lambda: (asked.wait(20), games.close())).start()
    before = time.perf_counter()
    assert list(games) == []
    assert time.perf_counter() - before < 15


def test_the_overhead_of_a_fast_match_is_small_and_its_memory_flat() -> None:
    """Generous bounds; docs/match.md has the figures of 10,000 games."""
    with players(fake(name="a"), fake("nboard", name="b")) as (first, second):
        opening = Opening.of(OPENINGS[0])
        records = [play_game((first, second), opening, QUICK) for _ in range(3)]
        before = psutil.Process().memory_info().rss
        records += [play_game((first, second), opening, QUICK) for _ in range(30)]
        assert psutil.Process().memory_info().rss - before < 4 << 20
    overheads = sorted(1000 * record.manager_s / len(record.moves) for record in records)
    assert overheads[len(overheads) // 2] < 1.0


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    printed = capsys.readouterr().out
    for word in ("examples:", "--resume", "movetime", "openings", "elo0", "exit status"):
        assert word in printed


def test_a_tournament_goes_on_without_an_engine_that_was_taken_out(tmp_path: Path) -> None:
    out = tmp_path / "out"
    more = [*engine("bad", "native", "crashing"), *engine("c", "cassio")]
    assert match(out, "--openings", "random:6", "--pairs", "4", "--give-up", "2", second=more) == 0
    report = json.loads((out / "summary.json").read_text())
    assert report["state"] == "played as far as its engines could"
    assert report["withdrawn"] == ["bad"]
    assert [engine["games"] for engine in report["engines"]] == [10, 2, 8]
    assert "Taken out after repeated failures: bad." in (out / "summary.md").read_text()
    n_games = len(games_of(out))
    assert main(["--resume", str(out)]) == 0
    assert len(games_of(out)) == n_games


def test_a_match_of_anti_othello_is_one_in_all_its_files(
    tmp_path: Path, openings_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same games as in Othello, won by the other side."""
    options = ["--openings", openings_file, "--pairs", "3", "--adjudicate", "4"]
    anti, usual = tmp_path / "anti", tmp_path / "usual"
    log = tmp_path / "log"
    told = shlex.join([sys.executable, str(FAKE), "native", "good", "--log", str(log)])
    second = ["--engine", "name=b", f"command={told}"]
    assert match(anti, *options, "--variant", "anti", second=second) == 0
    printed = capsys.readouterr().out
    assert "match (anti-Othello): 6 of 6 games" in printed
    assert "not told" not in printed
    assert "setoption name Variant value anti\n" in log.read_text()
    assert log.read_text().index("setoption") < log.read_text().index("newgame")
    log.unlink()
    assert match(usual, *options, second=second) == 0
    assert "Variant" not in log.read_text()

    records = games_of(anti)
    assert all(record.is_anti and record.ending == "adjudicated" for record in records)
    with open(anti / "games.ggf") as file:
        games = list(read_ggf(file))
    lines = [line.split("\t") for line in (anti / "games.txt").read_text().splitlines()]
    assert [line[2:4] for line in lines] == [["8a", str(n)] for n in range(1, 7)]
    for record, game_read, line, other in zip(records, games, lines, games_of(usual), strict=True):
        position = record.to_game().final_position
        solved = plain_solver.score(position.player, position.opponent, anti=True)
        assert record.score == (solved if position.side == BLACK else -solved)
        assert game_read.result is not None
        assert game_read.result.score == int(line[1]) == record.score
        assert record.transcript == other.transcript
    report = json.loads((anti / "summary.json").read_text())
    assert report["variant"] == "anti"
    [duel] = report["pairings"]
    of_a = [record.score if record.black == "a" else -record.score for record in records]
    assert duel["wins"] == sum(score > 0 for score in of_a)
    assert duel["discs"] == pytest.approx(sum(of_a) / 6)
    text = (anti / "summary.md").read_text()
    assert text.startswith("# match (anti-Othello)")
    assert "- Anti-Othello: fewest discs win." in text
    assert "match (anti-Othello)" in re.sub(r"<!--|-->", "", (anti / "score.svg").read_text(encoding="utf-8"))
    assert json.loads((usual / "summary.json").read_text())["variant"] == "othello"
    assert "nti-Othello" not in (usual / "summary.md").read_text()


def test_a_match_goes_on_in_its_variant_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    for path in (out, whole):
        assert match(path, "--openings", "random:6", "--pairs", "2", "--variant", "anti") == 0
    assert "b is not told: variant anti; its command line has to keep it" in capsys.readouterr().out  # it speaks GTP
    assert "- b: variant anti" in (out / "summary.md").read_text()
    games = (out / "games.jsonl").read_text().splitlines(keepends=True)
    (out / "games.jsonl").write_text("".join(games[:1]))
    assert main(["--resume", str(out), "--variant", "othello"]) == 2
    assert "--resume goes on with the match as it was; variant can't be changed" in capsys.readouterr().err
    description = (out / "match.json").read_text()
    (out / "match.json").write_text(description.replace('"anti"', '"othello"'))
    assert main(["--resume", str(out)]) == 2
    told = f"{out}: game 1 is of variant anti, but the match of othello; that can't be changed"
    assert told in capsys.readouterr().err
    assert (out / "games.jsonl").read_text() == games[0]
    (out / "match.json").write_text(description)
    assert main(["--resume", str(out)]) == 0
    assert [(r.transcript, r.score) for r in games_of(out)] == [(r.transcript, r.score) for r in games_of(whole)]
    for name in ("games.ggf", "games.txt"):
        assert (out / name).read_text().count("8a") == 4
    results = [json.loads((path / "summary.json").read_text())["pairings"] for path in (out, whole)]
    assert results[0] == results[1]


@pytest.mark.e2e
def test_the_engine_plays_anti_othello_against_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = f"command={sys.executable} -m protocol --set Threads=1 --set Hash=16"
    told = f"{command} --set Variant=anti --protocol nboard"
    arguments = ["--engine", "name=a", command, "--engine", "name=b", told, "protocol=nboard"]
    arguments += ["--each", "depth=3", f"env.PYTHONPATH={ROOT}", f"directory={ROOT}"]
    options = ["--variant", "anti", "--openings", "random:8", "--pairs", "2", "--patience", "120s"]
    assert main([*arguments, *options, "--out", str(out)]) == 0
    records = games_of(out)
    assert len(records) == 4
    for record in records:
        assert (record.fault, record.ending, record.is_anti) == (None, "played", True)
        position, side_values = record.start, []
        for each in record.moves:
            mover = position.side
            if position.n_empties <= 3 and each.value is not None:
                side_values.append(each.value if mover == BLACK else -each.value)
            position = position.play(each.move)
        assert position.is_over
        assert record.score == anti_score(position)
        assert set(side_values) == {record.score}  # both saw the end of the game, and the same result there
    assert main(["--resume", str(out), "--variant", "anti"]) == 2
    classic = [word.replace("protocol --set", "protocol --profile classic --set") for word in arguments]
    capsys.readouterr()
    assert main([*classic, *options, "--out", str(tmp_path / "other")]) == 2
    assert "a can't play: refusal: error" in capsys.readouterr().err


@pytest.mark.e2e
def test_the_engine_plays_itself_over_every_dialect_without_a_fault(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments: list[str] = []
    for dialect in ("native", "nboard", "gtp", "cassio"):
        command = f"{sys.executable} -m protocol --profile classic --protocol {dialect}"
        settings = "--set MoveTime=30 --set Threads=1 --set Hash=16"
        arguments += ["--engine", f"name={dialect}", f"protocol={dialect}", f"command={command} {settings}"]
    arguments += ["--each", "movetime=30ms", f"env.PYTHONPATH={ROOT}", f"directory={ROOT}"]
    options = ["--openings", "random:20", "--pairs", "1", "--mode", "gauntlet", "--margin", "3s", "--concurrency", "2"]
    assert main([*arguments, *options, "--out", str(out)]) == 0
    records = games_of(out)
    assert len(records) == 6
    assert [record.fault for record in records if record.fault] == []
    report = json.loads((out / "summary.json").read_text())
    for engine_report in report["engines"]:
        assert engine_report["midgame_mean_ms"] < 60


def test_a_folder_is_only_made_when_all_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert match(out, "--pairs", "5") == 2
    assert "there is only the start" in capsys.readouterr().err
    assert match(out, "--openings", "random:1", "--pairs", "5") == 2
    assert "random:1 has 4" in capsys.readouterr().err
    assert match(out, "--openings", tmp_path / "missing") == 2
    assert "missing: No such file" in capsys.readouterr().err
    missing = ["--engine", "name=b", "command=/no/such/engine"]
    assert match(out, second=missing) == 2
    assert "b can't play: crash: can't start /no/such/engine: no such file" in capsys.readouterr().err
    assert not out.exists()
    (tmp_path / "file").touch()
    assert match(tmp_path / "file" / "out") == 2
    assert "Not a directory" in capsys.readouterr().err


def test_a_folder_keeps_what_it_is_given(tmp_path: Path) -> None:
    openings = [parse_opening(line) for line in (OPENINGS[0], "-" * 27 + "XO------OX" + "-" * 27 + " O; d6:+1; odd")]
    folder = Folder.create(tmp_path / "out", {"seed": 3}, openings, "cup")
    same, settings, again = Folder.load(folder.path)
    assert (same.event, same.date) == (folder.event, folder.date)
    assert settings == {"seed": 3}
    assert again == openings
    assert list(folder.records()) == []
