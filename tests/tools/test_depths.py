"""Times to fixed depths, with fake engines: which positions are taken, who is asked what, and what is said."""

from __future__ import annotations

import gzip
import json
import shlex
import sys
from pathlib import Path

import psutil
import pytest

from tests.test_replay_games import SAMPLE
from tests.tools.fake_player import SLOW_S
from tests.tools.test_duel import FAKE
from tools.duel.__main__ import UsageError
from tools.duel.depths import PLIES, DepthTimes, load_positions, main


def command(behaviour: str, log: Path | None = None, dialect: str = "native") -> str:
    words = [sys.executable, str(FAKE), dialect, behaviour, *(["--log", str(log)] if log else [])]
    return shlex.join(words)


def test_positions_are_drawn_by_the_seed_at_the_plies_in_turn() -> None:
    found = load_positions(SAMPLE, 7, seed=3)
    assert [len(each.transcript) // 2 for each in found] == [*PLIES, *PLIES[:2]]
    assert [each.transcript for each in load_positions(SAMPLE, 5, seed=3)] == [each.transcript for each in found[:5]]
    assert [each.transcript for each in load_positions(SAMPLE, 7, seed=4)] != [each.transcript for each in found]
    with gzip.open(SAMPLE, "rt") as file:
        games = [line.split()[0] for line in file]
    assert all(any(game.startswith(each.transcript) for game in games) for each in found)
    assert not any(each.position.must_pass for each in found)


def test_too_few_long_games_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text("f5d6c3\nf5f5\n")
    with pytest.raises(UsageError, match="has 0 games"):
        load_positions(path, 1, seed=1)
    with pytest.raises(UsageError, match=r"missing\.txt"):
        load_positions(tmp_path / "missing.txt", 1, seed=1)


def test_ratios() -> None:
    times = DepthTimes(12, (1.0, 2.0), (2.0, 8.0))
    assert times.ratio == pytest.approx(10 / 3)
    assert times.typical_ratio == pytest.approx(8**0.5)


def test_both_engines_are_asked_for_each_depth_in_new_games(tmp_path: Path) -> None:
    logs, out = [tmp_path / "first.log", tmp_path / "second.log"], tmp_path / "times.json"
    before = set(psutil.Process().children())
    options = ["--games", str(SAMPLE), "--positions", "2", "--depths", "5", "9", "--out", str(out)]
    first, second = command("slow", logs[0]), command("good", logs[1], "nboard")
    assert main([*options, "--first", first, "--second", second, "--second-protocol", "nboard"]) == 0
    assert set(psutil.Process().children()) == before
    native = logs[0].read_text().splitlines()
    assert [line for line in native if line.startswith("go")] == ["go depth 5"] * 2 + ["go depth 9"] * 2
    assert native.count("newgame") == 4
    assert [line for line in logs[1].read_text().splitlines() if line.startswith("set depth")] == [
        "set depth 5",
        "set depth 9",
    ]
    depths = json.loads(out.read_text())["depths"]
    assert [each["depth"] for each in depths] == [5, 9]
    assert all(min(each["first"]) >= SLOW_S and min(each["second"]) > 0 for each in depths)


@pytest.mark.parametrize(
    ("second", "dialect", "message"),
    [("no-such-program", "native", "can't be started"), ("good", "gtp", "gtp has no word for a depth")],
)
def test_what_cannot_be_measured_is_one_clear_error(
    capsys: pytest.CaptureFixture[str], second: str, dialect: str, message: str
) -> None:
    program = command(second, dialect=dialect) if second == "good" else second
    options = ["--games", str(SAMPLE), "--positions", "1", "--depths", "5", "--second-protocol", dialect]
    assert main([*options, "--first", command("good"), "--second", program]) == 2
    error = capsys.readouterr().err
    assert error.startswith("duel.depths: ")
    assert error.count("\n") == 1
    assert message in error
