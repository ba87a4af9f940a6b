"""That a job which mostly computes could not be looked into, and what would allow it."""

from __future__ import annotations

from errno import EACCES, EPERM

from clearway.diagnosis.facts import Case

MOSTLY = 0.5  # of the rank-seconds
FORBIDDEN = {str(EACCES), str(EPERM)}
NOTE = (
    "In which functions the ranks computed is not known: the kernel forbids ordinary users to sample that. Where "
    "`sysctl kernel.perf_event_paranoid` says 2 or less it is allowed; in a container its configuration decides."
)


def not_sampled(case: Case) -> list[str]:
    """A note where the kernel refused, and computing is most of the time."""
    ledger = case.tables.ledger
    if case.fact("profile.errno") not in FORBIDDEN or ledger.compute_s < MOSTLY * ledger.wall_s:
        return []
    return [NOTE]
