"""Lines in, lines out: the two binary streams of the protocol, and nothing about what the lines mean.

One thread reads, one thread writes, and neither ever computes or waits for the other: a client that doesn't
read can still be heard, and a search that prints a lot can't delay `stop`.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

MAX_LINE_BYTES = 65_536
"""Longest input line, its end not counted. A whole game with passes takes less than 300."""

MAX_PROGRESS_LINES = 256
"""Progress lines kept for a slow reader; beyond that the oldest is dropped."""

_READ_BYTES = 65_536
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CONTROL_BYTES = bytes(code for code in range(32) if code != ord("\t")) + b"\x7f"


class LineError(Enum):
    """Why an input line was not handed over; the value is the protocol's error code."""

    TOO_LONG = "line-too-long"
    BAD_ENCODING = "bad-encoding"


InputItem = str | LineError


# -- reading -----------------------------------------------------------------------------------------------


class LineSplitter:
    """Cuts a stream of bytes into lines, however the bytes arrive.

    LF, CRLF and CR end a line alike. One byte order mark at the start of the stream is dropped, bytes that
    are not UTF-8 are replaced. A line beyond MAX_LINE_BYTES gives one TOO_LONG, as soon as it is that long,
    and is not stored; a line with control characters other than TAB gives BAD_ENCODING.

    drop_controls: control characters are left out instead, as GTP has it.
    """

    def __init__(self, drop_controls: bool = False) -> None:
        self._drop_controls = drop_controls
        self._begun = bytearray()
        self._skipping = False
        self._after_cr = False
        self._first = True

    def feed(self, data: bytes) -> list[InputItem]:
        """The lines that these bytes complete."""
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
            self._after_cr = False
        if not data:
            return []
        self._after_cr = data.endswith(b"\r")
        *ended, rest = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        items: list[InputItem] = []
        for piece in ended:
            self._extend(piece, items)
            self._end_line(items)
        self._extend(rest, items)
        return items

    def finish(self) -> list[InputItem]:
        """The last line, if the stream ended without a line end."""
        items: list[InputItem] = []
        if self._begun:
            self._end_line(items)
        return items

    def _extend(self, piece: bytes, items: list[InputItem]) -> None:
        if self._skipping:
            return
        if len(self._begun) + len(piece) > MAX_LINE_BYTES:
            self._skipping = True
            self._begun.clear()
            items.append(LineError.TOO_LONG)
            return
        self._begun += piece

    def _end_line(self, items: list[InputItem]) -> None:
        line = bytes(self._begun)
        self._begun.clear()
        if self._skipping:
            self._skipping = False
        else:
            if self._first:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            if self._drop_controls:
                line = line.translate(None, _CONTROL_BYTES)
            items.append(_decode(line))
        self._first = False


def _decode(line: bytes) -> InputItem:
    if len(line.translate(None, _CONTROL_BYTES)) != len(line):
        return LineError.BAD_ENCODING
    return line.decode("utf-8", "replace")


class LineReader:
    """Reads lines from a descriptor on a thread of its own.

    deliver: called on that thread with each item, and last with None at the end of input. A descriptor of
    None is an input that has ended. drop_controls: see LineSplitter.
    """

    def __init__(
        self, descriptor: int | None, deliver: Callable[[InputItem | None], None], drop_controls: bool = False
    ) -> None:
        self._descriptor = descriptor
        self._deliver = deliver
        self._splitter = LineSplitter(drop_controls)
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)

    def start(self) -> None:
        """Begins to read."""
        self._thread.start()

    def _run(self) -> None:
        while data := self._read():
            for item in self._splitter.feed(data):
                self._deliver(item)
        for item in self._splitter.finish():
            self._deliver(item)
        self._deliver(None)

    def _read(self) -> bytes:
        """The next bytes; empty at the end of input, which an unreadable descriptor also is."""
        if self._descriptor is None:
            return b""
        while True:
            try:
                return os.read(self._descriptor, _READ_BYTES)
            except BlockingIOError:  # somebody else made the pipe non-blocking
                select.select([self._descriptor], [], [])
            except OSError:
                return b""


# -- writing -----------------------------------------------------------------------------------------------


class LineWriter:
    """Writes lines to a descriptor on a thread of its own, each whole and with one write.

    `send` never waits. Progress lines are kept for a slow reader only up to a limit, the newest of them;
    all other lines are kept. on_closed: called once, on the writing thread, when the reader is gone; from
    then on everything is dropped. on_written: sees each line that was written. A descriptor of None is a
    reader that was never there.
    """

    def __init__(
        self,
        descriptor: int | None,
        on_closed: Callable[[], None],
        on_written: Callable[[str], None] | None = None,
        max_progress: int = MAX_PROGRESS_LINES,
    ) -> None:
        self._descriptor = descriptor
        self._on_closed = on_closed
        self._on_written = on_written
        self._max_progress = max_progress
        self._waiting: deque[tuple[str, bool]] = deque()
        self._n_progress = 0
        self._writing = False
        self._ending = False
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def send(self, line: str, progress: bool = False) -> None:
        """Queues a line; progress: it may be dropped if the reader is slow."""
        with self._changed:
            if self._closed or self._ending:
                return
            if progress:
                if self._n_progress >= self._max_progress:
                    self._drop_oldest_progress()
                self._n_progress += 1
            self._waiting.append((clean_line(line), progress))
            self._changed.notify_all()

    def flush(self, timeout: float) -> bool:
        """Waits until everything is written; False if that takes longer than `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._writing, timeout)

    def close(self, timeout: float) -> bool:
        """Takes no more lines and writes what is left, as `flush`."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        return self.flush(timeout)

    @property
    def failed(self) -> bool:
        """True if a line could not be written."""
        return self._closed

    def reader_is_gone(self) -> bool:
        """True if it is certain that nobody will read what is written next."""
        if self._closed or self._descriptor is None:
            return True
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._descriptor, 0)  # POLLERR and POLLHUP are reported unasked
        return any(state & (select.POLLERR | select.POLLHUP) for _, state in poll.poll(0))

    def _drop_oldest_progress(self) -> None:
        for index, (_, progress) in enumerate(self._waiting):
            if progress:
                del self._waiting[index]
                self._n_progress -= 1
                return

    def _run(self) -> None:
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting or self._ending)
                if not self._waiting:
                    return
                line, progress = self._waiting.popleft()
                self._n_progress -= progress
                self._writing = True
            if not self._write(line.encode("ascii") + b"\n"):
                self._give_up()
                return
            if self._on_written is not None:
                self._on_written(line)

    def _write(self, data: bytes) -> bool:
        """Writes all of it; False if nobody can read it any more."""
        if self._descriptor is None:
            return False
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                select.select([], [self._descriptor], [])
            except OSError:
                return False
        return True

    def _give_up(self) -> None:
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._writing = False
            self._changed.notify_all()
        self._on_closed()


def clean_line(text: str) -> str:
    """A text as one line of ASCII: other characters become `?`, control characters and trailing blanks go."""
    line = text.encode("ascii", "replace").decode("ascii")
    if not line.isprintable():
        line = "".join(each if each.isprintable() else " " for each in line)
    return line.rstrip()


# -- descriptors -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wire:
    """The descriptors that carry the protocol; None where the process was started without one."""

    input: int | None
    output: int | None


def claim_descriptors() -> Wire:
    """Takes standard input and output for the protocol, out of everybody else's reach.

    The two are duplicated to private descriptors that no child process inherits; then 0 is the null device
    and 1 the same as 2, so a stray `print`, here or in a child, lands on stderr, and no child keeps the
    client's pipe open. Descriptors that were closed are filled with the null device first, or the next file
    opened would take their place. Call it once, before anything else opens files.
    """
    missing = [descriptor for descriptor in (0, 1, 2) if not _is_open(descriptor)]
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in missing:
        os.dup2(null, descriptor)
        os.set_inheritable(descriptor, True)  # dup2 leaves it alone where `null` is the descriptor itself
    wire = Wire(None if 0 in missing else os.dup(0), None if 1 in missing else os.dup(1))
    if 0 not in missing:
        os.dup2(null, 0)
    os.dup2(2, 1)
    if null > 2:
        os.close(null)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stdout = sys.stderr
    if sys.platform == "win32":
        import msvcrt

        for private in (wire.input, wire.output):
            if private is not None:
                msvcrt.setmode(private, os.O_BINARY)
    return wire


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
