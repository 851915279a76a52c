"""How long a search may take: pure functions from limits to a budget.

A budget is counted in milliseconds from the moment the request was made, on the monotonic clock. Wall-clock time,
which may jump, is not used anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from othello_engine.types import BLACK, Limits

TRANSPORT_MS = 5
"""Kept back even from the shortest budget: stopping the kernels, a line of text, a pipe, a reader that wakes up."""
OPENING_EMPTIES = 48
"""With more empty squares than this a move is worth less thought: little is decided yet, and any depth says little."""
FIRST_SOLVES = 4
"""Empty squares over which the end of the game is first seen: two own moves, the dearest of the game."""
OPENING_WEIGHT, MIDGAME_WEIGHT, SOLVE_WEIGHT, SOLVED_WEIGHT = 0.6, 1.0, 2.0, 0.1
"""How the time of a game is divided. After a solve the rest is nearly free."""
LEAST_PLANNED_MOVES = 2
"""Never plan to spend more than one part in this of a clock on one move, unless it is the last."""
HARD_FACTOR = 3.0
"""The hard limit of a clock move in terms of its share: finishing an iteration may be worth that."""
HARD_SHARE = 0.4
"""But never more than this part of what is left on the clock, while other moves follow."""
SOLVE_SHARE = 0.5
"""Part of what is left on the clock that a solve may take: the moves after it cost next to nothing."""
LAST_RESERVE_MS, MOST_LAST_RESERVE_MS = 20, 100
"""Kept back from the last move before a clock is full again, with a twentieth of it: on a machine with twice the work
it can do, one move in thirty comes up to 20 ms later than planned."""
LEAST_GROWTH, MOST_GROWTH = 1.5, 5.0
"""How many times as long as the one before an iteration may be expected to take."""
OVERRUN_PART = 0.5
"""An iteration is begun if so much of it lies before the soft limit: then moves take their share on average."""

SOLVE_MS = {14: 0.5, 16: 2.5, 18: 15, 20: 62, 22: 270, 24: 1_200}
"""What an exact solve with so many empty squares takes one worker, to an order of magnitude: positions of the same size
differ tenfold."""
WLD_SHARE = 0.5
"""Of that, to find only who wins."""
SELECTIVE_SHARES = {73: 0.04, 87: 0.12, 95: 0.2, 98: 0.4, 99: 0.7}
"""Of that, for a solve of this confidence in per cent."""
ANTI_SHARE = 22.0
"""Of that, in anti-Othello: nothing bounds a score there, and no knowledge orders the moves."""
WORKER_GAIN = 0.8
"""What each further worker adds to the speed of the first."""

STEADY, NORMAL, CHANGED, RESTLESS = 0.5, 1.0, 1.8, 2.5
"""Parts of its share that a move gets: at least; as a rule; when the last iteration has changed it; at most."""
CALM = 0.85
"""With every iteration that confirms the move, so much less time is worth spending on it."""
TOLERATED_FALL, FALL_WEIGHT = 1.0, 0.25
"""A score may fall by so many discs; each disc more is worth so many shares."""


@dataclass(frozen=True, slots=True)
class Budget:
    """soft_ms: start no iteration that lies more after this than before; hard_ms: stop. None: no limit.

    may_overrun_soft: an iteration that can't finish may be started all the same, since a part of it can still prove a
    better move and the time would be lost otherwise. solve_ms: in place of hard_ms, for a solve.
    """

    soft_ms: float | None = None
    hard_ms: float | None = None
    may_overrun_soft: bool = True
    solve_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an iteration came to: the best move and its score in discs."""

    move: int
    discs: float


@dataclass(frozen=True, slots=True)
class TimeRules:
    """The time options in force.

    reserve_ms: kept back of every move's time. minimum_ms: a move with a time of its own gets at least this, if the
    time allows. solve_empties: from here on a search sees the end of the game.
    """

    reserve_ms: int = 50
    minimum_ms: int = 0
    solve_empties: int = 0


NO_LIMIT = Budget()


def budget_for(limits: Limits, side: int, n_empties: int, rules: TimeRules) -> Budget:
    """The budget of a search by `side` with `n_empties` empty squares on the board.

    The opponent's clock plays no part. A clock of zero or less means: answer at once.
    """
    budgets = []
    if limits.move_time_ms is not None:
        time = move_time_budget(limits.move_time_ms, rules)
        budgets.append(Budget(time, time, may_overrun_soft=True, solve_ms=time))
    clock = limits.black_ms if side == BLACK else limits.white_ms
    if clock is not None:
        increment = limits.black_increment_ms if side == BLACK else limits.white_increment_ms
        budgets.append(clock_budget(clock, increment, limits.moves_to_go, n_empties, rules))
    if not budgets:
        return NO_LIMIT
    tightest = min(budgets, key=lambda budget: budget.hard_ms if budget.hard_ms is not None else float("inf"))
    return replace(tightest, solve_ms=min(each.solve_ms for each in budgets if each.solve_ms is not None))


def move_time_budget(time_ms: int, rules: TimeRules) -> float:
    """Milliseconds to think when the move has a time of its own.

    The reserve is taken off, but not below the minimum; and the answer always leaves TRANSPORT_MS before the time is
    up, however short that is.
    """
    return max(0, min(max(time_ms - rules.reserve_ms, rules.minimum_ms), time_ms - TRANSPORT_MS))


def own_moves_left(n_empties: int) -> int:
    """Own moves until the board is full, this one included; passes are not planned for."""
    return max(1, (n_empties + 1) // 2)


def clock_budget(clock_ms: int, increment_ms: int, moves_to_go: int | None, n_empties: int, rules: TimeRules) -> Budget:
    """Soft and hard limit for a move on a clock that holds `clock_ms`."""
    moves = own_moves_left(n_empties)
    if moves_to_go is not None:
        moves = min(moves, max(1, moves_to_go))
    return planned_budget(clock_ms, increment_ms, moves, planned_shares(moves, n_empties, rules.solve_empties), rules)


def planned_budget(clock_ms: int, increment_ms: int, moves: int, planned: float, rules: TimeRules) -> Budget:
    """Soft and hard limit on a clock that has to last for `moves` own moves, worth `planned` times this one's share."""
    if clock_ms <= 0:
        return Budget(0, 0, may_overrun_soft=False, solve_ms=0)
    usable = max(0, clock_ms - TRANSPORT_MS)
    increment = max(0, increment_ms)
    share = min(usable, usable / planned + increment * (1 - 1 / planned))
    if moves == 1:
        # All that is left may be spent, so that nothing makes up for a delay: it costs the game.
        last = _less_reserve(usable, max(rules.reserve_ms, min(LAST_RESERVE_MS + usable / 20, MOST_LAST_RESERVE_MS)))
        return Budget(last, last, may_overrun_soft=True, solve_ms=last)
    hard = min(share * HARD_FACTOR, usable * HARD_SHARE + min(increment, usable / 2), usable)
    hard = _less_reserve(hard, rules.reserve_ms)
    soft = min(_less_reserve(share, rules.reserve_ms), hard)
    solve = max(hard, _less_reserve(usable * SOLVE_SHARE, rules.reserve_ms))
    return Budget(soft, hard, may_overrun_soft=False, solve_ms=solve)


def _less_reserve(time_ms: float, reserve_ms: float) -> float:
    """What is left of a share of a clock after the reserve; a share that is hardly more than that is halved."""
    return max(time_ms - reserve_ms, time_ms / 2)


def planned_shares(moves: int, n_empties: int, solve_empties: int) -> float:
    """How many times this move's share the `moves` own moves to come are worth; at least 1."""
    if moves == 1:
        return 1
    weights = [_weight(n_empties - 2 * index, solve_empties) for index in range(moves)]
    return max(LEAST_PLANNED_MOVES, sum(weights) / weights[0])


def _weight(n_empties: int, solve_empties: int) -> float:
    """What a move is worth, against one in the midgame."""
    if n_empties <= solve_empties - FIRST_SOLVES:
        return SOLVED_WEIGHT
    if n_empties <= solve_empties:
        return SOLVE_WEIGHT
    return MIDGAME_WEIGHT if n_empties <= OPENING_EMPTIES else OPENING_WEIGHT


def may_start(budget: Budget, elapsed_ms: float, last_ms: float, before_ms: float, unrest: float = NORMAL) -> bool:
    """True if another iteration should begin.

    elapsed_ms: of the budget; last_ms, before_ms: what the last two iterations took, 0 if there was none. unrest: of
    the iterations so far.
    """
    if budget.hard_ms is None or budget.soft_ms is None:
        return True
    if budget.may_overrun_soft:
        return elapsed_ms < budget.hard_ms
    growth = last_ms / before_ms if before_ms > 0 else LEAST_GROWTH
    expected = last_ms * max(LEAST_GROWTH, min(growth, MOST_GROWTH))
    is_due = elapsed_ms + expected * OVERRUN_PART <= budget.soft_ms * unrest
    return is_due and elapsed_ms + expected <= budget.hard_ms


def unrest(verdicts: Sequence[Verdict]) -> float:
    """How much of its share a move deserves after these iterations: little if they agree, more than all of it if the
    last one has changed its mind or has seen the score fall."""
    if len(verdicts) < 2:
        return NORMAL
    last = verdicts[-1]
    n_agreeing = 0
    for verdict in reversed(verdicts[:-1]):
        if verdict.move != last.move:
            break
        n_agreeing += 1
    # Whoever makes the last move of a line looks better: scores two plies apart are alike.
    fall = verdicts[max(-3, -len(verdicts))].discs - last.discs - TOLERATED_FALL
    wanted = NORMAL * CALM ** (n_agreeing - 1) if n_agreeing else CHANGED
    if fall > 0:
        wanted = max(wanted, NORMAL) + FALL_WEIGHT * fall
    return max(STEADY, min(wanted, RESTLESS))


def solve_cost_ms(n_empties: int, n_workers: int = 1, share: float = 1.0) -> float:
    """What a solve is likely to take, by SOLVE_MS. share: of an exact solve without pruning."""
    low = max(min(SOLVE_MS), min(n_empties - n_empties % 2, max(SOLVE_MS) - 2))
    growth = (SOLVE_MS[low + 2] / SOLVE_MS[low]) ** 0.5
    alone = SOLVE_MS[low] * growth ** (n_empties - low)
    return float(alone * share / (1 + WORKER_GAIN * (max(1, n_workers) - 1)))


def may_solve(budget: Budget, elapsed_ms: float, cost_ms: float, margin: float) -> bool:
    """True if a solve of this likely cost fits in the budget, `margin` times over."""
    return budget.solve_ms is None or elapsed_ms + cost_ms * margin <= budget.solve_ms
