"""Rows of stones without a gap: the other half of the evaluation, and the base values of quiet moves."""

import numpy as np

FIVE = 20_000_000
OPEN_FOUR = 3_200_000
FOUR = 360_000
OPEN_THREE = 110_000
THREE = 12_000
OPEN_TWO = 3_500
TWO = 600
SINGLE = 80
OTHER = 10


def pattern_score(length, n_open):
    """Value of a row of `length` stones with 0 to 2 empty cells at its ends."""
    if length >= 5:
        return FIVE
    row = {4: (OTHER, FOUR, OPEN_FOUR), 3: (OTHER, THREE, OPEN_THREE), 2: (OTHER, TWO, OPEN_TWO)}
    return row.get(length, (OTHER, OTHER, SINGLE))[n_open]


SCORES = np.array([[pattern_score(length, n_open) for n_open in range(3)] for length in range(6)], dtype=np.int64)
"""By length, 0 to 5, and open ends."""
