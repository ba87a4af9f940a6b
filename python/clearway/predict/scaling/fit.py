"""Seconds on other numbers of ranks: all laws that the Runs can carry, weighted by how likely they make the Runs.

The set of laws is Extra-P's (see terms.py). From three or four Runs one law cannot be told from several others, which
differ widely far beyond, so that none of them is chosen. Each law is a linear regression with coefficients that are not
negative; laws and coefficients are drawn as Bayes has it (Raftery, Madigan and Hoeting, "Bayesian model averaging for
linear regression models", J. Am. Stat. Assoc. 92, 179, 1997), with Student's t for the unknown noise. What is expected
is the median of the draws, the bounds are their quantiles.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.predict.scaling.terms import CONSTANT, LINEAR, SET, AnyTerm, effort, most_terms

CHANCE = 0.9  # that the bounds hold what is to come
NOISE = 0.08  # what a job is off a smooth law, before its own residuals tell: some numbers divide its work better
NOISE_FREEDOM = 2  # how much that is believed: as much as two more Runs would
WIDEST = 2.0  # of a term, relative to all that was measured: coefficients are alike likely up to there
DRAWS = 4000
FEWEST_DRAWS = 200  # of a law, to see how often its coefficients are not negative
SEED = 1  # equal Runs give equal figures

_Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """Something that grows with the number of ranks: a term, or calls and bytes as counted."""

    words: str
    at: Callable[[float], float]


@dataclass(frozen=True)
class Drawn:
    """A law, and coefficients that it may have."""

    columns: tuple[Column, ...]
    weight: float
    coefficients: _Numbers  # draws x columns
    noise: _Numbers  # by draw: of a Run, relative to what was assumed of each

    def at(self, ranks: float) -> _Numbers:
        result: _Numbers = self.coefficients @ np.array([column.at(ranks) for column in self.columns])
        return result

    @property
    def words(self) -> str:
        middle = np.median(self.coefficients, axis=0).tolist()
        return " + ".join(
            f"{c:.3g}{'·' if column.words else ''}{column.words}"
            for c, column in zip(middle, self.columns, strict=True)
        )


@dataclass(frozen=True)
class Fit:
    """All laws that may hold, the likeliest first. Their weights add up to 1."""

    laws: tuple[Drawn, ...]

    def draws(self, ranks: float, least_noise: float, random: np.random.Generator) -> _Numbers:
        """DRAWS of what a Run on so many ranks may take. `least_noise`: see `noise` of `fit`."""
        counts = random.multinomial(DRAWS, [law.weight for law in self.laws])
        parts = []
        for law, count in zip(self.laws, counts.tolist(), strict=True):
            chosen = random.integers(len(law.noise), size=count)
            values = law.at(ranks)[chosen]
            around = law.noise[chosen] * random.standard_normal(count) * np.maximum(values, least_noise)
            parts.append(np.maximum(values + around, 0.0))
        drawn = np.concatenate(parts)
        random.shuffle(drawn)
        return drawn


def fit(
    ranks: Sequence[int],
    seconds: Sequence[float],
    noise: Sequence[float],
    counted: Sequence[Column] = (),
    search: bool = True,
) -> Fit | None:
    """None where there are fewer than three numbers of ranks. `noise`: what Runs may be off by, relative to NOISE, in
    seconds: the seconds themselves, but of those next to nothing a part of the whole wall-clock.

    `counted`: what the seconds may be in proportion to, known beforehand. `search`: terms of the set besides.
    """
    numbers = sorted(set(ranks))
    most = most_terms(len(numbers))
    if not most:
        return None
    scale = np.maximum(_means(ranks, noise, numbers), 1e-12)
    values = _means(ranks, seconds, numbers) / scale
    random = np.random.default_rng(SEED)
    found: list[tuple[float, Drawn]] = []
    for group in (_simple(counted, most), _free(most) if search else []):
        share = math.log(sum(chance for chance, _ in group)) if group else 0.0
        for chance, columns in group:
            law = _drawn(columns, numbers, values, scale, random)
            if law is not None:
                found.append((law[0] + math.log(chance) - share, law[1]))
    found.sort(key=lambda pair: -pair[0])
    weights = np.exp([logarithm - found[0][0] for logarithm, _ in found])
    kept = weights > 0.5 / DRAWS
    weights = weights / weights[kept].sum()
    return Fit(
        tuple(
            Drawn(law.columns, float(weight), law.coefficients, law.noise)
            for (_, law), weight, keep in zip(found, weights, kept, strict=True)
            if keep
        )
    )


def _means(ranks: Sequence[int], values: Sequence[float], numbers: Sequence[int]) -> _Numbers:
    """By number of ranks: Runs on the same number are off a law together, as its work divides well or badly."""
    return np.array(
        [np.mean([value for at, value in zip(ranks, values, strict=True) if at == number]) for number in numbers]
    )


def _simple(counted: Sequence[Column], most: int) -> list[tuple[float, tuple[Column, ...]]]:
    """What needs no search: constant, in proportion to the ranks, and to what was counted. With the chance of each."""
    whole = [column_of(CONSTANT), column_of(LINEAR), *counted]
    return [(1.0, columns) for size in range(1, most + 1) for columns in itertools.combinations(whole, size)]


def _free(most: int) -> list[tuple[float, tuple[Column, ...]]]:
    """Terms of the set with a constant; two of them where there are Runs enough. The more a law asks one to believe,
    the less likely it is before the Runs tell.
    """
    constant = column_of(CONSTANT)
    terms = [term for term in SET if term != CONSTANT]
    return [
        (2.0 ** (-effort(chosen)[1] / 2), (constant, *map(column_of, chosen)))
        for size in range(1, most)
        for chosen in itertools.combinations(terms, size)
    ]


def column_of(term: AnyTerm) -> Column:
    return Column(term.words, term.at)


def _drawn(
    columns: tuple[Column, ...],
    ranks: Sequence[int],
    values: _Numbers,
    scale: _Numbers,
    random: np.random.Generator,
) -> tuple[float, Drawn] | None:
    """Logarithm of how likely the law makes the Runs, and draws; None where they do not tell its terms apart."""
    matrix = np.array([[column.at(number) for column in columns] for number in ranks]) / scale[:, None]
    largest = np.abs(matrix).max(axis=0)
    if not largest.all():
        return None
    left, singular, right = np.linalg.svd(matrix / largest, full_matrices=False)
    if singular[-1] < 1e-6 * singular[0]:
        return None
    back = (right.T / singular) / largest[:, None]
    middle = back @ (left.T @ values)
    residual = values - matrix @ middle
    freedom = NOISE_FREEDOM + len(values) - len(columns)
    rest = NOISE_FREEDOM * NOISE**2 + float(residual @ residual)
    noise = np.sqrt(rest / random.chisquare(freedom, FEWEST_DRAWS))
    around = random.standard_normal((FEWEST_DRAWS, len(columns)))
    coefficients = middle + noise[:, None] * (around @ back.T)
    allowed = (coefficients >= 0).all(axis=1)
    if not allowed.any():
        return None
    likely = (
        math.lgamma(freedom / 2)
        - freedom / 2 * math.log(rest)
        - (freedom / 2) * math.log(math.pi)
        - float(np.log(singular).sum())
        - len(columns) * math.log(WIDEST)
        + math.log(float(allowed.mean()))
    )
    return likely, Drawn(columns, 0.0, coefficients[allowed], noise[allowed])
