"""Who waits for whom, in a job that hangs: those that wait, and under them whom they wait for."""

from __future__ import annotations

from rich.text import Text

from clearway.base.sheet import QUIET, Sheet, heading, more, paragraph
from clearway.base.visible import visible
from clearway.page.model import Page

SHOWN = 6  # groups of ranks that wait, and of those that each waits for
LONGEST = 200


def waits_for(page: Page, sheet: Sheet) -> list[Text]:
    graph = page.waits_for
    if graph is None:
        return []
    lines = [heading("Who waits for whom", "when the record ends", sheet)]
    waiting = [number for number, node in enumerate(graph.nodes) if node.waits]
    shown = sheet.cut(waiting, SHOWN)
    for number in waiting[:shown]:
        node = graph.nodes[number]
        since = f", since second {node.since_s:.1f}" if node.since_s is not None else ""
        lines += _line(f"{node.who} {node.where}{since}, for", sheet, 2)
        awaited = [graph.nodes[edge.awaited] for edge in graph.edges if edge.waiter == number]
        few = sheet.cut(awaited, SHOWN)
        for other in awaited[:few]:
            lines += _line(f"{other.who}: {other.where}", sheet, 6)
        if few < len(awaited):
            lines.append(Text(f"      and {len(awaited) - few} more groups of ranks", style=QUIET))
    return lines + more(len(waiting) - shown, "groups of ranks that wait", sheet)


def _line(text: str, sheet: Sheet, indent: int) -> list[Text]:
    return paragraph(Text(visible(text, LONGEST)), sheet.width, indent=indent)
