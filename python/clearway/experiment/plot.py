"""A comparison as a picture: speedup against ranks where they vary, as in Fig. 1 of Kutzner et al. 2007; else ratios.

Bars reach as far as the interval. Dashed: the ideal speedup, or the baseline.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearway.base.picture.figure import HEIGHT_INCHES, new_figure, plain, save
from clearway.base.picture.palette import BLUE, COLOURS, GREY, MARKERS
from clearway.experiment.comparison import Comparison, Row, Scaling, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PALETTE = (GREY, BLUE, *COLOURS)
VERDICTS = {Verdict.FASTER: "#009E73", Verdict.SLOWER: "#D55E00"}


def write_plot(comparison: Comparison, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    save(draw(comparison), path)


def draw(comparison: Comparison) -> Figure:
    known = [row for row in comparison.rows[1:] if row.ratio is not None]
    figure = new_figure(HEIGHT_INCHES if comparison.scalings else 1.5 + 0.4 * len(known))
    axes = figure.add_subplot()
    if comparison.scalings:
        add_scalings(axes, comparison.scalings)
    else:
        add_ratios(axes, known)
    axes.set_title(plain(comparison.command), fontsize=9, wrap=True)
    axes.grid(alpha=0.25)
    return figure


def add_scalings(axes: Any, scalings: tuple[Scaling, ...]) -> None:
    counts = sorted({point.ranks for scaling in scalings for point in scaling.points})
    axes.plot(counts, counts, color="black", linestyle="--", linewidth=1, label="ideal")
    for index, scaling in enumerate(scalings):
        points = [(point, point.speedup) for point in scaling.points if point.speedup is not None]
        below = [speedup - point.low if point.low else 0 for point, speedup in points]
        above = [point.high - speedup if point.high else 0 for point, speedup in points]
        axes.errorbar(
            [point.ranks for point, _ in points], [speedup for _, speedup in points], (below, above),
            label=plain(scaling.name), color=PALETTE[index % len(PALETTE)], marker=MARKERS[index % len(MARKERS)],
            markersize=4, linewidth=1.4, capsize=3,
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.yaxis.set_major_formatter(lambda speedup, _: f"{speedup:g}")
    axes.set_xlabel("ranks")
    axes.set_ylabel("speedup")
    axes.legend(fontsize=8, framealpha=0.8)


def add_ratios(axes: Any, rows: list[Row]) -> None:
    axes.axvline(1, color="black", linestyle="--", linewidth=1)
    for place, row in enumerate(rows):
        ratio = row.ratio or 1.0
        reach = ([ratio - (row.ratio_low or ratio)], [(row.ratio_high or ratio) - ratio])
        colour = VERDICTS.get(row.verdict, GREY)
        axes.errorbar([ratio], [place], xerr=reach, color=colour, marker="o", markersize=5, capsize=3)
    axes.set_yticks(range(len(rows)), [plain(row.name) for row in rows])
    axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    axes.set_xlabel("time by the baseline's")
