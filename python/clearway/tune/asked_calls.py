"""The collective calls of a first run that the simulator is asked about: those that may matter, and cost it little."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.tables.calls import CollectiveRow
from clearway.predict.jobs.lone_calls import ON_VECTORS, LoneCall, activity
from clearway.tune.schedules_of_mpis import Asked, Steps, kind_of

FUNCTIONS = ("MPI_Alltoall", "MPI_Alltoallv", "MPI_Allgather", "MPI_Allgatherv", "MPI_Bcast", "MPI_Reduce",
             "MPI_Allreduce")  # fmt: skip
FROM_OR_TO_ONE = ("bcast", "reduce")
LEAST_RANKS = 3  # of two, each has one partner only
LEAST_HOSTS = 2
LEAST_SHARE = 0.01  # of the wall-clock, in calls of one size: less is not asked about
MOST_SEGMENTS = 400_000  # of TCP, in a call: these take the simulator some seconds
SEGMENT_BYTES = 1448

Group = tuple[int, ...]  # the ranks of a communicator


@dataclass(frozen=True, slots=True)
class Calls:
    """Of one function and size, on communicators of one size that have no rank in common: they are taken to be made at
    the same time."""

    function: str
    nbytes: int  # of a block, or of the vector
    number: float
    recorded_s: float  # what a rank spends in all of them; of those from or to one rank, until the last is done
    groups: tuple[Group, ...]

    @property
    def operation(self) -> str:
        return operation_of(self.function)

    @property
    def ranks(self) -> frozenset[int]:
        return frozenset(rank for group in self.groups for rank in group)

    @property
    def segments(self) -> int:
        """Of a call, at most about."""
        size = len(self.groups[0])
        messages = size * max(2, size.bit_length()) if self.operation in ON_VECTORS else size * size
        return len(self.groups) * messages * -(-self.nbytes // SEGMENT_BYTES)

    def asked(self, places: Sequence[int], eager_bytes: int | None) -> list[Asked]:
        """Of each communicator."""
        return [
            Asked(self.operation, self.nbytes, tuple(places[rank] for rank in group), eager_bytes)
            for group in self.groups
        ]

    def by(self, steps: Steps, ranks: int) -> LoneCall:
        """`ranks`: of the job."""
        size = len(self.groups[0])
        whole = self.nbytes * (size if kind_of(self.operation) == "alltoall" else 1)
        kinds = [self.operation] if len(steps) == 1 else [operation for operation, _ in steps]
        everyone = len(self.groups) == 1 and size == ranks
        return LoneCall(
            tuple(activity(kind, whole, size) for kind in kinds),
            tuple((operation, schedule) for operation, schedule in steps if schedule),
            () if everyone else self.groups,
            until_last=kinds[0] in FROM_OR_TO_ONE and len(kinds) == 1,
        )


def operation_of(function: str) -> str:
    return function.removeprefix("MPI_").lower()


def worth_asking(case: Case) -> list[Calls]:
    found = []
    for function in FUNCTIONS:
        rows = [row for row in case.tables.collectives if row.function == function and row.high_bytes > 0]
        factor = _by_all_bytes(case, function, rows)
        for together in _together(case, rows):
            ranks = sum(row.communicator_size for row, _ in together)
            row = together[0][0]
            one = Calls(
                function,
                max(1, round(factor * _middle_bytes(row))),
                sum(row.count * row.communicator_size for row, _ in together) / ranks,
                _recorded_s(case, [row for row, _ in together]),
                tuple(group for _, group in together),
            )
            if one.recorded_s >= LEAST_SHARE * case.wall_s and one.segments <= MOST_SEGMENTS:
                found.append(one)
    return found


def _together(case: Case, rows: Iterable[CollectiveRow]) -> list[list[tuple[CollectiveRow, Group]]]:
    """Rows of communicators between hosts: those of one size, and of calls of one size, as far as no rank is in two."""
    places = case.run.processes["host"].tolist()
    sets: dict[tuple[int, int], list[list[tuple[CollectiveRow, Group]]]] = {}
    for row in rows:
        group = _members(case, row)
        if len(group) < LEAST_RANKS or len({places[rank] for rank in group}) < LEAST_HOSTS:
            continue
        known = sets.setdefault((row.communicator_size, row.low_bytes), [])
        apart = (one for one in known if all(set(group).isdisjoint(other) for _, other in one))
        fitting = next(apart, None)
        if fitting is None:
            known.append([(row, group)])
        else:
            fitting.append((row, group))
    return [one for known in sets.values() for one in known]


def _members(case: Case, row: CollectiveRow) -> Group:
    """Ranks of the job, in order. Nothing where not all are known, or where there are two sides."""
    communicator = case.run.communicators.all[row.communicator_number]
    whole = not communicator.inter and len(communicator.members) == row.communicator_size
    return tuple(sorted(communicator.members)) if whole else ()


def _recorded_s(case: Case, rows: Sequence[CollectiveRow]) -> float:
    if operation_of(rows[0].function) in FROM_OR_TO_ONE:
        return sum(row.count * _span_s(case, row) for row in rows) / len(rows)
    return sum(row.time_s - row.wait_s for row in rows) / sum(row.communicator_size for row in rows)


def _span_s(case: Case, row: CollectiveRow) -> float:
    """Of the calls of which all ranks' ends are recorded, the mean: from when the root of a bcast, or the last rank of
    another, has come until the last is done."""
    run, collectives, events = case.run, case.run.collectives, case.run.events
    if not len(collectives):
        return 0.0
    first, counts = collectives.first[:-1], np.diff(collectives.first)
    entry_s, exit_s = events.entry_s[collectives.events], events.exit_s[collectives.events]
    if operation_of(row.function) == "bcast":
        is_root = run.processes["rank"][events.process[collectives.events]] == events.peer[collectives.events]
        entry_s = np.where(is_root, entry_s, -np.inf)
    size = np.maximum.reduceat(events.bytes[collectives.events], first)
    chosen = collectives.whole & (counts == row.communicator_size) & (collectives.comm == row.communicator_number)
    chosen &= run.functions.named(row.function)[collectives.function]
    chosen &= (size >= row.low_bytes) & (size <= row.high_bytes)
    spans_s = np.maximum.reduceat(exit_s, first) - np.maximum.reduceat(entry_s, first)
    chosen &= np.isfinite(spans_s)
    return float(spans_s[chosen].mean()) if chosen.any() else 0.0


def _middle_bytes(row: CollectiveRow) -> float:
    """Of the sizes of a block that the row counts together: the table knows them to a factor of two."""
    return sqrt(max(row.low_bytes, 1) * row.high_bytes)


def _by_all_bytes(case: Case, function: str, rows: Sequence[CollectiveRow]) -> float:
    """Exact bytes, all calls together, by what the rows' middles come to. With one row that makes its size exact."""
    exact = sum(row.bytes for row in case.tables.mpi_calls if row.function == function)
    blocks = ((row, row.communicator_size if "alltoall" in function.lower() else 1) for row in rows)
    middles = sum(row.count * row.communicator_size * each * _middle_bytes(row) for row, each in blocks)
    return exact / middles if exact and middles else 1.0
