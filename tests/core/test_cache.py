"""The cache folder: its name, its manifest, its lock, and what happens where nothing can be written."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from othello_engine.core import cache as cache_module
from othello_engine.core.cache import CACHE_VARIABLE, KernelCache, digest, kernel_sources, n_kernels


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KernelCache:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    return KernelCache()


def fill(cache: KernelCache) -> Path:
    """Put files such as Numba writes into the folder."""
    assert cache.folder is not None
    below = cache.folder / "core_0123"
    below.mkdir(parents=True, exist_ok=True)
    for name in (
        "moves.legal_moves-3.py311.nbi",
        "moves.legal_moves-3.py311.1.nbc",
        "perft-9.py311.nbi",
        "perft-9.py311.1.nbc",
    ):
        (below / name).write_bytes(name.encode() * 100)
    return below


def test_folder_is_named_by_a_digest_below_the_named_place(cache: KernelCache, tmp_path: Path) -> None:
    assert cache.base == tmp_path
    assert cache.folder == tmp_path / digest()
    assert not cache.is_complete()


def test_sources_are_those_of_rules_evaluation_and_search() -> None:
    names = {"/".join(path.parts[-2:]) for path in kernel_sources()}
    assert {"core/moves.py", "core/plain.py", "evaluation/classic.py", "search/midgame.py"} <= names
    assert n_kernels() > 40


def test_digest_changes_with_bounds_checks_and_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """NU-6, NU-7: whatever machine code depends on."""
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    plain = digest()
    assert plain == digest()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert digest() != plain
    monkeypatch.delenv("NUMBA_BOUNDSCHECK")
    monkeypatch.setattr(cache_module, "kernel_sources", lambda kernels: kernel_sources(kernels)[1:])
    assert digest() != plain


def test_sealed_folder_is_complete_until_anything_in_it_changes(cache: KernelCache) -> None:
    """NU-5."""
    below = fill(cache)
    assert not cache.is_complete()
    cache.seal()
    assert cache.is_complete()
    for path in sorted(below.iterdir()):
        content = path.read_bytes()
        for damaged in (content[:-1], b"", content[:50] + b"?" + content[51:], content + b"\0"):
            path.write_bytes(damaged)
            assert not cache.is_complete(), path
        path.unlink()
        assert not cache.is_complete()
        path.write_bytes(content)
        assert cache.is_complete()
    (below / "extra.nbi").write_bytes(b"another")
    assert not cache.is_complete()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"files": 3}', "\0\0"])
def test_damaged_manifest_makes_the_folder_incomplete(cache: KernelCache, text: str) -> None:
    """NU-5."""
    fill(cache)
    cache.seal()
    assert cache.folder is not None
    (cache.folder / "manifest.json").write_text(text)
    assert not cache.is_complete()


def test_an_empty_folder_is_never_complete(cache: KernelCache) -> None:
    assert cache.folder is not None
    cache.folder.mkdir()
    cache.seal()
    assert not cache.is_complete()


def test_emptying_removes_files_and_keeps_the_folder(cache: KernelCache) -> None:
    fill(cache)
    cache.seal()
    cache.empty()
    assert cache.folder is not None
    assert list(cache.folder.iterdir()) == []
    assert not cache.is_complete()


def test_off_and_unwritable_places_mean_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NU-4: never a failure to start, every method a no-op."""
    occupied = tmp_path / "file"
    occupied.write_text("no folder")
    for place in ("off", "OFF", str(occupied), str(occupied / "below"), "/dev/null/cache"):
        monkeypatch.setenv(CACHE_VARIABLE, place)
        cache = KernelCache()
        assert cache.folder is None
        assert not cache.is_complete()
        cache.seal()
        cache.empty()
        with cache.lock() as is_held:
            assert not is_held


def test_only_one_process_at_a_time_holds_the_lock(cache: KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """NU-8."""
    with cache.lock() as is_held:
        assert is_held
        monkeypatch.setattr(cache_module, "_LOCK_TIMEOUT_S", 0.05)
        with KernelCache().lock() as is_second_held:
            assert not is_second_held
    with KernelCache().lock() as is_held:
        assert is_held


def _hold_and_die(folder: str) -> None:
    os.environ[CACHE_VARIABLE] = folder
    with KernelCache().lock():
        os._exit(1)


def test_lock_of_a_dead_process_is_free(cache: KernelCache, tmp_path: Path) -> None:
    """NU-8: a killed compiler must not stop all later starts."""
    process = multiprocessing.get_context("spawn").Process(target=_hold_and_die, args=(str(tmp_path),))
    process.start()
    process.join(30)
    assert process.exitcode == 1
    with cache.lock() as is_held:
        assert is_held


def test_folders_of_other_digests_are_removed_only_when_long_unused(cache: KernelCache, tmp_path: Path) -> None:
    old, recent, foreign = tmp_path / ("0" * 20), tmp_path / ("1" * 20), tmp_path / "keep"
    for folder in (old, recent, foreign):
        folder.mkdir()
    (tmp_path / f"{old.name}.lock").touch()
    long_ago = time.time() - 30 * 24 * 3600
    for folder in (old, foreign):
        os.utime(folder, (long_ago, long_ago))
    fill(cache)
    cache.seal()
    assert not old.exists()
    assert not (tmp_path / f"{old.name}.lock").exists()
    assert recent.exists()
    assert foreign.exists()
    assert cache.is_complete()


def test_a_kernel_whose_machine_code_could_not_be_saved_makes_the_folder_incomplete(cache: KernelCache) -> None:
    """A full disk may take the small index and refuse the large data."""
    below = fill(cache)
    (below / "perft-9.py311.1.nbc").unlink()
    cache.seal()
    assert not cache.is_complete()
