"""One-sided operations wait for targets that compute, and do not come to MPI."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.shared_processors import crowded
from clearway.diagnosis.facts.waited_for import for_targets_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import FunctionClass

TITLE = "One-sided operations wait until their targets call MPI"
REMEDIES = ()
WORTH = 0.03  # of the rank-seconds


def examine(case: Case) -> Suspicion | None:
    """Claims waits of which the target's computing is the cause, where it computes no longer than others do.

    Not those of ranks that share cores: while they wait others compute there, which would have to be done anyway.
    """
    lost_s = min(for_targets_s(case, without=crowded(case)), case.losses.wait_s)
    if lost_s <= 0 or lost_s < WORTH * case.tables.ledger.wall_s:
        return None
    name = FunctionClass.ONE_SIDED.name.lower()
    rows = [row for row in case.tables.mpi_calls if row.function_class == name and row.wait_s > 0]
    first = max(rows, key=lambda row: row.wait_s)
    says = (
        f"Ranks waited {q.seconds(lost_s / case.ranks)} each, on average, most of it in {first.function}, until the "
        f"rank whose memory they accessed stopped computing and called MPI: with this MPI one-sided data moves only "
        f"while "
        "the target is in an MPI call. Give MPI a progress thread (MPICH: MPIR_CVAR_ASYNC_PROGRESS=1, Intel MPI: "
        "I_MPI_ASYNC_PROGRESS=1) and a core for it, or let targets call MPI more often."
    )
    evidence = tuple(
        Evidence(f"waited in {row.function}", f"{row.wait_s:.2f} rank-seconds", f"{row.count:,} calls") for row in rows
    )
    return Suspicion({"wait_s": lost_s}, says, evidence, confidence=0.6)
