"""The fit of the phased weights: its small search against plain rules, and weights that it must find again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from othello_engine.core import jit
from othello_engine.position import Position
from tests import oracle, phased_oracle, positions
from tests.phased_oracle import ANTI_OTHELLO
from tests.train.support import boards
from tools.train import phased
from tools.train.games import TEST_YEAR

pytestmark = pytest.mark.skipif(not jit.IS_COMPILED, reason="tools run compiled")

SEED = 20261130
WEIGHTS = np.array(list(ANTI_OTHELLO.values()), np.int64)
LIMIT = 1 << 20


def plain_value(board: oracle.Board, colour: str, depth: int, sign: int) -> int:
    """Hundredths of a disc by minimax, for the side to move; a pass costs no ply."""
    legal = oracle.moves(board, colour)
    if not legal and oracle.is_over(board):
        return sign * 100 * oracle.final_score(board, colour)
    if depth == 0:
        return phased_oracle.evaluate(board, colour, ANTI_OTHELLO)
    if not legal:
        return -plain_value(board, oracle.other(colour), depth, sign)
    return max(-plain_value(oracle.play(board, colour, *move), oracle.other(colour), depth - 1, sign) for move in legal)


def plain_solve(board: oracle.Board, colour: str, sign: int) -> int:
    legal = oracle.moves(board, colour)
    if legal:
        return max(-plain_solve(oracle.play(board, colour, *move), oracle.other(colour), sign) for move in legal)
    if oracle.is_over(board):
        return sign * oracle.final_score(board, colour)
    return -plain_solve(board, oracle.other(colour), sign)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_small_search_is_minimax(sign: int) -> None:
    late = [position for n in (2, 5, 12, 20) for position in positions.late_positions(n, 8, SEED)]
    for position in [*late, *list(positions.random_positions(600, SEED))[::40]]:
        board = oracle.board_of_bits(position.player, position.opponent)
        for depth in (0, 1, 2):
            value = phased.look(WEIGHTS, sign, position.player, position.opponent, -LIMIT, LIMIT, depth)
            assert value == plain_value(board, oracle.BLACK, depth, sign)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n_empties", [1, 3, 5, 6])
def test_ends_are_solved_in_both_games(n_empties: int, sign: int) -> None:
    for position in positions.late_positions(n_empties, 8, SEED):
        score = plain_solve(oracle.board_of_bits(position.player, position.opponent), oracle.BLACK, sign)
        assert phased.solve(sign, position.player, position.opponent, -64, 64) == score
        if sign == 1:
            assert score == oracle.solve(oracle.board_of_bits(position.player, position.opponent), oracle.BLACK)


def test_games_of_anti_othello_get_true_scores_at_the_end() -> None:
    player = phased.Player(WEIGHTS, 1, 3.0)
    played = phased.play_games(player, player, -1, 4, SEED % 1000)
    target = np.zeros(len(played.player), np.int8)
    phased.label(-1, 5, played.player, played.opponent, played.black, played.offsets, played.score, target)
    for game in range(4):
        places = range(played.offsets[game], played.offsets[game + 1])
        scores = [int(target[place]) * (1 if played.black[place] else -1) for place in places]
        for place in places:
            board = oracle.board_of_bits(int(played.player[place]), int(played.opponent[place]))
            if phased_oracle.n_empties(board) <= 5:
                assert int(target[place]) == plain_solve(board, oracle.BLACK, -1)
        solved = [
            score
            for place, score in zip(places, scores, strict=True)
            if int(played.player[place] | played.opponent[place]).bit_count() >= 59
        ]
        assert solved
        assert set(scores[: -len(solved)]) == {solved[0]}, "the first true score is carried to the start"


def test_the_same_seed_gives_the_same_games_and_another_one_others() -> None:
    player, other = phased.Player(WEIGHTS, 1, 1.0), phased.Player(WEIGHTS, 0)
    first, again, third = (phased.play_games(player, other, -1, 20, seed) for seed in (1, 1, 2))
    assert first.player.tolist() == again.player.tolist()
    assert first.score.tolist() == again.score.tolist()
    assert first.player.tolist() != third.player.tolist()


def test_games_are_legal_and_their_scores_black_s() -> None:
    player = phased.Player(WEIGHTS, 1)
    played = phased.play_games(player, player, 1, 10, 3)
    for game in range(10):
        places = range(played.offsets[game], played.offsets[game + 1])
        position = Position.start()
        for place in places:
            if position.must_pass:
                position = position.swapped()
            assert (position.player, position.opponent) == (int(played.player[place]), int(played.opponent[place]))
            assert (position.side == 0) == bool(played.black[place])
            if place + 1 < places.stop:
                after = int(played.player[place + 1] | played.opponent[place + 1])
                position = position.play((after & position.empties).bit_length() - 1)
        last = [position.play(move) for move in position.legal_moves]
        black = [each.final_score * (1 if each.side == 0 else -1) for each in last if each.is_over]
        assert int(played.score[game]) in black


def test_weights_are_found_again_from_values_that_they_gave() -> None:
    found = boards(list(positions.random_positions(4_000, SEED)))
    rows, n_empties = np.zeros((4_000, 6), np.int64), np.zeros(4_000, np.int64)
    phased.fill_terms(found["player"], found["opponent"], rows, n_empties)
    phases = (n_empties <= 44) + (n_empties <= 20).astype(int)
    known = np.array([[50, -30, 700, 40, 0, 0], [90, -60, 500, 120, 0, 0], [150, -20, 80, 100, 300, 7]])
    target = (rows * known[phases]).sum(axis=1) / 100
    labelled = phased.Labelled(found["player"], found["opponent"], target)
    assert phased.fit_othello(labelled).tolist() == known.tolist()
    assert phased.fit_anti(phased.Labelled(found["player"], found["opponent"], -target)).tolist() == (-known).tolist()


def test_the_fit_keeps_to_the_signs_that_are_documented() -> None:
    """From targets that say the opposite."""
    found = boards(list(positions.random_positions(2_000, SEED)))
    rows, n_empties = np.zeros((2_000, 6), np.int64), np.zeros(2_000, np.int64)
    phased.fill_terms(found["player"], found["opponent"], rows, n_empties)
    labelled = phased.Labelled(found["player"], found["opponent"], rows @ np.array([-1.0, 1, -1, -1, -1, -1]))
    weights = phased.fit_othello(labelled)
    assert (np.sign(weights[phased.END]) == [1, -1, 1, 1, 1, 1]).all()
    assert (weights[:2, phased.DISCS] == 0).all()
    assert weights[phased.OPENING, phased.STABILITY] <= weights[phased.MIDDLE, phased.STABILITY]


def test_games_of_test_years_are_not_read(data_folder: Path) -> None:
    path = data_folder / "games" / "wthor.txt.gz"
    training, testing = (
        phased.read_games(path, None, range(first, last)) for first, last in ((0, TEST_YEAR), (TEST_YEAR, 10_000))
    )
    everything = phased.read_games(path, None, range(10_000))
    assert 0 < len(testing.player) < len(training.player)
    assert len(training.player) + len(testing.player) == len(everything.player)
    assert np.abs(everything.target).max() <= 64
