"""A listing as a table for a terminal: the newest Run stands last, next to the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import FLAG, QUIET, Cell, Column, Sheet, heading, table
from clearway.base.visible import visible
from clearway.survey.listing import Listing
from clearway.survey.row import NOTHING_FOUND, NOTHING_TO_SAY, Row

MINUTES = len("2026-03-02 14:05")
COLUMNS = (
    Column("Run", keep=9, left=True, flexible=32),  # as long as clearway-PROGRAM-TIME, which people copy
    Column("started (UTC)", keep=4, left=True),
    Column("job", keep=5, left=True, flexible=9),
    Column("program", keep=7, left=True, flexible=12),
    Column("ranks", keep=6),
    Column("wall-clock", keep=2),
    Column("speed", keep=6),
    Column("loss", keep=8),
    Column("verdict", keep=9, left=True, flexible=24, begins=True),
)


def lines_of(listing: Listing, sheet: Sheet, last: int | None = None) -> list[Text]:
    """All Runs, or the `last` so many."""
    runs = listing.runs if last is None else listing.runs[-last:] if last else ()
    number = "1 Run" if len(listing.runs) == 1 else f"{len(listing.runs):,} Runs"
    if not listing.runs:
        lines = [Text(f"There is no Run below '{visible(listing.directory)}'.")]
    else:
        shown = "" if len(runs) == len(listing.runs) else f"the newest {len(runs):,} of "
        lines = [heading(f"{shown}{number} below {visible(listing.directory)}", "loss: what could come back", sheet)]
        lines += row_table(runs, listing.directory, sheet)
    if listing.closed:
        folders = "1 folder" if listing.closed == 1 else f"{listing.closed:,} folders"
        lines.append(Text(f"  {folders} could not be opened.", style=QUIET))
    return lines


def row_table(rows: Sequence[Row], top: str, sheet: Sheet) -> list[Text]:
    return table(COLUMNS, (cells(row, top) for row in rows), sheet)


def cells(row: Row, top: str) -> list[Cell]:
    return [
        relative(row.directory, top),
        row.started_at.replace("T", " ")[:MINUTES],
        row.job_id,
        row.program,
        ranks_on_hosts(row),
        "" if row.wall_s is None else q.seconds(row.wall_s),
        q.speed(row.ns_per_day, row.s_per_step),
        "" if row.loss is None else q.percent(row.loss),
        Text(visible(f"{row.ended}: {row.verdict}" if row.ended else row.verdict, 200), style=style_of(row)),
    ]


def style_of(row: Row) -> str:
    if not row.readable:
        return FLAG
    return QUIET if row.verdict in (NOTHING_FOUND, NOTHING_TO_SAY) else ""


def ranks_on_hosts(row: Row) -> str:
    """ "8", or "32 on 4": ranks, and hosts where there are several."""
    if row.ranks is None:
        return ""
    return f"{row.ranks:,}" if row.hosts in (None, 1) else f"{row.ranks:,} on {row.hosts:,}"


def relative(directory: str, top: str) -> str:
    """As it is called from `top`, where that is above it."""
    path = Path(directory)
    return str(path.relative_to(top)) if path.is_relative_to(top) else directory
