"""One-sided calls with a target: locks, unlocks, flushes, and transfers that took long.

Most MPIs move a part of one-sided data by the target's own hands: only while the target is in a call of MPI. So what an
origin calls waits until the target, which is outside MPI, comes to its next call, if it still goes on then. Where it
ended before, nobody was needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.divisible_calls import NO_WAIT, Units, units_of
from clearway.run.layout import EventKind
from clearway.run.run import Run


def one_sided_units(run: Run) -> Units:
    """Every recorded one-sided call as a unit. Those that name no target (MPI_Win_flush_all) may wait for anybody."""
    events = run.events
    chosen = np.flatnonzero(events.kind == EventKind.ONE_SIDED)
    rank = events.peer[chosen]
    target = np.array([run.process_of_rank.get(one, -1) for one in rank.tolist()], np.int64)
    aligned = run.processes["aligned"]
    known = (target >= 0) & aligned[target] & aligned[events.process[chosen]]
    ready_s = np.full(len(chosen), NO_WAIT)
    for process in np.unique(target[known]).tolist():
        mine = known & (target == process) & (events.process[chosen] != process)
        ready_s[mine] = _when_it_came(run, process, chosen[mine])
    return units_of(events, chosen, ready_s, ~known)


def _when_it_came(run: Run, target: int, calls: NDArray[np.int64]) -> NDArray[np.float64]:
    """The target's next entry after that of each call, where it was outside MPI; NO_WAIT where it was not needed."""
    events = run.events
    own = np.flatnonzero(events.process == target)
    own = own[np.argsort(events.entry_s[own], kind="stable")]
    if not len(own):
        return np.full(len(calls), NO_WAIT)
    entry_s, left_s = events.entry_s[own], np.maximum.accumulate(events.exit_s[own])
    begin_s, end_s = events.entry_s[calls], events.exit_s[calls]
    following = np.searchsorted(entry_s, begin_s, side="right")
    outside = (following == 0) | (left_s[np.maximum(following - 1, 0)] <= begin_s)
    came_s = entry_s[np.minimum(following, len(own) - 1)]
    waited = outside & (following < len(own)) & (came_s <= end_s)
    return np.where(waited, came_s, NO_WAIT)
