"""In which function a rank computes longer than the others do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.computing_by_function import computing_s
from clearway.diagnosis.facts.overheads import outside_mpi_s
from clearway.ledger.profile import Function

FEWEST = 20  # samples of the rank in it
MOSTLY = 0.5  # of what it computes longer


@dataclass(frozen=True, slots=True)
class LongerIn:
    """One function of the program. Seconds of computing, sampled."""

    function: Function
    rank_s: float
    others_s: float  # mean of the other ranks


def longer_in(case: Case, process: int) -> LongerIn | None:
    """Where most of the difference is in one function that has a name."""
    sampled = case.tables.profile
    if sampled is None or case.ranks < 2:
        return None
    samples_s = outside_mpi_s(sampled, case.ranks)
    spent_s, compute_s = computing_s(case, samples_s), case.books.ledger["compute_s"]
    others_s = np.delete(spent_s, process, axis=0).mean(axis=0)
    more_s = spent_s[process] - others_s
    most = int(np.argmax(more_s))
    longer_s = compute_s[process] - np.delete(compute_s, process).mean()
    enough = samples_s[process, most] >= FEWEST * sampled.period_s
    if not sampled.functions[most].name or not enough or more_s[most] < MOSTLY * longer_s:
        return None
    return LongerIn(sampled.functions[most], float(spent_s[process, most]), float(others_s[most]))
