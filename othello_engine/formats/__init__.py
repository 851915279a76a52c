"""Boards and games in files and lines of text: readers and writers. No kernels."""
