"""Moves by players with a style, from real worker processes: what is told of them, and that they can be repeated."""

from __future__ import annotations

import pytest

from othello_engine.engine.choice import choose
from othello_engine.engine.deepening import Line
from othello_engine.engine.engine import Engine
from othello_engine.position import Position
from othello_engine.types import Bound, Goal, Limits, Score, ScoreKind, SearchInfo, SearchResult
from tests.engine.conftest import EngineMaker
from tests.engine.test_deepening import move_scores, random_position

LEVELS = ("beginner", "intermediate", "advanced")


def asked(engine: Engine, position: Position, limits: Limits) -> tuple[SearchResult, list[SearchInfo]]:
    told: list[SearchInfo] = []
    engine.set_position(position)
    return engine.go(limits, told.append).wait(60), told


def values_of(engine: Engine, position: Position, depth: int) -> dict[int, int]:
    """What each move is worth at a depth, in hundredths of a disc, best first: the truth, which anybody may ask for."""
    result, _ = asked(engine, position, Limits(depth=depth, multipv=64))
    assert [info.rank for info in result.lines] == list(range(1, len(position.legal_moves) + 1))
    return {info.pv[0]: info.score.value for info in result.lines}


def test_a_beginner_plays_what_its_style_chooses_and_tells_only_that(make_engine: EngineMaker) -> None:
    engine = make_engine(1, profile="phased", Level="beginner", Seed=5)
    style, depth = engine.config.levels[0].style, engine.config.levels[0].depth
    assert style is not None
    n_worse = 0
    for seed in range(25):
        position = random_position(20 + seed, seed)
        if len(position.legal_moves) < 2:
            continue
        values = values_of(engine, position, depth)
        lines = [Line(depth, depth, 100, Score(ScoreKind.CENTIDISCS, value), (move,)) for move, value in values.items()]
        result, told = asked(engine, position, Limits())
        assert values[result.best_move] == values[choose(style, position.player, position.opponent, lines, 5).move]
        assert result.lines == tuple(told)
        (line,) = result.lines
        assert (line.rank, line.depth, line.pv[0]) == (1, depth, result.best_move)
        assert line.score == Score(ScoreKind.CENTIDISCS, values[result.best_move], Bound.EXACT)
        n_worse += values[result.best_move] < max(values.values())
    assert n_worse > 3


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_position_level_and_seed_give_the_same_move(make_engine: EngineMaker, level: str) -> None:
    one = make_engine(1, profile="phased", Level=level)
    other = make_engine(3, profile="phased", Level=level)
    for seed in range(6):
        position = random_position(15 + 7 * seed, seed)
        first, _ = asked(one, position, Limits())
        again, _ = asked(one, position, Limits(move_time_ms=60_000))
        third, _ = asked(other, position, Limits())
        assert first.best_move == again.best_move == third.best_move


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_plays_a_solved_ending_straight(make_engine: EngineMaker, level: str) -> None:
    engine = make_engine(1, profile="phased", Level=level)
    for seed in range(6):
        position = random_position(5, seed)
        if len(position.legal_moves) < 2:
            continue
        scores = move_scores(position)
        result, told = asked(engine, position, Limits())
        assert scores[result.best_move] == max(scores.values())
        assert result.lines[0].score == Score(ScoreKind.DISCS, max(scores.values()))
        assert len(told) > 1


@pytest.mark.parametrize("limits", [Limits(move_time_ms=0), Limits(black_ms=-1, white_ms=-1), Limits(move_time_ms=6)])
def test_a_clock_that_is_over_leaves_a_legal_move(make_engine: EngineMaker, limits: Limits) -> None:
    engine = make_engine(1, profile="phased", Level="advanced")
    position = random_position(40, 1)
    result, _ = asked(engine, position, limits)
    assert result.best_move in position.legal_moves


def test_a_search_that_was_pondered_on_is_answered_in_style(make_engine: EngineMaker) -> None:
    engine = make_engine(1, profile="phased", Level="beginner")
    position = random_position(40, 2)
    expected, _ = asked(engine, position, Limits())
    told: list[SearchInfo] = []
    handle = engine.go(Limits(ponder=True), told.append)
    engine.ponder_hit()
    assert handle.wait(30).best_move == expected.best_move
    assert len(told) == 1


def test_limited_strength_bends_moves_and_leaves_analysis_alone(make_engine: EngineMaker) -> None:
    engine = make_engine(2, LimitStrength=True, Elo=800)
    position = random_position(30, 4)
    values = values_of(engine, position, 1)
    moves = set()
    for seed in range(12):
        engine.set_option("Seed", seed)
        result, told = asked(engine, position, Limits(move_time_ms=5000))
        assert len(told) == 1
        moves.add(result.best_move)
    assert len(moves) > 2
    engine.set_option("Seed", 0)
    assert values_of(engine, position, 1) == values
    ending = random_position(6, 4)
    solved, _ = asked(engine, ending, Limits(goal=Goal.EXACT))
    assert solved.lines[0].score.value == max(move_scores(ending).values())
