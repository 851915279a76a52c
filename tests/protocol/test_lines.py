"""Bytes to lines and lines to bytes: line ends, limits, foreign bytes, slow and dead readers, descriptors."""

from __future__ import annotations

import itertools
import os
import random
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from protocol.lines import (
    MAX_LINE_BYTES,
    InputItem,
    LineError,
    LineReader,
    LineSplitter,
    LineWriter,
    clean_line,
)


def split(*chunks: bytes) -> list[InputItem]:
    splitter = LineSplitter()
    items = list(itertools.chain.from_iterable(splitter.feed(chunk) for chunk in chunks))
    return items + splitter.finish()


# -- reading -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_all_line_ends_are_alike(end: bytes) -> None:
    assert split(end.join([b"uoi", b"", b"go depth 3", b""])) == ["uoi", "", "go depth 3"]


def test_a_last_line_needs_no_end() -> None:
    assert split(b"uoi\nquit") == ["uoi", "quit"]
    assert split(b"") == []
    assert split(b"\n") == [""]


def test_a_line_is_complete_as_soon_as_its_end_has_come() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"uoi\r") == ["uoi"]
    assert splitter.feed(b"\nisready\r\n") == ["isready"]
    assert splitter.feed(b"\n") == [""]


def test_lines_do_not_depend_on_how_the_bytes_arrive() -> None:
    rng = random.Random(5)
    pieces = [b"go", b" ", b"\r", b"\n", b"\r\n", b"\xef\xbb\xbf", b"\xe9", b"\x00", b"d3", b"x" * 40_000]
    for _ in range(300):
        data = b"".join(rng.choices(pieces, k=rng.randint(1, 12)))
        whole = split(data)
        if len(data) < 200:
            assert split(*(data[i : i + 1] for i in range(len(data)))) == whole
        cuts = sorted(rng.choices(range(len(data) + 1), k=3))
        assert split(data[: cuts[0]], data[cuts[0] : cuts[1]], data[cuts[1] : cuts[2]], data[cuts[2] :]) == whole


def test_one_byte_order_mark_is_dropped_and_only_at_the_start() -> None:
    mark = b"\xef\xbb\xbf"
    assert split(mark + b"uoi\n" + mark + b"uoi\n") == ["uoi", "\ufeffuoi"]
    assert split(mark[:1], mark[1:] + b"uoi\n") == ["uoi"]


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert split(b"caf\xe9\n", "caf\u00e9\n".encode()) == ["caf\ufffd", "caf\u00e9"]


@pytest.mark.parametrize("byte", [b"\x00", b"\x07", b"\x1b", b"\x1a", b"\x0b", b"\x0c", b"\x7f"])
def test_control_characters_are_refused(byte: bytes) -> None:
    assert split(b"go " + byte + b"\nuoi\n") == [LineError.BAD_ENCODING, "uoi"]


@pytest.mark.parametrize("byte", [b"\x00", b"\x07", b"\x1b", b"\x1a", b"\x0b", b"\x0c", b"\x7f"])
def test_control_characters_are_left_out_where_a_dialect_wants_that(byte: bytes) -> None:
    splitter = LineSplitter(drop_controls=True)
    assert splitter.feed(b"na" + byte + b"me\n" + byte + b"\ngo\tx\r\n") == ["name", "", "go\tx"]


def test_tabs_are_blanks_and_no_control_characters() -> None:
    assert split(b"go\tdepth\t3\n") == ["go\tdepth\t3"]


def test_the_longest_line_is_taken_and_one_byte_more_refused_once() -> None:
    longest = b"x" * MAX_LINE_BYTES
    assert split(longest + b"\nuoi\n") == [longest.decode(), "uoi"]
    assert split(longest + b"x\nuoi\n") == [LineError.TOO_LONG, "uoi"]
    assert split(longest + b"x") == [LineError.TOO_LONG]
    assert split(longest + b"\r\n" + longest + b"xx\r\n" + b"uoi\r\n")[1:] == [LineError.TOO_LONG, "uoi"]


def test_five_mebibytes_of_garbage_are_one_error_and_are_not_kept() -> None:
    splitter = LineSplitter()
    items: list[InputItem] = []
    for _ in range(80):
        items += splitter.feed(b"\x00garbage" * 8192)
        assert len(splitter._begun) <= MAX_LINE_BYTES
    items += splitter.feed(b"\nuoi\n")
    assert items == [LineError.TOO_LONG, "uoi"]


def test_random_bytes_never_raise() -> None:
    rng = random.Random(6)
    splitter = LineSplitter()
    for _ in range(2000):
        for item in splitter.feed(rng.randbytes(rng.randint(0, 400))):
            assert isinstance(item, (str, LineError))


class Pipe:
    """Both ends of a pipe, each closed once."""

    def __init__(self) -> None:
        self.read_end, self.write_end = os.pipe()
        self._open = {self.read_end, self.write_end}

    def close(self, end: int) -> None:
        self._open.remove(end)
        os.close(end)

    def close_all(self) -> None:
        for end in tuple(self._open):
            self.close(end)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    ends = Pipe()
    yield ends
    ends.close_all()


def test_the_reader_hands_over_lines_and_then_the_end(pipe: Pipe) -> None:
    items: list[InputItem | None] = []
    ended = threading.Event()

    def deliver(item: InputItem | None) -> None:
        items.append(item)
        if item is None:
            ended.set()

    os.set_blocking(pipe.read_end, False)  # as a parent may have left it
    LineReader(pipe.read_end, deliver).start()
    os.write(pipe.write_end, b"uoi\nisr")
    os.write(pipe.write_end, b"eady\nquit")
    pipe.close(pipe.write_end)
    assert ended.wait(5)
    assert items == ["uoi", "isready", "quit", None]


@pytest.mark.parametrize("descriptor", [None, 9999])
def test_no_input_is_an_end_of_input(descriptor: int | None) -> None:
    ended = threading.Event()
    LineReader(descriptor, lambda item: ended.set() if item is None else None).start()
    assert ended.wait(5)


# -- writing -----------------------------------------------------------------------------------------------


def read_all(descriptor: int, end: bytes, timeout: float = 5) -> bytes:
    data = b""
    while not data.endswith(end):
        assert select.select([descriptor], [], [], timeout)[0], data[-200:]
        data += os.read(descriptor, 65536)
    return data


def test_lines_are_written_whole_clean_and_at_once(pipe: Pipe) -> None:
    writer = LineWriter(pipe.write_end, lambda: None)
    writer.send("readyok  ")
    assert read_all(pipe.read_end, b"\n") == b"readyok\n"
    writer.send("info string caf\u00e9\r\nbestmove d3\t\x1b[0m")
    assert read_all(pipe.read_end, b"\n") == b"info string caf?  bestmove d3  [0m\n"
    assert writer.close(1)


def test_a_line_is_one_line_of_ascii() -> None:
    assert clean_line("error x \u2603\x00\n") == "error x ?"
    assert clean_line("plain") == "plain"


def test_a_slow_reader_loses_progress_but_no_answer(pipe: Pipe) -> None:
    writer = LineWriter(pipe.write_end, lambda: None, max_progress=10)
    filler = "x" * 1000
    for number in range(500):
        writer.send(f"info {number} {filler}", progress=True)
    for number in range(100):
        writer.send(f"readyok {number} {filler}")
    began = time.monotonic()
    writer.send("info last", progress=True)
    writer.send("bestmove d3")
    assert time.monotonic() - began < 0.5
    assert not writer.flush(0.05)
    lines = read_all(pipe.read_end, b"bestmove d3\n").decode().splitlines()
    infos = [line.split()[1] for line in lines if line.startswith("info")]
    answers = [line.split()[1] for line in lines if line.startswith("readyok")]
    assert answers == [str(number) for number in range(100)]
    assert lines[-2:] == ["info last", "bestmove d3"]
    kept = [int(number) for number in infos[:-1]]
    assert kept == sorted(kept)
    assert kept[-1] == 499
    assert len(kept) < 100
    assert writer.close(1)


def test_a_reader_that_goes_away_is_noticed_once_and_quietly(pipe: Pipe) -> None:
    closed: list[bool] = []
    writer = LineWriter(pipe.write_end, lambda: closed.append(True))
    assert not writer.reader_is_gone()
    pipe.close(pipe.read_end)
    assert writer.reader_is_gone()
    for _ in range(5):
        writer.send("readyok")
    assert writer.flush(5)
    writer.send("more")
    assert writer.close(1)
    deadline = time.monotonic() + 5
    while not closed and time.monotonic() < deadline:
        time.sleep(0.01)
    assert closed == [True]


def test_a_missing_output_is_a_reader_that_is_gone() -> None:
    gone = threading.Event()
    writer = LineWriter(None, gone.set)
    assert writer.reader_is_gone()
    writer.send("readyok")
    assert gone.wait(5)


def test_a_pipe_that_does_not_block_gets_everything(pipe: Pipe) -> None:
    os.set_blocking(pipe.write_end, False)
    writer = LineWriter(pipe.write_end, lambda: None)
    text = "y" * 50_000
    for _ in range(5):
        writer.send(text)
    n_read = 0
    while n_read < 5 * 50_001:
        assert select.select([pipe.read_end], [], [], 5)[0]
        n_read += len(os.read(pipe.read_end, 65536))
    assert writer.close(1)


def test_written_lines_are_told_to_whoever_keeps_a_copy(pipe: Pipe) -> None:
    copy: list[str] = []
    writer = LineWriter(pipe.write_end, lambda: None, copy.append)
    writer.send("readyok")
    assert writer.close(1)
    deadline = time.monotonic() + 5
    while not copy and time.monotonic() < deadline:
        time.sleep(0.01)
    assert copy == ["readyok"]


# -- descriptors -------------------------------------------------------------------------------------------

CLAIM = """
import os, subprocess, sys
from protocol.lines import claim_descriptors
wire = claim_descriptors()
print("stray print")
sys.stdout.flush()
subprocess.run([sys.executable, "-c", "import os; print('child', flush=True); print(os.read(0, 9))"])
if wire.output is not None:
    got = os.read(wire.input, 100) if wire.input is not None else None
    os.write(wire.output, repr(got).encode())
"""


def claim(redirection: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f'exec "$0" -c "$1" {redirection}', sys.executable, CLAIM],
        input="wire",
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(
    ("redirection", "output", "errors"),
    [
        ("", "b'wire'", "stray print\nchild\nb''\n"),
        ("0<&-", "None", "stray print\nchild\nb''\n"),
        ("1>&-", "", "stray print\nchild\nb''\n"),
        ("2>&-", "b'wire'", ""),
        ("0<&- 2>&-", "None", ""),
        ("0<&- 1>&- 2>&-", "", ""),
    ],
)
def test_the_wire_is_out_of_reach_of_prints_and_children(redirection: str, output: str, errors: str) -> None:
    done = claim(redirection)
    assert (done.stdout, done.stderr, done.returncode) == (output, errors, 0)
