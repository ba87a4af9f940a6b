"""Which process waits for which, where a record ends in calls that have not returned for long.

A call for a message waits for its sender, a collective for the members that have not come to it, a one-sided call for
a target that is outside MPI, where it moves no data.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from clearway.ledger import Account
from clearway.ledger.collectives import OVER_WINDOW
from clearway.ledger.starting import INIT
from clearway.run import Run
from clearway.run.layout import PEER_ANY, Awaits, EventKind, FunctionClass, State

LONG_S = 2.0  # in one call: what any moment of a running job finds it in is shorter
WORTH_SAYING = 0.05  # of the wall-clock
SILENT_S = 2.0  # a process whose record is so much older than the newest has stopped
BUSY_SHARE, BUSY_TIMES = 0.25, 5  # of the wall-clock; as long as any call before
WAITING = (
    FunctionClass.SEND,
    FunctionClass.RECEIVE,
    FunctionClass.SEND_RECEIVE,
    FunctionClass.WAIT,
    FunctionClass.PROBE,
    FunctionClass.COLLECTIVE,
    FunctionClass.COMMUNICATOR,
    FunctionClass.LIFE,
    FunctionClass.ONE_SIDED,
)
TOGETHER = (FunctionClass.COLLECTIVE, FunctionClass.COLLECTIVE_START, FunctionClass.COMMUNICATOR)


@dataclass(frozen=True, slots=True)
class OpenCall:
    """The call that a process is in."""

    call: str
    comm: int = 0
    tag: int | None = None
    sequence: int | None = None  # of a collective


class WaitGraph:
    """Processes are indices into the Run's; `awaits` has those that are long in a call, and whom each waits for."""

    def __init__(self, run: Run, books: Account) -> None:
        self.run, self.books = run, books
        self.end_s = float(run.processes["end_s"].max())
        self.wall_s = float(books.ledger["wall_s"].max())
        self.ranks = run.processes["rank"].tolist()
        self.state = run.processes["state"].tolist()
        self.open: dict[int, OpenCall] = {}  # by process, of all that are in a call that waits
        self.awaits: dict[int, set[int]] = {}  # by process that is long in such a call: processes
        self.made: dict[tuple[int, int], int] = defaultdict(int)  # collective calls by process and communicator
        self._find_open()
        self._count_collectives()
        for process in self.open:
            if self._is_long(process):
                self.awaits[process] = self._awaited(process)

    def _is_long(self, process: int) -> bool:
        open_s = float(self.books.open_calls.time_s[process])
        return open_s > LONG_S and open_s >= WORTH_SAYING * self.wall_s and not self.stopped(process)

    def stopped(self, process: int) -> bool:
        silent_s = self.end_s - float(self.run.processes["end_s"][process])
        return self.state[process] == State.EXITED or silent_s > SILENT_S

    def _find_open(self) -> None:
        run, classes = self.run, self.run.functions.classes()
        self.rows: dict[int, list[tuple[int, int, int, int, int]]] = defaultdict(list)
        waits = run.waits
        for process, comm, row in zip(waits.process.tolist(), waits.comm.tolist(), waits.data, strict=True):
            if row["awaits"]:
                found = int(row["awaits"]), comm, int(row["peer"]), int(row["tag"]), int(row["sequence"])
                self.rows[process].append(found)
        for process, function in enumerate(run.main_call.tolist()):
            call, rows = run.functions.all[function].name, self.rows.get(process, [])
            waits_here = classes[function] in WAITING or call in OVER_WINDOW
            if not function or not waits_here or self.state[process] == State.EXITED:
                continue
            if len({row[:2] for row in rows}) != 1:
                self.open[process] = OpenCall(call)
                continue
            awaits, comm, _, tag, sequence = rows[0]
            together = awaits == Awaits.COLLECTIVE
            known_tag = tag if not together and len(rows) == 1 and tag >= 0 else None
            self.open[process] = OpenCall(call, comm, known_tag, sequence if together else None)

    def _count_collectives(self) -> None:
        calls = self.run.calls
        chosen = np.flatnonzero(np.isin(self.run.functions.classes()[calls.function], TOGETHER))
        for process, comm, count in zip(
            calls.process[chosen].tolist(),
            calls.comm[chosen].tolist(),
            calls.data["count"][chosen].tolist(),
            strict=True,
        ):
            self.made[process, comm] += count
        for process, opened in self.open.items():
            if opened.sequence is not None:
                self.made[process, opened.comm] = opened.sequence

    def _members(self, comm: int) -> set[int]:
        communicator = self.run.communicators.all[comm]
        return set() if communicator.inter else set(communicator.members)

    def _awaited(self, process: int) -> set[int]:
        opened = self.open[process]
        everyone = set(range(len(self.ranks)))
        if opened.call in INIT:
            return set(np.flatnonzero(np.isnan(self.books.starting.entry_s)).tolist())
        if opened.call == "MPI_Finalize":
            inside = {other for other, its in self.open.items() if its.call == opened.call}
            return {other for other in everyone - inside if self.state[other] not in (State.EXITED, State.FINALIZED)}
        if opened.call in OVER_WINDOW:  # which ranks share the window is not in the record: all, in most programs
            return {other for other in everyone if other not in self.open or self.open[other].call != opened.call}
        if self.run.functions.classes()[self.run.main_call[process]] == FunctionClass.ONE_SIDED:
            return self._targets(process)
        found: set[int] = set()
        for awaits, comm, peer, _, sequence in self.rows.get(process, []):
            if awaits == Awaits.COLLECTIVE:
                found |= {other for other in self._members(comm) if self.made[other, comm] < sequence}
                same = {other for other in self._members(comm) if self.made[other, comm] == sequence}
                found |= {other for other in same if not self._inside(other, comm) or self._differ(process, other)}
            elif peer == PEER_ANY:
                found |= self._members(comm)
            elif peer in self.run.process_of_rank:
                found.add(self.run.process_of_rank[peer])
        return found - {process}

    def _targets(self, process: int) -> set[int]:
        """The one that its newest one-sided call before named, or the only one: if that is outside MPI."""
        events = self.run.events
        outside = set(np.flatnonzero(self.run.main_call == 0).tolist()) - {process}
        named = np.flatnonzero(
            (events.process == process) & (events.kind == EventKind.ONE_SIDED) & np.isin(events.peer, self.ranks)
        )
        if len(named):
            newest = int(events.peer[named[np.argmax(events.entry_s[named])]])
            return {self.run.process_of_rank[newest]} & outside
        return outside if len(outside) == 1 else set()

    def _inside(self, process: int, comm: int) -> bool:
        opened = self.open.get(process)
        return opened is not None and opened.sequence is not None and opened.comm == comm

    def _differ(self, one: int, other: int) -> bool:
        return self._inside(other, self.open[one].comm) and self.open[one].call != self.open[other].call

    def cycle(self) -> list[int]:
        """The shortest from the first process that is on one; of two ranks before longer ones."""
        best: list[int] = []
        for start in self.awaits:
            of_anyone = any(row[0] == Awaits.MESSAGE and row[2] == PEER_ANY for row in self.rows.get(start, []))
            if of_anyone and not self.awaits[start] <= set(self.awaits):
                continue
            before: dict[int, int] = {}
            frontier = [start]
            while frontier and start not in before:
                reached = []
                for process in frontier:
                    for after in sorted(self.awaits.get(process, ())):
                        if after in self.awaits and after not in before:
                            before[after] = process
                            reached.append(after)
                frontier = reached
            if start in before:
                cycle = [start]
                while before[cycle[0]] != start:
                    cycle.insert(0, before[cycle[0]])
                cycle = [start, *cycle[:-1]] if len(cycle) > 1 else cycle
                if not best or len(cycle) < len(best):
                    best = cycle
            if len(best) == 2 or len(self.awaits) > 256:
                break
        return best

    def has_started_sends(self, processes: list[int]) -> bool:
        calls = self.run.calls
        names = np.array(["send" in function.name for function in self.run.functions.all])
        starts = names & (self.run.functions.classes() == FunctionClass.START)
        return bool((starts[calls.function] & np.isin(calls.process, processes)).any())

    def like_no_other(self, processes: list[int], least_s: float) -> bool:
        """Whether one of them is in its call for longer than any call on record took, by far."""
        longest_s = float((self.run.events.exit_s - self.run.events.entry_s).max(initial=0.0))
        open_s = max(float(self.books.open_calls.time_s[process]) for process in processes)
        return open_s >= max(least_s, BUSY_SHARE * self.wall_s, BUSY_TIMES * longest_s)
