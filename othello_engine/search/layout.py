"""Where the parent process finds the stop flag and the node count in a worker's state record. No NumPy here.

`state.py` builds the record and a test holds the two files together.
"""

STATE_BYTES = 1024 * 1024
"""Shared memory of one search state; a multiple of the page size everywhere (4, 16 and 64 KiB)."""
STOP_OFFSET = 0
"""int64, written by the parent (and by the worker's watcher): non-zero ends the running kernel soon."""
NODES_OFFSET = 8
"""int64, written by the kernel: nodes of the present task so far."""
TABLE_BUCKET_BYTES = 64
"""The transposition table is an array of such buckets, a power of two of them; one cache line each."""
