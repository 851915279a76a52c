"""Where a game starts, by the options."""

from __future__ import annotations

import subprocess
import sys

import pytest

from othello_engine.config import load_config, profile_names
from othello_engine.games import start_position
from othello_engine.gomoku.position import LARGEST, SMALLEST, GomokuPosition
from othello_engine.position import Position


@pytest.mark.parametrize("profile", profile_names())
def test_every_profile_starts_its_game(profile: str) -> None:
    config = load_config(profile=profile)
    if profile.startswith("gomoku"):
        assert start_position(config) == GomokuPosition.start(15)
        assert config.game == "gomoku"
    else:
        assert start_position(config) == Position.start()
        assert config.game == "othello"


@pytest.mark.parametrize("size", range(SMALLEST, LARGEST + 1))
def test_the_size_of_the_board_counts_in_gomoku_only(size: int) -> None:
    start = start_position(load_config(profile="gomoku", overrides={"BoardSize": size}))
    assert isinstance(start, GomokuPosition)
    assert (start.size, start.n_empties, start.side, start.is_over) == (size, size * size, 0, False)
    assert start_position(load_config(overrides={"BoardSize": size})) == Position.start()


def test_a_change_of_the_game_changes_the_start() -> None:
    config = load_config()
    for game, kind in (("gomoku", GomokuPosition), ("othello", Position), ("gomoku", GomokuPosition)):
        config = config.with_option("Game", game)
        assert isinstance(start_position(config), kind)
    assert start_position(config.with_option("Variant", "othello")) == GomokuPosition.start()


def test_othello_does_not_load_gomoku() -> None:
    script = (
        "import sys\n"
        "from othello_engine.config import load_config\n"
        "from othello_engine.games import start_position\n"
        "start_position(load_config())\n"
        "sys.exit(any(name.startswith('othello_engine.gomoku') for name in sys.modules))\n"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0
