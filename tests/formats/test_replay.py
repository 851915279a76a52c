"""The quick replay against the position, move for move."""

from __future__ import annotations

import random

import pytest

from othello_engine.core import plain
from othello_engine.errors import IllegalMoveError
from othello_engine.formats.replay import replay, turned_discs
from othello_engine.position import Position
from othello_engine.types import N_SQUARES, PASS, parse_square
from tests import positions
from tests.formats.games import sample_transcripts

START = Position.start()


def squares(transcript: str) -> list[int]:
    return [parse_square(transcript[at : at + 2]) for at in range(0, len(transcript), 2)]


def test_discs_are_turned_as_by_the_plain_rules() -> None:
    for player, opponent in positions.random_bitboards(300, seed=1):
        for square in range(N_SQUARES):
            if not (player | opponent) >> square & 1:
                assert turned_discs(square, player, opponent) == plain.flips(square, player, opponent)


def test_recorded_games_end_as_by_the_position() -> None:
    for transcript in sample_transcripts():
        steps = START.follow(transcript)
        played = replay(START, squares(transcript))
        assert played.end == steps[-1][1]
        moves = squares(transcript)
        for index in reversed(played.omitted):
            moves.insert(index, PASS)
        assert moves == [move for move, _ in steps]
        assert replay(START, moves) == type(played)(played.end)


def test_random_games_are_played_from_every_position_on() -> None:
    rng = random.Random(5)
    for _ in range(20):
        game = positions.random_game(rng, squeeze=0.5)
        moves = positions.moves_of(game)
        for first in range(0, len(moves), 7):
            assert replay(game[first], moves[first:]).end == game[-1]


@pytest.mark.parametrize(
    ("transcript", "index", "words"),
    [
        ("f5d6a1", 3, "no disc turned (move 3: a1)"),
        ("f5d6f5", 3, "square occupied (move 3: f5)"),
        ("f5f5", 2, "square occupied (move 2: f5)"),
        (positions.BLACK_WIPES_OUT + "a1", 10, "the game is over (move 10: a1)"),
        (positions.EARLIEST_PASS + "a8", 9, "no disc turned (move 9: a8)"),
    ],
)
def test_an_illegal_move_is_named_with_its_reason(transcript: str, index: int, words: str) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        replay(START, squares(transcript))
    assert (str(caught.value), caught.value.index) == (words, index)


@pytest.mark.parametrize("moves", [[PASS], [37, PASS], [37, -1], [37, 65], [37, 1000]])
def test_free_passes_and_numbers_beyond_the_board_are_refused(moves: list[int]) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        replay(START, moves)
    assert caught.value.index == len(moves)


def test_passes_behind_the_end_are_taken_as_its_sign() -> None:
    moves = squares(positions.BLACK_WIPES_OUT)
    for n_passes in (1, 2):
        played = replay(START, [*moves, *[PASS] * n_passes])
        assert (played.end.is_over, played.n_surplus) == (True, n_passes)
    with pytest.raises(IllegalMoveError):
        replay(START, [*moves, PASS, PASS, PASS])
    with pytest.raises(IllegalMoveError):
        replay(START, [*moves, PASS, 0])
