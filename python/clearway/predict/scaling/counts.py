"""Laws of what was counted: calls and bytes carry no noise, so that a law either holds to the unit, or does not hold.

A law of one coefficient is taken from two numbers of ranks, one of two from three: there is always a number of ranks
that it was not made from. Several laws may hold: on 1, 2 and 4 ranks p·log2(p) cannot be told from log2(p)^2. The
simplest is taken, and what the others say is told beside it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from clearway.predict.scaling.terms import FACES, PLANES, SET, AnyTerm, Law, effort

EXACT = 1e-9  # relative: what is lost when integers pass through floating point
MOST_COEFFICIENTS = 2


@dataclass(frozen=True, slots=True)
class CountLaw:
    """Of a sum over ranks."""

    law: Law
    from_ranks: int  # it holds for so many and more: one rank sends no message
    rivals: tuple[Law, ...]  # as simple in number of terms, and as exact

    def range_at(self, ranks: int) -> tuple[float, float]:
        values = [max(law.at(ranks), 0.0) for law in (self.law, *self.rivals)]
        return min(values), max(values)


def count_law(ranks: Sequence[int], counts: Sequence[int], of_neighbours: bool = False) -> CountLaw | None:
    """The simplest law that gives all counts exactly; None where there is none in the set.

    `of_neighbours`: they are of messages from rank to rank, which may be those between blocks of space.

    Where a number of ranks comes twice, its counts have to be equal. If there is none for all of them, the smallest
    number may stand apart; it counts as a coefficient.
    """
    known: dict[int, int] = {}
    for number, count in zip(ranks, counts, strict=True):
        if known.setdefault(number, count) != count:
            return None
    for skipped in (0, 1):
        numbers = tuple(sorted(known)[skipped:])
        laws = _exact(numbers, [known[number] for number in numbers], len(numbers) - 1 - skipped, of_neighbours)
        if laws:
            return CountLaw(laws[0], numbers[0], tuple(laws[1:]))
    return None


def _exact(ranks: tuple[int, ...], counts: Sequence[int], most: int, of_neighbours: bool) -> list[Law]:
    """All of the fewest terms, the simplest first."""
    if most < 1:
        return []
    if not any(counts):
        return [Law((), ())]
    wanted = np.array(counts, np.float64)
    for terms in range(1, min(MOST_COEFFICIENTS, most) + 1):
        found = _through(ranks, terms, wanted, of_neighbours)
        if found:
            return found
    return []


def _through(ranks: tuple[int, ...], terms: int, wanted: NDArray[np.float64], of_neighbours: bool) -> list[Law]:
    """Laws of so many terms: least squares, and all rows must agree."""
    chosen, columns, inverse = _solved(ranks, terms, of_neighbours)
    coefficients = inverse @ wanted
    off = np.abs(np.einsum("ark,ak->ar", columns, coefficients) - wanted) / np.maximum(wanted, 1.0)
    large = np.abs(columns * coefficients[:, None, :]).max(axis=(1, 2)) > 1e6 * wanted.max()
    holds = np.flatnonzero((off.max(axis=1) <= EXACT) & ~large)
    return [Law(chosen[at], tuple(coefficients[at].tolist())) for at in holds.tolist()]


@cache
def _solved(
    ranks: tuple[int, ...], terms: int, of_neighbours: bool
) -> tuple[list[tuple[AnyTerm, ...]], NDArray[np.float64], NDArray[np.float64]]:
    """All choices of so many terms that these numbers of ranks tell apart, the simplest first."""
    known: list[AnyTerm] = [*SET, *((PLANES, FACES) if of_neighbours else ())]
    chosen = sorted(itertools.combinations(known, terms), key=effort)
    columns = np.array([[[term.at(number) for term in each] for number in ranks] for each in chosen])
    apart = np.linalg.matrix_rank(columns / np.maximum(np.abs(columns).max(axis=1, keepdims=True), 1e-300), tol=1e-6)
    told = np.flatnonzero(apart == terms).tolist()
    return [chosen[at] for at in told], columns[told], np.linalg.pinv(columns[told])
