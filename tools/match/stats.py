"""What results mean: Elo with its uncertainty, the likelihood of superiority, the sequential test, ratings.

Everything counts in pairs, the two games of an opening with colours changed, since these depend on each other. The
points of a pair are 0, 1/4, 1/2, 3/4 or 1; how often each came is a pentanomial count. Pure functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import norm

PAIR_POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What the fields of a pentanomial count stand for."""
Z95 = float(norm.ppf(0.975))

_ELO_SCALE = 400 / math.log(10)
NORMALISED_ELO_SCALE = 800 / math.log(10)
"""Normalised Elo of one standard deviation of a single game's points."""
_IMAGINED = (2.0, 0.0, 0.0, 0.0, 2.0)
"""Pairs added for intervals only. Without them a few pairs that all end alike would leave no doubt at all; with a
hundred pairs they hardly matter (Agresti and Coull 1998)."""
_FLOOR = 1e-3
"""Pairs counted where none came, for the sequential test: a result that never came is not impossible."""


def elo_of_points(points: float) -> float:
    """The rating difference that makes so many points a game (0 to 1) likely; infinite at the ends."""
    if points <= 0:
        return -math.inf
    if points >= 1:
        return math.inf
    return _ELO_SCALE * math.log(points / (1 - points))


def points_of_elo(elo: float) -> float:
    """Points expected of a game, 0 to 1."""
    return 1 / (1 + math.exp(-elo / _ELO_SCALE))


def mean_and_variance(counts: Sequence[float]) -> tuple[float, float]:
    """Of the points of a pair. counts: pentanomial, not all zero."""
    n = sum(counts)
    mean = sum(count * points for count, points in zip(counts, PAIR_POINTS, strict=True)) / n
    variance = sum(count * (points - mean) ** 2 for count, points in zip(counts, PAIR_POINTS, strict=True)) / n
    return mean, variance


def points_interval(counts: Sequence[int]) -> tuple[float, float]:
    """95 % interval of the expected points of a pair, by the normal approximation. counts: pentanomial."""
    together = [count + imagined for count, imagined in zip(counts, _IMAGINED, strict=True)]
    mean, variance = mean_and_variance(together)
    reach = Z95 * math.sqrt(variance / (sum(together) - 1))
    return max(0.0, mean - reach), min(1.0, mean + reach)


def elo_interval(counts: Sequence[int]) -> tuple[float, float]:
    """95 % interval of the Elo difference."""
    low, high = points_interval(counts)
    return elo_of_points(low), elo_of_points(high)


def likelihood_of_superiority(counts: Sequence[int]) -> float:
    """The probability that the first of two engines is the stronger one, 0 to 1."""
    together = [count + imagined for count, imagined in zip(counts, _IMAGINED, strict=True)]
    mean, variance = mean_and_variance(together)
    return float(norm.cdf((mean - 0.5) / math.sqrt(variance / (sum(together) - 1))))


def normalised_elo(counts: Sequence[int]) -> float:
    """The lead in standard deviations of a game, on the scale of Elo; nan if all pairs ended alike."""
    mean, variance = mean_and_variance(counts)
    return (mean - 0.5) / math.sqrt(2 * variance) * NORMALISED_ELO_SCALE if variance else math.nan


# --- the sequential test


class Verdict(StrEnum):
    OPEN = "open"
    H0 = "H0 accepted"
    """No stronger than elo0."""
    H1 = "H1 accepted"
    """At least elo1 stronger."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test: H0, a lead of elo0, against H1, a lead of elo1.

    alpha: probability to accept H1 where H0 holds; beta: the reverse. normalised: the bounds are normalised Elo, which
    needs about the same number of games whatever the share of draws; otherwise logistic Elo.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    normalised: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted (Wald 1945)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """The generalised log-likelihood ratio of a pentanomial count; 0 if nothing was played.

        Both hypotheses are given the distribution that fits the count best among those they allow (Van den Bergh, "A
        Practical Introduction to the GSPRT", 2021; for normalised Elo his "Comments on Normalized Elo").
        """
        n = sum(counts)
        if not n:
            return 0.0
        floored = np.array([max(count, _FLOOR) for count in counts], dtype=np.float64)
        shares = floored / floored.sum()
        fit = _fit_normalised if self.normalised else _fit_logistic
        h0, h1 = fit(shares, self.elo0), fit(shares, self.elo1)
        return n * float(np.sum(shares * np.log(h1 / h0)))

    def verdict(self, counts: Sequence[int]) -> Verdict:
        low, high = self.bounds
        llr = self.llr(counts)
        return Verdict.H1 if llr >= high else Verdict.H0 if llr <= low else Verdict.OPEN


_Shares = npt.NDArray[np.float64]
_POINTS: _Shares = np.array(PAIR_POINTS)


def _fit_expectation(shares: _Shares, values: _Shares, expectation: float) -> _Shares:
    """The most likely distribution over `values` with this expectation, given the observed shares (none of them 0).

    Known form: shares / (1 + x (values - expectation)), x such that the expectation comes out (Owen, "Empirical
    Likelihood", 2001). The expectation lies strictly between the extreme values.
    """
    lead = values - expectation
    low, high = -1 / lead.max(), -1 / lead.min()
    margin = 1e-12 * (high - low)
    x = brentq(lambda x: float(np.sum(shares * lead / (1 + x * lead))), low + margin, high - margin)
    return np.asarray(shares / (1 + x * lead))


def _fit_logistic(shares: _Shares, elo: float) -> _Shares:
    return _fit_expectation(shares, _POINTS, points_of_elo(elo))


def _fit_normalised(shares: _Shares, elo: float) -> _Shares:
    """The most likely distribution whose mean leads 1/2 by `elo` in its own standard deviations.

    At the optimum the condition may be replaced by its linearisation, which is a condition on an expectation; that is
    repeated from the uniform distribution on until nothing changes.
    """
    lead = math.sqrt(2) * elo / NORMALISED_ELO_SCALE  # of a pair, in its deviations
    fitted = np.full(len(_POINTS), 1 / len(_POINTS))
    for _ in range(50):
        mean = float(np.sum(fitted * _POINTS))
        deviation = math.sqrt(float(np.sum(fitted * (_POINTS - mean) ** 2)))
        values = _POINTS - 0.5 - lead * deviation * (1 + ((_POINTS - mean) / deviation) ** 2) / 2
        before, fitted = fitted, _fit_expectation(shares, values, 0.0)
        if float(np.max(np.abs(fitted - before))) < 1e-9:
            break
    return fitted


# --- more than two engines


@dataclass(frozen=True, slots=True)
class Rating:
    """Elo above the mean of the field; error: half of the 95 % interval."""

    elo: float
    error: float


def ratings(pairs: Mapping[tuple[int, int], Sequence[int]], n_engines: int) -> list[Rating]:
    """Ratings that fit all results best, their mean 0 (Bradley and Terry 1952), with errors from pairs.

    pairs: pentanomial counts by (first, second) engine, from the first one's view. Each pairing that was played gets
    one pair more, half of it won and half of it lost, so that nobody is infinitely strong and a few pairs that all
    ended alike leave doubt. An engine without a pair is rated 0, its error infinite. The errors are the sandwich
    estimate, which takes the spread of the pairs as it was seen, not as independent games would have it.
    """
    elo = np.zeros(n_engines)
    played = {key: np.array(counts, dtype=np.float64) for key, counts in pairs.items() if sum(counts)}
    for counts in played.values():
        counts[[0, -1]] += 0.5
    for _ in range(100):
        gradient, curvature, spread = _slopes(elo, played)
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        elo += np.clip(step, -1.0, 1.0)
        elo -= elo.mean()
        if float(np.max(np.abs(step))) < 1e-9:
            break
    gradient, curvature, spread = _slopes(elo, played)
    inverse = np.linalg.pinv(curvature)
    errors = Z95 * np.sqrt(np.diag(inverse @ spread @ inverse))
    for engine in set(range(n_engines)).difference(*played):
        elo[engine], errors[engine] = 0.0, math.inf
    return [Rating(_ELO_SCALE * float(e), _ELO_SCALE * float(s)) for e, s in zip(elo, errors, strict=True)]


def _slopes(elo: _Shares, played: Mapping[tuple[int, int], _Shares]) -> tuple[_Shares, _Shares, _Shares]:
    """Gradient and curvature of the log likelihood, and the spread of the gradient over pairs. elo: natural units."""
    n = len(elo)
    gradient, curvature, spread = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    for (i, j), counts in played.items():
        expected = 1 / (1 + math.exp(elo[j] - elo[i]))
        surplus = _POINTS - expected
        direction = np.zeros(n)
        direction[i], direction[j] = 1.0, -1.0
        outer = np.outer(direction, direction)
        gradient += direction * float(np.sum(counts * surplus))
        curvature += outer * float(counts.sum()) * expected * (1 - expected)
        spread += outer * float(np.sum(counts * surplus**2))
    return gradient, curvature, spread
