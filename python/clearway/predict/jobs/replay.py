"""A recorded job as a Script: its computing and its messages, call by call.

Only what both sides recorded is replayed, so that no rank waits for ever: messages with both ends, collective calls
with all members. A receive that was posted early stays so where the call that completed it completed all that were
open, as MPI_Waitall does; else it is received where it was completed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clearway.ledger import account
from clearway.predict.jobs.core_waits import shares_on_a_core
from clearway.predict.jobs.recorded import RecordedRank, recorded_ranks
from clearway.predict.jobs.replay_collectives import CollectiveLines
from clearway.predict.jobs.request import JobScript
from clearway.predict.models.script import FORMAT, ranges
from clearway.run import Run
from clearway.run.layout import EventKind, FunctionClass

SHORTEST_COMPUTING_NS = 100  # below it, it is the time that recording takes


def write_replay(run: Run, folder: Path, without_core_wait: bool = False) -> tuple[JobScript, int]:
    """The Script in a file, and how many nanoseconds the recorded job took from MPI_Init to MPI_Finalize."""
    ranks = recorded_ranks(run)
    shares = shares_on_a_core(run, account(run)) if without_core_wait else [1.0] * len(ranks)
    path = folder / "replay.script"
    path.write_text(Replay(run).text(ranks, shares), encoding="utf-8")
    took_s = max(rank.end_s for rank in ranks) - ranks[0].begin_s
    places = tuple(run.processes["host"].tolist())
    return JobScript(path, len(ranks), 1, places), round(took_s * 1e9)


class Replay:
    def __init__(self, run: Run) -> None:
        self.run = run
        events = run.events
        self.kind, self.tag, self.bytes = events.kind.tolist(), events.tag.tolist(), events.bytes.tolist()
        self.peer, self.comm = events.peer.tolist(), events.comm.tolist()
        self.function_class = run.functions.classes()[events.function].tolist()
        sends, receives = run.messages.sends.tolist(), run.messages.receives.tolist()
        self.send_of = dict(zip(receives, sends, strict=True))
        self.is_received = set(sends)
        posts = dict(zip(run.posts.sends.tolist(), run.posts.receives.tolist(), strict=True))
        self.post_of = {receive: posts[send] for receive, send in self.send_of.items() if send in posts}
        self.send_of_post = {post: self.send_of[receive] for receive, post in self.post_of.items()}
        self.collectives = CollectiveLines(run)

    def text(self, ranks: Sequence[RecordedRank], shares: Sequence[float]) -> str:
        """With so much of each rank's computing."""
        title = self.run.fact("process.program").get(0, "a job").rpartition("/")[2]
        lines = [FORMAT, f"title {title}, replayed on {len(ranks)} ranks", f"ranks {len(ranks)}", "steps 1"]
        for number, members in self.collectives.communicators.items():
            lines.append(f"comm {name_of(number)} {ranges(members).replace(',', ' ')}")
        for process, (rank, share) in enumerate(zip(ranks, shares, strict=True)):
            lines += [f"rank {process}", *self.activities(rank, share)]
        return "\n".join(lines) + "\n"

    def activities(self, rank: RecordedRank, share: float) -> list[str]:
        early = self.early_receives(rank)
        lines: list[str] = []
        is_open = False  # whether there are requests to wait for
        until_s = rank.begin_s
        computing_s = 0.0
        for call in rank.calls:
            computing_s += max(0.0, call.entry_s - until_s)
            until_s = max(until_s, call.exit_s)
            done = self.lines_of(call.events, early)
            if not done:
                continue
            lines += [*computing(computing_s * share), *done]
            computing_s = 0.0
            if done[-1] == "waitall":
                is_open = False
            elif done[-1].startswith(("isend", "irecv")):
                is_open = True
        lines += computing((computing_s + max(0.0, rank.end_s - until_s)) * share)
        return [*lines, "waitall"] if is_open else lines

    def replayed(self, rank: RecordedRank) -> tuple[int, float]:
        """How many of its calls a Script has words for, and how long those took that moved data and have none."""
        early = self.early_receives(rank)
        count, left_out_s = 0, 0.0
        for call in rank.calls:
            if self.lines_of(call.events, early):
                count += 1
            elif any(self.function_class[event] != FunctionClass.MPI_IO for event in call.events):
                left_out_s += call.exit_s - call.entry_s
        return count, left_out_s

    def early_receives(self, rank: RecordedRank) -> set[int]:
        """Of the receives completed elsewhere than they were posted, those that a waitall may complete: both events."""
        found: set[int] = set()
        posted: set[int] = set()
        for call in rank.calls:
            posted |= {event for event in call.events if event in self.send_of_post}
            completed = [event for event in call.events if event in self.post_of]
            if not completed:
                continue
            posts = {self.post_of[event] for event in completed}
            if posts == posted:
                found |= {*completed, *posts}
            posted -= posts
        return found

    def lines_of(self, events: Sequence[int], early: set[int]) -> list[str]:
        lines: list[str] = []
        for event in events:
            match self.kind[event]:
                case EventKind.COLLECTIVE:
                    lines += self.collectives.lines(event)
                case EventKind.SEND if event in self.is_received:
                    starts = self.function_class[event] == FunctionClass.START
                    lines.append(self.message("isend" if starts else "send", event, event))
                case EventKind.POSTED if event in early:
                    lines.append(self.message("irecv", event, self.send_of_post[event]))
                case EventKind.RECEIVE if event in early:
                    lines.append("waitall")
                case EventKind.RECEIVE if event in self.send_of:
                    lines.append(self.message("recv", event, self.send_of[event]))
        return joined(lines)

    def message(self, kind: str, event: int, send: int) -> str:
        comm = self.comm[event]
        members = self.collectives.communicators.get(comm)
        peer = self.peer[event] if members is None else members.index(self.peer[event])
        on = "" if members is None else f" comm {name_of(comm)}"
        return f"{kind} {peer} {self.bytes[send]} tag {self.tag[event]}{on}"


def name_of(communicator: int) -> str:
    return f"c{communicator}"


def computing(seconds: float) -> list[str]:
    nanoseconds = round(seconds * 1e9)
    return [f"compute {nanoseconds}"] if nanoseconds >= SHORTEST_COMPUTING_NS else []


def joined(lines: list[str]) -> list[str]:
    """One waitall for all that it completes; the two halves of MPI_Sendrecv side by side."""
    if lines.count("waitall") > 1:
        lines = [line for line in lines if line != "waitall"] + ["waitall"]
    sends = [line for line in lines if line.startswith("send ")]
    receives = [line for line in lines if line.startswith("recv ")]
    if len(sends) == len(receives) == 1 and len(lines) == 2:
        return [f"i{receives[0]}", f"i{sends[0]}", "waitall"]
    return lines
