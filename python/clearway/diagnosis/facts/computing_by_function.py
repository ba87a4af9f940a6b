"""The ranks' computing, divided by function as their samples are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.overheads import outside_mpi_s


def computing_s(case: Case, samples_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each rank computed, divided as its samples are, (ranks, functions): only a part of it may be sampled."""
    whole_s = samples_s.sum(axis=1, keepdims=True)
    shares = np.divide(samples_s, whole_s, out=np.zeros_like(samples_s), where=whole_s > 0)
    computed: NDArray[np.float64] = shares * case.books.ledger["compute_s"][:, None]
    return computed


def by_name(case: Case) -> dict[str, float]:
    """Seconds a rank, in the mean, by function and file; empty where nothing was sampled."""
    sampled = case.tables.profile
    if sampled is None:
        return {}
    mean_s = computing_s(case, outside_mpi_s(sampled, case.ranks)).mean(axis=0)
    spent_s: dict[str, float] = {}
    for function, seconds in zip(sampled.functions, mean_s, strict=True):
        file = function.path.rpartition("/")[2]
        name = f"{function.name} ({file})" if function.name else f"functions of {file} without a name"
        spent_s[name] = spent_s.get(name, 0.0) + float(seconds)
    return spent_s
