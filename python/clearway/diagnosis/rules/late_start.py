"""Ranks stand in MPI_Init for one that comes late to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.ledger.losses import LATE
from clearway.ledger.starting import Latest, latest, launched_size

TITLE = "A rank reaches MPI_Init late"
REMEDIES = ()
LATE_S = 1.0  # what a launcher takes to start one rank after the other, and a busy host more, is no fault
BLOCKED_S = 0.1  # what the rank itself was blocked in before it came is none of that
DID = {
    "compute_s": "computing",
    "core_wait_s": "waiting for a core",
    "io_s": "reading and writing files",
    "other_s": "blocked outside MPI and files",
}


def examine(case: Case) -> Suspicion | None:
    """Claims the waiting in MPI_Init, and what the late rank did before it longer than the others did in all."""
    came_s, waits_s = case.books.starting.entry_s, case.books.starting.wait_s
    waited_s = float(waits_s.sum())
    if waited_s <= 0:
        return None
    absent = np.flatnonzero(np.isnan(came_s))
    unborn = _without_a_record(case)
    if len(absent):
        return _never(case, absent, waited_s)
    if unborn:
        return _never_started(case, unborn, waited_s)
    last = latest(case.run, case.books.ledger, case.books.starting, DID)
    if last is None:
        return None
    doing_s = last.longer_s | {"other_s": last.longer_s["other_s"] - last.loading_s}
    if last.late_s < LATE_S and doing_s["other_s"] < max(BLOCKED_S, 0.5 * last.late_s):
        return None
    rank = case.tables.ranks[last.process]
    waiters = int((waits_s > 0).sum())
    says = (
        f"Rank {rank.rank} on {rank.host} reached MPI_Init {q.seconds(last.late_s)} after the others, which waited in "
        f"it: {waiters} rank{'' if waiters == 1 else 's'}, {q.seconds(waited_s / max(waiters, 1))} each on average. "
        f"{_why(last, doing_s)}"
    )
    entry_s = float(came_s[last.process])
    evidence = (
        Evidence("the others reached it at", f"second {entry_s - last.late_s:.2f}", "entries of MPI_Init, median"),
        Evidence(f"rank {rank.rank} reached it at", f"second {entry_s:.2f}", "entry of MPI_Init"),
        Evidence("its process began", f"{q.seconds(last.started_s)} after the others", "start times of the processes"),
        *(
            Evidence(f"longer {DID[line]}", q.seconds(seconds), "ledger: than the median of the others")
            for line, seconds in doing_s.items()
            if seconds > 0.1 * last.late_s
        ),
        *_loading(last),
    )
    claims = {"start_wait_s": waited_s}
    for line, seconds in last.longer_s.items():
        cause = "compute_s" if line == "compute_s" else LATE[line]
        claims[cause] = seconds
    return Suspicion(claims, says, evidence, confidence=0.9)


def _loading(last: Latest) -> Iterator[Evidence]:
    if last.loading_s > 0.1 * last.late_s:
        yield Evidence("longer before its record began", q.seconds(last.loading_s), "start of the process")


def _why(last: Latest, doing_s: Mapping[str, float]) -> str:
    if last.started_s > 0.5 * last.late_s:
        return (
            f"Its process was started {q.seconds(last.started_s)} after the others: look at the launcher, and at this "
            f"rank's host."
        )
    if last.loading_s > 0.5 * last.late_s:
        return (
            "Its process began with the others, and took that time before it ran any of its own code: loading its "
            "libraries, or waiting for a core."
        )
    line = max(doing_s, key=lambda line: doing_s[line])
    if doing_s[line] > 0.5 * last.late_s:
        return f"Its process began with the others; before MPI_Init it spent that time {DID[line]}."
    return "Its process began with the others: the program itself was late."


def _without_a_record(case: Case) -> list[int]:
    """Ranks that the launcher told the others of, where all of these are still in MPI_Init."""
    size = launched_size(case.run)
    if size <= case.ranks or float(case.books.open_calls.time_s.min()) < LATE_S:
        return []
    return sorted(set(range(size)) - {row.rank for row in case.tables.ranks})


def _never_started(case: Case, unborn: list[int], waited_s: float) -> Suspicion:
    names = ", ".join(map(str, unborn[:3])) + (" and others" if len(unborn) > 3 else "")
    who = f"Rank {names} has" if len(unborn) == 1 else f"{len(unborn):,} ranks ({names}) have"
    hosts = ", ".join(case.run.host_names[:8]) + (" …" if len(case.run.host_names) > 8 else "")
    since_s = float(np.nanmin(case.books.starting.entry_s))
    says = (
        f"{who} left no record, while the other {case.ranks:,} have waited in MPI_Init from second {since_s:.1f} to "
        f"the end of the record. Either a process was never started, or its host cannot be reached. The ranks with a "
        f"record were on {hosts}. Let the launcher say what happened to the missing one (mpirun --debug-daemons, "
        f"mpiexec -verbose), and test whether large packets reach its host (ping -M do -s 1472 HOST)."
    )
    evidence = (
        Evidence("ranks asked for", str(launched_size(case.run)), "environment of the ranks"),
        Evidence("ranks with a record", str(case.ranks), "this Run"),
    )
    return Suspicion({"start_wait_s": waited_s}, says, evidence, confidence=0.8, title="A rank never starts")


def _never(case: Case, absent: NDArray[np.int64], waited_s: float) -> Suspicion | None:
    """Some stand in MPI_Init at the end of the record, and others have not come to it."""
    opened_s = case.books.open_calls.time_s
    if float(opened_s.max()) < LATE_S:
        return None
    rows = [case.tables.ranks[process] for process in absent.tolist()]
    names = ", ".join(f"{row.rank} on {row.host}" for row in rows[:3]) + (" and others" if len(rows) > 3 else "")
    who = f"Rank {names}" if len(rows) == 1 else f"{len(rows):,} ranks ({names})"
    since_s = float(np.nanmin(case.books.starting.entry_s))
    says = (
        f"{who} never reached MPI_Init. The other {case.ranks - len(rows)} have waited in it from second {since_s:.1f} "
        f"to the end of the record."
    )
    evidence = tuple(
        Evidence(f"rank {row.rank}", f"{q.seconds(row.cpu_s)} of CPU time in {q.seconds(row.ledger.wall_s)}", "kernel")
        for row in rows[:3]
    )
    claims = {"start_wait_s": waited_s}
    for line in DID:
        cause = "compute_s" if line == "compute_s" else LATE[line]
        claims[cause] = float(case.books.ledger[line][absent].sum())
    return Suspicion(claims, says, evidence, confidence=0.95, title="A rank never reaches MPI_Init")
