"""A running job's ledger, shown again every second: what it is so far, and what the last second added."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from clearway.base import quantities as q
from clearway.base.console import open_console, sheet_for
from clearway.base.sheet import QUIET, Column, Sheet, heading, table
from clearway.page.build.running import Running
from clearway.page.model import CoreSeconds, Ledger
from clearway.page.render.core_lines import LABELS
from clearway.page.render.ledger_lines import LINES
from clearway.page.render.terminal import print_page
from clearway.page.render.terminal.calls import calls
from clearway.page.render.terminal.cores import rows as thread_rows
from clearway.page.render.terminal.headline import headline
from clearway.page.render.terminal.ledger_bar import ledger_bar, swatch
from clearway.page.render.terminal.ranks import ranks
from clearway.page.render.terminal.waits_for import waits_for

REFRESH_S = 1.0
PATIENCE = 4  # reading may take a fifth of the time, no more: it shares the job's cores
SILENT_REFRESHES = 15  # a record that has not grown for so long belongs to a job that was killed

COLUMNS = (
    Column("", 9, left=True),
    Column("so far", 9),
    Column("", 8),
    Column("now", 9),
    Column("", 7, left=True),
)


def follow(job: Running) -> None:
    """Shows the job until it ends, q is pressed, or Ctrl-C; then prints its page."""
    console = open_console()
    if job.has_ended or not console.is_terminal:
        print_page(job.whole(), console)
        return
    view = Live(console=console, screen=True, auto_refresh=False)
    with suppress(KeyboardInterrupt), keys() as pressed, view as live:
        while not job.has_ended and job.silent < SILENT_REFRESHES:
            live.update(screen(job, console), refresh=True)
            started = time.monotonic()
            job.read_again()
            if pressed(max(REFRESH_S, PATIENCE * (time.monotonic() - started))):
                break
    print_page(job.whole(), console)


def screen(job: Running, console: Console) -> Group:
    """What fits between the first and the last line of the terminal."""
    sheet, page = sheet_for(console), job.page
    lines: list[Text] = []
    for part in (
        headline(page, sheet),
        waits_for(page, sheet),
        ledger(page.ledger, job.added, sheet),
        threads(page.cores, job.cores_added, sheet),
        ranks(page, sheet),
        calls(page, sheet),
    ):
        lines += [*part, Text()] if part else []
    room = max(1, console.height - 2)
    return Group(*lines[:room], Text("running · refreshed every second · q quits", style=QUIET))


def ledger(so_far: Ledger, now: Ledger, sheet: Sheet) -> list[Text]:
    """The ledger so far, and the share of each line in what came since the last refresh."""
    rows: list[list[str | Text]] = []
    for line in LINES:
        label = swatch(line, 1, sheet).append(" ").append(line.label, style="not dim default")
        value, recent = line.of(so_far), line.of(now)
        bar = Text("█" * round(30 * max(0.0, recent) / now.wall_s) if now.wall_s > 0 else "", style=line.colour)
        rows.append([label, q.seconds(value), q.percent(value, so_far.wall_s), q.percent(recent, now.wall_s), bar])
    bars = [ledger_bar(so_far, sheet.width, sheet)]
    return [heading("Where the wall-clock goes", "summed over ranks", sheet), *bars, *table(COLUMNS, rows, sheet)]


def threads(so_far: CoreSeconds | None, now: CoreSeconds | None, sheet: Sheet) -> list[Text]:
    """The core-seconds so far, those of the last refresh, and how busy each thread was; of ranks with several threads.

    The kernel is asked about threads once a second, so what came between two refreshes is known where a second's look
    lies between them.
    """
    if so_far is None or so_far.most_threads < 2:
        return []
    recent_s = now.given_s if now else 0.0
    cells: list[list[str | Text]] = []
    for name, label, _ in LABELS:
        value, recent = getattr(so_far, name), getattr(now, name) if now else 0.0
        if value or recent:
            share = q.percent(recent, recent_s) if recent_s > 0 else ""
            cells.append([label, q.seconds(value), q.percent(value, so_far.given_s), share, ""])
    lines = [heading("Where the core-seconds go", "summed over ranks", sheet), *table(COLUMNS, cells, sheet)]
    return [*lines, *thread_rows(so_far, sheet)]


def sleep(seconds: float) -> bool:
    """Waits where there is no keyboard; nobody presses q."""
    time.sleep(seconds)
    return False


@contextmanager
def keys() -> Iterator[Callable[[float], bool]]:
    """A function that waits so many seconds, and says whether q was pressed meanwhile."""
    if not sys.stdin.isatty():
        yield sleep
        return
    import termios
    import tty

    terminal = sys.stdin.fileno()
    settings = termios.tcgetattr(terminal)

    def pressed(seconds: float) -> bool:
        ready, _, _ = select.select([terminal], [], [], seconds)
        return bool(ready) and os.read(terminal, 64).lower() in (b"q", b"\x04")

    try:
        tty.setcbreak(terminal)
        yield pressed
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, settings)
