"""Ranks are blocked outside MPI, and the job waits: asleep, for a lock, a full pipe, a server."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.output import FULL
from clearway.diagnosis.facts.tables.blocked import Blocked
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.ledger.blocked import Part, parts

TITLE = "Ranks are blocked outside MPI"
REMEDIES = ()
WORTH_NAMING = 0.10  # of the wall-clock
MOSTLY = 0.5  # of the calls that were waited in most, to which the same rank came last
FEWEST_CALLS = 3  # on record: fewer say nothing of who is late
FEWEST_SAMPLES = 10
MOST_ROWS = 4

# What to look at, by activity. Waiting for another thread, a child or a device is no fault by itself: they may compute.
ADVICE = {
    "sleeping": "Look for what sleeps: a loop that polls for a file or a message, a pause in a script, a licence.",
    "receiving": "Look at who should answer: a name server, a licence server, another program of the job.",
    "sending": "Look at who should take what is written: a terminal, a log collector, another program.",
    "accepting": "Look at who should connect, and does not.",
    "lock": "Let each rank have a file of its own, or only one rank write.",
    "full_pipe": "Print less, or into a file instead of a pipe: what reads from it is slower than the job.",
    "empty_pipe": "Look at the program that should write into it.",
}


def examine(case: Case) -> Suspicion | None:
    """Claims blocked seconds that all ranks have, or that others wait for: where the record shows one."""
    found = [part for part in parts(case.run, case.books) if _is_told_here(part)]
    if case.at_once < case.ranks or sum(part.samples for part in found) < FEWEST_SAMPLES:
        return None
    named_s = _by_process(case, found)
    holder = int(np.argmax(named_s))
    everyone_s, late_s = _everyone_s(case, found), _waited_for_s(case, holder, named_s)
    cost_s = max(everyone_s, late_s)
    if cost_s < WORTH_NAMING * case.wall_s:
        return None
    lines = {line: sum(part.seconds for part in found if part.line == line) for line in ("other_s", "io_s")}
    all_s = sum(lines.values())
    claims = {
        cause: cost_s * case.ranks * lines[line] / all_s for line, cause in (("other_s", "blocked_s"), ("io_s", "io_s"))
    }
    rows = [row for row in case.tables.blocked if _is_told_here(row)][:MOST_ROWS]
    first = max(rows, key=lambda row: row.seconds)
    who = _all(case) if everyone_s >= late_s else _one(case, holder)
    says = f"{who} blocked outside MPI, longest {first.what}: no core is used in that time. {ADVICE[first.activity]}"
    title = f"Time goes into {first.what}" if first.seconds > MOSTLY * all_s else ""
    return Suspicion(claims, says, _evidence(case, rows), 0.92, title)


def _is_told_here(one: Part | Blocked) -> bool:
    """Not what ranks print: `output` tells of that."""
    return one.activity in ADVICE and not (one.line == "io_s" and one.activity in FULL)


def _by_process(case: Case, found: list[Part]) -> NDArray[np.float64]:
    return np.bincount([part.process for part in found], [part.seconds for part in found], minlength=case.ranks).astype(
        np.float64
    )


def _everyone_s(case: Case, found: list[Part]) -> float:
    """Of the wall-clock, where all do it. Who sleeps may do so between two looks for a message of another rank."""
    return float(_by_process(case, [part for part in found if part.activity != "sleeping"]).min())


def _waited_for_s(case: Case, holder: int, named_s: NDArray[np.float64]) -> float:
    """Of the wall-clock, where the rank that is blocked longer than the others is the one that they wait for."""
    rows = [row for row in case.tables.collectives if row.recorded >= FEWEST_CALLS]
    most = max(rows, key=lambda row: row.wait_s, default=None)
    if case.ranks < 2 or most is None or most.last_rank != case.tables.ranks[holder].rank:
        return 0.0
    if (most.last_share or 0.0) < MOSTLY:
        return 0.0
    longer_s = float(named_s[holder]) - float(np.median(np.delete(named_s, holder)))
    return min(longer_s, float(np.median(np.delete(case.books.ledger["mpi_wait_s"], holder))))


def _all(case: Case) -> str:
    return "The rank was" if case.ranks == 1 else f"All {case.ranks} ranks were"


def _one(case: Case, holder: int) -> str:
    return f"Rank {case.tables.ranks[holder].rank} was, while the others waited for it,"


def _evidence(case: Case, rows: list[Blocked]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            row.what,
            f"{q.seconds(row.seconds)}, most of it rank {row.most_rank}" if row.ranks < case.ranks else _each(row),
            f"{row.samples:,} samples of what the main threads did",
        )
        for row in rows
    )


def _each(row: Blocked) -> str:
    return q.seconds(row.seconds) if row.ranks == 1 else f"{q.seconds(row.seconds)} in {row.ranks:,} ranks"
