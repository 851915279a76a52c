"""A copy of the traffic in a file: every line received and sent, with its time. For finding out who said
what."""

from __future__ import annotations

import threading
import time
from typing import TextIO


class TrafficLog:
    """Appends lines to a file while one is open: `>` to the engine, `<` from it.

    Safe to use from several threads. A file that can't be written any more is given up silently: the protocol
    goes on without its copy.
    """

    def __init__(self) -> None:
        self._file: TextIO | None = None
        self._lock = threading.Lock()

    def open(self, path: str) -> None:
        """Appends to this file from now on; an empty path ends logging. Raises OSError and then changes
        nothing."""
        file = open(path, "a", encoding="utf-8", errors="replace", buffering=1) if path else None  # noqa: SIM115
        with self._lock:
            former, self._file = self._file, file
        if former is not None:
            former.close()

    def received(self, line: str) -> None:
        """Notes a line that came in."""
        self._note(">", line)

    def sent(self, line: str) -> None:
        """Notes a line that went out."""
        self._note("<", line)

    def _note(self, direction: str, line: str) -> None:
        if self._file is None:
            return
        now = time.time()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        with self._lock:
            if self._file is not None:
                try:
                    self._file.write(f"{stamp}.{int(now * 1000) % 1000:03d} {direction} {line}\n")
                except OSError:
                    self._file = None
