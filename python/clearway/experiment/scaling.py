"""Speedup with the number of ranks, and where it ends, as in Table 1 of Kutzner et al. 2007."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clearway.experiment.compared_figure import Seconds, paired
from clearway.experiment.comparison import Point, Row, Scaling, Verdict
from clearway.experiment.interval import interval_of
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.verdict import verdict_of
from clearway.job.change import describe


def scalings_of(plan: Plan, rows: Sequence[Row], seconds: Seconds) -> tuple[Scaling, ...]:
    """One for each set of variants that differ in their number of ranks only, and did the same work."""
    groups: dict[str, list[Variant]] = {}
    by_name = {row.name: row for row in rows}
    for variant in plan.variants:
        if variant.change.ranks is not None and not by_name[variant.name].not_compared:
            groups.setdefault(describe(replace(variant.change, ranks=None)), []).append(variant)
    unit = plan.baseline.change.ranks or 1
    scalings = []
    for name, variants in groups.items():
        ordered = sorted(variants, key=lambda variant: variant.change.ranks or 0)
        if len(ordered) > 1:
            points = tuple(_point(variant, by_name[variant.name], unit) for variant in ordered)
            scalings.append(Scaling(name, points, *enough_ranks(points, seconds, plan.precision)))
    return tuple(scalings)


def enough_ranks(points: Sequence[Point], seconds: Seconds, precision: float) -> tuple[int | None, bool]:
    """The fewest ranks that no larger number beats beyond doubt, and whether it is beyond doubt that none does.

    None: the largest are the fastest, or too little is known.
    """
    ran = [point for point in points if seconds[point.name]]
    for at, point in enumerate(ran[:-1]):
        larger = [
            verdict_of(interval_of(paired(seconds[more.name], seconds[point.name])), precision)
            for more in ran[at + 1 :]
        ]
        if Verdict.FASTER not in larger:
            return point.ranks, Verdict.UNCLEAR not in larger
    return None, False


def _point(variant: Variant, row: Row, unit: int) -> Point:
    ranks = variant.change.ranks or 1
    if row.verdict is Verdict.BASELINE:
        return Point(ranks, row.name, float(unit), None, None, unit / ranks)
    speedup = unit / row.ratio if row.ratio else None
    return Point(
        ranks=ranks,
        name=row.name,
        speedup=speedup,
        low=unit / row.ratio_high if row.ratio_high else None,
        high=unit / row.ratio_low if row.ratio_low else None,
        scaling=speedup / ranks if speedup else None,
    )
