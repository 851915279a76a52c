"""Classes of lines and cells against their recursive definition on text."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from othello_engine.gomoku import lines
from othello_engine.gomoku.lines import CELL_CLASS, COMBO_CLASS, LINE_CLASS, MULTISET_OF, MULTISETS, combos_of
from tests.gomoku import slow

SYMBOLS_FOR_BLACK, SYMBOLS_FOR_WHITE = "_XOO", "_OXO"


def _line(key: int, symbols: str) -> str:
    cells = [symbols[key >> (2 * place) & 3] for place in range(8)]
    return "".join(cells[:4]) + "X" + "".join(cells[4:])


def test_class_of_every_key_follows_the_definition() -> None:
    for key in range(lines.N_KEYS):
        expected = slow.class_of(_line(key, SYMBOLS_FOR_BLACK)) | slow.class_of(_line(key, SYMBOLS_FOR_WHITE)) << 4
        assert LINE_CLASS[key] == expected, (key, _line(key, SYMBOLS_FOR_BLACK))


@pytest.mark.parametrize(
    ("line", "class_"),
    [
        ("_XXXX____", lines.OPEN_FOUR),
        ("OXXXX____", lines.FOUR),
        ("X_XXX_X__", lines.OPEN_FOUR),  # two fours in one line
        ("__XXX____", lines.OPEN_THREE),
        ("O_XXX_O__", lines.CLOSED_THREE),
        ("O_XXX__O_", lines.OPEN_THREE_WEAK),
        ("____X____", lines.OPEN_ONE),
        ("OOOOXOOOO", lines.DEAD),
        ("___OX___O", lines.DEAD),
        ("XXXXXXXXX", lines.FIVE),
    ],
)
def test_well_known_shapes(line: str, class_: int) -> None:
    assert slow.class_of(line) == class_


def test_a_line_read_backwards_has_the_same_class() -> None:
    rng = np.random.default_rng(1)
    for key in rng.integers(0, lines.N_KEYS, 2000):
        back = sum((int(key) >> (2 * place) & 3) << (2 * (7 - place)) for place in range(8))
        assert LINE_CLASS[key] == LINE_CLASS[back]


def test_colours_are_treated_alike() -> None:
    other = [0, 2, 1, 3]
    rng = np.random.default_rng(2)
    for key in rng.integers(0, lines.N_KEYS, 2000):
        swapped = sum(other[int(key) >> (2 * place) & 3] << (2 * place) for place in range(8))
        assert LINE_CLASS[key] & 15 == LINE_CLASS[swapped] >> 4


def test_order_of_directions_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    for classes in rng.integers(0, lines.N_CLASSES, (200, 4)):
        numbers = set()
        for order in itertools.permutations(int(class_) for class_ in classes):
            combination = sum(class_ << (4 * direction) for direction, class_ in enumerate(order))
            numbers.add((int(MULTISET_OF[combination]), int(COMBO_CLASS[combination])))
        assert len(numbers) == 1
        assert MULTISETS[numbers.pop()[0]] == tuple(sorted(int(class_) for class_ in classes))


def test_cell_classes() -> None:
    for classes, expected in {
        (lines.FIVE, 0, 0, 0): lines.CELL_FIVE,
        (lines.FOUR, lines.FOUR, 0, 0): lines.CELL_OPEN_FOUR,
        (lines.OPEN_FOUR, 0, 0, 0): lines.CELL_OPEN_FOUR,
        (lines.FOUR, lines.OPEN_THREE_WEAK, 0, 0): lines.CELL_FOUR_OPEN_THREE,
        (lines.FOUR, lines.CLOSED_THREE, 0, 0): lines.CELL_FOUR_PLUS,
        (lines.FOUR, lines.CLOSED_TWO, 0, 0): lines.CELL_FOUR,
        (lines.OPEN_THREE, lines.OPEN_THREE_WEAK, 0, 0): lines.CELL_DOUBLE_OPEN_THREE,
        (lines.OPEN_THREE, 0, 0, 0): lines.CELL_OPEN_THREE,
        (0, 0, 0, 0): lines.CELL_NONE,
    }.items():
        for order in itertools.permutations(classes):
            assert lines.cell_class(order) == expected
        assert CELL_CLASS[MULTISETS.index(tuple(sorted(classes)))] == expected


@pytest.mark.parametrize(("size", "blocked"), [(10, 0), (15, 6), (20, 10)])
def test_combinations_of_a_board(size: int, blocked: int) -> None:
    position = slow.random_position(size, size, 40, blocked, radius=size)
    found = combos_of(size, position.cells)
    for cell, content in enumerate(position.cells):
        for side in range(2):
            expected = 0 if content else slow.combination(size, position.cells, cell, side + 1)
            assert found[cell, side] == expected
