"""Ranks that have work look for messages all the time, and find none."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.vain_polls import vain_polls
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Ranks check for messages far more often than any arrive"
REMEDIES = ()
SELDOM = 10  # times less often


def examine(case: Case) -> Suspicion | None:
    """Claims what polls that found nothing took, but for every tenth."""
    found, moving_s = vain_polls(case), case.tables.ledger.mpi_transfer_s
    if found is None or moving_s <= 0:
        return None
    lost_s = found.seconds * (1 - 1 / SELDOM)
    says = (
        f"A rank called {found.function} and the like {q.count(found.calls)} times, {q.seconds(found.each_s)} each, "
        f"and hardly ever found a message. Between two of these calls it computed for {q.seconds(found.between_s)} on "
        f"average: most likely they are in a loop that does work. Check only once in so many rounds: the cost shown is "
        f"for a tenth of the calls. If the rank was only waiting there, fewer calls save nothing."
    )
    evidence = (
        Evidence("polls that found nothing", f"{found.seconds:.2f} rank-seconds", "ledger: undivided"),
        Evidence("MPI calls that only test", q.percent(case.tables.messages.poll_share), "MPI_Iprobe, MPI_Test…"),
    )
    return Suspicion({"transfer_s": min(lost_s / moving_s, 1.0) * case.losses.transfer_s}, says, evidence, 0.4)
