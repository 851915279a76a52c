"""From a request, the options in force and a position to everything a search is told. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from othello_engine.config import Config, Level, Strength, Style
from othello_engine.engine.choice import Lot
from othello_engine.engine.clock import NO_LIMIT, TimeRules, budget_for
from othello_engine.engine.deepening import MAX_DEPTH, Plan
from othello_engine.engine.jobs import SearchOrder
from othello_engine.errors import EngineError, IllegalMoveError
from othello_engine.position import Position
from othello_engine.search.task import EXACT_LIMIT, SCORE_LIMIT, Claim
from othello_engine.types import BLACK, N_SQUARES, PASS, Goal, Limits, ScoreKind, square_name

HIGHEST_CLAIM = 99
"""Per cent of confidence that a claim from outside can have: it may guide a search that prunes, and never counts as
proof."""
MAX_LIMIT_MS = 10**18
"""Larger times are cut to this: thirty million years."""


WIDTH = 200
"""Half the first window of an iteration, in units of the evaluation: node counts change by a few per cent between half
and twice this."""
_PRUNING = ("patterns",)
"""Evaluations whose midgame search prunes forward."""


def make_order(limits: Limits, position: Position, config: Config, asked_at: float) -> SearchOrder:
    """The order for a search. Raises IllegalMoveError for a `search_moves` entry that is no legal move."""
    asks_for_a_move = is_for_a_move(limits)
    limits = with_default_limit(limits, config)
    level = level_of(limits, config)
    unit = config.profile.units_per_disc
    empties = position.n_empties
    plan = Plan(
        position.player,
        position.opponent,
        goal=limits.goal,
        multipv=limits.multipv if limits.multipv is not None else config.multipv,
        moves=_mask(limits, position),
        window=_window(limits),
        score_kind=ScoreKind(config.profile.score_kind),
        solve_empties=config.solve_empties,
        wld_empties=config.wld_empties,
        selectivity=_selectivity(limits, config.selectivity, config),
        solve_selectivity=_selectivity(limits, 100, config),
        width=WIDTH,
        unit=unit,
        draw_value=config.contempt * unit // 100,
        seed=config.seed,
        must_hurry=not (limits.is_open or limits.thorough),
        is_limited=limits.nodes is not None or has_time_limit(limits) or bool(level and level.nodes),
        is_timed=has_time_limit(limits) and not limits.infinite,
        outcome_first=config.profile.outcome_first,
        is_anti=config.is_anti,
    )
    if level is not None:
        plan = _of_level(plan, level, limits, config)
    if limits.depth is not None:
        depth = max(1, min(limits.depth, MAX_DEPTH))
        plan = replace(plan, max_depth=depth, may_solve=depth >= empties)
    is_unlimited = limits.infinite
    if config.profile.search == "minimax":
        plan = _of_fixed_depth(plan, limits, position, config, asked_at)
        is_unlimited = is_unlimited or limits.depth is None
    elif asks_for_a_move:
        plan = _with_style(plan, level, limits, config)
    rules = TimeRules(config.move_overhead_ms, config.profile.minimum_ms, config.solve_empties)
    budget = NO_LIMIT if is_unlimited else budget_for(in_range(limits), position.side, empties, rules)
    own_clock = limits.black_ms if position.side == BLACK else limits.white_ms
    n_lines = max(1, min(plan.multipv, plan.allowed.bit_count()))
    level_nodes = level.nodes * (1 if asks_for_a_move else n_lines) if level else None
    node_limits = [limits.nodes if limits.nodes is None else max(1, limits.nodes), level_nodes]
    return SearchOrder(
        plan,
        budget,
        node_limit=min((limit for limit in node_limits if limit), default=0),
        clean_table=config.profile.clean_table or plan.style is not None,
        is_open=limits.infinite,
        pondering=limits.ponder,
        waits_for_workers=own_clock is None,  # a game clock runs, whatever keeps us from searching
        asked_at=asked_at,
    )


def make_claim(
    position: Position,
    bounds: tuple[float, float],
    depth: int,
    selectivity: int,
    moves: Sequence[int],
    config: Config,
) -> Claim:
    """What a table is told of a position; bounds in discs for the side to move, those of -64 and 64 say nothing.

    Raises EngineError if the lower bound is above the upper one, IllegalMoveError for a line that can't be played.
    """
    lower, upper = bounds
    if lower > upper:
        raise EngineError(f"a lower bound above the upper one: {lower:g} and {upper:g}")
    after = position
    for move in moves:
        after = after.play(move)
    unit = config.profile.units_per_disc
    return Claim(
        position.player,
        position.opponent,
        lower=round(lower * unit) if lower > -EXACT_LIMIT else -SCORE_LIMIT,
        upper=round(upper * unit) if upper < EXACT_LIMIT else SCORE_LIMIT,
        depth=max(0, min(depth, MAX_DEPTH)),
        selectivity=max(0, min(selectivity, HIGHEST_CLAIM)),
        moves=tuple(moves),
    )


def with_default_limit(limits: Limits, config: Config) -> Limits:
    """A request that nothing would end gets the profile's time or the level's depth.

    A level with a name says who plays, so it counts for every move that is asked for, whatever else limits it. Whoever
    asks for more than a move (several lines, a hint) is served by the strongest.
    """
    own_limits = (limits.move_time_ms, limits.black_ms, limits.white_ms, limits.depth, limits.nodes, limits.level)
    has_own = limits.infinite or limits.goal is not Goal.AUTO or any(limit is not None for limit in own_limits)
    if not has_own:
        has_players = bool(config.profile.level_names) and config.profile.can_solve
        level = config.bare_go_level if is_for_a_move(limits) or not has_players else len(config.levels) - 1
        limits = replace(limits, level=level, move_time_ms=config.bare_go_time_ms)
    is_plain = limits.level is None and limits.depth is None and limits.nodes is None
    if config.profile.level_names and is_plain and is_for_a_move(limits):
        return replace(limits, level=config.level)
    return limits


def is_for_a_move(limits: Limits) -> bool:
    """True if a move is wanted, and nothing else: whoever asks for lines, proofs or analysis wants the truth."""
    is_plain = limits.goal is Goal.AUTO and limits.window is None and (limits.multipv or 1) == 1
    return is_plain and not limits.infinite and not limits.thorough


def _of_level(plan: Plan, level: Level, limits: Limits, config: Config) -> Plan:
    """The plan of a level: its depth, and the first of its solves that is as sure as the search has to be."""
    solves = [(empties, sure) for empties, sure in level.solves if sure >= plan.selectivity] or [(0, 100)]
    empties, sure = next((solve for solve in solves if plan.n_empties <= solve[0]), solves[-1])
    if limits.goal is not Goal.AUTO:  # what is asked for is a proof
        sure = 100
    return replace(
        plan,
        max_depth=max(1, min(level.depth, MAX_DEPTH)),
        solve_empties=empties,
        wld_empties=empties,
        solve_selectivity=_selectivity(limits, sure, config),
    )


def _with_style(plan: Plan, level: Level | None, limits: Limits, config: Config) -> Plan:
    """The plan of a player with a style, or of one whose strength is limited.

    All moves get a value, as far as such a player looks, and the choice among them is made when these are known. The
    end of the game, as soon as such a player sees it, is played like anybody else's.
    """
    strength = _strength(plan, config)
    style = None if level is None or limits.depth is not None or limits.nodes is not None else level.style
    if strength is not None:
        style = strength.style
        solve_empties = min(plan.solve_empties, strength.exact_empties)
        plan = replace(
            plan,
            max_depth=min(plan.max_depth, strength.depth),
            solve_empties=solve_empties,
            wld_empties=solve_empties,
        )
    n_moves = plan.allowed.bit_count()
    sees_the_end = plan.n_empties <= max(plan.solve_empties, plan.max_depth)
    if style is None or style == Style() or sees_the_end or n_moves <= 1:
        return plan
    return replace(plan, style=style, multipv=n_moves, selectivity=100, may_solve=False)


def _strength(plan: Plan, config: Config) -> Strength | None:
    """Who plays for the option Elo: between two rows of the table, one of them in each position, by lot."""
    if config.strength is None:
        return None
    weaker, stronger, part = config.strength
    return stronger if Lot(plan.player, plan.opponent, config.seed).draw("strength") < part else weaker


def _of_fixed_depth(plan: Plan, limits: Limits, position: Position, config: Config, asked_at: float) -> Plan:
    """The plan for the one search of the depth asked for, or of the level's: so short that no clock cuts it.

    A level of depth 0 has already chosen its move when the search looks at what that is worth. Whoever wants to know
    more than a move (several lines, analysis) is not served by a random one, and gets the usual depth of a hint.
    """
    profile = config.profile
    if limits.goal is not Goal.AUTO and not profile.can_solve:
        raise EngineError(f"the profile {profile.name} never solves: neither exact nor wld can be asked of it")
    depth, moves = limits.depth, plan.moves
    if depth is None:
        depth = (level_of(limits, config) or profile.levels[config.level]).depth
    if depth == 0 and limits.depth is None:
        if limits.infinite or limits.thorough or (limits.multipv or 1) > 1:
            depth = profile.hint_plies[0]
        elif plan.allowed:
            moves = 1 << _random_move(plan.allowed, position, config.seed, asked_at)
    return replace(plan, max_depth=max(1, min(depth, MAX_DEPTH)), moves=moves, fixed_depth=True)


def _random_move(moves: int, position: Position, seed: int, asked_at: float) -> int:
    """One of these moves: always the same for a position and a seed; without a seed any, by the time of asking."""
    from random import Random

    squares = [square for square in range(N_SQUARES) if moves >> square & 1]
    source = Random(f"{seed} {position.to_text()}" if seed else f"{asked_at!r}")
    return squares[int(source.random() * len(squares))]


def has_time_limit(limits: Limits) -> bool:
    return any(limit is not None for limit in (limits.move_time_ms, limits.black_ms, limits.white_ms))


def level_of(limits: Limits, config: Config) -> Level | None:
    if limits.level is None:
        return None
    levels = config.levels
    if not 0 <= limits.level < len(levels):
        raise EngineError(f"there is no level {limits.level}; levels go from 0 to {len(levels) - 1}")
    return levels[limits.level]


def _mask(limits: Limits, position: Position) -> int:
    """Bitboard of the root moves asked for; 0 = all."""
    mask = 0
    for index, move in enumerate(limits.search_moves or (), 1):
        if move not in position.legal_moves:
            name = square_name(move) if 0 <= move <= PASS else str(move)
            raise IllegalMoveError(f"not a legal move here ({name})", name, index)
        if move != PASS:
            mask |= 1 << move
    return mask


def _window(limits: Limits) -> tuple[int, int] | None:
    if limits.window is None:
        return None
    alpha, beta = limits.window
    if alpha >= beta:
        raise EngineError(f"an empty window: {alpha} is not below {beta}")
    return alpha, beta


def _selectivity(limits: Limits, default: int, config: Config) -> int:
    """Per cent that is true of the results: without forward pruning they are not selective, whatever was asked."""
    if config.evaluation not in _PRUNING:
        return 100
    return default if limits.selectivity is None else limits.selectivity


def in_range(limits: Limits) -> Limits:
    """Times cut to what can be reckoned with."""

    def cut(time: int | None) -> int | None:
        return None if time is None else max(-MAX_LIMIT_MS, min(time, MAX_LIMIT_MS))

    return replace(
        limits,
        move_time_ms=cut(limits.move_time_ms),
        black_ms=cut(limits.black_ms),
        white_ms=cut(limits.white_ms),
    )
