"""The measuring of Gomoku engines: files, what counts as passed, the plain prover of fours, and the program."""

from __future__ import annotations

import json
import random
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from othello_engine.gomoku.position import NO_CELL, GomokuPosition, parse_cell
from othello_engine.types import Score, ScoreKind, SearchInfo, SearchResult
from tools.gomoku import solvers, speed, suite, vcf
from tools.gomoku.__main__ import main
from tools.gomoku.fours import UndecidedError, shortest_win, win_after, wins_quietly
from tools.gomoku.records import CLASSES, Puzzle, Record, RecordsError, read_puzzles, read_suite
from tools.gomoku.solvers import EngineSolver, Found

FAKE = Path(__file__).with_name("fake_gomoku.py")
SEED = 20261201

# The wins are proved by an exhaustive search of fours, and were announced by an engine as long.
RECORDS = """\
# id | class | moves | answers | win | verified | note
st01 | state | e8a1f8a2g8a3h8a5i8 | over B | - | - | five in a row
st14 | state | l1h8m1h9n1i8o1i10a2 | ongoing | - | - | row wrap
w101 | win1 | e8d8f8e9g8g10h8j11 | i8 | 1 | - | -
nw01 | nowin1 | n1h8o1h9a2i8b2e5 | - | - | - | -
bl01 | block1 | e8d8f8e9g8g10h8m12c3 | i8 | - | - | -
ls01 | lost | f8f9g8h10h8k6i8m12l3 | - | -2 | - | -
vcf01 | vcf | i8g9k10h7j11i7l9i12l8h8j6h10h9f10e11g7j7 | e7:5 | 5 | - | -
vct01 | vct | g8i9h6h9g7g9f9f8h7i6i7j7 | h5:11,e10:13,d11:13 | <=11 | - | -
"""
VCF = (
    ("i8g9k10h7j11i7l9i12l8h8j6h10h9f10e11g7j7", 5),
    ("h8i9j6g9h6h9j9i6i5j7i8h7g8f8k7l8k8j8k5k9k4k6h4g3", 7),
    ("h8i7f6i9g5j7e7h4g7k7h7i8i6h9k6j8h10j6d7f7d4e5d8c9", 9),
)
PUZZLE = "3\ta3c3c6d4d7e4f6f5g6e5e8b5f9g10e2b4c4\tb2a1b3\n"


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "records.txt"
    path.write_text(RECORDS)
    return path


def record(kind: str, moves: str = "h8i8", answers: str = "", win: int | None = None) -> Record:
    position = GomokuPosition.from_moves(moves)
    cells = tuple(parse_cell(each, 15) for each in answers.split())
    return Record("x", kind, (), position, cells, win=win)


def found(move: str = "a1", mate: int | None = None, score: float | None = None, seconds: float = 0.01) -> Found:
    return Found(parse_cell(move, 15), seconds, mate, score)


# --- files


def test_records_are_read(records: Path) -> None:
    by_name = {each.name: each for each in read_suite(records)}
    assert len(by_name) == 8
    assert by_name["st01"].state == "over B"
    vct = by_name["vct01"]
    assert [vct.position.move_name(cell) for cell in vct.answers] == ["h5", "e10", "d11"]
    assert (vct.win, vct.is_exact) == (11, False)
    assert (by_name["vcf01"].win, by_name["vcf01"].is_exact) == (5, True)
    assert (by_name["ls01"].win, by_name["bl01"].win, by_name["nw01"].answers) == (-2, None, ())
    assert by_name["w101"].position == GomokuPosition.from_moves("e8d8f8e9g8g10h8j11")
    assert {each.kind for each in by_name.values()} < set(CLASSES)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a | win1 | h8 | i8", "7 fields are needed, not 4"),
        ("a | win2 | h8 | i8 | 1 | - | -", "no such class: 'win2'"),
        ("a | win1 | h8h8 | i8 | 1 | - | -", r"not an empty cell \(move 2: h8\)"),
        ("a | win1 | h8 | h8 | 1 | - | -", r"an answer is no legal move \(h8\)"),
        ("a | win1 | h8 | z8 | 1 | - | -", "not a cell: 'z8'"),
        ("a | win1 | h8 | i8 | soon | - | -", "soon"),
        ("a | state | h8 | over | - | - | -", "no such state: 'over'"),
        ("a | win1 | e8a1f8a2g8a3h8a5i8 | j8 | 1 | - | -", "the game is over"),
    ],
)
def test_a_record_that_cannot_be_used_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "records.txt"
    path.write_text(f"# one\n{line}\n")
    with pytest.raises(RecordsError, match=f"{path}, line 2: .*{message}"):
        read_suite(path)


def test_puzzles_are_read(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.tsv"
    path.write_text(f"# fours\tmoves\tline\n{PUZZLE}")
    [puzzle] = read_puzzles(path)
    assert (puzzle.number, puzzle.n_fours, puzzle.plies, puzzle.position.size) == (2, 3, 5, 20)
    assert [puzzle.position.move_name(cell) for cell in puzzle.line] == ["b2", "a1", "b3"]
    for text, message in (
        ("x\th8\ti8\n", "line 1: invalid literal"),
        ("3\th8\n", "line 1: not enough values"),
        ("3\th8\th8\n", "line 1: not an empty cell"),
        ("3\th8\t\n", "line 1: no winning line"),
        ("0\th8\ti8\n", "line 1: the game is over"),
        ("# nothing\n", "nothing in it"),
    ):
        path.write_text(text)
        with pytest.raises(RecordsError, match=message):
            read_puzzles(path)
    with pytest.raises(RecordsError, match="No such file"):
        read_puzzles(tmp_path / "missing")


# --- the prover


@pytest.mark.parametrize(("moves", "plies"), VCF)
def test_the_prover_finds_the_shortest_win_by_fours(moves: str, plies: int) -> None:
    position = GomokuPosition.from_moves(moves)
    n = (plies + 1) // 2
    assert shortest_win(position, n) == shortest_win(position, n + 2) == plies
    assert shortest_win(position, n - 1) is None
    winning = [move for move in position.legal_moves if win_after(position, move, n) == plies]
    assert winning
    with pytest.raises(UndecidedError):
        shortest_win(position, n, node_limit=1)


def wins_in_three(position: GomokuPosition) -> bool:
    """Whether the side to move has a move after which it makes five, whatever the other does."""
    for move in position.legal_moves:
        after = position.play(move)
        if after.winner is not None:
            return True
        replies = (after.play(reply) for reply in after.legal_moves)
        if all(
            reply.winner is None and any(reply.play(five).winner is not None for five in reply.legal_moves)
            for reply in replies
        ):
            return True
    return False


def test_the_prover_agrees_with_a_search_of_all_moves() -> None:
    source, seen = random.Random(SEED), []
    for _ in range(40):
        position = GomokuPosition.start(10)
        for cell in source.sample([row * 10 + column for row in range(2, 7) for column in range(2, 8)], 13):
            if not position.is_over:
                position = position.play(cell)
        if position.is_over:
            continue
        expected = wins_in_three(position)
        plies = shortest_win(position, 2)
        assert (plies is not None) == expected
        seen.append(plies)
    assert {None, 1, 3} <= set(seen)


def test_a_first_move_that_keeps_no_win_by_fours_is_told() -> None:
    position = GomokuPosition.from_moves("h8a1i8a2j8a4k8c1")  # an open four
    assert win_after(position, parse_cell("l8", 15), 1) == 1
    assert win_after(position, parse_cell("g8", 15), 4) == 1
    assert win_after(position, parse_cell("a3", 15), 4) is None
    three = GomokuPosition.from_moves("h8a1i8a2j8a4")  # an open three becomes an open four
    assert [win_after(three, parse_cell(name, 15), 2) for name in ("g8", "k8", "f8", "a3")] == [3, 3, None, None]
    against = GomokuPosition.from_moves("h8a1i8b1j8c1o15d1")  # the other makes five first
    assert shortest_win(against, 4) is None


def test_a_blocked_cell_is_in_the_way_of_both() -> None:
    free = "-" * 105 + "----XXXX-------" + "-" * 105 + " X"
    assert shortest_win(GomokuPosition.from_text(free), 1) == 1
    blocked = "-" * 105 + "---#XXXX#------" + "-" * 105 + " X"
    assert shortest_win(GomokuPosition.from_text(blocked), 3) is None
    once = "-" * 105 + "---#XXX--------" + "-" * 105 + " X"
    assert shortest_win(GomokuPosition.from_text(once), 3) is None  # one four, and one reply
    for moves in ("i8", "h8"):
        assert win_after(GomokuPosition.from_text(once), parse_cell(moves, 15), 3) is None


def test_a_quiet_first_move_is_tried_against_every_reply() -> None:
    """Two open twos that cross: a double three, against an opponent who has nothing."""
    position = GomokuPosition.from_moves("h6a1h7o1f8a15g8o15")
    crossing = parse_cell("h8", 15)
    assert win_after(position, crossing, 4) is None
    assert wins_quietly(position, crossing, 2)
    assert not wins_quietly(position, crossing, 1)
    for name in ("a2", "i7"):
        assert not wins_quietly(position, parse_cell(name, 15), 3)
    single = GomokuPosition.from_moves("h6a1h7o1")
    assert not wins_quietly(single, crossing, 3)  # an open three alone is stopped
    threatened = GomokuPosition.from_moves("h6a1h7b1f8c1g8e1")  # the other's four comes first: d1 makes five
    assert not wins_quietly(threatened, crossing, 3)
    assert wins_quietly(GomokuPosition.from_moves("h8a1i8b1j8c1k8o1"), parse_cell("l8", 15), 1)


# --- verdicts


def test_a_state_is_what_our_rules_say(records: Path) -> None:
    states = [each for each in read_suite(records) if each.kind == "state"]
    assert [suite.judge_state(each).problem for each in states] == ["", ""]
    wrong = Record("x", "state", (), states[0].position, state="ongoing")
    assert suite.judge_state(wrong).problem == "over B, not ongoing"


@pytest.mark.parametrize(
    ("record_", "answer", "problem", "has_length"),
    [
        (record("win1", answers="c1 c2", win=1), found("c2", mate=1), "", True),
        (record("win1", answers="c1 c2", win=1), found("c2"), "", False),
        (record("win1", answers="c1 c2", win=1), found("c3", mate=3), "c3, not c1 c2; claims a win in 3", False),
        (record("only", answers="c1"), found("a1", mate=-4), "a1, not c1; claims a loss in 4", None),
        (record("only", answers="c1"), found("c1"), "", None),
        (record("nowin1"), found("c3", mate=1), "claims a win in 1", None),
        (record("nowin1"), found("c3", mate=3), "", None),
        (record("lost", win=-2), found("c3", mate=-2), "", True),
        (record("lost", win=-2), found("c3", mate=-4), "", False),
        (record("lost", win=-2), found("c3", score=-500), "", False),
        (record("lost", win=-2), found("c3"), "", False),
        (record("lost", win=-2), found("c3", score=500), "doesn't see that it loses", False),
        (record("vct", answers="c1", win=11), found("c1", mate=9), "", True),
        (record("vct", answers="c1", win=11), found("c1", mate=13), "", False),
        (record("vcf-only", answers="c1", win=23), found("d1", mate=7), "", True),
        (record("vcf-only", answers="c1", win=23), found("d1", mate=25), "d1, not c1; claims a win in 25", False),
        (record("vcf-only", answers="c1", win=23), found("d1"), "d1, not c1", False),
        (record("vcf", answers="c1", win=5), Found(None, 0.1, fault="hang: nothing"), "hang: nothing", None),
    ],
)
def test_what_counts_as_passed(record_: Record, answer: Found, problem: str, has_length: bool | None) -> None:
    verdict = suite.judge(record_, answer)
    assert (verdict.problem, verdict.has_length) == (problem, has_length)


def test_length_and_time_can_be_asked_for() -> None:
    won = record("vcf", answers="c1", win=5)
    assert suite.judge(won, found("c1", mate=7), needs_length=True).problem == "length 7, not at most 5"
    assert suite.judge(won, found("c1"), needs_length=True).problem == "length not claimed, not at most 5"
    assert suite.judge(won, found("c1", mate=5), needs_length=True).problem == ""
    assert suite.judge(won, found("c1", mate=5, seconds=0.0512), within_ms=50).problem == "51 ms"
    assert suite.judge(won, found("c1", mate=5, seconds=0.0498), within_ms=50).problem == ""


def test_a_puzzle_is_solved_by_a_claimed_win_that_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.tsv"
    path.write_text(PUZZLE)
    [puzzle] = read_puzzles(path)

    def solution(name: str, mate: int | None, **more: Any) -> vcf.Solution:
        return vcf.judge(puzzle, Found(parse_cell(name, 20), 0.01, mate), **more)

    assert (solution("b2", 5).problem, solution("b2", 5).has_length) == ("", True)
    assert (solution("b2", 7).problem, solution("b2", 7).has_length) == ("", False)
    assert solution("b2", 7, needs_length=True).problem == "a win in 7, not 5"
    assert solution("b2", 5, within_ms=5).problem == "10 ms"
    assert solution("b2", None).problem == solution("b2", -4).problem == "b2, no win claimed"
    assert solution("t20", 5).problem == "t20 is not proved to win; a win in 5 is claimed"
    others = [move for move in puzzle.position.legal_moves if win_after(puzzle.position, move, 3) is not None]
    for move in others:
        assert vcf.judge(puzzle, Found(move, 0.01, 5)).problem == ""
    assert puzzle.line[0] in others
    assert vcf.judge(puzzle, Found(None, 0.01, fault="crash: x")).problem == "crash: x"


# --- our engine as an object


class StubEngine:
    """Answers with what it was made with."""

    result: SearchResult | Exception

    def __init__(self, config: object) -> None:
        self.config = config
        self.calls: list[str] = []

    def start(self) -> None: ...
    def wait_ready(self) -> None: ...
    def new_game(self) -> None:
        self.calls.append("new_game")

    def set_position(self, position: GomokuPosition) -> None:
        self.calls.append(position.to_text())

    def stop(self) -> None:
        self.calls.append("stop")

    def close(self) -> None:
        self.calls.append("close")

    def go(self, limits: object) -> SimpleNamespace:
        def wait(timeout: float) -> SearchResult:
            if isinstance(self.result, Exception):
                raise self.result
            return self.result

        return SimpleNamespace(wait=wait)


def line_of(kind: ScoreKind, value: int) -> SearchInfo:
    return SearchInfo(7, 9, 100, 1, Score(kind, value), 99, 5, 1000, 0, (0,))


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (SearchResult(0, 1, (line_of(ScoreKind.RAW, -12),), 99, 5), (0, None, -12.0, 99, 7, "")),
        (SearchResult(0, 1, (line_of(ScoreKind.MATE, 5),), 99, 5), (0, 5, None, 99, 7, "")),
        (SearchResult(0, NO_CELL, (), 99, 5), (0, None, None, 99, None, "")),
        (SearchResult(112, 1, (), 99, 5), (None, None, None, 99, None, "no legal move: h8")),
        (
            SearchResult(0, 1, (), 99, 5, error="a worker died"),
            (None, None, None, 99, None, "failed inside: a worker died"),
        ),
        (TimeoutError("late"), (None, None, None, None, None, "hang: no answer in time")),
    ],
)
def test_our_own_engine_is_asked_in_the_same_way(
    monkeypatch: pytest.MonkeyPatch, result: SearchResult | Exception, expected: tuple[object, ...]
) -> None:
    monkeypatch.setattr(solvers, "Engine", StubEngine)
    monkeypatch.setattr(StubEngine, "result", result, raising=False)
    position = GomokuPosition.from_moves("h8")
    with EngineSolver("gomoku", 100, [("Hash", "1")]) as solver:
        answer = solver.ask((112,), position)
        engine: Any = solver._engine
    assert (answer.move, answer.mate, answer.score, answer.nodes, answer.depth, answer.fault) == expected
    assert engine.calls[:2] == ["new_game", position.to_text()]
    assert engine.calls[-1] == "close"
    assert (engine.config.threads, engine.config.hash_mb, engine.config.game) == (1, 1, "gomoku")


# --- the program


def run(*arguments: object, behaviour: str = "good", dialect: str = "gomocup", time_ms: int = 200) -> int:
    command = shlex.join([sys.executable, str(FAKE), dialect, behaviour])
    engine = ["--engine", command, "--protocol", dialect, "--time", str(time_ms)]
    return main([str(each) for each in [*arguments, *engine]])


def table_rows(printed: str) -> dict[str, list[str]]:
    """The first words of each row of the printed table, by the name of the row."""
    rows = [line.split() for line in printed.splitlines() if line.startswith("  ")]
    return {row[0]: row[1:] for row in rows if row}


def test_the_rules_alone_need_no_engine(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", str(records), "--classes", "state"]) == 0
    assert table_rows(capsys.readouterr().out)["state"][:2] == ["2", "2"]


def test_a_suite_is_run_through_a_program(records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "answers.jsonl"
    chosen = ["suite", records, "--classes", "state", "win1", "block1"]
    assert run(*chosen, "--json", out, behaviour="solving:8,7") == 0
    printed = capsys.readouterr().out
    rows = table_rows(printed)
    assert (rows["win1"][:2], rows["all"][:2]) == (["1", "1"], ["4", "4"])
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["id"] for line in lines] == ["st01", "st14", "w101", "bl01"]
    assert (lines[2]["move"], lines[2]["mate"], lines[2]["passed"]) == ("i8", None, True)
    assert run(*chosen, "--length", behaviour="solving:8,7") == 1
    assert "w101 (win1): length not claimed, not 1" in capsys.readouterr().out


def test_what_was_missed_is_said_and_in_the_exit_status(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("suite", records) == 1
    printed = capsys.readouterr().out
    assert "w101 (win1): a1, not i8" in printed
    assert "vct01 (vct): a1, not h5 e10 d11" in printed
    assert "nw01" not in printed
    assert table_rows(printed)["all"][:2] == ["8", "4"]
    assert run("suite", records, "--ids", "nw01", "ls01") == 0
    assert run("suite", records, "--ids", "nw01", "--within", "0.001") == 1


def test_claims_in_messages_are_taken(records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "saying:MESSAGE depth 1 ev +M1 n 5"
    assert run("suite", records, "--classes", "nowin1", behaviour=said) == 1
    assert "nw01 (nowin1): claims a win in 1" in capsys.readouterr().out
    said = "saying:info depth 1 seldepth 1 sel 100 score mate -2 nodes 5 nps 1"
    assert run("suite", records, "--classes", "lost", "--length", behaviour=said, dialect="native") == 0
    path = tmp_path / "puzzles.tsv"
    path.write_text(PUZZLE)
    assert run("vcf", path, behaviour="saying:MESSAGE ev +M5") == 1
    assert "line 1: a1 is not proved to win; a win in 5 is claimed" in capsys.readouterr().out
    assert run("vcf", path, behaviour="solving:1,1") == 1
    assert "line 1: b2, no win claimed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        ("solving:4,7", "w101 (win1): not an empty cell (e8)"),
        ("answering:15,3", "w101 (win1): no cell of this board ('15,3')"),
        ("answering:8, 7", "w101 (win1): no cell of this board ('8, 7')"),
        ("answering:ERROR no", "refusal: DONE: ERROR no"),
    ],
)
def test_a_program_that_fails_misses_its_record(
    records: Path, capsys: pytest.CaptureFixture[str], behaviour: str, problem: str
) -> None:
    assert run("suite", records, "--ids", "w101", behaviour=behaviour) == 1
    assert problem in capsys.readouterr().out


def test_what_cannot_be_asked_at_all_is_an_error_of_its_own(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, behaviour, message in (
        (["suite", records], "no-start", "can't play: crash: "),
        (["suite", records], "no-size", "can't play: refusal: START 15: ERROR size is not supported"),
        (["suite", tmp_path / "missing"], "good", "missing: No such file"),
        (["suite", records, "--ids", "zz"], "good", "no such record in these classes: zz"),
        (["suite", records, "--classes", "df01"], None, ""),
        (["suite", records, "--classes", "fourthree"], "good", "no record of these classes"),
        (["suite", records, "--option", "Threads"], "good", "'Threads' is no NAME=VALUE"),
    ):
        if behaviour is None:
            with pytest.raises(SystemExit) as stopped:
                run(*arguments)
            assert stopped.value.code == 2
            continue
        assert run(*arguments, behaviour=behaviour) == 2
        assert message in capsys.readouterr().err
    assert main(["speed", "--option", "Treads=2"]) == 2
    assert "Treads" in capsys.readouterr().err
    assert main(["speed", "--profile", "strung"]) == 2
    assert main(["speed", "--engine", "/no/such/engine"]) == 2
    assert "can't start /no/such/engine: no such file" in capsys.readouterr().err


def test_speed_is_counted_by_the_engines_own_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    said = "saying:MESSAGE depth 4 ev 1 n 1000K"
    assert run("speed", "--at-least", "1000", behaviour=said) == 0
    assert table_rows(capsys.readouterr().out)["9"][0] == "3"
    assert run("speed", "--stones", "3", "--at-least", "1000000000000", behaviour=said) == 1
    assert "nodes/s" in capsys.readouterr().out
    assert run("speed", "--stones", "3") == 1
    assert "3 stones: the engine tells no nodes" in capsys.readouterr().out
    counted = speed.Speed(3, (Found(0, 0.5, nodes=100), Found(0, 1.5, nodes=900, mate=5)))
    assert (counted.nodes_per_second, counted.proved) == (500, 1)


@pytest.mark.parametrize("n_stones", sorted(speed.POSITIONS))
def test_the_positions_for_the_speed_are_sound(n_stones: int) -> None:
    for moves, position in speed.positions(n_stones):
        assert len(moves) == n_stones == 225 - position.n_empties
        assert shortest_win(position, 4) is None
        assert shortest_win(position.with_side(1 - position.side), 4) is None


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in (
        (["--help"], ("examples:", "exit status", "suite", "vcf", "speed")),
        (["suite", "--help"], ("nowin1", "--classes", "--engine", "--length", "--within")),
        (["vcf", "--help"], ("winning line", "--every", "ev +M5")),
        (["speed", "--help"], ("--at-least", "--profile")),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
        printed = capsys.readouterr().out
        assert all(word in printed for word in words)


@pytest.mark.e2e
def test_our_engine_passes_easy_records(records: Path, tmp_path: Path) -> None:
    arguments: Sequence[str] = ["suite", str(records), "--time", "1000", "--ids", "w101", "bl01", "vcf01", "--length"]
    assert main([*arguments, "--json", str(tmp_path / "answers")]) == 0
    answers = [json.loads(line) for line in (tmp_path / "answers").read_text().splitlines()]
    assert [answer["move"] for answer in answers] == ["i8", "i8", "e7"]


def test_a_puzzle_counts_its_plies_with_both_sides() -> None:
    position = GomokuPosition.start(20)
    assert [Puzzle(1, (), position, n, ()).plies for n in (1, 3, 13)] == [1, 5, 25]
