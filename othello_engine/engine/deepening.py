"""Which searches answer a request, one after another, and what their outcomes amount to. Pure; no clock, no worker.

A request is answered by iterations: one ply deeper each, then, if the end of the game is near enough, a solve for who
wins or for the disc difference. Where time is limited, somebody who knows the clock says whether a solve fits in it,
and the solve takes over as early as it does (`hand_over`). An iteration finds `multipv` lines, each by a search of the
root without the moves found before. A search starts in a narrow window around the score expected and is repeated in a
wider one if that fails. If the line of an exact score does not lead to it, the end of the line is searched as well.

What is reported is proved: the lines of the last complete iteration, or a move that an interrupted one has proved to be
better at its depth, marked as such. `score disc` and `score wld` appear only for a search to the end of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, TypeVar

from othello_engine.config import Style
from othello_engine.core import plain
from othello_engine.engine.choice import choose
from othello_engine.engine.clock import ANTI_SHARE, SELECTIVE_SHARES, WLD_SHARE
from othello_engine.engine.scheduler import Outcome
from othello_engine.search.task import EXACT_LIMIT, SCORE_LIMIT, Task
from othello_engine.types import N_SQUARES, NO_MOVE, PASS, Bound, Goal, RootValue, Score, ScoreKind

MAX_DEPTH = 60
"""There are never more empty squares to play on."""
FORCED_DEPTH = 4
"""Depth that a root with a single move is searched to: enough for a score and an expected reply, in no time."""
FIRST_NARROW_DEPTH = 4
"""Shallower iterations use the full window: their scores predict little and their searches cost nothing."""
MAX_FAILURES = 3
"""After so many windows missed on the way, the window is opened to the end on that side."""
ORDERING_DEPTH = 2
"""Plies of midgame search before a solve without forward pruning. Deeper ones leave moves in the table that are good
guesses for the midgame; an endgame search that puts few replies first does better without: 82 million nodes for FFO
21-33 after 2 plies, 112 million after 6, twice as many after 12."""
SOLVE_SELECTIVITIES: tuple[int, ...] = (73, 87, 95, 98, 99)
"""Confidences in per cent, rising, of the solves that come before the exact one when time is limited."""
PREPARING_EMPTIES = 15
"""From so many empty squares on, an evaluation that prunes prepares a solve: by half as many plies of midgame search,
and by a selective solve, whose moves are the best guesses for the exact one."""
PREPARING_SELECTIVITY = 73
SECOND_PREPARING_EMPTIES, SECOND_PREPARING_SELECTIVITY = 26, 95
"""From so many on, a surer one follows it: the more a solve costs, the less does what makes it cheaper. Not where only
the winner is sought, which costs a tenth."""
DECIDED_DISCS = 48
"""From such a score on there is no second one. Where nearly everything is won, nothing can be pruned any more, while a
proof is cheap: discs that are stable bound it. FFO 39 and 59, which are +64, take nine times longer with it."""
DIRECT_MARGIN = 4.0
"""A solve that fits in the time so many times over is begun at once: it will hardly need anything to fall back on."""
LATER_MARGIN = 1.5
"""The same, after a search that is a good answer if the solve should fail."""
FIRST_SOLVE_SELECTIVITY, LONG_SOLVE_SELECTIVITY = 87, 99
"""From PREPARING_EMPTIES on, a solve of the first confidence goes before one of the second or more: it gives moves to
begin with, and a good answer if the other, which may take ten times as long as expected, should fail."""
FIRST_SOLVE_PART = 0.25
"""What it may take of the time of the other."""
OUTCOME_FALLBACK_DEPTH = 6
"""Plies of midgame search before a solve that is limited and seeks who wins first: no more than a thousandth of what
that solve takes, and a decent move if it should fail."""
EXACT_WIDTH = 3
"""Half the first window of an exact solve, in discs, around a guess."""


class Phase(Enum):
    """What an iteration finds out."""

    MIDGAME = 0
    WLD = 1
    EXACT = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """A request, reduced to what matters to the search.

    max_depth: plies for midgame iterations, 1..MAX_DEPTH. may_solve: the depth asked for allows a solve. solve_empties,
    wld_empties: an open-ended request is solved from here on. multipv: lines wanted. moves: bitboard of root moves
    allowed, 0 = all. window: discs, for solves. selectivity: per cent, for the midgame; solve_selectivity: for solves,
    100 = proof. score_kind: of midgame scores. width: half the first window of an iteration, in the units of the
    evaluation; unit: such units per disc, roughly. draw_value, seed: as of a task. must_hurry: one legal move is
    answered at once. is_limited: a solve may be cut short, and should have something to fall back on. is_timed: the
    clock decides when an open-ended request is solved. fixed_depth: one search of max_depth plies, by one worker, is
    all there is. outcome_first: who wins is proved before the disc difference is sought. is_anti: fewest discs win.
    style: who asks chooses by it among the lines; one worker finds their scores, so that these don't depend on how a
    search was divided.
    """

    player: int
    opponent: int
    goal: Goal = Goal.AUTO
    max_depth: int = MAX_DEPTH
    may_solve: bool = True
    solve_empties: int = 20
    wld_empties: int = 20
    multipv: int = 1
    moves: int = 0
    window: tuple[int, int] | None = None
    selectivity: int = 100
    solve_selectivity: int = 100
    score_kind: ScoreKind = ScoreKind.CENTIDISCS
    width: int = 200
    unit: int = 100
    draw_value: int = 0
    seed: int = 0
    must_hurry: bool = True
    is_limited: bool = False
    is_timed: bool = False
    fixed_depth: bool = False
    outcome_first: bool = False
    is_anti: bool = False
    style: Style | None = None

    @property
    def n_empties(self) -> int:
        return N_SQUARES - (self.player | self.opponent).bit_count()

    @property
    def legal(self) -> int:
        """Bitboard of all legal moves."""
        return plain.legal_moves(self.player, self.opponent)

    @property
    def allowed(self) -> int:
        """Bitboard of the moves the search may choose from; 0 for a pass or a finished game."""
        return self.legal & self.moves if self.moves else self.legal

    @property
    def is_over(self) -> bool:
        return not self.legal and not plain.legal_moves(self.opponent, self.player)

    def final_score(self, player: int, opponent: int) -> int:
        """Score of a finished game for `player`, in discs; in anti-Othello empties count against the side with more."""
        difference = plain.final_score(player, opponent)
        return -difference if self.is_anti else difference


@dataclass(frozen=True, slots=True)
class Line:
    """A line of play and what is known about it; as `SearchInfo`, without what only the clock knows.

    documented: the score on the scale of a documented evaluation, if `score` doesn't tell.
    """

    depth: int
    selective_depth: int
    selectivity: int
    score: Score
    pv: tuple[int, ...]
    complete: bool = True
    documented: int | None = None

    @property
    def move(self) -> int:
        return self.pv[0]


T = TypeVar("T")
"""The tasks of a game."""


@dataclass(frozen=True, slots=True)
class Step(Generic[T]):
    """One search of the root. order: moves as far as an order is known, the former best first. continues: the same root
    as in the step before, in another window. is_new: begins an iteration."""

    task: T
    order: tuple[int, ...]
    continues: bool
    is_new: bool


@dataclass(frozen=True, slots=True)
class Iteration:
    """depth: plies, or for a solve the empty squares. selectivity: per cent."""

    phase: Phase
    depth: int
    selectivity: int

    @property
    def is_solve(self) -> bool:
        return self.phase is not Phase.MIDGAME


class Deepening:
    """Answers one request. Ask `next` for a search, run it, `report` its outcome; or `interrupt`, once, at any time."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.lines: tuple[Line, ...] = ()
        """Best first: what would be answered now."""
        self._lines_before: tuple[Line, ...] = ()
        self._iterations = _iterations(plan)
        self._index = 0
        self._n_lines = max(1, min(plan.multipv, plan.allowed.bit_count()))
        self._found: list[Line] = []  # of the present iteration
        self._order: list[int] = []
        self._alpha = self._beta = 0
        self._failures = 0
        self._step: Step[Task] | None = None
        self._short: Line | None = None  # a proved line of the present iteration whose end is still to be found

    @property
    def is_finished(self) -> bool:
        """True when there is nothing more to find out."""
        return self._index >= len(self._iterations)

    @property
    def iteration(self) -> Iteration:
        """The one that `next` belongs to, or the last one. Not for a finished game."""
        return self._iterations[min(self._index, len(self._iterations) - 1)]

    @property
    def progress(self) -> tuple[int, int]:
        """Iterations completed, and lines found in the present one."""
        return self._index, len(self._found)

    @property
    def is_between_iterations(self) -> bool:
        """True when `next` would begin an iteration: the place to ask whether there is time for one."""
        return not self.is_finished and not self._found and self._failures == 0 and self._short is None

    @property
    def is_silent(self) -> bool:
        """True if only the line that is chosen in the end is told: the better ones would give the mistake away."""
        return self.plan.style is not None

    @property
    def wants_proof(self) -> bool:
        """True if a solve is asked for, whether it is likely to end in time or not."""
        return self.plan.goal is not Goal.AUTO

    def worth(self, line: Line) -> float:
        """The score of a line in discs."""
        return line.score.value / self.plan.unit

    def solve_share(self, iteration: Iteration) -> float:
        """What a solve costs, in terms of an exact one of one line in Othello."""
        share = WLD_SHARE if iteration.phase is Phase.WLD else SELECTIVE_SHARES.get(iteration.selectivity, 1.0)
        return share * (ANTI_SHARE if self.plan.is_anti else 1.0) * max(1, self.plan.multipv)

    def hand_over(self, fits: Callable[[Iteration, float], bool]) -> None:
        """Between iterations of a timed request: leave out those before a solve that fits in the time.

        fits: says whether a solve does, so many times over. Of several, the one that proves most is taken. Far from
        the end, or when time is scarce, a few plies come first in any case.
        """
        if not self.plan.is_timed or not self.is_between_iterations:
            return
        empties = self.plan.n_empties
        if self.iteration.is_solve or self._index >= last_midgame_depth(empties):
            margin = LATER_MARGIN
        elif self._index >= ORDERING_DEPTH and empties <= self.plan.solve_empties:
            margin = DIRECT_MARGIN
        else:
            return
        for index in range(len(self._iterations) - 1, self._index, -1):
            iteration = self._iterations[index]
            if iteration.is_solve and fits(iteration, margin):
                begun = self._begun_with(index, fits, margin)
                if self.plan.outcome_first and begun - 1 >= self._index:
                    begun -= self._iterations[begun - 1].phase is Phase.WLD
                self._index = begun
                return

    def _begun_with(self, target: int, fits: Callable[[Iteration, float], bool], margin: float) -> int:
        """Index of the quick solve to run before the one at `target`; `target` if there is no need of one."""
        wanted = self._iterations[target]
        if (
            any(each.is_solve for each in self._iterations[: self._index])
            or self.plan.n_empties < PREPARING_EMPTIES
            or wanted.phase is not Phase.EXACT
            or wanted.selectivity < LONG_SOLVE_SELECTIVITY
            or not fits(wanted, margin + FIRST_SOLVE_PART)
        ):
            return target
        for index, iteration in enumerate(self._iterations[self._index : target], self._index):
            if iteration.is_solve and FIRST_SOLVE_SELECTIVITY <= iteration.selectivity < wanted.selectivity:
                return index
        return target

    def next(self) -> Step[Task]:
        """The search to run now."""
        assert not self.is_finished
        if self._short is not None:
            return self._completing(self._short)
        iteration = self._iterations[self._index]
        continues = self._failures > 0
        if not continues:
            self._alpha, self._beta = self._first_window(iteration)
        taken = {line.move for line in self._found}
        moves = self.plan.allowed
        for move in taken - {PASS}:
            moves &= ~(1 << move)
        task = Task(
            self.plan.player,
            self.plan.opponent,
            self._alpha,
            self._beta,
            iteration.depth,
            exact=iteration.is_solve,
            moves=0 if moves == self.plan.legal else moves,
            selectivity=iteration.selectivity,
            draw_value=self.plan.draw_value,
            seed=self.plan.seed,
            undivided=self.plan.fixed_depth or self.plan.style is not None,
        )
        rank = len(self._found)
        order = [line.move for line in self.lines[rank : rank + 1]] + self._order
        unique = dict.fromkeys(move for move in order if move not in taken)
        self._step = Step(task, tuple(unique), continues, is_new=not continues and rank == 0)
        return self._step

    def report(self, outcome: Outcome) -> tuple[Line, ...]:
        """Take a settled outcome of the last step; the lines of the iteration if that completes it, else ()."""
        assert outcome.settled
        if self._short is not None:
            return self._accept(self._completed(self._short, outcome))
        self._remember_order(outcome)
        iteration = self._iterations[self._index]
        if not self._is_final(outcome, iteration):
            self._failures += 1
            self._alpha, self._beta = self._next_window(outcome, iteration)
            return ()
        line = self._line(outcome, iteration)
        self._failures = 0
        if self._claims_an_end(line) and not self._ends_as_claimed(line):
            self._short = replace(line, pv=line.pv[:1])
            return ()
        return self._accept(line)

    def _accept(self, line: Line) -> tuple[Line, ...]:
        """Count a line as found; the lines of the iteration if that completes it, else ()."""
        self._short = None
        self._found.append(line)
        if len(self._found) < self._n_lines:
            return ()
        self._lines_before, self.lines = self.lines, _ranked(self._found)
        self._found = []
        self._index += 1
        if self._index + 1 < len(self._iterations) and self._is_vain(self.iteration, self.lines[0]):
            self._index += 1
        return self.lines

    @staticmethod
    def _is_vain(iteration: Iteration, before: Line) -> bool:
        """True for a second solve that prepares the proof of a score as large as this."""
        is_second = iteration.phase is Phase.EXACT and iteration.selectivity == SECOND_PREPARING_SELECTIVITY
        return is_second and before.depth == iteration.depth and abs(before.score.discs) >= DECIDED_DISCS

    def interrupt(self, outcome: Outcome | None) -> None:
        """End here: keep of the unfinished iteration what is proved. outcome: of the last step, if it was begun."""
        if self.is_finished or self._step is None:
            self._index = len(self._iterations)
            return
        if self._short is not None:  # what it proves is proved, without its end as well
            outcome = None
            if self._accept(self._short):
                self._index = len(self._iterations)
                return
        if self.plan.style is not None and self.lines:  # scores of two depths can't be compared
            self._found = []
            self._index = len(self._iterations)
            return
        iteration = self._iterations[self._index]
        found = list(_ranked(self._found))
        if outcome is not None and not found and outcome.best_move != NO_MOVE:
            partial = self._line(outcome, iteration, complete=False)
            if not self.lines or partial.move != self.lines[0].move:
                found = [partial]
        moves = {line.move for line in found}
        rest = [line for line in self.lines if line.move not in moves]
        self.lines = tuple((found + rest)[: max(self._n_lines, 1)])
        self._found = []
        self._index = len(self._iterations)

    def conclusion(self) -> tuple[tuple[Line, ...], int]:
        """The lines of the answer, best first, and its move, which is legal whatever has happened."""
        plan, lines = self.plan, self.lines
        if plan.is_over:
            lines = (finished_game(plan),)
        elif plan.style is not None and lines:
            is_whole = len(lines) == plan.allowed.bit_count()
            chosen = (
                choose(plan.style, plan.player, plan.opponent, lines, plan.seed, plan.is_anti) if is_whole else lines[0]
            )
            lines = (chosen,)
        return lines, lines[0].move if lines and lines[0].pv else fallback_move(plan)

    def root_values(self) -> tuple[RootValue, ...]:
        """Nothing: the lines say it all."""
        return ()

    # -- lines to the end of the game ---------------------------------------------------------------------------

    @staticmethod
    def _claims_an_end(line: Line) -> bool:
        """True if the line must lead to a finished game with the score of the line."""
        return line.selectivity == 100 and line.score.kind is ScoreKind.DISCS and line.score.bound is Bound.EXACT

    def _ends_as_claimed(self, line: Line) -> bool:
        player, opponent = plain.after_moves(self.plan.player, self.plan.opponent, line.pv)
        if plain.legal_moves(player, opponent) or plain.legal_moves(opponent, player):
            return False
        sign = -1 if len(line.pv) % 2 else 1
        return sign * self.plan.final_score(player, opponent) == line.score.value

    def _completing(self, line: Line) -> Step[Task]:
        """The search for the rest of a line, after its first move, whose score is known.

        One worker does it, in a window that holds the score, since a search that is divided need not know its line.
        The table still holds most of it.
        """
        player, opponent = plain.after_moves(self.plan.player, self.plan.opponent, line.pv)
        score = -line.score.value
        n_empties = N_SQUARES - (player | opponent).bit_count()
        task = Task(player, opponent, score - 1, score + 1, n_empties, exact=True, undivided=True)
        return Step(task, (), continues=False, is_new=False)

    def _completed(self, line: Line, outcome: Outcome) -> Line:
        pv = (*line.pv, *outcome.pv)
        whole = replace(line, pv=pv, selective_depth=max(line.selective_depth, len(pv)))
        return whole if self._ends_as_claimed(whole) else line

    # -- windows ------------------------------------------------------------------------------------------------

    def _outer_window(self, iteration: Iteration) -> tuple[int, int]:
        """The window in which a score is accepted even if it is only a bound."""
        if iteration.phase is Phase.MIDGAME:
            return -SCORE_LIMIT, SCORE_LIMIT
        if iteration.phase is Phase.WLD:
            return -1, 1
        if self.plan.window is not None:
            alpha = max(-EXACT_LIMIT, min(self.plan.window[0], EXACT_LIMIT - 1))
            return alpha, max(alpha + 1, min(self.plan.window[1], EXACT_LIMIT))
        return -EXACT_LIMIT - 1, EXACT_LIMIT + 1  # so that 64 is found inside, with its line

    def _first_window(self, iteration: Iteration) -> tuple[int, int]:
        outer = self._outer_window(iteration)
        rank = len(self._found)
        if iteration.phase is Phase.WLD or rank >= len(self.lines):
            return outer
        score = self.lines[rank].score
        if iteration.phase is Phase.MIDGAME:
            if iteration.depth < FIRST_NARROW_DEPTH or rank >= len(self._lines_before):
                return outer
            # Whoever makes the last move of a line looks better: scores two plies apart are alike.
            guess = self._lines_before[rank].score.value
            return _within(outer, guess - self.plan.width, guess + self.plan.width)
        if score.kind is ScoreKind.WLD:
            if score.value == 0 and score.bound is Bound.EXACT:
                return _within(outer, -1, 1)
            return _within(outer, 0, EXACT_LIMIT) if score.value > 0 else _within(outer, -EXACT_LIMIT, 0)
        # Disc differences are even: an even guess in the middle leaves the edges odd, where no score lies.
        unit = 1 if score.kind is ScoreKind.DISCS else self.plan.unit
        guess = 2 * round(score.value / unit / 2)
        guess = max(-EXACT_LIMIT, min(guess, EXACT_LIMIT))
        return _within(outer, guess - EXACT_WIDTH, guess + EXACT_WIDTH)

    def _next_window(self, outcome: Outcome, iteration: Iteration) -> tuple[int, int]:
        """The window after one that the score lies outside of."""
        outer = self._outer_window(iteration)
        if self._failures > 2 * MAX_FAILURES:  # scores that contradict each other, now above, now below
            return outer
        is_exact = iteration.is_solve
        width = (EXACT_WIDTH if is_exact else self.plan.width) << 1 + self._failures
        is_last = self._failures > MAX_FAILURES
        if outcome.lower >= self._beta:
            alpha = outcome.lower - 1
            beta = outer[1] if is_last else outcome.lower + width
        else:
            alpha = outer[0] if is_last else outcome.upper - width
            beta = outcome.upper + 1
        if is_exact and iteration.selectivity == 100:  # what is proved to the end of the game holds
            alpha, beta = max(alpha, outcome.lower - 1), min(beta, outcome.upper + 1)
        return _within(outer, alpha, beta)

    def _is_final(self, outcome: Outcome, iteration: Iteration) -> bool:
        """True if the score is exact, or a bound that no wider window would improve on."""
        if outcome.lower == outcome.upper:
            return True
        alpha, beta = self._outer_window(iteration)
        return outcome.lower >= beta or outcome.upper <= alpha

    # -- results ------------------------------------------------------------------------------------------------

    def _line(self, outcome: Outcome, iteration: Iteration, complete: bool = True) -> Line:
        assert self._step is not None
        move = outcome.best_move
        pv = outcome.pv
        if move == NO_MOVE:  # all moves failed low: any is as good, the former best was searched first
            known = self._step.order or _squares(self._step.task.moves or self.plan.legal) or (PASS,)
            move, pv = known[0], ()
        if pv[:1] != (move,):
            pv = (move,)
        return Line(
            depth=iteration.depth,
            selective_depth=max(outcome.selective_depth, len(pv)),
            selectivity=self._step.task.selectivity,
            score=self._score(outcome, iteration, complete),
            pv=pv,
            complete=complete,
        )

    def _score(self, outcome: Outcome, iteration: Iteration, complete: bool) -> Score:
        is_exact = complete and outcome.lower == outcome.upper
        if not complete or outcome.lower >= self._beta or is_exact:
            value, bound = outcome.lower, Bound.EXACT if is_exact else Bound.LOWER
        else:
            value, bound = outcome.upper, Bound.UPPER
        if iteration.phase is Phase.MIDGAME:
            return Score(self.plan.score_kind, value, bound, self.plan.unit)
        if iteration.phase is Phase.EXACT:
            return Score(ScoreKind.DISCS, value, bound)
        # A lower bound above zero is a proved win, whatever its size; the same below zero.
        sign = (value > 0) - (value < 0)
        is_proved = is_exact or (sign > 0 and bound is Bound.LOWER) or (sign < 0 and bound is Bound.UPPER)
        return Score(ScoreKind.WLD, sign, Bound.EXACT if is_proved else bound)

    def _remember_order(self, outcome: Outcome) -> None:
        """Root moves for the next search: the best, then as the outcome ranks them, then as before."""
        if self._found:
            return  # searches for further lines leave out the best moves and say nothing about the order of all
        best = self._order[:1] if outcome.best_move == NO_MOVE else [outcome.best_move]
        self._order = list(dict.fromkeys(best + [move.move for move in outcome.moves] + self._order))


def document_score(line: Line) -> int:
    """A score on the scale of a documented evaluation: midgame units as they are, finished games far above them."""
    score = line.score
    if line.documented is not None:
        return line.documented
    sign = (score.value > 0) - (score.value < 0)
    if score.kind is ScoreKind.DISCS:
        return sign * 10_000_000 + score.value * 10_000
    if score.kind is ScoreKind.WLD:
        return sign * 10_000_000
    return score.value


def finished_game(plan: Plan) -> Line:
    """The one line about a position where neither side can move."""
    difference = plan.final_score(plan.player, plan.opponent)
    score = Score(ScoreKind.DISCS, difference)
    if plan.goal is Goal.WLD:
        score = Score(ScoreKind.WLD, (difference > 0) - (difference < 0))
    return Line(0, 0, 100, score, ())


def fallback_move(plan: Plan) -> int:
    """A legal move chosen without a search: leaves the opponent few replies and prefers corners, or shuns them."""
    if not plan.allowed:
        return NO_MOVE if plan.is_over else PASS

    def replies(move: int) -> int:
        turned = plain.flips(move, plan.player, plan.opponent)
        left = plain.legal_moves(plan.opponent ^ turned, plan.player | turned | 1 << move).bit_count()
        return left - (-8 if plan.is_anti else 8) * (plain.CORNERS >> move & 1)

    return min(_squares(plan.allowed), key=replies)


def _iterations(plan: Plan) -> list[Iteration]:
    """All iterations of a request, in order; empty for a finished game."""
    if plan.is_over:
        return []
    if plan.fixed_depth:
        return [Iteration(Phase.MIDGAME, plan.max_depth, plan.selectivity)]
    empties = plan.n_empties
    exact = Iteration(Phase.EXACT, empties, plan.solve_selectivity)
    wld = Iteration(Phase.WLD, empties, plan.solve_selectivity)
    if plan.goal is not Goal.AUTO:
        solve = wld if plan.goal is Goal.WLD else exact
        before = last_midgame_depth(empties) if plan.is_limited else _ordering_depth(plan)
        is_outcome_first = plan.outcome_first and plan.multipv == 1 and solve is exact and plan.window is None
        solves = [wld, exact] if is_outcome_first else [solve]
        return [*_midgame(plan, before), *_preparation(plan), *solves]
    if plan.must_hurry and plan.legal.bit_count() <= 1:
        return _midgame(plan, min(FORCED_DEPTH, plan.max_depth))
    if not plan.may_solve:
        return _midgame(plan, plan.max_depth)
    is_near = empties <= plan.solve_empties
    if not is_near and plan.max_depth < empties:
        return _midgame(plan, plan.max_depth)
    # Of several lines, cut short, some would have an outcome and some a score, which can't be compared.
    is_outcome_first = plan.multipv == 1 and (plan.outcome_first or (not is_near and empties <= plan.wld_empties))
    solves = [wld, exact] if is_outcome_first else [exact]
    if plan.is_timed:
        levels = [level for level in SOLVE_SELECTIVITIES if plan.selectivity <= level < plan.solve_selectivity]
        solves = [Iteration(Phase.EXACT, empties, level) for level in levels] + solves
        return [*_midgame(plan, min(plan.max_depth, last_timed_depth(empties))), *solves]
    depth = _ordering_depth(plan) if is_near else last_midgame_depth(empties)
    if plan.outcome_first and plan.is_limited:
        depth = max(depth, min(OUTCOME_FALLBACK_DEPTH, plan.max_depth))
    return [*_midgame(plan, depth), *_preparation(plan), *solves]


def _ordering_depth(plan: Plan) -> int:
    """Plies of midgame search before a solve that nothing limits."""
    is_prepared = plan.selectivity < 100 and plan.n_empties >= PREPARING_EMPTIES
    return plan.n_empties // 2 if is_prepared else ORDERING_DEPTH


def _preparation(plan: Plan) -> list[Iteration]:
    """The selective solves that come before a more certain one."""
    is_worth_it = plan.n_empties >= PREPARING_EMPTIES and plan.solve_selectivity > PREPARING_SELECTIVITY
    if not is_worth_it or plan.selectivity > PREPARING_SELECTIVITY:
        return []
    levels = [PREPARING_SELECTIVITY]
    is_long = plan.n_empties >= SECOND_PREPARING_EMPTIES and plan.goal is not Goal.WLD
    if is_long and plan.solve_selectivity == 100:
        levels.append(SECOND_PREPARING_SELECTIVITY)
    return [Iteration(Phase.EXACT, plan.n_empties, level) for level in levels]


def last_midgame_depth(n_empties: int) -> int:
    """Depth after which the game is solved: one ply more would take about as long, and a solve is final."""
    return n_empties // 2 + 1


def last_timed_depth(n_empties: int) -> int:
    """The same where time is limited. A solve that fits takes over before; if none does, these plies are the better use
    of the time, the last of them with forward pruning still much cheaper than a solve."""
    return max(last_midgame_depth(n_empties), n_empties - 4)


def _midgame(plan: Plan, depth: int) -> list[Iteration]:
    last = min(depth, plan.n_empties)
    return [Iteration(Phase.MIDGAME, each, plan.selectivity) for each in range(1, last + 1)]


def _within(outer: tuple[int, int], alpha: int, beta: int) -> tuple[int, int]:
    """The part of a window that lies in the outer one; at least one unit wide."""
    alpha = max(outer[0], min(alpha, outer[1] - 1))
    return alpha, max(alpha + 1, min(beta, outer[1]))


def _ranked(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines of one iteration, best first. They were found in that order, unless estimates contradict each other."""
    return tuple(sorted(lines, key=lambda line: -line.score.value))


def _squares(moves: int) -> tuple[int, ...]:
    return tuple(square for square in range(N_SQUARES) if moves >> square & 1)
