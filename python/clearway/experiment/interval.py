"""How sure a ratio is: a bootstrap interval that does not promise too much after a few rounds.

Rounds are few, so the percentile interval of the bootstrap is widened about its centre by Student's factor, as
Hesterberg (2015) advises. It is looked at after every round, and the first clear answer ends the comparison; each look
is one more chance to be wrong. CONFIDENCE is therefore that of Pocock's plan for eight looks: all of them together call
two equal jobs different in about one comparison of twenty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

CONFIDENCE = 0.988
RESAMPLES = 4000
FEWEST = 3  # rounds


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a ratio lies, with CONFIDENCE."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Relative to its middle: 0.02 is ± 2 %."""
        return (self.high - self.low) / (self.high + self.low)


def interval_of(ratios: Sequence[float], seed: int = 0) -> Interval | None:
    """Of the geometric mean of paired ratios, one a round; None while there are too few."""
    count = len(ratios)
    if count < FEWEST:
        return None
    logs = np.log(np.asarray(ratios, dtype=np.float64))
    picks = np.random.default_rng(seed).integers(0, count, (RESAMPLES, count))
    tail = (1 - CONFIDENCE) / 2
    centre = float(logs.mean())
    low, high = np.quantile(logs[picks].mean(axis=1), (tail, 1 - tail))
    factor = few_rounds_factor(count)
    return Interval(math.exp(centre - factor * (centre - low)), math.exp(centre + factor * (high - centre)))


def geometric_mean(ratios: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


@cache
def few_rounds_factor(count: int) -> float:
    """How much wider than the bootstrap of `count` values an honest interval is; nearly 1 for many."""
    point = 1 - (1 - CONFIDENCE) / 2
    return student_quantile(point, count - 1) / NormalDist().inv_cdf(point) * math.sqrt(count / (count - 1))


def student_quantile(point: float, freedom: int) -> float:
    """Of Student's distribution, whose density over angles atan(t / √freedom) is a power of the cosine."""
    angles = np.linspace(-math.pi / 2, math.pi / 2, 200_001)
    share = np.cumsum(np.cos(angles) ** (freedom - 1))
    return math.sqrt(freedom) * math.tan(float(np.interp(point, share / share[-1], angles)))
