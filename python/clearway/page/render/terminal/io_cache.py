"""What the I/O cache did, in the words of ADF's buffered I/O, and what other sizes would have given."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import Column, Sheet, heading, paragraph, table
from clearway.page.model import IoCacheSize, Page
from clearway.page.render.highlights import io_cache_facts, io_cache_note, io_cache_verdict

FACTS = (Column("", 9, left=True), Column("", 8, left=True, flexible=30))
SIZES = (
    Column("memory", 9),
    Column("records from files", 7),
    Column("to files", 6),
    Column("elapsed", 8),
    Column("", 3, left=True),
)


def io_cache(page: Page, sheet: Sheet) -> list[Text]:
    one = page.io_cache
    if one is None:
        return []
    lines = [heading("I/O cache", io_cache_note(one), sheet)]
    lines += table(FACTS, io_cache_facts(one), sheet)
    lines += paragraph(Text(io_cache_verdict(one)), sheet.width, 2)
    if one.sizes:
        sizes = one.sizes if sheet.show_all else around(one.sizes, one.enough_bytes)
        lines += [Text(), *table(SIZES, [cells(size, one.enough_bytes) for size in sizes], sheet)]
    return lines


def cells(size: IoCacheSize, enough_bytes: int | None) -> list[str | Text]:
    return [
        q.bytes_(size.size_bytes),
        q.count(size.fetched_records),
        q.count(size.stored_records),
        q.seconds(size.wall_s),
        "enough" if size.size_bytes == enough_bytes else "",
    ]


def around(
    sizes: tuple[IoCacheSize, ...], enough_bytes: int | None, below: int = 4, above: int = 1
) -> tuple[IoCacheSize, ...]:
    """The part of the curve that decides."""
    at = next((number for number, size in enumerate(sizes) if size.size_bytes == enough_bytes), len(sizes) - 1)
    return sizes[max(0, at - below) : at + above + 1]
