"""What a match says: totals with their uncertainty, as a table and as JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from rich.table import Table

from tools.duel.engines import EngineSpec, FaultKind
from tools.duel.match import Game, Pair, Thought

_Z95 = 1.96
_MIDGAME_EMPTIES = 24
"""Down to here hardly a position is solved in a short time: what a move really gets shows above."""
_IMAGINED = (0.0, 0.0, 1.0, 1.0)
"""Pairs added for the interval only. Without them a few pairs that all end alike would leave no doubt at all; with a
hundred pairs they hardly matter (Agresti and Coull 1998)."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The result so far, for the first engine."""

    wins: int
    draws: int
    losses: int
    points: float
    """Mean, 0 to 1."""
    points_interval: tuple[float, float]
    """95 %, from pairs: the two games of an opening depend on each other."""
    discs: float
    """Mean of a game."""
    discs_error: float
    """Standard error of that mean, from pairs; nan with fewer than two."""

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> Standing:
        """pairs: at least one."""
        results = Counter(game.points for pair in pairs for game in pair.games)
        discs = [pair.discs for pair in pairs]
        points = [pair.points for pair in pairs]
        error = stdev(discs) / math.sqrt(len(discs)) if len(discs) > 1 else math.nan
        return cls(
            results[1.0], results[0.5], results[0.0], fmean(points), points_interval(points), fmean(discs), error
        )

    def __str__(self) -> str:
        return f"{self.wins}-{self.draws}-{self.losses}  {100 * self.points:.1f} %  {self.discs:+.2f} discs"


def points_interval(points: Sequence[float]) -> tuple[float, float]:
    """95 % interval of the expected points of a pair, each 0 to 1, by the normal approximation."""
    values = [*points, *_IMAGINED]
    centre = fmean(values)
    reach = _Z95 * stdev(values) / math.sqrt(len(values))
    return max(0.0, centre - reach), min(1.0, centre + reach)


@dataclass(frozen=True, slots=True)
class Conduct:
    """How one engine behaved."""

    n_moves: int
    mean_ms: float
    midgame_mean_ms: float
    worst_ms: float
    cpu_share: float
    """CPU time divided by thinking time. Above 1: it uses several cores, or thinks on the other's time. Well below
    1: the machine was busy with something else, and the match says little.
    """
    faults: Counter[FaultKind]

    @classmethod
    def of(cls, games: Sequence[Game], engine: int) -> Conduct:
        thoughts = [thought for game in games for thought in game.thoughts[engine]]
        midgame = [thought for thought in thoughts if thought.n_empties >= _MIDGAME_EMPTIES]
        whole = [game for game in games if game.cpu_seconds is not None]
        cpu = sum(game.cpu_seconds[engine] for game in whole if game.cpu_seconds)
        thought = sum(thought.seconds for game in whole for thought in game.thoughts[engine])
        faults = Counter(game.fault.kind for game in games if game.fault and game.fault.culprit == engine)
        return cls(
            n_moves=len(thoughts),
            mean_ms=_mean_ms(thoughts),
            midgame_mean_ms=_mean_ms(midgame),
            worst_ms=1000 * max((thought.seconds for thought in thoughts), default=math.nan),
            cpu_share=cpu / thought if thought else math.nan,
            faults=faults,
        )


def all_games(pairs: Sequence[Pair]) -> list[Game]:
    return [game for pair in pairs for game in pair.games]


def limits_text(spec: EngineSpec) -> str:
    """`200 ms`, `depth 12`, both, or `own`."""
    parts = [f"{spec.time_ms} ms"] if spec.time_ms else []
    parts += [f"depth {spec.depth}"] if spec.depth else []
    return ", ".join(parts) or "own"


def result_table(specs: tuple[EngineSpec, EngineSpec], pairs: Sequence[Pair]) -> Table:
    """The final table; faults in red."""
    standing = Standing.of(pairs)
    games = all_games(pairs)
    low, high = standing.points_interval
    table = Table(title=f"{specs[0].name} against {specs[1].name}: {len(games)} games, {len(pairs)} openings")
    table.add_column()
    for spec in specs:
        table.add_column(spec.name, justify="right")
    table.add_row("won", str(standing.wins), str(standing.losses))
    table.add_row("drawn", str(standing.draws), str(standing.draws))
    table.add_row("points %", f"{100 * standing.points:.1f}", f"{100 - 100 * standing.points:.1f}")
    table.add_row(
        "95 % interval", f"{100 * low:.1f} to {100 * high:.1f}", f"{100 - 100 * high:.1f} to {100 - 100 * low:.1f}"
    )
    table.add_row("discs a game", f"{standing.discs:+.2f}", f"{-standing.discs:+.2f}")
    table.add_row("standard error", *[f"{standing.discs_error:.2f}"] * 2)
    table.add_section()
    conducts = [Conduct.of(games, engine) for engine in (0, 1)]
    table.add_row("limits", *(limits_text(spec) for spec in specs))
    table.add_row("moves", *(f"{conduct.n_moves:,}" for conduct in conducts))
    table.add_row("ms a move, mean", *(f"{conduct.mean_ms:.1f}" for conduct in conducts))
    table.add_row(
        f"ms a move, {_MIDGAME_EMPTIES} or more empties", *(f"{conduct.midgame_mean_ms:.1f}" for conduct in conducts)
    )
    table.add_row("ms a move, worst", *(f"{conduct.worst_ms:.1f}" for conduct in conducts))
    table.add_row("CPU of thinking time", *(f"{conduct.cpu_share:.2f}" for conduct in conducts))
    table.add_section()
    for kind in FaultKind:
        counts = [conduct.faults[kind] for conduct in conducts]
        table.add_row(kind, *(str(count) for count in counts), style="bold red" if any(counts) else None)
    return table


def pair_line(pair: Pair, pairs: Sequence[Pair]) -> str:
    """A finished pair, and the standing with it."""
    scores = "  ".join(f"{game.score:+3d}{'!' if game.fault else ' '}" for game in pair.games)
    return f"{pair.index + 1:4}  {scores}  {Standing.of(pairs)}  {pair.opening.transcript}"


def game_line(game: Game, specs: tuple[EngineSpec, EngineSpec]) -> str:
    """`PAIR BLACK WHITE DISCS TRANSCRIPT [FAULT]`, separated by TABs; discs are black minus white."""
    black, white = specs[game.black].name, specs[1 - game.black].name
    discs = game.score if game.black == 0 else -game.score
    fields = [str(game.pair + 1), black, white, f"{discs:+d}", game.transcript]
    if game.fault:
        fields.append(f"{game.fault.kind} of {specs[game.fault.culprit].name}")
    return "\t".join(fields)


def summary(specs: tuple[EngineSpec, EngineSpec], pairs: Sequence[Pair], settings: dict[str, Any]) -> dict[str, Any]:
    """Everything about a match, for JSON; numbers that don't exist are null."""
    standing = Standing.of(pairs)
    games = all_games(pairs)
    return {
        "settings": settings,
        "engines": [_engine(spec, Conduct.of(games, engine)) for engine, spec in enumerate(specs)],
        "result": {
            "n_games": len(games),
            "wins": standing.wins,
            "draws": standing.draws,
            "losses": standing.losses,
            "points_percent": 100 * standing.points,
            "points_percent_95": [100 * bound for bound in standing.points_interval],
            "discs": standing.discs,
            "discs_standard_error": _number(standing.discs_error),
        },
        "pairs": [
            {
                "pair": pair.index + 1,
                "opening": pair.opening.transcript,
                "discs": [game.score for game in pair.games],
                "games": [game.transcript for game in pair.games],
                "ms": [[[round(1000 * t.seconds) for t in side] for side in game.thoughts] for game in pair.games],
            }
            for pair in sorted(pairs, key=lambda pair: pair.index)
        ],
        "faults": [
            {
                "pair": game.pair + 1,
                "engine": specs[game.fault.culprit].name,
                "kind": game.fault.kind,
                "text": game.fault.text,
                "game": game.transcript,
            }
            for game in games
            if game.fault
        ],
    }


def _engine(spec: EngineSpec, conduct: Conduct) -> dict[str, Any]:
    return {
        "name": spec.name,
        "command": list(spec.command),
        "directory": str(spec.directory) if spec.directory else None,
        "protocol": spec.dialect,
        "time_ms": spec.time_ms,
        "depth": spec.depth,
        "answer_limit_s": spec.answer_limit_s,
        "n_moves": conduct.n_moves,
        "mean_ms": _number(conduct.mean_ms),
        "midgame_mean_ms": _number(conduct.midgame_mean_ms),
        "worst_ms": _number(conduct.worst_ms),
        "cpu_share": _number(conduct.cpu_share),
        "faults": dict(conduct.faults),
    }


def _mean_ms(thoughts: Sequence[Thought]) -> float:
    return 1000 * fmean(thought.seconds for thought in thoughts) if thoughts else math.nan


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
