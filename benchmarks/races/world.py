"""A measured grid as a world in which a search can be repeated: its truth is estimated from the grid, its noise is the
grid's.

A run in round R takes what its way takes (races/estimate.py), times what the machine did in a round (drawn of the
grid's rounds), times what is left of one run (drawn of all that is left in the grid, disturbed runs with it, widened by
as much as fitting has narrowed it).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from clearway.tune.setting import Setting, Way
from races.estimate import Floats, error_of_median, estimated, usual_spread
from races.grid import same_way
from races.results import First, Result


@dataclass(frozen=True)
class World:
    """What is true of each way, and of its noise."""

    result: Result
    logs: dict[frozenset[str], float]  # of seconds, by names of settings; only what never failed
    failing: frozenset[frozenset[str]]
    rounds: tuple[float, ...]  # what the machine did
    left: tuple[float, ...]
    error: float = 0.0  # the standard error of a way's median, in logarithms

    @property
    def ways(self) -> list[Way]:
        return [way for way in self.result.ways if same_way(way) in self.logs]

    @property
    def best(self) -> Way:
        return min(self.ways, key=self.log_of)

    def log_of(self, way: Way) -> float:
        return self.logs[same_way(way)]

    def behind(self, way: Way) -> float:
        """Its time by that of the best there is."""
        return math.exp(self.log_of(way) - self.log_of(self.best))

    @property
    def spread(self) -> float:
        """The standard deviation of one run."""
        return float(np.std(self.left))

    @property
    def usual_spread(self) -> float:
        """The same of those that nothing disturbed."""
        return usual_spread(np.asarray(self.left))


def medians_of(result: Result) -> dict[frozenset[str], float]:
    """Of the logarithms of seconds, without what the machine did in each round; of ways that never failed."""
    inside, without, _ = without_rounds(result)
    return dict(zip(inside, map(float, np.median(without, axis=1)), strict=True))


def without_rounds(result: Result) -> tuple[list[frozenset[str]], Floats, Floats]:
    """Ways that never failed, their logarithms (way, round) without what the machine did in each round, and that."""
    names = [same_way(way) for way in result.ways]
    measured = [[row[at] for row in result.rounds] for at in range(len(names))]
    whole = [at for at, seconds in enumerate(measured) if all(seconds)]
    logs = np.log(np.asarray([measured[at] for at in whole], dtype=np.float64))
    of_round = np.median(logs - logs.mean(axis=1, keepdims=True), axis=0)
    return [names[at] for at in whole], logs - of_round, of_round


def world_of(result: Result) -> World:
    inside, without, of_round = without_rounds(result)
    middles = np.median(without, axis=1)
    count = without.shape[1]
    left = (without - middles[:, None]) * math.sqrt(count / (count - 1))
    error = error_of_median(usual_spread(left), count)
    return World(
        result,
        dict(zip(inside, map(float, estimated(inside, middles, error)), strict=True)),
        frozenset(map(same_way, result.ways)) - set(inside),
        tuple(map(float, of_round)),
        tuple(map(float, left.ravel())),
        error,
    )


@dataclass(frozen=True, slots=True)
class Check:
    """Medians and estimates of a grid's first rounds, by the medians of its other rounds. Logarithms."""

    rounds: int
    others: int
    medians_off: float  # a standard deviation over all ways
    estimates_off: float
    best_by_median: tuple[float, float]  # of the way that seems best: its time by the unchanged job's; in other rounds
    best_by_estimate: tuple[float, float]


def check(result: Result, rounds: int) -> Check:
    first = replace(result, rounds=result.rounds[:rounds])
    others = medians_of(replace(result, rounds=result.rounds[rounds:]))
    medians, estimates = medians_of(first), world_of(first).logs
    ways = [way for way in estimates if way in others]

    def off(found: Mapping[frozenset[str], float]) -> float:
        return float(np.std([found[way] - others[way] for way in ways]))

    def best(found: Mapping[frozenset[str], float]) -> tuple[float, float]:
        way, unchanged = min(ways, key=found.__getitem__), same_way(())
        return found[way] - found[unchanged], others[way] - others[unchanged]

    return Check(rounds, len(result.rounds) - rounds, off(medians), off(estimates), best(medians), best(estimates))


class Runs:
    """Runs in a world, counted."""

    def __init__(self, world: World, seed: int, base: Way = (), flat: bool = False) -> None:
        """`base`: what the job is as it was typed; `flat`: all that is changed changes nothing."""
        self.world, self.base, self.flat = world, base, flat
        self.chance = Random(seed)
        self.machine: dict[int, float] = {}
        self.count = 0

    def __call__(self, way: Way, number: int) -> float | None:
        self.count += 1
        if number not in self.machine:
            self.machine[number] = self.chance.choice(self.world.rounds)
        truth = self.truth(way)
        if truth is None:
            return None
        return math.exp(truth + self.machine[number] + self.chance.choice(self.world.left))

    def truth(self, way: Way) -> float | None:
        if self.flat:
            return self.world.log_of(())
        return self.world.logs.get(same_way(on_top(self.base, way)))

    def behind(self, way: Way) -> float:
        """The time of `way`, on top of the job as it was typed, by that of the best there is."""
        return self.world.behind(on_top(self.base, way))


def on_top(base: Way, way: Way) -> Way:
    """Of one knob the later setting counts."""
    turned = {setting.knob for setting in way}
    return (*(setting for setting in base if setting.knob not in turned), *way)


def known_settings(result: Result) -> dict[str, Setting]:
    return {setting.name: setting for way in result.ways for setting in way}


def shapes_of(first: First, known: dict[str, Setting]) -> list[Setting]:
    return [known[name] for name in first.shapes if name in known]


def settings_of(first: First, way: Way, known: dict[str, Setting]) -> Sequence[Setting]:
    return [known[name] for name in first.settings.get(shape_name(way), ()) if name in known]


def doubted_of(first: First, way: Way, known: dict[str, Setting]) -> Sequence[Setting]:
    return [known[name] for name in first.doubted.get(shape_name(way), ()) if name in known]


def shape_name(way: Way) -> str:
    return next((setting.name for setting in way if setting.shape), "")
