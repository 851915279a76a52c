"""Kernels on bitboards. Only `plain`, `cache`, `layout` and `searcher` can be imported without Numba."""
