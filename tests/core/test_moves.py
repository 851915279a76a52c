"""Moves and flips of the kernels against their plain twins and the oracle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.core import moves, plain
from othello_engine.position import Position
from othello_engine.types import parse_square
from tests import oracle, positions
from tests.core.support import SEED, bitboards, many_boards, several, square_and_bitboards


def legal_moves(player: int, opponent: int) -> int:
    return bitboards(moves.legal_moves, player, opponent)


def flips(square: int, player: int, opponent: int) -> int:
    return square_and_bitboards(moves.flips, square, player, opponent)


def empty_squares(player: int, opponent: int) -> list[int]:
    return [square for square in range(64) if not (player | opponent) >> square & 1]


def test_legal_moves_equal_the_plain_ones() -> None:
    for player, opponent in many_boards(several(30_000)):
        assert legal_moves(player, opponent) == plain.legal_moves(player, opponent), (player, opponent)


def test_flips_equal_the_plain_ones_on_every_empty_square() -> None:
    for player, opponent in many_boards(several(6_000, 1_000)):
        for square in empty_squares(player, opponent):
            assert flips(square, player, opponent) == plain.flips(square, player, opponent), (
                square,
                player,
                opponent,
            )


def test_moves_and_flips_equal_the_oracle() -> None:
    for player, opponent in many_boards(several(1_500, 500)):
        board = oracle.board_of_bits(player, opponent)
        legal = [8 * row + column for row, column in oracle.moves(board, oracle.BLACK)]
        assert legal_moves(player, opponent) == sum(1 << square for square in legal)
        for square in empty_squares(player, opponent):
            turned = oracle.bits_of(oracle.turned(board, oracle.BLACK, *divmod(square, 8)))
            assert flips(square, player, opponent) == turned
            assert bool(turned) == (square in legal)


@pytest.mark.slow
def test_moves_and_flips_equal_the_plain_ones_in_many_more_positions() -> None:
    for player, opponent in many_boards(several(150_000, 10_000)):
        assert legal_moves(player, opponent) == plain.legal_moves(player, opponent)
        for square in empty_squares(player, opponent):
            assert flips(square, player, opponent) == plain.flips(square, player, opponent)


@given(st.integers(0, plain.FULL), st.integers(0, plain.FULL))
def test_moves_and_flips_on_any_disjoint_bitboards(occupied: int, own: int) -> None:
    player, opponent = occupied & own, occupied & ~own
    assert legal_moves(player, opponent) == plain.legal_moves(player, opponent)
    for square in empty_squares(player, opponent):
        assert flips(square, player, opponent) == plain.flips(square, player, opponent)


@pytest.mark.parametrize(
    ("player", "opponent", "square"),
    [
        ("a2", "g1 h1", "f1"),
        ("a2 a3", "h1 h2", "g1"),
        ("h1", "a2 b2", "c2"),
        ("h7", "a8 b8", "c8"),
        ("b3", "a3", "h2"),
        ("h2", "a2 a3", "a4"),
        ("b1", "a1 h1", "a2"),
        ("b1", "a2", "h2"),  # falling diagonal run on over the a-file
        ("a4", "h2", "g1"),
        ("g1", "h2", "a4"),  # falling diagonal run on over the h-file
        ("h2", "a4", "b5"),
        ("g8", "h7", "a7"),
        ("h1", "a3", "b4"),
        ("a8", "h7", "g7"),
        ("h6", "a8", "b8"),
        ("a1", "h8", "g8"),  # and from one end of the board to the other
        ("h8", "a1", "b1"),
        ("h8", "a1", "b2"),
    ],
)
def test_no_ray_runs_on_over_an_edge(player: str, opponent: str, square: str) -> None:
    """RU-7: legal only for a generator that takes the h-file and the a-file for neighbours."""
    p, o, x = positions.bits(player), positions.bits(opponent), parse_square(square)
    assert flips(x, p, o) == 0
    assert not legal_moves(p, o) >> x & 1


CORNER_LINES = (
    ("a1", "h1", "b1 c1 d1 e1 f1 g1"),
    ("a1", "a8", "a2 a3 a4 a5 a6 a7"),
    ("a1", "h8", "b2 c3 d4 e5 f6 g7"),
    ("a8", "h1", "b7 c6 d5 e4 f3 g2"),
    ("a8", "h8", "b8 c8 d8 e8 f8 g8"),
    ("h1", "h8", "h2 h3 h4 h5 h6 h7"),
)


@pytest.mark.parametrize(("first", "last", "between"), CORNER_LINES)
def test_six_discs_between_two_corners_are_turned(first: str, last: str, between: str) -> None:
    """RU-7, NU-2: whole lines, those that end on h8 and lie in the eighth row included."""
    line = positions.bits(between)
    for own, placed in ((first, last), (last, first)):
        assert legal_moves(positions.bits(own), line) == positions.bits(placed)
        assert flips(parse_square(placed), positions.bits(own), line) == line


@pytest.mark.parametrize(("first", "last", "between"), CORNER_LINES)
def test_a_line_without_an_end_or_with_a_gap_turns_nothing(first: str, last: str, between: str) -> None:
    """RU-7: a flip needs a disc of one's own at the far end and no gap before it."""
    inner = between.split()
    for own, placed, squares in ((first, last, inner), (last, first, inner[::-1])):
        x = parse_square(placed)
        assert flips(x, 0, positions.bits(between)) == 0
        for gap in range(1, 6):
            broken = positions.bits(" ".join(squares[:gap] + squares[gap + 1 :]))
            assert flips(x, positions.bits(own), broken) == 0
        for stop in range(5):
            towards_own = squares[stop + 1 :]
            own_disc, run = squares[stop], positions.bits(" ".join(towards_own))
            assert flips(x, positions.bits(own_disc), run) == run


@pytest.mark.parametrize("square", ["a1", "h1", "a8", "h8", "d4", "e5", "b2", "g7"])
def test_all_directions_are_turned_at_once(square: str) -> None:
    """RU-7: own discs all round the edge, opponents everywhere inside."""
    x = parse_square(square)
    ring = sum(1 << s for s in range(64) if s % 8 in (0, 7) or s // 8 in (0, 7))
    player = ring & ~(1 << x)
    opponent = ~ring & plain.FULL & ~(1 << x)
    found = flips(x, player, opponent)
    assert found == plain.flips(x, player, opponent)
    if square in ("d4", "e5"):
        assert found.bit_count() == sum(
            len(run)
            for run in (
                ["b4", "c4"],
                ["e4", "f4", "g4"],
                ["d2", "d3"],
                ["d5", "d6", "d7"],
                ["b2", "c3"],
                ["e5", "f6", "g7"],
                ["e3", "f2"],
                ["c5", "b6"],
            )
        )


def test_eighth_row_and_h8_do_not_turn_numbers_negative() -> None:
    """NU-2: the top bit is a square like any other."""
    eighth_row = 0xFF << 56
    for player, opponent in positions.random_bitboards(several(2_000), SEED):
        for p, o in (
            (player | eighth_row, opponent & ~eighth_row),
            (player & ~eighth_row, opponent | eighth_row),
            (player | 1 << 63, opponent & ~(1 << 63)),
            (player & ~(1 << 63), opponent | 1 << 63),
        ):
            assert legal_moves(p, o) == plain.legal_moves(p, o)
            for square in (0, 7, 27, 54, 55, 56, 62, 63):
                if not (p | o) >> square & 1:
                    found = flips(square, p, o)
                    assert found == plain.flips(square, p, o)
                    assert found >= 0


def test_moves_and_flips_turn_with_the_board() -> None:
    """NU-2, RU-8: the eight symmetries."""
    for player, opponent in many_boards(several(1_000, 100)):
        legal = legal_moves(player, opponent)
        squares = empty_squares(player, opponent)[::5]
        turned = {square: flips(square, player, opponent) for square in squares}
        for index in range(1, 8):
            p, o = positions.image(player, index), positions.image(opponent, index)
            assert legal_moves(p, o) == positions.image(legal, index)
            for square in squares:
                there = positions.image(1 << square, index).bit_length() - 1
                assert flips(there, p, o) == positions.image(turned[square], index)


def test_thirty_five_moves_are_found() -> None:
    """RU-11."""
    crowded = Position.from_text(positions.CROWDED)
    assert legal_moves(crowded.player, crowded.opponent).bit_count() == 35


def test_start_and_finished_boards() -> None:
    start = Position.start()
    assert legal_moves(start.player, start.opponent) == positions.bits("d3 c4 f5 e6")
    for text, _ in positions.FINISHED:
        position = Position.from_text(text, default_side=0)
        assert legal_moves(position.player, position.opponent) == 0
        assert legal_moves(position.opponent, position.player) == 0
