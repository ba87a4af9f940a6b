"""The ledger: a bar, and the lines that add up to the wall-clock."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import INDENT, QUIET, Sheet, heading, paragraph
from clearway.page.model import Page
from clearway.page.render.highlights import inside
from clearway.page.render.ledger_lines import ledger_decimals, printed_ledger
from clearway.page.render.terminal.ledger_bar import ledger_bar, swatch

NEXT_TO_NOTHING = 0.001  # of moving data: what is undivided of it is not said
LABEL = 22
FIGURES = 12


def ledger(page: Page, sheet: Sheet) -> list[Text]:
    wall_s = page.ledger.wall_s
    decimals = ledger_decimals(page.ledger)
    printed = printed_ledger(page.ledger, decimals)
    note = f"summed over {page.job.ranks:,} ranks" if page.job.ranks != 1 else ""
    lines = [
        heading("Where the wall-clock went", note, sheet),
        ledger_bar(page.ledger, sheet.width, sheet),
    ]

    def figures(label: Text, seconds: float, percent: float) -> Text:
        line = Text(" " * INDENT).append_text(label)
        line.append(" " * (INDENT + LABEL + 2 - line.cell_len))
        return line.append(f"{seconds:>{FIGURES},.{decimals}f} s  {percent:>5.1f} %")

    for row in printed.lines:
        label = swatch(row.line, 1, sheet).append(" ").append(row.line.label, style="not dim default")
        line = figures(label, row.seconds, row.percent)
        if row.seconds == 0 and row.line.of(page.ledger) == 0:
            line.stylize(QUIET, INDENT + 1)
        undivided_s = page.ledger.mpi_undivided_s
        if row.line.field == "mpi_transfer_s" and undivided_s > NEXT_TO_NOTHING * page.ledger.mpi_transfer_s:
            lines += undivided(line, q.seconds(undivided_s), sheet)
        else:
            lines.append(line)
        if parts := inside(page, row.line.field):
            lines += paragraph(Text(parts, style=QUIET), sheet.width, INDENT + 4)
    lines.append(figures(Text("  residue"), printed.residue_seconds, printed.residue_percent))
    lines.append(Text(" " * (INDENT + 2)).append("─" * (LABEL + FIGURES + 11), style=QUIET))
    total = figures(Text("  wall-clock"), wall_s, 100.0 if wall_s else 0.0)
    lines.append(total)
    return lines


def undivided(line: Text, part: str, sheet: Sheet) -> list[Text]:
    """`line` with what of it may be waiting, beside it where there is room, else below."""
    note = Text(f"{part} of it undivided", style=QUIET)
    if line.cell_len + 3 + note.cell_len <= sheet.width:
        return [line.append("   ").append_text(note)]
    return [line, Text(" " * (INDENT + 4)).append_text(note)]
