"""Seconds a rank, fitted as the kind of scaling has it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearway.predict.scaling.answer import Figure
from clearway.predict.scaling.fit import CHANCE, Column, Fit, fit
from clearway.predict.scaling.runs import Numbers, Runs

JITTER = 1 / 4  # of the wall-clock: a line may be off by NOISE of that, however short it is itself


def fitted_of(runs: Runs, seconds: Sequence[float], counted: Sequence[Column], search: bool = True) -> Fit | None:
    factors = [runs.fitted(ranks) for ranks in runs.ranks]
    noise = [factor * max(own, JITTER * wall) for factor, own, wall in zip(factors, seconds, runs.wall_s, strict=True)]
    values = [factor * own for factor, own in zip(factors, seconds, strict=True)]
    return fit(runs.ranks, values, noise, counted, search)


def draws_of(runs: Runs, fitted: Fit, target: int, random: np.random.Generator) -> Numbers:
    factor = runs.fitted(target)
    least = factor * JITTER * min(runs.wall_s)
    result: Numbers = fitted.draws(target, least, random) / factor
    return result


def figure_of(drawn: Numbers) -> Figure:
    low, middle, high = np.quantile(drawn, [0.5 - CHANCE / 2, 0.5, 0.5 + CHANCE / 2]).tolist()
    return Figure(middle, low, high)
