"""What the engine is told from outside: in which terms, and when it counts. What becomes of it: tests/search."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from othello_engine.config import load_config
from othello_engine.engine.conductor import MAX_CLAIMS, Conductor
from othello_engine.engine.engine import Engine
from othello_engine.engine.loading import KERNELS
from othello_engine.engine.request import HIGHEST_CLAIM, make_claim, make_order
from othello_engine.errors import BusyError, EngineError, IllegalMoveError
from othello_engine.position import Position
from othello_engine.search.task import SCORE_LIMIT, Claim
from othello_engine.types import PASS, Goal, Limits
from tests.engine.conftest import EngineMaker
from tests.engine.plain_searcher import LOADER, SLOW_FEED_LOADER, SLOW_FEED_S
from tests.engine.test_deepening import random_position

MIDGAME = Position.from_moves("f5d6c3d3c4f4f6")
LINE = tuple(move for move, _ in MIDGAME.follow("g5d7e3"))


# -- what is told -----------------------------------------------------------------------------------------------


def test_discs_become_units_of_the_evaluation_and_the_edges_of_the_board_say_nothing() -> None:
    strong, classic = load_config(profile="strong"), load_config(profile="classic")
    claim = make_claim(MIDGAME, (-2.5, 6), 15, 73, LINE, strong)
    assert (claim.lower, claim.upper, claim.depth, claim.selectivity, claim.moves) == (-250, 600, 15, 73, LINE)
    assert make_claim(MIDGAME, (6, 6), 15, 73, (), classic).lower == 2400
    open_claim = make_claim(MIDGAME, (-64, 64), 15, 73, (), strong)
    assert (open_claim.lower, open_claim.upper) == (-SCORE_LIMIT, SCORE_LIMIT)


def test_no_claim_is_as_certain_as_a_proof() -> None:
    assert make_claim(MIDGAME, (6, 6), 53, 100, (), load_config()).selectivity == HIGHEST_CLAIM < 100


def test_a_single_move_is_searched_as_far_as_any_other_if_the_search_is_to_be_thorough() -> None:
    config = load_config()
    assert make_order(Limits(depth=9), MIDGAME, config, 0.0).plan.must_hurry
    assert not make_order(Limits(depth=9, thorough=True), MIDGAME, config, 0.0).plan.must_hurry


# -- the engine, with plain workers -----------------------------------------------------------------------------


def told_to_play(engine: Engine, move: int, depth: int = 3) -> int:
    """What is played after a claim that this move wins nearly everything."""
    engine.feed(MIDGAME.play(move), -60, -60, depth - 1)
    engine.set_position(MIDGAME)
    return engine.go(Limits(depth=depth)).wait(30).best_move


def test_the_next_search_knows_what_was_told_before(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    for move in MIDGAME.legal_moves:
        engine.new_game()
        assert told_to_play(engine, move) == move


def test_what_is_told_while_the_engine_loads_is_not_lost(make_engine: EngineMaker) -> None:
    for move in MIDGAME.legal_moves[:2]:
        assert told_to_play(make_engine(1, ready=False), move) == move


def test_a_cleared_table_forgets_what_is_still_on_its_way(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    engine.set_position(MIDGAME)
    usual = engine.go(Limits(depth=3)).wait(30).best_move
    other = next(move for move in MIDGAME.legal_moves if move != usual)
    waiting = make_engine(1, ready=False)
    waiting.feed(MIDGAME.play(other), -60, -60, 2)
    waiting.clear_hash()
    waiting.set_position(MIDGAME)
    assert waiting.go(Limits(depth=3)).wait(30).best_move == usual


def test_nothing_is_told_while_a_search_runs(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    handle = engine.go(Limits(infinite=True))
    with pytest.raises(BusyError, match="fed"):
        engine.feed(MIDGAME, 0, 0, 5)
    handle.stop()
    handle.wait(10)
    engine.feed(MIDGAME, 0, 0, 5)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda engine: engine.feed(MIDGAME, 3, 2, 5), EngineError),
        (lambda engine: engine.feed(MIDGAME, 2, 2, 5, moves=[0]), IllegalMoveError),
        (lambda engine: engine.feed(MIDGAME, 2, 2, 5, moves=[PASS]), IllegalMoveError),
    ],
)
def test_what_cannot_be_is_refused(
    make_engine: EngineMaker, call: Callable[[Engine], None], error: type[Exception]
) -> None:
    with pytest.raises(error):
        call(make_engine(1, ready=False))


def test_a_search_begins_when_all_that_was_told_is_in_the_table_whichever_worker_puts_it_there(
    make_engine: EngineMaker,
) -> None:
    engine = make_engine(2, SLOW_FEED_LOADER)
    engine.feed(MIDGAME, 1, 2, 5)
    began = time.monotonic()
    assert engine.go(Limits(depth=1)).wait(30).error is None
    assert time.monotonic() - began > SLOW_FEED_S / 2


def test_of_claims_that_nobody_takes_the_newest_are_kept() -> None:
    conductor = Conductor(lambda _: None, "classic", 1, 1, LOADER)  # never started
    for n in range(MAX_CLAIMS + 10):
        conductor.feed(Claim(MIDGAME.player, MIDGAME.opponent, n, n, 5, 99))
    assert [claim.lower for claim in conductor._claims] == list(range(10, MAX_CLAIMS + 10))


@pytest.mark.parametrize("threads", [1, 3])
def test_thousands_of_claims_delay_a_search_only_a_little(make_engine: EngineMaker, threads: int) -> None:
    engine = make_engine(threads)
    for _ in range(MAX_CLAIMS + 1000):
        engine.feed(MIDGAME, 1, 2, 5, moves=LINE)
    engine.set_position(MIDGAME)
    began = time.monotonic()
    result = engine.go(Limits(depth=2)).wait(60)
    assert result.error is None
    assert result.best_move in MIDGAME.legal_moves
    assert time.monotonic() - began < 20


def test_a_stop_ends_a_search_that_waits_for_claims(make_engine: EngineMaker) -> None:
    engine = make_engine(1)
    answered = threading.Event()
    for _ in range(MAX_CLAIMS):
        engine.feed(MIDGAME, 1, 2, 5, moves=LINE)
    engine.set_position(MIDGAME)
    engine.go(Limits(infinite=True), on_result=lambda _: answered.set())
    engine.stop()
    assert answered.wait(10)


# -- the engine with its kernels --------------------------------------------------------------------------------


def test_the_table_of_an_engine_that_is_fed_lies_still_solves_right(make_engine: EngineMaker) -> None:
    position = random_position(15, 4)
    engine = make_engine(1, KERNELS["othello"], profile="strong")
    engine.set_position(position)
    truth = engine.go(Limits(goal=Goal.EXACT)).wait(60).lines[0].score
    for lie in (-40.0, 40.0):
        engine.clear_hash()
        for move in position.legal_moves:
            engine.feed(position.play(move), lie, lie, 60)
        engine.feed(position, -lie, -lie, 60, 100, position.legal_moves[-1:])
        assert engine.go(Limits(goal=Goal.EXACT)).wait(60).lines[0].score == truth
