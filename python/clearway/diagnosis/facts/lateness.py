"""Who was late to the collective calls of all ranks, call by call."""

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
    mine = np.flatnonzero(functions == most)
    mine = mine[np.argsort(entry_s[mine].max(axis=1), kind="stable")]
    return Lateness(run.functions.all[most].name, waits_s[mine].sum(axis=1), entry_s[mine].argmax(axis=1))
