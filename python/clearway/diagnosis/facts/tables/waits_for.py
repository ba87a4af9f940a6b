"""Who waits for whom, where a record ends in calls that have not returned for long: a job that hangs, or seems to.

Ranks that wait for one another wait for ever: a deadlock. Else the graph of waits ends at ranks that wait for nobody,
and what those do is what holds the others up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from clearway.diagnosis.facts.tables.wait_graph import WaitGraph
from clearway.diagnosis.facts.tables.wait_words import COMPUTING, NAMED, WaitWords
from clearway.ledger import Account
from clearway.ledger.starting import INIT
from clearway.run import Run
from clearway.run.layout import State

BUSY_S = 5.0  # a wait for one that works may end: only one this long, and like no other before it
IDLE_S = 3.0  # of those for one that does nothing, as far as was seen


@dataclass(frozen=True, slots=True)
class Node:
    """Ranks in the same place."""

    ranks: tuple[int, ...]
    where: str  # "in MPI_Recv on MPI_COMM_WORLD, tag 7", "ended", "outside MPI, sleeping"
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


def waits_for(run: Run, books: Account) -> WaitsFor | None:
    """None where nobody waits for long, or it cannot be told for whom."""
    return _Conclusion(WaitGraph(run, books)).summary()


class _Conclusion:
    """What the graph comes to: the first that fits."""

    def __init__(self, graph: WaitGraph) -> None:
        self.graph, self.words = graph, WaitWords(graph)

    def summary(self) -> WaitsFor | None:
        if not any(self.graph.awaits.values()):
            return None
        found = self._mismatch() or self._fewer_calls() or self._deadlock() or self._root()
        if found is None:
            return None
        kind, says = found
        nodes, edges = self._drawn()
        waiting = tuple(sorted(self.graph.ranks[process] for process in self.graph.awaits))
        return WaitsFor(kind, says, waiting, nodes, edges)

    def _mismatch(self) -> tuple[str, str] | None:
        calls: dict[tuple[int, int], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for process in self.graph.awaits:
            opened = self.graph.open[process]
            if opened.sequence is not None and opened.comm:
                calls[opened.comm, opened.sequence][opened.call].append(process)
        for (comm, sequence), by_name in calls.items():
            if len(by_name) > 1:
                parts = sorted(by_name.items(), key=lambda part: len(part[1]))
                who = ", ".join(f"{self.words.who(part)} in {call}" for call, part in parts)
                where = f"collective call {sequence + 1:,} on {self.words.comm(comm)}"
                return "mismatch", f"The ranks do not make the same call: in {where}, {who}. None of them returns."
        return None

    def _fewer_calls(self) -> tuple[str, str] | None:
        """A rank that has left, or that is long in a call that it cannot leave, without a call that the others make."""
        for process, awaited in self.graph.awaits.items():
            opened = self.graph.open[process]
            if opened.sequence is None:
                continue
            for other in sorted(awaited):
                its, left = self.graph.open.get(other), self.graph.state[other] in (State.FINALIZED, State.EXITED)
                finalizes = its is not None and its.call == "MPI_Finalize"
                made = self.graph.made[other, opened.comm]
                if (left or finalizes) and made <= opened.sequence and self._is_over(other):
                    where = "is in MPI_Finalize" if finalizes else "has ended"
                    same = [each for each in self.graph.awaits if self.graph.open[each] == opened]
                    others, wait = self.words.who(same), "waits" if len(same) == 1 else "wait"
                    calls = "call" if made == 1 else "calls"
                    comm = self.words.comm(opened.comm)
                    return "fewer_calls", (
                        f"Rank {self.graph.ranks[other]} made {made:,} collective {calls} on {comm} and {where}; "
                        f"{others} made {opened.sequence + 1:,}, and {wait} in the last, {opened.call}."
                    )
        return None

    def _is_over(self, process: int) -> bool:
        """It passed its MPI_Finalize, or stands in it."""
        return (
            self.graph.state[process] == State.FINALIZED
            or process in self.graph.awaits
            or bool(self.graph.run.records[process].header["mpi_end"]["ticks"])
        )

    def _deadlock(self) -> tuple[str, str] | None:
        cycle = self.graph.cycle()
        if not cycle:
            return None
        # MPI_Waitall of large messages may look so while they are moved: one like no other before it is taken for it.
        sends = any("Sendrecv" in self.graph.open[process].call for process in cycle)
        moving = sends or self.graph.has_started_sends(cycle)
        if moving and not self.graph.like_no_other(cycle, BUSY_S):
            return None
        parts = [
            f"rank {self.graph.ranks[process]} waits in {self.words.call(process)} for rank {self.graph.ranks[after]}"
            for process, after in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        ]
        shown = parts if len(parts) <= NAMED else [*parts[: NAMED - 1], f"and so on, {len(parts)} ranks in all"]
        behind = len(self.graph.awaits) - len(cycle)
        more = f" {behind} more rank{' waits' if behind == 1 else 's wait'} in long calls." if behind else ""
        return "deadlock", f"Deadlock: {', '.join(shown)}. None of them can go on.{more}"

    def _root(self) -> tuple[str, str] | None:
        """Those that are waited for and wait for nobody themselves."""
        awaited = set().union(*self.graph.awaits.values())
        roots = sorted(awaited - {process for process, of in self.graph.awaits.items() if of})
        if not roots:
            return None
        waiters = [process for process, of in self.graph.awaits.items() if of & set(roots)]
        calls = sorted({self.words.call(process) for process in waiters})
        waiting = f"{self.words.who(waiters)} {'waits' if len(waiters) == 1 else 'wait'} for"
        inside = f" in {calls[0]}" if len(calls) == 1 else ""
        stopped = [process for process in roots if self.graph.stopped(process)]
        if stopped:
            first = min(stopped, key=lambda process: float(self.graph.run.processes["end_s"][process]))
            return "ended", f"{self.words.ended(first)}; {waiting} it{inside}."
        if {self.graph.open[process].call for process in waiters} <= set(INIT):
            return (
                "absent",
                f"{waiting[0].upper()}{waiting[1:]} {self.words.who(roots)} in MPI_Init, which never reached it.",
            )
        idle = all(root not in self.graph.open and self.words.activity(root) != COMPUTING for root in roots)
        if not self.graph.like_no_other(waiters, IDLE_S if idle else BUSY_S):
            return None
        doing_ = self.words.where(roots[0])
        since_s = min(float(self.graph.books.open_calls.since_s[process]) for process in waiters)
        waits = f"{waiting[0].upper()}{waiting[1:]} {self.words.who(roots)}{inside}"
        are = "is" if len(roots) == 1 else "are"
        says = f"{waits} since second {since_s:.1f}, and for no one else: {self.words.who(roots)} {are} {doing_}."
        return "busy", says

    def _node(self, process: int) -> Node:
        ranks, where, opened = (self.graph.ranks[process],), self.words.where(process), self.graph.open.get(process)
        if self.graph.stopped(process):
            return Node(ranks, where, None, None, None, float(self.graph.run.processes["end_s"][process]), False)
        if opened is None:
            number = int(self.graph.run.main_call[process])
            call = self.graph.run.functions.all[number].name if number else None
            return Node(ranks, where, call, None, None, None, False)
        comm = self.words.comm(opened.comm) if opened.comm else None
        since_s = float(self.graph.books.open_calls.since_s[process])
        return Node(ranks, where, opened.call, comm, opened.tag, since_s, process in self.graph.awaits)

    def _drawn(self) -> tuple[tuple[Node, ...], tuple[Edge, ...]]:
        """Ranks in the same place that wait for the same ones are one node."""
        everyone = set(self.graph.awaits).union(*self.graph.awaits.values())
        nodes: list[Node] = []
        number: dict[tuple[str, frozenset[int]], int] = {}
        of: dict[int, int] = {}
        for process in sorted(everyone, key=lambda process: self.graph.ranks[process]):
            one = self._node(process)
            key = one.where, frozenset(self.graph.awaits.get(process, ()))
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
        pairs = {(of[process], of[other]) for process, awaited in self.graph.awaits.items() for other in awaited}
        return tuple(nodes), tuple(Edge(*pair) for pair in sorted(pairs))
