"""A difference as one HTML file: no network, no script."""

from __future__ import annotations

from pathlib import Path

from clearway.base import quantities as q
from clearway.base.picture.page import Filters, page_of, write_page
from clearway.page.render.html import whole
from clearway.page.render.ledger_lines import LINES
from clearway.survey.difference import Difference, Side
from clearway.survey.difference_terminal import figure, signed
from clearway.survey.listing_terminal import ranks_on_hosts

BAR_UNITS = 1000  # as wide as the longer side's wall-clock
FILTERS: Filters = {
    "seconds": q.seconds,
    "figure": figure,
    "signed": signed,
    "percent": q.percent,
    "share": lambda share: q.whole_percent(share, 1.0),
    "whole": whole,
    "ranks": ranks_on_hosts,
    "speed": lambda row: q.speed(row.ns_per_day, row.s_per_step),
}


def html_of(made: Difference) -> str:
    longest_s = max(made.a.ledger.wall_s, made.b.ledger.wall_s, 1e-9)
    bars = [(side.name, bar(side, longest_s)) for side in (made.a, made.b)]
    return page_of("clearway.survey", "difference.html", FILTERS, made=made, bars=bars, lines=LINES, units=BAR_UNITS)


def bar(side: Side, longest_s: float) -> list[tuple[str, str, float, float]]:
    """Each line of its ledger: name, colour, where it begins and how wide it is."""
    pieces, x = [], 0.0
    for line in LINES:
        width = BAR_UNITS * max(line.of(side.ledger), 0.0) / longest_s
        pieces.append((line.label, line.colour, round(x, 1), round(width, 1)))
        x += width
    return pieces


def write_html(made: Difference, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    write_page(html_of(made), path)
