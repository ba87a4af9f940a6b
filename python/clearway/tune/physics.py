"""Whether a variant computed the same: its energies beside those of the unchanged job."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clearway.engines.results import Results

SPREADS = 3  # of the unchanged job's own runs among themselves
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
        return "told no energy in its log, where the unchanged job does"
    if not all(map(math.isfinite, mine.energies.values())):
        return "told an energy that is not a number"
    if mine.broken_promises > max(one.broken_promises for one in known):
        return f"made {mine.broken_promises} neighbour lists too late, as the engine itself counts"
    steps = sorted(set(mine.energies).intersection(*(one.energies for one in known)))
    if not steps:
        return "told its energy at no step at which the unchanged job does"
    return _apart(mine, known, steps[:1], mine.reproduces) or _apart(mine, known, steps[1:], DRIFTED)


def _apart(mine: Results, known: Sequence[Results], steps: Sequence[int], reproduces: float) -> str:
    if not steps:
        return ""
    own = _mean(mine, steps)
    others = [_mean(one, steps) for one in known]
    middle = sum(others) / len(others)
    allowed = max(SPREADS * (max(others) - min(others)), reproduces * max(map(abs, others)))
    if abs(own - middle) <= allowed:
        return ""
    where = f"at step {steps[0]}" if len(steps) == 1 else f"in the mean of steps {steps[0]} to {steps[-1]}"
    return f"changes the energy: {own:.8g} {where}, where the unchanged job has {middle:.8g} (± {allowed:.2g})"


def _mean(results: Results, steps: Sequence[int]) -> float:
    return sum(results.energies[step] for step in steps) / len(steps)
