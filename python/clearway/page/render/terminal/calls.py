"""MPI calls by function, and the collectives by communicator and size."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import Column, Sheet, heading, more, table
from clearway.page.model import CallRow, CollectiveRow, Page
from clearway.page.render.highlights import UNNAMED

CALL_COLUMNS = (
    Column("", 9, left=True, flexible=16),
    Column("time", 9),
    Column("of wall", 7),
    Column("calls", 8),
    Column("bytes", 5),
    Column("longest", 2),
    Column("waiting", 9),
    Column("moving", 9),
    Column("stalled", 8),
    Column("no core", 6),
    Column("undivided", 3),
)
COLLECTIVE_COLUMNS = (
    Column("", 9, left=True, flexible=16),
    Column("on", 4, left=True, flexible=10),
    Column("message", 6, left=True),
    Column("calls", 3),
    Column("time", 8),
    Column("waiting", 7),
    Column("moving", 7),
    Column("stalled", 6),
    Column("last to come", 5, left=True),
)


def calls(page: Page, sheet: Sheet) -> list[Text]:
    rows = page.mpi_calls
    if not rows:
        return []
    ratio = page.messages.mpi_user_ratio
    note = f"{q.count(page.messages.calls)} calls"
    if ratio is not None:
        note += f" · MPI / user time {q.ratio(ratio)}"
    if page.messages.poll_share >= 0.005:
        note += f" · {q.percent(page.messages.poll_share)} of calls poll"
    shown = sheet.cut(rows)

    def cells(row: CallRow) -> list[str | Text]:
        return [
            row.function,
            q.seconds(row.time_s),
            q.percent(row.time_s, page.ledger.wall_s),
            q.count(row.count),
            q.bytes_(row.bytes) if row.bytes else "",
            q.seconds(row.max_s),
            q.whole_percent(row.wait_s, row.time_s),
            q.whole_percent(row.transfer_s, row.time_s),
            q.whole_percent(row.stall_s, row.time_s),
            q.whole_percent(row.core_wait_s, row.time_s),
            q.whole_percent(row.undivided_s, row.time_s),
        ]

    lines = [heading("MPI calls", note, sheet), *table(CALL_COLUMNS, [cells(row) for row in rows[:shown]], sheet)]
    return lines + more(len(rows) - shown, "functions", sheet)


def last_to_come(row: CollectiveRow) -> str:
    if row.last_rank is None or row.last_share is None:
        return ""
    return f"rank {row.last_rank}, {q.whole_percent(row.last_share, 1.0)}"


def collectives(page: Page, sheet: Sheet) -> list[Text]:
    rows = page.collectives
    if not rows:
        return []
    shown = sheet.cut(rows)

    def cells(row: CollectiveRow) -> list[str | Text]:
        return [
            row.function,
            f"{row.communicator or UNNAMED} ({row.communicator_size:,})",
            q.size_range(row.low_bytes, row.high_bytes),
            q.count(row.count),
            q.seconds(row.time_s),
            q.whole_percent(row.wait_s, row.time_s),
            q.whole_percent(row.transfer_s, row.time_s),
            q.whole_percent(row.stall_s, row.time_s),
            last_to_come(row),
        ]

    lines = [heading("Collectives", "calls of one rank; time of all", sheet)]
    lines += table(COLLECTIVE_COLUMNS, [cells(row) for row in rows[:shown]], sheet)
    return lines + more(len(rows) - shown, "collectives", sheet)
