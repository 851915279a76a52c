"""The weights of the evaluation, in one block of memory for all workers.

Files are read on a thread of their own while the workers import their kernels, the first one straight into the block.
Later ones are read aside, and copied when no worker is looking, so that workers never learn of a change and a bad file
leaves everything as it was. One thread owns a `Knowledge` and calls everything here.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

from othello_engine.engine.shared import SharedBlock
from othello_engine.errors import EngineError, WeightsError
from othello_engine.evaluation import weights
from othello_engine.evaluation.features import WEIGHTS_BYTES

Post = Callable[[Callable[[], None]], None]
"""Runs a command later on the owner's thread, from any thread; EngineError once there is none."""


class Knowledge:
    """What the evaluation of this name has learned, if anything.

    file: to read it from; if empty, from the one that comes with the evaluation. say: takes messages for the user.
    post: see `Post`.
    """

    def __init__(self, evaluation: str, file: str, say: Callable[[str], None], post: Post) -> None:
        self._shipped = weights.shipped_file(evaluation)
        self._say = say
        self._post = post
        self._wanted = self._shipped and (file or self._shipped)
        """A file that is to be read next."""
        self._is_reading = False
        self._arrived: bytearray | None = None  # read, and not yet in the block
        self._is_loaded = False
        self.block: SharedBlock | None = None
        """Memory for the weights; zeros until they have been read."""
        self.failure: str | None = None
        """Why there are no weights; None while there is hope."""

    @property
    def is_settled(self) -> bool:
        """True when the workers may compute: the weights are there and will not change by themselves."""
        is_waiting = self._is_reading or self._wanted is not None or self._arrived is not None
        return self._shipped is None or (self._is_loaded and not is_waiting)

    @property
    def bytes_to_come(self) -> int:
        """Memory that will be filled when the weights are read for the first time."""
        return 0 if self.block is None or self._is_loaded else self.block.size

    def prepare(self) -> None:
        """Get the memory, if some is needed, and begin to read. Raises OSError if there is none. Idempotent."""
        if self._shipped is not None and self.block is None:
            self.block = SharedBlock.create(-(-WEIGHTS_BYTES // 8) * 8)
            self._read_next()

    def use(self, file: str) -> None:
        """Read another file, or, if it has no name, the one that comes with the evaluation."""
        if self._shipped is not None:
            self._wanted = file or self._shipped
            self.failure = None
            self._read_next()

    @property
    def has_news(self) -> bool:
        """True when other weights than those in the block have been read: time to `change_over`."""
        return self._arrived is not None

    def change_over(self) -> None:
        """Put the weights that have been read into the block. No worker may be computing."""
        arrived, self._arrived = self._arrived, None
        assert arrived is not None
        assert self.block is not None
        self.block.buffer[: len(arrived)] = arrived

    def close(self) -> None:
        if self.block is not None:
            self.block.close()

    def _read_next(self) -> None:
        if self._wanted is None or self._is_reading or self.block is None:
            return
        file, self._wanted = self._wanted, None
        self._is_reading = True
        is_first = not self._is_loaded
        target = self.block.buffer if is_first else None
        reading = threading.Thread(target=self._read, args=(file, target), name="weights", daemon=True)
        reading.start()

    def _read(self, file: str, target: Any) -> None:
        """On a thread of its own: fill `target`, or a buffer of its own."""
        problem = None
        aside = bytearray(WEIGHTS_BYTES) if target is None else None
        try:
            with memoryview(target if aside is None else aside)[:WEIGHTS_BYTES] as view:
                weights.load(file, view)
        except WeightsError as error:
            problem = str(error)
        except Exception as error:
            problem = f"{file}: {type(error).__name__}: {error}"
        with contextlib.suppress(EngineError):
            self._post(lambda: self._has_read(file, aside, problem))

    def _has_read(self, file: str, aside: bytearray | None, problem: str | None) -> None:
        self._is_reading = False
        if problem is None:
            self.failure = None
            self._is_loaded = True
            if aside is not None:
                self._arrived = aside
        elif self._is_loaded:
            self._say(f"{problem}; the old weights stay")
        elif file != self._shipped:
            self._say(f"{problem}; using the weights that come with the program")
            self._wanted = self._wanted or self._shipped
        else:
            self.failure = f"no weights: {problem}"
        self._read_next()
