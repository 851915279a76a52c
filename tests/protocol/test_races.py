"""The service on its own thread, between a real reader and a real writer: storms, pings, slow readers."""

from __future__ import annotations

import os
import random
import re
import select
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from othello_engine.config import Config, load_config
from othello_engine.position import Position
from othello_engine.types import Limits
from protocol.lines import LineReader, LineWriter
from protocol.native import NativeService
from protocol.service import Ended, Received, Wiring
from tests.protocol.fake_engine import FakeEngine, info


class Client:
    """The other end of two pipes."""

    def __init__(self, descriptor_in: int, descriptor_out: int, service: NativeService) -> None:
        self.engine: FakeEngine
        self.service = service
        self._to_engine = descriptor_in
        self._from_engine = descriptor_out
        self._rest = b""
        self._lines: deque[str] = deque()

    def send(self, *lines: str) -> None:
        os.write(self._to_engine, "".join(f"{line}\n" for line in lines).encode())

    def hang_up(self) -> None:
        os.close(self._to_engine)

    def read(self, timeout: float = 5) -> str:
        """The next line."""
        while not self._lines:
            assert select.select([self._from_engine], [], [], timeout)[0], "no answer in time"
            data = os.read(self._from_engine, 65536)
            assert data, "the engine has left"
            *lines, self._rest = (self._rest + data).split(b"\n")
            self._lines += [line.decode("ascii") for line in lines]
        return self._lines.popleft()

    def read_until(self, pattern: str, timeout: float = 5) -> list[str]:
        """Lines up to one that matches as a whole."""
        lines = [self.read(timeout)]
        while not re.fullmatch(pattern, lines[-1]):
            lines.append(self.read(timeout))
        return lines


@contextmanager
def connected(**options: object) -> Iterator[Client]:
    """A running service and its client."""
    engine_in, client_out = os.pipe()
    client_in, engine_out = os.pipe()
    made: list[FakeEngine] = []

    def make(config: Config, on_message: object) -> FakeEngine:
        made.append(FakeEngine(config, on_message))  # type: ignore[arg-type]
        return made[0]

    writer = LineWriter(engine_out, lambda: service.post(Ended(4)))
    config = load_config(profile="classic", overrides=options)
    service = NativeService(Wiring(config, make, writer))  # type: ignore[arg-type]
    LineReader(engine_in, lambda item: service.post(Received(item))).start()
    thread = threading.Thread(target=service.run, daemon=True)
    thread.start()
    client = Client(client_out, client_in, service)
    client.send("isready")
    assert client.read() == "readyok"
    client.engine = made[0]
    yield client
    client.send("quit")
    thread.join(5)
    assert service.exit_status == 0
    assert writer.close(1)
    for descriptor in (client_out, client_in, engine_out):
        os.close(descriptor)


def searching(rng: random.Random) -> object:
    """An engine that reports now and then, and ends by itself after a random time unless it has to wait."""

    def answer(engine: FakeEngine, limits: Limits) -> None:
        ends = time.monotonic() + rng.choice((0, 0.001, rng.uniform(0, 0.03)))
        depth = 0
        while time.monotonic() < ends or limits.is_open:
            if engine.stop_flag.wait(rng.uniform(0, 0.003)):
                break
            depth += 1
            engine.report(info(depth))
        engine.finish(lines=(info(depth),) if depth else ())

    return answer


def test_a_thousand_searches_and_stops_bring_a_thousand_answers() -> None:
    rng = random.Random(3)
    positions = [Position.from_moves(moves) for moves in ("", "f5", "f5d6c3", "d3c3e6d2d1e1b3c1", "e6f4")]
    with connected() as client:
        client.engine.answer = searching(rng)  # type: ignore[assignment]
        for number in range(1000):
            position = rng.choice(positions)
            client.send(f"setboard {position.to_text()}", rng.choice(("go infinite", "go depth 9", "go ponder")))
            time.sleep(rng.choice((0, 0, rng.uniform(0, 0.01))))
            client.send(*["stop"] * rng.choice((1, 1, 3)), f"undo {number + 100}")
            lines = client.read_until(rf"error nothing-to-undo {number + 100} .*")
            answers = [line for line in lines if line.startswith("bestmove")]
            assert len(answers) == 1
            assert answers[0].split()[1] in names(position)


def names(position: Position) -> list[str]:
    from othello_engine.types import square_name

    return [square_name(move) for move in position.legal_moves]


def test_pings_are_answered_at_once_during_a_search() -> None:
    with connected() as client:
        client.engine.answer = searching(random.Random(4))  # type: ignore[assignment]
        client.send("go infinite")
        for _ in range(50):
            began = time.monotonic()
            client.send("isready")
            client.read_until("readyok")
            assert time.monotonic() - began < 0.1
        client.send("stop")
        client.read_until("bestmove .*")


def test_a_reader_that_sleeps_blocks_no_stop_and_loses_no_answer() -> None:
    """Verbose output fills the pipe; the engine still hears `stop`, and every answer that is due comes."""
    with connected(InfoInterval=0) as client:

        def talkative(engine: FakeEngine, limits: Limits) -> None:
            while not engine.stop_flag.is_set():
                engine.report(*(info(1, nodes=n, pv=tuple(range(60))) for n in range(50)))
                time.sleep(0.001)
            engine.finish(lines=(info(1, nodes=99),))

        client.engine.answer = talkative
        client.send("go infinite")
        client.send(*["display"] * 100)
        time.sleep(1)
        client.send(*["isready"] * 50, "stop")
        assert client.engine.stop_flag.wait(1)
        while client.engine.is_searching:
            time.sleep(0.01)
        began = time.monotonic()
        lines = client.read_until("bestmove .*")
        assert time.monotonic() - began < 1
        words = [line.split()[0] for line in lines]
        assert words.count("board") == 100
        assert words.count("readyok") == 50
        assert lines[-2].startswith("info depth 1 ")


def test_a_long_script_in_one_write_is_answered_in_full() -> None:
    with connected() as client:
        client.engine.answer = searching(random.Random(5))  # type: ignore[assignment]
        client.send(*["setboard startpos moves f5", "go depth 3"] * 300, "isready")
        answers = 0
        while answers < 300:
            answers += client.read().startswith("bestmove")
        client.send("query gameover")
        rest = client.read_until("response false")
        assert not [line for line in rest if line.startswith("bestmove")]
