"""The faster network card, where messages go by a slower one."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.card_loads import loads
from clearway.diagnosis.facts.faster_card import better_card
from clearway.diagnosis.facts.host_cards import links
from clearway.diagnosis.facts.transport import LIBFABRIC, OPEN_MPI_TCP, UCX, transport
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: the finding counts what the faster card would save."""
    by_host = links(case.tables.hosts)
    pairs = [(load.link.card, better_card(load, by_host)) for load in loads(case.connections)]  # most bytes first
    slow = [(card, faster.card) for card, faster in pairs if faster is not None]
    if len({name for _, name in slow}) != 1:
        return None  # hosts call it by different names: a person has to say
    card, name = slow[0]
    change = to_card(transport(case), name)
    if change is None:
        return None
    return Offer(
        what=f"send messages over {name} instead of {card}",
        why="it is faster, and connects the same hosts",
        gain=1.0,
        change=change,
    )


def to_card(way: str, name: str) -> Change | None:
    """All messages between hosts by the card called `name`."""
    if way == OPEN_MPI_TCP:
        return Change(parameters=(("btl_tcp_if_include", name),))
    if way == UCX:
        return Change(environment=(("UCX_NET_DEVICES", name),))
    return Change(environment=(("FI_TCP_IFACE", name),)) if way == LIBFABRIC else None
