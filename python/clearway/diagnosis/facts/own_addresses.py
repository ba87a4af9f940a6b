"""Connections that lead back to the host that made them, though they were meant for another one.

Bridges of containers and virtual machines (docker0, virbr0) have the same address on every host, and so has the
loopback interface. Who is told that address for a rank of another host, and connects to it, reaches a rank of its own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.host_cards import links

FEW_BYTES = 4096  # what an MPI says to find out who is there; more was a message, and arrived
LOOPBACK = "127."


@dataclass(frozen=True, slots=True)
class Astray:
    """Of one interface."""

    card: str  # "docker0"
    address: str
    hosts: int  # that have this address
    ranks: int  # that connected to it


def astray(case: Case) -> Astray | None:
    """The interface by which most ranks reached themselves."""
    owners: dict[str, dict[str, str]] = defaultdict(dict)  # by address: the card of each host
    for host, cards in links(case.tables.hosts).items():
        for card in cards:
            for address in card.addresses:
                owners[address][host] = card.card
    found: dict[str, set[int]] = defaultdict(set)
    for row in case.tables.sockets:
        here, there = (end.rpartition(":")[0] for end in (row.local, row.peer))
        to_itself = row.peer_rank == row.rank or (row.peer_rank is not None and not here.startswith(LOOPBACK))
        little = row.bytes_sent + row.bytes_received < FEW_BYTES
        if here == there and to_itself and little and (len(owners[here]) > 1 or here.startswith(LOOPBACK)):
            found[here].add(row.rank)
    if not found:
        return None
    address = max(found, key=lambda each: (len(found[each]), each))
    owned = owners[address]
    return Astray(next(iter(owned.values()), "lo"), address, len(owned) or case.tables.job.hosts, len(found[address]))
