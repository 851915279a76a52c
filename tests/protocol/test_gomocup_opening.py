"""Swap2 and balanced moves: plans asked step by step, and the commands with a scripted engine."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from othello_engine.gomoku.position import GomokuPosition
from othello_engine.types import BLACK, WHITE, Limits, Score, ScoreKind, SearchResult
from protocol.gomocup_lines import RefusedError, parse_point
from protocol.gomocup_opening import (
    BALANCE_LINES,
    CLEAR_VALUE,
    N_FOURTHS,
    OPENINGS,
    Plan,
    Question,
    balance_one,
    balance_two,
    position_of,
    swap2,
    value_of,
)
from tests.protocol.fake_engine import FakeEngine
from tests.protocol.gomocup_desk import Desk, line

THREE = (16, 20, 100)
FIVE = (16, 20, 100, 60, 61)

Judge = Callable[[Question], SearchResult]


def run(plan: Plan, judge: Judge) -> tuple[str, list[Question]]:
    """The answer of a plan and what it has asked."""
    asked: list[Question] = []
    question = next(plan)
    while True:
        asked.append(question)
        try:
            question = plan.send(judge(question))
        except StopIteration as end:
            return end.value, asked


def valued(value: int) -> Judge:
    """Says this of every position, with the first empty cell as the move."""

    def judge(question: Question) -> SearchResult:
        move = question.position.legal_moves[0]
        return SearchResult(move, -1, (line(move, score=value),), 0, 0)

    return judge


def nothing(question: Question) -> SearchResult:
    return SearchResult(question.position.legal_moves[0], -1, (), 0, 0)


def cells(answer: str, size: int = 15) -> list[int]:
    return [parse_point(word, size) for word in answer.split()]


# -- swap2 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 15, 19, 20])
@pytest.mark.parametrize("seed", range(10))
def test_an_opening_has_three_stones_on_every_board(size: int, seed: int) -> None:
    answer, asked = run(swap2(size, (), random.Random(seed)), nothing)
    assert len(set(cells(answer, size))) == 3
    assert len(asked) == len(OPENINGS)
    assert all(question.position.side == WHITE for question in asked)
    assert all((q.position.n_stones(BLACK), q.position.n_stones(WHITE)) == (2, 1) for q in asked)
    assert len({question.position for question in asked}) == len(OPENINGS)


def test_the_opening_nearest_to_a_level_game_is_proposed() -> None:
    for chosen in range(len(OPENINGS)):
        wanted = position_of(15, [y * 15 + x for x, y in OPENINGS[chosen]])

        def judge(question: Question, wanted: GomokuPosition = wanted) -> SearchResult:
            return valued(3 if question.position == wanted else -40)(question)

        answer, _ = run(swap2(15, (), random.Random(chosen)), judge)
        assert _orbit(cells(answer)) == _orbit([y * 15 + x for x, y in OPENINGS[chosen]])


def _orbit(stones: list[int], size: int = 15) -> frozenset[tuple[int, ...]]:
    """The same stones in all eight orientations, the slow way."""
    found = set()
    points = [(cell % size, cell // size) for cell in stones]
    for _ in range(2):
        for _ in range(4):
            points = [(size - 1 - y, x) for x, y in points]
            found.add(tuple(y * size + x for x, y in points))
        points = [(y, x) for x, y in points]
    return frozenset(found)


def test_the_parts_of_the_time_add_up() -> None:
    for stones in ((), THREE, FIVE):
        _, asked = run(swap2(15, stones, random.Random(1)), valued(0))
        left = 1.0
        for question in asked:
            assert 0 < question.share <= 1
            left -= left * question.share
        assert left < 1e-9, "all of it is used"


@pytest.mark.parametrize(
    ("value", "answer"),
    [(CLEAR_VALUE, "0,0"), (500, "0,0"), (-CLEAR_VALUE, "SWAP"), (-500, "SWAP")],
)
def test_the_better_colour_is_taken(value: int, answer: str) -> None:
    said, asked = run(swap2(15, THREE, random.Random(1)), valued(value))
    assert said == answer
    assert [question.position for question in asked] == [position_of(15, THREE)]


def test_of_a_level_opening_two_stones_leave_it_level() -> None:
    """The fourth is one of the best, the fifth the one behind which the value is nearest to nothing."""

    def judge(question: Question) -> SearchResult:
        position = question.position
        if position.side == BLACK:
            lines = [line(50 + rank, score=score, rank=rank) for rank, score in ((1, 300), (2, 90), (3, -7), (4, -200))]
            if position.cells[31] == 2:  # behind one of the fourths there is something still better
                lines[2] = line(77, score=2, rank=3)
            return SearchResult(lines[0].pv[0], -1, tuple(lines), 0, 0)
        lines = [line(30 + rank, score=10 - rank, rank=rank) for rank in range(question.n_lines)]
        return SearchResult(30, -1, tuple(lines), 0, 0)

    said, asked = run(swap2(15, THREE, random.Random(1)), judge)
    assert cells(said) == [31, 77]
    assert [question.n_lines for question in asked] == [1, N_FOURTHS, *[BALANCE_LINES] * N_FOURTHS]


@pytest.mark.parametrize(("value", "answer"), [(0, "0,0"), (40, "0,0"), (-1, "SWAP")])
def test_of_five_stones_the_better_colour_is_chosen(value: int, answer: str) -> None:
    said, asked = run(swap2(15, FIVE, random.Random(1)), valued(value))
    assert said == answer
    assert asked[0].position.side == WHITE


@pytest.mark.parametrize("stones", [(), THREE, FIVE])
def test_without_any_search_there_is_an_answer(stones: tuple[int, ...]) -> None:
    said, _ = run(swap2(15, stones, random.Random(1)), nothing)
    assert len(cells(said)) == {0: 3, 3: 2, 5: 1}[len(stones)]
    assert not set(cells(said)) & set(stones)
    assert len(set(cells(said))) == len(cells(said))


@pytest.mark.parametrize("stones", [(1,), (1, 2), (1, 2, 3, 4), (1, 2, 3, 4, 5, 6), (1, 1, 2)])
def test_other_numbers_of_stones_are_refused(stones: tuple[int, ...]) -> None:
    with pytest.raises(RefusedError):
        swap2(15, stones, random.Random(1))


# -- balance -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wanted", "move"), [(0, 12), (300, 10), (40, 11), (-1000, 13)])
def test_one_move_that_leaves_what_is_wanted(wanted: int, move: int) -> None:
    def judge(question: Question) -> SearchResult:
        lines = [line(10 + rank, score=score, rank=rank) for rank, score in enumerate((300, 50, -4, -200))]
        return SearchResult(10, -1, tuple(lines), 0, 0)

    said, _ = run(balance_one(GomokuPosition.start(), wanted), judge)
    assert cells(said) == [move]


def test_two_moves_that_leave_what_is_wanted() -> None:
    """After a move of each side the value is that of the side that moved first."""

    def judge(question: Question) -> SearchResult:
        if question.position.side == BLACK:
            return SearchResult(10, -1, (line(10, score=80),), 0, 0)
        lines = [line(20 + rank, score=score, rank=rank) for rank, score in enumerate((100, -5, -60))]
        return SearchResult(20, -1, tuple(lines), 0, 0)

    assert cells(run(balance_two(GomokuPosition.start(), 0), judge)[0]) == [10, 21]
    assert cells(run(balance_two(GomokuPosition.start(), 60), judge)[0]) == [10, 22]
    assert cells(run(balance_two(GomokuPosition.start(), -90), judge)[0]) == [10, 20]


def test_values_are_alike_in_the_units_of_every_profile() -> None:
    documented = replace(line(1), score=Score(ScoreKind.RAW, -60_000, units_per_disc=100_000))
    assert value_of(documented) == value_of(line(1, score=-60)) == -60


def test_a_mate_is_farther_from_level_than_any_value() -> None:
    assert value_of(line(1, mate=3)) > value_of(line(1, mate=5)) > value_of(line(1, score=100_000))
    assert value_of(line(1, mate=-2)) < value_of(line(1, mate=-4)) < value_of(line(1, score=-100_000))


# -- the commands ------------------------------------------------------------------------------------------


def desk_that_says(value: int) -> Desk:
    """An engine that finds this value in every position."""

    def prepare(engine: FakeEngine) -> None:
        go = engine.go

        def go_and_answer(*arguments: object, **named: object) -> object:
            ticket = go(*arguments, **named)  # type: ignore[arg-type]
            assert engine.position is not None
            move = engine.position.legal_moves[0]
            engine.finish(move, lines=(line(move, score=value),))
            return ticket

        engine.go = go_and_answer  # type: ignore[method-assign, assignment]

    desk = Desk(prepare=prepare)
    assert desk.send("START 15") == ["OK"]
    return desk


def test_the_three_phases_on_the_wire() -> None:
    stones = ["2,3", "4,2", "10,11"]
    (opening,) = desk_that_says(0).send("SWAP2BOARD", "DONE")
    assert len(cells(opening)) == 3
    assert desk_that_says(100).send("SWAP2BOARD", *stones, "DONE") == ["0,0"]
    assert desk_that_says(-100).send("SWAP2BOARD", *stones, "DONE") == ["SWAP"]
    assert len(cells(desk_that_says(0).send("SWAP2BOARD", *stones, "DONE")[0])) == 2
    assert desk_that_says(5).send("swap2board", *stones, "1,1", "2,2", "done") == ["0,0"]
    assert desk_that_says(-5).send("SWAP2BOARD", *stones, "1,1", "2,2", "DONE") == ["SWAP"]


def test_a_third_field_is_taken_for_what_it_must_be() -> None:
    assert desk_that_says(-100).send("SWAP2BOARD", "2,3,1", "4,2,2", "10,11,1", "DONE") == ["SWAP"]


def test_negotiating_leaves_the_board_as_it_is() -> None:
    desk = desk_that_says(0)
    desk.send("SWAP2BOARD", "DONE")
    assert desk.position == GomokuPosition.start()


@pytest.mark.parametrize(
    ("stones", "problem"),
    [
        (["2,3"], "swap2 has 0, 3 or 5 stones, not 1"),
        (["2,3", "2,3", "4,4"], "two stones on 2,3"),
        (["2,3", "x", "4,4"], "a stone is x,y,field, not 'x'"),
        (["2,15", "3,3", "4,4"], "2,15 is not on the board"),
    ],
)
def test_what_is_no_opening_has_one_answer(stones: list[str], problem: str) -> None:
    assert desk_that_says(0).send("SWAP2BOARD", *stones, "DONE") == [f"ERROR {problem}"]


def test_balanced_moves_on_the_wire() -> None:
    desk = desk_that_says(0)
    desk.send("yxboard", "7,7,1", "8,8,2", "done")
    assert desk.send("yxbalanceone 0") == ["0,0"]
    assert desk.send("yxbalancetwo") == ["0,0 1,0"]
    assert desk.position.n_empties == 223


def test_each_search_of_a_plan_has_its_part_of_the_time() -> None:
    desk = Desk()
    desk.send("START 15", "INFO timeout_turn 1030")
    assert desk.send("SWAP2BOARD", "DONE") == []
    left = 1000.0
    for n_left in range(len(OPENINGS), 0, -1):
        part = left / n_left
        assert desk.engine.limits == Limits(move_time_ms=round(part) + 30, multipv=1), "the engine takes 30 off"
        desk.now += part / 1000
        left -= part
        desk.engine.finish(lines=(line(0),))
        said = desk.said()
    assert len(cells(said[0])) == 3


def test_a_plan_is_answered_in_time_whatever_the_engine_does() -> None:
    desk = Desk()
    desk.send("START 15", "INFO timeout_turn 1000", "SWAP2BOARD", "DONE")
    desk.engine.stops_at_once = False
    assert desk.pass_time(0.975) == []
    (opening,) = desk.pass_time(0.01)
    assert len(cells(opening)) == 3
    assert desk.send("BOARD", "1,1,2", "DONE") == []
    desk.engine.finish(0)
    assert desk.said() == []
    assert desk.searched == GomokuPosition.start().play("b2")
    assert desk.finish("a1") == ["0,0"]


def test_a_plan_can_be_stopped_and_does_not_wait_for_the_kernels() -> None:
    desk = Desk()
    desk.send("START 15", "SWAP2BOARD", "2,3", "4,2", "10,11", "DONE")
    assert len(cells(desk.send("YXSTOP")[0])) == 2
    cold = Desk(cold=True)
    assert cold.send("START 15", "INFO timeout_turn 0", "SWAP2BOARD", "DONE")[0] == "OK"
    cold = Desk(cold=True)
    assert cold.send("START 15", "INFO timeout_turn 1000", "SWAP2BOARD", "DONE") == ["OK"]
    assert len(cells(cold.pass_time(0.98)[0])) == 3


def test_a_plan_without_time_is_one_short_search() -> None:
    desk = Desk()
    desk.send("START 15", "INFO timeout_turn 0", "SWAP2BOARD", "DONE")
    assert desk.engine.limits is not None
    assert desk.engine.limits.nodes is not None
    desk.engine.finish(lines=(line(0),))
    assert len(cells(desk.said()[0])) == 3
    assert desk.engine.names().count("go") == 1
