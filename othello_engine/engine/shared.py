"""Memory that the parent and its workers share, and how much of it may be had.

The memory has no name that anybody could guess, leak or remove: on Linux it is a `memfd`, elsewhere on POSIX a
temporary file that is unlinked at once, on Windows a paging-file section under a random name that vanishes with its
last handle. The parent creates it and hands a descriptor to each worker over its pipe. When the last process that
holds it is gone, however it went, so is the memory.

Sizes are checked before use. A system that promises memory it does not have ends the process with a bus error at the
first write, and no program can catch that.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import reduction
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

MEBIBYTE = 1 << 20
SHARE_OF_AVAILABLE = 0.75
"""Part of the available memory that one block may take: the rest of the machine has to live as well."""
SMALLEST_TABLE = MEBIBYTE
"""Below this a table is no use; it is asked for whatever the system says is left."""
_CLEAR_CHUNK = MEBIBYTE
_MADV_POPULATE_WRITE = 23
"""Linux 5.14 and later; Python has no name for it yet. Elsewhere the number is refused."""
_POPULATE_CHUNK = 8 * MEBIBYTE
POPULATE_LIMIT = 512 * MEBIBYTE
"""Providing pages costs 0.6 ms a MiB; of larger tables the rest comes page by page, over a longer time anyway."""
WORKER_BYTES = 128 * MEBIBYTE
"""What a worker needs besides the table: interpreter, compiler, kernels."""
_WINDOWS = sys.platform == "win32"


class SharedBlock:
    """A zeroed piece of memory that other processes can map as well.

    buffer: the mapping. view: the same as 64-bit integers, each read and written whole. size: bytes.
    """

    def __init__(self, size: int, descriptor: int | None, tag: str | None) -> None:
        """Map memory that exists already; use `create` or `receive`."""
        self.size = size
        self._descriptor = descriptor
        self._tag = tag
        if _WINDOWS:
            self.buffer = mmap.mmap(-1, size, tagname=tag)  # type: ignore[call-arg,unused-ignore]
        else:
            assert descriptor is not None
            self.buffer = mmap.mmap(descriptor, size)
            _advise_huge_pages(self.buffer)
        self.view = memoryview(self.buffer).cast("q")

    @classmethod
    def create(cls, size: int) -> SharedBlock:
        """A new block of `size` bytes, all zero. Raises OSError when the system refuses."""
        if _WINDOWS:
            return cls(size, None, f"Local\\othello-engine-{secrets.token_hex(16)}")
        descriptor = _anonymous_file(size)
        try:
            return cls(size, descriptor, None)
        except (OSError, ValueError, OverflowError) as error:
            os.close(descriptor)
            raise OSError(f"can't map {size} bytes: {error}") from error

    def send(self, connection: Connection[Any, Any], pid: int) -> None:
        """Hand the block to the process `pid`, which must call `receive` on the other end."""
        connection.send((self.size, self._tag))
        if self._descriptor is not None:
            reduction.send_handle(connection, self._descriptor, pid)

    @classmethod
    def receive(cls, connection: Connection[Any, Any]) -> SharedBlock:
        """The block that the other end of the connection sends."""
        size, tag = connection.recv()
        descriptor = None if tag is not None else reduction.recv_handle(connection)
        return cls(size, descriptor, tag)

    def populate(self) -> None:
        """Have the system provide the pages now and map them in this process, up to POPULATE_LIMIT: a page fault for
        each would otherwise fall into the first search and make it several times slower. Does nothing where there is
        no such call. Several processes may do it at once; they start at different places.
        """
        starts = list(range(0, min(self.size, POPULATE_LIMIT), _POPULATE_CHUNK))
        first = os.getpid() % len(starts)
        with contextlib.suppress(OSError, ValueError, AttributeError):
            for start in starts[first:] + starts[:first]:
                self.buffer.madvise(_MADV_POPULATE_WRITE, start, min(_POPULATE_CHUNK, self.size - start))

    def clear(self) -> None:
        """Set every byte to zero for all processes. Nobody may be using the block meanwhile."""
        with contextlib.suppress(AttributeError, OSError, ValueError):
            self.buffer.madvise(mmap.MADV_REMOVE)  # gives the pages back: as good as new, whatever the size
            return
        zeros = bytes(min(_CLEAR_CHUNK, self.size))
        for start in range(0, self.size, len(zeros)):
            part = min(len(zeros), self.size - start)
            self.buffer[start : start + part] = zeros[:part]

    def close(self) -> None:
        """Let go of the block; the memory is free when every process has. Idempotent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)
        self.view.release()
        with contextlib.suppress(BufferError):  # somebody holds a view of their own: then it goes with that
            self.buffer.close()


def _anonymous_file(size: int) -> int:
    """Descriptor of `size` zero bytes of memory or, where there is no such thing, of an unlinked file."""
    with contextlib.suppress(AttributeError, OSError):
        descriptor = os.memfd_create("othello-engine", os.MFD_CLOEXEC)
        try:
            os.ftruncate(descriptor, size)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor
    with tempfile.TemporaryFile(prefix="othello-engine-") as file:
        os.ftruncate(file.fileno(), size)
        if hasattr(os, "posix_fallocate"):  # a hole that can't be filled later would be a bus error
            os.posix_fallocate(file.fileno(), 0, size)
        return os.dup(file.fileno())


def _advise_huge_pages(buffer: mmap.mmap) -> None:
    """Ask for large pages: a table is read at random places, and each small page costs a look-up."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        buffer.madvise(mmap.MADV_HUGEPAGE)


# -- how much may be taken ---------------------------------------------------------------------------------------


def available_memory(root: Path = Path("/")) -> int | None:
    """Bytes that this process could still fill, by the system and by its control group; None if nobody says.

    root: where `proc` and `sys` are found (tests put their own there).
    """
    known = [value for value in (_system_available(root), _group_available(root)) if value is not None]
    if not _has_memfd():
        with contextlib.suppress(OSError, AttributeError):
            space = os.statvfs(tempfile.gettempdir())
            known.append(space.f_bavail * space.f_frsize)
    return min(known, default=None)


def _has_memfd() -> bool:
    return _WINDOWS or hasattr(os, "memfd_create")


def _system_available(root: Path) -> int | None:
    """`MemAvailable` of the kernel: free memory plus what caches would give back."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in (root / "proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def _group_available(root: Path) -> int | None:
    """What the control groups of this process leave: the tightest limit minus use, up to the top."""
    left: list[int] = []
    with contextlib.suppress(OSError, ValueError):
        for line in (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "":
                base, limit, used = root / "sys/fs/cgroup", "memory.max", "memory.current"
            elif "memory" in controllers.split(","):
                base = root / "sys/fs/cgroup/memory"
                limit, used = "memory.limit_in_bytes", "memory.usage_in_bytes"
            else:
                continue
            folder = base / path.lstrip("/")
            # A container sees its own group mounted at the top, whatever path the kernel reports for it.
            for place in (folder, *folder.parents):
                if place != base and base not in place.parents:
                    break
                with contextlib.suppress(OSError, ValueError):  # "max" is no number and no limit
                    most = int((place / limit).read_text(encoding="ascii"))
                    left.append(max(0, most - int((place / used).read_text(encoding="ascii"))))
    return min(left, default=None)


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A block for the transposition table; `message` says, in words for the user, if it is smaller than asked."""

    block: SharedBlock
    message: str = ""


def table_size(megabytes: int) -> int:
    """Bytes of the table that `megabytes` MiB stand for: the largest power of two in them."""
    return _power_of_two_below(megabytes * MEBIBYTE)


def create_table_block(
    megabytes: int,
    reusable: int = 0,
    reserved: int = 0,
    available: Callable[[], int | None] = available_memory,
    create: Callable[[int], SharedBlock] = SharedBlock.create,
) -> TableBlock:
    """The largest power of two of bytes that is no more than `megabytes` MiB and that the machine can give.

    reusable: bytes of an older block that is about to be given back. reserved: bytes that will be needed for other
    things. Raises OSError if not even the smallest table can be had.
    """
    asked = table_size(megabytes)
    size = asked
    left = available()
    if left is not None:
        affordable = max(int((left + reusable - reserved) * SHARE_OF_AVAILABLE), SMALLEST_TABLE)
        size = min(size, _power_of_two_below(affordable))
    while True:
        try:
            block = create(size)
            break
        except OSError:
            if size <= SMALLEST_TABLE:
                raise
            size //= 2
    if size == asked:
        return TableBlock(block)
    return TableBlock(block, f"not enough memory for a table of {megabytes} MiB, using {size // MEBIBYTE} MiB instead")


def _power_of_two_below(size: int) -> int:
    """The largest power of two that is no larger than `size`, which is at least 1."""
    return 1 << (size.bit_length() - 1)
