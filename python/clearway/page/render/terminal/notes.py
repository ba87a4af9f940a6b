"""What is missing, cut or estimated."""

from __future__ import annotations

from rich.text import Text

from clearway.base.sheet import FLAG, QUIET, Sheet, heading, more, paragraph
from clearway.base.visible import visible
from clearway.page.model import Page

LONGEST_NOTE = 500


def notes(page: Page, sheet: Sheet) -> list[Text]:
    if not page.job.notes:
        return []
    shown = sheet.cut(page.job.notes)
    lines = [heading("Notes", "" if page.job.complete else "the record is incomplete", sheet)]
    for note in page.job.notes[:shown]:
        body = paragraph(Text(visible(note, LONGEST_NOTE)), sheet.width, indent=4)
        mark = Text("  • ", style=QUIET if page.job.complete else FLAG)
        lines += [mark.append_text(body[0][4:]), *body[1:]]
    return lines + more(len(page.job.notes) - shown, "notes", sheet)
