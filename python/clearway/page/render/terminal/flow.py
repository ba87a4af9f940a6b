"""How collective operations went where Clearway steered them, and what the MPI's own way would have taken."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import Column, Sheet, heading, more, paragraph, table
from clearway.page.model import FlowRow, FlowWay, Page
from clearway.page.render.highlights import gain, size_of, trial_cost, way_name

COLUMNS = (
    Column("", 9, left=True, flexible=10),
    Column("ranks", 5),
    Column("hosts", 3),
    Column("block", 8),
    Column("calls", 6),
    Column("way", 9, left=True, flexible=20),
    Column("of calls", 4),
    Column("a call", 8),
    Column("MPI's own", 8),
    Column("gain", 7),
)
WAY_COLUMNS = (
    Column("", 9, left=True, flexible=10),
    Column("block", 8),
    Column("way", 9, left=True, flexible=20),
    Column("calls", 6),
    Column("a call", 8),
)


def flow(page: Page, sheet: Sheet) -> list[Text]:
    rows = page.flow
    if not rows:
        return []
    shown = sheet.cut(rows)
    lines = [heading("Flow", "how collectives went; times on the slowest rank", sheet)]
    lines += table(COLUMNS, [cells(row) for row in rows[:shown]], sheet)
    lines += more(len(rows) - shown, "operations and sizes", sheet)
    lines += paragraph(Text(trial_cost(rows)), sheet.width, indent=2) if trial_cost(rows) else []
    if sheet.show_all:
        tried = [way_cells(row, way) for row in rows for way in row.ways]
        lines += [Text(), heading("Ways tried", "", sheet), *table(WAY_COLUMNS, tried, sheet)]
    return lines


def cells(row: FlowRow) -> list[str | Text]:
    return [
        row.operation,
        q.count(row.ranks),
        q.count(row.hosts),
        size_of(row),
        q.count(row.calls),
        way_name(row.chosen),
        q.whole_percent(row.chosen_calls, row.calls),
        q.seconds(row.time_s),
        q.seconds(row.own_s),
        gain(row),
    ]


def way_cells(row: FlowRow, way: FlowWay) -> list[str | Text]:
    return [row.operation, size_of(row), way_name(way.candidate), q.count(way.calls), q.seconds(way.time_s)]
