"""What a match says: live table, lines for a log, and the summary as Markdown and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rich import box
from rich.table import Table

from tools.engines.drivers import FaultKind
from tools.engines.spec import EngineSpec
from tools.match.games import OthelloGame
from tools.match.record import GameRecord
from tools.match.settings import Settings
from tools.match.standing import MIDGAME_EMPTIES, Conduct, Duel, Standing
from tools.match.stats import Rating, Sprt, normalised_elo, ratings

Rows = list[list[str]]

_NARROW = {"won-drawn-lost": "w-d-l", "points %": "%"}


def short_elo(elo: float, interval: tuple[float, float]) -> str:
    """`+35 ± 25`, for narrow tables."""
    low, high = interval
    return f"{elo:+z.0f} ± {(high - low) / 2:.0f}"


def elo_text(elo: float, interval: tuple[float, float]) -> str:
    """`+35.2 [+10.1, +61.0]`."""
    low, high = interval
    return f"{_signed(elo)} [{_signed(low)}, {_signed(high)}]"


def duel_text(duel: Duel, first: str, second: str, unit: str = OthelloGame.unit) -> str:
    """One line: result, points, discs if scores count such, Elo and superiority."""
    points = f"{100 * duel.points:.1f} %"
    discs = f"{duel.mean_discs:+z.2f} {unit}  " if unit else ""
    elo = f"Elo {elo_text(duel.elo, duel.elo_interval)}"
    return (
        f"{first} - {second}  {duel.wins}-{duel.draws}-{duel.losses}  {points}  {discs}{elo}  "
        f"LOS {100 * duel.superiority:.1f} %"
    )


def standing_text(standing: Standing) -> str:
    """One line: of two engines as `duel_text`, of more their points, best first."""
    if len(standing.names) == 2:
        return duel_text(standing.duels[0, 1], standing.names[0], standing.names[1], standing.unit)
    points = [
        (conduct.points / conduct.n_games, name)
        for name, conduct in zip(standing.names, standing.conduct, strict=True)
        if conduct.n_games
    ]
    return ", ".join(f"{name} {100 * share:.1f} %" for share, name in sorted(points, key=lambda each: -each[0]))


def sprt_text(sprt: Sprt, duel: Duel) -> str:
    """`LLR 1.23 (-2.94, 2.94) [0, 5] open, pairs 1 2 3 4 5`."""
    low, high = sprt.bounds
    kind = "normalised " if sprt.normalised else ""
    counts = " ".join(map(str, duel.pentanomial))
    return (
        f"SPRT: LLR {sprt.llr(duel.pentanomial):.2f} ({low:.2f}, {high:.2f}), "
        f"{kind}Elo [{sprt.elo0:g}, {sprt.elo1:g}], {sprt.verdict(duel.pentanomial)}; pairs {counts}"
    )


def game_text(record: GameRecord) -> str:
    """One line for a finished game."""
    how = "" if record.ending == "played" else f"  {record.fault_line or record.ending}"
    return f"game {record.number + 1}: {record.black} - {record.white} {record.score:+d}{how}"


# --- tables


def result_rows(standing: Standing, is_short: bool = False) -> tuple[list[str], Rows]:
    """Head and rows, best engine first; in a match of two in their own order."""
    table_ratings = field_ratings(standing)
    order = list(range(len(standing.names)))
    if len(order) > 2:
        order.sort(key=lambda engine: -table_ratings[engine].elo)
    head = ["engine", "games", "won-drawn-lost", "points %", "discs", "Elo"]
    if len(order) == 2:
        head.append("LOS %")
    rows = []
    for engine in order:
        conduct = standing.conduct[engine]
        row = [
            standing.names[engine],
            str(conduct.n_games),
            f"{conduct.wins}-{conduct.draws}-{conduct.losses}",
            _percent(conduct.points, conduct.n_games),
        ]
        if len(order) == 2:
            row += _two_engines(standing.duels.get((0, 1), Duel()), engine, short_elo if is_short else elo_text)
        else:
            discs = conduct.discs / conduct.n_games if conduct.n_games else math.nan
            rating = table_ratings[engine]
            digits = 0 if is_short else 1
            elo = f"{rating.elo:+z.{digits}f} ± {rating.error:.{digits}f}" if math.isfinite(rating.error) else "-"
            row += [_number(discs, "+z.2f"), elo]
        rows.append(row)
    return (head, rows) if standing.unit else _without(head, rows, "discs")


def _without(head: list[str], rows: Rows, *names: str) -> tuple[list[str], Rows]:
    """A table without some columns."""
    kept = [i for i, name in enumerate(head) if name not in names]
    return [head[i] for i in kept], [[row[i] for i in kept] for row in rows]


def _two_engines(duel: Duel, engine: int, format_elo: Callable[[float, tuple[float, float]], str]) -> list[str]:
    if not duel.n_games:
        return ["-", "-", "-"]
    sign = 1 if engine == 0 else -1
    discs = f"{sign * duel.mean_discs:+z.2f} ± {_number(duel.discs_error, '.2f')}"
    low, high = duel.elo_interval
    interval = (low, high) if engine == 0 else (-high, -low)
    superiority = duel.superiority if engine == 0 else 1 - duel.superiority
    return [discs, format_elo(sign * duel.elo, interval), f"{100 * superiority:.1f}"]


def conduct_rows(standing: Standing, specs: Sequence[EngineSpec]) -> tuple[list[str], Rows]:
    """How the engines behaved: limits, times, depth, speed, faults."""
    midgame = f"with {MIDGAME_EMPTIES}+ empty"
    head = ["engine", "protocol", "limits", "moves", "ms a move", midgame, "worst ms"]
    head += ["over the limit", "depth", "nodes/s", "CPU share", "faults"]
    rows = []
    for spec, conduct in zip(specs, standing.conduct, strict=True):
        rows.append(
            [
                spec.name,
                spec.protocol,
                str(spec.limits),
                f"{conduct.n_moves:,}",
                _number(conduct.mean_ms, ".1f"),
                _number(conduct.midgame_mean_ms, ".1f"),
                f"{1000 * conduct.worst:.1f}",
                "-" if spec.limits.move_s is None else str(conduct.n_over),
                _number(conduct.mean_depth, ".1f"),
                _number(conduct.nodes_per_second, ",.0f"),
                _number(conduct.cpu_share, ".2f"),
                faults_text(conduct),
            ]
        )
    return (head, rows) if standing.unit else _without(head, rows, midgame)  # where games end long before


def faults_text(conduct: Conduct) -> str:
    """`none`, or `2 crash, 1 hang`."""
    found = [f"{conduct.faults[kind]} {kind}" for kind in FaultKind if conduct.faults[kind]]
    return ", ".join(found) or "none"


def live_table(standing: Standing, settings: Settings, n_games: int, time_text: str = "") -> Table:
    """For a terminal, while the match runs and at its end. time_text: how long it takes, for the title."""
    head, rows = result_rows(standing, is_short=True)
    if len(settings.engines) == 2:  # the games are told in the title
        head, rows = head[:1] + head[2:], [row[:1] + row[2:] for row in rows]
    title = f"{settings.title}: {standing.n_games} of {n_games} games{time_text and f', {time_text}'}"
    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for i, name in enumerate([*head, "ms", "faults"]):
        table.add_column(_NARROW.get(name, name), justify="left" if i == 0 else "right")
    for row in rows:
        conduct = standing.conduct[standing.names.index(row[0])]
        faults = faults_text(conduct)
        table.add_row(*row, _number(conduct.mean_ms, ".1f"), faults, style="red" if faults != "none" else None)
    if settings.sprt:
        table.caption = sprt_text(settings.sprt, standing.duels.get((0, 1), Duel()))
    return table


def field_ratings(standing: Standing) -> list[Rating]:
    """Ratings of all engines, their mean 0."""
    return ratings({key: duel.pentanomial for key, duel in standing.duels.items()}, len(standing.names))


# --- the summary


def markdown(standing: Standing, settings: Settings, facts: dict[str, Any]) -> str:
    """The whole summary as a document. facts: as in `summary`."""
    title = f"# {settings.title}"
    parts = [title, _state_text(standing, facts), _md_table(*result_rows(standing))]
    if settings.sprt:
        parts.append(sprt_text(settings.sprt, standing.duels.get((0, 1), Duel())) + ".")
    if len(standing.names) > 2:
        parts += ["## Pairings", _md_table(*pairing_rows(standing))]
    elif standing.duels:
        parts.append(_pairs_text(standing.duels[0, 1], standing.unit))
    parts += ["## Conduct", _md_table(*conduct_rows(standing, settings.engines))]
    if standing.faults:
        n_faults = sum(conduct.faults.total() for conduct in standing.conduct)
        parts.append(f"The first of {n_faults} faults:" if n_faults > len(standing.faults) else "Faults:")
        parts.append("\n".join(f"- {line}" for line in standing.faults))
    untold: dict[str, Sequence[str]] = facts["untold"]
    if untold:
        parts.append("What a dialect could not tell, and the program's own command line has to keep:")
        parts.append("\n".join(f"- {name}: {', '.join(what)}" for name, what in untold.items()))
    parts += ["## Rules", "\n".join(f"- {line}" for line in rules_lines(settings, facts))]
    if facts.get("picture"):
        parts.append(f"![Points over the games]({facts['picture']})")
    return "\n\n".join(parts) + "\n"


def pairing_rows(standing: Standing) -> tuple[list[str], Rows]:
    head = ["pairing", "games", "won-drawn-lost", "points %", "discs", "Elo", "LOS %"]
    rows = []
    for (first, second), duel in sorted(standing.duels.items()):
        discs = f"{duel.mean_discs:+z.2f} ± {_number(duel.discs_error, '.2f')}"
        rows.append(
            [
                f"{standing.names[first]} - {standing.names[second]}",
                str(duel.n_games),
                f"{duel.wins}-{duel.draws}-{duel.losses}",
                f"{100 * duel.points:.1f}",
                discs,
                elo_text(duel.elo, duel.elo_interval),
                f"{100 * duel.superiority:.1f}",
            ]
        )
    return (head, rows) if standing.unit else _without(head, rows, "discs")


def rules_lines(settings: Settings, facts: dict[str, Any]) -> list[str]:
    """How it was played, in sentences."""
    openings = settings.openings or "the start position"
    at_once = "1 game" if settings.concurrency == 1 else f"{settings.concurrency} games"
    lines = list(settings.game.rules)
    by = f" by {settings.game.forfeit} {settings.game.unit}" if settings.game.unit else ""
    lines += [
        f"Openings: {openings}, seed {settings.seed}; each played twice, with colours changed. {settings.mode}.",
        f"A move is lost on time {1000 * settings.margin:g} ms after its limit; a program hangs {settings.hang:g} s "
        f"later, or after {settings.patience:g} s where no limit in time was given.",
        f"A fault (illegal move, time loss, hang, crash, refusal) or a resignation loses the game{by}.",
        f"{at_once} at once. The manager took {_number(facts['overhead_ms'], '.3f')} ms a move.",
    ]
    if settings.adjudicate:
        lines.append(f"From {settings.adjudicate} empty squares on the exact solver said the result.")
    if settings.draw_after:
        lines.append(f"With {settings.draw_after} stones on the board a game was called a draw.")
    return lines


def _pairs_text(duel: Duel, unit: str) -> str:
    if not duel.n_pairs:
        return "No pair of games is complete yet."
    counts = ", ".join(map(str, duel.pentanomial))
    lead = _number(normalised_elo(duel.pentanomial), "+z.1f")
    return (
        f"Pairs by points (0, 1/2, 1, 3/2, 2): {counts}. Normalised Elo {lead}. "
        f"Intervals are 95 %, from pairs{f'; ± behind {unit} is one standard error' if unit else ''}."
    )


def _state_text(standing: Standing, facts: dict[str, Any]) -> str:
    text = f"{standing.n_games} of {facts['n_games']} games, {facts['state']}."
    if facts["withdrawn"]:
        text += f" Taken out after repeated failures: {', '.join(facts['withdrawn'])}."
    return text


def summary(standing: Standing, settings: Settings, facts: dict[str, Any]) -> dict[str, Any]:
    """Everything about a match, for JSON; numbers that don't exist are null."""
    rated = field_ratings(standing)
    result: dict[str, Any] = {
        "name": settings.name,
        **settings.game.facts,
        **facts,
        "games_played": standing.n_games,
        "moves_played": standing.n_moves,
        "endings": dict(standing.endings),
        "engines": [
            _engine(spec, conduct, rating)
            for spec, conduct, rating in zip(settings.engines, standing.conduct, rated, strict=True)
        ],
        "pairings": [_duel(standing, key, duel) for key, duel in sorted(standing.duels.items())],
    }
    if settings.sprt:
        counts = standing.duels.get((0, 1), Duel()).pentanomial
        sprt = settings.sprt
        result["sprt"] = {
            "elo0": sprt.elo0,
            "elo1": sprt.elo1,
            "alpha": sprt.alpha,
            "beta": sprt.beta,
            "model": "normalised" if sprt.normalised else "logistic",
            "llr": sprt.llr(counts),
            "bounds": sprt.bounds,
            "verdict": str(sprt.verdict(counts)),
        }
    return result | {"overhead_ms": _json(standing.overhead_ms)}


def _engine(spec: EngineSpec, conduct: Conduct, rating: Rating) -> dict[str, Any]:
    return {
        "name": spec.name,
        "command": list(spec.command),
        "protocol": spec.protocol,
        "directory": str(spec.directory) if spec.directory else None,
        "options": dict(spec.options),
        "limits": str(spec.limits),
        "games": conduct.n_games,
        "wins": conduct.wins,
        "draws": conduct.draws,
        "losses": conduct.losses,
        "points": conduct.points,
        "elo": rating.elo if math.isfinite(rating.error) else None,
        "elo_error_95": _json(rating.error),
        "moves": conduct.n_moves,
        "mean_ms": _json(conduct.mean_ms),
        "midgame_mean_ms": _json(conduct.midgame_mean_ms),
        "worst_ms": 1000 * conduct.worst,
        "moves_over_limit": None if spec.limits.move_s is None else conduct.n_over,
        "mean_depth": _json(conduct.mean_depth),
        "nodes_per_second": _json(conduct.nodes_per_second),
        "cpu_share": _json(conduct.cpu_share),
        "faults": dict(conduct.faults),
    }


def _duel(standing: Standing, key: tuple[int, int], duel: Duel) -> dict[str, Any]:
    return {
        "first": standing.names[key[0]],
        "second": standing.names[key[1]],
        "games": duel.n_games,
        "wins": duel.wins,
        "draws": duel.draws,
        "losses": duel.losses,
        "points_percent": 100 * duel.points,
        "pentanomial": duel.pentanomial,
        **({"discs": duel.mean_discs, "discs_standard_error": _json(duel.discs_error)} if standing.unit else {}),
        "elo": _json(duel.elo),
        "elo_95": [_json(bound) for bound in duel.elo_interval],
        "normalised_elo": _json(normalised_elo(duel.pentanomial)) if duel.n_pairs else None,
        "superiority": duel.superiority,
    }


# --- numbers


def _md_table(head: list[str], rows: Rows) -> str:
    def line(cells: list[str]) -> str:
        return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"

    return "\n".join([line(head), line(["---"] + ["---:"] * (len(head) - 1)), *map(line, rows)])


def _percent(points: float, games: int) -> str:
    return f"{100 * points / games:.1f}" if games else "-"


def _signed(value: float) -> str:
    return f"{value:+z.1f}"


def _number(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def _json(value: float) -> float | None:
    return value if math.isfinite(value) else None
