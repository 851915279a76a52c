"""Options over the wire: what is offered, what is refused, what takes effect."""

from __future__ import annotations

import re
from pathlib import Path

import psutil
import pytest

from othello_engine.position import Position
from tests.e2e.client import assert_playable, workers_in_the_end
from tests.e2e.conftest import StartEngine
from tests.positions import SOLVED
from tools.measure.driver import EngineProcess

EXPECTED = {
    "Hash": "spin default {} min 1 max 65536",
    "Clear Hash": "button",
    "Threads": "spin default {} min 1 max 256",
    "MultiPV": "spin default 1 min 1 max 64",
    "Level": "spin default {} min 0 max 60",
    "Selectivity": "combo default {} var 73 var 87 var 95 var 98 var 99 var 100",
    "SolveEmpties": "spin default {} min 0 max 60",
    "WLDEmpties": "spin default {} min 0 max 60",
    "Ponder": "check default false",
    "Contempt": "spin default 0 min -6400 max 6400",
    "MoveOverhead": "spin default {} min 0 max 5000",
    "InfoInterval": "spin default 100 min 0 max 10000",
    "ResultLine": "combo default none var none var csv",
    "EvalFile": "string default <empty>",
    "LogFile": "string default <empty>",
    "Seed": "spin default 0 min 0 max 2147483647",
}


def offered(engine: EngineProcess) -> dict[str, str]:
    engine.send("uoi")
    lines = [line.text for line in engine.read_until("uoiok")]
    found = (re.fullmatch(r"option name (.+?) type (.+)", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def test_the_handshake_offers_every_option_with_type_and_range(engine: EngineProcess) -> None:
    options = offered(engine)
    for name, form in EXPECTED.items():
        pattern = re.escape(form).replace(r"\{\}", r"\S+")
        assert re.fullmatch(pattern, options[name]), f"{name}: {options[name]}"


def test_names_of_options_are_read_without_regard_to_case(engine: EngineProcess) -> None:
    commands = ("setoption name hAsH value 16", "setoption name clear hash", "SETOPTION NAME MULTIPV VALUE 1")
    assert engine.ask(*commands) == []


REFUSED_OPTIONS = (
    ("setoption", "missing-argument"),
    ("setoption name", "missing-argument"),
    ("setoption Hash 5", None),
    ("setoption name value 5", None),
    ("setoption value 5", None),
    ("setoption name Hash", None),
    ("setoption name Hash value", None),
    ("setoption name Hash value 0", "bad-option-value 0"),
    ("setoption name Hash value -1", "bad-option-value -1"),
    ("setoption name Hash value 65537", "bad-option-value 65537"),
    ("setoption name Hash value 99999999999999999999", "bad-option-value"),
    ("setoption name Hash value 16.5", "bad-option-value 16.5"),
    ("setoption name Hash value many", "bad-option-value many"),
    ("setoption name Hash value 16 32", None),
    ("setoption name Threads value 0", "bad-option-value 0"),
    ("setoption name Threads value 257", "bad-option-value 257"),
    ("setoption name MultiPV value 65", "bad-option-value 65"),
    ("setoption name Level value 61", "bad-option-value 61"),
    ("setoption name Selectivity value 50", "bad-option-value 50"),
    ("setoption name SolveEmpties value 61", "bad-option-value 61"),
    ("setoption name Ponder value perhaps", "bad-option-value perhaps"),
    ("setoption name Ponder value 2", "bad-option-value 2"),
    ("setoption name Contempt value 6401", "bad-option-value 6401"),
    ("setoption name Contempt value +-5", "bad-option-value"),
    ("setoption name MoveOverhead value 5001", "bad-option-value 5001"),
    ("setoption name Seed value 2147483648", "bad-option-value 2147483648"),
    ("setoption name ResultLine value xml", "bad-option-value xml"),
    ("setoption name No Such Option value 1", "unknown-option"),
    ("setoption name Hashes value 1", "unknown-option"),
    ("setoption name UCI_Chess960 value true", "unknown-option"),
    ("setoption name value value value", None),
)


@pytest.mark.parametrize(("command", "error"), REFUSED_OPTIONS)
def test_a_malformed_option_is_refused_in_one_line(engine: EngineProcess, command: str, error: str | None) -> None:
    before = offered(engine)
    (said,) = engine.ask(command)
    assert said.startswith(f"error {error or ''}"), said
    assert offered(engine) == before
    assert engine.search("setboard startpos", "go depth 1").best in ("d3", "c4", "f5", "e6")


def test_an_option_of_many_lines_takes_effect_at_once(engine: EngineProcess) -> None:
    engine.ask("setoption name MultiPV value 3")
    answer = engine.search("setboard startpos moves f5", "go depth 3")
    engine.ask("setoption name MultiPV value 1")
    assert {info.multipv for info in answer.infos} == {1, 2, 3}


def test_another_profile_searches_with_its_own_evaluation(start: StartEngine) -> None:
    engine = start(options={"Threads": 1, "Hash": 16})
    engine.wait_ready()
    searches = ("setboard startpos moves f5d6c3", "go depth 3")
    strong = engine.search(*searches)
    assert engine.ask("setoption name Profile value classic", timeout=60) == []
    classic = engine.search("setboard startpos moves f5d6c3", "go depth 3")
    workers_in_the_end(engine, 1)
    assert engine.ask("setoption name Profile value strong", timeout=60) == []
    again = engine.search(*searches)
    kinds = [answer.last.score_kind for answer in (strong, classic, again)]
    assert kinds == ["cp", "raw", "cp"]
    assert [info.score for info in strong.infos] == [info.score for info in again.infos]


def test_the_number_of_workers_follows_the_option(start: StartEngine) -> None:
    engine = start(options={"Threads": 1})
    engine.wait_ready()
    assert len(engine.workers()) == 1
    for threads in (3, 2):
        engine.ask(f"setoption name Threads value {threads}", timeout=60)
        answer = engine.search("setboard startpos moves f5d6c3", "go depth 5")
        assert_playable(Position.from_moves("f5d6c3"), answer)
        workers_in_the_end(engine, threads)


def test_the_table_can_be_resized_and_cleared_between_searches(engine: EngineProcess) -> None:
    for command in ("Hash value 1", "Hash value 64", "Clear Hash", "Hash value 16"):
        assert engine.ask(f"setoption name {command}") == []
        answer = engine.search(f"setboard {SOLVED[2].text}", "go exact")
        assert (answer.best, answer.last.score) == ("a3", 12)


@pytest.mark.slow
@pytest.mark.skipif(psutil.virtual_memory().total > 80 << 30, reason="this machine may have that much")
def test_a_table_larger_than_the_machine_is_made_smaller_and_said_so(start: StartEngine) -> None:
    engine = start(options={"Threads": 1, "Hash": 16})
    engine.wait_ready()
    said = engine.ask("setoption name Hash value 65536", timeout=2)
    answer = engine.search(f"setboard {SOLVED[2].text}", "go exact")
    said += [line.text for line in answer.lines if line.kind in ("string", "error")]
    assert len(said) == 1
    assert "MiB" in said[0]
    assert (answer.best, answer.last.score) == ("a3", 12)


def test_the_result_line_comes_before_the_answer(engine: EngineProcess) -> None:
    engine.ask("setoption name ResultLine value csv")
    answer = engine.search("setboard startpos moves f5d6c3", "go depth 4")
    engine.ask("setoption name ResultLine value none")
    assert answer.lines[-1].kind == "row"
    row, column, score, depth, nodes, elapsed, nps = (int(word) for word in answer.lines[-1].text.split(","))
    assert "abcdefgh"[column] + str(row + 1) == answer.best
    assert score == answer.last.score
    assert depth == answer.last.depth == 4
    assert nodes > 0
    assert elapsed >= 0
    assert nps >= 0


def test_the_result_line_of_a_solve_shows_the_documented_terminal_score(engine: EngineProcess) -> None:
    engine.ask("setoption name ResultLine value csv")
    answer = engine.search(f"setboard {SOLVED[2].text}", "go")
    engine.ask("setoption name ResultLine value none")
    assert int(answer.lines[-1].text.split(",")[2]) == 10_000_000 + 12 * 10_000


@pytest.mark.parametrize("content", [None, b"", b"no weights\n", bytes(5000)])
def test_a_file_without_weights_is_refused_in_one_line(
    engine: EngineProcess, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "some.weights"
    if content is not None:
        file.write_bytes(content)
    (said,) = engine.ask(f"setoption name EvalFile value {file}")
    assert re.fullmatch(rf"error io \S+ {file}: .*", said)
    assert offered(engine)["EvalFile"] == "string default <empty>"
    assert engine.search("setboard startpos", "go depth 1").best in ("d3", "c4", "f5", "e6")


def test_the_traffic_can_be_copied_to_a_file(start: StartEngine, tmp_path: Path) -> None:
    log = tmp_path / "traffic with blanks.log"
    engine = start()
    assert engine.ask_unloaded(f"setoption name LogFile value {log}", "query gameover") == ["response false"]
    assert engine.quit() == 0
    text = log.read_text(encoding="utf-8")
    assert "query gameover" in text
    assert "response false" in text


def test_an_unwritable_log_file_is_an_error_and_no_crash(start: StartEngine, tmp_path: Path) -> None:
    engine = start()
    (said,) = engine.ask_unloaded(f"setoption name LogFile value {tmp_path / 'missing' / 'x.log'}")
    assert said.startswith("error io ")
    assert engine.ask_unloaded("query gameover") == ["response false"]
