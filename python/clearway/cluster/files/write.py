"""A cluster as the file that `read` reads. Hosts that are alike share a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from clearway.base.ranges import short_names, short_numbers
from clearway.cluster.files.stack import write_stack
from clearway.cluster.model import Card, Cluster, Fabric, Host, Network, Switch
from clearway.cluster.topology import threads_of_node


def write_cluster(cluster: Cluster) -> str:
    parts = [_network(network) for network in cluster.networks]
    parts += [] if cluster.stack is None else write_stack(cluster.stack)
    parts += [_hosts(group) for group in _alike(cluster.hosts)]
    return "\n".join("\n".join(part) + "\n" for part in parts)


def _network(network: Network) -> list[str]:
    lines = [f"[networks.{_key(network.name)}]"]
    lines += _line("rate", _rate(network.rate_bps))
    lines += _line("latency", None if network.latency_ns is None else f"{network.latency_ns}ns")
    lines += _line("burst", None if network.burst_bytes is None else str(network.burst_bytes))
    lines += _line("subnet", network.subnet)
    return lines + ([] if network.switch is None else _switch(network.name, network.switch))


def _switch(network: str, switch: Switch) -> list[str]:
    lines = ["", f"[networks.{_key(network)}.switch]"]
    lines += _line("model", switch.model)
    lines += _line("ports", switch.ports)
    lines += _line("buffer", None if switch.buffer_bytes is None else str(switch.buffer_bytes))
    lines += _line("shared_buffer", None if switch.shared_buffer_bytes is None else str(switch.shared_buffer_bytes))
    lines += _line("pool_share", switch.pool_share)
    lines += _line("cut_through", switch.cut_through)
    lines += _line("flow_control", switch.flow_control)
    lines += _line("credits", switch.credits)
    lines += _line("mark", None if switch.mark_bytes is None else str(switch.mark_bytes))
    lines += _line("mark_all", None if switch.mark_all_bytes is None else str(switch.mark_all_bytes))
    lines += _line("mark_share", switch.mark_share)
    lines += _line("uplink_latency", None if switch.uplink_latency_ns is None else f"{switch.uplink_latency_ns}ns")
    lines += _line("uplink_flow_control", switch.uplink_flow_control)
    lines += [] if switch.fabric is None else [f"fabric = {_fabric(switch.fabric)}"]
    parts = [
        _inline(
            [
                ("ports", short_numbers(part.ports)),
                ("uplink", _rate(part.uplink_bps)),
                ("buffer", None if part.buffer_bytes is None else str(part.buffer_bytes)),
            ]
        )
        for part in switch.sub_switches
    ]
    return lines + _list("sub_switches", parts)


def _fabric(fabric: Fabric) -> str:
    return _inline(
        [
            ("leaf_hosts", fabric.leaf_hosts),
            ("spines", fabric.spines),
            ("tree_ports", fabric.tree_ports),
            ("router_hosts", fabric.router_hosts),
            ("group_routers", fabric.group_routers),
            ("router_links", fabric.router_links),
            ("uplink", _rate(fabric.uplink_bps)),
        ]
    )


def _hosts(group: Sequence[Host]) -> list[str]:
    first = group[0]
    lines = ["[[hosts]]", *_line("name", short_names([host.name for host in group])), *_line("slots", first.slots)]
    lines += _line("speed", first.speed)
    nodes = [
        f"{{ socket = {cores[0].socket}, cpus = {json.dumps([short_numbers(row) for row in threads_of_node(cores)])} }}"
        for cores in first.numa_nodes.values()
    ]
    cards = [_cards([host.cards[at] for host in group]) for at in range(len(first.cards))]
    return lines + _list("numa", nodes) + _list("cards", cards)


def _cards(cards: Sequence[Card]) -> str:
    first = cards[0]
    host_names = [card.host_name for card in cards if card.host_name is not None]
    addresses = [card.address for card in cards if card.address is not None]
    ports = [card.port for card in cards if card.port is not None]
    return _inline(
        [
            ("network", first.network),
            ("device", first.device),
            ("host_name", short_names(host_names) or None),
            ("address", short_names(addresses) or None),
            ("port", short_numbers(ports) or None),
            ("rdma", first.rdma),
        ]
    )


def _alike(hosts: Sequence[Host]) -> Iterator[list[Host]]:
    """Neighbours that differ in nothing but names, addresses and ports."""
    group: list[Host] = []
    for host in hosts:
        if group and _kind(host) != _kind(group[0]):
            yield group
            group = []
        group.append(host)
    if group:
        yield group


def _kind(host: Host) -> object:
    cards = [(c.network, c.device, c.rdma, c.host_name is None, c.address is None, c.port is None) for c in host.cards]
    return host.cores, host.slots, host.speed, cards


def _rate(rate_bps: int | None) -> str | None:
    if rate_bps is None:
        return None
    for factor, unit in ((10**9, "gbit"), (10**6, "mbit"), (10**3, "kbit")):
        if rate_bps % factor == 0:
            return f"{rate_bps // factor}{unit}"
    return f"{rate_bps}bit"


def _key(name: str) -> str:
    return name if name.replace("-", "").replace("_", "").isalnum() and name.isascii() else json.dumps(name)


def _line(key: str, value: str | float | bool | None) -> list[str]:
    return [] if value is None else [f"{key} = {json.dumps(value)}"]  # JSON's text, numbers and truth are TOML's too


def _inline(pairs: Sequence[tuple[str, str | int | None]]) -> str:
    return f"{{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in pairs if value is not None)} }}"


def _list(key: str, items: Sequence[str]) -> list[str]:
    return [f"{key} = [", *(f"    {item}," for item in items), "]"] if items else []
