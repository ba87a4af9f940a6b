"""An MPI without progress threads."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import variable
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
ASKED_FOR = ("MPIR_CVAR_ASYNC_PROGRESS", "MPICH_ASYNC_PROGRESS", "I_MPI_ASYNC_PROGRESS")


def offer(case: Case, finding: Finding) -> Offer | None:
    """All of it comes back: the rest of such a job is as it was without these threads. Where they were asked for."""
    asked = [name for name in ASKED_FOR if variable(case, name) not in (None, "", "0", "no", "off", "false")]
    if not asked:
        return None
    return Offer(
        what="switch the MPI's progress threads off",
        why=f"{' and '.join(asked)} started them, and they take the cores of ranks that compute",
        gain=1.0,
        change=Change(environment=tuple((name, "0") for name in asked)),
    )
