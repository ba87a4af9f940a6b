"""Which network carries the messages."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base.errors import ClearwayError
from clearway.cluster.model import Cluster, Host, Network


def choose_network(cluster: Cluster, hosts: Sequence[Host], wanted: str | None) -> Network | None:
    """The `wanted` one, else the best that all hosts are on; None where no networks are known."""
    if wanted is not None:
        return _wanted(cluster, hosts, wanted)
    shared = joining(cluster, hosts)
    return max(shared, key=lambda network: (network.rate_bps or 0, is_dedicated(network, hosts)), default=None)


def joining(cluster: Cluster, hosts: Sequence[Host]) -> list[Network]:
    """The networks that all of the hosts are on."""
    return [network for network in cluster.networks if all(host.card(network.name) for host in hosts)]


def is_dedicated(network: Network, hosts: Sequence[Host]) -> bool:
    """Whether hosts have names of their own on it: what does not ask for these names does not go by it."""
    cards = [(host, host.card(network.name)) for host in hosts]
    return any(card is not None and card.host_name not in (None, host.name) for host, card in cards)


def _wanted(cluster: Cluster, hosts: Sequence[Host], wanted: str) -> Network:
    network = next((each for each in cluster.networks if _answers_to(each, hosts, wanted)), None)
    if network is None:
        known = ", ".join(each.name for each in cluster.networks)
        raise ClearwayError(
            f"this cluster has no network '{wanted}'",
            f"one of: {known}" if known else "give a cluster file with networks: --cluster FILE",
        )
    absent = [host.name for host in hosts if host.card(network.name) is None]
    if absent:
        raise ClearwayError(
            f"{', '.join(absent)} has no card on network '{wanted}'", "leave out --network, or those hosts"
        )
    return network


def _answers_to(network: Network, hosts: Sequence[Host], wanted: str) -> bool:
    """By its name, its subnet, or the name of its cards."""
    cards = [host.card(network.name) for host in hosts]
    return wanted in (network.name, network.subnet) or any(card is not None and card.device == wanted for card in cards)
