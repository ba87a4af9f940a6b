"""How sure a ratio is: bounds that may be looked at after every round, as often as one likes.

The first clear answer ends a comparison, so each look is a chance to be wrong, and an interval made for one look (or
for eight) promises too much. These bounds are a confidence sequence: with probability CONFIDENCE they hold the true
ratio at all looks together, however many there are. They are those values that a mixture of t tests has not refuted by
a Bayes factor of 1 / (1 - CONFIDENCE). For normal logarithms of unknown spread that factor is a test martingale, with
which Ville's inequality bounds the chance that it ever grows so large: Wang and Ramdas, "Anytime-valid t-tests and
confidence sequences for Gaussian means with unknown variance", arXiv:2310.03722 (2023); Pérez-Ortiz, Lardy, de Heide
and Grünwald, arXiv:2208.07610 (2022). Its closed form is that of Gönen et al., The American Statistician 59, 252
(2005).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

CONFIDENCE = 0.95
FEWEST = 3  # rounds
EFFECT_VARIANCE = 25.0  # of the mixture: effects of some five times what rounds differ by. The tightest at few rounds


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a ratio lies, with CONFIDENCE at all looks together."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Relative to its middle: 0.02 is ± 2 %."""
        return (self.high - self.low) / (self.high + self.low)


def interval_of(ratios: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """Of the geometric mean of paired ratios, one a round; None while there are too few."""
    count = len(ratios)
    if count < FEWEST:
        return None
    logs = np.log(np.asarray(ratios, dtype=np.float64))
    centre, error = float(logs.mean()), spread_of(ratios) / math.sqrt(count)
    most = largest_t(count, confidence)
    if math.isinf(most):
        return None  # so few rounds cannot tell so surely
    reach = most * error
    return Interval(math.exp(centre - reach), math.exp(centre + reach))


def difference_of(before: Sequence[float], after: Sequence[float]) -> Interval | None:
    """How much more `after` is in the mean than `before`, of two groups without pairs; None where one is too small.

    Welch's standard error and degrees of freedom (Biometrika 34, 28, 1947), with the bounds of `interval_of`: they are
    some twice as wide as those of one look at all, and a Run may be added and looked at again.
    """
    if min(len(before), len(after)) < FEWEST:
        return None
    groups = [np.asarray(group, dtype=np.float64) for group in (before, after)]
    parts = [float(group.var(ddof=1)) / len(group) for group in groups]
    middle, variance = float(groups[1].mean() - groups[0].mean()), sum(parts)
    if variance <= 0:
        return Interval(middle, middle)
    freedom = variance**2 / sum(part**2 / (len(group) - 1) for part, group in zip(parts, groups, strict=True))
    reach = largest_t(int(freedom) + 1) * math.sqrt(variance)
    return Interval(middle - reach, middle + reach)


def spread_of(ratios: Sequence[float]) -> float:
    """The standard deviation of their logarithms."""
    return float(np.log(np.asarray(ratios, dtype=np.float64)).std(ddof=1))


def geometric_mean(ratios: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


@cache
def largest_t(count: int, confidence: float = CONFIDENCE) -> float:
    """Student's t of `count` values at which the Bayes factor reaches 1 / (1 - confidence).

    The factor is √(1/r) · ((1 + t²/(n-1)) / (1 + t²/(r (n-1))))^(n/2) with r = 1 + n · EFFECT_VARIANCE.
    """
    r = 1 + count * EFFECT_VARIANCE
    wanted = (math.sqrt(r) / (1 - confidence)) ** (2 / count)
    return math.sqrt((count - 1) * (wanted - 1) / (1 - wanted / r)) if wanted < r else math.inf
