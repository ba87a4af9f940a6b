"""What an interval lets one say."""

from __future__ import annotations

from clearway.experiment.comparison import Verdict
from clearway.experiment.interval import Interval


def verdict_of(interval: Interval | None, precision: float) -> Verdict:
    if interval is None:
        return Verdict.UNCLEAR
    if interval.high < 1:
        return Verdict.FASTER
    if interval.low > 1:
        return Verdict.SLOWER
    return Verdict.SAME if interval.half_width <= precision else Verdict.UNCLEAR
