"""Rounds of training on a small work folder: which positions, which labels, and what is kept."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from tests import positions
from tests.search.support import new_searcher, task
from tools.train import probcut, rounds
from tools.train.exact import solve_positions
from tools.train.games import NO_THEO
from tools.train.network import Network, Samples, packed
from tools.train.rounds import Round, run_round, training_positions
from tools.train.selfplay import MOST_EMPTIES
from tools.train.work import Runner, load, save

SEED = 20260114

Boards = tuple[int, int]

EXACT_TO = 14
SOLVED_SIBLINGS, OTHER_SIBLINGS = 10, 40
"""The numbers of empties at which there are siblings, with and without their scores."""
SCORE, THEO, SIBLING_SCORE = 6, -12, 20
FIRST = Round("first", depth=0, steps=(1.0,))
SECOND = Round("second", depth=2, steps=(1.0,), game_part=0.25, far_part=0.75, far_empties=30, siblings=0.5)


@cache
def boards_of_games(seed: int) -> dict[int, list[Boards]]:
    """Number of empties -> some different unfinished positions of random games, in which nobody must pass."""
    rng = random.Random(seed)
    found: dict[int, list[Boards]] = {n: [] for n in range(1, 60)}
    for _ in range(40):
        for position in positions.random_game(rng)[1:]:
            each = position.player, position.opponent
            if position.n_empties and not position.must_pass and not position.is_over:
                same = found[position.n_empties]
                if each not in same and len(same) < 6:
                    same.append(each)
    return found


def arrays_of(boards: list[Boards]) -> dict[str, np.ndarray]:
    player, opponent = zip(*boards, strict=True)
    return {"player": np.array(player, np.uint64), "opponent": np.array(opponent, np.uint64)}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few positions at each number of empties: the first is held out, of the second the true score is known."""
    folder = tmp_path_factory.mktemp("work")
    for n in range(1, 60):
        arrays = arrays_of(boards_of_games(SEED)[n])
        count = len(arrays["player"])
        score, theo = np.full(count, SCORE, np.float32), np.full(count, NO_THEO, np.float32)
        theo[1] = THEO
        save(folder / "positions" / f"e{n:02}.npz", **arrays, score=score, theo=theo, held_out=np.arange(count) == 0)
    beside = boards_of_games(SEED + 1)
    solved = arrays_of(beside[SOLVED_SIBLINGS])
    score = np.full(len(solved["player"]), SIBLING_SCORE, np.int8)
    save(folder / "siblings" / f"e{SOLVED_SIBLINGS:02}.npz", **solved, score=score)
    save(folder / "siblings" / f"e{OTHER_SIBLINGS:02}.npz", **arrays_of(beside[OTHER_SIBLINGS]))
    return folder


def folder_like(work: Path, folder: Path) -> Path:
    """A folder for other rounds on the same positions, none of which is a test position."""
    folder.mkdir(exist_ok=True)
    for name in ("positions", "siblings"):
        (folder / name).symlink_to(work / name)
    save(folder / "avoided.npz", hash=np.empty(0, np.uint64), n_empties=np.empty(0, np.uint8))
    return folder


@pytest.fixture
def runner() -> Runner:
    return Runner(Console(quiet=True), 2)


@pytest.fixture(scope="module")
def first_path(work: Path) -> Path:
    run_round(work, Runner(Console(quiet=True), 2), FIRST, None, EXACT_TO)
    return work / "rounds" / "first" / "network.npz"


@pytest.fixture
def first(first_path: Path) -> Network:
    """A copy for each test: a round goes on with the very network that it is given."""
    return Network.load(first_path)


class Lessons:
    """Stands for the training: remembers what it was to learn."""

    def __init__(self) -> None:
        self.samples: list[Samples] = []
        self.networks: list[Network] = []
        self.steps: list[tuple[float, ...]] = []

    def __call__(self, network: Network, samples: Samples, steps: tuple[float, ...], *_: Any) -> None:
        self.samples.append(samples)
        self.networks.append(network)
        self.steps.append(steps)


@pytest.fixture
def lessons(monkeypatch: pytest.MonkeyPatch) -> Lessons:
    found = Lessons()
    monkeypatch.setattr(rounds, "train", found)
    return found


def labels(samples: Samples) -> dict[Boards, tuple[float, float]]:
    """Position -> label and importance."""
    columns = samples.player, samples.opponent, samples.label, samples.importance
    return {(p, o): (label, weight) for p, o, label, weight in zip(*(c.tolist() for c in columns), strict=True)}


def pairs_of(arrays: dict[str, np.ndarray]) -> list[Boards]:
    return list(zip(arrays["player"].tolist(), arrays["opponent"].tolist(), strict=True))


def search_value(weights: np.ndarray, boards: Boards, depth: int) -> float:
    return new_searcher(weights=weights).run(task(*boards, depth)).score / 100


# -- positions -----------------------------------------------------------------------------------------------


def test_positions_of_held_out_games_are_not_learned(work: Path) -> None:
    everything = load(work / "positions" / "e30.npz")
    found = training_positions(work, 30, 1000)
    assert pairs_of(found) == pairs_of(everything)[1:]
    assert set(found) == set(everything)


def test_too_many_positions_are_thinned_out_evenly(tmp_path: Path) -> None:
    n = 1000
    numbers = np.arange(n, dtype=np.uint64)
    save(
        tmp_path / "positions" / "e05.npz", player=numbers, opponent=numbers, held_out=np.zeros(n, bool), score=numbers
    )
    found = training_positions(tmp_path, 5, 100)
    assert len(found["player"]) == 100
    assert np.array_equal(found["player"], found["score"])
    steps = np.diff(found["player"].astype(int))
    assert steps.min() >= 9
    assert steps.max() <= 11
    assert len(training_positions(tmp_path, 5, n)["player"]) == n


# -- labels --------------------------------------------------------------------------------------------------


def test_the_first_round_learns_how_games_ended(work: Path, tmp_path: Path, runner: Runner, lessons: Lessons) -> None:
    """With perfect play from where that is known; exact scores near the end; no siblings without a score."""
    run_round(work, runner, replace(FIRST, name="first labels", steps=(0.5, 0.25)), None, EXACT_TO)
    found = labels(lessons.samples[0])
    assert lessons.steps == [(0.5, 0.25)]
    for n in (1, EXACT_TO, EXACT_TO + 1, 59):
        for place, each in enumerate(pairs_of(load(work / "positions" / f"e{n:02}.npz"))):
            if place == 0:
                assert each not in found, "held out"
            else:
                assert found[each] == (THEO if place == 1 and n > EXACT_TO else SCORE, 1)
    solved = pairs_of(load(work / "siblings" / f"e{SOLVED_SIBLINGS:02}.npz"))
    assert all(found[each] == (SIBLING_SCORE, 1) for each in solved)
    others = pairs_of(load(work / "siblings" / f"e{OTHER_SIBLINGS:02}.npz"))
    assert not any(each in found for each in others)


def test_later_rounds_mix_search_values_with_endings(
    work: Path, runner: Runner, first: Network, lessons: Lessons
) -> None:
    run_round(work, runner, replace(SECOND, name="labels"), first, EXACT_TO)
    found = labels(lessons.samples[0])
    weights = packed(first)
    for n, part in ((EXACT_TO + 1, 0.25), (29, 0.25), (30, 0.75), (45, 0.75)):
        for place, each in enumerate(pairs_of(load(work / "positions" / f"e{n:02}.npz"))[1:], 1):
            ending = THEO if place == 1 else SCORE
            expected = (1 - part) * search_value(weights, each, 2) + part * ending
            assert found[each] == (pytest.approx(expected, abs=0.01), 1)
    for each in pairs_of(load(work / "positions" / f"e{EXACT_TO:02}.npz"))[1:]:
        assert found[each] == (SCORE, 1), "an exact score stays as it is"
    for each in pairs_of(load(work / "siblings" / f"e{SOLVED_SIBLINGS:02}.npz")):
        assert found[each] == (SIBLING_SCORE, 0.5)
    for each in pairs_of(load(work / "siblings" / f"e{OTHER_SIBLINGS:02}.npz")):
        assert found[each] == (pytest.approx(search_value(weights, each, 2), abs=0.01), 0.5)


def test_self_play_joins_in_exact_near_the_end_and_by_search_alone_above(
    work: Path, tmp_path: Path, runner: Runner, first: Network, lessons: Lessons
) -> None:
    folder = folder_like(work, tmp_path)
    most = 4
    settings = replace(SECOND, most=most, opening_most=most)
    run_round(folder, runner, replace(settings, name="without"), first, EXACT_TO)
    run_round(folder, runner, replace(settings, name="with", selfplay=10), first, EXACT_TO)
    without, joined = lessons.samples
    found = labels(joined)
    weights = packed(first)
    taken = 0
    for n in range(1, MOST_EMPTIES + 1):
        arrays = training_positions(folder / "selfplay", n, most if n > EXACT_TO else rounds.ALL)
        taken += len(arrays["player"])
        for each, score in zip(pairs_of(arrays), arrays["score"].tolist(), strict=True):
            label, weight = found[each]
            assert weight == 1
            if n <= EXACT_TO:
                assert label == score
            elif n in (EXACT_TO + 1, 30, MOST_EMPTIES):
                assert label == pytest.approx(search_value(weights, each, 2), abs=0.01)
    assert len(joined) == len(without) + taken, "none with more empty squares"
    deepest = load(folder / "selfplay" / "positions" / f"e{EXACT_TO}.npz")
    guess = np.full(len(deepest["player"]), 64, np.int8)
    assert np.array_equal(
        deepest["score"], solve_positions(runner, "check", deepest["player"], deepest["opponent"], guess)
    )


def test_rounds_share_the_games_that_the_first_of_them_had_played(
    work: Path, tmp_path: Path, runner: Runner, first: Network, lessons: Lessons
) -> None:
    folder = folder_like(work, tmp_path)
    run_round(folder, runner, replace(SECOND, name="one", selfplay=10), first, EXACT_TO)
    path = folder / "selfplay" / "games-00.npz"
    before = path.stat().st_mtime_ns
    run_round(folder, runner, replace(SECOND, name="two", selfplay=10, anew=True), Network.new(2), EXACT_TO)
    assert path.stat().st_mtime_ns == before
    one, two = lessons.samples
    assert labels(one).keys() == labels(two).keys()


def test_decided_positions_may_count_less(work: Path, runner: Runner, lessons: Lessons) -> None:
    run_round(work, runner, replace(FIRST, name="balanced", balance=SIBLING_SCORE, far_balance=40), None, EXACT_TO)
    found = labels(lessons.samples[0])
    for each in pairs_of(load(work / "siblings" / f"e{SOLVED_SIBLINGS:02}.npz")):
        assert found[each][1] == pytest.approx(1 / 2)
    assert found[pairs_of(load(work / "positions" / "e20.npz"))[2]][1] == pytest.approx(1 / (1 + (SCORE / 20) ** 2))
    far = pairs_of(load(work / "positions" / "e30.npz"))[2]
    assert found[far][1] == pytest.approx(1 / (1 + (SCORE / 40) ** 2))
    run_round(work, runner, replace(FIRST, name="near", balance=SIBLING_SCORE), None, EXACT_TO)
    assert labels(lessons.samples[1])[far][1] == 1


# -- rounds --------------------------------------------------------------------------------------------------


def test_a_round_goes_on_from_the_network_before_or_begins_anew(
    work: Path, runner: Runner, first: Network, lessons: Lessons
) -> None:
    for name, anew in (("on", False), ("anew", True)):
        run_round(work, runner, replace(SECOND, name=name, anew=anew), first, EXACT_TO)
    on, anew_ = lessons.networks
    assert on is first
    assert np.array_equal(anew_.rows, Network.new(rounds.SEED).rows)
    assert np.array_equal(on.seen_rows, anew_.seen_rows), "the step sizes begin anew in any case"


def test_a_round_is_kept_and_not_made_again(work: Path, runner: Runner, first: Network, lessons: Lessons) -> None:
    again = run_round(work, runner, FIRST, None, EXACT_TO)
    assert not lessons.samples
    assert all(np.array_equal(a, b) for a, b in zip(again.arrays(), first.arrays(), strict=True))


def test_labels_of_an_interrupted_round_are_not_searched_again(
    work: Path, runner: Runner, first: Network, lessons: Lessons, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(SECOND, name="interrupted")
    run_round(work, runner, settings, first, EXACT_TO)
    (work / "rounds" / "interrupted" / "network.npz").unlink()

    def refuse(*_: Any) -> None:
        raise AssertionError("searched again")

    monkeypatch.setattr(rounds, "search_values", refuse)
    run_round(work, runner, settings, first, EXACT_TO)
    one, two = lessons.samples
    assert labels(one) == labels(two)


def test_two_rounds_give_the_same_weights_whatever_the_number_of_threads(work: Path, tmp_path: Path) -> None:
    found = []
    for n_threads in (1, 2):
        folder = folder_like(work, tmp_path / str(n_threads))
        runner = Runner(Console(quiet=True), n_threads)
        network = run_round(folder, runner, FIRST, None, EXACT_TO)
        found.append(packed(run_round(folder, runner, replace(SECOND, selfplay=20), network, EXACT_TO)))
    assert np.array_equal(*found)


# -- the error model of ProbCut ------------------------------------------------------------------------------


def test_the_fit_finds_the_coefficients_that_made_the_errors() -> None:
    coefficients = (5.0, 0.8, -0.9, 0.3, -0.2)
    rows = [
        (n, depth, reduced, 0.0, probcut.deviation(n, depth, reduced, coefficients), 100)
        for n in probcut.NUMBERS
        for depth in range(1, 10)
        for reduced in range(depth)
    ]
    assert probcut.fit(np.array(rows)) == pytest.approx(coefficients)


def test_deviations_are_measured_between_all_pairs_of_depths_and_wild_positions_are_limited() -> None:
    rng = np.random.default_rng(SEED)
    base = rng.normal(0, 10, 2000)
    values = np.stack([base, base + 1 + rng.normal(0, 2, 2000), base + rng.normal(0, 3, 2000)]).astype(np.float32)
    values[1, 0] += 10_000
    rows = probcut.pairs({30: values})
    found = {(int(row[1]), int(row[2])): (row[3], row[4]) for row in rows}
    assert set(found) == {(1, 0), (2, 0), (2, 1)}
    assert all(row[0] == 30 and row[5] == 2000 for row in rows)
    assert found[1, 0][1] == pytest.approx(200, rel=0.1)
    assert found[2, 0][1] == pytest.approx(300, rel=0.1)
    assert found[2, 1][1] == pytest.approx(100 * 13**0.5, rel=0.1)
    assert found[2, 0][0] == pytest.approx(0, abs=30)
