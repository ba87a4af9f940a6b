"""A race as one HTML file: no network, no script."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from clearway.base import quantities as q
from clearway.base.picture.figure import svg_of
from clearway.base.picture.page import Filters, page_of, write_page
from clearway.page.render.html import whole
from clearway.tune.answer import sentences
from clearway.tune.plot import draw
from clearway.tune.tuning import Tuning

FILTERS: Filters = {"digits": q.three_digits, "seconds": q.seconds, "ratio": q.ratio, "whole": whole}


def html_of(tuning: Tuning) -> str:
    picture = Markup(svg_of(draw(tuning)))  # matplotlib escapes its texts
    return page_of("clearway.tune", "tuning.html", FILTERS, made=tuning, sentences=sentences(tuning), picture=picture)


def write_html(tuning: Tuning, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    write_page(html_of(tuning), path)
