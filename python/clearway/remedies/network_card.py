"""The faster network card, where messages go by a slower one."""

from __future__ import annotations

from clearway.diagnosis.cards import card_in_use, common_cards
from clearway.diagnosis.case import Case
from clearway.diagnosis.transport import LIBFABRIC, OPEN_MPI_TCP, UCX, transport
from clearway.finding import Finding
from clearway.launch.change import Change
from clearway.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1 - speed now / speed then: the time of moving data is as the speed of its link."""
    now, cards = card_in_use(case), common_cards(case)
    speed_now = cards.get(now)
    faster = {name: speed for name, speed in cards.items() if speed and speed_now and speed > speed_now}
    if not faster or not speed_now:
        return None
    best = max(faster, key=lambda name: faster[name])
    change = to_card(transport(case), best)
    if change is None:
        return None
    return Offer(
        what=f"send messages by {best}, not {now}",
        why=f"{best} has {faster[best]:,} Mbit/s, {now} {speed_now:,}; every host has an address on both",
        gain=1 - speed_now / faster[best],
        change=change,
    )


def to_card(way: str, name: str) -> Change | None:
    """All messages between hosts by the card called `name`."""
    if way == OPEN_MPI_TCP:
        return Change(parameters=(("btl_tcp_if_include", name),))
    if way == UCX:
        return Change(environment=(("UCX_NET_DEVICES", name),))
    return Change(environment=(("FI_TCP_IFACE", name),)) if way == LIBFABRIC else None
