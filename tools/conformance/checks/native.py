"""The native protocol, as docs/protocol.md has it."""

from __future__ import annotations

import random
import time

from othello_engine.position import Position
from othello_engine.types import square_name
from tools.conformance.check import CheckSkipped, Suite, require
from tools.conformance.checks import common
from tools.conformance.clients.native import NativeClient as Client
from tools.conformance.positions import (
    ASYMMETRIC_GAME,
    BLACK_WINS_GAME,
    EMPTIES_LEFT_GAME,
    LATE_GAME,
    OVER_BOARD,
    PASS_GAME,
    SINGLE_MOVE_GAME,
    SIX_EMPTIES,
    SIX_EMPTIES_BEST,
    SIX_EMPTIES_SCORE,
    WIPEOUT_GAME,
    after,
    legal,
)

suite = Suite[Client]()
common.add_first(suite)

_PAGE = "docs/protocol.md"
_HANDSHAKE, _OPTIONS, _POSITIONS = f"{_PAGE}, Handshake", f"{_PAGE}, Options", f"{_PAGE}, Positions"
_SEARCHING, _OUTPUT, _STATES = f"{_PAGE}, Searching", f"{_PAGE}, What a search prints", f"{_PAGE}, States"
_OTHER, _ERRORS, _WORDS = f"{_PAGE}, Other commands", f"{_PAGE}, Errors", f"{_PAGE}, Lines and words"
_UGI = f"{_PAGE}, Match runners: UGI"

_ROUNDS = 30
"""Searches that are stopped after random short times."""
_BUDGET_MS = 300
_CLOCK_SLACK_S = 0.5
"""Allowed above a time limit: the wire, and a busy machine."""
_PERFT = {1: 4, 2: 12, 3: 56, 4: 244, 5: 1396}
_OPTION_NAMES = ["Hash", "Threads", "MultiPV", "Level", "Selectivity", "Ponder", "MoveOverhead"]


# -- handshake -----------------------------------------------------------------------------------------------


@suite.must("handshake", _HANDSHAKE)
def uoi_names_the_engine(client: Client) -> None:
    """`uoi` brings the name, the options and then uoiok, once."""
    lines = client.ask("uoi")
    require(bool(lines) and lines[0].startswith("id name "), "`id name ...` as the first line")
    require(lines[-1] == "uoiok" and lines.count("uoiok") == 1, "uoiok as the last line, once")
    require(all(client.kind_of(line) in ("id", "option") for line in lines[:-1]), "only id and option lines before it")


@suite.must("handshake", _HANDSHAKE)
def isready_is_answered_once(client: Client) -> None:
    """Every `isready` brings one readyok."""
    client.send("isready", "isready", "isready")
    client.talk.until("readyok", client.limits.answer, "readyok")
    require(client.talk.lines_for(client.limits.quiet) == ["readyok"] * 2, "three times readyok for three isready")


@suite.must("handshake", _HANDSHAKE, fresh=True)
def handshake_is_optional(client: Client) -> None:
    """Commands work without any handshake."""
    client.send(f"setboard startpos moves {ASYMMETRIC_GAME}", "query p1turn")
    line = client.talk.next_line(client.limits.start, "response false")
    require(line == "response false", "response false")


@suite.must("handshake", _UGI)
def ugi_ends_with_ugiok(client: Client) -> None:
    """`ugi` is the same handshake with ugiok at its end."""
    lines = client.ask("ugi")
    require(lines[-1:] == ["ugiok"] and "uoiok" not in lines, "ugiok as the last line")


@suite.should("handshake", f"{_PAGE}: chess programs would send chess positions")
def uci_is_refused(client: Client) -> None:
    """`uci` is not answered with uciok."""
    client.require_complaint(client.ask("uci"), "uci")


# -- options -------------------------------------------------------------------------------------------------


def _options(client: Client) -> dict[str, str]:
    """The option lines by name: all behind the name."""
    lines = [line.removeprefix("option name ") for line in client.ask("uoi") if line.startswith("option")]
    return {name: rest for name, _, rest in (line.partition(" type ") for line in lines)}


@suite.should("options", _OPTIONS)
def usual_options_are_there(client: Client) -> None:
    """The options that every client may count on are declared."""
    missing = [name for name in _OPTION_NAMES if name not in _options(client)]
    require(not missing, f"also the option{'s' if len(missing) > 1 else ''} {', '.join(missing)}")


@suite.must("options", _OPTIONS)
def option_values_are_of_their_type(client: Client) -> None:
    """Every option has a type, and its default fits it."""
    for name, rest in _options(client).items():
        words = rest.split()
        fields = dict(zip(words[1::2], words[2::2], strict=False))
        if words[0] == "spin":
            numbers = [fields.get(key, "") for key in ("min", "default", "max")]
            require(all(number.lstrip("-").isdigit() for number in numbers), f"default, min and max of {name}")
            low, default, high = map(int, numbers)
            require(low <= default <= high, f"a default of {name} from its min to its max")
        elif words[0] == "check":
            require(fields.get("default") in ("true", "false"), f"default true or false of {name}")
        elif words[0] == "combo":
            choices = [value for key, value in zip(words[1::2], words[2::2], strict=False) if key == "var"]
            require(fields.get("default") in choices, f"a default of {name} among its vars")
        elif words[0] == "button":
            require(len(words) == 1, f"nothing behind the type of {name}")


@suite.must("options", _OPTIONS)
def option_is_set(client: Client) -> None:
    """A value that was set is the default in the next handshake, whatever the case of the name."""
    before = _default(client, "InfoInterval")
    require(not client.ask("setoption name infoINTERVAL value 123"), "silence")
    require(_default(client, "InfoInterval") == "123", "InfoInterval with `default 123`")
    client.ask(f"setoption name InfoInterval value {before}")


@suite.must("options", _OPTIONS)
def bad_option_value_changes_nothing(client: Client) -> None:
    """A value out of range or of the wrong type is one error, and the old value stays."""
    before = _default(client, "Hash")
    for value in ("0", "-1", "99999999", "many", "1.5"):
        client.refused(f"setoption name Hash value {value}", "bad-option-value")
    client.refused("setoption name Ponder value perhaps", "bad-option-value")
    require(_default(client, "Hash") == before, f"Hash with `default {before}` as before")


@suite.must("options", _OPTIONS)
def unknown_option_is_refused(client: Client) -> None:
    """An unknown option is one error."""
    client.refused("setoption name Treads value 2", "unknown-option")
    client.refused("setoption name UCI_Chess960 value true", "unknown-option")


@suite.must("options", _OPTIONS)
def button_with_a_blank_in_its_name(client: Client) -> None:
    """`setoption name Clear Hash` is obeyed in silence."""
    require(not client.ask("setoption name Clear Hash"), "silence")


def _default(client: Client, name: str) -> str:
    words = _options(client).get(name, "").split()
    if "default" not in words:
        raise CheckSkipped(f"there is no option {name}")
    return words[words.index("default") + 1]


# -- positions -----------------------------------------------------------------------------------------------


@suite.must("positions", _POSITIONS)
def start_position(client: Client) -> None:
    """The start has white d4 e5, black e4 d5, black to move."""
    client.require_board(Position.start())


@suite.must("positions", _POSITIONS)
def squares_are_neither_turned_nor_mirrored(client: Client) -> None:
    """An asymmetric position comes back as the same 64 squares, by moves and by board."""
    position = after(ASYMMETRIC_GAME)
    client.ask(f"setboard startpos moves {ASYMMETRIC_GAME}")
    client.require_board(position)
    client.ask("setboard startpos")
    client.ask(f"position board {position.to_text()}")
    client.require_board(position)


@suite.must("positions", _POSITIONS)
def moves_in_every_spelling(client: Client) -> None:
    """Moves may be words or run together, in any case."""
    spelled = ["f5 d6 c3 d3 c4", "F5D6C3D3C4", "f5d6 C3 d3c4"]
    for moves in spelled:
        client.ask("setboard startpos", f"setboard startpos moves {moves}")
        client.require_board(after(ASYMMETRIC_GAME))


@suite.must("positions", _POSITIONS)
def board_symbols(client: Client) -> None:
    """Black is `X x * B b`, white `O o W w`, empty `- . _`; board and side may be one word."""
    position = after(ASYMMETRIC_GAME)
    squares, side = position.to_text().split()
    for black, white, empty in ("xo.", "*O-", "bw_", "BW-"):
        text = squares.translate(str.maketrans("XO-", black + white + empty))
        client.ask("setboard startpos")
        require(not client.ask(f"setboard {text}{side}"), "silence after a position that is good")
        client.require_board(position)


@suite.must("positions", _POSITIONS)
def any_pattern_of_discs(client: Client) -> None:
    """A finished game, one colour only and an empty board are positions too."""
    for text in (OVER_BOARD, "X" * 64 + " O", "-" * 64 + " X", "O" + "-" * 63 + " X"):
        client.set_up(Position.from_text(text))
        client.require_board(Position.from_text(text))


@suite.must("positions", _POSITIONS)
def bad_board_changes_nothing(client: Client) -> None:
    """A board that is none is one error, and the old position stays."""
    client.set_landmark()
    squares = after(ASYMMETRIC_GAME).to_text()[:64]
    for text in (squares[:63] + " X", squares + "- X", squares, squares[:9] + "?" + squares[10:] + " X", "X", ""):
        lines = client.ask(f"setboard {text}".rstrip())
        require(len(lines) == 1 and lines[0].startswith("error "), f"one error to a bad board, not {len(lines)} lines")
    client.require_landmark()


@suite.must("positions", _POSITIONS)
def illegal_move_changes_nothing(client: Client) -> None:
    """An illegal move in a list is one error that names it, and nothing of the list is played."""
    client.set_landmark()
    for moves, token in (("f5 e3", "e3"), ("a1", "a1"), ("f5 d6 c3 z9", "z9"), ("f5 f5", "f5"), ("pass", "pass")):
        client.refused(f"setboard startpos moves {moves}", "illegal-move", token)
    for move in ("d4", "a8", "b4 b4"):
        client.refused(f"move {move}", "illegal-move")
    client.require_landmark()


@suite.must("positions", _POSITIONS)
def move_and_undo_are_inverse(client: Client) -> None:
    """Through a whole game, `move` goes on and `undo` comes back to the same positions, passes included."""
    position, line = Position.start(), [Position.start()]
    rng = random.Random(3)
    client.ask("setboard startpos")
    moves = []
    while not position.is_over:
        move = rng.choice(position.legal_moves)
        moves.append(square_name(move))
        position = position.play(move)
        line.append(position)
    require(not client.ask(*(f"move {move}" for move in moves)), "silence after legal moves")
    client.require_board(position)
    for n_back in (1, 7, 20):
        require(not client.ask(f"undo {n_back}"), "silence after undo")
        line = line[:-n_back]
        client.require_board(line[-1])


@suite.must("positions", _POSITIONS)
def undo_past_the_start(client: Client) -> None:
    """Taking back more plies than there are is one error and takes back none."""
    client.ask(f"setboard startpos moves {ASYMMETRIC_GAME}")
    client.refused("undo 6", "nothing-to-undo")
    client.require_board(after(ASYMMETRIC_GAME))
    client.ask("undo 5")
    client.refused("undo", "nothing-to-undo")


@suite.must("positions", _POSITIONS)
def newgame_is_the_start(client: Client) -> None:
    """`newgame` goes back to the start with black to move."""
    client.set_up(after(ASYMMETRIC_GAME).swapped())
    require(not client.ask("newgame"), "silence")
    client.require_board(Position.start())


# -- passes, game over ---------------------------------------------------------------------------------------


@suite.must("passes", _WORDS)
def pass_in_every_spelling(client: Client) -> None:
    """A forced pass may be written in six ways, or left out."""
    target = after(PASS_GAME).play("pass").play("b4")
    for spelling in ("pass", "pa", "PS", "--", "@@@@", "0000", ""):
        client.ask("setboard startpos")
        require(not client.ask(f"setboard startpos moves {PASS_GAME} {spelling} b4"), "silence")
        client.require_board(target)


@suite.must("passes", _POSITIONS)
def forced_pass_is_shown_and_played(client: Client) -> None:
    """A side without a move has `legal pass`, and `go` answers bestmove pass."""
    client.set_landmark()
    require("legal pass" in client.ask("display"), "legal pass")
    require(client.go("depth 6").best == "pass", "bestmove pass")
    client.require_landmark()


@suite.must("passes", _POSITIONS)
def pass_that_is_not_forced(client: Client) -> None:
    """A pass is refused while there is a move."""
    client.refused("move pass", "illegal-move", "pass")
    client.require_board(Position.start())


@suite.must("passes", _POSITIONS)
def a_pass_is_a_ply(client: Client) -> None:
    """`undo` takes back a pass as one ply, also one that was left out."""
    client.ask(f"setboard startpos moves {PASS_GAME}", "move b4")
    for expected in (after(PASS_GAME).play("pass"), after(PASS_GAME)):
        client.ask("undo")
        client.require_board(expected)


@suite.must("game over", f"{_OUTPUT}; {_UGI}")
def finished_games(client: Client) -> None:
    """A finished game has no move, bestmove none, and the right winner."""
    for game, result in ((WIPEOUT_GAME, "p2win"), (BLACK_WINS_GAME, "p1win"), (EMPTIES_LEFT_GAME, "p2win")):
        client.ask(f"setboard startpos moves {game}")
        client.ask_one("query gameover", "response true")
        client.ask_one("query result", f"response {result}")
        require("legal none" in client.ask("display"), "legal none")
        require(client.go("depth 4").best == "none", "bestmove none")


@suite.must("game over", f"{_OUTPUT}; {_UGI}")
def draw_is_a_draw(client: Client) -> None:
    """A full board with 32 discs each is a draw, for either side to move."""
    for side in "XO":
        client.set_up(Position.from_text("XO" * 32 + f" {side}"))
        client.ask_one("query result", "response draw")


@suite.must("game over", _ERRORS)
def no_move_after_the_end(client: Client) -> None:
    """A move in a finished game is refused."""
    client.ask(f"setboard startpos moves {WIPEOUT_GAME}")
    for move in ("a1", "pass"):
        client.refused(f"move {move}", "illegal-move", move)
    client.require_board(after(WIPEOUT_GAME))


# -- search --------------------------------------------------------------------------------------------------


@suite.must("search", _OUTPUT)
def search_to_a_depth(client: Client) -> None:
    """`go depth 4` reports rising depths up to 4, then one legal bestmove, the first of its line."""
    answer = client.go("depth 4")
    depths = [info.depth for info in answer.infos]
    require(bool(depths), "`info depth ...` before bestmove")
    require(depths == sorted(depths) and max(depths) <= 4, "depths that never go back and end at 4")
    client.require_legal(answer.best, Position.start())
    require(answer.last.pv[:1] == (answer.best,), "the last pv to begin with the move of bestmove")
    client.require_silence()


@suite.must("search", _OUTPUT)
def search_lines_have_their_fields(client: Client) -> None:
    """Search lines carry depth, nodes and nps."""
    for line in client.go("depth 4").lines:
        if line.startswith("info depth"):
            require(" nodes " in line and " nps " in line, "nodes and nps in every search line")


@suite.must("search", _OUTPUT)
def lines_of_play_are_legal(client: Client) -> None:
    """Every pv can be played, passes included."""
    for position in (Position.start(), after(ASYMMETRIC_GAME), Position.from_text(SIX_EMPTIES), after(PASS_GAME)):
        client.set_up(position)
        for info in client.go("depth 6").infos:
            reached = position
            for move in info.pv:
                require(move in legal(reached), f"a legal move instead of {move} in the pv")
                reached = reached.play(move)


@suite.must("search", _SEARCHING)
def exact_score(client: Client) -> None:
    """`go exact` finds score and best move of a position with six empty squares, for either colour."""
    position = Position.from_text(SIX_EMPTIES)
    for asked in (position, position.recoloured()):
        client.set_up(asked)
        answer = client.go("exact")
        require(answer.best == SIX_EMPTIES_BEST, f"bestmove {SIX_EMPTIES_BEST}")
        said = (answer.last.score, answer.last.sel, answer.last.bound)
        require(said == (("disc", str(SIX_EMPTIES_SCORE)), 100, ""), f"sel 100 score disc {SIX_EMPTIES_SCORE}")


@suite.must("search", _SEARCHING)
def win_loss_draw(client: Client) -> None:
    """`go wld` says who wins."""
    client.set_up(Position.from_text(SIX_EMPTIES))
    require(client.go("wld").last.score == ("wld", "win"), "score wld win")


@suite.must("search", _OUTPUT)
def several_lines(client: Client) -> None:
    """`multipv` reports as many different moves as asked for, but no more than there are."""
    for position in (Position.start(), after(PASS_GAME).play("pass"), after(SINGLE_MOVE_GAME)):
        for n_asked in (2, 10):
            client.set_up(position)
            infos = client.go(f"depth 4 multipv {n_asked}").infos
            depth = max(info.depth for info in infos)
            moves = [info.pv[0] for info in infos if info.depth == depth and info.pv]
            n_due = min(n_asked, len(legal(position)))
            require(len(set(moves)) == n_due, f"{n_due} different moves at depth {depth}")


@suite.must("search", _SEARCHING)
def searchmoves_are_obeyed(client: Client) -> None:
    """`searchmoves` leaves only the moves named."""
    require(client.go("depth 4 searchmoves c4").best == "c4", "bestmove c4")
    require(client.go("depth 4 searchmoves e6 c4").best in ("c4", "e6"), "bestmove c4 or e6")


@suite.must("search", _SEARCHING)
def bare_go_ends(client: Client) -> None:
    """A `go` without limits ends by itself."""
    client.ask(f"setboard startpos moves {LATE_GAME}")
    client.require_legal(client.go("").best, after(LATE_GAME))


@suite.must("search", _STATES)
def two_searches_in_a_row(client: Client) -> None:
    """Positions and searches sent in one write are answered in order, each for its own position."""
    second = after(PASS_GAME).play("pass")
    client.send("go depth 5", f"setboard {second.to_text()}", "go depth 5")
    client.require_legal(client.answer().best, Position.start())
    client.require_legal(client.answer().best, second)
    client.require_silence()


@suite.must("search", _OUTPUT)
def bestmove_has_two_words(client: Client) -> None:
    """Without the option Ponder, bestmove has exactly two words."""
    require(len(client.go("depth 4").lines[-1].split()) == 2, "`bestmove M` and nothing behind it")


# -- clocks --------------------------------------------------------------------------------------------------


def _timed(client: Client, limits: str, allowed_s: float) -> float:
    start = time.perf_counter()
    answer = client.go(limits)
    seconds = time.perf_counter() - start
    client.require_legal(answer.best, Position.start())
    require(seconds <= allowed_s, f"bestmove within {allowed_s:g} s of `go {limits}`, not after {seconds:.2f} s")
    return seconds


@suite.must("clocks", _SEARCHING)
def time_for_a_move(client: Client) -> None:
    """`time` and `movetime` are hard limits."""
    for word in ("time", "movetime"):
        _timed(client, f"{word} {_BUDGET_MS}", _BUDGET_MS / 1000 + _CLOCK_SLACK_S)


@suite.must("clocks", _SEARCHING)
def clock_of_the_mover(client: Client) -> None:
    """A clock by colour is kept, the mover's own: half a second for black, an hour for white."""
    _timed(client, "btime 500 wtime 3600000", 0.5 + _CLOCK_SLACK_S)
    _timed(client, "btime 500 wtime 3600000 binc 100 winc 0 movestogo 0", 0.6 + _CLOCK_SLACK_S)


@suite.must("clocks", _SEARCHING)
def no_time_left(client: Client) -> None:
    """A clock at zero or below means an answer at once."""
    for clock in ("0", "-1", "-9000000000"):
        _timed(client, f"btime {clock} wtime 60000", client.limits.prompt)


@suite.must("clocks", _SEARCHING)
def nodes_limit(client: Client) -> None:
    """`nodes` ends a search."""
    _timed(client, "nodes 5000", client.limits.answer)


@suite.should("clocks", _SEARCHING)
def forced_move_is_quick(client: Client) -> None:
    """A single legal move is answered at once, whatever the budget."""
    for game in (SINGLE_MOVE_GAME, PASS_GAME):
        client.ask(f"setboard startpos moves {game}")
        start = time.perf_counter()
        client.require_legal(client.go("time 60000").best, after(game))
        require(time.perf_counter() - start < client.limits.prompt, "bestmove at once")


# -- stop ----------------------------------------------------------------------------------------------------


def _stop(client: Client) -> float:
    """Stop a search; the seconds until its bestmove."""
    start = time.perf_counter()
    client.send("stop")
    client.answer(client.limits.prompt)
    return time.perf_counter() - start


@suite.must("stop", _SEARCHING)
def stop_brings_one_bestmove(client: Client) -> None:
    """`stop` ends an infinite search at once with one bestmove."""
    client.send("go infinite")
    client.require_silence()
    _stop(client)
    client.require_silence()


@suite.must("stop", _STATES)
def stop_while_idle(client: Client) -> None:
    """`stop` while nothing runs is ignored, and doesn't end the next search."""
    require(not client.ask("stop", "stop"), "silence")
    client.send("go infinite")
    client.require_silence(3 * client.limits.quiet)
    _stop(client)
    require(not client.ask("stop"), "silence")


@suite.must("stop", _STATES)
def infinite_search_of_a_solved_position(client: Client) -> None:
    """An infinite search that has nothing left to do holds its answer until `stop`."""
    for position in (Position.from_text(SIX_EMPTIES), after(PASS_GAME), Position.from_text(OVER_BOARD)):
        client.set_up(position)
        client.send("go infinite")
        client.require_silence(2 * client.limits.quiet)
        client.send("stop")
        client.require_legal(client.answer(client.limits.prompt).best, position)


@suite.must("stop", "one request, one answer")
def many_stops(client: Client) -> None:
    """Searches that are stopped after random short times bring one answer each, legal in their own position."""
    rng = random.Random(11)
    positions = [Position.start(), after(PASS_GAME).play("pass"), after(SINGLE_MOVE_GAME), after(ASYMMETRIC_GAME)]
    for i in range(_ROUNDS):
        position = positions[i % len(positions)]
        client.send(f"setboard {position.to_text()}", "go infinite" if i % 2 else "go depth 12")
        time.sleep(rng.uniform(0, 0.03))
        client.send("stop")
        client.require_legal(client.answer().best, position)
    client.require_silence()


@suite.must("stop", _STATES)
def ponder_waits_for_the_hit(client: Client) -> None:
    """`go ponder` is silent until `ponderhit`; then its limits begin."""
    client.send("go ponder time 100")
    client.require_silence(0.1 + 2 * client.limits.quiet)
    client.send("ponderhit")
    client.answer(0.1 + client.limits.prompt)
    client.require_silence()


@suite.must("stop", _STATES)
def ponder_is_stopped(client: Client) -> None:
    """`stop` ends `go ponder` with its bestmove."""
    client.send("go ponder depth 3")
    client.require_silence(2 * client.limits.quiet)
    _stop(client)


@suite.must("stop", _ERRORS)
def ponderhit_without_ponder(client: Client) -> None:
    """`ponderhit` without `go ponder` is one error, idle or in another search."""
    client.refused("ponderhit", "not-pondering")
    client.send("go infinite")
    client.refused("ponderhit", "not-pondering")
    _stop(client)


# -- liveness ------------------------------------------------------------------------------------------------


@suite.must("ping", _STATES)
def isready_during_a_search(client: Client) -> None:
    """`isready` is answered at once during a search, which goes on."""
    client.send("go infinite")
    for _ in range(10):
        client.sync(client.limits.prompt)
        time.sleep(0.02)
    client.require_silence()
    _stop(client)


@suite.must("ping", _STATES)
def questions_during_a_search(client: Client) -> None:
    """`display`, `eval` and `query` are answered during a search, for its root."""
    position = after(ASYMMETRIC_GAME)
    client.set_up(position)
    client.send("go infinite", "display", "eval", "query p1turn")
    awaited = {"board", "eval", "response"}
    while awaited:  # in whatever order
        line = client.talk.find(
            lambda line: client.kind_of(line) in awaited, client.limits.prompt, " and ".join(sorted(awaited))
        )
        awaited.remove(str(client.kind_of(line)))
        right = line.startswith("eval") or line in (f"board {position.to_text()}", "response false")
        require(right, f"board {position.to_text()}, response false")
    _stop(client)


@suite.must("ping", _STATES)
def changes_during_an_open_search(client: Client) -> None:
    """Whatever would change the position is `error busy` during an infinite search, and changes nothing."""
    client.set_landmark()
    client.send("go infinite")
    commands = ("setboard startpos", "move pass", "undo", "newgame", "setoption name MultiPV value 2", "go depth 1")
    for command in commands:
        client.send(command)
        line = client.talk.find(lambda line: not line.startswith("info"), client.limits.prompt, "error busy")
        require(line.startswith("error busy "), f"error busy to: {command}")
    _stop(client)
    client.require_landmark()


@suite.must("ping", _STATES)
def changes_wait_for_a_short_search(client: Client) -> None:
    """What comes during a search that ends by itself waits, and is done in order afterwards."""
    client.send("go depth 6", "move d3", "query p1turn", "perft 1")
    lines = client.talk.until("perft depth 1 .*", client.limits.answer, "perft depth 1 nodes 3 ...")
    said = [line.split()[0] for line in lines if client.kind_of(line) not in client.noise]
    require("bestmove" in said and said.index("bestmove") < said.index("perft"), "bestmove before the answer to perft")
    require(" nodes 3 " in lines[-1], "perft depth 1 nodes 3 ..., after d3")


# -- other commands ------------------------------------------------------------------------------------------


@suite.must("other commands", _OTHER)
def perft_counts(client: Client) -> None:
    """`perft 5` counts the rules' positions at every depth."""
    lines = _perft(client, 5)
    for depth, nodes in _PERFT.items():
        require(
            any(line.startswith(f"info perft {depth} nodes {nodes} ") for line in lines), f"nodes {nodes} at {depth}"
        )
    require(lines[-1].startswith("perft depth 5 nodes 1396 "), "perft depth 5 nodes 1396 ... as the last line")


@suite.must("other commands", _OTHER)
def perft_through_a_pass(client: Client) -> None:
    """In `perft` a forced pass is one ply."""
    client.set_landmark()
    require(_perft(client, 2)[-1].startswith("perft depth 2 nodes 2 "), "perft depth 2 nodes 2 ...")


def _perft(client: Client, depth: int) -> list[str]:
    client.send(f"perft {depth}")
    return client.talk.until("perft depth .*", client.limits.answer, f"perft depth {depth} nodes ...")


@suite.must("other commands", _OTHER)
def static_value(client: Client) -> None:
    """`eval` brings one line."""
    client.ask_one("eval", r"eval (?:cp|raw) -?\d+")


@suite.must("other commands", _UGI)
def queries(client: Client) -> None:
    """`query` answers in two words: whose turn, whether it is over, who won."""
    client.ask_one("query p1turn", "response true")
    client.ask_one("query gameover", "response false")
    client.ask_one("query result", "response none")
    client.set_landmark()
    client.ask_one("query p1turn", "response true")


@suite.should("other commands", _OTHER)
def help_is_free_text(client: Client) -> None:
    """`help`, `debug on` and `debug off` print only `info string` lines."""
    client.send("help", "debug on", "debug off")
    lines = client.sync()
    require(all(line.startswith("info string") for line in lines), "only info string lines")
    require(bool(lines), "some help")


# -- bad input -----------------------------------------------------------------------------------------------


@suite.must("bad input", _ERRORS)
def unknown_command(client: Client) -> None:
    """An unknown command is one error that names it."""
    for word in ("frobnicate", "GOO", "readyok", "bestmove", "--help"):
        client.refused(word, "unknown-command", word)


@suite.must("bad input", _ERRORS)
def bad_searches(client: Client) -> None:
    """A `go` that is wrong anywhere is one error and starts no search."""
    for limits, code in (
        ("depth", "missing-argument"),
        ("window 5", "missing-argument"),
        ("depth x", "bad-argument"),
        ("nodes -5", "bad-argument"),
        ("dept 3", "bad-argument"),
        ("depth 3 frob", "bad-argument"),
        ("depth 3 depth 4", "bad-argument"),
        ("exact wld", "bad-argument"),
        ("ponder infinite", "bad-argument"),
        ("time 100 btime 100", "bad-argument"),
        ("multipv 0", "bad-argument"),
        ("window 5 5", "bad-argument"),
        ("searchmoves a1", "illegal-move"),
    ):
        client.refused(f"go {limits}", code)
    client.require_silence()


@suite.must("bad input", _ERRORS)
def bad_arguments(client: Client) -> None:
    """A missing or senseless argument is one error."""
    for command, code in (
        ("move", "missing-argument"),
        ("undo x", "bad-argument"),
        ("undo -1", "bad-argument"),
        ("perft", "missing-argument"),
        ("perft many", "bad-argument"),
        ("query", "missing-argument"),
        ("query nothing", "bad-argument"),
        ("debug perhaps", "bad-argument"),
    ):
        client.refused(command, code)
    client.require_board(Position.start())


@suite.must("bad input", _ERRORS)
def long_line_and_binary_have_their_codes(client: Client) -> None:
    """A line above 65,536 bytes is line-too-long, one with control characters bad-encoding."""
    for data, code in ((b"x" * 65_537, "line-too-long"), (b"go\x00depth 1", "bad-encoding")):
        lines = client.provoke(data)
        require(len(lines) == 1 and lines[0].startswith(f"error {code} -"), f"error {code} -")


@suite.must("lines", _WORDS)
def longest_line(client: Client) -> None:
    """A line of 65,536 bytes is read."""
    lines = client.provoke(f"setboard startpos moves {ASYMMETRIC_GAME}".ljust(65_536).encode())
    require(not lines, "silence after a position that is good")
    client.require_board(after(ASYMMETRIC_GAME))


@suite.must("lines", _WORDS)
def blanks_and_tabs(client: Client) -> None:
    """Words may be separated by blanks and tabs, and surrounded by them."""
    client.perform(lambda line: b" \t" + line.replace(b" ", b"\t  ").replace(b"\n", b" \n"))


@suite.must("lines", _WORDS)
def comments_and_blank_lines(client: Client) -> None:
    """Blank lines and lines that begin with `#` are ignored."""
    client.perform(lambda line: b"\n# a comment\n   \n" + line)


@suite.must("lines", _WORDS)
def keywords_in_any_case(client: Client) -> None:
    """Keywords are read in any case."""
    client.ask("SETBOARD StartPos MOVES F5D6")
    client.require_board(after("f5d6"))
    require(client.kind_of(client.ask_one("Query P1Turn", "response true")) == "response", "response true")


@suite.must("output", _OUTPUT)
def few_reports_of_a_trivial_position(client: Client) -> None:
    """A position with six empty squares brings no flood of reports."""
    client.set_up(Position.from_text(SIX_EMPTIES))
    lines = client.go("depth 60").lines
    require(len(lines) < 70, f"fewer than 70 lines, not {len(lines)}")


common.add_to(suite, Client)
common.add_stderr_check(suite, must=False, source=_WORDS)
