"""The statistics of matches: against published values, slow twins, and simulated matches."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from tools.match.settings import MOST_ELO
from tools.match.stats import (
    NORMALISED_ELO_SCALE,
    PAIR_POINTS,
    Sprt,
    Verdict,
    elo_interval,
    elo_of_points,
    likelihood_of_superiority,
    mean_and_variance,
    normalised_elo,
    points_interval,
    points_of_elo,
    ratings,
)

# (elo0, elo1, normalised, pentanomial count, published log-likelihood ratio, where it was published)
PUBLISHED = [
    (0.0, 4.0, True, (434, 4052, 8304, 4206, 492), 3.00, "official-monty/Monty pull request 66, STC"),
    (1.0, 5.0, True, (829, 14632, 32502, 15215, 902), 2.93, "official-monty/Monty pull request 66, LTC"),
    (0.0, 4.0, True, (81, 563, 1163, 687, 114), 3.16, "official-monty/Monty pull request 23, STC"),
    (1.0, 5.0, True, (142, 1471, 2953, 1650, 159), 2.94, "official-monty/Monty pull request 23, LTC"),
    (-0.25, 1.25, False, (253, 4282, 17604, 4431, 286), 2.94, "official-stockfish/Stockfish pull request 3209, STC"),
    (0.25, 1.25, False, (58, 3302, 33130, 3518, 84), 2.97, "official-stockfish/Stockfish pull request 3209, LTC"),
    (0.5, 2.5, True, (61, 12006, 31864, 12078, 47), -2.24, "official-stockfish/fishtest pull request 2088"),
    (-1.75, 0.25, True, (1364, 74663, 161073, 73693, 1479), -0.66, "official-stockfish/fishtest pull request 2088"),
    (0.5, 2.5, True, (57, 4083, 10436, 4259, 56), 1.14, "official-stockfish/fishtest pull request 2088"),
    (0.0, 2.0, True, (129, 5397, 11780, 5428, 98), -1.11, "official-stockfish/fishtest pull request 2088"),
    (0.5, 2.5, True, (33, 1777, 4421, 1801, 29), -0.21, "official-stockfish/fishtest pull request 2088"),
    (0.0, 2.0, True, (0, 236, 690, 265, 0), 0.32, "official-stockfish/fishtest pull request 2088; a count of 0"),
    (0.0, 3.0, True, (78, 2432, 5615, 2610, 100), 2.91, "yl25946/spaghet pull request 53 (OpenBench)"),
    (0.0, 3.0, True, (846, 13353, 26519, 13740, 878), 2.90, "Yoshie2000/PlentyChess pull request 226 (OpenBench)"),
    (0.0, 20.0, True, (0, 0, 2, 0, 37), 2.96, "heofthetea/dhbw semester-5/thunfisch/SPRT.md (fastchess)"),
]


@pytest.mark.parametrize(
    ("elo0", "elo1", "normalised", "counts", "published"),
    [row[:5] for row in PUBLISHED],
    ids=[row[5] for row in PUBLISHED],
)
def test_the_likelihood_ratio_is_the_published_one(
    elo0: float, elo1: float, normalised: bool, counts: tuple[int, ...], published: float
) -> None:
    assert Sprt(elo0, elo1, normalised=normalised).llr(counts) == pytest.approx(published, abs=0.0051)


@pytest.mark.parametrize("normalised", [False, True])
def test_the_likelihood_ratio_is_what_a_general_optimiser_finds(normalised: bool) -> None:
    """The slow twin: both hypotheses fitted by numerical maximisation under their constraint."""
    counts = np.array([20, 60, 150, 90, 30], dtype=float)
    points = np.array(PAIR_POINTS)

    def lead(shares: np.ndarray) -> float:
        mean = float(shares @ points)
        if not normalised:
            return elo_of_points(mean)
        deviation_of_a_game = math.sqrt(2 * float(shares @ (points - mean) ** 2))
        return (mean - 0.5) / deviation_of_a_game * NORMALISED_ELO_SCALE

    def best(elo: float) -> float:
        found = minimize(
            lambda shares: -float(counts @ np.log(shares)) / 100,
            counts / counts.sum(),
            method="SLSQP",
            bounds=[(1e-6, 1)] * 5,
            constraints=[
                {"type": "eq", "fun": lambda shares: shares.sum() - 1},
                {"type": "eq", "fun": lambda shares: (lead(shares) - elo) / 100},
            ],
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert found.success
        return -100 * float(found.fun)

    expected = best(12.0) - best(-4.0)
    assert Sprt(-4.0, 12.0, normalised=normalised).llr(counts.astype(int).tolist()) == pytest.approx(expected, abs=1e-3)


def test_bounds_are_walds() -> None:
    assert Sprt(0, 5).bounds == pytest.approx((-2.9444, 2.9444), abs=1e-4)
    assert Sprt(0, 5, 0.05, 0.1).bounds == pytest.approx((-2.2513, 2.8904), abs=1e-4)


def test_the_verdict_waits_for_a_bound() -> None:
    sprt = Sprt(0, 20)
    assert sprt.llr((0, 0, 0, 0, 0)) == 0
    assert sprt.verdict((0, 0, 0, 0, 0)) is Verdict.OPEN
    assert sprt.verdict((1, 0, 2, 0, 2)) is Verdict.OPEN
    assert sprt.verdict((10, 0, 100, 0, 60)) is Verdict.H1
    assert sprt.verdict((60, 0, 100, 0, 10)) is Verdict.H0


@pytest.mark.parametrize("normalised", [False, True])
def test_every_bound_that_is_taken_can_be_fitted(normalised: bool) -> None:
    reach = MOST_ELO["normalised" if normalised else "logistic"]
    for elo0, elo1 in ((-reach, reach), (0, reach), (-reach, 0), (reach - 1, reach)):
        for counts in ((1, 0, 0, 0, 0), (0, 0, 0, 0, 50_000), (0, 0, 50_000, 0, 0), (9, 0, 0, 0, 9), (1, 2, 3, 4, 5)):
            assert math.isfinite(Sprt(elo0, elo1, normalised=normalised).llr(counts))


def test_mirrored_results_mirror_the_test() -> None:
    counts = (5, 20, 50, 30, 12)
    for normalised in (False, True):
        forward = Sprt(-3, 9, normalised=normalised).llr(counts)
        backward = Sprt(-9, 3, normalised=normalised).llr(counts[::-1])
        assert forward == pytest.approx(-backward)


@pytest.mark.parametrize(("elo", "wrong"), [(0.0, Verdict.H1), (60.0, Verdict.H0)])
def test_errors_are_about_as_rare_as_promised(elo: float, wrong: Verdict) -> None:
    """300 simulated matches at each hypothesis; 5 % of errors are asked for."""
    source = random.Random(int(elo))
    sprt = Sprt(0, 60)
    points = points_of_elo(elo)
    n_wrong = 0
    for _ in range(300):
        counts = [0] * 5
        while (verdict := sprt.verdict(counts)) is Verdict.OPEN:
            for _ in range(5):
                counts[2 * ((source.random() < points) + (source.random() < points))] += 1
        n_wrong += verdict is wrong
    assert n_wrong <= 27  # 15 expected, 3.2 standard deviations


def test_elo_and_points_are_inverse() -> None:
    assert elo_of_points(0.5) == 0
    assert elo_of_points(0.64) == pytest.approx(99.95, abs=0.01)
    assert elo_of_points(0.0) == -math.inf
    assert elo_of_points(1.0) == math.inf
    for elo in (-300, -1, 0, 50):
        assert elo_of_points(points_of_elo(elo)) == pytest.approx(elo)


def test_the_interval_leaves_doubt_after_few_pairs_and_narrows_with_many() -> None:
    low, high = points_interval((0, 0, 0, 0, 2))
    assert low < 0.5
    assert high == 1.0
    few, many = points_interval((0, 0, 5, 5, 0)), points_interval((0, 0, 50, 50, 0))
    assert few[0] < many[0] < 0.625 < many[1] < few[1]
    # 96 pairs at 1/2 and the four imagined ones, at the ends: variance 4 * 1/4 / 100
    low, high = points_interval((0, 0, 96, 0, 0))
    assert high - 0.5 == pytest.approx(0.5 - low) == pytest.approx(1.96 * math.sqrt(0.01 / 99), rel=1e-4)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    source = random.Random(5)
    n_inside = 0
    for _ in range(1000):
        counts = [0] * 5
        for _ in range(60):
            counts[(source.random() < 0.6) * 2 + (source.random() < 0.5) * 2] += 1
        low, high = points_interval(counts)
        n_inside += low <= 0.55 <= high
    assert 930 <= n_inside <= 990


def test_superiority_is_a_probability_that_grows_with_the_lead() -> None:
    counts = [(30 - k, 20, 40, 20, 10 + k) for k in range(0, 21, 5)]
    values = [likelihood_of_superiority(each) for each in counts]
    assert all(low < high for low, high in pairwise(values))
    assert likelihood_of_superiority((20, 20, 40, 20, 20)) == pytest.approx(0.5)
    assert values[0] == pytest.approx(1 - likelihood_of_superiority(counts[0][::-1]))


def test_normalised_elo_is_the_lead_in_deviations() -> None:
    counts = (10, 20, 40, 20, 30)
    mean, variance = mean_and_variance(counts)
    assert normalised_elo(counts) == pytest.approx((mean - 0.5) / math.sqrt(2 * variance) * 800 / math.log(10))
    # published beside its count: fastchess, 300 games, nElo 132.30
    assert normalised_elo((1, 10, 78, 48, 13)) == pytest.approx(132.30, abs=0.005)
    assert elo_of_points(mean_and_variance((1, 10, 78, 48, 13))[0]) == pytest.approx(72.85, abs=0.005)
    assert math.isnan(normalised_elo((0, 0, 5, 0, 0)))


def test_two_engines_are_rated_by_their_points() -> None:
    counts = (20, 30, 80, 50, 40)
    first, second = ratings({(0, 1): counts}, 2)
    together = [count + (place in (0, 4)) / 2 for place, count in enumerate(counts)]
    mean, variance = mean_and_variance(together)
    assert first.elo - second.elo == pytest.approx(elo_of_points(mean))
    assert first.elo == pytest.approx(-second.elo)
    slope = 400 / math.log(10) / (mean * (1 - mean))
    assert 2 * first.error == pytest.approx(1.95996 * slope * math.sqrt(variance / sum(together)), rel=1e-4)


def test_ratings_of_a_field_come_back_from_its_results() -> None:
    source = random.Random(3)
    true = [60.0, 10.0, -20.0, -50.0]
    pairs = {}
    for i in range(4):
        for j in range(i + 1, 4):
            points = points_of_elo(true[i] - true[j])
            counts = [0] * 5
            for _ in range(4000):
                counts[2 * ((source.random() < points) + (source.random() < points))] += 1
            pairs[i, j] = counts
    found = ratings(pairs, 4)
    assert sum(rating.elo for rating in found) == pytest.approx(0, abs=1e-6)
    for rating, elo in zip(found, true, strict=True):
        assert abs(rating.elo - elo) < 2 * rating.error
        assert 2 < rating.error < 5


def test_ratings_leave_doubt_after_few_pairs_and_say_nothing_without_any() -> None:
    first, second, third = ratings({(0, 1): (0, 0, 1, 0, 0)}, 3)
    assert first.elo == pytest.approx(0)
    assert first.error == pytest.approx(second.error)
    assert 100 < first.error < 300
    assert math.isinf(third.error)
    assert ratings({(0, 1): (0, 0, 500, 0, 0)}, 3)[0].error < 5


def test_an_engine_that_won_everything_has_a_finite_rating() -> None:
    found = ratings({(0, 1): (0, 0, 0, 0, 10), (0, 2): (0, 0, 0, 0, 10), (1, 2): (1, 0, 3, 0, 2)}, 3)
    assert found[0].elo > 200
    assert all(math.isfinite(rating.elo) and math.isfinite(rating.error) for rating in found)
    assert [rating.elo for rating in ratings({}, 3)] == [0, 0, 0]


def test_elo_intervals_are_the_points_intervals() -> None:
    low, high = points_interval((5, 20, 50, 30, 12))
    assert elo_interval((5, 20, 50, 30, 12)) == (elo_of_points(low), elo_of_points(high))
