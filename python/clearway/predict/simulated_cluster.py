"""A part of a cluster as the simulator takes it: so many hosts, one network, TCP and MPI."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.cluster import Cluster, Host, Network, Stack, Switch
from clearway.cluster.placement.networks import choose_network

GBIT_BPS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Modelled:
    network: Network
    """The switch has a port for each host, in their order."""
    hosts: int
    per_host: int
    stack: Stack
    speed: float = 1.0
    """Of a core, by that of the machine on which a workload's computing times were taken."""


def default_model(hosts: int) -> Modelled:
    """Gigabit Ethernet with small buffers, where nothing else is said."""
    switch = Switch(hosts, buffer_bytes=64_000)
    return Modelled(Network("modelled", GBIT_BPS, 20_000, switch=switch), hosts, 1, Stack())


def model_of(cluster: Cluster, hosts: int | None, per_host: int | None, network: str | None) -> Modelled:
    """The first `hosts` of a cluster. Raises ClearwayError where it has fewer, or says too little."""
    if hosts is not None and not 1 <= hosts <= len(cluster.hosts):
        raise ClearwayError(f"the cluster has {len(cluster.hosts)} hosts, not {hosts}", f"--hosts {len(cluster.hosts)}")
    chosen = cluster.hosts[:hosts]
    way = choose_network(cluster, chosen, network)
    if way is None and not any(host.cards for host in chosen):
        names = [one.name for one in cluster.networks] or ["ethernet"]
        raise ClearwayError(
            "no host of the cluster has a card, so none is on a network",
            f'cards = [{{ network = "{names[0]}" }}] in [[hosts]]',
        )
    if way is None or way.rate_bps is None:
        raise ClearwayError("the cluster has no network with a known rate that connects these hosts", 'rate = "1gbit"')
    if way.switch is not None and way.switch.ports < len(chosen):
        raise ClearwayError(
            f"{q.plural(len(chosen), 'host')} do not fit on a switch with {q.plural(way.switch.ports, 'port')}",
            f"ports = {len(chosen)} in [networks.{way.name}.switch], or --hosts {way.switch.ports}",
        )
    return Modelled(
        replace(way, switch=way.switch and _of_these(way.name, way.switch, chosen)),
        len(chosen),
        per_host or chosen[0].slots or max(1, len(chosen[0].cores)),
        cluster.stack or Stack(),
        chosen[0].speed or 1.0,
    )


def _of_these(network: str, switch: Switch, hosts: tuple[Host, ...]) -> Switch:
    """The switch with the hosts' ports alone, renumbered as the hosts."""
    cards = [host.card(network) for host in hosts]
    ports = [index if card is None or card.port is None else card.port for index, card in enumerate(cards, 1)]
    renumbered = [
        replace(part, ports=tuple(index for index, port in enumerate(ports, 1) if port in part.ports))
        for part in switch.sub_switches
    ]
    if renumbered and sum(len(part.ports) for part in renumbered) != len(hosts):
        raise ClearwayError(
            "some hosts are on no part of the switch", "give sub_switches and ports, see `clearway docs place`"
        )
    return replace(switch, ports=len(hosts), sub_switches=tuple(part for part in renumbered if part.ports))
