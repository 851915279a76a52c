"""What kernel tests share: arguments of the declared types, answers as Python ints, and how much to try.

Compiled kernels hand back Python ints and take any int in range; uncompiled ones need NumPy scalars on the
way in and give them back.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from othello_engine.core import jit
from tests import positions

SEED = 20260106


def several(compiled: int, uncompiled: int | None = None) -> int:
    """How many positions to try: fewer where no machine code runs."""
    if jit.IS_COMPILED:
        return compiled
    return uncompiled if uncompiled is not None else max(1, compiled // 10)


@contextlib.contextmanager
def wrapping_multiplication() -> Iterator[None]:
    """Uncompiled, NumPy warns where 64-bit products wrap around, which is what they are for."""
    if jit.IS_COMPILED:
        yield
        return
    with np.errstate(over="ignore"):
        yield


def bitboards(kernel: Callable[..., Any], *arguments: int) -> int:
    """Calls a kernel whose arguments are all bitboards."""
    return int(kernel(*(np.uint64(argument) for argument in arguments)))


def square_and_bitboards(kernel: Callable[..., Any], square: int, *arguments: int) -> int:
    """Calls a kernel whose first argument is a square and the others bitboards."""
    return int(kernel(np.int64(square), *(np.uint64(argument) for argument in arguments)))


def many_boards(count: int) -> Iterator[tuple[int, int]]:
    """(player, opponent) of random games and of boards that no game reaches, half and half."""
    for position in positions.random_positions(count // 2, SEED):
        yield position.player, position.opponent
    yield from positions.random_bitboards(count - count // 2, SEED)


def kernels_of(package: Any) -> dict[str, Any]:
    """Every compiled kernel in the package's modules by `module.name`; empty when the compiler is off."""
    from numba.core.dispatcher import Dispatcher

    found = {}
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            is_ours = isinstance(value, Dispatcher) and value.py_func.__module__ == info.name
            if is_ours and value.overloads:  # an `inlined` part has none of its own, it is checked with its kernel
                found[f"{info.name.rpartition('.')[2]}.{name}"] = value
    return found


def inferred_types(kernel: Any) -> list[tuple[str, str]]:
    """(variable, type) as inferred for every assignment of a kernel; also known for one loaded from the cache."""
    (result,) = kernel.overloads.values()
    lines = str(result.type_annotation).splitlines()
    found = (re.match(r"\s*#\s+([\w.$]+) = .*::\s*(.+?)\s*$", line) for line in lines)
    # The type of a call is written as its signature; what follows the arrow is the value's.
    pairs = [(match[1].partition(".")[0], match[2].rpartition("-> ")[2]) for match in found if match]
    assert pairs, f"no type annotations for {kernel}"
    return pairs
