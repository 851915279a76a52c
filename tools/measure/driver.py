"""Drives the real program through plain pipes and stamps every line with the time at which it arrived.

The tests and all measurements stand on this one class. It starts the program in a session of its own, so that
whatever is left of it can be found and ended; it never waits without a time limit.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import psutil

import protocol
from tools.measure.grammar import Info, kind_of, parse_info

COMMAND = (sys.executable, "-m", "protocol")
START_TIMEOUT = 180.0
"""Seconds allowed to the first `readyok`: long enough to compile everything on a slow and busy machine."""


class NoAnswerError(AssertionError):
    """What was waited for did not come in time, or the program ended first."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of output: its text without newline, its kind by the grammar, its arrival
    (`time.perf_counter`).
    """

    text: str
    kind: str
    at: float


@dataclass(frozen=True, slots=True)
class Search:
    """Everything that belongs to one `go`: its search lines, its answer, and seconds from sending to the
    answer.
    """

    lines: tuple[Line, ...]
    best: str
    ponder: str | None
    seconds: float

    @property
    def infos(self) -> tuple[Info, ...]:
        return tuple(parse_info(line.text) for line in self.lines if line.kind == "info")

    @property
    def last(self) -> Info:
        """The last line of the best move that carries a score."""
        return next(i for i in reversed(self.infos) if i.score is not None and i.multipv in (None, 1))


def engine_environment(**changes: str | None) -> dict[str, str]:
    """The environment for a child that must run the very `protocol` package imported here, from any folder.

    changes: variables to set, or with None to remove.
    """
    env = dict(os.environ)
    root = str(Path(protocol.__file__).resolve().parent.parent)
    given = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
    paths = [root, *(os.path.abspath(path) for path in given)]
    env["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    for name, value in changes.items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = value
    return env


def session_members(session: int) -> list[psutil.Process]:
    """Living processes of a session (zombies are dead): the program itself and all it started."""
    members = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                members.append(process)
        except (psutil.Error, OSError):
            continue
    return members


class EngineProcess:
    """A running engine program.

    arguments: after `python -m protocol`. options: sent as `setoption` lines right away. check_grammar: look
    up every line in the grammar; a line that fits nothing raises from the next call that reads. games: those whose
    grammar it may be of.
    """

    def __init__(
        self,
        arguments: Sequence[str] = (),
        *,
        options: Mapping[str, object] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        command: Sequence[str] = COMMAND,
        check_grammar: bool = True,
        games: Sequence[str] = ("othello",),
        preexec: Callable[[], None] | None = None,
    ) -> None:
        self.check_grammar = check_grammar
        self.games = games
        self.transcript: deque[str] = deque(maxlen=400)
        self.raw = bytearray()
        self.keep_raw = False
        self.started_at = time.perf_counter()
        self.popen = subprocess.Popen(
            [*command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=dict(env) if env is not None else engine_environment(),
            cwd=cwd,
            start_new_session=True,
            preexec_fn=preexec,
        )
        self.pid = self.popen.pid
        self._lines: deque[Line] = deque()
        self._news = threading.Condition()
        self._output_ended = False
        self._fault: Exception | None = None
        self._stderr = bytearray()
        self._reading = threading.Event()
        self._reading.set()
        self._readers = [
            threading.Thread(target=self._read_output, name="engine stdout", daemon=True),
            threading.Thread(target=self._read_errors, name="engine stderr", daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        for name, value in (options or {}).items():
            self.send(f"setoption name {name} value {value}")

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- reading threads

    def _read_output(self) -> None:
        assert self.popen.stdout is not None
        descriptor = self.popen.stdout.fileno()
        rest = b""
        while True:
            self._reading.wait()
            try:
                chunk = os.read(descriptor, 65536)
            except OSError:
                chunk = b""
            now = time.perf_counter()
            if not chunk:
                break
            if self.keep_raw:
                self.raw += chunk
            *whole, rest = (rest + chunk).split(b"\n")
            with self._news:
                for raw in whole:
                    self._take(raw, now)
                self._news.notify_all()
        with self._news:
            if rest:
                self._fault = self._fault or AssertionError(f"output ends inside a line: {rest!r}")
            self._output_ended = True
            self._news.notify_all()

    def _take(self, raw: bytes, now: float) -> None:
        text = raw.decode("latin-1")
        kind = ""
        if self.check_grammar:
            try:
                kind = kind_of(text, self.games)
            except AssertionError as fault:
                self._fault = self._fault or fault
        self.transcript.append(f"< {text}")
        self._lines.append(Line(text, kind, now))

    def _read_errors(self) -> None:
        assert self.popen.stderr is not None
        descriptor = self.popen.stderr.fileno()
        while True:
            try:
                chunk = os.read(descriptor, 65536)
            except OSError:
                return
            if not chunk:
                return
            self._stderr += chunk

    def pause_reading(self) -> None:
        """Stop draining stdout, after at most one more chunk, so that the pipe fills."""
        self._reading.clear()

    def resume_reading(self) -> None:
        self._reading.set()

    # --- talking

    def send(self, *lines: str) -> float:
        """Write whole lines with one write call; returns the time (`time.perf_counter`) just before it."""
        for line in lines:
            self.transcript.append(f"> {line[:200]}")
        return self.send_bytes("".join(line + "\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> float:
        assert self.popen.stdin is not None
        view = memoryview(data)
        start = time.perf_counter()
        while view:
            view = view[self.popen.stdin.write(view) :]
        return start

    def end_input(self) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.close()

    def read_line(self, timeout: float = 10.0) -> Line:
        """The next line; NoAnswerError if none comes in `timeout` seconds or the output has ended."""
        deadline = time.perf_counter() + timeout
        with self._news:
            while not self._lines:
                self._raise_fault()
                if self._output_ended:
                    raise NoAnswerError(self._story("the output ended"))
                left = deadline - time.perf_counter()
                if left <= 0 or not self._news.wait(left):
                    if self._lines:
                        break
                    raise NoAnswerError(self._story(f"nothing came in {timeout:g} s"))
            self._raise_fault()
            return self._lines.popleft()

    def read_until(self, pattern: str, timeout: float = 10.0) -> list[Line]:
        """All lines up to and with the first that matches `pattern` as a whole."""
        deadline = time.perf_counter() + timeout
        wanted = re.compile(pattern)
        found: list[Line] = []
        while True:
            try:
                found.append(self.read_line(max(0.0, deadline - time.perf_counter())))
            except NoAnswerError as fault:
                raise NoAnswerError(f"waiting for {pattern!r}: {fault}") from None
            if wanted.fullmatch(found[-1].text):
                return found

    def read_available(self) -> list[Line]:
        """What has already arrived, without waiting."""
        with self._news:
            self._raise_fault()
            found = list(self._lines)
            self._lines.clear()
            return found

    def read_for(self, seconds: float) -> list[Line]:
        """Everything that arrives within `seconds`."""
        time.sleep(seconds)
        return self.read_available()

    def read_to_end(self, timeout: float = 10.0) -> list[Line]:
        """Everything up to the end of the output."""
        deadline = time.perf_counter() + timeout
        with self._news:
            while not self._output_ended:
                left = deadline - time.perf_counter()
                if left <= 0:
                    raise NoAnswerError(self._story(f"the output did not end in {timeout:g} s"))
                self._news.wait(left)
            self._raise_fault()
            found = list(self._lines)
            self._lines.clear()
            return found

    def ask(self, *commands: str, timeout: float = 10.0) -> list[str]:
        """Send commands that answer at once; returns their answers (a ping marks the end and is not among
        them).
        """
        self.send(*commands, "isready")
        return [line.text for line in self.read_until("readyok", timeout)[:-1]]

    def ask_unloaded(self, *commands: str, timeout: float = 10.0) -> list[str]:
        """As `ask`, for commands that need no search process: a refused query marks the end, which loads
        nothing.
        """
        self.send(*commands, "query end-of-answers")
        return [line.text for line in self.read_until("error bad-argument end-of-answers.*", timeout)[:-1]]

    def wait_ready(self, timeout: float = START_TIMEOUT) -> float:
        """Ping until ready; returns seconds since the program was started."""
        self.send("isready")
        return self.read_until("readyok", timeout)[-1].at - self.started_at

    def collect(self, sent_at: float, timeout: float = 30.0) -> Search:
        """Read up to the next `bestmove`."""
        lines = self.read_until("bestmove .*", timeout)
        words = lines[-1].text.split()
        ponder = words[3] if len(words) > 3 else None
        return Search(tuple(lines[:-1]), words[1], ponder, lines[-1].at - sent_at)

    def search(self, *commands: str, timeout: float = 30.0) -> Search:
        """Send commands of which the last starts a search, and read it."""
        return self.collect(self.send(*commands), timeout)

    # --- the processes

    def processes(self) -> list[psutil.Process]:
        """The program and everything it started that still lives, also if the program itself is gone."""
        return session_members(self.pid)

    def workers(self) -> list[psutil.Process]:
        """The search processes (not the resource tracker that multiprocessing may start)."""
        found = []
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                if process.pid != self.pid and "resource_tracker" not in " ".join(process.cmdline()):
                    found.append(process)
        return sorted(found, key=lambda process: process.pid)

    def cpu_seconds(self) -> float:
        """CPU time used so far by all living processes of the program."""
        total = 0.0
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                total += times.user + times.system
        return total

    def wait_gone(self, timeout: float) -> list[psutil.Process]:
        """Wait until no process of the program lives; returns those that still do after `timeout` seconds."""
        deadline = time.perf_counter() + timeout
        self.popen.poll()
        while (left := self.processes()) and time.perf_counter() < deadline:
            time.sleep(0.02)
            self.popen.poll()
        return left

    def wait_exit(self, timeout: float = 5.0) -> int:
        """The exit status; NoAnswerError if the program still runs after `timeout` seconds."""
        try:
            return self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            raise NoAnswerError(self._story(f"still running after {timeout:g} s")) from None

    def quit(self, timeout: float = 5.0) -> int:
        """Send `quit`; returns the exit status."""
        with contextlib.suppress(OSError):
            self.send("quit")
        return self.wait_exit(timeout)

    def close(self) -> None:
        """End everything that is left, hard, and release the pipes. May be called again."""
        self.resume_reading()
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(5)
        for reader in self._readers:
            reader.join(5)
        for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    @property
    def stderr_text(self) -> str:
        return bytes(self._stderr).decode("utf-8", "replace")

    def _raise_fault(self) -> None:
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def _story(self, what: str) -> str:
        status = self.popen.poll()
        state = "running" if status is None else f"ended with status {status}"
        tail = "\n  ".join(list(self.transcript)[-25:])
        return f"{what}; the program is {state}; last lines:\n  {tail}\nstderr: {self.stderr_text[-2000:]!r}"
