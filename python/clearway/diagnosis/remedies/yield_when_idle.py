"""Waiting ranks that give their core to others."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import parameter
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
IN_FORCE = ("mpi_yield_when_idle", "mpi_oversubscribe")  # the second by mpirun, where there are more ranks than slots


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain: all of it, as measured (docs/remedies-benchmark.md). Only Open MPI has a word for it.

    It then yields at each turn of its progress engine: in waits, and in calls that only ask.
    """
    if case.family != "openmpi" or any(parameter(case, name) in ("1", "true") for name in IN_FORCE):
        return None
    return Offer(
        what="let ranks that wait for a message yield their core",
        why="now they poll all the time, and keep ranks with work from running",
        gain=1.0,
        change=Change(parameters=(("mpi_yield_when_idle", "1"),)),
    )
