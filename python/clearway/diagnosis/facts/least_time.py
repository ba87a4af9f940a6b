"""What a collective operation takes at least between hosts: the bytes that must pass the busiest card, at its rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from clearway.ledger import Account
from clearway.ledger.blocked import standing_still_s
from clearway.run import Run
from clearway.run.layout import EventKind


@dataclass(frozen=True, slots=True)
class Operation:
    """All calls of one blocking collective on one communicator."""

    function: str
    which: tuple[int, int]  # its function and communicator, by number
    ranks: int
    ranks_of_host: Mapping[str, int]
    calls: float  # of one rank
    bytes: float  # that a rank contributes to one call, on average
    moving_s: float  # rank-seconds
    stalled_s: float
    waited_s: float  # for ranks that came, or got on, later

    @property
    def least_bytes(self) -> float | None:
        """What one call must bring through the busiest card, one way; None for operations without such a bound."""
        most = max(self.ranks_of_host.values())
        least = min(self.ranks_of_host.values())
        hosts, elsewhere = len(self.ranks_of_host), self.ranks - most
        name = self.function.removesuffix("_c")
        if name in ("MPI_Allgather", "MPI_Allgatherv"):
            return self.bytes * (self.ranks - least)
        if name in ("MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"):
            return self.bytes * most * elsewhere / self.ranks
        if name in ("MPI_Bcast", "MPI_Reduce"):
            return self.bytes
        if name == "MPI_Allreduce":  # a reduce-scatter and an allgather
            return 2 * self.bytes * (hosts - 1) / hosts
        return None

    def least_s(self, bytes_per_s: float) -> float | None:
        """Rank-seconds that moving these bytes takes at least."""
        least = self.least_bytes
        return None if least is None else self.ranks * self.calls * least / bytes_per_s


def operations(run: Run, books: Account) -> list[Operation]:
    """Those on several hosts, most moving of data first."""
    comms = len(run.communicators.all)
    units, split, calls = books.units, books.split, run.calls
    chosen = run.events.kind[units.event] == EventKind.COLLECTIVE
    kind = units.function.astype(np.int64) * comms + units.comm
    moving_s = units.duration_s - split.wait_s - split.core_wait_s - split.stall_s
    size = len(run.functions.all) * comms
    moved = _part_at_work(run, books) * np.bincount(kind[chosen], (books.weight * moving_s)[chosen], size)
    stalled = np.bincount(kind[chosen], (books.weight * split.stall_s)[chosen], size)
    waited = np.bincount(kind[chosen], (books.weight * split.wait_s)[chosen], size)
    called = calls.function.astype(np.int64) * comms + calls.comm
    count = np.bincount(called, calls.data["count"].astype(np.float64), size)
    sent = np.bincount(called, calls.data["bytes"].astype(np.float64), size)
    found = []
    for key in np.flatnonzero((moved > 0) & (count > 0)).tolist():
        function, comm = divmod(key, comms)
        members = run.communicators.all[comm].members
        hosts = Counter(run.host_names[run.processes["host"][process]] for process in members)
        if len(hosts) > 1:
            found.append(
                Operation(
                    function=run.functions.all[function].name,
                    which=(function, comm),
                    ranks=len(members),
                    ranks_of_host=hosts,
                    calls=float(count[key]) / len(members),
                    bytes=float(sent[key] / count[key]),
                    moving_s=float(moved[key]),
                    stalled_s=float(stalled[key]),
                    waited_s=float(waited[key]),
                )
            )
    return sorted(found, key=lambda one: -one.moving_s)


def _part_at_work(run: Run, books: Account) -> float:
    """Of the time in which data is said to move: not that in which ranks were stopped, shared out over all calls."""
    all_s = float(books.ledger["mpi_transfer_s"].sum())
    return max(1 - standing_still_s(run) / all_s, 0.0) if all_s > 0 else 1.0
