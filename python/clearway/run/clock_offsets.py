"""The clocks of different machines, aligned after the fact from what the job itself did.

A synchronising collective ends nowhere before it has begun everywhere, and no message arrives before it was sent.
Each such pair of instants on two machines bounds the difference of their clocks from one side; many of them, in
both directions, leave a narrow channel over time. The clock difference is the line (offset and drift) in the
middle of that channel; half of the channel's height is the error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WINDOWS = 64  # the channel is narrowed to its tightest bounds in each of so many stretches of time
LARGEST_DRIFT = 2e-4  # quartz clocks differ by some 1e-5; NTP slews by at most 5e-4 for short whiles


@dataclass(frozen=True, slots=True)
class Bounds:
    """Instants (seconds) and what the correction of a machine's clock there must not be above, or not below."""

    upper_at_s: NDArray[np.float64]
    upper_s: NDArray[np.float64]
    lower_at_s: NDArray[np.float64]
    lower_s: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Correction:
    """What to add to a machine's seconds: offset_s + drift * seconds. `error_s` bounds what may still be wrong."""

    offset_s: float
    drift: float
    error_s: float


def correction(bounds: Bounds) -> Correction | None:
    """The line in the middle of the channel; None where one side has no bound at all."""
    if not len(bounds.upper_s) or not len(bounds.lower_s):
        return None
    first = min(bounds.upper_at_s.min(), bounds.lower_at_s.min())
    last = max(bounds.upper_at_s.max(), bounds.lower_at_s.max())
    width = max((last - first) / WINDOWS, 1e-9)
    upper_at, upper = _tightest(bounds.upper_at_s, bounds.upper_s, first, width)
    lower_at, negated = _tightest(bounds.lower_at_s, -bounds.lower_s, first, width)
    lower = -negated

    def half_gap(drift: float) -> float:
        return 0.5 * float((upper - drift * upper_at).min() - (lower - drift * lower_at).max())

    drift = _highest(half_gap, -LARGEST_DRIFT, LARGEST_DRIFT)
    if half_gap(0.0) >= 0.9 * half_gap(drift):
        drift = 0.0  # the bounds do not tell: a drift read out of noise would be carried to the Run's far end
    gap = half_gap(drift)
    offset = float((lower - drift * lower_at).max()) + gap
    return Correction(offset, drift, abs(gap))


def _tightest(
    at_s: NDArray[np.float64], bound_s: NDArray[np.float64], first_s: float, width_s: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The smallest bound in each window of time, with its instant."""
    window = np.minimum((at_s - first_s) / width_s, WINDOWS - 1).astype(np.int64)
    order = np.lexsort((bound_s, window))
    starts = np.flatnonzero(np.diff(window[order], prepend=-1))
    chosen = order[starts]
    return at_s[chosen], bound_s[chosen]


def _highest(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a concave function of one number is highest (ternary search)."""
    for _ in range(100):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if function(left) < function(right):
            low = left
        else:
            high = right
    return (low + high) / 2
