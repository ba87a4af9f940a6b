"""What each setting is worth, from all runs of a race together: those of joined ways tell of each of their settings.

The logarithm of a time is taken as what the machine did in that round, plus something for each setting of the way, plus
noise. What a setting is worth is expected to be small (SIZE): so one lucky run of a setting counts less than two, and
a setting of which little is known is worth little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from clearway.tune.setting import Way

SIZE = 0.1  # a standard deviation of what a setting is worth, in logarithms
USUAL_NOISE = 0.02  # likewise of a run, as long as runs do not tell
LEAST_NOISE = 0.003
ENOUGH = 3  # runs more than there is to be told from them

Seconds = Mapping[str, Mapping[int, float]]  # by name and round


def worths(ways: Mapping[str, Way], seconds: Seconds) -> dict[str, float]:
    """By name of setting: the logarithm of the time with it by that without."""
    runs = [(ways[name], number, taken) for name, rounds in seconds.items() for number, taken in rounds.items()]
    names = sorted({setting.name for way, _, _ in runs for setting in way})
    numbers = sorted({number for _, number, _ in runs})
    if not names:
        return {}
    design = np.zeros((len(runs), len(names) + len(numbers)))
    for row, (way, number, _) in enumerate(runs):
        design[row, [names.index(setting.name) for setting in way]] = 1
        design[row, len(names) + numbers.index(number)] = 1
    logs = np.log([taken for _, _, taken in runs])
    known = _fitted(design, logs, len(names), USUAL_NOISE)
    freedom = len(runs) - design.shape[1]
    if freedom >= ENOUGH:
        noise = math.sqrt(float(np.sum((logs - design @ known) ** 2)) / freedom)
        known = _fitted(design, logs, len(names), max(noise, LEAST_NOISE))
    return dict(zip(names, map(float, known), strict=False))


def _fitted(design: np.ndarray, logs: np.ndarray, settings: int, noise: float) -> np.ndarray:
    """Least squares in which settings, but not rounds, are drawn towards nothing."""
    drawn = np.zeros(design.shape[1])
    drawn[:settings] = (noise / SIZE) ** 2
    fitted: np.ndarray = np.linalg.solve(design.T @ design + np.diag(drawn + 1e-9), design.T @ logs)
    return fitted


def worth_of(way: Way, known: Mapping[str, float]) -> float:
    return sum(known.get(setting.name, 0.0) for setting in way)
