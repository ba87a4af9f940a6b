"""The ledger over time: a line of blocks for each of the lines that cost most, as high as its share of the slice. Of
ranks with several threads also when they were in parallel regions, and how many cores were busy.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import INDENT, Sheet, heading
from clearway.page.model import Page, Slice
from clearway.page.render.ledger_lines import LINES, LedgerLine
from clearway.page.render.thread_lines import thread_lines

LABEL = 20
MOST_LINES = 3
WORTH_A_LINE = 0.02  # of the wall-clock
FEWEST_COLUMNS = 5
BLOCKS = " ▁▂▃▄▅▆▇█"


def strip(page: Page, sheet: Sheet) -> list[Text]:
    shown = lines_that_cost(page)
    groups = columns(page.strip, sheet.width - INDENT - LABEL - 1)
    threads = thread_lines(page, groups)
    if not (shown or threads) or len(groups) < FEWEST_COLUMNS:
        return []
    end_s = page.strip[-1].end_s
    each = q.seconds(end_s / len(groups))
    note = f"{q.seconds(end_s)} from left to right · a block is as high as its share of {each}"
    lines = [heading("Over time", note, sheet)]
    for line in shown:
        lines.append(row(line.label, [part_of(group, line) for group in groups], line.colour if sheet.colour else ""))
    return lines + [row(line.label, line.shares, "") for line in threads]


def row(label: str, shares: Sequence[float], style: str) -> Text:
    blocks = "".join(block(share) for share in shares)
    return Text(" " * INDENT + f"{label:<{LABEL}} ").append(blocks.rstrip(), style=style)


def lines_that_cost(page: Page) -> list[LedgerLine]:
    """In the order of the ledger."""
    wall_s = sum(one.wall_s for one in page.strip)
    seconds = {line.field: sum(getattr(one, line.field) for one in page.strip) for line in LINES[1:]}
    costly = sorted((name for name in seconds if seconds[name] > WORTH_A_LINE * wall_s), key=lambda n: -seconds[n])
    return [line for line in LINES if line.field in costly[:MOST_LINES]]


def columns(slices: Sequence[Slice], most: int) -> list[Sequence[Slice]]:
    """Slices side by side, several to a column where there are more than columns."""
    each = -(-len(slices) // most) if slices else 1
    return [slices[start : start + each] for start in range(0, len(slices), each)]


def part_of(slices: Sequence[Slice], line: LedgerLine) -> float:
    wall_s = sum(one.wall_s for one in slices)
    return sum(getattr(one, line.field) for one in slices) / wall_s if wall_s > 0 else 0.0


def block(share: float) -> str:
    """What is there is seen, from one per cent on."""
    eighths = round(8 * min(max(share, 0.0), 1.0))
    return BLOCKS[max(eighths, 1) if share >= 0.01 else 0]
