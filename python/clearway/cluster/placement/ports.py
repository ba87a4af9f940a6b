"""Hosts and the parts of the switch that they are on.

A switch of many ports is often made of smaller ones, each joined to the others by one link. Where all ports of a part
are in use, that link carries less than they do, and packets are lost inside the switch (Kutzner et al. 2007: with 9 of
12 ports none are).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from clearway.cluster.model import Host, Network, SubSwitch, Switch
from clearway.cluster.placement.dealing import in_turns


def part_of(host: Host, network: Network | None) -> int | None:
    """Which of the switch's parts the host is on; None: it is not known, or there are none."""
    card = None if network is None else host.card(network.name)
    if network is None or network.switch is None or card is None or card.port is None:
        return None
    return next((at for at, part in enumerate(network.switch.sub_switches) if card.port in part.ports), None)


def hosts_on_parts(hosts: Sequence[Host], network: Network | None) -> dict[int, int]:
    """The number of hosts on each part, where that is known."""
    counts = Counter(part for host in hosts if (part := part_of(host, network)) is not None)
    return dict(sorted(counts.items()))


def part_after_part(hosts: Sequence[Host], network: Network | None, most: int | None = None) -> list[Host]:
    """The hosts of the part that has the most, then those of the next, `most` of each."""
    parts = {host.name: part_of(host, network) for host in hosts}
    sizes = Counter(parts.values())

    def key(host: Host) -> tuple[int, int]:
        part = parts[host.name]
        return -sizes[part], -1 if part is None else part

    return sorted(_at_most(hosts, network, most), key=key)


def in_turn(hosts: Sequence[Host], network: Network | None, most: int | None = None) -> list[Host]:
    """In such an order that any first few are spread evenly over the parts, `most` on each of them."""
    return in_turns(_at_most(hosts, network, most), lambda host: part_of(host, network))


def busiest_link(hosts: Sequence[Host], network: Network | None) -> tuple[int, int]:
    """How many hosts at once may send through one part's link when all send to all; and through all links together.

    Of n hosts, h on a part: no more can send to the others than are there, nor than there are others to receive.
    """
    counts = hosts_on_parts(hosts, network).values()
    crossing = [min(count, len(hosts) - count) for count in counts]
    return max(crossing, default=0), sum(crossing)


def _at_most(hosts: Sequence[Host], network: Network | None, most: int | None) -> list[Host]:
    seen: Counter[int] = Counter()
    kept = []
    for host in hosts:
        part = part_of(host, network)
        if part is not None:
            seen[part] += 1
        if part is None or most is None or seen[part] <= most:
            kept.append(host)
    return kept


def safe_ports(part: SubSwitch, network: Network) -> int:
    """As many ports as together ask for less than the part's own link carries: 9 of 12 at 1 Gbit/s behind 10."""
    if part.uplink_bps is None or not network.rate_bps:
        return len(part.ports)
    return min(len(part.ports), max(1, (part.uplink_bps - 1) // network.rate_bps))


def spread_ports(switch: Switch, hosts: int) -> list[int]:
    """The ports to put the cables of so many hosts into, for as few on each part as can be."""
    ports = [(at, port) for at, part in enumerate(switch.sub_switches) for port in part.ports]
    return sorted(port for _, port in in_turns(ports, lambda pair: pair[0])[:hosts])
