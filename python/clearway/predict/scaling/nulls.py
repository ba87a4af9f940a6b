"""What anybody would say without a model of the job: null models, to be held beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LEAST = 1e-6  # of the longest: what is shorter is as good as nothing


def constant(ranks: Sequence[int], wall_s: Sequence[float]) -> float:
    """As long as on the most ranks recorded."""
    return _last(ranks, wall_s)


def perfect(ranks: Sequence[int], wall_s: Sequence[float], target: int) -> float:
    """1/p: the rank-seconds of the most ranks recorded, evenly on all."""
    return _last(ranks, wall_s) * max(ranks) / target


def amdahl(ranks: Sequence[int], wall_s: Sequence[float], target: int) -> float | None:
    """A part that takes as long on each number of ranks, and one that is divided (Amdahl 1967, AFIPS 30, 483): least
    squares of relative errors, neither part negative. None where there is one number of ranks only.
    """
    if len(set(ranks)) < 2 or max(wall_s) <= 0:
        return None
    seconds = np.asarray(wall_s, np.float64)
    scale = np.maximum(seconds, LEAST * seconds.max())
    both = np.stack([np.ones(len(ranks)), 1 / np.asarray(ranks, np.float64)], axis=1)
    tried = []
    for columns in ([0, 1], [0], [1]):
        matrix = both[:, columns] / scale[:, None]
        coefficients, *_ = np.linalg.lstsq(matrix, seconds / scale, rcond=None)
        if coefficients.min() >= 0:
            off = float(np.square(matrix @ coefficients - seconds / scale).sum())
            tried.append((off, float(np.array([1.0, 1 / target])[columns] @ coefficients)))
    return min(tried)[1]


def _last(ranks: Sequence[int], wall_s: Sequence[float]) -> float:
    own = [seconds for number, seconds in zip(ranks, wall_s, strict=True) if number == max(ranks)]
    return sum(own) / len(own)
