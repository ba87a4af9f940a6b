"""What is left to gain, by all runs so far."""

from __future__ import annotations

import numpy as np

from clearway.tune.effects import Effects
from clearway.tune.offer import Offer
from clearway.tune.rounds import Rounds
from clearway.tune.setting import Way, joined


def left(told: Effects, offer: Offer, rounds: Rounds, way: Way, sure: float) -> float:
    """So much, as a logarithm, the best way may be faster than `way`; it is so sure that it is not more."""
    return float(np.quantile(told.drawn_worths(way) - least_of(told, offer, rounds), sure))


def least_of(told: Effects, offer: Offer, rounds: Rounds) -> np.ndarray:
    """The worth of the best way by each draw, if any settings of different knobs go together."""
    ran = {one.name for name in rounds.seconds for one in rounds.ways[name]}
    least = np.zeros(len(told.draws))
    for shape, settings in offer.by_shape.items():
        worth = told.drawn_worths(shape)
        known = [one for one in settings if one.name in ran and rounds.may_run(joined(shape, [one]))]
        for knob in {one.knob for one in known}:
            places = [told.settings[one.name] for one in known if one.knob == knob]
            worth = worth + np.minimum(0.0, told.draws[:, places].min(axis=1))
        least = np.minimum(least, worth)
    for name in told.ways:
        if rounds.may_run(rounds.ways[name]):
            least = np.minimum(least, told.drawn_worths(rounds.ways[name]))
    return least
