"""Shared memory: nameless, zeroed, checked for size, gone with its last holder."""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing import Pipe
from pathlib import Path

import pytest

from othello_engine.engine import shared
from othello_engine.engine.shared import MEBIBYTE, SharedBlock, available_memory, create_table_block

GIBIBYTE = 1024 * MEBIBYTE


def test_a_block_is_zeroed_and_writable() -> None:
    block = SharedBlock.create(MEBIBYTE)
    try:
        assert block.buffer[:] == bytes(MEBIBYTE)
        block.view[5] = -7
        assert block.buffer[40:48] == (-7).to_bytes(8, sys.byteorder, signed=True)
    finally:
        block.close()
    block.close()


def test_a_block_handed_over_is_the_same_memory() -> None:
    ours, theirs = Pipe()
    block = SharedBlock.create(MEBIBYTE)
    block.send(ours, os.getpid())
    other = SharedBlock.receive(theirs)
    block.view[3] = 99
    assert other.size == MEBIBYTE
    assert other.view[3] == 99
    block.close()
    assert other.view[3] == 99
    other.close()


@pytest.mark.parametrize("has_remove", [True, False])
def test_clear_zeroes_for_everybody(has_remove: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_remove:
        monkeypatch.delattr(shared.mmap, "MADV_REMOVE", raising=False)
    ours, theirs = Pipe()
    block = SharedBlock.create(2 * MEBIBYTE + 4096)
    block.send(ours, os.getpid())
    other = SharedBlock.receive(theirs)
    other.buffer[:] = b"\xff" * block.size
    block.clear()
    assert other.buffer[:] == bytes(block.size)
    block.close()
    other.close()


def test_populating_keeps_what_is_there() -> None:
    block = SharedBlock.create(16 * MEBIBYTE)
    block.buffer[5000] = 7
    block.populate()
    assert block.buffer[5000] == 7
    assert block.buffer[:5000] == bytes(5000)
    block.close()


def test_the_memory_has_no_name_in_the_file_system() -> None:
    places = [Path(place) for place in ("/dev/shm", "/tmp") if Path(place).is_dir()]
    before = {path for place in places for path in place.iterdir() if "othello" in path.name}
    block = SharedBlock.create(MEBIBYTE)
    after = {path for place in places for path in place.iterdir() if "othello" in path.name}
    block.close()
    assert after == before


def test_without_memfd_an_unlinked_file_serves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr(shared.tempfile, "tempdir", str(tmp_path))
    block = SharedBlock.create(MEBIBYTE)
    try:
        assert list(tmp_path.iterdir()) == []
        assert block.buffer[:] == bytes(MEBIBYTE)
        block.buffer[0] = 1
    finally:
        block.close()


def test_without_memfd_the_room_for_files_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    space = os.statvfs(tmp_path)
    small = os.statvfs_result((4096, 4096, 1000, 1000, 700, *space[5:]))
    monkeypatch.setattr(os, "statvfs", lambda place: small)
    assert available_memory() == 700 * 4096


@pytest.mark.parametrize(
    ("left", "asked", "got"),
    [
        (GIBIBYTE, 256, 256),
        (GIBIBYTE, 257, 256),
        (GIBIBYTE, 300, 256),
        (GIBIBYTE, 65536, 512),
        (100 * MEBIBYTE, 256, 64),
        (2 * MEBIBYTE, 256, 1),
        (0, 256, 1),
        (None, 256, 256),
    ],
)
def test_the_table_is_the_largest_power_of_two_that_can_be_afforded(left: int | None, asked: int, got: int) -> None:
    sizes: list[int] = []

    def create(size: int) -> SharedBlock:
        sizes.append(size)
        return SharedBlock.create(4096)

    made = create_table_block(asked, available=lambda: left, create=create)
    made.block.close()
    assert sizes == [got * MEBIBYTE]
    is_smaller = got < 1 << (asked.bit_length() - 1)
    assert bool(made.message) == is_smaller
    if is_smaller:
        assert f"{asked} MiB" in made.message
        assert f"{got} MiB" in made.message


def test_memory_about_to_be_given_back_counts() -> None:
    made = create_table_block(
        64, reusable=100 * MEBIBYTE, available=lambda: 0, create=lambda size: SharedBlock.create(4096)
    )
    made.block.close()
    assert made.message == ""


def test_memory_needed_for_other_things_does_not_count() -> None:
    made = create_table_block(
        64,
        reserved=200 * MEBIBYTE,
        available=lambda: 240 * MEBIBYTE,
        create=lambda size: SharedBlock.create(4096),
    )
    made.block.close()
    assert "using 16 MiB" in made.message


def test_a_refusal_halves_the_table_until_it_fits() -> None:
    def create(size: int) -> SharedBlock:
        if size > 8 * MEBIBYTE:
            raise OSError("no")
        return SharedBlock.create(size)

    made = create_table_block(64, available=lambda: None, create=create)
    assert made.block.size == 8 * MEBIBYTE
    assert "using 8 MiB" in made.message
    made.block.close()


def test_a_refusal_of_the_smallest_table_is_an_error() -> None:
    def create(size: int) -> SharedBlock:
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        create_table_block(64, available=lambda: None, create=create)


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        ({"proc/meminfo": "MemTotal: 100 kB\nMemAvailable:   7 kB\n"}, 7 * 1024),
        ({"proc/meminfo": "MemTotal: 100 kB\n"}, None),
        (
            {
                "proc/meminfo": "MemAvailable: 900 kB\n",
                "proc/self/cgroup": "0::/box/inner\n",
                "sys/fs/cgroup/box/inner/memory.max": "max\n",
                "sys/fs/cgroup/box/inner/memory.current": "10\n",
                "sys/fs/cgroup/box/memory.max": "5000\n",
                "sys/fs/cgroup/box/memory.current": "2000\n",
            },
            3000,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu,memory:/box\n0::/\n",
                "sys/fs/cgroup/memory/box/memory.limit_in_bytes": "5000\n",
                "sys/fs/cgroup/memory/box/memory.usage_in_bytes": "1000\n",
            },
            4000,
        ),
        (
            {
                "proc/self/cgroup": "0::/seen/from/outside\n",
                "sys/fs/cgroup/memory.max": "700\n",
                "sys/fs/cgroup/memory.current": "900\n",
            },
            0,
        ),
        ({"proc/self/cgroup": "nonsense\n"}, None),
    ],
)
def test_the_tightest_limit_counts(tmp_path: Path, files: dict[str, str], expected: int | None) -> None:
    _write(tmp_path, files)
    assert available_memory(tmp_path) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
def test_a_limit_on_address_space_gives_a_smaller_table_and_no_crash() -> None:
    script = (
        "import resource\n"
        "from othello_engine.engine.shared import create_table_block\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({512 * MEBIBYTE}, -1))\n"
        "made = create_table_block(4096)\n"
        "made.block.buffer[made.block.size - 1] = 1\n"
        "print(made.block.size, made.message)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    size, _, message = done.stdout.partition(" ")
    assert MEBIBYTE <= int(size) <= 512 * MEBIBYTE
    assert "4096 MiB" in message
