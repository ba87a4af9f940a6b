"""The `ip` and `tc` lines that make a testbed. Pure: nothing is run."""

from __future__ import annotations

from collections.abc import Iterable

from clearway.testbed.layout import SWITCH, Host, Layout, Network

CARD_QUEUE_BYTES = 1_000_000  # of the host's own queue: TCP waits for it, so it does not lose
DEEP_BYTES = 2**30

SWITCH_SETTINGS = {"net/ipv6/conf/all/disable_ipv6": "1"}  # it says things of its own accord

# What clusters run, whatever this machine is tuned to. A card holds few packets of a connection at a time: otherwise
# a message enters it as one burst, and acknowledgements wait behind that.
SETTINGS = {
    "net/ipv4/tcp_limit_output_bytes": "9000",
    "net/ipv4/tcp_rmem": "4096 131072 6291456",
    "net/ipv4/tcp_wmem": "4096 16384 4194304",
    "net/ipv4/tcp_slow_start_after_idle": "1",
    **SWITCH_SETTINGS,
}
NO_BURSTS = "gso_max_segs 1"
DROP_ALL = "1,6 0 0 2"  # a classic BPF program
ETHERNET_BYTES = 14  # of header, before the IP packet


def burst_bytes(rate_bps: int) -> int:
    """What a shaper lets through at once: two frames, or 250 µs where the timer is too coarse for that."""
    return max(3200, rate_bps // 8 // 4000)


def shaper(device: str, rate_bps: int, limit_bytes: int) -> str:
    return f"qdisc add dev {device} root tbf rate {rate_bps}bit burst {burst_bytes(rate_bps)} limit {limit_bytes}"


def drop_line(device: str, loss: float | None, mtu_bytes: int | None) -> str:
    """Drops a share of what leaves by `device`, at random, and IP packets above `mtu_bytes`, by a classic BPF program.

    `device` has a clsact queue.
    """
    random_number = 0xFFFFF000 + 56  # where classic BPF finds one of 32 bits
    load, load_length, jump_if_not_less, jump_if_more, end = 32, 128, 53, 37, 6
    drop, go_on = 2, 0
    tests = []
    if mtu_bytes is not None:
        tests += [(load_length, 0, 0, 0), (jump_if_more, 0, 1, mtu_bytes + ETHERNET_BYTES), (end, 0, 0, drop)]
    if loss is not None:
        threshold = round((1 - loss) * 2**32)
        tests += [(load, 0, 0, random_number), (jump_if_not_less, 0, 1, threshold), (end, 0, 0, drop)]
    program = [*tests, (end, 0, 0, go_on)]
    bytecode = ",".join([str(len(program)), *(" ".join(map(str, instruction)) for instruction in program)])
    return f"filter add dev {device} egress bpf direct-action bytecode '{bytecode}'"


def cable_lines(layout: Layout) -> list[str]:
    """`ip` lines for the machine: cables from each host to the switch. Both ends are made in their namespaces."""
    switch = layout.namespace(SWITCH)
    return [
        f"link add {network.device} address {network.mac(host)} {NO_BURSTS} netns {layout.namespace(host.name)} "
        f"type veth peer name {network.port(host)} {NO_BURSTS} netns {switch}"
        for network in layout.networks
        for host in layout.everyone
    ]


def switch_lines(layout: Layout) -> list[str]:
    """`ip` lines for the switch's namespace."""
    lines = []
    for bridge in (*(network.bridge for network in layout.networks), *layout.outer_switches):
        lines += [f"link add {bridge} type bridge mcast_snooping 0", f"link set {bridge} up"]
    for outer in layout.outer_switches:
        up, down = uplink(outer)
        lines.append(f"link add {up} {NO_BURSTS} type veth peer name {down} {NO_BURSTS}")
        lines.append(f"link set {up} master {outer} up")
        lines.append(f"link set {down} master {layout.network.bridge} up")
    for network in layout.networks:
        for host in layout.everyone:
            lines.append(f"link set {network.port(host)} {NO_BURSTS} master {layout.switch_of(network, host)} up")
    return lines


def is_long(layout: Layout, host: Host) -> bool:
    """Whether the host's cables have a length: what it sends enters the switch by a tap (native/testbed/delay.cpp)."""
    return layout.latency_us(host) > 0 and not host.is_head


def long_cables(layout: Layout) -> list[tuple[int, str, str, str]]:
    """Of each: its latency in µs, its port, the tap, the switch."""
    return [
        (layout.latency_us(host), network.port(host), network.tap(host), layout.switch_of(network, host))
        for network in layout.networks
        for host in layout.hosts
        if is_long(layout, host)
    ]


def tap_lines(layout: Layout) -> list[str]:
    """`ip` lines for the switch's namespace, once the taps are there. Nothing leaves by a tap."""
    one_way = "type bridge_slave learning off flood off mcast_flood off bcast_flood off"
    lines = []
    for _, _, tap, switch in long_cables(layout):
        lines += [f"link set {tap} master {switch} up", f"link set {tap} {one_way}"]
    return lines


def address_lines(layout: Layout) -> list[str]:
    """`bridge` lines for the switch's namespace: no host with a long cable is heard at its own port."""
    return [
        f"fdb replace {network.mac(host)} dev {network.port(host)} master static"
        for network in layout.networks
        for host in layout.hosts
        if is_long(layout, host)
    ]


def uplink(outer_switch: str) -> tuple[str, str]:
    """The two ends of its cable to the bridge between the switches."""
    return f"up-{outer_switch}", f"down-{outer_switch}"


def port_lines(layout: Layout) -> list[str]:
    """`tc` lines for the switch's namespace: rate, buffer and losses of each port. The head's has no limit.

    What comes in by a long cable is dropped there, after the program that holds it up has seen it.
    """
    shape = layout.shape
    limit_bytes = DEEP_BYTES if shape.buffer_bytes is None else shape.buffer_bytes
    lines = [
        shaper(network.port(host), layout.rate_to_bps(network, host), limit_bytes)
        for network in layout.networks
        for host in layout.hosts
    ]
    for outer in layout.outer_switches:
        lines += [shaper(end, shape.uplink_bps or shape.rate_bps, limit_bytes) for end in uplink(outer)]
    long_ports = [port for _, port, _, _ in long_cables(layout)]
    lossy = [
        (layout.network.port(layout.hosts[fault.node - 1]), fault)
        for fault in shape.faults
        if fault.loss is not None or fault.mtu_bytes is not None
    ]
    lines += [f"qdisc add dev {port} clsact" for port in dict.fromkeys([*long_ports, *(port for port, _ in lossy)])]
    lines += [f"filter add dev {port} ingress bpf direct-action bytecode '{DROP_ALL}'" for port in long_ports]
    lines += [drop_line(port, fault.loss, fault.mtu_bytes) for port, fault in lossy]
    return lines


def switch_devices(layout: Layout) -> list[str]:
    """All ends of cables in the switch's namespace."""
    ports = [network.port(host) for network in layout.networks for host in layout.everyone]
    return ports + [end for outer in layout.outer_switches for end in uplink(outer)]


def unmerged_lines(devices: Iterable[str]) -> list[str]:
    """`ip` lines: a device that polls (kernel.poll_in_order) merges packets, unless none may grow."""
    return [f"link set {device} gro_max_size 1" for device in devices]


def host_lines(layout: Layout, host: Host) -> list[str]:
    """`ip` lines for a host's namespace."""
    return ["link set lo up", *(line for network in layout.networks for line in _card(layout, network, host))]


def _card(layout: Layout, network: Network, host: Host) -> list[str]:
    # By route: a namespace's own setting takes only what the whole machine allows, and that is not ours to change.
    route = f"route change {network.subnet} dev {network.device} proto kernel scope link src {network.address(host)}"
    route += f" congctl {layout.shape.congestion}"
    if layout.shape.rto_min_ms is not None:
        route += f" rto_min {layout.shape.rto_min_ms}ms"
    return [
        f"address add {network.address(host)}/16 dev {network.device}",
        f"link set {network.device} {NO_BURSTS} up",
        route,
        # Who is where is known from the start: a lost ARP request would hold a connection up for a second.
        *(
            f"neighbour add {network.address(other)} lladdr {network.mac(other)} dev {network.device} nud permanent"
            for other in layout.everyone
            if other != host
        ),
    ]


def card_lines(layout: Layout, host: Host) -> list[str]:
    """`tc` lines for a host's namespace."""
    if host.is_head:
        return []
    return [
        shaper(network.device, layout.port_rate_bps(network, host), CARD_QUEUE_BYTES) for network in layout.networks
    ]
