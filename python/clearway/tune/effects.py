"""What each setting is worth, from all runs of a race together: those of joined ways tell of each of their settings.

The logarithm of a time is taken as a sum: of what the machine did in that round, of what each setting of the way is
worth, of what is peculiar to that way (its settings may help each other, or stand in each other's way), and of noise.
All four are expected to be small, each as small as is said below: so one lucky run of a setting counts less than two,
and a setting of which little is known is worth little. A run that a neighbour disturbed counts less, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearway.tune.setting import Way, name_of

SIZE = 0.07  # a scale of what a setting is worth, in logarithms: of Student's t with
TAILS = 3.0  # so many degrees of freedom: most settings are worth little, a few very much
PECULIAR = 0.02  # likewise of what a way is worth besides its settings
DRIFT = 0.03  # likewise of what the machine does in a round
WIDE = 0.3  # that scale in the first fit: none is taken for little before it was looked at
USUAL_NOISE = 0.02  # likewise of a run, as long as runs do not tell
USUAL_RUNS = 2  # that guess counts as so many runs
LEAST_NOISE = 0.003
FAR = 2.0  # standard deviations: what is farther off counts less (Huber 1964)
FITS = 4  # noise and far runs are found from fit to fit

Seconds = Mapping[str, Mapping[int, float]]  # by name and round


@dataclass(frozen=True)
class Effects:
    """What the runs tell: how likely each worth is, as a normal distribution of all of them together."""

    settings: Mapping[str, int]  # by name: its place in `mean`
    ways: Mapping[str, int]  # likewise, of those that ran
    mean: np.ndarray
    covariance: np.ndarray

    def worth(self, way: Way, of: np.ndarray | None = None) -> float:
        """The logarithm of its time by that of the unchanged job, as it is expected; or as drawn."""
        return float((self.mean if of is None else of)[self._places(way)].sum())

    def setting_worth(self, name: str, of: np.ndarray | None = None) -> float:
        """Expected, or as drawn; nothing for one that never ran."""
        place = self.settings.get(name)
        return 0.0 if place is None else float((self.mean if of is None else of)[place])

    def unsure(self, way: Way, beside: Way = ()) -> float:
        """The standard deviation of the worth of the one by that of the other."""
        apart = self.row(way) - self.row(beside)
        own = sum(PECULIAR**2 for one in (way, beside) if one and name_of(one) not in self.ways)
        return math.sqrt(max(0.0, float(apart @ self.covariance @ apart)) + own)

    def row(self, way: Way) -> np.ndarray:
        """What of `mean` adds up to the worth of a way."""
        row = np.zeros(len(self.mean))
        row[self._places(way)] = 1
        return row

    def _places(self, way: Way) -> list[int]:
        own = self.ways.get(name_of(way))
        places = [self.settings[one.name] for one in way if one.name in self.settings]
        return places if own is None else [*places, own]

    def draws(self, number: int, chance: np.random.Generator) -> np.ndarray:
        """Worths, each as likely as they are by what the runs tell (Thompson 1933): little known, widely drawn."""
        worths: np.ndarray = self.mean + chance.standard_normal((number, len(self.mean))) @ self._root.T
        return worths

    @cached_property
    def _root(self) -> np.ndarray:
        values, vectors = np.linalg.eigh(self.covariance)
        root: np.ndarray = vectors * np.sqrt(np.maximum(values, 0.0))
        return root


def effects(ways: Mapping[str, Way], seconds: Seconds, settings: Sequence[str] = ()) -> Effects:
    """`settings`: those of which something is wanted, besides those that ran."""
    runs = [(ways[name], number, taken) for name, rounds in seconds.items() for number, taken in rounds.items()]
    names = dict.fromkeys([*settings, *(setting.name for way, _, _ in runs for setting in way)])
    ran = dict.fromkeys(name_of(way) for way, _, _ in runs if way)
    places = {name: at for at, name in enumerate(names)}
    own = {name: len(places) + at for at, name in enumerate(ran)}
    told = Effects(places, own, np.zeros(len(places) + len(own)), np.zeros((0, 0)))
    numbers = {number: at for at, number in enumerate(sorted({number for _, number, _ in runs}))}
    count = len(told.mean)
    design = np.zeros((len(runs), count + len(numbers) + 1))
    for row, (way, number, _) in enumerate(runs):
        design[row, :count] = told.row(way)
        design[row, [count + numbers[number], -1]] = 1
    sizes = [*([WIDE] * len(places)), *([PECULIAR] * len(own)), *([DRIFT] * len(numbers)), math.inf]
    mean, covariance = _fitted(design, np.log([taken for _, _, taken in runs]), np.asarray(sizes), len(places))
    return Effects(places, own, mean[:count], covariance[:count, :count])


def _fitted(design: np.ndarray, logs: np.ndarray, sizes: np.ndarray, settings: int) -> tuple[np.ndarray, np.ndarray]:
    """Least squares in which each number is drawn towards nothing, as far as its size says; also the covariance."""
    noise = USUAL_NOISE
    weights = np.ones(len(logs))
    for _ in range(FITS):
        weighted = design.T * weights
        inverse = np.linalg.inv(weighted @ design / noise**2 + np.diag(1e-9 + 1 / sizes**2))
        mean = inverse @ weighted @ logs / noise**2
        left = logs - design @ mean
        free = float(np.sum(weights)) - float(np.sum((weighted @ design / noise**2) * inverse))
        squares = float(np.sum(weights * left**2)) + USUAL_RUNS * USUAL_NOISE**2
        noise = max(LEAST_NOISE, math.sqrt(squares / (max(free, 0.0) + USUAL_RUNS)))
        weights = np.minimum(1.0, FAR * noise / np.maximum(np.abs(left), 1e-12))
        known = mean[:settings] ** 2 + np.diag(inverse)[:settings]
        sizes[:settings] = np.sqrt((TAILS * SIZE**2 + known) / (TAILS + 1))
    return mean, inverse
