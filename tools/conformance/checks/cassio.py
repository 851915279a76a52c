"""Cassio's ENGINE-PROTOCOL: what Cassio reads and asks for, and the commands that came with Edax."""

from __future__ import annotations

import time

from othello_engine.position import Position
from tools.conformance.check import Suite, require
from tools.conformance.checks import common
from tools.conformance.clients.cassio import PREFIX, text_of
from tools.conformance.clients.cassio import CassioClient as Client
from tools.conformance.positions import (
    ASYMMETRIC_GAME,
    BLACK_WINS_GAME,
    LATE_GAME,
    PASS_GAME,
    SIX_EMPTIES,
    SIX_EMPTIES_BEST,
    SIX_EMPTIES_SCORE,
    WIPEOUT_GAME,
    after,
    solve,
)

suite = Suite[Client]()
common.add_first(suite)

_CASSIO, _EDAX = "Cassio", "Edax 4.6, which set the custom"
_MIN_LENGTH = 80
"""Cassio takes a result line for one only if it is longer."""
_POSITION = after(ASYMMETRIC_GAME)
_SIX = Position.from_text(SIX_EMPTIES)
_PING = f"{PREFIX} get-search-infos"


# -- handshake -----------------------------------------------------------------------------------------------


@suite.must("handshake", _CASSIO)
def version(client: Client) -> None:
    """`get-version` brings a version line and ready."""
    lines = client.ask("get-version")
    require(len(lines) == 1 and client.kind_of(lines[0]) == "version", "version: ..., then ready.")


@suite.must("handshake", _CASSIO)
def init(client: Client) -> None:
    """`init` and `new-position` are answered with ready, once."""
    for command in ("init", "new-position"):
        require(not client.ask(command), "ready. and nothing else")
        require(not client.talk.lines_for(client.limits.quiet), "one ready.")


@suite.must("handshake", "Cassio: it sends them as they come to it", fresh=True)
def search_without_init(client: Client) -> None:
    """A search is answered also without `init`."""
    client.send(f"{PREFIX} endgame-search {text_of(_SIX)} -64 64 100")
    lines = client.talk.until(r"ready\.", client.limits.start, "ready.")
    require(bool(client.results(lines)), "a result line before ready.")


# -- midgame -------------------------------------------------------------------------------------------------


@suite.must("midgame", _CASSIO)
def midgame_search(client: Client) -> None:
    """A midgame search ends with one result at least and one ready."""
    client.midgame(_POSITION)
    require(not client.talk.lines_for(client.limits.quiet), "nothing after ready.")


@suite.must("midgame", _CASSIO)
def depth_reaches_what_was_asked(client: Client) -> None:
    """The depth of the result is at least the one asked for."""
    for depth in (1, 2, 5, 8):
        result = client.midgame(_POSITION, depth)
        require(result.depth >= depth, f"depth {depth} or more")


@suite.must("midgame", "Cassio: shorter lines are not read")
def result_lines_are_long(client: Client) -> None:
    """Every result line is longer than 80 characters."""
    for position in (_POSITION, _SIX):
        require(len(client.midgame(position, 1).line) > _MIN_LENGTH, "a line of more than 80 characters")


@suite.must("midgame", _CASSIO)
def line_of_play_is_legal(client: Client) -> None:
    """The line of play is legal, and begins with the move, for black and for white."""
    for position in (Position.start(), _POSITION, after(PASS_GAME).play("pass"), after(LATE_GAME)):
        client.require_line(client.midgame(position, 5), position)


@suite.should("midgame", _EDAX)
def case_tells_the_colour(client: Client) -> None:
    """Black's moves are in upper case, white's in lower case."""
    for position in (Position.start(), _POSITION):
        client.require_cases(client.midgame(position, 4), position)


@suite.must("midgame", _CASSIO)
def bounds_are_in_order(client: Client) -> None:
    """The value lies between the lower and the upper bound, in the window that was asked for or beyond."""
    result = client.midgame(_POSITION, 6)
    require(-64 <= result.lower <= result.upper <= 64, "bounds from -64 to 64")
    low, high = client.midgame(_POSITION, 6, alpha=60, beta=64), client.midgame(_POSITION, 6, alpha=-64, beta=-60)
    require(low.lower <= low.upper, "bounds")
    require(high.lower <= high.upper, "bounds")


@suite.must("midgame", _CASSIO)
def windows_of_reals(client: Client) -> None:
    """A midgame window may be reals, with any number of decimals."""
    for window in ("-64 64", "-64.0 64.0", "-2.35 3.7", "0.00 0.01"):
        client.search(f"midgame-search {text_of(_POSITION)} {window} 4 100", _POSITION)


@suite.must("midgame", _EDAX)
def same_search_again(client: Client) -> None:
    """The same search again brings a result again."""
    for _ in range(3):
        client.midgame(_POSITION, 6)


@suite.must("midgame", _CASSIO)
def position_forms(client: Client) -> None:
    """Blanks before the command are skipped; every position is answered for itself."""
    for position in (_POSITION, Position.start(), _POSITION.swapped()):
        client.search(f"  midgame-search   {text_of(position)}  -64.00  64.00  3  73", position)


# -- endgame -------------------------------------------------------------------------------------------------


@suite.must("endgame", _CASSIO)
def exact_value(client: Client) -> None:
    """An endgame search finds move and value, the value seen from its colour's sign, for black and for white."""
    for position, sign in ((_SIX, 1), (_SIX.recoloured(), -1)):
        result = client.endgame(position)
        require(result.move.lower() == SIX_EMPTIES_BEST, f"move {SIX_EMPTIES_BEST}")
        value = sign * SIX_EMPTIES_SCORE
        require(result.lower == result.upper == value, f"{'BW'[sign < 0]}+12.00 <= v <= {'BW'[sign < 0]}+12.00")
        require(result.precision == 100, "@100%")
        require(result.depth >= position.n_empties, f"depth {position.n_empties} or more")


@suite.must("endgame", _CASSIO)
def endgame_line_is_legal(client: Client) -> None:
    """The line of play of a solve is legal, passes written as `pa` or left out."""
    for position in (_SIX, _SIX.recoloured(), after(LATE_GAME)):
        client.require_line(client.endgame(position), position)


@suite.must("endgame", "Cassio asks so for win, loss or draw")
def win_or_loss(client: Client) -> None:
    """With the window -1 1 the bounds tell the winner, and hold the true value."""
    for position, score in ((_SIX, SIX_EMPTIES_SCORE), (after(LATE_GAME), solve(after(LATE_GAME)))):
        result = client.endgame(position, alpha=-1, beta=1)
        require(result.lower <= score <= result.upper, f"bounds that hold {score}, seen from black")
        require(result.lower > 0 or result.upper < 0, "bounds on one side of 0")


@suite.must("endgame", _CASSIO)
def value_outside_the_window(client: Client) -> None:
    """A value outside the window brings a bound that is true."""
    for alpha, beta in ((20, 30), (-30, -20)):
        result = client.endgame(_SIX, alpha=alpha, beta=beta)
        require(result.lower <= SIX_EMPTIES_SCORE <= result.upper, f"bounds that hold {SIX_EMPTIES_SCORE}")
        told = result.upper <= alpha if alpha > 0 else result.lower >= beta
        require(told, f"a value of {alpha} at most" if alpha > 0 else f"a value of {beta} at least")


@suite.should("endgame", _CASSIO)
def precision_is_reached(client: Client) -> None:
    """The confidence of the result is at least the one asked for."""
    for precision in (73, 95, 100):
        result = client.endgame(after(LATE_GAME), precision)
        require(result.precision >= precision, f"@{precision}% or more")


# -- passes, game over ---------------------------------------------------------------------------------------


@suite.must("passes", _CASSIO)
def search_where_a_pass_is_forced(client: Client) -> None:
    """A position in which a pass is forced is answered; the line of play is legal behind the pass."""
    position = after(PASS_GAME)
    result = client.midgame(position, 4)
    moves = [move.lower() for move in result.pv if move.lower() != "pa"]
    require(not moves or moves[0] in ("b4", "d6"), "a line of play that begins with b4 or d6, a pass before it")


@suite.must("game over", "Cassio takes four ready without a result for an error")
def search_of_a_finished_game(client: Client) -> None:
    """A finished position is answered with ready, and does no harm."""
    for game in (WIPEOUT_GAME, BLACK_WINS_GAME):
        client.ask(f"midgame-search {text_of(after(game))} -64.00 64.00 4 100")
        client.ask(f"endgame-search {text_of(after(game))} -64 64 100")
    client.require_landmark()


@suite.should("game over", "Cassio takes four ready without a result for an error")
def result_of_a_finished_game(client: Client) -> None:
    """A finished position brings a result line that is long enough, as every other does."""
    for game in (WIPEOUT_GAME, BLACK_WINS_GAME):
        position = after(game)
        lines = client.ask(f"endgame-search {text_of(position)} -64 64 100")
        told = [line for line in lines if line.startswith(text_of(position)) and len(line) > _MIN_LENGTH]
        require(bool(told), "a result line before ready.")


# -- hash ----------------------------------------------------------------------------------------------------


@suite.must("hash", _CASSIO)
def feeding_is_silent(client: Client) -> None:
    """`feed-hash` and `empty-hash` are not answered at all."""
    client.send(f"{PREFIX} feed-hash {text_of(_SIX)} 12.00 12.00 15 100 a3c2a1", f"{PREFIX} empty-hash")
    client.send(f"{PREFIX} feed-hash {text_of(_POSITION)} -2.00 6.00 18 100 ??")
    require(not client.talk.lines_for(client.limits.quiet), "silence")
    require(not client.sync(), "silence")


@suite.must("hash", _EDAX)
def bad_feeding_is_one_error(client: Client) -> None:
    """A bad `feed-hash` is one error at most, without ready, and no result is wrong afterwards."""
    for arguments in ("", "XO", f"{text_of(_SIX)} x 12 15 100 a3", f"{text_of(_SIX)} 12 12 15 100 a1a1a1"):
        client.send(f"{PREFIX} feed-hash {arguments}".rstrip())
        lines = [line for line in client.sync() if client.kind_of(line) not in client.noise]
        require(len(lines) <= 1 and all(client.kind_of(line) == "error" for line in lines), "one error, no ready.")
    client.require_landmark()


@suite.must("hash", _EDAX)
def emptied_hash_gives_the_same(client: Client) -> None:
    """After `empty-hash` and `new-position` the exact value is the same."""
    for command in ("empty-hash", "new-position"):
        client.send(f"{PREFIX} {command}")
        client.sync()
        client.require_landmark()


# -- liveness ------------------------------------------------------------------------------------------------


@suite.must("ping", _EDAX)
def infos_while_idle(client: Client) -> None:
    """`get-search-infos` while idle brings ready."""
    require(not client.ask("get-search-infos"), "ready. and nothing else")


@suite.must("ping", _CASSIO)
def empty_line_while_idle(client: Client) -> None:
    """An empty line while idle brings ready."""
    client.send("")
    require(client.talk.next_line(client.limits.prompt, "ready.") == "ready.", "ready.")
    require(not client.talk.lines_for(client.limits.quiet), "one ready.")


@suite.must("ping", "Cassio: 30 s without a line is a dead engine")
def infos_during_a_search(client: Client) -> None:
    """`get-search-infos` during a search brings the nodes and the time, at once, every time."""
    client.send(*client.long_search)
    nodes = []
    for _ in range(4):
        time.sleep(client.limits.quiet)
        client.send(_PING)
        line = client.talk.find(lambda line: client.kind_of(line) != "result", client.limits.prompt, "node N, time T")
        require(client.kind_of(line) == "infos", "node N, time T")
        nodes.append(int(line.split()[1].rstrip(",")))
    client.ask("stop", client.limits.prompt)
    require(nodes == sorted(nodes) and nodes[-1] > nodes[0], "nodes that grow")


@suite.must("ping", _CASSIO)
def empty_line_during_a_search(client: Client) -> None:
    """An empty line during a search brings ok, at once."""
    client.send(*client.long_search)
    client.talk.lines_for(client.limits.quiet)
    for _ in range(3):
        client.send("")
        line = client.talk.find(lambda line: client.kind_of(line) != "result", client.limits.prompt, "ok.")
        require(line == "ok.", "ok.")
    client.ask("stop", client.limits.prompt)


# -- stop ----------------------------------------------------------------------------------------------------


@suite.must("stop", _CASSIO)
def stop_while_idle(client: Client) -> None:
    """`stop` while idle brings ready, once, and ends no later search."""
    require(not client.ask("stop"), "ready. and nothing else")
    require(not client.talk.lines_for(client.limits.quiet), "one ready.")
    client.require_landmark()


@suite.must("stop", _CASSIO)
def stop_ends_a_search(client: Client) -> None:
    """`stop` ends a search at once, with one ready."""
    client.send(*client.long_search)
    client.talk.lines_for(2 * client.limits.quiet)
    client.ask("stop", client.limits.prompt)
    require(not client.talk.lines_for(client.limits.quiet), "one ready.")


@suite.must("stop", _EDAX)
def stop_drops_what_waits(client: Client) -> None:
    """`stop` drops searches that wait: one ready for all."""
    client.send(*client.long_search * 3)
    client.talk.lines_for(client.limits.quiet)
    client.ask("stop", client.limits.prompt)
    lines = client.talk.lines_for(3 * client.limits.quiet)
    require(not lines, "nothing after ready.")
    client.require_landmark()


@suite.must("stop", "one request, one answer")
def many_stops(client: Client) -> None:
    """Searches that are stopped after short times leave the next answers right."""
    for i in range(20):
        client.send(*client.long_search)
        client.talk.lines_for(0.004 * (i % 6))
        client.ask("stop", client.limits.prompt)
    client.sync()
    client.require_landmark()


@suite.must("stop", _EDAX)
def searches_wait_for_each_other(client: Client) -> None:
    """Two searches in one write are done one after the other, each with its result and its ready."""
    positions = (_SIX, after(LATE_GAME))
    client.send(*(f"{PREFIX} endgame-search {text_of(position)} -64 64 100" for position in positions))
    for position in positions:
        lines = client.talk.until(r"ready\.", client.limits.answer, "ready.")
        results = client.results(lines)
        require(bool(results), "a result line before ready.")
        require(results[-1].position == text_of(position), "the searches in order")
        require(results[-1].lower == solve(position), f"B{solve(position):+d} or the like")


# -- bad input -----------------------------------------------------------------------------------------------


@suite.must("bad input", _EDAX)
def unknown_command(client: Client) -> None:
    """An unknown command is an error, then ready."""
    for command in ("frobnicate", "frobnicate 1 2 3"):
        lines = client.ask(command)
        require(len(lines) == 1 and client.kind_of(lines[0]) == "error", "ERROR: ..., then ready.")
    require(not client.talk.lines_for(client.limits.quiet), "one ready.")


@suite.must("bad input", _EDAX)
def other_first_words(client: Client) -> None:
    """A line without ENGINE-PROTOCOL is an error without ready."""
    for line in ("hello", "engine-protocol init", "ENGINE-PROTOCOLS init"):
        client.send(line)
        told = client.talk.next_line(client.limits.answer, "ERROR: ...")
        require(client.kind_of(told) == "error", "ERROR: ...")
        require(not client.talk.lines_for(client.limits.quiet), "no ready.")


@suite.must("bad input", _EDAX)
def bad_searches(client: Client) -> None:
    """A search with a position or a number that can't be read is an error, then ready; nothing is searched."""
    good = text_of(_POSITION)
    for command in (
        "midgame-search",
        "midgame-search XO -64 64 4 100",
        f"midgame-search {good[:30]}?{good[31:]} -64 64 4 100",
        f"midgame-search {good} x 64 4 100",
        f"midgame-search {good} -64 x 4 100",
        f"midgame-search {good} -64 64 x 100",
        f"midgame-search {good} -64 64 4 x",
        f"midgame-search {good} -64 64",
        f"endgame-search {good[:64]} -64 64 100",
        f"endgame-search {text_of(_SIX)} -64 x 100",
        f"endgame-search {text_of(_SIX)} -64 64",
    ):
        lines = client.ask(command)
        require(not client.results(lines), f"nothing searched by: {command}")
        require(len(lines) == 1 and client.kind_of(lines[0]) == "error", f"ERROR: ..., then ready., to: {command}")
    require(not client.talk.lines_for(client.limits.quiet), "one ready. each")
    client.require_landmark()


@suite.should("bad input", _EDAX)
def case_of_the_command(client: Client) -> None:
    """The command word is read in any case."""
    require(not client.ask("INIT"), "ready. and nothing else")


@suite.must("lines", _CASSIO)
def blanks_and_tabs(client: Client) -> None:
    """Words may be separated by tabs and several blanks."""
    client.perform(lambda line: line.replace(b" ", b" \t ").replace(b"\n", b" \n"))


@suite.must("end", _EDAX, fresh=True)
def quit_says_goodbye(client: Client) -> None:
    """`quit` says `bye bye.` and ends, also during a search."""
    client.greet()
    client.send(*client.long_search)
    client.talk.lines_for(client.limits.quiet)
    client.send(client.quit_line)
    lines = client.talk.lines_to_end(client.limits.exit)
    require(lines[-1:] == ["bye bye."], "bye bye. as the last line")
    require(client.talk.exit_status(client.limits.exit) == 0, "exit status 0")


common.add_to(suite, Client)
