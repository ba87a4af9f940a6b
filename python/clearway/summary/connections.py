"""The TCP connections of all ranks."""

from __future__ import annotations

import socket

import numpy as np

from clearway.ledger import Account
from clearway.ledger.stalls import plain_address
from clearway.page import Socket
from clearway.run import Run
from clearway.run.layout import text


def sockets(run: Run, books: Account) -> tuple[Socket, ...]:
    """One row a connection and process, the most stalled first, then those with most retransmits and bytes."""
    data, process = run.sockets.data, run.sockets.process
    stall_s = run.seconds(process, data["stall_ticks"])
    order = np.lexsort((-data["bytes_sent"].astype(np.float64), -data["total_retrans"].astype(np.int64), -stall_s))
    ranks = run.processes["rank"]
    peer_rank = np.where(books.socket_peers >= 0, ranks[books.socket_peers], -1).tolist()
    rows = []
    names = data.dtype.names or ()
    for row in order.tolist():
        cell = dict(zip(names, data[row].tolist(), strict=True))
        owner = int(process[row])
        family = cell["family"]
        rows.append(
            Socket(
                rank=int(ranks[owner]),
                host=run.host_names[run.processes["host"][owner]],
                local=endpoint(family, cell["local_address"], cell["local_port"]),
                peer=endpoint(family, cell["peer_address"], cell["peer_port"]),
                peer_rank=peer_rank[row] if peer_rank[row] >= 0 else None,
                bytes_sent=cell["bytes_sent"],
                bytes_received=cell["bytes_received"],
                retransmits=cell["total_retrans"],
                timeouts=cell["total_rto"],
                stall_s=float(stall_s[row]),
                rtt_s=cell["rtt_us"] * 1e-6,
                min_rtt_s=cell["min_rtt_us"] * 1e-6,
                cwnd=cell["cwnd"],
                busy_s=cell["busy_time_us"] * 1e-6,
                rwnd_limited_s=cell["rwnd_limited_us"] * 1e-6,
                sndbuf_limited_s=cell["sndbuf_limited_us"] * 1e-6,
                send_buffer_bytes=cell["send_buffer_bytes"],
                receive_buffer_bytes=cell["receive_buffer_bytes"],
                congestion_control=text(cell["congestion"]),
            )
        )
    return tuple(rows)


def endpoint(family: int, address: bytes, port: int) -> str:
    """ "10.0.0.1:41000" or "[fe80::1]:41000"."""
    plain = plain_address(family, address)
    if len(plain) == 4:
        return f"{socket.inet_ntop(socket.AF_INET, plain)}:{port}"
    return f"[{socket.inet_ntop(socket.AF_INET6, plain)}]:{port}"
