"""Boards and games as text: readers and writers. No kernels."""
