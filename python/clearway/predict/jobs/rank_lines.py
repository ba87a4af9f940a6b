"""What one recorded rank does in a Script, line by line.

A receive is posted where it was posted, and awaited where it ended. Which sends a call like MPI_Waitall waited for, a
Run does not tell: those that were open, as far as their receivers expected them before that call returned. So whatever
a rank waits for had begun by then in the recorded job, in which nobody waited for ever. What one
thread's call waits for is awaited where that call returned: others may have gone on meanwhile.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import inf

from clearway.predict.jobs.recorded import RecordedCall, RecordedRank
from clearway.predict.jobs.recorded_messages import RecordedMessages
from clearway.run.layout import EventKind, FunctionClass

SHORTEST_COMPUTING_NS = 100  # below it, it is the time that recording takes


class RankLines:
    def __init__(self, messages: RecordedMessages, rank: RecordedRank, share: float) -> None:
        self.messages, self.rank, self.share = messages, rank, share
        self.told: set[int] = set()
        """Places in rank.calls of those that left a line."""
        self.posts_before = self.unseen_posts()
        self.requests = 0
        self.receives: dict[int, int] = {}
        """Open requests by the send of the message ..."""
        self.sends: dict[int, int] = {}
        self.unfinished: list[tuple[float, list[int]]] = []
        """When calls that returned after the next one had begun did so, and the requests that they waited for."""

    def lines(self) -> Iterator[str]:
        calls = self.rank.calls
        overlap = {at for at, (one, other) in enumerate(pairwise(calls)) if other.entry_s < one.exit_s}
        until_s = self.rank.begin_s
        computing_s = 0.0
        for at, call in enumerate(calls):
            # A call that goes on leaves its thread alone in MPI: the one that makes the next call computes until then.
            over_s, waits = self.finished(call.entry_s)
            computing_s += max(0.0, call.entry_s - max(until_s, over_s))
            until_s = max(until_s, over_s, call.entry_s if at in overlap else call.exit_s)
            done = [*waits, *self.call(at, call, at in overlap)]
            if done:
                yield from self.computing(computing_s)
                yield from done
                computing_s = 0.0
        over_s, waits = self.finished(inf)
        yield from waits
        yield from self.computing(computing_s + max(0.0, self.rank.end_s - max(until_s, over_s)))
        if self.receives or self.sends:
            yield "waitall"

    def computing(self, seconds: float) -> list[str]:
        nanoseconds = round(seconds * self.share * 1e9)
        return [f"compute {nanoseconds}"] if nanoseconds >= SHORTEST_COMPUTING_NS else []

    def call(self, at: int, call: RecordedCall, overlaps: bool) -> list[str]:
        lines = [self.begin("irecv", event, self.receives) for event in self.posts_before[at]]
        begun: list[int] = []  # messages of this very call
        splits = overlaps or call.function_class == FunctionClass.SEND_RECEIVE
        for event in call.events:
            match self.messages.kind[event]:
                case EventKind.COLLECTIVE:
                    lines += self.messages.collectives.lines(event)
                case EventKind.SEND if event in self.messages.is_received:
                    if call.function_class == FunctionClass.START or event in self.messages.is_buffered:
                        lines.append(self.begin("isend", event, self.sends))
                    elif splits:
                        lines.append(self.begin("isend", event, self.sends))
                        begun.append(self.sends.pop(event))
                    else:
                        lines.append(self.messages.message("send", event, event))
                case EventKind.POSTED if event in self.messages.send_of_post:
                    lines.append(self.begin("irecv", event, self.receives))
                case EventKind.RECEIVE if event in self.messages.send_of:
                    send = self.messages.send_of[event]
                    if send not in self.receives and not splits:
                        lines.append(self.messages.message("recv", event, send))
                        continue
                    if send not in self.receives:  # the other half of MPI_Sendrecv: first, as MPIs do
                        lines.insert(0, self.begin("irecv", event, self.receives))
                    begun.append(self.receives.pop(send))
        begun += self.awaited_sends(call, bool(begun))
        if lines or begun:
            self.told.add(at)
        if overlaps:
            self.unfinished.append((call.exit_s, begun))
            return lines
        return [*lines, *self.wait(begun)]

    def begin(self, kind: str, event: int, among: dict[int, int]) -> str:
        send = event if kind == "isend" else self.messages.send_of_post.get(event, self.messages.send_of.get(event, -1))
        among[send] = self.requests
        self.requests += 1
        return f"{self.messages.message(kind, event, send)} request {among[send]}"

    def awaited_sends(self, call: RecordedCall, receives: bool) -> list[int]:
        """Of those that are open, where this call ended receives, the last ones, or waited for no receive at all."""
        ends = receives and not self.receives and call.function_class in (FunctionClass.WAIT, FunctionClass.POLL)
        if not ends and (call.function_class != FunctionClass.WAIT or receives or call.events):
            return []
        expected = [send for send in self.sends if self.messages.expected_s[send] < call.exit_s]
        return [self.sends.pop(send) for send in expected]

    def wait(self, requests: list[int]) -> list[str]:
        if not requests:
            return []
        others = self.receives or self.sends or self.unfinished
        return [f"wait {' '.join(map(str, requests))}" if others else "waitall"]

    def finished(self, now_s: float) -> tuple[float, list[str]]:
        """When the last of those overlapping calls returned that did by then, and their waiting, in that order."""
        over = sorted(one for one in self.unfinished if one[0] <= now_s)
        self.unfinished = [one for one in self.unfinished if one[0] > now_s]
        waits = [f"wait {' '.join(map(str, requests))}" for _, requests in over if requests]
        return over[-1][0] if over else -inf, waits

    def unseen_posts(self) -> dict[int, list[int]]:
        """Receives that were posted where a wildcard hid whose message they would get: before the first call that
        returned after their message had been sent, or at that instant: two sends may return at one, and neither would
        be expected. By the place of that call.
        """
        found: dict[int, list[int]] = defaultdict(list)
        ends: list[float] = []  # the latest so far
        for call in self.rank.calls:
            ends.append(max(call.exit_s, ends[-1] if ends else call.exit_s))
        for at, call in enumerate(self.rank.calls):
            for event in call.events:
                hidden = self.messages.kind[event] == EventKind.RECEIVE and self.messages.is_completion(event)
                if hidden and event in self.messages.send_of and event not in self.messages.post_of:
                    sent_s = self.messages.exit_s[self.messages.send_of[event]]
                    found[min(at, bisect_left(ends, sent_s))].append(event)
        return found
