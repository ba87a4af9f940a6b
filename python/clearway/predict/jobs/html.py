"""A predicted job as one HTML file: speedups drawn, and the table."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from clearway.base import quantities as q
from clearway.base.picture.figure import svg_of
from clearway.base.picture.page import Filters, page_of, write_page
from clearway.predict.jobs.picture import draw
from clearway.predict.jobs.prediction import JobPrediction

FILTERS: Filters = {
    "rate": q.three_digits,
    "ratio": q.ratio,
    "percent": q.percent,
    "count": q.count,
    "seconds": lambda nanoseconds: q.seconds(nanoseconds * 1e-9),
}


def html_of(prediction: JobPrediction) -> str:
    by_ranks = sorted(prediction.points, key=lambda point: point.ranks)
    picture = Markup(svg_of(draw(prediction)))
    return page_of(
        "clearway.predict.jobs", "job.html", FILTERS, prediction=prediction, points=by_ranks, picture=picture
    )


def write_html(prediction: JobPrediction, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    write_page(html_of(prediction), path)
