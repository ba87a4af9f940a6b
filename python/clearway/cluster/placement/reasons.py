"""What was placed and why, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from clearway.base.ranges import short_numbers
from clearway.base.units import format_rate
from clearway.cluster.model import Cluster, Network
from clearway.cluster.placement.model import Placement, Request
from clearway.cluster.placement.networks import is_dedicated, joining
from clearway.cluster.placement.ports import busiest_link, hosts_on_parts, safe_ports, spread_ports

UNBOUND = "the ranks are not bound: the hosts' cores are not known; `clearway place --discover` reads them"


def sentences(cluster: Cluster, request: Request, placement: Placement) -> list[str]:
    return [
        *_hosts(cluster, request, placement),
        *_network(cluster, request, placement),
        *_ports(placement),
        *_cores(request, placement),
    ]


def _hosts(cluster: Cluster, request: Request, placement: Placement) -> Iterator[str]:
    sizes = sorted({len(seats) for seats in placement.by_host.values()})
    each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    used, there = len(placement.hosts), len(cluster.hosts)
    why = "all of them" if used == there else "one rank each" if request.spread else "the fewest that hold them"
    yield f"{_count(len(placement.seats), 'rank')} on {used} of {_count(there, 'host')}, {why}; {each} on each"
    if request.order == "cyclic" and used > 1:
        yield "neighbouring ranks are on different hosts, as asked"


def _network(cluster: Cluster, request: Request, placement: Placement) -> Iterator[str]:
    network = placement.network
    if network is None or not placement.choice:
        return
    others = [other for other in joining(cluster, placement.hosts) if other != network]
    if request.network is not None:
        why = "as asked"
    elif all((network.rate_bps or 0) > (other.rate_bps or 0) for other in others):
        why = "the fastest known that joins these hosts"
    elif is_dedicated(network, placement.hosts):
        why = "on which hosts have names of their own, so that nothing else uses it"
    else:
        why = "the first of equals"
    rate = "" if network.rate_bps is None else f" ({format_rate(network.rate_bps)})"
    yield f"messages use network {network.name}{rate}, {why}; not {', '.join(other.name for other in others)}"


def _ports(placement: Placement) -> Iterator[str]:
    """Of a switch that is made of smaller ones."""
    network = placement.network
    counts = hosts_on_parts(placement.hosts, network)
    if network is None or network.switch is None or not counts:
        return
    parts = network.switch.sub_switches
    if len(counts) == 1 < len(parts) and len(placement.hosts) > 1:
        yield "these hosts are on one part of the switch: none of their messages use its link to the other parts"
        return
    told = ", ".join(f"{count} of {len(parts[part].ports)}" for part, count in counts.items())
    yield f"ports in use on the parts of the switch: {told}"
    crossing, _ = busiest_link(placement.hosts, network)
    part = min((parts[part] for part in counts), key=lambda part: safe_ports(part, network))
    if crossing > safe_ports(part, network):
        sent, carried = crossing * (network.rate_bps or 0), part.uplink_bps or 0
        yield (
            f"{crossing} hosts of one part send up to {format_rate(sent)} into its link of {format_rate(carried)}: "
            "when all send at once, packets are lost inside the switch"
        )
        yield from _cables(network, len(placement.hosts), safe_ports(part, network))


def _cables(network: Network, hosts: int, safe: int) -> Iterator[str]:
    switch = network.switch
    ports = spread_ports(switch, hosts) if switch else []
    most = max((len(set(ports) & set(part.ports)) for part in switch.sub_switches), default=0) if switch else 0
    if len(ports) == hosts and most <= safe:
        yield f"with the cables of these hosts in ports {short_numbers(ports)}, no part has more than {most}"


def _cores(request: Request, placement: Placement) -> Iterator[str]:
    if not placement.binds:
        yield UNBOUND
        return
    if any(len(seats) * request.threads > len(seats[0].host.cores) for seats in placement.by_host.values()):
        yield "ranks share cores, each with hardware threads of its own, as asked"
    else:
        yield f"each rank has {_count(request.threads, 'core')} of its own"
    seats = placement.by_host[placement.hosts[0].name]
    bound = {cpu for seat in seats for cpu in seat.cpus}
    nodes = placement.hosts[0].numa_nodes
    used = sum(any(bound & set(core.cpus) for core in cores) for cores in nodes.values())
    if len(nodes) > 1:
        yield f"they are on {used} of {len(nodes)} NUMA nodes of a host, neighbouring ranks together"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
