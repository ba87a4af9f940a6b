"""A Placement as a table for a terminal: a line a host."""

from __future__ import annotations

from rich.text import Text

from clearway.base.ranges import short_numbers
from clearway.base.sheet import Column, Sheet, table
from clearway.cluster.placement.model import Placement

MOST = 16
COLUMNS = (
    Column("host", left=True),
    Column("called", keep=3, left=True),
    Column("ranks", left=True, flexible=20),
    Column("cores of each", keep=2, left=True, flexible=30),
)


def host_table(placement: Placement, sheet: Sheet) -> list[Text]:
    hosts = placement.hosts
    shown = hosts[: sheet.cut(hosts, MOST)]
    rows = []
    for host in shown:
        seats = placement.by_host[host.name]
        cores = "  ".join(short_numbers(seat.cpus) for seat in seats) or "–"
        rows.append([host.name, placement.name_of(host), short_numbers([seat.rank for seat in seats]), cores])
    lines = table(COLUMNS, rows, sheet)
    hidden = len(hosts) - len(shown)
    return [*lines, Text(f"  … and {hidden} more hosts")] if hidden else lines
