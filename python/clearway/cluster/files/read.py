"""A cluster from a file of a person's hand. docs/place.md says what the keys mean."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.ranges import names, numbers
from clearway.cluster.files.networks import read_networks
from clearway.cluster.files.stack import read_stack
from clearway.cluster.files.table import Table
from clearway.cluster.hwloc import read_topology
from clearway.cluster.model import Card, Cluster, Core, Host, Network
from clearway.cluster.topology import cores_by_counts, cores_of_node

MOST_PROCESSORS = 65_536  # of a host: eight times what Linux is built for
COUNTS = ("sockets", "numa_per_socket", "cores_per_socket", "threads_per_core")


def read_cluster(file: Path) -> Cluster:
    """Raises ClearwayError, which names the file and the key."""
    try:
        return parse_cluster(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        trouble = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise ClearwayError(f"cannot read the cluster in '{file}': {trouble}", "name a file: --cluster FILE") from None


def parse_cluster(text: str, file: str) -> Cluster:
    """`file` is for messages, and where files that it names are looked for."""
    root = Table.parse(text, file)
    networks = read_networks(root)
    stack = read_stack(root)
    hosts = [host for table in root.tables("hosts") for host in _hosts(table, networks)]
    root.done()
    if not hosts:
        raise root.wrong("hosts", "is missing", '[[hosts]] name = "node[1-8]"')
    twice = sorted(name for name, count in Counter(host.name for host in hosts).items() if count > 1)
    if twice:
        raise root.wrong("hosts", f"names {', '.join(twice)} more than once")
    return Cluster(tuple(hosts), tuple(networks.values()), stack)


def _hosts(table: Table, networks: dict[str, Network]) -> list[Host]:
    own_names = table.parsed("name", names)
    if not own_names:
        raise table.wrong("name", "is missing", 'name = "node[1-8]"')
    cores = _cores(table)
    slots = table.count("slots")
    speed = table.get("speed", float)
    if speed is not None and speed <= 0:
        raise table.wrong("speed", f"must be more than 0, not {speed:g}", "speed = 1.0")
    cards = [_cards(card, len(own_names), networks) for card in table.tables("cards")]
    table.done()
    return [Host(name, cores, tuple(card[at] for card in cards), slots, speed) for at, name in enumerate(own_names)]


def _cores(table: Table) -> tuple[Core, ...]:
    """By one of three ways: hwloc's XML, NUMA node by NUMA node, or counts."""
    xml, nodes = table.get("hwloc", str), table.tables("numa")
    counts = [table.count(key) for key in COUNTS]
    if sum([xml is not None, bool(nodes), any(counts)]) > 1:
        raise table.wrong("hwloc", "and numa and counts of sockets and cores exclude each other", "give one of them")
    if xml is not None:
        return read_topology(Path(table.file).parent / xml)
    if nodes:
        return tuple(core for numa, node in enumerate(nodes) for core in _node(node, numa))
    if not any(counts):
        return ()
    sockets, nodes_of_socket, cores, threads = (count or 1 for count in counts)
    if nodes_of_socket > cores:
        trouble = f"is {nodes_of_socket}, more than the cores of a socket, {cores}"
        raise table.wrong("numa_per_socket", trouble, "each memory node needs at least one core")
    if sockets * cores * threads > MOST_PROCESSORS:
        raise table.wrong("cores_per_socket", f"makes a host of more than {MOST_PROCESSORS:,} processors")
    return cores_by_counts(sockets, nodes_of_socket, cores, threads)


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
        raise table.wrong("network", f"'{network}' is not a network of this file", f"[networks.{network}]")
    device = table.get("device", str)
    columns = {key: table.parsed(key, names) for key in ("host_name", "address")}
    ports = table.parsed("port", numbers)
    rdma = table.get("rdma", str)
    table.done()
    for key, column in {**columns, "port": ports}.items():
        if column is not None and len(column) != hosts:
            raise table.wrong(key, f"has {len(column)} entries for {hosts} hosts", f"a list or range of {hosts}")
    switch = networks[network].switch
    if ports and (switch is None or max(ports) > switch.ports or min(ports) < 1):
        raise table.wrong("port", f"is not on the switch of network '{network}'")
    if ports and len(set(ports)) < len(ports):
        raise table.wrong("port", "puts two hosts on one port")
    unknown = [None] * hosts
    rows = zip(columns["host_name"] or unknown, columns["address"] or unknown, ports or unknown, strict=True)
    return [Card(network, device, *row, rdma) for row in rows]
