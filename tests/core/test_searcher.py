"""What the searchers of both games share, on a record of three numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from othello_engine.core.layout import EPOCHS, STATE_BYTES, TABLE_BUCKET_BYTES
from othello_engine.core.searcher import StateSearcher, address_of, sampled_use, table_buckets

DTYPE = np.dtype([(name, np.int64) for name in ("stop", "nodes", "table_address", "table_mask")])


def state_at(buffer: Any) -> Any:
    return np.frombuffer(buffer, dtype=DTYPE, count=1).view(np.recarray)[0]


def test_a_searcher_begins_with_nothing_and_shares_its_memory() -> None:
    buffer = bytearray(b"x" * STATE_BYTES)
    searcher = StateSearcher(buffer, state_at, DTYPE)
    assert not any(buffer)
    buffer[0] = 2
    assert searcher.stop_flag == 2
    searcher.stop_flag = 0
    assert not any(buffer)
    table = bytearray(5 * TABLE_BUCKET_BYTES)
    searcher.attach_table(table)
    assert state_at(buffer).table_address == np.frombuffer(table, np.uint8).ctypes.data == address_of(table)
    assert state_at(buffer).table_mask == 3


def test_a_table_has_a_power_of_two_of_buckets() -> None:
    for n_bytes in (*range(64, 2000), 1 << 30, (1 << 30) - 1):
        fitting = [1 << n for n in range(30) if TABLE_BUCKET_BYTES << n <= n_bytes]
        assert table_buckets(n_bytes) == max(fitting)


@pytest.mark.parametrize(("n_buckets", "sampled"), [(1, 1), (512, 512), (1024, 1024), (4096, 1024)])
def test_use_is_that_of_the_first_buckets(n_buckets: int, sampled: int) -> None:
    buffer = bytearray(n_buckets * TABLE_BUCKET_BYTES)
    asked = []

    def count_used(*question: int) -> int:
        asked.append(question)
        return 3 * sampled

    assert sampled_use(count_used, 4, buffer, 256 + 7, EPOCHS + 9) == 750
    assert asked == [(address_of(buffer), sampled, 7, 9)]
