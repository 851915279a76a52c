"""The native protocol where Gomoku is played, against a scripted engine; and the dialects that play Othello only."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from othello_engine.config import load_config
from othello_engine.errors import ConfigError
from othello_engine.gomoku.position import LARGEST, NO_CELL, SMALLEST, GomokuPosition
from othello_engine.position import Position
from othello_engine.types import BLACK, WHITE, Limits, RootValue, Score, ScoreKind, SearchInfo
from protocol import cli
from protocol.batch.bench import bench_depth, bench_positions
from protocol.cassio import CassioService
from protocol.gtp import GtpService
from protocol.native import State
from protocol.nboard import NboardService
from tests.protocol import fake_engine, gtp_desk
from tests.protocol.fake_engine import Desk, DialectDesk, FakeEngine
from tools.measure.grammar import kind_of

SIZES = range(SMALLEST, LARGEST + 1)
LETTERS = "abcdefghijklmnopqrst"
START = GomokuPosition.start()
OTHELLO_START = Position.start().to_text()
FINISHED = "e8 a1 f8 a2 g8 a3 h8 a4 i8"
"""Black has five."""


class GomokuDesk(Desk):
    """What is printed is checked, also where the game changes."""

    def said(self) -> list[str]:
        lines = super().said()
        for line in lines:
            kind_of(line, ("gomoku", "othello"))
        return lines


def gomoku_desk(profile: str = "gomoku", cold: bool = False, **options: object) -> Desk:
    return GomokuDesk(cold, knows_gomoku, profile, **options)


def knows_gomoku(engine: FakeEngine) -> None:
    """Static values, and nothing of Othello in the answers."""
    engine.evaluate = lambda position=None, timeout=60.0: Score(ScoreKind.RAW, 123)  # type: ignore[method-assign]


@pytest.fixture
def desk() -> Desk:
    return gomoku_desk()


def board(desk: Desk) -> str:
    return desk.send("display")[0].removeprefix("board ")


def cell(name: str, size: int = 15) -> int:
    """The twin of `parse_cell`."""
    return (int(name[1:]) - 1) * size + LETTERS.index(name[0])


def finish(desk: Desk, move: str, *infos: SearchInfo, **changes: object) -> list[str]:
    """Ends the running search; what is said then."""
    values: dict[str, object] = {"ponder_move": NO_CELL, "lines": infos}
    desk.engine.finish(cell(move), **{**values, **changes})
    return desk.said()


def info(depth: int, *pv: str, **changes: object) -> SearchInfo:
    """A line of play, of cells."""
    return fake_engine.info(depth, **{"hashfull": 3, "pv": tuple(cell(name) for name in pv), **changes})


# -- boards ------------------------------------------------------------------------------------------------------

SPELLINGS = {"X": "Xx*Bb", "O": "OoWw", "-": "-._", "#": "#"}
SIDES = {"X": ("X", "x", "*", "B", "b", "black", "Black", "BLACK"), "O": ("O", "o", "W", "w", "white", "WHITE")}


def random_cells(size: int, dice: random.Random) -> str:
    return "".join(dice.choices("-XO#", (12, 3, 3, 1), k=size * size))


@pytest.mark.parametrize("size", SIZES)
def test_boards_of_every_size_in_every_spelling(desk: Desk, size: int) -> None:
    dice = random.Random(size)
    for side, words in SIDES.items():
        for word in words:
            cells = random_cells(size, dice)
            written = "".join(dice.choice(SPELLINGS[each]) for each in cells)
            for text in (
                f"{written} {word}",
                " ".join(written[row * size : (row + 1) * size] for row in range(size)) + f"  {word}",
                f"board {written}\t{word}",
            ):
                assert desk.send(f"setboard {text}") == []
                shown = desk.send("display")
                assert shown[0] == f"board {cells} {side}"
                assert shown[1] == f"empties {cells.count('-')}"
                assert all(line.startswith("info string ") for line in shown[3:])
                assert len(shown) == 3 + size + 3


@pytest.mark.parametrize("word", ["X", "o"])
def test_a_side_without_a_space_before_it(desk: Desk, word: str) -> None:
    for size in SIZES:
        assert desk.send(f"setboard {'-' * size * size}{word}") == []
        assert board(desk) == "-" * size * size + f" {word.upper()}"
        assert desk.send(f"setboard {' '.join('-' * size * size + word)}") == []
        assert board(desk) == "-" * size * size + f" {word.upper()}"


def test_any_number_of_stones_makes_a_board(desk: Desk) -> None:
    for cells in ("X" * 225, "O" * 225, "#" * 225, "X" * 224 + "-", "-" * 224 + "O"):
        assert desk.send(f"setboard {cells} X") == []
        assert board(desk) == f"{cells} X"


def refusal(desk: Desk, line: str) -> list[str]:
    """The first three words of the one error line."""
    before = board(desk)
    (error,) = desk.send(line)
    assert board(desk) == before
    return error.split()[:3]


@pytest.mark.parametrize("size", SIZES)
def test_a_strange_character_is_named_by_its_column(desk: Desk, size: int) -> None:
    dice = random.Random(size)
    for strange in "1?0y+/Z":
        cells = list(random_cells(size, dice))
        place = dice.randrange(len(cells))
        cells[place] = strange
        assert refusal(desk, f"setboard {''.join(cells)} X") == ["error", "bad-board", str(place + 1)]
        rows = " ".join("".join(cells[row * size : (row + 1) * size]) for row in range(size))
        column = place + place // size + 1
        assert refusal(desk, f"setboard {rows} X") == ["error", "bad-board", str(column)]


@pytest.mark.parametrize("n_cells", [2, 63, 64, 81, 99, 101, 224, 226, 399, 401, 441])
def test_a_number_of_cells_that_is_no_square_is_refused(desk: Desk, n_cells: int) -> None:
    (error,) = desk.send(f"setboard {'-' * n_cells} X")
    assert error.startswith("error bad-board ")
    assert f"{n_cells} cells" in error
    assert board(desk) == START.to_text()


@pytest.mark.parametrize("size", SIZES)
def test_a_board_without_a_side_is_refused(desk: Desk, size: int) -> None:
    cells = "-" * size * size
    assert refusal(desk, f"setboard {cells}") == ["error", "bad-board", str(len(cells) + 1)]
    rows = " ".join([size * "-"] * size)
    assert refusal(desk, f"setboard {rows}") == ["error", "bad-board", str(len(rows) + 1)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("setboard", "missing-argument setboard"),
        ("setboard moves h8", "missing-argument moves"),
        ("setboard fen", "missing-argument fen"),
        ("setboard startpos X", "bad-argument X"),
        (f"setboard {'-' * 225} Q", "bad-board"),
        (f"setboard {OTHELLO_START}", "bad-board"),
        ("setboard startpos moves h8 h8", "illegal-move h8"),
        ("setboard startpos moves h8 i9 p1", "illegal-move p1"),
        ("setboard startpos moves pass", "illegal-move pass"),
    ],
)
def test_what_is_no_position_changes_nothing(desk: Desk, line: str, code: str) -> None:
    desk.send("move h8")
    before = board(desk)
    (error,) = desk.send(line)
    assert error.startswith(f"error {code}")
    assert error.isascii()
    assert board(desk) == before


# -- the start, moves, undo --------------------------------------------------------------------------------------


def test_startpos_is_the_empty_board_of_the_size_that_the_option_says(desk: Desk) -> None:
    assert board(desk) == "-" * 225 + " X"
    for size in SIZES:
        assert desk.send(f"setoption name BoardSize value {size}") == []
        assert board(desk) == "-" * size * size + " X"  # nothing has been played
        desk.send("move a1")
        assert desk.send("setboard startpos moves b2") == []
        assert board(desk).count("-") == size * size - 1
        assert desk.send("newgame") == []
        assert board(desk) == "-" * size * size + " X"
    assert desk.send("setboard STARTPOS") == []
    for value in ("9", "21", "15x15"):
        (error,) = desk.send(f"setoption name BoardSize value {value}")
        assert error.startswith(f"error bad-option-value {value} ")


def test_a_game_that_has_begun_goes_on_when_the_size_changes(desk: Desk) -> None:
    desk.send("move h8", "setoption name BoardSize value 19")
    assert board(desk).count("-") == 224
    desk.send("undo")
    assert board(desk) == "-" * 225 + " X"
    desk.send("newgame")
    assert board(desk) == "-" * 361 + " X"


@pytest.mark.parametrize(
    "line",
    [
        "move h8 i9 g6",
        "move H8 I9 G6",
        "move h8i9g6",
        "move H8 I9G6",
        "setboard startpos moves h8 i9 g6",
        "setboard startpos moves h8i9g6",
    ],
)
def test_moves_one_after_another(desk: Desk, line: str) -> None:
    assert desk.send(line) == []
    assert board(desk) == GomokuPosition.from_moves("h8i9g6").to_text()
    assert desk.send("undo", "undo 2") == []
    assert board(desk) == START.to_text()
    assert desk.send("undo") == ["error nothing-to-undo 1 0 plies to take back"]


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("move i8", "error illegal-move i8 at 1 "),
        ("move a1 b1 a1", "error illegal-move a1 at 3 "),
        ("move p8", "error illegal-move p8 at 1 "),
        ("move a16", "error illegal-move a16 at 1 "),
        ("move pass", "error illegal-move pass at 1 "),
        ("move", "error missing-argument move "),
    ],
)
def test_what_is_no_move_is_named_and_nothing_of_the_line_is_played(desk: Desk, line: str, start: str) -> None:
    desk.send("move h8 i8")
    (error,) = desk.send(line)
    assert error.startswith(start)
    assert board(desk) == GomokuPosition.from_moves("h8i8").to_text()


def test_after_five_in_a_row_nothing_can_be_played(desk: Desk) -> None:
    assert desk.send(f"move {FINISHED}") == []
    (error,) = desk.send("move o15")
    assert error.startswith("error illegal-move o15 at 1 the game is over")
    assert desk.send("display")[2] == "legal none"
    assert desk.send("undo", "move o15") == []


def test_undo_round_takes_back_the_own_last_move(desk: Desk) -> None:
    desk.send("move h8 i9 g6")
    assert desk.send("undo round") == []
    assert board(desk) == GomokuPosition.from_moves("h8").to_text()
    (error,) = desk.send("undo round")
    assert error.startswith("error nothing-to-undo round White has not moved yet")


# -- questions ---------------------------------------------------------------------------------------------------


def full_board(size: int) -> str:
    return "".join("XO"[(column // 2 + row) % 2] for row in range(size) for column in range(size))


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("setboard startpos", ("false", "true", "none")),
        ("setboard startpos moves h8", ("false", "false", "none")),
        (f"setboard startpos moves {FINISHED}", ("true", "false", "p1win")),
        ("setboard startpos moves o15 e8 a1 f8 a2 g8 a3 h8 a5 i8", ("true", "true", "p2win")),
        (f"setboard {full_board(10)} X", ("true", "true", "draw")),
        (f"setboard {full_board(15)} O", ("true", "false", "draw")),
        (f"setboard {'#' * 400} X", ("true", "true", "draw")),
    ],
)
def test_queries(desk: Desk, line: str, answers: tuple[str, str, str]) -> None:
    assert desk.send(line) == []
    for topic, expected in zip(("gameover", "p1turn", "result"), answers, strict=True):
        assert desk.send(f"query {topic}") == [f"response {expected}"]


def test_what_is_shown_of_a_position(desk: Desk) -> None:
    desk.send("setoption name BoardSize value 10", "setboard startpos moves a1 j10 c2")
    lines = desk.send("d")
    expected = list("-" * 100)
    expected[0], expected[99], expected[12] = "X", "O", "X"
    assert lines[0] == f"board {''.join(expected)} O"
    assert lines[1] == "empties 97"
    assert lines[2].split()[1:] == [
        f"{LETTERS[index % 10]}{index // 10 + 1}" for index in range(100) if expected[index] == "-"
    ]
    drawing = [line.removeprefix("info string ") for line in lines[3:]]
    assert drawing[0].split() == list(LETTERS[:10]) == drawing[11].split()
    for row in range(10):
        assert drawing[row + 1].split() == [str(row + 1), *expected[10 * row : 10 * row + 10], str(row + 1)]
    assert drawing[12] == "White (O) to move, 2-1"


def test_a_static_value(desk: Desk) -> None:
    desk.send("move h8", "eval")
    assert desk.wait_for("eval .*") == ["eval raw 123"]


# -- searches ----------------------------------------------------------------------------------------------------


def test_reports_and_the_answer_in_the_words_of_the_board(desk: Desk) -> None:
    desk.send("setoption name InfoInterval value 0", "move h8", "go depth 4")
    assert desk.engine.limits == Limits(depth=4)
    assert desk.engine.calls[-2] == ("set_position", GomokuPosition.from_moves("h8").to_text())
    desk.engine.report(info(2, "o15", "a1"))
    assert desk.said() == [
        "info depth 2 seldepth 4 sel 100 score raw 20 nodes 200 nps 100000 time 2 hashfull 3 pv o15 a1"
    ]
    assert finish(desk, "o15", info(4, "o15", "h9", "a15"))[-1] == "bestmove o15"


@pytest.mark.parametrize("size", [10, 20])
def test_names_are_those_of_the_board_searched(desk: Desk, size: int) -> None:
    desk.send(f"setoption name BoardSize value {size}", "setoption name Ponder value true", "go depth 1")
    last = size * size - 1
    desk.engine.finish(last, ponder_move=last - size, lines=(info(1, pv=(last, last - size)),))
    corner, above = f"{LETTERS[size - 1]}{size}", f"{LETTERS[size - 1]}{size - 1}"
    said = desk.said()
    assert said[0].endswith(f" pv {corner} {above}")
    assert said[1] == f"bestmove {corner} ponder {above}"


@pytest.mark.parametrize("mate", [1, 3, 17, -2, -14])
def test_a_proved_win_or_loss_is_a_distance(desk: Desk, mate: int) -> None:
    desk.send("go depth 4")
    lines = finish(desk, "h8", info(4, "h8", score=Score(ScoreKind.MATE, mate)))
    assert f" score mate {mate} " in lines[0]
    assert lines[1] == "bestmove h8"


def test_a_finished_game_has_no_best_move(desk: Desk) -> None:
    desk.send(f"move {FINISHED}", "go")
    over = info(0, score=Score(ScoreKind.WLD, -1), selective_depth=0)
    desk.engine.finish(NO_CELL, ponder_move=NO_CELL, lines=(over,))
    lines = desk.said()
    assert lines[0].startswith("info depth 0 seldepth 0 sel 100 score wld loss nodes 0 ")
    assert " pv" not in lines[0]
    assert lines[1] == "bestmove none"


def test_a_move_that_is_none_becomes_a_legal_one(desk: Desk) -> None:
    desk.send("move a1 h8", "go depth 1")
    lines = finish(desk, "h8")
    assert lines[-1] == "bestmove h7"
    assert [line.split()[1] for line in lines if line.startswith("error")] == ["internal"]


def test_limits_and_root_moves(desk: Desk) -> None:
    desk.send("move h8")
    desk.send("go btime 9 wtime 5000 winc 100 movestogo 9 searchmoves i9 O15 i9")
    assert desk.engine.limits == Limits(
        white_ms=5000, white_increment_ms=100, moves_to_go=9, search_moves=(cell("i9"), cell("o15"))
    )
    finish(desk, "i9")
    for line, start in (
        ("go searchmoves i9 h8", "error illegal-move h8 at 2 not an empty cell"),
        ("go searchmoves p1", "error illegal-move p1 at 1 "),
        ("go searchmoves i9h9", "error illegal-move i9h9 at 1 "),
        ("go searchmoves i9 depth 3", "error illegal-move depth at 2 "),
    ):
        (error,) = desk.send(line)
        assert error.startswith(start)
        assert desk.service.state is State.IDLE


@pytest.mark.parametrize("profile", ["gomoku", "gomoku-classic"])
@pytest.mark.parametrize(
    ("line", "token"),
    [
        ("go exact", "exact"),
        ("go wld", "wld"),
        ("go depth 3 wld", "wld"),
        ("go window -1 1", "window"),
        ("go exact window -1 1", "exact"),
        ("perft 2", "perft"),
        ("hint 3", "3"),
        ("hint 1", "1"),
    ],
)
def test_what_there_is_in_othello_only_is_refused_and_nothing_changes(profile: str, line: str, token: str) -> None:
    desk = gomoku_desk(profile)
    desk.send("move h8", "isready")
    calls = list(desk.engine.calls)
    (error,) = desk.send(line)
    assert error.startswith(f"error bad-argument {token} ")
    assert desk.engine.calls == calls
    assert desk.service.state is State.IDLE
    assert board(desk) == GomokuPosition.from_moves("h8").to_text()


def test_an_open_search_keeps_its_answer(desk: Desk) -> None:
    desk.send("go infinite")
    assert desk.service.state is State.OPEN
    assert finish(desk, "h8", info(3, "h8")) == []
    (error,) = desk.send("setoption name Game value othello")
    assert error.startswith("error busy ")
    assert desk.send("stop")[-1] == "bestmove h8"


def test_a_search_that_is_stopped_while_the_engine_loads_has_a_legal_move() -> None:
    desk = gomoku_desk(cold=True)
    assert desk.send("setboard startpos moves a1 h8", "go depth 3", "hint") == []
    assert desk.send("stop")[-1] in {f"bestmove {START.move_name(move)}" for move in range(225)} - {
        "bestmove a1",
        "bestmove h8",
    }


# -- result lines ------------------------------------------------------------------------------------------------


def result_lines(form: str, profile: str = "gomoku-classic") -> list[str]:
    desk = gomoku_desk(profile, ResultLine=form)
    desk.send("go depth 3")
    values = (RootValue(cell("h8"), 500), RootValue(cell("a15"), -3))
    return finish(desk, "c2", info(3, "c2", "h8"), nodes=4000, time_ms=20, document_score=123_456, root_values=values)


@pytest.mark.parametrize("profile", ["gomoku", "gomoku-classic"])
def test_the_result_as_json(profile: str) -> None:
    *_, line, best = result_lines("json", profile)
    assert best == "bestmove c2"
    word, text = line.split(" ", 1)
    assert word == "result"
    assert " " not in text
    assert json.loads(text) == {
        "r": 1,
        "c": 2,
        "score": 123_456,
        "depth": 3,
        "nodes": 4000,
        "time_ms": 20,
        "nps": 200_000,
        "heatmap": [[7, 7, 500], [14, 0, -3]],
    }
    assert list(json.loads(text)) == ["r", "c", "score", "depth", "nodes", "time_ms", "nps", "heatmap"]


def test_the_result_as_csv() -> None:
    assert result_lines("csv")[-2:] == ["1,2,123456,3,4000,20,200000", "bestmove c2"]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_the_result_of_a_finished_game(form: str) -> None:
    desk = gomoku_desk(ResultLine=form)
    desk.send(f"move {FINISHED}", "go")
    desk.engine.finish(NO_CELL, ponder_move=NO_CELL, time_ms=0)
    *_, line, best = desk.said()
    assert best == "bestmove none"
    if form == "csv":
        assert line == "-1,-1,0,0,0,0,0"
    else:
        assert json.loads(line.removeprefix("result "))["heatmap"] == []
        assert [json.loads(line.removeprefix("result "))[key] for key in "rc"] == [-1, -1]


def test_only_gomoku_has_a_result_in_json() -> None:
    desk = Desk()
    (error,) = desk.send("setoption name ResultLine value json")
    assert error.startswith("error bad-option-value json ")
    assert desk.service.config.result_line == "none"


# -- hints -------------------------------------------------------------------------------------------------------


def hint_numbers(values: list[int]) -> list[int]:
    """The twin: between worst and best by the logarithm, 30 to 90; each counts for as much as any behind it."""
    numbers = [math.log1p(value) if value >= 0 else -math.log1p(-value) for value in values]
    numbers = [max(numbers[index:]) for index in range(len(numbers))]
    low, high = min(numbers), max(numbers)
    return [50 if low == high else int((each - low) / (high - low) * 60 + 30 + 0.5) for each in numbers]


@pytest.mark.parametrize("values", [[900_000, 5000, 5000, 12, 0, -40], [7], [7, 7], [100, 900_000, 3, 20, -5]], ids=str)
def test_a_hint_is_the_heatmap_in_its_order(desk: Desk, values: list[int]) -> None:
    desk.send("move h8")
    assert desk.send("hint") == []
    assert desk.engine.limits == Limits(heatmap=True)
    assert desk.service.state is State.SEARCH
    names = ["i9", "a1", "g7", "o15", "b1", "c1"][: len(values)]
    root_values = tuple(RootValue(cell(name), value) for name, value in zip(names, values, strict=True))
    lines = finish(desk, "i9", root_values=root_values)
    assert lines[-1] == "hintok"
    expected = []
    for name, value, number in zip(names, values, hint_numbers(values), strict=True):
        band = "amber" if number >= 75 else "emerald" if number >= 50 else "blue"
        expected.append(f"hint {name} value {number} band {band} score raw {value} depth 0")
    assert lines[:-1] == expected


def test_hints_on_the_board(desk: Desk) -> None:
    desk.send("move h8", "hint")
    finish(desk, "i9", root_values=(RootValue(cell("i9"), 900), RootValue(cell("a1"), 0)))
    lines = [line.removeprefix("info string ") for line in desk.send("display hints")]
    assert lines[4].split()[:3] == ["1", "30", "-"]
    assert lines[12].split() == ["9", *["-"] * 8, "90", *["-"] * 6, "9"]
    assert lines[11].split()[8] == "X"
    assert "\x1b[33m" not in "".join(lines)
    assert "there are no hints" not in lines[-1]
    desk.send("move i9")
    assert "there are no hints for this position" in desk.send("display hints")[-1]


def test_hints_are_of_their_game(desk: Desk) -> None:
    desk.send("hint")
    finish(desk, "h8", root_values=(RootValue(cell("h8"), 900),))
    desk.send("setoption name Profile value gomoku-classic")
    assert "there are no hints for this position" in desk.send("display hints")[-1]


def test_a_finished_game_has_no_hints(desk: Desk) -> None:
    desk.send(f"move {FINISHED}", "hint")
    desk.engine.finish(NO_CELL, ponder_move=NO_CELL)
    assert desk.said() == ["hintok"]


# -- games and options -------------------------------------------------------------------------------------------


def test_the_game_changes_both_ways() -> None:
    desk = Desk(profile=None, prepare=knows_gomoku)
    desk.send("setboard startpos moves f5d6", "isready")
    assert desk.send("setoption name Game value gomoku") == []
    assert ("set_option", "Game", "gomoku") in desk.engine.calls
    assert board(desk) == START.to_text()
    assert desk.service.config.profile.name == "gomoku"
    assert desk.send("move h8", "setoption name Game value gomoku") == []
    assert board(desk) == GomokuPosition.from_moves("h8").to_text()  # no other game than before
    assert desk.send("setoption name Profile value gomoku-classic") == []
    assert board(desk) == GomokuPosition.from_moves("h8").to_text()
    assert desk.send("setoption name Game value othello") == []
    assert board(desk) == OTHELLO_START
    assert desk.service.config.profile.name == "strong"
    assert desk.send("move f5", "setoption name Profile value gomoku") == []
    assert board(desk) == START.to_text()
    assert desk.send("setoption name Profile value classic") == []
    assert board(desk) == OTHELLO_START
    assert desk.send("undo") == ["error nothing-to-undo 1 0 plies to take back"]
    (error,) = desk.send("setoption name Game value chess")
    assert error.startswith("error bad-option-value chess ")


def test_a_change_of_the_game_waits_for_the_search_that_runs() -> None:
    desk = Desk(profile="strong", prepare=knows_gomoku)
    desk.send("go depth 3", "setoption name Game value gomoku", "setboard startpos moves h8")
    assert board(desk) == OTHELLO_START
    desk.engine.finish()
    assert desk.said() == ["bestmove d3"]
    assert board(desk) == GomokuPosition.from_moves("h8").to_text()


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("setoption name ResultLine value json", "setoption name Game value othello"),
        ("setoption name ResultLine value json", "setoption name Profile value strong"),
    ],
)
def test_a_change_that_an_option_forbids_changes_nothing(desk: Desk, before: str, line: str) -> None:
    desk.send("move h8", before)
    assert refusal(desk, line)[:2] == ["error", "bad-option-value"]
    assert desk.service.config.game == "gomoku"


@pytest.mark.parametrize("line", ["setoption name Variant value anti", "setoption name LimitStrength value true"])
def test_options_of_othello_are_refused(desk: Desk, line: str) -> None:
    desk.send("move h8")
    assert refusal(desk, line)[:2] == ["error", "bad-option-value"]


def offered(desk: Desk) -> dict[str, str]:
    return {line.split(" name ")[1].split(" type ")[0]: line for line in desk.send("uoi") if line.startswith("option ")}


def test_only_options_that_mean_something_are_offered() -> None:
    gomoku, othello = offered(gomoku_desk()), offered(Desk(profile="strong"))
    assert set(othello) - set(gomoku) == {
        "Variant", "LimitStrength", "Elo", "Selectivity", "SolveEmpties", "WLDEmpties", "Contempt", "EvalFile"
    }  # fmt: skip
    assert set(gomoku) - set(othello) == {"BoardSize"}
    assert gomoku["BoardSize"] == "option name BoardSize type spin default 15 min 10 max 20"
    assert gomoku["Game"] == "option name Game type combo default gomoku var othello var gomoku"
    assert gomoku["ResultLine"].endswith("default none var none var csv var json")
    assert othello["Game"].startswith("option name Game type combo default othello")


# -- bench -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["bench", "bench 4 2 8"])
def test_a_bench_of_gomoku_s_own_positions(line: str) -> None:
    def answer(engine: FakeEngine, limits: Limits) -> None:
        engine.finish(ponder_move=NO_CELL, nodes=50, time_ms=5)

    desk = gomoku_desk(Threads=3, Hash=32)
    desk.send("move h8", "isready")
    desk.engine.answer = answer
    lines = desk.send(line)
    if not lines or not lines[-1].startswith("bench "):  # the engine answers on a thread of its own
        lines += desk.wait_for("bench .*")
    positions = bench_positions("gomoku")
    depth = 4 if "4" in line else bench_depth("gomoku")
    assert lines[-1] == f"bench nodes {50 * len(positions)} time {5 * len(positions)} nps 10000"
    assert [each.split()[:3] for each in lines[:-1]] == [["info", "bench", str(n + 1)] for n in range(len(positions))]
    firsts = [position.move_name(position.legal_moves[0]) for position in positions]
    assert [each.split()[-1] for each in lines[:-1]] == firsts
    searched = [call[1] for call in desk.engine.calls if call[0] == "set_position"]
    assert searched == [position.to_text() for position in positions]
    assert {call[1] for call in desk.engine.calls if call[0] == "go"} == {Limits(depth=depth, multipv=1)}
    assert (desk.engine.config.threads, desk.engine.config.hash_mb) == (3, 32)
    assert board(desk) == GomokuPosition.from_moves("h8").to_text()


def test_the_positions_of_the_bench_are_open_games() -> None:
    for position in bench_positions("gomoku"):
        assert isinstance(position, GomokuPosition)
        assert not position.is_over
        assert (position.n_stones(BLACK) - position.n_stones(WHITE)) in (0, 1)
        assert position.side == (position.n_stones(BLACK) + position.n_stones(WHITE)) % 2


# -- commands and dialects of Othello ------------------------------------------------------------------------------

GOMOKU_PROFILES = ("gomoku", "gomoku-classic")


def arguments(dialect: str, *settings: tuple[str, str], profile: str | None = None) -> SimpleNamespace:
    """What the command line comes to."""
    values: dict[str, object] = {"protocol": dialect, "settings": list(settings), "command": None, "version": False}
    return SimpleNamespace(**values, **({} if profile is None else {"profile": profile}))


@pytest.mark.parametrize("command", ["perft", "solve"])
def test_commands_of_othello_refuse_gomoku(command: str) -> None:
    config = load_config(profile="gomoku-classic")
    with pytest.raises(cli._UsageError, match=f"{command} is for Othello; the profile gomoku-classic plays Gomoku"):
        cli._refuse_gomoku(config, command)
    cli._refuse_gomoku(load_config(), command)


@pytest.mark.parametrize("dialect", ["gtp", "nboard", "cassio"])
@pytest.mark.parametrize(
    "make",
    [
        *(lambda dialect, name=name: arguments(dialect, profile=name) for name in GOMOKU_PROFILES),
        lambda dialect: arguments(dialect, ("Profile", "gomoku")),
        lambda dialect: arguments(dialect, ("game", "gomoku")),
    ],
)
def test_dialects_of_othello_refuse_gomoku_at_the_start(dialect: str, make: Callable[[str], SimpleNamespace]) -> None:
    with pytest.raises(ConfigError, match=f"{dialect} plays othello"):
        cli._load_config(make(dialect))
    assert cli._load_config(make("native")).game == "gomoku"


@pytest.mark.parametrize("service", [GtpService, NboardService, CassioService])
@pytest.mark.parametrize(("name", "value"), [("Profile", "gomoku"), ("Profile", "gomoku-classic"), ("Game", "gomoku")])
@pytest.mark.parametrize("has_engine", [False, True])
def test_dialects_of_othello_refuse_gomoku_as_an_option(
    service: type[GtpService], name: str, value: str, has_engine: bool
) -> None:
    desk = DialectDesk(service)
    if has_engine:
        assert desk.service.engine
    before = desk.service.config
    with pytest.raises(ConfigError, match="plays othello"):
        desk.service.change_option(name, value)
    assert desk.service.config == before
    assert not has_engine or ("set_option", name, value) not in desk.engine.calls


@pytest.mark.parametrize("setting", ["Profile gomoku", "Profile gomoku-classic", "Game gomoku"])
def test_gtp_says_so(setting: str) -> None:
    desk = gtp_desk.Desk()
    before = desk.service.config
    answer = desk.ask(f"othello_engine-option {setting}")
    assert answer.startswith("? cannot set ")
    assert desk.service.config == before
