"""What a Cluster consists of, as plain data. None: it is not known."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.cluster.stack import Stack


@dataclass(frozen=True, slots=True)
class Core:
    """A physical core."""

    cpus: tuple[int, ...]
    """The kernel's numbers of its hardware threads."""
    numa: int
    """Its NUMA node, as the kernel numbers it."""
    socket: int


@dataclass(frozen=True, slots=True)
class Card:
    """A host's card on one network."""

    network: str
    device: str | None = None
    """As the kernel calls it: eth1."""
    host_name: str | None = None
    """The host's name on this network, if it has a separate one: tiger_hs."""
    address: str | None = None
    port: int | None = None
    """Port of the network's switch, counted from 1."""
    rdma: str | None = None
    """As RDMA programs call it: mlx5_0."""


@dataclass(frozen=True, slots=True)
class Host:
    name: str
    cores: tuple[Core, ...] = ()
    """Sorted by NUMA node: neighbours in this order are near each other. Empty: not known."""
    cards: tuple[Card, ...] = ()
    slots: int | None = None
    """The ranks that the batch system or a machine file allows."""
    speed: float | None = None
    """Speed of a core ÷ that of the machine on which a workload's computing times were measured."""

    def card(self, network: str) -> Card | None:
        return next((card for card in self.cards if card.network == network), None)

    @property
    def numa_nodes(self) -> dict[int, list[Core]]:
        nodes: dict[int, list[Core]] = {}
        for core in self.cores:
            nodes.setdefault(core.numa, []).append(core)
        return nodes


@dataclass(frozen=True, slots=True)
class SubSwitch:
    """A part of a switch whose ports reach all others through one link."""

    ports: tuple[int, ...]
    """Ports of the whole switch, counted from 1."""
    uplink_bps: int | None = None
    """Speed of that link in each direction; None: as fast as a card."""
    buffer_bytes: int | None = None
    """Buffer at each end of that link; None: as large as a port's."""


@dataclass(frozen=True, slots=True)
class Fabric:
    """Several equal switches: leaves and spines, a fat tree, or a dragonfly. Hosts fill them one after another."""

    leaf_hosts: int | None = None
    """Hosts on each leaf; each leaf has one uplink to each spine."""
    spines: int | None = None
    """Switches that connect the leaves."""
    tree_ports: int | None = None
    """Ports of each switch of a fat tree with three layers."""
    router_hosts: int | None = None
    """Hosts on each router of a dragonfly."""
    group_routers: int | None = None
    """Routers in each group, each connected with all others of the group."""
    router_links: int | None = None
    """Links of each router to other groups; one link leads to each other group."""
    uplink_bps: int | None = None
    """Speed of a link between two switches; None: as fast as a card."""


@dataclass(frozen=True, slots=True)
class Switch:
    """The switch of a network."""

    ports: int
    """Number of ports, one per card."""
    model: str | None = None
    """The manufacturer's name for it."""
    buffer_bytes: int | None = None
    """Buffer of each port."""
    flow_control: bool | None = None
    """IEEE 802.3x, in force on the ports and on the cards."""
    sub_switches: tuple[SubSwitch, ...] = ()
    """Empty: any port reaches any other at full rate."""
    shared_buffer_bytes: int | None = None
    """One buffer for all ports; None: each port has its own."""
    cut_through: bool | None = None
    """A packet is forwarded before all of it has arrived."""
    mark_bytes: int | None = None
    """Packets are marked (ECN) if more bytes wait at a port."""
    mark_all_bytes: int | None = None
    """Up to so many waiting bytes only a share of them is marked, which grows to `mark_share` (RED)."""
    mark_share: float | None = None
    """None: all of them."""
    fabric: Fabric | None = None
    """None: it is a single switch."""
    pool_share: float | None = None
    """Share of the free shared buffer that one port may use (dynamic thresholds); None: all of it."""
    uplink_latency_ns: int | None = None
    """Latency of each link between its parts."""
    uplink_flow_control: bool | None = None
    """False: with flow control, parts pause hosts but not each other, and drop what does not fit."""
    credits: bool | None = None
    """InfiniBand: a link sends only what the buffer at its other end has room for."""


@dataclass(frozen=True, slots=True)
class Network:
    """Cards, connected by a switch or a single cable."""

    name: str
    """Its name in the cluster file."""
    rate_bps: int | None = None
    """Speed of each card, in each direction."""
    latency_ns: int | None = None
    """Latency from a program to a program on another host, without the time on the links."""
    subnet: str | None = None
    """Its IP addresses: 10.0.0.0/24."""
    switch: Switch | None = None
    """None: a cable connects two cards."""
    burst_bytes: int | None = None
    """Links are token buckets that pass this much at once after a pause; None: they are wires."""


@dataclass(frozen=True, slots=True)
class Cluster:
    hosts: tuple[Host, ...]
    networks: tuple[Network, ...] = ()
    stack: Stack | None = None

    def network(self, name: str) -> Network | None:
        return next((network for network in self.networks if network.name == name), None)
