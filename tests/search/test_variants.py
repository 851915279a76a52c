"""Anti-Othello, and the search of the `phased` profile: endings by regions, ordering, values against full width."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from othello_engine.config import load_config
from othello_engine.core import plain
from othello_engine.core.searcher import table_buckets
from othello_engine.position import Position
from othello_engine.search.endgame import REGION_EMPTIES, nws_endgame
from othello_engine.search.ordering import PHASED_REPLY_DEPTH, PHASED_SQUARES, order
from othello_engine.search.task import Task
from othello_engine.types import NO_MOVE
from tests import positions
from tests.search.support import (
    exact_task,
    full_width,
    new_searcher,
    perfect_score,
    score_after,
    several,
    successors,
    task,
)
from tools import plain_solver
from tools.check_exact import Kind, endgames

SEED = 20261130
SIGNS = {"phased": 1, "anti": -1}
"""Evaluation -> sign of the scores of finished games."""
CORNERS = (0, 7, 56, 63)

evaluations = pytest.mark.parametrize("evaluation", SIGNS)


def late(n_empties: int, compiled: int, uncompiled: int) -> list[Position]:
    return list(positions.late_positions(n_empties, several(compiled, uncompiled), SEED + n_empties))


@cache
def endgames_of_all_sizes() -> dict[int, list[tuple[Position, Kind]]]:
    """By number of empties: 16 positions, most of them with passes or early ends."""
    return endgames(range(1, 12), 16, random.Random(SEED))


@evaluations
@pytest.mark.parametrize("n_empties", range(9))
def test_solves_equal_full_width_search(evaluation: str, n_empties: int) -> None:
    sign = SIGNS[evaluation]
    searcher = new_searcher(evaluation=evaluation)
    for position in late(n_empties, 60 if n_empties < 7 else 12, 6 if n_empties < 7 else 1):
        p, o = position.player, position.opponent
        result = searcher.run(exact_task(p, o))
        expected = perfect_score(p, o, sign)
        assert result.complete
        assert result.score == expected, position
        after = {move: -perfect_score(*boards, sign) for move, *boards in successors(p, o)}
        if after:
            assert after[result.best_move] == expected
        else:
            assert result.best_move == NO_MOVE
        if abs(expected) < 64:
            end, is_over = score_after(p, o, result.pv)
            assert is_over, "the line goes to the end of the game"
            assert sign * end == expected, "the line ends in the score that is claimed"


@pytest.mark.skipif(not several(1, 0), reason="too slow uncompiled")
@evaluations
@pytest.mark.parametrize("n_empties", range(1, 12))
def test_solves_equal_an_independent_solver_with_warm_tables(evaluation: str, n_empties: int) -> None:
    is_anti = SIGNS[evaluation] < 0
    searcher = new_searcher(evaluation=evaluation)
    rng = random.Random(SEED + n_empties)
    for position, _ in endgames_of_all_sizes()[n_empties][:: 1 if n_empties < 11 else 4]:
        p, o = position.player, position.opponent
        wanted = plain_solver.move_scores(p, o, prunes=n_empties > 8, anti=is_anti)
        best = max(wanted.values(), default=plain_solver.score(p, o, anti=is_anti))
        # Estimates, narrow windows and an interrupted solve are left in the table on purpose.
        searcher.run(task(p, o, rng.randint(1, n_empties)))
        searcher.run(exact_task(p, o, node_limit=rng.randint(1, 1000)))
        searcher.stop_flag = 0
        for alpha in (best - 1, best, rng.randrange(-64, 64)):
            score = searcher.run(exact_task(p, o, alpha, alpha + 1, ply=rng.randint(0, 1))).score
            assert alpha < score <= best if best > alpha else best <= score <= alpha
        result = searcher.run(exact_task(p, o))
        assert result.score == best, position
        assert wanted.get(result.best_move, best) == best


@evaluations
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_midgame_values_equal_full_width_search(evaluation: str, depth: int) -> None:
    sign = SIGNS[evaluation]
    for position in positions.random_positions(several((40, 30, 10, 4)[depth - 1], 2), SEED + depth):
        searcher = new_searcher(evaluation=evaluation)
        p, o = position.player, position.opponent
        result = searcher.run(task(p, o, depth))
        assert result.score == full_width(p, o, depth, searcher.evaluate, lambda score: 100 * sign * score)


def test_the_value_of_a_finished_game_changes_its_sign() -> None:
    rng = random.Random(SEED)
    for over in (positions.random_game(rng, squeeze=0.8)[-1] for _ in range(several(20, 2))):
        assert over.is_over
        boards = over.player, over.opponent
        assert new_searcher(evaluation="phased").evaluate(*boards) == 100 * over.final_score
        assert new_searcher(evaluation="anti").evaluate(*boards) == -100 * over.final_score
        assert new_searcher(evaluation="anti").expand(exact_task(*boards)).children == ()


def test_turning_every_disc_loses_all_in_anti_othello() -> None:
    position = Position.from_text("-OX" + "-" * 61 + " X")
    boards = position.player, position.opponent
    assert new_searcher(evaluation="phased").run(exact_task(*boards)).score == 64
    result = new_searcher(evaluation="anti").run(exact_task(*boards))
    assert (result.score, result.best_move) == (-64, 0)
    (child,) = new_searcher(evaluation="anti").expand(exact_task(*boards)).children
    assert (child.over, child.lower, child.upper) == (True, 64, 64)


def test_discs_that_are_sure_bound_no_score_in_anti_othello() -> None:
    """Black owns the whole upper half; with most discs that would decide the game."""
    position = Position.from_text("X" * 32 + "OOOOOOOO" * 2 + "OOOOOO--" + "OOOOOO--" + " O")
    p, o = position.player, position.opponent
    for n_empties in (9, 10):
        found = 0
        for each in positions.late_positions(n_empties, several(12, 1), SEED):
            searcher = new_searcher(evaluation="anti")
            score = searcher.run(exact_task(each.player, each.opponent)).score
            assert score == plain_solver.score(each.player, each.opponent, prunes=True, anti=True)
            found += score > 40
    assert new_searcher(evaluation="anti").run(exact_task(p, o)).score == perfect_score(p, o, -1)


def documented_order(position: Position, depth: int, table_move: int, is_anti: bool) -> list[int]:
    """Keys of the moves, best first, by the page of the profile."""
    sign = -1 if is_anti else 1

    def key(move: int) -> tuple[int, int, int]:
        after = plain.after_moves(position.player, position.opponent, (move,))
        replies = plain.legal_moves(*after).bit_count()
        if depth >= int(PHASED_REPLY_DEPTH):
            return move == table_move, sign * (move in CORNERS), -replies
        return move == table_move, 0, sign * int(PHASED_SQUARES[move])

    return sorted(position.legal_moves, key=lambda move: (key(move), move), reverse=True)


@evaluations
@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_moves_are_ordered_as_documented(evaluation: str, depth: int) -> None:
    searcher = new_searcher(evaluation=evaluation)
    rng = random.Random(SEED)
    for position in positions.random_positions(several(60, 4), SEED):
        if not position.legal_bitboard:
            continue
        table_move = rng.choice([*position.legal_moves, NO_MOVE])
        state = searcher._prepare(Task(position.player, position.opponent, -100, 100, depth))
        boards = (np.uint64(each) for each in (position.player, position.opponent, position.legal_bitboard))
        n_moves = int(order(state, *boards, np.int64(depth), np.int64(0), np.int64(table_move), np.int64(NO_MOVE)))
        found = sorted((int(packed) for packed in state.moves[0, :n_moves]), reverse=True)
        wanted = documented_order(position, depth, table_move, SIGNS[evaluation] < 0)
        assert [packed & 255 for packed in found] == wanted


def walk_regions(player: int, opponent: int, alpha: int, sign: int, has_passed: bool = False) -> tuple[int, int]:
    """(value, nodes) of the documented walk: each empty square in turn, those of odd quadrants first, no lists."""
    nodes, best = 1, -65
    empties = [square for square in range(64) if not (player | opponent) >> square & 1]
    in_quadrant = [sum(1 for e in empties if (e >> 5, e >> 2 & 1) == (s >> 5, s >> 2 & 1)) for s in empties]
    odd = [square for square, count in zip(empties, in_quadrant, strict=True) if count % 2]
    for square in odd + [square for square in empties if square not in odd]:
        turned = plain.flips(square, player, opponent)
        if turned:
            score, below = walk_regions(opponent ^ turned, player ^ turned ^ (1 << square), -alpha - 1, sign)
            nodes += below
            best = max(best, -score)
            if best > alpha:
                break
    if best > -65:
        return best, nodes
    if has_passed or not empties:
        return sign * plain.final_score(player, opponent), nodes
    score, below = walk_regions(opponent, player, -alpha - 1, sign, has_passed=True)
    return -score, nodes + below


@evaluations
def test_the_last_seven_squares_are_tried_in_turn_odd_quadrants_first(evaluation: str) -> None:
    searcher = new_searcher(evaluation=evaluation)
    rng = random.Random(SEED)
    for n_empties in range(int(REGION_EMPTIES) + 1):
        for position in late(n_empties, 12, 1):
            p, o, alpha = position.player, position.opponent, rng.choice((-1, 0, rng.randrange(-64, 64)))
            state = searcher._prepare(exact_task(p, o))
            score = int(nws_endgame(state, np.uint64(p), np.uint64(o), np.int64(alpha), np.int64(0)))
            assert (score, int(state.nodes)) == walk_regions(p, o, alpha, SIGNS[evaluation])


def test_the_profile_has_the_documented_numbers() -> None:
    assert REGION_EMPTIES == 7
    assert 2 * table_buckets(load_config(profile="phased").hash_mb << 20) == 524_288


def test_the_table_of_squares_is_symmetric_and_has_the_documented_numbers() -> None:
    squares = PHASED_SQUARES.reshape(8, 8)
    assert {int(PHASED_SQUARES[square]) for square in CORNERS} == {100}
    assert {int(PHASED_SQUARES[square]) for square in (9, 14, 49, 54)} == {-50}
    for image in (squares[::-1], squares[:, ::-1], squares.T):
        assert (image == squares).all()


@pytest.mark.parametrize("evaluation", [*SIGNS, "classic"])
def test_a_search_of_another_epoch_starts_from_a_clean_table(evaluation: str) -> None:
    position = next(p for p in positions.random_positions(40, SEED) if p.n_empties == 40)
    p, o = position.player, position.opponent
    depth = several(7, 3)
    searcher = new_searcher(evaluation=evaluation)
    first = searcher.run(task(p, o, depth, epoch=1, generation=1))
    searcher.run(task(o, p, depth, epoch=1, generation=1))
    assert searcher.run(task(p, o, depth, epoch=1, generation=2)).nodes < first.nodes
    again = searcher.run(task(p, o, depth, epoch=2, generation=3))
    assert (again.nodes, again.score, again.pv) == (first.nodes, first.score, first.pv)
