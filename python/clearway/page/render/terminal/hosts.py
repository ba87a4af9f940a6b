"""What the hosts said of themselves."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import QUIET, Column, Sheet, heading, more, table
from clearway.page.model import Host, Interface, Page

COLUMNS = (
    Column("", 9, left=True, flexible=10),
    Column("ranks", 8),
    Column("cores", 8),
    Column("memory", 5),
    Column("retransmitted", 7),
    Column("timeouts", 7),
    Column("steal", 4),
    Column("TCP", 6, left=True, flexible=6),
    Column("kernel", 3, left=True, flexible=10),
)
INTERFACES = (
    Column("", 9, left=True, flexible=10),
    Column("", 9, left=True, flexible=6),
    Column("speed", 7, left=True),
    Column("sent", 6),
    Column("received", 6),
    Column("drops", 8),
    Column("errors", 8),
    Column("PAUSE in", 5),
    Column("PAUSE out", 5),
)


def hosts(page: Page, sheet: Sheet) -> list[Text]:
    if not page.hosts:
        return []
    shown = sheet.cut(page.hosts)
    chosen = page.hosts[:shown]
    lines = [heading("Hosts", "counters are of the whole host, while the job ran", sheet)]
    lines += table(COLUMNS, [cells(one) for one in chosen], sheet)
    cards = [(one, card) for one in chosen for card in one.interfaces if sheet.show_all or busy(card)]
    if cards:
        lines += [Text(), *table(INTERFACES, [card_cells(*pair) for pair in cards[: sheet.cut(cards)]], sheet)]
    lines += more(len(page.hosts) - shown, "hosts", sheet)
    if sheet.show_all:
        facts = [[one.name, name, text] for one in chosen for name, text in sorted(one.facts.items())]
        columns = (Column("", 5, left=True, flexible=8), Column("", 9, left=True, flexible=24), Column("", 9, True, 20))
        lines += [Text(), *table(columns, facts, sheet)] if facts else []
    return lines


def busy(card: Interface) -> bool:
    """A card that carried something beside the loopback's own traffic."""
    return card.name != "lo" and card.sent_bytes + card.received_bytes > 0


def cells(one: Host) -> list[str | Text]:
    return [
        one.name,
        q.count(one.ranks),
        q.count(one.cores),
        q.bytes_(one.memory_bytes),
        "" if one.retransmitted_segments is None else f"{q.count(one.retransmitted_segments)} segments",
        q.count(one.timeouts),
        q.seconds(one.steal_s),
        one.congestion_control,
        one.kernel,
    ]


def card_cells(one: Host, card: Interface) -> list[str | Text]:
    speed = "" if not card.speed_mbit else f"{card.speed_mbit:,} Mbit/s"
    return [
        Text(one.name, style=QUIET),
        card.name,
        f"{speed} {card.duplex or ''}".strip(),
        q.bytes_(card.sent_bytes),
        q.bytes_(card.received_bytes),
        q.count(card.drops),
        q.count(card.errors),
        "" if card.pause_received is None else q.count(card.pause_received),
        "" if card.pause_sent is None else q.count(card.pause_sent),
    ]
