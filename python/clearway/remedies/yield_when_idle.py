"""Waiting ranks that give their core to others."""

from __future__ import annotations

from clearway.case import Case
from clearway.case.in_force import parameter
from clearway.finding import Finding
from clearway.launch.change import Change
from clearway.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()
IN_FORCE = ("mpi_yield_when_idle", "mpi_oversubscribe")  # the second by mpirun, where there are more ranks than slots


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain: what ranks wait for a core in MPI calls. Only Open MPI has a word for it."""
    if case.family != "openmpi" or any(parameter(case, name) in ("1", "true") for name in IN_FORCE):
        return None
    waits_s = case.page.ledger.core_wait_s
    in_calls_s = sum(row.core_wait_s for row in case.page.mpi_calls)
    return Offer(
        what="let ranks that wait for a message give up their core",
        why="they poll without pause now, and keep those who have work to do from running",
        gain=min(in_calls_s / waits_s, 1.0) if waits_s > 0 else None,
        change=Change(parameters=(("mpi_yield_when_idle", "1"),)),
    )
