"""Polls (MPI_Iprobe, MPI_Test) that found nothing, between pieces of work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearway.diagnosis.facts import Case
from clearway.run.layout import FunctionClass

MANY = 100_000  # by one rank: less costs nothing
# Computing for each poll. A loop that does nothing else needs less, with the recording of it; so what is left out is
# waiting, which the ledger tells as such where a poll ends it.
WORK_S = 1e-7


@dataclass(frozen=True, slots=True)
class VainPolls:
    """Of the ranks that compute between them."""

    function: str  # most of them
    calls: float  # of a rank, on average
    seconds: float  # rank-seconds, those that found something left out
    each_s: float
    between_s: float  # computing for each, on average


def vain_polls(case: Case) -> VainPolls | None:
    calls, units, books = case.run.calls, case.books.units, case.books
    classes = case.run.functions.classes()
    own = calls.main & (classes[calls.function] == FunctionClass.POLL)
    count = np.bincount(calls.process[own], calls.data["count"][own], case.ranks).astype(np.float64)
    taken_s = np.bincount(
        calls.process[own], case.run.seconds(calls.process[own], calls.data["ticks"][own]), case.ranks
    )
    polls = classes[units.function] == FunctionClass.POLL
    in_loops_s = np.bincount(units.process[polls], (books.weight * units.duration_s)[polls], case.ranks)
    vain_s = np.maximum(taken_s - in_loops_s, 0.0)
    between_s = books.ledger["compute_s"] / np.maximum(count, 1)
    found = (count >= MANY) & (between_s >= WORK_S) & (vain_s > 0.5 * taken_s)
    if not found.any():
        return None
    chosen = own & found[calls.process]
    by_function = np.bincount(calls.function[chosen], calls.data["count"][chosen], len(classes))
    return VainPolls(
        function=case.run.functions.all[int(np.argmax(by_function))].name,
        calls=float(count[found].mean()),
        seconds=float(vain_s[found].sum()),
        each_s=float(taken_s[found].sum() / count[found].sum()),
        between_s=float(np.average(between_s[found], weights=count[found])),
    )
