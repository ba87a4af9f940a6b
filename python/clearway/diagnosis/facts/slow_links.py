"""Links that carry less than they should: than the card can, than in full duplex, than those of the other hosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from clearway.diagnosis.facts.card_loads import Load, loads
from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.host_cards import BITS, MEGA, PAYLOAD, number
from clearway.diagnosis.facts.tables import Tables
from clearway.diagnosis.host_faults import is_half, runs_below

HALF_DUPLEX = 2.0  # sending and receiving take turns: at best half of each
SLOWER = 0.75  # of what it should be


@dataclass(frozen=True, slots=True)
class SlowLink:
    """A card's load, and what a sound link in its place would carry (bytes/s)."""

    load: Load
    able: float | None  # what the card supports, where it has negotiated less
    half_duplex: bool
    usual: float | None  # the median of the other hosts' cards on the same network
    limited_by_host: bool  # a token-bucket filter of the host itself is what slows it

    @property
    def bytes_per_s(self) -> float:
        return self.load.link.bytes_per_s or 0.0

    @property
    def sound_bytes_per_s(self) -> float:
        return max(self.able or 0.0, self.usual or 0.0, HALF_DUPLEX * self.bytes_per_s if self.half_duplex else 0.0)


def slow_links(tables: Tables, connections: Sequence[Connection]) -> list[SlowLink]:
    """Those that the job uses."""
    carrying = loads(connections)
    found = (_examined(tables, load, carrying) for load in carrying if load.link.bytes_per_s)
    return [link for link in found if link.bytes_per_s < SLOWER * link.sound_bytes_per_s]


def _examined(tables: Tables, load: Load, carrying: Sequence[Load]) -> SlowLink:
    host = next(host for host in tables.hosts if host.name == load.link.host)
    card = next(card for card in host.interfaces if card.name == load.link.card)
    supported = number(host, card.name, "supported_mbit")
    shaped = number(host, card.name, "shaped_bytes_per_s")
    return SlowLink(
        load=load,
        able=PAYLOAD * MEGA / BITS * supported if supported and runs_below(card.speed_mbit, supported) else None,
        half_duplex=is_half(card.duplex),
        usual=_usual(load, carrying),
        limited_by_host=shaped is not None and (not card.speed_mbit or shaped < MEGA / BITS * card.speed_mbit),
    )


def _usual(load: Load, carrying: Sequence[Load]) -> float | None:
    """One other host is no majority."""
    rates = [
        other.link.bytes_per_s
        for other in carrying
        if other is not load and other.link.networks & load.link.networks and other.link.bytes_per_s
    ]
    return median(rates) if len(rates) > 1 else None
