"""What each way of a grid takes, estimated from few noisy rounds.

The fastest median of many is fast by chance as well: of twenty equal ways, each known to 2.5 %, the best median lies
5 % too low, and a search that finds an equal one would count as a miss. So a way's time is estimated as in small-area
statistics (R. E. Fay and R. A. Herriot, J. Am. Stat. Assoc. 74 (1979) 269): what its settings are worth in the whole
grid, plus a part of what its own median differs from that. The part is the larger, the more ways differ by more than
their medians' errors; where errors are small it is all of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def usual_spread(left: Floats) -> float:
    """The standard deviation of runs that nothing disturbed: by the median of what is left of all (of a normal
    distribution 0.6745 of its standard deviation)."""
    return float(np.median(np.abs(left)) / 0.6745)


def error_of_median(spread: float, count: int) -> float:
    """Of `count` runs, for a normal distribution and many of them: sqrt(pi / 2) times that of the mean."""
    return math.sqrt(math.pi / 2 / count) * spread


def estimated(ways: Sequence[frozenset[str]], medians: Floats, error: float) -> Floats:
    """Of ways, by the names of their settings, from the medians of their logarithms and these medians' error."""
    names = sorted(set().union(*ways))
    terms = np.asarray([[1.0, *(float(name in way) for name in names)] for way in ways])
    worth, _, rank, _ = np.linalg.lstsq(terms, medians, rcond=None)
    together = terms @ worth
    own = medians - together
    free = len(ways) - rank
    if free <= 0:
        return medians
    seen = float(own @ own) / free
    part = max(0.0, 1 - error**2 / seen) if seen > 0 else 0.0
    return np.asarray(together + part * own)
