"""The `kernel` decorator, type shorthands, and where compiled code is cached.

Every kernel has an explicit signature and is compiled (or loaded from the cache) when its module is imported.
`on_kernel` is told of each one, for progress. `use_folder` must be called before the first kernel module is
imported, else kernels are compiled in memory only.

Machine code of a kernel contains the kernels it calls. So a process that finds a complete cache and calls kernels only
at the entries (`entry=True`) need not load the others: that is a third of its start-up time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import njit

U64 = numba.uint64
I64 = numba.int64
VOID = numba.void

_numba_settings: Any = numba.config
"""Numba defines its settings at run time, out of sight of type checkers."""

IS_COMPILED = not _numba_settings.DISABLE_JIT

on_kernel: Callable[[str], None] | None = None
"""Called with the name of each kernel as it becomes ready."""

_folder: Path | None = None
_entries_only = False
_failures: list[str] = []


def use_folder(folder: Path | None, entries_only: bool = False) -> None:
    """Keep compiled kernels below `folder`; None compiles in memory only.

    entries_only: the folder is complete, and Python will call nothing but entries.
    """
    global _folder, _entries_only
    _folder = folder
    _entries_only = entries_only and folder is not None
    _numba_settings.CACHE_DIR = "" if folder is None else str(folder)
    # Without this Numba falls back silently to __pycache__ beside the sources, which no digest protects.
    _numba_settings.CACHE_LOCATOR_CLASSES = "" if folder is None else "UserProvidedCacheLocator"


def failures() -> list[str]:
    """What went wrong with the disk cache in this process, one text each."""
    return list(_failures)


def kernel(signature: Any, entry: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile for `signature` now, without the interpreter lock at run time, cached on disk when possible.

    entry: the product calls it from Python, not only from other kernels.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = None
        if _entries_only and not entry and IS_COMPILED:
            return _absent(function.__name__)
        if _folder is not None and IS_COMPILED:
            try:
                compiled = njit(signature, cache=True, nogil=True, **options)(function)
            except Exception as error:  # damaged files raise anything; a real fault raises again below
                _failures.append(f"{function.__name__}: {type(error).__name__}: {error}")
        if compiled is None:
            compiled = njit(signature, nogil=True, **options)(function)
        if on_kernel is not None:
            on_kernel(function.__name__)
        return compiled

    return decorate


def _absent(name: str) -> Callable[..., Any]:
    """Stands for a kernel whose machine code lies inside its callers; calling it from Python is a mistake."""

    def refuse(*_: Any) -> Any:
        raise TypeError(f"{name} is not loaded: it is no entry, and this process uses a complete cache")

    return refuse


inlined = partial(njit, inline="always")
"""Only for a helper that must call the recursive kernel it is part of (see docs/search.md)."""

ZERO = np.uint64(0)
ONE = np.uint64(1)
