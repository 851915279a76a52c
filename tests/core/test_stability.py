"""Stable discs: the edge table by brute force, and no disc claimed stable is ever turned."""

from __future__ import annotations

import itertools
import random

import pytest

from othello_engine.core import plain, stability
from othello_engine.position import Position
from tests import oracle, positions
from tests.core.support import SEED, bitboards, many_boards, several


def stable_discs(player: int, opponent: int) -> int:
    return bitboards(stability.stable_discs, player, opponent)


def edge_bits(edge: str, colour: str) -> int:
    return sum(1 << place for place in range(8) if edge[place] == colour)


def test_edge_table_equals_brute_force_on_all_6561_edges() -> None:
    for squares in itertools.product("XO-", repeat=8):
        edge = "".join(squares)
        safe = oracle.never_turned_on_edge(edge)
        index = edge_bits(edge, "X") * 256 + edge_bits(edge, "O")
        assert int(stability.EDGE_STABLE[index]) == edge_bits(safe, "X"), edge
        index = edge_bits(edge, "O") * 256 + edge_bits(edge, "X")
        assert int(stability.EDGE_STABLE[index]) == edge_bits(safe, "O"), edge


@pytest.mark.parametrize(
    ("edge", "safe"),
    [
        ("X-------", "X-------"),
        ("XXX-----", "XXX-----"),
        ("XXX--XX-", "XXX-----"),
        ("-XX-----", "--------"),
        ("XXXOOOOX", "XXXOOOOX"),
        ("XOOOOOO-", "X-------"),
        ("OX-----O", "O------O"),
        ("--XX--OO", "------OO"),
    ],
)
def test_edges_by_eye(edge: str, safe: str) -> None:
    assert oracle.never_turned_on_edge(edge) == safe
    index = edge_bits(edge, "X") * 256 + edge_bits(edge, "O")
    assert int(stability.EDGE_STABLE[index]) == edge_bits(safe, "X")


@pytest.mark.parametrize("edge", ["XXX--OOO", "XOXOXOXO", "X-XX-OO-", "-------X", "XXXXXXXX", "OXX-XXXX"])
def test_all_four_edges_use_the_table_in_their_own_direction(edge: str) -> None:
    """h8 and the eighth row occupied; the a-file and the h-file are gathered and scattered again."""
    safe = oracle.never_turned_on_edge(edge)
    rows = {"first": 0, "eighth": 56}
    for start in rows.values():
        player = edge_bits(edge, "X") << start
        opponent = edge_bits(edge, "O") << start
        assert stable_discs(player, opponent) & 0xFF << start == edge_bits(safe, "X") << start
        assert stable_discs(opponent, player) & 0xFF << start == edge_bits(safe, "O") << start
    for file in (0, 7):
        file_bits = [1 << (8 * row + file) for row in range(8)]
        player, opponent, safe_player, safe_opponent = (
            sum(bit for bit, symbol in zip(file_bits, text, strict=True) if symbol == colour)
            for text, colour in ((edge, "X"), (edge, "O"), (safe, "X"), (safe, "O"))
        )
        assert stable_discs(player, opponent) & sum(file_bits) == safe_player
        assert stable_discs(opponent, player) & sum(file_bits) == safe_opponent


@pytest.mark.parametrize(("n_empties", "count"), [(1, 60), (2, 60), (3, 60), (4, 40), (5, 20), (6, 6)])
def test_no_stable_disc_is_turned_in_any_continuation(n_empties: int, count: int) -> None:
    """Even if the sides don't alternate."""
    for position in positions.late_positions(n_empties, several(count, max(2, count // 5)), SEED):
        assert_claims_hold(position.player, position.opponent)


@pytest.mark.slow
@pytest.mark.parametrize(("n_empties", "count"), [(5, 300), (6, 150), (7, 40)])
def test_no_stable_disc_is_turned_in_any_continuation_of_many_more(n_empties: int, count: int) -> None:
    for position in positions.late_positions(n_empties, several(count), SEED + 1):
        assert_claims_hold(position.player, position.opponent)


def test_no_stable_disc_is_turned_on_boards_that_no_game_reaches() -> None:
    rng = random.Random(SEED)
    for _ in range(several(200, 20)):
        empties = rng.sample(range(64), rng.randint(1, 4))
        occupied = plain.FULL & ~sum(1 << square for square in empties)
        player = occupied & rng.getrandbits(64)
        assert_claims_hold(player, occupied & ~player)


def assert_claims_hold(player: int, opponent: int) -> None:
    safe = oracle.bits_of(oracle.never_turned(oracle.board_of_bits(player, opponent)))
    assert stable_discs(player, opponent) & ~(safe & player) == 0, (player, opponent)
    assert stable_discs(opponent, player) & ~(safe & opponent) == 0, (player, opponent)


def test_stable_discs_of_every_stage_survive_random_continuations() -> None:
    rng = random.Random(SEED)
    n_claimed = 0
    for _ in range(several(400, 20)):
        game = positions.random_game(rng, squeeze=rng.choice((0.0, 0.5)))
        first = rng.choice(game)
        black = stable_discs(first.black, first.white)
        white = stable_discs(first.white, first.black)
        n_claimed += (black | white).bit_count()
        for _ in range(3):
            position = first
            while legal := position.legal_moves:
                position = position.play(rng.choice(legal))
                assert position.black & black == black, first
                assert position.white & white == white, first
    assert n_claimed > 10 * several(400, 20) / 4


def test_only_own_discs_are_claimed() -> None:
    for player, opponent in many_boards(several(5_000)):
        assert stable_discs(player, opponent) & ~player == 0
        assert stable_discs(opponent, player) & ~opponent == 0


def test_corners_full_boards_and_one_colour() -> None:
    corners = positions.bits("a1 h1 a8 h8")
    assert stable_discs(corners, 0) == corners
    assert stable_discs(positions.bits("h8"), positions.bits("g8 h7 g7")) == positions.bits("h8")
    assert stable_discs(0, 0) == 0
    assert stable_discs(plain.FULL, 0) == plain.FULL
    assert stable_discs(positions.bits("d4 e5"), positions.bits("d5 e4")) == 0
    rng = random.Random(SEED)
    for _ in range(several(200)):
        player = rng.getrandbits(64)
        assert stable_discs(player, ~player & plain.FULL) == player


def test_discs_supported_from_a_corner_are_stable() -> None:
    triangle = positions.bits("a1 b1 c1 a2 b2 a3")
    assert stable_discs(triangle, positions.bits("d1 c2 d4")) == triangle
    at_h8 = positions.bits("h8 g8 f8 h7 g7 h6")
    assert stable_discs(at_h8, positions.bits("e8 e5")) == at_h8


def test_no_support_runs_on_over_an_edge() -> None:
    """A stable disc on the h-file is no neighbour of the a-file in the next row."""
    h_file = positions.bits("h1 h2 h3 h4 h5 h6 h7 h8")
    inner = positions.bits("b3 b4 b5 a4 a5")
    assert stable_discs(h_file | inner, 0) == h_file


def test_stable_discs_turn_with_the_board() -> None:
    """NU-2: eight symmetries."""
    boards = [(p.player, p.opponent) for p in positions.random_positions(several(3_000, 300), SEED)][::3]
    for player, opponent in boards:
        stable = stable_discs(player, opponent)
        for index in range(1, 8):
            p, o = positions.image(player, index), positions.image(opponent, index)
            assert stable_discs(p, o) == positions.image(stable, index)


def test_a_stable_disc_stays_stable_through_a_game() -> None:
    """The bound may only grow: what the search cut off with is still there later."""
    rng = random.Random(SEED)
    for _ in range(several(200, 15)):
        before: Position | None = None
        for position in positions.random_game(rng, squeeze=0.3):
            if before is not None:
                black, white = (
                    stable_discs(before.black, before.white),
                    stable_discs(before.white, before.black),
                )
                assert black & ~stable_discs(position.black, position.white) == 0
                assert white & ~stable_discs(position.white, position.black) == 0
            before = position
