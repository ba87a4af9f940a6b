"""What MPI calls inside a host took beyond what any MPI needs for their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

import numpy as np

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.tables.calls import CallRow
from clearway.run.layout import FunctionClass

BYTES_PER_S = 1e9  # copied twice, on a host whose memory is busy: a third of it is slow
CALL_S = 5e-6  # a message through shared memory takes a microsecond or less
OF_ALL = ("MPI_Allgather", "MPI_Gather", "MPI_Alltoall")
MOVES_DATA = {  # not MPI_Wait and the like: the bytes that they wait for are other calls'
    FunctionClass.SEND,
    FunctionClass.RECEIVE,
    FunctionClass.SEND_RECEIVE,
    FunctionClass.COLLECTIVE,
}


@dataclass(frozen=True, slots=True)
class SlowCalls:
    """All calls of one function, in rank-seconds."""

    row: CallRow
    moving_s: float  # what is known to be no waiting
    least_s: float
    held_s: float  # at most: what ranks without a core held themselves and the others up by

    @property
    def excess_s(self) -> float:
        return max(self.moving_s - self.least_s - self.held_s, 0.0)


def slow_calls(case: Case) -> list[SlowCalls]:
    """The longest beyond their need first. None where ranks are on several hosts: there the network may be slow."""
    if len(case.tables.hosts) != 1:
        return []
    classes = {kind.name.lower() for kind in MOVES_DATA}
    rows = [row for row in case.tables.mpi_calls if row.function_class in classes]
    delay_s = _run_delay_s(case)
    found = [
        SlowCalls(
            row,
            row.transfer_s - row.undivided_s,
            _least_s(row, case.ranks) / _had_core(row) ** 2,
            case.ranks * delay_s.get(row.function, 0.0),
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: -one.excess_s)


def _run_delay_s(case: Case) -> dict[str, float]:
    """By function: all that the main threads had no core in its calls. The ledger takes it to have fallen into waiting
    first, but it may as well have come when all were there.
    """
    calls, names = case.run.calls, case.run.functions.all
    main = calls.main
    sums = np.bincount(calls.function[main], calls.data["run_delay_ns"][main] * 1e-9, minlength=len(names))
    return {function.name: float(seconds) for function, seconds in zip(names, sums, strict=True)}


def _had_core(row: CallRow) -> float:
    """Of the time in these calls, the part in which the rank that was in one had a core. Its partner is no better off:
    data move while both have one.
    """
    return max(1.0 - row.core_wait_s / row.time_s, 0.01) if row.time_s > 0 else 1.0


def _least_s(row: CallRow, ranks: int) -> float:
    """Generous: an all-to-all's or a gather's bytes are taken to be for each rank, the others' to pass all rounds of a
    tree, there and back.
    """
    collective = row.function_class == FunctionClass.COLLECTIVE.name.lower()
    rounds = 2 * ceil(log2(max(ranks, 2))) if collective else 1
    times = ranks if row.function.startswith(OF_ALL) else rounds
    return row.count * rounds * CALL_S + row.bytes * times / BYTES_PER_S
