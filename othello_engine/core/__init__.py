"""Kernels on bitboards. Only `plain`, `cache` and `layout` can be imported without Numba."""
