"""The classic evaluation: its documented numbers and examples, and every term against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from othello_engine.core import plain
from othello_engine.core.moves import flips
from othello_engine.evaluation import classic, evaluate
from othello_engine.position import Position
from othello_engine.types import ScoreKind, parse_square
from tests import oracle, positions
from tests.core.support import SEED, bitboards, many_boards, several, square_and_bitboards

TERMS = ("material", "positional", "mobility", "corners", "frontier", "parity", "danger", "stable")


def value_of(player: int, opponent: int) -> int:
    return bitboards(classic.evaluate, player, opponent)


def weighted_sum(**terms: int) -> int:
    weighted: Any = classic.weighted_sum
    return int(weighted(*(np.int64(terms.get(name, 0)) for name in TERMS)))


# -- documented numbers --------------------------------------------------------------------------------------


def test_worked_example_of_the_documentation_totals_1788() -> None:
    assert (
        weighted_sum(material=4, positional=70, mobility=3, corners=1, frontier=5, parity=0, danger=1, stable=2)
        == 48 + 700 + 270 + 800 - 90 + 0 - 220 + 280
        == 1788
    )


@pytest.mark.parametrize(
    ("term", "worth"),
    [
        ("material", 12),
        ("positional", 10),
        ("mobility", 90),
        ("corners", 800),
        ("frontier", -18),
        ("parity", 55),
        ("danger", -220),
        ("stable", 140),
    ],
)
def test_each_term_has_its_documented_weight(term: str, worth: int) -> None:
    assert weighted_sum(**{term: 1}) == worth
    assert weighted_sum(**{term: -3}) == -3 * worth
    assert oracle.CLASSIC_WEIGHTS[term] == worth


def test_square_table_is_the_documented_one() -> None:
    assert classic.SQUARE_WEIGHTS.reshape(8, 8).tolist() == oracle.CLASSIC_TABLE
    by_name = {"a1": 120, "h8": 120, "b2": -80, "g7": -80, "b1": -40, "a2": -40, "h7": -40, "c1": 20}
    by_name |= {"f8": 20, "d1": 5, "a5": 5, "c2": -5, "g5": -5, "c3": 15, "f6": 15, "d3": 3, "e5": 3}
    for name, weight in by_name.items():
        assert int(classic.SQUARE_WEIGHTS[parse_square(name)]) == weight
        assert bitboards(classic.positional_sum, positions.bits(name)) == weight


def test_corner_is_worth_1200_and_x_square_minus_800_by_position_alone() -> None:
    assert weighted_sum(positional=bitboards(classic.positional_sum, positions.bits("a1"))) == 1200
    assert weighted_sum(positional=bitboards(classic.positional_sum, positions.bits("b2"))) == -800


def test_won_game_is_worth_ten_million_and_ten_thousand_a_disc() -> None:
    _, kind, disc, win = evaluate.EVALUATIONS["classic"]
    assert (kind, disc, win) == (ScoreKind.RAW, 10_000, 10_000_000)


def test_flip_examples_of_the_documentation() -> None:
    """Square = row * 8 + column: playing 19 turns 27; on a row, 13 turns 12 and 11 up to a disc on 10."""
    start = Position.start()
    assert (start.black, start.white) == (1 << 28 | 1 << 35, 1 << 27 | 1 << 36)
    assert start.legal_moves == (19, 26, 37, 44)
    assert square_and_bitboards(flips, 19, start.player, start.opponent) == 1 << 27
    after = start.play(19)
    assert after.black == 1 << 19 | 1 << 27 | 1 << 28 | 1 << 35
    assert after.white == 1 << 36
    assert after.side == 1
    assert square_and_bitboards(flips, 13, 1 << 10, 1 << 11 | 1 << 12) == 1 << 11 | 1 << 12


# -- the whole value -----------------------------------------------------------------------------------------


def test_start_position_is_zero() -> None:
    start = Position.start()
    assert value_of(start.player, start.opponent) == 0


def test_value_after_the_first_move_by_hand() -> None:
    """After d3 White moves: discs 1-4, square table 3-12, moves 3-3, frontier discs 1-4."""
    after = Position.from_moves("d3")
    assert value_of(after.player, after.opponent) == 12 * (1 - 4) + 10 * (3 - 12) - 18 * (1 - 4)


def test_value_equals_the_oracle_over_games_and_other_boards() -> None:
    for player, opponent in many_boards(several(3_000, 300)):
        board = oracle.board_of_bits(player, opponent)
        assert value_of(player, opponent) == oracle.classic_evaluation(board, oracle.BLACK), (
            player,
            opponent,
        )


def test_the_interface_gives_the_same_value() -> None:
    number = np.int64(evaluate.EVALUATIONS["classic"][0])
    for player, opponent in many_boards(several(500, 50)):
        unused = np.uint64(0)
        value = evaluate.static_value(number, unused, unused, np.uint64(player), np.uint64(opponent), unused)
        assert int(value) == value_of(player, opponent)


def test_colours_play_no_part_and_the_sides_are_mirror_images_but_for_parity() -> None:
    """The value belongs to the side to move; only the last-move term favours whoever is to move."""
    for position in positions.random_positions(several(4_000, 400), SEED):
        recoloured = position.recoloured()
        value = value_of(position.player, position.opponent)
        assert value_of(recoloured.player, recoloured.opponent) == value
        parity = 0
        if position.n_empties <= 16:
            parity = 55 if position.n_empties % 2 else -55
        assert value - parity == -(value_of(position.opponent, position.player) - parity)


def test_value_is_the_same_for_all_eight_images() -> None:
    for position in list(positions.random_positions(several(1_500, 150), SEED))[::3]:
        value = value_of(position.player, position.opponent)
        for index in range(1, 8):
            images = positions.image(position.player, index), positions.image(position.opponent, index)
            assert value_of(*images) == value


def test_midgame_values_stay_far_below_a_won_game() -> None:
    for player, opponent in many_boards(several(4_000, 400)):
        assert abs(value_of(player, opponent)) < 1_000_000 < classic.WIN_UNIT + classic.DISC_UNIT


# -- single terms --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_empties", "sign"), [(18, 0), (17, 0), (16, -1), (15, 1), (14, -1), (3, 1), (2, -1)])
def test_parity_counts_from_16_empties_for_the_side_with_the_last_move(n_empties: int, sign: int) -> None:
    empties = (1 << n_empties) - 1
    full = ~empties & plain.FULL
    own, other = value_of(full, 0), value_of(0, full)
    assert own + other == 2 * 55 * sign


def test_danger_is_a_disc_on_an_x_or_c_square_of_an_empty_corner() -> None:
    near = positions.bits("b2 b1 a2 g2 g1 h2 b7 b8 a7 g7 g8 h7")
    corners = positions.bits("a1 h1 a8 h8")

    def danger(discs: int, empties: int) -> int:
        return bitboards(classic.danger_count, discs, empties)

    assert danger(near, plain.FULL & ~near) == 12
    assert danger(near, plain.FULL & ~near & ~corners) == 0
    for corner, beside in (("a1", "b2 b1 a2"), ("h1", "g2 g1 h2"), ("a8", "b7 b8 a7"), ("h8", "g7 g8 h7")):
        assert danger(near, positions.bits(corner)) == 3
        for square in beside.split():
            assert danger(positions.bits(square), positions.bits(corner)) == 1
            assert danger(positions.bits(square), 0) == 0
    assert danger(positions.bits("c3 d4"), plain.FULL) == 0


def test_neighbours_do_not_wrap_around() -> None:
    for square in range(64):
        expected = oracle.bits_of(oracle.beside(*divmod(square, 8)))
        assert bitboards(classic.neighbours, 1 << square) == expected
    for player, _ in positions.random_bitboards(several(500), SEED):
        expected = 0
        for square in range(64):
            if player >> square & 1:
                expected |= oracle.bits_of(oracle.beside(*divmod(square, 8)))
        assert bitboards(classic.neighbours, player) == expected


def stable(names: str) -> int:
    return bitboards(classic.conservative_stable_discs, positions.bits(names))


def test_edge_discs_are_stable_as_far_as_the_chain_from_the_corner() -> None:
    assert stable("a1 b1 c1 e1 f1") == positions.bits("a1 b1 c1")
    assert stable("h8 h7 h6 h4") == positions.bits("h8 h7 h6")
    assert stable("b1 c1 d1 e1 f1 g1") == 0
    assert stable("a8 b8 c8 a7 h1") == positions.bits("a8 b8 c8 a7 h1")
    assert stable("") == 0


def test_inner_discs_need_support_in_row_column_and_both_diagonals() -> None:
    assert stable("a1 b2") == positions.bits("a1")
    assert stable("a1 b1 a2 b2") == positions.bits("a1 b1 a2")
    assert stable("a1 b1 a2 b2 c1") == positions.bits("a1 b1 a2 b2 c1")
    assert stable("h8 g8 h7 g7 h6") == positions.bits("h8 g8 h7 g7 h6")
    assert stable("a1 b1 c1 a2 b2 c2 d4 e5") == positions.bits("a1 b1 c1 a2 b2")


def test_discs_in_the_centre_are_not_stable_without_a_corner() -> None:
    everything_but_corners = plain.FULL & ~positions.bits("a1 h1 a8 h8")
    assert bitboards(classic.conservative_stable_discs, everything_but_corners) == 0
    assert bitboards(classic.conservative_stable_discs, plain.FULL) == plain.FULL


def test_conservative_stable_discs_equal_the_oracle() -> None:
    for player, opponent in many_boards(several(4_000, 400)):
        for own, other in ((player, opponent), (opponent, player)):
            grown = oracle.grown_from_corners(oracle.board_of_bits(own, other), oracle.BLACK)
            assert bitboards(classic.conservative_stable_discs, own) == oracle.bits_of(grown)


def test_conservative_stable_discs_are_never_turned() -> None:
    """They undercount: all of them are among the discs that no continuation turns."""
    for position in positions.late_positions(4, several(40, 8), SEED):
        board = oracle.board_of_bits(position.player, position.opponent)
        safe = oracle.bits_of(oracle.never_turned(board))
        for discs in (position.player, position.opponent):
            assert bitboards(classic.conservative_stable_discs, discs) & ~safe == 0
