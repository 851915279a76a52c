"""What the parent process and the searchers of both games must agree on: where things are in shared memory.

No NumPy and no Numba here: the parent imports neither.
"""

from __future__ import annotations

from typing import Any

STATE_BYTES = 1024 * 1024
"""Shared memory of one search state; a multiple of the page size everywhere (4, 16 and 64 KiB)."""
STOP_OFFSET = 0
"""int64, written by the parent (and by the worker's watcher): non-zero ends the running kernel soon."""
NODES_OFFSET = 8
"""int64, written by the kernel: nodes of the present task so far."""
TABLE_BUCKET_BYTES = 64
"""The transposition table is an array of such buckets, a power of two of them; one cache line each."""
EPOCHS = 1 << 16
"""How often the table can be emptied by counting the epoch up."""


def check_layout(state_dtype: Any) -> None:
    """Raise AssertionError if the parent's view of such a state record is not where it is, or if it has no room.

    state_dtype: a NumPy dtype with the fields `stop` and `nodes`.
    """
    assert state_dtype.fields["stop"][1] == STOP_OFFSET
    assert state_dtype.fields["nodes"][1] == NODES_OFFSET
    assert state_dtype.itemsize <= STATE_BYTES
