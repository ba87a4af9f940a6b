"""MPI's data goes by the slower of the cards that join the hosts."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.card_loads import loads, share_saved
from clearway.diagnosis.facts.faster_card import better_card
from clearway.diagnosis.facts.host_cards import links, mbit
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "MPI uses the slower of two network cards"
REMEDIES = ("network-card",)
BOTH = 0.1  # of the bytes by the fast card: it is in use, too


def examine(case: Case) -> Suspicion | None:
    by_host = links(case.tables.hosts)
    found = {load: better for load in loads(case.connections) if (better := better_card(load, by_host)) is not None}
    share = share_saved(case.tables, {load: better.bytes_per_s or 0.0 for load, better in found.items()})
    if share <= 0:
        return None
    load, better = max(found.items(), key=lambda pair: pair[0].wire_s or 0.0)
    beside = sum(each.sent_bytes for each in loads(case.connections) if each.link.card == better.card)
    moved = sum(each.sent_bytes for each in found)
    slow, fast = load.link, better
    return Suspicion(
        claims={"transfer_s": share * case.losses.transfer_s},
        says=(
            f"The ranks exchange their data over {slow.card}, while {fast.card}, which connects the same hosts, is "
            f"{(fast.bytes_per_s or 0) / (slow.bytes_per_s or 1):.3g} times as fast."
            f"{_beside(fast.card, beside, moved)}"
        ),
        evidence=(
            Evidence(f"carried by {slow.card}", q.bytes_(moved), f"tcp_info, {len(found)} hosts"),
            Evidence(f"speed of {slow.card}", mbit(slow.bytes_per_s or 0.0), f"host facts of {slow.host}"),
            Evidence(f"speed of {fast.card}", mbit(fast.bytes_per_s or 0.0), f"host facts of {fast.host}"),
            Evidence(f"time {slow.card} needs for it", q.seconds(load.wire_s), "bytes, link speed"),
        ),
        confidence=0.92,
    )


def _beside(card: str, carried: int, slowly: int) -> str:
    """Of an MPI that uses both."""
    if carried < BOTH * (carried + slowly):
        return ""
    return (
        f" {card} carried {q.bytes_(carried)} as well: an MPI that may use both sends a part of each large message "
        f"over each, and waits for the slower one."
    )
