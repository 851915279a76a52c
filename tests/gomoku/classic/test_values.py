"""Windows, forks, order and leaf values: the documented numbers, and the whole against the slow twin."""

from __future__ import annotations

import pytest

from othello_engine.gomoku.classic import order, patterns, windows
from othello_engine.gomoku.classic.board import set_position
from othello_engine.gomoku.classic.candidates import CHILD_LIMIT, ROOT_LIMIT, bring_best, candidates
from othello_engine.gomoku.classic.evaluate import evaluate, score_side
from othello_engine.gomoku.classic.state import MAX_DEPTH, new_state
from othello_engine.gomoku.position import parse_cell
from tests.gomoku.classic import oracle
from tests.gomoku.classic.boards import board_of, place_rows, random_position

SIDES = ((0, "X"), (1, "O"))


@pytest.fixture(scope="module")
def state():
    return new_state()


def put_in(state, position):
    set_position(state, position.size, position.cells)


def bits_of(text):
    return sum(1 << index for index, symbol in enumerate(text) if symbol == "X")


def move(state, position, name):
    put_in(state, position)
    return order.unpack_key(order.order_key(state, parse_cell(name, position.size), position.side))


def test_the_documented_limits():
    assert (ROOT_LIMIT, CHILD_LIMIT, MAX_DEPTH) == (36, 22, 12)


@pytest.mark.parametrize(
    ("cells", "scores"),
    [
        ("XXXXX", (50_000_000, 50_000_000, 50_000_000)),
        ("XXXX-", (4_000_000, 8_000_000, 12_000_000)),
        ("-XXXX", (4_000_000, 8_000_000, 12_000_000)),
        ("XX-XX", (4_000_000, 8_000_000, 8_000_000)),
        ("XXX-X", (4_000_000, 8_000_000, 8_000_000)),
        ("XXX--", (0, 450_000, 1_500_000)),
        ("-XXX-", (0, 450_000, 1_500_000)),
        ("XX-X-", (0, 450_000, 1_500_000)),
        ("X-X-X", (0, 450_000, 450_000)),
        ("XX--X", (0, 450_000, 450_000)),
        ("XX---", (0, 0, 45_000)),
        ("-X-X-", (0, 0, 45_000)),
        ("X---X", (0, 0, 0)),
        ("X----", (0, 0, 0)),
        ("-----", (0, 0, 0)),
    ],
)
def test_the_documented_windows(cells, scores):
    assert tuple(windows.window_score(bits_of(cells), n_open) for n_open in range(3)) == scores


def test_the_documented_patterns():
    named = [
        (5, 0, 20_000_000),
        (9, 2, 20_000_000),
        (4, 2, 3_200_000),
        (4, 1, 360_000),
        (3, 2, 110_000),
        (3, 1, 12_000),
        (2, 2, 3_500),
        (2, 1, 600),
        (1, 2, 80),
    ]
    assert [patterns.pattern_score(length, n_open) for length, n_open, _ in named] == [score for *_, score in named]
    others = [(4, 0), (3, 0), (2, 0), (1, 1), (1, 0)]
    assert {patterns.pattern_score(*other) for other in others} == {10}


def test_the_documented_fork_bonuses():
    bonuses = {
        counts: windows.fork_bonus(*counts) for counts in ((2, 0), (3, 1), (1, 1), (1, 2), (0, 2), (1, 0), (0, 1))
    }
    assert list(bonuses.values()) == [18_000_000, 18_000_000, 9_000_000, 9_000_000, 4_500_000, 0, 0]


def test_the_documented_tiers():
    assert order.TIERS[::-1] == (
        40_000_000,
        35_000_000,
        34_000_000,
        30_000_000,
        22_000_000,
        18_000_000,
        11_000_000,
        7_000_000,
        0,
    )


@pytest.mark.parametrize(("line", "kind"), [("--XX-XX----", windows.IS_FOUR), ("---X-X-X---", windows.NOTHING)])
def test_a_broken_four_forces_and_is_not_open_and_a_split_three_is_not_open(line, kind):
    own = bits_of(line)
    threat, found = windows.line_threat(own, ~own & 2047)
    assert found == kind
    assert threat < 12_000_000


def test_one_open_three_is_no_fork_though_several_windows_see_it(state):
    cell, tier, score = move(state, place_rows({7: "------XX-------"}), "i8")
    assert tier == order.TIERS.index(order.OWN_THREE)
    # --XXX, -XXX- and XXX-- are open windows of one line; XX--- has a stone beside it
    assert score == 11_000_000 + 3 * 1_500_000
    assert cell == parse_cell("i8", 15)


def test_an_open_four_counts_as_one_four(state):
    position = place_rows({7: "-----XXX-------"})
    _, tier, score = move(state, position, "i8")
    assert tier == order.TIERS.index(order.OWN_FOUR)
    # -XXXX and XXXX- have both ends open, XXX-- has a stone before it
    assert score == 34_000_000 + 2 * 12_000_000 + 450_000


def test_a_four_that_outweighs_a_win_still_comes_after_it(state):
    position = place_rows({3: "-----XXX-------", 9: "--OOOO---------", 11: "OXXXX----------"})
    put_in(state, position)
    count = candidates(state, 0, 0)
    first = [order.unpack_key(bring_best(state, 0, index, count)) for index in range(4)]
    assert [cell for cell, *_ in first[:3]] == [parse_cell(name, 15) for name in ("f12", "b10", "g10")]
    assert [score for *_, score in first[:3]] == [40_000_000, 35_000_000, 35_000_000]
    assert first[3][1:] == (6, 58_450_000)


def test_a_closed_four_is_a_forcing_four(state):
    position = place_rows({7: "OXXX-O---------"})
    assert move(state, position, "e8")[1] == 0
    position = place_rows({7: "OXXX--O--------"})
    assert move(state, position, "e8")[1:] == (6, 34_000_000 + 4_000_000)


def test_quiet_moves_on_the_empty_board_are_centre_bonus_and_singles(state):
    position = place_rows({})
    single = 4 * 80 * (8 + 4)
    assert move(state, position, "h8")[1:] == (0, 14 + single)
    assert move(state, position, "h7")[1:] == (0, 13 + single)


@pytest.mark.parametrize("size", [10, 15, 20])
def test_order_keys_are_those_of_the_slow_twin(state, size):
    tiers = set()
    for seed in range(6):
        position = random_position(seed, size, 16 + 2 * seed, 7, blocked=seed % 3, five=False)
        board, player = board_of(position), "XO"[position.side]
        put_in(state, position)
        count = candidates(state, position.side, 0)
        found = [order.unpack_key(bring_best(state, 0, index, count)) for index in range(count)]
        assert [cell for cell, *_ in found] == [row * size + column for row, column in oracle.ranked(board, player)]
        for cell, tier, score in found:
            assert (tier, score) == oracle.order(board, divmod(cell, size), player)
            tiers.add(tier)
    assert len(tiers) >= 7


@pytest.mark.parametrize("size", [10, 15, 19, 20])
def test_leaf_values_are_those_of_the_slow_twin(state, size):
    for seed in range(10):
        position = random_position(seed, size, 10 + 6 * seed, min(size, 8 + seed), blocked=seed % 3)
        board = board_of(position)
        put_in(state, position)
        for side, player in SIDES:
            assert score_side(state, side) == oracle.score_side(board, player)
            assert evaluate(state, side) == oracle.evaluate(board, player)


def test_rows_and_windows_along_every_edge(state):
    for size in (10, 15, 20):
        for row, column in ((0, 0), (0, size - 4), (size - 1, 0), (size - 4, size - 1), (size - 4, size - 4)):
            for direction in oracle.DIRECTIONS:
                board = board_of(place_rows({}, size))
                for n in range(4):
                    r, c = row + n * direction[0], column + n * direction[1]
                    if 0 <= r < size and 0 <= c < size:
                        board[r][c] = "X"
                position = place_rows({r: "".join(cells) for r, cells in enumerate(board)}, size)
                put_in(state, position)
                assert score_side(state, 0) == oracle.score_side(board, "X")


def test_a_leaf_sees_a_broken_four_as_a_threat(state):
    put_in(state, place_rows({7: "----XX-XX------"}))
    broken = score_side(state, 0)
    put_in(state, place_rows({3: "----XX---------", 11: "-------XX------"}))
    assert broken > score_side(state, 0) + 8_000_000


def test_the_value_is_the_same_seen_from_the_other_side(state):
    for seed in range(5):
        put_in(state, random_position(seed, 15, 30, 9, five=False))
        assert evaluate(state, 0) == -evaluate(state, 1)
