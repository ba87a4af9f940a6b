"""What others waited for a rank, and what that cost: the waits, and the rank's own seconds in which they came about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case


def waited_for_s(case: Case, doing: int) -> NDArray[np.float64]:
    """By process: rank-seconds that others waited because it did that (a column of timelines.DOING) longer."""
    return case.delays.by_late(case.ranks)[:, doing]


def longest_wait_s(case: Case, doing: int) -> NDArray[np.float64]:
    """By process: what the one that waited longest for that did so."""
    charged = case.delays
    pair = charged.late.astype(np.int64) * case.ranks + charged.process
    pairs, place = np.unique(pair, return_inverse=True)
    seconds = np.bincount(place.reshape(-1), charged.causes_s[:, doing], minlength=len(pairs))
    longest = np.zeros(case.ranks)
    np.maximum.at(longest, pairs // case.ranks, seconds)
    return longest
