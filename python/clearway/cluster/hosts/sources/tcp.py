"""How TCP is set, and how often it lost packets since the host started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.settings.sysctl import sysctl_file
from clearway.cluster.hosts.sources.one import fact, of_file
from clearway.cluster.hosts.state import Fact, Value
from clearway.testbed.counters import parse_proc


def last(text: str) -> int:
    """Of tcp_rmem's three numbers: the most."""
    return int(text.split()[-1])


KEYS: dict[str, tuple[str, Callable[[str], Value]]] = {
    "tcp.rmem_max_bytes": ("net.core.rmem_max", int),
    "tcp.wmem_max_bytes": ("net.core.wmem_max", int),
    "tcp.rmem_most_bytes": ("net.ipv4.tcp_rmem", last),
    "tcp.wmem_most_bytes": ("net.ipv4.tcp_wmem", last),
    "tcp.rto_min_us": ("net.ipv4.tcp_rto_min_us", int),
    "tcp.congestion_control": ("net.ipv4.tcp_congestion_control", str),
    "tcp.available": ("net.ipv4.tcp_available_congestion_control", str),
    "tcp.ecn": ("net.ipv4.tcp_ecn", int),
    "tcp.mtu_probing": ("net.ipv4.tcp_mtu_probing", int),
    "tcp.slow_start_after_idle": ("net.ipv4.tcp_slow_start_after_idle", int),
}
COUNTERS = {
    "tcp.segments_sent": ("/proc/net/snmp", "Tcp:OutSegs"),
    "tcp.retransmitted": ("/proc/net/snmp", "Tcp:RetransSegs"),
    "tcp.timeouts": ("/proc/net/netstat", "TcpExt:TCPTimeouts"),
    "tcp.probe_recoveries": ("/proc/net/netstat", "TcpExt:TCPLossProbeRecovery"),  # a probe waits as long
}


def read(reader: Reader) -> Iterator[tuple[str, Fact]]:
    for name, (key, parse) in KEYS.items():
        yield name, of_file(reader, sysctl_file(key), parse)
    for name, (path, counter) in COUNTERS.items():
        yield name, fact(path, partial(counted, reader, path, counter))


def counted(reader: Reader, path: str, counter: str) -> int:
    return parse_proc(reader.text(path))[counter]
