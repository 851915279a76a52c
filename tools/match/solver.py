"""Exact scores for adjudication, by the project's own engine, in Othello or anti-Othello."""

from __future__ import annotations

import threading
from types import TracebackType

from othello_engine.config import load_config
from othello_engine.engine.engine import Engine
from othello_engine.errors import EngineError
from othello_engine.position import Position
from othello_engine.types import Bound, Goal, Limits, ScoreKind

_LIMIT_S = 600.0


class ExactSolver:
    """The final score under perfect play, for the side to move. For any thread; one position at a time.

    is_anti: in anti-Othello, where fewest discs win.
    """

    def __init__(self, is_anti: bool = False) -> None:
        config = load_config().with_option("Threads", 1).with_option("Hash", 64)
        self._engine = Engine(config.with_option("Variant", "anti") if is_anti else config)
        self._is_anti = is_anti
        self._lock = threading.Lock()
        self._is_interrupted = False

    def __enter__(self) -> ExactSolver:
        self._engine.start()
        self._engine.wait_ready()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine.close()

    def interrupt(self) -> None:
        """From another thread: end what is being solved; questions raise EngineError from now on."""
        self._is_interrupted = True
        self._engine.close()

    def __call__(self, position: Position) -> int:
        if position.must_pass:
            return -self(position.swapped())
        if position.is_over:
            return position.final_score_in(self._is_anti)
        with self._lock:
            self._engine.set_position(position)
            result = self._engine.go(Limits(goal=Goal.EXACT, selectivity=100)).wait(_LIMIT_S)
            if self._is_interrupted:
                raise EngineError("interrupted")
        score = result.lines[0].score
        assert score.kind is ScoreKind.DISCS
        assert score.bound is Bound.EXACT
        return score.value
