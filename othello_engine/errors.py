"""Exceptions for callers' mistakes and for the outside world.

OthelloError
|-- PositionError            a board or game text that cannot be read
|   |-- BoardError           a malformed board; knows the column
|   `-- IllegalMoveError     a move the rules forbid; knows its place in the list
|-- ConfigError              an unknown key or a refused value, named
`-- EngineError              the engine can't do what was asked in its present state
    |-- BusyError            not while a search runs
    |-- WeightsError         a weight file that can't be used; names the file and the reason
    `-- WorkerError          a worker process failed in a way that can't be repaired
"""


class OthelloError(Exception):
    """Base of every error this package raises on purpose."""


class PositionError(OthelloError, ValueError):
    """A board or game text that cannot be read."""


class BoardError(PositionError):
    """A malformed board text.

    column: 1-based place of the offending character in the text, or 0 if the text as a whole is wrong.
    """

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.column = column


class IllegalMoveError(PositionError):
    """A move that the rules forbid.

    move: the offending text as given; index: its 1-based place in the list of moves.
    """

    def __init__(self, message: str, move: str, index: int = 1) -> None:
        super().__init__(message)
        self.move = move
        self.index = index


class ConfigError(OthelloError, ValueError):
    """An unknown configuration key or a value that is refused; the text names both."""


class EngineError(OthelloError, RuntimeError):
    """The engine can't do what was asked in its present state."""


class BusyError(EngineError):
    """Refused because a search is running."""


class WeightsError(EngineError):
    """A weight file that is missing, foreign or damaged; the text names the file and what is wrong with it."""


class WorkerError(EngineError):
    """A worker process failed in a way that can't be repaired."""
