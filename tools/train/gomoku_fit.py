"""The two fits of the Gomoku trainer: values from the results of games, order scores from the moves played.

Both give every multiset of line classes a number. Most multisets are rare, so a number is a prior (the one set by
hand, scaled), plus a sum over the four line classes, plus one for the cell class, plus a rest of the multiset's own
that is held near zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np
from numba import njit
from scipy import sparse
from scipy.optimize import minimize

from othello_engine.core.jit import I64
from othello_engine.gomoku.lines import CELL_CLASS, DEAD, MULTISETS, N_CLASSES
from tools.train.gomoku_positions import CANDIDATE, MULTISET, PLAYED, Positions, parts

N_MULTISETS = len(MULTISETS)
N_CELL_CLASSES = 16
OTHER_SHARE = 0.8
"""Share of the opponent's order score in that of a cell; list_moves of the search uses 5 to 4."""

_CHUNK = 10_000
_CURVATURE = 0.2
"""Of the logistic loss, roughly."""
_NOTHING = MULTISETS.index((DEAD,) * 4)


def shared_parts() -> np.ndarray:
    """(multisets, N_CLASSES + N_CELL_CLASSES) float64: how often each line class, and which cell class."""
    design = np.zeros((N_MULTISETS, N_CLASSES + N_CELL_CLASSES))
    for number, classes in enumerate(MULTISETS):
        for class_ in classes:
            design[number, class_] += 1
        design[number, N_CLASSES + CELL_CLASS[number]] = 1
    return design


SHARED = shared_parts()


def differences(positions: Positions) -> sparse.csr_matrix:
    """(n, multisets) float32: cells where the side to move has the multiset, less those where its opponent has it."""
    blocks = []
    for chosen, cells in parts(positions, _CHUNK):
        own = positions.pairs[cells, 0] & MULTISET
        other = positions.pairs[cells, 1]
        n = chosen.stop - chosen.start
        rows = np.repeat(np.arange(n), np.diff(positions.ends[chosen], prepend=cells.start))
        differs = own != other
        rows, own, other = rows[differs], own[differs], other[differs]
        ones = np.ones(len(rows), np.float32)
        block = sparse.coo_matrix(
            (np.concatenate([ones, -ones]), (np.concatenate([rows, rows]), np.concatenate([own, other]))),
            (n, N_MULTISETS),
        ).tocsr()
        block.eliminate_zeros()
        blocks.append(block)
    return sparse.vstack(blocks, "csr")


@dataclass(frozen=True, slots=True)
class Ridge:
    """Strength of the pull to zero: of the numbers shared by line class and cell class, and of each multiset's own."""

    shared: float
    own: float


def _descend(
    gradient_of: Callable[[np.ndarray], tuple[float, np.ndarray]], curvature: np.ndarray, iterations: int
) -> np.ndarray:
    """The lowest point, from zero. curvature: positive, roughly the second derivatives, which speeds the descent up."""
    scale = 1 / np.sqrt(curvature)

    def scaled(numbers: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = gradient_of(numbers * scale)
        return loss, gradient * scale

    options = {"maxiter": iterations, "maxcor": 20}
    return minimize(scaled, np.zeros(len(scale)), jac=True, method="L-BFGS-B", options=options).x * scale


def fit_values(
    counts: sparse.csr_matrix, won: np.ndarray, weight: np.ndarray, prior: np.ndarray, ridge: Ridge, iterations: int
) -> tuple[np.ndarray, float]:
    """Values of the multisets and of the move, in logits, that make the results likeliest.

    counts: see `differences`. won, weight: (n,). prior: (multisets,) logits. Positions count by their weight, ridges
    against the sum of them.
    """
    transposed = counts.T.tocsr()
    n_shared = SHARED.shape[1]
    strength = np.concatenate([np.full(n_shared, ridge.shared), np.full(N_MULTISETS, ridge.own), [0.0]])
    by_own = _CURVATURE * np.asarray(transposed.power(2) @ weight)
    curvature = strength + np.concatenate([(SHARED**2).T @ by_own, by_own, [_CURVATURE * weight.sum()]])

    def gradient_of(numbers: np.ndarray) -> tuple[float, np.ndarray]:
        values = _values(prior, numbers)
        logits = counts @ values + numbers[-1]
        loss = float(np.sum(weight * (np.logaddexp(0, logits) - won * logits)))
        slope = weight * (1 / (1 + np.exp(-logits)) - won)
        by_value = transposed @ slope
        gradient = np.concatenate([SHARED.T @ by_value, by_value, [slope.sum()]])
        return loss + 0.5 * float(strength @ numbers**2), gradient + strength * numbers

    numbers = _descend(gradient_of, np.maximum(curvature, 1.0), iterations)
    values = _values(prior, numbers)
    return values - values[_NOTHING], float(numbers[-1])


def _values(prior: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    n_shared = SHARED.shape[1]
    return prior + SHARED @ numbers[:n_shared] + numbers[n_shared : n_shared + N_MULTISETS]


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """Positions as choices among candidates. pairs: (m, 2) uint16 multisets, the played one of each position first.
    ends: (n,) int64. rows: (n,) the positions' rows."""

    pairs: np.ndarray
    ends: np.ndarray
    rows: np.ndarray


def choices_of(positions: Positions) -> Choices:
    """Leaves out positions whose move isn't a candidate, or the only one."""
    pairs, sizes, kept_rows = [], [], []
    for chosen, cells in parts(positions, _CHUNK):
        own, other = positions.pairs[cells, 0], positions.pairs[cells, 1]
        n = chosen.stop - chosen.start
        rows = np.repeat(np.arange(n), np.diff(positions.ends[chosen], prepend=cells.start))
        is_candidate, is_played = (own & CANDIDATE) != 0, (own & PLAYED) != 0
        n_candidates = np.bincount(rows[is_candidate], minlength=n)
        is_fit = (np.bincount(rows[is_candidate & is_played], minlength=n) == 1) & (n_candidates > 1)
        kept = is_candidate & is_fit[rows]
        order = np.lexsort((~is_played[kept], rows[kept]))
        pairs.append(np.stack([own[kept] & MULTISET, other[kept]], axis=1)[order])
        sizes.append(n_candidates[is_fit])
        kept_rows.append(np.flatnonzero(is_fit) + chosen.start)
    return Choices(np.concatenate(pairs), np.cumsum(np.concatenate(sizes)), np.concatenate(kept_rows))


@njit(
    numba.float64(numba.uint16[:, ::1], numba.int64[::1], numba.float64[::1], numba.float64[::1], numba.float64[:, ::1])
)
def _choice_loss(pairs, ends, own_scores, other_scores, gradient):
    """Minus the sum of the log probabilities of the moves played. gradient: (2, multisets), is added to."""
    loss = 0.0
    first = np.int64(0)
    for position in range(ends.shape[0]):
        last = ends[position]
        played = own_scores[pairs[first, 0]] + other_scores[pairs[first, 1]]
        highest = played
        for index in range(first, last):
            highest = max(highest, own_scores[pairs[index, 0]] + other_scores[pairs[index, 1]])
        total = 0.0
        for index in range(first, last):
            total += np.exp(own_scores[pairs[index, 0]] + other_scores[pairs[index, 1]] - highest)
        loss += np.log(total) + highest - played
        for index in range(first, last):
            share = np.exp(own_scores[pairs[index, 0]] + other_scores[pairs[index, 1]] - highest) / total
            gradient[0, pairs[index, 0]] += share
            gradient[1, pairs[index, 1]] += share
        gradient[0, pairs[first, 0]] -= 1.0
        gradient[1, pairs[first, 1]] -= 1.0
        first = last
    return loss


@njit(I64(numba.uint16[:, ::1], numba.int64[::1], numba.float64[::1], numba.float64[::1], numba.int64[::1]))
def _count_ranks(pairs, ends, own_scores, other_scores, ranks):
    """ranks[k] becomes the number of better candidates than the played one; an equal one counts half, rounded down."""
    first = np.int64(0)
    for position in range(ends.shape[0]):
        last = ends[position]
        played = own_scores[pairs[first, 0]] + other_scores[pairs[first, 1]]
        better = np.int64(0)
        equal = np.int64(0)
        for index in range(first + np.int64(1), last):
            score = own_scores[pairs[index, 0]] + other_scores[pairs[index, 1]]
            if score > played:
                better += np.int64(1)
            elif score == played:
                equal += np.int64(1)
        ranks[position] = better + equal // np.int64(2)
        first = last
    return first


def choice_loss(choices: Choices, own: np.ndarray, other: np.ndarray) -> float:
    """Mean of minus the log probability of the moves played; scores in logits."""
    wasted = np.zeros((2, N_MULTISETS))
    return float(_choice_loss(choices.pairs, choices.ends, own, other, wasted)) / len(choices.ends)


def ranks_of(choices: Choices, own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(n,) how many candidates stand before the move played."""
    ranks = np.zeros(len(choices.ends), np.int64)
    _count_ranks(choices.pairs, choices.ends, own, other, ranks)
    return ranks


def fit_orders(
    choices: Choices, prior: np.ndarray, ridge: Ridge, iterations: int, share: float | None = OTHER_SHARE
) -> tuple[np.ndarray, np.ndarray]:
    """Order scores for own and for the opponent's multiset, in logits, that make the moves played likeliest.

    share: the opponent's are this share of one's own; None: a table of their own.
    """
    n_shared = SHARED.shape[1]
    tables = 1 if share is not None else 2
    each = n_shared + N_MULTISETS
    strength = np.tile(np.concatenate([np.full(n_shared, ridge.shared), np.full(N_MULTISETS, ridge.own)]), tables)
    played = np.concatenate([[0], choices.ends[:-1]])
    chosen = np.bincount(choices.pairs[played, 0], minlength=N_MULTISETS).astype(float)
    curvature = strength + np.tile(np.concatenate([(SHARED**2).T @ chosen, chosen]), tables)

    def tables_of(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own = prior + SHARED @ numbers[:n_shared] + numbers[n_shared:each]
        if share is not None:
            return own, share * own
        rest = numbers[each:]
        return own, OTHER_SHARE * prior + SHARED @ rest[:n_shared] + rest[n_shared:]

    def gradient_of(numbers: np.ndarray) -> tuple[float, np.ndarray]:
        own, other = tables_of(numbers)
        by_table = np.zeros((2, N_MULTISETS))
        loss = float(_choice_loss(choices.pairs, choices.ends, own, other, by_table))
        if share is not None:
            by_table = by_table[:1] + share * by_table[1:]
        gradient = np.concatenate([part for row in by_table for part in (SHARED.T @ row, row)])
        return loss + 0.5 * float(strength @ numbers**2), gradient + strength * numbers

    numbers = _descend(gradient_of, curvature, iterations)
    return tables_of(numbers)
