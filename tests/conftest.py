"""Order and selection of tests, and one kernel cache for all of them."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("search", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("default")

_DAY_S = 24 * 3600.0
_GOMOKU_STAMP = "gomoku.digest"


def pytest_configure(config: pytest.Config) -> None:
    """Kernels compiled by one test run are loaded by the next, as long as their sources are the same."""
    try:
        from othello_engine.core import cache, jit
    except ImportError:  # a tree without kernels or without Numba: the tests that need them say so
        return
    if not hasattr(config, "cache"):  # run with `-p no:cacheprovider`: compile in memory
        return
    assert config.cache is not None
    base = config.cache.mkdir("kernels")
    folder = base / cache.digest()
    if not folder.exists():
        fresh = base / f"{folder.name}.{os.getpid()}"  # another test run may be doing the same
        fresh.mkdir(exist_ok=True)
        _copy_from_engine(fresh)
        try:
            fresh.rename(folder)
        except OSError:
            shutil.rmtree(fresh, ignore_errors=True)
    folder.touch()
    for old in base.iterdir():
        if time.time() - old.stat().st_mtime > _DAY_S:
            shutil.rmtree(old, ignore_errors=True)
    _forget_other_gomoku(folder, cache.digest(cache.GOMOKU))
    jit.use_folder(folder)


def _copy_from_engine(folder: Path) -> None:
    """What the program has compiled need not be compiled again. A copy: tests add files, which would break its seal."""
    from othello_engine.core import cache

    for kernels in (cache.OTHELLO, cache.GOMOKU):
        compiled = cache.KernelCache(kernels)
        if compiled.is_complete():
            assert compiled.folder is not None
            shutil.copytree(compiled.folder, folder, dirs_exist_ok=True)
            if kernels is cache.GOMOKU:
                (folder / _GOMOKU_STAMP).write_text(cache.digest(kernels), encoding="ascii")


def _forget_other_gomoku(folder: Path, digest: str) -> None:
    """Gomoku's kernels lie in the same folder, and are not part of its name; Numba calls theirs after the packages."""
    stamp = folder / _GOMOKU_STAMP
    if not stamp.exists() or stamp.read_text(encoding="ascii") != digest:
        for package in (*folder.glob("gomoku_*"), *folder.glob("classic_*")):
            shutil.rmtree(package, ignore_errors=True)
        stamp.write_text(digest, encoding="ascii")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow tests only when asked for with `-m` or by name; tests of the real program last."""
    asked_for = config.option.markexpr or any("::" in argument for argument in config.args)
    if not asked_for:
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
    items.sort(key=lambda item: item.get_closest_marker("e2e") is not None)
