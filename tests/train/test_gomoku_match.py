"""Games between weights files: openings, colours, and the sum of results."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from othello_engine.gomoku.position import GomokuPosition
from othello_engine.gomoku.weights import CellWeights, by_hand
from tools.train.gomoku_match import SIZE, MatchResult, Player, play_match, read_openings
from tools.train.gomoku_positions import GomokuDataError


@pytest.fixture
def openings(tmp_path: Path) -> Path:
    path = tmp_path / "openings.txt"
    path.write_text("-8,-7\n-8,-7, -6,-6, -7,-5\n-7,-7, -5,-6, -6,-5\n0,0, 1,1, 0,3\n0,0, 9,9, 0,3\n", encoding="ascii")
    return path


def test_openings_come_to_the_middle_and_count_once(openings: Path) -> None:
    found = read_openings([openings], 2)
    # The second and third line are the same opening at two places; the first is too short, the last too wide.
    assert found == [
        (6 * SIZE + 6, 7 * SIZE + 8, 8 * SIZE + 7),
        (6 * SIZE + 7, 7 * SIZE + 8, 9 * SIZE + 7),
    ]
    with pytest.raises(GomokuDataError, match="only 2"):
        read_openings([openings], 3)


def test_a_player_takes_a_five_and_stops_one() -> None:
    player = Player(by_hand(), 500)
    player.new_game()
    position = GomokuPosition.from_moves(["f5", "a1", "g5", "c1", "h5", "e1", "i5"])
    assert player.move(position)[0] in (position.parse_move("e5"), position.parse_move("j5"))
    to_win = position.play("o15")
    assert to_win.play(player.move(to_win)[0]).winner == 0


def test_equal_weights_score_half(openings: Path) -> None:
    result = play_match((by_hand(), by_hand()), 300, read_openings([openings], 2))
    assert result.pairs == (1.0, 1.0)
    assert result.wins == result.losses
    assert result.share == 0.5


def test_sense_beats_nonsense(openings: Path) -> None:
    hand = by_hand()
    nonsense = CellWeights(-hand.values, np.zeros_like(hand.orders), hand.tempo)
    result = play_match((hand, nonsense), 500, read_openings([openings], 2))
    assert result.wins > result.losses
    assert result.wins + result.draws + result.losses == 4


def test_the_error_is_that_of_the_pairs() -> None:
    result = MatchResult(3, 1, 2, (2.0, 1.0, 0.5))
    assert result.share == pytest.approx(3.5 / 6)
    assert result.error == pytest.approx(np.std([1.0, 0.5, 0.25], ddof=1) / math.sqrt(3))
