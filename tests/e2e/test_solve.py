"""`solve` as an analyst uses it: killed and resumed, interrupted, fed through a pipe and at a terminal."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pexpect
import pytest

from othello_engine.position import Position
from tests.e2e.client import Terminal
from tests.positions import SOLVED, random_game
from tools.measure.driver import COMMAND, engine_environment, session_members

ONE_WORKER = ("--threads", "1", "--set", "hash=16")
A1_WINS = next(known for known in SOLVED if known.name.endswith("a1 wins"))
WITH_VALUES = f"{A1_WINS.text}; " + " ".join(f"{move}:{score:+d};" for move, score in A1_WINS.moves)


@contextlib.contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The program in a session of its own, of which nothing is left at the end."""
    process = subprocess.Popen(
        [*COMMAND, "solve", *arguments, *ONE_WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
        env=engine_environment(),
        start_new_session=True,
    )
    try:
        yield process
        process.wait(10)
        for survivor in session_members(process.pid):
            survivor.wait(3)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def run(*arguments: str, text: str = "") -> tuple[int, str, str]:
    """Status, output and stderr of a run to the end."""
    with started(*arguments) as process:
        out, err = process.communicate(text, timeout=60)
        return process.returncode, out, err


def read_rows(pipe: IO[str] | None, n: int) -> list[str]:
    """The heading and the next `n` rows, as soon as they are there."""
    assert pipe is not None
    return [pipe.readline() for _ in range(n + 1)]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def findings(rows: list[dict[str, str]]) -> list[tuple[str, ...]]:
    """What must be the same in every run; of several best moves and lines of play any may come."""
    return [tuple(row[name] for name in ("number", "line", "board", "score", "verdict", "fault")) for row in rows]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Positions that take some hundredths of a second each, with comments, blank lines and CR LF."""
    path = tmp_path / "endgames.obf"
    rng = random.Random(5)
    boards = [next(p for p in random_game(rng) if p.n_empties == 17).to_text() for _ in range(24)]
    path.write_bytes(("% two dozen positions\r\n\r\n" + ";\r\n".join(boards) + ";\r\n" + WITH_VALUES + "\r\n").encode())
    return path


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_killed_run_goes_on_and_ends_as_if_nothing_had_happened(warm_cache: None, file: Path, tmp_path: Path) -> None:
    whole, table, report = tmp_path / "whole.csv", tmp_path / "r.csv", tmp_path / "r.json"
    files = (str(file), "--csv", str(table), "--json", str(report), "--resume")
    status, shown, _ = run(str(file), "--csv", str(whole))
    assert status == 0
    assert len(rows_of(whole)) == 25

    n_done = 0
    for n in (3, 4):
        with started(*files) as process:
            seen = read_rows(process.stdout, n)[1:]
            process.kill()
        n_done += len(seen)
        assert len(rows_of(table)) >= n_done
        assert len(json.loads(report.read_text())["positions"]) >= n_done
        n_done = len(rows_of(table))
    assert 7 <= n_done < 25

    with table.open("a") as lines:
        lines.write('99,2,"half a')  # what a kill in the middle of a write leaves
    status, resumed, err = run(*files)
    assert (status, err) == (0, "")
    assert resumed.splitlines()[-1].startswith(f"25 positions, {n_done} of them solved before: 1 right, 24 unknown;")
    assert shown.splitlines()[-1].startswith("25 positions: 1 right, 24 unknown;")
    assert findings(rows_of(table)) == findings(rows_of(whole))
    totals = json.loads(report.read_text())["totals"]
    assert (totals["positions"], totals["remaining"], totals["right"], totals["wrong"]) == (25, 0, 1, 0)
    assert totals["nodes"] == sum(int(row["nodes"]) for row in rows_of(table))


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_files_totals_and_nothing_else(
    warm_cache: None, file: Path, tmp_path: Path, number: signal.Signals
) -> None:
    table, report = tmp_path / "r.csv", tmp_path / "r.json"
    with started(str(file), "--csv", str(table), "--json", str(report)) as process:
        read_rows(process.stdout, 2)
        process.send_signal(number)
        out, err = process.communicate(timeout=5)
    assert (process.returncode, err) == (128 + number, "")
    n = len(rows_of(table))
    assert 2 <= n < 25
    assert out.splitlines()[-1].startswith(f"interrupted; {n} of 25 positions: {n} unknown;")
    assert json.loads(report.read_text())["totals"]["remaining"] == 25 - n


def test_results_of_another_question_are_refused(warm_cache: None, file: Path, tmp_path: Path) -> None:
    table = tmp_path / "r.csv"
    assert run(str(file), "--limit", "2", "--csv", str(table))[0] == 0
    before = table.read_bytes()
    status, out, err = run(str(file), "--limit", "2", "--csv", str(table), "--resume", "--wld")
    assert (status, out) == (2, "")
    refusal = f"othello-engine: {table}: the results are of a run with another variant, --wld or --moves\n"
    assert err == refusal
    status, out, err = run(str(file), "--limit", "2", "--csv", str(table), "--resume", "--set", "variant=anti")
    assert (status, out, err) == (2, "", refusal)
    assert table.read_bytes() == before
    assert run(str(file), "--limit", "2", "--csv", str(table), "--wld")[0] == 0  # without --resume it begins anew
    assert [row["goal"] for row in rows_of(table)] == ["wld", "wld"]


def test_boards_are_answered_one_by_one_while_more_may_come(warm_cache: None) -> None:
    with started("-", "--jsonl") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for known in SOLVED:
            process.stdin.write(f"{known.text.replace(' ', '')}\n")
            answer = json.loads(process.stdout.readline())
            assert (answer["board"], answer["score"]) == (known.text, known.score)
        process.stdin.close()
        assert process.wait(10) == 0


def test_a_bad_line_of_a_stream_is_told_of_and_the_rest_solved(warm_cache: None) -> None:
    status, out, err = run("-", text=f"% boards\n{A1_WINS.text}\nXO X\n\n{WITH_VALUES}\n")
    assert status == 2
    assert err == "othello-engine: standard input: line 3, field 1: only 2 of 64 squares (column 4)\n"
    assert [row.split()[-1] for row in out.splitlines()[1:-1]] == ["unknown", "right"]


def test_every_move_is_solved_and_compared(warm_cache: None) -> None:
    changed = WITH_VALUES.replace("e2:-8", "e2:-10")
    status, out, _ = run("-", "--moves", "--jsonl", text=f"{WITH_VALUES}\n{changed}\n")
    answer, other = map(json.loads, out.splitlines())
    assert (answer["verdict"], answer["fault"]) == ("right", "")
    assert (status, other["verdict"], other["fault"]) == (1, "wrong", "")
    moves = [(each["move"], each["score"]) for each in answer["moves"]]
    assert sorted(moves) == sorted(A1_WINS.moves)
    for each in answer["moves"]:
        end = Position.from_text(A1_WINS.text)
        for move in each["pv"].split():
            end = end.play(move)
        assert end.final_score * (1 if end.side == A1_WINS.position.side else -1) == each["score"]

    status, out, _ = run("-", "--moves", "--wld", text=WITH_VALUES)
    assert (status, out.splitlines()[2].split()[:2]) == (0, ["win", "a1"])


def test_a_person_types_boards_at_a_terminal(warm_cache: None) -> None:
    with Terminal(["solve", "-", *ONE_WORKER], columns=120) as terminal:
        terminal.send("XO X")
        terminal.child.expect("standard input: line 1, field 1: only 2 of 64 squares")
        terminal.send(WITH_VALUES)
        terminal.child.expect("right")
        terminal.child.sendintr()
        terminal.child.expect("interrupted; 1 position: 1 right;")
        terminal.child.expect(pexpect.EOF, timeout=5)
        terminal.child.close()
        assert terminal.child.exitstatus == 130


def test_a_terminal_that_goes_away_is_a_hang_up(warm_cache: None, file: Path, tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    with Terminal(["solve", str(file), "--json", str(report), *ONE_WORKER], columns=120) as terminal:
        terminal.child.expect("unknown")
        terminal.child.ptyproc.delayafterclose = 2  # a busy machine must not get more signals meanwhile
        terminal.child.close()
        assert terminal.child.exitstatus == 128 + signal.SIGHUP
    totals = json.loads(report.read_text())["totals"]
    assert totals["positions"] + totals["remaining"] == 25


def test_long_work_shows_how_far_it_is(warm_cache: None, file: Path) -> None:
    with Terminal(["solve", str(file), *ONE_WORKER]) as terminal:
        terminal.child.expect("17 empty squares")
        terminal.child.expect("/25")
        terminal.child.expect("25 positions: 1 right, 24 unknown;")
        terminal.child.expect(pexpect.EOF, timeout=5)
