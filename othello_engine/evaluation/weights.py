"""Weight files: the numbers that a trained evaluation has learned, as the training writes and the engine reads them.

A file is one line that names the format and its version, one line of JSON (`WeightsHeader`), and the weights as they
lie in memory (`features` says how), compressed by zlib. Whoever reads it is the parent process, so there is no NumPy
and no Numba here. Nothing is believed: every fault of a file is a WeightsError that names the file and what is wrong.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, BinaryIO

from othello_engine.errors import WeightsError
from othello_engine.evaluation.features import FEATURES_DIGEST, WEIGHTS_BYTES

FORMAT_VERSION = 1

_MAGIC = b"othello-engine weights "
_LONGEST_LINE = 1 << 16
_CHUNK = 1 << 18
_SHIPPED = {"patterns": "strong.weights"}


@dataclass(frozen=True, slots=True)
class WeightsHeader:
    """What a weight file says about itself.

    name: for people. recipe: how the weights were made. features: digest of the features they belong to. size: bytes
    in memory. sha256: of those bytes; it names these weights whatever compressed them. payload_bytes, payload_crc32: of
    what follows the header. `write` fills in the last three.
    """

    name: str
    recipe: str
    features: str = FEATURES_DIGEST
    size: int = WEIGHTS_BYTES
    sha256: str = ""
    payload_bytes: int = 0
    payload_crc32: int = 0


def shipped_file(evaluation: str) -> str | None:
    """Path of the weights that come with the program for an evaluation; None if it needs none."""
    name = _SHIPPED.get(evaluation)
    return None if name is None else os.path.join(os.path.dirname(__file__), name)


# -- reading -----------------------------------------------------------------------------------------------------


def read_header(path: str | os.PathLike[str]) -> WeightsHeader:
    """What the file says about itself, whichever features it is for. Raises WeightsError."""
    with _opened(path) as file:
        return _read_header(file)


def check(path: str | os.PathLike[str]) -> WeightsHeader:
    """Make sure, in a fraction of the time of `load`, that `load` will take the file. Raises WeightsError."""
    with _opened(path) as file:
        header = _read_header(file)
        _check_fits(header, file)
        crc = 0
        while chunk := file.read(_CHUNK):
            crc = zlib.crc32(chunk, crc)
        if crc != header.payload_crc32:
            raise _BadFileError("the file is damaged: its checksum is wrong")
        return header


def load(path: str | os.PathLike[str], buffer: Any) -> WeightsHeader:
    """Read the weights into a writable buffer of WEIGHTS_BYTES; no more than a small part of them is held twice.

    Raises WeightsError; then the buffer holds anything.
    """
    with _opened(path) as file, memoryview(buffer) as whole, whole.cast("B") as raw:
        assert raw.nbytes == WEIGHTS_BYTES
        header = _read_header(file)
        _check_fits(header, file)
        try:
            _inflate(file, raw)
        except zlib.error as error:
            raise _BadFileError(f"the file is damaged: {error}") from None
        if hashlib.sha256(raw).hexdigest() != header.sha256:
            raise _BadFileError("the file is damaged: the weights don't match their checksum")
        return header


class _BadFileError(Exception):
    """What is wrong with a file, without its name."""


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The file, open; all that may be wrong with it comes out as a WeightsError that names it."""
    name = os.fspath(path)
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):  # opening a pipe would wait for somebody to write to it
            raise _BadFileError("not a file")
        with open(name, "rb") as file:
            yield file
    except _BadFileError as fault:
        raise WeightsError(f"{name}: {fault}") from None
    except OSError as error:
        raise WeightsError(f"{name}: {error.strerror or error}") from None
    except ValueError as error:  # a name that no file can have
        raise WeightsError(f"{name!a}: {error}") from None


def _read_header(file: BinaryIO) -> WeightsHeader:
    magic = file.readline(len(_MAGIC) + 20)
    if not magic.startswith(_MAGIC):
        raise _BadFileError("not a weight file")
    version = magic[len(_MAGIC) :].strip().decode("ascii", "replace")
    if version != str(FORMAT_VERSION):
        raise _BadFileError(f"a weight file of format version {version}; this program reads version {FORMAT_VERSION}")
    try:
        entries = json.loads(file.readline(_LONGEST_LINE))
        values = {each.name: entries[each.name] for each in fields(WeightsHeader)}
        if any(type(values[each.name]).__name__ != each.type for each in fields(WeightsHeader)):
            raise TypeError
    except (ValueError, RecursionError, KeyError, TypeError):
        raise _BadFileError("the file is damaged: its header can't be read") from None
    return WeightsHeader(**values)


def _check_fits(header: WeightsHeader, file: BinaryIO) -> None:
    """Make sure that the weights belong to this program's features, and that the file has its full length."""
    if header.features != FEATURES_DIGEST:
        raise _BadFileError(
            f"weights for the features of another version of the program ({header.features}, not {FEATURES_DIGEST})"
        )
    if header.size != WEIGHTS_BYTES:
        raise _BadFileError(f"{header.size} bytes of weights, where {WEIGHTS_BYTES} are needed")
    size = os.fstat(file.fileno()).st_size - file.tell()
    if size < header.payload_bytes:
        raise _BadFileError(f"the file is cut short: {header.payload_bytes - size} bytes are missing")
    if size > header.payload_bytes:
        raise _BadFileError(f"the file is damaged: {size - header.payload_bytes} bytes too many")


def _inflate(file: BinaryIO, raw: memoryview) -> None:
    """Fill `raw` with what the rest of the file unpacks to, which must be exactly so much."""
    unpacker = zlib.decompressobj()
    at = 0
    packed = b""
    while not unpacker.eof:
        packed = unpacker.unconsumed_tail or file.read(_CHUNK)
        if not packed:
            raise _BadFileError("the file is damaged: its data end too early")
        part = unpacker.decompress(packed, _CHUNK)
        if at + len(part) > raw.nbytes:
            raise _BadFileError("the file is damaged: more weights than it says")
        raw[at : at + len(part)] = part
        at += len(part)
    if at < raw.nbytes or unpacker.unused_data:
        raise _BadFileError("the file is damaged: not as many weights as it says")


# -- writing -----------------------------------------------------------------------------------------------------


def write(path: str | os.PathLike[str], weights: Any, header: WeightsHeader) -> WeightsHeader:
    """Make a weight file; the header as written. The same input makes the same file, with the same zlib.

    weights: as they lie in memory, any C-contiguous buffer. The file appears whole or not at all.
    """
    with memoryview(weights) as whole, whole.cast("B") as raw:
        if raw.nbytes != header.size:
            raise ValueError(f"{raw.nbytes} bytes of weights, where {header.size} are needed")
        payload = zlib.compress(raw, 9)
        digest = hashlib.sha256(raw).hexdigest()
    written = replace(header, sha256=digest, payload_bytes=len(payload), payload_crc32=zlib.crc32(payload))
    unfinished = f"{os.fspath(path)}.unfinished"
    with open(unfinished, "wb") as file:
        file.write(_MAGIC + f"{FORMAT_VERSION}\n".encode())
        file.write(json.dumps(asdict(written)).encode() + b"\n")
        file.write(payload)
    os.replace(unfinished, path)
    return written
