"""What runs tell of settings: made times, whose truth is known."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence

import numpy as np
import pytest

from clearway.job.change import Change
from clearway.tune.effects import Effects, effects
from clearway.tune.setting import MayChange, Setting, Way, name_of

SETTINGS = [Setting(f"knob {at}", f"setting {at}", Change(), MayChange.NOTHING) for at in range(4)]
FIRST, SECOND, THIRD, FOURTH = SETTINGS


def told_by(ways: Sequence[Way], worth: dict[str, float], rounds: int, spread: float, seed: int = 0) -> Effects:
    chance = random.Random(seed)
    seconds: dict[str, dict[int, float]] = {}
    for number in range(1, rounds + 1):
        machine = chance.gauss(0, 0.03)
        for way in ways:
            log = sum(worth.get(one.name, 0.0) for one in way) + machine + chance.gauss(0, spread)
            seconds.setdefault(name_of(way), {})[number] = math.exp(log)
    return effects({name_of(way): way for way in ways}, seconds, [one.name for one in SETTINGS], seed)


def test_joined_ways_tell_of_each_of_their_settings() -> None:
    ways = [(), (FIRST, SECOND), (FIRST, THIRD), (SECOND, THIRD)]
    told = told_by(ways, {"setting 0": -0.2, "setting 2": 0.1}, 4, 0.005)
    assert told.worth((FIRST,)) == pytest.approx(-0.2, abs=0.02)
    assert told.worth((SECOND,)) == pytest.approx(0.0, abs=0.02)
    assert told.worth((FIRST, THIRD)) == pytest.approx(-0.1, abs=0.02)


def test_what_never_ran_together_alone_is_not_told_apart() -> None:
    told = told_by([(), (FIRST, SECOND)], {"setting 0": -0.2}, 4, 0.005)
    assert told.worth((FIRST, SECOND)) == pytest.approx(-0.2, abs=0.02)
    assert np.std(told.drawn_worths((FIRST,))) > 0.03
    assert np.std(told.drawn_worths((FIRST, SECOND))) < 0.02


def test_a_lucky_run_is_taken_for_chance_and_several_are_believed() -> None:
    once = told_by([(), (FIRST,)], {"setting 0": -0.04}, 1, 0.0)
    often = told_by([(), (FIRST,)], {"setting 0": -0.04}, 6, 0.003)
    assert -0.025 < once.worth((FIRST,)) < 0
    assert often.worth((FIRST,)) == pytest.approx(-0.04, abs=0.005)


def test_of_what_is_doubted_one_run_is_believed_less_and_a_great_gain_all_the_same() -> None:
    def worth(log: float, doubted: Collection[str]) -> float:
        seconds = {"unchanged": {1: 1.0}, "setting 0": {1: math.exp(log)}}
        return effects({"unchanged": (), "setting 0": (FIRST,)}, seconds, doubted=doubted).worth((FIRST,))

    assert worth(-0.05, ["setting 0"]) > worth(-0.05, []) + 0.005
    assert worth(-0.5, ["setting 0"]) == pytest.approx(-0.5, abs=0.05)


def test_a_disturbed_run_counts_next_to_nothing() -> None:
    seconds = {"unchanged": dict.fromkeys(range(1, 7), 1.0), "setting 0": dict.fromkeys(range(1, 7), 0.9)}
    seconds["setting 0"][3] = 2.5
    told = effects({"unchanged": (), "setting 0": (FIRST,)}, seconds)
    assert told.worth((FIRST,)) == pytest.approx(math.log(0.9), abs=0.02)


def test_of_what_never_ran_everything_is_possible() -> None:
    told = told_by([()], {}, 3, 0.01)
    assert (told.drawn_worths((FOURTH,)) < -0.1).mean() > 0.02
    assert abs(float(np.median(told.drawn_worths((FOURTH,))))) < 0.01


def test_draws_hold_the_truth_as_often_as_they_say() -> None:
    """Of settings drawn as they are expected to be, nine in ten lie where nine in ten draws do."""
    inside, times = 0, 150
    for seed in range(times):
        chance = random.Random(seed)
        size = chance.choices((0.004, 0.03, 0.2), (0.5, 0.3, 0.2))[0]
        truth = chance.gauss(0, size)
        told = told_by([(), (FIRST,), (SECOND,)], {"setting 0": truth}, 3, 0.02, seed)
        low, high = np.quantile(told.drawn_worths((FIRST,)), (0.05, 0.95))
        inside += low <= truth <= high
    assert inside >= times * 0.9 - 3 * math.sqrt(times * 0.9 * 0.1)
