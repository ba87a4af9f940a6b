"""The tables of MPI calls: by function, and for collectives by communicator and size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.ledger import Account
from clearway.page import CallRow, CollectiveRow
from clearway.run import Run
from clearway.run.layout import EventKind, FunctionClass
from clearway.summary.messages import size_range

NO_MINIMUM = np.uint64(2**64 - 1)


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


class _Kinds:
    """Numbers for (function, communicator, size bin)."""

    BINS = 65

    def __init__(self, run: Run) -> None:
        self.comms = len(run.communicators.all)

    def key(
        self, function: NDArray[np.int32], comm: NDArray[np.int32], size_bin: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        result: NDArray[np.int64] = (function.astype(np.int64) * self.comms + comm) * self.BINS + size_bin
        return result

    def parts(self, key: int) -> tuple[int, int, int]:
        rest, size_bin = divmod(key, self.BINS)
        function, comm = divmod(rest, self.comms)
        return function, comm, size_bin


def collective_rows(run: Run, books: Account) -> tuple[CollectiveRow, ...]:
    """One row a (function, communicator, size bin) of blocking collectives, most time first."""
    kinds = _Kinds(run)
    calls = run.calls
    cells = np.flatnonzero((run.functions.classes() == FunctionClass.COLLECTIVE)[calls.function])
    if not len(cells):
        return ()
    bins = np.minimum(calls.data["size_bin"][cells], 64).astype(np.int64)
    keys, row = np.unique(kinds.key(calls.function[cells], calls.comm[cells], bins), return_inverse=True)
    seconds = run.seconds(calls.process[cells], calls.data["ticks"][cells])
    time_s = np.bincount(row, seconds, minlength=len(keys))
    count = _count_of_one_rank(run, cells, row, len(keys))
    wait_s, transfer_s, stall_s = _split_by_row(run, books, kinds, keys)
    recorded, last_rank, last_share = _last_by_row(run, kinds, keys)
    rows = []
    for number in np.argsort(-time_s, kind="stable").tolist():
        function, comm, size_bin = kinds.parts(int(keys[number]))
        communicator = run.communicators.all[comm]
        low, high = size_range(size_bin)
        rows.append(
            CollectiveRow(
                function=run.functions.all[function].name,
                communicator=communicator.name,
                communicator_size=communicator.size + communicator.remote_size,
                low_bytes=low,
                high_bytes=high,
                count=int(count[number]),
                recorded=int(recorded[number]),
                time_s=float(time_s[number]),
                wait_s=float(wait_s[number]),
                transfer_s=float(transfer_s[number]),
                stall_s=float(stall_s[number]),
                last_rank=int(last_rank[number]) if last_share[number] > 0 else None,
                last_share=float(last_share[number]) if last_share[number] > 0 else None,
            )
        )
    return tuple(rows)


def _count_of_one_rank(
    run: Run, cells: NDArray[np.int64], row: NDArray[np.int64], rows: int
) -> NDArray[np.float64]:
    """Calls by row, of the rank that made most of them."""
    pair, of_cell = np.unique(run.calls.process[cells].astype(np.int64) * rows + row, return_inverse=True)
    by_pair = np.bincount(of_cell, run.calls.data["count"][cells].astype(np.float64))
    most = np.zeros(rows)
    np.maximum.at(most, pair % rows, by_pair)
    return most


def size_bins(bytes_: NDArray[np.uint64]) -> NDArray[np.int64]:
    """CallCell.size_bin of each size: 0 for 0, else b with 2^(b-1) <= n < 2^b."""
    # frexp is exact up to 2^53; beyond, a size just below a power of two may count as that power.
    return np.frexp(bytes_.astype(np.float64))[1].astype(np.int64)


def _split_by_row(
    run: Run, books: Account, kinds: _Kinds, keys: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    units, split = books.units, books.split
    chosen = np.flatnonzero(run.events.kind[units.event] == EventKind.COLLECTIVE)
    bins = size_bins(run.events.bytes[units.event[chosen]])
    key = kinds.key(units.function[chosen], units.comm[chosen], bins)
    row = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    weight = books.weight[chosen] * (keys[row] == key)
    wait = weight * split.wait_s[chosen]
    stall = weight * split.stall_s[chosen]
    transfer = weight * (units.duration_s[chosen] - split.core_wait_s[chosen]) - wait - stall
    by_row = [np.bincount(row, part, len(keys)).astype(np.float64) for part in (wait, transfer, stall)]
    return by_row[0], by_row[1], by_row[2]


def _last_by_row(
    run: Run, kinds: _Kinds, keys: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """By row: instances seen whole, the rank that entered last most often, and in which share of them."""
    collectives, events, rows = run.collectives, run.events, len(keys)
    recorded = np.zeros(rows, np.int64)
    last_rank, last_share = np.full(rows, -1, np.int64), np.zeros(rows)
    several = np.array([c.size > 1 for c in run.communicators.all])
    whole = collectives.whole & several[collectives.comm] if len(collectives) else np.zeros(0, np.bool_)
    if not whole.any():
        return recorded, last_rank, last_share
    first = collectives.first[:-1]
    entry_s = events.entry_s[collectives.events]
    latest = np.maximum.reduceat(entry_s, first)
    is_last = entry_s == np.repeat(latest, np.diff(collectives.first))
    at = np.flatnonzero(is_last)
    instance = collectives.instance[at]
    once = np.flatnonzero(np.diff(instance, prepend=-1))
    last_process = events.process[collectives.events[at[once]]]
    size = np.maximum.reduceat(events.bytes[collectives.events], first)
    key = kinds.key(collectives.function, collectives.comm, size_bins(size))
    row = np.minimum(np.searchsorted(keys, key), rows - 1)
    whole &= keys[row] == key
    recorded = np.bincount(row[whole], minlength=rows)
    ranks = run.processes["rank"]
    pair, times = np.unique(
        row[whole] * np.int64(len(ranks)) + last_process[whole].astype(np.int64), return_counts=True
    )
    order = np.lexsort((times, pair // len(ranks)))
    of_row = pair[order] // len(ranks)
    final = np.flatnonzero(np.append(np.diff(of_row) != 0, True))
    best = order[final]
    last_rank[of_row[final]] = ranks[pair[best] % len(ranks)]
    last_share[of_row[final]] = times[best] / recorded[of_row[final]]
    return recorded, last_rank, last_share
