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
from tools.depths import PLIES, DepthTimes, load_positions, main
from tools.match.settings import UsageError

FAKE = Path(__file__).with_name("fake_player.py")


def command(behaviour: str, log: Path | None = None, dialect: str = "native") -> str:
    words = [sys.executable, str(FAKE), dialect, behaviour, *(["--log", str(log)] if log else [])]
    return shlex.join(words)


def test_positions_are_drawn_by_the_seed_at_the_plies_in_turn() -> None:
    found = load_positions(SAMPLE, 7, seed=3)
    assert [len(each.text) // 2 for each in found] == [*PLIES, *PLIES[:2]]
    assert [each.text for each in load_positions(SAMPLE, 5, seed=3)] == [each.text for each in found[:5]]
    assert [each.text for each in load_positions(SAMPLE, 7, seed=4)] != [each.text for each in found]
    with gzip.open(SAMPLE, "rt") as file:
        games = [line.split()[0] for line in file]
    assert all(any(game.startswith(each.text) for game in games) for each in found)
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
    options = ["--games", str(SAMPLE), "--positions", "2", "--depths", "5", "9", "--out", str(out)]
    first, second = command("slow", logs[0]), command("good", logs[1], "nboard")
    engines = ["--engine", "name=a", f"command={first}", "--engine", "name=b", f"command={second}", "protocol=nboard"]
    assert main([*options, *engines]) == 0
    assert not any(str(FAKE) in child.cmdline() for child in psutil.Process().children())
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
    ("second", "message"),
    [
        (["command=no-such-program"], "b: crash: can't start no-such-program: no such program on the PATH"),
        ([f"command={command('good', dialect='gtp')}", "protocol=gtp"], "gtp has no word for a depth"),
        (["command=x", "movetime=1s"], "limits are given by --depths"),
        (["command=x", "dpeth=1"], "unknown key 'dpeth'; did you mean depth?"),
    ],
)
def test_what_cannot_be_measured_is_one_clear_error(
    capsys: pytest.CaptureFixture[str], second: list[str], message: str
) -> None:
    options = ["--games", str(SAMPLE), "--positions", "1", "--depths", "5"]
    assert main([*options, "--engine", "name=a", f"command={command('good')}", "--engine", "name=b", *second]) == 2
    error = capsys.readouterr().err
    assert error.startswith("depths: ")
    assert error.count("\n") == 1
    assert message in error
