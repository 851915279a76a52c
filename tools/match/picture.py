"""The course of a match as a picture: points with their 95 % interval, over the pairs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tools.match.standing import Standing
from tools.match.stats import points_interval

_MOST_POINTS = 400
"""Places at which the interval is worked out."""


def course(points: Sequence[float]) -> tuple[list[int], list[float], list[tuple[float, float]]]:
    """Pairs played, mean points and their interval, at up to _MOST_POINTS places."""
    if not points:
        return [], [], []
    places = np.unique(np.linspace(1, len(points), min(len(points), _MOST_POINTS)).round().astype(int)).tolist()
    means = np.cumsum(points)
    codes = np.rint(4 * np.array(points)).astype(int)
    intervals = [points_interval(np.bincount(codes[:n], minlength=5).tolist()) for n in places]
    return places, [float(means[n - 1]) / n for n in places], intervals


def draw(standing: Standing, path: Path, title: str) -> None:
    """Write PNG or SVG, by the name's ending. Every pairing has a line."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.axhline(50, color="0.6", linewidth=0.8)
    for (first, second), duel in sorted(standing.duels.items()):
        places, means, intervals = course(duel.course)
        if not places:
            continue
        games = [2 * n for n in places]
        label = _literal(f"{standing.names[first]} against {standing.names[second]}")
        [line] = axes.plot(
            games, [100 * mean for mean in means], label=label, marker="o" if len(games) == 1 else "", clip_on=False
        )
        low, high = ([100 * bound for bound in side] for side in zip(*intervals, strict=True))
        axes.fill_between(games, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    longest = max((len(duel.course) for duel in standing.duels.values()), default=0)
    axes.set(
        xlabel="games", ylabel="points, %", title=_literal(title), xlim=(0, 2.04 * max(1, longest)), ylim=(-2, 102)
    )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if standing.duels:
        axes.legend(loc="best", fontsize="small")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font may lack a letter of a name
        figure.savefig(path, dpi=130)


def _literal(text: str) -> str:
    """A text as Matplotlib shows it unchanged: a `$` begins a formula, and labels with `_` in front are left out."""
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")
