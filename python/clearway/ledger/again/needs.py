"""For whom each call had to wait: what others must have entered before it went on.

The members of a collective for all of them, or for the root, or the root for them; a receive and a probe for the send;
a blocking send for the receive. Where data flow along a tree, who was still inside when another came may have waited
for that one.
"""

from __future__ import annotations

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
        self.of_call: list[list[int]] = [[] for _ in range(len(process))]
        self.meetings: list[list[int]] = []
        self.last_s: list[float] = []  # by meeting: when the last came
        self.all_meet = self._of_collectives()
        self._of_messages()

    def explain(self, wait_s: _Seconds, ready_s: _Seconds, is_end: NDArray[np.bool_]) -> _Seconds:
        """By call: the waiting that its needs explain. Where they do not reach, whoever came at that instant is one."""
        known_s = np.array([self._latest_s(call) for call in range(len(self.process))]) - self.entry_s
        short = np.flatnonzero(wait_s > np.maximum(known_s, 0.0) + SAME_INSTANT_S)
        order = np.argsort(self.entry_s, kind="stable")
        entry_s = self.entry_s[order]
        low = np.searchsorted(entry_s, ready_s[short] - 1e-9)
        high = np.searchsorted(entry_s, ready_s[short] + 1e-9, side="right")
        for call, begin, end in zip(short.tolist(), low.tolist(), high.tolist(), strict=True):
            for other in order[begin:end].tolist():
                if self.process[other] != self.process[call] and not is_end[other]:
                    self._need(call, other)
                    break
            known_s[call] = self._latest_s(call) - self.entry_s[call]
        result: _Seconds = np.clip(known_s, 0.0, self.exit_s - self.entry_s)
        return result

    def _latest_s(self, call: int) -> float:
        latest_s = -np.inf
        for need in self.of_call[call]:
            meeting = need - len(self.process)
            latest_s = max(latest_s, self.last_s[meeting] if meeting >= 0 else float(self.entry_s[need]))
        return latest_s

    def _of_collectives(self) -> NDArray[np.bool_]:
        """Adds what collective calls need; says in which calls all processes come together."""
        run = self.run
        all_meet = np.zeros(len(self.process), np.bool_)
        events, started = run.events, run.started
        of_all = np.array([c.size == len(run.processes) and not c.inter for c in run.communicators.all], np.bool_)
        synchronising = synchronises(run)
        for found in (run.collectives, started):
            completing = self._completing() if found is started else None
            chosen = self._whole(found)
            number = found.instance
            for instance in np.flatnonzero(chosen & synchronising[found.function]).tolist():
                members = self.call_of[found.events[found.first[instance] : found.first[instance + 1]]].tolist()
                waiting = members if completing is None else completing.get(instance, [])
                self._meet(members, waiting)
                if completing is None and of_all[found.comm[instance]]:
                    all_meet[members] = True
            if found is started:
                continue
            is_root = events.peer[found.events] == run.processes["rank"][events.process[found.events]]
            for names, flows_out in ((FROM_ROOT, True), (TO_ROOT, False)):
                rooted = chosen & named_operations(run, *names)[found.function]
                among = rooted[number]
                roots = np.full(len(found), NO_CALL, np.int64)
                roots[number[among & is_root]] = self.call_of[found.events[among & is_root]]
                for instance in np.flatnonzero(rooted & (roots >= 0)).tolist():
                    root = int(roots[instance])
                    members = self.call_of[found.events[found.first[instance] : found.first[instance + 1]]].tolist()
                    if flows_out:
                        for member in members:
                            self._need(member, root)
                    else:
                        self._meet(members, [root])
                along_tree = among & (roots >= 0)[number]
                self._need_those_between(number[along_tree], self.call_of[found.events[along_tree]])
        return all_meet

    def _need_those_between(self, instance: _Numbers, calls: _Numbers) -> None:
        """Data flow along a tree: who was still in the call when another came may have waited for that one."""
        last = last_while_inside(instance, self.entry_s[calls], self.exit_s[calls])
        for call, other in zip(calls.tolist(), calls[last].tolist(), strict=True):
            self._need(call, other)

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

    def _completing(self) -> dict[int, list[int]]:
        """By instance of a started collective: the calls that complete it."""
        ends = np.flatnonzero(self.run.events.kind == EventKind.COMPLETED)
        found: dict[int, list[int]] = {}
        if not len(ends) or not len(self.run.started):
            return found
        own = begun_by(self.run, ends)
        calls, instance = self.call_of[ends], self.run.started.instance
        for call, place in zip(calls.tolist(), own.tolist(), strict=True):
            if call >= 0 and place >= 0:
                found.setdefault(int(instance[place]), []).append(call)
        return found

    def _meet(self, members: list[int], waiting: list[int]) -> None:
        if len(members) < 2:
            return
        last_s = max(self.entry_s[members].tolist())
        waiting = [call for call in waiting if self.exit_s[call] >= last_s]
        if waiting:
            self.meetings.append(members)
            self.last_s.append(last_s)
            for call in waiting:
                self.of_call[call].append(len(self.process) + len(self.meetings) - 1)

    def _need(self, call: int, other: int) -> None:
        """Unless the record says that it went on before: then clocks differ, or it was no need."""
        if (
            min(call, other) >= 0
            and self.process[call] != self.process[other]
            and self.stretch[call] == self.stretch[other]
            and self.entry_s[other] <= self.exit_s[call]
        ):
            self.of_call[call].append(other)

    def _of_messages(self) -> None:
        run, events = self.run, self.run.events
        classes = run.functions.classes()[events.function]
        receives = np.zeros(len(self.process) + 1, np.bool_)
        receives[self.call_of[:-1][np.isin(events.kind, ARRIVALS)]] = True
        for pairs in (run.messages, run.probes):
            sends, ends = comparable(run, pairs)
            for end, send in zip(self.call_of[ends].tolist(), self.call_of[sends].tolist(), strict=True):
                self._need(end, send)
        # A blocking send waits for its receive, where that was posted before the send was over. Beside a receive of its
        # own (MPI_Sendrecv) it surely does so only where the message is too long to be sent unasked.
        sends, ends = comparable(run, run.messages)
        posts_itself = np.isin(classes[ends], (FunctionClass.RECEIVE, FunctionClass.SEND_RECEIVE))
        posts = comparable(run, run.posts)
        for senders, posters in ((sends[posts_itself], ends[posts_itself]), posts):
            asks = ~receives[self.call_of[senders]] | (events.bytes[senders] > LONG_BYTES)
            blocking = (classes[senders] != FunctionClass.START) & asks
            callers, others = self.call_of[senders[blocking]].tolist(), self.call_of[posters[blocking]].tolist()
            for call, other in zip(callers, others, strict=True):
                self._need(call, other)
