"""NBoard, versions 1 and 2: the specification, and what its GUI does with the answers."""

from __future__ import annotations

import re
import time

from othello_engine.position import Position
from tools.conformance.check import CheckFailed, CheckSkipped, Suite, require
from tools.conformance.checks import common
from tools.conformance.clients.nboard import DEFAULT_DEPTH, LONG_DEPTH, ggf
from tools.conformance.clients.nboard import NBoardClient as Client
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
    solve,
)

suite = Suite[Client]()
common.add_first(suite)

_SPEC, _GUI, _DRIVER = "NBoard specification", "NBoard GUI", "NBoard GUI: it pings before every request"
_ROUNDS = 20
_CLOCK_SLACK_S = 0.7
"""Allowed above a clock: the wire, and a busy machine."""
_MEASURABLE_S = 0.25
"""A search that takes longer shows whether the engine tells its time."""
_AFTER_PASS = after(PASS_GAME).play("pass")


# -- handshake -----------------------------------------------------------------------------------------------


@suite.must("handshake", _SPEC, fresh=True)
def ping_is_answered_first(client: Client) -> None:
    """`ping` is answered before any game or depth was set."""
    client.send("nboard 2")
    client.sync(client.limits.start)


@suite.must("handshake", _SPEC)
def any_version_is_accepted(client: Client) -> None:
    """`nboard N` is accepted for versions 1, 2 and later ones, in silence."""
    for version in (1, 2, 3):
        client.send(f"nboard {version}")
        require(not _told(client, client.sync()), "no output but `set myname` or status")
    client.require_at(Position.start())


@suite.should(
    "handshake", "NBoard specification: an engine may rely on all three, a robust one has defaults", fresh=True
)
def defaults_for_depth_and_game(client: Client) -> None:
    """`go` without depth and game plays from the start."""
    client.send("nboard 2")
    client.sync(client.limits.start)
    require(client.go(client.limits.start) in legal(Position.start()), "=== and a legal move")


@suite.should("handshake", _GUI)
def name_is_told(client: Client) -> None:
    """The engine tells its name with `set myname`, one word, at the start or when the depth is set."""
    client.send("nboard 2", f"set depth {DEFAULT_DEPTH + 1}")
    client.sync()
    told = [line.decode("utf-8", "replace") for talk in client.history for line in talk.printed]
    require(any(client.kind_of(line) == "name" for line in told), "set myname NAME, without blanks")


@suite.must("handshake", f"{_GUI}: any other `set` is an error window")
def nothing_but_the_name_is_set(client: Client) -> None:
    """The engine sends no `set` other than `set myname`."""
    client.send("set depth 2")
    client.sync()
    told = [line.decode("utf-8", "replace") for talk in client.history for line in talk.printed]
    bad = [line for line in told if re.match(r"set\b", line) and client.kind_of(line) != "name"]
    if bad:
        raise CheckFailed("only `set myname NAME`", tuple(f"< {line}" for line in bad[:3]))


# -- options -------------------------------------------------------------------------------------------------


@suite.must("options", _SPEC)
def contempt_is_silent(client: Client) -> None:
    """`set contempt` is taken in silence."""
    for value in (100, -100, 0):
        client.send(f"set contempt {value}")
        require(not _told(client, client.sync()), "no output but status")
    client.require_at(Position.start())


@suite.must("options", _SPEC)
def depth_of_any_size(client: Client) -> None:
    """`set depth` takes any number from 1 to 60, and a larger one does no harm."""
    client.set_landmark()
    for depth in (1, 12, 60, 100):
        client.send(f"set depth {depth}")
        require(not _told(client, client.sync()), "no output but status and `set myname`")
        client.send(f"set depth {DEFAULT_DEPTH}")
        client.require_landmark()


@suite.must("options", "NBoard specification: unknown commands are ignored")
def unknown_setting_is_ignored(client: Client) -> None:
    """`set` with an unknown name is ignored."""
    client.set_landmark()
    for line in ("set frobnication 3", "set", "set depth", "set depth many", "set depth -3", "set contempt x"):
        client.require_complaint(client.provoke(line.encode()), line)
    client.require_landmark()


# -- games ---------------------------------------------------------------------------------------------------


@suite.must("games", _SPEC)
def game_is_replaced(client: Client) -> None:
    """`set game` replaces the whole game."""
    for moves in (PASS_GAME, "", SINGLE_MOVE_GAME, ASYMMETRIC_GAME):
        client.set_game(moves)
        client.require_at(after(moves))


@suite.must("games", _SPEC)
def set_game_is_silent(client: Client) -> None:
    """`set game` answers nothing but status."""
    client.send(f"set game {ggf(ASYMMETRIC_GAME)}")
    require(not _told(client, client.sync()), "no output but status")


@suite.must("games", _GUI)
def values_and_times_in_games(client: Client) -> None:
    """Moves in a game may carry values and times: `B[F5//2.45]`, `W[D6/0.50]`, `B[C3/-1.00/1.2]`."""
    for seconds in ("//2.45", "/0.50", "/-1.00/1.2", "/1.00,-1.00/3"):
        client.set_game(PASS_GAME, seconds=seconds)
        client.require_landmark()


@suite.must("games", "GGF")
def clocks_in_games(client: Client) -> None:
    """Every form of clock is read: main time, increment, extension, days and hours, one for each player."""
    for clock in ("TI[15]", "TI[5:00]", "TI[1:05:00]", "TI[1.0:05:00/0:10]", "TI[5:00//2:00]", "TB[5:00]TW[0:30]", ""):
        client.set_game(PASS_GAME, clock=clock)
        client.require_landmark()


@suite.must("games", "GGF")
def start_positions_in_games(client: Client) -> None:
    """A game may start anywhere: another position, white first, blanks between the rows."""
    client.set_board(Position.from_text(SIX_EMPTIES))
    require(client.go() in legal(Position.from_text(SIX_EMPTIES)), "=== and a legal move")
    client.set_board(_AFTER_PASS)
    client.require_at(_AFTER_PASS)
    spaced = re.sub(r"(?<=\[8 )\S{64}", lambda found: " ".join(re.findall(".{8}", found[0])), ggf(start=_AFTER_PASS))
    client.set_game()
    client.send(f"set game {spaced}")
    client.sync()
    client.require_at(_AFTER_PASS)


@suite.should("games", "GGF")
def other_ways_to_write_a_game(client: Client) -> None:
    """Lower-case moves, unknown tags, and a count of games before it are read."""
    game = ggf(PASS_GAME)
    lower = re.sub(r"(?<=[BW]\[)(\w\d)", lambda found: found[0].lower(), game)
    for text in (lower, game.replace("RE[?]", "RE[?]DT[2026-01-05 10:00:00 GMT]RB[1800.50]ZZ[x]"), f"1 {game}"):
        client.set_game()
        client.send(f"set game {text}")
        client.sync()
        client.require_landmark()


@suite.must("games", "one command, one effect")
def bad_game_changes_nothing(client: Client) -> None:
    """A game that is wrong anywhere leaves the old one, whole."""
    client.set_landmark()
    good = ggf(ASYMMETRIC_GAME)
    squares = Position.start().to_text().replace("X", "*").split()[0]
    for text in (
        ggf("f5d6").replace("W[D6]", "W[E3]"),
        good.replace(squares, squares[:-1]),
        good.replace(squares, squares[:20] + "?" + squares[21:]),
        ggf("f5").replace("B[F5]", "B[F5]W[PA]"),
        ggf("f5").replace("B[F5]", "B[Z9]"),
        "(;GM[Othello]",
        "nothing of the kind",
        "",
    ):
        client.require_complaint(client.provoke(f"set game {text}".encode()), "a bad game")
        client.require_landmark()


@suite.must("games", _SPEC)
def moves_are_added(client: Client) -> None:
    """`move` adds a move, silently, with or without value and time."""
    for first in ("D3", "d3", "D3/-1.25", "D3/-1.25/3.5", "D3//3.5", "D3/0.00,0.00/1"):
        client.set_game()
        require(not _told(client, client.move(first)), "no output but status")
        position = after("d3")
        for move in re.findall("..", PASS_GAME)[1:]:
            client.send(f"move {move.upper()}")
            position = position.play(move)
        client.sync()
        client.require_landmark()


@suite.must("games", "NBoard GUI; illegal input changes nothing")
def illegal_move_changes_nothing(client: Client) -> None:
    """An illegal move is ignored, with one line of status at most."""
    client.set_landmark()
    for move in ("A1", "D4", "B4", "Z9", "D", "", "/1.0", "B4B4"):
        client.require_complaint(client.provoke(f"move {move}".encode()), f"move {move}")
        client.require_landmark()


# -- search --------------------------------------------------------------------------------------------------


@suite.must("search", _SPEC)
def go_answers_once(client: Client) -> None:
    """`go` brings exactly one `===`, with a legal move."""
    client.require_at(Position.start())
    lines = client.talk.lines_for(client.limits.quiet) + client.sync()
    require(not client.finals(lines), "no second ===")


@suite.should("search", f"{_SPEC}: MOVE/EVAL/TIME")
def answer_has_slashes(client: Client) -> None:
    """The answer is `=== MOVE`, `=== MOVE/EVAL` or `=== MOVE/EVAL/TIME`, with slashes."""
    for game in ("", PASS_GAME, LATE_GAME):
        client.set_game(game)
        client.send("go")
        line = client.talk.until(client.final, client.limits.answer, "=== MOVE")[-1]
        require(client.kind_of(line) == "move" and line.startswith("=== "), "=== MOVE/EVAL/TIME")


@suite.must("search", f"{_SPEC}: the engine waits for `move`")
def go_changes_nothing(client: Client) -> None:
    """`go` does not play its move: the next `go` is for the same position, until `move` comes."""
    client.set_game(SINGLE_MOVE_GAME)
    for _ in range(2):
        require(client.go() == "c6", "=== C6")
        client.sync()
    client.move("C6/0.50/0.01")
    client.require_at(after(SINGLE_MOVE_GAME + "c6"))


@suite.must("search", _SPEC)
def hint_values_moves(client: Client) -> None:
    """`hint N` brings values of legal moves, and leaves the position."""
    client.set_game(ASYMMETRIC_GAME)
    for hint in client.hint(2):
        require(hint.move in legal(after(ASYMMETRIC_GAME)), "a PV that begins with a legal move")
    client.require_at(after(ASYMMETRIC_GAME))


@suite.must("search", f"{_GUI}: malformed ones are an error window")
def hint_lines_are_well_formed(client: Client) -> None:
    """Hints are `search PV EVAL 0 DEPTH`: no blanks in a field, a literal 0, a depth that begins with a number."""
    client.set_game(ASYMMETRIC_GAME)
    client.send("hint 3")
    lines = client.talk.lines_for(3 * client.limits.quiet) + client.sync()
    searches = [line for line in lines if re.match("search|book", line)]
    require(bool(searches), "search ...")
    for line in searches:
        require(client.kind_of(line) == "search", "search PV EVAL 0 DEPTH")
        require(line.startswith("book") or line.split()[3] == "0", "0 as the third field of search")


@suite.should("search", f"{_GUI}: rows of an older depth are dropped")
def hint_brings_all_moves_of_a_depth(client: Client) -> None:
    """`hint N` brings the N best moves at the last depth, and no more than there are."""
    for game, n_asked in (("", 3), (PASS_GAME + "pa", 5), (SINGLE_MOVE_GAME, 2)):
        client.set_game(game)
        hints = client.hint(n_asked)
        deepest = max(hint.plies for hint in hints)
        moves = {hint.move for hint in hints if hint.plies == deepest}
        n_due = min(n_asked, len(legal(after(game))))
        require(len(moves) == n_due, f"{n_due} different moves at the last depth")


@suite.must("search", _SPEC)
def hint_of_an_endgame_is_right(client: Client) -> None:
    """With six empty squares the hint is the best move with its exact score, for the side to move."""
    position = Position.from_text(SIX_EMPTIES)
    client.send("set depth 12")
    for asked in (position, position.recoloured()):
        client.set_board(asked)
        best = client.hint(1)[-1]
        require(best.move == SIX_EMPTIES_BEST and best.value == SIX_EMPTIES_SCORE, "A3, 12.00")


@suite.should("search", _GUI)
def exact_result_says_so(client: Client) -> None:
    """A proved result has the depth `100%`."""
    client.send("set depth 12")
    client.set_board(Position.from_text(SIX_EMPTIES))
    require(client.hint(1)[-1].depth == "100%", "100% as depth")


@suite.should("search", _GUI)
def midgame_depth_has_no_percent(client: Client) -> None:
    """A midgame hint has no `%` in its depth: the GUI would show it as a probable solve."""
    client.set_game(ASYMMETRIC_GAME)
    require(all("%" not in hint.depth for hint in client.hint(2)), "plies alone as depth")


@suite.should("search", f"{_SPEC}: decimal discs")
def values_have_decimals(client: Client) -> None:
    """Values are in discs with decimals."""
    client.set_game(ASYMMETRIC_GAME)
    client.send("hint 1")
    lines = client.talk.lines_for(3 * client.limits.quiet) + client.sync()
    values = [line.split()[2] for line in lines if client.kind_of(line) == "search"]
    require(bool(values) and all("." in value for value in values), "EVAL with decimals, as -0.35")


@suite.should("search", f"{_SPEC}, version 2")
def nodestats_come(client: Client) -> None:
    """A search is followed or accompanied by `nodestats NODES SECONDS`."""
    client.set_game(ASYMMETRIC_GAME)
    client.send("hint 1")
    lines = client.talk.lines_for(3 * client.limits.quiet) + client.sync()
    stats = [line for line in lines if line.startswith("nodestats")]
    require(bool(stats) and client.kind_of(stats[-1]) == "nodestats", "nodestats NODES SECONDS")


@suite.should("search", f"{_SPEC}, version 2")
def nodestats_tell_the_time(client: Client) -> None:
    """The seconds of `nodestats` are those since the request."""
    attempts = [(depth, "TI[15:00]") for depth in range(8, 32, 4)] + [(LONG_DEPTH, "TI[1:00]")]
    for i, (depth, clock) in enumerate(attempts):
        client.send(f"set depth {depth}")
        client.set_game(LATE_GAME[: 16 + 2 * i], clock=clock)  # each at another position, for the table's sake
        start = time.perf_counter()
        client.send("go")
        lines = client.talk.until(client.final, client.limits.answer, "=== MOVE")
        seconds = time.perf_counter() - start
        lines += client.talk.lines_for(client.limits.quiet)
        stats = [line for line in lines if client.kind_of(line) == "nodestats"]
        if not stats:
            raise CheckSkipped("there are no nodestats")
        if seconds > _MEASURABLE_S:
            told = float(stats[-1].split()[2])
            require(abs(told - seconds) < 0.2 + 0.3 * seconds, f"about {seconds:.2f} as the seconds of nodestats")
            return
    raise CheckSkipped("no search took long enough")


# -- passes, game over ---------------------------------------------------------------------------------------


@suite.must("passes", _SPEC)
def go_passes(client: Client) -> None:
    """`go` answers a forced pass with a pass."""
    client.set_landmark()
    require(client.go() == "pass", "=== PA")


@suite.should("passes", "a forced move needs no thought")
def go_passes_at_once(client: Client) -> None:
    """A forced pass and a single legal move are answered at once, whatever the depth."""
    client.send(f"set depth {LONG_DEPTH}")
    for game in (PASS_GAME, SINGLE_MOVE_GAME):
        client.set_game(game)
        require(client.go(client.limits.prompt) in legal(after(game)), "=== MOVE at once")


@suite.must("passes", _SPEC)
def pass_is_a_move(client: Client) -> None:
    """`move PA` makes the pass; the other side is to move then."""
    for text in ("PA", "PA//0.00", "PA/0.00/0.5"):
        client.set_landmark()
        require(not _told(client, client.move(text)), "no output but status")
        client.require_at(_AFTER_PASS)


@suite.should("passes", f"{_GUI}: it reads them all")
def pass_in_other_spellings(client: Client) -> None:
    """A pass is also read as `pa`, `PASS` and `--`."""
    for text in ("pa", "PASS", "--"):
        client.set_landmark()
        client.move(text)
        client.require_at(_AFTER_PASS)


@suite.must("passes", _SPEC)
def pass_at_the_end_of_a_game(client: Client) -> None:
    """A pass that ends the moves of `set game` counts."""
    client.set_game(PASS_GAME + "pa")
    client.require_at(_AFTER_PASS)


@suite.must("passes", "rules")
def pass_that_is_not_forced(client: Client) -> None:
    """A pass is ignored while there is a move."""
    client.require_complaint(client.move("PA"), "move PA")
    client.require_at(Position.start())


@suite.must("passes", f"{_SPEC}; {_GUI}")
def hint_of_a_forced_pass(client: Client) -> None:
    """`hint` where a pass is forced brings a line with PA or none, and no move."""
    client.set_landmark()
    client.send("hint 2")
    lines = client.talk.lines_for(2 * client.limits.quiet) + client.sync()
    require(all(hint.move == "pass" for hint in client.read_hints(lines)), "no hint but PA")
    client.require_landmark()


@suite.must("game over", "rules")
def finished_games(client: Client) -> None:
    """`go` and `hint` in a finished game bring no move of a square, and do no harm."""
    for game in (WIPEOUT_GAME, BLACK_WINS_GAME, EMPTIES_LEFT_GAME):
        client.set_game(game)
        client.send("go", "hint 2")
        lines = client.talk.lines_for(2 * client.limits.quiet) + client.sync()
        require(not any(re.match(r"===\s*[A-Ha-h][1-8]", line) for line in lines), "no move")
        require(not any(hint.move[1] in "12345678" for hint in client.read_hints(lines)), "no hint of a square")
    client.set_board(Position.from_text(OVER_BOARD))
    client.set_landmark()
    client.require_landmark()


# -- interruption --------------------------------------------------------------------------------------------


@suite.must("ping", _SPEC)
def ping_ends_a_hint(client: Client) -> None:
    """`ping` ends an endless hint at once."""
    client.send(*client.long_search)
    client.talk.lines_for(2 * client.limits.quiet)
    client.sync(client.limits.prompt)


@suite.must("ping", _SPEC)
def nothing_old_after_the_pong(client: Client) -> None:
    """After the pong nothing of an interrupted request comes any more."""
    for request in ("hint 2", "go", "analyze"):
        client.send(f"set depth {LONG_DEPTH}")
        client.set_game(ASYMMETRIC_GAME)
        client.send(request)
        client.talk.lines_for(client.limits.quiet)
        client.sync(client.limits.prompt)
        require(not _told(client, client.talk.lines_for(2 * client.limits.quiet)), f"nothing of `{request}` after pong")


@suite.should("ping", f"{_SPEC}; the GUI throws it away")
def interrupted_go_gives_no_move(client: Client) -> None:
    """A `go` that was interrupted prints no `===`."""
    client.send(f"set depth {LONG_DEPTH}")
    client.set_game(ASYMMETRIC_GAME)
    client.send("go")
    early = client.talk.lines_for(2 * client.limits.quiet)
    if client.finals(early):
        raise CheckSkipped("it moved before it could be interrupted")
    require(not client.finals(client.sync(client.limits.prompt)), "pong, and no === before it")


@suite.must("ping", _SPEC)
def pong_has_the_number(client: Client) -> None:
    """Every ping is answered once, in order, with its number."""
    numbers = (7, 0, 1_000_000, 8)
    client.send(*(f"ping {number}" for number in numbers))
    lines = [line for line in client.sync() if line.startswith("pong")]
    require(lines == [f"pong {number}" for number in numbers], f"pong {', '.join(map(str, numbers))}")


@suite.must("ping", _DRIVER)
def new_game_during_a_search(client: Client) -> None:
    """State commands during a search are for the request behind the ping; the old one is given up."""
    for request in ("hint 1", "go"):
        client.send(f"set depth {LONG_DEPTH}")
        client.set_game(ASYMMETRIC_GAME)
        client.send(request)
        client.talk.lines_for(client.limits.quiet)
        client.send(f"set game {ggf(PASS_GAME)}", f"set depth {DEFAULT_DEPTH}")
        client.sync(client.limits.prompt)
        client.require_landmark()


@suite.must("ping", _DRIVER)
def move_during_a_search(client: Client) -> None:
    """`move` during a search adds to the game that is being searched."""
    client.send(f"set depth {LONG_DEPTH}")
    client.set_game(PASS_GAME[:-2])
    client.send("hint 1")
    client.talk.lines_for(client.limits.quiet)
    client.send("move C1/0.00/1.0", f"set depth {DEFAULT_DEPTH}")
    client.sync(client.limits.prompt)
    client.require_landmark()


@suite.must("ping", "NBoard GUI: a held arrow key")
def many_interruptions(client: Client) -> None:
    """Requests interrupted after short times leave no output behind and an engine in order."""
    client.send(f"set depth {LONG_DEPTH}")
    games = (ASYMMETRIC_GAME, "", SINGLE_MOVE_GAME, PASS_GAME + "pa")
    for i in range(_ROUNDS):
        game = games[i % len(games)]
        client.send(f"set game {ggf(game)}")
        client.sync(client.limits.prompt)
        client.send("hint 4" if i % 2 else "go")
        lines = client.talk.lines_for(0.003 * (i % 8))
        lines += client.sync(client.limits.prompt)
        for hint in client.read_hints(lines):
            require(hint.move in legal(after(game)), "hints for the game that was set last")
    client.send(f"set depth {DEFAULT_DEPTH}")
    client.set_landmark()
    client.require_landmark()


# -- clocks --------------------------------------------------------------------------------------------------


def _go_on_a_clock(client: Client, allowed_s: float, *, clock: str, seconds: str = "") -> None:
    client.send(f"set depth {LONG_DEPTH}")
    client.set_game(ASYMMETRIC_GAME, clock=clock, seconds=seconds)
    start = time.perf_counter()
    move = client.go(allowed_s + client.limits.answer)
    took = time.perf_counter() - start
    require(move in legal(after(ASYMMETRIC_GAME)), "=== and a legal move")
    require(took <= allowed_s, f"=== within {allowed_s:g} s, not after {took:.1f} s")


@suite.must("clocks", f"{_SPEC}, version 2")
def clock_of_the_game(client: Client) -> None:
    """`go` obeys the clock in the game: two seconds for all moves are not one move's."""
    _go_on_a_clock(client, 2.0, clock="TI[0:02]")


@suite.must("clocks", f"{_SPEC}, version 2")
def clock_of_the_mover(client: Client) -> None:
    """Each player has a clock of its own: TB for black, TW for white."""
    _go_on_a_clock(client, 2.0, clock="TB[15:00]TW[0:02]")


@suite.must("clocks", f"{_SPEC}, version 2")
def time_already_used(client: Client) -> None:
    """The times of the moves made are taken from the clock."""
    _go_on_a_clock(client, 2.0 + _CLOCK_SLACK_S, clock="TI[0:12]", seconds="//5")


@suite.must("clocks", f"{_SPEC}, version 2")
def clock_that_has_run_out(client: Client) -> None:
    """A clock that has run out means an answer at once."""
    _go_on_a_clock(client, client.limits.prompt, clock="TI[0:05//0:00]", seconds="//60")


@suite.must("clocks", f"{_SPEC}: a hint knows no clock, only the depth")
def hint_ends_at_its_depth(client: Client) -> None:
    """A hint goes no deeper than `set depth`, whatever the clock."""
    client.set_game(ASYMMETRIC_GAME, clock="TI[0:00]")
    hints = client.hint(1)
    require(all(hint.plies <= DEFAULT_DEPTH + 1 for hint in hints), f"depths up to {DEFAULT_DEPTH}")


# -- analyze, learn ------------------------------------------------------------------------------------------


@suite.must("analyze", f"{_SPEC}, version 2")
def analysis_of_every_position(client: Client) -> None:
    """`analyze` brings one value for each position of the game, passes counted."""
    client.send("set depth 2")
    client.set_game(BLACK_WINS_GAME)
    client.analysis(len(after_all(BLACK_WINS_GAME)))


@suite.must("analyze", f"{_SPEC}, version 2")
def analysis_of_the_end(client: Client) -> None:
    """The value of a finished position is its result, for the side to move there."""
    client.send("set depth 2")
    for game in (WIPEOUT_GAME, EMPTIES_LEFT_GAME):
        client.set_game(game)
        n_plies = len(after_all(game))
        value = client.analysis(n_plies)[n_plies]
        expected = after(game).final_score
        require(value == expected, f"analysis {n_plies} {expected:.2f}")


@suite.must("analyze", f"{_SPEC}, version 2")
def analysis_of_an_endgame(client: Client) -> None:
    """The values of the last six positions of a game are exact, each for its side to move."""
    client.send("set depth 12")
    position = Position.from_text(SIX_EMPTIES)
    client.send(f"set game {ggf('a3c2a1b1d1', start=position)}")
    client.sync()
    values = client.analysis(5)
    steps = [position, *(reached for _, reached in position.follow("a3c2a1b1d1"))]
    for made, reached in enumerate(steps):
        require(values[made] == solve(reached), f"analysis {made} {solve(reached):.2f}")


@suite.must("learn", _SPEC)
def learn_ends_with_learned(client: Client) -> None:
    """`learn` ends with `learned`."""
    client.send("set depth 1")
    client.set_game(WIPEOUT_GAME)
    client.send("learn")
    client.talk.until("learned", client.limits.answer, "learned")
    client.set_landmark()
    client.require_landmark()


# -- bad input -----------------------------------------------------------------------------------------------


@suite.must("bad input", f"{_SPEC}: unknown commands are ignored")
def unknown_commands_are_ignored(client: Client) -> None:
    """Unknown commands bring no output but status."""
    client.set_landmark()
    for line in ("frobnicate", "zzmove B4", "go!", "learned", "pong 3", "-"):
        client.require_complaint(client.provoke(line.encode()), line)
    client.require_landmark()


@suite.must("bad input", "programs outlive bad input")
def requests_without_sense(client: Client) -> None:
    """`hint` with a number missing or senseless does no harm."""
    client.set_landmark()
    for line in ("hint", "hint x", "hint -1", "hint 0", "hint 99999999999999999999"):
        client.send(line)
        client.sync()
    client.require_landmark()


@suite.must("lines", _SPEC)
def blank_lines_are_ignored(client: Client) -> None:
    """Blank lines are ignored."""
    client.perform(lambda line: b"\n  \n" + line)


def _told(client: Client, lines: list[str]) -> list[str]:
    """Lines that say something: no status, no name, and none that the GUI skips."""
    return [line for line in lines if client.kind_of(line) not in ("status", "name", None)]


def after_all(moves: str) -> list[Position]:
    """The positions behind each move of a transcript, passes included."""
    return [reached for _, reached in Position.start().follow(moves)]


common.add_to(suite, Client)
common.add_stderr_check(suite, must=True, source=f"{_GUI}: it reads stderr as output")
