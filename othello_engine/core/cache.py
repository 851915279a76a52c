"""Where compiled kernels are kept on disk, and whether what lies there can be trusted. No Numba here.

Numba's own cache notices neither a changed helper in another file nor damage, and many processes on a cold cache
each compile for themselves. So the folder's name carries a digest of everything the machine code depends on, a
manifest with checksums is written once all kernels are compiled, and a file lock lets one process compile while
the others wait. A folder without a valid manifest is emptied and filled again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CACHE_VARIABLE = "OTHELLO_ENGINE_CACHE"
"""Environment variable that names another cache folder; the word `off` runs without one."""

_PACKAGE = Path(__file__).resolve().parent.parent
_MANIFEST = "manifest.json"
_LOCK_TIMEOUT_S = 180.0
_PRUNE_AFTER_S = 14 * 24 * 3600.0
_ENVIRONMENT_THAT_MATTERS = (
    "NUMBA_BOUNDSCHECK",
    "NUMBA_OPT",
    "NUMBA_CPU_NAME",
    "NUMBA_CPU_FEATURES",
    "NUMBA_DEBUGINFO",
)


@dataclass(frozen=True, slots=True)
class KernelSet:
    """What is compiled for one game, and kept in a folder of its own.

    packages: of `othello_engine`, whose code or constants end up in machine code. searchers: the modules that are
    imported to have it all.
    """

    packages: tuple[str, ...]
    searchers: tuple[str, ...]


OTHELLO = KernelSet(("core", "evaluation", "search"), ("search.driver", "search.minimax"))
GOMOKU = KernelSet(("core", "gomoku"), ("gomoku.driver", "gomoku.classic.driver"))


def kernel_sources(kernels: KernelSet = OTHELLO) -> list[Path]:
    """Source files whose code or constants end up in machine code, sorted."""
    return sorted(path for package in kernels.packages for path in (_PACKAGE / package).rglob("*.py"))


def n_kernels(kernels: KernelSet = OTHELLO) -> int:
    """How many kernels are compiled: the total that progress counts against.

    Follows the imports from the searchers on, by their text.
    """
    declaration = re.compile(r"^@kernel\(", re.MULTILINE)
    imported = re.compile(r"^from othello_engine\.([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)
    known: dict[Path, str] = {}
    waiting = [_PACKAGE / f"{searcher.replace('.', '/')}.py" for searcher in kernels.searchers]
    while waiting:
        path = waiting.pop()
        if path in known or not path.exists():
            continue
        known[path] = path.read_text(encoding="utf-8")
        for module, names in imported.findall(known[path]):
            place = _PACKAGE / module.replace(".", "/")
            waiting += [place.with_suffix(".py"), *(place / f"{name}.py" for name in re.findall(r"\w+", names))]
    return sum(len(declaration.findall(text)) for text in known.values())


def _processor() -> str:
    """Text that changes when machine code for this processor would."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        return "".join(
            line for line in lines if line.startswith(("flags", "model name", "Features", "CPU part"))
        ).split("\n\n")[0][:65536]
    return platform.processor() + platform.machine()


def digest(kernels: KernelSet = OTHELLO) -> str:
    """Name of the folder for exactly this code, interpreter, Numba, processor and place on disk."""
    from importlib.metadata import version

    parts = [
        sys.version,
        version("numba"),
        version("llvmlite"),
        version("numpy"),
        str(_PACKAGE),
        _processor(),
        *(f"{name}={os.environ.get(name, '')}" for name in _ENVIRONMENT_THAT_MATTERS),
    ]
    total = hashlib.sha256("\n".join(parts).encode())
    for path in kernel_sources(kernels):
        # Numba compares modification times too: a touched file must not meet the old folder.
        total.update(f"{path.name} {path.stat().st_mtime_ns}".encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:20]


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x" * 4096)
            probe.flush()
    except OSError:
        return False
    return True


def _base_folder() -> Path | None:
    named = os.environ.get(CACHE_VARIABLE, "")
    if named.lower() == "off":
        return None
    if named:
        base = Path(named)
        return base if _is_writable(base) else None
    import platformdirs

    base = Path(platformdirs.user_cache_dir("othello-engine", appauthor=False))
    if _is_writable(base):
        return base
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    fallback = Path(tempfile.gettempdir()) / f"othello-engine-{user}"
    return fallback if _is_writable(fallback) and _is_ours(fallback) else None


def _is_ours(folder: Path) -> bool:
    """A shared temporary folder must belong to us: machine code is loaded from it."""
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()


class KernelCache:
    """One digest's folder, or no folder at all when nothing is writable (`folder` is None)."""

    def __init__(self, kernels: KernelSet = OTHELLO) -> None:
        self.base = _base_folder()
        self.folder = None if self.base is None else self.base / digest(kernels)
        self.why_unused = ""
        """For the user, after `lock` has yielded False."""

    def is_complete(self) -> bool:
        """True when every kernel lies there undamaged."""
        if self.folder is None:
            return False
        try:
            listed = json.loads((self.folder / _MANIFEST).read_text(encoding="utf-8"))["files"]
            found = self._checksums()
        except (OSError, ValueError, KeyError, TypeError):
            return False
        return bool(found) and listed == found and self._has_data_for_every_index(found)

    @staticmethod
    def _has_data_for_every_index(names: dict[str, list[int]]) -> bool:
        """False when a kernel's machine code could not be saved though its index could."""
        with_data = {name.rpartition(".")[0].rpartition(".")[0] for name in names if name.endswith(".nbc")}
        return all(name.removesuffix(".nbi") in with_data for name in names if name.endswith(".nbi"))

    def seal(self) -> None:
        """Write the manifest: from now on the folder is complete. A full disk only costs the cache."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError):
            text = json.dumps({"files": self._checksums()})
            temporary = self.folder / f"{_MANIFEST}.{os.getpid()}"
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(self.folder / _MANIFEST)
            self._prune()

    def empty(self) -> None:
        """Remove everything of this digest and leave an empty folder."""
        if self.folder is None:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        if not _is_writable(self.folder):
            self.folder = None

    @contextlib.contextmanager
    def lock(self) -> Iterator[bool]:
        """Hold the right to fill the folder; yields False when it can't be had in time (then don't write)."""
        if self.base is None or self.folder is None:
            self.why_unused = "no folder for compiled kernels can be written; every start compiles them anew"
            if os.environ.get(CACHE_VARIABLE, "").lower() == "off":
                self.why_unused = f"{CACHE_VARIABLE} is off; every start compiles the kernels anew"
            yield False
            return
        import filelock

        lock = filelock.FileLock(str(self.base / f"{self.folder.name}.lock"))
        try:
            lock.acquire(timeout=_LOCK_TIMEOUT_S)
        except (filelock.Timeout, OSError, NotImplementedError) as error:
            self.why_unused = f"kernel cache: another process holds its lock ({type(error).__name__}); not used"
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def _checksums(self) -> dict[str, list[int]]:
        assert self.folder is not None
        sums = {}
        for path in sorted(self.folder.rglob("*.nb*")):
            data = path.read_bytes()
            sums[str(path.relative_to(self.folder))] = [len(data), zlib.crc32(data)]
        return sums

    def _prune(self) -> None:
        """Remove folders of other digests that nobody has used for two weeks."""
        assert self.base is not None
        assert self.folder is not None
        newest = (self.folder / _MANIFEST).stat().st_mtime
        for other in self.base.iterdir():
            is_old_folder = re.fullmatch(r"[0-9a-f]{20}", other.name) and other != self.folder
            if is_old_folder and newest - other.stat().st_mtime > _PRUNE_AFTER_S:
                shutil.rmtree(other, ignore_errors=True)
                with contextlib.suppress(OSError):
                    (self.base / f"{other.name}.lock").unlink()
