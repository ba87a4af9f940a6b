"""The page in a terminal: calm, aligned, the same in a pipe as on a screen, with colour or without."""

from __future__ import annotations

import io
from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from clearway.base.console import PIPED, print_lines, sheet_for
from clearway.base.sheet import Sheet
from clearway.page.model import Page
from clearway.page.render.terminal.calls import calls, collectives
from clearway.page.render.terminal.cores import cores
from clearway.page.render.terminal.efficiency import efficiency
from clearway.page.render.terminal.files import files
from clearway.page.render.terminal.findings import findings
from clearway.page.render.terminal.flow import flow
from clearway.page.render.terminal.functions import functions
from clearway.page.render.terminal.headline import headline
from clearway.page.render.terminal.hosts import hosts
from clearway.page.render.terminal.io_cache import io_cache
from clearway.page.render.terminal.ledger import ledger
from clearway.page.render.terminal.messages import matrix, messages
from clearway.page.render.terminal.notes import notes
from clearway.page.render.terminal.ranks import ranks
from clearway.page.render.terminal.sockets import sockets
from clearway.page.render.terminal.strip import strip
from clearway.page.render.terminal.waits_for import waits_for

Section = Callable[[Page, Sheet], list[Text]]
SECTIONS: tuple[Section, ...] = (
    headline,
    waits_for,
    findings,
    strip,
    ledger,
    efficiency,
    cores,
    functions,
    ranks,
    calls,
    collectives,
    flow,
    messages,
    matrix,
    sockets,
    files,
    io_cache,
    hosts,
    notes,
)


def compose(page: Page, sheet: Sheet) -> list[Text]:
    """All sections, an empty line between them."""
    lines: list[Text] = []
    for section in SECTIONS:
        part = section(page, sheet)
        if part and lines:
            lines.append(Text())
        lines += part
    return lines


def print_page(page: Page, console: Console, show_all: bool = False) -> None:
    print_lines(console, compose(page, sheet_for(console, show_all)))


def text_of(page: Page, width: int = PIPED, show_all: bool = False) -> str:
    """The page as plain text."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, no_color=True, highlight=False, markup=False, soft_wrap=True)
    print_page(page, console, show_all)
    return stream.getvalue()
