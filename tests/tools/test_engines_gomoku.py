"""Engines of Gomoku seen from outside: what Gomocup's and the native driver say, and how answers are read."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from othello_engine.gomoku.position import GomokuPosition, parse_cell
from othello_engine.types import BLACK, WHITE
from tests.tools.players import playing
from tools.engines.drivers import Answer, Evaluation, FaultError, FaultKind, Setup, untold_limits
from tools.engines.spec import EngineSpec, Limits

FAKE = Path(__file__).with_name("fake_gomoku.py")
START = GomokuPosition.start()


def fake(behaviour: str = "good", dialect: str = "gomocup", **more: object) -> EngineSpec:
    return EngineSpec("fake", (sys.executable, str(FAKE), dialect, behaviour), dialect, **more)  # type: ignore[arg-type]


def moves(text: str, size: int = 15) -> tuple[int, ...]:
    return tuple(cell for cell, _ in GomokuPosition.start(size).follow(text))


def told(
    tmp_path: Path, spec: EngineSpec, setup: Setup, rest: Sequence[str], clock_s: float | None = None
) -> list[str]:
    """What a program reads when it is asked, then told its own move and one of its opponent's, and asked again for each
    of `rest`; then it is ended.
    """
    log = tmp_path / "log"
    log.unlink(missing_ok=True)
    fields = {name: getattr(spec, name) for name in EngineSpec.__dataclass_fields__}
    spec = EngineSpec(**{**fields, "command": (*spec.command, "--log", str(log))})
    side, size = setup.start.side ^ len(setup.moves) % 2, setup.start.size  # type: ignore[union-attr]
    with playing(spec) as player:
        player.start_game(setup)
        for name in ["", *rest]:
            if name:
                player.played(1 - side, parse_cell(name, size), 0.0)
            answer = player.choose(side, clock_s, 5.0)
            player.played(side, parse_cell(answer.text, size), answer.seconds)
        player.drop(politely=True)
    return log.read_text().splitlines()


def choice(behaviour: str, setup: Setup | None = None, n: int = 1, patience_s: float = 5.0) -> Answer:
    """The nth answer of a fake that plays black; its opponent plays from the lower right corner."""
    with playing(fake(behaviour)) as player:
        player.start_game(setup or Setup(START, ()))
        for i in range(n):
            answer = player.choose(BLACK, None, patience_s)
            if i < n - 1:
                player.played(BLACK, parse_cell(answer.text, 15), 0.0)
                player.played(WHITE, 224 - i, 0.0)
        return answer


ABOUT, INFO = "ABOUT", ["INFO max_memory 367001600", "INFO game_type 1"]
NO_CLOCK = "INFO time_left 2147483647"


def test_the_first_player_begins_and_is_told_only_what_is_new(tmp_path: Path) -> None:
    limits = Limits(move_s=0.07, depth=3, nodes=500)
    lines = told(tmp_path, fake(limits=limits), Setup(START, ()), ["h10", "c2"])
    assert lines == [
        *[ABOUT, "START 15", *INFO, "INFO timeout_turn 70", "INFO timeout_match 0"],
        *["INFO max_depth 3", "INFO max_node 500", "INFO rule 0", ABOUT],
        *[NO_CLOCK, "BEGIN", NO_CLOCK, "TURN 7,9", NO_CLOCK, "TURN 2,1", "END"],
    ]


def test_the_second_player_is_told_the_first_move(tmp_path: Path) -> None:
    with playing(fake()) as player:
        player.start_game(Setup(START, ()))
        player.played(BLACK, parse_cell("h10", 15), 0.0)
        assert player.choose(WHITE, None, 5.0).text == "a1"
    lines = told(tmp_path, fake(), Setup(START, moves("h10")), ["c2"])
    assert lines[-5:] == [NO_CLOCK, "TURN 7,9", NO_CLOCK, "TURN 2,1", "END"]


def test_an_opening_is_told_as_a_board_in_the_order_of_its_moves(tmp_path: Path) -> None:
    lines = told(tmp_path, fake(), Setup(GomokuPosition.start(20), moves("t1b7c2", 20)), ["o20"])
    assert lines[1] == "START 20"
    after = lines[lines.index(NO_CLOCK) :]
    assert after == [NO_CLOCK, "BOARD", "19,0,2", "1,6,1", "2,1,2", "DONE", NO_CLOCK, "TURN 14,19", "END"]
    black = Setup(START, moves("h8i10"))
    assert told(tmp_path, fake(), black, [])[-5:] == ["BOARD", "7,7,1", "8,9,2", "DONE", "END"]


def test_the_opponents_move_behind_an_opening_stands_on_the_board(tmp_path: Path) -> None:
    log = tmp_path / "log"
    spec = fake()
    spec = EngineSpec("fake", (*spec.command, "--log", str(log)), "gomocup")
    with playing(spec) as player:
        player.start_game(Setup(START, moves("h8i10")))
        player.played(BLACK, parse_cell("b1", 15), 0.0)
        assert player.choose(WHITE, None, 5.0).text == "a1"
        player.drop(politely=True)
    assert log.read_text().splitlines()[-6:-1] == ["BOARD", "7,7,2", "8,9,1", "1,0,2", "DONE"]


def test_a_board_that_was_set_up_is_told_with_its_blocked_cells(tmp_path: Path) -> None:
    start = GomokuPosition.from_text("#XO" + "-" * 97, WHITE)
    lines = told(tmp_path, fake(), Setup(start, ()), ["d2"])
    assert lines[-8:] == ["BOARD", "0,0,3", "1,0,2", "2,0,1", "DONE", NO_CLOCK, "TURN 3,1", "END"]
    blocked = GomokuPosition.from_text("#" + "-" * 99, BLACK)
    assert told(tmp_path, fake(), Setup(blocked, ()), [])[-4:] == ["BOARD", "0,0,3", "DONE", "END"]


def test_the_clock_is_told_before_every_request(tmp_path: Path) -> None:
    lines = told(tmp_path, fake(limits=Limits(clock_s=60, increment_s=1)), Setup(START, ()), ["o15"], clock_s=12.3456)
    assert [line for line in lines if "time" in line] == [
        *["INFO timeout_turn 60000", "INFO timeout_match 60000"],
        *["INFO time_left 12346", "INFO time_left 12346"],
    ]


def test_without_a_limit_in_time_none_is_told(tmp_path: Path) -> None:
    lines = told(tmp_path, fake(limits=Limits(depth=4)), Setup(START, ()), [])
    assert not [line for line in lines if "timeout_turn" in line]
    assert untold_limits(fake(limits=Limits(move_s=1, clock_s=1, depth=3, nodes=5))) == ()


def test_options_are_information_and_take_the_place_of_what_is_told_otherwise(tmp_path: Path) -> None:
    options = (("MAX_MEMORY", "1000"), ("thread_num", "2"), ("folder", "/tmp/a b"), ("rule", "4"))
    lines = told(tmp_path, fake(options=options), Setup(START, ()), [])
    assert [line for line in lines if line.startswith("INFO") and "time" not in line] == [
        *["INFO game_type 1", "INFO MAX_MEMORY 1000", "INFO thread_num 2", "INFO folder /tmp/a b", "INFO rule 4"],
        "INFO rule 0",  # the last word: nothing else is judged
    ]


def test_every_game_starts_anew_in_the_same_process(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with playing(EngineSpec("fake", (*fake().command, "--log", str(log)), "gomocup")) as player:
        for size in (15, 12, 12):
            player.start_game(Setup(GomokuPosition.start(size), moves("b1", size)))
            assert player.choose(WHITE, None, 5.0).text == "a1"
        player.drop(politely=True)
    lines = log.read_text().splitlines()
    assert [line for line in lines if line.startswith(("START", "END"))] == ["START 15", "START 12", "START 12", "END"]


@pytest.mark.parametrize("behaviour", ["nameless", "unknowing"])
def test_a_program_without_a_name_plays_as_well(tmp_path: Path, behaviour: str) -> None:
    before = time.perf_counter()
    lines = told(tmp_path, fake(behaviour), Setup(START, ()), ["o15"])
    assert lines.count(ABOUT) == 1
    assert time.perf_counter() - before < 15


@pytest.mark.parametrize("behaviour", ["chatter", "complaining", "crlf", "slow", "doubling"])
def test_what_else_is_said_is_no_answer(behaviour: str) -> None:
    answer = choice(behaviour, n=2, patience_s=10.0)
    assert answer.text == "b1"


def test_column_and_row_are_not_swapped() -> None:
    assert choice("solving:7,9").text == "h10"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("MESSAGE depth 12-24 ev 35 n 1450K n/ms 1100 tm 1318 pv H8 I9 G7", Evaluation(35.0, 12, 1_450_000)),
        ("MESSAGE Depth 12-24 | Eval -35 | Time 1318ms | H8 I9 G7", Evaluation(-35.0, 12, None)),
        ("MESSAGE Speed 1100K | Depth 9-24 | Eval 35 | Node 1.5M | Time 1318ms", Evaluation(35.0, 9, 1_500_000)),
        ("MESSAGE depth 9 ev 31 nodes 120000 nps 400000 tm 300", Evaluation(31.0, 9, 120_000)),
        ("MESSAGE depth 9 ev 31 n 1|MESSAGE depth 11 ev +M7 nodes 51000", Evaluation(None, 11, 51_000, 7)),
        ("MESSAGE depth 3-4 ev -M12 n 1K", Evaluation(None, 3, 1000, -12)),
        ("MESSAGE depth 9 ev 31|DEBUG hash 3 %, n/ms 5", Evaluation(31.0, 9, None)),
        ("MESSAGE hello", Evaluation()),
    ],
)
def test_what_it_says_of_its_move_is_read_in_every_layout(said: str, expected: Evaluation) -> None:
    assert choice(f"saying:{said}").evaluation == expected


@pytest.mark.parametrize(
    ("behaviour", "text"),
    [("outside", "15,3"), ("spaced", "7, 8"), ("tailed", "7,8,1"), ("passing", "-1,-1"), ("occupied", "a1")],
)
def test_an_answer_is_taken_as_it_was_given(behaviour: str, text: str) -> None:
    """A judge has to see what was wrong."""
    assert choice(behaviour, n=3).text == text


@pytest.mark.parametrize(
    ("behaviour", "kind", "text"),
    [
        ("error", FaultKind.REFUSAL, "TURN 13,14: ERROR told to refuse"),
        ("unknown", FaultKind.REFUSAL, "TURN 13,14: UNKNOWN told not to know"),
        ("suggesting", FaultKind.REFUSAL, "SUGGEST 9,9"),
        ("crashing", FaultKind.CRASH, "told to crash"),
        ("silent", FaultKind.HANG, "no answer in time"),
        ("no-start", FaultKind.CRASH, "told not to start"),
        ("no-size", FaultKind.REFUSAL, "START 15: ERROR size is not supported"),
    ],
)
def test_faults_are_told_apart(behaviour: str, kind: FaultKind, text: str) -> None:
    with pytest.raises(FaultError, match=text) as fault:
        choice(behaviour, n=3, patience_s=0.5 if kind is FaultKind.HANG else 5.0)
    assert fault.value.kind is kind


def test_what_it_said_before_is_in_the_story_of_a_fault() -> None:
    with playing(fake("saying:MESSAGE thinking")) as player:
        player.start_game(Setup(START, ()))
        player.choose(BLACK, None, 5.0)
        story = player._running.program.story("it failed")
    assert "< MESSAGE thinking" in story


def test_a_program_that_never_gets_ready_is_given_up() -> None:
    before = time.perf_counter()
    with playing(fake("unready", start_limit_s=0.3)) as player, pytest.raises(FaultError) as fault:
        player.start_game(Setup(START, ()))
    assert fault.value.kind is FaultKind.HANG
    assert time.perf_counter() - before < 5


def test_a_program_that_does_not_obey_is_killed() -> None:
    with playing(fake("lasting")) as player:
        player.start_game(Setup(START, ()))
        program = player._running.program
    assert program.exit_status is not None
    assert program.pids() == []


def test_the_native_driver_speaks_of_cells(tmp_path: Path) -> None:
    spec = fake("good", "native", options=(("Game", "gomoku"), ("Threads", "1")), limits=Limits(move_s=0.1))
    lines = told(tmp_path, spec, Setup(START, moves("h10b1")), ["o15"])
    assert lines == [
        *["uoi", "setoption name Game value gomoku", "setoption name Threads value 1", "isready"],
        *["newgame", f"setboard {START.to_text()} moves h10 b1", "isready"],
        *["go time 100", "move a1 o15", "go time 100", "quit"],
    ]
    with playing(spec) as player:
        player.start_game(Setup(START, moves("h10b1")))
        answer = player.choose(BLACK, None, 5.0)
    assert (answer.text, answer.evaluation) == ("a1", Evaluation(-1.5, 7, 99))


@pytest.mark.parametrize(
    ("score", "value", "mate"),
    [
        ("cp 35", 0.35, None),
        ("raw -120", -120.0, None),
        ("mate 5", None, 5),
        ("mate -4", None, -4),
        ("odd x", None, None),
    ],
)
def test_the_native_driver_reads_every_score(score: str, value: float | None, mate: int | None) -> None:
    said = f"info depth 7 seldepth 9 sel 100 score {score} nodes 99 nps 1 time 0 hashfull 0 pv a1"
    with playing(fake(f"saying:{said}", "native")) as player:
        player.start_game(Setup(START, ()))
        assert player.choose(BLACK, None, 5.0).evaluation == Evaluation(value, 7, 99, mate)
