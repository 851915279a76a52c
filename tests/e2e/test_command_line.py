"""The commands solve, perft, bench, warmup: what they print, for people and for programs, and how they end."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.positions import SOLVED, START_PERFT
from tools.measure.driver import COMMAND, engine_environment

WITH_MOVES = [known for known in SOLVED if known.moves]
ONE_WORKER = ("--threads", "1")


def run(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; without text stdin is empty."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=text or "",
        capture_output=True,
        text=True,
        env=engine_environment(),
        timeout=180,
        check=False,
    )


def obf_text(change: int = 0) -> str:
    """The small endgames as an OBF file, all scores moved by `change`."""
    lines = ["% small endgames"]
    for known in WITH_MOVES:
        fields = "".join(f" {move}:{score + change:+d};" for move, score in known.moves)
        lines.append(f"{known.text};{fields}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small endgames.obf"
    path.write_text(obf_text(), encoding="utf-8")
    return path


def test_solve_tells_right_from_wrong(warm_cache: None, file: Path) -> None:
    done = run("solve", str(file), *ONE_WORKER)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [row[3] for row in rows[1:-1]] == [known.best[0] for known in WITH_MOVES]
    assert [row[-1] for row in rows[1:-1]] == ["right"] * len(WITH_MOVES)
    assert f"{len(WITH_MOVES)} right" in done.stdout.splitlines()[-1]

    file.write_text(obf_text(change=2), encoding="utf-8")
    done = run("solve", str(file), *ONE_WORKER, "--limit", "1")
    assert done.returncode == 1
    assert [line.split()[-1] for line in done.stdout.splitlines()[1:-1]] == ["wrong"]


def test_solve_speaks_to_programs(warm_cache: None, file: Path, tmp_path: Path) -> None:
    table = tmp_path / "results.csv"
    done = run("solve", "-", *ONE_WORKER, "--json", "--csv", str(table), text=file.read_text(encoding="utf-8"))
    assert (done.returncode, done.stderr) == (0, "")
    positions = json.loads(done.stdout)["positions"]
    assert [(each["move"], each["score"]) for each in positions] == [(k.best[0], k.score) for k in WITH_MOVES]
    with table.open(encoding="utf-8", newline="") as lines:
        assert [row["verdict"] for row in csv.DictReader(lines)] == ["right"] * len(WITH_MOVES)


def test_solve_needs_no_scores_and_takes_foreign_line_ends(warm_cache: None) -> None:
    text = "\ufeff" + "\r\n".join(f"{known.text};" for known in SOLVED) + "\r\n"
    done = run("solve", "-", *ONE_WORKER, "--json", text=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert [each["score"] for each in json.loads(done.stdout)["positions"]] == [known.score for known in SOLVED]


def test_a_malformed_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.obf"
    path.write_text(obf_text() + "XO- X; a1:+3;\n", encoding="utf-8")
    done = run("solve", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "broken.obf" in done.stderr
    assert f"line {len(WITH_MOVES) + 2}" in done.stderr


def test_perft_counts_every_depth(warm_cache: None) -> None:
    done = run("perft", "7", "--set", "threads=1")
    assert (done.returncode, done.stderr) == (0, "")
    counts = [int(line.split()[1].replace(",", "")) for line in done.stdout.splitlines()[1:]]
    assert counts == list(START_PERFT[:7])


def test_bench_has_the_same_signature_every_time(warm_cache: None) -> None:
    signatures = []
    for _ in range(2):
        done = run("bench", "4")
        assert (done.returncode, done.stderr) == (0, "")
        match = re.fullmatch(r"bench nodes (\d+) time \d+ nps \d+", done.stdout.splitlines()[-1])
        assert match
        signatures.append(int(match[1]))
    assert signatures[0] == signatures[1] > 0


def test_warmup_on_a_warm_cache_is_done_at_once(warm_cache: None) -> None:
    done = run("warmup")
    assert (done.returncode, done.stderr) == (0, "")
    assert "compiling" not in done.stdout


def test_a_command_whose_reader_goes_away_ends_quietly(warm_cache: None, file: Path) -> None:
    command = " ".join(f"'{word}'" for word in (*COMMAND, "solve", str(file), *ONE_WORKER))
    done = subprocess.run(
        ["sh", "-c", f"{command} | head -n 1"],
        capture_output=True,
        text=True,
        env=engine_environment(),
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
