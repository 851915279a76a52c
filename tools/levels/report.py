"""Tables of what was measured, on the terminal and in the documentation, and the picture of the strengths."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from tools.levels.mistakes import Habits, Mean
from tools.levels.players import RANDOM
from tools.match.record import OTHELLO, GameRecord
from tools.match.settings import UsageError
from tools.match.standing import Standing
from tools.match.stats import points_interval, ratings

TARGET_POINTS = 0.75
"""Of a level against the one below."""
TARGET_OVER_RANDOM = 0.9

Rows = list[list[str]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: headings, rows, and a sentence about where the figures come from. The first column holds names."""

    title: str
    headings: tuple[str, ...]
    rows: Rows
    caption: str = ""

    def to_rich(self) -> Table:
        table = Table(title=self.title, title_justify="left", caption=self.caption, caption_justify="left")
        table.box = box.SIMPLE_HEAD
        for heading in self.headings:
            table.add_column(heading, justify="left" if heading in _TEXTS else "right")
        for row in self.rows:
            table.add_row(*row)
        return table

    def to_markdown(self) -> str:
        rule = ["---" if heading in _TEXTS else "---:" for heading in self.headings]
        lines = ["| " + " | ".join(row) + " |" for row in [list(self.headings), rule, *self.rows]]
        return "\n".join([*lines, "", textwrap.fill(self.caption, _WIDTH)]).strip() + "\n"


_WIDTH = 120
"""Letters of a line of text in a page."""
_TEXTS = ("level", "against", "target")
"""Headings of columns that hold words."""


def standing_of(names: Sequence[str], records: Iterable[GameRecord]) -> Standing:
    """All results."""
    standing = Standing(names)
    for record in records:
        standing.add(record)
    return standing


# -- levels against the ones below ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """A level against the one below. interval: 95 % of the points. discs: mean difference, and its standard error."""

    level: str
    below: str
    n_games: int
    points: float
    interval: tuple[float, float]
    discs: float
    discs_error: float

    @property
    def target(self) -> float:
        return TARGET_OVER_RANDOM if self.below == RANDOM.name else TARGET_POINTS

    @property
    def is_met(self) -> bool:
        return self.points >= self.target


def steps(standing: Standing) -> list[Step]:
    """The weakest first; pairings of which no pair of games is finished are left out."""
    return [
        Step(
            level=standing.names[second],
            below=standing.names[first],
            n_games=duel.n_games,
            points=1 - duel.points,
            interval=_turned(points_interval(duel.pentanomial)),
            discs=-duel.mean_discs,
            discs_error=duel.discs_error,
        )
        for (first, second), duel in sorted(standing.duels.items())
        if duel.n_pairs
    ]


def _turned(interval: tuple[float, float]) -> tuple[float, float]:
    low, high = interval
    return 1 - high, 1 - low


def ladder_sheet(found: Sequence[Step], description: dict[str, Any]) -> Sheet:
    rows = [
        [
            step.level,
            step.below,
            str(step.n_games),
            f"{100 * step.points:.1f}",
            f"{100 * step.interval[0]:.1f} to {100 * step.interval[1]:.1f}",
            f"{step.discs:+.1f}",
            f"{100 * step.target:.0f} % {'met' if step.is_met else 'missed'}",
        ]
        for step in found
    ]
    is_anti = description["variant"] != OTHELLO
    variant, fewer = (", anti-Othello", ", by which the upper level has fewer") if is_anti else ("", "")
    return Sheet(
        f"Each level against the one below{variant}",
        ("level", "against", "games", "score %", "95 % interval", "discs", "target"),
        rows,
        f"{_origin(description)} Discs are the mean difference at the end of a game{fewer}.",
    )


def _origin(description: dict[str, Any]) -> str:
    return (
        f"Every opening is played twice, with colours changed. Openings `{description['openings']}`, "
        f"seed {description['seed']}."
    )


# -- strengths -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Strength:
    """A step of the option Elo, and what it is worth; error: half of the 95 % interval."""

    nominal: int
    measured: float
    error: float
    n_games: int
    points: float


def strengths(standing: Standing) -> list[Strength]:
    """Measured ratings with the same mean as the nominal ones, the weakest step first."""
    nominal = [int(name) for name in standing.names]
    pairs = {key: duel.pentanomial for key, duel in standing.duels.items()}
    mean = sum(nominal) / len(nominal)
    found = ratings(pairs, len(nominal))
    return [
        Strength(elo, mean + rating.elo, rating.error, conduct.n_games, _share(conduct.points, conduct.n_games))
        for elo, rating, conduct in zip(nominal, found, standing.conduct, strict=True)
    ]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def disorder(found: Sequence[Strength]) -> list[tuple[Strength, Strength]]:
    """Neighbouring steps of which the upper one is not the stronger one; none if the dial is monotonic."""
    return [(low, high) for low, high in itertools.pairwise(found) if not high.measured > low.measured]


def strength_sheet(found: Sequence[Strength], description: dict[str, Any]) -> Sheet:
    rows = [
        [
            str(each.nominal),
            f"{each.measured:.0f}",
            f"± {each.error:.0f}",
            f"{after.measured - each.measured:+.0f}" if after else "",
            str(each.n_games),
            f"{100 * each.points:.1f}",
        ]
        for each, after in itertools.zip_longest(found, found[1:])
    ]
    wrong = disorder(found)
    order = "Every step is stronger than the one below."
    if wrong:
        order = "Not in order: " + ", ".join(f"{low.nominal} and {high.nominal}" for low, high in wrong) + "."
    reach = max((second - first for first, second in description["pairings"]), default=0)
    return Sheet(
        "Strengths",
        ("Elo", "measured", "95 %", "to the next", "games", "score %"),
        rows,
        f"{_origin(description)} Each step met those up to {reach} steps away. The measured ratings fit all results "
        f"best (Bradley-Terry), and have the mean of the nominal ones. {order}",
    )


def draw_strengths(found: Sequence[Strength], path: Path) -> None:
    """Nominal and measured strengths as a picture, PNG or SVG by the name's ending."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 5), layout="constrained")
    axes = figure.add_subplot()
    nominal = [each.nominal for each in found]
    ends = [min(nominal), max(nominal)]
    axes.plot(ends, ends, color="0.6", linewidth=0.8, label="measured = nominal")
    axes.errorbar(
        nominal,
        [each.measured for each in found],
        yerr=[each.error if math.isfinite(each.error) else 0 for each in found],
        marker="o",
        markersize=4,
        linewidth=1,
        capsize=3,
        label="measured, 95 % interval",
    )
    axes.set(xlabel="option Elo", ylabel="measured Elo", title="Strengths of LimitStrength")
    axes.grid(color="0.9")
    axes.legend(loc="upper left", fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


# -- mistakes ------------------------------------------------------------------------------------------------------


def mistakes_sheet(found: Sequence[Habits], description: dict[str, Any], judged: dict[str, Any]) -> Sheet:
    """Mistakes per game. Of anti-Othello only the discs: a corner is nothing to be had there."""
    with_corners = description["variant"] == OTHELLO
    headings = ["level", "games"]
    headings += ["corners given", "corners missed", "of chances", "X-squares"] if with_corners else []
    headings += ["discs, midgame", "discs, ending"]
    rows = []
    for each in found:
        if not each.n_games:
            continue
        row = [each.name, str(each.n_games)]
        if with_corners:
            row += [
                _with_error(each.corners_given, 2),
                _with_error(each.corners_missed, 2),
                f"{each.corner_chances.mean:.2f}",
                _with_error(each.x_squares, 2),
            ]
        rows.append([*row, _with_error(each.midgame_discs, 1), _with_error(each.ending_discs, 1)])
    return Sheet(
        "Mistakes per game",
        tuple(headings),
        rows,
        f"Means of a game with the 95 % interval, without the moves of the opening; a level's games against the random "
        f"mover are left out. Discs are those lost against the best move: exactly from {judged['exact_empties']} "
        f"empties on, before that by {judged['depth']} plies of the profile `{judged['profile']}`.",
    )


def _with_error(mean: Mean, digits: int) -> str:
    error = "" if math.isnan(mean.error) else f" ± {mean.error:.{digits}f}"
    return f"{mean.mean:.{digits}f}{error}"


# -- the documentation ---------------------------------------------------------------------------------------------


def replace_section(text: str, name: str, content: str) -> str:
    """A page with other text between its markers. Raises UsageError if it has none."""
    begin, end = f"<!-- levels:{name} -->", f"<!-- /levels:{name} -->"
    before, found, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        raise UsageError(f"the page needs the lines {begin} and {end}, in this order")
    return f"{before}{begin}\n{content.strip()}\n{end}{after}"
