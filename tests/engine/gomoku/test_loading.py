"""Which kernels and searchers belong to which game."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from othello_engine.config import GOMOKU, OTHELLO, load_config, profile_names
from othello_engine.core import cache
from othello_engine.core.cache import CACHE_VARIABLE, KernelCache, KernelSet
from othello_engine.engine import loading
from othello_engine.engine.loading import KERNELS, is_cache_warm
from tests.engine.gomoku.plain_gomoku import LOADER

SETS = {OTHELLO: cache.OTHELLO, GOMOKU: cache.GOMOKU}


def test_there_is_a_loader_for_every_game() -> None:
    assert set(KERNELS) == {load_config(profile=name).game for name in profile_names()} == {OTHELLO, GOMOKU}
    for loader in KERNELS.values():
        module, _, function = loader.partition(":")
        assert callable(getattr(sys.modules[module], function))


@pytest.mark.parametrize("game", SETS)
def test_as_many_kernels_are_announced_as_are_compiled(game: str) -> None:
    """Counted where nothing is compiled."""
    script = (
        "import sys\n"
        "from importlib import import_module\n"
        "from othello_engine.core import cache, jit\n"
        "names = []\n"
        "jit.on_kernel = names.append\n"
        f"kernels = cache.{'GOMOKU' if game == GOMOKU else 'OTHELLO'}\n"
        "for searcher in kernels.searchers:\n"
        "    import_module(f'othello_engine.{searcher}')\n"
        "print(len(names), cache.n_kernels(kernels))\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    compiled, announced = (int(word) for word in done.stdout.split())
    assert compiled == announced > 20


@pytest.mark.parametrize("game", SETS)
def test_all_that_is_imported_for_the_kernels_is_among_their_sources(game: str) -> None:
    """Else a changed file would meet old machine code. Plain values and notation do not end up in it."""
    script = (
        "import sys\n"
        "from importlib import import_module\n"
        f"for searcher in {SETS[game].searchers!r}:\n"
        "    import_module(f'othello_engine.{searcher}')\n"
        "print(*(module.__file__ for name, module in sorted(sys.modules.items())\n"
        "        if name.startswith('othello_engine.') and name.count('.') > 1))\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True, env=environment
    )
    sources = {str(path) for path in cache.kernel_sources(SETS[game])}
    assert set(done.stdout.split()) <= sources


@pytest.mark.parametrize(
    ("changed", "others"),
    [
        ("gomoku/driver.py", {GOMOKU}),
        ("gomoku/classic/search.py", {GOMOKU}),
        ("search/driver.py", {OTHELLO}),
        ("evaluation/classic.py", {OTHELLO}),
        ("core/jit.py", {GOMOKU, OTHELLO}),
        ("engine/pool.py", set()),
    ],
)
def test_a_changed_source_makes_old_kernels_of_its_game_worthless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, others: set[str]
) -> None:
    for package in ("core", "gomoku", "search", "evaluation", "engine"):
        ignored = shutil.ignore_patterns("__pycache__", "*.weights")
        shutil.copytree(cache._PACKAGE / package, tmp_path / package, ignore=ignored)
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path)
    before = {game: cache.digest(kernels) for game, kernels in SETS.items()}
    assert len(set(before.values())) == 2
    with (tmp_path / changed).open("a") as file:
        file.write("# changed\n")
    after = {game: cache.digest(kernels) for game, kernels in SETS.items()}
    assert {game for game in SETS if before[game] != after[game]} == others


def test_each_game_has_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    caches = {game: KernelCache(kernels) for game, kernels in SETS.items()}
    assert not any(is_cache_warm(loader) for loader in KERNELS.values())
    assert is_cache_warm(LOADER)  # compiles nothing
    folder = caches[GOMOKU].folder
    assert folder is not None
    below = folder / "gomoku_0123"
    below.mkdir(parents=True)
    for name in ("search.run-1.py311.nbi", "search.run-1.py311.1.nbc"):
        (below / name).write_bytes(b"data")
    caches[GOMOKU].seal()
    assert {game: is_cache_warm(loader) for game, loader in KERNELS.items()} == {OTHELLO: False, GOMOKU: True}


class _Searcher:
    """Takes notes of what is asked of it."""

    def __init__(self, name: str, *arguments: Any) -> None:
        self.name = name
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def note(*arguments: Any) -> None:
            depth = getattr(arguments[0], "depth", "") if arguments else ""
            self.asked.append(f"{name} {depth}".strip())

        return note


@pytest.mark.parametrize(
    ("evaluation", "module"),
    [("gomoku", "gomoku.driver"), ("gomoku_classic", "gomoku.classic.driver")],
)
def test_each_evaluation_has_its_searcher_and_everything_is_run_once(
    monkeypatch: pytest.MonkeyPatch, evaluation: str, module: str
) -> None:
    def fake(name: str) -> Any:
        return SimpleNamespace(Searcher=lambda *arguments: _Searcher(name, *arguments), table_use=lambda *given: 12)

    monkeypatch.setattr(loading, "_import", fake)
    monkeypatch.setattr(loading, "_load", lambda kernels, backend, progress: backend(("a note",)))
    backend = loading.load_gomoku(lambda done, total, compiling: None)
    assert backend.notes == ("a note",)
    made = backend.searcher(bytearray(8), evaluation)
    assert isinstance(made, _Searcher)
    assert made.name == module
    assert {word.split()[0] for word in made.asked} == {"evaluate", "run", "expand", "new_game"}
    assert [word for word in made.asked if word.startswith("run")] == ["run 0", "run 1", "run 2", "run 3"]
    assert made.asked[-1] == "new_game"  # nothing is left of all that
    assert backend.table_use(b"", 0, 0) == 12


def test_the_kernels_are_those_of_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[KernelSet] = []
    monkeypatch.setattr(loading, "_load", lambda kernels, backend, progress: seen.append(kernels))
    for loader in KERNELS.values():
        getattr(loading, loader.partition(":")[2])(lambda done, total, compiling: None)
    assert seen == [cache.OTHELLO, cache.GOMOKU]
