"""Point to point: late senders, and late receivers where their record tells.

A receive waits until its message has been sent: until the sender entered its send. A call that completes many
receives (MPI_Waitall) waits for the last of them; so it does for a collective that was started. A probe waits until the
message that it finds was sent. Polls that find nothing until one finds something are one call, from the first of them.
A blocking send waits for its receiver only if it had not ended before the receiver came, be it with MPI_Recv or by
posting MPI_Irecv. Of one that had posted MPI_Irecv and went on outside MPI it waits for the next call, in which that
one's MPI can take the data.

In a sample a long call is on record, the short one of its partner mostly not: that one came when the call was nearly
over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.collectives import estimate_long, started_ready
from clearway.ledger.divisible_calls import NO_WAIT, Units, units_of
from clearway.ledger.progress import when_it_came
from clearway.run.events import long_event_s
from clearway.run.layout import EventKind, FunctionClass
from clearway.run.pairing import Messages
from clearway.run.run import Run

ARRIVALS = (EventKind.RECEIVE, EventKind.COMPLETED, EventKind.PROBED)  # what a call may have waited for
ENDS = (EventKind.SEND, EventKind.POSTED, *ARRIVALS)
SMALLEST_EAGER_BYTES = 4096  # every MPI sends up to this much without asking the receiver
ENOUGH = 5  # messages whose both ends are known: they tell how long others take when both ends have come


def message_units(run: Run) -> Units:
    """Every recorded call that sent or received messages and may have waited for its partner."""
    events, classes = run.events, run.functions.classes()
    of_class = classes[events.function]
    returns_at_once = (of_class == FunctionClass.START) | (of_class == FunctionClass.COLLECTIVE_START)
    chosen = np.flatnonzero(np.isin(events.kind, ENDS) & ~returns_at_once)
    ready_s, is_open = _messages_ready(run, of_class)

    span_s = float(run.processes["end_s"].max() - run.processes["begin_s"].min()) + 2.0
    key = events.process[chosen] * span_s + events.entry_s[chosen]
    chosen = chosen[np.argsort(key)]
    process, entry_s = events.process[chosen], events.entry_s[chosen]
    begins = np.ones(len(chosen), np.bool_)
    begins[1:] = (process[1:] != process[:-1]) | (entry_s[1:] != entry_s[:-1])
    first = np.flatnonzero(begins)
    one = chosen[first]
    if not len(first):
        return units_of(events, one, np.empty(0), np.empty(0, np.bool_), np.empty(0, np.float32))
    # The send half of MPI_Sendrecv says nothing that its receive half does not say better.
    receives = np.isin(events.kind[chosen], ARRIVALS)
    has_receive = np.logical_or.reduceat(receives, first)
    counts = np.diff(np.append(first, len(chosen)))
    counted = receives | ~np.repeat(has_receive, counts)
    return units_of(
        events,
        one,
        np.maximum.reduceat(np.where(counted, ready_s[chosen], NO_WAIT), first),
        np.logical_or.reduceat(is_open[chosen] & counted, first),
        np.maximum.reduceat(events.run_delay_s[chosen], first),
    )


def _messages_ready(run: Run, of_class: NDArray[np.int16]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """By event: until when this message kept its call waiting, and whether that may not be all."""
    events = run.events
    ready_s = np.full(len(events), NO_WAIT)
    is_open = np.isin(events.kind, ARRIVALS) | (events.bytes > SMALLEST_EAGER_BYTES)
    started_s = started_ready(run)
    known = ~np.isnan(started_s)
    ready_s[known] = started_s[known]
    is_open[known] = False
    sends, probes = comparable(run, run.probes)
    ready_s[probes] = events.entry_s[sends]
    is_open[probes] = False
    sends, receives = comparable(run, run.messages)
    ready_s[receives] = events.entry_s[sends]
    is_open[receives] = False
    posts_itself = np.isin(of_class[receives], (FunctionClass.RECEIVE, FunctionClass.SEND_RECEIVE))
    _meet_receiver(run, sends[posts_itself], receives[posts_itself], ready_s, is_open)
    _meet_receiver(run, *comparable(run, run.posts), ready_s, is_open)
    _meet_progress(run, of_class, ready_s, is_open)
    _meet_who_came_briefly(run, of_class, ready_s, is_open)
    return ready_s, is_open


def _meet_receiver(
    run: Run,
    sends: NDArray[np.int64],
    posts: NDArray[np.int64],
    ready_s: NDArray[np.float64],
    is_open: NDArray[np.bool_],
) -> None:
    """Settles sends whose receive was posted at a known moment: before their end, or too late to matter to them."""
    events = run.events
    is_open[sends] = False
    met = events.entry_s[posts] <= events.exit_s[sends]
    ready_s[sends[met]] = events.entry_s[posts[met]]


def _meet_progress(
    run: Run, of_class: NDArray[np.int16], ready_s: NDArray[np.float64], is_open: NDArray[np.bool_]
) -> None:
    """Settles large sends that were still there when a receiver that had been outside MPI came to its next call.

    Only where all calls of that time are on record.
    """
    events, aligned = run.events, run.processes["aligned"]
    large = (events.kind == EventKind.SEND) & (events.bytes > SMALLEST_EAGER_BYTES) & events.kept
    sends = np.flatnonzero(large & (of_class == FunctionClass.SEND) & aligned[events.process])
    receiver = np.array([run.process_of_rank.get(rank, -1) for rank in events.peer[sends].tolist()], np.int64)
    for process in np.unique(receiver[receiver >= 0]).tolist():
        mine = sends[(receiver == process) & (events.process[sends] != process)]
        if aligned[process]:
            came_s = when_it_came(run, process, mine)
            is_open[mine[np.isfinite(came_s)]] = False
            ready_s[mine] = np.maximum(ready_s[mine], came_s)


def _meet_who_came_briefly(
    run: Run, of_class: NDArray[np.int16], ready_s: NDArray[np.float64], is_open: NDArray[np.bool_]
) -> None:
    """Settles long calls of which the other end is not on record, since all that its process did then was short.

    Who was itself in a long call of MPI took part in the transfer, as far as is known: such sends stay open.
    """
    events = run.events
    if run.event_level == 0:
        return
    calls = np.flatnonzero(
        (events.kind == EventKind.SEND) & (of_class == FunctionClass.SEND) & (events.bytes > SMALLEST_EAGER_BYTES)
        | np.isin(events.kind, ARRIVALS)
    )
    filled_s = ready_s.copy()
    filled = estimate_long(run, calls, filled_s, ~is_open[calls], ENOUGH)
    partner = np.array([run.process_of_rank.get(rank, -1) for rank in events.peer[filled].tolist()], np.int64)
    free = (partner >= 0) & run.processes["aligned"][events.process[filled]]
    sends = events.kind[filled] == EventKind.SEND
    for process in np.unique(partner[free & sends]).tolist():
        mine = free & sends & (partner == process)
        free[mine] &= ~_in_a_long_call(run, process, filled[mine])
    settled = filled[free]
    ready_s[settled] = filled_s[settled]
    is_open[settled] = False


def _in_a_long_call(run: Run, process: int, calls: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether it was in one when each of these began."""
    events = run.events
    own = np.flatnonzero((events.process == process) & (events.duration_s > long_event_s(run.event_level)))
    own = own[np.argsort(events.entry_s[own], kind="stable")]
    if not len(own):
        return np.zeros(len(calls), np.bool_)
    before = np.searchsorted(events.entry_s[own], events.entry_s[calls], side="right") - 1
    inside: NDArray[np.bool_] = (before >= 0) & (events.exit_s[own[before]] > events.entry_s[calls])
    return inside


def comparable(run: Run, messages: Messages) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Both ends of the messages whose clocks can be compared."""
    process, aligned = run.events.process, run.processes["aligned"]
    if aligned.all():
        return messages.sends, messages.receives
    both = aligned[process[messages.sends]] & aligned[process[messages.receives]]
    return messages.sends[both], messages.receives[both]
