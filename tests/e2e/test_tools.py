"""The measuring programs and the examples run, tell what they found, and fail when a target is missed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.measure.driver import engine_environment
from tools.measure.figures import Summary, percentile, slope_per_hour

ROOT = Path(__file__).resolve().parents[2]

SHORT_RUNS = {
    "startup": ["--repeats", "2", "--cold-repeats", "0", "--uoiok-limit", "2000", "--warm-limit", "20"],
    "stop_latency": ["--tries", "20", "--median-limit", "200", "--p99-limit", "1000"],
    "move_time": ["--counts", "20:5", "50:3", "--limit", "1000"],
    "soak": ["--games", "1", "--move-time", "5", "--growth-limit", "100000"],
    "garbage": ["--lines", "3000", "--threads", "1"],
}


def run(arguments: list[str], timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=engine_environment(),
        stdin=subprocess.DEVNULL,
        timeout=timeout,
        check=False,
    )


@pytest.mark.parametrize(
    "name",
    [
        "garbage",
        "soak",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("startup", "stop_latency", "move_time")),
    ],
)
def test_a_measurement_shows_a_table_and_writes_its_record(warm_cache: None, tmp_path: Path, name: str) -> None:
    record = tmp_path / "record.json"
    done = run(["-m", f"tools.measure.{name}", *SHORT_RUNS[name], "--json", str(record)])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "targets" in done.stdout
    content = json.loads(record.read_text(encoding="utf-8"))
    assert content["targets"]
    assert all(target["met"] for target in content["targets"])
    assert content["machine"]["python"]


def test_a_missed_target_shows_in_the_exit_status(warm_cache: None) -> None:
    done = run(["-m", "tools.measure.stop_latency", "--threads", "1", "--tries", "3", "--median-limit", "0"])
    assert done.returncode == 1
    assert "MISSED" in done.stdout


@pytest.mark.parametrize("name", SHORT_RUNS)
def test_a_measurement_explains_itself(name: str) -> None:
    done = run(["-m", f"tools.measure.{name}", "--help"])
    assert done.returncode == 0
    assert "--json" in done.stdout


@pytest.mark.parametrize(
    ("example", "arguments"),
    [
        ("play_with_pexpect.py", ["--move-time", "5"]),
        pytest.param("play_with_pexpect.py", ["--move-time", "5", "--echo"], marks=pytest.mark.slow),
        ("python_api.py", ["--move-time", "100"]),
    ],
    ids=["pexpect", "pexpect with echo", "Python"],
)
def test_the_examples_run(warm_cache: None, example: str, arguments: list[str]) -> None:
    done = run([str(ROOT / "examples" / example), *arguments])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert done.stdout


def test_percentiles_are_measured_values() -> None:
    values = [float(v) for v in range(1, 101)]
    assert percentile(values, 50) == 50
    assert percentile(values, 99) == 99
    assert percentile(values, 100) == 100
    assert percentile([7.0], 1) == 7
    assert Summary.of([3.0, 1.0, 2.0]) == Summary(3, 1, 2, 3, 3, 3)


def test_a_slope_is_per_hour() -> None:
    assert slope_per_hour([(0, 1), (1800, 2), (3600, 3)]) == pytest.approx(2)
    assert slope_per_hour([(5, 1)]) == 0
