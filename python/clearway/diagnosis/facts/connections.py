"""The connections between different ranks, each with its two ends and the cards that it goes by."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.diagnosis.facts.host_cards import Link, links
from clearway.diagnosis.facts.tables import Tables
from clearway.diagnosis.facts.tables.sockets import Socket


@dataclass(frozen=True, slots=True)
class Connection:
    """One direction of a TCP connection between two ranks: what the rank of `sender` sends."""

    sender: Socket
    receiver: Socket | None  # the other end as its own rank saw it, where that has a record
    from_rank: int
    to_rank: int
    from_host: str
    to_host: str
    from_link: Link | None
    to_link: Link | None

    @property
    def inside_host(self) -> bool:
        return self.from_host == self.to_host

    @property
    def bytes_per_s(self) -> float | None:
        """What the slower of its two cards carries."""
        if self.from_link is None or self.to_link is None:
            return None
        first, second = self.from_link.bytes_per_s, self.to_link.bytes_per_s
        return None if first is None or second is None else min(first, second)

    @property
    def round_trip_s(self) -> float:
        """The least; the kernel says 4,295 s where it has measured none."""
        return min(self.sender.min_rtt_s, self.sender.rtt_s)

    @property
    def pipe_bytes(self) -> float | None:
        """The bandwidth-delay product: what must be in flight to keep the slower card busy."""
        rate = self.bytes_per_s
        return None if rate is None else rate * self.round_trip_s


def connections(tables: Tables) -> tuple[Connection, ...]:
    """All that carried data, in the order of tables.sockets."""
    by_host = links(tables.hosts)
    host_of = {rank.rank: rank.host for rank in tables.ranks}
    by_address = {(host, a): link for host, several in by_host.items() for link in several for a in link.addresses}
    ends = {(socket.rank, socket.local, socket.peer): socket for socket in tables.sockets}
    found = []
    for socket in tables.sockets:
        peer = socket.peer_rank
        if peer is None or peer == socket.rank or peer not in host_of or socket.bytes_sent == 0:
            continue
        found.append(
            Connection(
                sender=socket,
                receiver=ends.get((peer, socket.peer, socket.local)),
                from_rank=socket.rank,
                to_rank=peer,
                from_host=socket.host,
                to_host=host_of[peer],
                from_link=by_address.get((socket.host, address(socket.local))),
                to_link=by_address.get((host_of[peer], address(socket.peer))),
            )
        )
    return tuple(found)


def address(endpoint: str) -> str:
    """ "10.0.0.1" of "10.0.0.1:41000", "fe80::1" of "[fe80::1]:41000"."""
    return endpoint.rpartition(":")[0].strip("[]")
