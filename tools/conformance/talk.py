"""A recorded conversation with one process: everything that was sent and came, for the transcript of a failure."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.conformance.check import CheckFailed, ProgramError
from tools.engines.process import EndedError, Line, Program, SilenceError, StartError
from tools.engines.process import ProgramError as ProcessError

SENT, CAME, NOTE = "> ", "< ", "# "
_SHOWN_BYTES = 300


class Talk:
    """Lines to and from a running program, each remembered. Whatever fails raises CheckFailed.

    events: the conversation, each line behind SENT, CAME or, for what happened otherwise, NOTE. printed: every line of
    its output as bytes, without the line feed.
    """

    def __init__(self, command: Sequence[str], directory: Path | None = None) -> None:
        try:
            self._program = Program(command, directory=directory)
        except StartError as error:
            raise ProgramError(str(error).splitlines()[0]) from None
        self.command, self.directory = tuple(command), directory
        self.started_at = self._program.started_at
        self.events: list[str] = []
        self.printed: list[bytes] = []
        self._input_ended = False

    # -- sending ---------------------------------------------------------------------------------------------

    def send(self, *lines: str) -> float:
        """Write whole lines with one write; the time (`time.perf_counter`) just before."""
        self.events.extend(SENT + line for line in lines)
        return self._write("".join(line + "\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> float:
        """Write bytes that need not be lines."""
        for line in data.removesuffix(b"\n").split(b"\n"):
            self.events.append(SENT + _shown(line))
        return self._write(data)

    def end_input(self) -> None:
        """Close the program's standard input."""
        self.events.append(NOTE + "end of input")
        self._input_ended = True
        self._program.end_input()

    def _write(self, data: bytes) -> float:
        try:
            return self._program.send_bytes(data)
        except ProcessError as error:
            self.events.append(NOTE + str(error).splitlines()[0])
            raise CheckFailed("a program that goes on reading") from None

    # -- reading ---------------------------------------------------------------------------------------------

    def next_line(self, limit: float, expected: str) -> str:
        """The next line of output within so many seconds. expected: for the message if there is none."""
        try:
            return self._take(self._program.read_line(time.perf_counter() + limit))
        except SilenceError:
            self.events.append(f"{NOTE}it did not come in time")
            raise CheckFailed(expected) from None
        except ProcessError as error:
            self.events.append(NOTE + str(error).splitlines()[0])
            raise CheckFailed(expected) from None

    def until(self, pattern: str, limit: float, expected: str) -> list[str]:
        """All lines up to and with the first that the pattern matches as a whole, within so many seconds together."""
        deadline = time.perf_counter() + limit
        lines = [self.next_line(limit, expected)]
        while not re.fullmatch(pattern, lines[-1]):
            lines.append(self.next_line(max(0.0, deadline - time.perf_counter()), expected))
        return lines

    def find(self, matches: Callable[[str], bool], limit: float, expected: str) -> str:
        """The first line that matches, within so many seconds; those before it are skipped."""
        deadline = time.perf_counter() + limit
        while not matches(line := self.next_line(max(0.0, deadline - time.perf_counter()), expected)):
            pass
        return line

    def lines_for(self, seconds: float) -> list[str]:
        """Everything that comes within so many seconds; less if the output ends."""
        deadline = time.perf_counter() + seconds
        lines = []
        try:
            while time.perf_counter() < deadline:
                lines.append(self._take(self._program.read_line(deadline)))
        except (SilenceError, EndedError):
            pass
        except ProcessError as error:
            self.events.append(NOTE + str(error).splitlines()[0])
        return lines

    def lines_to_end(self, limit: float) -> list[str]:
        """Everything up to the end of the output, within so many seconds together."""
        deadline = time.perf_counter() + limit
        lines: list[str] = []
        try:
            while True:
                lines.append(self._take(self._program.read_line(deadline)))
        except EndedError:
            self.events.append(NOTE + "end of output")
            return lines
        except ProcessError as error:
            self.events.append(NOTE + str(error).splitlines()[0])
            raise CheckFailed(f"the end of the output within {limit:g} s") from None

    def _take(self, line: Line) -> str:
        self.events.append(CAME + line.text)
        self.printed.append(line.raw.removesuffix(b"\n"))
        return line.text

    # -- the process -----------------------------------------------------------------------------------------

    @property
    def is_usable(self) -> bool:
        """True while one can go on talking."""
        return not self._input_ended and self._program.exit_status is None

    def exit_status(self, limit: float) -> int:
        """How the program ended; minus the signal's number if one killed it."""
        try:
            status = self._program.wait_exit(limit)
        except ProcessError:
            self.events.append(f"{NOTE}still running after {limit:g} s")
            raise CheckFailed(f"the end of the process within {limit:g} s") from None
        self.events.append(f"{NOTE}exit status {status}")
        return status

    def processes(self) -> list[int]:
        """Processes of the program that are alive, those it started included."""
        return self._program.pids()

    def cpu_seconds(self) -> float:
        return self._program.cpu_seconds()

    @property
    def errors(self) -> str:
        """What was written to standard error so far; of much, the end."""
        self._program.story("")  # takes in what has come
        return self._program.stderr_text

    def close(self) -> None:
        """End what is left of the program."""
        self._program.close()


def printable(text: str) -> str:
    """A line of output as it may be shown on a terminal: control characters escaped."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def _shown(data: bytes) -> str:
    """Bytes in a form that shows what they are; long ones are cut."""
    text = repr(data)[2:-1]
    return text if len(data) <= _SHOWN_BYTES else f"{text[:_SHOWN_BYTES]}... ({len(data)} bytes)"
