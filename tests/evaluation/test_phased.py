"""The phased evaluations: every term and all of the value against the oracle, and what is documented of the weights."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from othello_engine.evaluation import phased
from othello_engine.position import Position
from othello_engine.types import BLACK
from tests import oracle, phased_oracle, positions
from tests.core.support import SEED, bitboards, many_boards, several, wrapping_multiplication

RECENT_GAMES = Path(__file__).parents[1] / "data" / "wthor_recent.txt.gz"
"""Tournament games that the weights were not fitted to: moves, final score, true score with 24 empties."""

MOBILITY, FRONTIER, CORNERS, STABILITY, PARITY, DISCS = range(6)
OPENING, MIDDLE, END = range(3)
KERNELS = (
    (phased.evaluate, phased.WEIGHTS, phased_oracle.OTHELLO),
    (phased.evaluate_anti, phased.ANTI_WEIGHTS, phased_oracle.ANTI_OTHELLO),
)


@pytest.fixture(autouse=True, scope="module")
def _wrapping_multiplication_is_meant() -> Iterator[None]:
    with wrapping_multiplication():
        yield


def value_of(player: int, opponent: int) -> int:
    return bitboards(phased.evaluate, player, opponent)


def anti_value_of(player: int, opponent: int) -> int:
    return bitboards(phased.evaluate_anti, player, opponent)


def terms_of(player: int, opponent: int) -> list[int]:
    return [int(term) for term in phased.terms(np.uint64(player), np.uint64(opponent))]


def boards_of_all_kinds(count: int) -> list[tuple[int, int]]:
    """Of random games, and some that no game reaches; the corners of both are as often full as empty."""
    late = [(each.player, each.opponent) for n in (1, 4, 9, 14, 20) for each in positions.late_positions(n, 10, SEED)]
    return list(many_boards(count)) + late


# -- the value -----------------------------------------------------------------------------------------------


def test_terms_are_the_oracle_s_on_boards_of_every_stage() -> None:
    seen = np.zeros((3, 6), bool)
    for player, opponent in boards_of_all_kinds(several(800, 100)):
        board = oracle.board_of_bits(player, opponent)
        found = terms_of(player, opponent)
        assert found == list(phased_oracle.terms(board, oracle.BLACK).values()), (player, opponent)
        seen[int(phased.phase_of(np.int64(64 - (player | opponent).bit_count())))] |= np.array(found) != 0
    assert seen[:, :STABILITY].all()
    assert seen[[MIDDLE, END], STABILITY].all()
    assert seen[:, PARITY].tolist() == [False, False, True]


@pytest.mark.parametrize(("kernel", "weights", "table"), KERNELS, ids=("othello", "anti"))
def test_value_is_the_oracle_s_on_boards_of_every_stage(kernel: Any, weights: Any, table: dict[str, Any]) -> None:
    assert weights.tolist() == [list(row) for row in table.values()]
    for player, opponent in boards_of_all_kinds(several(800, 100)):
        board = oracle.board_of_bits(player, opponent)
        assert bitboards(kernel, player, opponent) == phased_oracle.evaluate(board, oracle.BLACK, table), (
            player,
            opponent,
        )


def test_value_changes_sides_and_knows_no_directions() -> None:
    """All six terms are differences, parity too: exchanging the sides changes the sign and nothing else."""
    for player, opponent in boards_of_all_kinds(several(400, 40)):
        terms, value, anti = terms_of(player, opponent), value_of(player, opponent), anti_value_of(player, opponent)
        assert terms_of(opponent, player) == [-term for term in terms]
        assert value_of(opponent, player) == -value
        assert anti_value_of(opponent, player) == -anti
        for index in range(8):
            images = positions.image(player, index), positions.image(opponent, index)
            assert terms_of(*images) == terms
            assert (value_of(*images), anti_value_of(*images)) == (value, anti)


def test_colours_play_no_part() -> None:
    for position in positions.random_positions(several(400, 40), SEED):
        recoloured = position.recoloured()
        assert value_of(recoloured.player, recoloured.opponent) == value_of(position.player, position.opponent)


@pytest.mark.parametrize(
    ("n_empties", "phase"), [(59, OPENING), (45, OPENING), (44, MIDDLE), (21, MIDDLE), (20, END), (1, END)]
)
def test_weights_change_at_44_and_at_20_empties(n_empties: int, phase: int) -> None:
    assert int(phased.phase_of(np.int64(n_empties))) == phase
    found = [each for each in positions.random_positions(2_000, SEED) if each.n_empties == n_empties]
    assert len(found) > 10
    for position in found:
        terms = np.array(terms_of(position.player, position.opponent))
        assert value_of(position.player, position.opponent) == phased.WEIGHTS[phase] @ terms
        assert anti_value_of(position.player, position.opponent) == phased.ANTI_WEIGHTS[phase] @ terms


# -- single terms by hand ------------------------------------------------------------------------------------

TWO_REGIONS = "-OX-XXXXOOXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX X"
"""Black alone can enter a1, and White alone d1."""


def test_parity_counts_the_odd_regions_that_one_side_alone_can_enter() -> None:
    position = Position.from_text(TWO_REGIONS)
    own, other = position.legal_bitboard, position.swapped().legal_bitboard
    assert (own, other) == (positions.bits("a1"), positions.bits("d1"))
    assert bitboards(phased.parity, position.empties, own, other) == 1 - 1
    assert bitboards(phased.parity, position.empties, own, 0) == 1
    assert bitboards(phased.parity, position.empties, 0, other) == -1
    assert bitboards(phased.parity, position.empties, own, own | other) == -1
    assert bitboards(phased.parity, positions.bits("a1 b2"), own, 0) == 0  # one region, even
    assert bitboards(phased.parity, positions.bits("a1 b2 c3"), own, 0) == 1  # one region, odd
    assert (
        bitboards(phased.parity, positions.bits("a1 c3 e5 g7"), positions.bits("a1 c3 e5"), positions.bits("g7")) == 2
    )


def test_parity_regions_do_not_reach_round_the_board() -> None:
    """h1 and a2, or h1 and a3, are neighbours as numbers only."""
    for names in ("h1 a2", "h1 a3", "h4 a5", "a8 h6", "a1 h8"):
        both = positions.bits(names)
        assert bitboards(phased.parity, both, both, 0) == 2, names


def test_a_corner_is_a_corner_and_a_stable_disc_at_once() -> None:
    player, opponent = positions.bits("a1"), positions.bits("d4")
    assert terms_of(player, opponent) == [0, 0, 1, 1, 0, 0]
    assert value_of(player, opponent) == 1717 + 62


def test_start_position_is_zero() -> None:
    start = Position.start()
    assert terms_of(start.player, start.opponent) == [0] * 6
    assert value_of(start.player, start.opponent) == 0


# -- what is said of the weights -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recent() -> list[tuple[Position, int]]:
    """Positions of recent games and their scores for the side to move: of perfect play with 24 empties and more, of
    the game after that."""
    found = []
    with gzip.open(RECENT_GAMES, "rt", encoding="ascii") as lines:
        games = [line.split() for line in lines]
    for moves, score, true_score in games[:: several(1, 2)]:
        position = Position.start()
        for place in range(0, len(moves), 2):
            if position.must_pass:
                position = position.swapped()
            known = int(true_score if position.n_empties >= 24 else score)
            found.append((position, known if position.side == BLACK else -known))
            position = position.play(moves[place : place + 2])
        assert position.is_over
    return found


@pytest.fixture(scope="module")
def shares(recent: list[tuple[Position, int]]) -> np.ndarray:
    """(3, 6): how much each term moves the value in recent games: weight times standard deviation of the term."""
    rows = np.array([terms_of(position.player, position.opponent) for position, _ in recent])
    phases = np.array([(position.n_empties <= 44) + int(position.n_empties <= 20) for position, _ in recent])
    return np.array([np.abs(phased.WEIGHTS[phase]) * rows[phases == phase].std(axis=0) for phase in range(3)])


def test_discs_weigh_exactly_nothing_before_the_last_phase() -> None:
    for weights in (phased.WEIGHTS, phased.ANTI_WEIGHTS):
        assert weights[OPENING, DISCS] == weights[MIDDLE, DISCS] == 0
    assert phased.WEIGHTS[END, DISCS] > 0 > phased.ANTI_WEIGHTS[END, DISCS]


def test_each_term_speaks_for_the_side_that_is_documented() -> None:
    signs = np.sign(phased.WEIGHTS)
    assert (signs[:, [MOBILITY, CORNERS, STABILITY]] == 1).all()
    assert (signs[:, FRONTIER] == -1).all()
    assert signs[:, PARITY].tolist() == [0, 0, 1]


def test_mobility_rules_the_opening(shares: np.ndarray) -> None:
    assert shares[OPENING].argmax() == MOBILITY
    assert shares[OPENING, MOBILITY] > shares[OPENING].sum() / 2


def test_stability_rises_in_the_middle(shares: np.ndarray) -> None:
    assert phased.WEIGHTS[MIDDLE, STABILITY] >= 2 * phased.WEIGHTS[OPENING, STABILITY]
    part = shares[:, STABILITY] / shares.sum(axis=1)
    assert part[OPENING] < 0.02 < 0.05 < part[MIDDLE] < part[END]


def test_stability_and_parity_rule_the_end(shares: np.ndarray) -> None:
    """Nothing moves the value as much as stability, nothing weighs as much as a unit of parity, and the two together
    move it more than the four others."""
    assert shares[END].argmax() == STABILITY
    assert np.abs(phased.WEIGHTS[END]).argmax() == PARITY
    assert shares[END, STABILITY] + shares[END, PARITY] > shares[END].sum() / 2


# -- ahead in discs, and lost --------------------------------------------------------------------------------

TWENTY_TO_NINE = (
    ("f5d6c3d3c4f4f6f3e6e7c6g6g5f7d8c5b5h6h4g4h3h5h7c7d7", 8, 26),
    ("f5d6c3f4f6d3c5g6g5c6f3c4e3d2b5b6b4e6f7a4a5a3a2b3e2", 16, 18),
    ("f5d6c5f4e3c6d3f6e6d7g3c4b4b3g5c3a3a4a5g4b5f2c7d2c2", 4, 18),
)
"""Tournament games up to a position like the documented one; the true score for White with 24 empties; the result."""


@pytest.mark.parametrize(("moves", "true_score", "result"), TWENTY_TO_NINE)
def test_a_side_that_is_ahead_in_discs_and_lost_comes_out_lost(moves: str, true_score: int, result: int) -> None:
    """White has 9 discs and 10 moves and wins; Black has 20 discs and, were it to move, 15 moves."""
    position = Position.from_moves(moves)
    assert (position.player.bit_count(), position.opponent.bit_count()) == (9, 20)
    assert (len(position.legal_moves), position.swapped().legal_bitboard.bit_count()) == (10, 15)
    assert true_score > 0 < result
    assert value_of(position.player, position.opponent) > 0 > value_of(position.opponent, position.player)


def test_who_is_far_ahead_in_discs_and_lost_is_nearly_always_told(recent: list[tuple[Position, int]]) -> None:
    """By eight discs and more, with 24 to 44 empties, where the true scores are known."""
    far = [each for each in recent if 24 <= each[0].n_empties <= 44 and abs(each[0].disc_difference) >= 8]
    ahead_and_lost = [position for position, score in far if position.disc_difference * score < 0]
    assert len(ahead_and_lost) > several(500, 200)
    told = sum(1 for each in ahead_and_lost if value_of(each.player, each.opponent) * each.disc_difference < 0)
    assert told / len(ahead_and_lost) > 0.9
    # The side behind wins more often than not: counting discs would be wrong in most of them.
    assert len(ahead_and_lost) / len(far) > 0.6
    right = sum(1 for each, score in far if value_of(each.player, each.opponent) * score > 0)
    assert right / len(far) > 0.7
