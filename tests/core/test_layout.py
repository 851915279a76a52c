"""A state record that the parent would misread is refused; each searcher asks when it is made."""

from __future__ import annotations

import numpy as np
import pytest

from othello_engine.core.layout import STATE_BYTES, check_layout

HEAD = [("stop", np.int64), ("nodes", np.int64)]


def test_a_record_with_both_numbers_in_their_places_and_room_is_taken() -> None:
    check_layout(np.dtype([*HEAD, ("rest", np.uint8, STATE_BYTES - 16)]))


@pytest.mark.parametrize(
    "fields",
    [
        [("other", np.int64), *HEAD],
        [HEAD[0], ("other", np.int64), HEAD[1]],
        HEAD[::-1],
        [*HEAD, ("rest", np.uint8, STATE_BYTES - 15)],
    ],
)
def test_one_that_the_parent_would_misread_is_not(fields: list[tuple[str, object]]) -> None:
    with pytest.raises(AssertionError):
        check_layout(np.dtype(fields))
