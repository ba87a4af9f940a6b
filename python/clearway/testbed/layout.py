"""The names and addresses of a testbed's parts. Pure: nothing is run."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.testbed.shape import Shape

HEAD = "head"  # where mpirun runs: a host on a port without a limit
SWITCH = "switch"  # the namespace that holds all switches


@dataclass(frozen=True, slots=True)
class Network:
    """One card of each host, and what joins them."""

    device: str
    prefix: str  # of its addresses: two numbers of four
    rate_bps: int
    bridge: str

    @property
    def subnet(self) -> str:
        return f"{self.prefix}.0.0/16"

    def address(self, host: Host) -> str:
        return f"{self.prefix}.{host.index // 250}.{host.index % 250 + 1}"

    def mac(self, host: Host) -> str:
        second = int(self.prefix.partition(".")[2])
        return f"02:00:00:{second:02x}:{host.index >> 8:02x}:{host.index & 255:02x}"

    def port(self, host: Host) -> str:
        """The name of the switch's end of the host's cable."""
        return f"{self.device}-{host.name}"

    def tap(self, host: Host) -> str:
        """What stands for the port in the switch, where the cable has a length."""
        return f"tap{self.device.removeprefix('eth')}-{host.name}"


@dataclass(frozen=True, slots=True)
class Host:
    """One host: the `index`th, counted from 0; the head comes after the last."""

    name: str  # its host name
    index: int
    is_head: bool = False

    @property
    def number(self) -> int:
        """As in its name."""
        return self.index + 1


def namespace_prefix(testbed_name: str) -> str:
    """How the names of its namespaces and control groups begin."""
    return f"clearway-{testbed_name}-"


@dataclass(frozen=True)
class Layout:
    """Everything that a testbed named `name` consists of."""

    name: str
    shape: Shape

    @property
    def hosts(self) -> tuple[Host, ...]:
        return tuple(Host(f"node{i + 1}", i) for i in range(self.shape.hosts))

    @property
    def head(self) -> Host:
        return Host(HEAD, self.shape.hosts, is_head=True)

    @property
    def everyone(self) -> tuple[Host, ...]:
        return (*self.hosts, self.head)

    @property
    def network(self) -> Network:
        """The first: host names mean addresses on it, and launchers use it."""
        return Network("eth0", "10.77", self.shape.rate_bps, "bridge")

    @property
    def networks(self) -> tuple[Network, ...]:
        if self.shape.second_card_bps is None:
            return (self.network,)
        return (self.network, Network("eth1", "10.78", self.shape.second_card_bps, "bridge-eth1"))

    def host_name(self, network: Network, host: Host) -> str:
        """What the host is called on that network: node1, or node1-eth1."""
        return host.name if network == self.network else f"{host.name}-{network.device}"

    def namespace(self, host_name: str) -> str:
        return f"{namespace_prefix(self.name)}{host_name}"

    @property
    def namespaces(self) -> tuple[str, ...]:
        return tuple(self.namespace(name) for name in (SWITCH, *(host.name for host in self.everyone)))

    @property
    def outer_switches(self) -> tuple[str, ...]:
        """Of the first network, where there is more than one switch: each has an uplink to the bridge between them."""
        return tuple(f"switch{i + 1}" for i in range(self.shape.switches)) if self.shape.switches > 1 else ()

    def switch_of(self, network: Network, host: Host) -> str:
        outer = self.outer_switches
        if not outer or host.is_head or network != self.network:
            return network.bridge
        return outer[host.index % len(outer) if self.shape.spread else host.index * len(outer) // self.shape.hosts]

    def port_rate_bps(self, network: Network, host: Host) -> int:
        faulty = [fault.rate_bps for fault in self.shape.faults if fault.node == host.number and fault.rate_bps]
        return faulty[-1] if faulty and network == self.network else network.rate_bps

    def rate_to_bps(self, network: Network, host: Host) -> int:
        """Of the switch's end of its cable."""
        faulty = [fault.rate_to_bps for fault in self.shape.faults if fault.node == host.number and fault.rate_to_bps]
        return faulty[-1] if faulty and network == self.network else self.port_rate_bps(network, host)

    def latency_us(self, host: Host) -> int:
        """Of what it sends."""
        longer = (fault.latency_us or 0 for fault in self.shape.faults if fault.node == host.number)
        return self.shape.latency_us + (0 if host.is_head else sum(longer))

    def hosts_file(self) -> str:
        """What /etc/hosts says on each host."""
        names = [
            f"{network.address(host)} {self.host_name(network, host)}"
            for network in self.networks
            for host in self.everyone
        ]
        return "\n".join(["127.0.0.1 localhost", *names]) + "\n"
