"""Which searches answer a request in Gomoku, one after another, and what their outcomes amount to. Pure.

First what can be seen at once: a win, the only move, moves that lose. Then iterations, one ply deeper each. An
iteration finds `multipv` lines, each by a search of the root without the moves found before. A proved win or loss ends
it all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from othello_engine.engine.deepening import Iteration, Line, Phase, Step
from othello_engine.engine.gomoku.division import GomokuOutcome
from othello_engine.gomoku.plain import quick_move
from othello_engine.gomoku.position import NO_CELL, GomokuPosition
from othello_engine.gomoku.task import FACT_NODES, MAX_DEPTH, GomokuResult, GomokuTask
from othello_engine.types import RootValue, Score, ScoreKind

FORCED_DEPTH = 4
"""Depth that a root with a single reply is searched to: enough for a score and an expected reply, in no time."""


@dataclass(frozen=True, slots=True)
class GomokuPlan:
    """A request, reduced to what matters to the search.

    max_depth: plies, 1..MAX_DEPTH. multipv: lines wanted. moves: root moves allowed, empty = all. unit: of the
    evaluation, about what a move is worth. must_hurry: an only reply is answered at once. wants_heatmap: the result
    shows what the root moves look like before any search; only_heatmap: and nothing else. is_dealt_out: the root moves
    are shared out among the workers, see `division`. fact_nodes: as of a task.
    """

    position: GomokuPosition
    max_depth: int = MAX_DEPTH
    multipv: int = 1
    moves: tuple[int, ...] = ()
    unit: int = 100
    must_hurry: bool = True
    wants_heatmap: bool = False
    only_heatmap: bool = False
    is_dealt_out: bool = False
    fact_nodes: int = FACT_NODES

    @property
    def draw_value(self) -> int:
        """Of a drawn end: nothing."""
        return 0

    @property
    def allowed(self) -> tuple[int, ...]:
        """The moves the search may choose from."""
        return self.moves or self.position.legal_moves


class GomokuDeepening:
    """Answers one request. Ask `next` for a search, run it, `report` its outcome; or `interrupt`, once, at any time."""

    is_silent = False
    wants_proof = False

    def __init__(self, plan: GomokuPlan) -> None:
        self.plan = plan
        self.lines: tuple[Line, ...] = ()
        """Best first: what would be answered now."""
        self._depth = 0
        self._n_completed = 0
        self._last_depth = 0 if plan.position.is_over or plan.only_heatmap else plan.max_depth
        self._is_ended = plan.position.is_over
        self._n_lines = max(1, min(plan.multipv, len(plan.allowed)))
        self._found: list[Line] = []  # of the present iteration
        self._losing: tuple[int, ...] = ()
        self._moves = plan.moves
        self._heatmap: tuple[RootValue, ...] = ()

    @property
    def is_finished(self) -> bool:
        """True when there is nothing more to find out."""
        return self._is_ended or self._depth > self._last_depth

    @property
    def is_between_iterations(self) -> bool:
        """True when `next` would begin an iteration that the clock may forbid; a glance and one ply never wait."""
        return not self.is_finished and not self._found and self._depth > 1

    @property
    def iteration(self) -> Iteration:
        """The one that `next` belongs to, or the last one."""
        return Iteration(Phase.MIDGAME, min(self._depth, self._last_depth), 100)

    @property
    def progress(self) -> tuple[int, int]:
        """Iterations completed, and lines found in the present one."""
        return self._n_completed, len(self._found)

    def worth(self, line: Line) -> float:
        """The score of a line, in moves."""
        return line.score.discs if line.score.kind is ScoreKind.MATE else line.score.value / self.plan.unit

    def solve_share(self, iteration: Iteration) -> float:
        """Nothing is ever solved."""
        return 1.0

    def hand_over(self, fits: Callable[[Iteration, float], bool]) -> None:
        """There is no solve to hand over to."""

    def next(self) -> Step[GomokuTask]:
        """The search to run now."""
        rank = len(self._found)
        position = self.plan.position
        former = self.lines[rank] if rank < len(self.lines) else None
        task = GomokuTask(
            position.size,
            position.cells,
            position.side,
            self._depth,
            moves=self._moves,
            excluded=tuple(line.move for line in self._found),
            losing=self._losing,
            fact_nodes=self.plan.fact_nodes,
            former_move=former.move if former is not None else NO_CELL,
            former_score=former.score.value if former is not None and former.score.kind is ScoreKind.RAW else 0,
        )
        return Step(task, (), continues=False, is_new=rank == 0)

    def report(self, outcome: GomokuOutcome) -> tuple[Line, ...]:
        """Take a settled outcome of the last step; the lines of the iteration if that completes it, else ()."""
        assert outcome.settled
        assert outcome.result is not None
        self._heatmap = outcome.heatmap
        if outcome.depth == 0:
            return self._look(outcome.result)
        line = self._line(outcome.result, outcome.depth)
        if line.move in [each.move for each in self._found]:  # nothing is left beside those found
            self._n_lines = max(1, len(self._found))
        else:
            self._found.append(line)
        if len(self._found) < self._n_lines:
            return ()
        self.lines = _ranked(self._found)
        self._found = []
        self._n_completed += 1
        self._depth = outcome.depth + 1
        if all(line.score.kind is ScoreKind.MATE for line in self.lines):
            self._is_ended = True
        return self.lines

    def _look(self, facts: GomokuResult) -> tuple[Line, ...]:
        """Take what is seen at once."""
        self._depth = 1
        self._n_completed += 1
        self._losing = tuple(move.move for move in facts.moves if move.mate < 0)
        if facts.best_move == NO_CELL:
            return ()
        if facts.mate > 0:
            if self._n_lines > 1:
                return ()  # the other lines are wanted as well
            self._is_ended = True
            self.lines = (self._line(facts, max(1, len(facts.pv))),)
            return self.lines
        if self.plan.must_hurry and self._n_lines == 1:  # the only reply
            self._moves = (facts.best_move,)
            self._last_depth = min(self._last_depth, FORCED_DEPTH)
        return ()

    def interrupt(self, outcome: GomokuOutcome | None) -> None:
        """End here: keep of the unfinished iteration what is proved. outcome: of the last step, if it was begun."""
        found = list(_ranked(self._found))
        if outcome is not None:
            self._heatmap = outcome.heatmap
            if outcome.depth == 0 and outcome.result is not None:
                self._losing = tuple(move.move for move in outcome.result.moves if move.mate < 0)
        if outcome is not None and not found and outcome.result is not None and outcome.depth > 0:
            result = outcome.result
            is_news = result.best_move != NO_CELL and (not self.lines or result.best_move != self.lines[0].move)
            if is_news:
                found = [self._line(result, outcome.depth, complete=False)]
        moves = {line.move for line in found}
        rest = [line for line in self.lines if line.move not in moves]
        self.lines = tuple((found + rest)[: self._n_lines])
        self._found = []
        self._is_ended = True

    def conclusion(self) -> tuple[tuple[Line, ...], int]:
        """The lines of the answer, best first, and its move, which is legal whatever has happened."""
        position = self.plan.position
        if position.is_over:
            value = 0 if position.winner is None else 1 if position.winner == position.side else -1
            return (Line(0, 0, 100, Score(ScoreKind.WLD, value), ()),), NO_CELL
        if self.lines:
            return self.lines, self.lines[0].move
        allowed = self._moves or position.legal_moves
        choices = [move for move in allowed if move not in self._losing] or allowed
        looked_at = (value.move for value in self._heatmap if value.move in choices)
        best = next(looked_at, NO_CELL)
        return (), best if best != NO_CELL else quick_move(position, choices)

    def root_values(self) -> tuple[RootValue, ...]:
        """What the root moves look like before any search, best first, if that was asked for."""
        return self._heatmap

    def _line(self, result: GomokuResult, depth: int, complete: bool = True) -> Line:
        score = Score(ScoreKind.RAW, result.score, units_per_disc=self.plan.unit)
        if result.mate:
            score = Score(ScoreKind.MATE, result.mate)
        return Line(
            depth=depth,
            selective_depth=max(result.selective_depth, len(result.pv)),
            selectivity=100,
            score=score,
            pv=result.pv or (result.best_move,),
            complete=complete,
            documented=result.score,
        )


def _ranked(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines of one iteration, best first."""

    def rank(line: Line) -> tuple[int, int]:
        if line.score.kind is ScoreKind.MATE:
            return (1 if line.score.value > 0 else -1, -line.score.value)
        return 0, line.score.value

    return tuple(sorted(lines, key=rank, reverse=True))
