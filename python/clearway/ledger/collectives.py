"""Collective calls: who had to wait for whom, and until when.

A synchronising collective lets nobody go before all have come: everyone waits for the last to enter. In one with a
root, data flows one way: MPI_Bcast and MPI_Scatter wait for the root, in MPI_Reduce and MPI_Gather the root waits; and
whoever gets its data, or gives it, through a rank that comes late waits for that one. MPI_Scan waits for the ranks
below. In a neighbourhood collective a rank waits for those that it receives from. A collective that one call starts and
another completes waits for the same, in the call that completes it: until the others have started it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.base.distinct import distinct
from clearway.ledger.divisible_calls import NO_WAIT, Units, units_of
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
# So they do in these, unless the MPI lets those go early that have no place in the new one: these do not wait.
NEW_SHAPE = (
    "MPI_Comm_create",
    "MPI_Cart_create",
    "MPI_Cart_sub",
    "MPI_Graph_create",
    "MPI_Dist_graph_create",
    "MPI_Dist_graph_create_adjacent",
    "MPI_Intercomm_merge",
)
# All members of a window come together in these; an assertion may let some go early, then they do not wait.
OVER_WINDOW = ("MPI_Win_fence", "MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared")
# All that opened a file come together in these, unless the MPI lets some go early: then these do not wait.
OVER_FILE = (
    "MPI_File_open",
    "MPI_File_close",
    "MPI_File_read_all",
    "MPI_File_read_at_all",
    "MPI_File_write_all",
    "MPI_File_write_at_all",
    "MPI_File_sync",
    "MPI_File_set_size",
    "MPI_File_set_view",
    "MPI_File_preallocate",
)
# So they do here, and then wait for processes that are started, or connect: see newcomers.py.
FOR_NEWCOMERS = ("MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept", "MPI_Comm_connect")
MAY_GO_EARLY = (*NEW_SHAPE, *OVER_FILE, *FOR_NEWCOMERS)

NEIGHBOURS = (
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoall",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",
)


TREE_WAIT = 2.0  # times the usual length of a call: what is longer is waiting


def collective_units(run: Run) -> Units:
    """Every recorded blocking collective call as a unit."""
    events, collectives = run.events, run.collectives
    ready_s = np.full(len(events), np.nan)
    if len(collectives):
        ready_s[collectives.events] = _ready(run, collectives, blocking=True)
    chosen = np.flatnonzero(events.kind == EventKind.COLLECTIVE)
    ready_s = ready_s[chosen]
    alone = np.array([c.size <= 1 and not c.inter for c in run.communicators.all])[events.comm[chosen]]
    alone &= events.comm[chosen] > 0
    ready_s[alone] = NO_WAIT
    unknown = np.isnan(ready_s)
    ready_s[unknown] = NO_WAIT
    return units_of(events, chosen, ready_s, unknown)


def started_ready(run: Run) -> NDArray[np.float64]:
    """By event that completes a collective: when all that it needed had been started; NaN where it cannot be known."""
    events, started = run.events, run.started
    ready_s = np.full(len(events), np.nan)
    ends = np.flatnonzero(events.kind == EventKind.COMPLETED)
    if not len(started) or not len(ends):
        return ready_s
    known_s = _ready(run, started, blocking=False)
    own = begun_by(run, ends)
    ready_s[ends] = np.where(own >= 0, known_s[own], np.nan)
    _until_all_complete(run, ends, np.where(own >= 0, started.instance[own], -1), ready_s)
    estimate_long(run, ends, ready_s, ~np.isnan(ready_s[ends]))
    return ready_s


def begun_by(run: Run, ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of events that complete a collective: the place in `run.started.events` of the call that started it, or -1."""
    events, begins = run.events, run.started.events
    both = np.concatenate([begins, ends])
    columns = [column[both].astype(np.int64) for column in (events.process, events.comm, events.seq, events.tag)]
    _, number = distinct(*columns)
    begun, number = number[: len(begins)], number[len(begins) :]
    start = np.full(int(max(begun.max(initial=0), number.max(initial=0))) + 1, -1)  # place in `begins`, by number
    start[begun] = np.arange(len(begins))
    return start[number]


def _until_all_complete(
    run: Run, ends: NDArray[np.int64], instance: NDArray[np.int64], ready_s: NDArray[np.float64]
) -> None:
    """Raises `ready_s` where nobody could complete before the last had come to complete as well.

    Most MPIs move data only inside their calls: what all have started goes on when the last is back from computing.
    """
    events, started = run.events, run.started
    ends, instance = ends[instance >= 0], instance[instance >= 0]
    size = len(started)
    number = np.bincount(instance, minlength=size)
    last_entry, first_exit = np.full(size, -np.inf), np.full(size, np.inf)
    np.maximum.at(last_entry, instance, events.entry_s[ends])
    np.minimum.at(first_exit, instance, events.exit_s[ends])
    together = started.whole & (number == np.diff(started.first)) & (first_exit >= last_entry)
    together &= named_operations(run, *SYNCHRONISING)[started.function]
    raised = together[instance] & ~np.isnan(ready_s[ends])
    ready_s[ends[raised]] = np.maximum(ready_s[ends[raised]], last_entry[instance[raised]])


def estimate_long(
    run: Run, calls: NDArray[np.int64], ready_s: NDArray[np.float64], known: NDArray[np.bool_], fewest: int = 1
) -> NDArray[np.int64]:
    """Fills `ready_s` of long calls to which the events of others are missing: these were short, and not sampled.

    Others of their function, communicator and about their size, whose partners are `known`, tell how long such a call
    goes on when all have come: `fewest` of them at least. Returns the events that it could fill.
    """
    events = run.events
    long = ~known & (events.duration_s[calls] > long_event_s(run.event_level)) & (run.event_level > 0)
    if not long.any() or not known.any():
        return np.empty(0, np.int64)
    size = np.frexp(events.bytes[calls].astype(np.float64))[1]
    first, number = distinct(events.function[calls], events.comm[calls], size)
    after_s = events.exit_s[calls] - np.maximum(events.entry_s[calls], ready_s[calls])
    after_s = np.maximum(after_s[known], 0.0)
    counts = np.bincount(number[known], minlength=len(first))
    typical_s = np.bincount(number[known], after_s, minlength=len(first)) / np.maximum(counts, 1)
    fill = long & (counts[number] >= fewest)
    ready_s[calls[fill]] = events.exit_s[calls[fill]] - typical_s[number[fill]]
    return calls[fill]


def synchronises(run: Run) -> NDArray[np.bool_]:
    """By function number: whether no member leaves it before all have come."""
    return named_operations(run, *SYNCHRONISING, *OVER_WINDOW, *NEW_COMMUNICATOR, *MAY_GO_EARLY)


def named_operations(run: Run, *names: str) -> NDArray[np.bool_]:
    """By function number: whether it is one of these operations, be it blocking, started, or persistent."""
    return np.array([_operation(function.name) in names for function in run.functions.all], np.bool_)


def _operation(name: str) -> str:
    """MPI_Iallreduce_c and MPI_Allreduce_init_c are MPI_Allreduce."""
    name = name.removesuffix("_c").removesuffix("_init").replace("MPI_Comm_idup", "MPI_Comm_dup")
    return "MPI_" + name[5:].capitalize() if name.startswith("MPI_I") else name


def _ready(run: Run, collectives: Collectives, blocking: bool) -> NDArray[np.float64]:
    """ready_s of each of `collectives.events`; NaN where it cannot be known.

    The exits of calls that only start a collective say nothing of it.
    """
    position, first, counts = collectives.events, collectives.first[:-1], np.diff(collectives.first)
    entry_s, exit_s = run.events.entry_s[position], run.events.exit_s[position]
    last_entry = np.maximum.reduceat(entry_s, first)
    settled = collectives.whole | collectives.present
    if not run.processes["aligned"].all():
        settled &= np.logical_and.reduceat(run.processes["aligned"][run.events.process[position]], first)

    synchronising = synchronises(run)[collectives.function]
    bounded = _bounded_entry(run, collectives, last_entry) if blocking else np.nan
    estimated = np.where(collectives.whole, last_entry, bounded)
    ready = np.repeat(np.where(synchronising & settled, estimated, np.nan), counts)
    if not collectives.whole.all():
        # Only of long calls can it be said that those who are missing came late.
        brief = exit_s - entry_s <= long_event_s(run.event_level)
        ready[brief & ~np.repeat(collectives.whole, counts)] = np.nan

    may_go = np.repeat(named_operations(run, *MAY_GO_EARLY)[collectives.function], counts)
    ready[may_go & (exit_s < np.repeat(last_entry, counts))] = NO_WAIT
    whole = collectives.whole & settled
    _rooted(run, collectives, whole, entry_s, ready)
    if blocking:  # the exits of calls that only start one say nothing
        rooted = whole & named_operations(run, *FROM_ROOT, *TO_ROOT)[collectives.function]
        _along_trees(run, collectives, np.repeat(rooted, counts), entry_s, ready)
    below = whole & named_operations(run, *FROM_BELOW)[collectives.function]
    if below.any():
        _from_below(run, collectives, np.repeat(below, counts), entry_s, ready)
    around = settled & named_operations(run, *NEIGHBOURS)[collectives.function]
    if around.any():
        _from_neighbours(run, collectives, np.repeat(around, counts), entry_s, ready)
        if blocking:
            calls = position[np.repeat(around, counts)]
            by_event = np.full(len(run.events), np.nan)
            by_event[position] = ready
            estimate_long(run, calls, by_event, ~np.isnan(by_event[calls]))
            ready = by_event[position]
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
    from_root = named_operations(run, *FROM_ROOT)[collectives.function] & whole
    to_root = named_operations(run, *TO_ROOT)[collectives.function] & whole
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


def _along_trees(
    run: Run,
    collectives: Collectives,
    chosen: NDArray[np.bool_],
    entry_s: NDArray[np.float64],
    ready: NDArray[np.float64],
) -> None:
    """Raises `ready` where data flow through ranks between the root and the others, and one of these came late.

    Which ranks those are is the MPI's secret. But who was still inside when another came, and had been for much longer
    than such a call takes once all are there, waited for that one.
    """
    at = np.flatnonzero(chosen)
    if not len(at):
        return
    position, instance = collectives.events[at], collectives.instance[at]
    entry, exit_s = entry_s[at], run.events.exit_s[position]
    usual_s = _usual_s(run, collectives, position, instance, entry, exit_s)
    last = last_while_inside(instance, entry, exit_s)
    since_s = np.maximum(entry, ready[at])
    waited = entry[last] - since_s > TREE_WAIT * usual_s
    ready[at[waited]] = entry[last[waited]]


def last_while_inside(
    instance: NDArray[np.integer], entry_s: NDArray[np.float64], exit_s: NDArray[np.float64]
) -> NDArray[np.int64]:
    """By call: the place of the last call of its instance to begin while it lasted; itself, where none did."""
    if not len(instance):
        return np.zeros(0, np.int64)
    # Raised by more than the Run is long from one instance to the next, one sorted column serves them all.
    lowest_s = float(entry_s.min())
    apart_s = float(max(exit_s.max(), entry_s.max())) - lowest_s + 1.0
    order = np.argsort(entry_s - lowest_s + instance * apart_s, kind="stable")
    others = (entry_s - lowest_s + instance * apart_s)[order]
    last = order[np.searchsorted(others, exit_s - lowest_s + instance * apart_s, side="left") - 1]
    here = (instance[last] == instance) & (entry_s[last] > entry_s)
    return np.where(here, last, np.arange(len(instance)))


def _usual_s(
    run: Run,
    collectives: Collectives,
    position: NDArray[np.int64],
    instance: NDArray[np.int64],
    entry_s: NDArray[np.float64],
    exit_s: NDArray[np.float64],
) -> NDArray[np.float64]:
    """By call: how long one of its function, communicator and about its size goes on when all have come; the median."""
    last_s = np.full(len(collectives), -np.inf)
    np.maximum.at(last_s, instance, entry_s)
    after_s = exit_s - last_s[instance]
    size = np.frexp(run.events.bytes[position].astype(np.float64))[1]
    _, kind = distinct(collectives.function[instance], collectives.comm[instance], size)
    known = after_s > 0
    order = np.lexsort((after_s[known], kind[known]))
    counts = np.bincount(kind[known], minlength=int(kind.max()) + 1)
    middle = np.append(0, np.cumsum(counts)[:-1]) + counts // 2
    usual_s = np.full(len(counts), np.inf)
    usual_s[counts > 0] = after_s[known][order][middle[counts > 0]]
    return usual_s[kind]


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


def _from_neighbours(
    run: Run,
    collectives: Collectives,
    chosen: NDArray[np.bool_],
    entry_s: NDArray[np.float64],
    ready: NDArray[np.float64],
) -> None:
    """Fills `ready` for neighbourhood collectives: the last entry of those that a rank receives from."""
    comm = np.repeat(collectives.comm, np.diff(collectives.first))
    for number in np.unique(comm[chosen]).tolist():
        at = np.flatnonzero(chosen & (comm == number))
        members, column = np.unique(run.events.process[collectives.events[at]], return_inverse=True)
        instances, row = np.unique(collectives.instance[at], return_inverse=True)
        entries = np.full((len(instances), len(members)), np.nan)
        entries[row, column] = entry_s[at]
        place = {process: index for index, process in enumerate(members.tolist())}
        latest = np.full_like(entries, np.nan)
        for process, index in place.items():
            sources = run.sources.get((process, number))
            processes = [run.process_of_rank.get(rank, -1) for rank in sources or ()]
            if sources is not None and all(source in place for source in processes):
                own = [place[source] for source in processes]
                latest[:, index] = entries[:, own].max(axis=1) if own else NO_WAIT
        ready[at] = latest[row, column]
