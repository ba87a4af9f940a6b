"""Functions of the program and its libraries, those that took most processor time first."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import Column, Sheet, heading, more, table
from clearway.page.model import FunctionRow, Page
from clearway.page.render.function_words import file_words, function_words

MOST = 8
COLUMNS = (
    Column("share", 9),
    Column("time", 8),
    Column("function", 9, left=True, flexible=24, begins=True),
    Column("of", 7, left=True, flexible=12),
    Column("kind", 6, left=True),
    Column("slowest rank", 5),
)


def functions(page: Page, sheet: Sheet) -> list[Text]:
    if not page.functions:
        return []
    shown = sheet.cut(page.functions, MOST)
    lines = [heading("Processor time by function", "sampled outside the kernel, all ranks", sheet)]
    lines += table(COLUMNS, [cells(one, page) for one in page.functions[:shown]], sheet)
    return lines + more(len(page.functions) - shown, "functions", sheet)


def cells(one: FunctionRow, page: Page) -> list[str | Text]:
    return [
        q.percent(one.share),
        q.seconds(one.time_s),
        function_words(one),
        file_words(one),
        one.kind,
        f"{one.slowest_rank}: {q.seconds(one.slowest_s)}" if page.job.ranks > 1 and one.slowest_s else "",
    ]
