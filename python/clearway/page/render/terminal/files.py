"""Files, those that took most time first."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import Column, Sheet, heading, more, table
from clearway.page.model import File, Page

COLUMNS = (
    Column("", 9, left=True, flexible=34),
    Column("time", 9),
    Column("calls", 6),
    Column("read", 8),
    Column("written", 8),
    Column("in order", 4),
    Column("re-read", 4),
    Column("syncs", 3),
    Column("ranks", 2),
    Column("", 5, left=True),
)


def files(page: Page, sheet: Sheet) -> list[Text]:
    if not page.files:
        return []
    shown = sheet.cut(page.files)
    lines = [heading("Files", f"{len(page.files):,} opened", sheet)]
    lines += table(COLUMNS, [cells(one) for one in page.files[:shown]], sheet)
    return lines + more(len(page.files) - shown, "files", sheet)


def cells(one: File) -> list[str | Text]:
    return [
        one.path,
        q.seconds(one.time_s),
        q.count(one.calls),
        q.bytes_(one.bytes_read) if one.bytes_read else "",
        q.bytes_(one.bytes_written) if one.bytes_written else "",
        "" if one.sequential_share is None else q.whole_percent(one.sequential_share, 1.0),
        "" if one.reread_factor is None else f"×{q.three_digits(one.reread_factor)}",
        q.count(one.syncs) if one.syncs else "",
        q.count(one.ranks),
        "deleted" if one.deleted else "",
    ]
