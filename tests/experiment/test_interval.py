"""The bounds keep their word: how often they are wrong at any of many looks is counted, where the truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from clearway.experiment.interval import CONFIDENCE, FEWEST, geometric_mean, interval_of, largest_t

LOOKS = 400
TRIALS = 2000


def ever_wrong(logs: NDArray[np.float64], truth: float = 0.0) -> float:
    """The share of comparisons (a row each) whose bounds leave out the truth at one look or more."""
    number = np.arange(1, logs.shape[1] + 1)
    mean = np.cumsum(logs, axis=1) / number
    squares = np.cumsum((logs - logs.mean()) ** 2, axis=1) - number * (mean - logs.mean()) ** 2
    error = np.sqrt(np.maximum(squares, 0)[:, FEWEST - 1 :] / (number[FEWEST - 1 :] - 1) / number[FEWEST - 1 :])
    reach = np.array([largest_t(int(count)) for count in number[FEWEST - 1 :]])
    return float((np.abs(mean[:, FEWEST - 1 :] - truth) > reach * error).any(axis=1).mean())


def noise_of(kind: str, generator: np.random.Generator) -> NDArray[np.float64]:
    """Logarithms of the ratios of two equal jobs."""
    shape = (2, TRIALS, LOOKS)
    match kind:
        case "normal":
            times = generator.normal(0, 0.02, shape)
        case "heavy tails":
            times = 0.02 * generator.standard_t(3, shape)
        case "a neighbour now and then":
            times = generator.normal(0, 0.01, shape) + 0.3 * (generator.random(shape) < 0.1)
        case _:
            times = generator.exponential(0.05, shape)
    return np.asarray(times[0] - times[1])


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "a neighbour now and then", "never faster than"])
def test_equals_are_seldom_called_different_at_any_look(kind: str) -> None:
    wrong = ever_wrong(noise_of(kind, np.random.default_rng(7)))
    assert wrong <= 1 - CONFIDENCE + 3 * math.sqrt(0.05 * 0.95 / TRIALS)  # and chance


def test_a_test_of_this_test() -> None:
    """Bounds that are right at one look alone are wrong far more often over many."""
    logs = noise_of("normal", np.random.default_rng(7))
    counts = np.arange(FEWEST, LOOKS + 1)
    means = np.cumsum(logs, axis=1)[:, FEWEST - 1 :] / counts
    assert (np.abs(means) > 2.5 * 0.02 * math.sqrt(2) / np.sqrt(counts)).any(axis=1).mean() > 0.1


def test_the_bounds_are_those_that_were_counted() -> None:
    ratios = [0.9, 0.95, 0.88, 0.92]
    logs = np.log(ratios)
    interval = interval_of(ratios)
    assert interval is not None
    reach = largest_t(4) * float(logs.std(ddof=1)) / 2
    assert math.log(interval.high) == pytest.approx(float(logs.mean()) + reach)
    assert math.log(interval.low) == pytest.approx(float(logs.mean()) - reach)


def test_the_bayes_factor_at_the_bound_is_twenty() -> None:
    """By numerical integration over the effects that the mixture holds, with the noncentral t's density."""
    for count in (3, 5, 10, 40):
        t = largest_t(count)
        # With the spread integrated out under its invariant prior, the likelihood of effect d is that of t.
        effects = np.linspace(-40, 40, 8_001)
        prior = np.exp(-(effects**2) / (2 * 25)) / math.sqrt(2 * math.pi * 25)
        spreads = np.exp(np.linspace(-8, 4, 401))  # of the precision's root, by the sum of squares
        sum_of_squares, mean = count - 1.0, t / math.sqrt(count)
        likelihood = np.zeros_like(effects)
        under_null = 0.0
        width = math.log(spreads[1] / spreads[0])
        for root in spreads:
            within = count * math.log(root) - root**2 * sum_of_squares / 2
            likelihood += np.exp(within - count * (mean * root - effects) ** 2 / 2) * width
            under_null += math.exp(within - count * (mean * root) ** 2 / 2) * width
        factor = float((likelihood * prior).sum() * (effects[1] - effects[0])) / under_null
        assert factor == pytest.approx(20, rel=0.02), count


def test_a_clear_effect_is_found_soon() -> None:
    generator = np.random.default_rng(7)
    for _ in range(100):
        found = interval_of(list(0.8 * np.exp(generator.normal(0, 0.03, 5))))
        assert found is not None and found.high < 1


def test_too_few_rounds_say_nothing() -> None:
    assert interval_of([0.5, 0.5]) is None


def test_what_never_varies_is_known_exactly() -> None:
    interval = interval_of([0.5, 0.5, 0.5])
    assert interval is not None
    assert interval.low == pytest.approx(0.5)
    assert interval.half_width == pytest.approx(0)
    assert geometric_mean([0.5, 2.0]) == pytest.approx(1.0)
