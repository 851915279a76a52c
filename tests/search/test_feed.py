"""Claims from outside: where they go in the table, and which searches believe them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from othello_engine.position import Position
from othello_engine.search import table
from othello_engine.search.driver import Searcher
from othello_engine.search.task import SCORE_LIMIT, Claim, Task
from othello_engine.types import NO_MOVE, PASS
from tests.positions import EARLIEST_PASS_TEXT, late_positions
from tests.search.support import exact_task, new_searcher, perfect_score, several
from tests.trained import made_up_weights

MIDGAME = Position.from_moves("f5d6c3d3c4f4f6")
LINE = tuple(move for move, _ in MIDGAME.follow("g5d7e3"))


def claim_of(
    position: Position, lower: int, upper: int, depth: int, moves: tuple[int, ...] = (), sure: int = 99
) -> Claim:
    return Claim(position.player, position.opponent, lower, upper, depth, sure, moves)


def trained() -> Searcher:
    """A searcher that may prune."""
    return new_searcher(weights=made_up_weights(1).buffer)


def entry(searcher: Searcher, position: Position) -> tuple[int, int, int]:
    """(lower, upper, move) of a position's entry; the move is NO_MOVE for one that is not there."""
    bounds, meta = searcher._entry(position.player, position.opponent, False)
    return int(table.lower_bound(bounds)), int(table.upper_bound(bounds)), int(table.entry_move(meta))


# -- where it goes ----------------------------------------------------------------------------------------------


def test_a_claim_is_in_the_table_for_every_position_of_its_line_seen_from_the_side_to_move() -> None:
    searcher = trained()
    searcher.feed(claim_of(MIDGAME, 300, 500, 20, LINE), 1, 0)
    position, bounds = MIDGAME, (300, 500)
    for move in (*LINE, NO_MOVE):
        assert entry(searcher, position) == (*bounds, move)
        bounds = -bounds[1], -bounds[0]
        if move != NO_MOVE:
            position = position.play(move)


def test_the_moves_beside_the_line_are_not_better_than_the_upper_bound_says() -> None:
    searcher = trained()
    searcher.feed(claim_of(MIDGAME, 300, 500, 20, LINE), 1, 0)
    beside = [MIDGAME.play(move) for move in MIDGAME.legal_moves if move != LINE[0]]
    assert beside
    for position in beside:
        lower, upper, move = entry(searcher, position)
        assert (lower, move) == (-500, NO_MOVE)
        assert upper >= SCORE_LIMIT


def test_without_an_upper_bound_nothing_is_said_about_other_moves() -> None:
    searcher = trained()
    searcher.feed(claim_of(MIDGAME, 300, SCORE_LIMIT, 20, LINE[:1]), 1, 0)
    assert entry(searcher, MIDGAME)[0] == 300
    assert all(entry(searcher, MIDGAME.play(m)) == (0, 0, NO_MOVE) for m in MIDGAME.legal_moves if m != LINE[0])


def test_a_line_may_contain_passes() -> None:
    searcher = trained()
    passing = Position.from_text(EARLIEST_PASS_TEXT)
    reply = passing.play(PASS).legal_moves[0]
    searcher.feed(claim_of(passing, 200, 200, 8, (PASS, reply)), 1, 0)
    assert entry(searcher, passing.play(PASS)) == (-200, -200, reply)
    assert searcher._entry(passing.player, passing.opponent, False) == (0, 0)


def test_two_claims_about_one_depth_add_up_and_a_newer_one_beats_one_that_it_contradicts() -> None:
    searcher = trained()
    searcher.feed(claim_of(MIDGAME, 100, SCORE_LIMIT, 10), 1, 0)
    searcher.feed(claim_of(MIDGAME, -SCORE_LIMIT, 400, 10), 1, 0)
    assert entry(searcher, MIDGAME)[:2] == (100, 400)
    searcher.feed(claim_of(MIDGAME, 600, 700, 10), 1, 0)
    assert entry(searcher, MIDGAME)[:2] == (600, 700)


def test_what_has_been_found_deeper_or_proved_is_not_displaced() -> None:
    searcher = trained()
    searcher.run(Task(MIDGAME.player, MIDGAME.opponent, -SCORE_LIMIT, SCORE_LIMIT, 5))
    found = entry(searcher, MIDGAME)
    assert found[2] != NO_MOVE
    searcher.feed(claim_of(MIDGAME, 6300, 6300, 4), 1, 0)
    assert entry(searcher, MIDGAME) == found
    searcher.feed(claim_of(MIDGAME, 6300, 6300, 6), 1, 0)
    assert entry(searcher, MIDGAME)[:2] == (6300, 6300)

    solved = next(late_positions(13, 1, seed=3))
    searcher.run(exact_task(solved.player, solved.opponent, 62, 64))
    proved = entry(searcher, solved)
    searcher.feed(claim_of(solved, 6300, 6300, 60), 1, 0)
    assert entry(searcher, solved) == proved


def test_a_claim_of_another_epoch_does_not_exist() -> None:
    searcher = trained()
    searcher.feed(claim_of(MIDGAME, 300, 300, 20), 1, 7)
    searcher._prepare(Task(MIDGAME.player, MIDGAME.opponent, 0, 1, 3, epoch=8))
    assert entry(searcher, MIDGAME) == (0, 0, NO_MOVE)


# -- who believes it --------------------------------------------------------------------------------------------


def inner(position: Position, alpha: int, selectivity: int) -> Task:
    """A null-window search below a root, where the table may answer."""
    return Task(position.player, position.opponent, alpha, alpha + 1, 6, selectivity=selectivity, ply=1)


def test_a_search_that_prunes_takes_a_claim_for_its_answer_and_visits_nothing_else() -> None:
    searcher = trained()
    searcher.feed(claim_of(MIDGAME, 5000, 5000, 6), 1, 0)
    for selectivity in (73, 99):
        result = searcher.run(inner(MIDGAME, 3000, selectivity))
        assert (result.score, result.nodes) == (5000, 1)


@pytest.mark.parametrize("change", ["full width", "deeper", "more certain"])
def test_other_searches_do_not(change: str) -> None:
    fed, other = trained(), trained()
    fed.feed(claim_of(MIDGAME, 5000, 5000, 6, sure=87), 1, 0)
    task = inner(MIDGAME, 3000, {"full width": 100, "more certain": 95}.get(change, 73))
    if change == "deeper":
        task = replace(task, depth=7)
    assert fed.run(task).score == other.run(task).score != 5000


@pytest.mark.parametrize("n_empties", [5, 8, 9])
def test_no_lie_changes_a_proof(n_empties: int) -> None:
    for position in late_positions(n_empties, several(8, 8 if n_empties < 8 else 0), seed=n_empties):
        if position.is_over or position.must_pass:
            continue
        searcher = trained()
        for sign in (1, -1):
            for each in [position, *(position.play(move) for move in position.legal_moves)]:
                searcher.feed(claim_of(each, 6300 * sign, 6300 * sign, 60), 1, 0)
        truth = perfect_score(position.player, position.opponent)
        assert searcher.run(exact_task(position.player, position.opponent)).score == truth
        inside = replace(exact_task(position.player, position.opponent, truth - 1, truth), ply=1)
        assert searcher.run(inside).score >= truth
