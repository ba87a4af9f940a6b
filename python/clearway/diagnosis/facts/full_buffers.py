"""Connections that a socket buffer held up: the network could have carried more than the buffer let be in flight.

The kernel counts the time in which the send buffer or the receiver's window stopped a connection (tcp_info:
tcpi_sndbuf_limited, tcpi_rwnd_limited; Linux 4.10). That alone is no fault: a buffer also stops a connection whose
link is full, or whose receiver computes. It is one where the buffer is smaller than the pipe (bandwidth times round
trip), and what it costs is the part of each round trip in which the pipe stood empty.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clearway.base import quantities as q
from clearway.base.whole import is_whole
from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.share_lost import share_held_up
from clearway.diagnosis.facts.tables import Tables
from clearway.diagnosis.facts.tables.hosts import Host
from clearway.diagnosis.finding import Evidence

LEAST_SHARE = 0.05  # limited of busy time, and idle of limited time: smaller shares say nothing
SMALLEST_PIPE_BYTES = 4096  # a pipe that two frames fill has no use for a buffer
_SEND = ("tcpi_sndbuf_limited", "send buffer", "SO_SNDBUF")
_RECEIVE = ("tcpi_rwnd_limited", "receive buffer", "SO_RCVBUF")
NO_SCALING = "net.ipv4.tcp_window_scaling"  # 0 at either end: no window can be larger than TCP's header has bits for
UNSCALED_BYTES = 65_535
OVERHEAD = 2  # the kernel charges a buffer with its own structures: about half of it holds data (man 7 socket)


@dataclass(frozen=True, slots=True)
class Limit:
    """A connection that its send buffer or its receiver's buffer held up."""

    connection: Connection
    limited_s: float  # the kernel's figure
    idle_share: float  # of that time the link could have carried more
    buffer_bytes: int
    pipe_bytes: float | None
    ceiling: str | None  # the host's setting that keeps the buffer from being larger
    ceiling_host: str

    @property
    def lost_s(self) -> float:
        return self.limited_s * self.idle_share


def send_limits(tables: Tables, connections: Sequence[Connection]) -> tuple[Limit, ...]:
    """Connections held up by the sender's buffer."""
    return tuple(_limits(tables, connections, receive=False))


def receive_limits(tables: Tables, connections: Sequence[Connection]) -> tuple[Limit, ...]:
    """Connections held up by the receiver's buffer."""
    return tuple(_limits(tables, connections, receive=True))


def share_lost(tables: Tables, limits: Iterable[Limit]) -> float:
    """Of all rank-seconds of moving data, the share that these buffers held up."""
    return share_held_up(tables, ((limit.connection, limit.lost_s, limit.idle_share) for limit in limits))


def evidence(limits: Sequence[Limit], receive: bool) -> tuple[Evidence, ...]:
    """The figures of the connections; those of the one that lost most where they differ."""
    worst = max(limits, key=lambda limit: limit.lost_s)
    kernel_name, buffer, option = _RECEIVE if receive else _SEND
    busy_s = sum(limit.connection.sender.busy_s for limit in limits)
    limited_s = sum(limit.limited_s for limit in limits)
    pipe = worst.pipe_bytes
    return (
        Evidence("connections", str(len(limits)), "tcp_info"),
        Evidence(
            f"stopped by the {buffer}",
            f"{q.percent(limited_s, busy_s)} of sending",
            kernel_name,
        ),
        Evidence("window, at most", q.bytes_(UNSCALED_BYTES), "without scaling")
        if worst.ceiling == NO_SCALING
        else Evidence(buffer, q.bytes_(worst.buffer_bytes), option),
        Evidence("round trip", q.seconds(worst.connection.round_trip_s), "tcpi_min_rtt"),
        *([] if pipe is None else [Evidence("bandwidth-delay product", q.bytes_(pipe), "link speed, round trip")]),
        Evidence("link idle meanwhile", q.percent(worst.idle_share), "link speed, tcpi_rtt"),
    )


def _limits(tables: Tables, connections: Sequence[Connection], receive: bool) -> Iterator[Limit]:
    hosts = {host.name: host for host in tables.hosts}
    used = _used_share(connections)
    for connection in connections:
        sender = connection.sender
        end = connection.receiver if receive else sender
        limited_s = sender.rwnd_limited_s if receive else sender.sndbuf_limited_s
        if end is None or connection.inside_host or sender.busy_s <= 0 or limited_s < LEAST_SHARE * sender.busy_s:
            continue
        buffer_bytes = end.receive_buffer_bytes if receive else end.send_buffer_bytes
        unscaled = _unscaled(hosts, connection) if receive else ""
        if unscaled:
            buffer_bytes = min(buffer_bytes, OVERHEAD * UNSCALED_BYTES)
        pipe_bytes = connection.pipe_bytes
        if pipe_bytes is not None and (pipe_bytes < SMALLEST_PIPE_BYTES or buffer_bytes >= OVERHEAD * pipe_bytes):
            continue
        idle_share = min(_not_queueing(connection), 1 - used.get((sender.host, _card(connection)), 0.0))
        if idle_share >= LEAST_SHARE:
            host = connection.to_host if receive else connection.from_host
            ceiling = NO_SCALING if unscaled else _ceiling(hosts.get(host), buffer_bytes, "r" if receive else "w")
            yield Limit(connection, limited_s, idle_share, buffer_bytes, pipe_bytes, ceiling, unscaled or host)


def _unscaled(hosts: dict[str, Host], connection: Connection) -> str:
    """The end that does not allow the other to announce more than 64 KiB, if one does not."""
    for name in (connection.to_host, connection.from_host):
        host = hosts.get(name)
        if host is not None and host.facts.get("tcp.window_scaling") == "0":
            return name
    return ""


def _not_queueing(connection: Connection) -> float:
    """The part of a round trip that is not waiting in queues: with full pipes it is small."""
    rtt_s = connection.sender.rtt_s
    return connection.round_trip_s / rtt_s if rtt_s > 0 else 0.0


def _card(connection: Connection) -> str:
    return connection.from_link.card if connection.from_link else ""


def _used_share(connections: Sequence[Connection]) -> dict[tuple[str, str], float]:
    """By host and card: how full it was while the busiest of its connections was busy."""
    sent: dict[tuple[str, str], float] = defaultdict(float)
    busy_s: dict[tuple[str, str], float] = defaultdict(float)
    rate: dict[tuple[str, str], float] = {}
    for each in connections:
        if each.from_link is not None and each.from_link.bytes_per_s is not None:
            key = each.from_host, each.from_link.card
            rate[key] = each.from_link.bytes_per_s
            sent[key] += each.sender.bytes_sent
            busy_s[key] = max(busy_s[key], each.sender.busy_s)
    return {key: min(sent[key] / (rate[key] * busy_s[key]), 1.0) for key in rate if busy_s[key] > 0}


def _ceiling(host: Host | None, buffer_bytes: int, letter: str) -> str | None:
    """The setting that the buffer has run into: one cuts what a program asks for, one what the kernel grows it to."""
    if host is None:
        return None
    asked, grown = host.facts.get(f"tcp.{letter}mem_max", ""), host.facts.get(f"tcp.{letter}mem", "").split()
    if is_whole(asked) and buffer_bytes == OVERHEAD * int(asked):
        return f"net.core.{letter}mem_max"
    if len(grown) == 3 and is_whole(grown[2]) and buffer_bytes == int(grown[2]):
        return f"net.ipv4.tcp_{letter}mem"
    return None
