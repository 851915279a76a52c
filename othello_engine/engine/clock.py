"""How long a search may take: pure functions from limits to a budget.

A budget is counted in milliseconds from the moment the request was made, on the monotonic clock. Wall-clock time,
which may jump, is not used anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from othello_engine.types import BLACK, Limits

TRANSPORT_MS = 5
"""Kept back even from the shortest budget: stopping the kernels, a line of text, a pipe, a reader that wakes up."""
OPENING_SHARE = 0.6
"""Part of the own moves down to the solving depth that still want their full share of time. A search that has seen
the end of the game makes the moves after it nearly free, so the plan may spend earlier what they leave."""
LEAST_PLANNED_MOVES = 2
"""Never plan to spend more than one part in this of a clock on one move, unless it is the last."""
HARD_FACTOR = 3.0
"""The hard limit of a clock move in terms of its share: finishing an iteration may be worth that."""
HARD_SHARE = 0.4
"""But never more than this part of what is left on the clock, while other moves follow."""
LEAST_GROWTH, MOST_GROWTH = 1.5, 5.0
"""How many times as long as the one before an iteration may be expected to take."""


@dataclass(frozen=True, slots=True)
class Budget:
    """soft_ms: start no iteration after this, nor one that is unlikely to end in time; hard_ms: stop. None: no limit.

    may_overrun_soft: an iteration that can't finish may be started all the same, since a part of it can still prove a
    better move and the time would be lost otherwise.
    """

    soft_ms: float | None = None
    hard_ms: float | None = None
    may_overrun_soft: bool = True


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
        budgets.append(Budget(time, time, may_overrun_soft=True))
    clock = limits.black_ms if side == BLACK else limits.white_ms
    if clock is not None:
        increment = limits.black_increment_ms if side == BLACK else limits.white_increment_ms
        budgets.append(clock_budget(clock, increment, limits.moves_to_go, n_empties, rules))
    if not budgets:
        return NO_LIMIT
    return min(budgets, key=lambda budget: budget.hard_ms if budget.hard_ms is not None else float("inf"))


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
    if clock_ms <= 0:
        return Budget(0, 0, may_overrun_soft=False)
    usable = max(0, clock_ms - TRANSPORT_MS)
    moves = own_moves_left(n_empties)
    if moves_to_go is not None:
        moves = min(moves, max(1, moves_to_go))
    planned = planned_moves(moves, n_empties, rules.solve_empties)
    increment = max(0, increment_ms)
    share = min(usable, usable / planned + increment * (1 - 1 / planned))
    if moves == 1:
        last = _less_reserve(usable, rules.reserve_ms)
        return Budget(last, last, may_overrun_soft=True)
    hard = min(share * HARD_FACTOR, usable * HARD_SHARE + min(increment, usable / 2), usable)
    hard = _less_reserve(hard, rules.reserve_ms)
    return Budget(min(_less_reserve(share, rules.reserve_ms), hard), hard, may_overrun_soft=False)


def _less_reserve(time_ms: float, reserve_ms: int) -> float:
    """What is left of a share of a clock after the reserve; a share that is hardly more than that is halved."""
    return max(time_ms - reserve_ms, time_ms / 2)


def planned_moves(moves: int, n_empties: int, solve_empties: int) -> float:
    """Number of equal shares to cut the clock into, when `moves` own moves are to come; at least 1."""
    if moves == 1:
        return 1
    solved = min(moves - 1, solve_empties // 2) if n_empties > solve_empties else 0
    unsolved = moves - solved
    return max(LEAST_PLANNED_MOVES, unsolved * OPENING_SHARE + min(solved, 2))


def may_start(budget: Budget, elapsed_ms: float, last_ms: float, before_ms: float) -> bool:
    """True if another iteration should begin.

    elapsed_ms: of the budget; last_ms, before_ms: what the last two iterations took, 0 if there was none.
    """
    if budget.hard_ms is None or budget.soft_ms is None:
        return True
    if budget.may_overrun_soft:
        return elapsed_ms < budget.hard_ms
    growth = last_ms / before_ms if before_ms > 0 else LEAST_GROWTH
    expected = last_ms * max(LEAST_GROWTH, min(growth, MOST_GROWTH))
    return elapsed_ms < budget.soft_ms and elapsed_ms + expected <= budget.hard_ms
