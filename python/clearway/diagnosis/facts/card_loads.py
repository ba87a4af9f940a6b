"""What a job's connections put on each network card, and what a faster one in its place would save."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.host_cards import Link
from clearway.diagnosis.facts.share_lost import transfer_s
from clearway.diagnosis.facts.tables import Tables


@dataclass(frozen=True, slots=True)
class Load:
    """Bytes between ranks that went over one card, and the hosts at the other ends."""

    link: Link
    sent_bytes: int
    received_bytes: int
    peers: frozenset[Link]
    ranks: frozenset[int]  # at either end of a connection over it

    @property
    def wire_s(self) -> float | None:
        """The least time that the link takes for it; both directions go at once."""
        rate = self.link.bytes_per_s
        return None if not rate else max(self.sent_bytes, self.received_bytes) / rate


def loads(connections: Sequence[Connection]) -> tuple[Load, ...]:
    """One for each card that carries data to other hosts, most bytes first."""
    sent: dict[Link, int] = defaultdict(int)
    received: dict[Link, int] = defaultdict(int)
    peers: dict[Link, set[Link]] = defaultdict(set)
    ranks: dict[Link, set[int]] = defaultdict(set)
    for each in connections:
        here, there = each.from_link, each.to_link
        if each.inside_host or here is None or there is None:
            continue
        sent[here] += each.sender.bytes_sent
        received[there] += each.sender.bytes_sent
        for link, other in ((here, there), (there, here)):
            peers[link].add(other)
            ranks[link] |= {each.from_rank, each.to_rank}
    found = (Load(link, sent[link], received[link], frozenset(peers[link]), frozenset(ranks[link])) for link in peers)
    return tuple(sorted(found, key=lambda load: -load.sent_bytes - load.received_bytes))


def share_saved(tables: Tables, faster: Mapping[Load, float], times_as_long: float = 1.0) -> float:
    """Of all rank-seconds of moving data, the share that cards of these rates (bytes/s) would save.

    A card whose wire was busy for w seconds at rate r would have been for w r / R. The ranks at both ends of
    its connections wait for that, each for no more of its moving data than this card's part can be. `times_as_long`:
    as the wire is busy the exchanges take, at any rate.
    """
    saved_s: dict[int, float] = defaultdict(float)
    moving_s = transfer_s(tables)
    for load, rate in faster.items():
        if not load.wire_s or not load.link.bytes_per_s or rate <= load.link.bytes_per_s:
            continue
        spared = 1 - load.link.bytes_per_s / rate
        for rank in load.ranks:
            saved_s[rank] = max(saved_s[rank], spared * min(times_as_long * load.wire_s, moving_s.get(rank, 0.0)))
    total_s = sum(moving_s.values())
    return sum(saved_s.values()) / total_s if total_s > 0 else 0.0
