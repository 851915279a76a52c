"""Othello engine: rules, evaluation, search and worker processes behind one `Engine`.

Importing this package compiles nothing and does not load Numba.
"""

__version__ = "0.1.0"
