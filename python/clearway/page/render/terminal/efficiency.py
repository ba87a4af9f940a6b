"""The POP efficiencies, each against the usual mark."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import FLAG, INDENT, NUMBER, QUIET, Sheet, heading, meter
from clearway.page.model import Page
from clearway.page.render.highlights import POP_MARK, efficiencies

LABEL = 24


def efficiency(page: Page, sheet: Sheet) -> list[Text]:
    if page.job.ranks <= 1:
        return []
    columns = min(40, sheet.width - LABEL - 18)
    lines = [heading("Efficiency (POP)", f"{POP_MARK} and above is good", sheet)]
    for depth, label, value in efficiencies(page.pop):
        line = Text(" " * (INDENT + 2 * depth) + label)
        line.append(" " * (INDENT + LABEL - line.cell_len)).append(q.ratio(value)).append("  ")
        if value is not None:
            line.append_text(gauge(value, columns))
            line.append("  low", style=FLAG) if value < POP_MARK else None
        line.rstrip()
        lines.append(line)
    return lines


def gauge(value: float, columns: int) -> Text:
    """A meter with a tick where POP's mark is."""
    filled = meter(value, columns)
    mark = round(POP_MARK * columns) - 1
    gauge = Text(filled, style=NUMBER if value >= POP_MARK else FLAG)
    if len(filled) <= mark:
        gauge.append(" " * (mark - len(filled))).append("│", style=QUIET)
    return gauge.append(" " * (columns - gauge.cell_len))
