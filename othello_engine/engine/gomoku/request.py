"""From a request, the options in force and a Gomoku position to everything a search is told. Pure."""

from __future__ import annotations

from dataclasses import replace

from othello_engine.config import Config
from othello_engine.engine.clock import NO_LIMIT, Budget, TimeRules, move_time_budget, planned_budget
from othello_engine.engine.gomoku.deepening import GomokuPlan
from othello_engine.engine.jobs import SearchOrder
from othello_engine.engine.request import has_time_limit, in_range, is_for_a_move, level_of, with_default_limit
from othello_engine.errors import EngineError, IllegalMoveError
from othello_engine.gomoku.position import NO_CELL, GomokuPosition
from othello_engine.gomoku.task import FACT_NODES, MAX_DEPTH
from othello_engine.types import BLACK, Goal, Limits

DOCUMENTED_SEARCH = "windows"
"""Of the profile whose root moves are dealt out, and which has a heatmap in its result."""
OPENING_MOVES = 20
"""Own moves that a clock is planned for at the beginning of a game; half of games between engines are over by then."""
LEAST_MOVES = 8
"""And never for fewer: a game may go on for long."""
FACT_NODES_PER_MS = 100
"""Of a move's time: a worker looks at 1,000 positions or more in a millisecond, and there are three questions."""
MOST_PER_MOVE = 1 / 5
"""Of what is left on the clock, for one move."""


def make_gomoku_order(limits: Limits, position: GomokuPosition, config: Config, asked_at: float) -> SearchOrder:
    """The order for a search. Raises IllegalMoveError for a `search_moves` entry that is no empty cell, EngineError for
    what there is only in Othello."""
    if limits.goal is not Goal.AUTO or limits.window is not None:
        raise EngineError("there is no solving in Gomoku; a search tells of a proved win by itself")
    for index, move in enumerate(limits.search_moves or (), 1):
        if move not in position.legal_moves:
            name = position.move_name(move) if 0 <= move < len(position.cells) else str(move)
            raise IllegalMoveError(f"not an empty cell ({name})", name, index)
    asks_for_a_move = is_for_a_move(limits)
    limits = with_default_limit(limits, config)
    level = level_of(limits, config)
    depth = MAX_DEPTH if level is None else level.depth
    if limits.depth is not None:
        depth = limits.depth
    rules = TimeRules(config.move_overhead_ms, config.profile.minimum_ms)
    budget = NO_LIMIT if limits.infinite else _budget(in_range(limits), position, rules)
    is_documented = config.profile.search == DOCUMENTED_SEARCH
    plan = GomokuPlan(
        position,
        max_depth=max(1, min(depth, MAX_DEPTH, max(row.depth for row in config.levels))),
        multipv=limits.multipv if limits.multipv is not None else config.multipv,
        moves=tuple(dict.fromkeys(limits.search_moves or ())),
        unit=config.profile.units_per_disc,
        must_hurry=asks_for_a_move and not limits.is_open and limits.depth is None,
        wants_heatmap=limits.heatmap or is_documented or config.result_line == "json",
        only_heatmap=limits.heatmap,
        is_dealt_out=is_documented,
        fact_nodes=_fact_nodes(budget),
    )
    own_clock = limits.black_ms if position.side == BLACK else limits.white_ms
    return SearchOrder(
        plan,
        budget,
        node_limit=0 if limits.nodes is None else max(1, limits.nodes),
        is_open=limits.infinite,
        pondering=limits.ponder,
        waits_for_workers=own_clock is None or not has_time_limit(limits),
        asked_at=asked_at,
        no_move=NO_CELL,
    )


def _fact_nodes(budget: Budget) -> int:
    """Positions for the facts before the first iteration: they may take a quarter of the time on a slow machine."""
    if budget.soft_ms is None:
        return FACT_NODES
    return max(1, min(FACT_NODES, int(budget.soft_ms * FACT_NODES_PER_MS)))


def _budget(limits: Limits, position: GomokuPosition, rules: TimeRules) -> Budget:
    """The tightest of what the limits say, for the side to move."""
    budgets = []
    if limits.move_time_ms is not None:
        time = move_time_budget(limits.move_time_ms, rules)
        budgets.append(Budget(time, time, may_overrun_soft=True))
    clock = limits.black_ms if position.side == BLACK else limits.white_ms
    if clock is not None:
        increment = limits.black_increment_ms if position.side == BLACK else limits.white_increment_ms
        moves = max(LEAST_MOVES, OPENING_MOVES - position.n_stones(position.side) // 2)
        if limits.moves_to_go is not None:
            moves = min(moves, max(1, limits.moves_to_go))
        budget = planned_budget(clock, increment, moves, moves, rules)
        if moves > 1 and budget.hard_ms is not None and budget.soft_ms is not None:
            hard = min(budget.hard_ms, max(budget.soft_ms, clock * MOST_PER_MOVE))
            budget = replace(budget, hard_ms=hard)
        budgets.append(budget)
    if not budgets:
        return NO_LIMIT
    return min(budgets, key=lambda each: each.hard_ms if each.hard_ms is not None else float("inf"))
