"""Kernels on bitboards. Only `plain` and `cache` can be imported without Numba."""
