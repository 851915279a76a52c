"""The accuracy program: errors of an evaluation that is known beforehand, its table, and its refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from othello_engine.evaluation.features import WEIGHTS_BYTES
from tests.train.conftest import write_gzip
from tests.train.support import constant_weights, quiet_positions, write_testset
from tools.train import accuracy
from tools.train.weights_buffer import CACHE_LINE, new_buffer, read_weights

DISCS = 3
"""Value of every position: the static value, and what two plies find; one ply finds -DISCS."""
SCORES = (10, -20, 0, 4)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return constant_weights(tmp_path_factory.mktemp("weights") / "constant.weights", DISCS)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    write_testset(folder, 30, quiet_positions(30, len(SCORES)), SCORES)
    return folder


def run(work: Path, weights: Path, *options: str) -> int:
    return accuracy.main(["--work", str(work), "--weights", str(weights), "--threads", "1", *options])


def rmse(*errors: float) -> float:
    return float(np.sqrt(np.mean(np.square(errors))))


def test_buffers_begin_at_a_cache_line(weights: Path) -> None:
    buffer, header = read_weights(weights)
    assert buffer.ctypes.data % CACHE_LINE == new_buffer().ctypes.data % CACHE_LINE == 0
    assert len(buffer) == WEIGHTS_BYTES
    assert header.name == "constant"


def test_errors_are_those_of_the_known_values(work: Path, weights: Path, tmp_path: Path) -> None:
    assert run(work, weights, "--json", str(tmp_path / "figures.json")) == 0
    record = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert record["weights"]["name"] == "constant"
    assert record["plies"] == [0, 1, 2]
    (found,) = record["sets"]
    by_value = {value: [value - score for score in SCORES] for value in (DISCS, -DISCS)}
    in_turn = [by_value[value] for value in (DISCS, -DISCS, DISCS)]
    assert (found["name"], found["n"]) == ("e30", len(SCORES))
    assert found["rmse"] == pytest.approx([rmse(*errors) for errors in in_turn])
    assert found["mae"] == pytest.approx([float(np.mean(np.abs(errors))) for errors in in_turn])
    assert found["sign"] == pytest.approx([200 / 3, 100 / 3, 200 / 3]), "the drawn position doesn't count"
    near = [[error for error, score in zip(errors, SCORES, strict=True) if abs(score) <= 16] for errors in in_turn]
    assert found["balanced_rmse"] == pytest.approx([rmse(*errors) for errors in near])


def test_openings_are_told_apart_by_their_empty_squares(work: Path, weights: Path, tmp_path: Path) -> None:
    lines = [f"{position.to_text()}; +5" for n in (35, 42, 42) for position in quiet_positions(n, 1)]
    write_gzip(tmp_path / "positions" / accuracy.OPENINGS, lines)
    assert run(work, weights, "--data", str(tmp_path), "--json", str(tmp_path / "figures.json")) == 0
    record = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    found = {each["name"]: (each["n"], each["rmse"]) for each in record["sets"][1:]}
    assert found == {
        "openings 30-39": (1, pytest.approx([2, 8, 2])),
        "openings 40-44": (2, pytest.approx([2, 8, 2])),
    }


def test_the_table_is_whole_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    row = accuracy.Accuracy("openings 30-39", 12_345, (10.25, 9.5, 8.125), (1, 2, 3), (100, 99.5, 98), (4, 5, 6))
    accuracy.show(Console(width=80), [row])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    (line,) = [line.split() for line in lines if "12,345" in line]
    figures = "10.25 9.50 8.12 1.00 2.00 3.00 100.00 99.50 98.00 4.00 5.00 6.00"
    assert line == ["openings", "30-39", "12,345", *figures.split()]


def test_what_is_missing_or_wrong_is_named(
    work: Path, weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, weights) == 2
    assert "no test sets" in capsys.readouterr().err
    assert run(work, tmp_path / "nothing") == 2
    assert "nothing" in capsys.readouterr().err
    assert run(work, weights, "--data", str(tmp_path)) == 2
    assert accuracy.OPENINGS in " ".join(capsys.readouterr().err.split()).replace(" ", "")
