"""Gomoku with the real program and its real kernels: the native protocol, short searches, games that change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from othello_engine.gomoku.position import GomokuPosition
from othello_engine.position import Position
from tests.e2e.client import texts, workers_in_the_end
from tests.e2e.conftest import StartEngine, failed
from tools.measure.driver import START_TIMEOUT, EngineProcess
from tools.measure.grammar import CELL, kind_of

ONE = ("--profile", "gomoku", "--set", "threads=1", "--set", "hash=16")
GAMES = ("gomoku", "othello")
"""Whose grammar a program speaks that changes them."""
WON = "h8 a1 i8 a3 j8 c1 k8 c3"
"""Black makes five at g8 or l8."""
MUST_BLOCK = "h8 g8 i8 a3 j8 c1 k8"
"""White has to play l8."""
IN_THREE = "h8 a1 i8 a4 j8 d1"
"""Black makes an open four at g8 or k8, and five two plies later."""
OPEN = "h8 i9 g6"


@pytest.fixture(scope="module")
def _process() -> Iterator[EngineProcess]:
    """One program for most of the tests; the first start may have to compile everything."""
    with EngineProcess(ONE, games=GAMES) as process:
        process.wait_ready(START_TIMEOUT)
        yield process
        assert process.quit() == 0
        assert process.wait_gone(5) == []
        assert process.stderr_text == ""


@pytest.fixture
def gomoku(_process: EngineProcess, request: pytest.FixtureRequest) -> Iterator[EngineProcess]:
    """The shared program under the profile `gomoku`, at the start of a game."""
    _process.send("setoption name Profile value gomoku", "setoption name BoardSize value 15", "newgame")
    _process.wait_ready(START_TIMEOUT)
    yield _process
    if failed(request):
        _process.send("stop")
    else:
        assert [line for line in _process.ask("stop") if line.startswith("bestmove")] == []


def search(process: EngineProcess, moves: str, go: str, timeout: float = 60) -> tuple[str, list[str]]:
    """The best move, which is legal, and the lines before it, which can be played."""
    size = 15
    position = GomokuPosition.from_moves(moves, size)
    process.send(f"setboard startpos moves {moves}" if moves else "setboard startpos", go)
    *lines, answer = texts(process.read_until("bestmove .*", timeout))
    best = answer.split()[1]
    assert best in [position.move_name(move) for move in position.legal_moves] or (best == "none" and position.is_over)
    for line in lines:
        if kind_of(line, ["gomoku"]) == "info":
            after = position
            for name in line.partition(" pv ")[2].partition(" string ")[0].split():
                after = after.play(name)
    return best, lines


def last_score(lines: list[str]) -> tuple[str, int]:
    """Kind and number of the last line's score."""
    found = re.search(r" score (raw|mate) (-?\d+) ", lines[-1])
    assert found is not None, lines
    return found[1], int(found[2])


# -- the profile gomoku ------------------------------------------------------------------------------------------


def test_the_handshake_offers_what_there_is_in_gomoku(gomoku: EngineProcess) -> None:
    gomoku.send("uoi")
    lines = texts(gomoku.read_until("uoiok"))
    assert "option name Game type combo default gomoku var othello var gomoku" in lines
    assert "option name BoardSize type spin default 15 min 10 max 20" in lines
    assert not [line for line in lines if "SolveEmpties" in line or "EvalFile" in line]


def test_a_won_position_announces_the_distance_and_the_move_wins(gomoku: EngineProcess) -> None:
    best, lines = search(gomoku, WON, "go movetime 20000")
    assert last_score(lines) == ("mate", 1)
    position = GomokuPosition.from_moves(WON).play(best)
    assert position.winner == 0
    assert gomoku.ask(f"move {best}", "query gameover", "query result") == ["response true", "response p1win"]


def test_a_win_in_three_is_played_out(gomoku: EngineProcess) -> None:
    moves = IN_THREE
    for mate in (3, 1):
        best, lines = search(gomoku, moves, "go movetime 20000")
        assert last_score(lines) == ("mate", mate)
        moves += f" {best}"
        if mate > 1:
            reply, lines = search(gomoku, moves, "go movetime 20000")
            assert last_score(lines) == ("mate", -2)
            moves += f" {reply}"
    assert GomokuPosition.from_moves(moves).winner == 0


def test_a_five_is_stopped(gomoku: EngineProcess) -> None:
    best, lines = search(gomoku, MUST_BLOCK, "go movetime 20000")
    assert best == "l8"
    assert lines


def test_a_lost_position_is_told_of(gomoku: EngineProcess) -> None:
    _, lines = search(gomoku, "h8 a1 i8 a3 j8 c1 k8", "go movetime 20000")
    assert last_score(lines) == ("mate", -2)


@pytest.mark.parametrize(
    "go", ["go depth 1", "go movetime 60", "go nodes 500", "go btime 200 wtime 200", "go movetime 0"]
)
def test_every_limit_brings_a_legal_move(gomoku: EngineProcess, go: str) -> None:
    for moves in ("", "a1", OPEN, "o15 a15 o1 a1"):
        best, lines = search(gomoku, moves, go)
        assert best != "none"
        assert not [line for line in lines if line.startswith("error")]


def test_several_lines_are_distinct_and_sorted(gomoku: EngineProcess) -> None:
    best, lines = search(gomoku, OPEN, "go depth 4 multipv 3")
    last = [line for line in lines if line.startswith("info depth")][-3:]
    firsts = [line.partition(" pv ")[2].split()[0] for line in last]
    assert [f" multipv {rank} " in line for rank, line in enumerate(last, 1)] == [True] * 3
    assert len(set(firsts)) == 3
    assert firsts[0] == best
    scores = [int(re.findall(r" score raw (-?\d+) ", line)[0]) for line in last]
    assert scores == sorted(scores, reverse=True)


def test_only_the_root_moves_asked_for(gomoku: EngineProcess) -> None:
    best, _ = search(gomoku, WON, "go depth 3 searchmoves a15 o1")
    assert best in ("a15", "o1")


@pytest.mark.parametrize("size", [10, 20])
def test_other_sizes(gomoku: EngineProcess, size: int) -> None:
    assert (
        gomoku.ask(f"setoption name BoardSize value {size}", "newgame", "display")[0] == "board " + "-" * size**2 + " X"
    )
    corner = f"{'abcdefghijklmnopqrst'[size - 1]}{size}"
    gomoku.send(f"move {corner} a1", "go depth 3")
    best = gomoku.read_until("bestmove .*")[-1].text.split()[1]
    assert best in [
        GomokuPosition.start(size).move_name(move)
        for move in GomokuPosition.from_moves(f"{corner}a1", size).legal_moves
    ]


def test_a_hint_is_a_value_for_every_cell_near_the_stones(gomoku: EngineProcess) -> None:
    gomoku.send(f"setboard startpos moves {WON}", "hint")
    *hints, end = texts(gomoku.read_until("hintok"))
    assert end == "hintok"
    found = [re.fullmatch(rf"hint ({CELL}) value (\d+) band \w+ score raw (-?\d+) depth 0", line) for line in hints]
    assert all(found), hints
    names = [each[1] for each in found if each]
    values = [int(each[2]) for each in found if each]
    assert set(names[:2]) == {"g8", "l8"}  # each makes five
    assert values == sorted(values, reverse=True)
    assert (values[0], values[-1]) == (90, 30)
    assert len(set(names)) == len(names) > 20
    (error,) = gomoku.ask("hint 3")
    assert error.startswith("error bad-argument 3 ")


def test_a_finished_game(gomoku: EngineProcess) -> None:
    best, lines = search(gomoku, f"{WON} g8", "go movetime 20000")
    assert best == "none"
    assert " score wld loss " in lines[-1]


def test_the_last_cells_of_a_board(gomoku: EngineProcess) -> None:
    cells = ["XO"[(column // 2 + row) % 2] for row in range(15) for column in range(15)]
    empty = [0, 1, 112, 200, 224]
    for cell in empty:
        cells[cell] = "-"
    position = GomokuPosition.from_text(f"{''.join(cells)} X")
    while not position.is_over:
        gomoku.send(f"setboard {position.to_text()}", "go movetime 200")
        position = position.play(gomoku.read_until("bestmove .*")[-1].text.split()[1])
    assert gomoku.ask(f"setboard {position.to_text()}", "query gameover") == ["response true"]


def test_a_static_value_also_while_a_search_runs(gomoku: EngineProcess) -> None:
    gomoku.send(f"setboard startpos moves {OPEN}", "eval")
    before = gomoku.read_until("eval raw -?[0-9]+")[-1].text
    gomoku.send("go infinite", "eval")
    assert gomoku.read_until("eval .*")[-1].text == before
    gomoku.send("stop")
    gomoku.read_until("bestmove .*")


def test_a_ponder_search_ends_after_the_hit(gomoku: EngineProcess) -> None:
    gomoku.send(f"setboard startpos moves {OPEN}", "go ponder movetime 50")
    assert [line for line in texts(gomoku.read_for(0.3)) if line.startswith("bestmove")] == []
    gomoku.send("ponderhit")
    gomoku.read_until("bestmove .*")


@pytest.mark.parametrize("line", ["go exact", "go wld", "go window -2 2", "perft 2"])
def test_what_there_is_in_othello_only(gomoku: EngineProcess, line: str) -> None:
    (error,) = gomoku.ask(line)
    assert error.startswith("error bad-argument ")


def test_the_same_search_comes_to_the_same(gomoku: EngineProcess) -> None:
    seen = []
    for _ in range(2):
        gomoku.ask("newgame")
        best, lines = search(gomoku, OPEN, "go depth 6")
        seen.append((best, [re.sub(r"(nps|time|hashfull) \d+", r"\1 *", line) for line in lines]))
    assert seen[0] == seen[1]


# -- other profiles and games ------------------------------------------------------------------------------------


def test_the_documented_profile_and_its_result_line(gomoku: EngineProcess) -> None:
    gomoku.send("setoption name Profile value gomoku-classic", "setoption name ResultLine value json")
    gomoku.wait_ready(START_TIMEOUT)
    try:
        best, lines = search(gomoku, WON, "go movetime 20000")
        assert best in ("g8", "l8")
        assert last_score(lines[:-1]) == ("mate", 1)
        result = json.loads(lines[-1].removeprefix("result "))
        assert list(result) == ["r", "c", "score", "depth", "nodes", "time_ms", "nps", "heatmap"]
        assert (result["r"], result["c"]) == (7, {"g8": 6, "l8": 11}[best])
        assert len(result["heatmap"]) > 20
        assert {tuple(each[:2]) for each in result["heatmap"][:2]} == {(7, 6), (7, 11)}
        best, lines = search(gomoku, OPEN, "go depth 2")
        result = json.loads(lines[-1].removeprefix("result "))
        assert result["depth"] == 2
        assert f" score raw {result['score']} " in lines[-2]
    finally:
        gomoku.send("setoption name ResultLine value none")


def test_the_game_changes_back_and_forth(gomoku: EngineProcess) -> None:
    for _ in range(2):
        assert gomoku.ask_unloaded("setoption name Game value othello", "display")[0] == (
            f"board {Position.start().to_text()}"
        )
        gomoku.wait_ready(START_TIMEOUT)
        gomoku.send("setboard startpos", "go depth 4")
        best = gomoku.read_until("bestmove .*")[-1].text.split()[1]
        assert best in ("d3", "c4", "f5", "e6")
        workers_in_the_end(gomoku, 1)
        assert gomoku.ask_unloaded("setoption name Game value gomoku", "display")[0] == "board " + "-" * 225 + " X"
        gomoku.wait_ready(START_TIMEOUT)
        assert search(gomoku, WON, "go depth 2")[0] in ("g8", "l8")
        workers_in_the_end(gomoku, 1)


def test_several_workers(start: StartEngine) -> None:
    process = start("--set", "threads=2", "--set", "game=gomoku", "--set", "hash=16", games=["gomoku"])
    process.wait_ready(START_TIMEOUT)
    _, lines = search(process, OPEN, "go movetime 400")
    assert last_score(lines)[0] in ("raw", "mate")
    assert search(process, WON, "go movetime 20000")[0] in ("g8", "l8")
    process.send("setoption name Profile value gomoku-classic")
    process.wait_ready(START_TIMEOUT)
    assert search(process, OPEN, "go depth 2")[0] != "none"
    assert search(process, MUST_BLOCK, "go movetime 20000")[0] == "l8"
    workers_in_the_end(process, 2)


def test_quit_while_searching(start: StartEngine) -> None:
    process = start(*ONE, games=["gomoku"])
    process.wait_ready(START_TIMEOUT)
    process.send(f"setboard startpos moves {OPEN}", "go infinite")
    process.read_until("info depth .*")
    assert process.quit() == 0
    assert process.wait_gone(3) == []


def test_the_end_of_input_ends_it_after_the_answer(start: StartEngine) -> None:
    process = start(*ONE, games=["gomoku"])
    process.wait_ready(START_TIMEOUT)
    process.send(f"setboard startpos moves {WON}", "go infinite")
    process.end_input()
    lines = texts(process.read_to_end(60))
    assert lines[-1] in ("bestmove g8", "bestmove l8")
    assert process.wait_exit(10) == 0
    assert process.wait_gone(3) == []


@pytest.mark.parametrize("dialect", ["gtp", "nboard", "cassio"])
def test_dialects_of_othello_refuse_it(start: StartEngine, dialect: str) -> None:
    process = start("--protocol", dialect, "--profile", "gomoku", quiet=False, check_grammar=False)
    assert process.read_to_end(20) == []
    assert process.wait_exit(10) == 2
    assert f"--protocol {dialect} plays othello" in process.stderr_text
