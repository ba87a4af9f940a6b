"""Which recorded calls belong together: the members of one collective, the two ends of one message."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.base.distinct import distinct
from clearway.run.events import NO_SEQUENCE, Events, mix
from clearway.run.layout import EventKind
from clearway.run.names import Communicators


@dataclass(frozen=True, slots=True)
class Collectives:
    """Instances of collective calls. Instance i is `events[first[i] : first[i + 1]]`, positions in Run.events.

    `whole`: every member's event is there, once. `present`: every member has a record, though perhaps not of
    this call. Instances whose members called different functions do not belong together and are not here.
    """

    events: NDArray[np.int64]
    first: NDArray[np.int64]  # one longer than there are instances
    function: NDArray[np.int32]
    comm: NDArray[np.int32]
    whole: NDArray[np.bool_]
    present: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.function)

    @property
    def instance(self) -> NDArray[np.int64]:
        """The instance of each element of `events`."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))


@dataclass(frozen=True, slots=True)
class Messages:
    """Messages of which both ends are recorded: `sends[i]` and `receives[i]` are positions in Run.events.

    The receiving end is the call that completed the receive, or the one that posted it, or a probe that found it.
    """

    sends: NDArray[np.int64]
    receives: NDArray[np.int64]


def find_collectives(
    events: Events, communicators: Communicators, kind: EventKind = EventKind.COLLECTIVE
) -> Collectives:
    """Collective events by (communicator, sequence number). Inter-communicators are left out: two groups, two rules.

    Of EventKind.STARTED the tag tells the starts of a persistent one apart.
    """
    sizes = np.array([0 if c.inter else c.size for c in communicators.all], np.int64)
    present_members = np.array([len(c.members) for c in communicators.all], np.int64)
    chosen = np.flatnonzero((events.kind == kind) & (sizes[events.comm] > 0))
    key = events.comm[chosen].astype(np.int64) << 32 | events.seq[chosen]
    chosen = chosen[np.lexsort((events.tag[chosen], key))]
    key = events.comm[chosen].astype(np.int64) << 32 | events.seq[chosen]
    begins = (np.diff(key, prepend=-1) != 0) | (np.diff(events.tag[chosen], prepend=0) != 0)
    first = np.append(np.flatnonzero(begins), len(chosen))
    counts = np.diff(first)
    function = events.function[chosen]
    comm = events.comm[chosen][first[:-1]]
    # Members are distinct and of one mind: sorted stably, a repeated process stands next to itself.
    repeated = np.zeros(len(chosen), np.bool_)
    repeated[1:] = (events.process[chosen][1:] == events.process[chosen][:-1]) & ~begins[1:]
    differs = function != np.repeat(function[first[:-1]], counts)
    good = np.ones(len(counts), np.bool_)
    if len(counts):
        good = ~np.logical_or.reduceat(repeated | differs, first[:-1]) & (counts <= sizes[comm])
    kept = np.repeat(good, counts)
    counts, comm, function = counts[good], comm[good], function[first[:-1]][good]
    return Collectives(
        events=chosen[kept],
        first=np.append(0, np.cumsum(counts)),
        function=function,
        comm=comm,
        whole=counts == sizes[comm],
        present=present_members[comm] == sizes[comm],
    )


def find_messages(events: Events, ranks: NDArray[np.int32], receiving_end: EventKind = EventKind.RECEIVE) -> Messages:
    """Sends with the receives (or, for EventKind.POSTED, the posts, for PROBED the probes) that belong to them.

    `ranks` is the rank by process index. A message is known by communicator, both ranks, tag and number; a hash
    of these stands for them (among 10 million messages the chance of one false pair is some 1e-6).
    """
    numbered = (events.seq != NO_SEQUENCE) & (events.peer >= 0) & (events.comm > 0)
    sends = np.flatnonzero(numbered & (events.kind == EventKind.SEND))
    receives = np.flatnonzero(numbered & (events.kind == receiving_end))
    if receiving_end == EventKind.PROBED:
        receives = _first_of_each(events, receives)
    if not len(sends) or not len(receives):
        return Messages(np.empty(0, np.int64), np.empty(0, np.int64))
    send_key = _message_key(events, sends, ranks[events.process[sends]], events.peer[sends])
    receive_key = _message_key(events, receives, events.peer[receives], ranks[events.process[receives]])
    both = np.concatenate([send_key, receive_key])
    order = np.argsort(both)
    ordered = both[order]
    same = np.zeros(len(both) + 1, np.bool_)  # as the one before; False at both ends
    same[1:-1] = ordered[1:] == ordered[:-1]
    # Two that have no third: a number that wrapped occurs more often, and its messages cannot be told apart.
    first = np.flatnonzero(same[1:] & ~same[:-1] & ~np.append(same[2:], False))
    one, other = np.minimum(order[first], order[first + 1]), np.maximum(order[first], order[first + 1])
    ends = (one < len(sends)) & (other >= len(sends))
    return Messages(sends[one[ends]], receives[other[ends] - len(sends)])


def _first_of_each(events: Events, probes: NDArray[np.int64]) -> NDArray[np.int64]:
    """A message may be found several times before it is received: only the first may have waited for it."""
    probes = probes[np.lexsort((events.entry_s[probes], events.process[probes]))]
    columns = (events.process, events.comm, events.peer, events.tag, events.seq)
    first, _ = distinct(*(column[probes] for column in columns))
    return probes[np.sort(first)]


def _message_key(
    events: Events, chosen: NDArray[np.int64], source: NDArray[np.int32], target: NDArray[np.int32]
) -> NDArray[np.uint64]:
    ends = source.astype(np.uint32).astype(np.uint64) << np.uint64(32) | target.astype(np.uint32).astype(np.uint64)
    tag = events.tag[chosen].astype(np.uint32).astype(np.uint64) << np.uint64(32) | events.seq[chosen].astype(np.uint64)
    key = mix(ends) ^ tag
    key = mix(key) ^ events.comm[chosen].astype(np.uint64)
    return mix(key)
