"""Seconds of two groups of Runs beside each other, and what may be said of their difference."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clearway.experiment.interval import Interval, difference_of
from clearway.survey.difference import Part


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


Totals = tuple[Sequence[float], Sequence[float]]


def part_of(key: str, label: str, a: Sequence[float], b: Sequence[float], totals: Totals | None = None) -> Part:
    """`a` and `b`: seconds of one kind, Run by Run; `totals`: all their seconds, where a share may be claimed."""
    bounds = difference_of(a, b)
    share, around = _share(a, b, bounds, totals) if totals else (None, None)
    return Part(
        key=key,
        label=label,
        a_s=mean(a),
        b_s=mean(b),
        more_s=mean(b) - mean(a),
        low_s=bounds.low if bounds else None,
        high_s=bounds.high if bounds else None,
        share=share,
        share_low=around.low if around else None,
        share_high=around.high if around else None,
    )


def _share(
    a: Sequence[float], b: Sequence[float], bounds: Interval | None, totals: Totals
) -> tuple[float | None, Interval | None]:
    """Of the difference of all seconds, and its bounds. None where the part went the other way, or may have.

    Bounds by the part less its share of all, which is a plain mean again (Fieller's way to a ratio).
    """
    whole, more = mean(totals[1]) - mean(totals[0]), mean(b) - mean(a)
    if whole == 0 or more / whole <= 0 or not math.isfinite(more / whole):
        return None, None
    if bounds is not None and bounds.low <= 0 <= bounds.high:
        return None, None
    share = more / whole
    rests = [
        [part - share * total for part, total in zip(*group, strict=True)] for group in ((a, totals[0]), (b, totals[1]))
    ]
    around = difference_of(rests[0], rests[1])
    if around is None:
        return share, None
    reach = (around.high - around.low) / 2 / abs(whole)
    return share, Interval(share - reach, share + reach)
