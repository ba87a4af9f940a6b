"""The POP efficiencies, each against the usual mark."""

from __future__ import annotations

from rich.text import Text

from clearway.page import Page
from clearway.report import quantities as q
from clearway.report.terminal.sheet import FLAG, INDENT, QUIET, Sheet, heading, meter

ACCEPTABLE = 0.8  # POP's mark
LABEL = 24


def efficiency(page: Page, sheet: Sheet) -> list[Text]:
    if page.job.ranks <= 1:
        return []
    pop = page.pop
    columns = min(40, sheet.width - LABEL - 18)
    lines = [heading("Efficiency (POP)", f"{ACCEPTABLE} and above is good", sheet)]
    for depth, label, value in (
        (0, "parallel efficiency", pop.parallel_efficiency),
        (1, "load balance", pop.load_balance),
        (1, "communication", pop.communication_efficiency),
        (2, "serialisation", pop.serialisation_efficiency),
        (2, "transfer", pop.transfer_efficiency),
    ):
        line = Text(" " * (INDENT + 2 * depth) + label)
        line.append(" " * (INDENT + LABEL - line.cell_len)).append(q.ratio(value)).append("  ")
        if value is not None:
            line.append_text(gauge(value, columns))
            line.append("  low", style=FLAG) if value < ACCEPTABLE else None
        line.rstrip()
        lines.append(line)
    return lines


def gauge(value: float, columns: int) -> Text:
    """A meter with a tick where POP's mark is."""
    filled = meter(value, columns)
    mark = round(ACCEPTABLE * columns) - 1
    gauge = Text(filled, style="#009E73" if value >= ACCEPTABLE else "#E69F00")
    if len(filled) <= mark:
        gauge.append(" " * (mark - len(filled))).append("│", style=QUIET)
    return gauge.append(" " * (columns - gauge.cell_len))
