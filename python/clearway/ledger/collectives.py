"""Collective calls: who had to wait for whom, and until when.

A synchronising collective lets nobody go before all have come: everyone waits for the last to enter. In one with a
root, data flows one way: MPI_Bcast and MPI_Scatter wait for the root only, in MPI_Reduce and MPI_Gather only
the root waits. MPI_Scan waits for the ranks below. What a neighbourhood collective waits for is not recorded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.divisible_calls import NO_WAIT, Units
from clearway.run.common_clock import SYNCHRONISING
from clearway.run.events import long_event_s
from clearway.run.layout import EventKind
from clearway.run.pairing import Collectives
from clearway.run.run import Run

FROM_ROOT = ("MPI_Bcast", "MPI_Scatter", "MPI_Scatterv")
TO_ROOT = ("MPI_Reduce", "MPI_Gather", "MPI_Gatherv")
FROM_BELOW = ("MPI_Scan", "MPI_Exscan")
# To make a communicator all members of the old one agree on a context id first, in every MPI we know.
NEW_COMMUNICATOR = ("MPI_Comm_split", "MPI_Comm_split_type", "MPI_Comm_dup", "MPI_Comm_dup_with_info")
# All members of a window come together in these; an assertion may let some go early, then they do not wait.
OVER_WINDOW = ("MPI_Win_fence", "MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared")


def collective_units(run: Run) -> Units:
    """Every recorded blocking collective call as a unit."""
    events, collectives = run.events, run.collectives
    ready_s = np.full(len(events), np.nan)
    if len(collectives):
        ready_s[collectives.events] = _ready(run, collectives)
    chosen = np.flatnonzero(events.kind == EventKind.COLLECTIVE)
    ready_s = ready_s[chosen]
    alone = np.array([c.size <= 1 and not c.inter for c in run.communicators.all])[events.comm[chosen]]
    alone &= events.comm[chosen] > 0
    ready_s[alone] = NO_WAIT
    unknown = np.isnan(ready_s)
    ready_s[unknown] = NO_WAIT
    return Units(
        event=chosen,
        process=events.process[chosen],
        function=events.function[chosen],
        comm=events.comm[chosen],
        kept=events.kept[chosen],
        entry_s=events.entry_s[chosen],
        exit_s=events.exit_s[chosen],
        ready_s=ready_s,
        open=unknown,
        run_delay_s=events.run_delay_s[chosen],
    )


def _ready(run: Run, collectives: Collectives) -> NDArray[np.float64]:
    """ready_s of each of `collectives.events`; NaN where it cannot be known."""
    position, first, counts = collectives.events, collectives.first[:-1], np.diff(collectives.first)
    entry_s, exit_s = run.events.entry_s[position], run.events.exit_s[position]
    last_entry = np.maximum.reduceat(entry_s, first)
    settled = collectives.whole | collectives.present
    if not run.processes["aligned"].all():
        settled &= np.logical_and.reduceat(run.processes["aligned"][run.events.process[position]], first)

    synchronising = run.functions.named(*SYNCHRONISING, *OVER_WINDOW, *NEW_COMMUNICATOR)[collectives.function]
    estimated = np.where(collectives.whole, last_entry, _bounded_entry(run, collectives, last_entry))
    ready = np.repeat(np.where(synchronising & settled, estimated, np.nan), counts)
    if not collectives.whole.all():
        # Only of long calls can it be said that those who are missing came late.
        brief = exit_s - entry_s <= long_event_s(run.event_level)
        ready[brief & ~np.repeat(collectives.whole, counts)] = np.nan

    whole = collectives.whole & settled
    _rooted(run, collectives, whole, entry_s, ready)
    below = whole & run.functions.named(*FROM_BELOW)[collectives.function]
    if below.any():
        _from_below(run, collectives, np.repeat(below, counts), entry_s, ready)
    return ready


def _bounded_entry(run: Run, collectives: Collectives, last_entry: NDArray[np.float64]) -> NDArray[np.float64]:
    """When the last member entered, where members are missing because their call was short.

    It was after the last entry that is known and before the first exit; those who are missing stayed about as
    long as short calls of this function on this communicator stay on average.
    """
    position, first = collectives.events, collectives.first[:-1]
    durations = run.events.duration_s[position]
    short = run.events.kept[position] & (durations <= long_event_s(run.event_level))
    communicators = len(run.communicators.all)
    kind = collectives.function.astype(np.int64) * communicators + collectives.comm
    _, kind = np.unique(kind, return_inverse=True)
    of_event = np.repeat(kind, np.diff(collectives.first))[short]
    number = np.bincount(of_event, minlength=kind.max() + 1)
    typical = np.bincount(of_event, durations[short], minlength=kind.max() + 1) / np.maximum(number, 1)
    first_exit = np.minimum.reduceat(run.events.exit_s[position], first)
    return np.maximum(last_entry, first_exit - typical[kind])


def _rooted(
    run: Run,
    collectives: Collectives,
    whole: NDArray[np.bool_],
    entry_s: NDArray[np.float64],
    ready: NDArray[np.float64],
) -> None:
    """Fills `ready` for collectives with a root (EventRecord.peer holds its world rank)."""
    from_root = run.functions.named(*FROM_ROOT)[collectives.function] & whole
    to_root = run.functions.named(*TO_ROOT)[collectives.function] & whole
    if not (from_root | to_root).any():
        return
    position, first, counts = collectives.events, collectives.first[:-1], np.diff(collectives.first)
    ranks = run.processes["rank"][run.events.process[position]]
    is_root = run.events.peer[position] == ranks
    has_root = np.logical_or.reduceat(is_root, first)
    root_entry = np.maximum.reduceat(np.where(is_root, entry_s, -np.inf), first)
    last_entry = np.maximum.reduceat(entry_s, first)

    waits_for_root = np.repeat(from_root & has_root, counts)
    ready[waits_for_root] = np.repeat(root_entry, counts)[waits_for_root]
    flows_to_root = np.repeat(to_root & has_root, counts)
    ready[flows_to_root] = NO_WAIT
    at_root = flows_to_root & is_root
    ready[at_root] = np.repeat(last_entry, counts)[at_root]


def _from_below(
    run: Run,
    collectives: Collectives,
    chosen: NDArray[np.bool_],
    entry_s: NDArray[np.float64],
    ready: NDArray[np.float64],
) -> None:
    """Fills `ready` for scans: the running maximum of the entries, in order of rank."""
    at = np.flatnonzero(chosen)
    instance = collectives.instance[at]
    order = np.lexsort((run.events.process[collectives.events[at]], instance))
    at, instance = at[order], instance[order]
    # Raised by more than the Run is long from one instance to the next, one running maximum serves them all.
    raised = entry_s[at] + instance * (entry_s[at].max() - entry_s[at].min() + 1.0)
    ready[at] = np.maximum.accumulate(raised) - (raised - entry_s[at])
