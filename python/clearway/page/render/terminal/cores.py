"""Where the core-seconds went, and how busy each thread was."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import INDENT, QUIET, Column, Sheet, heading, more, paragraph, table
from clearway.page.model import CoreSeconds, Page, RankThreads
from clearway.page.render.core_lines import busy_picture, core_picture, on_cores, printed_cores
from clearway.page.render.ledger_lines import ledger_decimals
from clearway.page.render.terminal.ledger import FIGURES, LABEL

FEW = 16  # ranks
MOST_THREADS = 64  # of a rank, in its picture

COLUMNS = (
    Column("rank", 9),
    Column("cores", 8),
    Column("threads", 8),
    Column("busy", 8),
    Column("each thread", 7, left=True, flexible=16, begins=True),
    Column("each core", 6, left=True, flexible=16, begins=True),
    Column("on cores", 3, left=True, flexible=8),
)


def cores(page: Page, sheet: Sheet) -> list[Text]:
    made = page.cores
    if made is None:
        return []
    decimals = ledger_decimals(page.ledger)
    note = f"idle cores' time is divided by {made.told_by}" if made.most_threads > 1 else ""
    lines = [heading(f"Where the {q.count(round(made.given_s))} core-seconds went", note, sheet)]
    for row in printed_cores(made, decimals):
        label = Text(" " * (INDENT + 2)).append(row.label)
        label.append(" " * (INDENT + LABEL + 2 - label.cell_len))
        lines.append(label.append(f"{row.seconds:>{FIGURES},.{decimals}f} s  {row.percent:>5.1f} %"))
    if made.most_threads > 1:
        lines += paragraph(Text(efficiency(made), style=QUIET), sheet.width, INDENT + 2)
        lines += rows(made, sheet)
    return lines


def efficiency(made: CoreSeconds) -> str:
    return (
        f"efficiency (POP, hybrid) {q.ratio(made.parallel_efficiency)} = {q.ratio(made.process_efficiency)} of the "
        f"processes × {q.ratio(made.thread_efficiency)} of the threads"
    )


def rows(made: CoreSeconds, sheet: Sheet) -> list[Text]:
    chosen = list(made.ranks) if sheet.show_all or len(made.ranks) <= FEW else list(made.ranks[:FEW])
    return [*table(COLUMNS, [row(one) for one in chosen], sheet), *more(len(made.ranks) - len(chosen), "ranks", sheet)]


def row(one: RankThreads) -> list[str | Text]:
    busy = sum(thread.busy for thread in one.threads)
    return [
        str(one.rank),
        f"{one.cores:.3g}",
        str(len(one.threads)),
        q.percent(busy),
        f"{busy_picture(one)[:MOST_THREADS]}│",
        f"{by_core}│" if (by_core := core_picture(one)) else "",
        on_cores(one),
    ]
