"""Training of the network: which rows are one, that it learns and repeats itself, and what the engine gets of it."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from othello_engine.core import plain
from othello_engine.evaluation import evaluate
from othello_engine.evaluation.features import FAMILIES, N_ROWS, ROW_BYTES, WEIGHTS_BYTES, WIDTH
from tests import oracle, positions
from tests.core.support import many_boards
from tests.trained import PATTERNS_AS_READ, TABLES, fold, noise, squares_of, zero_weights
from tools.train.network import LAST_OWN_NETWORK, Network, Samples, folding, network_of, packed, train

SEED = 20260113
PATTERNS = evaluate.EVALUATIONS["patterns"][0]

Boards = list[tuple[int, int]]


@cache
def some_boards(count: int, seed: int) -> Boards:
    return [(p.player, p.opponent) for p in positions.random_positions(count, seed) if 1 <= p.n_empties <= 60]


def disc_differences(boards: Boards) -> Samples:
    """Labelled with how many discs more the side to move has."""
    return Samples(
        np.array([p for p, _ in boards], dtype=np.uint64),
        np.array([o for _, o in boards], dtype=np.uint64),
        np.array([p.bit_count() - o.bit_count() for p, o in boards], dtype=np.float32),
        np.ones(len(boards), dtype=np.float32),
    )


def trained(samples: Samples, seed: int = 1, steps: tuple[float, ...] = (1.0, 0.5)) -> Network:
    network = Network.new(1)
    train(network, samples, steps, seed, lambda _: None)
    return network


@pytest.fixture(scope="module")
def disc_network() -> Network:
    return trained(disc_differences(some_boards(25_000, SEED)), steps=(1.0, 1.0, 1.0, 0.5, 0.25))


ROWS = folding()


def float_value(network: Network, player: int, opponent: int) -> float:
    """Discs, computed as the training does, in double precision."""
    board = oracle.board_of_bits(player, opponent)
    rows = [TABLES[name].start + oracle.reading(board, oracle.BLACK, squares) for name, squares in PATTERNS_AS_READ]
    rows += [TABLES[name].start + row for name, row in oracle.count_rows(board, oracle.BLACK).items()]
    vector = sum(network.rows[ROWS[row]].astype(np.float64) for row in rows)
    n = int(network_of(np.array([64 - (player | opponent).bit_count()]))[0])
    units = network.hidden[n].astype(np.float64) @ np.maximum(vector, 0) + network.offset[n]
    return 10 * float(network.direct[n] @ vector + network.output[n] @ np.maximum(units, 0) + network.last[n])


def packed_value(weights: np.ndarray, player: int, opponent: int) -> float:
    """Discs, as the engine computes them."""
    row = np.zeros(ROW_BYTES * 20, dtype=np.uint8)
    number, address, p, o = np.int64(PATTERNS), np.uint64(row.ctypes.data), np.uint64(player), np.uint64(opponent)
    evaluate.begin(number, address, p, o)
    moves = np.uint64(plain.legal_moves(player, opponent))
    return int(evaluate.static_value(number, np.uint64(weights.ctypes.data), address, p, o, moves)) / 100


# -- folding -------------------------------------------------------------------------------------------------


def test_folding_is_idempotent_and_takes_the_first_of_equal_rows() -> None:
    assert len(ROWS) == N_ROWS
    assert np.array_equal(ROWS[ROWS], ROWS)
    assert np.all(np.arange(N_ROWS) >= ROWS)


def test_rows_are_folded_within_their_table() -> None:
    for place in TABLES.values():
        assert ROWS[place].min() >= place.start
        assert ROWS[place].max() < place.stop


def test_readings_of_a_pattern_and_of_its_mirror_image_share_a_row() -> None:
    for player, opponent in many_boards(60):
        board = oracle.board_of_bits(player, opponent)
        for name, numbers in FAMILIES.items():
            squares = squares_of(numbers)
            same = [image for image in oracle.images(squares) if set(image) == set(squares)]
            readings = [TABLES[name].start + oracle.reading(board, oracle.BLACK, image) for image in same]
            assert len(set(ROWS[readings].tolist())) == 1
            assert ROWS[readings[0]] == min(readings)


def test_only_rows_that_mirror_images_make_equal_are_folded() -> None:
    """What is the same after folding is the same on folded weights, and the other way round."""
    weights = zero_weights()
    weights.rows[:] = noise(weights.rows.size, 3, 30_000).reshape(weights.rows.shape)
    fold(weights)
    assert np.array_equal(weights.rows[ROWS], weights.rows)
    distinct = np.unique(weights.rows, axis=0)
    assert len(distinct) == len(np.unique(ROWS))


def test_networks_are_shared_only_near_the_start_and_by_the_same_parity() -> None:
    numbers = network_of(np.arange(61))
    assert numbers[: LAST_OWN_NETWORK + 1].tolist() == list(range(LAST_OWN_NETWORK + 1))
    assert np.all(numbers <= LAST_OWN_NETWORK)
    assert np.all((np.arange(61) - numbers) % 2 == 0)
    assert len(set(numbers[LAST_OWN_NETWORK + 1 :].tolist())) == 2


# -- learning ------------------------------------------------------------------------------------------------


def test_the_same_data_and_seed_give_the_same_network_bit_for_bit() -> None:
    samples = disc_differences(some_boards(3_000, SEED))
    one, two = trained(samples), trained(samples)
    assert all(np.array_equal(a, b) for a, b in zip(one.arrays(), two.arrays(), strict=True))
    other = trained(samples, seed=2)
    assert not np.array_equal(one.rows, other.rows), "the order of the positions matters"


def test_a_simple_target_is_learned_in_a_few_passes(disc_network: Network) -> None:
    fresh = some_boards(400, SEED + 1)
    errors = [float_value(disc_network, p, o) - (p.bit_count() - o.bit_count()) for p, o in fresh]
    spread = np.std([p.bit_count() - o.bit_count() for p, o in fresh])
    error = float(np.sqrt(np.mean(np.square(errors))))
    assert error < spread / 4


def test_errors_are_told_and_fall_from_pass_to_pass() -> None:
    told: list[str] = []
    train(Network.new(1), disc_differences(some_boards(6_000, SEED)), (1.0, 1.0, 0.5), 1, told.append)
    errors = [float(line.split()[-2]) for line in told]
    assert len(errors) == 3
    assert all(a > b > 0 for a, b in itertools.pairwise(errors))


def test_a_network_is_the_same_after_saving_and_loading(disc_network: Network, tmp_path: Path) -> None:
    disc_network.save(tmp_path / "network.npz")
    again = Network.load(tmp_path / "network.npz")
    assert all(np.array_equal(a, b) for a, b in zip(disc_network.arrays(), again.arrays(), strict=True))


def test_samples_are_joined_in_order() -> None:
    parts = [disc_differences(some_boards(100, seed)) for seed in (1, 2)]
    joined = Samples.joined(parts)
    assert len(joined) == len(parts[0]) + len(parts[1])
    assert joined.player[: len(parts[0])].tolist() == parts[0].player.tolist()
    boards = zip(joined.player.tolist(), joined.opponent.tolist(), strict=True)
    assert joined.n_empties.tolist() == [64 - (p | o).bit_count() for p, o in boards]


# -- what the engine gets ------------------------------------------------------------------------------------


def test_the_engine_computes_what_was_trained(disc_network: Network) -> None:
    weights = packed(disc_network)
    assert weights.shape == (WEIGHTS_BYTES,)
    assert weights.dtype == np.uint8
    assert weights.ctypes.data % 64 == 0
    errors = []
    for player, opponent in some_boards(600, SEED + 2):
        expected = max(-63.99, min(float_value(disc_network, player, opponent), 63.99))
        errors.append(abs(packed_value(weights, player, opponent) - expected))
    assert max(errors) < 0.5
    assert np.mean(errors) < 0.1


def test_packed_weights_give_all_eight_images_the_same_value(disc_network: Network) -> None:
    weights = packed(disc_network)
    for player, opponent in some_boards(200, SEED + 3):
        images = [(positions.image(player, index), positions.image(opponent, index)) for index in range(8)]
        assert len({packed_value(weights, *boards) for boards in images}) == 1, (player, opponent)


def test_packing_is_of_folded_rows_and_stops_at_the_ends_of_16_bits() -> None:
    network = Network.new(1)
    network.rows[0] = 1e6
    network.rows[1] = -1e6
    weights = packed(network)
    rows = weights[: N_ROWS * 2 * WIDTH].view("<i2").reshape(N_ROWS, WIDTH)
    assert rows[0].tolist() == [32767] * WIDTH
    assert rows[1].tolist() == [-32768] * WIDTH
    assert np.array_equal(rows[ROWS], rows)
    assert np.array_equal(packed(network), weights)
