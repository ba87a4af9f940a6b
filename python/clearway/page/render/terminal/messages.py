"""How large the messages are, and who sends how much to whom."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import INDENT, NUMBER, QUIET, Column, Sheet, heading, meter, table
from clearway.page.model import Matrix, Page, SizeBin

MOST_BINS = 12
MOST_ROWS = 32
SHADES = " ░▒▓█"
BAR = 20
COLUMNS = (
    Column("size", 9, left=True),
    Column("messages", 8),
    Column("bytes", 8),
    Column("share of messages", 5, left=True),
    Column("share of bytes", 6, left=True),
)


def messages(page: Page, sheet: Sheet) -> list[Text]:
    bins = coarser(page.messages.histogram) if not sheet.show_all else list(page.messages.histogram)
    if not bins:
        return []
    most, heaviest = (max(value, 1) for value in (max(b.count for b in bins), max(b.bytes for b in bins)))
    columns = min(BAR, sheet.width // 5)
    rows: list[list[str | Text]] = [
        [
            q.size_range(one.low_bytes, one.high_bytes),
            q.count(one.count),
            q.bytes_(one.bytes),
            Text(meter(one.count / most, columns), style=NUMBER),
            Text(meter(one.bytes / heaviest, columns), style="#0072B2"),
        ]
        for one in bins
    ]
    note = f"{q.bytes_(page.messages.aggregate_bytes)} in all"
    return [heading("Messages", note, sheet), *table(COLUMNS, rows, sheet)]


def coarser(bins: Sequence[SizeBin]) -> list[SizeBin]:
    """Neighbouring bins taken together until they fit the page."""
    rows = [one for one in bins if one.count]
    width = 1
    while len(rows) > MOST_BINS:
        width *= 2
        merged: dict[int, SizeBin] = {}
        for one in bins:
            if one.count:
                key = (one.high_bytes.bit_length() - 1) // width if one.high_bytes > 0 else -1
                first = merged.get(key, SizeBin(one.low_bytes, one.high_bytes, 0, 0))
                merged[key] = SizeBin(first.low_bytes, one.high_bytes, first.count + one.count, first.bytes + one.bytes)
        rows = list(merged.values())
    return rows


def matrix(page: Page, sheet: Sheet) -> list[Text]:
    """Rows send, columns receive; the darker the more."""
    block, cells = folded(page.messages.matrix)
    largest = max((value for row in cells for value in row), default=0.0)
    if len(cells) < 2 or largest <= 0:
        return []
    what = "ranks" if block == 1 else f"blocks of {block} ranks"
    lines = [heading("Who sends to whom", f"{what}; █ is {q.bytes_(largest)}", sheet)]
    label = len(str(block * (len(cells) - 1)))
    wide = 2 if INDENT + label + 1 + 2 * len(cells) <= sheet.width else 1
    for index, row in enumerate(cells):
        line = Text(" " * INDENT).append(f"{index * block:>{label}} ", style=QUIET)
        line.append("".join(wide * shade(value / largest) for value in row)).rstrip()
        lines.append(line)
    return lines


def shade(share: float) -> str:
    return SHADES[0] if share <= 0 else SHADES[1 + min(3, int(4 * share))]


def folded(matrix: Matrix) -> tuple[int, list[list[float]]]:
    """The matrix in blocks of twice the size, until it fits."""
    block, cells = matrix.block, [list(row) for row in matrix.bytes]
    while len(cells) > MOST_ROWS:
        pairs = [[sum(row[i : i + 2]) for i in range(0, len(row), 2)] for row in cells]
        cells = [[sum(column) for column in zip(*pairs[i : i + 2], strict=True)] for i in range(0, len(pairs), 2)]
        block *= 2
    return block, cells
