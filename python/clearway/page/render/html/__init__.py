"""The page as one HTML file: no network, no script, no font of its own; for a screen, a phone and paper."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from clearway import __version__
from clearway.base import quantities as q
from clearway.base.mpi_name import mpi_name
from clearway.base.output_file import whole_file
from clearway.base.visible import visible
from clearway.page.model import Page
from clearway.page.render.batch_words import asked_words, found_words, job_words, queue_words
from clearway.page.render.core_lines import on_cores, printed_cores
from clearway.page.render.function_words import file_words, function_words
from clearway.page.render.highlights import (
    POP_MARK,
    UNNAMED,
    efficiencies,
    gain,
    held_back,
    inside,
    io_cache_facts,
    io_cache_note,
    io_cache_verdict,
    size_of,
    spread,
    telling,
    trial_cost,
    way_name,
)
from clearway.page.render.html import figures
from clearway.page.render.ledger_lines import LINES, ledger_decimals, printed_ledger

LONGEST_NAME = 200  # a page of 10 kB names is no page
LONGEST_TEXT = 800  # of a sentence, a note, a command line
MOST_ROWS = 25
MOST_COLLECTIVES = 12  # one function at many sizes is many rows


def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("clearway.page.render.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    made.filters.update(
        seconds=q.seconds,
        size=q.bytes_,
        count=q.count,
        percent=q.percent,
        ratio=q.ratio,
        digits=q.three_digits,
        share=q.whole_percent,
        whole=whole,
    )
    return made


def shown(value: object) -> object:
    """Every text that a template prints passes here, so that none can be forgotten; autoescape follows."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return visible(value, LONGEST_NAME)


def whole(text: str) -> Markup:
    """A text that may be longer than a name."""
    return escape(visible(text, LONGEST_TEXT))


def html_of(page: Page) -> str:
    made = environment()
    decimals = ledger_decimals(page.ledger)
    made.filters["figure"] = lambda seconds: f"{seconds:,.{decimals}f}"
    return made.get_template("page.html").render(
        page=page,
        lines=LINES,
        printed=printed_ledger(page.ledger, decimals),
        function_words=function_words,
        file_words=file_words,
        core_lines=printed_cores(page.cores, decimals) if page.cores else [],
        on_cores=on_cores,
        version=__version__,
        unnamed=UNNAMED,
        job_words=job_words,
        asked_words=asked_words,
        found_words=lambda job: found_words(job, page.cores),
        queue_words=queue_words,
        mpi_name=mpi_name,
        figures=figures,
        efficiencies=efficiencies(page.pop),
        pop_mark=POP_MARK,
        spread=spread(page.ranks),
        sockets=[one for one in page.sockets if telling(one)],
        held_back=held_back,
        inside=inside,
        trial_cost=trial_cost,
        way_name=way_name,
        size_of=size_of,
        gain=gain,
        io_cache_facts=io_cache_facts,
        io_cache_note=io_cache_note,
        io_cache_verdict=io_cache_verdict,
        size_range=q.size_range,
        started=q.instant,
        most=MOST_ROWS,
        most_collectives=MOST_COLLECTIVES,
    )


def write_html(page: Page, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    text = html_of(page)
    with whole_file(path) as stream:
        stream.write(text)
