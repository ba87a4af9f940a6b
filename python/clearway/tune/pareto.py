"""Speed against cost: which variants nothing beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clearway.experiment.comparison import Basis
from clearway.tune.tuning import Row, Standing, Tuning


@dataclass(frozen=True, slots=True)
class Point:
    name: str
    cores: int
    speed: float  # in what `unit_of` says: more is better
    cost: float  # core-hours for the same work: less is better
    standing: Standing


def unit_of(tuning: Tuning) -> str:
    units = {Basis.DAY: "ns/day", Basis.STEP: "steps a second"}
    return units.get(tuning.basis or Basis.WALL, "times as fast as unchanged")


def points(tuning: Tuning) -> list[Point]:
    """Of the variants that ran well and are not thrown out."""
    found = []
    for row in tuning.rows:
        speed = _speed(row, tuning.basis)
        if speed is not None and row.core_hours is not None and row.standing is not Standing.THROWN_OUT:
            cores = row.copies * row.ranks * row.threads
            found.append(Point(row.name, cores, speed, row.core_hours, row.standing))
    return found


def front(known: Sequence[Point]) -> list[Point]:
    """Those that no other beats in speed without costing more, nor in cost without being slower; the cheapest first."""
    kept: list[Point] = []
    for point in sorted(known, key=lambda one: (one.cost, -one.speed)):
        if not kept or point.speed > kept[-1].speed:
            kept.append(point)
    return kept


def _speed(row: Row, basis: Basis | None) -> float | None:
    if basis is Basis.DAY:
        return row.ns_per_day
    if basis is Basis.STEP:
        return 1 / row.s_per_step if row.s_per_step else None
    return 1.0 if row.standing is Standing.UNCHANGED else row.speed
