"""Who waits for whom, where a record ends in calls that have not returned for long: a job that hangs, or seems to.

A call for a message waits for its sender, a collective for the members that have not come to it, a one-sided call for
a target that is outside MPI, where it moves no data. That gives a graph.
Ranks that wait for one another wait for ever: a deadlock. Else it ends at ranks that wait for nobody, and what those do
is what holds the others up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearway.base.visible import visible
from clearway.diagnosis.facts.tables.blocked import in_words
from clearway.ledger import Account
from clearway.ledger.collectives import OVER_WINDOW
from clearway.ledger.starting import INIT
from clearway.run import Run
from clearway.run.layout import PEER_ANY, Activity, Awaits, EventKind, FunctionClass, Place, State, text

LONG_S = 2.0  # in one call: what any moment of a running job finds it in is shorter
WORTH_SAYING = 0.05  # of the wall-clock
SILENT_S = 2.0  # a process whose record is so much older than the newest has stopped
BUSY_S, BUSY_SHARE, BUSY_TIMES = 5.0, 0.25, 5  # a wait for one that works may end: only one like no other before it
IDLE_S = 3.0  # of those for one that does nothing, as far as was seen
COMPUTING = "computing"
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
NAMED = 4  # ranks in a sentence
NAME = 40  # the longest of a communicator, or of what a rank waits for


@dataclass(frozen=True, slots=True)
class Node:
    """Ranks in the same place."""

    ranks: tuple[int, ...]
    where: str  # "in MPI_Recv on MPI_COMM_WORLD, tag 7", "ended", "sleeping outside MPI"
    call: str | None
    communicator: str | None
    tag: int | None
    since_s: float | None  # since when the first of them is there, on the Run's time axis
    waits: bool

    @property
    def who(self) -> str:
        """ "rank 3", "ranks 0-2,7"."""
        return f"rank {self.ranks[0]}" if len(self.ranks) == 1 else f"ranks {_spans(self.ranks)}"


def _spans(ranks: Sequence[int]) -> str:
    parts: list[list[int]] = []
    for rank in ranks:
        if parts and rank == parts[-1][-1] + 1:
            parts[-1][1:] = [rank]
        else:
            parts.append([rank])
    return ",".join("-".join(map(str, part)) for part in parts)


@dataclass(frozen=True, slots=True)
class Edge:
    """The ranks of one node wait for those of another. Both are indices of nodes."""

    waiter: int
    awaited: int


@dataclass(frozen=True, slots=True)
class WaitsFor:
    """The graph, and what it comes to."""

    kind: str  # "deadlock", "mismatch", "fewer_calls", "ended", "absent", "busy"
    says: str
    waiting: tuple[int, ...]  # ranks
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class _Open:
    """The call that a process is in."""

    call: str
    comm: int = 0
    tag: int | None = None
    sequence: int | None = None  # of a collective


def waits_for(run: Run, books: Account) -> WaitsFor | None:
    """None where nobody waits for long, or it cannot be told for whom."""
    return _Graph(run, books).summary()


class _Graph:
    def __init__(self, run: Run, books: Account) -> None:
        self.run, self.books = run, books
        self.end_s = float(run.processes["end_s"].max())
        self.wall_s = float(books.ledger["wall_s"].max())
        self.ranks = run.processes["rank"].tolist()
        self.state = run.processes["state"].tolist()
        self.open: dict[int, _Open] = {}  # by process, of all that are in a call that waits
        self.awaits: dict[int, set[int]] = {}  # by process that is long in such a call: processes
        self.made: dict[tuple[int, int], int] = defaultdict(int)  # collective calls by process and communicator
        self._find_open()
        self._count_collectives()
        for process in self.open:
            if self._is_long(process):
                self.awaits[process] = self._awaited(process)

    def _is_long(self, process: int) -> bool:
        open_s = float(self.books.open_calls.time_s[process])
        return open_s > LONG_S and open_s >= WORTH_SAYING * self.wall_s and not self._stopped(process)

    def _stopped(self, process: int) -> bool:
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
                self.open[process] = _Open(call)
                continue
            awaits, comm, _, tag, sequence = rows[0]
            together = awaits == Awaits.COLLECTIVE
            known_tag = tag if not together and len(rows) == 1 and tag >= 0 else None
            self.open[process] = _Open(call, comm, known_tag, sequence if together else None)

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

    # What it comes to

    def summary(self) -> WaitsFor | None:
        if not any(self.awaits.values()):
            return None
        found = self._mismatch() or self._fewer_calls() or self._deadlock() or self._root()
        if found is None:
            return None
        kind, says = found
        nodes, edges = self._drawn()
        waiting = tuple(sorted(self.ranks[process] for process in self.awaits))
        return WaitsFor(kind, says, waiting, nodes, edges)

    def _mismatch(self) -> tuple[str, str] | None:
        calls: dict[tuple[int, int], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for process in self.awaits:
            opened = self.open[process]
            if opened.sequence is not None and opened.comm:
                calls[opened.comm, opened.sequence][opened.call].append(process)
        for (comm, sequence), by_name in calls.items():
            if len(by_name) > 1:
                parts = sorted(by_name.items(), key=lambda part: len(part[1]))
                who = ", ".join(f"{self._who(part)} in {call}" for call, part in parts)
                where = f"collective call {sequence + 1:,} on {self._comm(comm)}"
                return "mismatch", f"The ranks do not make the same call: in {where}, {who}. None of them returns."
        return None

    def _fewer_calls(self) -> tuple[str, str] | None:
        """A rank that has left, or that is long in a call that it cannot leave, without a call that the others make."""
        for process, awaited in self.awaits.items():
            opened = self.open[process]
            if opened.sequence is None:
                continue
            for other in sorted(awaited):
                its, left = self.open.get(other), self.state[other] in (State.FINALIZED, State.EXITED)
                finalizes = its is not None and its.call == "MPI_Finalize"
                made = self.made[other, opened.comm]
                if (left or finalizes) and made <= opened.sequence and self._is_over(other):
                    where = "is in MPI_Finalize" if finalizes else "has ended"
                    same = [each for each in self.awaits if self.open[each] == opened]
                    others, wait = self._who(same), "waits" if len(same) == 1 else "wait"
                    calls = "call" if made == 1 else "calls"
                    return "fewer_calls", (
                        f"Rank {self.ranks[other]} made {made:,} collective {calls} on {self._comm(opened.comm)} and "
                        f"{where}; {others} made {opened.sequence + 1:,}, and {wait} in the last, {opened.call}."
                    )
        return None

    def _is_over(self, process: int) -> bool:
        """It passed its MPI_Finalize, or stands in it."""
        return (
            self.state[process] == State.FINALIZED
            or process in self.awaits
            or bool(self.run.records[process].header["mpi_end"]["ticks"])
        )

    def _deadlock(self) -> tuple[str, str] | None:
        cycle = self._cycle()
        if not cycle:
            return None
        # MPI_Waitall of large messages may look so while they are moved: one like no other before it is taken for it.
        moving = any("Sendrecv" in self.open[process].call for process in cycle) or self._has_started_sends(cycle)
        if moving and not self._like_no_other(cycle, BUSY_S):
            return None
        parts = [
            f"rank {self.ranks[process]} waits in {self._call(process)} for rank {self.ranks[after]}"
            for process, after in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        ]
        shown = parts if len(parts) <= NAMED else [*parts[: NAMED - 1], f"and so on, {len(parts)} ranks in all"]
        behind = len(self.awaits) - len(cycle)
        more = f" {behind} more rank{' waits' if behind == 1 else 's wait'} in long calls." if behind else ""
        return "deadlock", f"Deadlock: {', '.join(shown)}. None of them can go on.{more}"

    def _has_started_sends(self, processes: list[int]) -> bool:
        calls = self.run.calls
        names = np.array(["send" in function.name for function in self.run.functions.all])
        starts = names & (self.run.functions.classes() == FunctionClass.START)
        return bool((starts[calls.function] & np.isin(calls.process, processes)).any())

    def _cycle(self) -> list[int]:
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

    def _root(self) -> tuple[str, str] | None:
        """Those that are waited for and wait for nobody themselves."""
        awaited = set().union(*self.awaits.values())
        roots = sorted(awaited - {process for process, of in self.awaits.items() if of})
        if not roots:
            return None
        waiters = [process for process, of in self.awaits.items() if of & set(roots)]
        calls = sorted({self._call(process) for process in waiters})
        waiting = f"{self._who(waiters)} {'waits' if len(waiters) == 1 else 'wait'} for"
        inside = f" in {calls[0]}" if len(calls) == 1 else ""
        stopped = [process for process in roots if self._stopped(process)]
        if stopped:
            first = min(stopped, key=lambda process: float(self.run.processes["end_s"][process]))
            return "ended", f"{self._ended(first)}; {waiting} it{inside}."
        if {self.open[process].call for process in waiters} <= set(INIT):
            return (
                "absent",
                f"{waiting[0].upper()}{waiting[1:]} {self._who(roots)} in MPI_Init, which never reached it.",
            )
        idle = all(root not in self.open and self._activity(root) != COMPUTING for root in roots)
        if not self._like_no_other(waiters, IDLE_S if idle else BUSY_S):
            return None
        doing_ = self._where(roots[0]).where
        since_s = min(float(self.books.open_calls.since_s[process]) for process in waiters)
        waits = f"{waiting[0].upper()}{waiting[1:]} {self._who(roots)}{inside}"
        are = "is" if len(roots) == 1 else "are"
        says = f"{waits} since second {since_s:.1f}, and for no one else: {self._who(roots)} {are} {doing_}."
        return "busy", says

    def _like_no_other(self, processes: list[int], least_s: float) -> bool:
        longest_s = float((self.run.events.exit_s - self.run.events.entry_s).max(initial=0.0))
        open_s = max(float(self.books.open_calls.time_s[process]) for process in processes)
        return open_s >= max(least_s, BUSY_SHARE * self.wall_s, BUSY_TIMES * longest_s)

    # Words

    def _ended(self, process: int) -> str:
        rank, end_s = self.ranks[process], float(self.run.processes["end_s"][process])
        if self.state[process] == State.EXITED:
            code = int(self.run.processes["exit_code"][process])
            return f"Rank {rank} ended at {end_s:.1f} s" + (f" with exit code {code}" if code else "")
        return f"Rank {rank} left no record after {end_s:.1f} s: it was killed or stopped, or its host is lost"

    def _who(self, processes: list[int]) -> str:
        ranks = sorted(self.ranks[process] for process in processes)
        if len(ranks) == len(self.ranks):
            return f"all {len(ranks)} ranks"
        if len(ranks) <= NAMED:
            return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}"
        return f"{len(ranks)} ranks"

    def _comm(self, comm: int) -> str:
        return visible(self.run.communicators.all[comm].name, NAME) or "a communicator without a name"

    def _call(self, process: int) -> str:
        opened = self.open[process]
        return opened.call + (f" (tag {opened.tag})" if opened.tag is not None else "")

    def _where(self, process: int) -> Node:
        ranks, opened = (self.ranks[process],), self.open.get(process)
        if self._stopped(process):
            end_s = float(self.run.processes["end_s"][process])
            gone = "ended" if self.state[process] == State.EXITED else "without a record"
            return Node(ranks, gone, None, None, None, end_s, False)
        number = int(self.run.main_call[process])
        if opened is None:
            call = self.run.functions.all[number].name if number else None
            where = f"in {call}" if call else f"outside MPI, {self._activity(process)}"
            return Node(ranks, where, call, None, None, None, False)
        comm = self._comm(opened.comm) if opened.comm else None
        where = (
            f"in {opened.call}"
            + (f" on {comm}" if comm else "")
            + (f", tag {opened.tag}" if opened.tag is not None else "")
        )
        since_s = float(self.books.open_calls.since_s[process])
        return Node(ranks, where, opened.call, comm, opened.tag, since_s, process in self.awaits)

    def _activity(self, process: int) -> str:
        """What it was found doing last; computing, where that is all that the record says."""
        cells = self.run.activities
        mine = cells.data[(cells.process == process) & (cells.data["place"] == Place.OUTSIDE)]
        if not len(mine):
            return COMPUTING
        newest = mine[int(np.argmax(mine["last_ticks"]))]
        if newest["activity"] == Activity.RUNNING:
            return COMPUTING
        return in_words(int(newest["activity"]), visible(text(newest["object"]), NAME))

    def _drawn(self) -> tuple[tuple[Node, ...], tuple[Edge, ...]]:
        """Ranks in the same place that wait for the same ones are one node."""
        everyone = set(self.awaits).union(*self.awaits.values())
        nodes: list[Node] = []
        number: dict[tuple[str, frozenset[int]], int] = {}
        of: dict[int, int] = {}
        for process in sorted(everyone, key=lambda process: self.ranks[process]):
            one = self._where(process)
            key = one.where, frozenset(self.awaits.get(process, ()))
            at = number.setdefault(key, len(nodes))
            of[process] = at
            if at == len(nodes):
                nodes.append(one)
                continue
            known = nodes[at]
            since = [each for each in (known.since_s, one.since_s) if each is not None]
            first_s = min(since) if since else None
            merged = known.ranks + one.ranks
            nodes[at] = Node(merged, known.where, known.call, known.communicator, known.tag, first_s, known.waits)
        pairs = {(of[process], of[other]) for process, awaited in self.awaits.items() for other in awaited}
        return tuple(nodes), tuple(Edge(*pair) for pair in sorted(pairs))
