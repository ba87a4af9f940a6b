"""A sweep as one HTML file: picture and table."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from clearway.base import quantities as q
from clearway.base.mpi_name import mpi_name
from clearway.base.picture.figure import svg_of
from clearway.base.picture.page import Filters, page_of, write_page
from clearway.bench.plot import draw
from clearway.bench.sweep import Sweep
from clearway.bench.terminal import megabytes, ranks_of

FILTERS: Filters = {"megabytes": megabytes, "size": q.bytes_, "ratio": q.ratio, "count": q.count, "instant": q.instant}


def html_of(sweep: Sweep) -> str:
    picture = Markup(svg_of(draw(sweep)))
    return page_of(
        "clearway.bench", "sweep.html", FILTERS,
        sweep=sweep, picture=picture, mpi=mpi_name(sweep.mpi), ranks=ranks_of(sweep),
    )  # fmt: skip


def write_html(sweep: Sweep, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    write_page(html_of(sweep), path)
