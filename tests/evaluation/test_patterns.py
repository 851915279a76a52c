"""The trained evaluation: what its features are, and its value against the oracle."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from othello_engine.core import plain
from othello_engine.evaluation import evaluate, features, patterns
from othello_engine.evaluation.features import FAMILIES, INSTANCES, N_LANES, N_ROWS, WIDTH
from othello_engine.evaluation.lanes import ROW_BYTES
from othello_engine.types import ScoreKind
from tests import oracle, positions
from tests.core.support import SEED, bitboards, many_boards, several
from tests.trained import (
    ALL_PATTERNS,
    COUNTS,
    TABLES,
    TrainedWeights,
    made_up_weights,
    mobility_weights,
    squares_of,
    zero_weights,
)

PATTERNS = np.int64(evaluate.EVALUATIONS["patterns"][0])


@pytest.fixture(scope="module")
def weights() -> TrainedWeights:
    return made_up_weights(1)


def value_of(weights: TrainedWeights, player: int, opponent: int) -> int:
    """Value by the engine, through the interface that the search uses."""
    row = np.zeros(ROW_BYTES, dtype=np.uint8)
    address, p, o = np.uint64(row.ctypes.data), np.uint64(player), np.uint64(opponent)
    evaluate.begin(PATTERNS, address, p, o)
    moves = np.uint64(plain.legal_moves(player, opponent))
    return int(evaluate.static_value(PATTERNS, weights.address, address, p, o, moves))


# -- features ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_instances_are_all_the_different_images_of_their_family(name: str) -> None:
    first = squares_of(FAMILIES[name])
    found = [squares_of(each.squares) for each in INSTANCES if each.family == name]
    images = oracle.images(first)
    assert found[0] == first
    assert all(squares in images for squares in found), "in the order of the first instance"
    assert len({frozenset(squares) for squares in found}) == len(found)
    assert {frozenset(squares) for squares in found} == {frozenset(image) for image in images}


@pytest.mark.parametrize("name", FAMILIES)
def test_no_square_is_twice_in_a_pattern_and_indices_fit_their_lane(name: str) -> None:
    squares = FAMILIES[name]
    assert len(set(squares)) == len(squares)
    assert set(squares) <= set(range(64))
    assert 3 ** len(squares) <= 1 << 16


def test_no_two_families_are_images_of_each_other() -> None:
    shapes = [frozenset(map(frozenset, oracle.images(squares_of(squares)))) for squares in FAMILIES.values()]
    assert len(set(shapes)) == len(shapes)


def test_every_square_is_seen_by_some_pattern() -> None:
    assert {square for instance in INSTANCES for square in instance.squares} == set(range(64))


def test_symmetries_of_a_square_are_its_eight_images_in_one_order() -> None:
    """The same place in the list is the same symmetry for every square."""
    ours = list(zip(*(features.symmetries(square) for square in range(64)), strict=True))
    oracles = oracle.images(squares_of(tuple(range(64))))
    assert sorted(ours) == sorted(tuple(8 * row + column for row, column in image) for image in oracles)


def test_tables_lie_one_behind_the_other_without_overlap() -> None:
    for instance in INSTANCES:
        assert instance.offset == TABLES[instance.family].start
    for name, offset in (
        ("mobility", features.MOBILITY_OFFSET),
        ("potential", features.POTENTIAL_OFFSET),
        ("parity", features.PARITY_OFFSET),
        ("discs", features.DISCS_OFFSET),
    ):
        assert TABLES[name].start == offset
    places = list(TABLES.values())
    assert places[0].start == 0
    assert [place.stop for place in places] == [*(place.start for place in places[1:]), N_ROWS]


def test_rows_and_networks_do_not_overlap_in_memory() -> None:
    assert N_ROWS * features.ROW_BYTES <= features.NETWORKS_OFFSET
    assert features.NETWORKS_OFFSET % 64 == 0
    assert features.NETWORK_USED <= features.NETWORK_INTS
    assert features.NETWORK_BYTES == 4 * features.NETWORK_INTS
    assert features.NETWORKS_OFFSET + 61 * features.NETWORK_BYTES == features.WEIGHTS_BYTES
    assert len(INSTANCES) <= N_LANES
    assert N_LANES % 16 == 0


def test_the_digest_belongs_to_the_features(monkeypatch: pytest.MonkeyPatch) -> None:
    assert features._digest() == features.FEATURES_DIGEST
    name, squares = next(iter(FAMILIES.items()))
    changes: dict[str, list[Any]] = {
        "FAMILIES": [
            FAMILIES | {name: squares[:-1]},
            FAMILIES | {name: squares[::-1]},
            dict(reversed(FAMILIES.items())),
            FAMILIES | {"another": (27, 28)},
        ],
        "INSTANCES": [INSTANCES[:-1], INSTANCES[::-1]],
        "N_ROWS": [N_ROWS + 16],
        "WIDTH": [8],
        "HIDDEN": [8],
        "ONE_BITS": [9],
        "N_NETWORKS": [31],
    }
    seen = {features.FEATURES_DIGEST}
    for constant, others in changes.items():
        for other in others:
            with monkeypatch.context() as patch:
                patch.setattr(features, constant, other)
                seen.add(features._digest())
    assert len(seen) == 1 + sum(map(len, changes.values()))
    assert features._digest() == features.FEATURES_DIGEST


# -- counts --------------------------------------------------------------------------------------------------


def test_counts_pick_the_rows_that_the_oracle_picks() -> None:
    for player, opponent in many_boards(several(1_500, 100)):
        moves, replies = plain.legal_moves(player, opponent), plain.legal_moves(opponent, player)
        found = {
            "mobility": bitboards(patterns.mobility_index, moves, replies),
            "potential": bitboards(patterns.potential_index, player, opponent),
            "parity": bitboards(patterns.parity_index, player, opponent),
            "discs": bitboards(patterns.discs_index, player, opponent),
        }
        board = oracle.board_of_bits(player, opponent)
        expected = {name: TABLES[name].start + row for name, row in oracle.count_rows(board, oracle.BLACK).items()}
        assert found == expected, (player, opponent)
        assert all(TABLES[name].start <= row < TABLES[name].stop for name, row in found.items())


def test_counts_beyond_their_table_use_its_last_row() -> None:
    """No game has so many, but set-up boards may."""
    for moves, replies, row in ((31, 31, 1023), (32, 40, 1023), (64, 64, 1023), (40, 0, 992), (0, 40, 31)):
        index = bitboards(patterns.mobility_index, (1 << moves) - 1, (1 << replies) - 1)
        assert index - TABLES["mobility"].start == row
    crowded = positions.Position.from_text(positions.CROWDED)
    moves = plain.legal_moves(crowded.player, crowded.opponent)
    assert bitboards(patterns.mobility_index, moves, 0) - TABLES["mobility"].start == 992
    # 50 empty squares lie beside the single discs of a pattern with gaps.
    spread = positions.bits("b2 e2 h2 b5 e5 h5 b8 e8 h8")
    assert bitboards(patterns.potential_index, 0, spread) - TABLES["potential"].start == 47 * 48
    assert bitboards(patterns.potential_index, spread, 0) - TABLES["potential"].start == 47


@pytest.mark.parametrize("name", COUNTS)
def test_each_count_has_a_table_of_its_own(name: str) -> None:
    """With nothing but one table, the value is what the table says."""
    weights = zero_weights()
    weights.rows[TABLES[name], 3] = np.arange(COUNTS[name]) - 50
    weights.networks[:, 3] = 1024
    for player, opponent in boards_of_every_stage(several(2, 1)):
        row = oracle.count_rows(oracle.board_of_bits(player, opponent), oracle.BLACK)[name]
        assert value_of(weights, player, opponent) == row - 50


# -- the value -----------------------------------------------------------------------------------------------


def boards_of_every_stage(per_number: int) -> Iterator[tuple[int, int]]:
    """Unfinished positions of random games, so many with each number of empty squares from 1 to 60."""
    rng = random.Random(SEED)
    wanted = dict.fromkeys(range(1, 61), per_number)
    while any(wanted.values()):
        for position in positions.random_game(rng, squeeze=rng.choice((0.0, 0.3))):
            if not position.is_over and wanted.get(position.n_empties, 0):
                wanted[position.n_empties] -= 1
                yield position.player, position.opponent


def test_values_equal_the_oracle_with_every_number_of_empty_squares(weights: TrainedWeights) -> None:
    for player, opponent in boards_of_every_stage(several(20, 1)):
        assert value_of(weights, player, opponent) == weights.value(player, opponent), (player, opponent)


def test_values_equal_the_oracle_where_the_side_to_move_must_pass(weights: TrainedWeights) -> None:
    rng = random.Random(SEED)
    seen = 0
    while seen < several(150, 15):
        for position in positions.random_game(rng, squeeze=0.7):
            if position.must_pass:
                seen += 1
                player, opponent = position.player, position.opponent
                assert value_of(weights, player, opponent) == weights.value(player, opponent), (player, opponent)


def test_values_equal_the_oracle_where_one_side_is_nearly_wiped_out(weights: TrainedWeights) -> None:
    rng = random.Random(SEED)
    for _ in range(several(300, 20)):
        many = rng.getrandbits(64) | rng.getrandbits(64)
        few = sum({1 << rng.randrange(64) for _ in range(rng.randrange(3))})
        for player, opponent in ((many & ~few, few), (few, many & ~few)):
            if (player | opponent).bit_count() >= 4:
                assert value_of(weights, player, opponent) == weights.value(player, opponent), (player, opponent)


def test_values_equal_the_oracle_on_any_board(weights: TrainedWeights) -> None:
    for player, opponent in [(plain.FULL, 0), (0, plain.FULL), *many_boards(several(400, 20))]:
        if (player | opponent).bit_count() >= 4:
            assert value_of(weights, player, opponent) == weights.value(player, opponent), (player, opponent)


def test_boards_with_fewer_discs_than_the_start_use_the_last_network(weights: TrainedWeights) -> None:
    """Nobody plays to them, but they can be set up, and have moves."""
    for names in ("a1 b1", "d4 e4 f4", "h8 g7 f6"):
        first, *others = names.split()
        player, opponent = positions.bits(first), positions.bits(" ".join(others))
        assert value_of(weights, player, opponent) == weights.value(player, opponent), names


def test_the_value_is_the_same_for_all_eight_images(weights: TrainedWeights) -> None:
    for player, opponent in boards_of_every_stage(several(3, 1)):
        value = value_of(weights, player, opponent)
        for index in range(1, 8):
            assert value_of(weights, positions.image(player, index), positions.image(opponent, index)) == value


def test_the_number_of_empty_squares_picks_the_network(weights: TrainedWeights) -> None:
    weights = zero_weights()
    weights.networks[:, features.NETWORK_USED - 1] = np.arange(61) * 1024
    for player, opponent in boards_of_every_stage(1):
        assert value_of(weights, player, opponent) == 64 - (player | opponent).bit_count()


def test_no_value_says_more_than_a_finished_game() -> None:
    weights = made_up_weights(2)
    weights.networks[:, :WIDTH] *= 100
    found = [value_of(weights, player, opponent) for player, opponent in boards_of_every_stage(several(5, 1))]
    assert min(found) == -6399
    assert max(found) == 6399
    for last, value in ((6399, 6399), (6400, 6399), (1 << 20, 6399), (-6399, -6399), (-6400, -6399)):
        weights = zero_weights()
        weights.networks[:, features.NETWORK_USED - 1] = last * 1024
        assert value_of(weights, 0x0000001008000000, 0x0000000810000000) == value


def test_scores_are_hundredths_of_a_disc_without_a_bonus_for_winning() -> None:
    assert evaluate.EVALUATIONS["patterns"][1:] == (ScoreKind.CENTIDISCS, 100, 0)


def test_the_oracle_reads_each_pattern_once() -> None:
    """The test data itself: the engine's instances and the oracle's are the same sets of squares."""
    ours = sorted((name, sorted(squares)) for name, squares in ALL_PATTERNS)
    assert ours == sorted((each.family, sorted(squares_of(each.squares))) for each in INSTANCES)


def test_weights_with_some_sense_prefer_many_moves() -> None:
    weights = mobility_weights()
    start = positions.Position.start()
    assert value_of(weights, start.player, start.opponent) == 0
    must_pass = positions.Position.from_text(positions.EARLIEST_PASS_TEXT)
    assert value_of(weights, must_pass.player, must_pass.opponent) < 0
