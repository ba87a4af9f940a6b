"""Cores that ranks share: what waiting for one grows with is known, and not searched for."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.predict.scaling.fit import Column
from clearway.predict.scaling.runs import CORE_WAIT, Runs

CROWDED = 0.05  # of the wall-clock: more waiting for a core than that is no accident


def crowding(runs: Runs) -> list[Column]:
    """Of waiting for a core it is known what it grows with: ranks beyond the cores there are; what waits for such a
    rank grows likewise. Where Runs had more cores the more ranks they had, there is nothing to go by: then waiting for
    a core is constant, or in proportion to the ranks.
    """
    cores = _cores(runs)
    if cores is None or not crowded(runs):
        return []
    return [Column(f"(ranks beyond {q.count(cores)} cores)", lambda ranks: max(ranks / cores - 1, 0.0))]


def _cores(runs: Runs) -> int | None:
    """Of all Runs, where they had as many."""
    cores = {run.cores for run in runs.all}
    return cores.pop() if len(cores) == 1 else None


def crowded(runs: Runs) -> bool:
    last = runs.all[-1]
    return last.lines[CORE_WAIT] > CROWDED * last.wall_s


def crosses(runs: Runs) -> bool:
    """Whether some Runs have a core for each rank and others have not. What sets these apart is no power of the number
    of ranks, so that none is searched for.
    """
    cores = _cores(runs)
    return cores is not None and crowded(runs) and min(runs.ranks) <= cores < max(runs.ranks)
