"""The plain minimax search: equal to one without cuts, in value and in move; passes, ends, stops."""

from __future__ import annotations

import random
from functools import cache

import pytest

from othello_engine.core import plain
from othello_engine.core.layout import STATE_BYTES
from othello_engine.position import Position
from othello_engine.search.minimax import MinimaxSearcher
from othello_engine.search.task import SCORE_LIMIT, Claim, Task, TaskResult
from othello_engine.types import NO_MOVE, PASS, square_name
from tests import oracle, weighted_oracle
from tests.core.support import several
from tests.positions import (
    BLACK_WIPES_OUT,
    EARLIEST_PASS,
    EARLY_END,
    PASS_AT_16,
    PASS_THEN_WIPE_OUT,
    WIPE_OUT,
    random_positions,
)
from tests.search.support import successors

SEED = 20261130
COLOURS = (oracle.BLACK, oracle.WHITE)


@pytest.fixture(scope="module")
def searcher() -> MinimaxSearcher:
    return MinimaxSearcher(bytearray(STATE_BYTES))


def task_of(position: Position, depth: int, **more: int) -> Task:
    return Task(position.player, position.opponent, -SCORE_LIMIT, SCORE_LIMIT, depth, undivided=True, **more)


def search(searcher: MinimaxSearcher, position: Position, depth: int, **more: int) -> TaskResult:
    """What is found, whatever stopped the search before."""
    searcher.stop_flag = 0
    return searcher.run(task_of(position, depth, **more))


def board_of(position: Position) -> oracle.Board:
    return oracle.board_of(position.to_text()[:64])


def live(count: int, fewest: int = 0, most: int = 60) -> list[Position]:
    """Unfinished positions of random games with so many empty squares, forced passes among them."""
    found = (each for each in random_positions(60 * count, SEED + most) if not each.is_over)
    chosen = [each for each in found if fewest <= each.n_empties <= most]
    return random.Random(SEED).sample(chosen, count)


def passes(count: int, most: int) -> list[Position]:
    """Positions with a forced pass."""
    found = (each for each in random_positions(100_000, SEED) if each.must_pass and each.n_empties <= most)
    return [next(found) for _ in range(count)]


def assert_like_the_oracle(searcher: MinimaxSearcher, position: Position, depth: int) -> None:
    """Value and move are those of a minimax on lists."""
    found = search(searcher, position, depth)
    board, player = board_of(position), COLOURS[position.side]
    assert found.score == weighted_oracle.minimax(board, depth, player, player), (position, depth)
    if position.must_pass:
        assert found.best_move == PASS
    else:
        row, column = weighted_oracle.first_best(weighted_oracle.move_values(board, player, depth))
        assert found.best_move == 8 * row + column, (position, depth)


@pytest.mark.parametrize(("depth", "count"), [(1, 120), (2, 40), (3, 8)])
def test_value_and_move_are_those_of_a_minimax_on_lists(searcher: MinimaxSearcher, depth: int, count: int) -> None:
    for position in live(several(count, 3)):
        assert_like_the_oracle(searcher, position, depth)


@pytest.mark.parametrize(("depth", "count", "most"), [(3, 60, 8), (4, 60, 7), (5, 60, 6), (7, 30, 4)])
def test_they_are_so_near_the_end_too(searcher: MinimaxSearcher, depth: int, count: int, most: int) -> None:
    for position in live(several(count, 3), most=most):
        assert_like_the_oracle(searcher, position, depth)


def test_they_are_so_where_somebody_has_to_pass(searcher: MinimaxSearcher) -> None:
    for position in passes(several(30, 3), most=12):
        for depth in (1, 2, 3):
            assert_like_the_oracle(searcher, position, depth)


def test_they_are_so_where_games_end_early(searcher: MinimaxSearcher) -> None:
    for game in (WIPE_OUT, PASS_THEN_WIPE_OUT, EARLY_END, BLACK_WIPES_OUT):
        *before, _ = [Position.start(), *(position for _, position in Position.start().follow(game))]
        for position in before[-3:]:
            for depth in (1, 2, 3):
                assert_like_the_oracle(searcher, position, depth)


# -- deeper, on integers -------------------------------------------------------------------------------------


@cache
def static_value(player: int, opponent: int) -> int:
    return weighted_oracle.evaluate(oracle.board_of_bits(player, opponent), oracle.BLACK)


def full_width(player: int, opponent: int, depth: int) -> int:
    """Value for the side to move by visiting everything; a pass costs a ply."""
    after = successors(player, opponent) if depth else []
    if not after:
        return static_value(player, opponent)
    return max(-full_width(p, o, depth - 1) for _, p, o in after)


@pytest.mark.parametrize(("depth", "count", "fewest", "most"), [(4, 40, 5, 12), (5, 40, 5, 9), (4, 2, 52, 57)])
def test_deeper_values_and_moves_are_those_of_a_full_width_search(
    searcher: MinimaxSearcher, depth: int, count: int, fewest: int, most: int
) -> None:
    for position in live(several(count, 1), fewest, most):
        found = search(searcher, position, depth)
        values = [(-full_width(p, o, depth - 1), move) for move, p, o in successors(position.player, position.opponent)]
        best = max(value for value, _ in values)
        assert (found.score, found.best_move) == next(each for each in values if each[0] == best)


# -- what else it says ---------------------------------------------------------------------------------------


def test_the_line_of_play_leads_to_the_value(searcher: MinimaxSearcher) -> None:
    for position in [*live(several(100, 5)), *passes(several(20, 2), most=40)]:
        for depth in (1, 2, 4):
            found = search(searcher, position, depth)
            end = plain.after_moves(position.player, position.opponent, found.pv)
            is_over = not plain.legal_moves(*end) and not plain.legal_moves(*reversed(end))
            assert len(found.pv) == depth or is_over
            assert found.pv[0] == found.best_move
            assert static_value(*end) * (-1) ** len(found.pv) == found.score


def test_a_pass_costs_a_ply(searcher: MinimaxSearcher) -> None:
    for game in (EARLIEST_PASS, PASS_AT_16):
        position = Position.from_moves(game)
        assert position.must_pass
        after = position.play(PASS)
        for depth in (2, 3, 4):
            assert search(searcher, position, depth).score == -search(searcher, after, depth - 1).score
        assert search(searcher, position, 1).score == static_value(position.player, position.opponent)
        assert search(searcher, position, 1).pv == (PASS,)


def test_the_first_of_equal_moves_is_taken(searcher: MinimaxSearcher) -> None:
    found = search(searcher, Position.start(), 1)
    assert square_name(found.best_move) == "d3"  # of four that are images of each other
    without = search(searcher, Position.start(), 1, moves=Position.start().legal_bitboard & ~(1 << found.best_move))
    assert (without.score, square_name(without.best_move)) == (found.score, "c4")


def test_cuts_leave_most_of_the_tree_out(searcher: MinimaxSearcher) -> None:
    position = Position.from_moves("f5d6c3d3c4")
    n_leaves = oracle.perft(board_of(position), COLOURS[position.side], 4)
    assert search(searcher, position, 4).nodes < n_leaves / 2


def test_a_stopped_search_gives_the_best_of_the_moves_it_has_finished(searcher: MinimaxSearcher) -> None:
    position = Position.from_moves("f5d6c3d3c4")
    whole = search(searcher, position, 5)
    limits = [1, *range(50, whole.nodes, whole.nodes // 20)]
    results = [search(searcher, position, 5, node_limit=limit) for limit in limits]
    assert not any(result.complete for result in results)
    assert (results[0].best_move, results[0].first_done) == (NO_MOVE, False)
    scores = [result.score for result in results]
    assert scores == sorted(scores)
    assert scores[-1] == whole.score
    assert all(result.nodes <= limit for result, limit in zip(results, limits, strict=True))
    assert search(searcher, position, 5) == whole


def test_a_stop_flag_that_is_set_ends_the_search_at_once(searcher: MinimaxSearcher) -> None:
    start = Position.start()
    searcher.stop_flag = 1
    stopped = searcher.run(task_of(start, 30))
    assert (stopped.complete, stopped.best_move, stopped.nodes) == (False, NO_MOVE, 1)
    assert searcher.perft(start.player, start.opponent, 5) is None
    searcher.stop_flag = 0
    assert searcher.perft(start.player, start.opponent, 5) == 1396


def test_nothing_is_kept_from_search_to_search(searcher: MinimaxSearcher) -> None:
    position = Position.from_moves("f5d6c3d3c4")
    first = search(searcher, position, 4)
    searcher.feed(Claim(position.player, position.opponent, 900, 900, 30, 99, (first.best_move,)), 1, 0)
    search(searcher, Position.start(), 4)
    searcher.new_game()
    searcher.attach_table(bytearray(64))
    assert search(searcher, position, 4) == first
