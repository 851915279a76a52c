"""The shared table of results and the private one of proofs."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from othello_engine.gomoku import table
from othello_engine.gomoku.state import new_state
from othello_engine.gomoku.table import EXACT, LOWER, MATE, UPPER

KEY = np.uint64(0x9E3779B97F4A7C15)


class Tabled:
    def __init__(self, n_buckets: int) -> None:
        self.state: Any = new_state()
        self.buffer = bytearray(64 * n_buckets)
        self.state.table_address = ctypes.addressof(ctypes.c_char.from_buffer(self.buffer))
        self.state.table_mask = n_buckets - 1

    def store(self, key: Any, depth: int, score: int, bound: Any = EXACT, move: int = 7, ply: int = 0) -> None:
        table.store(self.state, np.uint64(key), ply, depth, score, bound, move)

    def probe(self, key: Any, ply: int = 0) -> tuple[int, int, int, int] | None:
        data = np.uint64(table.probe(self.state, np.uint64(key)))
        if data == 0:
            return None
        score = int(table.entry_score(data, ply))
        return int(table.entry_depth(data)), score, int(table.entry_bound(data)), int(table.entry_move(data))


@pytest.fixture
def tabled() -> Tabled:
    return Tabled(4)


@pytest.mark.parametrize("bound", [UPPER, LOWER, EXACT])
@pytest.mark.parametrize(("score", "move", "depth"), [(0, 0, 0), (-6000, 399, 60), (6000, -1, 3)])
def test_what_is_kept_is_found(tabled: Tabled, bound: Any, score: int, move: int, depth: int) -> None:
    assert tabled.probe(KEY) is None
    tabled.store(KEY, depth, score, bound, move)
    assert tabled.probe(KEY) == (depth, score, bound, move)
    assert tabled.probe(int(KEY) ^ 1 << 40) is None


def test_wins_count_from_the_position(tabled: Tabled) -> None:
    tabled.store(KEY, 3, int(MATE) - 15, LOWER, ply=10)  # five plies from here
    assert tabled.probe(KEY, ply=2) == (3, int(MATE) - 7, LOWER, 7)
    tabled.store(KEY, 3, 16 - int(MATE), EXACT, ply=10)
    assert tabled.probe(KEY, ply=0) == (3, 6 - int(MATE), EXACT, 7)


def test_a_move_is_kept_when_a_newer_result_has_none(tabled: Tabled) -> None:
    tabled.store(KEY, 3, 5, EXACT, 77)
    tabled.store(KEY, 4, 6, UPPER, -1)
    assert tabled.probe(KEY) == (4, 6, UPPER, 77)


def test_other_epochs_do_not_exist(tabled: Tabled) -> None:
    tabled.store(KEY, 3, 5)
    tabled.state.epoch = 1
    assert tabled.probe(KEY) is None
    tabled.state.epoch = 0
    assert tabled.probe(KEY) is not None


def test_a_torn_entry_is_a_miss(tabled: Tabled) -> None:
    tabled.store(KEY, 3, 5)
    first = bytes(tabled.buffer)
    tabled.store(KEY, 9, -5)
    second = bytes(tabled.buffer)
    changed = [place for place in range(0, len(first), 8) if first[place : place + 8] != second[place : place + 8]]
    assert len(changed) == 2
    for place in changed:
        tabled.buffer[:] = first
        tabled.buffer[place : place + 8] = second[place : place + 8]
        assert tabled.probe(KEY) is None


def test_old_then_shallow_entries_make_room(tabled: Tabled) -> None:
    keys = [int(KEY) + 4 * number * (1 << 32) for number in range(6)]
    for key, depth in zip(keys[:4], (9, 2, 5, 7), strict=True):
        tabled.store(key, depth, 0)
    tabled.store(keys[4], 4, 0)
    assert [tabled.probe(key) is not None for key in keys[:5]] == [True, False, True, True, True]
    tabled.state.generation = 4
    for key in keys[1:4]:
        tabled.store(key, 2, 0)
    assert tabled.probe(keys[0]) is not None
    tabled.store(keys[5], 1, 0)
    assert tabled.probe(keys[5]) is not None


def test_use_is_counted(tabled: Tabled) -> None:
    tabled.store(KEY, 3, 5)
    tabled.store(int(KEY) + 1, 3, 5)
    address = int(tabled.state.table_address)
    assert table.count_used(address, 4, 0, 0) == 2
    assert table.count_used(address, 4, 1, 0) == 0
    assert table.count_used(address, 4, 0, 1) == 0
