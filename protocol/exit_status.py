"""How the program ended, for whoever started it."""

from __future__ import annotations

DONE = 0
"""`quit`, the end of input, or a command that did what it should."""
WRONG = 1
"""`solve` found a position wrong, or `convert` had to leave something out."""
BAD_COMMAND_LINE = 2
"""Arguments, configuration, files, or lines of boards that can't be used."""
INTERNAL_ERROR = 3
OUTPUT_CLOSED = 4
"""The reader of the output went away."""
SIGNAL_BASE = 128
"""Plus the number of the signal that ended the program, as shells do it."""
