"""The NBoard dialect against the real program: a game, cancelled requests, clocks, endings, garbage."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Sequence

import pytest

from othello_engine.formats.game import Game
from othello_engine.formats.ggf import format_ggf
from othello_engine.position import Position
from othello_engine.types import square_name
from tests.e2e.client import texts
from tests.positions import PASS_THEN_WIPE_OUT, SOLVED
from tests.protocol.nboard_desk import GRAMMAR, REQUESTS, ggf
from tests.protocol.test_nboard_cancelling import garbage, last_line_for
from tools.measure.driver import START_TIMEOUT, EngineProcess, Line

ARGUMENTS = ("--protocol", "nboard", "--set", "threads=1", "--set", "hash=16")


class Client:
    """The program and a client that believes nothing: every line is looked up, every `pong` counted."""

    def __init__(self, *arguments: str) -> None:
        self.engine = EngineProcess([*ARGUMENTS, *arguments], check_grammar=False)
        self.n_pings = 0
        self.engine.send("nboard 2")
        self.ping(START_TIMEOUT)

    def ping(self, timeout: float = 10) -> list[str]:
        """What comes before the `pong`; nothing may come after it."""
        self.n_pings += 1
        self.engine.send(f"ping {self.n_pings}")
        return self.until(f"pong {self.n_pings}", timeout)[:-1]

    def until(self, pattern: str, timeout: float = 20) -> list[str]:
        return checked(self.engine.read_until(pattern, timeout))

    def go(self, *lines: str) -> tuple[str, str, float]:
        """Move, value, and time of the answer."""
        self.engine.send(*lines, "go")
        move, value, seconds = self.until("===.*")[-1].removeprefix("=== ").split("/")
        return move, value, float(seconds)

    def close(self) -> None:
        """Quits; the process must leave nothing behind, and must have said nothing on stderr."""
        if self.engine.popen.poll() is None:
            assert self.engine.quit(2) == 0
        assert self.engine.wait_gone(3) == []
        assert self.engine.stderr_text == ""


def checked(lines: Sequence[Line]) -> list[str]:
    for line in texts(lines):
        assert GRAMMAR.fullmatch(line), line
    return texts(lines)


@pytest.fixture
def client(warm_cache: None) -> Iterator[Client]:
    client = Client()
    try:
        yield client
        client.close()
    finally:
        client.engine.close()


def test_a_game_is_played_to_its_end_move_by_move(client: Client) -> None:
    client.engine.send("set depth 4", f"set game {ggf()}")
    position, n_moves = Position.start(), 0
    while not position.is_over:
        client.ping()
        move, value, seconds = client.go()
        assert square_name(position.legal_moves[0]) == "pass" or value
        position = position.play(move)
        client.engine.send(f"move {move}/{value}/{seconds}")
        n_moves += 1
    score = position.final_score
    assert client.go() == ("PA", f"{score:.2f}", 0.0)
    client.ping()
    client.engine.send("set depth 1", "analyze")
    values = [line.split()[1:] for line in client.until("nodestats .*", 60) if line.startswith("analysis")]
    assert [int(made) for made, _ in values] == list(range(n_moves, -1, -1))
    assert float(values[0][1]) == score


def test_requests_that_are_cancelled_at_any_moment_leave_nothing_behind_their_pong(client: Client) -> None:
    rng = random.Random(11)
    client.engine.send("set depth 60")
    for transcript in ["f5d6c3d3c4"[: 2 * (n % 6)] for n in range(60)]:
        client.engine.send(f"set game {ggf(transcript)}", rng.choice(REQUESTS))
        time.sleep(rng.random() / 30)
        lines = client.ping()
        assert not [line for line in lines if line.startswith(("===", "nodestats"))]
    assert client.engine.read_for(0.3) == []
    client.engine.send("set depth 3", f"set game {ggf('f5')}")
    position = Position.from_moves("f5")
    assert client.go()[0].lower() in [square_name(move) for move in position.legal_moves]


def test_what_is_proved_is_exact_and_says_so(client: Client) -> None:
    client.engine.send("set depth 20")
    for known in SOLVED:
        client.engine.send(f"set game {ggf(board='8 ' + known.text.replace('X', '*'))}", "hint 64")
        lines = [line.split() for line in client.until("nodestats .*") if line.startswith("search")]
        proved = {line[:2].lower(): float(value) for _, line, value, _, depth in lines if depth == "100%"}
        assert max(proved.values()) == known.score
        assert len(proved) == len(known.position.legal_moves)
        if known.moves:
            assert proved == dict(known.moves)


def test_a_whole_game_stays_within_its_clock(client: Client) -> None:
    client.engine.send("set depth 60")
    position, played, spent = Position.start(), "", [0.0, 0.0]
    while not position.is_over:
        began = time.perf_counter()
        move, _, _ = client.go(f"set game {ggf(tags='TI[0:02]').replace(';)', played + ';)')}")
        seconds = time.perf_counter() - began
        spent[position.side] += seconds
        played += f"{'BW'[position.side]}[{move}//{seconds:.3f}]"
        position = position.play(move)
    assert max(spent) < 2


def test_quit_ends_the_deepest_search_within_a_second(client: Client) -> None:
    client.engine.send("set depth 60", "hint 4")
    time.sleep(0.3)
    began = time.perf_counter()
    assert client.engine.quit() == 0
    assert time.perf_counter() - began < 1


def test_the_end_of_input_lets_a_go_be_answered(client: Client) -> None:
    client.engine.send("set depth 12", f"set game {ggf(PASS_THEN_WIPE_OUT[:20])}", "go")
    client.engine.end_input()
    lines = checked(client.engine.read_to_end(20))
    assert re.fullmatch("===.*", lines[-1])
    assert client.engine.wait_exit() == 0


def test_everything_in_one_write_is_answered_as_if_it_came_slowly(warm_cache: None) -> None:
    with EngineProcess(ARGUMENTS, check_grammar=False) as engine:
        lines = ("nboard 2", "set depth 3", f"set game {ggf('f5d6')}", "ping 1", "move c3", "ping 2", "go")
        engine.send(*lines)
        engine.end_input()
        said = [line for line in checked(engine.read_to_end(START_TIMEOUT)) if not line.startswith("status")]
        assert [line.split()[0] for line in said] == ["set", "set", "pong", "pong", "nodestats", "==="]
        assert engine.wait_exit() == 0
        assert engine.stderr_text == ""


def test_garbage_is_survived_and_every_request_in_it_has_its_answer(client: Client) -> None:
    rng = random.Random(7)
    client.engine.send("set depth 1")
    client.ping()
    for _ in range(300):
        line = garbage(rng)
        if not isinstance(line, str):
            client.engine.send_bytes(rng.choice((b"x" * 70_000, b"go\x00", b"\x1b[A")) + b"\n")
        else:
            client.engine.send("set depth 1", line)
            if last := last_line_for(line):
                client.until(last)
        assert not [text for text in client.ping() if text.startswith(("===", "pong"))]
    client.engine.send(f"set game {ggf('f5')}")
    assert client.go()[0].lower() in ("d6", "f4", "f6")


def test_games_as_our_own_writer_has_them_are_read(client: Client) -> None:
    client.engine.send(f"set game {format_ggf(Game.of(PASS_THEN_WIPE_OUT))}")
    assert client.ping() == []
    assert client.go()[:2] == ("PA", "-64.00")
