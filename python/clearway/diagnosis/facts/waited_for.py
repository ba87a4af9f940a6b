"""What others waited for a rank, and what that cost: the waits, and the rank's own seconds in which they came about."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.ledger.collectives import OVER_WINDOW
from clearway.ledger.timelines import COMPUTE
from clearway.run.layout import FunctionClass


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


def for_targets_s(case: Case, without: Collection[int] = ()) -> float:
    """Rank-seconds in one-sided calls to targets that computed meanwhile, though not longer than others in the job.

    `without`: processes whose waits do not count.
    """
    one_sided = case.run.functions.classes()[case.delays.function] == FunctionClass.ONE_SIDED
    together = case.run.functions.named(*OVER_WINDOW)[case.delays.function]
    counted = ~np.isin(case.delays.process, list(without))
    computed_s = float(case.delays.causes_s[one_sided & ~together & counted, COMPUTE].sum())
    return max(computed_s - case.losses.imbalance_s, 0.0)
