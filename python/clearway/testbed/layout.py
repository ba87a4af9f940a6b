"""The names and addresses of a testbed's parts, and the `ip` and `tc` lines that make them. Pure: nothing is run."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.testbed.shape import Shape

HEAD = "head"  # where mpirun runs: a host on a port without a limit
SWITCH = "switch"
BRIDGE = "bridge"
DEVICE = "eth0"
NETWORK = "10.77.0.0/16"
CARD_QUEUE_BYTES = 1_000_000  # of the host's own queue: TCP waits for it, so it does not lose
DEEP_BYTES = 2**30

# What clusters run, whatever this machine is tuned to. A card holds few packets of a connection at a time: otherwise
# a message enters it as one burst, and acknowledgements wait behind that.
SETTINGS = {
    "net/ipv4/tcp_limit_output_bytes": "9000",
    "net/ipv4/tcp_rmem": "4096 131072 6291456",
    "net/ipv4/tcp_wmem": "4096 16384 4194304",
    "net/ipv4/tcp_slow_start_after_idle": "1",
    "net/ipv6/conf/all/disable_ipv6": "1",
}


@dataclass(frozen=True, slots=True)
class Host:
    """One host: the `index`th, counted from 0; the head comes after the last."""

    name: str  # its host name
    index: int
    is_head: bool = False

    @property
    def address(self) -> str:
        return f"10.77.{self.index // 250}.{self.index % 250 + 1}"

    @property
    def mac(self) -> str:
        return f"02:77:00:00:{self.index >> 8:02x}:{self.index & 255:02x}"

    @property
    def port(self) -> str:
        """The name of the switch's end of the cable."""
        return f"port{self.index + 1}"


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

    def namespace(self, host_name: str) -> str:
        return f"clearway-{self.name}-{host_name}"

    @property
    def namespaces(self) -> tuple[str, ...]:
        return tuple(self.namespace(name) for name in (SWITCH, *(host.name for host in self.everyone)))

    def hosts_file(self) -> str:
        """What /etc/hosts says on each host."""
        lines = ["127.0.0.1 localhost", *(f"{host.address} {host.name}" for host in self.everyone)]
        return "\n".join(lines) + "\n"


def burst_bytes(rate_bps: int) -> int:
    """What a shaper lets through at once: two frames, or 250 µs where the timer is too coarse for that."""
    return max(3200, rate_bps // 8 // 4000)


def shaper(device: str, rate_bps: int, limit_bytes: int) -> str:
    return f"qdisc add dev {device} root tbf rate {rate_bps}bit burst {burst_bytes(rate_bps)} limit {limit_bytes}"


def cable_lines(layout: Layout) -> list[str]:
    """`ip` lines for the machine: a cable from each host to the switch. Both ends are made in their namespaces."""
    switch = layout.namespace(SWITCH)
    return [
        f"link add {DEVICE} address {host.mac} gso_max_segs 1 netns {layout.namespace(host.name)} "
        f"type veth peer name {host.port} gso_max_segs 1 netns {switch}"
        for host in layout.everyone
    ]


def switch_lines(layout: Layout) -> list[str]:
    """`ip` lines for the switch's namespace."""
    lines = [f"link add {BRIDGE} type bridge mcast_snooping 0", f"link set {BRIDGE} up"]
    for host in layout.everyone:
        lines.append(f"link set {host.port} master {BRIDGE} gso_max_segs 1 up")
    return lines


def port_lines(layout: Layout) -> list[str]:
    """`tc` lines for the switch's namespace: the rate and the buffer of each port. The head's has no limit."""
    shape = layout.shape
    limit_bytes = DEEP_BYTES if shape.buffer_bytes is None else shape.buffer_bytes
    return [shaper(host.port, shape.rate_bps, limit_bytes) for host in layout.hosts]


def host_lines(layout: Layout, host: Host) -> list[str]:
    """`ip` lines for a host's namespace."""
    lines = [f"address add {host.address}/16 dev {DEVICE}", "link set lo up", f"link set {DEVICE} gso_max_segs 1 up"]
    # By route: a namespace's own setting takes only what the whole machine allows, and that is not ours to change.
    route = f"route change {NETWORK} dev {DEVICE} proto kernel scope link src {host.address}"
    route += f" congctl {layout.shape.congestion}"
    if layout.shape.rto_min_ms is not None:
        route += f" rto_min {layout.shape.rto_min_ms}ms"
    lines.append(route)
    # Who is where is known from the start: a lost ARP request would hold a connection up for a second.
    for other in layout.everyone:
        if other != host:
            lines.append(f"neighbour add {other.address} lladdr {other.mac} dev {DEVICE} nud permanent")
    return lines


def card_lines(layout: Layout, host: Host) -> list[str]:
    """`tc` lines for a host's namespace."""
    return [] if host.is_head else [shaper(DEVICE, layout.shape.rate_bps, CARD_QUEUE_BYTES)]
