"""What the searchers of both games have in common: a state record in shared memory, its stop flag, and a table.

The kernels that read them are each game's own; there are none here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from othello_engine.core.layout import EPOCHS, STATE_BYTES, TABLE_BUCKET_BYTES, check_layout

_USE_SAMPLE_BUCKETS = 1024


def address_of(buffer: Any) -> int:
    """Where this writable memory begins in the process."""
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


def table_buckets(n_bytes: int) -> int:
    """How many buckets a table of `n_bytes` has: the largest power of two that fits, at least 1."""
    assert n_bytes >= TABLE_BUCKET_BYTES
    return 1 << (n_bytes // TABLE_BUCKET_BYTES).bit_length() - 1


def sampled_use(count_used: Callable[..., Any], bucket_entries: int, buffer: Any, generation: int, epoch: int) -> int:
    """How full a table is with entries of this generation and epoch, per mille, from a sample.

    count_used: a game's kernel; takes an address, a number of buckets, a generation and an epoch.
    """
    sample = min(_USE_SAMPLE_BUCKETS, table_buckets(len(buffer)))
    used = count_used(address_of(buffer), sample, generation & 255, epoch & (EPOCHS - 1))
    return int(used) * 1000 // (bucket_entries * sample)


class StateSearcher:
    """The state record of one search process. One without a shared table overrides `attach_table`.

    state_buffer: STATE_BYTES of writable memory, kept alive by the caller. state_at, state_dtype: the game's; of the
    record's fields `stop`, `table_address` and `table_mask` are used here.
    """

    def __init__(self, state_buffer: Any, state_at: Callable[[Any], Any], state_dtype: Any) -> None:
        check_layout(state_dtype)
        ctypes.memset(address_of(state_buffer), 0, STATE_BYTES)
        self._state = state_at(state_buffer)
        self._table: Any = None

    @property
    def stop_flag(self) -> int:
        """Non-zero: the running task ends soon, and the next ones at once. The caller sets and clears it."""
        return int(self._state.stop)

    @stop_flag.setter
    def stop_flag(self, value: int) -> None:
        self._state.stop = value

    def attach_table(self, buffer: Any) -> None:
        """Use the table in this block from now on (64-byte aligned for speed; any size from one bucket)."""
        self._table = buffer
        self._state.table_address = address_of(buffer)
        self._state.table_mask = table_buckets(len(buffer)) - 1
