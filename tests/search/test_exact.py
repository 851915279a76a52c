"""Exact solving: values, bounds, lines and table use against a search that visits everything."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from othello_engine.core import plain
from othello_engine.core.layout import TABLE_BUCKET_BYTES
from othello_engine.position import Position
from othello_engine.search import table
from othello_engine.search.driver import Searcher
from othello_engine.search.task import Task
from othello_engine.types import NO_MOVE, PASS
from tests import positions
from tests.search.support import exact_task, new_searcher, perfect_score, score_after, several, successors
from tests.trained import TrainedWeights, mobility_weights
from tools import plain_solver
from tools.check_exact import Case, Kind, endgames

SEED = 20260107

PUBLISHED = (
    # FFO 1 and 20 of the public endgame suite, and a position of the pitfalls list with every move's value
    "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; g8:+18;",
    "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; a2:+38; c7:+36; d8:+34; a6:+24;",
)


@cache
def weights() -> TrainedWeights:
    """Few moves are good: with an evaluation so wrong, more than half of the selective solves of 13 empties are."""
    return mobility_weights(-500)


@cache
def endgames_of_all_sizes() -> dict[int, list[tuple[Position, Kind]]]:
    """By number of empties: 16 positions, most of them with passes or early ends."""
    return endgames(range(1, 15), 16, random.Random(SEED))


def late(n_empties: int, compiled: int, uncompiled: int) -> list[Position]:
    return list(positions.late_positions(n_empties, several(compiled, uncompiled), SEED + n_empties))


@pytest.mark.parametrize("n_empties", range(1, 9))
def test_values_lines_and_best_moves_equal_full_width_search(n_empties: int) -> None:
    searcher = new_searcher()
    for position in late(n_empties, 60 if n_empties < 7 else 12, 6 if n_empties < 7 else 1):
        p, o = position.player, position.opponent
        result = searcher.run(exact_task(p, o))
        expected = perfect_score(p, o)
        assert result.complete
        assert result.score == expected, position
        end, is_over = score_after(p, o, result.pv)
        assert is_over, "the line goes to the end of the game"
        assert end == expected, "the line ends in the score that is claimed"
        after = {move: -perfect_score(*boards) for move, *boards in successors(p, o)}
        if after:
            assert after[result.best_move] == expected
        else:
            assert result.best_move == NO_MOVE


@pytest.mark.parametrize("n_empties", [3, 5, 7])
def test_null_windows_agree_with_open_ones_and_are_true_bounds(n_empties: int) -> None:
    searcher = new_searcher()
    rng = random.Random(SEED)
    for position in late(n_empties, 60, 3):
        p, o = position.player, position.opponent
        expected = perfect_score(p, o)
        for alpha in (expected - 1, expected, rng.randrange(-64, 64)):
            score = searcher.run(exact_task(p, o, alpha, alpha + 1)).score
            assert alpha < score <= expected if expected > alpha else expected <= score <= alpha


@pytest.mark.parametrize("mb", [0, 1])
def test_warm_tables_and_colliding_tables_change_no_value(mb: int) -> None:
    searcher = new_searcher(max(128, mb << 20))
    chosen = late(7, 30, 2)
    for position in chosen:  # leave shallower, narrower and midgame entries behind
        searcher.run(Task(position.player, position.opponent, -(1 << 30), 1 << 30, 4))
        searcher.run(exact_task(position.player, position.opponent, 0, 1))
        for _, p, o in successors(position.player, position.opponent):
            searcher.run(exact_task(p, o, -3, 4))
    for generation, position in enumerate(chosen + chosen):
        task = exact_task(position.player, position.opponent, generation=generation)
        assert searcher.run(task).score == perfect_score(position.player, position.opponent)


def leave_unproved_entries(searcher: Searcher, case: Case, rng: random.Random) -> None:
    """Searches of a position and its replies that prove nothing about it, or less than its value."""
    root = case.position.player, case.position.opponent, case.score
    replies = [(p, o, -case.moves[move]) for move, p, o in successors(*root[:2])]
    for p, o, score in (root, *rng.sample(replies, min(len(replies), 3))):
        n_empties = 64 - (p | o).bit_count()
        depth = rng.choice((n_empties, rng.randint(0, n_empties)))
        alpha = max(-64, min(score + rng.randint(-3, 2), 63))
        limit = 1 + int(3 ** rng.uniform(0, n_empties))
        tasks = [
            Task(p, o, -(1 << 30), 1 << 30, depth, selectivity=rng.choice((73, 100))),
            exact_task(p, o, selectivity=rng.choice((73, 99))),
            exact_task(p, o, alpha, alpha + 1, selectivity=rng.choice((73, 100)), ply=rng.randint(0, 1)),
            exact_task(p, o, node_limit=limit, selectivity=rng.choice((73, 100))),
        ]
        for each in rng.sample(tasks, 3):  # the last one's entry stays
            searcher.run(each)
            searcher.stop_flag = 0


@pytest.mark.skipif(not several(1, 0), reason="too slow uncompiled")
@pytest.mark.parametrize("n_empties", range(1, 15))  # from 13 on, proofs are in the same table as selective solves
def test_values_and_lines_are_right_whatever_unproved_entries_the_table_holds(n_empties: int) -> None:
    rng = random.Random(SEED + n_empties)
    searcher = new_searcher(1 << 20, weights().buffer)
    chosen = endgames_of_all_sizes()[n_empties]
    for epoch, (position, kind) in enumerate(chosen if n_empties <= 12 else chosen[::4]):
        case = Case.of(position, kind)
        p, o = position.player, position.opponent
        # A score on the edge of a window is a bound, whose line may end early: -65 and 65 leave none.
        cold = searcher.run(exact_task(p, o, -65, 65, epoch=epoch + 1))
        leave_unproved_entries(searcher, case, rng)
        for alpha in (case.score - 1, case.score):  # below the root, where a null window is answered by the table
            bound = searcher.run(exact_task(p, o, alpha, alpha + 1, ply=1)).score
            assert alpha < bound <= case.score if case.score > alpha else case.score <= bound <= alpha, position
        leave_unproved_entries(searcher, case, rng)
        warm = searcher.run(exact_task(p, o, -65, 65))
        for result in (cold, warm):
            assert result.complete
            assert result.score == case.score, position
            assert plain_solver.line_score(p, o, result.pv) == case.score, position
            assert case.moves.get(result.best_move, case.score) == case.score


def test_symmetric_images_and_swapped_colours_have_the_same_value() -> None:
    searcher = new_searcher()
    for position in late(8, 10, 1):
        expected = searcher.run(exact_task(position.player, position.opponent)).score
        for index in range(1, 8):
            p, o = positions.image(position.player, index), positions.image(position.opponent, index)
            assert searcher.run(exact_task(p, o)).score == expected


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("XXXXXXXXXXOOOOOXXXXOOOOXXXOXOOOXXOXOOXOXOOOOOXXXOOOO-OOXOX--OOO- X", 14),
        ("O-XXOOOOO-XOOOO-OXXXXXXXX-OOOXXXXXXOXXXXOOXXOXXXOOXX-OXX-OOOOOOX X", 24),
        ("----OOOXOO-OOOOX-OXXXXXXOXOOOXXXOOOOOOXXOOOOOOXXOOOOXXXXOOOOXXOO X", 12),
        ("-OXXXXX-XOOO-XXXXXOOOOXOXOXOOOOOXOXXOOO-XOOOXOXO-OOXXXO-XOOOOOOO X", 14),
        ("XOOOX-OXXOXXXOXX-OXOOXOX-OOOXXOX-XOOOOOOXXXOXXOOXXOOOOXXX--OOOOO O", 2),
    ],
)
def test_passes_and_early_ends_are_scored_for_the_right_side(text: str, score: int) -> None:
    position = Position.from_text(text)
    result = new_searcher().run(exact_task(position.player, position.opponent))
    assert result.score == score
    assert score_after(position.player, position.opponent, result.pv) == (score, True)


def test_a_wipe_out_is_worth_64() -> None:
    position = Position.from_text("-OX" + "-" * 61 + " X")
    result = new_searcher().run(exact_task(position.player, position.opponent))
    assert (result.score, result.best_move, result.pv) == (64, 0, (0,))


def test_a_forced_pass_is_searched_and_shown() -> None:
    position = next(
        p for p in positions.late_positions(7, 500, SEED) if not p.legal_bitboard and p.legal_moves == (PASS,)
    )
    result = new_searcher().run(exact_task(position.player, position.opponent))
    assert result.best_move == PASS
    assert result.pv[0] == PASS
    assert result.score == perfect_score(position.player, position.opponent)


def test_only_the_allowed_root_moves_are_searched_and_the_table_does_not_believe_the_result() -> None:
    searcher = new_searcher()
    for position in late(7, 30, 1):
        p, o = position.player, position.opponent
        after = {move: -perfect_score(*boards) for move, *boards in successors(p, o)}
        if len(after) < 2:
            continue
        worst = min(after, key=lambda move: after[move])
        restricted = searcher.run(exact_task(p, o, moves=1 << worst))
        assert (restricted.best_move, restricted.score) == (worst, after[worst])
        assert searcher.run(exact_task(p, o)).score == max(after.values())


@pytest.mark.skipif(not several(1, 0), reason="too slow uncompiled")
@pytest.mark.parametrize("text", PUBLISHED)
def test_every_move_of_published_endgames_has_its_published_score(text: str) -> None:
    board, *fields = text.split(";")
    position = Position.from_text(board)
    scores = dict(field.strip().split(":") for field in fields if field.strip())
    searcher = new_searcher(16 << 20)
    result = searcher.run(exact_task(position.player, position.opponent))
    assert result.score == max(map(int, scores.values()))
    end, is_over = score_after(position.player, position.opponent, result.pv)
    assert is_over
    assert end == result.score
    for name, score in scores.items():
        after = position.play(name)
        sign = -1 if after.side != position.side else 1
        assert sign * searcher.run(exact_task(after.player, after.opponent)).score == int(score), name


def test_stopping_proves_nothing_and_poisons_nothing() -> None:
    searcher = new_searcher()
    for position in late(7, 20, 1):
        p, o = position.player, position.opponent
        for limit in (1, 2, 5, 20, 60):
            result = searcher.run(exact_task(p, o, node_limit=limit))
            searcher.stop_flag = 0
            if not result.complete and result.best_move != NO_MOVE:
                after = {move: -perfect_score(*boards) for move, *boards in successors(p, o)}
                assert result.score <= after[result.best_move], "only a proved lower bound is reported"
        assert searcher.run(exact_task(p, o)).score == perfect_score(p, o)


@pytest.mark.parametrize("n_empties", [several(10, 7), several(11, 7)])
def test_a_stop_at_any_node_leaves_nothing_wrong_behind(n_empties: int) -> None:
    """Below the root, where the table answers; with passes ahead, where a stop comes back with its sign changed."""
    searcher = new_searcher()
    epoch = 0
    special = [position for position, kind in endgames_of_all_sizes()[n_empties] if kind is not Kind.ORDINARY]
    for position in special[:: several(1, 6)]:
        p, o = position.player, position.opponent
        score = plain_solver.score(p, o, prunes=True)
        for alpha in (score - 1, score):
            nodes = searcher.run(exact_task(p, o, alpha, alpha + 1, ply=1, epoch=epoch)).nodes
            for limit in range(1, nodes, max(1, nodes // several(300, 10))):
                epoch += 1
                searcher.run(exact_task(p, o, alpha, alpha + 1, ply=1, epoch=epoch, node_limit=limit))
                searcher.stop_flag = 0
                bound = searcher.run(exact_task(p, o, alpha, alpha + 1, ply=1, epoch=epoch)).score
                assert (bound > alpha) == (score > alpha), (position, limit)
        epoch += 1


def test_the_stop_flag_ends_a_search_at_once() -> None:
    searcher = new_searcher()
    position = late(8, 1, 1)[0]
    searcher.stop_flag = 1
    result = searcher.run(exact_task(position.player, position.opponent))
    assert not result.complete
    assert result.nodes <= 2


def test_a_board_with_moves_on_very_many_squares_is_searched() -> None:
    # A ring of opponents around a checkered centre gives far more moves than play ever does.
    player = sum(1 << s for s in range(64) if 2 <= s % 8 <= 5 and 2 <= s // 8 <= 5)
    opponent = 0
    for square in range(64):
        if (
            plain.legal_moves(1 << square, 0) == 0
            and (square % 8 in (1, 6) or square // 8 in (1, 6))
            and (1 <= square % 8 <= 6 and 1 <= square // 8 <= 6)
        ):
            opponent |= 1 << square
    moves = plain.legal_moves(player, opponent)
    assert moves.bit_count() >= 20
    result = new_searcher().run(Task(player, opponent, -(1 << 30), 1 << 30, 2))
    assert moves >> result.best_move & 1


def test_a_move_reported_for_a_null_window_proves_its_score() -> None:
    searcher = new_searcher(1 << 12)
    for position in late(7, 40, 2):
        p, o = position.player, position.opponent
        after = {move: -perfect_score(*boards) for move, *boards in successors(p, o)}
        expected = perfect_score(p, o)
        searcher.run(Task(p, o, -(1 << 30), 1 << 30, 2))  # leaves a move in the table that may be a bad one
        for alpha in range(expected - 3, expected + 2):
            for ply in (0, 1):
                result = searcher.run(exact_task(p, o, alpha, alpha + 1, ply=ply))
                if result.score > alpha and result.best_move in after:
                    assert after[result.best_move] >= result.score, (ply, alpha)
                assert (result.best_move == NO_MOVE) == (ply == 1 or not after)


def near_bounds(searcher: Searcher, player: int, opponent: int) -> tuple[int, int] | None:
    """What the near table proves about a position, None if it has no entry."""
    state, p, o = searcher._state, np.uint64(player), np.uint64(opponent)
    n_empties = 64 - (player | opponent).bit_count()
    bucket = table.bucket_of(state, p, o, np.int64(n_empties), True)
    assert state.near.ctypes.data <= int(bucket) <= state.near.ctypes.data + state.near.nbytes - TABLE_BUCKET_BYTES
    assert int(bucket) % TABLE_BUCKET_BYTES == 0
    bounds, meta = table.probe(state, bucket, p, o)
    if not table.answers(np.uint64(meta), table.KIND_EXACT, np.int64(n_empties), np.int64(100)):
        return None
    return int(table.lower_bound(np.uint64(bounds))), int(table.upper_bound(np.uint64(bounds)))


def test_what_the_near_table_keeps_is_true_and_forgotten_with_the_game() -> None:
    seen = 0
    for position in positions.late_positions(9, several(4, 1), SEED):
        p, o = position.player, position.opponent
        searcher = new_searcher()
        searcher.run(exact_task(p, o, epoch=1))
        kept = [(p, o), *(boards for _, *boards in successors(p, o))]
        for boards in kept:
            bounds = near_bounds(searcher, *boards)
            if bounds is not None:
                seen += 1
                assert bounds[0] <= perfect_score(*boards) <= bounds[1]
        other = next(iter(positions.late_positions(3, 1, SEED)))
        searcher.run(exact_task(other.player, other.opponent, epoch=2))  # another game
        assert all(near_bounds(searcher, *boards) is None for boards in kept)
        searcher.new_game()
        assert not searcher._state.near.any()
    assert seen >= several(12, 3)


def test_positions_farther_from_the_end_are_in_the_table_that_all_share() -> None:
    state = new_searcher()._state
    for n_empties in (int(table.NEAR_EMPTIES), int(table.NEAR_EMPTIES) + 1):
        position = next(iter(positions.late_positions(n_empties, 1, SEED)))
        p, o = np.uint64(position.player), np.uint64(position.opponent)
        shared = int(table.bucket_address(state, p, o))
        assert int(table.bucket_of(state, p, o, np.int64(n_empties), False)) == shared
        is_shared = int(table.bucket_of(state, p, o, np.int64(n_empties), True)) == shared
        assert is_shared == (n_empties > table.NEAR_EMPTIES)
