"""The Gomocup dialect against a scripted engine: commands, blocks, time, loading, memory, ends, garbage."""

from __future__ import annotations

import random
import string

import pytest

from othello_engine.errors import EngineError
from othello_engine.gomoku.plain import quick_move
from othello_engine.gomoku.position import BLOCKED, EMPTY, NO_CELL, GomokuPosition
from othello_engine.types import BLACK, WHITE, Limits
from protocol.gomocup import _COMMANDS, START_PATIENCE_S
from protocol.gomocup_game import Game
from protocol.gomocup_info import INSTANT_ANSWER_MS, INSTANT_DEPTH, INSTANT_NODES, INSTANT_STOP_MS
from protocol.gomocup_lines import BLOCKS, DEAD, OPPONENT, OWN, RefusedError
from protocol.gomocup_service import STOP_PATIENCE_MS
from protocol.lines import InputItem, LineError, LineSplitter
from protocol.service import Received
from tests.protocol.fake_engine import FakeEngine, interrupt
from tests.protocol.gomocup_desk import Desk, answers, line, moved, point, self_answering

ABOUT = 'name="othello-engine", version='
SIZES = range(10, 21)

IDLE = {
    "START 15": "OK",
    "start 20": "OK",
    "START 10 ": "OK",
    "start 15 15": "OK",
    "START": "ERROR a size is a whole number from 10 to 20, not ''",
    "START abc": "ERROR a size is a whole number from 10 to 20, not 'abc'",
    "START 15.0": "ERROR a size is a whole number from 10 to 20, not '15.0'",
    "START 4": "ERROR size 4 is not supported, only 10 to 20",
    "START -15": "ERROR size -15 is not supported, only 10 to 20",
    "START 21": "ERROR size 21 is not supported, only 10 to 20",
    "START 99999999999999999999": "ERROR a size is a whole number from 10 to 20, not '99999999999999999999'",
    "START 15 16": "ERROR rectangular boards are not supported",
    "START 15 15 15": "ERROR a size is a whole number from 10 to 20, not '15 15 15'",
    "RECTSTART 15,12": "ERROR rectangular boards are not supported",
    "RECTSTART 15 12": "ERROR rectangular boards are not supported",
    "RECTSTART 15,15": "ERROR START 15 is the command for a square board",
    "RECTSTART": "ERROR two sides are needed, not ''; rectangular boards are not supported",
    "RESTART": "OK",
    "TURN": "ERROR a point is x,y, not ''",
    "TURN 7": "ERROR a point is x,y, not '7'",
    "TURN 7,7,1": "ERROR a point is x,y, not '7,7,1'",
    "TURN x,y": "ERROR a point is x,y, not 'x,y'",
    "TURN 15,0": "ERROR 15,0 is not on the board",
    "TURN 0,15": "ERROR 0,15 is not on the board",
    "TURN -1,3": "ERROR -1,3 is not on the board",
    "TAKEBACK 7,7": "ERROR there is no stone on 7,7",
    "TAKEBACK": "ERROR a point is x,y, not ''",
    "PLAY 3,4": "3,4",
    "PLAY 15,4": "ERROR 15,4 is not on the board",
    "PLAY": "ERROR a point is x,y, not ''",
    "DONE": "UNKNOWN DONE",
    "HELLO": "UNKNOWN HELLO",
    "foo  bar": "UNKNOWN foo  bar",
    "7,7": "UNKNOWN 7,7",
    "STARTFOO 15": "UNKNOWN STARTFOO 15",
    "SUGGEST 7,7": "UNKNOWN SUGGEST 7,7",
    "yxshowforbid": "FORBID .",
    "yxnbest x": "ERROR a number of moves is needed, not 'x'",
    "yxnbest 0": "ERROR a number of moves is needed, not '0'",
    "yxbalanceone much": "ERROR a value is needed, not 'much'",
    "yxquerydatabaseall": "UNKNOWN yxquerydatabaseall",
}
"""Lines that are answered at once on an empty board of 15, and their one answer."""

SILENT = (
    "",
    "  ",
    "\t",
    "INFO",
    "INFO timeout_turn",
    "INFO timeout_turn soon",
    "INFO timeout_turn 1000",
    "info TIMEOUT_MATCH 100000",
    "INFO time_left -5",
    "INFO time_left 2147483647",
    "INFO max_memory 367001600",
    "INFO game_type 1",
    "INFO rule 0",
    "INFO evaluate 7,7",
    "INFO folder C:\\some folder\\with blanks",
    "INFO max_depth 10",
    "INFO max_node 0",
    "INFO hash_size 65536",
    "INFO thread_num 2",
    "INFO thread_split_depth 8",
    "INFO time_increment 100",
    "INFO caution_factor 3",
    "INFO pondering 1",
    "INFO show_detail 0",
    "INFO checkmate 0",
    "INFO vcthread 0",
    "INFO nbestsym 1",
    "INFO usedatabase 0",
    "INFO strength 100",
    "INFO unknown 1 2 3",
    "INFO foo 3",
    "YXSTOP",
    "stop",
    "yxhashclear",
    "yxblockreset",
)
"""Lines that are never answered."""


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    assert desk.send("START 15") == ["OK"]
    return desk


def searching(*lines: str, **options: object) -> Desk:
    """A desk where a move is searched for behind these lines; without any, for TURN 7,7 on a board of 15."""
    desk = Desk(**options)  # type: ignore[arg-type]
    assert desk.send("START 15") == ["OK"]
    assert desk.send(*(lines or ("INFO timeout_turn 5000", "TURN 7,7"))) == []
    assert desk.engine.is_searching
    return desk


def rowless_moves() -> list[tuple[int, int]]:
    """A hundred pairs of moves on a board of 15 that give nobody a row of five."""
    colour = [(cell % 15 // 2 + cell // 15) % 2 for cell in range(225)]
    black = [cell for cell in range(225) if colour[cell] == 0]
    white = [cell for cell in range(225) if colour[cell] == 1]
    return list(zip(black[:100], white[:100], strict=True))


# -- commands ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", IDLE)
def test_what_is_answered_at_once(desk: Desk, text: str) -> None:
    assert desk.send(text) == [IDLE[text]]
    assert desk.send(f"ABOUT{text[:0]}")[0].startswith(ABOUT)


@pytest.mark.parametrize("text", [text for text, answer in IDLE.items() if answer.split()[0] in ("ERROR", "UNKNOWN")])
def test_what_is_refused_changes_nothing(desk: Desk, text: str) -> None:
    desk.send("TURN 7,9")
    assert desk.finish("a1") == ["0,0"]
    before = desk.service.game
    assert len(desk.send(text)) == 1
    assert desk.service.game == before


@pytest.mark.parametrize("text", SILENT)
def test_what_is_never_answered(desk: Desk, text: str) -> None:
    assert desk.send(text) == []
    assert searching().send(text) == (["0,0"] if text in ("YXSTOP", "stop") else [])
    assert Desk().send(text) == []


def test_about_comes_before_anything_is_loaded() -> None:
    desk = Desk(cold=True)
    (about,) = desk.send("about")
    assert about.startswith(ABOUT)
    assert about[0] == "n", "one manager takes a line that begins with N for a refusal"


@pytest.mark.parametrize(
    "text",
    ["TURN 7,7", "BEGIN", "RESTART", "TAKEBACK 7,7", "PLAY 7,7", "yxnbest 2", "yxbalanceone 0", "yxsearchdefend"],
)
def test_nothing_can_be_played_before_start(text: str) -> None:
    assert Desk().send(text) == ["ERROR there is no board yet; START comes first"]


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_a_block_before_start_has_one_answer(name: str) -> None:
    assert Desk().send(name, "7,7,1", "8,8,2", "DONE") == ["ERROR there is no board yet; START comes first"]


def test_lines_end_in_every_way_and_are_read_in_every_case() -> None:
    for text in (b"start 15\n", b"START 15 \r\n", b"\xef\xbb\xbfStart\t15\r", b"  START   15  \n"):
        assert Desk().send(*LineSplitter().feed(text)) == ["OK"]


def test_a_line_that_arrives_in_pieces_is_one_line() -> None:
    splitter, desk = LineSplitter(), Desk()
    items = [item for part in (b"STA", b"RT 1", b"5\r", b"\nABO", b"UT\n") for item in splitter.feed(part)]
    said = desk.send(*items)
    assert said[0] == "OK"
    assert said[1].startswith(ABOUT)
    assert len(said) == 2


# -- moves -------------------------------------------------------------------------------------------------


def test_begin_is_for_an_empty_board(desk: Desk) -> None:
    assert desk.send("BEGIN") == []
    assert desk.searched == GomokuPosition.start()
    assert desk.finish("h8") == ["7,7"]
    assert desk.send("BEGIN") == ["ERROR the board is not empty"]


def test_x_is_the_column_and_y_the_row(desk: Desk) -> None:
    desk.send("TURN 7,9")
    assert desk.searched.cells[9 * 15 + 7] == 1
    assert desk.searched == GomokuPosition.start().play("h10")
    assert desk.finish(2 * 15 + 11) == ["11,2"]
    desk.send("TURN 0,14")
    assert desk.searched == GomokuPosition.from_moves("h10l3a15")


def test_moves_are_written_as_they_are_on_every_size() -> None:
    for size in SIZES:
        desk = Desk()
        desk.send(f"START {size}", f"TURN {size - 1},0")
        assert desk.searched == GomokuPosition.start(size).play(size - 1)
        assert desk.finish((size - 1) * size + 1) == [f"1,{size - 1}"]


def test_turn_to_an_occupied_cell_is_refused_once_and_changes_nothing(desk: Desk) -> None:
    desk.send("TURN 7,7")
    desk.finish("a1")
    for text in ("TURN 7,7", "TURN 0,0"):
        assert desk.send(text) == [f"ERROR {text.split()[1]} is not empty"]
    assert desk.position == GomokuPosition.from_moves("h8a1")


def test_there_is_one_line_with_a_point_for_each_request(desk: Desk) -> None:
    for other, own in rowless_moves():
        assert desk.send(f"TURN {other % 15},{other // 15}") == []
        desk.engine.report(line(own), line(own, depth=6))
        assert desk.finish(own) == [f"{own % 15},{own // 15}"]


def test_restart_empties_the_board_and_tells_the_engine(desk: Desk) -> None:
    desk.send("TURN 7,7")
    desk.finish("a1")
    assert desk.send("RESTART") == ["OK"]
    assert desk.engine.names()[-1] == "new_game"
    assert desk.position == GomokuPosition.start()
    desk.send("BEGIN")
    assert desk.searched == GomokuPosition.start()
    assert desk.finish("h8") == ["7,7"]


def test_start_again_is_a_new_game_of_another_size(desk: Desk) -> None:
    desk.send("TURN 7,7")
    desk.finish("a1")
    assert desk.send("START 20") == ["OK"]
    assert desk.position == GomokuPosition.start(20)


def test_a_stone_can_be_taken_back_by_its_name(desk: Desk) -> None:
    desk.send("TURN 7,7")
    desk.finish("a1")
    desk.send("TURN 8,8")
    desk.finish("a2")
    assert desk.send("TAKEBACK 0,1", "TAKEBACK 8,8", "TAKEBACK 8,8") == [
        "OK",
        "OK",
        "ERROR there is no stone on 8,8",
    ]
    assert desk.position == GomokuPosition.from_moves("h8a1")
    desk.send("TURN 8,8")
    assert desk.searched == GomokuPosition.from_moves("h8a1i9")


def test_play_is_an_own_stone(desk: Desk) -> None:
    assert desk.send("PLAY 9,9") == ["9,9"]
    desk.send("TURN 3,3")
    assert desk.searched == GomokuPosition.from_moves("j10d4")


def test_the_last_empty_cell_is_played_without_a_search(desk: Desk) -> None:
    rows = [f"{x},{y},{1 + (x // 2 + y) % 2}" for y in range(15) for x in range(15) if (x, y) != (4, 11)]
    calls = len(desk.engine.calls)
    assert desk.send("BOARD", *rows, "DONE") == ["4,11"]
    assert "go" not in desk.engine.names()[calls:]
    assert desk.send("TURN 1,1") == ["ERROR 1,1 is not empty"]
    assert desk.send("yxnbest 1") == ["ERROR no cell is empty"]


def test_where_the_game_is_over_there_is_a_move_all_the_same(desk: Desk) -> None:
    said = desk.send("BOARD", *(f"{x},7,2" for x in range(5)), "0,0,1", "DONE")
    assert len(moved(said)) == 1
    assert "go" not in desk.engine.names()


# -- boards ------------------------------------------------------------------------------------------------


def board(*stones: str, end: str = "DONE", name: str = "BOARD") -> list[str]:
    return [name, *stones, end]


def test_a_board_takes_the_place_of_the_old_one(desk: Desk) -> None:
    desk.send("TURN 7,7")
    desk.finish("a1")
    assert desk.send(*board("3,3,2", "4,4,1", "5,6,2")) == []
    assert desk.searched == GomokuPosition.from_moves("d4e5f7")
    assert desk.finish("a1") == ["0,0"]
    desk.send("TURN 9,9")
    assert desk.searched == GomokuPosition.from_moves("d4e5f7a1j10")


def test_stones_may_come_in_any_order_and_number(desk: Desk) -> None:
    stones = [f"{x},0,1" for x in range(0, 18, 2) if x < 15] + ["1,3,2", "3,3,2", "5,3,2"]
    for seed in range(3):
        random.Random(seed).shuffle(stones)
        desk.send(*board(*stones))
        assert desk.searched.n_empties == 225 - len(stones)
        own = desk.searched.side
        assert (desk.searched.n_stones(own), desk.searched.n_stones(1 - own)) == (8, 3)
        assert moved(desk.finish()) == ["1,0"]


def test_an_empty_board_is_the_first_move(desk: Desk) -> None:
    for end in ("DONE", "done", " Done "):
        desk.send("board", end)
        assert desk.searched == GomokuPosition.start()
        assert desk.finish("h8") == ["7,7"]


def test_who_is_to_move_is_found_from_the_stones(desk: Desk) -> None:
    for stones, side in (((), BLACK), (("1,1,2",), WHITE), (("1,1,2", "3,2,1"), BLACK), (("1,1,1",), WHITE)):
        desk.send(*board(*stones))
        assert desk.searched.side == side
        desk.finish()


def test_a_dead_cell_is_blocked(desk: Desk) -> None:
    desk.send(*board("7,7,2", "8,8,3"))
    assert desk.searched.cells[8 * 15 + 8] == BLOCKED
    desk.finish("a1")
    assert desk.send("TURN 8,8") == ["ERROR 8,8 is not empty"]
    assert desk.send("TAKEBACK 8,8") == ["ERROR there is no stone on 8,8"]


@pytest.mark.parametrize(
    ("stones", "problem"),
    [
        (("7,7,2", "7,7,1"), "7,7 is not empty"),
        (("7,7,4",), "a field is 1, 2 or 3, not 4"),
        (("7,7",), "the field is missing in a line of BOARD"),
        (("15,7,1",), "15,7 is not on the board"),
        (("hello",), "a stone is x,y,field, not 'hello'"),
        (("", "hello", "7,7,1", "x"), "a stone is x,y,field, not ''"),
        (("7,7,1,1",), "a stone is x,y,field, not '7,7,1,1'"),
    ],
)
def test_a_bad_board_has_one_answer_when_it_is_done(desk: Desk, stones: tuple[str, ...], problem: str) -> None:
    desk.send("TURN 7,9")
    desk.finish("a1")
    before = desk.service.game
    lines = board(*(stone for stone in stones if stone))
    problem = problem if "" not in stones else "a stone is x,y,field, not 'hello'"
    assert desk.send(*lines[:-1]) == []
    assert desk.send(lines[-1]) == [f"ERROR {problem}"]
    assert desk.service.game == before


def test_a_block_that_is_left_is_told_of_and_what_follows_is_done(desk: Desk) -> None:
    assert desk.send("BOARD", "7,7,1", "RESTART") == ["ERROR BOARD without DONE", "OK"]
    assert desk.send("BOARD", "7,7,1", "BOARD", "DONE") == ["ERROR BOARD without DONE"]
    assert desk.searched == GomokuPosition.start()


def test_info_may_come_within_a_board(desk: Desk) -> None:
    assert desk.send("BOARD", "INFO timeout_turn 3000", "7,7,2", "YXSTOP", "DONE") == []
    assert desk.engine.limits is not None
    assert desk.engine.limits.move_time_ms == 3000


def test_too_many_lines_are_refused_when_the_board_is_done(desk: Desk) -> None:
    assert desk.send(*board(*["1,1,1"] * 1500)) == ["ERROR BOARD has at most 1000 points"]


# -- time --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "limits"),
    [
        ((), Limits()),
        (("INFO timeout_turn 5000",), Limits(move_time_ms=5000)),
        (("INFO timeout_turn 5000", "INFO time_left 100000"), Limits(move_time_ms=5000, white_ms=100_000)),
        (("INFO timeout_match 90000",), Limits(white_ms=90_000)),
        (("INFO timeout_match 90000", "INFO time_left 7000"), Limits(white_ms=7_000)),
        (("INFO timeout_match 0", "INFO time_left 2147483647"), Limits()),
        (("INFO timeout_match 90000", "INFO time_left 2147483647"), Limits()),
        (("INFO timeout_turn 2147483647",), Limits()),
        (("INFO max_depth 6", "INFO max_node 5000"), Limits(depth=6, nodes=5000)),
        (("INFO max_depth 0", "INFO max_node 0", "INFO timeout_turn 900"), Limits(move_time_ms=900)),
        (
            ("INFO time_increment 500", "INFO time_left 60000"),
            Limits(white_ms=60_000, white_increment_ms=500),
        ),
        (("INFO timeout_turn 5000", "INFO timeout_turn x"), Limits(move_time_ms=5000)),
    ],
)
def test_what_limits_a_move(lines: tuple[str, ...], limits: Limits) -> None:
    desk = searching(*lines, "TURN 7,7")
    assert desk.engine.limits == Limits(**{**_fields(limits), "multipv": 1})  # type: ignore[arg-type]


def _fields(limits: Limits) -> dict[str, object]:
    return {name: getattr(limits, name) for name in Limits.__dataclass_fields__}


def test_what_was_said_before_start_still_holds() -> None:
    desk = Desk()
    desk.send("INFO timeout_turn 1000", "INFO time_left 50000", "START 15", "BEGIN")
    assert desk.engine.limits == Limits(move_time_ms=1000, black_ms=50_000, multipv=1)


def test_a_margin_is_kept_even_if_the_option_says_none() -> None:
    desk = searching("INFO timeout_turn 1000", "TURN 7,7", MoveOverhead=0)
    assert desk.engine.limits == Limits(move_time_ms=970, multipv=1)


@pytest.mark.parametrize(
    "lines",
    [
        ("INFO timeout_turn 0",),
        ("INFO timeout_turn 30",),
        ("INFO timeout_turn 1000", "INFO time_left 0"),
        ("INFO timeout_turn 1000", "INFO time_left -500"),
        ("INFO time_left 100",),
        ("INFO timeout_turn 0", "INFO max_depth 50"),
    ],
)
def test_where_there_is_no_time_a_move_is_made_at_once(lines: tuple[str, ...]) -> None:
    desk = searching(*lines, "TURN 7,7")
    assert desk.engine.limits == Limits(depth=INSTANT_DEPTH, nodes=INSTANT_NODES, multipv=1)
    desk.engine.stops_at_once = False
    assert desk.pass_time(INSTANT_STOP_MS / 1000 + 0.001) == []
    assert desk.engine.names()[-1] == "stop"
    assert len(moved(desk.pass_time((INSTANT_ANSWER_MS - INSTANT_STOP_MS) / 1000))) == 1


def test_the_match_is_counted_where_nobody_else_does(desk: Desk) -> None:
    desk.send("INFO timeout_match 10000", "TURN 7,7")
    desk.now += 2.5
    desk.finish("a1")
    desk.now += 100  # the opponent's
    desk.send("TURN 8,8")
    assert desk.engine.limits == Limits(white_ms=7_500, multipv=1)
    desk.now += 1
    desk.finish("a2")
    desk.send("RESTART", "TURN 7,7")
    assert desk.engine.limits == Limits(white_ms=10_000, multipv=1)


def test_a_clock_that_was_shown_goes_on_and_ends_with_the_game(desk: Desk) -> None:
    desk.send("INFO time_left 10000", "TURN 7,7")
    desk.now += 2
    desk.finish("a1")
    desk.send("TURN 8,8")
    assert desk.engine.limits == Limits(white_ms=8_000, multipv=1)
    desk.finish("a2")
    desk.send("RESTART", "TURN 7,7")
    assert desk.engine.limits == Limits(multipv=1)


def test_the_time_of_a_move_begins_when_its_line_comes() -> None:
    desk = Desk()
    desk.send("START 15", "INFO timeout_turn 5000")
    desk.service.post(Received("TURN 7,7"))
    desk.now += 1.5  # the service was busy
    desk.said()
    assert desk.engine.limits == Limits(move_time_ms=3500, multipv=1)


def test_a_request_that_waited_for_another_has_its_whole_time() -> None:
    desk = searching()
    assert desk.send("TURN 8,8") == []
    desk.now += 3
    assert desk.finish("a1") == ["0,0"]
    assert desk.engine.limits == Limits(move_time_ms=5000, multipv=1)


# -- messages ----------------------------------------------------------------------------------------------


def test_a_move_has_a_last_message_right_before_it() -> None:
    desk = searching()
    desk.now += 1
    desk.engine.finish(0, lines=(line(0, 16, depth=12),), nodes=5)
    assert desk.said() == ["MESSAGE depth 12-14 ev 10 n 1200 n/ms 100 tm 12 pv A1 B2", "0,0"]


def test_messages_come_only_while_there_is_plenty_of_time() -> None:
    desk = searching()
    desk.engine.report(line(0, depth=1))
    assert len(desk.said()) == 1
    desk.now += 2.9
    desk.engine.report(line(0, depth=2))
    assert len(desk.said()) == 1
    desk.now += 0.2
    desk.engine.report(line(0, depth=3))
    assert desk.said() == []
    desk.engine.finish(0, lines=(line(0, depth=3),))
    assert [text.split()[0] for text in desk.said()] == ["MESSAGE", "0,0"]


def test_a_short_move_has_one_message() -> None:
    desk = searching("INFO timeout_turn 150", "TURN 7,7")
    desk.engine.report(line(0, depth=1), line(0, depth=2))
    assert desk.said() == []
    desk.engine.finish(0, lines=(line(0, depth=2),))
    assert [text.split()[0] for text in desk.said()] == ["MESSAGE", "0,0"]


def test_messages_are_no_flood() -> None:
    desk = searching("TURN 7,7")
    for depth in range(1, 60):
        desk.engine.report(line(0, depth=depth))
    assert len(desk.said()) == 1
    assert len(desk.pass_time(1)) == 1


def test_marks_for_a_board_that_wants_them() -> None:
    desk = searching("INFO show_detail 1", "TURN 7,7")
    desk.engine.report(line(16))
    assert desk.said()[-1] == "MESSAGE REALTIME BEST 1,1"
    desk.engine.finish(16)
    assert desk.said() == ["MESSAGE REALTIME REFRESH", "1,1"]


# -- loading -----------------------------------------------------------------------------------------------


def test_start_is_answered_when_the_engine_has_loaded() -> None:
    desk = Desk(cold=True)
    assert desk.send("START 15") == []
    desk.engine.say("compiling 3 of 57 kernels")
    assert desk.said() == ["MESSAGE compiling 3 of 57 kernels"]
    desk.engine.ready.set()
    assert desk.wait_for("OK") == ["OK"]
    desk.engine.say("something else")
    assert desk.said() == []


def test_start_does_not_wait_for_ever() -> None:
    desk = Desk(cold=True)
    assert desk.send("START 15") == []
    assert desk.pass_time(START_PATIENCE_S - 0.01) == []
    assert desk.pass_time(0.02) == ["OK"]
    assert desk.pass_time(100) == []
    desk.engine.ready.set()
    assert desk.pass_time(1) == []


@pytest.mark.parametrize("text", ["START 15", "ABOUT", "RESTART", "FOO", "TURN 7", "yxshowforbid"])
def test_whoever_goes_on_has_the_answer_to_start_first(text: str) -> None:
    desk = Desk(cold=True)
    assert desk.send("START 15", "INFO timeout_turn 1000", "INFO rule 0") == []
    first, *rest = desk.send(text)
    assert first == "OK"
    assert len(rest) == (0 if text == "START 15" else 1)


@pytest.mark.parametrize("request_", [("BEGIN",), ("TURN 7,7",), ("BOARD", "7,7,2", "DONE")])
def test_a_move_that_can_t_be_searched_for_in_time_comes_without_a_search(request_: tuple[str, ...]) -> None:
    desk = Desk(cold=True)
    assert desk.send("START 15", "INFO timeout_turn 1000", "INFO time_left 9000", *request_) == ["OK"]
    assert "go" not in desk.engine.names()
    assert desk.pass_time(0.82) == []
    note, move = desk.pass_time(0.01)
    assert note == "MESSAGE there was no time for a search: a move at a glance"
    assert move == (point("h8") if request_ == ("BEGIN",) else move)
    assert desk.position.n_stones(BLACK) + desk.position.n_stones(WHITE) == (1 if request_ == ("BEGIN",) else 2)


def test_a_move_waits_for_the_engine_as_long_as_its_time_allows() -> None:
    desk = Desk(cold=True)
    desk.send("START 15", "INFO timeout_turn 5000", "TURN 7,7")
    desk.now += 2
    desk.engine.ready.set()
    while not desk.engine.is_searching:
        desk.service.handle(desk.service._events.get(timeout=5))
    assert desk.engine.limits == Limits(move_time_ms=3000, multipv=1)
    assert desk.finish("a1") == ["0,0"]


def test_a_line_that_was_sent_before_the_program_was_up_has_waited_for_it() -> None:
    desk = Desk()
    desk.service.head_start_s = 0.25
    for text in ("START 15", "INFO timeout_turn 5000", "BEGIN"):
        desk.service.post(Received(text))
    desk.said()
    assert desk.engine.limits == Limits(move_time_ms=4750, multipv=1)
    desk.finish("h8")
    desk.now += 1
    desk.service.post(Received("TURN 1,1"))
    desk.said()
    assert desk.engine.limits == Limits(move_time_ms=5000, multipv=1)


def test_no_more_than_a_share_of_the_clock_is_waited_for_the_engine() -> None:
    desk = Desk(cold=True)
    desk.send("START 15", "INFO timeout_turn 30000", "INFO time_left 7000", "TURN 7,7")
    assert desk.pass_time(0.84) == []
    assert len(moved(desk.pass_time(0.02))) == 1


def test_a_process_that_was_suspended_at_its_start_answers_in_time() -> None:
    """The judge's way: START and INFO at once, then nothing of us runs until a move is asked for."""
    desk = Desk(cold=True)
    desk.send("START 15", "INFO timeout_turn 5000", "INFO timeout_match 100000", "INFO max_memory 367001600")
    desk.now += 60
    for text in ("INFO time_left 100000", "BOARD", "DONE"):
        desk.service.post(Received(text))
    assert desk.said() == ["OK"]
    desk.engine.ready.set()
    while not desk.engine.is_searching:
        desk.service.handle(desk.service._events.get(timeout=5))
    assert desk.engine.limits == Limits(move_time_ms=5000, black_ms=100_000, multipv=1)
    assert desk.finish("h8") == ["7,7"]


def test_a_move_without_any_limit_waits_for_the_engine() -> None:
    desk = Desk(cold=True)
    assert desk.send("START 15", "BEGIN") == ["OK"]
    assert desk.pass_time(1000) == []
    desk.engine.ready.set()
    while not desk.engine.is_searching:
        desk.service.handle(desk.service._events.get(timeout=5))
    assert desk.finish("h8") == ["7,7"]


def broken(engine: FakeEngine) -> None:
    engine.broken = "no memory"


def test_an_engine_that_can_t_load_is_told_of_by_start() -> None:
    desk = Desk(prepare=broken)
    desk.send("START 15")
    assert desk.wait_for("ERROR .*") == ["ERROR internal error: no memory"]


def test_with_an_engine_that_can_t_load_there_are_moves_all_the_same() -> None:
    desk = Desk(prepare=broken)
    desk.send("START 15")
    desk.wait_for("ERROR .*")
    for number in range(3):
        desk.send(f"TURN {number},0")
        said = desk.wait_for(r"\d+,\d+")
        assert said[0] == "MESSAGE internal error: no memory"
        assert len(moved(said)) == 1


# -- stopping, and engines that are late -------------------------------------------------------------------


@pytest.mark.parametrize("word", ["YXSTOP", "STOP", "yxstop"])
def test_a_stop_brings_the_best_move_so_far(word: str) -> None:
    desk = searching("INFO timeout_turn 60000", "TURN 7,7")
    desk.engine.stops_at_once = False
    assert desk.send(word, word) == []
    assert desk.finish("a2", lines=(line(15),)) == ["0,1"]
    assert desk.send(word) == []


def test_a_stop_while_idle_is_forgotten(desk: Desk) -> None:
    assert desk.send("YXSTOP", "STOP", "TURN 7,7") == []
    assert desk.engine.is_searching
    assert "stop" not in desk.engine.names()


def test_a_stopped_search_that_says_nothing_is_not_waited_for() -> None:
    desk = searching("INFO timeout_turn 60000", "TURN 7,7")
    desk.engine.stops_at_once = False
    desk.engine.report(line(31))
    desk.said()
    assert desk.send("YXSTOP") == []
    assert moved(desk.pass_time(STOP_PATIENCE_MS / 1000 + 0.001)) == ["1,2"]


def test_a_late_engine_is_stopped_and_then_not_waited_for() -> None:
    desk = searching("INFO timeout_turn 1000", "TURN 7,7")
    desk.engine.stops_at_once = False
    desk.engine.report(line(31))
    desk.said()
    assert desk.pass_time(0.973) == []
    assert "stop" not in desk.engine.names()
    assert desk.pass_time(0.003) == []
    assert desk.engine.names()[-1] == "stop"
    assert moved(desk.pass_time(0.006)) == ["1,2"]
    assert desk.position == GomokuPosition.start().play("h8").play(31)


def test_behind_a_late_engine_the_game_goes_on() -> None:
    desk = searching("INFO timeout_turn 1000", "TURN 7,7")
    desk.engine.stops_at_once = False
    desk.pass_time(0.975)
    assert len(moved(desk.pass_time(0.01))) == 1
    empty = next(cell for cell in range(225) if desk.position.cells[cell] == EMPTY)
    assert desk.send(f"TURN {empty % 15},{empty // 15}") == []
    assert len(moved(desk.pass_time(0.98))) == 1, "the engine has not come back"
    assert desk.send("RESTART", "TURN 3,3") == ["OK"]
    assert desk.engine.names().count("go") == 1
    desk.now += 0.2
    assert desk.finish("a1") == [], "an answer that nobody waits for any more"
    assert desk.engine.names()[-3:] == ["new_game", "set_position", "go"]
    assert desk.engine.limits == Limits(move_time_ms=800, multipv=1)
    assert desk.finish("a1") == ["0,0"]
    assert desk.position == GomokuPosition.from_moves("d4a1")


def test_a_result_that_came_in_time_is_taken_even_if_we_are_late() -> None:
    desk = searching("INFO timeout_turn 1000", "TURN 7,7")
    desk.now += 3  # as if the process had been suspended
    desk.engine.finish(16)
    desk.service.handle(None)
    assert moved(desk.said()) == ["1,1"]


@pytest.mark.parametrize("cell", [NO_CELL, 112, 225, 5000])
def test_a_move_that_is_none_is_replaced_by_a_good_one(cell: int) -> None:
    desk = searching()
    desk.engine.report(line(31))
    desk.said()
    desk.engine.finish(cell)
    said = desk.said()
    assert said[0] == f"MESSAGE internal error: the search came out with the cell {cell}"
    assert moved(said) == ["1,2"]


def test_a_search_that_fails_has_a_move_all_the_same() -> None:
    desk = searching()
    desk.engine.finish(0, error="the worker died")
    said = desk.said()
    assert said[0] == "MESSAGE internal error: the worker died"
    assert len(moved(said)) == 1
    assert moved(said) != ["0,0"], "any legal move is not good enough"


def test_a_search_that_can_t_begin_has_a_move_all_the_same(desk: Desk) -> None:
    desk.engine.refuses = EngineError("out of order")
    said = desk.send("TURN 7,7")
    assert said[0] == "MESSAGE internal error: out of order"
    assert len(moved(said)) == 1
    assert len(desk.position.cells) - desk.position.n_empties == 2


def test_a_mistake_in_a_line_of_play_does_not_cost_the_move() -> None:
    desk = searching()
    desk.engine.finish(16, lines=(line(5000),))
    assert moved(desk.said()) == ["1,1"]


def test_a_fault_in_a_command_is_its_answer(desk: Desk) -> None:
    def fail() -> None:
        raise EngineError("out of order")

    desk.engine.new_game = fail  # type: ignore[method-assign]
    assert desk.send("RESTART") == ["ERROR internal error: out of order"]
    assert desk.send("ABOUT")[0].startswith(ABOUT)


def test_nothing_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    test_a_search_that_fails_has_a_move_all_the_same()
    desk = searching()
    desk.service.say_fault("something broke")
    assert desk.said() == ["MESSAGE internal error: something broke"]
    assert desk.finish("a1") == ["0,0"]
    assert capsys.readouterr().err == ""


# -- what comes during a search ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["ABOUT", "FOO", "TURN 7", "TAKEBACK 7,7", "PLAY 3,3", "yxshowforbid", "RECTSTART 9,8"]
)
def test_what_comes_during_a_search_waits_for_the_move(text: str) -> None:
    desk = searching()
    waits = text.split()[0] != "RECTSTART"
    said = desk.send(text)
    if waits:
        assert said == []
        said = desk.finish("a1")
    assert said[0] == "0,0"
    assert len(said) == 2


@pytest.mark.parametrize("text", ["START 20", "RESTART"])
def test_a_new_game_ends_the_search_of_the_old_one(text: str) -> None:
    desk = searching("INFO timeout_turn 60000", "TURN 7,7")
    assert desk.send(text) == ["0,0", "OK"]
    assert desk.position.n_empties in (225, 400)


def test_a_new_board_ends_the_search_of_the_old_one() -> None:
    desk = searching("INFO timeout_turn 60000", "TURN 7,7")
    assert desk.send("BOARD", "1,1,2", "DONE") == ["0,0"]
    assert desk.searched == GomokuPosition.start().play("b2")
    assert desk.finish("a1") == ["0,0"]


def test_lines_sent_ahead_are_answered_in_order(desk: Desk) -> None:
    said = desk.send("TURN 7,7", "TURN 7,7", "TURN 8,8", "FOO", "ABOUT", "TAKEBACK 8,8", "BOARD", "1,1,2", "DONE")
    assert said[:3] == ["0,0", "ERROR 7,7 is not empty"] or said == []
    said += desk.finish("a2") if desk.engine.is_searching else []
    said += desk.finish("a3") if desk.engine.is_searching else []
    kinds = [text.split()[0] for text in said]
    assert kinds[0] == "0,0"
    assert kinds[1] == "ERROR"
    assert kinds[3] == "UNKNOWN"
    assert said[4].startswith(ABOUT)
    assert kinds[5] == "OK"
    assert len(moved(said)) == 3


def test_info_during_a_search_is_for_the_next() -> None:
    desk = searching()
    assert desk.send("INFO timeout_turn 700", "INFO time_left 50000") == []
    desk.finish("a1")
    desk.send("TURN 8,8")
    assert desk.engine.limits == Limits(move_time_ms=700, white_ms=50_000, multipv=1)


# -- rules -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [1, 2, 4, 5, 6, 8, 9, -1, 100])
def test_a_rule_that_can_t_be_played_is_told_of_when_a_move_is_asked_for(desk: Desk, rule: int) -> None:
    problem = f"ERROR rule {rule} is not supported, only freestyle, rule 0"
    assert desk.send(f"INFO rule {rule}") == []
    for request in (["BEGIN"], ["TURN 7,7"], ["BOARD", "7,7,2", "DONE"], ["SWAP2BOARD", "DONE"], ["yxnbest 2"]):
        assert desk.send(*request) == [problem]
    assert desk.position == GomokuPosition.start()
    assert desk.send("RESTART") == ["OK"]
    assert desk.send("INFO rule 0", "BEGIN") == []
    assert desk.finish("h8") == ["7,7"]


@pytest.mark.parametrize("profile", ["strong", "classic"])
def test_a_profile_of_another_game_can_t_be_started(profile: str) -> None:
    assert Desk(profile=profile).send("START 15") == [f"ERROR the profile {profile} does not play Gomoku"]


# -- memory ------------------------------------------------------------------------------------------------


def options_of(desk: Desk) -> tuple[int, int]:
    return desk.engine.config.threads, desk.engine.config.hash_mb


def test_memory_is_shared_out_to_workers_and_table() -> None:
    desk = Desk(Threads=4, Hash=256)
    desk.send("START 15")
    for memory, expected in (
        (367001600, (2, 64)),
        (1_000_000, (1, 1)),
        (1, (1, 1)),
        (0, (4, 256)),
        (2**40, (4, 256)),
        (200 * 2**20, (1, 32)),
    ):
        assert desk.send(f"INFO max_memory {memory}") == []
        assert options_of(desk) == expected, memory


def test_the_wishes_of_a_gui_are_taken_within_the_memory() -> None:
    desk = Desk(Threads=1, Hash=256)
    desk.send("START 15", "INFO thread_num 3", "INFO hash_size 131072")
    assert options_of(desk) == (3, 128)
    desk.send("INFO max_memory 367001600")
    assert options_of(desk) == (2, 64)
    desk.send("INFO max_memory 0", "INFO hash_size 1", "INFO thread_num 100000")
    assert options_of(desk) == (256, 1)


def test_memory_that_is_said_before_start_is_known_before_the_engine_is_there() -> None:
    desk = Desk(Threads=2, Hash=256)
    desk.send("INFO max_memory 367001600")
    assert not desk.has_engine
    desk.send("START 15")
    assert options_of(desk) == (2, 64)
    assert "set_option" not in desk.engine.names()


def test_nothing_is_changed_while_a_move_is_searched_for() -> None:
    desk = searching()
    before = desk.engine.names().count("set_option")
    desk.send("INFO max_memory 1", "INFO thread_num 1")
    assert desk.engine.names().count("set_option") == before
    desk.finish("a1")
    assert options_of(desk) == (1, 1)


def test_what_is_said_in_one_go_is_changed_once() -> None:
    desk = Desk(Threads=4, Hash=256)
    desk.send("START 15")
    for text in ("INFO max_memory 367001600", "INFO thread_num 1", "INFO hash_size 32768", "TURN 7,7"):
        desk.service.post(Received(text))
    desk.said()
    changes = [call[1:] for call in desk.engine.calls if call[0] == "set_option"]
    assert changes == [("Threads", 1), ("Hash", 32)]
    assert desk.engine.names()[-1] == "go"


def test_an_engine_that_refuses_an_option_goes_on_as_it_is() -> None:
    desk = Desk(Threads=4)
    desk.send("START 15")
    desk.engine.refuses = EngineError("no")
    assert desk.send("INFO thread_num 1") == ["MESSAGE internal error: no"]
    desk.engine.refuses = None
    desk.send("TURN 7,7")
    assert desk.finish("a1") == ["0,0"]


# -- Yixin-Board -------------------------------------------------------------------------------------------


def test_a_board_without_a_request(desk: Desk) -> None:
    assert desk.send("yxboard", "7,7,1", "8,8,2", "done") == []
    assert "go" not in desk.engine.names()
    desk.send("yxnbest 2")
    assert desk.searched == GomokuPosition.from_moves("h8i9")
    assert desk.engine.limits == Limits(multipv=2)
    desk.engine.finish(16, lines=(line(16, depth=9), line(17, depth=9, score=-8, rank=2)))
    assert desk.said() == [
        "MESSAGE depth 9-11 multipv 1 ev 10 n 900 n/ms 100 tm 9 pv B2",
        "MESSAGE depth 9-11 multipv 2 ev -8 n 900 n/ms 100 tm 9 pv C2",
        "1,1",
    ]


def test_more_lines_than_moves_are_not_asked_for(desk: Desk) -> None:
    desk.send("yxnbest 1000")
    assert desk.engine.limits == Limits(multipv=225)


def test_forbidden_cells_are_no_root_moves(desk: Desk) -> None:
    assert desk.send("yxblock", "8,8", "6,6", "done", "TURN 7,7") == []
    moves = desk.engine.limits.search_moves  # type: ignore[union-attr]
    assert moves is not None
    assert 8 * 15 + 8 not in moves
    assert set(moves) == {y * 15 + x for x in range(4, 11) for y in range(4, 11)} - {112, 8 * 15 + 8, 6 * 15 + 6}
    desk.finish("a1")
    desk.send("yxblockundo", "8,8", "done", "TURN 7,9")
    assert 8 * 15 + 8 in desk.engine.limits.search_moves  # type: ignore[union-attr, operator]
    desk.finish("a2")
    desk.send("yxblockreset", "TURN 9,9")
    assert desk.engine.limits == Limits(multipv=1)


def test_where_all_cells_are_forbidden_none_is(desk: Desk) -> None:
    everything = [f"{x},{y}" for x in range(15) for y in range(15)]
    desk.send("yxblock", *everything, "done", "TURN 7,7")
    assert desk.engine.limits == Limits(multipv=1)


def test_all_root_moves_can_be_searched(desk: Desk) -> None:
    desk.send("yxboard", "0,0,2", "done", "yxsearchdefend")
    assert desk.engine.limits is not None
    assert desk.engine.limits.search_moves == tuple(y * 15 + x for y in range(4) for x in range(4) if (x, y) != (0, 0))


def test_the_table_can_be_emptied_and_looked_at(desk: Desk) -> None:
    assert desk.send("yxhashclear") == []
    assert desk.engine.names()[-1] == "clear_hash"
    assert desk.send("yxshowhashusage") == ["MESSAGE hash usage 0.0%"]


def test_after_its_greeting_yixin_board_is_not_told_of_commands_that_are_its_own(desk: Desk) -> None:
    first, second = desk.send("yxshowinfo")
    assert first.startswith("MESSAGE INFO MAX_THREAD_NUM ")
    assert int(second.removeprefix("MESSAGE INFO MAX_HASH_SIZE ")) in range(10, 27)
    assert desk.send("yxquerydatabaseall", "yxsoosorvstep1") == []
    assert desk.send("FOO") == ["UNKNOWN FOO"]


# -- the end -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["END", "end", " End  now"])
def test_end_ends_the_program_and_says_nothing(desk: Desk, text: str) -> None:
    assert desk.service.is_quit(text)
    assert desk.send(text, "ABOUT") == []
    assert desk.ended == 0


def test_end_ends_a_search_without_its_move() -> None:
    desk = searching()
    assert desk.send("END") == []
    assert desk.ended == 0


def test_end_ends_the_loading() -> None:
    desk = Desk(cold=True)
    assert desk.send("START 15", "END") == []
    assert desk.ended == 0


def test_end_within_a_block(desk: Desk) -> None:
    assert desk.send("BOARD", "7,7,1", "END") == []
    assert desk.ended == 0


def test_the_end_of_input_ends_an_idle_program(desk: Desk) -> None:
    assert desk.send(None) == []
    assert desk.ended == 0


def test_at_the_end_of_input_what_is_owed_is_given_at_once() -> None:
    desk = searching("INFO timeout_turn 60000", "TURN 7,7")
    assert moved(desk.send("ABOUT", None)) == ["0,0"]
    assert desk.ended == 0
    desk = Desk(cold=True)
    assert desk.send("START 15", None) == ["OK"]
    assert desk.ended == 0
    desk = Desk(cold=True)
    assert desk.ask("START 15", "BEGIN", None) == ["OK", "7,7"]
    assert desk.ended == 0


def test_at_the_end_of_input_an_engine_that_says_nothing_is_not_waited_for() -> None:
    desk = searching("INFO timeout_turn 60000", "TURN 7,7")
    desk.engine.stops_at_once = False
    assert desk.send(None) == []
    assert desk.ended is None
    assert len(moved(desk.pass_time(STOP_PATIENCE_MS / 1000 + 0.001))) == 1
    assert desk.ended == 0


def test_a_signal_ends_the_program_at_once() -> None:
    desk = searching()
    interrupt(desk, 143)  # type: ignore[arg-type]
    assert desk.said() == []
    assert desk.ended == 143


# -- lines that can't be read, garbage, long games ---------------------------------------------------------


def test_a_line_that_can_t_be_read_is_answered_in_its_turn(desk: Desk) -> None:
    for problem, text in (
        (LineError.TOO_LONG, "UNKNOWN a line has at most 65536 bytes"),
        (LineError.BAD_ENCODING, "UNKNOWN control characters in the line"),
    ):
        assert desk.send(problem) == [text]
        assert desk.send("BOARD", problem) == []
        assert desk.send("DONE")[0].startswith("ERROR ")
    desk.send("TURN 7,7", LineError.TOO_LONG, "ABOUT")
    said = desk.finish("a1")
    assert [text.split()[0] for text in said] == ["0,0", "UNKNOWN", ABOUT.split()[0]]
    assert Desk(cold=True).send("START 15", LineError.TOO_LONG) == ["OK", "UNKNOWN a line has at most 65536 bytes"]


def garbage(rng: random.Random) -> bytes:
    """A line that may be anything, without END and without the commands that take a game along."""
    if rng.random() < 0.3:
        data = bytes(rng.randrange(256) for _ in range(rng.randrange(40)))
    else:
        words = [*_COMMANDS, *BLOCKS, "DONE", "INFO", "YXSTOP", "rule", "timeout_turn", "7,7", "1,1,1", "-1", "15"]
        words += ["".join(rng.choices(string.printable, k=4)), "99999999999999999999", "\u2603", "x,y"]
        data = " ".join(rng.choice(words) for _ in range(rng.randrange(1, 5))).encode()
    line = data.replace(b"\n", b"").replace(b"\r", b"")
    return b"" if line.split()[:1] in ([b"END"], [b"end"]) or b"rule" in line else line


def test_garbage_breaks_nothing_and_every_request_has_one_answer() -> None:
    rng = random.Random(2026)
    desk = self_answering()
    desk.send("START 15")
    for _ in range(3000):
        items: list[InputItem] = LineSplitter().feed(garbage(rng) + b"\n")
        said = answers(desk.send(*items))
        assert len(said) <= 2, (items, said)
        assert desk.ended is None
    assert desk.send("DONE") != ["x"]
    assert desk.send("ABOUT")[-1].startswith(ABOUT)
    desk.send("START 15")
    desk.send("TURN 7,7")
    assert desk.position.n_empties == 223


def test_two_engines_agree_on_the_board_over_a_whole_game() -> None:
    """The move of one is the TURN of the other, until no cell is left or 200 moves are made."""
    for size in (15, 20):
        black, white = self_answering(), self_answering()
        for desk in (black, white):
            assert desk.send(f"START {size}") == ["OK"]
        game = GomokuPosition.start(size)
        (move,) = moved(black.send("BEGIN"))
        n_moves = 0
        while not game.is_over and n_moves < 200:
            x, y = map(int, move.split(","))
            game = game.play(y * size + x)
            n_moves += 1
            if game.is_over:
                break
            desk = (black, white)[game.side]
            (move,) = moved(desk.send(f"TURN {move}"))
            assert desk.position == game.play(_cell(move, size))
        assert n_moves > 20


def _cell(move: str, size: int) -> int:
    x, y = map(int, move.split(","))
    return y * size + x


def test_a_game_of_two_hundred_moves_without_a_winner_does_not_drift() -> None:
    """The board stays that of a twin, stone by stone."""
    desk = Desk()
    desk.send("START 15", "INFO timeout_turn 1000")
    twin = GomokuPosition.start()
    for other, own in rowless_moves():
        assert desk.send(f"TURN {other % 15},{other // 15}") == []
        twin = twin.play(other)
        assert desk.searched == twin
        assert desk.finish(own) == [f"{own % 15},{own // 15}"]
        twin = twin.play(own)
        assert desk.position == twin
        assert twin.winner is None
    assert twin.n_empties == 25


# -- the game, the move without a search -------------------------------------------------------------------


def test_a_game_counts_its_stones() -> None:
    game = Game.of(15, [(0, OPPONENT), (1, OWN), (2, DEAD)])
    assert game.position().side == BLACK
    assert game.position().cells[:3] == bytes((2, 1, 3))
    assert game.without_stone(0).position().side == WHITE
    with pytest.raises(RefusedError):
        game.without_stone(2)
    with pytest.raises(RefusedError):
        Game.of(15, [(0, 4)])


def test_every_move_without_a_search_is_a_fine_one() -> None:
    for moves, wanted in (
        ("h8a1i8a3j8a5k8a7", {"g8", "l8"}),  # five
        ("h8a1i8b1j8c1k8", {"g8", "l8"}),  # block one of two
        ("a1h8a3i8a5j8", {"g8", "k8"}),  # block an open three
        ("h8a1i8a3j8a5", {"g8", "k8"}),  # make an open four
        ("", {"h8"}),
    ):
        position = GomokuPosition.from_moves(moves)
        assert position.move_name(quick_move(position)) in wanted, moves
    four = GomokuPosition.from_moves("a1e5c1e6e1e7g1e8")  # white has four, black takes what it must
    assert four.move_name(quick_move(four)) in {"e4", "e9"}


def test_a_move_without_a_search_is_an_empty_cell_on_any_board() -> None:
    rng = random.Random(5)
    for _ in range(30):
        size = rng.choice(SIZES)
        full = rng.random()
        cells = bytes(rng.choice((1, 2, 3)) if rng.random() < full else 0 for _ in range(size * size))
        position = GomokuPosition(size, cells, rng.randrange(2))
        if 0 in cells:
            assert cells[quick_move(position)] == EMPTY
            others = [cell for cell, content in enumerate(cells) if content == EMPTY][1:]
            assert quick_move(position, avoid=others) not in others
    assert quick_move(GomokuPosition(10, bytes([3] * 100))) == NO_CELL
