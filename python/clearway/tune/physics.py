"""Whether a variant computed the same: its energies beside those of the unchanged job."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from statistics import median

from clearway.engines.results import Results

SPREADS = 3  # of the unchanged job's own runs among themselves
FLUCTUATES = 5.0  # standard deviations of the energy at one step
MEDIAN_OF_NORMAL = 0.6745  # of the absolute value, in standard deviations
BREAKS = 2.0  # times as often as the unchanged job
SMALL_COUNT = 3  # and so many more: of few, twice as many are chance
DRIFTED = 5e-3  # relative, of the mean over later steps: trajectories part, energies of the same system do not


def why_other_physics(mine: Results | None, references: Sequence[Results]) -> str:
    """What speaks against it, as the end of a sentence about the variant; empty where nothing does.

    At the first step that all tell, the positions are the same, and the energy must be, as far as the engine
    reproduces it. Later the trajectories part, as they do where nothing is changed but the order of a sum: then the
    means are held beside each other.
    """
    known = [one for one in references if one.energies]
    if not known:
        return ""
    if mine is None or not mine.energies:
        return "has no energy in its log, but the unchanged job has"
    if not all(map(math.isfinite, mine.energies.values())):
        return "has an energy that is not a number"
    if _breaks_more(mine, known):
        return f"built {mine.broken_promises} neighbour lists too late, by the engine's own count"
    steps = sorted(set(mine.energies).intersection(*(one.energies for one in known)))
    if not steps:
        return "has no energy at any step for which the unchanged job has one"
    first = _apart(mine, known, steps[:1], mine.reproduces)
    return first or _apart(mine, known, steps[1:], DRIFTED, FLUCTUATES * _fluctuation(known))


def _fluctuation(known: Sequence[Results]) -> float:
    """How far the energy of the job itself is from its mean at one step, as a standard deviation: of few atoms far.

    By the median difference from step to step, which neither a drift nor one jump makes large.
    """
    apart = [abs(b - a) for one in known for a, b in itertools.pairwise(one.energies.values())]
    return median(apart) / (MEDIAN_OF_NORMAL * math.sqrt(2)) if apart else 0.0


def _breaks_more(mine: Results, known: Sequence[Results]) -> bool:
    """A job that keeps what its engine promised is to keep it; one that does not, not to break it twice as often.

    Runs may be cut after a time: what is faster makes more steps, and more lists.
    """
    often = max(one.broken_promises / max(1, *one.energies) for one in known)
    expected = often * max(1, *mine.energies)
    return mine.broken_promises > (BREAKS * expected + SMALL_COUNT if expected else 0)


def _apart(
    mine: Results, known: Sequence[Results], steps: Sequence[int], reproduces: float, fluctuates: float = 0.0
) -> str:
    if not steps:
        return ""
    own = _mean(mine, steps)
    others = [_mean(one, steps) for one in known]
    middle = sum(others) / len(others)
    allowed = max(SPREADS * (max(others) - min(others)), reproduces * max(map(abs, others)), fluctuates)
    if abs(own - middle) <= allowed:
        return ""
    where = f"at step {steps[0]}" if len(steps) == 1 else f"on average over steps {steps[0]} to {steps[-1]}"
    return f"changes the energy: {own:.8g} {where}; the unchanged job has {middle:.8g} (± {allowed:.2g})"


def _mean(results: Results, steps: Sequence[int]) -> float:
    return sum(results.energies[step] for step in steps) / len(steps)
