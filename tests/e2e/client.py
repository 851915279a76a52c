"""What the end-to-end tests share: judges of answers, scripts, and the program on a terminal."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from types import TracebackType

import pexpect
import psutil

from othello_engine.position import Position
from othello_engine.types import square_name
from tests.positions import random_positions
from tools.measure.driver import EngineProcess, Line, Search, engine_environment
from tools.measure.grammar import Info


def legal_names(position: Position) -> list[str]:
    return [square_name(move) for move in position.legal_moves]


def board_line(position: Position) -> str:
    """What `display` must say first."""
    return f"board {position.to_text()}"


def mask(line: str) -> str:
    """A line without what may differ from run to run: times, speeds, and the table's use, sampled by the clock."""
    return re.sub(r"\b(time|nps|hashfull) \d+", r"\1 *", line)


def texts(lines: Sequence[Line], *kinds: str) -> list[str]:
    """The lines' texts; with kinds only those of these kinds."""
    return [line.text for line in lines if not kinds or line.kind in kinds]


def assert_playable(position: Position, answer: Search) -> None:
    """The answer is a legal move of `position`, and every line of play is a legal continuation of it."""
    legal = legal_names(position)
    assert answer.best in (legal or ["none"])
    for info in answer.infos:
        assert_line_legal(position, info)
    if answer.ponder is not None:
        assert answer.ponder in legal_names(position.play(answer.best))


def assert_line_legal(position: Position, info: Info) -> None:
    """The pv can be played out from `position`, passes written where they are due and nowhere else."""
    for move in info.pv:
        assert move in legal_names(position), f"{move} is illegal in {info.pv}"
        position = position.play(move)


def final_lines(answer: Search) -> list[Info]:
    """For each rank the last line reported, by rank."""
    last: dict[int, Info] = {}
    for info in answer.infos:
        if info.score is not None:
            last[info.multipv or 1] = info
    return [last[rank] for rank in sorted(last)]


def live_positions(count: int, seed: int) -> list[Position]:
    """Positions of random games in which somebody has to move: passes included, finished games not."""
    found = (position for position in random_positions(4 * count, seed) if not position.is_over)
    return list(found)[::3][:count]


def workers_in_the_end(engine: EngineProcess, n: int) -> list[psutil.Process]:
    """The workers, once there are exactly `n`: they start, and leave, in the background."""
    deadline = time.perf_counter() + 20
    while len(workers := engine.workers()) != n:
        assert time.perf_counter() < deadline, f"{len(workers)} workers instead of {n}"
        time.sleep(0.1)
    return workers


ONE_WORKER = ("--set", "threads=1", "--set", "hash=16")


def run_script(text: str, timeout: float = 60.0, arguments: Sequence[str] = ONE_WORKER) -> tuple[list[str], int, str]:
    """What `printf text | engine` prints, its exit status, and its stderr."""
    with EngineProcess(arguments) as engine:
        engine.send_bytes(text.encode())
        engine.end_input()
        lines = engine.read_to_end(timeout)
        status = engine.wait_exit(timeout)
        assert engine.wait_gone(3) == []
        return texts(lines), status, engine.stderr_text


class Terminal:
    """The program on a pseudo-terminal, driven as a person or an expect script would."""

    def __init__(self, arguments: Sequence[str] = (), *, echo: bool = False, columns: int = 80) -> None:
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "protocol", *arguments],
            env=engine_environment(),
            encoding="utf-8",
            codec_errors="replace",
            echo=echo,
            dimensions=(24, columns),
            timeout=60,
        )
        # Pipes need no rest between write and read, and 50 ms a line add up.
        self.child.delaybeforesend = None
        self.echo = echo

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.close(force=True)

    def send(self, line: str) -> None:
        self.child.sendline(line)

    def wait_for(self, pattern: str, timeout: float = 30) -> str:
        """The next line that matches `pattern` as a whole; lines before it are dropped."""
        deadline = time.perf_counter() + timeout
        wanted = re.compile(pattern)
        while True:
            self.child.expect("\r\n", timeout=max(0.0, deadline - time.perf_counter()))
            line = self.child.before
            assert isinstance(line, str)
            if wanted.fullmatch(line):
                return line

    def quit(self) -> int:
        """Send `quit` and wait for the end; the exit status."""
        self.send("quit")
        self.child.expect(pexpect.EOF, timeout=10)
        self.child.close()
        assert self.child.exitstatus is not None, f"ended by signal {self.child.signalstatus}"
        return self.child.exitstatus
