"""Communicators or windows are made and freed again and again, each time by all ranks together."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.tables.calls import CallRow
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import FunctionClass

TITLE = "Communicators or windows are created again and again"
REMEDIES = ()
MANY = 100  # by each rank: what a program needs to begin with is less
WINDOWS = ("MPI_Win_create", "MPI_Win_allocate", "MPI_Win_free")  # and the like
WORTH_NAMING = 0.05  # of the longest


def examine(case: Case) -> Suspicion | None:
    """Claims moving data in the calls that make and free them: the waits in them are for late ranks, as elsewhere."""
    made = [row for row in case.tables.mpi_calls if _makes(row)]
    moving_s = case.tables.ledger.mpi_transfer_s
    count = sum(row.count for row in made if not row.function.endswith("_free"))
    lost_s = sum(row.transfer_s for row in made)
    if count < MANY * case.ranks or lost_s <= 0 or moving_s <= 0:
        return None
    first = max(made, key=lambda row: row.transfer_s)
    says = (
        f"Each rank created {q.count(count / case.ranks)} of them; most of the time went into {first.function}. All "
        f"ranks must take part each time, and agree on a number for it. Create them once, at the beginning, and use "
        f"them again."
    )
    named = [row for row in made if row.transfer_s > WORTH_NAMING * first.transfer_s]
    evidence = tuple(_evidence(row) for row in sorted(named, key=lambda row: -row.transfer_s))
    claims = {"transfer_s": min(lost_s / moving_s, 1.0) * case.losses.transfer_s}
    return Suspicion(claims, says, evidence, confidence=0.8)


def _makes(row: CallRow) -> bool:
    return row.function_class == FunctionClass.COMMUNICATOR.name.lower() or row.function.startswith(WINDOWS)


def _evidence(row: CallRow) -> Evidence:
    each = q.seconds(row.transfer_s / row.count)
    return Evidence(f"in {row.function}", f"{row.transfer_s:.2f} rank-seconds", f"{row.count:,} × {each}")
