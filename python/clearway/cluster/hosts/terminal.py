"""A Check for a terminal: faults first, then the cards, then what differs and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import FLAG, QUIET, Cell, Column, Sheet, heading, more, paragraph, table
from clearway.cluster.hosts.check import Check
from clearway.cluster.hosts.differences import Difference
from clearway.cluster.hosts.faults import Fault
from clearway.cluster.hosts.settings import find_setting
from clearway.cluster.hosts.state import State, Value

INDENT = 4
CARD_COLUMNS = (
    Column("", 9, left=True),
    Column("card", 9, left=True),
    Column("address", 6, left=True),
    Column("Mbit/s", 9),
    Column("of", 5),
    Column("duplex", 7, left=True),
    Column("flow control", 6, left=True),
    Column("MTU", 6),
    Column("errors", 5),
    Column("dropped", 5),
)


def lines_of(check: Check, sheet: Sheet) -> Iterator[Text]:
    names = [host.state.host for host in check.hosts]
    yield heading(f"Host {names[0]}" if len(names) == 1 else f"{len(names)} hosts", "settings and links", sheet)
    yield from fault_lines(check, sheet)
    yield Text()
    cards = [row for host in check.hosts for row in card_rows(host.state)]
    shown = sheet.cut(cards)
    yield from [*table(CARD_COLUMNS, cards[:shown], sheet), *more(len(cards) - shown, "cards", sheet)]
    if check.differences:
        yield from [Text(), heading("Not the same on all hosts", "", sheet)]
        yield from difference_lines(check, sheet)
    if sheet.show_all:
        for host in check.hosts:
            yield from [Text(), heading(f"Facts of {host.state.host}", "", sheet)]
            yield from fact_lines(host.state, sheet)
    yield from unread_lines(check, sheet)


def fault_lines(check: Check, sheet: Sheet) -> Iterator[Text]:
    """The same fault of several hosts once, with their names."""
    hosts: dict[tuple[str, str], list[str]] = {}
    first: dict[tuple[str, str], Fault] = {}
    for host in check.hosts:
        for fault in host.faults:
            key = fault.id, fault.title
            first.setdefault(key, fault)
            hosts.setdefault(key, []).append(host.state.host)
    if not first:
        yield Text("  No fault found in what could be read.")
    explained = set()
    for key in sorted(first, key=lambda key: not first[key].serious):
        where = whose(hosts[key], len(check.hosts))
        yield from [Text(), *one_fault(first[key], where, key[0] not in explained, sheet)]
        explained.add(key[0])


def whose(hosts: list[str], all_hosts: int) -> str:
    """Which hosts have it, and of which the figures are; nothing where there is but one."""
    if all_hosts == 1:
        return ""
    names = "all hosts" if len(hosts) == all_hosts else ", ".join(hosts)
    return f" ({names})" if len(hosts) == 1 else f" ({names}; figures of {hosts[0]})"


def one_fault(fault: Fault, where: str, explains: bool, sheet: Sheet) -> Iterator[Text]:
    mark = Text("!", style=FLAG) if fault.serious else Text("·", style=QUIET)
    yield Text.assemble("  ", mark, " ", (f"{fault.title}{where}", "bold"))
    if explains:
        yield from paragraph(Text(fault.why.partition("\n\n")[2].replace("\n", " ")), sheet.width, INDENT)
    evidence: list[list[Cell]] = [[each.what, each.value, Text(each.source, style=QUIET)] for each in fault.evidence]
    columns = (Column("", 9, left=True), Column("", 9, left=True, flexible=20), Column("", 1, left=True, flexible=20))
    for line in table(columns, evidence, sheet):
        yield Text("  ").append_text(line)
    for remedy in fault.remedies:
        yield Text(f"{' ' * INDENT}fix: {remedy.command}", style="bold")
        yield from paragraph(Text(find_setting(remedy.setting).safe, style=QUIET), sheet.width, INDENT + 6)
    if fault.advice:
        yield from paragraph(Text(f"do: {fault.advice}"), sheet.width, INDENT)


def card_rows(state: State) -> Iterator[list[Cell]]:
    for card in state.cards:
        rx, tx = (state.text(f"link.{card}.pause_{way}") for way in ("rx", "tx"))
        pause = q.UNKNOWN if rx is None or tx is None else rx if rx == tx else f"in {rx}, out {tx}"
        yield [
            state.host,
            card,
            state.text(f"link.{card}.address") or "",
            q.count(state.number(f"link.{card}.speed_mbit")),
            q.count(state.number(f"link.{card}.supported_mbit")),
            state.text(f"link.{card}.duplex") or q.UNKNOWN,
            pause,
            str(state.number(f"link.{card}.mtu") or q.UNKNOWN),
            total(state, card, "errors"),
            total(state, card, "dropped"),
        ]


def total(state: State, card: str, what: str) -> str:
    parts = [state.number(f"link.{card}.{way}_{what}") for way in ("rx", "tx")]
    return q.count(sum(part for part in parts if part is not None)) if None not in parts else q.UNKNOWN


def difference_lines(check: Check, sheet: Sheet) -> list[Text]:
    """Few hosts side by side; of many, those that are odd."""
    names = [host.state.host for host in check.hosts]
    if len(names) <= 6:
        columns = [Column("", 9, left=True, flexible=16), *(Column(name, 5, left=True, flexible=8) for name in names)]
        rows: list[list[Cell]] = [[each.name, *(cell(each, name) for name in names)] for each in check.differences]
        return table(columns, rows, sheet)
    columns = [Column("", 9, left=True, flexible=16), Column("most", 7, left=True, flexible=8), Column("", 5, True, 20)]
    return table(columns, [[each.name, usual(each), odd_words(each)] for each in check.differences], sheet)


def cell(difference: Difference, host: str) -> Text:
    return Text(word(difference.values[host]), style=FLAG if host in difference.odd else "")


def usual(difference: Difference) -> str:
    return next((word(value) for host, value in difference.values.items() if host not in difference.odd), q.UNKNOWN)


def odd_words(difference: Difference) -> str:
    return ", ".join(f"{host}: {word(difference.values[host])}" for host in difference.odd)


def word(value: Value | None) -> str:
    return q.UNKNOWN if value is None else str(value)


def fact_lines(state: State, sheet: Sheet) -> list[Text]:
    columns = (Column("", 9, left=True), Column("", 8, left=True, flexible=16), Column("", 2, left=True, flexible=20))
    rows: list[list[Cell]] = [
        [name, word(fact.value), Text(fact.source, style=QUIET)]
        for name, fact in state.facts.items()
        if fact.value is not None
    ]
    return table(columns, rows, sheet)


def unread_lines(check: Check, sheet: Sheet) -> Iterator[Text]:
    """Once for all that one command or file does not tell."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for host in check.hosts:
        for name, fact in host.state.unread():
            names = reasons.setdefault((fact.source, fact.trouble), [])
            if name not in names:
                names.append(name)
    if reasons:
        columns = (Column("", 9, left=True, flexible=40), Column("", 5, left=True, flexible=24))
        rows: list[list[Cell]] = [[", ".join(reasons[key]), Text(": ".join(key), style=QUIET)] for key in reasons]
        yield from [Text(), heading("Not read", "", sheet), *table(columns, rows, sheet)]
