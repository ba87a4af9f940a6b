"""Each rank's share of the ledger; of many ranks, the outermost."""

from __future__ import annotations

import statistics

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import FLAG, QUIET, Column, Sheet, heading, more, table
from clearway.page.model import Page, Rank
from clearway.page.render.highlights import spread
from clearway.page.render.ledger_lines import LINES
from clearway.page.render.terminal.ledger_bar import ledger_bar

APART = 0.05  # sum of differences from the median rank's shares that sets a rank apart
FEW = 16  # so many ranks are shown one by one
OUTLIERS = 10

COLUMNS = (
    Column("rank", 9),
    Column("host", 6, left=True, flexible=8),
    Column("CPU", 9),
    Column("its wall-clock", 8, left=True),
    Column("sent", 5),
    Column("received", 4),
    Column("on cores", 3, left=True, flexible=8),
    Column("record ends in", 8, left=True, flexible=14),
)


def ranks(page: Page, sheet: Sheet) -> list[Text]:
    if not page.ranks:
        return []
    rows = sorted(page.ranks, key=lambda one: one.rank)
    lines = [heading("Ranks", spread(rows), sheet)]
    if len(rows) > FEW and not sheet.show_all:
        lines += summary(rows, sheet)
        chosen = outermost(rows)
    else:
        chosen = rows
    lines += table(COLUMNS, [row(one, sheet) for one in chosen], sheet)
    return lines + more(len(rows) - len(chosen), "ranks", sheet)


def shares(one: Rank) -> list[float]:
    wall_s = one.ledger.wall_s
    return [line.of(one.ledger) / wall_s if wall_s else 0.0 for line in LINES]


def outermost(rows: list[Rank]) -> list[Rank]:
    """The ranks whose ledger is farthest from the median rank's, in order of rank; those much like it are left out."""
    middle = [statistics.median(column) for column in zip(*(shares(one) for one in rows), strict=True)]

    def distance(one: Rank) -> float:
        return float(sum(abs(share - usual) for share, usual in zip(shares(one), middle, strict=True)))

    far = sorted(rows, key=distance, reverse=True)[:OUTLIERS]
    apart = [one for one in far if distance(one) > APART] or far[:2]
    return sorted(apart, key=lambda one: one.rank)


def row(one: Rank, sheet: Sheet) -> list[str | Text]:
    return [
        str(one.rank),
        one.host,
        q.percent(one.cpu_utilisation),
        ledger_bar(one.ledger, max(16, sheet.width // 4), sheet),
        q.bytes_(one.bytes_sent),
        q.bytes_(one.bytes_received),
        one.cpus,
        Text(one.inside, style=FLAG) if one.inside else "",
    ]


def summary(rows: list[Rank], sheet: Sheet) -> list[Text]:
    """Smallest, median and largest share of each line, in per cent of a rank's wall-clock."""
    columns = [Column("", 9, left=True), Column("CPU", 8), *(Column(line.short, 7) for line in LINES)]
    columns_of_values = [[one.cpu_utilisation for one in rows], *zip(*(shares(one) for one in rows), strict=True)]
    cells: list[list[str | Text]] = []
    for name, pick in (("least", min), ("median", statistics.median), ("most", max)):
        cells.append([Text(name, style=QUIET), *(q.percent(pick(values)) for values in columns_of_values)])
    return [*table(columns, cells, sheet), Text()]
