"""The ranks' computing, divided by function as their samples are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.overheads import is_mpi
from clearway.ledger.profile import Profile


def samples_outside_mpi_s(sampled: Profile, ranks: int) -> NDArray[np.float64]:
    """Seconds of the main threads, (ranks, functions)."""
    own = np.array([not is_mpi(function) for function in sampled.functions])[sampled.function]
    spent_s = np.zeros((ranks, len(sampled.functions)))
    np.add.at(spent_s, (sampled.process[own], sampled.function[own]), sampled.main_s[own])
    return spent_s


def computing_s(case: Case, samples_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same, of all that each rank computed: it may have been sampled for a part of its time only."""
    whole_s = samples_s.sum(axis=1, keepdims=True)
    shares = np.divide(samples_s, whole_s, out=np.zeros_like(samples_s), where=whole_s > 0)
    computed: NDArray[np.float64] = shares * case.books.ledger["compute_s"][:, None]
    return computed


def by_name(case: Case) -> dict[str, float]:
    """Seconds a rank, in the mean, by function and file; empty where nothing was sampled."""
    sampled = case.tables.profile
    if sampled is None:
        return {}
    mean_s = computing_s(case, samples_outside_mpi_s(sampled, case.ranks)).mean(axis=0)
    spent_s: dict[str, float] = {}
    for function, seconds in zip(sampled.functions, mean_s, strict=True):
        file = function.path.rpartition("/")[2]
        name = f"{function.name} ({file})" if function.name else f"functions of {file} without a name"
        spent_s[name] = spent_s.get(name, 0.0) + float(seconds)
    return spent_s
