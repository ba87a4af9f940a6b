"""A recorded job as a Script: its computing and its messages, call by call.

Only what both sides recorded is replayed, so that no rank waits for ever: messages with both ends, collective calls
with all members. For the same reason a rank waits only for what had begun by then (rank_lines.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clearway.base.visible import visible
from clearway.ledger import account
from clearway.predict.jobs.core_waits import shares_on_a_core
from clearway.predict.jobs.rank_lines import RankLines
from clearway.predict.jobs.recorded import RecordedRank, recorded_ranks
from clearway.predict.jobs.replay_collectives import CollectiveLines
from clearway.predict.jobs.request import JobScript
from clearway.predict.models.script import FORMAT, ranges
from clearway.run import Run
from clearway.run.layout import FunctionClass

LARGEST_TAG = 32_767  # of a Script


@dataclass(frozen=True, slots=True)
class Written:
    """A recorded job as a Script in a file, and what it was made of."""

    script: JobScript
    took_ns: int  # as recorded, from MPI_Init to MPI_Finalize
    ranks: Sequence[RecordedRank]
    replay: Replay
    computing_s: Sequence[float]  # by rank: what the Script has of it, with all waits for a core


def write_replay(run: Run, folder: Path, without_core_wait: bool = False) -> Written:
    ranks, replay = recorded_ranks(run), Replay(run)
    computing_s, shares = [replay.computing_s(rank) for rank in ranks], [1.0] * len(ranks)
    if without_core_wait:
        shares = shares_on_a_core(run, account(run), computing_s)
    path = folder / "replay.script"
    path.write_text(replay.text(ranks, shares), encoding="utf-8")
    took_s = max(rank.end_s for rank in ranks) - ranks[0].begin_s
    places = tuple(run.processes["host"].tolist())
    return Written(JobScript(path, len(ranks), 1, places), round(took_s * 1e9), ranks, replay, computing_s)


class Replay:
    def __init__(self, run: Run) -> None:
        self.run = run
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

    def text(self, ranks: Sequence[RecordedRank], shares: Sequence[float]) -> str:
        """With so much of each rank's computing."""
        title = visible(self.run.fact("process.program").get(0, "a job").rpartition("/")[2])
        lines = [FORMAT, f"title {title}, replayed on {len(ranks)} ranks", f"ranks {len(ranks)}", "steps 1"]
        for number, members in self.collectives.communicators.items():
            lines.append(f"comm {name_of(number)} {ranges(members).replace(',', ' ')}")
        for process, (rank, share) in enumerate(zip(ranks, shares, strict=True)):
            lines += [f"rank {process}", *self.activities(rank, share)]
        return "\n".join(lines) + "\n"

    def activities(self, rank: RecordedRank, share: float) -> list[str]:
        return [*RankLines(self, rank, share).lines()]

    def replayed(self, rank: RecordedRank) -> tuple[int, float]:
        """How many of its calls a Script has words for, and how long those took that moved data and have none."""
        made = RankLines(self, rank, 1.0)
        list(made.lines())
        left_out_s = sum(
            call.exit_s - call.entry_s
            for at, call in enumerate(rank.calls)
            if at not in made.told and any(self.function_class[event] != FunctionClass.MPI_IO for event in call.events)
        )
        return len(made.told), left_out_s

    def computing_s(self, rank: RecordedRank) -> float:
        """That a Script has of it."""
        lines = RankLines(self, rank, 1.0).lines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("compute ")) * 1e-9

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
