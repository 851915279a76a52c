"""The pictures of the documentation: the figures behind them, what they show, and that they come out the same."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

pytest.importorskip("matplotlib", reason="drawing needs the extra `train`")

from othello_engine.evaluation.features import FAMILIES, INSTANCES
from tests.positions import late_positions
from tests.train.support import constant_weights, quiet_positions, write_positions, write_testset
from tools.train import pictures
from tools.train.games import NO_THEO
from tools.train.weights_buffer import read_weights
from tools.train.work import Runner

DISCS = 3
DEPTH = 3
"""An odd number of plies: the searches in place of the truth find -DISCS."""
LARGEST_BYTES = 150_000
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return constant_weights(tmp_path_factory.mktemp("weights") / "constant.weights", DISCS)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Exact scores at 14 empties, theoretical ones at 24 (where the games ended otherwise), none known at 30."""
    folder = tmp_path_factory.mktemp("work")
    n = pictures.FEWEST_ROWS
    write_positions(folder, 14, quiet_positions(14, 1) * n, score=10)
    write_positions(folder, 24, quiet_positions(24, 1) * n, score=60, theo=-8)
    write_positions(folder, 30, quiet_positions(30, 1) * (n + 1), score=60, n_training=1)
    write_positions(folder, 40, quiet_positions(40, 1) * n, score=60, n_training=1)
    write_testset(folder, 24, quiet_positions(24, 3), [0, 2, 4])
    return folder


def run(work: Path, weights: Path, out: Path) -> int:
    options = ["--work", str(work), "--weights", str(weights), "--out", str(out)]
    return pictures.main([*options, "--depth", str(DEPTH), "--threads", "1"])


def test_each_number_of_empties_is_held_against_the_best_known_scores(work: Path, weights: Path) -> None:
    runner = Runner(Console(quiet=True), 1)
    found = pictures.on_held_out(work, runner, read_weights(weights)[0], DEPTH)
    assert [(each.n_empties, each.is_exact, each.errors.n) for each in found] == [
        (14, True, pictures.FEWEST_ROWS),
        (24, True, pictures.FEWEST_ROWS),
        (30, False, pictures.FEWEST_ROWS),
    ], "too few rows are held out at 40 empties"
    expected = [(7, 13, 7), (11, 5, 11), (6, 0, 6)]
    assert [each.errors.rmse for each in found] == [pytest.approx(each) for each in expected]


def test_rows_are_held_out_and_spread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_ROWS", 5)
    positions = list(late_positions(24, 20, seed=1))
    write_positions(tmp_path, 24, positions, score=2, theo=-4, n_training=8)
    rows = pictures.held_out_rows(tmp_path, 24)
    places = [8, 10, 13, 16, 19]
    assert rows["player"].tolist() == [positions[place].player for place in places]
    assert rows["opponent"].tolist() == [positions[place].opponent for place in places]
    assert rows["truth"].tolist() == [-4] * 5
    write_positions(tmp_path, 30, positions, score=2)
    assert np.isnan(pictures.held_out_rows(tmp_path, 30)["truth"]).all(), "how a game ended is no exact score"
    write_positions(tmp_path, 24, positions, score=2, theo=NO_THEO)
    assert len(pictures.held_out_rows(tmp_path, 24)["player"]) == 0, "no theoretical score"


def test_pictures_are_small_complete_and_the_same_each_time(work: Path, weights: Path, tmp_path: Path) -> None:
    assert run(work, weights, tmp_path / "one") == run(work, weights, tmp_path / "two") == 0
    texts = {}
    for name in ("features.svg", "accuracy.svg"):
        content = (tmp_path / "one" / name).read_bytes()
        assert content == (tmp_path / "two" / name).read_bytes()
        assert len(content) < LARGEST_BYTES
        texts[name] = [" ".join(each.itertext()) for each in ElementTree.fromstring(content).iter(f"{SVG}text")]
    for family, squares in FAMILIES.items():
        n_instances = sum(instance.family == family for instance in INSTANCES)
        assert f"{family}  × {n_instances}" in texts["features.svg"]
        assert len(squares) <= 10
    assert texts["features.svg"].count("9") == sum(len(squares) == 10 for squares in FAMILIES.values())
    legend = " ".join(texts["accuracy.svg"])
    assert f"depth {DEPTH} at {pictures.SELECTIVITY} %" in legend
    assert "self-consistency, not truth" in legend
    assert "constant, sha256" in legend


def test_what_is_missing_is_named(
    work: Path, weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(work, tmp_path / "nothing", tmp_path) == 2
    assert "nothing" in capsys.readouterr().err
    shutil.copytree(work / "testsets", tmp_path / "work" / "testsets")
    assert run(tmp_path / "work", weights, tmp_path) == 2
    assert "no held-out positions" in capsys.readouterr().err
