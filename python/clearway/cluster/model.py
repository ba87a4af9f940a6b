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
    """The memory that is near: the kernel's number of its NUMA node."""
    socket: int


@dataclass(frozen=True, slots=True)
class Card:
    """A host's card on one network."""

    network: str
    device: str | None = None
    """As the kernel calls it: eth1."""
    host_name: str | None = None
    """The host's name on this network, where it has one of its own: tiger_hs."""
    address: str | None = None
    port: int | None = None
    """Of the network's switch, counted from 1."""
    rdma: str | None = None
    """As RDMA programs call it: mlx5_0."""


@dataclass(frozen=True, slots=True)
class Host:
    name: str
    cores: tuple[Core, ...] = ()
    """NUMA node after NUMA node; neighbours in this order are near each other. Empty: not known."""
    cards: tuple[Card, ...] = ()
    slots: int | None = None
    """The ranks that the batch system or a machine file allows."""
    speed: float | None = None
    """Of a core, by that of the machine on which a workload's computing times were taken."""

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
    """Of the whole switch, counted from 1."""
    uplink_bps: int | None = None
    """Of that link, in each direction; None: as of a card."""
    buffer_bytes: int | None = None
    """At each end of that link; None: as of a port."""


@dataclass(frozen=True, slots=True)
class Fabric:
    """Many equal switches that stand for one: leaves and spines, a fat tree, or a dragonfly. Hosts fill them one after
    another."""

    leaf_hosts: int | None = None
    """On each leaf, which has one uplink to each spine."""
    spines: int | None = None
    """Switches that join the leaves."""
    tree_ports: int | None = None
    """Of each switch of a fat tree of three layers."""
    router_hosts: int | None = None
    """On each router of a dragonfly."""
    group_routers: int | None = None
    """In each of its groups, each joined with all others of the group."""
    router_links: int | None = None
    """Of each router to other groups, which share them: one link leads to each."""
    uplink_bps: int | None = None
    """Of a link between two switches; None: as of a card."""


@dataclass(frozen=True, slots=True)
class Switch:
    """What a network's cards are plugged into."""

    ports: int
    """For one card each."""
    model: str | None = None
    """What its maker calls it."""
    buffer_bytes: int | None = None
    """Of each port."""
    flow_control: bool | None = None
    """IEEE 802.3x, in force on the ports and on the cards."""
    sub_switches: tuple[SubSwitch, ...] = ()
    """Empty: any port reaches any other at its full rate."""
    shared_buffer_bytes: int | None = None
    """Of one buffer for all ports; None: each port has its own."""
    cut_through: bool | None = None
    """A packet leaves before all of it has come."""
    mark_bytes: int | None = None
    """Packets that find more waiting at a port are marked (ECN)."""
    fabric: Fabric | None = None
    """None: it is one switch."""
    pool_share: float | None = None
    """Of what is free in a shared buffer, as much may one port hold (dynamic thresholds); None: all of it."""
    uplink_latency_ns: int | None = None
    """Of each link between its parts."""
    uplink_flow_control: bool | None = None
    """False: with flow control, parts stop hosts and not one another, and drop what they have no room for."""


@dataclass(frozen=True, slots=True)
class Network:
    """What joins cards: a switch, or a single cable."""

    name: str
    """As the cluster's file calls it."""
    rate_bps: int | None = None
    """Of each card, in each direction."""
    latency_ns: int | None = None
    """From one program to another on the next host, besides what the links take."""
    subnet: str | None = None
    """Of IP addresses: 10.0.0.0/24."""
    switch: Switch | None = None
    """None: a cable joins two cards."""
    burst_bytes: int | None = None
    """Links are shaped by token buckets, which pass so much at once after a rest; None: they are wires."""


@dataclass(frozen=True, slots=True)
class Cluster:
    hosts: tuple[Host, ...]
    networks: tuple[Network, ...] = ()
    stack: Stack | None = None

    def network(self, name: str) -> Network | None:
        return next((network for network in self.networks if network.name == name), None)
