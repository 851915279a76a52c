"""From a cache on disk, or from the compiler, to searchers: what happens first inside a worker."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from othello_engine.config import GOMOKU, OTHELLO
from othello_engine.core import cache as kernel_cache
from othello_engine.core.cache import KernelCache, KernelSet
from othello_engine.engine.messages import AnyExpansion, AnyResult
from othello_engine.gomoku.task import GomokuTask
from othello_engine.search.task import Claim, Task

_MODULE = "othello_engine.engine.loading"
KERNELS = {OTHELLO: f"{_MODULE}:load_othello", GOMOKU: f"{_MODULE}:load_gomoku"}
"""Game -> where its searchers come from; tests name other loaders."""
_KERNEL_SETS = {KERNELS[OTHELLO]: kernel_cache.OTHELLO, KERNELS[GOMOKU]: kernel_cache.GOMOKU}

Progress = Callable[[int, int, bool], None]
"""Told how many kernels are ready, of how many, and whether they are being compiled."""


class SearcherLike(Protocol):
    """What the worker needs of a searcher; `search.driver.Searcher` is one. stop_flag: set by the parent.

    Tasks, expansions and boards are those of its game.
    """

    stop_flag: int

    def attach_table(self, buffer: Any) -> None: ...
    def new_game(self) -> None: ...
    def run(self, task: Any) -> AnyResult: ...
    def expand(self, task: Any) -> AnyExpansion: ...
    def evaluate(self, *board: Any) -> int: ...
    def perft(self, player: int, opponent: int, depth: int) -> int | None: ...
    def feed(self, claim: Claim, generation: int, epoch: int) -> None: ...


class Backend(Protocol):
    """What a loader returns. notes: said to the user once, such as why there is no cache."""

    notes: tuple[str, ...]

    def searcher(self, state_buffer: Any, evaluation: str, weights: Any = None) -> SearcherLike:
        """weights: memory that holds those of the evaluation whenever something is computed; None if it has none."""

    def table_use(self, buffer: Any, generation: int, epoch: int) -> int: ...


def is_cache_warm(loader: str) -> bool:
    """True if workers with this loader would find everything compiled, or compile nothing."""
    if loader not in _KERNEL_SETS:
        return True
    try:
        return KernelCache(_KERNEL_SETS[loader]).is_complete()
    except Exception:  # a worker that meets the same trouble can say so
        return False


def load_othello(progress: Progress) -> Backend:
    """The searchers of Othello."""
    return _load(kernel_cache.OTHELLO, _OthelloBackend, progress)


def load_gomoku(progress: Progress) -> Backend:
    """The searchers of Gomoku."""
    return _load(kernel_cache.GOMOKU, _GomokuBackend, progress)


# -- searchers ---------------------------------------------------------------------------------------------------


class _Backend:
    """searchers: module of the searcher of each evaluation; `""` of all others."""

    searchers: ClassVar[dict[str, str]]

    def __init__(self, notes: tuple[str, ...]) -> None:
        self.notes = notes
        self._module: Any = None

    def searcher(self, state_buffer: Any, evaluation: str, weights: Any = None) -> SearcherLike:
        name = self.searchers.get(evaluation) or self.searchers[""]
        self._module = _import(name)
        made = self.make(state_buffer, evaluation, weights)
        self.touch(made)
        made.new_game()
        return made

    def make(self, state_buffer: Any, evaluation: str, weights: Any) -> SearcherLike:
        searcher: SearcherLike = self._module.Searcher(state_buffer)
        return searcher

    def touch(self, searcher: SearcherLike) -> None:
        """Run everything once on something small, so that no first call falls into a search."""
        raise NotImplementedError

    def table_use(self, buffer: Any, generation: int, epoch: int) -> int:
        return int(self._module.table_use(buffer, generation, epoch))


_START = 1 << 28 | 1 << 35, 1 << 27 | 1 << 36
_MIDGAME = Task(*_START, -(1 << 30), 1 << 30, 3)
_FOUR_EMPTIES = Task(0x280E0A58B8783FF, 0x716F1F5A74787C00, -64, 64, 4, exact=True)


class _OthelloBackend(_Backend):
    """Those that `search.driver` makes, and the one of `search.minimax`, which is loaded when it is wanted."""

    searchers: ClassVar = {"weighted": "search.minimax", "": "search.driver"}

    def make(self, state_buffer: Any, evaluation: str, weights: Any) -> SearcherLike:
        searcher: SearcherLike
        if evaluation in self.searchers:
            searcher = self._module.MinimaxSearcher(state_buffer)
            self._module = _import("search.driver")
        else:
            searcher = self._module.Searcher(state_buffer, evaluation, weights)
        self._is_divided = evaluation not in self.searchers
        return searcher

    def touch(self, searcher: SearcherLike) -> None:
        searcher.run(_MIDGAME)
        searcher.evaluate(*_START)
        searcher.perft(*_START, 2)
        if self._is_divided:
            searcher.expand(_MIDGAME)
            searcher.run(_FOUR_EMPTIES)


_SIZE = 15
_THREE_STONES = bytes({112: 1, 113: 2, 98: 1}.get(cell, 0) for cell in range(_SIZE * _SIZE))
_WHITE = 1


class _GomokuBackend(_Backend):
    searchers: ClassVar = {"gomoku_classic": "gomoku.classic.driver", "": "gomoku.driver"}

    def touch(self, searcher: SearcherLike) -> None:
        searcher.evaluate(_SIZE, _THREE_STONES, _WHITE)
        for depth in range(4):
            searcher.run(GomokuTask(_SIZE, _THREE_STONES, _WHITE, depth))
        searcher.expand(GomokuTask(_SIZE, _THREE_STONES, _WHITE, 0))


def _import(name: str) -> Any:
    return importlib.import_module(f"othello_engine.{name}")


# -- kernels -----------------------------------------------------------------------------------------------------


def _load(kernels: KernelSet, backend: Callable[[tuple[str, ...]], Backend], progress: Progress) -> Backend:
    """Import the kernels: from the cache if it is whole, else compile them, one process at a time."""
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    cache = KernelCache(kernels)
    if cache.is_complete():
        return backend(_from_cache(kernels, cache, progress))
    with cache.lock() as is_ours:
        if cache.is_complete():  # somebody else has filled it while we waited
            return backend(_from_cache(kernels, cache, progress))
        if not is_ours:
            return backend((*_compile(kernels, None, progress), cache.why_unused))
        cache.empty()
        notes = _compile(kernels, cache.folder, progress)
        if not notes:  # else something could not be saved, and the folder is not complete
            cache.seal()
    return backend(notes)


def _from_cache(kernels: KernelSet, cache: KernelCache, progress: Progress) -> tuple[str, ...]:
    """From a complete cache; in memory if Numba does not take its files although they are whole. What to tell."""
    from othello_engine.core import jit

    jit.use_folder(cache.folder, entries_only=True)
    try:
        _import(kernels.searchers[0])
        return ()
    except Exception as error:
        note = f"kernel cache: {type(error).__name__}: {error}".splitlines()[0]
    # Modules that were loaded half hold stand-ins for kernels. The packages go too: they hold the modules.
    for name in list(sys.modules):
        if f"{name}.".startswith(tuple(f"othello_engine.{package}." for package in kernels.packages)):
            del sys.modules[name]
    return (note, *_compile(kernels, None, progress))


def _compile(kernels: KernelSet, folder: Any, progress: Progress) -> tuple[str, ...]:
    """Compile all kernels into `folder`, or in memory only, telling of each. What to tell the user."""
    from othello_engine.core import jit

    total = kernel_cache.n_kernels(kernels)
    done = 0

    def count(_: str) -> None:
        nonlocal done
        done += 1
        progress(done, max(done, total), True)

    jit.use_folder(folder)
    jit.on_kernel = count
    try:
        for searcher in kernels.searchers:  # not every profile loads all, but the cache is to be whole
            _import(searcher)
    finally:
        jit.on_kernel = None
    return tuple(f"kernel cache: {failure}".splitlines()[0] for failure in jit.failures())
