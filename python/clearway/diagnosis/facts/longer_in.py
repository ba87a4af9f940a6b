"""In which function, or else in which file, a rank computes longer than the others do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.computing_by_function import computing_s
from clearway.diagnosis.facts.overheads import outside_mpi_s

FEWEST = 20  # samples of the rank in it
MOSTLY = 0.5  # of what it computes longer
OTHERS_FILE = 0.5  # of what the others compute: a file that all ranks mostly work in tells nothing


@dataclass(frozen=True, slots=True)
class LongerIn:
    """One function of the program, or all functions of one of its files. Seconds of computing, sampled."""

    where: str  # in words
    rank_s: float
    others_s: float  # mean of the other ranks


def longer_in(case: Case, process: int) -> LongerIn | None:
    """Where most of the difference is in one function that has a name, or in one file, as a library without names."""
    sampled = case.tables.profile
    if sampled is None or case.ranks < 2:
        return None
    samples_s = outside_mpi_s(sampled, case.ranks)
    spent_s, compute_s = computing_s(case, samples_s), case.books.ledger["compute_s"]
    longer_s = compute_s[process] - np.delete(compute_s, process).mean()

    def most(samples_s: NDArray[np.float64], spent_s: NDArray[np.float64]) -> tuple[int, float, float] | None:
        others_s = np.delete(spent_s, process, axis=0).mean(axis=0)
        more_s = spent_s[process] - others_s
        found = int(np.argmax(more_s))
        enough = samples_s[process, found] >= FEWEST * sampled.period_s
        if not enough or more_s[found] < MOSTLY * longer_s:
            return None
        return found, float(spent_s[process, found]), float(others_s[found])

    of_one = most(samples_s, spent_s)
    if of_one is not None and (name := sampled.functions[of_one[0]].name):
        return LongerIn(f"`{name}`", *of_one[1:])
    paths = sorted({function.path for function in sampled.functions})
    belongs = np.array([[function.path == path for path in paths] for function in sampled.functions], np.float64)
    of_file = most(samples_s @ belongs, spent_s @ belongs)
    others_s = float(np.delete(spent_s, process, axis=0).sum(axis=1).mean())
    if of_file is None or of_file[2] > OTHERS_FILE * others_s:
        return None
    return LongerIn(f"functions of {paths[of_file[0]].rpartition('/')[2]}", *of_file[1:])
