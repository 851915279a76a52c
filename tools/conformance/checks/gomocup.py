"""The protocol of Gomocup and piskvork as managers rely on it, and what Yixin-Board usually adds to it."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

from tools.conformance.check import CheckFailed, CheckSkipped, Suite, require
from tools.conformance.checks import common
from tools.conformance.clients.gomocup import (
    DEAD,
    LANDMARK,
    OPPONENT,
    OWN,
    SIZE,
    UNLIMITED,
    GomocupClient,
    Point,
    board_lines,
)
from tools.conformance.talk import Talk

suite: Suite[GomocupClient] = Suite()
Client = GomocupClient

_SPEC = "Gomocup protocol"
_JUDGE = "Gomocup judge"
_YIXIN = "Yixin-Board"
_WIRE_S = 0.05
"""What a line on its way, and a busy machine, may add to a time."""
_INSTANT_S = 0.05
_STOP_S = 0.05
_END_S = 0.5
_SUSPENDED_S = 5.0
_N_MOVES = 200
_SHORT_MS = 40
_MEMORY = 367_001_600
"""The usual limit of tournaments, 350 MiB."""
_GAME_MS = 1_000

common.add_first(suite)


# -- handshake -----------------------------------------------------------------------------------------------


@suite.must("handshake", _SPEC, fresh=True)
def about_before_start(client: Client) -> None:
    """`ABOUT` is answered by one line with the engine's name, before anything else is said."""
    client.send("ABOUT")
    line = client.answer(client.grammar["about"].pattern, client.limits.start)
    require(re.search(r'\bname ?= ?"[^"]+"', line) is not None, 'name="..." in the line')
    require(not client.talk.lines_for(client.limits.quiet), "one line")


@suite.should("handshake", "qpiskvork takes other letters for answers", fresh=True)
def about_begins_with_the_name(client: Client) -> None:
    """The answer to `ABOUT` begins with `name=`."""
    client.send("ABOUT")
    client.answer("name ?=.*", client.limits.start)


@suite.must("handshake", "managers compare the whole line", fresh=True)
def start_is_answered_by_ok(client: Client) -> None:
    """`START 15` is answered by `OK` and nothing else."""
    client.send("START 15")
    client.answer("OK", client.limits.start)
    require(not client.talk.lines_for(client.limits.quiet), "one line")


@suite.must("handshake", "Yixin-Board sends small letters")
def start_in_lower_case(client: Client) -> None:
    """`start 15` is `START 15`."""
    client.done("start 15")


@suite.must("handshake", f"{_SPEC}: CR LF")
def start_with_a_blank_at_its_end(client: Client) -> None:
    """`START 15` with a blank and CR LF behind it is understood."""
    client.talk.send_bytes(b"START 15 \r\n")
    client.answer("OK")


@suite.must("handshake", _JUDGE, fresh=True)
def suspended_at_its_start(client: Client) -> None:
    """A program that is suspended right behind `START` for 5 s makes its first move in the time of a move."""
    start = time.perf_counter()
    client.greet()  # fills whatever cache there is
    slow = time.perf_counter() - start > client.limits.answer
    talk = Talk(client.talk.command, client.talk.directory)
    try:
        other = GomocupClient(talk, client.limits)
        other.send("START 15", "INFO timeout_turn 5000", "INFO timeout_match 100000", "INFO rule 0")
        _signal(talk, signal.SIGSTOP)
        time.sleep(_SUSPENDED_S)
        _signal(talk, signal.SIGCONT)
        sent = talk.send("INFO time_left 100000", *board_lines(()))
        lines = talk.until(other.final, 5.0 + other.limits.answer, "a move")
        seconds = time.perf_counter() - sent
    finally:
        client.talk.events.extend(talk.events)
        talk.close()
    told = [line for line in lines if other.kind_of(line) not in other.noise]
    require(told in (["OK", lines[-1]], [lines[-1]]), "OK and one move")
    require(seconds <= 5.0, f"a move within 5 s, not after {seconds:.2f} s{' (a slow start)' if slow else ''}")


def _signal(talk: Talk, number: int) -> None:
    for pid in talk.processes():
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


# -- sizes ---------------------------------------------------------------------------------------------------


@suite.must("start", _SPEC)
def usual_sizes(client: Client) -> None:
    """Boards of 15 and 20 can be played on."""
    for size in (20, 15):
        client.start(size)
        client.require_free(client.move("BEGIN"), (), size)


@suite.must("start", _SPEC)
def bad_sizes(client: Client) -> None:
    """Sizes without sense are refused, and the program goes on."""
    for text in ("START abc", "START", "START -15", "START 0", "START 4"):
        client.fails(text)
    client.start()
    client.move("BEGIN")


@suite.must("start", "c-gomoku-cli begins every game so")
def start_again(client: Client) -> None:
    """`START` during a game is a new game."""
    move = client.move("TURN 7,9")
    client.start()
    client.require_free(client.move("TURN 7,9"), [(7, 9)])
    client.start()
    client.require_free(client.move(f"TURN {move[0]},{move[1]}"), [move])


@suite.must("start", _SPEC)
def rectangular_boards(client: Client) -> None:
    """`RECTSTART 15,12` is `OK`, `ERROR` or `UNKNOWN`, once."""
    client.send("RECTSTART 15,12")
    client.answer("OK|ERROR .*|UNKNOWN .*")
    told = [line for line in client.sync() if client.kind_of(line) not in client.noise]
    require(not told, "one answer")


# -- moves ---------------------------------------------------------------------------------------------------


@suite.must("moves", _SPEC)
def begin(client: Client) -> None:
    """`BEGIN` is answered by one move."""
    client.require_free(client.move("BEGIN"), ())
    require(not client.talk.lines_for(client.limits.quiet), "one line")


@suite.must("moves", _SPEC)
def several_turns(client: Client) -> None:
    """Every `TURN` is answered by a move on an empty cell; the engine's own moves are counted."""
    taken: list[Point] = []
    for _ in range(8):
        x, y = next((x, y) for y in range(0, SIZE, 2) for x in range(0, SIZE, 3) if (x, y) not in taken)
        taken.append((x, y))
        move = client.move(f"TURN {x},{y}")
        client.require_free(move, taken)
        taken.append(move)


@suite.must("moves", _SPEC, fresh=True)
def turn_before_start(client: Client) -> None:
    """`TURN` before `START` is refused."""
    client.send("TURN 7,7")
    client.answer("ERROR .*", client.limits.start)


@suite.must("moves", _SPEC)
def turn_to_an_occupied_cell(client: Client) -> None:
    """`TURN` to an occupied cell is refused by one line, and nothing changes."""
    move = client.move("TURN 7,9")
    for x, y in ((7, 9), move):
        client.fails(f"TURN {x},{y}")
    taken = [(7, 9), move]
    free = next((x, y) for x, y in ((0, 0), (1, 0), (2, 0)) if (x, y) not in taken)
    client.require_free(client.move(f"TURN {free[0]},{free[1]}"), [*taken, free])


@suite.must("moves", _SPEC)
def bad_turns(client: Client) -> None:
    """Points without sense are refused, each by one line, and nothing changes."""
    client.set_landmark()
    for text in ("TURN 15,0", "TURN 0,15", "TURN -1,3", "TURN 7", "TURN 7,7,1", "TURN", "TURN x,y"):
        client.fails(text)
    client.require_landmark()


@suite.must("moves", "x is the column")
def points_are_not_turned(client: Client) -> None:
    """Of four stones of the engine in a row or a column, the fifth is found where they are."""
    for turned in (False, True):
        client.start()
        own = [(x, 2, OWN) for x in (3, 4, 5, 6)]
        other = [(1, 9, OPPONENT), (4, 12, OPPONENT), (9, 9, OPPONENT), (2, 2, OPPONENT)]
        if turned:
            own, other = ([(y, x, whose) for x, y, whose in stones] for stones in (own, other))
        wanted = (2, 7) if turned else (7, 2)
        require(client.move(*board_lines([*own, *other])) == wanted, f"{wanted[0]},{wanted[1]}")


@suite.must("moves", f"{_JUDGE}: its own test")
def five_is_made(client: Client) -> None:
    """After h8 h9 i8 i9 j8 j9 k8 k9 the side to move completes its row."""
    stones = [(x, y, whose) for x in (7, 8, 9, 10) for y, whose in ((7, OWN), (8, OPPONENT))]
    require(client.move(*board_lines(stones)) in ((6, 7), (11, 7)), "6,7 or 11,7")


@suite.should("moves", "any engine can")
def five_is_blocked(client: Client) -> None:
    """A four that can be completed on one side only is blocked there."""
    stones = [(x, 7, OPPONENT) for x in (5, 6, 7, 8)] + [(4, 7, OWN), (1, 1, OWN), (13, 1, OWN)]
    require(client.move(*board_lines(stones)) == (9, 7), "9,7")


@suite.must("moves", "a board with one empty cell")
def last_cell(client: Client) -> None:
    """Where one cell is empty, that is the move."""
    cells = [(x, y) for y in range(SIZE) for x in range(SIZE) if (x, y) != (4, 11)]
    stones = [(x, y, 1 + (x // 2 + y) % 2) for x, y in cells]
    require(client.move(*board_lines(stones)) == (4, 11), "4,11")


@suite.must("moves", "both boards are the same")
def two_hundred_moves_with_a_copy(client: Client) -> None:
    """Two hundred moves against a second copy of the program: none is illegal, and both know all stones."""
    talk = Talk(client.talk.command, client.talk.directory)
    try:
        other = GomocupClient(talk, client.limits)
        other.greet()
        n_moves = 0
        while n_moves < _N_MOVES:
            players = (client, other)
            for player in players:
                player.start(turn_ms=_SHORT_MS)
            taken: dict[Point, int] = {}
            move = client.move("BEGIN")
            while True:
                side = len(taken) % 2
                players[side].require_free(move, taken)
                taken[move] = side
                n_moves += 1
                if _has_five(taken, move) or len(taken) == SIZE * SIZE or n_moves >= _N_MOVES:
                    break
                move = players[1 - side].move(f"TURN {move[0]},{move[1]}")
            for number, player in enumerate(players):
                knows_last = number != len(taken) % 2  # who made it; nobody has told the other
                for x, y in list(taken)[: len(taken) if knows_last else -1][-6:]:
                    player.fails(f"TURN {x},{y}")
    finally:
        talk.close()


def _has_five(taken: dict[Point, int], move: Point) -> bool:
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            x, y = move[0] + sign * dx, move[1] + sign * dy
            while taken.get((x, y)) == taken[move]:
                length += 1
                x, y = x + sign * dx, y + sign * dy
        if length >= 5:
            return True
    return False


# -- boards --------------------------------------------------------------------------------------------------


@suite.must("boards", f"{_JUDGE}: always its first request")
def empty_board(client: Client) -> None:
    """`BOARD` without stones asks for the first move."""
    client.require_free(client.move("BOARD", "DONE"), ())


@suite.must("boards", _SPEC)
def unequal_stones(client: Client) -> None:
    """Nine own stones and three of the opponent's are a board like any."""
    own = [(x, y, OWN) for x in (1, 6, 11) for y in (1, 6, 11)]
    stones = [*own, (3, 3, OPPONENT), (9, 3, OPPONENT), (3, 9, OPPONENT)]
    client.require_free(client.move(*board_lines(stones)), [(x, y) for x, y, _ in stones])


@suite.must("boards", _SPEC)
def stones_in_any_order(client: Client) -> None:
    """The stones of a `BOARD` may come in any order: it is the field that says whose they are."""
    stones = [(x, 7, OPPONENT) for x in (5, 6, 7, 8)] + [(4, 7, OWN), (1, 1, OWN), (13, 1, OWN), (9, 9, OPPONENT)]
    for order in (stones, stones[::-1], sorted(stones, key=lambda stone: stone[::-1])):
        require(client.move(*board_lines(order)) == (9, 7), "9,7, the only move that does not lose at once")


@suite.must("boards", "managers that go back send it during a game")
def board_replaces_the_old_one(client: Client) -> None:
    """`BOARD` during a game takes the place of all stones."""
    move = client.move("TURN 7,9")
    again = client.move(*board_lines([(0, 0, OPPONENT)]))
    client.require_free(again, [(0, 0)])
    for x, y in ((7, 9), move):
        if (x, y) != again:
            client.require_free(client.move(f"TURN {x},{y}"), [(0, 0), again, (x, y)])
            break


@suite.must("boards", _SPEC)
def dead_cells(client: Client) -> None:
    """A dead cell (field 3) is never played on, or the board is refused once, when it is done."""
    stones = [(x, 7, OWN) for x in (5, 6, 7, 8)] + [(4, 7, DEAD), (9, 7, DEAD)]
    client.send(*board_lines(stones))
    line = client.answer(rf"{client.final}|ERROR .*")
    if not line.startswith("ERROR"):
        client.require_free(client.point(line), [(x, y) for x, y, _ in stones])


@suite.must("boards", "one answer for one request")
def bad_boards(client: Client) -> None:
    """A board with a wrong line has one answer, when it is done, and the program goes on."""
    for stones in (["7,7,1", "7,7,2"], ["15,7,1"], ["7,7,9"], ["hello"]):
        client.send("BOARD", *stones)
        client.send("DONE")
        client.answer("ERROR .*")
        told = [line for line in client.sync() if client.kind_of(line) not in client.noise]
        require(not told, "one answer")
    client.start()
    client.move("BEGIN")


# -- games ---------------------------------------------------------------------------------------------------


@suite.must("games", _SPEC)
def restart(client: Client) -> None:
    """`RESTART` during a game is `OK`, and the board is empty."""
    client.move("TURN 7,9")
    client.done("RESTART")
    client.require_free(client.move("BEGIN"), ())
    client.done("RESTART")
    client.require_free(client.move("TURN 7,9"), [(7, 9)])


@suite.should("games", _SPEC)
def take_back(client: Client) -> None:
    """`TAKEBACK` takes away the stone that it names, the newest first."""
    move = client.move("TURN 7,9")
    answer = client.offers(f"TAKEBACK {move[0]},{move[1]}")
    if answer is None:
        raise CheckSkipped("the engine does not take back moves")
    require(answer == "OK", "OK")
    client.done("TAKEBACK 7,9")
    client.require_free(client.move("TURN 7,9"), [(7, 9)])


@suite.should("games", _SPEC)
def bad_take_backs(client: Client) -> None:
    """`TAKEBACK` of a stone that is not there is refused, and nothing changes."""
    client.set_landmark()
    for text in ("TAKEBACK 0,0", "TAKEBACK 15,0", "TAKEBACK"):
        client.send(text)
        client.answer("(?:ERROR|UNKNOWN) .*")
    client.require_landmark()


# -- INFO ----------------------------------------------------------------------------------------------------


@suite.must("info", _SPEC)
def info_is_silent(client: Client) -> None:
    """`INFO` is never answered, whatever stands behind it."""
    client.silent(
        "INFO timeout_turn 300",
        "INFO timeout_match 100000",
        "INFO time_left 90000",
        f"INFO max_memory {_MEMORY}",
        "INFO game_type 1",
        "INFO rule 0",
        "INFO evaluate 7,7",
        "INFO folder /tmp/a folder",
        "INFO",
    )
    client.require_free(client.move("BEGIN"), ())


@suite.must("info", _SPEC)
def unknown_keys(client: Client) -> None:
    """Unknown keys are left out with all that stands behind them: one line comes, the move."""
    client.send("INFO unknown 1 2 3", "INFO foo 3", "INFO colour blue", "info TIMEOUT_TURN 300", "BEGIN")
    client.answer(client.final)
    require(not client.talk.lines_for(client.limits.quiet), "one line")


@suite.must("info", "clocks and rules come before START with some managers", fresh=True)
def info_before_start(client: Client) -> None:
    """`INFO` before `START` is silent, and holds afterwards."""
    client.send("INFO timeout_turn 300", f"INFO time_left {UNLIMITED}", "START 15")
    client.answer("OK", client.limits.start)
    client.timed_move(0.3 + _WIRE_S, "BEGIN")


@suite.must("info", _SPEC)
def rules(client: Client) -> None:
    """A rule that can't be played is complained about when a move is asked for, and not before."""
    for rule in (4, 8, 1):
        client.silent(f"INFO rule {rule}")
        client.send("BEGIN")
        client.answer(rf"{client.final}|ERROR .*")
        client.done("RESTART")
    client.silent("INFO rule 0")
    client.move("BEGIN")


@suite.should("info", f"{_JUDGE}: more than this loses")
def memory_is_kept_to(client: Client) -> None:
    """After a move the program takes no more memory than `INFO max_memory` allows, 350 MiB."""
    if not Path("/proc/self/smaps_rollup").exists():
        raise CheckSkipped("memory can't be measured here")
    client.send(f"INFO max_memory {_MEMORY}", "INFO timeout_turn 1000")
    client.move("BEGIN")
    client.move(*board_lines(LANDMARK))
    used = sum(_private_bytes(pid) for pid in client.talk.processes())
    require(used <= _MEMORY, f"at most {_MEMORY >> 20} MiB, not {used >> 20}")


def _private_bytes(pid: int) -> int:
    """Memory that a process shares with no other."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    return 1024 * sum(int(kib) for kib in re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.MULTILINE))


@suite.must("info", _SPEC)
def tiny_memory(client: Client) -> None:
    """With hardly any memory allowed, moves come all the same."""
    client.send("INFO max_memory 1000000")
    client.require_free(client.move("BEGIN"), ())


# -- time ----------------------------------------------------------------------------------------------------


@suite.must("time", _SPEC)
def time_for_a_move(client: Client) -> None:
    """`timeout_turn` is kept to, without the manager's tolerance."""
    for ms in (100, 1000):
        client.start(turn_ms=ms)
        client.timed_move(ms / 1000, *board_lines(LANDMARK))


@suite.must("time", _SPEC)
def no_time_for_a_move(client: Client) -> None:
    """`timeout_turn 0` is answered by a legal move within 50 ms."""
    client.start(turn_ms=0)
    client.move("BEGIN")
    taken: list[Point] = []
    for x, y in ((0, 0), (14, 0), (0, 14), (14, 14), (7, 0)):
        if (x, y) not in taken:
            client.start(turn_ms=0)
            move = client.timed_move(_INSTANT_S + _WIRE_S, *board_lines([(x, y, OPPONENT), *LANDMARK[:4]]))
            client.require_free(move, [(x, y), *((a, b) for a, b, _ in LANDMARK[:4])])


@suite.must("time", _SPEC)
def time_left_counts(client: Client) -> None:
    """`time_left` counts for more than the time of a move."""
    client.start(turn_ms=30_000)
    client.send("INFO timeout_match 100000", "INFO time_left 700")
    client.timed_move(0.7, *board_lines(LANDMARK))


@suite.must("time", _SPEC)
def no_time_left(client: Client) -> None:
    """A clock that shows nothing, or less, means a move at once."""
    for left in (0, -500):
        client.start(turn_ms=30_000)
        client.send("INFO timeout_match 100000", f"INFO time_left {left}")
        client.timed_move(client.limits.prompt, *board_lines(LANDMARK))


@suite.should("time", "peers spend a seventh of it at most")
def clock_is_not_spent_at_once(client: Client) -> None:
    """Of a clock of some seconds a first move takes no more than half."""
    client.start(turn_ms=30_000)
    client.send(f"INFO timeout_match {4 * _GAME_MS}", f"INFO time_left {4 * _GAME_MS}")
    client.timed_move(2 * _GAME_MS / 1000, *board_lines(LANDMARK))


# -- stop ----------------------------------------------------------------------------------------------------


@suite.should("stop", "Yixin-Board, c-gomoku-cli")
def yxstop(client: Client) -> None:
    """`YXSTOP` brings the move within 50 ms."""
    client.send(*client.long_search)
    client.answer("OK")
    early = client.talk.lines_for(0.2)
    if client.finals(early):
        raise CheckSkipped("the engine moves before it can be stopped")
    client.require_free(client.timed_move(_STOP_S + _WIRE_S, "YXSTOP"), [(x, y) for x, y, _ in LANDMARK[:3]])


@suite.should("stop", "Yixin-Board")
def many_stops(client: Client) -> None:
    """However many stops come, there is one move."""
    for pause in (0.0, 0.01, 0.05, 0.1):
        client.send(*client.long_search)
        client.answer("OK")
        time.sleep(pause)
        client.send("YXSTOP", "YXSTOP")
        client.answer(client.final)
        told = [line for line in client.sync() if client.kind_of(line) not in client.noise]
        require(not told, "one move, and no answer to a stop")


@suite.should("stop", "Yixin-Board")
def stop_while_idle(client: Client) -> None:
    """A stop while nothing is searched for is forgotten."""
    client.silent("YXSTOP", "YXSTOP")
    start = time.perf_counter()
    client.send(*client.long_search)
    client.answer("OK")
    early = client.finals(client.talk.lines_for(0.2))
    require(not early or time.perf_counter() - start > 0.1, "a search that goes on")
    if not early:
        client.send("YXSTOP")
        client.answer(client.final)


# -- swap2 ---------------------------------------------------------------------------------------------------


@suite.should("swap2", _SPEC)
def swap2_opening(client: Client) -> None:
    """`SWAP2BOARD` without stones is answered by three points."""
    stones = _swap2(client)
    require(re.fullmatch(r"\d+,\d+ \d+,\d+ \d+,\d+", stones) is not None, "three points")
    points = [client.point(word) for word in stones.split()]
    for number, move in enumerate(points):
        client.require_free(move, points[:number])


@suite.should("swap2", _SPEC)
def swap2_answer(client: Client) -> None:
    """To three stones the answer is `SWAP`, a point, or two points."""
    stones = _swap2(client, "2,3", "4,2", "10,11")
    if stones != "SWAP":
        points = [client.point(word) for word in stones.split()]
        require(len(points) in (1, 2), "SWAP, one point, or two")
        for number, move in enumerate(points):
            client.require_free(move, [(2, 3), (4, 2), (10, 11), *points[:number]])


@suite.should("swap2", _SPEC)
def swap2_choice(client: Client) -> None:
    """To five stones the answer is `SWAP` or a point."""
    taken = ["2,3", "4,2", "10,11", "7,7", "8,6"]
    stones = _swap2(client, *taken)
    if stones != "SWAP":
        client.require_free(client.point(stones), [client.point(word) for word in taken])


def _swap2(client: Client, *stones: str) -> str:
    answer = client.offers("SWAP2BOARD", *stones, "DONE")
    if answer is None:
        raise CheckSkipped("the engine has no swap2")
    told = [line for line in client.sync() if client.kind_of(line) not in client.noise]
    require(not told, "one answer")
    return answer


# -- Yixin-Board ---------------------------------------------------------------------------------------------


@suite.should("yixin", f"{_YIXIN}, older ones")
def start_with_two_numbers(client: Client) -> None:
    """`start 15 15` is `START 15`."""
    client.done("start 15 15")


@suite.should("yixin", _YIXIN)
def board_without_a_request(client: Client) -> None:
    """`yxboard` sets up a board and is not answered; `yxnbest 2` then is, by a move."""
    client.send("yxboard", "7,7,1", "8,8,2", "done")
    told = [line for line in client.sync() if client.kind_of(line) not in client.noise]
    if any(line.startswith(("UNKNOWN", "ERROR")) for line in told):
        raise CheckSkipped("the engine has no yxboard")
    require(not told, "no answer to yxboard")
    client.require_free(client.move("yxnbest 2"), [(7, 7), (8, 8)])


@suite.should("yixin", _YIXIN)
def limits_of_a_gui(client: Client) -> None:
    """`max_depth`, `max_node`, `hash_size`, `thread_num` and the like are silent, and moves come."""
    client.silent(
        "info max_depth 4",
        "info max_node 20000",
        "info hash_size 16384",
        "info thread_num 1",
        "info caution_factor 3",
        "info pondering 0",
        "info show_detail 0",
        "info time_increment 0",
    )
    client.require_free(client.move("begin"), ())


@suite.should("yixin", _YIXIN)
def forbidden_cells_of_freestyle(client: Client) -> None:
    """`yxshowforbid` names no cell in freestyle."""
    answer = client.offers("yxshowforbid")
    if answer is None:
        raise CheckSkipped("the engine has no yxshowforbid")
    require(re.fullmatch(r"FORBID ?\.", answer) is not None, "FORBID .")


# -- bad input, the end, output ------------------------------------------------------------------------------


@suite.must("bad input", _SPEC)
def unknown_commands(client: Client) -> None:
    """Every unknown command is answered by one line that begins with `UNKNOWN`."""
    for text in ("FOO", "foo bar", "STARTFOO 15", "7,7", "TURNS 7,7"):
        client.send(text)
        client.answer("UNKNOWN .*")
        told = [line for line in client.sync() if client.kind_of(line) not in client.noise]
        require(not told, f"one answer to {text}")


@suite.must("bad input", _SPEC)
def blank_lines(client: Client) -> None:
    """Empty lines, and lines of blanks, are not answered."""
    client.silent("", "   ", "\t", "")


@suite.must("end", f"{_SPEC}; managers kill after half a second", fresh=True)
def end_while_thinking(client: Client) -> None:
    """`END` during a search ends the program within half a second, with status 0 and no further move."""
    client.greet()
    client.send(*client.long_search)
    client.answer("OK")
    early = client.talk.lines_for(client.limits.quiet)
    start = time.perf_counter()
    client.send("END")
    lines = client.talk.lines_to_end(client.limits.exit)
    require(client.talk.exit_status(client.limits.exit) == 0, "exit status 0")
    seconds = time.perf_counter() - start
    require(seconds <= _END_S + _WIRE_S, f"the end within {_END_S:g} s, not after {seconds:.2f} s")
    require(bool(client.finals(early)) or not client.finals(lines), "no move behind END")


@suite.must("output", "qpiskvork looks at the first character")
def no_line_begins_with_a_blank(client: Client) -> None:
    """No line printed so far begins with a blank, and none is empty."""
    client.search_to_end(*client.short_search)
    printed = dict.fromkeys(line for talk in client.history for line in talk.printed)
    strange = [line for line in printed if not line.strip() or line[:1].isspace()]
    if strange:
        raise CheckFailed("no empty line and none that begins with a blank", tuple(map(repr, strange[:5])))


@suite.should("output", "clients take them apart")
def messages_about_a_search(client: Client) -> None:
    """Messages that begin with `depth` are of the usual layout."""
    client.start(turn_ms=1000)
    client.send(*board_lines(LANDMARK))
    lines = client.talk.until(client.final, client.limits.answer, "a move")
    reports = [line for line in lines if line.lower().startswith("message depth ")]
    if not reports:
        raise CheckSkipped("the engine says nothing about its search")
    layout = r"MESSAGE depth \d+(-\d+)? (multipv \d+ )?ev [+-]?M?\d+ n \d+[KMG]? (n/ms|nps) \d+[KMG]? tm \d+(?: pv.*)?"
    for line in reports:
        require(re.fullmatch(layout, line) is not None, f"the layout of {line}")


common.add_to(suite, Client)
common.add_stderr_check(suite, must=False, source="some clients never read it")
