"""The ledger as a bar."""

from __future__ import annotations

from rich.text import Text

from clearway.base.sheet import Sheet
from clearway.page.model import Ledger
from clearway.page.render.ledger_lines import LedgerLine, bar_columns


def ledger_bar(ledger: Ledger, columns: int, sheet: Sheet) -> Text:
    bar = Text()
    for line, width in bar_columns(ledger, columns):
        bar.append_text(swatch(line, width, sheet))
    return bar


def swatch(line: LedgerLine, columns: int, sheet: Sheet) -> Text:
    """A piece of a ledger bar: solid where colour tells the lines apart, else each with its own texture."""
    return Text("█" * columns, style=line.colour) if sheet.colour else Text(line.texture * columns)
