"""Ranks wait for processes outside the job: those that MPI_Comm_spawn starts, or the other side of a connection."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.tables.calls import CallRow
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.ledger.collectives import FOR_NEWCOMERS

TITLE = "Ranks wait for spawned or connecting processes"
REMEDIES = ()
AGAIN = 2  # times that each rank did so: once is what such a program needs


def examine(case: Case) -> Suspicion | None:
    """Claims the waits after all that make the call together have come: then it is nobody of the job that is late."""
    lost_s = min(float(case.books.newcomers_s.sum()), case.losses.wait_s)
    rows = [row for row in case.tables.mpi_calls if row.function in FOR_NEWCOMERS and row.wait_s > 0]
    if lost_s <= 0 or not rows:
        return None
    first = max(rows, key=lambda row: row.wait_s)
    times = first.count / case.ranks
    says = (
        f"After all ranks of the call had come to {first.function}, they waited {q.seconds(lost_s / case.ranks)} each "
        f"for processes that {_how(first)}."
    )
    if times >= AGAIN:
        says += f" Each rank called it {q.count(times)} times: keep the processes, and give them work again."
    evidence = tuple(_evidence(row) for row in sorted(rows, key=lambda row: -row.wait_s))
    return Suspicion({"wait_s": lost_s}, says, evidence, confidence=0.85)


def _how(row: CallRow) -> str:
    if row.function.startswith("MPI_Comm_spawn"):
        return "it starts: a program must be found, loaded and connected to every time"
    return "are to connect"


def _evidence(row: CallRow) -> Evidence:
    return Evidence(f"waited in {row.function}", f"{row.wait_s:.2f} rank-seconds", f"{row.count:,} calls of all ranks")
