"""This machine as a cluster of one host, and such clusters put together."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace

from clearway.cluster import cards, hwloc, sysfs
from clearway.cluster.model import Card, Cluster, Host, Network


def this_machine() -> Cluster:
    """What can be seen without a privilege; what cannot be seen is not there."""
    found = cards.this_machine()
    cores = hwloc.this_machine() or sysfs.this_machine()
    host = Host(socket.gethostname(), cores, tuple(card for card, _ in found))
    return Cluster((host,), tuple(network for _, network in found))


def put_together(clusters: Sequence[Cluster]) -> Cluster:
    """One cluster of them all, with each host as it was first read, in the order of names and numbers in them.

    Networks are told by their subnet.
    """
    first = {host.name: host for cluster in reversed(clusters) for host in cluster.hosts}
    hosts = {name: first[name] for name in sorted(first, key=_by_number)}
    networks: dict[str, Network] = {}
    for network in (network for cluster in clusters for network in cluster.networks):
        before = networks.setdefault(network.name, network)
        rates = [each.rate_bps for each in (before, network) if each.rate_bps is not None]
        networks[network.name] = replace(before, rate_bps=min(rates, default=None))
    kept = [network for network in networks.values() if len(hosts) == 1 or _joins(network, list(hosts.values()))]
    names = {network.name: _spoken_name(network, kept, list(hosts.values())) for network in kept}
    return Cluster(
        tuple(_with_cards(host, lambda card: names.get(card.network)) for host in hosts.values()),
        tuple(replace(network, name=names[network.name]) for network in kept),
    )


def _by_number(name: str) -> list[tuple[str, int]]:
    """node2 before node10."""
    return [(text, int(part or 0)) for text, part in re.findall(r"(\D*)(\d*)", name)]


def _joins(network: Network, hosts: Sequence[Host]) -> bool:
    """Whether it leads from one host to another: what containers use has the same address on every host."""
    return len({card.address for host in hosts if (card := host.card(network.name))}) > 1


def _spoken_name(network: Network, networks: Sequence[Network], hosts: Sequence[Host]) -> str:
    """As the first host calls its card, where that means one network only."""

    def devices(of: Network) -> list[str]:
        return [card.device for host in hosts if (card := host.card(of.name)) and card.device]

    first = devices(network)[:1]
    others = {device for other in networks if other != network for device in devices(other)}
    return first[0] if first and first[0] not in others else network.name


def _with_cards(host: Host, name_of: Callable[[Card], str | None]) -> Host:
    named = [(card, name_of(card)) for card in host.cards]
    return replace(host, cards=tuple(replace(card, network=name) for card, name in named if name is not None))
