"""An engine program as a process: started, written to, read with deadlines and arrival times, ended for certain.

There are no reader threads. Whoever waits for a line polls the pipes itself, so that an arrival is stamped right behind
the system call that brought it, and no thread has to wake another one. What nobody waits for stays in the pipe: a
program that floods us is stopped by the full pipe and costs no memory. Standard error is read along and its end kept
for fault messages.

Every program runs in a session of its own. `close` kills all that is left in it, and if this process ends without
having come so far, `guard.py` does. Only what made itself a daemon in yet another session escapes.

POSIX only. A Program belongs to one thread at a time; `kill` alone may be called from any.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import select
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import psutil

from tools.engines import guard

MAX_LINE = 1 << 20
"""Bytes. A longer line is no line of any dialect."""
_CHUNK = 1 << 16
_READ_AHEAD = 1 << 24
"""Bytes of output taken in while writing to a program that does not read; then only writing is tried."""
_SEND_LIMIT_S = 20.0
_LOOK_S = 0.25
"""How often a silent program is looked at whether it lives: a child of it may hold its output open."""
_KEPT_STDERR = 4096
_KEPT_LINES = 20
_SHOWN = 200
"""Bytes of a line in a story."""
_KEPT_ANSWER = 1000
"""Lines of one answer."""


class ProgramError(Exception):
    """A program can't do its part. The first line of the text says why; more lines tell the story."""


class StartError(ProgramError):
    """It can't be started."""


class EndedError(ProgramError):
    """It ended, or closed its input or output."""


class SilenceError(ProgramError):
    """It did not answer, or did not read, in time."""


class FloodError(ProgramError):
    """It wrote a line without end."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of output. raw: its bytes, line end included; at: its arrival (`time.perf_counter`)."""

    raw: bytes
    at: float

    @property
    def text(self) -> str:
        """Without its line end, LF or CR LF. Bytes that are no UTF-8 are replaced."""
        return self.raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")


class Program:
    """A running program.

    command: program and arguments. directory: where it runs. environment: added to ours. Raises StartError. Deadlines
    are points of `time.perf_counter`. Every method that reads or writes may raise EndedError or SilenceError, and
    FloodError when reading.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        directory: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.command = tuple(command)
        self.started_at = time.perf_counter()
        env = {**os.environ, **(environment or {})}
        try:
            self._popen = subprocess.Popen(
                [find_program(self.command[0], directory, env), *self.command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=directory,
                env=env,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise StartError(f"can't start {self.command[0]}: {_reason(error)}") from None
        self.pid = self._popen.pid
        _guard.watch(self.pid)
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        assert self._popen.stderr is not None
        self._stdin, self._stdout, self._stderr = (
            stream.fileno() for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        )
        self._poll = select.poll()
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        self._lines: deque[Line] = deque()
        self._rest = b""  # a line that has not ended yet
        self._output_ended = False
        self._errors = b""
        self._is_closed = False
        self._dialogue: deque[bytes] = deque(maxlen=_KEPT_LINES)

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- writing

    def send(self, *lines: str) -> float:
        """Write whole lines in one piece; returns the time just before."""
        return self.send_bytes("".join([f"{line}\n" for line in lines]).encode())

    def send_bytes(self, data: bytes, limit_s: float = _SEND_LIMIT_S) -> float:
        """Write; returns the time just before. Output that comes meanwhile is taken in, so that a program which does
        not read because nobody reads from it can go on.
        """
        if self._is_closed or self._popen.stdin is None or self._popen.stdin.closed:
            raise EndedError(self.story("its input is closed"))
        self._dialogue.extend([b"> " + line for line in data[:_SHOWN].rstrip(b"\n").split(b"\n")])
        start = time.perf_counter()
        try:
            written = os.write(self._stdin, data)
        except BlockingIOError:
            written = 0
        except OSError as error:
            raise EndedError(self.story(f"its input is closed ({_reason(error)})")) from None
        if written < len(data):
            self._send_patiently(memoryview(data)[written:], start + limit_s)
        return start

    def _send_patiently(self, data: memoryview, deadline: float) -> None:
        n_read = 0
        while data:
            wait = select.poll()
            wait.register(self._stdin, select.POLLOUT)
            if not self._output_ended and n_read < _READ_AHEAD:
                wait.register(self._stdout, select.POLLIN)
            left = deadline - time.perf_counter()
            ready = wait.poll(1000 * min(left, _LOOK_S)) if left > 0 else []
            if left <= 0:
                raise SilenceError(self.story("it does not read its input"))
            for descriptor, _ in ready:
                if descriptor == self._stdout:
                    n_read += self._take_output()
                    continue
                try:
                    data = data[os.write(self._stdin, data) :]
                except BlockingIOError:
                    pass
                except OSError as error:
                    raise EndedError(self.story(f"its input is closed ({_reason(error)})")) from None

    def end_input(self) -> None:
        """Close its standard input."""
        assert self._popen.stdin is not None
        with contextlib.suppress(OSError):
            self._popen.stdin.close()

    # --- reading

    def read_line(self, deadline: float) -> Line:
        """The next line; SilenceError if it has not come by then, EndedError if none can come any more."""
        while not self._lines:
            if self._output_ended:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._popen.wait(_LOOK_S)  # its status is about to come
                raise EndedError(self.story("its output ended"))
            left = deadline - time.perf_counter()
            self._wait(max(left, 0.0))
            if left <= 0 and not self._lines and not self._output_ended:  # standard error may flood for ever
                raise SilenceError(self.story("no answer in time"))
        line = self._lines.popleft()
        if line.at > deadline:
            raise SilenceError(self.story("no answer in time"))
        self._dialogue.append(b"< " + line.raw[:_SHOWN].rstrip(b"\r\n"))
        return line

    def read_until(self, pattern: re.Pattern[str], deadline: float) -> list[Line]:
        """The lines up to and with the first that the pattern matches as a whole; of a flood the last ones only."""
        found: deque[Line] = deque(maxlen=_KEPT_ANSWER)
        while True:
            found.append(self.read_line(deadline))
            if pattern.fullmatch(found[-1].text):
                return list(found)

    def read_available(self) -> list[Line]:
        """The lines that have come already. At most as much as a pipe holds, and a little more."""
        if not self._output_ended:
            self._wait(0.0)
        found = list(self._lines)
        self._lines.clear()
        self._dialogue.extend(b"< " + line.raw[:_SHOWN].rstrip(b"\r\n") for line in found[-_KEPT_LINES:])
        return found

    def _wait(self, seconds: float) -> bool:
        """Wait for output for so long, or less. False: nothing came."""
        ready = self._poll.poll(1000 * min(seconds, _LOOK_S))
        if not ready and self._popen.poll() is not None:
            self._output_ended = True  # and a child of it holds the pipe
        for descriptor, _ in ready:
            if descriptor == self._stdout:
                self._take_output()
            else:
                self._take_errors()
        return bool(ready)

    def _take_output(self) -> int:
        """Read what there is, up to a chunk; the number of bytes."""
        now = time.perf_counter()
        try:
            chunk = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return 0
        except OSError:
            chunk = b""
        if not chunk:
            self._output_ended = True
            self._poll.unregister(self._stdout)
            chunk, self._rest = self._rest, b""
            if chunk:
                self._lines.append(Line(chunk, now))
            return 0
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        self._lines.extend([Line(raw + b"\n", now) for raw in whole])
        if len(self._rest) > MAX_LINE:
            self._rest = b""
            raise FloodError(self.story(f"a line of more than {MAX_LINE} bytes"))
        return len(chunk)

    def _take_errors(self) -> None:
        try:
            chunk = os.read(self._stderr, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if chunk:
            self._errors = (self._errors + chunk)[-_KEPT_STDERR:]
        else:
            self._poll.unregister(self._stderr)

    # --- state

    @property
    def exit_status(self) -> int | None:
        """As of `subprocess`: None while it runs, minus the signal that killed it."""
        return self._popen.poll()

    @property
    def stderr_text(self) -> str:
        """The end of what it wrote to standard error, as far as it was read."""
        return self._errors.decode("utf-8", "replace")

    def wait_exit(self, timeout: float) -> int:
        """Its exit status; what it still writes is read and dropped. SilenceError if it runs on after so many
        seconds.
        """
        deadline = time.perf_counter() + timeout
        while (status := self._popen.poll()) is None:
            if time.perf_counter() > deadline:
                raise SilenceError(self.story(f"it still runs after {timeout:g} s"))
            if self._output_ended:
                time.sleep(0.005)
            else:
                self._wait(0.02)
            self._lines.clear()
        return status

    def pids(self) -> list[int]:
        """All processes of its session that live: itself, and what it started."""
        found = []
        for pid in psutil.pids():
            with contextlib.suppress(OSError, psutil.Error):
                if os.getsid(pid) == self.pid and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                    found.append(pid)
        return found

    def cpu_seconds(self) -> float:
        """CPU time so far of all its processes that live, and of those that it waited for."""
        total = 0.0
        for pid in self.pids():
            with contextlib.suppress(psutil.Error):
                times = psutil.Process(pid).cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
        return total

    def story(self, what: str) -> str:
        """`what`, then how the program is and the last lines of the dialogue."""
        with contextlib.suppress(OSError, ValueError):
            if not self._is_closed:
                for descriptor, _ in self._poll.poll(0):
                    if descriptor == self._stderr:
                        self._take_errors()
        status = self._popen.poll()
        state = "running" if status is None else f"ended with status {status}"
        parts = [f"{what}; the program is {state}"]
        errors = self.stderr_text.strip().splitlines()
        if errors:
            parts[0] += f"; stderr: {errors[-1][:200]}"
        parts += [line.decode("utf-8", "replace") for line in self._dialogue]
        return "\n  ".join(parts)

    # --- the end

    def kill(self) -> None:
        """Kill everything that it started. From another thread this ends a call that waits for the program."""
        if self._is_closed:
            return
        guard.kill_session(self.pid)
        if sys.platform != "linux":
            for pid in self.pids():
                with contextlib.suppress(OSError):
                    os.kill(pid, 9)

    def close(self, grace_s: float = 0.0) -> int:
        """Close its input, give it so long to end by itself, then kill what is left; the exit status. May be called
        again.
        """
        if self._is_closed:
            return self._popen.wait()
        self.end_input()
        if grace_s:
            with contextlib.suppress(ProgramError):
                self.wait_exit(grace_s)
        self.kill()
        status = self._popen.wait()
        self._is_closed = True
        for stream in (self._popen.stdout, self._popen.stderr):
            assert stream is not None
            stream.close()
        _guard.forget(self.pid)
        return status


def find_program(name: str, directory: str | Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    """The path of a program as a shell in `directory` would find it. Raises FileNotFoundError or PermissionError."""
    base = Path(directory or ".")
    if directory is not None and not base.is_dir():
        raise FileNotFoundError(2, "no such folder", str(directory))
    if os.sep in name:
        path = Path(os.path.abspath(base / Path(name).expanduser()))
        if not path.is_file():
            raise FileNotFoundError(2, "no such file", str(path))
        if not os.access(path, os.X_OK):
            raise PermissionError(13, "not executable", str(path))
        return str(path)
    found = shutil.which(name, path=(environment or os.environ).get("PATH"))
    if found is None:
        raise FileNotFoundError(2, "no such program on the PATH", name)
    return os.path.abspath(found)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}{f' ({error.filename})' if error.filename else ''}"
    return str(error)


class _Guard:
    """The process of `guard.py`, started with the first program."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._popen: subprocess.Popen[bytes] | None = None

    def watch(self, session: int) -> None:
        self._tell(f"+{session}\n")

    def forget(self, session: int) -> None:
        self._tell(f"-{session}\n")

    def close(self) -> None:
        with self._lock:
            popen, self._popen = self._popen, None
            if popen is not None and popen.stdin is not None:
                with contextlib.suppress(OSError):
                    popen.stdin.close()
                popen.wait()

    def _tell(self, text: str) -> None:
        with self._lock:
            if self._popen is None:
                self._popen = subprocess.Popen(
                    [sys.executable, "-I", "-S", guard.__file__],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    bufsize=0,
                    start_new_session=True,
                )
                atexit.register(self.close)
            assert self._popen.stdin is not None
            with contextlib.suppress(OSError):
                self._popen.stdin.write(text.encode())


_guard = _Guard()
