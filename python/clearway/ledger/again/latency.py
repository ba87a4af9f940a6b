"""What a message takes from host to host however small it is, and how often each call had to wait for that.

A message that nobody waits for costs no latency; one that a receiver waits for costs it once, or three times where
sender and receiver first agree (rendezvous). In a collective messages follow on each other, how many depends on its
algorithm, which the record does not tell: so there are two numbers, what all need and what the usual ones do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.collectives import FROM_ROOT, TO_ROOT, named_operations
from clearway.ledger.point_to_point import SMALLEST_EAGER_BYTES, comparable
from clearway.run import Run
from clearway.run.layout import EventKind, FunctionClass

ONE_SEGMENT_BYTES = 1448  # what fits into it takes next to no time on the links
RENDEZVOUS = 3  # messages: ask, answer, data

_Seconds = NDArray[np.float64]
_Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Latency:
    """From host to host, one way."""

    seen_s: float  # of the fastest small messages, with the cost of MPI and kernel
    wire_s: float  # of the network, as TCP has measured it, no more than seen_s; 0 where it has not
    asked_s: float


def rounds(run: Run) -> tuple[_Numbers, _Numbers]:
    """By event: messages between hosts that followed on each other in it, at least and at most."""
    events = run.events
    classes = run.functions.classes()[events.function]
    crosses = _peer_elsewhere(run)
    asks = events.bytes > SMALLEST_EAGER_BYTES
    least, most = np.zeros(len(events), np.int64), np.zeros(len(events), np.int64)
    arrives = np.isin(events.kind, (EventKind.RECEIVE, EventKind.PROBED)) & crosses
    least[arrives] = 1
    most[arrives] = np.where(asks, RENDEZVOUS, 1)[arrives]
    blocks = np.isin(classes, (FunctionClass.SEND, FunctionClass.SEND_RECEIVE))
    sends = (events.kind == EventKind.SEND) & blocks & crosses & asks
    most[sends] = RENDEZVOUS - 1
    most[events.kind == EventKind.ONE_SIDED] = 2  # there and back
    among = np.isin(events.kind, (EventKind.COLLECTIVE, EventKind.COMPLETED))
    fewest, usual, many = _of_collectives(run)
    comm = events.comm[among]
    rooted = named_operations(run, *FROM_ROOT, *TO_ROOT)[events.function[among]]
    completes = events.kind[among] == EventKind.COMPLETED
    least[among] = np.where(rooted | completes, 0, fewest[comm])
    most[among] = np.where(asks[among], RENDEZVOUS * many[comm], np.where(rooted, usual[comm], many[comm]))
    return least, most


def shortened(
    transfer_s: _Seconds, undivided_s: _Seconds, counts: tuple[_Numbers, _Numbers], latency: Latency, ideal: bool
) -> _Seconds:
    """Seconds of moving data by call. At best each of the most rounds has the latency seen, for sure each of the least
    that of the wire; what may have been waiting stays then.
    """
    least, most = counts
    was_s, often = (latency.seen_s, most) if ideal else (latency.wire_s, least)
    saved_s = often * max(was_s - latency.asked_s, 0.0)
    stays_s = np.minimum(transfer_s, least * latency.asked_s if ideal else undivided_s)
    result: _Seconds = np.maximum(transfer_s - saved_s, stays_s)
    return result


def small_messages_s(run: Run) -> _Seconds:
    """From the call that sends to the end of the one that receives, where that had begun before: nothing is hidden."""
    events = run.events
    sends, receives = comparable(run, run.messages)
    chosen = _peer_elsewhere(run)[receives] & (events.bytes[sends] <= ONE_SEGMENT_BYTES)
    chosen &= events.entry_s[receives] <= events.entry_s[sends]
    took_s: _Seconds = events.exit_s[receives[chosen]] - events.entry_s[sends[chosen]]
    return np.maximum(took_s, 0.0)


def _peer_elsewhere(run: Run) -> NDArray[np.bool_]:
    """By event: whether its peer, as far as it is known, is on another host."""
    hosts, events = run.processes["host"], run.events
    host_of = np.full(int(run.processes["rank"].max(initial=0)) + 2, -1, np.int64)  # the last for unknown peers
    host_of[run.processes["rank"]] = hosts
    known = (events.peer >= 0) & (events.peer < len(host_of) - 1)
    there = host_of[np.where(known, events.peer, len(host_of) - 1)]
    result: NDArray[np.bool_] = (there >= 0) & (there != hosts[events.process])
    return result


def _of_collectives(run: Run) -> tuple[_Numbers, _Numbers, _Numbers]:
    """By communicator: rounds at least, of a tree, and of a chain of all members. 0 where all are on one host."""
    hosts = run.processes["host"]
    fewest, usual, many = [], [], []
    for communicator in run.communicators.all:
        size = communicator.size + communicator.remote_size
        on_several = len({int(hosts[process]) for process in communicator.members}) > 1
        fewest.append(1 if on_several else 0)
        usual.append((size - 1).bit_length() if on_several else 0)
        many.append(max(size - 1, 2 * usual[-1]) if on_several else 0)
    return np.array(fewest, np.int64), np.array(usual, np.int64), np.array(many, np.int64)
