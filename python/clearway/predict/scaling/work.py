"""Whether the Runs share out the same work among more ranks, or give each rank the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.engines.speed import works_of as engine_works
from clearway.predict.scaling.answer import Scaling
from clearway.predict.scaling.measured import Measured

UNCLEAR = 0.35  # computing that grows with a power of the ranks from here to 1 less this may be either
SAME_WORK = 0.01  # relative: a step more or less is the same work
WORTH_ASKING = 0.001  # of the wall-clock: less computing than that tells nothing
STARTING = 0.05  # likewise: less may be what each rank computes to start, which grows with the ranks in any job
FASTEST = 1 + UNCLEAR  # computing that grows faster than the ranks is of neither kind

HINT = "pass --scaling strong (the same work on more ranks) or --scaling weak (the same work for each rank)"


def works_of(runs: Sequence[Measured]) -> list[float]:
    """How much each did relative to the first, where an engine tells of all; else 1."""
    known = [work or 0.0 for work in engine_works([run.engine for run in runs])]
    if not all(known):
        return [1.0] * len(runs)
    ratios = [work / known[0] for work in known]
    return [1.0 if abs(ratio - 1) <= SAME_WORK else ratio for ratio in ratios]


def scaling_of(runs: Sequence[Measured], works: Sequence[float], said: str | None) -> tuple[Scaling, str]:
    """And why. Raises ClearwayError where it cannot be told.

    Computing that is done by each rank again (halos, tables) grows under strong scaling too. Where all Runs were
    started with the same arguments, what is unclear is taken for that.
    """
    if said:
        return Scaling(said), "--scaling says so"
    fewest, most = min(run.ranks for run in runs), max(run.ranks for run in runs)
    first, last = (
        _mean([run.lines["compute_s"] / work for run, work in zip(runs, works, strict=True) if run.ranks == ranks])
        for ranks in (fewest, most)
    )
    share = sum(run.lines["compute_s"] for run in runs) / sum(run.wall_s for run in runs)
    if share < WORTH_ASKING or first <= 0 or last <= 0:
        raise ClearwayError("cannot tell whether each rank has the same work: the Runs compute next to nothing", HINT)
    exponent = math.log(last / first) / math.log(most / fewest)
    told = f"from {fewest} to {most} ranks computing, summed over ranks, became {last / first:.2f} times as much"
    alike = len({run.arguments for run in runs}) == 1
    if exponent < (1 - UNCLEAR if alike else UNCLEAR):
        return Scaling.STRONG, f"{told}{', with the same arguments' if alike and exponent >= UNCLEAR else ''}"
    if 1 - UNCLEAR < exponent <= FASTEST and share > STARTING:
        return Scaling.WEAK, told
    if share <= STARTING:
        told = f"only {q.percent(share)} of the Runs' time is computing; {told}"
    raise ClearwayError(f"cannot tell whether each rank has the same work: {told}", HINT)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
