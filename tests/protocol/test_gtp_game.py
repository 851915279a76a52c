"""The record of a game: both pass styles, undo, what is refused, the end."""

from __future__ import annotations

import random

import pytest

from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE, parse_square
from protocol.gtp_game import Record, RuleError
from tests.positions import EARLIEST_PASS, PASS_AT_16, PASS_THEN_WIPE_OUT, WIPE_OUT, random_positions


def square(name: str) -> int:
    return PASS if name == "pass" else parse_square(name)


def after(transcript: str) -> Record:
    return Record.of(Position.start(), (move for move, _ in Position.start().follow(transcript)))


def random_game(seed: int) -> list[tuple[int, Position]]:
    """Moves with the positions before them, to the end of a game with at least one pass."""
    rng = random.Random(seed)
    while True:
        position, game = Position.start(), []
        while not position.is_over:
            move = rng.choice(position.legal_moves)
            game.append((move, position))
            position = position.play(move)
        if any(move == PASS for move, _ in game):
            return game


@pytest.mark.parametrize("seed", range(20))
def test_both_pass_styles_lead_to_the_same_plies_and_undo_takes_each_back(seed: int) -> None:
    game = random_game(seed)
    explicit = implicit = mixed = Record()
    for n, (move, position) in enumerate(game):
        assert explicit.position == position
        explicit = explicit.play(position.side, move)
        if move != PASS:
            implicit = implicit.play(position.side, move)
        if move != PASS or n % 2:
            mixed = mixed.play(position.side, move)
    assert [ply.move for ply in explicit.plies] == [move for move, _ in game]
    for record in (implicit, mixed):
        assert [(ply.move, ply.after) for ply in record.plies] == [(ply.move, ply.after) for ply in explicit.plies]
        for _, position in reversed(game):
            record = record.undo()
            assert record.position == position
        with pytest.raises(RuleError, match="cannot undo"):
            record.undo()


def test_what_may_be_played_is_what_the_rules_allow_for_either_colour() -> None:
    """Every colour and square in many positions, against the rules written out."""
    for position in random_positions(200, seed=5):
        record = Record(position)
        for colour in (BLACK, WHITE):
            turn = position
            if position.side != colour:
                turn = position.swapped()
            may_move = position.side == colour or position.must_pass
            for move in range(PASS + 1):
                allowed = move in turn.legal_moves and may_move
                if position.is_over:
                    allowed = move == PASS
                if allowed:
                    assert record.play(colour, move).position.side != colour
                else:
                    with pytest.raises(RuleError, match="illegal move: "):
                        record.play(colour, move)


def test_a_pass_is_implied_only_when_the_move_behind_it_is_legal() -> None:
    record = after(EARLIEST_PASS)
    with pytest.raises(RuleError, match=r"illegal move: no disc turned \(a1\)"):
        record.play(WHITE, square("a1"))
    played = record.play(WHITE, square("d6"))
    assert [(ply.move, ply.implied) for ply in played.plies[-2:]] == [(PASS, True), (square("d6"), False)]


def test_an_implied_pass_may_be_sent_late_once() -> None:
    record = after(EARLIEST_PASS).play(WHITE, square("d6"))
    late = record.play(BLACK, PASS)
    assert late.position == record.position
    assert len(late.plies) == len(record.plies)
    with pytest.raises(RuleError, match="a pass is not allowed while there is a move"):
        late.play(BLACK, PASS)


def test_an_implied_pass_that_undo_has_left_may_be_sent() -> None:
    record = after(EARLIEST_PASS).play(WHITE, square("d6")).undo()
    late = record.play(BLACK, PASS)
    assert late.position == record.position
    assert late.position.side == WHITE
    with pytest.raises(RuleError, match="it is White's turn"):
        late.play(BLACK, PASS)


def test_a_pass_that_was_sent_is_not_accepted_again() -> None:
    record = after(EARLIEST_PASS).play(BLACK, PASS).play(WHITE, square("d6"))
    with pytest.raises(RuleError, match="a pass is not allowed"):
        record.play(BLACK, PASS)


def test_a_pass_that_is_due_is_played_even_if_the_last_one_was_implied() -> None:
    """Two passes of one side in a row: the second is not taken for the first one sent late."""
    start = Position.from_text("OX------" + "-" * 24 + "OX------" + "-" * 24 + " X")
    assert start.must_pass
    record = Record(start)
    record = record.play(WHITE, record.turn_of(WHITE).legal_moves[0])
    assert record.position.must_pass
    passed = record.play(BLACK, PASS)
    assert len(passed.plies) == len(record.plies) + 1
    assert passed.position.side == WHITE


def test_the_other_side_may_not_move_while_there_is_a_move() -> None:
    with pytest.raises(RuleError, match="illegal move: it is Black's turn"):
        Record().turn_of(WHITE)
    with pytest.raises(RuleError, match="it is Black's turn"):
        Record().play(WHITE, square("d3"))


@pytest.mark.parametrize("transcript", [WIPE_OUT, PASS_THEN_WIPE_OUT])
def test_when_the_game_is_over_both_sides_may_pass_and_nothing_else(transcript: str) -> None:
    record = after(transcript)
    for colour in (BLACK, WHITE):
        with pytest.raises(RuleError, match="illegal move: the game is over"):
            record.play(colour, square("a1"))
        passed = record.play(colour, PASS).play(1 - colour, PASS)
        assert passed.position.is_over
        assert {passed.position.black, passed.position.white} == {record.position.black, record.position.white}
        assert passed.undo(2) == record


def test_a_sequence_is_played_as_a_whole_or_not_at_all() -> None:
    record = after(PASS_AT_16)
    moves = [(BLACK, PASS), (WHITE, square("b4"))]
    assert record.play_all(moves).undo(2) == record
    with pytest.raises(RuleError, match=r"no disc turned \(a1\), move 3 of the sequence"):
        record.play_all([*moves, (BLACK, square("a1"))])


def test_several_plies_are_taken_back_only_if_there_are_so_many() -> None:
    record = after("f5d6c3")
    assert record.undo(3) == Record()
    assert record.undo(0) == record
    with pytest.raises(RuleError, match="cannot undo: moves to take back: 3"):
        record.undo(4)
