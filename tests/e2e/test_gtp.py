"""The GTP dialect against the real program: games, clocks, interruption, endings, garbage, other programs' habits."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator

import pytest

from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, square_name
from protocol.lines import LineSplitter
from tests.e2e.client import texts
from tests.positions import EARLY_END, PASS_AT_16, SOLVED
from tests.protocol.gtp_desk import commands_of, play_command, split_answers
from tests.protocol.test_gtp import garbage, n_answers_due
from tools.measure.driver import START_TIMEOUT, EngineProcess

ARGUMENTS = ("--protocol", "gtp", "--set", "threads=1", "--set", "hash=16")

CONTROLS = bytes((*range(32), 127))


class Client:
    """The program and a controller that checks the framing of every answer."""

    def __init__(self, *arguments: str) -> None:
        self.engine = EngineProcess([*ARGUMENTS, *arguments], check_grammar=False)
        self.send("clear_board")
        assert self.answer(START_TIMEOUT) == "="

    def send(self, *lines: str) -> float:
        return self.engine.send(*lines)

    def answer(self, timeout: float = 20) -> str:
        """The next answer."""
        (answer,) = split_answers(texts(self.engine.read_until("", timeout)))
        return answer

    def ask(self, line: str, timeout: float = 20) -> str:
        self.send(line)
        return self.answer(timeout)

    def close(self) -> None:
        """Quits; the process must leave nothing behind, and must have said nothing on stderr."""
        if self.engine.popen.poll() is None:
            assert self.ask("quit") == "="
            assert self.engine.wait_exit(2) == 0
        assert self.engine.wait_gone(3) == []
        assert self.engine.stderr_text == ""


@pytest.fixture
def client(warm_cache: None) -> Iterator[Client]:
    client = Client()
    try:
        yield client
        client.close()
    finally:
        client.engine.close()


def script(text: str, timeout: float = 60) -> tuple[list[str], int]:
    """The answers to what comes through a pipe that ends, and the exit status."""
    with EngineProcess(ARGUMENTS, check_grammar=False) as engine:
        engine.send_bytes(text.encode())
        engine.end_input()
        lines = texts(engine.read_to_end(timeout))
        status = engine.wait_exit(5)
        assert engine.wait_gone(3) == []
        assert engine.stderr_text == ""
        return split_answers(lines), status


@pytest.mark.parametrize("passes", [True, False])
def test_a_game_with_passes_is_played_to_its_end_on_a_clock(client: Client, passes: bool) -> None:
    """Both colours from one program, told of passes or not, which keeps its clock without being told the time."""
    for line in commands_of(PASS_AT_16, passes=passes):
        assert client.ask(line) == "="
    assert client.ask("time_settings 3 0 0") == "="
    position, spent, plies = Position.from_moves(PASS_AT_16), [0.0, 0.0], len(PASS_AT_16) // 2
    while not position.is_over:
        if position.must_pass and not passes:
            position = position.play(PASS)
            plies += 1
        begun = time.perf_counter()
        move = client.ask(f"genmove {'bw'[position.side]}").removeprefix("= ")
        spent[position.side] += time.perf_counter() - begun
        position = position.play(move)
        plies += 1
    assert max(spent) < 3
    score = position.final_score if position.side == BLACK else -position.final_score
    expected = f"{'B' if score > 0 else 'W'}+{abs(score)}" if score else "0"
    assert client.ask("final_score") == f"= {expected}"
    assert client.ask(f"gg-undo {plies + 1}").startswith("? cannot undo")
    assert client.ask(f"gg-undo {plies}") == "="
    assert client.ask("gogui-rules_legal_moves") == "= D3 C4 F5 E6"


def test_what_is_proved_is_exact_and_best_moves_are_played(client: Client) -> None:
    for known in SOLVED:
        position = known.position
        assert client.ask(f"othello_engine-setboard {known.text}") == "="
        side = ("White", "Black")[position.side == BLACK]
        assert client.ask("othello_engine-score") == f"= {side} {known.score:+d}, proved"
        move = client.ask(f"reg_genmove {'bw'[position.side]}").removeprefix("= ")
        assert move in (known.best or [square_name(each) for each in position.legal_moves])
        if known.moves:
            labels = client.ask("othello_engine-move_scores").split("\n")[0].removeprefix("= LABEL ").split()
            values = zip(labels[::2], map(int, labels[1::2]), strict=True)
            assert dict(values) == {name: value for name, value in known.moves if name != "pass"}


def test_an_interrupt_ends_a_long_search_at_once_and_its_move_is_played(client: Client) -> None:
    assert client.ask("othello_engine-option MoveTime 100000") == "="
    client.send("genmove b", "showboard")
    assert client.engine.read_for(0.4) == []
    sent = client.send("# interrupt")
    move = client.answer().removeprefix("= ")
    assert time.perf_counter() - sent < 0.5
    position = Position.start().play(move)
    assert client.answer() == "=\n" + "\n".join(position.diagram())


def test_interrupts_at_any_moment_leave_one_answer_for_each_command(client: Client) -> None:
    rng = random.Random(3)
    assert client.ask("othello_engine-option MoveTime 20") == "="
    for n in range(60):
        client.send(f"{n} reg_genmove b")
        time.sleep(rng.random() / 30)
        client.send("# interrupt")
        answer = client.answer()
        assert answer in [f"={n} {move}" for move in ("d3", "c4", "f5", "e6")]
    assert client.engine.read_for(0.2) == []


@pytest.mark.parametrize("ending", ["quit\n", ""])
def test_a_piped_script_gets_every_answer_at_full_strength(warm_cache: None, ending: str) -> None:
    lines = ["othello_engine-option MoveTime 300", "1 genmove b", "2 genmove w", "3 othello_engine-last_search"]
    begun = time.perf_counter()
    answers, status = script("\n".join(lines) + "\n" + ending)
    assert time.perf_counter() - begun > 0.5
    assert status == 0
    assert [answer.split()[0] for answer in answers] == ["=", "=1", "=2", "=3", *(["="] if ending else [])]


def test_the_bytes_of_a_handshake(warm_cache: None) -> None:
    with EngineProcess(ARGUMENTS, check_grammar=False) as engine:
        engine.keep_raw = True
        engine.send_bytes(
            b"\xef\xbb\xbf1 protocol_version\r\n\r\n# remark\r\nlist_games\n3\tknown_command\tx # y\nquit"
        )
        engine.end_input()
        engine.read_to_end(20)
        assert bytes(engine.raw) == b"=1 2\n\n= Othello\n\n=3 false\n\n=\n\n"
        assert engine.wait_exit(5) == 0
        assert engine.stderr_text == ""


def test_a_signal_ends_a_search_and_the_program(warm_cache: None) -> None:
    client = Client("--set", "MoveTime=100000")
    with client.engine as engine:
        client.send("genmove b")
        assert engine.read_for(0.3) == []
        sent = time.perf_counter()
        engine.popen.send_signal(signal.SIGTERM)
        assert engine.wait_exit(3) == 128 + signal.SIGTERM
        assert time.perf_counter() - sent < 1.5
        assert engine.wait_gone(3) == []
        assert engine.stderr_text == ""


def test_the_first_move_behind_clear_board_does_not_pay_for_the_start(warm_cache: None) -> None:
    client = Client("--set", "MoveTime=200")
    with client.engine:
        sent = client.send("genmove b")
        client.answer()
        assert time.perf_counter() - sent < 0.4
        client.close()


def test_quarry_s_way_to_begin_and_to_play(client: Client) -> None:
    """No ids, no passes, `black` and capitals, a space, TAB or line end behind the mark, empty answers to settings."""
    for line in ("protocol_version", "name", "version", "list_commands", "list_games"):
        assert client.ask(line)[:2] == "= "
    for line in ("set_game Othello", "boardsize 8", "clear_board", "time_settings 0 1 0", "time_left black 30 0"):
        assert client.ask(line) == "="
    steps = Position.start().follow(EARLY_END)
    for move, after in steps:
        if move != PASS:
            command = play_command(move, after).replace(" b ", " black ").replace(" w ", " white ")
            assert client.ask(" ".join([*command.split()[:2], command.split()[2].upper()])) == "="
    assert client.ask("final_score") == "= W+62"


def test_garbage_has_an_answer_for_every_line_and_breaks_nothing(client: Client) -> None:
    rng = random.Random(300)
    assert client.ask("othello_engine-option MoveTime 10") == "="
    lines = [garbage(rng).translate(None, CONTROLS) for _ in range(300)]
    splitter = LineSplitter()
    n_due = sum(n_answers_due(splitter.feed(line + b"\n")) for line in lines)
    client.engine.send_bytes(b"".join(line + b"\n" for line in lines))
    answers = [client.answer(60) for _ in range(n_due)]
    assert all(answer[0] in "=?" for answer in answers)
    assert client.ask("424242 name") == "=424242 othello-engine"
    assert client.ask("clear_board") == "="
    assert client.ask("gogui-rules_legal_moves") == "= D3 C4 F5 E6"
