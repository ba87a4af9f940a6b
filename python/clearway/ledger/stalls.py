"""Retransmission timeouts: when a rank's data stood still because TCP had lost some of it.

A stall is seen by the socket whose data was lost. It holds up both ends: the rank that sends, and the rank that
waits for this data, found by the connection's other end.
"""

from __future__ import annotations

import socket
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from clearway.run.run import Run, to_seconds

_End = tuple[bytes, bytes]
Intervals = dict[int, NDArray[np.float64]]  # by process index: disjoint (begin, end) rows in order, seconds


def peer_processes(run: Run) -> NDArray[np.int32]:
    """By socket row: the process at the connection's other end; -1 where it has no record in this Run."""
    data = run.sockets.data
    local = _ends(run, "local_address", "local_port")
    peer = _ends(run, "peer_address", "peer_port")
    owner: dict[tuple[_End, _End], int] = {}
    for row, process in enumerate(run.sockets.process.tolist()):
        owner[local[row], peer[row]] = process
    found = (owner.get((peer[row], local[row]), -1) for row in range(len(data)))
    return np.fromiter(found, np.int32, len(data))


def stalled(run: Run, peers: NDArray[np.int32]) -> Intervals:
    """When each process was held up, own sockets and those of its peers toward it taken together."""
    data, processes = run.stalls.data, run.processes
    if not len(data):
        return {}
    collected: dict[int, list[NDArray[np.float64]]] = defaultdict(list)
    sockets_before = np.searchsorted(run.sockets.process, np.arange(len(processes) + 1))
    for process in np.unique(run.stalls.process).tolist():
        own = data[run.stalls.process == process]
        begin_s = to_seconds(processes[process], own["begin_ticks"])
        end_s = to_seconds(processes[process], own["end_ticks"])
        intervals = np.stack([begin_s, end_s], axis=1)
        sane = (begin_s < end_s) & (end_s > processes["begin_s"][process]) & (begin_s < processes["end_s"][process])
        collected[process].append(intervals[sane])
        row = sockets_before[process] + own["socket"].astype(np.int64)
        inside = sane & (row < sockets_before[process + 1])
        other = np.full(len(own), -1, np.int32)
        other[inside] = peers[row[inside]]
        for peer in np.unique(other[other >= 0]).tolist():
            collected[peer].append(intervals[other == peer])
    joined = {process: np.concatenate(parts) for process, parts in collected.items()}
    return {process: union(intervals) for process, intervals in joined.items() if len(intervals)}


def union(intervals: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same stretches of time, disjoint and in order."""
    if not len(intervals):
        return intervals
    ordered = intervals[np.argsort(intervals[:, 0], kind="stable")]
    reach = np.maximum.accumulate(ordered[:, 1])
    begins = np.append(True, ordered[1:, 0] > reach[:-1])
    last = np.append(np.flatnonzero(begins)[1:] - 1, len(ordered) - 1)
    return np.stack([ordered[begins, 0], reach[last]], axis=1)


def difference(intervals: NDArray[np.float64], without: NDArray[np.float64]) -> NDArray[np.float64]:
    """What of the intervals lies outside `without`; both disjoint and in order, and so is the result."""
    if not len(intervals) or not len(without):
        return intervals
    edges = np.unique(np.concatenate([intervals.ravel(), without.ravel()]))
    pieces = np.stack([edges[:-1], edges[1:]], axis=1)
    middles = pieces.mean(axis=1)
    return union(pieces[_inside(middles, intervals) & ~_inside(middles, without)])


def _inside(instants: NDArray[np.float64], intervals: NDArray[np.float64]) -> NDArray[np.bool_]:
    row = np.searchsorted(intervals[:, 0], instants, side="right") - 1
    result: NDArray[np.bool_] = (row >= 0) & (instants < intervals[row, 1])
    return result


def overlap_s(
    intervals: NDArray[np.float64], from_s: NDArray[np.float64], to_s: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How much of each stretch from_s..to_s lies inside the (disjoint, ordered) intervals."""
    lengths = intervals[:, 1] - intervals[:, 0]
    corners = intervals.ravel()
    total = np.repeat(np.append(0.0, np.cumsum(lengths)), 2)[1:-1]
    until: NDArray[np.float64] = np.interp(to_s, corners, total) - np.interp(from_s, corners, total)
    return np.maximum(until, 0.0)


def _ends(run: Run, address: str, port: str) -> list[_End]:
    """Each socket's end as something to compare: address, port, and the host where the address is only local."""
    data, hosts = run.sockets.data, run.processes["host"][run.sockets.process]
    ends = []
    for family, raw, number, host in zip(
        data["family"].tolist(), data[address].tolist(), data[port].tolist(), hosts.tolist(), strict=True
    ):
        plain = plain_address(family, raw)
        local_to = host if plain[:1] == b"\x7f" or plain == _LOOPBACK_6 else -1
        ends.append((plain, b"%d.%d" % (number, local_to)))
    return ends


_LOOPBACK_6 = bytes(15) + b"\x01"
_MAPPED_4 = bytes(10) + b"\xff\xff"


def plain_address(family: int, raw: bytes) -> bytes:
    """4 bytes for IPv4, also where it came as an IPv6 socket's mapped address; else 16."""
    if family == socket.AF_INET:
        return raw[:4]
    return raw[12:] if raw.startswith(_MAPPED_4) else raw
