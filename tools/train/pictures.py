"""Draws the pictures of docs/evaluation.md.

    python -m tools.train.pictures --work WORK --weights FILE [--out docs/pictures]

features.svg shows the families of patterns; accuracy.svg how far the weights are from the truth by number of empty
squares, on held-out positions of games and on the test sets. Needs Matplotlib (`pip install '.[train]'`). With the same
Matplotlib, weights and data, the files come out the same, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from rich.console import Console

from othello_engine.errors import EngineError
from othello_engine.evaluation.features import FAMILIES, INSTANCES
from tools.train.accuracy import PLIES, Accuracy, measure, on_test_sets
from tools.train.exact import DEEPEST, N_EMPTIES, THEO_EMPTIES
from tools.train.games import NO_THEO
from tools.train.labelling import search_values
from tools.train.weights_buffer import read_weights
from tools.train.work import Runner, WorkFolderError, load

MOST_ROWS = 2000
"""Held-out positions looked at for each number of empties."""
FEWEST_ROWS = 100
"""With fewer, a number of empties is left out."""
SELECTIVITY = 87
"""Of the searches that stand in for the truth where it is not known."""

STYLE = {
    "svg.hashsalt": "othello-engine",
    "svg.fonttype": "none",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Arial"],
    "font.size": 10,
}
# Readable on white and on nearly black; there is no background of our own.
INK = "#768390"
SHADE = "#2f81f7"
COLORS = ("#d4761a", "#2f81f7", "#2da44e")
LABELS = ("static value", "one ply", "two plies")
COLUMNS = 6


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Errors on held-out positions with so many empties. is_exact: against the truth, else against deeper searches."""

    n_empties: int
    is_exact: bool
    errors: Accuracy


# -- figures -----------------------------------------------------------------------------------------------------


def held_out_rows(work: Path, n_empties: int) -> dict[str, np.ndarray]:
    """player, opponent and truth of up to MOST_ROWS held-out positions, evenly spread; truth is NaN if not known."""
    positions = load(work / "positions" / f"e{n_empties:02}.npz")
    chosen = positions["held_out"]
    truth = np.full(len(chosen), np.nan)
    if n_empties <= DEEPEST:
        truth = positions["score"].astype(np.float64)
    elif n_empties == THEO_EMPTIES:
        truth = positions["theo"].astype(np.float64)
        chosen = chosen & (truth != NO_THEO)
    rows = np.flatnonzero(chosen)
    if len(rows) > MOST_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.int64)]
    return {"player": positions["player"][rows], "opponent": positions["opponent"][rows], "truth": truth[rows]}


def on_held_out(work: Path, runner: Runner, weights: np.ndarray, depth: int) -> list[HeldOut]:
    """Errors by number of empties. depth: of the searches that stand in for the truth where it is not known."""
    parts = {n: held_out_rows(work, n) for n in N_EMPTIES if (work / "positions" / f"e{n:02}.npz").exists()}
    parts = {n: part for n, part in parts.items() if len(part["player"]) >= FEWEST_ROWS}
    if not parts:
        raise WorkFolderError(f"no held-out positions in {work}")
    # All numbers of empties in one go, so that all threads have work.
    player, opponent, truth = (np.concatenate([part[name] for part in parts.values()]) for name in parts[min(parts)])
    values = [search_values(runner, f"{plies} plies", weights, player, opponent, plies) for plies in PLIES]
    unknown = np.isnan(truth)
    truth[unknown] = search_values(
        runner, f"{depth} plies", weights, player[unknown], opponent[unknown], depth, SELECTIVITY
    )
    found = []
    first = 0
    for n, part in parts.items():
        rows = slice(first, first + len(part["player"]))
        errors = measure(f"held out, {n} empties", truth[rows], [value[rows] for value in values])
        found.append(HeldOut(n, not unknown[first], errors))
        first = rows.stop
    return found


# -- pictures ----------------------------------------------------------------------------------------------------


def save_picture(figure: Figure, path: Path) -> None:
    """Write an SVG that tells no time and no program, on no background."""
    FigureCanvasSVG(figure).print_svg(path, metadata={"Date": None, "Creator": None})


def _squares(corners: Sequence[tuple[float, float]]) -> Outline:
    """Unit squares with these top left corners, as one outline."""
    points = [(x + right, y + down) for x, y in corners for right, down in ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))]
    codes = [Outline.MOVETO, *[Outline.LINETO] * 3, Outline.CLOSEPOLY] * len(corners)
    return Outline(points, codes)


def _draw_board(axes: Axes, name: str, squares: Sequence[int]) -> None:
    axes.set(xlim=(-0.1, 8.1), ylim=(8.1, -0.1), aspect="equal")
    axes.set_axis_off()
    axes.add_patch(PathPatch(_squares([(s % 8, s // 8) for s in squares]), facecolor=SHADE, alpha=0.25, linewidth=0))
    ends = [(point, other) for line in range(9) for point, other in (((line, 0), (line, 8)), ((0, line), (8, line)))]
    grid = Outline([point for pair in ends for point in pair], [Outline.MOVETO, Outline.LINETO] * len(ends))
    axes.add_patch(PathPatch(grid, facecolor="none", edgecolor=INK, linewidth=0.6))
    for digit, square in enumerate(squares):
        axes.text(
            square % 8 + 0.5, square // 8 + 0.5, str(digit), color=INK, fontsize=8, ha="center", va="center_baseline"
        )
    n_instances = sum(instance.family == name for instance in INSTANCES)
    axes.set_title(f"{name}  × {n_instances}", color=INK, fontsize=10, pad=4)


def draw_features(path: Path) -> None:
    """The first instance of each family, with the numbers of its digits, and how many instances there are."""
    with matplotlib.rc_context(STYLE):
        rows = -(-len(FAMILIES) // COLUMNS)
        figure = Figure(figsize=(1.65 * COLUMNS, 1.88 * rows), layout="constrained")
        figure.patch.set_alpha(0)
        for axes, (name, squares) in zip(figure.subplots(rows, COLUMNS).flat, FAMILIES.items(), strict=False):
            _draw_board(axes, name, squares)
        for axes in figure.axes[len(FAMILIES) :]:
            axes.set_axis_off()
        save_picture(figure, path)


def draw_accuracy(path: Path, held_out: Sequence[HeldOut], tests: Sequence[Accuracy], depth: int, name: str) -> None:
    """RMSE by number of empties, one colour for each of PLIES. tests: as `on_test_sets` finds them."""
    by_search = [each for each in held_out if not each.is_exact]
    exact_line = [each for each in held_out if each.is_exact and each.n_empties <= DEEPEST]
    exact_points = [each for each in held_out if each.is_exact and each.n_empties > DEEPEST]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9, 5.4), layout="constrained")
        figure.patch.set_alpha(0)
        axes = figure.subplots()
        axes.patch.set_alpha(0)
        for index, color in enumerate(COLORS):
            for part, look in ((exact_line, "-"), (by_search, "--"), (exact_points, "s")):
                axes.plot(
                    [each.n_empties for each in part], [each.errors.rmse[index] for each in part], look, color=color
                )
            axes.plot(
                [int(each.name.removeprefix("e")) for each in tests],
                [each.rmse[index] for each in tests],
                "o",
                color=color,
                fillstyle="none",
            )
        lines = [Line2D([], [], color=color, label=label) for color, label in zip(COLORS, LABELS, strict=True)]
        by_search_label = (
            f"held-out games, against depth {depth} at {SELECTIVITY} %\n"
            "with the same weights: self-consistency, not truth"
        )
        looks = [
            Line2D([], [], color=INK, linestyle="--", label=by_search_label),
            Line2D([], [], color=INK, label="held-out games, exact scores"),
            Line2D([], [], color=INK, linestyle="", marker="s", label="held-out games, theoretical scores"),
            Line2D([], [], color=INK, linestyle="", marker="o", fillstyle="none", label="test games, exact scores"),
        ]
        figure.legend(
            handles=lines + looks, labelcolor=INK, frameon=False, loc="outside lower center", ncols=2, fontsize=9
        )
        axes.set_xlim(0, 60)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("empty squares", color=INK)
        axes.set_ylabel("RMSE in discs", color=INK)
        axes.set_title(f"weights {name}", color=INK, fontsize=10)
        axes.tick_params(colors=INK)
        axes.grid(color=INK, alpha=0.25, linewidth=0.5)
        for spine in axes.spines.values():
            spine.set_color(INK)
        save_picture(figure, path)


# -- the program -------------------------------------------------------------------------------------------------


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.train.pictures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="work folder of the training")
    parser.add_argument("--weights", type=Path, required=True, metavar="FILE", help="weight file")
    parser.add_argument(
        "--out", type=Path, default=Path("docs/pictures"), metavar="DIR", help="folder (default: %(default)s)"
    )
    parser.add_argument(
        "--depth", type=int, default=8, metavar="D", help="of the searches in place of the truth (default: %(default)s)"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, metavar="T", help="(default: all cores)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    options = build_parser().parse_args(arguments)
    runner = Runner(Console(), options.threads)
    try:
        weights, header = read_weights(options.weights)
        options.out.mkdir(parents=True, exist_ok=True)
        draw_features(options.out / "features.svg")
        held_out = on_held_out(options.work, runner, weights, options.depth)
        tests = on_test_sets(options.work, runner, weights)
        name = f"{header.name}, sha256 {header.sha256[:8]}"
        draw_accuracy(options.out / "accuracy.svg", held_out, tests, options.depth, name)
    except (OSError, WorkFolderError, EngineError) as error:
        Console(stderr=True).print(f"tools.train.pictures: {error}", style="bold red", markup=False)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
