"""The dialogues of `docs/protocol.md`, as they stand there: against a scripted engine, and against the real
one.

`N` stands for a number, `M` for a move, `...` for the rest of a line or alone for any number of lines.
"""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.protocol.fake_engine import Desk, FakeEngine, answer_truly, count_truly

ROOT = Path(__file__).parents[2]
PAGES = ("docs/protocol.md", "README.md")
LOADING_SECONDS = 180.0


@dataclass(frozen=True)
class Dialogue:
    page: str
    line: int
    text: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def dialogues() -> list[Dialogue]:
    found = []
    for page in PAGES:
        begin: int | None = None
        lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if line == "```dialogue":
                begin = number + 1
            elif line == "```" and begin is not None:
                found.append(Dialogue(page, begin + 1, tuple(lines[begin:number])))
                begin = None
    return found


def pattern(expected: str, page: str) -> str:
    """The regular expression of an expected line. In the README what varies is printed as it came out
    once."""
    if page == "README.md":
        expected = re.sub(r"\b(nodes|nps|time|seldepth|hashfull) \d+", r"\1 N", expected)
    parts = {"M": r"(?:[a-h][1-8]|pass)", "...": r".*"}
    return " ".join(parts.get(word) or numbers(word) for word in expected.split(" "))


def numbers(word: str) -> str:
    return ",".join(r"-?\d+" if part == "N" else re.escape(part) for part in word.split(","))


def play(dialogue: Dialogue, send: Callable[[str], None], read: Callable[[], str]) -> None:
    """Sends what is marked `>` and compares what is read with what is marked `<`."""
    skip = False
    for line in dialogue.text:
        mark, text = line[:2], line[2:]
        if mark == "> ":
            send(text)
        elif line == "< ...":
            skip = True
        else:
            assert mark == "< ", line
            while True:
                said = read()
                if re.fullmatch(pattern(text, dialogue.page), said):
                    break
                assert skip, f"{said!r} instead of {text!r}"
            skip = False


# -- against a scripted engine -----------------------------------------------------------------------------


@pytest.mark.parametrize("dialogue", dialogues(), ids=str)
def test_a_dialogue_goes_as_printed(dialogue: Dialogue) -> None:
    def prepare(engine: FakeEngine) -> None:
        engine.answer = answer_truly
        engine.count_for_me = count_truly

    desk = Desk(prepare=prepare, profile=None)
    said: list[str] = []

    def send(line: str) -> None:
        said.extend(desk.send(line))

    def read() -> str:
        while not said:
            said.extend(desk.wait_for(".*"))
        return said.pop(0)

    play(dialogue, send, read)
    assert all(line.startswith("info") for line in said)


# -- against the real one ----------------------------------------------------------------------------------


@pytest.fixture
def program() -> Iterator[tuple[Callable[[str], None], Callable[[], str]]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    process = subprocess.Popen(
        [sys.executable, "-m", "protocol"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
        bufsize=1,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    stdin, stdout = process.stdin, process.stdout
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    reader = threading.Thread(target=lambda: [lines.put(line) for line in stdout], daemon=True)
    reader.start()

    def send(line: str) -> None:
        stdin.write(line + "\n")
        stdin.flush()

    def read() -> str:
        return lines.get(timeout=LOADING_SECONDS).removesuffix("\n")

    send("isready")
    while read() != "readyok":  # on an empty cache, progress comes first
        continue
    yield send, read
    if process.poll() is None:
        send("quit")
    assert process.wait(5) == 0
    reader.join(5)
    assert process.stderr.read() == ""
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


@pytest.mark.e2e
@pytest.mark.parametrize("dialogue", dialogues(), ids=str)
def test_a_dialogue_goes_as_printed_with_the_real_engine(
    dialogue: Dialogue, program: tuple[Callable[[str], None], Callable[[], str]]
) -> None:
    play(dialogue, *program)
