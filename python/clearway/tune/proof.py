"""What rounds of a way beside the unchanged job prove: their ratios of time, a round each."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clearway.experiment.interval import FEWEST, geometric_mean, interval_of, largest_t, spread_of
from clearway.tune.rules import WORTH_CHANGING, Rules

HOPE = 0.7  # of the noise, which few rounds tell badly


def is_faster(ratios: Sequence[float]) -> bool:
    """Beyond doubt, and by enough."""
    interval = interval_of(ratios)
    return interval is not None and interval.high < 1 and geometric_mean(ratios) <= WORTH_CHANGING


def is_no_faster(ratios: Sequence[float], rules: Rules) -> bool:
    """Surely not by more than the rules allow."""
    interval = interval_of(ratios)
    return interval is not None and interval.low >= 1 / (1 + rules.within)


def may_become_clear(ratios: Sequence[float], rules: Rules) -> bool:
    """Whether the last round may prove something, should the noise stay, or fall to HOPE of it."""
    if len(ratios) < FEWEST:
        return True
    middle, spread = math.log(geometric_mean(ratios)), HOPE * spread_of(ratios)
    reach = largest_t(rules.rounds) * spread / math.sqrt(rules.rounds)
    chance = spread / math.sqrt(len(ratios))  # by which the middle may still move
    return middle + reach - chance < 0 or middle - reach + chance > -rules.allowed
