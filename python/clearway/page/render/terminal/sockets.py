"""TCP connections that lost packets or were held back."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import QUIET, Column, Sheet, heading, more, table
from clearway.page.model import Page, Socket
from clearway.page.render.highlights import held_back, telling

COLUMNS = (
    Column("rank", 9),
    Column("to", 9, left=True, flexible=8),
    Column("sent", 7),
    Column("retransmits", 7),
    Column("timeouts", 8),
    Column("stalled", 8),
    Column("RTT", 5),
    Column("cwnd", 3),
    Column("held back by", 6, left=True),
)


def sockets(page: Page, sheet: Sheet) -> list[Text]:
    if not page.sockets:
        return []
    rows = [one for one in page.sockets if telling(one) or sheet.show_all]
    quiet = len(page.sockets) - len(rows)
    lines = [heading("TCP connections", f"{len(page.sockets):,} in all", sheet)]
    shown = sheet.cut(rows)
    if rows:
        lines += table(COLUMNS, [cells(one) for one in rows[:shown]], sheet)
        lines += more(len(rows) - shown, "connections with losses or limits", sheet)
    if quiet:
        lines.append(Text(f"  {quiet:,} without retransmits or limits", style=QUIET))
    return lines


def cells(one: Socket) -> list[str | Text]:
    return [
        str(one.rank),
        one.peer if one.peer_rank is None else f"rank {one.peer_rank}",
        q.bytes_(one.bytes_sent),
        q.count(one.retransmits),
        q.count(one.timeouts),
        q.seconds(one.stall_s),
        q.seconds(one.rtt_s),
        q.count(one.cwnd),
        held_back(one),
    ]
