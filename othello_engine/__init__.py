"""Othello engine: rules, evaluation, search and worker processes behind one `Engine`.

Importing this package compiles nothing and does not load Numba.
"""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("othello-engine")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0.1.0"
