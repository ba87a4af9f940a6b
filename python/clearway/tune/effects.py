"""What each setting is worth, from all runs of a race together: those of joined ways tell of each of their settings.

The logarithm of a time is taken as what the machine did in that round, plus something for each setting of the way, plus
noise. What a setting is worth is expected to be small (SIZE): so one lucky run of a setting counts less than two, and
a setting of which little is known is worth little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random

import numpy as np

from clearway.tune.setting import Way

SIZE = 0.1  # a standard deviation of what a setting is worth, in logarithms
USUAL_NOISE = 0.02  # likewise of a run, as long as runs do not tell
LEAST_NOISE = 0.003
ENOUGH = 3  # runs more than there is to be told from them

Seconds = Mapping[str, Mapping[int, float]]  # by name and round


def worths(ways: Mapping[str, Way], seconds: Seconds) -> dict[str, float]:
    """By name of setting: the logarithm of the time with it by that without."""
    names, known, _ = _told(ways, seconds)
    return dict(zip(names, map(float, known), strict=True))


def drawn_worths(ways: Mapping[str, Way], seconds: Seconds, chance: Random) -> dict[str, float]:
    """The same, each as likely as it is by what the runs tell (Thompson 1933): little known, widely drawn."""
    names, known, covariance = _told(ways, seconds)
    if not names:
        return {}
    drawn = np.random.default_rng(chance.getrandbits(32)).multivariate_normal(known, covariance, method="cholesky")
    return dict(zip(names, map(float, drawn), strict=True))


def _told(ways: Mapping[str, Way], seconds: Seconds) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names of settings, what each is worth, and how uncertain that is: their covariance."""
    runs = [(ways[name], number, taken) for name, rounds in seconds.items() for number, taken in rounds.items()]
    names = sorted({setting.name for way, _, _ in runs for setting in way})
    if not names:
        return [], np.zeros(0), np.zeros((0, 0))
    numbers = sorted({number for _, number, _ in runs})
    design = np.zeros((len(runs), len(names) + len(numbers)))
    for row, (way, number, _) in enumerate(runs):
        design[row, [names.index(setting.name) for setting in way]] = 1
        design[row, len(names) + numbers.index(number)] = 1
    logs = np.log([taken for _, _, taken in runs])
    known, covariance = _fitted(design, logs, len(names), USUAL_NOISE)
    freedom = len(runs) - design.shape[1]
    if freedom >= ENOUGH:
        noise = math.sqrt(float(np.sum((logs - design @ known) ** 2)) / freedom)
        known, covariance = _fitted(design, logs, len(names), max(noise, LEAST_NOISE))
    return names, known[: len(names)], covariance[: len(names), : len(names)]


def _fitted(design: np.ndarray, logs: np.ndarray, settings: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Least squares in which settings, but not rounds, are drawn towards nothing; also the covariance."""
    drawn = np.full(design.shape[1], 1e-9)
    drawn[:settings] += (noise / SIZE) ** 2
    inverse: np.ndarray = np.linalg.inv(design.T @ design + np.diag(drawn))
    return inverse @ design.T @ logs, noise**2 * inverse


def worth_of(way: Way, known: Mapping[str, float]) -> float:
    return sum(known.get(setting.name, 0.0) for setting in way)
