"""The findings, costliest first: what it is, the figures that show it, what to do."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import FLAG, QUIET, Column, Sheet, heading, more, paragraph, table
from clearway.base.visible import visible
from clearway.diagnosis.finding import Finding, Remedy
from clearway.page.model import Page

SHOWN = 3  # findings with all their figures, unless all are wanted
LONGEST_TITLE = 120
LONGEST_COMMAND = 4000
COLUMNS = (
    Column("", 9, left=True, flexible=40),
    Column("", 9, left=True, flexible=40),
    Column("", 3, left=True, flexible=16),
)


def findings(page: Page, sheet: Sheet) -> list[Text]:
    found = page.findings
    if not found and not page.health:
        return []
    if not found:
        return [heading("Findings", "", sheet), Text(f"  {page.health}", style=QUIET)]
    total = sum(one.share for one in found)
    lines = [heading("Findings", f"{q.percent(total)} of the wall-clock could come back", sheet)]
    shown = sheet.cut(found, SHOWN)
    for number, one in enumerate(found[:shown], 1):
        lines += finding(number, one, sheet)
    return lines + more(len(found) - shown, "findings", sheet)


def finding(number: int, one: Finding, sheet: Sheet) -> list[Text]:
    cost = f"{q.percent(one.share)} · {q.seconds(one.cost_s)}"
    title = Text.assemble((f"  {number}. ", QUIET), (visible(one.title, LONGEST_TITLE), "bold"))
    space = sheet.width - title.cell_len - len(cost)
    if space >= 2:
        lines = [title.append(" " * space).append(cost, style=FLAG)]
    else:
        lines = [*paragraph(title, sheet.width), Text(" " * 5 + cost, style=FLAG)]
    lines += paragraph(Text(visible(f"{one.says} {one.when}".rstrip(), 800)), sheet.width, indent=5)
    rows = [["   " + each.what, each.value, f"({each.source})"] for each in one.evidence]
    lines += table(COLUMNS, rows, sheet)
    for each in one.remedies:
        lines += remedy(each, sheet)
    return [*lines, Text(f"     more: clearway explain {one.rule}", style=QUIET)]


def remedy(one: Remedy, sheet: Sheet) -> list[Text]:
    gain = "" if one.expected_gain_s is None else f", should give back {q.seconds(one.expected_gain_s)}"
    root = ", as root" if one.needs_root else ""
    lines = paragraph(Text(visible(f"→ {one.what}{root}{gain}: {one.why}", 600)), sheet.width, indent=5)
    # Never broken: it is there to be copied.
    return [*lines, Text(f"       {visible(one.command, LONGEST_COMMAND)}")] if one.command else lines
