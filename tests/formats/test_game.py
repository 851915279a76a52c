"""The value of a recorded game: always legal, with its passes, and with a result from the board."""

from __future__ import annotations

import doctest
from dataclasses import replace

import pytest

from othello_engine.errors import IllegalMoveError
from othello_engine.formats import game as module
from othello_engine.formats.game import Ending, Game, GameMove, Result, bare_moves
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE
from tests import positions
from tests.formats.games import ENDINGS, PASS_AND_EARLY_END, PASS_AND_WIPE_OUT, UNFINISHED, WIPE_OUT, sample_games


def test_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(module).failed == 0


def test_scores_are_counted_on_the_board_with_empty_squares_to_the_winner() -> None:
    assert [game.score for game in ENDINGS] == [-64, 64, -62, None]
    assert [game.is_over for game in ENDINGS] == [True, True, True, False]


@pytest.mark.parametrize(
    ("match_type", "is_anti"),
    [
        *((match_type, True) for match_type in ("8a", "8A", "s8a", "8ka", "s8ar18")),
        *((match_type, False) for match_type in ("", "8", "8k", "s8r20", "anti")),
    ],
)
def test_in_anti_othello_results_have_the_other_sign(match_type: str, is_anti: bool) -> None:
    games = [replace(game, match_type=match_type) for game in ENDINGS]
    assert [game.is_anti for game in games] == [is_anti] * 4
    assert [game.score for game in games] == ([64, -64, 62, None] if is_anti else [-64, 64, -62, None])
    won = replace(games[2], stated=Result.of_score(62))
    assert (won.is_misstated, won.result) == (not is_anti, Result.of_score(62 if is_anti else -62))


def test_a_forced_pass_is_a_move_whether_it_was_given_or_not() -> None:
    explicit = PASS_AND_WIPE_OUT.moves
    assert [each.move for each in explicit].count(PASS) == 1
    implicit = Game(moves=tuple(each for each in explicit if each.move != PASS))
    assert implicit == PASS_AND_WIPE_OUT == Game(moves=explicit)
    assert implicit.transcript == positions.PASS_THEN_WIPE_OUT


def test_a_value_given_to_a_pass_stays_with_it() -> None:
    moves = tuple(GameMove(each.move, 1.5, 2.5) for each in PASS_AND_EARLY_END.moves)
    assert Game(moves=moves).moves == moves


def test_positions_run_from_the_start_to_the_end() -> None:
    for game in ENDINGS:
        run = list(game.positions)
        assert len(run) == len(game.moves) + 1
        assert (run[0], run[-1]) == (game.start, game.final_position)
        for before, each, after in zip(run, game.moves, run[1:], strict=False):
            assert before.play(each.move) == after


def test_recorded_games_are_over() -> None:
    assert all(game.is_over for game in sample_games())


def test_passes_behind_the_end_are_no_moves() -> None:
    assert Game(moves=(*WIPE_OUT.moves, *bare_moves([PASS, PASS]))) == WIPE_OUT


def test_an_illegal_move_makes_no_game() -> None:
    with pytest.raises(IllegalMoveError, match="move 2"):
        Game(moves=bare_moves([37, 0]))
    with pytest.raises(IllegalMoveError, match="move 1"):
        replace(UNFINISHED, start=Position.from_text(positions.EARLIEST_PASS_TEXT))


def test_a_game_may_have_no_moves_and_a_finished_start() -> None:
    assert Game().score is None
    over = Game(start=Position.from_text(positions.NOBODY_CAN_MOVE + " O"))
    assert (over.is_over, over.score) == (True, 62)


def test_a_stated_result_counts_only_while_the_board_says_nothing() -> None:
    resigned = Result(None, Ending.RESIGNED, WHITE)
    assert replace(UNFINISHED, stated=resigned).result == resigned
    assert UNFINISHED.result is None
    wrong = replace(PASS_AND_EARLY_END, stated=Result.of_score(62))
    assert (wrong.is_misstated, wrong.result) == (True, Result.of_score(-62))
    right = replace(PASS_AND_EARLY_END, stated=Result.of_score(-62.0, Ending.TIME))
    assert (right.is_misstated, right.result) == (False, Result.of_score(-62, Ending.TIME))


@pytest.mark.parametrize(
    ("result", "score", "agrees"),
    [
        (Result.of_score(12), 12, True),
        (Result.of_score(12.5), 12, False),
        (Result(None, winner=BLACK), 2, True),
        (Result(None, winner=WHITE), 2, False),
        (Result(None), 0, True),
        (Result(None), -2, False),
    ],
)
def test_a_result_without_a_score_agrees_by_its_winner(result: Result, score: int, agrees: bool) -> None:
    assert result.agrees_with(score) is agrees


def test_the_winner_follows_from_a_score() -> None:
    assert [Result.of_score(score).winner for score in (2, -2, 0)] == [BLACK, WHITE, None]
