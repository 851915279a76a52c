"""GTP, version 2: the specification, the conventions for Othello, and what its controllers rely on."""

from __future__ import annotations

import re
import tempfile
import time
from pathlib import Path

from othello_engine.position import Position
from othello_engine.types import BLACK, WHITE
from tools.conformance.check import CheckFailed, Suite, require
from tools.conformance.checks import common
from tools.conformance.clients.gtp import GtpClient as Client
from tools.conformance.positions import (
    ASYMMETRIC_GAME,
    BLACK_WINS_GAME,
    EMPTIES_LEFT_GAME,
    LATE_GAME,
    PASS_GAME,
    SINGLE_MOVE_GAME,
    WIPEOUT_GAME,
    after,
    legal,
    solve,
)

suite = Suite[Client]()
common.add_first(suite)

_SPEC, _QUARRY, _GOGUI = "GTP 2", "Quarry", "GoGui"
_BOTH = "Quarry leaves passes out, GoGui writes them"
_REQUIRED = "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove"
_USUAL = "undo time_settings time_left final_score loadsgf reg_genmove showboard list_games set_game"
_RULES = "game_id board board_size legal_moves side_to_move final_result"
_N_PIPELINED = 200
_CLOCK_SLACK_S = 0.7
"""Allowed above a time limit: the wire, and a busy machine."""


# -- framing -------------------------------------------------------------------------------------------------


@suite.must("framing", _SPEC)
def answer_without_id(client: Client) -> None:
    """An answer is `= text` and an empty line; without a text `=` alone."""
    client.send("protocol_version", "clear_board")
    lines = [client.talk.next_line(client.limits.answer, "an answer and an empty line") for _ in range(4)]
    require(re.fullmatch(r"= \S+", lines[0]) is not None, "= TEXT")
    require(lines[1] == "", "an empty line behind the answer")
    require(lines[2].rstrip() == "=", "= alone")
    require(lines[3] == "", "an empty line behind the answer")


@suite.should("framing", "strict readers")
def empty_answer_has_no_blank(client: Client) -> None:
    """An answer without a text is `=`, no blank behind it."""
    require(client.ask("clear_board").lines == ("=",), "= without a blank")


@suite.must("framing", _SPEC, fresh=True)
def id_is_echoed(client: Client) -> None:
    """The id of a command stands right behind `=` or `?`."""
    client.greet()
    for number in ("7", "0", "2147483647"):
        client.send(f"{number} protocol_version", f"{number} frobnicate")
        for mark in "=?":
            line = client.talk.next_line(client.limits.answer, f"{mark}{number} ...")
            require(re.fullmatch(rf"{re.escape(mark)}{number} \S.*", line) is not None, f"{mark}{number} TEXT")
            require(client.talk.next_line(client.limits.answer, "an empty line") == "", "an empty line")


@suite.must("framing", f"{_SPEC}; Quarry takes an id for an error", fresh=True)
def id_is_not_remembered(client: Client) -> None:
    """A command without id gets an answer without id, also after one with."""
    client.greet()
    client.ask("7 name")
    client.send("clear_board", "frobnicate")
    for mark in "=?":
        line = client.talk.find(lambda line: line[:1] in ("=", "?"), client.limits.answer, mark)
        require(re.fullmatch(rf"{re.escape(mark)}( \D.*)?\s*", line) is not None, f"{mark} without an id")


@suite.must("framing", _SPEC)
def many_lines_are_one_answer(client: Client) -> None:
    """An answer of several lines holds no empty line and ends with one."""
    for command in ("list_commands", "showboard", "name"):
        client.ask(command)
        require(client.ask("known_command name").text == "true", f"one answer to {command}, then `= true`")


@suite.must("framing", _SPEC)
def comments_and_blank_lines(client: Client) -> None:
    """Blank lines and comments are not answered; a comment may follow a command."""
    client.send("", "   ", "# a comment", "\t# another", "known_command name # and one more")
    require(client.read().text == "true", "= true as the only answer")
    require(not client.talk.lines_for(client.limits.quiet), "no further answer")


@suite.must("framing", _SPEC)
def tabs_are_blanks(client: Client) -> None:
    """Tabs and several blanks separate words."""
    client.done("play\tb\tf5")
    client.done("  play   w  d6 ")
    client.require_at(after("f5d6"))


@suite.must("framing", _SPEC)
def control_characters_are_dropped(client: Client) -> None:
    """Control characters other than tab and line feed are dropped from the input."""
    client.talk.send_bytes(b"known\x01_comm\x07and name\r\n")
    require(client.read().text == "true", "= true")


@suite.must("framing", f"{_SPEC}: controllers may send ahead", fresh=True)
def commands_sent_ahead(client: Client) -> None:
    """Many commands in one write are answered in order, each once."""
    client.greet()
    numbers = range(1000, 1000 + _N_PIPELINED)
    client.send(*(f"{number} {'name' if number % 2 else 'frobnicate'}" for number in numbers))
    for number in numbers:
        line = client.talk.find(bool, client.limits.answer, f"the answer to {number}")
        found = re.match(r"[=?] ?(\d+)", line)
        require(found is not None and int(found[1]) == number, f"the answer to {number}")
    client.talk.next_line(client.limits.answer, "an empty line")
    require(not client.talk.lines_for(client.limits.quiet), "no further answer")


# -- commands ------------------------------------------------------------------------------------------------


@suite.must("commands", f"{_SPEC}; GoGui reads a whole number")
def version_of_the_protocol(client: Client) -> None:
    """`protocol_version` is 2."""
    require(client.done("protocol_version") == "2", "= 2")


@suite.must("commands", _SPEC)
def name_and_version(client: Client) -> None:
    """`name` and `version` are texts of one line."""
    for command in ("name", "version"):
        answer = client.ask(command)
        require(answer.ok and len(answer.lines) == 1 and bool(answer.text), "= TEXT, one line")


@suite.must("commands", _SPEC)
def required_commands_are_listed(client: Client) -> None:
    """`list_commands` has all that GTP requires, one a line, none twice."""
    answer = client.ask("list_commands")
    names = answer.text.splitlines()
    require(all(re.fullmatch(r"\S+", name) for name in names), "one command a line")
    require(len(set(names)) == len(names), "no command twice")
    missing = [name for name in _REQUIRED.split() if name not in names]
    require(not missing, f"also {', '.join(missing)}")


@suite.should("commands", f"{_SPEC}; Quarry; GoGui")
def usual_commands_are_listed(client: Client) -> None:
    """`list_commands` also has what controllers of Othello use: undo, clocks, the score, files, games."""
    missing = [name for name in _USUAL.split() if name not in client.commands()]
    require(not missing, f"also {', '.join(missing)}")


@suite.must("commands", _SPEC)
def listed_commands_are_known(client: Client) -> None:
    """`known_command` is true for every command listed and false for others."""
    for name in client.commands():
        require(client.done(f"known_command {name}") == "true", f"= true, since {name} is listed")
    require(client.done("known_command frobnicate") == "false", "= false")


@suite.must("commands", _SPEC)
def unknown_command(client: Client) -> None:
    """An unknown command is refused with `unknown command`."""
    for name in ("frobnicate", "kgs-genmove_cleanup", "place_free_handicap", "GENMOVE?"):
        require(client.fails(name).startswith("unknown command"), "? unknown command")


@suite.must("commands", _SPEC)
def boardsize(client: Client) -> None:
    """`boardsize` takes 8 and refuses other sizes as unacceptable."""
    require(client.done("boardsize 8") == "", "= without a text")
    for size in ("10", "19", "0"):
        require(client.fails(f"boardsize {size}") == "unacceptable size", "? unacceptable size")


@suite.must("commands", _SPEC)
def komi_is_taken(client: Client) -> None:
    """`komi` is taken, and ignored."""
    require(client.done("komi 6.5") == "", "= without a text")


@suite.must("commands", _SPEC)
def missing_or_bad_arguments(client: Client) -> None:
    """Missing or senseless arguments are refused, and change nothing."""
    client.set_landmark()
    for command in ("play", "play b", "play x d3", "play b z9", "play b d33", "boardsize", "boardsize x", "genmove"):
        client.fails(command)
    for command in ("genmove x", "komi", "komi x"):
        client.fails(command)
    client.require_landmark()


@suite.must("commands", _QUARRY)
def games(client: Client) -> None:
    """`list_games` has Othello, `set_game Othello` is taken in silence, another game refused."""
    client.need("list_games", "set_game")
    require("Othello" in client.done("list_games").splitlines(), "Othello")
    require(client.done("set_game Othello") == "", "= without a text")
    client.fails("set_game Chess")


@suite.should("commands", _SPEC)
def showboard_draws(client: Client) -> None:
    """`showboard` draws eight rows, the first of them below the line of the answer."""
    client.play(ASYMMETRIC_GAME)
    answer = client.ask("showboard")
    require(answer.ok and len(answer.lines) >= 9, "= and a drawing of at least eight lines")
    require(not re.search(r"[A-Ha-h1-8]", answer.lines[0][1:]), "the drawing to begin on a line of its own")


# -- playing -------------------------------------------------------------------------------------------------


@suite.must("play", _SPEC)
def moves_are_played(client: Client) -> None:
    """`play` makes a move and answers without a text."""
    for command in ("play b f5", "play w d6", "play b c3"):
        require(client.done(command) == "", "= without a text")
    client.require_at(after("f5d6c3"))


@suite.must("play", _SPEC)
def case_of_colours_and_squares(client: Client) -> None:
    """Colours and squares are read in any case, colours also as a letter."""
    for command in ("play B F5", "play White D6", "play BLACK c3", "play w D3"):
        client.done(command)
    client.require_at(after("f5d6c3d3"))


@suite.must("play", _SPEC)
def squares_are_neither_turned_nor_mirrored(client: Client) -> None:
    """Row 1 is the row of a1, black begins, on d3 c4 f5 or e6."""
    client.require_at(Position.start())
    for move in ("e3", "f4", "c5", "d6"):
        client.fails(f"play b {move}")
    client.play(ASYMMETRIC_GAME)
    client.require_at(after(ASYMMETRIC_GAME))


@suite.must("play", _SPEC)
def illegal_move(client: Client) -> None:
    """An illegal move is refused with `illegal move`, and nothing changes."""
    client.set_landmark()
    for command in ("play b d6", "play b d3", "play w a1", "play w d3"):
        require(client.fails(command).startswith("illegal move"), "? illegal move")
    client.require_landmark()


@suite.must("play", "rules")
def wrong_colour(client: Client) -> None:
    """A move of the side that is not to move is refused, and nothing changes."""
    client.fails("play w d3")
    client.fails("play w e3")
    client.require_at(Position.start())


@suite.must("play", _SPEC)
def clear_board_forgets(client: Client) -> None:
    """`clear_board` goes back to the start, and there is nothing to undo."""
    client.play(ASYMMETRIC_GAME)
    require(client.done("clear_board") == "", "= without a text")
    client.fails("undo")
    client.require_at(Position.start())


@suite.must("play", _SPEC)
def undo_takes_back(client: Client) -> None:
    """`undo` takes back one ply, of `play` as of `genmove`."""
    client.play(ASYMMETRIC_GAME)
    side = after(ASYMMETRIC_GAME).side
    client.genmove(side)
    require(client.done("undo") == "", "= without a text")
    client.require_at(after(ASYMMETRIC_GAME))
    client.done("undo")
    client.require_at(after(ASYMMETRIC_GAME[:-2]))


@suite.must("play", _SPEC)
def undo_past_the_start(client: Client) -> None:
    """There is nothing to undo at the start: `cannot undo`."""
    require(client.fails("undo").startswith("cannot undo"), "? cannot undo")


# -- passes, game over ---------------------------------------------------------------------------------------


@suite.must("passes", _BOTH)
def pass_is_written(client: Client) -> None:
    """A forced pass may be played, in any case."""
    for word in ("pass", "PASS", "Pass"):
        client.set_landmark()
        client.done(f"play b {word}")
        client.require_at(after(PASS_GAME).play("pass"))


@suite.must("passes", _BOTH)
def pass_is_left_out(client: Client) -> None:
    """A forced pass may be left out: the other side just plays."""
    for move in ("b4", "d6"):
        client.set_landmark()
        client.done(f"play w {move}")
        client.require_at(after(PASS_GAME).play("pass").play(move))


@suite.should("passes", _BOTH)
def undo_of_a_pass_left_out(client: Client) -> None:
    """A pass that was left out is a ply of its own for `undo`."""
    client.set_landmark()
    client.done("play w d6")
    client.done("undo")
    client.done("play w b4")
    client.done("undo")
    client.done("undo")
    client.done("play b pass")
    client.done("play w d6")


@suite.must("passes", "rules")
def pass_that_is_not_forced(client: Client) -> None:
    """A pass is refused while there is a move."""
    client.fails("play b pass")
    client.require_at(Position.start())


@suite.must("passes", _BOTH)
def genmove_passes(client: Client) -> None:
    """`genmove` answers a forced pass with `pass` and records it."""
    client.set_landmark()
    require(client.genmove(BLACK) == "pass", "= pass")
    client.done("undo")
    client.require_at(after(PASS_GAME))
    require(client.genmove(BLACK) == "pass", "= pass")
    client.require_at(after(PASS_GAME).play("pass"))


@suite.must("passes", _BOTH)
def genmove_after_a_pass_left_out(client: Client) -> None:
    """`genmove` of the side behind a forced pass that nobody wrote plays for that side."""
    client.set_landmark()
    move = client.genmove(WHITE)
    require(move in ("b4", "d6"), "= b4 or d6")
    client.require_at(after(PASS_GAME).play("pass").play(move))


@suite.must("game over", "rules")
def genmove_after_the_end(client: Client) -> None:
    """In a finished game `genmove` answers pass, and no move is legal."""
    for game in (WIPEOUT_GAME, EMPTIES_LEFT_GAME):
        client.done("clear_board")
        client.play(game)
        for colour in "bw":
            client.fails(f"play {colour} a1")
        for side in (BLACK, WHITE):
            require(client.genmove(side) == "pass", "= pass")


@suite.must("game over", _SPEC)
def final_score(client: Client) -> None:
    """`final_score` is the difference of discs with the empty squares given to the winner, as `B+64` or `W+62`."""
    client.need("final_score")
    for game in (WIPEOUT_GAME, BLACK_WINS_GAME, EMPTIES_LEFT_GAME):
        client.done("clear_board")
        client.play(game)
        position = after(game)
        score = position.final_score if position.side == BLACK else -position.final_score
        expected = f"{'B' if score > 0 else 'W'}+{abs(score)}"
        require(client.done("final_score") == expected, f"= {expected}")


@suite.must("game over", _SPEC)
def final_score_of_an_open_game(client: Client) -> None:
    """While the game goes on, `final_score` is refused with `cannot score` or is the score as it stands."""
    client.need("final_score")
    client.play(ASYMMETRIC_GAME)
    answer = client.ask("final_score")
    if answer.ok:
        require(re.fullmatch(r"0|[BW]\+\d+", answer.text) is not None, "? cannot score, or = B+n, W+n, 0")
    else:
        require(answer.text.startswith("cannot score"), "? cannot score")


# -- search --------------------------------------------------------------------------------------------------


@suite.must("search", _SPEC)
def genmove_plays_its_move(client: Client) -> None:
    """`genmove` answers one legal move and plays it."""
    position = Position.start()
    for _ in range(4):
        answer = client.ask(f"genmove {'bw'[position.side]}")
        require(answer.ok and len(answer.lines) == 1, "= and one move")
        move = answer.text.lower()
        require(move in legal(position), f"one of {' '.join(sorted(legal(position)))}")
        position = position.play(move)
    client.require_at(position)


@suite.should("search", "custom; all surveyed controllers read it")
def moves_are_in_lower_case(client: Client) -> None:
    """`genmove` writes its move in lower case."""
    client.play(SINGLE_MOVE_GAME)
    require(client.done("genmove w") == "c6", "= c6")


@suite.must("search", _SPEC)
def genmove_for_the_wrong_colour(client: Client) -> None:
    """`genmove` for the side that is not to move is refused, and changes nothing."""
    client.fails("genmove w")
    client.require_at(Position.start())


@suite.must("search", _SPEC)
def reg_genmove_does_not_play(client: Client) -> None:
    """`reg_genmove` answers a legal move and does not play it."""
    client.need("reg_genmove")
    client.play(ASYMMETRIC_GAME)
    position = after(ASYMMETRIC_GAME)
    require(client.genmove(position.side, "reg_genmove") in legal(position), "= and a legal move")
    client.require_at(position)


@suite.should("search", _SPEC)
def reg_genmove_is_not_random(client: Client) -> None:
    """`reg_genmove` twice is the same move twice."""
    client.need("reg_genmove")
    client.play(LATE_GAME)
    moves = {client.genmove(BLACK, "reg_genmove") for _ in range(3)}
    require(len(moves) == 1, "the same move three times")


@suite.should("search", "six empty squares are few")
def endgame_is_played_perfectly(client: Client) -> None:
    """With six empty squares the engine plays a best move."""
    client.play(LATE_GAME)
    position = after(LATE_GAME)
    best = {move for move in legal(position) if -solve(position.play(move)) == solve(position)}
    require(client.genmove(position.side) in best, f"= {' or '.join(sorted(best))}")


# -- clocks --------------------------------------------------------------------------------------------------


def _timed(client: Client, allowed_s: float, *settings: str) -> None:
    for command in settings:
        client.done(command)
    client.play(ASYMMETRIC_GAME)
    start = time.perf_counter()
    client.genmove(after(ASYMMETRIC_GAME).side, limit=allowed_s + client.limits.answer)
    seconds = time.perf_counter() - start
    require(seconds <= allowed_s, f"a move within {allowed_s:g} s, not after {seconds:.1f} s")


@suite.must("clocks", _SPEC)
def time_for_a_move(client: Client) -> None:
    """`time_settings 0 1 1` is one second for every move."""
    client.need("time_settings")
    _timed(client, 1 + _CLOCK_SLACK_S, "time_settings 0 1 1")


@suite.must("clocks", _SPEC)
def sudden_death(client: Client) -> None:
    """`time_settings 2 0 0` is two seconds for the whole game."""
    client.need("time_settings")
    _timed(client, 2.0, "time_settings 2 0 0")


@suite.must("clocks", _SPEC)
def time_left_counts(client: Client) -> None:
    """`time_left` says what is left: a second for the mover, whatever the settings."""
    client.need("time_settings", "time_left")
    _timed(client, 1.0, "time_settings 600 0 0", "time_left w 1 0", "time_left b 500 0")


@suite.must("clocks", _SPEC)
def no_time_left(client: Client) -> None:
    """A clock at zero means a move at once."""
    client.need("time_settings", "time_left")
    _timed(client, client.limits.prompt, "time_settings 600 0 0", "time_left w 0 0")


@suite.must("clocks", f"{_SPEC}; GoGui and Quarry send it for no limit")
def no_limit(client: Client) -> None:
    """`time_settings 0 1 0` is no limit; moves still come."""
    client.need("time_settings")
    client.done("time_settings 0 1 0")
    client.play(SINGLE_MOVE_GAME)
    require(client.genmove(WHITE) == "c6", "= c6")
    client.done("clear_board")
    client.play(LATE_GAME)
    require(client.genmove(BLACK) in legal(after(LATE_GAME)), "= and a legal move")


@suite.must("clocks", _SPEC)
def bad_clocks(client: Client) -> None:
    """Clocks without sense are refused."""
    client.need("time_settings", "time_left")
    for command in ("time_settings", "time_settings 1 2", "time_settings a b c", "time_left", "time_left b x 0"):
        client.fails(command)


# -- files ---------------------------------------------------------------------------------------------------


def _load(client: Client, text: str, move_number: str = "") -> bool:
    """True if the engine takes a file with this text."""
    with tempfile.TemporaryDirectory(prefix="conformance") as folder:
        path = Path(folder, "game.sgf")
        path.write_text(text, encoding="ascii")
        return client.ask(f"loadsgf {path} {move_number}".rstrip()).ok


_SGF = "(;FF[4]GM[2]SZ[8]PB[a]PW[b];B[f5];W[d6];B[c3];W[d3];B[c4])"


@suite.must("files", _SPEC)
def loadsgf_reads_a_game(client: Client) -> None:
    """`loadsgf` reads an Othello game, squares as letter and digit."""
    client.need("loadsgf")
    require(_load(client, _SGF), "=, since the file is right")
    client.require_at(after(ASYMMETRIC_GAME))


@suite.must("files", _SPEC)
def loadsgf_to_a_move(client: Client) -> None:
    """`loadsgf FILE N` reads up to the position before move N."""
    client.need("loadsgf")
    require(_load(client, _SGF, "3"), "=, since the file is right")
    client.require_at(after("f5d6"))


@suite.should("files", "Go's way to write squares; Quarry reads both")
def loadsgf_reads_two_letters(client: Client) -> None:
    """`loadsgf` also reads squares as two letters."""
    client.need("loadsgf")
    require(_load(client, "(;FF[4]GM[2]SZ[8];B[fe];W[df];B[cc];W[dc];B[cd])"), "=, since the file is right")
    client.require_at(after(ASYMMETRIC_GAME))


@suite.should("files", "SGF")
def loadsgf_reads_a_position(client: Client) -> None:
    """`loadsgf` reads positions that were set up, with the side to move."""
    client.need("loadsgf")
    position = after(PASS_GAME).play("pass")
    squares = position.to_text()[:64]
    black, white = (
        "".join(f"[{'abcdefgh'[i % 8]}{i // 8 + 1}]" for i in range(64) if squares[i] == sign) for sign in "XO"
    )
    require(_load(client, f"(;FF[4]GM[2]SZ[8]AB{black}AW{white}PL[W])"), "=, since the file is right")
    client.require_at(position)


@suite.should("files", "SGF has no one way to write a pass")
def loadsgf_reads_passes(client: Client) -> None:
    """`loadsgf` reads games with a forced pass left out."""
    client.need("loadsgf")
    nodes = "".join(
        f";{'WB'[reached.side]}[{PASS_GAME[2 * i : 2 * i + 2]}]"
        for i, (_, reached) in enumerate(Position.start().follow(PASS_GAME))
    )
    require(_load(client, f"(;FF[4]GM[2]SZ[8]{nodes};W[b4])"), "=, since the file is right")
    client.require_at(after(PASS_GAME).play("pass").play("b4"))


@suite.must("files", _SPEC)
def bad_file(client: Client) -> None:
    """A file that is missing or no game is refused with `cannot load file`, and nothing changes."""
    client.need("loadsgf")
    client.set_landmark()
    require(client.fails("loadsgf /nonexistent/game.sgf").startswith("cannot load file"), "? cannot load file")
    client.fails("loadsgf")
    require(not _load(client, "nothing of the kind"), "?, since this is no game")
    require(not _load(client, "(;FF[4]GM[2]SZ[8];B[f5];W[e3])"), "?, since e3 is illegal")
    client.require_landmark()


# -- GoGui ---------------------------------------------------------------------------------------------------


@suite.must("gogui", _GOGUI)
def rules_of_the_game(client: Client) -> None:
    """`gogui-rules_game_id` is Othello, `gogui-rules_board_size` is 8."""
    client.need("gogui-rules_game_id", "gogui-rules_board_size")
    require(client.done("gogui-rules_game_id") == "Othello", "= Othello")
    require(client.done("gogui-rules_board_size") == "8", "= 8")


@suite.should("gogui", _GOGUI)
def all_rules_commands(client: Client) -> None:
    """All six gogui-rules commands are there, if any is: GoGui needs them together."""
    client.need("gogui-rules_game_id")
    missing = [f"gogui-rules_{name}" for name in _RULES.split() if f"gogui-rules_{name}" not in client.commands()]
    require(not missing, f"also {', '.join(missing)}")


@suite.must("gogui", _GOGUI)
def rules_legal_moves(client: Client) -> None:
    """`gogui-rules_legal_moves` are those of the side to move; empty only at the end of the game."""
    client.need("gogui-rules_legal_moves")
    for game in ("", ASYMMETRIC_GAME, PASS_GAME, WIPEOUT_GAME, EMPTIES_LEFT_GAME):
        client.done("clear_board")
        client.play(game)
        said = set(client.done("gogui-rules_legal_moves").lower().split())
        expected = legal(after(game))
        require(said == expected, f"= {' '.join(sorted(expected))}".rstrip())


@suite.must("gogui", _GOGUI)
def rules_side_to_move(client: Client) -> None:
    """`gogui-rules_side_to_move` is black or white."""
    client.need("gogui-rules_side_to_move")
    for game in ("", "f5", ASYMMETRIC_GAME, PASS_GAME):
        client.done("clear_board")
        client.play(game)
        expected = ("black", "white")[after(game).side]
        require(client.done("gogui-rules_side_to_move").lower() in (expected, expected[0]), f"= {expected}")


@suite.must("gogui", f"{_GOGUI}: it draws row 1 at the bottom")
def rules_board(client: Client) -> None:
    """`gogui-rules_board` prints eight rows of eight, row 8 first, with X, O and dots."""
    client.need("gogui-rules_board")
    client.play(ASYMMETRIC_GAME)
    rows = [row.split() for row in client.done("gogui-rules_board").strip().splitlines()]
    require(len(rows) == 8 and all(len(row) == 8 for row in rows), "eight rows of eight signs")
    squares = after(ASYMMETRIC_GAME).to_text()[:64].replace("-", ".")
    expected = [list(squares[8 * row : 8 * row + 8]) for row in range(7, -1, -1)]
    require([[sign.upper() for sign in row] for row in rows] == expected, f"first the row {' '.join(expected[0])}")


@suite.must("gogui", _GOGUI)
def rules_final_result(client: Client) -> None:
    """`gogui-rules_final_result` of a finished game tells the winner."""
    client.need("gogui-rules_final_result")
    for game, letter in ((WIPEOUT_GAME, "w"), (BLACK_WINS_GAME, "b")):
        client.done("clear_board")
        client.play(game)
        require(client.done("gogui-rules_final_result").lower().startswith(letter), f"= {letter.upper()}...")


@suite.must("gogui", _GOGUI)
def analyze_commands(client: Client) -> None:
    """`gogui-analyze_commands` are lines of type, label and command, and the commands are known."""
    client.need("gogui-analyze_commands")
    names = client.commands()
    for line in client.done("gogui-analyze_commands").splitlines():
        fields = line.split("/")
        require(len(fields) >= 3 and all(fields[:3]), f"TYPE/LABEL/COMMAND instead of {line}")
        require(fields[2].split()[0] in names, f"a command that is listed, not {fields[2]}")


@suite.should("gogui", _GOGUI)
def play_sequence(client: Client) -> None:
    """`gogui-play_sequence` plays several moves."""
    client.need("gogui-play_sequence")
    client.done("gogui-play_sequence B f5 W d6 B c3 W d3 B c4")
    client.require_at(after(ASYMMETRIC_GAME))


# -- bad input -----------------------------------------------------------------------------------------------


@suite.must("end", _SPEC, fresh=True)
def quit_is_answered(client: Client) -> None:
    """`quit` is answered, with its id, before the program ends."""
    client.greet()
    client.send("9 quit")
    lines = client.talk.lines_to_end(client.limits.exit)
    require([line.rstrip() for line in lines] == ["=9", ""], "=9 and an empty line")
    require(client.talk.exit_status(client.limits.exit) == 0, "exit status 0")


@suite.must("bad input", _SPEC)
def every_command_has_one_answer(client: Client) -> None:
    """Right and wrong commands mixed in one write are answered once each, in order."""
    commands = ("play b f5", "play b f5", "frobnicate", "undo", "undo", "play w", "known_command play", "boardsize 9")
    client.send(*commands)
    marks = "".join("=" if client.read().ok else "?" for _ in commands)
    require(marks == "=??=??=?", "the answers = ? ? = ? ? = ?")
    require(not client.talk.lines_for(client.limits.quiet), "no further answer")


@suite.must("output", _SPEC)
def nothing_between_answers(client: Client) -> None:
    """Every answer begins with `=` or `?`; nothing stands before it."""
    client.search_to_end(*client.short_search)
    for talk in client.history:
        starts = True
        for line in (raw.decode("utf-8", "replace").removesuffix("\r") for raw in talk.printed):
            if starts and line[:1] not in ("=", "?"):
                raise CheckFailed("= or ? at the start of an answer", (f"< {line}",))
            starts = line == ""


common.add_to(suite, Client)
