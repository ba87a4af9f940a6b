"""How much longer ranks compute beside more of their kind: from Runs of one job on several numbers of ranks."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.speed import has_speed, s_per_work

DIVIDED = 1.2  # times what all ranks compute together: dividing work makes some more of it, at the borders of domains


def is_comparable(case: Case, other: Case) -> bool:
    """The same command, on fewer ranks of as many machines."""
    same = other.tables.job.command == case.tables.job.command and len(machines(other)) == len(machines(case))
    return same and other.ranks < case.ranks and computing_s(other) > 0


def times_as_long(case: Case, other: Case) -> float:
    """Of the same work, where both logs tell how much was done, less what dividing it may add.

    Else of a rank, which has no more to do than on fewer ranks: then all that it computes longer is lost.
    """
    a_rank = computing_s(case) / computing_s(other)
    if not (has_speed(case) and has_speed(other)):
        return a_rank
    worked = (case.wall_s / s_per_work(case, other)) / (other.wall_s / s_per_work(other, case))
    return a_rank * case.ranks / other.ranks / worked / DIVIDED


def computing_s(case: Case) -> float:
    """Of a rank, in the mean."""
    return float(case.books.ledger["compute_s"].mean())
