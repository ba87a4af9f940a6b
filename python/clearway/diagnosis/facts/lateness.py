"""Who was late to the collective calls of all ranks, call by call, and by how much longer it had been outside MPI."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.run.common_clock import SYNCHRONISING

MOST_OF_IT = 0.9  # of the waiting


@dataclass(frozen=True)
class Lateness:
    """The calls of one function on a communicator of all ranks, in order of time: arrays by call."""

    function: str
    wait_s: NDArray[np.float64]  # of all ranks together
    late: NDArray[np.int64]  # process that came last
    longest_s: NDArray[np.float64]  # that it had been outside MPI
    mean_s: NDArray[np.float64]  # that the ranks had been
    longer_s: NDArray[np.float64]  # of wait_s, what the late one was outside MPI longer than those that waited

    @property
    def decisive(self) -> int:
        """How many calls hold nine tenths of the waiting."""
        running = np.cumsum(np.sort(self.wait_s)[::-1])
        return int(np.searchsorted(running, MOST_OF_IT * running[-1])) + 1 if len(running) else 0


def lateness(case: Case) -> Lateness | None:
    """Of the function that was waited in most; None where not all calls are on record, or none is of all ranks."""
    run, collectives = case.run, case.run.collectives
    if run.event_level > 0 or not len(collectives) or not run.processes["aligned"].all():
        return None
    of_all = np.array([c.size == case.ranks and not c.inter for c in run.communicators.all])[collectives.comm]
    chosen = collectives.whole & of_all & run.functions.named(*SYNCHRONISING)[collectives.function]
    if not chosen.any():
        return None
    members = collectives.events[np.repeat(chosen, np.diff(collectives.first))].reshape(-1, case.ranks)
    process = run.events.process[members]
    members = np.take_along_axis(members, np.argsort(process, axis=1), axis=1)  # a column a process
    entry_s = run.events.entry_s[members]
    waits_s = entry_s.max(axis=1, keepdims=True) - entry_s
    functions = run.events.function[members[:, 0]]
    most = int(np.argmax(np.bincount(functions, waits_s.sum(axis=1))))
    outside_s = entry_s - _left_s(case, entry_s)
    mine = np.flatnonzero(functions == most)
    mine = mine[np.argsort(entry_s[mine].max(axis=1), kind="stable")]
    waits_s, outside_s, late = waits_s[mine], outside_s[mine], entry_s[mine].argmax(axis=1)
    longest_s = np.take_along_axis(outside_s, late[:, np.newaxis], axis=1)
    longer_s = np.minimum(waits_s, np.maximum(longest_s - outside_s, 0.0))
    return Lateness(
        function=run.functions.all[most].name,
        wait_s=waits_s.sum(axis=1),
        late=late,
        longest_s=longest_s[:, 0],
        mean_s=outside_s.mean(axis=1),
        longer_s=longer_s.sum(axis=1),
    )


def computing_share(case: Case, process: int) -> float:
    """Of what a process spent outside MPI beyond starting and stopping: computing, so far as it can be nothing else."""
    ledger = case.books.ledger
    blocked_s = float(ledger["other_s"][process] - ledger["other_s"].min())
    compute_s, delayed_s, io_s = (float(ledger[line][process]) for line in ("compute_s", "core_wait_s", "io_s"))
    all_s = compute_s + delayed_s + io_s + max(blocked_s, 0.0)
    return compute_s / all_s if all_s > 0 else 0.0


def _left_s(case: Case, entry_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """When each process last left an MPI call that is on record, before each of these entries."""
    events = case.run.events
    left_s = np.empty_like(entry_s)
    for process in range(case.ranks):
        exits_s = np.sort(events.exit_s[events.process == process])
        before = np.searchsorted(exits_s, entry_s[:, process], side="left") - 1
        begin_s = case.books.starting.exit_s[process]
        begin_s = begin_s if np.isfinite(begin_s) else case.run.processes["recording_s"][process]
        left_s[:, process] = np.where(before >= 0, exits_s[np.maximum(before, 0)], begin_s)
    return np.minimum(left_s, entry_s)
