"""Dialogues as they stand in the documentation, replayed: against a scripted engine, and against the real program.

A dialogue is a fenced block marked `dialogue`: `> ` is sent, `< ` is expected. In what is expected `...` stands for any
text, alone for any number of lines, and each dialect has words of its own for what varies, such as `N` for a number.
"""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.protocol.fake_engine import DialectDesk

ROOT = Path(__file__).parents[2]
LOADING_SECONDS = 180.0

Send = Callable[[str], None]
Read = Callable[[], str]


@dataclass(frozen=True)
class Dialogue:
    """page: a file of the repository; line: where in it the text begins."""

    page: str
    line: int
    text: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def dialogues(*pages: str) -> list[Dialogue]:
    """The dialogues of some pages."""
    found = []
    for page in pages:
        begin: int | None = None
        lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if line == "```dialogue":
                begin = number + 1
            elif line == "```" and begin is not None:
                found.append(Dialogue(page, begin + 1, tuple(lines[begin:number])))
                begin = None
    return found


def pattern(expected: str, varying: Mapping[str, str]) -> str:
    """The regular expression of an expected line. varying: regular expressions by the words that stand for them."""
    parts = (re.split(r"(\w+)", part) for part in expected.split("..."))
    return ".*".join("".join(varying.get(piece) or re.escape(piece) for piece in part) for part in parts)


def play(dialogue: Dialogue, send: Send, read: Read, varying: Mapping[str, str]) -> None:
    """Sends what is marked `>` and compares what is read with what is marked `<`."""
    skip = False
    for line in dialogue.text:
        mark, text = (line + " ")[:2], line[2:]
        if mark == "> ":
            send(text)
        elif line == "< ...":
            skip = True
        else:
            assert mark == "< ", line
            while True:
                said = read()
                if re.fullmatch(pattern(text, varying), said):
                    break
                assert skip, f"{said!r} instead of {text!r}"
            skip = False


def talk_to(desk: DialectDesk[Any]) -> tuple[Send, Read, list[str]]:
    """To send to a desk and read from it, and what was said but not read yet."""
    said: list[str] = []

    def send(line: str) -> None:
        said.extend(desk.send(line))

    def read() -> str:
        while not said:
            said.extend(desk.wait_for(".*"))
        return said.pop(0)

    return send, read, said


@contextmanager
def real_program(*arguments: str, quit_line: str = "quit") -> Iterator[tuple[Send, Read]]:
    """To send to the real program and read from it; at the end it must leave on `quit`, with nothing on stderr.

    quit_line: how the dialect says that.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "protocol", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        text=True,
        bufsize=1,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    stdin, stdout = process.stdin, process.stdout
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read_on() -> None:
        for line in stdout:
            lines.put(line)

    reader = threading.Thread(target=read_on, daemon=True)
    reader.start()

    def send(line: str) -> None:
        stdin.write(line + "\n")
        stdin.flush()

    def read() -> str:
        return lines.get(timeout=LOADING_SECONDS).removesuffix("\n")

    try:
        yield send, read
        if process.poll() is None:
            send(quit_line)
        assert process.wait(5) == 0
        reader.join(5)
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
