"""Clocks: absurd ones, the right one of two, short ones, moves to go."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pytest

from othello_engine.position import Position
from tests.e2e.client import assert_playable, legal_names, live_positions
from tests.positions import SOLVED, random_game
from tools.measure.driver import EngineProcess

BLACK_TO_MOVE = "setboard startpos moves f5d6c3d3"
WHITE_TO_MOVE = "setboard startpos moves f5d6c3"

# (board, go, most seconds until the answer)
CLOCKS = (
    (BLACK_TO_MOVE, "go btime 0 wtime 0", 0.1),
    (BLACK_TO_MOVE, "go btime -1 wtime -1", 0.1),
    (BLACK_TO_MOVE, "go btime -1000000 wtime 60000", 0.1),
    (BLACK_TO_MOVE, "go btime 0", 0.1),
    (BLACK_TO_MOVE, "go btime 1", 0.1),
    (BLACK_TO_MOVE, "go btime 10 wtime 3600000", 0.1),
    (BLACK_TO_MOVE, "go btime 50 wtime 0", 0.12),
    (BLACK_TO_MOVE, "go btime 100 wtime -5", 0.15),
    (BLACK_TO_MOVE, "go btime 300", 0.33),
    (BLACK_TO_MOVE, "go btime 1000 wtime 1000000000000000000", 0.6),
    (BLACK_TO_MOVE, "go btime 0 binc 100 wtime 0 winc 100", 0.2),
    (BLACK_TO_MOVE, "go btime 0 binc 0", 0.1),
    (BLACK_TO_MOVE, "go btime 500 movestogo 1", 0.55),
    (BLACK_TO_MOVE, "go btime 500 movestogo 0", 0.55),
    (BLACK_TO_MOVE, "go btime 500 movestogo 1000000", 0.55),
    (BLACK_TO_MOVE, "go btime 1000 movestogo 30", 0.6),
    (BLACK_TO_MOVE, "go btime 60000 movestogo 1000 nodes 1000", 0.3),
    (BLACK_TO_MOVE, "go btime 1000000000000000000 wtime 1000000000000000000 depth 3", 0.3),
    (BLACK_TO_MOVE, "go btime 100 wtime 100 binc -50 winc -50", 0.15),
    (WHITE_TO_MOVE, "go btime 3600000 wtime 0", 0.1),
    (WHITE_TO_MOVE, "go btime 3600000 wtime -7", 0.1),
    (WHITE_TO_MOVE, "go btime 3600000 wtime 100", 0.15),
    (WHITE_TO_MOVE, "go wtime 200", 0.25),
    (WHITE_TO_MOVE, "go btime 0 wtime 200 binc 0 winc 20", 0.3),
    (WHITE_TO_MOVE, "go btime 3600000 binc 60000 wtime 50 winc 0 movestogo 3", 0.12),
    (WHITE_TO_MOVE, "go p1time 3600000 p2time 100 p1inc 0 p2inc 0", 0.15),
    (WHITE_TO_MOVE, "go time 0", 0.1),
    (WHITE_TO_MOVE, "go movetime 1", 0.1),
    (WHITE_TO_MOVE, "go time 150", 0.165),
    (WHITE_TO_MOVE, "go movetime 150", 0.165),
)


@pytest.mark.parametrize(("board", "go", "limit"), CLOCKS)
def test_any_clock_is_answered_in_its_limit(engine: EngineProcess, board: str, go: str, limit: float) -> None:
    engine.ask(board)
    answer = engine.search(go, timeout=limit + 5)
    assert answer.best in legal_names(Position.from_moves(board.split()[-1]))
    assert answer.seconds <= limit + 0.015


@pytest.mark.parametrize("go", ["go btime abc", "go movestogo -5 btime 100", "go btime", "go btime 1e5", "go time -1"])
def test_a_clock_that_is_no_clock_is_an_error_or_answered(engine: EngineProcess, go: str) -> None:
    engine.send(go)
    lines = engine.read_until("(?:error|bestmove) .*", 2)
    engine.ask()
    if lines[-1].kind == "bestmove":
        assert "-" in go


@pytest.mark.slow
def test_on_a_busy_machine_moves_are_still_in_time(engine: EngineProcess) -> None:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        seconds = []
        for position in live_positions(200, seed=52):
            engine.ask(f"setboard {position.to_text()}")
            seconds.append(engine.search("go time 50").seconds)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert max(seconds) < 0.2
    assert sorted(seconds)[197] < 0.08


def test_the_other_sides_clock_is_not_needed(engine: EngineProcess) -> None:
    """White has no clock of its own here, so the level decides, or the profile's time for a move."""
    engine.send(WHITE_TO_MOVE, "go btime 50 depth 3")
    assert engine.collect(0).best in legal_names(Position.from_moves("f5d6c3"))


def test_the_last_moves_of_a_game_are_played_in_the_second_that_is_left(engine: EngineProcess) -> None:
    rng = random.Random(51)
    game = random_game(rng)
    position = next(p for p in game if p.n_empties <= 22 and not p.must_pass and not p.is_over)
    clocks = [1.0, 1.0]
    while not position.is_over:
        black, white = (int(1000 * clock) for clock in clocks)
        engine.ask(f"setboard {position.to_text()}")
        answer = engine.search(f"go btime {black} wtime {white}", timeout=3)
        assert_playable(position, answer)
        clocks[position.side] -= answer.seconds
        position = position.play(answer.best)
    assert min(clocks) > 0


def test_unequal_clocks_are_told_apart_by_colour(engine: EngineProcess) -> None:
    engine.ask(BLACK_TO_MOVE)
    rich = engine.search("go btime 30000 wtime 40 depth 60").seconds
    poor = engine.search("go btime 40 wtime 30000 depth 60").seconds
    assert poor < 0.08 < rich


def test_a_solved_position_takes_no_time(engine: EngineProcess) -> None:
    answer = engine.search(f"setboard {SOLVED[2].text}", "go time 60000")
    assert answer.best == "a3"
    assert answer.seconds < 0.3


def test_a_stopped_and_continued_program_still_answers(engine: EngineProcess) -> None:
    engine.send(WHITE_TO_MOVE, "go time 300")
    time.sleep(0.05)
    members = engine.processes()
    for member in members:
        member.send_signal(signal.SIGSTOP)
    time.sleep(1.0)
    for member in members:
        member.send_signal(signal.SIGCONT)
    answer = engine.collect(time.perf_counter())
    assert answer.best in legal_names(Position.from_moves("f5d6c3"))
    assert answer.seconds < 0.5
    assert all(member.status() != psutil.STATUS_STOPPED for member in members)
