"""The tables of MPI calls: by function, and for collectives by communicator and size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts.tables.messages import size_range
from clearway.ledger import Account
from clearway.run import Run
from clearway.run.layout import EventKind, FunctionClass

NO_MINIMUM = np.uint64(2**64 - 1)


@dataclass(frozen=True, slots=True)
class CallRow:
    """All calls of one MPI function, over all ranks. wait/transfer/stall/core_wait split time_s where it is known."""

    function: str
    function_class: str
    count: int
    time_s: float
    bytes: int
    min_s: float
    max_s: float
    wait_s: float
    transfer_s: float
    stall_s: float
    core_wait_s: float
    undivided_s: float


@dataclass(frozen=True, slots=True)
class CollectiveRow:
    """One blocking collective on one communicator at one size bin, from its recorded calls."""

    function: str
    communicator: str
    communicator_size: int
    low_bytes: int
    high_bytes: int
    count: int  # calls of one rank
    recorded: int  # calls with known entry and exit on every rank
    time_s: float  # summed over ranks
    wait_s: float
    transfer_s: float
    stall_s: float
    last_rank: int | None  # rank that entered last most often
    last_share: float | None  # share of the calls in which it was last
    communicator_number: int = 0  # in this Run: several communicators may have one name


def call_rows(run: Run, books: Account) -> tuple[CallRow, ...]:
    """One row a function, most time first. Times are those of all threads, the split is of the main ones."""
    calls, functions = run.calls, run.functions.all
    seconds = run.seconds(calls.process, calls.data["ticks"])
    rate = run.processes["seconds_per_tick"][calls.process]
    size = len(functions)
    count = np.bincount(calls.function, calls.data["count"].astype(np.float64), minlength=size)
    bytes_ = np.bincount(calls.function, calls.data["bytes"].astype(np.float64), minlength=size)
    time_s = np.bincount(calls.function, seconds, minlength=size)
    # A call that the record ends in is in the split, but in no cell yet.
    time_s = np.maximum(time_s, books.functions["time_s"])
    shortest, longest = np.full(size, np.inf), np.zeros(size)
    complete = calls.data["min_ticks"] != NO_MINIMUM
    np.minimum.at(shortest, calls.function[complete], (calls.data["min_ticks"] * rate)[complete])
    np.maximum.at(longest, calls.function, calls.data["max_ticks"] * rate)
    rows = []
    for number in np.lexsort((-count, -time_s)).tolist():
        if count[number] == 0 and time_s[number] == 0:
            continue
        split = books.functions[number]
        rows.append(
            CallRow(
                function=functions[number].name,
                function_class=functions[number].function_class.name.lower(),
                count=int(count[number]),
                time_s=float(time_s[number]),
                bytes=int(bytes_[number]),
                min_s=float(shortest[number]) if np.isfinite(shortest[number]) else 0.0,
                max_s=float(longest[number]),
                wait_s=float(split["wait_s"]),
                transfer_s=float(split["transfer_s"]),
                stall_s=float(split["stall_s"]),
                core_wait_s=float(split["core_wait_s"]),
                undivided_s=float(split["undivided_s"]),
            )
        )
    return tuple(rows)


class _Rows:
    """The rows of the table of collectives: each a (function, communicator, size bin) that has call cells."""

    BINS = 65

    def __init__(self, run: Run) -> None:
        calls = run.calls
        self.comms = len(run.communicators.all)
        self.cells = np.flatnonzero((run.functions.classes() == FunctionClass.COLLECTIVE)[calls.function])
        bins = np.minimum(calls.data["size_bin"][self.cells], 64).astype(np.int64)
        kind = self._kind(calls.function[self.cells], calls.comm[self.cells])
        self.keys, self.of_cell = np.unique(kind * self.BINS + bins, return_inverse=True)
        size = len(self.keys)
        count = np.bincount(self.of_cell, calls.data["count"][self.cells].astype(np.float64), minlength=size)
        bytes_ = np.bincount(self.of_cell, calls.data["bytes"][self.cells].astype(np.float64), minlength=size)
        # A cell's bin is that of one message, an event tells the bytes of the whole call: an event goes to the
        # row of its function and communicator whose calls have about its size.
        log_size = np.log2(1.0 + bytes_ / np.maximum(count, 1.0))
        kinds = self.keys // self.BINS
        self.order = np.lexsort((log_size, kinds))
        ordered_kind, ordered_log = kinds[self.order], log_size[self.order]
        before = np.append(-1.0, 0.5 * (ordered_log[1:] + ordered_log[:-1]))
        before[np.diff(ordered_kind, prepend=-1) != 0] = -1.0  # the first row of a kind takes all that is smaller
        self.kinds = np.unique(kinds)
        self.lower = np.searchsorted(self.kinds, ordered_kind) * 128.0 + before

    def __len__(self) -> int:
        return len(self.keys)

    def _kind(self, function: NDArray[np.int32], comm: NDArray[np.int32]) -> NDArray[np.int64]:
        result: NDArray[np.int64] = function.astype(np.int64) * self.comms + comm
        return result

    def parts(self, row: int) -> tuple[int, int, int]:
        """Function, communicator and size bin of a row."""
        kind, size_bin = divmod(int(self.keys[row]), self.BINS)
        function, comm = divmod(kind, self.comms)
        return function, comm, size_bin

    def find(
        self, function: NDArray[np.int32], comm: NDArray[np.int32], bytes_: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """The rows of calls of so many bytes; -1 for those of a function and communicator without cells."""
        kind = self._kind(function, comm)
        number = np.minimum(np.searchsorted(self.kinds, kind), len(self.kinds) - 1)
        place = number * 128.0 + np.log2(1.0 + bytes_.astype(np.float64))
        row = self.order[np.searchsorted(self.lower, place, side="right") - 1]
        result: NDArray[np.int64] = np.where(self.kinds[number] == kind, row, -1)
        return result


def collective_rows(run: Run, books: Account) -> tuple[CollectiveRow, ...]:
    """One row a (function, communicator, size bin) of blocking collectives, most time first."""
    table = _Rows(run)
    if not len(table):
        return ()
    cells = table.cells
    seconds = run.seconds(run.calls.process[cells], run.calls.data["ticks"][cells])
    time_s = np.bincount(table.of_cell, seconds, minlength=len(table))
    count = _count_of_one_rank(run, table)
    parts_s = np.array(_split_by_row(run, books, table))
    # An estimate from the calls on record may be longer than the time of all calls, which is exact.
    wait_s, transfer_s, stall_s = parts_s * np.minimum(1.0, time_s / np.maximum(parts_s.sum(axis=0), 1e-12))
    recorded, last_rank, last_share = _last_by_row(run, table)
    rows = []
    for row in np.argsort(-time_s, kind="stable").tolist():
        function, comm, size_bin = table.parts(row)
        communicator = run.communicators.all[comm]
        low, high = size_range(size_bin)
        rows.append(
            CollectiveRow(
                function=run.functions.all[function].name,
                communicator=communicator.name,
                communicator_size=communicator.size + communicator.remote_size,
                low_bytes=low,
                high_bytes=high,
                count=int(count[row]),
                recorded=int(recorded[row]),
                time_s=float(time_s[row]),
                wait_s=float(wait_s[row]),
                transfer_s=float(transfer_s[row]),
                stall_s=float(stall_s[row]),
                last_rank=int(last_rank[row]) if last_share[row] > 0 else None,
                last_share=float(last_share[row]) if last_share[row] > 0 else None,
                communicator_number=comm,
            )
        )
    return tuple(rows)


def _count_of_one_rank(run: Run, table: _Rows) -> NDArray[np.float64]:
    """Calls by row, of the rank that made most of them."""
    process = run.calls.process[table.cells].astype(np.int64)
    pair, of_cell = np.unique(process * len(table) + table.of_cell, return_inverse=True)
    by_pair = np.bincount(of_cell, run.calls.data["count"][table.cells].astype(np.float64))
    most = np.zeros(len(table))
    np.maximum.at(most, pair % len(table), by_pair)
    return most


def _split_by_row(
    run: Run, books: Account, table: _Rows
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    units, split = books.units, books.split
    chosen = np.flatnonzero(run.events.kind[units.event] == EventKind.COLLECTIVE)
    row = table.find(units.function[chosen], units.comm[chosen], run.events.bytes[units.event[chosen]])
    chosen, row = chosen[row >= 0], row[row >= 0]
    weight = books.weight[chosen]
    wait = weight * split.wait_s[chosen]
    stall = weight * split.stall_s[chosen]
    transfer = weight * (units.duration_s[chosen] - split.core_wait_s[chosen]) - wait - stall
    by_row = [np.bincount(row, part, len(table)).astype(np.float64) for part in (wait, transfer, stall)]
    return by_row[0], by_row[1], by_row[2]


def _last_by_row(run: Run, table: _Rows) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """By row: instances seen whole, the rank that entered last most often, and in which share of them."""
    collectives, events, rows = run.collectives, run.events, len(table)
    last_rank, last_share = np.full(rows, -1, np.int64), np.zeros(rows)
    several = np.array([communicator.size > 1 for communicator in run.communicators.all])
    if not len(collectives):
        return np.zeros(rows, np.int64), last_rank, last_share
    first, counts = collectives.first[:-1], np.diff(collectives.first)
    entry_s = events.entry_s[collectives.events]
    at = np.flatnonzero(entry_s == np.repeat(np.maximum.reduceat(entry_s, first), counts))
    once = np.flatnonzero(np.diff(collectives.instance[at], prepend=-1))
    last_process = events.process[collectives.events[at[once]]].astype(np.int64)
    size = np.maximum.reduceat(events.bytes[collectives.events], first)
    row = table.find(collectives.function, collectives.comm, size)
    whole = collectives.whole & several[collectives.comm] & (row >= 0)
    recorded = np.bincount(row[whole], minlength=rows)

    ranks = run.processes["rank"]
    pair, times = np.unique(row[whole] * len(ranks) + last_process[whole], return_counts=True)
    order = np.lexsort((times, pair // len(ranks)))
    of_row = pair[order] // len(ranks)
    most = np.flatnonzero(np.append(np.diff(of_row) != 0, np.ones(min(len(of_row), 1), np.bool_)))
    best = order[most]
    last_rank[of_row[most]] = ranks[pair[best] % len(ranks)]
    last_share[of_row[most]] = times[best] / recorded[of_row[most]]
    return recorded, last_rank, last_share
