"""The kernel decorator and the disk cache, in fresh processes on folders of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import othello_engine
from othello_engine.core import jit

pytestmark = pytest.mark.skipif(not jit.IS_COMPILED, reason="nothing is compiled")

ROOT = Path(othello_engine.__file__).parents[1]

# Loads every kernel of rules and evaluation, calls what recurses and what calls across files, and tells what
# it found, how many kernels were ready, how many came from the cache, and what went wrong on the way.
PROGRAM = """
import sys
from pathlib import Path
from othello_engine.core import jit
ready = []
jit.on_kernel = ready.append
jit.use_folder(Path(sys.argv[1]) if sys.argv[1] else None)
from othello_engine.core import hashing, last_flip, moves, parity, perft, stability, symmetry
from othello_engine.evaluation import classic
player, opponent = 0x0000000810000000, 0x0000001008000000
p, o = 0xFFC0000000000001, 0x003F7E7E7E7E7E7E
print(perft.perft(player, opponent, 6), moves.legal_moves(player, opponent))
print(moves.flips(19, player, opponent), moves.flips(1, o, p))
print(hashing.position_hash(p, o), last_flip.count_last_flips(0, p), parity.quadrant_parity(p))
print(stability.stable_discs(p, o), symmetry.canonical(p, o), classic.evaluate(p, o), perft.perft(p, o, 3))
kernels = [moves.legal_moves, moves.flips, perft.perft, stability.stable_discs, classic.evaluate]
print(len(ready), sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels), jit.failures(), sep="|")
"""


def run(folder: Path | str, root: Path = ROOT) -> tuple[list[str], int, int, str]:
    """(results, kernels ready, cache hits among five, failures) of a process; stderr must stay empty.

    root: where the package is imported from.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    *results, counts = done.stdout.splitlines()
    n_ready, n_hits, failures = counts.split("|")
    return results, int(n_ready), int(n_hits), failures


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder that one process has filled, and what that process computed."""
    folder = tmp_path_factory.mktemp("kernels")
    results, n_ready, n_hits, failures = run(folder)
    assert (n_hits, failures) == (0, "[]")
    assert n_ready > 20
    return folder, results


def test_kernels_from_the_cache_compute_what_the_compiling_process_did(
    filled: tuple[Path, list[str]],
) -> None:
    """NU-1: the second and the third process load everything, run it, and survive."""
    folder, results = filled
    assert results[0].startswith("8200 ")
    for _ in range(2):
        again, _, n_hits, failures = run(folder)
        assert (again, n_hits, failures) == (results, 5, "[]")


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80scrambled"])
def test_damaged_files_cost_time_and_nothing_else(
    filled: tuple[Path, list[str]], tmp_path: Path, suffix: str, content: bytes
) -> None:
    """NU-5: kernels whose files can't be loaded are compiled in memory, and the failures are told."""
    folder, results = filled
    damaged = sorted(folder.rglob(f"*.{suffix}"))
    assert damaged
    copy = tmp_path / "copy"
    for path in folder.rglob("*"):
        if path.is_file():
            target = copy / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    for path in damaged[::4]:
        (copy / path.relative_to(folder)).write_bytes(content)
    again, n_ready, _, failures = run(copy)
    assert again == results
    assert n_ready > 20
    assert failures != "[]"


def test_without_a_folder_kernels_are_compiled_in_memory(
    filled: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NU-4: nothing is written, also not beside the sources."""
    monkeypatch.chdir(tmp_path)
    package = Path(jit.__file__).parent
    before = set(package.rglob("*.nb*"))
    results, _, n_hits, failures = run("")
    assert (results, n_hits, failures) == (filled[1], 0, "[]")
    assert set(package.rglob("*.nb*")) == before
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told_and_leaves_nothing_beside_the_sources(
    filled: tuple[Path, list[str]], tmp_path: Path
) -> None:
    """NU-4, NU-6: Numba's own places don't notice a change in another file."""
    package = Path(othello_engine.__file__).parent
    shutil.copytree(package, tmp_path / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    results, n_ready, _, failures = run("/dev/null/kernels", tmp_path)
    assert results == filled[1]
    assert n_ready > 20
    assert sorted(tmp_path.rglob("*.nb*")) == []
    assert failures != "[]"
