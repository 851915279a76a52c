"""Weight files: what is written is read back, and every kind of bad file is refused by name and reason."""

from __future__ import annotations

import errno
import json
import mmap
import os
import subprocess
import sys
import zlib
from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from othello_engine.errors import EngineError, WeightsError
from othello_engine.evaluation import weights
from othello_engine.evaluation.features import FEATURES_DIGEST, WEIGHTS_BYTES
from othello_engine.evaluation.weights import FORMAT_VERSION, WeightsHeader

HEADER = WeightsHeader("test", "numbers that count up")
_ROUND = array("h", (7 * index % 1999 - 999 for index in range(100_000)))
PATTERN = (_ROUND.tobytes() * (WEIGHTS_BYTES // 200_000 + 1))[:WEIGHTS_BYTES]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with PATTERN in it."""
    path = tmp_path_factory.mktemp("weights") / "good.weights"
    weights.write(path, PATTERN, HEADER)
    return path


@pytest.fixture
def buffer() -> bytearray:
    return bytearray(WEIGHTS_BYTES)


def parts(path: Path) -> tuple[bytes, dict[str, object], bytes]:
    """First line, header and payload of a file."""
    magic, header, payload = path.read_bytes().split(b"\n", 2)
    return magic + b"\n", json.loads(header), payload


def changed(path: Path, target: Path, payload: bytes | None = None, **entries: object) -> Path:
    """A copy of a file with other header entries, or with another payload and a header that agrees with it."""
    magic, header, old = parts(path)
    if payload is not None:
        header |= {"payload_bytes": len(payload), "payload_crc32": zlib.crc32(payload)}
    header |= entries
    target.write_bytes(magic + json.dumps(header).encode() + b"\n" + (old if payload is None else payload))
    return target


def test_what_is_written_is_read_back(good: Path, buffer: bytearray) -> None:
    header = weights.load(good, buffer)
    assert buffer == PATTERN
    assert header == weights.read_header(good) == weights.check(good)
    assert replace(header, sha256="", payload_bytes=0, payload_crc32=0) == HEADER
    assert (header.features, header.size) == (FEATURES_DIGEST, WEIGHTS_BYTES)


def test_weights_can_be_loaded_into_shared_memory(good: Path) -> None:
    with mmap.mmap(-1, WEIGHTS_BYTES) as block:
        weights.load(good, block)
        assert block[:] == PATTERN


def test_the_same_weights_make_the_same_file(good: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.weights"
    weights.write(again, memoryview(PATTERN), HEADER)
    assert again.read_bytes() == good.read_bytes()
    assert list(tmp_path.iterdir()) == [again]


def test_weights_of_the_wrong_number_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="10 bytes of weights"):
        weights.write(tmp_path / "short.weights", bytes(10), HEADER)
    assert list(tmp_path.iterdir()) == []


def test_a_recipe_may_hold_any_text(tmp_path: Path, good: Path) -> None:
    path = changed(good, tmp_path / "x", recipe="zwei\nZeilen, 100 \N{GREEK SMALL LETTER MU}s")
    assert weights.check(path).recipe.endswith("\N{GREEK SMALL LETTER MU}s")


def test_an_evaluation_without_weights_has_no_file() -> None:
    assert weights.shipped_file("classic") is None
    assert str(weights.shipped_file("patterns")).endswith(os.path.join("evaluation", "strong.weights"))


def test_a_file_for_other_features_can_still_be_described(good: Path, tmp_path: Path) -> None:
    path = changed(good, tmp_path / "other", features="0123456789abcdef", size=5)
    assert weights.read_header(path).size == 5


# -- bad files: `check` and `load` refuse the same ------------------------------------------------------------------


def refused(path: Path | str, reason: str, buffer: bytearray) -> None:
    for read in (weights.check, lambda path: weights.load(path, buffer)):
        with pytest.raises(WeightsError, match=reason) as caught:
            read(path)
        assert str(path) in str(caught.value)
        assert isinstance(caught.value, EngineError)
        assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path, buffer: bytearray) -> None:
    refused(tmp_path / "nowhere.weights", os.strerror(errno.ENOENT), buffer)


def test_what_is_no_file_is_named(tmp_path: Path, buffer: bytearray) -> None:
    refused(tmp_path, "not a file", buffer)
    if hasattr(os, "mkfifo"):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        refused(pipe, "not a file", buffer)


def test_a_name_that_no_file_can_have_is_refused(buffer: bytearray) -> None:
    with pytest.raises(WeightsError, match="null"):
        weights.load("a\0b", buffer)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named(good: Path, tmp_path: Path, buffer: bytearray) -> None:
    path = tmp_path / "secret"
    path.write_bytes(good.read_bytes())
    path.chmod(0)
    refused(path, os.strerror(errno.EACCES), buffer)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"GIF89a", bytes(1000), b"othello-engine weight", b"x" * 1_000_000, b"\xff\xfe\n{}\n"],
)
def test_a_foreign_file_is_refused(content: bytes, tmp_path: Path, buffer: bytearray) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    refused(path, "not a weight file", buffer)


@pytest.mark.parametrize("version", [str(FORMAT_VERSION + 1), "0", "one", "", "1" * 40])
def test_another_format_version_is_refused(version: str, good: Path, tmp_path: Path, buffer: bytearray) -> None:
    path = tmp_path / "version"
    path.write_bytes(b"othello-engine weights " + version.encode() + b"\n" + good.read_bytes().split(b"\n", 1)[1])
    refused(path, "format version", buffer)


@pytest.mark.parametrize(
    "header",
    [b"", b"{", b"[]", b"7", b'"x"', b"null", b"[" * 100_000, b'{"name": "x"}', b"\xff", b'{"name": ' + b"1" * 70_000],
)
def test_a_header_that_makes_no_sense_is_refused(header: bytes, good: Path, tmp_path: Path, buffer: bytearray) -> None:
    magic, _, payload = parts(good)
    path = tmp_path / "header"
    path.write_bytes(magic + header + b"\n" + payload)
    refused(path, "header can't be read", buffer)


@pytest.mark.parametrize("name", ["name", "size", "payload_bytes", "payload_crc32", "sha256"])
@pytest.mark.parametrize("value", [None, 1.5, [], True])
def test_header_entries_of_another_type_are_refused(
    name: str, value: object, good: Path, tmp_path: Path, buffer: bytearray
) -> None:
    refused(changed(good, tmp_path / "types", **{name: value}), "header can't be read", buffer)


def test_weights_for_other_features_are_refused(good: Path, tmp_path: Path, buffer: bytearray) -> None:
    path = changed(good, tmp_path / "features", features="0123456789abcdef")
    refused(path, f"another version of the program .0123456789abcdef, not {FEATURES_DIGEST}", buffer)


@pytest.mark.parametrize("size", [0, -1, WEIGHTS_BYTES - 2, 10**30])
def test_weights_of_another_size_are_refused(size: int, good: Path, tmp_path: Path, buffer: bytearray) -> None:
    refused(changed(good, tmp_path / "size", size=size), f"{size} bytes of weights", buffer)


@pytest.mark.parametrize("missing", [1, 1000])
def test_a_file_cut_short_is_refused(missing: int, good: Path, tmp_path: Path, buffer: bytearray) -> None:
    path = tmp_path / "short"
    path.write_bytes(good.read_bytes()[:-missing])
    refused(path, f"cut short: {missing} bytes are missing", buffer)


def test_a_file_with_something_behind_it_is_refused(good: Path, tmp_path: Path, buffer: bytearray) -> None:
    path = tmp_path / "long"
    path.write_bytes(good.read_bytes() + b"!")
    refused(path, "1 bytes too many", buffer)


@pytest.mark.parametrize("place", [0, 2, 1000, -1])
def test_a_single_wrong_byte_is_found(place: int, good: Path, tmp_path: Path, buffer: bytearray) -> None:
    magic, header, payload = parts(good)
    bad = bytearray(payload)
    bad[place] ^= 1
    path = tmp_path / "damaged"
    path.write_bytes(magic + json.dumps(header).encode() + b"\n" + bad)
    refused(path, "is damaged", buffer)


def _bomb() -> bytes:
    return zlib.compress(bytes(WEIGHTS_BYTES + 1))


@pytest.mark.parametrize(
    "payload",
    [
        lambda: b"",
        lambda: b"no zlib data",
        _bomb,
        lambda: zlib.compress(bytes(WEIGHTS_BYTES - 1)),
        lambda: zlib.compress(bytes(WEIGHTS_BYTES)),
        lambda: zlib.compress(PATTERN)[:-5],
        lambda: zlib.compress(PATTERN) + b"more",
    ],
    ids=["nothing", "noise", "too many", "too few", "others", "unfinished", "more"],
)
def test_data_that_unpack_to_something_else_are_refused(
    payload: Callable[[], bytes], good: Path, tmp_path: Path, buffer: bytearray
) -> None:
    path = changed(good, tmp_path / "data", payload())
    with pytest.raises(WeightsError, match=f"{path}: the file is damaged"):
        weights.load(path, buffer)


def test_reading_weights_imports_no_numba_and_no_numpy() -> None:
    code = "import sys, othello_engine.evaluation.weights; print(sorted({'numba', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
