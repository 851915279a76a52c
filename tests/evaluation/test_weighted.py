"""The weighted evaluation: its documented numbers, and all of it against the oracle."""

from __future__ import annotations

import pytest

from othello_engine.core import plain
from othello_engine.evaluation import weighted
from othello_engine.position import Position
from othello_engine.types import parse_square
from tests import oracle, positions, weighted_oracle
from tests.core.support import bitboards, many_boards, several


def value_of(player: int, opponent: int) -> int:
    return bitboards(weighted.evaluate, player, opponent)


# -- documented numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weight", "squares"),
    [
        (120, "a1 h1 a8 h8"),
        (-40, "b2 g2 b7 g7"),
        (-20, "b1 a2 g1 h2 a7 b8 h7 g8"),
        (20, "c1 f1 a3 h3 a6 h6 c8 f8"),
        (5, "d1 e1 a4 h4 a5 h5 d8 e8"),
        (-5, "c2 d2 e2 f2 b3 g3 b4 g4 b5 g5 b6 g6 c7 d7 e7 f7"),
        (15, "c3 f3 c6 f6"),
        (3, "d3 e3 c4 d4 e4 f4 c5 d5 e5 f5 d6 e6"),
    ],
)
def test_each_square_has_its_documented_weight(weight: int, squares: str) -> None:
    named = {parse_square(square) for square in squares.split()}
    assert {square for square in range(64) if weighted.SQUARE_WEIGHTS[square] == weight} == named
    for square in named:  # a lone disc has no moves and leaves none
        assert value_of(1 << square, 0) == weight
        assert value_of(0, 1 << square) == -weight


def test_a_move_more_than_the_opponent_is_worth_ten() -> None:
    player, opponent = 1 << parse_square("c3"), 1 << parse_square("c4")
    assert bin(plain.legal_moves(player, opponent)).count("1") == 1
    assert plain.legal_moves(opponent, player)  # c4 takes c3 from c2
    assert value_of(player, opponent) == 15 - 3 + 10 * (1 - 1)
    blocked = opponent | 1 << parse_square("c2")
    assert plain.legal_moves(blocked, player) == 0
    assert value_of(player, blocked) == 15 - 3 - -5 + 10 * (2 - 0)


def test_worked_example_of_the_documentation_totals_minus_9() -> None:
    after = Position.from_moves("f5")
    assert len(after.legal_moves) == 3 == after.swapped().legal_bitboard.bit_count()
    assert value_of(after.player, after.opponent) == 3 - 4 * 3 + 10 * (3 - 3) == -9
    for reply, value in (("f4", 9 - 9 + 10 * (5 - 5)), ("d6", 9 - 9 + 10 * (4 - 5)), ("f6", 21 - 9 + 10 * (5 - 4))):
        then = after.play(reply)
        assert value_of(then.opponent, then.player) == value, reply  # for White, who has made it


def test_a_finished_game_has_no_other_value_than_the_same_formula() -> None:
    for text, _ in positions.FINISHED:
        board = oracle.board_of(text)
        position = Position.from_text(f"{text} X")
        assert position.is_over
        assert value_of(position.player, position.opponent) == weighted_oracle.evaluate(board, oracle.BLACK)


# -- everything ----------------------------------------------------------------------------------------------


def test_value_is_the_oracle_s_on_boards_of_every_stage() -> None:
    for player, opponent in many_boards(several(600)):
        board = oracle.board_of_bits(player, opponent)
        assert value_of(player, opponent) == weighted_oracle.evaluate(board, oracle.BLACK), (player, opponent)


def test_value_changes_sides_and_knows_no_directions() -> None:
    for player, opponent in many_boards(several(200)):
        value = value_of(player, opponent)
        assert value_of(opponent, player) == -value
        for index in range(8):
            assert value_of(positions.image(player, index), positions.image(opponent, index)) == value
