"""The paper's picture (Kutzner et al. 2007, Figs. 3 and 4): throughput per rank against message size.

Dashed: what the wire allows. Shaded: the message sizes of molecular dynamics. A number at a point counts the TCP
timeouts there.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearway import quantities as q
from clearway.bench.sweep import FLOW, MD_RANGE_BYTES, OWN, Curve, Sweep
from clearway.errors import ClearwayError
from clearway.report.telling import mpi_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
INSTALL_HINT = "pip install 'clearway[plot]'"
INCHES = (8.0, 4.8)
MB = 1e6

# Okabe and Ito's palette; the MPI's own and the library's choice always have the same colours.
COLOURS = {OWN: "#555555", FLOW: "#0072B2"}
MORE_COLOURS = ("#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
MARKERS = "osD^vPX*"


def check_plot_name(path: str) -> None:
    """Raises ClearwayError for a file name whose ending names no picture, or where matplotlib is missing."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise ClearwayError(f"'{path}' does not end in {', '.join(SUFFIXES)}", "--plot sweep.svg")
    require_matplotlib()


def require_matplotlib() -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise ClearwayError("plots need matplotlib, which is not installed", INSTALL_HINT)


def write_plot(sweep: Sweep, path: str) -> None:
    try:
        draw(sweep).savefig(path, dpi=150)
    except OSError as error:
        raise ClearwayError(f"cannot write {path}: {error.strerror or error}", "choose another place") from None


def svg_of(sweep: Sweep) -> str:
    """The picture as an element for an HTML page."""
    stream = io.StringIO()
    draw(sweep).savefig(stream, format="svg", metadata={"Date": None}, transparent=True)
    text = stream.getvalue()
    return text[text.index("<svg") :]


def draw(sweep: Sweep) -> Figure:
    import matplotlib
    from matplotlib.figure import Figure

    # Text stays text, and the same sweep gives the same file.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "clearway"})
    figure = Figure(figsize=INCHES, layout="constrained")
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
    colour = COLOURS.get(curve.candidate, MORE_COLOURS[index % len(MORE_COLOURS)])
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
