"""For whom each call had to wait: what others must have entered before it went on.

The members of a collective for all of them, or for the root, or the root for them; a receive and a probe for the send;
a blocking send for the receive. Where data flow along a tree, who was still inside when another came may have waited
for that one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.collectives import (
    FROM_ROOT,
    TO_ROOT,
    begun_by,
    last_while_inside,
    named_operations,
    synchronises,
)
from clearway.ledger.point_to_point import ARRIVALS, comparable
from clearway.run import Run
from clearway.run.layout import EventKind, FunctionClass
from clearway.run.pairing import Collectives

NO_CALL = -1
SAME_INSTANT_S = 1e-6
LONG_BYTES = 65536  # more than MPIs send before the receiver has asked for it, as they are set up

_Seconds = NDArray[np.float64]
_Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of different length: row i is `values[first[i] : first[i + 1]]`."""

    first: _Numbers  # one longer than there are rows
    values: _Numbers

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def number(self) -> _Numbers:
        """The row of each of `values`."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))


def _rows(number: _Numbers, values: _Numbers, count: int) -> Rows:
    """Of `count` rows; in a row, the order stays."""
    order = np.argsort(number, kind="stable")
    return Rows(np.searchsorted(number[order], np.arange(count + 1)), values[order])


class Needs:
    """Columns are by call. A need is a call, or from their number on a meeting: several calls that all must come."""

    def __init__(
        self,
        run: Run,
        process: _Numbers,
        stretch: _Numbers,
        entry_s: _Seconds,
        exit_s: _Seconds,
        call_of: _Numbers,  # by event
    ) -> None:
        self.run, self.process, self.stretch, self.call_of = run, process, stretch, call_of
        self.entry_s, self.exit_s = entry_s, exit_s
        self._needs: list[tuple[_Numbers, _Numbers]] = []  # calls, and what each needs
        self._members: list[_Numbers] = []  # of one meeting after the other
        self._sizes: list[_Numbers] = []
        self._last_s: list[_Seconds] = []  # by meeting: when the last came
        self._count = 0  # of meetings
        self.all_meet = self._of_collectives()
        self._of_messages()

    def of_call(self) -> Rows:
        nothing = np.zeros(0, np.int64)
        calls = np.concatenate([nothing, *(calls for calls, _ in self._needs)])
        needs = np.concatenate([nothing, *(needs for _, needs in self._needs)])
        return _rows(calls, needs, len(self.process))

    def meetings(self) -> Rows:
        sizes = np.concatenate([np.zeros(1, np.int64), *self._sizes])
        return Rows(np.cumsum(sizes), np.concatenate([np.zeros(0, np.int64), *self._members]))

    def explain(self, wait_s: _Seconds, ready_s: _Seconds, is_end: NDArray[np.bool_]) -> _Seconds:
        """By call: the waiting that its needs explain. Where they do not reach, whoever came at that instant is one."""
        known_s = self._latest_s() - self.entry_s
        short = np.flatnonzero(wait_s > np.maximum(known_s, 0.0) + SAME_INSTANT_S)
        order = np.argsort(self.entry_s, kind="stable")
        entry_s = self.entry_s[order]
        place = np.searchsorted(entry_s, ready_s[short] - 1e-9)
        end = np.searchsorted(entry_s, ready_s[short] + 1e-9, side="right")
        searching = np.arange(len(short))
        while len(searching := searching[place[searching] < end[searching]]):
            call, other = short[searching], order[place[searching]]
            is_it = (self.process[other] != self.process[call]) & ~is_end[other]
            self._need(call[is_it], other[is_it])
            searching = searching[~is_it]
            place[searching] += 1
        known_s = self._latest_s() - self.entry_s
        result: _Seconds = np.clip(known_s, 0.0, self.exit_s - self.entry_s)
        return result

    def _latest_s(self) -> _Seconds:
        """By call: when the last came of those that it needs."""
        entered_s = np.concatenate([self.entry_s, *self._last_s])
        latest_s = np.full(len(self.process), -np.inf)
        for calls, needs in self._needs:
            np.maximum.at(latest_s, calls, entered_s[needs])
        return latest_s

    def _of_collectives(self) -> NDArray[np.bool_]:
        """Adds what collective calls need; says in which calls all processes come together."""
        run = self.run
        all_meet = np.zeros(len(self.process), np.bool_)
        events, started = run.events, run.started
        of_all = np.array([c.size == len(run.processes) and not c.inter for c in run.communicators.all], np.bool_)
        synchronising = synchronises(run)
        for found in (run.collectives, started):
            chosen = self._whole(found)
            number, calls = found.instance, self.call_of[found.events]
            meeting = chosen & synchronising[found.function]
            if found is started:
                self._meet(number, calls, meeting, *self._completing())
                continue
            self._meet(number, calls, meeting, number, calls)
            all_meet[calls[(meeting & of_all[found.comm])[number]]] = True
            is_root = events.peer[found.events] == run.processes["rank"][events.process[found.events]]
            for names, flows_out in ((FROM_ROOT, True), (TO_ROOT, False)):
                rooted = chosen & named_operations(run, *names)[found.function]
                among = rooted[number]
                roots = np.full(len(found), NO_CALL, np.int64)
                roots[number[among & is_root]] = calls[among & is_root]
                rooted &= roots >= 0
                among = rooted[number]
                if flows_out:
                    self._need(calls[among], roots[number[among]])
                else:
                    self._meet(number, calls, rooted, np.flatnonzero(rooted), roots[rooted])
                self._need_those_between(number[among], calls[among])
        return all_meet

    def _need_those_between(self, instance: _Numbers, calls: _Numbers) -> None:
        """Data flow along a tree: who was still in the call when another came may have waited for that one."""
        self._need(calls, calls[last_while_inside(instance, self.entry_s[calls], self.exit_s[calls])])

    def _whole(self, found: Collectives) -> NDArray[np.bool_]:
        """By instance: all members' calls are here, in one stretch, on clocks that can be compared."""
        if not len(found) or not len(self.stretch):  # a job may meet in MPI-IO only, which is no call here
            return np.zeros(len(found), np.bool_)
        call = self.call_of[found.events]
        good = (call >= 0) & self.run.processes["aligned"][self.run.events.process[found.events]]
        stretch = self.stretch[np.maximum(call, 0)]
        first = found.first[:-1]
        together = np.minimum.reduceat(stretch, first) == np.maximum.reduceat(stretch, first)
        result: NDArray[np.bool_] = found.whole & np.logical_and.reduceat(good, first) & together
        return result

    def _completing(self) -> tuple[_Numbers, _Numbers]:
        """The calls that complete started collectives: the instance of each, and the call."""
        ends = np.flatnonzero(self.run.events.kind == EventKind.COMPLETED)
        if not len(ends) or not len(self.run.started):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        own = begun_by(self.run, ends)
        calls = self.call_of[ends]
        known = (calls >= 0) & (own >= 0)
        return self.run.started.instance[own[known]], calls[known]

    def _meet(
        self,
        instance: _Numbers,
        members: _Numbers,
        chosen: NDArray[np.bool_],  # by instance
        of_waiting: _Numbers,
        waiting: _Numbers,
    ) -> None:
        """Members of an instance meet: those `waiting` go on when all have come. `instance` and `of_waiting` tell of
        each member, and of each that waits, where it belongs; members are in the order of their instances.
        """
        sizes = np.bincount(instance, minlength=len(chosen))
        chosen = chosen & (sizes >= 2)
        meet, waits = chosen[instance], chosen[of_waiting]
        last_s = np.full(len(chosen), -np.inf)
        np.maximum.at(last_s, instance[meet], self.entry_s[members[meet]])
        of_waiting, waiting = of_waiting[waits], waiting[waits]
        waits = self.exit_s[waiting] >= last_s[of_waiting]
        of_waiting, waiting = of_waiting[waits], waiting[waits]
        is_meeting = np.zeros(len(chosen), np.bool_)
        is_meeting[of_waiting] = True
        number = len(self.process) + self._count + np.cumsum(is_meeting) - 1
        self._needs.append((waiting, number[of_waiting]))
        self._members.append(members[is_meeting[instance]])
        self._sizes.append(sizes[is_meeting])
        self._last_s.append(last_s[is_meeting])
        self._count += int(is_meeting.sum())

    def _need(self, calls: _Numbers, others: _Numbers) -> None:
        """Unless the record says that they went on before: then clocks differ, or it was no need."""
        known = (calls >= 0) & (others >= 0)
        calls, others = calls[known], others[known]
        needed = (self.process[calls] != self.process[others]) & (self.stretch[calls] == self.stretch[others])
        needed &= self.entry_s[others] <= self.exit_s[calls]
        self._needs.append((calls[needed], others[needed]))

    def _of_messages(self) -> None:
        run, events = self.run, self.run.events
        classes = run.functions.classes()[events.function]
        receives = np.zeros(len(self.process) + 1, np.bool_)
        receives[self.call_of[:-1][np.isin(events.kind, ARRIVALS)]] = True
        for pairs in (run.messages, run.probes):
            sends, ends = comparable(run, pairs)
            self._need(self.call_of[ends], self.call_of[sends])
        # A blocking send waits for its receive, where that was posted before the send was over. Beside a receive of its
        # own (MPI_Sendrecv) it surely does so only where the message is too long to be sent unasked.
        sends, ends = comparable(run, run.messages)
        posts_itself = np.isin(classes[ends], (FunctionClass.RECEIVE, FunctionClass.SEND_RECEIVE))
        posts = comparable(run, run.posts)
        for senders, posters in ((sends[posts_itself], ends[posts_itself]), posts):
            asks = ~receives[self.call_of[senders]] | (events.bytes[senders] > LONG_BYTES)
            blocking = (classes[senders] != FunctionClass.START) & asks
            self._need(self.call_of[senders[blocking]], self.call_of[posters[blocking]])
