"""The language of the protocol: every command read, every mistake refused with its code and token, replies
written."""

from __future__ import annotations

import random
import string

import pytest

from othello_engine.config import load_config
from othello_engine.position import Position
from othello_engine.types import (
    BLACK,
    NO_MOVE,
    PASS,
    WHITE,
    Bound,
    Goal,
    Limits,
    Score,
    ScoreKind,
    SearchResult,
    parse_square,
)
from protocol import commands
from protocol.commands import CommandError, Plain, command_word, parse_command
from protocol.limits import own_limits
from tests.protocol.fake_engine import info

START = "---------------------------OX------XO--------------------------- X"
PASSING = "--OOO------O-----XXX-------XX------XX-------X------------------- X"


def refusal(line: str) -> str:
    """The error line that a command line brings, without the text for people."""
    with pytest.raises(CommandError) as caught:
        parse_command(line)
    error = commands.format_error(caught.value.code, caught.value.token, caught.value.text)
    assert error.isascii()
    return " ".join(error.split()[1:3])


def limits(line: str) -> Limits:
    command = parse_command(line)
    assert isinstance(command, commands.Go)
    return command.limits


# -- words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("", ""),
        (" \t ", ""),
        ("# go", ""),
        ("  #go", ""),
        ("UOI", "uoi"),
        ("\tGo depth 3", "go"),
        ("position startpos", "setboard"),
        ("d", "display"),
        ("uginewgame", "newgame"),
        ("UciNewGame", "newgame"),
        ("nonsense 1", "nonsense"),
    ],
)
def test_the_first_word_tells_the_command(line: str, word: str) -> None:
    assert command_word(line) == word


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("uoi", commands.Handshake("uoi")),
        ("UGI", commands.Handshake("ugi")),
        ("isready", Plain.IS_READY),
        ("debug ON", commands.Debug(True)),
        ("debug off", commands.Debug(False)),
        ("help", Plain.HELP),
        ("stop", Plain.STOP),
        ("quit", Plain.QUIT),
        ("quit at once", Plain.QUIT),
        ("ponderhit", Plain.PONDER_HIT),
        ("newgame", Plain.NEW_GAME),
        ("ucinewgame", Plain.NEW_GAME),
        ("display", Plain.DISPLAY),
        ("d", Plain.DISPLAY),
        ("eval", Plain.EVAL),
        ("query GameOver", commands.Query("gameover")),
        ("perft 7", commands.Perft(7)),
        ("bench", commands.Bench(None, None, None)),
        ("bench 9", commands.Bench(9, None, None)),
        ("bench 9 2 64", commands.Bench(9, 2, 64)),
        ("undo", commands.Undo(1)),
        ("undo 12", commands.Undo(12)),
        ("undo Round", commands.Undo(None)),
        ("move f5 D6c3", commands.Move(("f5", "D6c3"))),
    ],
)
def test_a_plain_command_is_read(line: str, command: commands.Command) -> None:
    assert parse_command(line) == command
    assert parse_command(f" \t{line.replace(' ', '  ')} ") == command


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("foo", "unknown-command foo"),
        ("uci", "unknown-command uci"),
        ("goo depth 3", "unknown-command goo"),
        ("\u00e9t\u00e9 1", "unknown-command \u00e9t\u00e9"),
        ("isready now", "bad-argument now"),
        ("stop it", "bad-argument it"),
        ("eval this", "bad-argument this"),
        ("debug", "missing-argument debug"),
        ("debug maybe", "bad-argument maybe"),
        ("query", "missing-argument query"),
        ("query who", "bad-argument who"),
        ("query result now", "bad-argument now"),
        ("perft", "missing-argument perft"),
        ("perft x", "bad-argument x"),
        ("perft 0", "bad-argument 0"),
        ("perft -1", "bad-argument -1"),
        ("perft 61", "bad-argument 61"),
        ("perft 3 4", "bad-argument 4"),
        ("bench x", "bad-argument x"),
        ("bench 8 0", "bad-argument 0"),
        ("bench 8 1 16 9", "bad-argument 9"),
        ("undo 0", "bad-argument 0"),
        ("undo x", "bad-argument x"),
        ("undo 1 2", "bad-argument 2"),
        ("undo round 2", "bad-argument 2"),
        ("undo rounds", "bad-argument rounds"),
        ("move", "missing-argument move"),
    ],
)
def test_a_mistake_is_refused_with_its_code_and_token(line: str, error: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse_command(line)
    assert f"{caught.value.code} {caught.value.token}" == error


def test_a_mistyped_command_gets_a_hint() -> None:
    with pytest.raises(CommandError, match="did you mean setboard"):
        parse_command("setbord startpos")
    with pytest.raises(CommandError, match="say uoi"):
        parse_command("uci")


# -- setoption ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("setoption name Hash value 64", "Hash", 64),
        ("SETOPTION NAME hash VALUE 64", "Hash", 64),
        ("setoption\tname  Hash \t value   64 ", "Hash", 64),
        ("setoption name Clear Hash", "Clear Hash", None),
        ("setoption name clear   hash", "Clear Hash", None),
        ("setoption name Ponder value TRUE", "Ponder", True),
        ("setoption name Selectivity value 87", "Selectivity", 87),
        ("setoption name ResultLine value CSV", "ResultLine", "csv"),
        ("setoption name LogFile value /tmp/a  b value c.log", "LogFile", "/tmp/a  b value c.log"),
        ("setoption name LogFile value <empty>", "LogFile", ""),
        ("setoption name LogFile value", "LogFile", ""),
        ("setoption name Contempt value -30", "Contempt", -30),
    ],
)
def test_an_option_is_read(line: str, name: str, value: object) -> None:
    command = parse_command(line)
    assert isinstance(command, commands.SetOption)
    assert (command.spec.name, command.value) == (name, value)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("setoption", "missing-argument setoption"),
        ("setoption name", "missing-argument name"),
        ("setoption Hash 5", "bad-argument Hash"),
        ("setoption value 5", "bad-argument value"),
        ("setoption name value", "unknown-option value"),
        ("setoption name value 5", "unknown-option value_5"),
        ("setoption name value value value", "unknown-option value"),
        ("setoption name Hash", "missing-argument value"),
        ("setoption name Hash value", "missing-argument value"),
        ("setoption name Hash value 0", "bad-option-value 0"),
        ("setoption name Hash value -1", "bad-option-value -1"),
        ("setoption name Hash value 65537", "bad-option-value 65537"),
        ("setoption name Hash value 99999999999999999999", "bad-option-value 99999999999999999999"),
        ("setoption name Hash value 16.5", "bad-option-value 16.5"),
        ("setoption name Hash value many", "bad-option-value many"),
        ("setoption name Hash value 16 32", "bad-option-value 16_32"),
        ("setoption name Hash 16", "unknown-option Hash_16"),
        ("setoption name Clear Hash value 1", "bad-option-value 1"),
        ("setoption name Threads value 0", "bad-option-value 0"),
        ("setoption name Threads value 257", "bad-option-value 257"),
        ("setoption name Selectivity value 50", "bad-option-value 50"),
        ("setoption name Ponder value perhaps", "bad-option-value perhaps"),
        ("setoption name Ponder value 1", "bad-option-value 1"),
        ("setoption name Contempt value +-5", "bad-option-value +-5"),
        ("setoption name MoveOverhead value 5001", "bad-option-value 5001"),
        ("setoption name Seed value 2147483648", "bad-option-value 2147483648"),
        ("setoption name ResultLine value xml", "bad-option-value xml"),
        ("setoption name No Such Option value 1", "unknown-option No_Such_Option"),
        ("setoption name UCI_Chess960 value true", "unknown-option UCI_Chess960"),
    ],
)
def test_a_malformed_option_is_refused(line: str, error: str) -> None:
    assert refusal(line) == error


def test_a_mistyped_option_gets_a_hint() -> None:
    with pytest.raises(CommandError, match="did you mean Threads"):
        parse_command("setoption name Treads value 1")


# -- positions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "board", "n_plies"),
    [
        ("setboard startpos", START, 0),
        ("position STARTPOS", START, 0),
        (f"setboard {START}", START, 0),
        (f"setboard {START[:64]}X", START, 0),
        (f"setboard {START[:64]} black", START, 0),
        (f"position board {START}", START, 0),
        (f"position fen {START} moves", START, 0),
        (
            "setboard startpos moves f5 d6 C3",
            "------------------X--------XX------OXX-----O-------------------- O",
            3,
        ),
        (
            "setboard startpos moves f5d6c3",
            "------------------X--------XX------OXX-----O-------------------- O",
            3,
        ),
        ("setboard startpos MOVES d3c3e6d2d1e1b3c1", PASSING, 8),
    ],
)
def test_a_position_is_read(line: str, board: str, n_plies: int) -> None:
    command = parse_command(line)
    assert isinstance(command, commands.SetBoard)
    assert command.line[-1].to_text() == board
    assert len(command.line) == n_plies + 1


def test_forced_passes_are_plies_of_the_line_written_or_not() -> None:
    for moves in ("d3c3e6d2d1e1b3c1b4", "d3c3e6d2d1e1b3c1pab4", "d3 c3 e6 d2 d1 e1 b3 c1 -- b4"):
        command = parse_command(f"setboard startpos moves {moves}")
        assert isinstance(command, commands.SetBoard)
        assert len(command.line) == 11
        assert command.line[-1].side == BLACK


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("setboard", "missing-argument setboard"),
        ("position fen", "missing-argument fen"),
        ("setboard moves d3", "missing-argument moves"),
        (f"setboard {START[:63]} X", "bad-board 65"),
        (f"setboard -{START}", "bad-board 65"),
        (f"setboard {START[:64]}", "bad-board 65"),
        (f"setboard {START[:64]} Z", "bad-board 66"),
        (f"setboard {START[:10]}?{START[11:]}", "bad-board 11"),
        (f"setboard {START.replace('O', '0')}", "bad-board 28"),
        ("setboard startpos d3", "bad-argument d3"),
        ("setboard startpos moves d4", "illegal-move d4"),
        ("setboard startpos moves f5 e3", "illegal-move e3"),
        ("setboard startpos moves f5 i9", "illegal-move i9"),
        ("setboard startpos moves f5 d6 pass", "illegal-move pass"),
        ("setboard startpos moves e6f4d3e7f6g5e3e2f3c4f5f2a1", "illegal-move a1"),
    ],
)
def test_a_bad_position_is_refused(line: str, error: str) -> None:
    assert refusal(line) == error


def test_an_illegal_move_is_named_with_its_place_and_the_reason() -> None:
    with pytest.raises(CommandError) as caught:
        parse_command("setboard startpos moves f5 e3")
    assert caught.value.text == "at 2 no disc turned"


# -- go ----------------------------------------------------------------------------------------------------

HUGE = 10**18


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("go", Limits()),
        ("GO TIME 4000", Limits(move_time_ms=4000)),
        ("go movetime 0", Limits(move_time_ms=0)),
        (f"go time {HUGE}", Limits(move_time_ms=commands.MAX_TIME_MS)),
        ("go btime 100 wtime 200", Limits(black_ms=100, white_ms=200)),
        ("go p1time 100 p2time 200 p1inc 3 p2inc 4", Limits(None, 100, 200, 3, 4)),
        ("go btime -1 wtime -5000", Limits(black_ms=-1, white_ms=-5000)),
        (
            f"go wtime {HUGE} btime -{HUGE}",
            Limits(black_ms=-commands.MAX_TIME_MS, white_ms=commands.MAX_TIME_MS),
        ),
        ("go btime 0 binc -50", Limits(black_ms=0, black_increment_ms=0)),
        ("go btime 5 movestogo 3", Limits(black_ms=5, moves_to_go=3)),
        ("go btime 5 movestogo 0", Limits(black_ms=5)),
        ("go movestogo -5 btime 5", Limits(black_ms=5)),
        ("go depth 12", Limits(depth=12)),
        ("go depth 0", Limits(depth=1)),
        ("go depth 61", Limits(depth=60)),
        ("go depth 2147483648", Limits(depth=60)),
        ("go nodes 0", Limits(nodes=1)),
        (f"go nodes {HUGE}", Limits(nodes=HUGE)),
        ("go exact", Limits(goal=Goal.EXACT)),
        ("go wld time 9", Limits(goal=Goal.WLD, move_time_ms=9)),
        ("go infinite depth 3", Limits(infinite=True, depth=3)),
        ("go ponder time 9", Limits(ponder=True, move_time_ms=9)),
        ("go selectivity 95 multipv 64", Limits(selectivity=95, multipv=64)),
        ("go exact window -10 2", Limits(goal=Goal.EXACT, window=(-10, 2))),
        (
            "go depth 3 searchmoves d3 F5 d3",
            Limits(depth=3, search_moves=(parse_square("d3"), parse_square("f5"))),
        ),
        ("go searchmoves pa", Limits(search_moves=(PASS,))),
        ("go depth +5", Limits(depth=5)),
    ],
)
def test_limits_are_read(line: str, expected: Limits) -> None:
    assert limits(line) == expected


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("go depth", "missing-argument depth"),
        ("go time", "missing-argument time"),
        ("go btime", "missing-argument btime"),
        ("go window", "missing-argument window"),
        ("go window 5", "missing-argument window"),
        ("go searchmoves", "missing-argument searchmoves"),
        ("go depth x", "bad-argument x"),
        ("go depth 3.5", "bad-argument 3.5"),
        ("go depth -1", "bad-argument -1"),
        ("go depth 100000000000000000000", "bad-argument 100000000000000000000"),
        ("go depth time 5", "bad-argument time"),
        ("go nodes -5", "bad-argument -5"),
        ("go time -1", "bad-argument -1"),
        ("go btime abc", "bad-argument abc"),
        ("go btime 1e5", "bad-argument 1e5"),
        ("go btime \u0661", "bad-argument ?"),
        ("go frob 3", "bad-argument frob"),
        ("go 3", "bad-argument 3"),
        ("go depth 3 4", "bad-argument 4"),
        ("go depth 3 depth 4", "bad-argument depth"),
        ("go time 3 movetime 4", "bad-argument movetime"),
        ("go btime 3 p1time 4", "bad-argument p1time"),
        ("go exact wld", "bad-argument wld"),
        ("go exact exact", "bad-argument exact"),
        ("go ponder infinite", "bad-argument ponder"),
        ("go time 100 btime 100", "bad-argument btime"),
        ("go wtime 100 movetime 100", "bad-argument wtime"),
        ("go time 100 movestogo 3", "bad-argument movestogo"),
        ("go wld window -5 5", "bad-argument window"),
        ("go selectivity 12", "bad-argument 12"),
        ("go multipv 0", "bad-argument 0"),
        ("go multipv 65", "bad-argument 65"),
        ("go window 5 5", "bad-argument 5"),
        ("go window -65 5", "bad-argument -65"),
        ("go searchmoves z9", "illegal-move z9"),
        ("go searchmoves d3 depth 5", "illegal-move depth"),
    ],
)
def test_a_go_that_makes_no_sense_is_refused(line: str, error: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse_command(line)
    found = f"{caught.value.code} {caught.value.token}".encode("ascii", "replace").decode()
    assert found == error


def test_the_clock_of_the_side_to_move_is_the_only_one_that_counts() -> None:
    start = Position.start()
    both = limits("go btime 100 wtime 200 binc 1 winc 2 movestogo 5")
    black = own_limits(both, start)
    white = own_limits(both, start.play("d3"))
    assert black == Limits(black_ms=100, black_increment_ms=1, moves_to_go=5)
    assert white == Limits(white_ms=200, white_increment_ms=2, moves_to_go=5)
    alone = own_limits(limits("go wtime 200 winc 2 movestogo 5"), start)
    assert alone == Limits()


def test_root_moves_must_be_legal() -> None:
    commands.check_search_moves(Position.start(), (parse_square("d3"),))
    commands.check_search_moves(Position.from_text(PASSING), (PASS,))
    for moves, text in (
        ((parse_square("d3"), parse_square("d4")), "at 2 square occupied"),
        ((parse_square("a1"),), "at 1 no disc turned"),
        ((PASS,), "at 1 a pass is not allowed while there is a move"),
    ):
        with pytest.raises(CommandError) as caught:
            commands.check_search_moves(Position.start(), moves)
        assert (caught.value.code, caught.value.text) == ("illegal-move", text)


# -- hostile input -----------------------------------------------------------------------------------------


def test_a_hundred_thousand_broken_lines_are_refused_and_nothing_else() -> None:
    rng = random.Random(1)
    words = [usage.split()[0] for usage, _ in commands.USAGE] + [
        "position",
        "uginewgame",
        "d",
        "moves",
        "name",
    ]
    words += [
        "value",
        "startpos",
        "fen",
        "depth",
        "time",
        "btime",
        "wld",
        "exact",
        "searchmoves",
        "window",
        "infinite",
        "Hash",
        "Clear",
    ]
    words += [
        "d3",
        "pass",
        "a9",
        "-1",
        "0",
        "3",
        "1e9",
        "9" * 30,
        "X",
        "\u00e9",
        "\ufffd",
        "#",
        START[:64],
        START[:63],
    ]
    noise = string.printable + "\u00e9\u4e1c\ufffd"
    for _ in range(100_000):
        parts = rng.choices(words, k=rng.randint(1, 6))
        if rng.random() < 0.3:
            parts[rng.randrange(len(parts))] = "".join(rng.choices(noise, k=rng.randint(1, 8)))
        line = rng.choice((" ", "  ", "\t")).join(parts)
        if not command_word(line):
            continue
        try:
            parse_command(line)
        except CommandError as error:
            said = commands.format_error(error.code, error.token, error.text)
            assert len(said.split()) >= 3, line


# -- replies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score(ScoreKind.CENTIDISCS, -35), "cp -35"),
        (Score(ScoreKind.RAW, 1788), "raw 1788"),
        (Score(ScoreKind.DISCS, 12, Bound.LOWER), "disc 12 lowerbound"),
        (Score(ScoreKind.DISCS, 0, Bound.UPPER), "disc 0 upperbound"),
        (Score(ScoreKind.WLD, 1), "wld win"),
        (Score(ScoreKind.WLD, 0), "wld draw"),
        (Score(ScoreKind.WLD, -40), "wld loss"),
    ],
)
def test_a_score_says_what_kind_it_is(score: Score, text: str) -> None:
    assert commands.format_score(score) == text


def test_a_line_of_play_is_written_in_the_documented_order() -> None:
    line = info(
        14,
        selective_depth=22,
        selectivity=73,
        rank=2,
        score=Score(ScoreKind.CENTIDISCS, -35),
        nodes=1204511,
        nps=2810000,
        time_ms=428,
        hashfull=31,
        pv=(19, PASS, 26),
    )
    numbers = "nodes 1204511 nps 2810000 time 428 hashfull 31 pv d3 pass c4"
    assert commands.format_info(line, True) == f"info depth 14 seldepth 22 sel 73 multipv 2 score cp -35 {numbers}"
    assert commands.format_info(line, False) == f"info depth 14 seldepth 22 sel 73 score cp -35 {numbers}"
    cut = commands.format_info(info(3, complete=False), False)
    assert cut.endswith("pv d3 string iteration cut short")
    assert commands.format_info(info(3, pv=()), False).endswith("hashfull 0")


def result(best: int, ponder: int = NO_MOVE, **changes: object) -> SearchResult:
    values: dict[str, object] = {"lines": (info(8),), "nodes": 125000, "time_ms": 3970}
    return SearchResult(best, ponder, **{**values, **changes})  # type: ignore[arg-type]


def test_the_answer_names_a_reply_only_on_request() -> None:
    assert commands.format_best_move(result(19, 26), False) == "bestmove d3"
    assert commands.format_best_move(result(19, 26), True) == "bestmove d3 ponder c4"
    assert commands.format_best_move(result(19), True) == "bestmove d3"
    assert commands.format_best_move(result(PASS, 26), True) == "bestmove pass ponder c4"
    assert commands.format_best_move(result(NO_MOVE, 26), True) == "bestmove none"


def test_the_result_line_is_that_of_the_documented_example() -> None:
    assert commands.format_result_line(result(19, document_score=18), "csv") == "2,3,18,8,125000,3970,31486"
    assert commands.format_result_line(result(PASS, lines=(), nodes=0, time_ms=0), "csv") == "-1,-1,0,0,0,0,0"


def test_the_display_begins_with_facts_to_parse() -> None:
    lines = commands.format_display(Position.start())
    assert lines[:3] == [f"board {START}", "empties 60", "legal d3 c4 f5 e6"]
    assert all(line.startswith("info string ") for line in lines[3:])
    assert commands.format_display(Position.from_text(PASSING))[2] == "legal pass"
    over = Position.from_moves("e6f4d3e7f6g5e3e2f3c4f5f2")
    assert commands.format_display(over)[2] == "legal none"


@pytest.mark.parametrize(
    ("board", "gameover", "p1turn", "outcome"),
    [
        (START, "false", "true", "none"),
        (START[:65] + "O", "false", "false", "none"),
        (PASSING, "false", "true", "none"),
        ("X------O" + "-" * 48 + "X------- X", "true", "true", "p1win"),
        ("X------O" + "-" * 48 + "X------- O", "true", "false", "p1win"),
        ("O------X" + "-" * 48 + "O------- X", "true", "true", "p2win"),
        ("-" * 64 + " O", "true", "false", "draw"),
        ("X" * 32 + "O" * 32 + " X", "true", "true", "draw"),
    ],
)
def test_a_match_runner_learns_about_the_game(board: str, gameover: str, p1turn: str, outcome: str) -> None:
    position = Position.from_text(board)
    answers = [commands.format_query(topic, position) for topic in ("gameover", "p1turn", "result")]
    assert answers == [f"response {word}" for word in (gameover, p1turn, outcome)]
    assert position.side == (BLACK if p1turn == "true" else WHITE)
    swapped = {"p1win": "p2win", "p2win": "p1win"}.get(outcome, outcome)
    assert commands.format_query("result", position, is_anti=True) == f"response {swapped}"


def test_the_handshake_lists_every_option_with_the_value_in_force() -> None:
    config = load_config(overrides={"Hash": 5, "Ponder": "true", "LogFile": "", "Selectivity": 98, "Threads": 3})
    lines = commands.format_handshake("uoi", "1.2", config)
    assert lines[:3] == [
        "id name othello-engine 1.2",
        "id author the othello-engine developers",
        "id protocol 1",
    ]
    assert lines[-1] == "uoiok"
    for line in (
        "option name Hash type spin default 5 min 1 max 65536",
        "option name Clear Hash type button",
        "option name Threads type spin default 3 min 1 max 256",
        "option name Selectivity type combo default 98 var 73 var 87 var 95 var 98 var 99 var 100",
        "option name Ponder type check default true",
        "option name ResultLine type combo default none var none var csv",
        "option name EvalFile type string default <empty>",
        "option name LogFile type string default <empty>",
    ):
        assert line in lines


def test_help_names_every_command() -> None:
    lines = commands.format_help()
    for word in commands.COMMAND_WORDS:
        assert any(line.startswith(f"info string {word}") for line in lines)
        assert word in commands._WHOLE_LINES or word in (*commands._PARSERS, "setoption", "setboard", "go")
    known = {*commands._WHOLE_LINES, *commands._PARSERS, "setoption", "setboard", "go"}
    assert known == set(commands.COMMAND_WORDS)


def test_no_answer_begins_like_a_command() -> None:
    """A script that waits for a word of its own command would match the terminal's echo."""
    answers = {
        "id",
        "option",
        "uoiok",
        "ugiok",
        "readyok",
        "info",
        "bestmove",
        "board",
        "empties",
        "legal",
        "response",
    }
    assert not answers & set(commands.COMMAND_WORDS)


def test_long_and_foreign_tokens_are_shortened() -> None:
    error = commands.format_error("unknown-command", "x" * 1000, "no")
    assert error == f"error unknown-command {'x' * 37}... no"
    assert commands.format_error("bad-argument", "", "a\nb") == "error bad-argument - a b"
