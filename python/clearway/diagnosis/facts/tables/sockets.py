"""The TCP connections of all ranks."""

from __future__ import annotations

import socket
from dataclasses import dataclass

import numpy as np

from clearway.ledger import Account
from clearway.ledger.stalls import plain_address
from clearway.run import Run
from clearway.run.layout import text

UNKNOWN = 2**32 - 1  # of a counter that this kernel does not have

COLUMNS = (
    *("family", "local_address", "local_port", "peer_address", "peer_port"),
    *("bytes_sent", "bytes_received", "total_retrans", "total_rto", "cwnd"),
    *("send_buffer_bytes", "receive_buffer_bytes", "congestion", "dsack_dups"),
)


@dataclass(frozen=True, slots=True)
class Socket:
    """One TCP connection as its process saw it: the kernel's tcp_info at the newest sample."""

    rank: int
    host: str
    local: str  # "10.0.0.1:41000"
    peer: str
    peer_rank: int | None
    bytes_sent: int
    bytes_received: int
    retransmits: int
    timeouts: int
    stall_s: float
    rtt_s: float
    min_rtt_s: float
    cwnd: int
    busy_s: float
    rwnd_limited_s: float
    sndbuf_limited_s: float
    send_buffer_bytes: int
    receive_buffer_bytes: int
    congestion_control: str
    needless: int | None = None  # retransmits of segments that had already arrived; None: unknown

    @property
    def lost(self) -> int:
        """Segments that the network lost, at most."""
        return max(self.retransmits - (self.needless or 0), 0)


def sockets(run: Run, books: Account) -> tuple[Socket, ...]:
    """One row a connection and process, the most stalled first, then those with most retransmits and bytes."""
    data, process = run.sockets.data, run.sockets.process
    stall_s = run.seconds(process, data["stall_ticks"])
    order = np.lexsort((-data["bytes_sent"].astype(np.float64), -data["total_retrans"].astype(np.int64), -stall_s))
    ranks = run.processes["rank"]
    peer_rank = np.where(books.socket_peers >= 0, ranks[books.socket_peers], -1).tolist()
    owner = process[order]
    cells = {name: data[name][order].tolist() for name in COLUMNS}
    local = map(endpoint, cells["family"], cells["local_address"], cells["local_port"])
    peer = map(endpoint, cells["family"], cells["peer_address"], cells["peer_port"])
    columns = zip(
        ranks[owner].tolist(),
        [run.host_names[host] for host in run.processes["host"][owner].tolist()],
        local,
        peer,
        [None if peer_rank[row] < 0 else peer_rank[row] for row in order.tolist()],
        cells["bytes_sent"],
        cells["bytes_received"],
        cells["total_retrans"],
        cells["total_rto"],
        stall_s[order].tolist(),
        (data["rtt_us"][order] * 1e-6).tolist(),
        (data["min_rtt_us"][order] * 1e-6).tolist(),
        cells["cwnd"],
        (data["busy_time_us"][order] * 1e-6).tolist(),
        (data["rwnd_limited_us"][order] * 1e-6).tolist(),
        (data["sndbuf_limited_us"][order] * 1e-6).tolist(),
        cells["send_buffer_bytes"],
        cells["receive_buffer_bytes"],
        [text(name) for name in cells["congestion"]],
        [None if number == UNKNOWN else number for number in cells["dsack_dups"]],
        strict=True,
    )
    return tuple(Socket(*values) for values in columns)  # in the order of Socket's fields


def endpoint(family: int, address: bytes, port: int) -> str:
    """ "10.0.0.1:41000" or "[fe80::1]:41000"."""
    plain = plain_address(family, address)
    if len(plain) == 4:
        return f"{socket.inet_ntop(socket.AF_INET, plain)}:{port}"
    return f"[{socket.inet_ntop(socket.AF_INET6, plain)}]:{port}"
