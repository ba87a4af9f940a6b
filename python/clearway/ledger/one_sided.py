"""One-sided calls: locks, unlocks, flushes, transfers that took long, and post, start, complete and wait of windows.

Most MPIs move a part of one-sided data by the target's own hands: only while the target is in a call of MPI. So what an
origin calls waits until the target, which is outside MPI, comes to its next call, if it still goes on then. Where it
ended before, nobody was needed.

Calls that name no target (MPI_Win_flush_all, MPI_Win_unlock_all) wait for the last of the members that were outside MPI
and came while they lasted. MPI_Win_start and MPI_Win_complete wait for the last MPI_Win_post that was made meanwhile,
MPI_Win_wait for the last MPI_Win_complete: the record does not have the groups that these calls name, but who came
later than the call ended is in none of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.divisible_calls import NO_WAIT, Units, units_of
from clearway.ledger.progress import when_it_came
from clearway.run.layout import EventKind
from clearway.run.run import Run

TO_ALL = ("MPI_Win_flush_all", "MPI_Win_flush_local_all", "MPI_Win_unlock_all", "MPI_Win_lock_all")
EPOCHS = {"MPI_Win_start": "MPI_Win_post", "MPI_Win_complete": "MPI_Win_post", "MPI_Win_wait": "MPI_Win_complete"}
MOST_MEMBERS = 512  # of a window: of more it would take long to look who came


def one_sided_units(run: Run) -> Units:
    """Every recorded one-sided call as a unit."""
    events = run.events
    chosen = np.flatnonzero(events.kind == EventKind.ONE_SIDED)
    rank = events.peer[chosen]
    target = np.array([run.process_of_rank.get(one, -1) for one in rank.tolist()], np.int64)
    aligned = run.processes["aligned"]
    known = (target >= 0) & aligned[target] & aligned[events.process[chosen]]
    ready_s = np.full(len(chosen), NO_WAIT)
    for process in np.unique(target[known]).tolist():
        mine = known & (target == process) & (events.process[chosen] != process)
        ready_s[mine] = when_it_came(run, process, chosen[mine])
    met_s = np.fmax(_any_member_came(run, chosen), _answered(run, chosen))
    met = ~known & np.isfinite(met_s) & aligned[events.process[chosen]]
    ready_s[met] = met_s[met]
    return units_of(events, chosen, ready_s, ~(known | met))


def _any_member_came(run: Run, calls: NDArray[np.int64]) -> NDArray[np.float64]:
    """When the last came of those that were outside MPI, for calls to all members of a window; else NO_WAIT."""
    events = run.events
    came_s = np.full(len(calls), NO_WAIT)
    to_all = run.functions.named(*TO_ALL)[events.function[calls]]
    for comm in np.unique(events.comm[calls[to_all]]).tolist():
        members = run.communicators.all[comm].members
        mine = np.flatnonzero(to_all & (events.comm[calls] == comm))
        for process in members if len(members) <= MOST_MEMBERS else ():
            asked = mine[events.process[calls[mine]] != process]
            came_s[asked] = np.fmax(came_s[asked], when_it_came(run, process, calls[asked]))
    return came_s


def _answered(run: Run, calls: NDArray[np.int64]) -> NDArray[np.float64]:
    """When the last call came that ends one of an epoch, if that was while it lasted; else NO_WAIT."""
    events = run.events
    came_s = np.full(len(calls), NO_WAIT)
    for asking, answering in EPOCHS.items():
        asks = run.functions.named(asking)[events.function[calls]]
        answers = calls[run.functions.named(answering)[events.function[calls]]]
        for comm in np.unique(events.comm[calls[asks]]).tolist():
            mine = np.flatnonzero(asks & (events.comm[calls] == comm))
            entry_s = np.sort(events.entry_s[answers[events.comm[answers] == comm]])
            last = np.searchsorted(entry_s, events.exit_s[calls[mine]], side="right") - 1
            last_s = np.append(entry_s, NO_WAIT)[last]  # none before: the place behind the last
            came_s[mine] = np.where(last_s > events.entry_s[calls[mine]], last_s, NO_WAIT)
    return came_s
