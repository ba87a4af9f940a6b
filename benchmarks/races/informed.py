"""A search that is told what no search can know of a job: how much its settings matter, and how much its runs differ.

It draws the next way as likely as it is the best by a model of all runs (Thompson sampling in a Gaussian process), from
its first run on, and names the way with the least expected time. What it is told is that of the grid itself: how large
effects of settings are, and what a way has besides; the usual noise, and which ways fail. So what it misses, a race
that has to find all of this out may miss as well. It is no bound: to be told more than that would help.
"""

from __future__ import annotations

import math

import numpy as np

from clearway.tune.setting import Way
from races.estimate import Floats
from races.grid import same_way
from races.world import Runs, World

LEVEL = 1.0  # a standard deviation: of the logarithm of the unchanged job's time, by that of its first run
LEAST_OWN = 0.003
TAILS = 4.0  # degrees of freedom of a run's error
FITS = 6


def informed(world: World, budget: int, seed: int) -> Way:
    ways, before = world.ways, expected(world)
    runs, chance = Runs(world, seed), np.random.default_rng(seed)
    at, logs = [ways.index(())], [0.0]
    first = seconds(runs, ())
    while len(at) < budget:
        mean, covariance = given(before, at, np.asarray(logs), world.usual_spread)
        at.append(int(np.argmin(mean + np.linalg.cholesky(covariance) @ chance.standard_normal(len(ways)))))
        logs.append(math.log(seconds(runs, ways[at[-1]]) / first))
    return ways[int(np.argmin(given(before, at, np.asarray(logs), world.usual_spread)[0]))]


def seconds(runs: Runs, way: Way) -> float:
    """Of a way that does not fail."""
    taken = runs(way, 1)
    assert taken is not None
    return taken


def expected(world: World) -> Floats:
    """The covariance of the logarithms of all ways' times, before any ran."""
    names = sorted(set().union(*map(same_way, world.ways)))
    has = np.asarray([[float(name in same_way(way)) for name in names] for way in world.ways])
    terms = np.column_stack([np.ones(len(has)), has])
    logs = np.asarray([world.log_of(way) for way in world.ways])
    worth = np.linalg.lstsq(terms, logs, rcond=None)[0]
    own = max(float(np.std(logs - terms @ worth)), LEAST_OWN)
    return np.asarray(np.mean(worth[1:] ** 2) * has @ has.T + own**2 * np.eye(len(has)) + LEVEL**2)


def given(before: Floats, at: list[int], logs: Floats, spread: float) -> tuple[Floats, Floats]:
    """Mean and covariance of all ways by the runs of those `at`. A run that is far from the others counts less."""
    counts = np.ones(len(at))
    for _ in range(FITS):
        noise = spread**2 / counts
        weight = np.linalg.inv(before[np.ix_(at, at)] + np.diag(noise))
        alone = np.diag(weight)  # of each run, by all others
        far = (weight @ logs / alone) ** 2 / (1 / alone - noise + spread**2)
        counts = (TAILS + 1) / (TAILS + far)
    pull = before[:, at] @ weight
    return pull @ logs, before - pull @ before[at] + 1e-9 * np.eye(len(before))
