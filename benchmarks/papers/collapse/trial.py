"""The cells under one value of an unknown."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from clearway.predict.cache import Cache
from papers.collapse.cells import Cell, point, setup, speedup, timeouts_a_step
from papers.collapse.unknowns import Unknown, Variant, with_step
from papers.run import Watch, simulate

SEEDS = (1, 2, 3, 4, 5)
NEAR = 0.25


@dataclass(frozen=True, slots=True)
class Answer:
    """Of one cell."""

    cell: Cell
    speedups: tuple[float, ...]
    """By seed."""
    timeouts: float
    """A step, in the mean over the seeds."""

    @property
    def speedup(self) -> float:
        return statistics.median(self.speedups)

    @property
    def is_near(self) -> bool:
        return abs(self.speedup / self.cell.published - 1) <= NEAR


@dataclass(frozen=True, slots=True)
class Trial:
    unknown: Unknown | None
    """None: the model as it is."""
    variant: Variant
    answers: tuple[Answer, ...]


AS_IT_IS = Variant("the model as it is", lambda made: made)


def without_losses(
    cells: Sequence[Cell], factors: Sequence[float], cache: Cache | None, watch: Watch
) -> dict[float, list[float]]:
    """By so many times the time of a step on one CPU: speedups of the cells with the ordered all-to-all."""
    setups = {factor: [with_step(factor)(setup(cell.cpus)) for cell in cells] for factor in factors}
    points = {factor: [point(made, is_ordered=True) for made in each] for factor, each in setups.items()}
    outcomes = simulate([one for each in points.values() for one in each], cache, watch)
    return {
        factor: [speedup(made, outcomes[one]) for made, one in zip(setups[factor], points[factor], strict=True)]
        for factor in factors
    }


def trials(cells: Sequence[Cell], unknowns: Sequence[Unknown], cache: Cache | None, watch: Watch) -> list[Trial]:
    """The first is of the model as it is."""
    told: list[tuple[Unknown | None, Variant]] = [(None, AS_IT_IS)]
    told += [(unknown, variant) for unknown in unknowns for variant in unknown.variants]
    setups = {(at, cell): variant.change(setup(cell.cpus)) for at, (_, variant) in enumerate(told) for cell in cells}
    points = {key: point(made) for key, made in setups.items()}
    asked = dict.fromkeys(each.with_option("seed", seed) for each in points.values() for seed in SEEDS)
    outcomes = simulate(list(asked), cache, watch)

    def answer(at: int, cell: Cell) -> Answer:
        here = [outcomes[points[at, cell].with_option("seed", seed)] for seed in SEEDS]
        speedups = tuple(speedup(setups[at, cell], outcome) for outcome in here)
        return Answer(cell, speedups, statistics.mean(map(timeouts_a_step, here)))

    return [
        Trial(unknown, variant, tuple(answer(at, cell) for cell in cells)) for at, (unknown, variant) in enumerate(told)
    ]
