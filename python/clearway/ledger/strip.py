"""The ledger over time: how many seconds of each of its lines fell into each slice of the job's time.

The recorder takes readings of what the main thread's times have come to, at most 200 of a job: between two of them lies
a slice. What they do not tell (waiting, stalls) has its place in time from the recorded calls. Both are fitted together
so that the slices of each line add up to the ledger; what they lack of a slice's time is shown as its residue.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import LINES, Account
from clearway.ledger.stalls import overlap_s
from clearway.run.layout import FunctionClass
from clearway.run.run import Run, to_seconds

MOST_SLICES = 200
FITTINGS = 12  # each to the slices' lengths, then to the ledger's lines

_Seconds = NDArray[np.float64]
_NAMES = ("core_wait_s", "mpi_wait_s", "mpi_transfer_s", "mpi_stall_s", "io_s", "other_s")
_CORE, _WAIT, _MOVE, _STALL, _IO, _OTHER = (LINES.index(name) for name in _NAMES)


@dataclass(frozen=True)
class Strip:
    """Slices of equal length, from the start of the job's first process to the end of its last."""

    edges_s: _Seconds  # one more than slices
    wall_s: _Seconds  # by process and slice: how long the process was there
    lines_s: _Seconds  # by process, slice and line
    phase: NDArray[np.int32] | None  # by slice: the number that rank 0 last passed to MPI_Pcontrol; None: it never did
    parallel_s: _Seconds  # by process and slice: the main thread in parallel regions
    cpu_s: _Seconds  # by process and slice: of all threads
    threads_known: bool  # else the two above are zeros

    @property
    def slices(self) -> int:
        return len(self.edges_s) - 1

    @property
    def slice_s(self) -> float:
        return float(self.edges_s[1] - self.edges_s[0])

    @property
    def sums_s(self) -> _Seconds:
        """By slice and line, all processes."""
        result: _Seconds = self.lines_s.sum(axis=0)
        return result


def strip(run: Run, books: Account) -> Strip | None:
    """None where the record has no readings: old ones, those of jobs of a moment, and predicted ones."""
    readings = run.readings
    first = np.searchsorted(readings.process, np.arange(len(run.processes) + 1))
    most = int(np.diff(first).max(initial=0))
    begin_s, end_s = float(run.processes["begin_s"].min()), float(run.processes["end_s"].max())
    if most == 0 or end_s <= begin_s:
        return None
    edges_s = np.linspace(begin_s, end_s, min(most, MOST_SLICES) + 1)
    calls = _Calls(run, books)
    shape = len(run.processes), len(edges_s) - 1
    wall_s, lines_s = np.zeros(shape), np.zeros((*shape, len(LINES)))
    for process in range(len(run.processes)):
        own = readings.data[first[process] : first[process + 1]]
        row = run.processes[process]
        wall_s[process] = np.diff(np.clip(edges_s, row["begin_s"], row["end_s"]))
        seeds = _seeds(run, books, calls, process, own, edges_s, wall_s[process])
        lines_s[process] = _fitted(seeds, wall_s[process], np.array([books.ledger[process][line] for line in LINES]))
    phases = _phases(run, readings.data[: first[1]], edges_s)
    return Strip(edges_s, wall_s, lines_s, phases, *_threads(run, edges_s, wall_s), len(run.threads_at) > 0)


def _threads(run: Run, edges_s: _Seconds, wall_s: _Seconds) -> tuple[_Seconds, _Seconds]:
    """Parallel regions and CPU time of all threads, by process and slice. A main thread is in a region at most always.

    Of the time before the record began nothing is known: the first reading holds it, and it lies in the slices until
    then.
    """
    rows = run.threads_at
    parallel_s, cpu_s = np.zeros_like(wall_s), np.zeros_like(wall_s)
    for process in np.unique(rows.process).tolist():
        row, own = run.processes[process], rows.data[rows.process == process]
        at_s = np.append(row["begin_s"], np.clip(to_seconds(row, own["ticks"]), row["begin_s"], row["end_s"]))
        for name, unit, by_slice in (("region_ticks", row["seconds_per_tick"], parallel_s), ("cpu_ns", 1e-9, cpu_s)):
            so_far = np.append(0.0, np.maximum.accumulate(own[name] * unit))
            by_slice[process] = _rises(edges_s, at_s, so_far)
    return np.minimum(parallel_s, wall_s), cpu_s


class _Calls:
    """The recorded calls, by process: those whose place in time is known."""

    def __init__(self, run: Run, books: Account) -> None:
        units = books.units
        order = np.argsort(units.process, kind="stable")
        self.first = np.searchsorted(units.process[order], np.arange(len(run.processes) + 1))
        self.entry_s, self.exit_s = units.entry_s[order], units.exit_s[order]
        self.wait_s = np.clip(books.split.wait_s[order], 0.0, None)
        self.weight = books.weight[order]
        self.long = units.long(run.event_level)[order]
        self.in_files = (run.functions.classes()[units.function] == FunctionClass.MPI_IO)[order]

    def file_waits(self, process: int, edges_s: _Seconds) -> _Seconds:
        """By slice: waiting for others in calls of MPI-IO."""
        own = slice(self.first[process], self.first[process + 1])
        chosen = self.in_files[own]
        entry_s, wait_s, weight = (each[own][chosen] for each in (self.entry_s, self.wait_s, self.weight))
        return spread_s(edges_s, entry_s, entry_s + wait_s, weight)

    def waits(self, process: int, edges_s: _Seconds, mpi_s: _Seconds) -> _Seconds:
        """By slice. Of the short calls there may be a sample only, and none in most slices: then those before and
        after tell which share of a slice's time in short calls was waiting."""
        own = slice(self.first[process], self.first[process + 1])
        entry_s, exit_s, wait_s = self.entry_s[own], self.exit_s[own], self.wait_s[own]
        weight, long = np.where(self.in_files[own], 0.0, self.weight[own]), self.long[own]
        long_s = spread_s(edges_s, entry_s[long], exit_s[long], weight[long])
        long_wait_s = spread_s(edges_s, entry_s[long], entry_s[long] + wait_s[long], weight[long])
        short = ~long & (weight > 0)
        short_s = spread_s(edges_s, entry_s[short], exit_s[short], weight[short])
        short_wait_s = spread_s(edges_s, entry_s[short], entry_s[short] + wait_s[short], weight[short])
        seen = np.flatnonzero(short_s > 0)
        if not len(seen):
            return long_wait_s
        share = np.interp(np.arange(len(short_s)), seen, short_wait_s[seen] / short_s[seen])
        return long_wait_s + share * np.clip(mpi_s - long_s, 0.0, None)


def spread_s(edges_s: _Seconds, from_s: _Seconds, to_s: _Seconds, weight: _Seconds) -> _Seconds:
    """How much of the stretches from_s..to_s, each counted `weight` times, lies between neighbouring edges."""
    result: _Seconds = np.diff(_until_s(edges_s, from_s, weight) - _until_s(edges_s, to_s, weight))
    return result


def _until_s(edges_s: _Seconds, at_s: _Seconds, weight: _Seconds) -> _Seconds:
    """By edge: how long ago each instant before it was, in sum."""
    order = np.argsort(at_s, kind="stable")
    at_s, weight = at_s[order], weight[order]
    before = np.searchsorted(at_s, edges_s)
    number = np.append(0.0, np.cumsum(weight))[before]
    moment = np.append(0.0, np.cumsum(weight * (at_s - edges_s[0])))[before]
    result: _Seconds = number * (edges_s - edges_s[0]) - moment
    return result


def _seeds(
    run: Run, books: Account, calls: _Calls, process: int, own: NDArray[np.void], edges_s: _Seconds, wall_s: _Seconds
) -> _Seconds:
    """By slice and line: what the record tells of when, not yet fitted to the ledger."""
    row = run.processes[process]
    recording_s, end_s = float(row["recording_s"]), float(row["end_s"])
    at_s = np.clip(to_seconds(row, own["ticks"]), recording_s, end_s)
    settled_s = np.clip(to_seconds(row, np.maximum(own["settled_ticks"], _first_tick(row))), recording_s, at_s)
    rate = float(row["seconds_per_tick"])

    def rises(name: str, instants_s: _Seconds, unit: float) -> _Seconds:
        known = np.maximum.accumulate(own[name] * unit)
        return _rises(edges_s, np.append(recording_s, instants_s), np.append(0.0, known))

    mpi_s, life_s = rises("mpi_ticks", at_s, rate), rises("life_ticks", at_s, rate)
    files_s = rises("io_ticks", at_s, rate) + rises("mpi_io_ticks", at_s, rate)
    starts = books.starting
    begin_s = starts.entry_s[process : process + 1]
    start_wait_s = _stretch(edges_s, begin_s, begin_s + starts.wait_s[process])
    opened = books.open_calls
    since_s = opened.since_s[process : process + 1]
    open_wait_s = _stretch(edges_s, since_s, since_s + opened.wait_s[process])
    seeds = np.zeros((len(wall_s), len(LINES)))
    wait_s = np.minimum(calls.waits(process, edges_s, mpi_s), mpi_s)
    stall_s = np.zeros(len(wall_s))
    if process in books.stalls:
        stall_s = np.minimum(overlap_s(books.stalls[process], edges_s[:-1], edges_s[1:]), mpi_s - wait_s)
    before_s = np.diff(np.clip(edges_s, row["begin_s"], recording_s))
    in_files_s = np.minimum(calls.file_waits(process, edges_s), files_s)
    seeds[:, _WAIT] = wait_s + start_wait_s + open_wait_s + in_files_s
    seeds[:, _STALL] = stall_s
    seeds[:, _MOVE] = np.clip(mpi_s - wait_s - stall_s - open_wait_s, 0.0, None)
    seeds[:, _IO] = files_s - in_files_s
    seeds[:, _CORE] = rises("run_delay_ns", settled_s, 1e-9)
    blocked_s = rises("blocked_outside_ns", settled_s, 1e-9)
    seeds[:, _OTHER] = before_s + np.clip(life_s - start_wait_s, 0.0, None) + blocked_s
    seeds = np.maximum(seeds, 0.0)  # differences of what was interpolated
    seeds[:, 0] = np.clip(wall_s - seeds.sum(axis=1), 0.0, None)
    return seeds


def _first_tick(row: np.void) -> np.uint64:
    """That of the begin of the record, at which nothing had been read of the kernel."""
    since = round((float(row["recording_s"]) - float(row["origin_s"])) / float(row["seconds_per_tick"]))
    return np.uint64((int(row["tick_origin"]) + since) % 2**64)


def _rises(edges_s: _Seconds, at_s: _Seconds, total: _Seconds) -> _Seconds:
    """By slice: the rise of what had come to `total` at the instants, even between two of them."""
    last = np.append(np.flatnonzero(np.diff(at_s) > 0), len(at_s) - 1)  # of several readings of one instant
    return np.diff(np.interp(edges_s, at_s[last], total[last]))


def _stretch(edges_s: _Seconds, from_s: _Seconds, to_s: _Seconds) -> _Seconds:
    if not np.isfinite(from_s).all():
        return np.zeros(len(edges_s) - 1)
    return spread_s(edges_s, from_s, to_s, np.ones(1))


def _fitted(seeds: _Seconds, wall_s: _Seconds, ledger_s: _Seconds) -> _Seconds:
    """The seeds, stretched in turn until the lines fill the slices and the slices add up to the lines (iterative
    proportional fitting). The lines are fitted last: they add up whatever comes."""
    ledger_s = np.maximum(ledger_s, 0.0)
    there = wall_s / max(float(wall_s.sum()), 1e-12)
    # What the ledger has and the record does not place in time: spread evenly.
    homeless = (seeds.sum(axis=0) <= 0) & (ledger_s > 0)
    fitted = np.where(homeless, there[:, np.newaxis] * ledger_s, seeds)
    # A line may have to go where nothing was seen of it: hardly, but not at all would leave holes.
    fitted = fitted + 1e-9 * wall_s[:, np.newaxis] * (ledger_s > 0)
    for _ in range(FITTINGS):
        fitted *= _ratio(wall_s, fitted.sum(axis=1))[:, np.newaxis]
        fitted *= _ratio(ledger_s, fitted.sum(axis=0))
    return fitted


def _ratio(wanted: _Seconds, present: _Seconds) -> _Seconds:
    return np.divide(wanted, present, out=np.zeros_like(wanted), where=present > 0)


def _phases(run: Run, readings: NDArray[np.void], edges_s: _Seconds) -> NDArray[np.int32] | None:
    """By slice: the number in force at the last reading in it, or before."""
    if not len(readings) or not readings["phases"].any():
        return None
    at_s = to_seconds(run.processes[0], readings["ticks"])
    last = np.searchsorted(at_s, edges_s[1:] - 0.5 * (edges_s[1] - edges_s[0]))
    phase: NDArray[np.int32] = readings["phase"][np.minimum(last, len(readings) - 1)]
    return phase
