"""The state machine against a scripted engine: the table of states, order, queueing, loading, ends."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from othello_engine.errors import ConfigError, EngineError, WeightsError
from othello_engine.position import Position
from othello_engine.types import NO_MOVE, PASS, Limits, SearchResult, parse_square, square_name
from protocol.batch.bench import bench_depth, bench_positions
from protocol.lines import LineError, LineSplitter
from protocol.native import State
from protocol.service import QUEUE_LIMIT
from tests.protocol.fake_engine import Desk, FakeEngine, info, interrupt

ROOT = "setboard startpos moves f5d6c3"
START = "---------------------------OX------XO--------------------------- X"


def kinds(lines: list[str]) -> list[str]:
    """First words, and for errors the code."""
    return [" ".join(line.split()[:2]) if line.startswith("error") else line.split()[0] for line in lines]


def board(desk: Desk) -> str:
    return desk.send("display")[0].removeprefix("board ")


# -- the table of states -----------------------------------------------------------------------------------

STATES: dict[str, tuple[list[str], State]] = {
    "idle": ([], State.IDLE),
    "search": (["go depth 9"], State.SEARCH),
    "infinite": (["go infinite"], State.OPEN),
    "ponder": (["go ponder time 9"], State.OPEN),
    "perft": (["perft 9"], State.BATCH),
    "bench": (["bench 9"], State.BATCH),
}

NOW = {
    "uoi": "uoiok",
    "ugi": "ugiok",
    "isready": "readyok",
    "debug on": "",
    "help": "info",
    "display": "board",
    "d": "board",
    "query gameover": "response",
    "query p1turn": "response",
    "query result": "response",
    "nonsense": "error unknown-command",
}
DEFERRED = (
    "setboard startpos moves e6",
    "position startpos moves e6",
    "move d3",
    "undo",
    "newgame",
    "setoption name MultiPV value 3",
    "setoption name Clear Hash",
    "go depth 2",
    "go infinite",
    "perft 3",
    "bench 3",
    "go depth",
    "setboard nonsense",
)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def in_state(name: str) -> Desk:
    desk = Desk()
    desk.send(ROOT)
    lines, state = STATES[name]
    assert desk.send(*lines) == []
    assert desk.service.state is state
    return desk


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("command", NOW)
def test_what_is_answered_at_once(state: str, command: str) -> None:
    desk = in_state(state)
    before = list(desk.engine.names())
    said = desk.send(command)
    if NOW[command]:
        assert NOW[command] in kinds(said)
    else:
        assert said == []
    assert desk.engine.names() == before
    assert desk.service.state is STATES[state][1]


@pytest.mark.parametrize("state", STATES)
def test_a_static_value_is_answered_for_the_root(state: str) -> None:
    desk = in_state(state)
    desk.send("eval")
    desk.wait_for(r"eval raw -?\d+")
    root = Position.from_moves("f5d6c3").to_text()
    assert ("evaluate", root) in desk.engine.calls
    assert desk.service.state is STATES[state][1]


@pytest.mark.parametrize("state", ["infinite", "ponder"])
@pytest.mark.parametrize("command", DEFERRED)
def test_what_an_open_search_refuses(state: str, command: str) -> None:
    desk = in_state(state)
    before = list(desk.engine.names())
    (error,) = desk.send(command)
    assert error.startswith(f"error busy {command.split()[0]} ")
    assert desk.engine.names() == before
    assert desk.service.state is State.OPEN
    assert kinds(desk.send("stop")) == ["bestmove"]
    assert board(desk) == Position.from_moves("f5d6c3").to_text()


@pytest.mark.parametrize("state", ["search", "perft", "bench"])
@pytest.mark.parametrize("command", DEFERRED)
def test_what_waits_for_a_finite_task(state: str, command: str) -> None:
    desk = in_state(state)
    before = list(desk.engine.names())
    assert desk.send(command) == []
    assert desk.engine.names() == before
    alone = Desk()
    alone.send(ROOT)
    expected = kinds(alone.send(command))
    ending = {"search": ["bestmove"], "perft": ["perft"], "bench": ["info", "bench"]}[state]
    assert kinds(desk.send("stop")) == ending + expected
    assert desk.service.state is alone.service.state
    assert board(desk) == board(alone)


@pytest.mark.parametrize("state", STATES)
def test_what_stop_does(state: str) -> None:
    desk = in_state(state)
    ending = {
        "idle": [],
        "search": ["bestmove"],
        "infinite": ["bestmove"],
        "ponder": ["bestmove"],
        "perft": ["perft"],
        "bench": ["info", "bench"],
    }[state]
    assert kinds(desk.send("stop")) == ending
    assert desk.service.state is State.IDLE
    assert desk.send("stop", "stop") == []


@pytest.mark.parametrize("state", STATES)
def test_quit_ends_without_another_word(state: str) -> None:
    desk = in_state(state)
    assert desk.send("quit", "display", "go depth 3") == []
    assert desk.ended == 0


@pytest.mark.parametrize("state", [name for name in STATES if name != "ponder"])
def test_a_ponder_hit_needs_a_ponder_search(state: str) -> None:
    desk = in_state(state)
    assert kinds(desk.send("ponderhit")) == ["error not-pondering"]
    assert desk.service.state is STATES[state][1]


def test_a_ponder_hit_makes_the_search_finite() -> None:
    desk = in_state("ponder")
    assert desk.send("ponderhit") == []
    assert desk.engine.names()[-1] == "ponder_hit"
    assert desk.service.state is State.SEARCH
    assert kinds(desk.send("ponderhit")) == ["error not-pondering"]
    assert desk.send("setoption name MultiPV value 2") == []
    desk.engine.finish()
    assert kinds(desk.said()) == ["bestmove"]


# -- one answer each, in order -----------------------------------------------------------------------------


def test_reports_come_before_their_answer_and_nothing_of_an_old_search_after_it(desk: Desk) -> None:
    desk.send("setoption name InfoInterval value 0", ROOT, "go depth 3")
    first_report, first_finish = desk.engine._on_info, desk.engine._on_result
    assert first_report is not None
    assert first_finish is not None
    desk.engine.report(info(1), info(2))
    assert kinds(desk.said()) == ["info", "info"]
    desk.engine.finish("d3", lines=(info(3),))
    assert kinds(desk.said()) == ["info", "bestmove"]
    desk.send("go depth 4")
    first_report(info(9))
    first_finish(SearchResult(parse_square("c4"), NO_MOVE, (), 0, 0))
    assert desk.said() == []
    assert desk.service.state is State.SEARCH
    desk.engine.finish()
    assert kinds(desk.said()) == ["bestmove"]


def test_a_stop_belongs_to_the_running_search_only(desk: Desk) -> None:
    desk.send("stop", "stop", "go depth 1", "go depth 2", "go infinite")
    assert kinds(desk.send("stop")) == ["bestmove"]
    assert desk.engine.limits == Limits(depth=2)
    assert kinds(desk.send("stop")) == ["bestmove"]
    assert desk.service.state is State.OPEN
    assert desk.send() == []
    assert kinds(desk.send("stop")) == ["bestmove"]
    assert desk.service.state is State.IDLE


def test_a_stop_that_the_engine_is_slow_to_follow_is_given_once(desk: Desk) -> None:
    desk.send("go depth 9")
    desk.engine.stops_at_once = False
    assert desk.send("stop", "stop", "go depth 1") == []
    desk.engine.finish()
    assert kinds(desk.said()) == ["bestmove"]
    assert desk.service.state is State.SEARCH
    assert desk.engine.limits == Limits(depth=1)


def test_what_follows_the_stop_of_an_open_search_waits_for_its_answer(desk: Desk) -> None:
    for go in ("go infinite", "go ponder time 9"):
        desk.send("newgame", go)
        desk.engine.stops_at_once = False
        assert desk.send("stop", ROOT, "go depth 1") == []
        desk.engine.finish()
        assert kinds(desk.said()) == ["bestmove"]
        assert desk.engine.position == Position.from_moves("f5d6c3")
        desk.engine.finish()
        assert kinds(desk.said()) == ["bestmove"]


def test_an_open_search_that_has_nothing_left_to_do_waits_for_stop() -> None:
    for go, ending in (
        ("go infinite", "stop"),
        ("go ponder depth 3", "stop"),
        ("go ponder depth 3", "ponderhit"),
    ):
        desk = Desk()
        desk.send(go)
        desk.engine.report(info(3))
        desk.engine.finish("f5", lines=(info(3, "f5", nodes=1234),))
        assert kinds(desk.said()) == ["info"]
        assert desk.pass_time(10) == []
        assert desk.service.state is State.OPEN
        assert desk.send(ending)[-1] == "bestmove f5"
        assert "ponder_hit" not in desk.engine.names()
        assert desk.service.state is State.IDLE


def test_a_waiting_report_appears_when_its_time_has_come(desk: Desk) -> None:
    desk.send("go infinite")
    desk.engine.report(info(1), info(2), info(3))
    assert [line.split()[2] for line in desk.said()] == ["1"]
    assert desk.pass_time(0.05) == []
    assert [line.split()[2] for line in desk.pass_time(0.06)] == ["3"]


def test_many_lines_are_numbered_and_one_is_not(desk: Desk) -> None:
    desk.send("setoption name InfoInterval value 0", "go depth 3 multipv 2")
    desk.engine.report(info(3), info(3, "c4", rank=2))
    first, second = desk.said()
    assert " multipv 1 score" in first
    assert " multipv 2 score" in second
    desk.engine.finish()
    desk.send("setoption name MultiPV value 2", "go depth 3")
    desk.engine.report(info(3))
    assert any(" multipv 1 " in line for line in desk.said())
    desk.engine.finish()
    desk.send("go depth 3 multipv 1")
    desk.engine.report(info(3))
    assert all("multipv" not in line for line in desk.said())


# -- the queue ---------------------------------------------------------------------------------------------


def test_a_piped_script_is_answered_as_if_sent_slowly() -> None:
    script = [
        ROOT,
        "go depth 5",
        "move d3",
        "go depth 6",
        "move a1",
        "undo 9",
        "setoption name Hash value 0",
        "perft 2",
        "newgame",
        "go depth",
        "go depth 7",
    ]
    answers = []
    for slowly in (True, False):
        desk = Desk()
        said: list[str] = []
        for line in script:
            said += desk.send(line)
            while slowly and desk.service.state is not State.IDLE:
                said += desk.send("stop")
        while desk.service.state is not State.IDLE:
            said += desk.send("stop")
        answers.append(said)
        positions = [call[1] for call in desk.engine.calls if call[0] == "set_position"]
        assert positions == [Position.from_moves(moves).to_text() for moves in ("f5d6c3", "f5d6c3d3", "f5d6c3d3", "")]
    assert answers[0] == answers[1]


def test_the_queue_takes_so_many_lines_and_no_more(desk: Desk) -> None:
    desk.send("go depth 9")
    assert desk.send(*["move d3"] * QUEUE_LIMIT) == []
    for word in ("move", "setboard", "go", "newgame"):
        (error,) = desk.send(f"{word} startpos")
        assert error.startswith(f"error busy {word} ")
    said = desk.send("stop")
    assert kinds(said)[0] == "bestmove"
    assert kinds(said)[1:] == ["error illegal-move"] * (QUEUE_LIMIT - 1)


def test_many_refused_searches_in_the_queue_do_no_harm(desk: Desk) -> None:
    desk.send("go depth 9")
    desk.engine.refuses = EngineError("no luck")
    desk.send(*["go depth 1"] * QUEUE_LIMIT)
    desk.engine.finish()
    said = desk.said()
    assert kinds(said) == ["bestmove"] + ["error internal", "bestmove"] * QUEUE_LIMIT


# -- positions ---------------------------------------------------------------------------------------------


def test_a_refused_position_changes_nothing(desk: Desk) -> None:
    desk.send(ROOT)
    before = board(desk)
    for line in (
        "setboard startpos moves f5 e3",
        "move d3 a1",
        "setboard X",
        "undo 4",
        "position fen",
        "move",
    ):
        assert kinds(desk.send(line))[0].startswith("error "), line
        assert board(desk) == before


def test_undo_takes_back_plies_passes_included(desk: Desk) -> None:
    rng = random.Random(9)
    for _ in range(5):
        desk.send("newgame")
        position = Position.start()
        line = [position]
        while not position.is_over:
            move = rng.choice(position.legal_moves)
            position = position.play(move)
            line.append(position)
            assert desk.send(f"move {'pass' if move == PASS else 'abcdefgh'[move % 8] + str(move // 8 + 1)}") == []
        for earlier in reversed(line[:-1]):
            assert board(desk) == line[line.index(earlier) + 1].to_text()
            assert desk.send("undo") == []
        assert board(desk) == START
        assert kinds(desk.send("undo")) == ["error nothing-to-undo"]


def test_undo_round_goes_back_to_the_side_s_last_choice_across_passes(desk: Desk) -> None:
    rng = random.Random(10)
    n_across_passes = 0
    for _ in range(30):
        desk.send("newgame")
        line = [(Position.start(), PASS)]
        while not line[-1][0].is_over:
            position = line[-1][0]
            move = rng.choice(position.legal_moves)
            line.append((position.play(move), move))
            desk.send(f"move {square_name(move)}")
            side = line[-1][0].side
            own = [i for i in range(1, len(line)) if line[i - 1][0].side == side and line[i][1] != PASS]
            if rng.random() < 0.3 and own:
                assert desk.send("undo round") == []
                assert board(desk) == line[own[-1] - 1][0].to_text()
                n_across_passes += any(move == PASS for _, move in line[own[-1] :])
                desk.send("move " + " ".join(square_name(move) for _, move in line[own[-1] :]))
    assert n_across_passes


def test_another_profile_is_loaded_before_the_next_search(desk: Desk) -> None:
    desk.send("isready", "setoption name Hash value 32")
    desk.engine.ready.clear()  # as an engine that starts other workers
    desk.send("setoption name Profile value strong", "go depth 3")
    assert "go" not in desk.engine.names()
    desk.engine.ready.set()
    while "go" not in desk.engine.names():
        desk.said()
        time.sleep(0.01)
    assert desk.engine.config.profile.name == "strong"
    assert desk.engine.config.hash_mb == 32
    profiles = "var classic var gomoku var gomoku-classic var phased var strong var weighted"
    assert f"option name Profile type combo default strong {profiles}" in desk.send("uoi")


def test_another_variant_is_loaded_before_the_next_search() -> None:
    desk = Desk(profile="phased")
    assert desk.send("isready")[-1] == "readyok"
    desk.engine.ready.clear()
    said = desk.send("setoption name Variant value anti", "go depth 3", "isready")
    assert "readyok" not in said
    assert "go" not in desk.engine.names()
    desk.engine.ready.set()
    while "go" not in desk.engine.names():
        desk.said()
        time.sleep(0.01)
    assert desk.engine.config.is_anti


def test_undo_round_needs_a_move_of_the_side_to_move(desk: Desk) -> None:
    assert desk.send("undo round") == ["error nothing-to-undo round Black has not moved yet"]
    desk.send("move d3")
    assert desk.send("undo round") == ["error nothing-to-undo round White has not moved yet"]
    desk.send("move c3", "UNDO Round")
    assert board(desk) == START


@pytest.mark.parametrize("state", [name for name in STATES if STATES[name][1] is not State.IDLE])
def test_undo_round_is_refused_while_anything_runs(state: str) -> None:
    desk = in_state(state)
    assert desk.send("undo round") == ["error busy undo not while the engine thinks"]
    desk.send("stop")
    assert board(desk) == Position.from_moves("f5d6c3").to_text()


def test_moves_of_a_position_line_can_be_taken_back(desk: Desk) -> None:
    desk.send(ROOT)
    assert desk.send("undo 3") == []
    assert board(desk) == START
    assert desk.send("undo 1") == ["error nothing-to-undo 1 0 plies to take back"]


def test_a_new_game_forgets_position_and_line(desk: Desk) -> None:
    desk.send(f"setboard {START[:65]}O", "isready", "newgame")
    assert board(desk) == START
    assert kinds(desk.send("undo")) == ["error nothing-to-undo"]
    assert desk.engine.names()[-1] == "new_game"


# -- limits and answers ------------------------------------------------------------------------------------


def test_a_search_gets_its_position_and_limits(desk: Desk) -> None:
    desk.send(ROOT, "go btime 100 wtime 200 winc 5 depth 7 searchmoves d3 g5")
    assert desk.engine.calls[-2:] == [
        ("set_position", Position.from_moves("f5d6c3").to_text()),
        (
            "go",
            Limits(
                white_ms=200,
                white_increment_ms=5,
                depth=7,
                search_moves=(parse_square("d3"), parse_square("g5")),
            ),
        ),
    ]


def test_illegal_root_moves_start_nothing(desk: Desk) -> None:
    desk.send(ROOT)
    assert desk.send("go depth 3 searchmoves d3 a8")[0].startswith("error illegal-move a8 at 2 ")
    assert desk.service.state is State.IDLE
    assert "go" not in desk.engine.names()


def test_a_bare_go_is_left_to_the_engine_whose_options_limit_it(desk: Desk) -> None:
    desk.send("go")
    assert desk.engine.limits == Limits()
    desk.send("stop", "setoption name Level value 3", "setoption name MoveTime value 100", "go")
    assert desk.engine.limits == Limits()
    assert (desk.engine.config.bare_go_level, desk.engine.config.bare_go_time_ms) == (3, 100)


def test_an_internal_failure_is_said_and_answered(desk: Desk) -> None:
    desk.send("go depth 3")
    desk.engine.finish(error="a worker failed")
    assert desk.said() == ["error internal - a worker failed", "bestmove d3"]
    desk.engine.refuses = EngineError("no workers")
    assert desk.send("go depth 3") == ["error internal - no workers", "bestmove d3"]
    assert desk.service.state is State.IDLE
    desk.engine.refuses = None
    desk.send("go depth 3")
    assert desk.service.state is State.SEARCH


def test_a_report_or_result_that_makes_no_sense_keeps_nobody_waiting(desk: Desk) -> None:
    desk.send("go depth 3", "go depth 4")
    desk.engine.report(info(3, pv=(99,)))
    assert kinds(desk.said()) == ["error internal"]
    desk.engine.finish("d3", lines=(info(3, pv=(99,)),))
    assert kinds(desk.said()) == ["error internal", "bestmove"]
    assert desk.engine.limits == Limits(depth=4)
    desk.engine.finish()
    assert kinds(desk.said()) == ["bestmove"]


def test_the_service_outlives_an_answer_that_can_not_be_given_at_all(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.send("go depth 3", "go depth 4")
    monkeypatch.setattr(desk.service, "answer", lambda search, result: 1 // 0)
    desk.engine.finish("d3")
    assert kinds(desk.said()) == ["error internal"]
    monkeypatch.undo()
    assert desk.engine.limits == Limits(depth=4)
    desk.engine.finish("d3")
    assert desk.said() == ["bestmove d3"]


def test_an_illegal_answer_is_never_passed_on(desk: Desk) -> None:
    for move in (parse_square("a1"), PASS, NO_MOVE):
        desk.send("go depth 3")
        desk.engine.finish(move)
        said = desk.said()
        assert kinds(said) == ["error internal", "bestmove"]
        assert said[-1] == "bestmove d3"


def test_a_forced_pass_and_a_finished_game_are_answered(desk: Desk) -> None:
    desk.send("setboard startpos moves d3c3e6d2d1e1b3c1", "go depth 3")
    desk.engine.finish()
    assert desk.said() == ["bestmove pass"]
    desk.send("setboard startpos moves e6f4d3e7f6g5e3e2f3c4f5f2", "go depth 3")
    desk.engine.finish()
    assert desk.said() == ["bestmove none"]


def test_the_reply_is_named_if_ponder_is_on(desk: Desk) -> None:
    for value, answer in (("false", "bestmove d3"), ("true", "bestmove d3 ponder c3")):
        desk.send(f"setoption name Ponder value {value}", "go depth 1")
        desk.engine.finish("d3", ponder_move=parse_square("c3"))
        assert desk.said() == [answer]


def test_the_result_line_comes_right_before_the_answer(desk: Desk) -> None:
    desk.send("setoption name ResultLine value csv", "go depth 8")
    desk.engine.finish("d3", lines=(info(8),), nodes=125000, time_ms=3970, document_score=18)
    assert desk.said()[-2:] == ["2,3,18,8,125000,3970,31486", "bestmove d3"]


def test_debug_adds_lines_for_people_only(desk: Desk) -> None:
    desk.send("debug on")
    assert desk.send("go depth 5 time 7") == ["info string search 1: move_time_ms 7, depth 5"]
    desk.engine.finish(worker_nodes=(5, 6))
    assert desk.said() == ["info string nodes by worker 5 6", "bestmove d3"]
    desk.send("debug off")
    assert desk.send("go depth 5") == []


def test_messages_of_the_engine_are_info_strings(desk: Desk) -> None:
    desk.send("isready")
    desk.engine.say("worker 2 died (signal 9), replaced")
    assert desk.said() == ["info string worker 2 died (signal 9), replaced"]


# -- options -----------------------------------------------------------------------------------------------


def offered(desk: Desk) -> list[str]:
    return [line for line in desk.send("uoi") if line.startswith("option")]


def test_an_option_reaches_the_engine_and_the_list_shows_it(desk: Desk) -> None:
    desk.send("setoption name hash value 32", "isready", "setoption name MULTIPV value 4")
    assert ("set_option", "MultiPV", 4) in desk.engine.calls
    assert desk.engine.config.hash_mb == 32
    assert "option name Hash type spin default 32 min 1 max 65536" in offered(desk)
    assert "option name MultiPV type spin default 4 min 1 max 64" in offered(desk)
    desk.send("setoption name Clear Hash")
    assert desk.engine.names()[-1] == "clear_hash"


@pytest.mark.parametrize("error", [EngineError("not enough memory"), ConfigError("not enough memory")])
def test_an_option_that_the_engine_refuses_keeps_its_value(desk: Desk, error: Exception) -> None:
    desk.send("isready")
    before = offered(desk)
    desk.engine.refuses = error
    assert desk.send("setoption name Hash value 65536") == ["error bad-option-value 65536 not enough memory"]
    assert offered(desk) == before
    desk.engine.refuses = None
    assert desk.send("setoption name Hash value 65536") == []


def test_a_log_file_gets_a_copy_of_what_comes_in(desk: Desk, tmp_path: Path) -> None:
    log = tmp_path / "a b.log"
    desk.send(f"setoption name LogFile value {log}", "query gameover", "setoption name LogFile value <empty>")
    desk.send("query result")
    text = log.read_text()
    assert "> query gameover\n" in text
    assert "query result" not in text
    (error,) = desk.send(f"setoption name LogFile value {tmp_path}/missing/x.log")
    assert error.startswith("error io ")
    assert "option name LogFile type string default <empty>" in offered(desk)


def test_a_weight_file_is_judged_by_the_engine_even_as_the_first_command(desk: Desk) -> None:
    assert desk.send("setoption name EvalFile value /tmp/a b.weights") == []
    assert desk.engine.calls[:2] == [("start",), ("set_option", "EvalFile", "/tmp/a b.weights")]
    desk.engine.refuses = WeightsError("/tmp/c: not a weight file")
    assert desk.send("setoption name EvalFile value /tmp/c") == ["error io /tmp/c /tmp/c: not a weight file"]
    assert "option name EvalFile type string default /tmp/a b.weights" in offered(desk)


# -- starting and loading ----------------------------------------------------------------------------------


def test_nothing_is_started_or_said_before_the_first_command(desk: Desk) -> None:
    assert desk.send("", "  ", "# a remark") == []
    assert not desk.has_engine
    desk.send("nonsense")
    assert not desk.has_engine


def test_the_handshake_is_answered_before_the_engine_is_built(desk: Desk) -> None:
    def prepare(engine: FakeEngine) -> None:
        assert desk.paper.lines[-1] == "uoiok"

    desk = Desk(prepare=prepare)
    assert desk.send("uoi")[-1] == "uoiok"
    assert desk.engine.names() == ["start"]


def test_positions_are_handled_while_the_engine_loads() -> None:
    desk = Desk(cold=True)
    assert kinds(desk.send("uoi", ROOT, "move d3", "display"))[-1] == "info"
    assert desk.service.position == Position.from_moves("f5d6c3d3")


def test_isready_waits_for_the_engine_and_keeps_the_order() -> None:
    desk = Desk(cold=True)
    said = desk.send("isready", "display", "go depth 2", "stop", "isready")
    assert said == []
    desk.engine.say("compiling 3 of 57 kernels")
    assert desk.said() == ["info string compiling 3 of 57 kernels"]
    desk.engine.ready.set()
    answers = kinds(desk.wait_for("bestmove .*") + desk.said())
    assert [answer for answer in answers if answer != "info"] == [
        "readyok",
        "board",
        "empties",
        "legal",
        "readyok",  # may come before the answer of the search that was just stopped
        "bestmove",
    ]


def test_a_search_waits_for_the_engine() -> None:
    desk = Desk(cold=True)
    assert desk.send("go depth 3", "isready") == []
    assert desk.service.state is State.SEARCH
    assert "go" not in desk.engine.names()
    assert kinds(desk.send("display"))[0] == "board"
    desk.engine.ready.set()
    assert desk.wait_for("readyok") == ["readyok"]
    assert desk.engine.limits == Limits(depth=3)
    desk.engine.finish()
    assert kinds(desk.said()) == ["bestmove"]


@pytest.mark.parametrize(
    ("command", "ending"),
    [
        ("go infinite", ["bestmove d3"]),
        ("go depth 3", ["bestmove d3"]),
        ("go ponder", ["bestmove d3"]),
        ("perft 3", ["perft depth 0 nodes 0 time 0 nps 0"]),
        ("bench 3", ["bench nodes 0 time 0 nps 0"]),
    ],
)
def test_a_task_that_is_stopped_while_the_engine_loads_is_answered_at_once(command: str, ending: list[str]) -> None:
    desk = Desk(cold=True)
    assert desk.send(command) == []
    assert desk.send("stop") == ending
    assert desk.service.state is State.IDLE
    desk.send("go depth 1")
    desk.engine.ready.set()
    while "go" not in desk.engine.names():
        desk.said()
    assert [call for call in desk.engine.calls if call[0] == "go"] == [("go", Limits(depth=1))]


def test_a_ponder_hit_while_the_engine_loads_lifts_the_ponder() -> None:
    desk = Desk(cold=True)
    assert desk.send("go ponder depth 4", "ponderhit") == []
    assert desk.service.state is State.SEARCH
    desk.engine.ready.set()
    while desk.engine.limits is None:
        desk.said()
    assert desk.engine.limits == Limits(depth=4)


def test_an_engine_that_does_not_get_ready_is_said_and_nobody_waits() -> None:
    desk = Desk(cold=True)
    desk.send("uoi", "isready", "query gameover")
    desk.engine.broken = "no memory"
    desk.engine.ready.set()
    said = desk.wait_for("response false")
    assert said == ["error internal - no memory", "response false"]
    desk.send("go depth 3")
    assert desk.wait_for("bestmove d3") == ["error internal - no memory", "bestmove d3"]
    desk.engine.broken = None
    assert desk.send("isready") == ["readyok"]


def test_a_static_value_while_the_engine_loads_keeps_the_order() -> None:
    desk = Desk(cold=True)
    assert desk.send("eval", "query gameover") == []
    desk.engine.ready.set()
    assert desk.wait_for("response false") == ["eval raw 0", "response false"]


def test_a_static_value_that_fails_is_an_error(desk: Desk) -> None:
    desk.send("isready")
    desk.engine.refuses = EngineError("no worker")
    desk.send("eval")
    assert desk.wait_for("error .*") == ["error internal - no worker"]
    assert desk.send("query gameover") == ["response false"]


def test_an_engine_that_can_not_be_built_leaves_the_service_alive() -> None:
    def fail(engine: FakeEngine) -> None:
        raise ImportError("no such thing")

    desk = Desk(prepare=fail)
    assert kinds(desk.send("display"))[0] == "board"
    assert desk.ended is None


# -- perft and bench ---------------------------------------------------------------------------------------


def test_perft_reports_each_depth_and_closes(desk: Desk) -> None:
    desk.send("perft 3")
    for depth, nodes in ((1, 4), (2, 12), (3, 56)):
        desk.engine.count(depth, nodes)
    desk.engine.finish_perft()
    assert desk.said() == [
        "info perft 1 nodes 4 time 1 nps 4000",
        "info perft 2 nodes 12 time 2 nps 6000",
        "info perft 3 nodes 56 time 3 nps 18666",
        "perft depth 3 nodes 56 time 3 nps 18666",
    ]


def test_a_stopped_perft_closes_with_what_was_counted(desk: Desk) -> None:
    desk.send("perft 20")
    desk.engine.count(1, 4)
    assert desk.send("stop")[-1] == "perft depth 1 nodes 4 time 1 nps 4000"


def test_bench_searches_every_position_and_sets_options_back() -> None:
    desk = Desk(Threads=3, Hash=5)
    said = desk.send("bench")
    for number, position in enumerate(bench_positions(), 1):
        assert desk.engine.position == position
        assert desk.engine.limits == Limits(depth=bench_depth("othello"), multipv=1)
        assert (desk.engine.config.threads, desk.engine.config.hash_mb) == (1, 16)
        desk.engine.finish(nodes=number, time_ms=2)
        said += desk.said()
    count = len(bench_positions())
    assert count == 24
    assert said[0].startswith("info bench 1 nodes 1 time 2 nps 500 move ")
    assert said[-1] == f"bench nodes {count * (count + 1) // 2} time 48 nps 6250"
    assert len(said) == count + 1
    assert (desk.engine.config.threads, desk.engine.config.hash_mb) == (3, 5)
    assert desk.service.state is State.IDLE


def test_bench_is_never_played_with_limited_strength() -> None:
    desk = Desk(LimitStrength=True)
    desk.send("bench 3")
    assert not desk.engine.config.limit_strength
    desk.send("stop")
    assert desk.engine.config.limit_strength


def test_bench_takes_depth_threads_and_table() -> None:
    desk = Desk()
    desk.send("bench 4 2 64")
    assert desk.engine.limits == Limits(depth=4, multipv=1)
    assert (desk.engine.config.threads, desk.engine.config.hash_mb) == (2, 64)
    assert kinds(desk.send("stop")) == ["info", "bench"]
    assert (desk.engine.config.threads, desk.engine.config.hash_mb) == (2, 256)


def test_the_bench_positions_spread_over_the_game() -> None:
    empties = [position.n_empties for position in bench_positions()]
    assert empties == sorted(empties, reverse=True)
    assert (empties[0], empties[-1]) == (56, 10)
    assert all(not position.is_over and not position.must_pass for position in bench_positions())


# -- ends --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "finishes", "said"),
    [
        ([], 0, []),
        (["", "# remark"], 0, []),
        (["stop"], 0, []),
        (["query gameover"], 0, ["response"]),
        (["go depth 3"], 1, ["bestmove"]),
        (["go infinite", "go depth 3"], 0, ["error busy", "bestmove"]),
        (["go depth 3", "go depth 4", "query result"], 2, ["response", "bestmove", "bestmove"]),
        (["go infinite"], 0, ["bestmove"]),
        (["go ponder time 100"], 0, ["bestmove"]),
        (["go depth 3", "go infinite"], 1, ["bestmove", "bestmove"]),
        (["go depth 3", "go infinite", "go depth 5"], 2, ["bestmove"] * 3),
    ],
)
def test_the_end_of_input_lets_finite_work_finish_and_stops_the_rest(
    lines: list[str], finishes: int, said: list[str]
) -> None:
    desk = Desk()
    answers = desk.send(*lines, None)
    for _ in range(finishes):
        assert desk.ended is None
        desk.engine.finish()
        answers += desk.said()
    assert kinds(answers) == said
    assert desk.ended == 0


def test_the_end_of_input_waits_for_the_engine() -> None:
    desk = Desk(cold=True)
    desk.send("isready", "eval", "go depth 3", None)
    assert desk.ended is None
    desk.engine.ready.set()
    said: list[str] = []
    while desk.service.state is not State.SEARCH:
        said += desk.said()
    desk.engine.finish()
    said += desk.said()
    assert kinds(said) == ["readyok", "eval", "bestmove"]
    assert desk.ended == 0


def test_after_the_end_of_input_nobody_searches_for_a_reader_that_is_gone() -> None:
    desk = Desk()
    desk.send("go exact", None)
    assert desk.service._seconds_to_wait() == 1.0
    desk.pass_time(1)
    assert desk.ended is None
    desk.paper.gone = True
    desk.pass_time(1)
    assert desk.ended == 4


def test_a_quit_behind_isready_gives_the_engine_a_moment() -> None:
    desk = Desk(cold=True)
    assert desk.send("isready", "query gameover", "quit") == []
    assert desk.ended is None
    desk.engine.ready.set()
    assert desk.wait_for("response false") == ["readyok", "response false"]
    assert desk.ended == 0


def test_a_quit_behind_isready_does_not_wait_for_long() -> None:
    desk = Desk(cold=True)
    desk.send("isready", "quit")
    assert desk.service._seconds_to_wait() == pytest.approx(0.8)
    assert desk.pass_time(0.7) == []
    assert desk.ended is None
    assert desk.pass_time(0.2) == []
    assert desk.ended == 0


@pytest.mark.parametrize("state", STATES)
def test_a_signal_ends_with_its_status(state: str) -> None:
    desk = in_state(state)
    interrupt(desk, 143)
    assert desk.send() == []
    assert desk.ended == 143


def test_lines_that_could_not_be_read_are_one_error_each(desk: Desk) -> None:
    assert kinds(desk.send(LineError.TOO_LONG, LineError.BAD_ENCODING)) == [
        "error line-too-long",
        "error bad-encoding",
    ]
    desk.send("go infinite")
    assert kinds(desk.send(LineError.TOO_LONG)) == ["error line-too-long"]


# -- the same dialogue in disguise -------------------------------------------------------------------------

DIALOGUE = (
    "uoi",
    ROOT,
    "display",
    "query p1turn",
    "setboard startpos moves f5 e3",
    "go depth",
    "undo",
    "display",
)


DISGUISES: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "CR": lambda data: data.replace(b"\n", b"\r"),
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "tabs": lambda data: data.replace(b" ", b"\t"),
    "blanks": lambda data: data.replace(b" ", b"   ").replace(b"\n", b"  \n "),
    "remarks": lambda data: data.replace(b"\n", b"\n\n# remark \xe9\n"),
    "upper case": lambda data: data.upper(),
    "no last line end": lambda data: data.removesuffix(b"\n"),
}


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disturbed_dialogue_is_answered_like_a_clean_one(name: str) -> None:
    def answers(data: bytes) -> list[str]:
        splitter = LineSplitter()
        desk = Desk()
        items = list(itertools.chain(splitter.feed(data), splitter.finish()))
        return [line.lower() for line in desk.send(*items)]

    clean = "\n".join((*DIALOGUE, "")).encode()
    assert answers(DISGUISES[name](clean)) == answers(clean)
