"""What a job would take on other numbers of ranks, as one HTML file: no network, no script."""

from __future__ import annotations

from pathlib import Path

from clearway.base import quantities as q
from clearway.base.picture.page import Filters, page_of, write_page
from clearway.page.render.html import whole
from clearway.page.render.ledger_lines import LINES
from clearway.predict.scaling.answer import Answer
from clearway.predict.scaling.sentence import between
from clearway.predict.scaling.terminal import counted, figure, how_sure, law, name

BAR_UNITS = 1000  # of a whole wall-clock
FILTERS: Filters = {
    "seconds": q.seconds,
    "figure": figure,
    "between": between,
    "percent": q.percent,
    "count": q.count,
    "whole": whole,
    "site": name,
    "how_sure": lambda made: how_sure(made)[:1].upper() + how_sure(made)[1:],
    "law": lambda line: law(line.law, line.sureness),
    "counted": counted,
}

Piece = tuple[str, str, float, float]


def html_of(made: Answer) -> str:
    return page_of(
        "clearway.predict.scaling", "scaling.html", FILTERS, made=made, bars=bars(made), lines=LINES, units=BAR_UNITS
    )


def bars(made: Answer) -> list[tuple[str, list[Piece]]]:
    """Each Run and each target that something is expected of: shares of its wall-clock."""
    found = [
        (f"{ranks(run.ranks)}, recorded", pieces(made, [line.recorded[at] for line in made.lines]))
        for at, run in enumerate(made.runs)
    ]
    for at, target in enumerate(made.targets):
        expected = [line.at[at].expected for line in made.lines]
        known = [seconds for seconds in expected if seconds is not None]
        if len(known) == len(expected):
            found.append((f"{ranks(target.ranks)}, expected", pieces(made, known)))
    return found


def ranks(number: int) -> str:
    return f"{q.count(number)} rank{'s' if number > 1 else ''}"


def pieces(made: Answer, seconds: list[float]) -> list[Piece]:
    """Each line: label, colour, where it begins and how wide it is."""
    told = {line.line: own for line, own in zip(made.lines, seconds, strict=True)}
    whole_s = max(sum(seconds), 1e-12)
    made_of: list[Piece] = []
    x = 0.0
    for line in LINES:
        width = BAR_UNITS * told.get(line.field, 0.0) / whole_s
        made_of.append((line.label, line.colour, round(x, 1), round(width, 1)))
        x += width
    return made_of


def write_html(made: Answer, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    write_page(html_of(made), path)
