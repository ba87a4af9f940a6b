"""A host that is further from the others than they are from each other: by its connections' least round trips."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.eager import eager_limit_bytes
from clearway.diagnosis.facts.transport import OPEN_MPI_TCP, UCX, transport

FURTHER = 3.0  # times the usual round trip
LEAST_FURTHER_S = 5e-5  # less is a switch more on the way
# Ways of a message for which the MPI asks first: the question, the answer, the data; UCX lets the sender go when the
# receiver has said that it came. Measured: one way up to 18 kB over UCX, four from 24 kB on.
ASKING = {OPEN_MPI_TCP: 3, UCX: 4}
UCX_ASKS_BYTES = 20480


@dataclass(frozen=True, slots=True)
class FarHost:
    """With its least round trip to the nearest of the others, and theirs among each other, typically."""

    host: str
    round_trip_s: float
    usual_s: float
    calls: float  # in which data moved between it and others, over all ranks
    moving_s: float  # rank-seconds of moving data that they took longer
    late_s: float  # rank-seconds of waiting in them, likewise

    @property
    def further_s(self) -> float:
        return self.round_trip_s - self.usual_s


def far_host(case: Case) -> FarHost | None:
    """The furthest."""
    least: dict[tuple[str, str], float] = {}
    for each in case.connections:
        if not each.inside_host and 0 < each.round_trip_s < 1:
            pair = min(each.from_host, each.to_host), max(each.from_host, each.to_host)
            least[pair] = min(least.get(pair, each.round_trip_s), each.round_trip_s)
    of_host: dict[str, list[float]] = defaultdict(list)
    for pair, round_trip_s in least.items():
        for host in pair:
            of_host[host].append(round_trip_s)
    furthest = max(of_host, key=lambda host: min(of_host[host]), default="")
    among_others = [round_trip_s for pair, round_trip_s in least.items() if furthest not in pair]
    if not among_others:
        return None  # of two hosts neither is the one that is far away
    round_trip_s, usual_s = min(of_host[furthest]), median(among_others)
    if round_trip_s < FURTHER * usual_s or round_trip_s - usual_s < LEAST_FURTHER_S:
        return None
    return FarHost(furthest, round_trip_s, usual_s, *_longer(case, furthest, round_trip_s - usual_s))


def _longer(case: Case, host: str, further_s: float) -> tuple[float, float, float]:
    """Calls, seconds of moving data and of waiting that come of it: half the difference for each way that data must go
    before the call can end.

    Ranks that exchange data step by step lose one way in each step, however much they take in from others meanwhile:
    the last of what comes from there is sent when the last of theirs is, too. So they do in operations of several
    rounds (MPI_Allreduce): what a rank contributes crosses the long way once, in each step this way or that. They lose
    more where the MPI asks the receiver before it sends.
    """
    run, units, split = case.run, case.books.units, case.books.split
    there = {process for process, rank in enumerate(case.tables.ranks) if rank.host == host}
    ends = ((each.from_rank, each.to_rank) for each in case.connections if host in (each.from_host, each.to_host))
    talks = {run.process_of_rank[rank] for pair in ends for rank in pair if rank in run.process_of_rank}
    spans = [bool(there & set(each.members)) and not there.issuperset(each.members) for each in run.communicators.all]
    chosen = np.array([False, *spans[1:]], np.bool_)[units.comm]
    chosen |= np.isin(units.process, list(talks)) & (units.comm == 0)
    moving_s = units.duration_s - split.wait_s - split.core_wait_s - split.stall_s - split.undivided_s
    chosen &= (moving_s > 0) | (split.wait_s > 0)
    weight = np.where(chosen, case.books.weight, 0.0)
    late_s = _ways(case) * further_s / 2
    late_moving_s = np.minimum(np.maximum(moving_s, 0.0), late_s)
    return (
        float(weight.sum()),
        float((weight * late_moving_s).sum()),
        float((weight * np.minimum(split.wait_s, late_s - late_moving_s)).sum()),
    )


def _ways(case: Case) -> NDArray[np.float64]:
    """By call on record: how often something must go from one end to the other before it can end."""
    run, units = case.run, case.books.units
    sizes = np.array([max(each.size, 1) for each in run.communicators.all])[units.comm]
    names = [each.name for each in run.functions.all]
    shared_out = np.array(["lltoall" in name for name in names], np.bool_)[units.function]
    nbytes = run.events.bytes[units.event] / np.where(shared_out, sizes, 1)
    asks = ASKING.get(transport(case), 1)
    if asks == 1:  # nor is the limit known above which it would
        return np.ones(len(units))
    ways: NDArray[np.float64] = np.where(nbytes > _asks_above_bytes(case), float(asks), 1.0)
    return ways


def _asks_above_bytes(case: Case) -> int:
    limit = eager_limit_bytes(case)
    return max(limit, UCX_ASKS_BYTES) if transport(case) == UCX else limit
