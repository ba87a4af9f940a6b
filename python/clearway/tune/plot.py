"""A race as a picture: speed against cores, and against what it costs, with the variants that nothing beats in both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearway.base.picture.figure import new_figure, save
from clearway.base.picture.palette import BLUE, GREY
from clearway.base.visible import visible
from clearway.tune.pareto import Point, front, points, unit_of
from clearway.tune.tuning import Standing, Tuning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GREEN = "#009E73"
COLOURS = {Standing.UNCHANGED: BLUE, Standing.BEST: GREEN}
MOST_NAMED = 6
HEADROOM = 1.1  # above the fastest, for its name


def write_plot(tuning: Tuning, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    save(draw(tuning), path)


def draw(tuning: Tuning) -> Figure:
    known = sorted(points(tuning), key=lambda point: point.standing in COLOURS)  # those in colour above the others
    best = front(known)
    figure = new_figure()
    against_cores, against_cost = figure.subplots(1, 2, sharey=True)
    _scatter(against_cores, known, [point.cores for point in known])
    _scatter(against_cost, known, [point.cost for point in known])
    against_cost.step(
        [point.cost for point in best], [point.speed for point in best], where="post", color=GREEN, linewidth=1.2
    )
    for point in best[-MOST_NAMED:]:
        against_cost.annotate(
            visible(point.name), (point.cost, point.speed), xytext=(4, 4), textcoords="offset points", fontsize=7,
            parse_math=False,
        )  # fmt: skip
    against_cores.set_xlabel("cores")
    against_cores.set_xticks(sorted({point.cores for point in known}))
    against_cores.set_ylabel(unit_of(tuning))
    against_cost.set_xlabel(f"core-hours for {tuning.core_hours_for}")
    for axes in (against_cores, against_cost):
        axes.set_ylim(0, HEADROOM * max((point.speed for point in known), default=1.0))
        axes.grid(alpha=0.25)
    figure.suptitle(visible(tuning.command), fontsize=9, wrap=True, parse_math=False)
    return figure


def _scatter(axes: Any, known: list[Point], across: list[float] | list[int]) -> None:
    colours = [COLOURS.get(point.standing, GREY) for point in known]
    axes.scatter(across, [point.speed for point in known], c=colours, s=22, zorder=3)
