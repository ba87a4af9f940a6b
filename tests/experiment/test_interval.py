"""The interval keeps its word: how often it is wrong is counted, on ratios whose truth is known."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from clearway.experiment.interval import few_rounds_factor, geometric_mean, interval_of, student_quantile

ROUNDS = 10
TRIALS = 400


def called_different(generator: np.random.Generator, effect: float, noise: float) -> bool:
    """Whether a comparison that looks after every round, and stops when it is sure, says that two are different."""
    ratios: list[float] = []
    for look in range(ROUNDS):
        ratios.append(effect * math.exp(generator.normal(0, noise)))
        interval = interval_of(ratios, look)
        if interval is not None and not interval.low <= 1 <= interval.high:
            return True
    return False


@pytest.mark.parametrize("noise", [0.01, 0.1])
def test_equals_are_seldom_called_different(noise: float) -> None:
    generator = np.random.default_rng(7)
    wrong = sum(called_different(generator, 1.0, noise) for _ in range(TRIALS))
    assert wrong <= 0.10 * TRIALS  # about 0.05, and chance


def test_a_clear_effect_is_found() -> None:
    generator = np.random.default_rng(7)
    assert all(called_different(generator, 0.8, 0.05) for _ in range(100))


def test_the_interval_covers_the_truth_from_three_rounds_on() -> None:
    generator = np.random.default_rng(7)
    for count in (3, 5, 10):
        covered = 0
        for seed in range(TRIALS):
            interval = interval_of(list(0.9 * np.exp(generator.normal(0, 0.05, count))), seed)
            assert interval is not None
            covered += interval.low <= 0.9 <= interval.high
        assert covered >= 0.95 * TRIALS


def test_too_few_rounds_say_nothing() -> None:
    assert interval_of([0.5, 0.5]) is None


def test_what_never_varies_is_known_exactly() -> None:
    interval = interval_of([0.5, 0.5, 0.5])
    assert interval is not None
    assert interval.low == pytest.approx(0.5)
    assert interval.half_width == pytest.approx(0)
    assert geometric_mean([0.5, 2.0]) == pytest.approx(1.0)


def test_student_against_published_tables() -> None:
    assert student_quantile(0.975, 2) == pytest.approx(4.303, abs=1e-3)
    assert student_quantile(0.995, 9) == pytest.approx(3.250, abs=1e-3)
    assert student_quantile(0.975, 1000) == pytest.approx(NormalDist().inv_cdf(0.975), rel=2e-3)
    assert few_rounds_factor(1000) == pytest.approx(1, rel=5e-3)
