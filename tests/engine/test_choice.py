"""How a player with a style chooses: the mistakes it makes, how often, and that everything is the same every time."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator
from statistics import NormalDist, mean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_engine.config import Style
from othello_engine.core import plain
from othello_engine.core.plain import CORNERS
from othello_engine.engine.choice import choose
from othello_engine.engine.deepening import Line
from othello_engine.position import Position
from othello_engine.types import Score, ScoreKind, parse_square, square_name
from tests.engine.test_deepening import random_position

NOBODY = Style()
X_AND_C = {
    "a1": ("b1", "a2", "b2"),
    "h1": ("g1", "h2", "g2"),
    "a8": ("b8", "a7", "b7"),
    "h8": ("g8", "h7", "g7"),
}


def lines_of(values: Iterable[tuple[int, float]]) -> tuple[Line, ...]:
    """Lines of one depth, best first, from moves and their values in discs."""
    best_first = sorted(values, key=lambda each: -each[1])
    return tuple(
        Line(1, 1, 100, Score(ScoreKind.CENTIDISCS, round(100 * discs)), (move,)) for move, discs in best_first
    )


def positions(n: int, seed: int) -> Iterator[Position]:
    """Random positions with several moves for the side to move."""
    dice = random.Random(seed)
    while n:
        position = random_position(dice.randrange(10, 55), dice.randrange(1 << 30))
        if len(position.legal_moves) > 1 and not position.must_pass:
            n -= 1
            yield position


def with_corner(n: int, seed: int) -> Iterator[Position]:
    """The same where a corner can be taken, and something else can be done."""
    for position in positions(1000 * n, seed):
        corners = sum(CORNERS >> move & 1 for move in position.legal_moves)
        if 0 < corners < len(position.legal_moves):
            n -= 1
            yield position
        if n == 0:
            return
    raise AssertionError("too few positions with a corner to take")


def pick(style: Style, position: Position, lines: tuple[Line, ...], seed: int = 0, is_anti: bool = False) -> int:
    return choose(style, position.player, position.opponent, lines, seed, is_anti).move


STYLES = st.builds(
    Style,
    noise=st.floats(0, 20),
    greed=st.floats(0, 3),
    misses_corner=st.floats(0, 1),
    careless=st.floats(0, 1),
    within=st.floats(0, 10),
)


@settings(max_examples=200, deadline=None)
@given(STYLES, st.integers(5, 55), st.integers(0, 1 << 20), st.integers(0, 1 << 31), st.booleans())
def test_whatever_the_style_one_of_the_lines_is_chosen_always_the_same(
    style: Style, n_empties: int, game: int, seed: int, is_anti: bool
) -> None:
    position = random_position(n_empties, game)
    if position.must_pass:
        return
    dice = random.Random(seed)
    lines = lines_of((move, dice.uniform(-20, 20)) for move in position.legal_moves)
    chosen = choose(style, position.player, position.opponent, lines, seed, is_anti)
    assert chosen in lines
    assert choose(style, position.player, position.opponent, lines, seed, is_anti) is chosen


def test_without_any_flaw_the_best_move_is_chosen() -> None:
    for position in positions(50, 1):
        lines = lines_of((move, move % 7) for move in position.legal_moves)
        assert choose(NOBODY, position.player, position.opponent, lines) is lines[0]


def naive_choice(style: Style, position: Position, values: dict[int, float], seed: int, is_anti: bool) -> int:
    """The whole rule once more, on names of squares and from its description; values in discs."""

    def draw(*words: object) -> float:
        text = f"{position.player:016x} {position.opponent:016x} {seed} {' '.join(str(word) for word in words)}"
        first = hashlib.blake2b(text.encode("ascii"), digest_size=8).hexdigest()[:13]
        return (int(first, 16) + 0.5) / 16**13

    def is_risky(move: int) -> bool:
        return square_name(move) in X_AND_C if is_anti else move in risky_squares(position)

    moves = sorted(values, key=lambda move: -values[move])
    if not is_anti:
        found = [m for m in moves if square_name(m) not in X_AND_C or draw("miss", m) >= style.misses_corner]
        moves = found or moves
    best_safe = max((values[move] for move in moves if not is_risky(move)), default=-1000.0)
    seems = {}
    for move in moves:
        after = position.play(move)
        turned = position.opponent.bit_count() - after.player.bit_count()
        if after.side == position.side:
            turned = position.opponent.bit_count() - after.opponent.bit_count()
        seems[move] = values[move]
        if is_risky(move) and draw("careless", move) < style.careless:
            seems[move] = max(values[move], best_safe)
        seems[move] += style.greed * turned * (-1 if is_anti else 1)
        seems[move] += style.noise * NormalDist().inv_cdf(draw("noise", move)) if style.noise else 0.0
        seems[move] = round(seems[move], 6)
    good = [move for move in moves if seems[move] >= max(seems.values()) - style.within]
    return good[int(draw("within") * len(good))] if style.within else good[0]


@settings(max_examples=200, deadline=None)
@given(STYLES, st.integers(5, 55), st.integers(0, 1 << 20), st.integers(0, 1 << 31), st.booleans())
def test_the_choice_follows_the_rule(style: Style, n_empties: int, game: int, seed: int, is_anti: bool) -> None:
    position = random_position(n_empties, game)
    if position.must_pass:
        return
    dice = random.Random(seed)
    values = {move: dice.randrange(-2000, 2000) / 100 for move in position.legal_moves}
    assert pick(style, position, lines_of(values.items()), seed, is_anti) == naive_choice(
        style, position, values, seed, is_anti
    )


def test_noise_has_the_size_that_it_says() -> None:
    """The chance that the worse of two moves is chosen, against that of two errors whose difference is larger.

    Two moves a disc apart, errors of deviation 2 each: the difference has deviation 2.83, and is larger than a disc
    with probability 0.362. 3000 choices: five standard deviations are 0.044.
    """
    n_wrong = 0
    for position in positions(100, 2):
        better, worse, *_ = position.legal_moves
        lines = lines_of([(better, 1.0), (worse, 0.0)])
        n_wrong += sum(pick(Style(noise=2.0), position, lines, seed) == worse for seed in range(30))
    assert abs(n_wrong / 3000 - 0.362) < 0.044


def test_the_errors_of_moves_positions_and_seeds_have_nothing_to_do_with_each_other() -> None:
    """Draws are read off the smallest lead at which the better move is still chosen."""

    def difference(position: Position, seed: int) -> float:
        first, second, *_ = position.legal_moves
        low, high = -20.0, 20.0
        for _ in range(12):
            lead = (low + high) / 2
            lines = lines_of([(first, lead), (second, 0.0)])
            low, high = (low, lead) if pick(Style(noise=1.0), position, lines, seed) == first else (lead, high)
        return low

    sample = list(positions(40, 3))
    one = [difference(position, seed) for position in sample for seed in range(10)]
    other = [difference(position, seed) for position in sample for seed in range(10, 20)]
    # Of 400 differences of two errors of deviation 1: mean 0 (five deviations: 0.35), deviation 1.41 (0.25).
    for draws in (one, other):
        assert abs(mean(draws)) < 0.35
        assert abs(stdev(draws) - 2**0.5) < 0.25
    spread = stdev(one) * stdev(other)
    correlation = mean(a * b for a, b in zip(one, other, strict=True)) / spread
    assert abs(correlation) < 0.25


@pytest.mark.parametrize("is_anti", [False, True])
def test_greed_counts_the_discs_turned_the_other_way_in_anti_othello(is_anti: bool) -> None:
    for position in positions(100, 4):
        turned = {
            move: plain.flips(move, position.player, position.opponent).bit_count() for move in position.legal_moves
        }
        lines = lines_of((move, 0.0) for move in position.legal_moves)
        wanted = min(turned.values()) if is_anti else max(turned.values())
        assert turned[pick(Style(greed=0.5), position, lines, is_anti=is_anti)] == wanted
        # A move that is better by more than all discs that can be turned is played whatever it turns.
        best = position.legal_moves[0]
        lines = lines_of((move, 40.0 if move == best else 0.0) for move in position.legal_moves)
        assert pick(Style(greed=0.5), position, lines, is_anti=is_anti) == best


def test_a_corner_is_missed_as_often_as_the_style_says_and_never_in_anti_othello() -> None:
    n_missed = 0
    for position in with_corner(60, 5):
        corner = next(move for move in position.legal_moves if CORNERS >> move & 1)
        lines = lines_of((move, 10.0 if move == corner else 0.0) for move in position.legal_moves)
        style = Style(misses_corner=0.25)
        n_missed += sum(pick(style, position, lines, seed) != corner for seed in range(10))
        assert pick(Style(misses_corner=1.0), position, lines) != corner
        assert pick(Style(misses_corner=1.0), position, lines, is_anti=True) == corner
    assert abs(n_missed / 600 - 0.25) < 0.09  # five standard deviations


def test_who_can_play_only_corners_finds_one() -> None:
    for position in with_corner(20, 6):
        lines = lines_of((move, 1.0) for move in position.legal_moves if CORNERS >> move & 1)
        assert choose(Style(misses_corner=1.0), position.player, position.opponent, lines) in lines


def risky_squares(position: Position) -> set[int]:
    """Squares next to empty corners, from their names."""
    board = position.player | position.opponent
    return {
        parse_square(name) for corner, near in X_AND_C.items() if not board >> parse_square(corner) & 1 for name in near
    }


def test_a_square_next_to_an_empty_corner_looks_harmless_as_often_as_the_style_says() -> None:
    n_asked = n_taken = 0
    for position in positions(300, 7):
        risky = risky_squares(position) & set(position.legal_moves)
        safe = set(position.legal_moves) - risky
        if risky and safe:
            # What looks harmless is as good as the best, and of two equals one is chosen.
            lines = lines_of([(min(risky), -15.0), (min(safe), 0.0)])
            style = Style(careless=0.3, within=0.001)
            n_asked += 20
            n_taken += sum(pick(style, position, lines, seed) == min(risky) for seed in range(20))
            assert pick(NOBODY, position, lines) == min(safe)
    assert n_asked > 1000
    assert abs(n_taken / n_asked - 0.15) < 0.057  # five standard deviations of a thousand draws


def test_no_other_square_looks_better_than_it_is() -> None:
    """With all carelessness in the world, a bad move that lies elsewhere stays bad."""
    for position in positions(100, 8):
        elsewhere = [move for move in position.legal_moves if move not in risky_squares(position)]
        if len(elsewhere) < 2:
            continue
        lines = lines_of((move, 5.0 if move == elsewhere[0] else -5.0) for move in elsewhere)
        assert pick(Style(careless=1.0), position, lines) == elsewhere[0]


def test_in_anti_othello_a_corner_is_what_looks_harmless() -> None:
    n_taken = 0
    for position in with_corner(20, 9):
        corner = next(move for move in position.legal_moves if CORNERS >> move & 1)
        others = [move for move in position.legal_moves if not CORNERS >> move & 1]
        lines = lines_of([(corner, -20.0), (others[0], 0.0)])
        careless = Style(careless=1.0, within=0.001)
        n_taken += sum(pick(careless, position, lines, seed, is_anti=True) == corner for seed in range(10))
        assert pick(NOBODY, position, lines, is_anti=True) == others[0]
    assert abs(n_taken / 200 - 0.5) < 0.18  # one of two equals; five standard deviations


def test_all_moves_within_reach_of_the_best_are_played_now_and_then_and_no_others() -> None:
    counts = [0, 0, 0]
    for position in positions(100, 10):
        if len(position.legal_moves) < 4:
            continue
        first, second, third, fourth, *_ = position.legal_moves
        values = [(first, 3.0), (second, 2.5), (third, 2.0), (fourth, 1.9)]
        moves = (first, second, third)
        for seed in range(20):
            counts[moves.index(pick(Style(within=1.0), position, lines_of(values), seed))] += 1
    n = sum(counts)
    assert n > 1000
    assert all(abs(count / n - 1 / 3) < 0.08 for count in counts)


def test_the_same_board_is_another_position_for_the_other_side() -> None:
    """Both sides may have the same two moves; which is chosen is drawn for each of them."""
    start = Position.start()
    both = [(19, 0.0), (44, 0.0)]
    drawn = {
        (
            choose(Style(noise=1.0), start.player, start.opponent, lines_of(both), seed).move,
            choose(Style(noise=1.0), start.opponent, start.player, lines_of(both), seed).move,
        )
        for seed in range(50)
    }
    assert len(drawn) == 4


SCRIPT = """
from tests.engine.test_choice import *
style = Style(noise=3.0, greed=0.4, misses_corner=0.3, careless=0.4, within=0.5)
for position in positions(60, 11):
    lines = lines_of((move, move * 37 % 11) for move in position.legal_moves)
    print(square_name(pick(style, position, lines, seed=position.n_empties)), end=" ")
"""


def test_another_process_with_other_hashes_chooses_the_same() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(said) == 1
    assert len(said.pop().split()) == 60
