"""A sweep as one HTML file: picture and table, no network, no script."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from clearway import __version__
from clearway import quantities as q
from clearway.bench.plot import svg_of
from clearway.bench.sweep import Sweep
from clearway.bench.terminal import megabytes, ranks_of
from clearway.report.output_file import whole_file
from clearway.report.telling import mpi_name
from clearway.report.visible import visible

LONGEST_TEXT = 300


def html_of(sweep: Sweep) -> str:
    made = Environment(
        loader=PackageLoader("clearway.bench"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: (
            visible(value, LONGEST_TEXT) if isinstance(value, str) and not isinstance(value, Markup) else value
        ),
    )
    made.filters.update(megabytes=megabytes, size=q.bytes_, ratio=q.ratio, count=q.count, instant=q.instant)
    # The picture is matplotlib's, which escapes the texts in it.
    return made.get_template("sweep.html").render(
        sweep=sweep, picture=Markup(svg_of(sweep)), mpi=mpi_name(sweep.mpi), ranks=ranks_of(sweep), version=__version__
    )


def write_html(sweep: Sweep, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    text = html_of(sweep)
    with whole_file(path) as stream:
        stream.write(text)
