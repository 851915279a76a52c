"""The engine with its real kernels: right, prompt, the same every time. Uses the user's kernel cache."""

from __future__ import annotations

import itertools
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from othello_engine.config import load_config
from othello_engine.core.cache import CACHE_VARIABLE
from othello_engine.engine.deepening import Line
from othello_engine.engine.engine import Engine
from othello_engine.engine.loading import KERNELS
from othello_engine.engine.scheduler import Scheduler, Tuning
from othello_engine.engine.simulation import Simulation, simulate
from othello_engine.position import Position
from othello_engine.search.driver import Searcher
from othello_engine.types import PASS, Bound, Goal, Limits, ScoreKind, SearchInfo
from tests.engine.conftest import EngineMaker, worker_processes
from tests.engine.test_deepening import plan_for, random_position
from tests.positions import SOLVED, START_PERFT
from tests.search.support import new_searcher
from tools import plain_solver
from tools.check_exact import Case, Check, endgames, sign

ROOT = Path(__file__).resolve().parent.parent.parent
MIDGAME = Position.from_moves("f5d6c3d3c4f4f6")
TWENTY = Position.from_text("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X")
"""20 empties: a2 38, c7 36, d8 34, c1 30, b1 30, g7 28, d7 28, c6 28, f7 26, a6 24."""
WIPE_OUTS = (
    "OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO---XOOO X",
    "OO-O-OOOOOOXOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO-OO X",
    "-OOOOOOO--OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOXOOOOOOO-OOOOOOOOOOOOO X",
)
"""Lost by 64 after a pass."""


@pytest.fixture(scope="module")
def shared_engines() -> Iterator[dict[int, Engine]]:
    """Engines with 1, 2 and 4 workers, by number."""
    engines = {n: Engine(load_config(overrides={"Threads": n, "Hash": 16})) for n in (1, 2, 4)}
    for engine in engines.values():
        assert engine.wait_ready(180)
    yield engines
    for engine in engines.values():
        engine.close()
    assert worker_processes() == []


@pytest.fixture(params=[1, 2, 4])
def engine(request: pytest.FixtureRequest, shared_engines: dict[int, Engine]) -> Engine:
    """Each of the shared engines, with nothing remembered."""
    engine = shared_engines[request.param]
    engine.new_game()
    return engine


def end_of(position: Position, line: tuple[int, ...]) -> Position:
    for move in line:
        position = position.play(move)
    return position


def test_known_endgames_are_solved(engine: Engine) -> None:
    for known in SOLVED:
        engine.set_position(known.position)
        result = engine.go(Limits(goal=Goal.EXACT)).wait(60)
        assert result.error is None
        assert (result.lines[0].score.kind, result.lines[0].score.value) == (ScoreKind.DISCS, known.score)
        assert result.lines[0].score.bound is Bound.EXACT


def test_all_root_moves_of_a_known_position_are_valued(engine: Engine) -> None:
    engine.set_position(TWENTY)
    result = engine.go(Limits(goal=Goal.EXACT, multipv=10)).wait(120)
    assert [line.score.value for line in result.lines] == [38, 36, 34, 30, 30, 28, 28, 28, 26, 24]
    assert result.lines[0].pv[0] == 8


def test_a_line_of_play_is_legal_and_ends_as_its_score_says(engine: Engine) -> None:
    for seed in range(10):
        position = random_position(13, seed)
        engine.set_position(position)
        line = engine.go(Limits(goal=Goal.EXACT)).wait(60).lines[0]
        last = end_of(position, line.pv)
        if last.is_over:
            sign = 1 if last.side == position.side else -1
            assert sign * last.final_score == line.score.value


def test_one_and_many_workers_agree_on_every_solve(shared_engines: dict[int, Engine]) -> None:
    for seed in range(12):
        position = random_position(12 + seed % 5, 100 + seed)
        scores = set()
        for engine in shared_engines.values():
            engine.set_position(position)
            scores.add(engine.go(Limits(goal=Goal.EXACT)).wait(60).lines[0].score.value)
            score = engine.go(Limits(goal=Goal.WLD)).wait(60).lines[0].score
            assert score.kind is ScoreKind.WLD
            assert score.value == (max(scores) > 0) - (max(scores) < 0)
        assert len(scores) == 1


@pytest.fixture(scope="module")
def small() -> dict[int, list[Case]]:
    """By number of empties, 1 to 12: positions, most of them with passes or early ends, and their true values."""
    found = endgames(range(1, 13), 4, random.Random(3))
    return {n: [Case.of(position, kind) for position, kind in chosen] for n, chosen in found.items()}


@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_small_endgames_that_workers_share_are_answered_with_proofs(
    shared_engines: dict[int, Engine], small: dict[int, list[Case]], n_workers: int
) -> None:
    """A small helping of `tools.check_exact`: cold tables, and warm ones after searches that prove nothing."""
    check = Check("strong", n_workers, random.Random(n_workers), lines_to=6)
    with check.dividing():
        for n_empties, cases in small.items():
            for _ in check.ask(shared_engines[n_workers], n_empties, cases[:2]):
                pass
    assert [str(difference) for difference in check.differences if not difference.is_line] == []
    assert check.total.shared >= (check.total.solves // 2 if n_workers > 1 else 0)


def solve_shared(
    position: Position, n_workers: int, searchers: list[Searcher], floor: int, epoch: int = 0, **changes: object
) -> Line:
    """The line of a solve by pretended workers that divide everything with at least `floor` empties."""
    tuning = Tuning(least_run=0, split_depth=1, split_empties=floor, open_depth=2, open_empties=floor)
    simulation = Simulation(searchers[:n_workers], Scheduler(tuning), latency=20)
    (line,) = simulate(plan_for(position, **changes), simulation, epoch=epoch).lines
    return line


def cases_to_divide(small: dict[int, list[Case]], seed: int) -> Iterator[tuple[Case, int]]:
    """Those with a move, each with the empties down to which it is to be divided."""
    dice = random.Random(seed)
    for case in itertools.chain.from_iterable(small.values()):
        if case.moves:
            yield case, dice.randint(1, case.position.n_empties)


@pytest.fixture(scope="module")
def team() -> list[Searcher]:
    """Eight searchers that share a table."""
    searchers = [new_searcher() for _ in range(8)]
    table = bytearray(1 << 16)
    for searcher in searchers:
        searcher.attach_table(table)
    return searchers


@pytest.mark.parametrize("n_workers", [1, 2, 4, 8])
def test_any_division_of_a_solve_gives_the_value_and_a_best_move(
    small: dict[int, list[Case]], team: list[Searcher], n_workers: int
) -> None:
    """With pretended workers, so that eight of them are busy at once; each finds what the one before has left."""
    for case, floor in cases_to_divide(small, n_workers):
        line = solve_shared(case.position, n_workers, team, floor, goal=Goal.EXACT)
        assert (line.score.value, line.score.bound) == (case.score, Bound.EXACT), case.position
        assert case.moves[line.move] == case.score, case.position


@pytest.mark.parametrize("n_workers", [1, 2, 4, 8])
def test_any_division_proves_the_outcome_with_a_move_that_has_it(
    small: dict[int, list[Case]], team: list[Searcher], n_workers: int
) -> None:
    for case, floor in cases_to_divide(small, n_workers):
        line = solve_shared(case.position, n_workers, team, floor, epoch=2, goal=Goal.WLD)
        assert (line.score.value, line.score.bound) == (sign(case.score), Bound.EXACT), case.position
        assert sign(case.moves[line.move]) == sign(case.score), case.position


@pytest.mark.parametrize("text", WIPE_OUTS)
def test_the_line_to_a_wipe_out_is_complete(text: str, team: list[Searcher]) -> None:
    case = Case.of(Position.from_text(text))
    line = solve_shared(case.position, 1, team, 99, epoch=3, goal=Goal.EXACT)
    assert plain_solver.line_score(case.position.player, case.position.opponent, line.pv) == line.score.value


@pytest.mark.parametrize("n_workers", [2, 4, 8])
def test_the_line_of_a_divided_solve_is_complete(
    small: dict[int, list[Case]], team: list[Searcher], n_workers: int
) -> None:
    for case in itertools.chain.from_iterable(small.values()):
        floor = max(1, case.position.n_empties - 2)
        if case.moves:
            line = solve_shared(case.position, n_workers, team, floor, epoch=4, goal=Goal.EXACT)
            assert plain_solver.line_score(case.position.player, case.position.opponent, line.pv) == case.score


def test_a_stopped_solve_is_not_called_exact(engine: Engine) -> None:
    position = random_position(30, 3)
    engine.set_position(position)
    for limit in (20, 50, 200):
        result = engine.go(Limits(goal=Goal.EXACT, move_time_ms=limit)).wait(5)
        assert result.best_move in position.legal_moves
        for line in result.lines:
            is_estimate = line.score.kind is ScoreKind.CENTIDISCS or line.selectivity < 100
            assert is_estimate or line.score.bound is not Bound.EXACT


def test_interruptions_leave_nothing_wrong_in_the_table(engine: Engine) -> None:
    """Short searches of all kinds, then a solve of the same and of neighbouring positions."""
    dice = random.Random(1)
    for seed in range(6):
        position = random_position(14, 50 + seed)
        engine.new_game()
        engine.set_position(position)
        expected = engine.go(Limits(goal=Goal.EXACT)).wait(60).lines[0].score.value
        engine.new_game()
        for _ in range(8):
            engine.set_position(dice.choice([position, position.play(dice.choice(position.legal_moves))]))
            limits = dice.choice([Limits(move_time_ms=8), Limits(nodes=3000), Limits(goal=Goal.EXACT, move_time_ms=10)])
            engine.go(limits).wait(5)
        engine.set_position(position)
        assert engine.go(Limits(goal=Goal.EXACT)).wait(60).lines[0].score.value == expected


def test_play_and_analysis_agree(shared_engines: dict[int, Engine]) -> None:
    engine = shared_engines[1]
    for seed in range(15):
        position = random_position(15 + 2 * seed, seed)
        engine.set_position(position)
        engine.clear_hash()
        played = engine.go(Limits(depth=5, selectivity=100)).wait(20)
        engine.clear_hash()
        analysed = engine.go(Limits(depth=5, selectivity=100, multipv=64)).wait(20)
        assert played.lines[0].score.value == analysed.lines[0].score.value
        best = [line.pv[0] for line in analysed.lines if line.score.value == played.lines[0].score.value]
        assert played.best_move in best


def test_one_worker_is_the_same_every_time(shared_engines: dict[int, Engine]) -> None:
    engine = shared_engines[1]
    runs = []
    for _ in range(3):
        engine.new_game()
        infos: list[SearchInfo] = []
        for seed in range(5):
            engine.set_position(random_position(40 - 5 * seed, seed))
            engine.go(Limits(depth=8), infos.append).wait(30)
        runs.append([(info.depth, info.nodes, info.score.value, info.pv) for info in infos])
    assert runs[0] == runs[1] == runs[2]


def test_one_worker_counts_the_same_nodes_in_every_process() -> None:
    script = (
        "from othello_engine.config import load_config\n"
        "from othello_engine.engine.engine import Engine\n"
        "from othello_engine.position import Position\n"
        "from othello_engine.types import Limits\n"
        "with Engine(load_config(overrides={'Threads': 1, 'Hash': 16})) as engine:\n"
        "    engine.set_position(Position.from_moves('f5d6c3d3c4f4f6'))\n"
        "    print(engine.go(Limits(depth=9)).wait().nodes)\n"
    )
    seen = set()
    for seed in ("0", "1", "random"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        seen.add(done.stdout)
    assert len(seen) == 1


def test_perft_counts_by_all_workers(engine: Engine) -> None:
    counts: list[int] = []
    assert engine.perft(9, lambda depth, nodes, ms: counts.append(nodes)).wait(60).nodes == START_PERFT[8]
    assert counts == list(START_PERFT)


def test_a_static_value_comes_at_once_in_the_middle_of_a_kernel(engine: Engine) -> None:
    engine.set_position(MIDGAME)
    value = engine.evaluate()
    handle = engine.go(Limits(infinite=True))
    time.sleep(0.2)
    began = time.perf_counter()
    assert engine.evaluate(MIDGAME) == value
    assert time.perf_counter() - began < 0.1
    engine.stop()
    handle.wait(2)


def test_a_stop_is_answered_within_milliseconds(engine: Engine) -> None:
    """The real measure is `tools/measure/stop_latency.py`; this bound is wide enough for a busy machine."""
    dice = random.Random(2)
    took = []
    for seed in range(40):
        engine.set_position(random_position(dice.randint(5, 58), seed))
        handle = engine.go(Limits(infinite=True))
        time.sleep(dice.random() * 0.03)
        began = time.perf_counter()
        engine.stop()
        handle.wait(2)
        took.append(time.perf_counter() - began)
    assert statistics.median(took) < 0.01
    assert max(took) < 0.1


def test_a_forced_pass_and_a_single_move_are_answered_with_a_score(engine: Engine) -> None:
    seen = 0
    for seed in range(300):
        position = random_position(9, seed)
        if len(position.legal_moves) == 1:
            seen += 1
            engine.set_position(position)
            began = time.perf_counter()
            result = engine.go(Limits(move_time_ms=60_000)).wait(5)
            assert time.perf_counter() - began < 0.2
            assert result.best_move == position.legal_moves[0]
            assert result.lines[0].score.bound is Bound.EXACT
            assert (result.best_move == PASS) == position.must_pass
        if seen == 20:
            break
    assert seen >= 4


def test_a_long_search_reports_its_progress(engine: Engine) -> None:
    engine.set_position(MIDGAME)
    infos: list[SearchInfo] = []
    handle = engine.go(Limits(infinite=True), infos.append)
    time.sleep(2.5)
    engine.stop()
    handle.wait(2)
    gaps = [later.time_ms - earlier.time_ms for earlier, later in itertools.pairwise(infos)]
    assert max(gaps) < 1300
    assert [info.nodes for info in infos] == sorted(info.nodes for info in infos)
    assert 0 <= infos[-1].hashfull <= 1000


def test_whole_games_are_played_legally_at_a_few_milliseconds_a_move(engine: Engine) -> None:
    position = Position.start()
    while not position.is_over:
        engine.set_position(position)
        result = engine.go(Limits(black_ms=400, white_ms=300, black_increment_ms=5)).wait(5)
        assert result.error is None
        position = position.play(result.best_move)


def test_the_scaling_program_shows_a_row_for_every_number_of_workers() -> None:
    counts = ["--real", "1", "2", "--simulate", "1", "4"]
    command = [
        sys.executable,
        "-m",
        "tools.scaling",
        "--positions",
        "1",
        "--depth",
        "6",
        "--simulated-depth",
        "8",
        *counts,
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode in (0, 1), done.stderr  # 1: too shallow to reach the targets
    rows = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("\u2502")]
    assert rows[:4] == ["1", "2", "1", "4"]
    assert done.stdout.count("targets") == 1


@pytest.mark.slow
def test_a_cold_cache_is_filled_once_by_one_of_several_engines(tmp_path: Path, make_engine: EngineMaker) -> None:
    script = (
        "from othello_engine.config import load_config\n"
        "from othello_engine.engine.engine import Engine\n"
        "from othello_engine.types import Limits\n"
        "said = []\n"
        "with Engine(load_config(overrides={'Threads': 2, 'Hash': 1}), said.append) as engine:\n"
        "    print(engine.go(Limits(depth=5)).wait().best_move, sum('compiling' in each for each in said))\n"
    )
    env = {**os.environ, CACHE_VARIABLE: str(tmp_path), "PYTHONPATH": str(ROOT)}
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
        )
        for _ in range(4)
    ]
    answers = [program.communicate(timeout=180) for program in programs]
    assert [error for _, error in answers] == [""] * 4
    compiled = [int(out.split()[1]) for out, _ in answers]
    assert sum(1 for n in compiled if n) == 1
    assert len({out.split()[0] for out, _ in answers}) == 1


@pytest.mark.slow
def test_a_worker_killed_while_it_compiles_is_replaced_and_the_rest_goes_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_engine: EngineMaker
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    others = worker_processes()
    engine = make_engine(2, KERNELS["othello"], ready=False)
    engine.start()
    time.sleep(2)
    # on a cold cache one compiles, the other waits to be started
    (victim,) = [process for process in worker_processes() if process not in others]
    victim.kill()
    assert engine.wait_ready(120)
    assert engine.go(Limits(depth=4)).wait(20).error is None
