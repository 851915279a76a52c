"""The GTP dialect against a scripted engine: order, ids, commands, loading, interruption, failures, ends, garbage."""

from __future__ import annotations

import random
import re
import string
from dataclasses import replace
from pathlib import Path

import pytest

from othello_engine.errors import BusyError, EngineError, WeightsError
from othello_engine.position import Position
from othello_engine.types import NO_MOVE, Limits, Score, ScoreKind
from protocol.gtp import _COMMANDS
from protocol.lines import InputItem, LineError, LineSplitter
from tests.positions import EARLIEST_PASS, EARLIEST_PASS_TEXT, PASS_AT_16, PASS_THEN_WIPE_OUT, START_TEXT, WIPE_OUT
from tests.protocol.fake_engine import FakeEngine, answer_truly, info, interrupt
from tests.protocol.gtp_desk import Desk, commands_of, knowing, split_answers, wait_for_answer

SEARCHING = (
    "genmove b",
    "reg_genmove b",
    "othello_engine-score",
    "othello_engine-line_of_play",
    "othello_engine-move_scores",
    "othello_engine-influence",
)
ANALYSES = SEARCHING[2:]

IDLE = {
    "protocol_version": "= 2",
    "name": "= othello-engine",
    "version": "= ...",
    "known_command play": "= true",
    "known_command Final_Score": "= true",
    "known_command frobnicate": "= false",
    "known_command play it": "? syntax error: write known_command NAME",
    "list_games": "= Othello",
    "set_game Othello": "=",
    "set_game oTHELLO": "=",
    "set_game Go": "? unsupported game: 'Go'",
    "set_game": "? syntax error: write set_game NAME",
    "boardsize 8": "=",
    "boardsize 10": "? unacceptable size",
    "boardsize 0": "? unacceptable size",
    "boardsize x": "? syntax error: a whole number is needed, not 'x'",
    "boardsize": "? syntax error: write boardsize 8",
    "clear_board": "=",
    "clear_board now": "? syntax error: write clear_board",
    "komi 6.5": "=",
    "komi -6.5": "=",
    "komi much": "? syntax error: komi is a number, not 'much'",
    "play b f5": "=",
    "play BLACK F5": "=",
    "play w f5": "? illegal move: it is Black's turn",
    "play b a1": "? illegal move: no disc turned (a1)",
    "play b d4": "? illegal move: square occupied (d4)",
    "play b pass": "? illegal move: a pass is not allowed while there is a move (pass)",
    "play b i9": "? illegal move: no square of this board and no pass: 'i9'",
    "play b resign": "? syntax error: no square of this board and no pass: 'resign'",
    "play x f5": "? syntax error: the colour is b or w, not 'x'",
    "play f5": "? syntax error: write play COLOUR VERTEX",
    "genmove w": "? illegal move: it is Black's turn",
    "genmove x": "? syntax error: the colour is b or w, not 'x'",
    "genmove": "? syntax error: write genmove COLOUR",
    "reg_genmove w": "? illegal move: it is Black's turn",
    "undo": "? cannot undo: moves to take back: 0",
    "undo 1": "? syntax error: write undo",
    "gg-undo 3": "? cannot undo: moves to take back: 0",
    "gg-undo": "? cannot undo: moves to take back: 0",
    "gg-undo 0": "=",
    "time_settings 0 1 0": "=",
    "time_settings 300.5 30 10": "=",
    "time_settings -1 0 0": "? syntax error: a time is not negative",
    "time_settings 1 2": "? syntax error: write time_settings MAIN PERIOD STONES",
    "time_settings a b c": "? syntax error: a time is a number of seconds, not 'a'",
    "time_left b 30 0": "=",
    "time_left white 12.25 3": "=",
    "time_left b -0.5 0": "=",
    "time_left b 30": "? syntax error: write time_left COLOUR TIME STONES",
    "time_left b 30 -1": "? syntax error: a whole number is needed, not '-1'",
    "final_score": "? cannot score: the game is not over",
    "gogui-rules_final_result": "? cannot score: the game is not over",
    "loadsgf /nowhere/to/be found.sgf": "? cannot load file: there is no such file",
    "loadsgf": "? syntax error: write loadsgf FILE [MOVE]",
    'loadsgf "half': "? syntax error: the closing quote is missing",
    "gogui-interrupt": "=",
    "gogui-play_sequence": "=",
    "gogui-play_sequence B F5 W D6": "=",
    "gogui-play_sequence B F5 W F5": "? illegal move: square occupied (f5), move 2 of the sequence",
    "gogui-setup b d5 w d4": "=",
    "gogui-setup b d5 w d5": "? syntax error: two discs on d5",
    "gogui-setup b pass": "? syntax error: a pass is no disc",
    "gogui-setup b": "? syntax error: a vertex is missing behind 'b'",
    "gogui-setup_player w": "=",
    "gogui-rules_game_id": "= Othello",
    "gogui-rules_board_size": "= 8",
    "gogui-rules_legal_moves": "= D3 C4 F5 E6",
    "gogui-rules_side_to_move": "= black",
    f"othello_engine-setboard {EARLIEST_PASS_TEXT}": "=",
    "othello_engine-setboard XO-": "? syntax error: only 3 of 64 squares (column 4)",
    "othello_engine-setboard": "? syntax error: write othello_engine-setboard SQUARES SIDE",
    "othello_engine-last_search": "= There was no search yet",
    "othello_engine-option Threads": "= 2",
    "othello_engine-option threads 3": "=",
    "othello_engine-option Clear Hash": "=",
    "othello_engine-option Ponder 1": "=",
    "othello_engine-option Hash 0": "? cannot set Hash: Hash takes a whole number from 1 to 65536, not 0",
    "othello_engine-option Treads 3": "? unknown option: 'Treads'",
    "frobnicate": "? unknown command",
    "kgs-genmove_cleanup b": "? unknown command",
    "final_status_list dead": "? unknown command",
    "7": "?7 syntax error: a command is missing",
}
"""Commands that are answered at once, and their answers in the start position."""


@pytest.fixture
def desk() -> Desk:
    return Desk()


def board(desk: Desk) -> str:
    return desk.position.to_text()


def searching(*lines: str) -> Desk:
    """A desk where a `genmove` runs behind these lines."""
    desk = Desk()
    desk.answers(*lines)
    assert desk.answers("genmove b") == []
    return desk


# -- answers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", IDLE)
def test_what_is_answered_at_once(desk: Desk, line: str) -> None:
    expected = IDLE[line].replace("...", r".*") if "..." in IDLE[line] else re.escape(IDLE[line])
    assert re.fullmatch(expected, desk.ask(line))


@pytest.mark.parametrize("line", [line for line in IDLE if not line[0].isdigit()])
def test_an_id_stands_behind_the_mark_and_is_not_remembered(desk: Desk, line: str) -> None:
    plain = Desk().ask(line)
    assert desk.ask(f"2147483647 {line}") == f"{plain[0]}2147483647{plain[1:]}"
    assert desk.ask("name") == "= othello-engine"


@pytest.mark.parametrize("line", [line for line, answer in IDLE.items() if answer.startswith("?")])
def test_what_is_refused_changes_nothing(desk: Desk, line: str) -> None:
    desk.answers("time_settings 60 0 0", "othello_engine-option Contempt 7")
    before = desk.ask("othello_engine-option")
    assert desk.ask(line) == IDLE[line]
    assert (board(desk), desk.ask("othello_engine-option")) == (START_TEXT, before)
    assert desk.answers("genmove b") == []
    assert desk.engine.limits == Limits(black_ms=60_000, multipv=1)
    assert desk.finish("c4") == ["= c4"]
    assert desk.answers("undo", "undo") == ["=", "? cannot undo: moves to take back: 0"]


@pytest.mark.parametrize("line", [*IDLE, *SEARCHING])
def test_every_command_waits_while_a_move_is_generated(line: str) -> None:
    desk = searching()
    assert desk.answers(line) == []
    answers = desk.finish("d3")
    assert answers[0] == "= d3"
    if line in ANALYSES or "genmove w" in line:
        assert answers == ["= d3"]
        assert desk.engine.is_searching
    elif "last_search" not in line:
        alone = Desk()
        alone.play("d3")
        assert answers[1:] == [alone.ask(line)]


def test_commands_in_one_go_are_answered_in_order(desk: Desk) -> None:
    assert desk.answers("1 name", "2 genmove b", "3 play w c5", "# a comment", "", "4 genmove b", "5 what", "6") == [
        "=1 othello-engine"
    ]
    assert desk.finish("d3") == ["=2 d3", "=3"]
    assert desk.finish("c6") == ["=4 c6", "?5 unknown command", "?6 syntax error: a command is missing"]


def test_blank_lines_and_comments_have_no_answer(desk: Desk) -> None:
    assert desk.answers("", "  ", "\t", "# name", "   #", "#") == []
    assert desk.ask("name # and more") == "= othello-engine"
    assert desk.ask("  3\tplay  b \t f5  ") == "=3"


def test_names_are_read_in_any_case(desk: Desk) -> None:
    assert desk.ask("Protocol_Version") == "= 2"
    assert desk.ask("PLAY B F5") == "="


def test_every_listed_command_is_known_and_no_other(desk: Desk) -> None:
    names = desk.ask("list_commands").removeprefix("= ").split("\n")
    assert len(set(names)) == len(names) == len(_COMMANDS)
    for name in names:
        assert desk.ask(f"known_command {name}") == "= true"
        if name != "quit":
            assert desk.send(f"{name} with far too many words for it")[0] != "? unknown command"
    for required in ("quit", "komi", "undo", "time_left", "final_score", "loadsgf", "reg_genmove", "set_game"):
        assert required in names


def test_analyze_commands_are_commands_of_known_types(desk: Desk) -> None:
    lines = desk.ask("gogui-analyze_commands").removeprefix("= ").split("\n")
    for line in lines:
        kind, label, command = line.split("/")
        assert kind in ("gfx", "dboard", "var", "string", "hstring", "pstring", "param")
        assert label
        assert command in _COMMANDS


# -- positions ---------------------------------------------------------------------------------------------


def test_showboard_draws_below_the_mark(desk: Desk) -> None:
    desk.play("f5d6")
    assert desk.ask("showboard").split("\n") == [
        "=",
        "  a b c d e f g h",
        "1 - - - - - - - - 1",
        "2 - - - - - - - - 2",
        "3 - - - - - - - - 3",
        "4 - - - O X - - - 4",
        "5 - - - O X X - - 5",
        "6 - - - O - - - - 6",
        "7 - - - - - - - - 7",
        "8 - - - - - - - - 8",
        "  a b c d e f g h",
        "Black (X) to move, 3-3",
    ]


def test_both_pass_styles_as_the_specification_shows_them(desk: Desk) -> None:
    desk.play(EARLIEST_PASS)
    assert board(desk) == EARLIEST_PASS_TEXT
    lines = ["play w d6", "undo", "undo", "play b pass", "play w d6"]
    assert desk.answers(*lines) == ["="] * 5
    assert desk.ask("gg-undo 10") == "="
    assert board(desk) == START_TEXT


@pytest.mark.parametrize("passes", [True, False])
def test_a_game_to_its_end(desk: Desk, passes: bool) -> None:
    assert set(desk.answers(*commands_of(PASS_THEN_WIPE_OUT, passes=passes))) == {"="}
    assert desk.ask("final_score") == "= B+64"
    assert desk.ask("gogui-rules_final_result") == "= Black wins by 64, 20 discs to 0"
    assert desk.ask("gogui-rules_legal_moves") == "="
    assert desk.ask("play w a1") == "? illegal move: the game is over (a1)"
    assert desk.ask("play w pass") == "="
    assert desk.ask("play b pass") == "="
    assert desk.ask("final_score") == "= B+64"


@pytest.mark.parametrize("line", SEARCHING)
def test_when_the_game_is_over_nothing_is_searched(desk: Desk, line: str) -> None:
    desk.play(WIPE_OUT)
    expected = {
        "genmove b": "= pass",
        "reg_genmove b": "= pass",
        "othello_engine-score": "= White wins by 64, 0 discs to 16",
        "othello_engine-line_of_play": "=",
        "othello_engine-move_scores": "= TEXT White wins by 64, 0 discs to 16",
    }
    assert desk.ask(line).startswith(expected.get(line, "= 0.00 0.00"))
    assert "go" not in desk.engine.names()


def test_a_pass_of_genmove_at_the_end_can_be_taken_back(desk: Desk) -> None:
    desk.play(WIPE_OUT)
    before = board(desk)
    assert desk.answers("genmove b", "genmove w", "undo", "undo") == ["= pass", "= pass", "=", "="]
    assert board(desk) == before


def test_genmove_passes_where_it_must_and_records_it(desk: Desk) -> None:
    desk.play(PASS_AT_16)
    assert desk.ask("reg_genmove b") == "= pass"
    assert desk.ask("genmove b") == "= pass"
    assert desk.ask("genmove b") == "? illegal move: it is White's turn"
    assert desk.answers("genmove w") == []
    assert desk.finish("g3") == ["= g3"]
    assert desk.ask("gg-undo 2") == "="
    assert desk.position == Position.from_moves(PASS_AT_16)


def test_genmove_puts_in_the_pass_of_the_other_side(desk: Desk) -> None:
    desk.play(PASS_AT_16)
    passed = desk.position.play("pass")
    for command in ("reg_genmove w", "genmove w"):
        before = board(desk)
        assert desk.answers(command) == []
        assert desk.engine.position == passed
        assert board(desk) == before, "nothing is played before the answer"
        assert desk.finish("b4") == ["= b4"]
    assert desk.position == passed.play("b4")
    assert desk.answers("undo", "undo") == ["=", "="]
    assert desk.position == Position.from_moves(PASS_AT_16)


def test_a_board_can_be_set(desk: Desk) -> None:
    assert desk.ask(f"othello_engine-setboard {EARLIEST_PASS_TEXT}") == "="
    assert desk.ask("undo").startswith("? cannot undo")
    assert desk.ask("gogui-rules_legal_moves") == "= pass"
    spaced = " ".join(EARLIEST_PASS_TEXT.replace(" X", "")) + " white"
    assert desk.ask(f"othello_engine-setboard {spaced}") == "="
    assert desk.ask("gogui-rules_side_to_move") == "= white"


def test_gogui_sets_up_discs_before_the_first_move_only(desk: Desk) -> None:
    assert desk.answers("clear_board", "gogui-setup B A1 b b1 W c1", "gogui-setup_player W") == ["=", "=", "="]
    assert board(desk) == "XXO" + "-" * 61 + " O"
    assert desk.ask("gogui-setup_player b") == "="
    assert board(desk) == "XXO" + "-" * 61 + " X"
    assert desk.ask("play b d1") == "="
    for line in ("gogui-setup b a1", "gogui-setup_player w"):
        assert desk.ask(line) == "? moves have been made; clear_board comes first"
    assert board(desk) == "XXXX" + "-" * 60 + " O"


def test_a_new_game_forgets_the_old_one(desk: Desk) -> None:
    for command in ("clear_board", "boardsize 8"):
        desk.play("f5d6")
        assert desk.ask(command) == "="
        assert board(desk) == START_TEXT
        assert desk.ask("undo").startswith("? cannot undo")
        assert desk.engine.names()[-1] == "new_game"


# -- files -------------------------------------------------------------------------------------------------

GAME = "(;FF[4]GM[2]SZ[8]PB[a];B[f5];W[d6];B[c3](;W[d3])(;W[c5]))"


@pytest.mark.parametrize(
    ("number", "moves"), [("", "f5d6c3d3"), (" 1", ""), (" 3", "f5d6"), (" 99", "f5d6c3d3"), (" 0", "")]
)
def test_loadsgf_goes_to_the_position_before_a_move(desk: Desk, tmp_path: Path, number: str, moves: str) -> None:
    file = tmp_path / "a game.sgf"
    file.write_text(GAME)
    for name in (str(file), f'"{file}"'):
        desk.ask("clear_board")
        assert desk.ask(f"loadsgf {name}{number}") == "="
        assert desk.position == Position.from_moves(moves)
        assert desk.ask(f"gg-undo {len(moves) // 2}") == "="
        assert desk.ask("undo").startswith("? cannot undo")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        b"(;GM[1]SZ[19];B[aa])",
        b"(;GM[2];B[f5];W[e3])",
        b"\xff\xfe\x00",
        b"(;GM[2];B[f5]",
        b"\x1f\x8bx",
    ],
)
def test_a_file_that_holds_no_game_is_refused(desk: Desk, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "game.sgf"
    file.write_bytes(content)
    desk.play("f5d6")
    assert desk.ask(f"loadsgf {file}").startswith("? cannot load file: ")
    assert desk.ask(f"loadsgf {tmp_path}").startswith("? cannot load file: ")
    assert desk.position == Position.from_moves("f5d6")
    assert desk.answers("undo", "undo") == ["=", "="]


def test_passes_that_a_file_leaves_out_are_plies(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    nodes = "".join(f";{'WB'[after.side]}[{x}]" for x, after in zip_moves(PASS_THEN_WIPE_OUT))
    file.write_text(f"(;GM[2]SZ[8]{nodes})")
    assert desk.ask(f"loadsgf {file}") == "="
    assert desk.ask("final_score") == "= B+64"
    n_plies = len(Position.start().follow(PASS_THEN_WIPE_OUT))
    assert n_plies == len(PASS_THEN_WIPE_OUT) // 2 + 1
    assert desk.ask(f"gg-undo {n_plies}") == "="
    assert desk.ask(f"loadsgf {file} {n_plies}") == "="
    assert board(desk) == Position.start().follow(PASS_THEN_WIPE_OUT)[-2][1].to_text()


def zip_moves(transcript: str) -> list[tuple[str, Position]]:
    """The squares of a transcript with the positions after them."""
    names = re.findall("..", transcript)
    steps = [after for move, after in Position.start().follow(transcript) if move < 64]
    return list(zip(names, steps, strict=True))


# -- searches ----------------------------------------------------------------------------------------------


def test_genmove_plays_what_it_answers_and_reg_genmove_does_not(desk: Desk) -> None:
    for command, after in (("reg_genmove b", Position.start()), ("4 genmove b", Position.from_moves("c4"))):
        assert desk.answers(command) == []
        assert desk.finish("c4") == [f"={command.split()[0] if command[0] == '4' else ''} c4"]
        assert desk.position == after
    assert desk.ask("undo") == "="


def test_nothing_is_printed_while_a_search_runs() -> None:
    desk = searching()
    desk.engine.say("compiling 3 of 57 kernels")
    desk.engine.report(info(1), info(2))
    assert desk.pass_time(1) == []
    assert desk.finish("d3") == ["= d3"]


@pytest.mark.parametrize(
    ("lines", "limits"),
    [
        ((), Limits()),
        (("time_settings 0 1 0",), Limits()),
        (("time_settings 90 0 0",), Limits(black_ms=90_000)),
        (("time_settings 0 30 10",), Limits(black_ms=30_000, moves_to_go=10)),
        (("time_settings 0.5 0 0",), Limits(black_ms=500)),
        (("time_settings 90 0 0", "time_left b 41.5 0"), Limits(black_ms=41_500)),
        (("time_settings 90 0 0", "time_left w 41 0"), Limits(black_ms=90_000)),
        (("time_settings 90 30 10", "time_left b 12 4"), Limits(black_ms=12_000, moves_to_go=4)),
        (("time_left b 7 0",), Limits(black_ms=7_000)),
        (("time_left b 7 0", "clear_board"), Limits()),
        (("time_settings 90 0 0", "time_left b 7 0", "clear_board"), Limits(black_ms=90_000)),
    ],
)
@pytest.mark.parametrize("command", ["genmove b", "reg_genmove b"])
def test_what_limits_a_search(desk: Desk, lines: tuple[str, ...], limits: Limits, command: str) -> None:
    desk.answers(*lines)
    desk.send(command)
    assert desk.engine.limits == replace(limits, multipv=1)


def test_moves_are_timed_where_the_controller_does_not(desk: Desk) -> None:
    desk.answers("time_settings 60 0 0", "genmove b")
    desk.now += 12.5
    desk.engine.finish("d3")
    desk.answers("play w c5", "reg_genmove b")
    left = 47_500 - desk.engine.config.move_overhead_ms  # which the controller's clock shows as well
    assert desk.engine.limits == Limits(black_ms=left, multipv=1)
    desk.now += 30
    desk.finish()
    desk.send("genmove b")
    assert desk.engine.limits == Limits(black_ms=left, multipv=1), "reg_genmove costs nothing"


def test_analyses_know_no_clock_and_ask_for_the_lines_they_need(desk: Desk) -> None:
    desk.answers("time_settings 1 0 0")
    wanted = (1, 1, 64, 64)
    for line, n_lines in zip(ANALYSES, wanted, strict=True):
        assert desk.answers(line) == []
        assert desk.engine.limits == Limits(multipv=n_lines, thorough=True)
        desk.engine.finish(lines=(info(4, "d3"),))
        assert split_answers(desk.said())[0].startswith("=")
    assert board(desk) == START_TEXT


def test_what_analyses_say(desk: Desk) -> None:
    lines = (
        info(7, pv=(19, 18), score=Score(ScoreKind.CENTIDISCS, 150), selectivity=73),
        info(7, "c4", rank=2, score=Score(ScoreKind.CENTIDISCS, -350), selectivity=73),
    )
    said = []
    for line in ANALYSES:
        desk.send(line)
        desk.engine.finish("d3", lines=lines, nodes=5000, time_ms=20)
        said += split_answers(desk.said())
    assert said[:3] == [
        "= Black +1.5, depth 7 at 73 %",
        "= d3 c3",
        "= LABEL d3 +1.5 c4 -3.5\nCOLOR #00c800 d3\nCOLOR #c8c800 c4\nTEXT Black +1.5, depth 7 at 73 %",
    ]
    assert said[3].split("\n")[5] == "0.00 0.00 0.00 0.09 0.00 0.00 0.00 0.00"
    assert desk.ask("othello_engine-last_search").split("\n") == [
        f"= Position: {START_TEXT}",
        "Empties: 60",
        "Move: d3",
        "Score: Black +1.5, depth 7 at 73 %",
        "Line: d3 c3",
        "Nodes: 5000",
        "Seconds: 0.020",
        "Rate: 250000",
    ]


def test_the_last_search_is_that_of_the_last_move_too() -> None:
    desk = searching()
    assert desk.finish("d3", lines=(info(9, "d3"),), nodes=10) == ["= d3"]
    assert "Seconds: 0.000\nRate: -" in desk.ask("othello_engine-last_search")


def test_a_search_that_found_nothing_is_not_the_last_one() -> None:
    desk = searching()
    desk.finish("d3", lines=(info(9, "d3"),), nodes=10)
    before = desk.ask("othello_engine-last_search")
    assert desk.answers("othello_engine-score", "# interrupt") == ["? interrupted before anything was found"]
    assert desk.ask("othello_engine-last_search") == before


def test_with_an_engine_that_answers_by_itself() -> None:
    desk = knowing()
    for line in SEARCHING[1:]:
        assert wait_for_answer(desk, line).startswith("= ")
    assert wait_for_answer(desk, "genmove b") == "= d3"


# -- interruption ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", SEARCHING)
def test_an_interrupt_ends_a_search_with_what_it_has_found(desk: Desk, line: str) -> None:
    desk.send(line)
    desk.engine.stops_at_once = False
    assert desk.answers("name", "# interrupt") == []
    assert desk.engine.names()[-1] == "stop"
    desk.engine.finish("f5", lines=(info(3, "f5"),))
    first, second = split_answers(desk.said())
    assert first.startswith("= ")
    assert second == "= othello-engine"


@pytest.mark.parametrize("line", ANALYSES)
def test_an_analysis_that_has_found_nothing_says_so(desk: Desk, line: str) -> None:
    assert desk.answers(line, "# interrupt") == ["? interrupted before anything was found"]


def test_an_interrupt_while_idle_is_forgotten(desk: Desk) -> None:
    assert desk.answers("# interrupt", "name", "# interrupt", "# interrupt") == ["= othello-engine"]
    assert desk.answers("genmove b") == []
    assert desk.engine.is_searching


def test_an_interrupt_ends_one_command_only(desk: Desk) -> None:
    assert desk.answers("genmove b", "genmove w", "# interrupt") == ["= d3"]
    assert desk.engine.is_searching
    assert desk.answers("# interrupt") == ["= c3"]


def test_a_late_result_of_an_interrupted_search_is_dropped(desk: Desk) -> None:
    desk.send("genmove b")
    desk.engine.stops_at_once = False
    desk.send("# interrupt", "# interrupt")
    assert desk.engine.names().count("stop") == 2
    assert desk.finish("c4") == ["= c4"]


# -- loading -----------------------------------------------------------------------------------------------


def test_the_handshake_is_answered_while_the_engine_loads() -> None:
    desk = Desk(cold=True)
    for line in ("protocol_version", "name", "version", "list_commands", "list_games", "set_game Othello"):
        assert desk.ask(line).startswith("= " if line != "set_game Othello" else "=")
    assert desk.ask("boardsize 8") == "="
    assert desk.ask("play b f5") == "="


def test_clear_board_waits_until_the_engine_has_loaded() -> None:
    desk = Desk(cold=True)
    assert desk.answers("clear_board") == []
    desk.engine.ready.set()
    assert wait_for_answer(desk) == "="
    assert desk.ask("clear_board") == "="


def test_what_waits_behind_clear_board_comes_in_order() -> None:
    desk = Desk(cold=True)
    assert desk.answers("1 clear_board", "2 name", "3 clear_board") == []
    desk.engine.ready.set()
    said = desk.wait_for("=3")
    assert split_answers(said + desk.said()) == ["=1", "=2 othello-engine", "=3"]


def test_clear_board_can_be_interrupted_while_the_engine_loads() -> None:
    desk = Desk(cold=True)
    assert desk.answers("1 clear_board", "# interrupt", "name") == ["=1", "= othello-engine"]
    assert desk.answers("genmove b") == []
    desk.engine.answer = answer_truly
    desk.engine.ready.set()
    assert wait_for_answer(desk) == "= d3"


def test_a_search_without_a_clock_waits_until_the_engine_has_loaded() -> None:
    desk = Desk(cold=True)
    assert desk.answers("genmove b") == []
    assert "go" not in desk.engine.names()
    desk.engine.answer = answer_truly
    desk.engine.ready.set()
    assert wait_for_answer(desk) == "= d3"


def test_a_search_on_a_clock_begins_at_once() -> None:
    desk = Desk(cold=True)
    desk.answers("time_settings 60 0 0", "genmove b")
    assert desk.engine.is_searching


@pytest.mark.parametrize(("line", "answer"), [("genmove b", "= d3"), ("reg_genmove b", "= d3")])
def test_a_search_that_waits_for_the_engine_can_be_interrupted(line: str, answer: str) -> None:
    desk = Desk(cold=True)
    assert desk.answers(line, "# interrupt") == [answer]
    assert "go" not in desk.engine.names()


# -- failures ----------------------------------------------------------------------------------------------


def broken(engine: FakeEngine) -> None:
    engine.broken = "no memory"


def test_an_engine_that_can_t_load_is_told_of_once(capsys: pytest.CaptureFixture[str]) -> None:
    desk = Desk(prepare=broken)
    assert wait_for_answer(desk, "5 clear_board") == "?5 internal error: no memory"
    assert wait_for_answer(desk, "6 reg_genmove b") == "?6 internal error: no memory"
    assert capsys.readouterr().err == ""
    assert wait_for_answer(desk, "7 genmove b") == "=7 d3"
    assert capsys.readouterr().err == "othello-engine: no memory\n"


@pytest.mark.parametrize("line", SEARCHING)
def test_a_search_that_can_t_begin_has_one_answer(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    desk = Desk()
    desk.ask("clear_board")
    desk.engine.refuses = EngineError("out of order")
    expected = "= d3" if line == "genmove b" else "? internal error: out of order"
    assert desk.ask(line) == expected
    assert capsys.readouterr().err == ("othello-engine: out of order\n" if line == "genmove b" else "")
    desk.engine.refuses = None
    assert desk.ask("name") == "= othello-engine"


def test_a_move_that_is_none_is_replaced_by_a_legal_one(capsys: pytest.CaptureFixture[str]) -> None:
    desk = searching()
    assert desk.finish(NO_MOVE) == ["= d3"]
    assert "the search came out with none" in capsys.readouterr().err


def test_a_mistake_in_an_answer_is_one_answer_all_the_same(desk: Desk) -> None:
    desk.send("othello_engine-move_scores")
    desk.engine.finish("d3", lines=(info(3, pv=()),))
    (answer,) = split_answers(desk.said())
    assert answer.startswith("? internal error: ")
    assert desk.ask("name") == "= othello-engine"


def test_a_fault_apart_from_any_command_goes_to_stderr(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.ask("name")
    desk.service.say_fault("something broke")
    assert desk.said() == []
    assert capsys.readouterr().err == "othello-engine: something broke\n"


def test_a_fault_during_a_search_leaves_the_answer_to_the_search(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.ask("clear_board")
    assert desk.answers("1 genmove b") == []
    desk.service.say_fault("something broke")
    assert desk.said() == []
    assert capsys.readouterr().err == "othello-engine: something broke\n"
    assert desk.finish("d3") == ["=1 d3"]
    assert desk.ask("2 name") == "=2 othello-engine"


def test_a_fault_within_a_command_is_its_answer(desk: Desk) -> None:
    desk.ask("clear_board")

    def fail() -> None:
        raise BusyError("a search runs")

    desk.engine.new_game = fail  # type: ignore[method-assign]
    assert desk.ask("9 boardsize 8") == "?9 internal error: a search runs"
    assert desk.ask("name") == "= othello-engine"


# -- options -----------------------------------------------------------------------------------------------


def test_options_are_read_and_set_in_the_engine(desk: Desk) -> None:
    desk.ask("name")
    assert desk.ask("othello_engine-option movetime 250") == "="
    assert ("set_option", "MoveTime", 250) in desk.engine.calls
    assert desk.ask("othello_engine-option MoveTime") == "= 250"
    assert "[string] MoveTime 250" in desk.ask("othello_engine-option").split("\n")
    assert desk.ask("othello_engine-option Clear Hash") == "="
    assert desk.engine.names()[-1] == "clear_hash"


def test_an_option_that_the_engine_refuses_stays(desk: Desk) -> None:
    desk.ask("name")
    desk.engine.refuses = WeightsError("x.weights: damaged")
    assert desk.ask("othello_engine-option EvalFile x.weights") == "? cannot set EvalFile: x.weights: damaged"
    assert desk.ask("othello_engine-option EvalFile") == "= <empty>"


def test_the_traffic_is_logged_where_an_option_says(desk: Desk, tmp_path: Path) -> None:
    log = tmp_path / "log of GTP.txt"
    assert desk.ask(f"othello_engine-option LogFile {log}") == "="
    desk.ask("name")
    assert desk.ask(f"othello_engine-option LogFile {tmp_path}") == "? cannot set LogFile: Is a directory"
    assert desk.ask("othello_engine-option LogFile") == f"= {log}"
    assert "> name" in log.read_text(encoding="utf-8")
    assert desk.ask("othello_engine-option LogFile <empty>") == "="


# -- the end -----------------------------------------------------------------------------------------------


def test_quit_is_answered(desk: Desk) -> None:
    assert desk.answers("3 quit", "name") == ["=3"]
    assert desk.ended == 0


def test_a_quit_does_not_wait_for_the_engine_to_load() -> None:
    desk = Desk(cold=True)
    assert desk.answers("1 clear_board", "2 quit") == ["=1", "=2"]
    assert desk.ended == 0


@pytest.mark.parametrize("command", ["clear_board", "othello_engine-setboard " + START_TEXT])
def test_a_game_is_set_up_when_the_engine_has_loaded(command: str) -> None:
    desk = Desk(cold=True)
    assert desk.answers(command) == []
    desk.engine.ready.set()
    assert split_answers([*desk.wait_for("="), *desk.said()]) == ["="]


def test_quit_waits_its_turn() -> None:
    desk = searching()
    assert desk.answers("genmove w", "quit", "name") == []
    desk.engine.finish("d3")
    desk.said()
    assert desk.ended is None
    assert desk.finish("c5") == ["= c5", "="]
    assert desk.ended == 0


def test_is_quit_is_known_with_and_without_an_id(desk: Desk) -> None:
    for line in ("quit", "7 quit", " QUIT # now"):
        assert desk.service.is_quit(line)
    for line in ("", "# quit", "quitter", "name"):
        assert not desk.service.is_quit(line)


def test_the_end_of_input_lets_everything_finish() -> None:
    desk = searching()
    assert split_answers(desk.send("reg_genmove w", "name", None)) == []
    assert desk.finish("d3") == ["= d3"]
    assert desk.ended is None
    assert desk.finish("c5") == ["= c5", "= othello-engine"]
    assert desk.ended == 0


def test_the_end_of_input_ends_an_idle_program(desk: Desk) -> None:
    assert desk.send(None) == []
    assert desk.ended == 0


def test_the_end_of_input_waits_for_the_engine_to_load() -> None:
    desk = Desk(cold=True)
    desk.send("clear_board", None)
    assert desk.ended is None
    desk.engine.ready.set()
    assert split_answers(desk.wait_for("")) == ["="]
    assert desk.ended == 0


def test_a_signal_ends_the_program_at_once() -> None:
    desk = searching()
    interrupt(desk, 143)  # type: ignore[arg-type]
    assert desk.said() == []
    assert desk.ended == 143


# -- lines that can't be read, floods, garbage -------------------------------------------------------------


def test_a_line_that_can_t_be_read_is_answered_in_its_turn(desk: Desk) -> None:
    assert desk.send(LineError.TOO_LONG) == ["? syntax error: a line has at most 65536 bytes", ""]
    assert desk.answers("genmove b") == []
    assert desk.send("name", LineError.TOO_LONG, "name") == []
    desk.engine.finish("d3")
    name = "= othello-engine"
    assert split_answers(desk.said()) == ["= d3", name, "? syntax error: a line has at most 65536 bytes", name]


def test_however_many_lines_wait_none_is_refused() -> None:
    desk = searching()
    for n in range(5000):
        assert desk.send(f"{n} known_command x{n}") == []
    assert desk.finish("d3") == ["= d3", *(f"={n} false" for n in range(5000))]


def words(rng: random.Random) -> list[str]:
    """Words of the dialect, right and wrong."""
    return [
        *(name for name in _COMMANDS if name not in ("quit", "loadsgf", "othello_engine-option")),
        *re.findall(
            r"\S+", "b w black white x pass resign f5 d6 a1 h8 i9 z99 0 1 8 -1 1.5 1e9 99999999999999999999 nan"
        ),
        *(rng.choice(string.printable) * rng.randrange(1, 5) for _ in range(5)),
        "\u00e9\u2603",
        "#",
        "7",
    ]


def garbage(rng: random.Random) -> bytes:
    """A line that may be anything, without `quit`."""
    kind = rng.randrange(4)
    if kind == 0:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(60))).replace(b"\n", b"").replace(b"\r", b"")
    line = " ".join(rng.choice(words(rng)) for _ in range(rng.randrange(1, 7)))
    if kind == 1 and rng.random() < 0.02:
        line *= 20_000
    return line.encode("utf-8", "replace").replace(b"\n", b"").replace(b"\r", b"")


def n_answers_due(items: list[InputItem]) -> int:
    """How many answers these lines must have: one for each in which more than a comment is left."""
    return sum(1 for item in items if not isinstance(item, str) or item.partition("#")[0].strip(" \t\r\x0b\x0c") != "")


def test_garbage_has_an_answer_for_every_line_and_breaks_nothing() -> None:
    rng = random.Random(2026)
    desk = Desk()
    n_answers = n_due = 0
    for _ in range(2000):
        items = LineSplitter().feed(garbage(rng) + b"\n")
        n_due += n_answers_due(items)
        before = board(desk)
        answers = desk.answers(*items)
        if desk.has_engine and desk.engine.is_searching:
            assert answers == []
            assert desk.engine.position is not None
            answers = desk.finish(lines=(info(3, pv=(desk.engine.position.legal_moves[0],)),))
        n_answers += len(answers)
        if any(answer.startswith("?") for answer in answers):
            assert board(desk) == before
    assert n_answers == n_due
    assert desk.ask("name") == "= othello-engine"


def test_random_games_of_right_and_wrong_lines_leave_the_right_position() -> None:
    """Right moves among lines that must be refused: a twin that knows only the right ones agrees at every step."""
    rng = random.Random(7)
    wrong = [line for line, answer in IDLE.items() if answer.startswith("? syntax") or "unknown command" in answer]
    for _ in range(10):
        desk, twin = Desk(), Position.start()
        while not twin.is_over:
            for line in rng.sample(wrong, 3):
                assert desk.ask(line).startswith("?")
            square = rng.randrange(64)
            if square not in twin.legal_moves:
                refused = desk.ask(f"play {'bw'[twin.side]} {'abcdefgh'[square % 8]}{square // 8 + 1}")
                assert refused.startswith("? illegal move")
            move = rng.choice(twin.legal_moves)
            name = "pass" if move == 64 else f"{'abcdefgh'[move % 8]}{move // 8 + 1}"
            if name != "pass" or rng.random() < 0.5:
                assert desk.ask(f"play {'bw'[twin.side]} {name}") == "="
                twin = twin.play(move)
                assert desk.position == twin
            else:
                twin = twin.play(move)
        black = twin.final_score if twin.side == 0 else -twin.final_score
        assert desk.ask("final_score") == f"= {'B' if black > 0 else 'W'}+{abs(black)}".replace("W+0", "0")
