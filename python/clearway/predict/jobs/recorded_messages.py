"""Messages and collective calls of a recorded job, as one who writes lines of a Script asks for them.

Only what both sides recorded is there, so that no rank waits for ever: messages with both ends, collective calls with
all members.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from clearway.predict.jobs.replay_collectives import CollectiveLines
from clearway.run import Run
from clearway.run.layout import FunctionClass

LARGEST_TAG = 32_767  # of a Script


class RecordedMessages:
    """By event, unless said otherwise."""

    def __init__(self, run: Run) -> None:
        events = run.events
        self.kind, self.bytes = events.kind.tolist(), events.bytes.tolist()
        self.peer, self.comm = events.peer.tolist(), events.comm.tolist()
        self.function_class = run.functions.classes()[events.function].tolist()
        sends, receives = run.messages.sends.tolist(), run.messages.receives.tolist()
        self.send_of: dict[int, int] = dict(zip(receives, sends, strict=True))
        self.is_received = set(sends)
        posts = dict(zip(run.posts.sends.tolist(), run.posts.receives.tolist(), strict=True))
        self.post_of: dict[int, int] = {receive: posts[send] for receive, send in self.send_of.items() if send in posts}
        self.send_of_post: dict[int, int] = {post: self.send_of[receive] for receive, post in self.post_of.items()}
        self.collectives = CollectiveLines(run, spare_tag=LARGEST_TAG)
        self.tag_of = tags_of(run, self.collectives.communicators)
        self.entry_s: list[float] = events.entry_s.tolist()
        self.exit_s: list[float] = events.exit_s.tolist()
        buffered = [number for number, one in enumerate(run.functions.all) if one.name.startswith("MPI_Bsend")]
        self.is_buffered = set(np.flatnonzero(np.isin(events.function, buffered)).tolist())
        self.expected_s = {send: self.expected(receive, send) for receive, send in self.send_of.items()}

    def expected(self, receive: int, send: int) -> float:
        """From when on the message was, at the latest, expected."""
        if receive in self.post_of:
            return self.entry_s[self.post_of[receive]]
        if self.is_completion(receive):
            return min(self.exit_s[send], self.exit_s[receive])
        return self.entry_s[receive]

    def is_completion(self, receive: int) -> bool:
        """Of a receive that an earlier call began."""
        return self.function_class[receive] in (FunctionClass.WAIT, FunctionClass.POLL)

    def message(self, kind: str, event: int, send: int) -> str:
        comm = self.comm[event]
        members = self.collectives.communicators.get(comm)
        peer = self.peer[event] if members is None else members.index(self.peer[event])
        on = "" if members is None else f" comm {name_of(comm)}"
        return f"{kind} {peer} {self.bytes[send]} tag {self.tag_of[send]}{on}"


def tags_of(run: Run, communicators: Mapping[int, object]) -> dict[int, int]:
    """By send: its number among those from that rank to that other one. So a receive that stands where it ended, and
    not where it was posted, still gets the message that it got. All but these `communicators` are one in a Script.
    """
    events = run.events
    numbers: Counter[tuple[int, int, int]] = Counter()
    tags = {}
    for send in sorted(run.messages.sends.tolist(), key=events.entry_s.__getitem__):
        comm = int(events.comm[send])
        channel = (int(events.process[send]), int(events.peer[send]), comm if comm in communicators else 0)
        tags[send] = numbers[channel] % LARGEST_TAG
        numbers[channel] += 1
    return tags


def name_of(communicator: int) -> str:
    return f"c{communicator}"
