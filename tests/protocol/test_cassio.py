"""The daemon as Cassio's engine: what may happen when, with a scripted engine; and its page's dialogue."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from othello_engine.errors import EngineError
from othello_engine.position import Position
from othello_engine.types import BLACK, NO_MOVE, PASS, Bound, Goal, Limits, Score, ScoreKind
from protocol import exit_status
from protocol.cassio import CassioService
from protocol.lines import LineError, clean_line
from protocol.service import QUEUE_LIMIT
from tests.positions import EARLIEST_PASS_TEXT, NOBODY_CAN_MOVE
from tests.protocol.cassio_client import CassioClient
from tests.protocol.fake_engine import DialectDesk, FakeEngine, answer_truly, info
from tests.protocol.transcripts import Dialogue, dialogues, play, talk_to

VARYING = {"N": r"\d+", "T": r"\d+\.\d{3}"}
START = Position.start()
MIDGAME = Position.from_text("------------------X--------XX------OXX-----O--------------------O")
SIX = Position.from_text("----OOOXOO-OOOOX-OXXXXXXOXOOOXXXOOOOOOXXOOOOOOXXOOOOXXXXOOOOXXOOX")
SEARCH = "ENGINE-PROTOCOL midgame-search " + MIDGAME.to_text().replace(" ", "") + " -64 64 6 73"
OTHER_SEARCH = "ENGINE-PROTOCOL endgame-search " + SIX.to_text().replace(" ", "") + " -64 64 100"
FEED = "ENGINE-PROTOCOL feed-hash " + MIDGAME.to_text().replace(" ", "") + " 6.00 6.00 20 100 G5F6"


def command(word: str) -> str:
    return f"ENGINE-PROTOCOL {word}"


def desk_of(cold: bool = False, prepare: Callable[[FakeEngine], None] | None = None, **options: object) -> Any:
    options.setdefault("InfoInterval", 0)
    return DialectDesk(CassioService, cold=cold, prepare=prepare, **options)


@pytest.fixture
def desk() -> Any:
    return desk_of()


def report(desk: Any, depth: int, **changes: Any) -> None:
    desk.engine.report(info(depth, **{"move": "g5", "selectivity": 73, **changes}))


def finish(desk: Any, depth: int = 6, **changes: Any) -> list[str]:
    line = info(depth, **{"move": "g5", "selectivity": 73, **changes})
    desk.engine.finish(line.pv[0] if line.pv else NO_MOVE, lines=(line,), nodes=line.nodes, time_ms=line.time_ms)
    return list(desk.said())


# -- nothing runs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", ["ready."]),
        ("   ", ["ready."]),
        ("ENGINE-PROTOCOL", ["ready."]),
        (command("init"), ["ready."]),
        (command("INIT"), ["ready."]),
        (command("new-position"), ["ready."]),
        (command("get-search-infos"), ["ready."]),
        (command("stop"), ["ready."]),
        (command("empty-hash"), []),
        (FEED, []),
        (command("bogus"), ["ERROR: unknown command bogus", "ready."]),
        (command("y" * 99), [f"ERROR: unknown command {'y' * 37}...", "ready."]),
        (command("midgame-search"), ["ERROR: midgame-search cannot parse position. It is missing", "ready."]),
        (command("feed-hash X"), ["ERROR: feed-hash cannot parse position. only 1 of 64 squares (column 2)"]),
        ("hello", ['ERROR: Unknown protocol "hello"']),
        ("engine-protocol init", ['ERROR: Unknown protocol "engine-protocol"']),
        (LineError.TOO_LONG, ["ERROR: a line has at most 65536 bytes"]),
        (LineError.BAD_ENCODING, ["ERROR: control characters in the line"]),
    ],
)
def test_every_line_has_its_answer_and_no_other(desk: Any, line: Any, said: list[str]) -> None:
    assert desk.send(line) == said
    assert desk.send("") == ["ready."]


def test_the_version_is_told_at_once_and_the_engine_loads_meanwhile() -> None:
    desk = desk_of(cold=True)
    said = desk.send(command("get-version"))
    assert said[0].startswith("version: othello-engine ")
    assert said[1:] == ["ready."]
    assert desk.engine.names() == ["start"]


def test_a_foreign_line_starts_nothing(desk: Any) -> None:
    desk.send("hello", "", LineError.TOO_LONG)
    assert not desk.has_engine


def test_quit_says_goodbye(desk: Any) -> None:
    assert desk.send(command("quit")) == ["bye bye."]
    assert desk.ended == exit_status.DONE


def test_a_feed_reaches_the_engine_whole(desk: Any) -> None:
    desk.send(FEED)
    assert desk.engine.calls[-1] == ("feed", MIDGAME.to_text(), 6.0, 6.0, 20, 100, (38, 45))


def test_an_engine_that_refuses_a_feed_is_reported_and_nothing_ends(desk: Any) -> None:
    desk.send(command("init"))

    def refuse(*_: object) -> None:
        raise EngineError("no\nroom")

    desk.engine.feed = refuse
    assert desk.send(FEED) == ["ERROR: no room"]
    assert desk.send("") == ["ready."]


def test_the_table_is_emptied_when_that_is_asked_and_not_for_a_new_position(desk: Any) -> None:
    desk.send(command("init"), command("new-position"))
    assert {"clear_hash", "new_game"}.isdisjoint(desk.engine.names())
    desk.send(command("empty-hash"))
    assert desk.engine.names()[-1] == "clear_hash"


# -- loading ----------------------------------------------------------------------------------------------------


def test_init_is_answered_when_the_engine_is_loaded() -> None:
    desk = desk_of(cold=True)
    assert desk.send(command("init")) == []
    desk.engine.ready.set()
    assert desk.wait_for("ready.") == ["ready."]
    assert desk.send(command("init")) == ["ready."]


def test_pings_are_answered_while_the_engine_loads_and_searches_wait() -> None:
    desk = desk_of(cold=True)
    assert desk.send(command("init"), SEARCH, "") == ["ok."]
    assert desk.send(command("get-search-infos")) == ["node 0, time 0.000"]
    desk.engine.ready.set()
    assert desk.wait_for("ready.") == ["ready."]
    assert desk.engine.names()[-1] == "go"
    assert len(finish(desk)) == 2


def test_a_search_may_come_before_everything_else() -> None:
    desk = desk_of(cold=True)
    assert desk.send(SEARCH) == []
    assert desk.send("", command("get-search-infos")) == ["ok.", "node 0, time 0.000"]
    desk.engine.ready.set()
    while "go" not in desk.engine.names():
        desk.service.handle(desk.service._events.get(timeout=5))
    assert finish(desk)[-1] == "ready."


def test_a_search_that_is_stopped_while_the_engine_loads_has_its_ready() -> None:
    desk = desk_of(cold=True)
    assert desk.send(SEARCH, command("stop")) == ["ready."]
    desk.engine.ready.set()
    assert desk.send("") == ["ready."]
    assert "go" not in desk.engine.names()


def test_a_stop_does_not_take_the_answer_of_an_init() -> None:
    desk = desk_of(cold=True)
    assert desk.send(command("init"), SEARCH, command("stop")) == []
    desk.engine.ready.set()
    assert desk.wait_for("ready.") + desk.said() == ["ready."] * 2
    assert "go" not in desk.engine.names()


def test_what_comes_after_a_stop_that_had_to_wait_is_answered() -> None:
    desk = desk_of(cold=True)
    later = (command("init"), command("get-version"), command("frobnicate"))
    assert desk.send(command("init"), SEARCH, command("stop"), *later) == []
    desk.engine.ready.set()
    said = desk.wait_for("ERROR: .*") + desk.said()
    assert said.count("ready.") == 5
    assert said[-2:] == ["ERROR: unknown command frobnicate", "ready."]
    assert "go" not in desk.engine.names()


def test_an_engine_that_never_gets_ready_is_reported_to_each_request() -> None:
    def prepare(engine: FakeEngine) -> None:
        engine.broken = "no weights"

    desk = desk_of(prepare=prepare)
    desk.send(command("init"))
    assert desk.wait_for("ready.") == ["ERROR: no weights", "ready."]
    desk.send(SEARCH)
    assert desk.wait_for("ready.") == ["ERROR: no weights", "ready."]


def test_quit_and_the_end_of_input_work_while_the_engine_loads() -> None:
    desk = desk_of(cold=True)
    assert desk.send(command("init"), SEARCH, command("quit")) == ["bye bye."]
    assert desk.ended == exit_status.DONE
    desk = desk_of(cold=True)
    assert desk.send(command("init"), None) == []
    desk.engine.ready.set()
    assert desk.wait_for("ready.") == ["ready."]
    assert desk.ended == exit_status.DONE


# -- a search ---------------------------------------------------------------------------------------------------


def test_a_search_is_asked_for_as_it_was_asked(desk: Any) -> None:
    desk.send(SEARCH)
    assert desk.engine.position == MIDGAME
    assert desk.engine.limits == Limits(depth=6, selectivity=73, multipv=1, thorough=True)
    finish(desk)
    desk.send(OTHER_SEARCH)
    assert (desk.engine.position, desk.engine.limits) == (SIX, Limits(goal=Goal.EXACT, multipv=1))


def test_lines_come_on_the_way_and_the_last_one_only_once(desk: Any) -> None:
    client = CassioClient()
    desk.send(client.midgame_search(MIDGAME, 6, 73))
    for depth in (1, 5, 6):
        report(desk, depth)
    said = desk.said()
    assert [line.split(", ")[2] for line in said] == ["depth 1", "depth 5", "depth 6"]
    said += finish(desk)
    assert said[-1] == "ready."
    assert len(said) == 4
    assert [client.take(line) for line in said] == [False, False, False, True]
    assert client.value == 0.15


def test_a_report_with_nothing_new_but_nodes_is_no_line_until_the_end(desk: Any) -> None:
    desk.send(SEARCH)
    report(desk, 6, nodes=100)
    assert len(desk.said()) == 1
    report(desk, 6, nodes=900)
    assert desk.said() == []
    assert desk.send(command("get-search-infos"))[0].startswith("node 900, time ")
    said = finish(desk, nodes=1000)
    assert [line.split(", ")[6] for line in said[:-1]] == ["node 1000"]


def test_the_last_line_comes_even_if_the_gate_has_held_all_back() -> None:
    desk = desk_of(InfoInterval=10_000)
    desk.send(SEARCH)
    for depth in range(1, 7):
        report(desk, depth)
    assert len(desk.said()) == 1
    said = finish(desk)
    assert ", depth 6, " in said[0]
    assert said[1:] == ["ready."]


def test_a_slow_reader_may_miss_lines_on_the_way_but_none_of_the_depth_it_asked_for(desk: Any) -> None:
    sent: list[tuple[str, bool]] = []
    desk.paper.send = lambda line, progress=False: sent.append((re.sub(r".*(depth \d).*", r"\1", line), progress))
    desk.send(SEARCH)
    for depth in (1, 5, 6):
        report(desk, depth)
    finish(desk, 6, move="d3")
    assert sent == [("depth 1", True), ("depth 5", True), ("depth 6", False), ("depth 6", False), ("ready.", False)]


def test_equal_searches_one_after_the_other_both_have_their_line(desk: Any) -> None:
    for _ in range(2):
        desk.send(SEARCH)
        said = finish(desk)
        assert len(said) == 2


def test_who_wins_is_no_result_on_the_way_but_better_than_none_at_the_end(desk: Any) -> None:
    desk.send(OTHER_SEARCH)
    report(desk, 6, move="a3", score=Score(ScoreKind.WLD, 1))
    assert desk.said() == []
    said = finish(desk, 6, move="a3", score=Score(ScoreKind.WLD, 1))
    assert "B+2.00 <= v <= B+64.00" in said[0]


def test_pings_are_answered_during_a_search(desk: Any) -> None:
    desk.send(SEARCH)
    assert desk.send("") == ["ok."]
    assert desk.send("ENGINE-PROTOCOL") == ["ok."]
    report(desk, 3, nodes=12_345)
    desk.said()
    desk.now += 1.5
    assert desk.send(command("get-search-infos")) == ["node 12345, time 1.500"]
    assert finish(desk)[-1] == "ready."


WAITING = [
    SEARCH,
    OTHER_SEARCH,
    FEED,
    "hello",
    *map(command, ("init", "get-version", "new-position", "empty-hash", "bogus", "midgame-search", "feed-hash")),
]


@pytest.mark.parametrize("line", WAITING)
def test_all_other_lines_wait_for_the_end_of_a_search(desk: Any, line: str) -> None:
    alone = desk_of().send(line) if line not in (SEARCH, OTHER_SEARCH) else []
    desk.send(SEARCH)
    n_calls = len(desk.engine.calls)
    assert desk.send(line) == []
    assert len(desk.engine.calls) == n_calls
    assert finish(desk)[2:] == alone


def test_searches_are_done_in_the_order_in_which_they_came(desk: Any) -> None:
    desk.send(SEARCH, OTHER_SEARCH, SEARCH)
    positions = []
    for _ in range(3):
        positions.append(desk.engine.position)
        assert finish(desk, move="a3" if positions[-1] == SIX else "g5")[-1] == "ready."
    assert positions == [MIDGAME, SIX, MIDGAME]
    assert desk.send("") == ["ready."]


def test_stop_ends_the_search_and_drops_what_waits_with_one_ready_for_all(desk: Any) -> None:
    desk.send(SEARCH)
    report(desk, 3)
    desk.said()
    desk.send(SEARCH, command("new-position"), FEED, command("bogus"), "hello", OTHER_SEARCH, command("empty-hash"))
    said = desk.send(command("stop"))
    assert said == ["ready.", 'ERROR: Unknown protocol "hello"']
    assert [name for name in desk.engine.names() if name in ("go", "feed", "clear_hash")] == [
        "go",
        "feed",
        "clear_hash",
    ]
    assert desk.send("") == ["ready."]


def test_what_a_stopped_search_has_found_is_told(desk: Any) -> None:
    desk.send(SEARCH)
    desk.engine.stops_at_once = False
    assert desk.send(command("stop")) == []
    said = finish(desk, 4)
    assert ", depth 4, " in said[0]
    assert said[1:] == ["ready."]


def test_a_search_without_time_to_find_anything_has_a_line_all_the_same() -> None:
    desk = desk_of(MoveTime=1)
    desk.send(SEARCH)
    desk.engine.finish("g5")
    said = desk.said()
    assert said == [
        SEARCH.split()[2] + ", move g5, depth 0, @100%, W-64.00 <= v <= W+64.00, g5, node 0, time 0.000",
        "ready.",
    ]


def test_a_better_move_of_an_interrupted_iteration_is_a_bound(desk: Any) -> None:
    desk.send(SEARCH)
    score = Score(ScoreKind.RAW, 800, Bound.LOWER)
    assert "W+2.00 <= v <= W+64.00" in finish(desk, 5, score=score, complete=False)[0]


def test_every_stop_after_the_first_has_a_ready_of_its_own(desk: Any) -> None:
    desk.send(SEARCH)
    desk.engine.stops_at_once = False
    assert desk.send(command("stop"), command("stop"), SEARCH, command("stop")) == []
    assert finish(desk)[1:] == ["ready."] * 3
    assert desk.engine.names().count("go") == 1


def test_quit_ends_at_once_whatever_runs(desk: Any) -> None:
    assert desk.send(SEARCH, SEARCH, command("QUIT now")) == ["bye bye."]
    assert desk.ended == exit_status.DONE


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (command("quit"), True),
        (" ENGINE-PROTOCOL\tQuit x", True),
        ("quit", False),
        (command("quiet"), False),
        ("", False),
        (command("init quit"), False),
    ],
)
def test_only_a_quit_of_this_protocol_is_one(line: str, expected: bool) -> None:
    assert CassioService.is_quit(line) is expected


def test_at_the_end_of_input_what_was_asked_is_still_answered(desk: Any) -> None:
    desk.send(SEARCH, OTHER_SEARCH)
    assert desk.send(None) == []
    assert finish(desk)[-1] == "ready."
    assert desk.ended is None
    assert finish(desk, move="a3")[-1] == "ready."
    assert desk.ended == exit_status.DONE


def test_a_search_that_takes_long_is_stopped_after_the_end_of_input_and_no_other_begun(desk: Any) -> None:
    desk.send(SEARCH, OTHER_SEARCH, None)
    report(desk, 5)
    assert len(desk.said()) == 1
    assert desk.pass_time(1.9) == []
    assert desk.pass_time(0.2) == ["ready."]
    assert desk.ended == exit_status.DONE
    assert desk.engine.names().count("go") == 1


def test_loading_takes_nothing_of_the_time_after_the_end_of_input() -> None:
    desk = desk_of(cold=True)
    desk.send(SEARCH, None)
    assert desk.pass_time(60) == []
    desk.engine.ready.set()
    while "go" not in desk.engine.names():
        desk.service.handle(desk.service._events.get(timeout=5))
    assert desk.pass_time(1) == []
    assert finish(desk)[-1] == "ready."
    assert desk.ended == exit_status.DONE


def test_a_client_that_is_gone_is_not_worked_for(desk: Any) -> None:
    desk.send(SEARCH, None)
    desk.paper.gone = True
    desk.pass_time(2)
    assert desk.ended == exit_status.OUTPUT_CLOSED


def test_so_many_lines_wait_and_no_more(desk: Any) -> None:
    desk.send(SEARCH)
    assert desk.send(*[command("new-position")] * QUEUE_LIMIT) == []
    refused = desk.send(SEARCH, FEED, "hello")
    assert refused == [
        f"ERROR: {name} refused, {QUEUE_LIMIT} lines are waiting already"
        for name in ("midgame-search", "feed-hash", "line")
    ]
    assert desk.send("") == ["ok."]
    assert finish(desk)[1:] == ["ready."] * (QUEUE_LIMIT + 1)


# -- special positions, options, faults -------------------------------------------------------------------------


def test_a_forced_pass_and_a_finished_game_have_a_result(desk: Any) -> None:
    client = CassioClient()
    passing = Position.from_text(EARLIEST_PASS_TEXT)
    desk.send(client.midgame_search(passing, 4, 73))
    said = finish(desk, 4, pv=(PASS, 25), score=Score(ScoreKind.RAW, -400))
    assert [client.take(line) for line in said] == [False, True]
    assert (client.results[-1].move, client.value) == ("PA", -1.0)

    over = Position.from_text(NOBODY_CAN_MOVE, BLACK)
    desk.send(client.midgame_search(over, 10, 90))
    said = finish(desk, 0, pv=(), selectivity=100, score=Score(ScoreKind.DISCS, 62))
    assert [client.take(line) for line in said] == [False, True]
    assert (client.results[-1].line, client.value) == ("--", 62)


def test_the_option_movetime_limits_searches_of_the_midgame_only() -> None:
    desk = desk_of(MoveTime=250)
    desk.send(SEARCH)
    assert (desk.engine.limits.move_time_ms, desk.engine.limits.depth) == (250, 6)
    finish(desk)
    desk.send(OTHER_SEARCH)
    assert desk.engine.limits.move_time_ms is None


def test_the_time_of_a_profile_limits_nothing() -> None:
    desk = desk_of(profile="classic")
    assert desk.service.config.bare_go_time_ms is not None
    desk.send(SEARCH)
    assert desk.engine.limits.move_time_ms is None


def test_an_engine_that_refuses_a_search_is_reported_and_the_search_has_its_ready(desk: Any) -> None:
    desk.send(command("init"))
    desk.engine.refuses = EngineError("out of\nmemory")
    assert desk.send(SEARCH) == ["ERROR: out of memory", "ready."]
    desk.engine.refuses = None
    desk.send(SEARCH)
    assert finish(desk)[-1] == "ready."


def test_a_search_that_fails_inside_is_reported(desk: Any) -> None:
    desk.send(SEARCH)
    desk.engine.finish("g5", error="worker 1 died")
    assert desk.said() == ["ERROR: worker 1 died", "ready."]


def test_an_illegal_move_of_the_engine_never_gets_out_as_a_result(desk: Any) -> None:
    desk.send(SEARCH)
    desk.engine.finish("a1")
    assert desk.said() == ["ERROR: the search came out with a1", "ready."]


def test_messages_for_people_are_not_for_cassio(desk: Any) -> None:
    desk.send(command("init"))
    desk.engine.say("compiling 12 of 57 kernels")
    assert desk.said() == []


# -- races and garbage ------------------------------------------------------------------------------------------


def test_a_thousand_searches_and_stops_have_each_its_ready() -> None:
    def prepare(engine: FakeEngine) -> None:
        engine.answer = answer_truly

    desk = desk_of(prepare=prepare)
    dice = random.Random(5)
    for _ in range(300):
        line = SEARCH if dice.random() < 0.5 else OTHER_SEARCH
        said = desk.send(line)
        wants_stop = dice.random() < 0.7
        if wants_stop:
            said += desk.send(command("stop"))
        while "ready." not in said:
            said += desk.wait_for("ready.")
        said += desk.send(command("get-version"))
        while not any(text.startswith("version") for text in said):
            said += desk.wait_for("ready.")
        before = said[: [text.startswith("version") for text in said].index(True)]
        # A stop that comes after the end of a search is one of its own.
        assert 1 <= before.count("ready.") <= 1 + wants_stop
        assert said[-1] == "ready."


WORDS = ["ENGINE-PROTOCOL", "ENGINE-PROTOCOL", "init", "get-version", "new-position", "midgame-search", "feed-hash"]
WORDS += ["endgame-search", "empty-hash", "get-search-infos", "", "-64", "64", "-64.00", "1e9", "9" * 30, "-1", "6"]
WORDS += ["73", "100", "??", "G5F6", "nan", "\u2013", "\U0001f600", "0" * 300, "--", "PA", "x" * 5000, "%s", "[[0]]"]


def garbage(dice: random.Random) -> str:
    """A line that is nearly right, or not at all."""
    squares = MIDGAME.to_text().replace(" ", "")
    if dice.random() < 0.3:
        squares = "".join(dice.choice("XO-.*xo0?") for _ in range(dice.choice((3, 63, 64, 65, 65, 66))))
    if dice.random() < 0.2:
        return "".join(chr(dice.choice((*range(32, 127), 0xFF, 0x2028, 0x1F600))) for _ in range(dice.randrange(90)))
    words = dice.sample(WORDS, dice.randrange(1, 7))
    words.insert(dice.randrange(len(words) + 1), squares)
    if dice.random() < 0.7:
        words.insert(0, "ENGINE-PROTOCOL")
    return dice.choice((" ", "  ", "\t")).join(words)


def answers_of(line: str) -> int:
    """How many `ready.` a line has, if nothing runs: by the table of the specification."""
    words = line.split()
    if words and words[0] != "ENGINE-PROTOCOL":
        return 0
    return 0 if len(words) > 1 and words[1].lower() in ("feed-hash", "empty-hash", "quit") else 1


def test_no_garbage_goes_unanswered_or_changes_anything() -> None:
    def prepare(engine: FakeEngine) -> None:
        engine.answer = answer_truly

    desk = desk_of(prepare=prepare)
    desk.send(command("init"))
    dice = random.Random(20261130)
    n_searches = 0
    for _ in range(2000):
        line = garbage(dice)
        said = desk.send(line)
        if desk.service.task is not None:
            n_searches += 1
            said += desk.wait_for("ready.")
        assert said.count("ready.") == answers_of(line), line
        if answers_of(line) == 0 and "feed-hash" not in line.lower() and "empty-hash" not in line.lower():
            assert len(said) == 1, line
        assert all(clean_line(text).isprintable() and len(text) < 300 for text in said)
        assert desk.send("") == ["ready."]
    assert n_searches < 100
    assert desk.ended is None


# -- the page ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialogue", dialogues("docs/cassio.md"), ids=str)
def test_the_dialogue_of_the_page_goes_as_printed(dialogue: Dialogue) -> None:
    def prepare(engine: FakeEngine) -> None:
        engine.answer = answer_truly

    desk = DialectDesk(CassioService, prepare=prepare, profile=None)
    send, read, unread = talk_to(desk)
    play(dialogue, send, read, VARYING)
    assert unread == []
    assert desk.ended == exit_status.DONE
