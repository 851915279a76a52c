"""A small data folder from the sample of tournament games, and the work folder made from it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.test_replay_games import SAMPLE
from tools.train import data
from tools.train.games import TEST_YEAR
from tools.train.testsets import SIZES

N_WTHOR = 200
TEST_GAME_OF = 4
"""One in so many of the WTHOR games is given a year for tests."""
MOST_TESTED = 24
"""Positions in the test sets with many empties, where each takes long to solve; there are more to choose from."""


def write_gzip(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="ascii") as file:
        file.write("".join(f"{line}\n" for line in lines))


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games in two files (years and theoretical scores are made up) and one public test position."""
    folder = tmp_path_factory.mktemp("data")
    with gzip.open(SAMPLE, "rt", encoding="ascii") as file:
        lines = file.read().splitlines()
    wthor = [
        f"{line} {line.split()[1]} {TEST_YEAR if index % TEST_GAME_OF == 0 else 1990}"
        for index, line in enumerate(lines[:N_WTHOR])
    ]
    write_gzip(folder / "games" / "wthor.txt.gz", wthor)
    write_gzip(folder / "games" / "playok_2023.txt.gz", lines[N_WTHOR:250])
    write_gzip(folder / "games" / "othello_quest.txt.gz", lines[250:])
    positions = folder / "positions"
    positions.mkdir()
    after_one_move = "-" * 27 + "OX" + "-" * 6 + "XXX" + "-" * 26
    (positions / "hard-20.obf").write_text(f"% comment\n{after_one_move} O; D3:+0;\n", encoding="ascii")
    return folder


def run(data_folder: Path, work: Path, *options: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        for n_empties in (18, 20):
            patch.setitem(SIZES, n_empties, MOST_TESTED)
        return data.main(["--data", str(data_folder), "--work", str(work), *options])


@pytest.fixture(scope="session")
def work_folder(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("work")
    assert run(data_folder, work, "--threads", "2") == 0
    return work
