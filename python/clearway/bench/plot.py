"""The paper's picture (Kutzner et al. 2007, Figs. 3 and 4): throughput per rank against message size.

Dashed: what the wire allows. Shaded: the message sizes of molecular dynamics. A number at a point counts the TCP
timeouts there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clearway.base import quantities as q
from clearway.base.mpi_name import mpi_name
from clearway.base.picture.figure import new_figure, save
from clearway.base.picture.palette import BLUE, COLOURS, GREY, MARKERS
from clearway.bench.sweep import FLOW, MD_RANGE_BYTES, OWN, Curve, Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MB = 1e6
# The MPI's own and the library's choice always have the same colours.
FIXED_COLOURS = {OWN: GREY, FLOW: BLUE}


def write_plot(sweep: Sweep, path: str) -> None:
    """Raises ClearwayError where it cannot be written."""
    save(draw(sweep), path)


def draw(sweep: Sweep) -> Figure:
    figure = new_figure()
    axes = figure.add_subplot()
    axes.axvspan(*MD_RANGE_BYTES, color="#000000", alpha=0.07, linewidth=0, label="molecular dynamics")
    if sweep.limit_bytes_per_s is not None:
        axes.axhline(sweep.limit_bytes_per_s / MB, color="black", linestyle="--", linewidth=1, label="the wire")
    for index, curve in enumerate(sweep.curves):
        add_curve(axes, curve, index)
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    sizes = sorted({point.block_bytes for curve in sweep.curves for point in curve.points})
    axes.set_xlim(sizes[0] / 1.5, sizes[-1] * 1.5)
    axes.set_xticks(sizes[:: max(1, len(sizes) // 8)])
    axes.xaxis.set_major_formatter(lambda size, _: q.bytes_(size))
    axes.minorticks_off()
    axes.set_xlabel("message from each rank to each other")
    axes.set_ylabel("throughput per rank, MB/s")
    axes.set_title(title_of(sweep), fontsize=10)
    axes.grid(alpha=0.25)
    axes.legend(fontsize=8, framealpha=0.8)
    return figure


def add_curve(axes: Any, curve: Curve, index: int) -> None:
    colour = FIXED_COLOURS.get(curve.candidate, COLOURS[index % len(COLOURS)])
    sizes, means, below, above = [], [], [], []
    for point in curve.points:
        mean, least, most = point.mean_bytes_per_s, point.least_bytes_per_s, point.most_bytes_per_s
        if mean is None or least is None or most is None:
            continue
        sizes.append(point.block_bytes)
        means.append(mean / MB)
        below.append((mean - least) / MB)
        above.append((most - mean) / MB)
        if point.timeouts:
            axes.annotate(
                f"{point.timeouts:,}", (sizes[-1], means[-1]), xytext=(4, 5), textcoords="offset points",
                fontsize=7, color=colour,
            )  # fmt: skip
    label = "the MPI's own" if curve.candidate == OWN else curve.candidate
    axes.errorbar(
        sizes, means, (below, above), label=label, color=colour, marker=MARKERS[index % len(MARKERS)], markersize=4,
        linewidth=1.4, elinewidth=2.5, ecolor=(*rgb(colour), 0.3),
    )  # fmt: skip


def rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def title_of(sweep: Sweep) -> str:
    hosts = f"{sweep.ranks} ranks on {sweep.hosts} {'host' if sweep.hosts == 1 else 'hosts'}"
    first = " · ".join(part for part in (sweep.operation, hosts, sweep.testbed) if part)
    return f"{first}\n{mpi_name(sweep.mpi)}"
