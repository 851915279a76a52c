"""The NBoard dialect, command by command, idle and loading, against a scripted engine."""

from __future__ import annotations

import pytest

from othello_engine.errors import EngineError
from othello_engine.position import Position
from othello_engine.types import PASS, Limits, Score, ScoreKind, parse_square
from protocol import exit_status
from protocol.lines import LineError
from tests.positions import BLACK_WIPES_OUT, EARLIEST_PASS, EARLY_END, PASS_AT_16
from tests.protocol.fake_engine import FakeEngine, info
from tests.protocol.nboard_desk import Desk, begin, cp, ggf, until

BARE = Limits(level=21, move_time_ms=3000)
"""Of a search that nothing limits, under the default profile."""

# -- the handshake -----------------------------------------------------------------------------------------


def test_nothing_is_said_before_the_first_line() -> None:
    assert Desk().said() == []


@pytest.mark.parametrize("version", ["1", "2", "3", "17", "x", ""])
def test_any_version_is_greeted_with_the_name_and_the_engine_begins_to_load(version: str) -> None:
    desk = Desk()
    assert desk.send(f"nboard {version}") == ["set myname OthelloEngine21"]
    assert desk.engine.names() == ["start"]


def test_the_name_has_the_level_that_is_in_force() -> None:
    assert Desk(Level=7).send("nboard 2", "set depth 12") == ["set myname OthelloEngine7", "set myname OthelloEngine12"]
    assert Desk(profile="classic").send("nboard 2") == ["set myname OthelloEngine"]
    assert Desk().send("set depth 99") == ["set myname OthelloEngine60"]


def test_a_client_may_skip_the_handshake() -> None:
    desk = Desk()
    desk.send("go")
    assert desk.engine.limits == BARE


@pytest.mark.parametrize("line", ["", "  ", "frob", "set frob 1", "set", "f5", "?", "setoption name Hash value 1"])
def test_what_is_unknown_is_passed_over_in_silence_and_starts_nothing(line: str) -> None:
    desk = Desk()
    assert desk.send(line) == []
    assert not desk.has_engine


def test_lines_that_are_no_text_are_refused() -> None:
    desk = begin()
    assert desk.send(LineError.TOO_LONG) == ["status a line has at most 65536 bytes"]
    assert desk.send(LineError.BAD_ENCODING) == ["status control characters in the line"]


# -- the game ----------------------------------------------------------------------------------------------


def test_a_game_is_replaced_as_a_whole() -> None:
    desk = begin(f"set game {ggf('f5d6c3')}")
    assert desk.position == Position.from_moves("f5d6c3")
    assert desk.send(f"set game {ggf('d3')}") == []
    assert desk.position == Position.from_moves("d3")


def test_a_game_may_begin_anywhere_with_either_side() -> None:
    board = "8 ------------------*O------***------O**-----O-------------------- O"
    desk = begin(f"set game {ggf('', board=board)}")
    assert desk.position == Position.from_text(board.replace("*", "X")[2:])


def test_a_game_may_end_in_a_pass() -> None:
    desk = begin(f"set game {ggf(EARLIEST_PASS).replace(';)', 'B[PA];)')}")
    assert desk.position == Position.from_moves(EARLIEST_PASS).play("pass")


def test_an_illegal_game_changes_nothing_and_is_named_once() -> None:
    desk = begin(f"set game {ggf('f5d6')}")
    text = "status set game: move 3, B[a1]: no disc turned"
    assert desk.send(f"set game {ggf('f5d6').replace(';)', 'B[A1];)')}") == [text]
    assert desk.position == Position.from_moves("f5d6")


def test_moves_are_appended_passes_too() -> None:
    desk = begin(f"set game {ggf(EARLIEST_PASS)}")
    assert desk.send("move PA//0.00", "move d6/1.25/0.3") == []
    assert desk.position == Position.from_moves(EARLIEST_PASS + "d6")


def test_a_pass_may_be_left_out_in_a_game_but_not_between_moves() -> None:
    with_pass = ggf(EARLIEST_PASS + "d6")
    assert "B[PA]" in with_pass
    desk = begin(f"set game {with_pass.replace('B[PA]', '')}")
    assert desk.position == Position.from_moves(EARLIEST_PASS + "d6")
    desk = begin(f"set game {ggf(EARLIEST_PASS)}")
    assert desk.send("move D6") == ["status move D6: Black has no move and must pass"]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("move A1", "status move A1: no disc turned"),
        ("move d4/1/1", "status move D4: square occupied"),
        ("move PA", "status move PA: a pass is not allowed while there is a move"),
        ("move z9", "status move: 'z9' is neither a square nor a pass"),
        ("move", "status move: '' is neither a square nor a pass"),
    ],
)
def test_an_illegal_move_changes_nothing_and_is_named_each_time(line: str, text: str) -> None:
    desk = begin()
    assert desk.send(line, line) == [text, text]
    assert desk.position == Position.start()


def test_no_move_is_taken_after_the_end() -> None:
    desk = begin(f"set game {ggf(BLACK_WIPES_OUT)}")
    assert desk.send("move a1") == ["status move A1: the game is over"]
    assert desk.send("move PA") == ["status move PA: the game is over"]


# -- go ----------------------------------------------------------------------------------------------------


def test_go_has_one_answer_with_value_and_time() -> None:
    desk = begin("set depth 12", f"set game {ggf('f5')}")
    assert desk.send("go") == ["status Thinking"]
    line = cp(12, "d6", -35)
    desk.engine.report(line)
    assert desk.said() == []
    desk.now += 0.52
    desk.engine.finish("d6", lines=(line,), nodes=412345)
    assert desk.said() == ["nodestats 412345 0.520", "=== D6/-0.35/0.52"]
    assert desk.pass_time(10) == []
    assert desk.position == Position.from_moves("f5")


def test_a_forced_pass_is_answered_at_once_without_a_value() -> None:
    assert begin(f"set game {ggf(EARLIEST_PASS)}").send("go") == ["=== PA//0.00"]
    assert begin(f"set game {ggf(PASS_AT_16)}").send("go") == ["=== PA//0.00"]


@pytest.mark.parametrize(("transcript", "value"), [(BLACK_WIPES_OUT, "-64.00"), (EARLY_END, "-62.00")])
def test_go_on_a_finished_game_has_its_score_and_no_move(transcript: str, value: str) -> None:
    desk = begin(f"set game {ggf(transcript)}")
    assert desk.send("go") == [f"=== PA/{value}/0.00", "status The game is over"]
    assert "go" not in desk.engine.names()


def limits_of(*lines: str, **settings: object) -> Limits | None:
    desk = begin(*lines, **settings)
    desk.send("go")
    return desk.engine.limits


def test_a_depth_is_a_level() -> None:
    no_clock = f"set game {ggf(tags='')}"
    assert limits_of(no_clock, "set depth 12") == Limits(level=12)
    assert limits_of(no_clock, "set depth 0") == Limits(level=0)
    assert limits_of(no_clock, "set depth 1000") == Limits(level=60)
    assert limits_of(no_clock) == BARE
    assert limits_of(no_clock, Level=7) == Limits(level=7)


def test_without_a_depth_the_profile_decides() -> None:
    no_clock = f"set game {ggf(tags='')}"
    assert limits_of(no_clock, profile="classic") == Limits(move_time_ms=4000)
    assert limits_of(no_clock, "set depth 3", profile="classic") == Limits(level=3)
    assert limits_of(f"set game {ggf()}", profile="classic") == Limits(black_ms=300_000)


def test_a_refused_depth_leaves_the_old_one() -> None:
    desk = begin("set depth 5")
    assert desk.send("set depth x") == ["status set depth takes a whole number from 0, not 'x'"]
    desk.send("go")
    assert desk.engine.limits == Limits(level=5)


@pytest.mark.parametrize(
    ("transcript", "tags", "times", "clock"),
    [
        ("", "TI[5:00]", "", {"black_ms": 300_000}),
        ("f5", "TI[5:00]", "", {"white_ms": 300_000}),
        ("f5", "TB[1:00]TW[2:00]", "", {"white_ms": 120_000}),
        ("f5d6", "TB[1:00]TW[2:00]", "", {"black_ms": 60_000}),
        ("f5d6", "TI[5:00]TB[1:00]", "", {"black_ms": 60_000}),
        ("f5d6c3", "TI[1:00]", "/0.50/1.5", {"white_ms": 58_500}),
        ("f5d6c3d3", "TI[1:00]", "//1.5", {"black_ms": 57_000}),
        ("f5d6c3d3", "TI[1:00/0:05]", "//1.5", {"black_ms": 67_000, "black_increment_ms": 5_000}),
        ("f5d6c3", "TI[1:00/5//]", "//1.5", {}),
        ("", "TI[0:00:10//2:00]", "", {"black_ms": 10_000}),
        ("", "TI[0/5]", "", {"black_ms": 0, "black_increment_ms": 5_000}),
        ("f5d6", "TI[0:10]", "//15", {"black_ms": -5_000}),
        ("", "TI[0]", "", {}),
        ("", "TI[0//2:00]", "", {}),
        ("", "TI[soon]", "", {}),
        ("", "", "", {}),
        (EARLIEST_PASS + "d6", "TI[1:00/2]", "//1", {"black_ms": 64_000, "black_increment_ms": 2_000}),
    ],
)
def test_the_clock_is_what_the_game_left_of_it(transcript: str, tags: str, times: str, clock: dict[str, int]) -> None:
    wanted = Limits(level=21, **clock) if clock else BARE  # type: ignore[arg-type]
    assert limits_of(f"set game {ggf(transcript, tags, times=times)}") == wanted


def test_moves_that_are_told_later_take_from_the_clock_as_well() -> None:
    lines = (f"set game {ggf(tags='TI[1:00/1]')}", "move f5/0.4/10", "move d6//20.5", "move c3/1")
    desk = begin(*lines)
    desk.send("go")
    assert desk.engine.limits == Limits(level=21, white_ms=40_500, white_increment_ms=1_000)
    desk.send("move d3", "go")
    assert desk.engine.limits == Limits(level=21, black_ms=52_000, black_increment_ms=1_000)


def test_in_version_1_there_is_no_clock() -> None:
    assert limits_of("nboard 1", f"set game {ggf()}", "set depth 4") == Limits(level=4)
    assert limits_of("nboard 1", "nboard 2", f"set game {ggf()}") == Limits(level=21, black_ms=300_000)


def test_a_time_for_each_move_stands_beside_depth_and_clock() -> None:
    game = f"set game {ggf()}"
    assert limits_of(game, "set depth 21", MoveTime=200) == Limits(level=21, black_ms=300_000, move_time_ms=200)
    assert limits_of(game, MoveTime=200) == Limits(black_ms=300_000, move_time_ms=200)
    assert limits_of("nboard 1", game, "set depth 9", MoveTime=200) == Limits(level=9, move_time_ms=200)


def test_an_absurd_clock_is_a_long_one() -> None:
    limits = limits_of("set game " + ggf(tags=f"TI[{'9' * 400}]"))
    assert limits is not None
    assert limits.black_ms == 10**12


def test_a_failed_search_is_answered_with_a_legal_move() -> None:
    desk = begin()
    desk.send("go")
    desk.engine.finish(error="the worker died")
    assert desk.said() == ["nodestats 0 0.000", "=== D3//0.00", "status the worker died"]


def test_an_illegal_move_of_the_engine_never_gets_out() -> None:
    desk = begin()
    desk.send("go")
    desk.engine.finish("a1")
    assert desk.said()[1:] == ["=== D3//0.00", "status the search came out with a1"]


def test_without_an_engine_there_is_still_an_answer() -> None:
    def fail(engine: FakeEngine) -> None:
        raise EngineError("no memory")

    desk = Desk(prepare=fail)
    desk.service._make_engine = lambda config, say: fail(FakeEngine(config, say))  # type: ignore[assignment,return-value]
    assert desk.send("nboard 2") == ["set myname OthelloEngine21", "status no memory"]
    assert "pong 1" in desk.send("ping 1")
    lines = desk.send("go")
    assert [line for line in lines if line.startswith("===")] == ["=== D3//0.00"]
    assert lines[-1] == "status no memory"
    assert desk.send("quit") == []
    assert desk.ended == exit_status.DONE


# -- hint --------------------------------------------------------------------------------------------------


def test_a_hint_shows_all_lines_of_a_depth_together_best_first() -> None:
    desk = begin("set depth 9", f"set game {ggf('f5')}")
    assert desk.send("hint 2") == ["status Analysing"]
    assert desk.engine.limits == Limits(level=9, multipv=2, thorough=True)
    desk.engine.report(cp(5, "d6", 20), cp(5, "f4", -10, 2))
    assert desk.said() == ["search D6 0.20 0 5", "search F4 -0.10 0 5"]
    desk.now += 0.01
    desk.engine.report(cp(6, "f4", 15), cp(6, "d6", 5, 2))
    assert desk.said() == []
    desk.now += 0.01
    desk.engine.report(cp(7, "d6", 25), cp(7, "f4", 0, 2))
    assert desk.said() == []
    assert desk.pass_time(0.1) == ["search D6 0.25 0 7", "search F4 0.00 0 7"]
    last = (cp(9, "d6", 30), cp(9, "f4", -20, 2))
    desk.engine.report(*last)
    desk.engine.finish("d6", lines=last, nodes=5000)
    assert desk.said() == ["search D6 0.30 0 9", "search F4 -0.20 0 9", "nodestats 5000 0.120", "status"]
    assert desk.position == Position.from_moves("f5")


def test_a_move_that_is_better_before_its_depth_is_complete_is_not_shown() -> None:
    desk = begin()
    desk.send("hint 2")
    desk.engine.report(cp(5, "d3", 20), cp(5, "c4", -10, 2))
    assert desk.said() == ["search D3 0.20 0 5", "search C4 -0.10 0 5"]
    desk.now += 1
    desk.engine.report(cp(6, "c4", 30, complete=False))
    assert desk.said() == []


def test_no_more_lines_are_asked_for_than_there_are_moves() -> None:
    for asked, n_lines in ((1, 1), (4, 4), (64, 4), (10**17, 4)):
        desk = begin()
        desk.send(f"hint {asked}")
        assert desk.engine.limits == Limits(multipv=n_lines, thorough=True)


def test_a_hint_knows_no_clock_and_with_a_depth_no_time_of_a_move() -> None:
    desk = begin(f"set game {ggf()}", "set depth 12", MoveTime=200)
    desk.send("hint 1")
    assert desk.engine.limits == Limits(level=12, multipv=1, thorough=True)
    desk = begin(f"set game {ggf()}", MoveTime=200)
    desk.send("hint 1")
    assert desk.engine.limits == Limits(multipv=1, thorough=True)  # the engine knows its MoveTime


def test_a_hint_on_a_forced_pass_has_its_value() -> None:
    desk = begin(f"set game {ggf(EARLIEST_PASS)}")
    desk.send("hint 4")
    assert desk.engine.limits == Limits(multipv=1, thorough=True)
    line = info(9, pv=(PASS, parse_square("d6")), score=Score(ScoreKind.CENTIDISCS, -1249))
    desk.engine.finish(PASS, lines=(line,), nodes=45)
    assert desk.said() == ["search PAD6 -12.49 0 9", "nodestats 45 0.000", "status"]


def test_a_hint_on_a_finished_game_has_no_line() -> None:
    desk = begin(f"set game {ggf(BLACK_WIPES_OUT)}")
    assert desk.send("hint 4") == ["nodestats 0 0.000", "status The game is over"]


def test_what_is_proved_says_so() -> None:
    desk = begin()
    desk.send("hint 1")
    line = info(10, "d3", score=Score(ScoreKind.DISCS, 12))
    desk.engine.report(line)
    assert desk.said()[-1] == "search D3 12.00 0 100%"


# -- analyze -----------------------------------------------------------------------------------------------


def test_every_position_is_valued_from_the_last_to_the_first() -> None:
    desk = begin(f"set game {ggf('f5d6c3')}", "set depth 7")
    assert desk.send("analyze") == ["status Analysing position 1 of 4"]
    printed = []
    for transcript, value in (("f5d6c3", -35), ("f5d6", 40), ("f5", -45), ("", 50)):
        assert desk.engine.position == Position.from_moves(transcript)
        assert desk.engine.limits == Limits(level=7, multipv=1, thorough=True)
        desk.now += 0.25
        desk.engine.finish(lines=(cp(7, "d3", value),), nodes=100)
        printed += [line for line in desk.said() if not line.startswith("status ")]
    assert printed == [
        "analysis 3 -0.35",
        "analysis 2 0.40",
        "analysis 1 -0.45",
        "analysis 0 0.50",
        "nodestats 400 1.000",
        "status",
    ]


def test_the_end_of_a_finished_game_is_counted_and_not_searched() -> None:
    desk = begin(f"set game {ggf(EARLY_END)}")
    n_made = len(Position.start().follow(EARLY_END))
    lines = desk.send("analyze")
    assert [line for line in lines if line.startswith("analysis")] == [f"analysis {n_made} -62.00"]
    assert desk.engine.names().count("go") == 1


def test_passes_count_as_moves_in_an_analysis() -> None:
    def answer(engine: FakeEngine, limits: Limits) -> None:
        engine.finish(lines=(cp(3, "d3", 0),))

    desk = begin(f"set game {ggf(EARLIEST_PASS + 'd6')}", prepare=lambda engine: setattr(engine, "answer", answer))
    lines = until(desk, "nodestats .*", "analyze")
    made = [int(line.split()[1]) for line in lines if line.startswith("analysis")]
    assert made == list(range(10, -1, -1))


def test_the_analysis_of_an_empty_game_is_one_value() -> None:
    desk = begin()
    desk.send("analyze")
    desk.engine.finish(lines=(cp(3, "d3", 0),))
    assert desk.said() == ["analysis 0 0.00", "nodestats 0 0.000", "status"]


def test_a_position_that_fails_is_left_out_of_an_analysis() -> None:
    desk = begin(f"set game {ggf('f5')}")
    desk.send("analyze")
    desk.engine.finish(error="the worker died")
    assert desk.said() == ["status the worker died", "status Analysing position 2 of 2"]
    desk.engine.finish(lines=(cp(3, "d3", 0),))
    assert desk.said()[0] == "analysis 0 0.00"


def test_an_analysis_that_the_engine_refuses_ends_with_a_word_about_it() -> None:
    desk = begin()
    desk.engine.refuses = EngineError("closed")
    assert desk.send("analyze", "ping 2") == ["status Analysing position 1 of 1", "status closed", "pong 2"]


# -- learn, contempt, clear --------------------------------------------------------------------------------


def test_learn_is_answered_and_says_that_there_is_no_book() -> None:
    assert begin().send("learn") == ["learned", "status Nothing was learned: this engine keeps no opening book"]


@pytest.mark.parametrize(
    ("contempt", "transcript", "value"),
    [
        ("100", "", 6400),
        ("100", "f5", -6400),
        ("-100", "", -6400),
        ("-100", "f5", 6400),
        ("10", "", 1000),
        ("0.5", "f5", -50),
    ],
)
def test_contempt_is_black_s_view_turned_to_the_side_to_move(contempt: str, transcript: str, value: int) -> None:
    desk = begin(f"set game {ggf(transcript)}", f"set contempt {contempt}")
    for request in ("go", "hint 1", "analyze"):
        desk.send(request)
        assert desk.engine.config.contempt == value
    assert desk.engine.names().count("set_option") == 1


def test_contempt_is_left_as_configured_until_the_client_sets_it() -> None:
    desk = begin(Contempt=250)
    desk.send("go")
    assert desk.engine.config.contempt == 250
    desk.send("set contempt 0", "go")
    assert desk.engine.config.contempt == 0


def test_contempt_follows_the_turn_through_an_analysis() -> None:
    desk = begin(f"set game {ggf('f5')}", "set contempt 100", "analyze")
    assert desk.engine.config.contempt == -6400
    desk.engine.finish(lines=(cp(3, "d3", 0),))
    desk.said()
    assert desk.engine.config.contempt == 6400


def test_clear_empties_the_table() -> None:
    desk = begin()
    assert desk.send("clear") == []
    assert desk.engine.names()[-1] == "clear_hash"
    assert Desk().send("clear") == []


# -- ping --------------------------------------------------------------------------------------------------


def test_ping_is_answered_with_its_number() -> None:
    assert begin().send("ping 2", "ping 2147483647", "ping -1") == ["pong 2", "pong 2147483647", "pong -1"]


def test_ping_without_a_number_is_refused() -> None:
    assert begin().send("ping", "ping x") == [
        "status ping takes a whole number, not ''",
        "status ping takes a whole number, not 'x'",
    ]


def test_the_first_pong_waits_until_the_kernels_are_loaded_and_so_does_what_follows() -> None:
    desk = Desk(cold=True)
    assert desk.send("nboard 2", "ping 1", "set depth 4", f"set game {ggf()}", "ping 2", "go") == [
        "set myname OthelloEngine21",
        "status Loading",
    ]
    desk.engine.say("compiling kernels: 12 of 80")
    assert desk.said() == ["status compiling kernels: 12 of 80"]
    desk.engine.ready.set()
    lines = desk.wait_for("status Thinking")
    assert lines == ["status", "pong 1", "set myname OthelloEngine4", "pong 2", "status Thinking"]
    assert desk.engine.limits == Limits(level=4, black_ms=300_000)


def test_the_first_pong_comes_even_if_loading_fails() -> None:
    desk = Desk(cold=True)
    desk.send("nboard 2", "ping 1", "go")
    desk.engine.broken = "no memory"
    desk.engine.ready.set()
    lines = desk.wait_for("status .*")
    lines += desk.wait_for("===.*")
    lines += desk.send("ping 2")
    assert [line for line in lines if not line.startswith("nodestats")] == [
        "status no memory",
        "pong 1",
        "status Thinking",
        "=== D3//0.00",
        "status no memory",
        "pong 2",
    ]


def test_a_cold_go_without_a_clock_waits_for_loading() -> None:
    desk = Desk(cold=True)
    assert desk.send("nboard 1", "go")[-1] == "status Thinking"
    assert "go" not in desk.engine.names()
    desk.engine.ready.set()
    desk.service.handle(desk.service._events.get(timeout=5))
    desk.engine.finish("d3")
    assert desk.said()[-1] == "=== D3//0.00"


def test_a_cold_request_is_cancelled_as_any_other() -> None:
    desk = Desk(cold=True)
    desk.send("nboard 1", "go")
    assert desk.send("move f5", "ping 1") == ["status", "status Loading"]
    desk.engine.ready.set()
    assert desk.wait_for("pong .*") == ["status", "pong 1"]
    assert desk.position == Position.from_moves("f5")
    assert "go" not in desk.engine.names()


@pytest.mark.parametrize("request_line", ["go", "hint 2", "analyze"])
def test_a_request_while_the_client_waits_for_its_first_pong_can_be_cancelled(request_line: str) -> None:
    desk = Desk(cold=True)
    desk.send("nboard 2", "ping 1", request_line, f"set game {ggf('f5')}", "ping 2")
    desk.engine.ready.set()
    lines = [line for line in desk.wait_for("pong 2") if not line.startswith("status")]
    assert lines == ["pong 1", "pong 2"]
    assert desk.position == Position.from_moves("f5")
