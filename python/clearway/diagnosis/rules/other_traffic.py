"""A host's network card carries much that the ranks did not send: somebody else's, who takes a part of the link."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.card_loads import Load, loads
from clearway.diagnosis.facts.host_cards import PAYLOAD, mbit
from clearway.diagnosis.facts.share_lost import transfer_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Other traffic uses a host's network card"
REMEDIES = ()
ANSWERS = 0.06  # of what goes the other way: acknowledgements
SEGMENT_BYTES = 1514  # on the wire, sent again
MUCH = 0.25  # of what the ranks send or receive there
BUSY = 0.5  # of the time in which its ranks move data: below, the link has room for both


@dataclass(frozen=True, slots=True)
class _Foreign:
    load: Load
    receives: bool  # the direction in which it comes
    own_bytes: float  # on the wire, in that direction
    foreign_bytes: float

    @property
    def share(self) -> float:
        return self.foreign_bytes / (self.own_bytes + self.foreign_bytes)


def examine(case: Case) -> Suspicion | None:
    """Claims of moving data what the link took for the others' bytes, at most their share of the ranks' time."""
    moving_s = transfer_s(case.tables)
    total_s = sum(moving_s.values())
    found = [one for load in loads(case.connections) for one in _foreign(case, load, moving_s)]
    if not found or total_s <= 0:
        return None
    saved_s: dict[int, float] = {}
    for one in found:
        taken_s = one.foreign_bytes * PAYLOAD / (one.load.link.bytes_per_s or 1.0)
        for rank in one.load.ranks:
            held_s = min(taken_s, one.share * moving_s.get(rank, 0.0))
            saved_s[rank] = max(saved_s.get(rank, 0.0), held_s)
    worst = max(found, key=lambda one: one.foreign_bytes)
    host, card = worst.load.link.host, worst.load.link.card
    does = "receives" if worst.receives else "sends"
    says = (
        f"{q.percent(worst.share)} of what {card} of {host} {does} is not of the ranks' connections: another job, a "
        f"backup, a copy, or a file system over the same card. The link is busy with both, and the ranks wait "
        f"for their part. `ss -tinp` on {host} lists who else is connected."
    )
    hosts = len({one.load.link.host for one in found})
    evidence = (
        Evidence(f"{card} of {host} {does}", q.bytes_(worst.own_bytes + worst.foreign_bytes), "its counters"),
        Evidence("of that for the ranks", q.bytes_(worst.own_bytes), "tcp_info, headers and answers added"),
        Evidence("speed of the link", mbit(worst.load.link.bytes_per_s or 0.0), "ethtool, tc"),
        Evidence("hosts concerned", f"{hosts:,} of {case.tables.job.hosts:,}", "likewise"),
    )
    return Suspicion({"transfer_s": sum(saved_s.values()) / total_s * case.losses.transfer_s}, says, evidence, 0.8)


def _foreign(case: Case, load: Load, moving_s: dict[int, float]) -> list[_Foreign]:
    host = next((host for host in case.tables.hosts if host.name == load.link.host), None)
    card = next((card for card in host.interfaces if card.name == load.link.card), None) if host else None
    if card is None or not load.link.bytes_per_s or not load.ranks:
        return []
    again = {True: 0, False: 0}
    for each in case.connections:
        if not each.inside_host:
            again[True] += each.sender.retransmits * (each.to_link == load.link)
            again[False] += each.sender.retransmits * (each.from_link == load.link)
    spent_s = max(moving_s.get(rank, 0.0) for rank in load.ranks)
    found = []
    for receives, counted, mine, other in (
        (True, card.received_bytes, load.received_bytes, load.sent_bytes),
        (False, card.sent_bytes, load.sent_bytes, load.received_bytes),
    ):
        own = mine / PAYLOAD + ANSWERS * other + SEGMENT_BYTES * again[receives]
        foreign = counted - own
        wire_s = counted * PAYLOAD / load.link.bytes_per_s
        if foreign > MUCH * own and wire_s > BUSY * spent_s:
            found.append(_Foreign(load, receives, own, foreign))
    return found
