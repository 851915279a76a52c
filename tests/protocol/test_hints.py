"""Hints: the scale of the documentation, the drawing, and `hint` among the other commands."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from othello_engine.position import Position
from othello_engine.types import NO_MOVE, PASS, Bound, Limits, Score, ScoreKind, SearchInfo, parse_square
from protocol import commands
from protocol.commands import CommandError, parse_command
from protocol.hints import ALL_EQUAL, BANDS, MoveHint, hint_diagram, hints_of, relative_values
from protocol.native import State
from tests.positions import EARLIEST_PASS, NOBODY_CAN_MOVE
from tests.protocol.fake_engine import Desk, FakeEngine, info

AFTER_F5 = "setboard startpos moves f5"


def line_of(move: str, value: int, kind: ScoreKind = ScoreKind.RAW, depth: int = 3, rank: int = 1) -> SearchInfo:
    return info(depth, move, score=Score(kind, value), rank=rank)


def refusal(line: str) -> str:
    with pytest.raises(CommandError) as caught:
        parse_command(line)
    return f"{caught.value.code} {caught.value.token}"


# -- the scale -----------------------------------------------------------------------------------------------


def test_the_worst_move_has_30_and_the_best_90() -> None:
    assert relative_values([-10, 22, 0]) == [30, 90, 49]  # the worked example: 30 + 60 * 10 / 32 = 48.75
    assert relative_values([5, 4]) == [90, 30]


@pytest.mark.parametrize("numbers", [[7], [7, 7], [0.0, 0.0, 0.0]])
def test_all_moves_have_50_if_none_is_better(numbers: list[float]) -> None:
    assert relative_values(numbers) == [50] * len(numbers)
    assert ALL_EQUAL == 50


@pytest.mark.parametrize(("part", "of", "value"), [(1, 8, 38), (3, 8, 53), (5, 8, 68), (7, 8, 83), (1, 120, 31)])
def test_halves_are_rounded_up(part: int, of: int, value: int) -> None:
    assert Fraction(60 * part, of) % 1 == Fraction(1, 2)
    assert relative_values([0, part, of])[1] == value


def test_values_are_not_touched_by_the_faults_of_floating_point() -> None:
    rng = random.Random(20261130)
    for _ in range(2000):
        low, span = rng.randrange(-900, 900), rng.randrange(1, 900)
        part = rng.randrange(span + 1)
        exact = 30 + Fraction(60 * part, span)
        assert relative_values([low, low + part, low + span])[1] == math.floor(exact + Fraction(1, 2))


def test_nothing_has_no_values() -> None:
    assert relative_values([]) == []
    assert hints_of([]) == ()


@pytest.mark.parametrize(
    ("value", "band"),
    [(90, "amber"), (75, "amber"), (74, "emerald"), (50, "emerald"), (49, "blue"), (30, "blue")],
)
def test_bands_are_the_documented_ones(value: int, band: str) -> None:
    assert MoveHint(0, value, Score(ScoreKind.RAW, 0), 1).band == band
    assert [name for name, _ in BANDS] == ["amber", "emerald", "blue"]


# -- from lines of play --------------------------------------------------------------------------------------


def test_moves_come_best_first_and_equal_ones_in_the_order_of_the_board() -> None:
    lines = [line_of("f4", 0), line_of("h8", 9), line_of("d6", 0), line_of("b1", 9), line_of("c3", -9)]
    hints = hints_of(lines)
    assert [(hint.move, hint.value) for hint in hints] == [
        (parse_square(move), value) for move, value in (("b1", 90), ("h8", 90), ("f4", 60), ("d6", 60), ("c3", 30))
    ]


def test_large_scores_are_compared_as_they_are() -> None:
    lines = [line_of("a1", 1800), line_of("b1", 1500), line_of("c1", 1200)]  # more than 64 discs each
    assert [hint.value for hint in hints_of(lines)] == [90, 60, 30]


def test_scores_of_two_kinds_are_compared_in_discs() -> None:
    lines = [
        line_of("a1", 10, ScoreKind.DISCS),
        line_of("b1", 800, ScoreKind.CENTIDISCS),
        line_of("c1", 700, ScoreKind.CENTIDISCS),
    ]
    assert [hint.value for hint in hints_of(lines)] == [90, 50, 30]


def test_a_loss_of_unknown_size_is_no_better_than_the_worst_known_one() -> None:
    lines = [
        line_of("a1", -36, ScoreKind.DISCS),
        line_of("b1", -40, ScoreKind.DISCS),
        line_of("c1", -1, ScoreKind.WLD),
        line_of("d1", 1, ScoreKind.WLD),
    ]
    assert {hint.move: hint.value for hint in hints_of(lines)} == {0: 90, 1: 30, 2: 30, 3: 30}


def test_a_line_without_a_move_is_no_hint() -> None:
    assert hints_of([replace(line_of("a1", 1), pv=())]) == ()


# -- the drawing ---------------------------------------------------------------------------------------------


def test_values_stand_on_their_squares() -> None:
    position = Position.from_moves("f5")
    hints = hints_of([line_of("f6", 22), line_of("f4", 0), line_of("d6", -10)])
    assert hint_diagram(position, hints, in_colour=False) == [
        "   a  b  c  d  e  f  g  h",
        "1  -  -  -  -  -  -  -  -  1",
        "2  -  -  -  -  -  -  -  -  2",
        "3  -  -  -  -  -  -  -  -  3",
        "4  -  -  -  O  X 49  -  -  4",
        "5  -  -  -  X  X  X  -  -  5",
        "6  -  -  - 30  - 90  -  -  6",
        "7  -  -  -  -  -  -  -  -  7",
        "8  -  -  -  -  -  -  -  -  8",
        "   a  b  c  d  e  f  g  h",
        "White (O) to move, 4-1",
    ]


def test_colours_are_those_of_the_bands_and_change_nothing_else() -> None:
    position = Position.from_moves("f5")
    hints = hints_of([line_of("f6", 22), line_of("f4", 6), line_of("d6", -10)])
    plain = "\n".join(hint_diagram(position, hints, in_colour=False))
    coloured = "\n".join(hint_diagram(position, hints, in_colour=True))
    assert "\x1b" not in plain
    for escape, value in (("\x1b[33m", 90), ("\x1b[32m", 60), ("\x1b[34m", 30)):
        assert coloured.count(f"{escape}{value}\x1b[0m") == 1
        coloured = coloured.replace(f"{escape}{value}\x1b[0m", str(value))
    assert coloured == plain


def test_a_pass_has_no_square_to_stand_on() -> None:
    position = Position.from_moves(EARLIEST_PASS)
    hints = hints_of([replace(line_of("a1", 3), pv=(PASS, 25))])
    assert [hint.value for hint in hints] == [50]
    assert hint_diagram(position, hints, in_colour=True) == hint_diagram(position, (), in_colour=False)


# -- the commands --------------------------------------------------------------------------------------------


def test_the_commands_are_read() -> None:
    assert parse_command("hint") == commands.Hint(None)
    assert parse_command("Hint 5") == commands.Hint(5)
    assert parse_command("display hints") == commands.DisplayHints(in_colour=False)
    assert parse_command("d HINTS Colour") == commands.DisplayHints(in_colour=True)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("hint x", "bad-argument x"),
        ("hint 0", "bad-argument 0"),
        ("hint 61", "bad-argument 61"),
        ("hint 3 5", "bad-argument 5"),
        ("display all", "bad-argument all"),
        ("display colour", "bad-argument colour"),
        ("display hints loud", "bad-argument loud"),
        ("display hints colour now", "bad-argument now"),
    ],
)
def test_a_mistake_is_refused_by_name(line: str, error: str) -> None:
    assert refusal(line) == error


@pytest.fixture
def desk() -> Desk:
    return Desk(profile="weighted")


def finish_hint(desk: Desk, *values: tuple[str, int]) -> list[str]:
    """Lets the engine come out with these moves and scores."""
    lines = tuple(line_of(move, value, rank=rank) for rank, (move, value) in enumerate(values, 1))
    desk.engine.finish(values[0][0], lines=lines)
    return desk.said()


@pytest.mark.parametrize(("command", "depth"), [("hint", 3), ("hint 1", 1), ("hint 3", 3), ("hint 5", 5)])
def test_a_hint_searches_all_moves_to_the_documented_depths(desk: Desk, command: str, depth: int) -> None:
    assert desk.send(AFTER_F5, command) == []
    assert desk.engine.limits == Limits(depth=depth, multipv=64, thorough=True)
    assert desk.service.state is State.SEARCH
    assert finish_hint(desk, ("f6", 22), ("f4", 0), ("d6", -10)) == [
        "hint f6 value 90 band amber score raw 22 depth 3",
        "hint f4 value 49 band blue score raw 0 depth 3",
        "hint d6 value 30 band blue score raw -10 depth 3",
        "hintok",
    ]
    assert desk.service.state is State.IDLE


@pytest.mark.parametrize("plies", [2, 4, 6, 60])
def test_other_depths_are_refused_where_the_profile_has_its_own(desk: Desk, plies: int) -> None:
    said = desk.send(f"hint {plies}")
    assert said == [
        f"error bad-argument {plies} under the profile weighted a hint looks 1, 3 or 5 plies ahead",
    ]
    assert desk.service.state is State.IDLE


@pytest.mark.parametrize(("command", "depth"), [("hint", None), ("hint 2", 2), ("hint 12", 12)])
def test_elsewhere_a_hint_looks_as_far_as_is_asked_or_as_a_bare_go(command: str, depth: int | None) -> None:
    desk = Desk(profile="strong")
    desk.send(AFTER_F5, command)
    assert desk.engine.limits == Limits(depth=depth, multipv=64, thorough=True)


def test_nothing_is_printed_of_a_hint_but_its_moves(desk: Desk) -> None:
    desk.send("setoption name InfoInterval value 0", "setoption name ResultLine value none", AFTER_F5, "hint")
    desk.engine.report(line_of("f6", 22), line_of("f4", 0, rank=2))
    assert desk.said() == []
    assert [line.split()[0] for line in finish_hint(desk, ("f6", 22))] == ["hint", "hintok"]


@pytest.mark.parametrize("lines", [(), (line_of("f6", 22),)])
def test_a_stopped_hint_says_what_there_is_and_ends(desk: Desk, lines: tuple[SearchInfo, ...]) -> None:
    desk.send(AFTER_F5, "hint 5")
    desk.engine.stops_at_once = False
    assert desk.send("stop", "stop") == []
    desk.engine.finish("f6", lines=lines)
    assert [line.split()[0] for line in desk.said()] == ["hint"] * len(lines) + ["hintok"]
    assert desk.send("stop") == []


def test_a_bound_is_shown_as_one(desk: Desk) -> None:
    desk.send(AFTER_F5, "hint")
    cut_short = info(3, "f6", score=Score(ScoreKind.RAW, 5, Bound.LOWER), complete=False)
    desk.engine.finish("f6", lines=(cut_short,))
    assert desk.said() == ["hint f6 value 50 band emerald score raw 5 lowerbound depth 3", "hintok"]


def test_a_hint_that_is_stopped_while_the_engine_loads_ends_at_once() -> None:
    desk = Desk(cold=True, profile="weighted")
    assert desk.send("hint") == []
    assert desk.send("stop") == ["hintok"]


def test_a_finished_game_has_no_hints_and_a_forced_pass_is_one(desk: Desk) -> None:
    desk.send(f"setboard {NOBODY_CAN_MOVE} X", "hint")
    desk.engine.finish(NO_MOVE, lines=(info(0, score=Score(ScoreKind.DISCS, 62), pv=()),))
    assert desk.said() == ["hintok"]
    desk.send(f"setboard startpos moves {EARLIEST_PASS}", "hint")
    desk.engine.finish(PASS, lines=(info(3, score=Score(ScoreKind.RAW, -42), pv=(PASS, 25)),))
    assert desk.said() == ["hint pass value 50 band emerald score raw -42 depth 3", "hintok"]


def test_a_failure_inside_is_said_and_the_hint_ends(desk: Desk) -> None:
    desk.send(AFTER_F5, "hint")
    desk.engine.finish("f6", error="something broke")
    assert desk.said() == ["error internal - something broke", "hintok"]


def test_a_hint_waits_its_turn_and_lets_others_wait(desk: Desk) -> None:
    assert desk.send("go", AFTER_F5, "hint", "go") == []
    desk.engine.finish("d3")
    assert desk.said() == ["bestmove d3"]
    assert desk.engine.limits is not None
    assert desk.engine.limits.multipv == 64
    assert finish_hint(desk, ("f6", 22))[-1] == "hintok"
    desk.engine.finish("f6")
    assert desk.said() == ["bestmove f6"]


def test_a_hint_is_refused_before_the_stop_of_an_open_search(desk: Desk) -> None:
    desk.send("go infinite")
    assert desk.send("hint") == ["error busy hint not before stop"]


def test_a_ponder_hit_is_nothing_to_a_hint(desk: Desk) -> None:
    desk.send("hint")
    assert desk.send("ponderhit") == ["error not-pondering ponderhit no go ponder is running"]


def test_the_end_of_input_lets_a_hint_finish(desk: Desk) -> None:
    desk.send(AFTER_F5, "hint", None)
    assert desk.ended is None
    assert finish_hint(desk, ("f6", 22))[-1] == "hintok"
    assert desk.ended == 0


# -- display hints -------------------------------------------------------------------------------------------


def test_the_last_hint_can_be_shown_on_the_board(desk: Desk) -> None:
    desk.send(AFTER_F5, "hint")
    finish_hint(desk, ("f6", 22), ("f4", 0), ("d6", -10))
    said = desk.send("display hints")
    assert said[:3] == desk.send("display")[:3]
    assert said[7] == "info string 4  -  -  -  O  X 49  -  -  4"
    assert not any("\x1b" in line for line in said)
    assert sum("\x1b[33m90\x1b[0m" in line for line in desk.send("d hints colour")) == 1


def test_plain_display_never_shows_them(desk: Desk) -> None:
    before = desk.send(AFTER_F5, "display")
    desk.send("hint")
    finish_hint(desk, ("f6", 22))
    assert desk.send("display") == before


def test_hints_of_another_position_are_not_shown(desk: Desk) -> None:
    none = "info string there are no hints for this position; hint asks for them"
    assert desk.send("display hints")[-1] == none
    desk.send(AFTER_F5, "hint")
    finish_hint(desk, ("f6", 22))
    assert desk.send("move f6", "display hints")[-1] == none
    assert desk.send("undo", "display hints")[-1] != none


@pytest.mark.parametrize("change", ["Variant value anti", "Profile value classic"])
def test_hints_of_another_game_or_by_another_measure_are_not_shown(change: str) -> None:
    desk = Desk(profile="phased")
    none = "info string there are no hints for this position; hint asks for them"
    desk.send(AFTER_F5, "hint")
    finish_hint(desk, ("f6", 22))
    assert desk.send("display hints")[-1] != none
    assert desk.send(f"setoption name {change}", "display hints")[-1] == none


def test_to_show_hints_that_are_on_the_way_waits_for_them(desk: Desk) -> None:
    assert desk.send(AFTER_F5, "hint", "display hints") == []
    said = finish_hint(desk, ("f6", 22), ("f4", 0))
    assert said[:3] == [
        "hint f6 value 90 band amber score raw 22 depth 3",
        "hint f4 value 30 band blue score raw 0 depth 3",
        "hintok",
    ]
    assert "info string 6  -  -  -  -  - 90  -  -  6" in said


def test_during_an_open_search_they_are_shown_at_once(desk: Desk) -> None:
    desk.send("go infinite")
    assert desk.send("display hints")[0].startswith("board ")


# -- what the weighted profile changes in the protocol -------------------------------------------------------


def test_levels_are_offered_and_set_by_name(desk: Desk) -> None:
    assert "option name Level type combo default hard var easy var normal var hard" in desk.send("uoi")
    assert desk.send("setoption name level value EASY", "setoption name Level value 1") == []
    assert desk.service.config.level == 1
    assert desk.send("setoption name Level value expert") == [
        "error bad-option-value expert Level is one of easy normal hard, or a whole number from 0 to 2, not 'expert'"
    ]
    assert desk.send("setoption name Level value 21") == [
        "error bad-option-value 21 Level is one of easy normal hard, or a whole number from 0 to 2, not 21"
    ]
    assert desk.service.config.level == 1


def test_levels_are_a_range_elsewhere() -> None:
    desk = Desk(profile="strong")
    assert "option name Level type spin default 21 min 0 max 60" in desk.send("uoi")
    for value in ("61", "-1", "hard"):
        assert desk.send(f"setoption name Level value {value}")[0].startswith(
            f"error bad-option-value {value} Level takes"
        )
    assert desk.service.config.level == 21


@pytest.mark.parametrize("goal", ["exact", "wld"])
def test_what_the_profile_never_does_is_refused(desk: Desk, goal: str) -> None:
    assert desk.send(f"go {goal}") == [f"error bad-argument {goal} the profile weighted never solves"]
    assert not desk.has_engine or "go" not in desk.engine.names()


def test_help_names_the_commands(desk: Desk) -> None:
    said = desk.send("help")
    assert any(line.startswith("info string hint [plies] - ") for line in said)
    assert any(line.startswith("info string display [hints [colour]] - ") for line in said)


def test_hints_survive_an_engine_that_refuses_the_search() -> None:
    def refuse(engine: FakeEngine) -> None:
        engine.refuses = RuntimeError("no such thing")

    desk = Desk(prepare=refuse, profile="weighted")
    assert desk.send("hint") == ["error internal - no such thing", "hintok"]
