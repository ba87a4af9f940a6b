"""Ranks make thousands of calls of a few bytes each, one right after the other."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.bursts import FEW_BYTES, Bursts, bursts
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Many MPI calls carry a few bytes each, one right after the other"
REMEDIES = ()
WORTH_NAMING = 0.05  # of the longest


def examine(case: Case) -> Suspicion | None:
    """Claims what all but the first of each row of such calls took: their moving of data, and waits that no computing
    explains.
    """
    ledger, found = case.tables.ledger, bursts(case)
    if not found or ledger.mpi_transfer_s <= 0:
        return None
    first = found[0]
    moving_s, waited_s = sum(one.spared_moving_s for one in found), sum(one.spared_wait_s for one in found)
    claims = {
        "transfer_s": min(moving_s / ledger.mpi_transfer_s, 1.0) * case.losses.transfer_s,
        "wait_s": min(waited_s / max(ledger.mpi_wait_s, 1e-9), 1.0) * case.losses.wait_s,
    }
    says = (
        f"A rank called {first.row.function} {q.count(first.calls)} times with {q.bytes_(first.bytes)} on average, "
        f"{q.seconds(first.moving_s)} each. {q.percent(first.following)} of these calls came right after another one, "
        f"with no computing between. {_instead(first)}"
    )
    named = [one for one in found if one.spared_moving_s > WORTH_NAMING * first.spared_moving_s]
    return Suspicion(claims, says, tuple(map(_evidence, named)), confidence=0.45)


def _instead(one: Bursts) -> str:
    if one.row.function == "MPI_Barrier":
        return "One barrier does what several in a row do, and most programs need none. The figure is for one."
    return (
        "One call with all their numbers in an array takes hardly longer than one of them. The figure is for that; it "
        "holds where no call needs what the one before brought."
    )


def _evidence(one: Bursts) -> Evidence:
    what = f"{q.count(one.calls)} calls a rank, {q.seconds(one.moving_s)} each"
    return Evidence(f"{one.row.function} of at most {FEW_BYTES} B", what, "calls on record")
