"""A cluster from a file of a person's hand. docs/place.md says what the keys mean."""

from __future__ import annotations

import re
from pathlib import Path

from clearway.cluster.hwloc import read_topology
from clearway.cluster.model import Card, Cluster, Core, Host, Network, SubSwitch, Switch
from clearway.cluster.ranges import names, numbers
from clearway.cluster.table import Table
from clearway.cluster.topology import cores_by_counts, cores_of_node
from clearway.errors import ClearwayError
from clearway.testbed.units import parse_rate, parse_size

COUNTS = ("sockets", "numa_per_socket", "cores_per_socket", "threads_per_core")


def read_cluster(file: Path) -> Cluster:
    """Raises ClearwayError, which names the file and the key."""
    try:
        return parse_cluster(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        trouble = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ClearwayError(f"cannot read the cluster in '{file}': {trouble}", "name a file: --cluster FILE") from None


def parse_cluster(text: str, file: str) -> Cluster:
    """`file` is for messages, and where files that it names are looked for."""
    root = Table.parse(text, file)
    networks = _networks(root)
    hosts = [host for table in root.tables("hosts") for host in _hosts(table, networks)]
    root.done()
    if not hosts:
        raise root.wrong("hosts", "is missing", '[[hosts]] name = "node[1-8]"')
    twice = {host.name for host in hosts if sum(other.name == host.name for other in hosts) > 1}
    if twice:
        raise root.wrong("hosts", f"names {', '.join(sorted(twice))} more than once")
    return Cluster(tuple(hosts), tuple(networks.values()))


def parse_duration_ns(text: str) -> int:
    """'25us' in nanoseconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(ns|us|µs|ms|s)", text.strip())
    if match is None:
        raise ClearwayError(f"'{text}' is no time", "for example 25us")
    return round(float(match[1]) * {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}[match[2]])


def _networks(root: Table) -> dict[str, Network]:
    group = root.table("networks")
    if group is None:
        return {}
    found = {}
    for name in group.content:
        table = group.table(name)
        if table is not None:
            found[name] = _network(name, table)
    return found


def _network(name: str, table: Table) -> Network:
    switch = table.table("switch")
    network = Network(
        name,
        rate_bps=table.parsed("rate", parse_rate),
        latency_ns=table.parsed("latency", parse_duration_ns),
        subnet=table.get("subnet", str),
        switch=None if switch is None else _switch(switch),
    )
    table.done()
    return network


def _switch(table: Table) -> Switch:
    ports = table.count("ports")
    if ports is None:
        raise table.wrong("ports", "is missing", "ports = 48")
    parts = tuple(_sub_switch(part, ports) for part in table.tables("sub_switches"))
    switch = Switch(
        ports,
        model=table.get("model", str),
        buffer_bytes=table.parsed("buffer", parse_size),
        flow_control=table.get("flow_control", bool),
        sub_switches=parts,
    )
    table.done()
    every = [port for part in parts for port in part.ports]
    if len(set(every)) < len(every):
        raise table.wrong("sub_switches", "have ports in common")
    return switch


def _sub_switch(table: Table, ports: int) -> SubSwitch:
    own = table.parsed("ports", numbers)
    if own is None:
        raise table.wrong("ports", "is missing", 'ports = "1-12"')
    if min(own) < 1 or max(own) > ports:
        raise table.wrong("ports", f"are not among the switch's ports 1 to {ports}")
    part = SubSwitch(tuple(own), table.parsed("uplink", parse_rate))
    table.done()
    return part


def _hosts(table: Table, networks: dict[str, Network]) -> list[Host]:
    own_names = table.parsed("name", names)
    if not own_names:
        raise table.wrong("name", "is missing", 'name = "node[1-8]"')
    cores = _cores(table)
    slots = table.count("slots")
    cards = [_cards(card, len(own_names), networks) for card in table.tables("cards")]
    table.done()
    return [Host(name, cores, tuple(card[at] for card in cards), slots) for at, name in enumerate(own_names)]


def _cores(table: Table) -> tuple[Core, ...]:
    """By one of three ways: hwloc's XML, NUMA node by NUMA node, or counts."""
    xml, nodes = table.get("hwloc", str), table.tables("numa")
    counts = [table.count(key) for key in COUNTS]
    if sum([xml is not None, bool(nodes), any(counts)]) > 1:
        raise table.wrong("hwloc", "numa and counts of sockets and cores say the same thing", "give one of them")
    if xml is not None:
        return read_topology(Path(table.file).parent / xml)
    if nodes:
        return tuple(core for numa, node in enumerate(nodes) for core in _node(node, numa))
    if not any(counts):
        return ()
    return cores_by_counts(*(count or 1 for count in counts))


def _node(table: Table, numa: int) -> tuple[Core, ...]:
    socket = table.get("socket", int)
    try:
        threads = [numbers(text) for text in table.texts("cpus")]
    except ClearwayError as error:
        raise table.wrong("cpus", f"is wrong: {error.message}", error.hint) from None
    table.done()
    if not threads:
        raise table.wrong("cpus", "is missing", 'cpus = ["0-7"], or with hyper-threads ["0-7", "16-23"]')
    return cores_of_node(threads, numa, numa if socket is None else socket)


def _cards(table: Table, hosts: int, networks: dict[str, Network]) -> list[Card]:
    """One card for each of the hosts."""
    network = table.must("network", str, 'network = "ethernet"')
    if network not in networks:
        raise table.wrong("network", f"'{network}' is none of the file's networks", f"[networks.{network}]")
    device = table.get("device", str)
    columns = {key: table.parsed(key, names) for key in ("host_name", "address")}
    ports = table.parsed("port", numbers)
    rdma = table.get("rdma", str)
    table.done()
    for key, column in {**columns, "port": ports}.items():
        if column is not None and len(column) != hosts:
            raise table.wrong(key, f"says {len(column)} things for {hosts} hosts", f"a list or range of {hosts}")
    switch = networks[network].switch
    if ports and (switch is None or max(ports) > switch.ports or min(ports) < 1):
        raise table.wrong("port", f"is not on the switch of network '{network}'")
    if ports and len(set(ports)) < len(ports):
        raise table.wrong("port", "puts two hosts on one port")
    unknown = [None] * hosts
    rows = zip(columns["host_name"] or unknown, columns["address"] or unknown, ports or unknown, strict=True)
    return [Card(network, device, *row, rdma) for row in rows]
