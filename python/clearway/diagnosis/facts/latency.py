"""How much of moving data is the latency of the network rather than the bytes, and what would come back without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log2
from statistics import median

import numpy as np

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.recorded_calls import comes_back_s, recorded_calls
from clearway.ledger import Account
from clearway.ledger.again.latency import Latency, shortened, small_messages_s
from clearway.ledger.again.replay import recorded
from clearway.run import Run
from clearway.run.layout import EventKind, FunctionClass

FEWEST_BYTES = 1448  # one segment: what fits into it is small on any network
FEWEST_SEEN = 20  # small messages between hosts whose receiver waited
FASTEST = 0.05  # the share of them that came over an idle network


@dataclass(frozen=True, slots=True)
class Small:
    """The messages that a network moves in less time than it needs for its round trip."""

    below_bytes: float
    rtt_s: float  # median over the connections between hosts
    calls: float
    bytes: float
    moving_s: float  # rank-seconds of moving data in those calls
    latency_s: float  # the part of it that round trips explain


def small_messages(run: Run, books: Account, connections: Sequence[Connection]) -> Small | None:
    """None where no connection between hosts tells the round trip.

    A message between two ranks costs a round trip at most (half of one, where it is sent without asking), a
    collective of n ranks one for each of its log2(n) rounds. What its bytes take on the wire is not latency.
    """
    between = [each for each in connections if not each.inside_host and each.round_trip_s > 0]
    if not between:
        return None
    rtt_s = median(each.round_trip_s for each in between)
    rates = [each.bytes_per_s for each in between if each.bytes_per_s is not None]
    rate = min(rates, default=None)
    below_bytes = max(FEWEST_BYTES, rtt_s * rate if rate else 0.0)

    units, split = books.units, books.split
    size = run.events.bytes[units.event].astype(np.float64)
    collective = run.events.kind[units.event] == EventKind.COLLECTIVE
    rounds = np.where(collective, _rounds(run)[units.comm], 1)
    in_files = run.functions.classes()[units.function] == FunctionClass.MPI_IO
    chosen = (size <= below_bytes) & ~in_files & ((units.comm == 0) | _between_hosts(run)[units.comm])
    moving_s = units.duration_s - split.wait_s - split.core_wait_s - split.stall_s
    on_wire_s = size / rate if rate else np.zeros(len(size))
    latency_s = np.minimum(np.maximum(moving_s - on_wire_s, 0.0), rounds * rtt_s)
    weight = np.where(chosen, books.weight, 0.0)
    return Small(
        below_bytes=below_bytes,
        rtt_s=rtt_s,
        calls=float(weight.sum()),
        bytes=float((weight * size).sum()),
        moving_s=float((weight * moving_s).sum()),
        latency_s=float((weight * latency_s).sum()),
    )


def latency_between_hosts(case: Case) -> Latency | None:
    """None where the record does not tell it. As a change: to none."""
    trips_s = [each.round_trip_s for each in case.connections if not each.inside_host and each.round_trip_s > 0]
    wire_s = median(trips_s) / 2 if trips_s else 0.0
    messages_s = small_messages_s(case.run)
    seen_s = float(np.quantile(messages_s, FASTEST)) if len(messages_s) >= FEWEST_SEEN else 0.0
    slowest_s = seen_s or wire_s
    return Latency(slowest_s, min(wire_s, slowest_s), asked_s=0.0) if slowest_s > 0 else None


def lost_by_latency_s(case: Case) -> float:
    """Rank-seconds that would come back if messages between hosts were there at once: what `clearway what-if --latency`
    replays, at best.
    """
    latency = latency_between_hosts(case)
    if latency is None:
        return 0.0
    calls = recorded_calls(case).calls
    durations = recorded(calls)
    transfer_s = shortened(durations.transfer_s, calls.undivided_s, calls.rounds, latency, ideal=True)
    return comes_back_s(case, replace(durations, transfer_s=transfer_s))


def _rounds(run: Run) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """By communicator: rounds of a collective in which each rank speaks to one other at a time."""
    sizes = (communicator.size + communicator.remote_size for communicator in run.communicators.all)
    return np.array([ceil(log2(max(size, 2))) for size in sizes], np.int64)


def _between_hosts(run: Run) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """By communicator: whether its members are on several hosts."""
    hosts = run.processes["host"]
    return np.array([len({int(hosts[p]) for p in c.members}) > 1 for c in run.communicators.all], np.bool_)
