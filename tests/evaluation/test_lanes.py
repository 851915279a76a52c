"""The vector code of the trained evaluation: indices read off the board and kept up to date; the network."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from othello_engine.core import plain
from othello_engine.core.jit import I64, U64, VOID, kernel
from othello_engine.evaluation import evaluate
from othello_engine.evaluation import lanes as lanes_module
from othello_engine.evaluation.features import HIDDEN, INSTANCES, N_LANES, N_NETWORKS, N_ROWS, POWERS, WIDTH
from othello_engine.types import PASS
from tests import oracle, positions
from tests.core.support import SEED, many_boards, several
from tests.trained import PATTERNS_AS_READ, made_up_weights, noise, zero_weights

lanes: Any = lanes_module  # intrinsics are called by kernels, whose types are in the decorator


@kernel(VOID(U64, U64, U64))
def _row_of(row, player, opponent):  # type: ignore[no-untyped-def]
    lanes.row_of(row, player, opponent)


@kernel(VOID(U64, U64, I64, U64))
def _row_after(row, next_row, square, turned):  # type: ignore[no-untyped-def]
    lanes.row_after(row, next_row, square, turned)


@kernel(VOID(U64, U64, I64, U64))
def _own_view_after(row, next_row, square, turned):  # type: ignore[no-untyped-def]
    lanes.own_view_after(row, next_row, square, turned)


@kernel(VOID(U64, U64))
def _row_after_pass(row, next_row):  # type: ignore[no-untyped-def]
    lanes.row_after_pass(row, next_row)


@kernel(I64(U64, U64, U64, I64, I64, I64, I64))
def _network_value(row, weights, network, count_1, count_2, count_3, count_4):  # type: ignore[no-untyped-def]
    return lanes.network_value(row, weights, network, count_1, count_2, count_3, count_4)


class Rows:
    """A few rows of indices in memory, the first one at an address that no vector is aligned to."""

    def __init__(self, count: int = 2) -> None:
        self._space = np.full(2 * N_LANES * count + 1, 0xAAAA, dtype=np.uint16)

    def address(self, index: int) -> np.uint64:
        return np.uint64(self._space.ctypes.data + 2 + index * lanes.ROW_BYTES)

    def __getitem__(self, index: int) -> list[int]:
        found: list[int] = self._space[1 + 2 * N_LANES * index :][: 2 * N_LANES].tolist()
        return found


def row_of(player: int, opponent: int) -> list[int]:
    rows = Rows()
    _row_of(rows.address(0), np.uint64(player), np.uint64(opponent))
    assert set(rows[1]) == {0xAAAA}, "nothing is written behind the row"
    return rows[0]


def read_off(player: int, opponent: int) -> list[int]:
    """Both views of a row by the oracle."""
    board = oracle.board_of_bits(player, opponent)
    indices = []
    for colour in (oracle.BLACK, oracle.WHITE):
        view = [oracle.reading(board, colour, squares) for _, squares in PATTERNS_AS_READ]
        indices += view + [0] * (N_LANES - len(view))
    return indices


# -- indices -------------------------------------------------------------------------------------------------


def test_powers_are_the_digit_of_each_square_in_each_instance() -> None:
    assert len(POWERS) == 64
    for square, row in enumerate(POWERS):
        assert len(row) == N_LANES
        for lane, worth in enumerate(row):
            squares = INSTANCES[lane].squares if lane < len(INSTANCES) else ()
            assert worth == (3 ** squares.index(square) if square in squares else 0)


@pytest.mark.parametrize(
    ("player", "opponent"),
    [(0, 0), (plain.FULL, 0), (0, plain.FULL), (positions.bits("a1 h1 a8 h8"), 0), (0, positions.bits("h8"))],
)
def test_extreme_boards_are_read_right(player: int, opponent: int) -> None:
    assert row_of(player, opponent) == read_off(player, opponent)


def test_every_single_disc_is_read_right() -> None:
    for square in range(64):
        assert row_of(1 << square, 0) == read_off(1 << square, 0)
        assert row_of(0, 1 << square) == read_off(0, 1 << square)


def test_rows_are_what_the_oracle_reads_off_the_board() -> None:
    for player, opponent in many_boards(several(600, 60)):
        assert row_of(player, opponent) == read_off(player, opponent), (player, opponent)


def test_the_other_view_is_the_own_view_of_the_other_side() -> None:
    for player, opponent in many_boards(several(400, 40)):
        row = row_of(player, opponent)
        assert row_of(opponent, player) == row[N_LANES:] + row[:N_LANES]


def steps(count: int) -> Iterator[tuple[int, int, int, int]]:
    """(player, opponent, move, discs turned) along random games, passes included."""
    rng = random.Random(SEED)
    for number in range(count):
        game = positions.random_game(rng, squeeze=(0.0, 0.5, 0.8)[number % 3])
        for position, move in zip(game, positions.moves_of(game), strict=False):
            turned = 0 if move == PASS else plain.flips(move, position.player, position.opponent)
            yield position.player, position.opponent, move, turned


def test_rows_kept_up_to_date_move_by_move_equal_rows_from_scratch() -> None:
    rows = Rows(130)
    ply = passes = 0
    player = opponent = 0
    for p, o, move, turned in steps(several(120, 12)):
        if (p, o) != (player, opponent):  # another game begins
            ply = 0
            _row_of(rows.address(0), np.uint64(p), np.uint64(o))
        here, next_ = rows.address(ply), rows.address(ply + 1)
        if move == PASS:
            passes += 1
            _row_after_pass(here, next_)
            player, opponent = o, p
        else:
            other_view = rows[ply + 1][N_LANES:]
            _own_view_after(here, next_, np.int64(move), np.uint64(turned))
            own_view = rows[ply + 1][:N_LANES]
            assert rows[ply + 1][N_LANES:] == other_view, "the other view is left alone"
            _row_after(here, next_, np.int64(move), np.uint64(turned))
            assert rows[ply + 1][:N_LANES] == own_view
            player, opponent = o ^ turned, p ^ turned ^ 1 << move
        assert rows[ply] == row_of(p, o), "the row before is left alone"
        assert rows[ply + 1] == row_of(player, opponent)
        ply += 1
    assert passes


def test_a_row_may_be_followed_in_place() -> None:
    """Nothing is written before all is read."""
    for p, o, move, turned in steps(several(20, 4)):
        rows = Rows(1)
        _row_of(rows.address(0), np.uint64(p), np.uint64(o))
        if move == PASS:
            _row_after_pass(rows.address(0), rows.address(0))
            assert rows[0] == row_of(o, p)
        else:
            _row_after(rows.address(0), rows.address(0), np.int64(move), np.uint64(turned))
            assert rows[0] == row_of(o ^ turned, p ^ turned ^ 1 << move)


def test_the_interface_fills_the_row_after_the_present_one() -> None:
    number = np.int64(evaluate.EVALUATIONS["patterns"][0])
    for p, o, move, turned in steps(several(10, 2)):
        rows = Rows()
        evaluate.begin(number, rows.address(0), np.uint64(p), np.uint64(o))
        assert rows[0] == row_of(p, o)
        if move == PASS:
            evaluate.follow_pass(number, rows.address(0))
            assert rows[1] == row_of(o, p)
        else:
            evaluate.follow(number, rows.address(0), np.int64(move), np.uint64(turned))
            assert rows[1] == row_of(o ^ turned, p ^ turned ^ 1 << move)


def test_an_evaluation_without_rows_writes_none() -> None:
    number = np.int64(evaluate.EVALUATIONS["classic"][0])
    rows = Rows()
    evaluate.begin(number, rows.address(0), np.uint64(1), np.uint64(2))
    evaluate.follow(number, rows.address(0), np.int64(19), np.uint64(4))
    evaluate.follow_pass(number, rows.address(0))
    assert set(rows[0] + rows[1]) == {0xAAAA}


# -- the network ---------------------------------------------------------------------------------------------


def network_value(weights: Any, player: int, opponent: int, n_empties: int, counts: tuple[int, int, int, int]) -> int:
    rows = Rows(1)
    _row_of(rows.address(0), np.uint64(player), np.uint64(opponent))
    address = weights.network_address(n_empties)
    return int(_network_value(rows.address(0), weights.address, address, *(np.int64(count) for count in counts)))


def vector_value(weights: Any, player: int, opponent: int, n_empties: int, counts: tuple[int, int, int, int]) -> int:
    """By the oracle, from the rows that the patterns and these counts pick."""
    board = oracle.board_of_bits(player, opponent)
    picked = [weights.row(name, oracle.reading(board, oracle.BLACK, squares)) for name, squares in PATTERNS_AS_READ]
    picked += [weights.rows[count].tolist() for count in counts]
    vector = [max(-32768, min(sum(elements), 32767)) for elements in zip(*picked, strict=True)]
    return oracle.network_value(vector, weights.network(n_empties))


def test_values_equal_the_oracle_by_weights_without_symmetry() -> None:
    """Any four rows may be given as counts, and any network."""
    weights = made_up_weights(1, is_folded=False)
    rng = random.Random(SEED)
    for player, opponent in many_boards(several(600, 40)):
        n_empties = rng.randrange(N_NETWORKS)
        counts = rng.randrange(N_ROWS), rng.randrange(N_ROWS), 0, N_ROWS - 1
        found = network_value(weights, player, opponent, n_empties, counts)
        assert found == vector_value(weights, player, opponent, n_empties, counts), (player, opponent, n_empties)


def single_element(element: int, direct: int, hidden: int, output: int) -> oracle.TrainedNetwork:
    """A network that looks at one element, and passes it to the unit of the same number."""
    return oracle.TrainedNetwork(
        [direct if e == element else 0 for e in range(WIDTH)],
        [[hidden if e == u == element else 0 for e in range(WIDTH)] for u in range(HIDDEN)],
        [0] * HIDDEN,
        [output if u == element else 0 for u in range(HIDDEN)],
        0,
    )


COUNT_ROWS = (N_ROWS - 1, N_ROWS - 2, N_ROWS - 3, N_ROWS - 4)


@pytest.mark.parametrize("element", range(WIDTH))
def test_each_element_and_unit_has_weights_of_its_own(element: int) -> None:
    """The direct weight counts on both sides of zero; hidden units only see what is positive."""
    weights = zero_weights()
    for direct, hidden, output in ((1024, 0, 0), (0, 1024, 1024), (0, -1024, 1024), (0, 2048, 512), (0, 1024, -1024)):
        weights.set_network(7, single_element(element, direct, hidden, output))
        for x in (-700, -1, 0, 1, 700):
            weights.rows[COUNT_ROWS[0]] = 3 * x + 1  # every other element holds something else
            weights.rows[COUNT_ROWS[0], element] = x
            expected = x * direct // 1024 + max(max(x, 0) * hidden // 1024, 0) * output // 1024
            assert network_value(weights, 0, 0, 7, COUNT_ROWS) == expected


@pytest.mark.parametrize(("last", "value"), [(0, 0), (1023, 0), (1024, 1), (-1, -1), (-1024, -1), (-1025, -2)])
def test_values_are_rounded_down(last: int, value: int) -> None:
    weights = zero_weights()
    nothing = [0] * WIDTH
    weights.set_network(60, oracle.TrainedNetwork(nothing, [nothing] * HIDDEN, [0] * HIDDEN, [0] * HIDDEN, last))
    assert network_value(weights, 0, 0, 60, COUNT_ROWS) == value


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("size", [400, 450, 3000, 32767])
def test_sums_of_rows_stop_at_the_ends_of_16_bits(sign: int, size: int) -> None:
    """All rows equal: 74 times 442.8 is the end."""
    weights = zero_weights()
    weights.rows[:] = sign * size
    for element in range(WIDTH):
        weights.set_network(0, single_element(element, 1024, 0, 0))
        expected = max(-32768, min(74 * sign * size, 32767))
        assert network_value(weights, 0x123456789, 0xF000000000, 0, COUNT_ROWS) == expected


SATURATED = [
    *(32767, -1097, -32768, 32767, -25373, 32767, 32767, -32768),
    *(32767, 14804, 13823, 32767, 32767, -32768, 32767, -32768),
]


def test_saturation_is_the_same_with_and_without_the_compiler() -> None:
    """Where rows of both signs are large, the order of the additions counts, and with it the order of the features."""
    weights = zero_weights()
    weights.rows[:] = noise(weights.rows.size, 5, 32000).reshape(weights.rows.shape)
    found = []
    for element in range(WIDTH):
        weights.set_network(0, single_element(element, 1024, 0, 0))
        found.append(network_value(weights, 0x0000001818000000, 0x0000240000240000, 0, COUNT_ROWS))
    assert found == SATURATED
