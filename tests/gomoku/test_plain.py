"""The move at a glance, against a twin that looks at lines of text, and against the rules."""

from __future__ import annotations

import doctest
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.gomoku import plain
from othello_engine.gomoku.plain import NEAR, quick_move, worth
from othello_engine.gomoku.position import LARGEST, NO_CELL, SMALLEST, GomokuPosition

SIZES = range(SMALLEST, LARGEST + 1)


def random_position(size: int, n_stones: int, seed: int) -> GomokuPosition:
    """Stones anywhere, some cells blocked, perhaps a game that is over."""
    dice = random.Random(seed)
    cells = bytearray(dice.choices((0, 3), (15, 1), k=size * size))
    for cell in dice.sample(range(size * size), n_stones):
        cells[cell] = dice.choice((1, 2))
    return GomokuPosition(size, bytes(cells), dice.randrange(2))


def empty_cells(position: GomokuPosition) -> list[int]:
    return [cell for cell, content in enumerate(position.cells) if content == 0]


def windows_through(cell: int, size: int) -> list[list[int]]:
    """All five cells in a row that a cell is one of."""
    row, column = divmod(cell, size)
    found = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for first in range(-4, 1):
            places = [(row + (first + n) * down, column + (first + n) * right) for n in range(5)]
            if all(0 <= r < size and 0 <= c < size for r, c in places):
                found.append([r * size + c for r, c in places])
    return found


def made(position: GomokuPosition, cell: int, symbol: str) -> tuple[bool, set[int], int]:
    """With a stone on the cell: a five? Which cells would complete one? The weight of the rows through it."""
    text = list(position.to_text()[: position.size**2])
    text[cell] = symbol
    is_five, completing, weight = False, set(), 0
    for places in windows_through(cell, position.size):
        line = "".join(text[each] for each in places)
        if set(line) <= {symbol, "-"}:
            is_five = is_five or line.count(symbol) == 5
            if line.count(symbol) == 4:
                completing.add(places[line.index("-")])
            weight += {1: 0, 2: 1, 3: 6, 4: 40, 5: 90}[line.count(symbol)]
    return is_five, completing, weight


def twin_worth(position: GomokuPosition, cell: int) -> int:
    own, other = ("X", "O") if position.side == 0 else ("O", "X")
    own_five, own_cells, own_weight = made(position, cell, own)
    other_five, other_cells, other_weight = made(position, cell, other)
    if own_five:
        return 10_000_000
    if other_five:
        return 1_000_000
    if len(own_cells) > 1:
        return 100_000 + own_weight
    if len(other_cells) > 1:
        return 20_000 + other_weight
    return own_weight + int(other_weight * 0.8)


def near_cells(position: GomokuPosition, cells: list[int]) -> list[int]:
    size = position.size
    stones = [divmod(cell, size) for cell, content in enumerate(position.cells) if content in (1, 2)]
    return [
        cell
        for cell in cells
        if any(max(abs(cell // size - row), abs(cell % size - column)) <= NEAR for row, column in stones)
    ]


@pytest.mark.parametrize("size", SIZES)
def test_it_takes_the_cell_that_is_worth_most_near_the_stones(size: int) -> None:
    for seed in range(5):
        position = random_position(size, 1 + seed * size // 2, 100 * size + seed)
        empties = empty_cells(position)
        values = {cell: twin_worth(position, cell) for cell in empties}
        assert values == {cell: worth(position, cell) for cell in empties}
        move = quick_move(position)
        choices = near_cells(position, empties) or empties
        assert move in choices
        assert values[move] == max(values[cell] for cell in choices)
        middle = (size - 1) / 2
        away = {cell: abs(cell // size - middle) + abs(cell % size - middle) for cell in choices}
        assert away[move] == min(away[cell] for cell in choices if values[cell] == values[move])


@given(st.sampled_from((10, 15)), st.integers(0, 99), st.integers(0, 1 << 20))
def test_it_is_an_empty_cell_whatever_the_board_and_what_is_allowed(size: int, n_stones: int, seed: int) -> None:
    position = random_position(size, n_stones, seed)
    dice = random.Random(seed)
    allowed = dice.sample(range(-1, size * size + 1), dice.randrange(6))
    avoid = dice.sample(range(size * size), dice.randrange(6)) + allowed[: dice.randrange(3)]
    empties = empty_cells(position)
    choices = [cell for cell in empties if cell in allowed] or empties
    choices = [cell for cell in choices if cell not in avoid] or choices
    assert quick_move(position, allowed, avoid) in (choices or [NO_CELL])
    assert quick_move(position, tuple(allowed)) in ([cell for cell in empties if cell in allowed] or empties)


def five_points(position: GomokuPosition, side: int) -> set[int]:
    """Where a side would make five if it were its turn."""
    turned = position.with_side(side)
    return {move for move in position.legal_moves if turned.play(move).winner == side}


def test_it_wins_if_it_can_and_else_stops_a_five() -> None:
    """By the rules, on crowded boards."""
    n_wins = n_blocks = 0
    for seed in range(200):
        position = random_position(10, 45, seed)
        wins, blocks = five_points(position, position.side), five_points(position, 1 - position.side)
        move = quick_move(position)
        if wins:
            assert move in wins
            n_wins += 1
        elif blocks:
            assert move in blocks
            n_blocks += 1
    assert min(n_wins, n_blocks) >= 10


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        ("c5a1d5a3e5c3f5a7", {"b5", "g5"}),  # own four
        ("a1c5a3d5a5e5j9f5", {"b5", "g5"}),  # a four of the other side
        ("c5b5d5a2e5a4f5", {"g5"}),  # a closed one
        ("c5a2d5a3f5a4g5", {"e5"}),  # the gap
        ("d5a1e5a3f5j9", {"c5", "g5"}),  # an open three to make a four of
        ("d5a1e5a3f5", {"b5", "c5", "g5", "h5"}),  # an open three to stop
        ("e5b2e6b9e7j1f8h1g8j9h8d1", {"e8"}),  # two fours at once
    ],
)
def test_known_positions(moves: str, answers: set[str]) -> None:
    position = GomokuPosition.from_moves(moves, 10)
    assert position.move_name(quick_move(position)) in answers


def test_moves_to_avoid_are_taken_only_if_there_are_no_others() -> None:
    won = GomokuPosition.from_moves("c5a1d5a3e5c3f5a7", 10)
    b5, g5, a9 = (won.parse_move(name) for name in ("b5", "g5", "a9"))
    assert quick_move(won, avoid=[b5]) == g5
    assert quick_move(won, avoid=[b5, g5]) not in (b5, g5, NO_CELL)
    assert quick_move(won, [b5, a9], [b5]) == a9
    assert quick_move(won, [b5], [b5]) == b5


def test_ends_and_beginnings() -> None:
    for size in SIZES:
        middle = quick_move(GomokuPosition.start(size))
        assert {middle // size, middle % size} <= {(size - 1) // 2, size // 2}
        assert quick_move(GomokuPosition(size, bytes([1, 2]) * (size * size // 2) + bytes([3]) * (size % 2))) == NO_CELL
    one_left = GomokuPosition(10, bytes([3]) * 63 + bytes([0]) + bytes([3]) * 36)
    assert quick_move(one_left) == quick_move(one_left, [5]) == quick_move(one_left, avoid=[63]) == 63


def test_the_examples_of_the_page() -> None:
    assert doctest.testmod(plain).failed == 0


def test_no_kernels_are_loaded_for_it() -> None:
    script = "import sys, othello_engine.gomoku.plain\nsys.exit('numba' in sys.modules or 'numpy' in sys.modules)\n"
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0
