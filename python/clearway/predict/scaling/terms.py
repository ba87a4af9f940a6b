"""The terms of a law: powers of the number of ranks and of its logarithm, from a published set.

A law is a constant and a few terms p^i · log2(p)^j, the performance model normal form of Calotoiu, Hoefler, Poke and
Wolf, "Using automated performance modeling to find scalability bugs in complex codes", SC13 (doi
10.1145/2503210.2503277). Its exponents are the halves up to 3; today's Extra-P has thirds beside them, as the surface
of a block needs them. Of logarithms there are powers up to 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from clearway.predict.scaling.decomposition import faces, planes

HALVES = tuple(Fraction(n, 2) for n in range(7))
THIRDS = tuple(Fraction(n, 3) for n in (1, 2, 4, 5))
LOGARITHMS = (0, 1, 2)


@dataclass(frozen=True, slots=True, order=True)
class Term:
    """p^power · log2(p)^logarithm; both 0 is the constant."""

    power: Fraction
    logarithm: int = 0

    def at(self, ranks: float) -> float:
        return math.pow(ranks, float(self.power)) * math.pow(math.log2(ranks), self.logarithm)

    @property
    def words(self) -> str:
        """`p^(1/2)·log2(p)^2`, and "" of the constant."""
        exponent = str(self.power) if self.power.denominator == 1 else f"({self.power})"
        power = "" if self.power == 0 else "p" if self.power == 1 else f"p^{exponent}"
        logarithm = ("", "log2(p)", f"log2(p)^{self.logarithm}")[min(self.logarithm, 2)]
        return "·".join(word for word in (power, logarithm) if word)

    @property
    def effort(self) -> int:
        """What it asks one to believe: whole powers before logarithms before fractions."""
        whole = self.power.denominator == 1
        return (math.ceil(self.power) if whole else 3 + math.ceil(self.power)) + 2 * self.logarithm


@dataclass(frozen=True, slots=True)
class BlockTerm:
    """What grows with the blocks that space is divided into (decomposition.py), which is no power of the ranks."""

    words: str
    at: Callable[[float], float]
    effort: int = 4  # as a fraction: what a power explains as well is taken for a power


AnyTerm = Term | BlockTerm
PLANES, FACES = BlockTerm("planes of blocks", planes), BlockTerm("faces of blocks", faces)
CONSTANT = Term(Fraction(0))
LINEAR = Term(Fraction(1))
SET = tuple(sorted((Term(i, j) for i in (*HALVES, *THIRDS) for j in LOGARITHMS), key=lambda t: (t.power, t.logarithm)))


@dataclass(frozen=True, slots=True)
class Law:
    """A sum of terms, each with its coefficient."""

    terms: tuple[AnyTerm, ...]
    coefficients: tuple[float, ...]

    def at(self, ranks: float) -> float:
        return sum(c * term.at(ranks) for c, term in zip(self.coefficients, self.terms, strict=True))

    @property
    def words(self) -> str:
        """`3.2 + 0.51·p·log2(p)`."""
        parts = [
            f"{_figure(abs(c))}{'·' if term.words else ''}{term.words}"
            for c, term in zip(self.coefficients, self.terms, strict=True)
        ]
        signs = ["-" if c < 0 else "+" for c in self.coefficients]
        text = " ".join(f"{sign} {part}" for sign, part in zip(signs, parts, strict=True))
        return text.removeprefix("+ ").replace("- ", "-", 1) if text.startswith("-") else text.removeprefix("+ ") or "0"


def _figure(coefficient: float) -> str:
    """Counts in full."""
    nearest = round(coefficient)
    return f"{nearest:,}" if nearest and abs(coefficient - nearest) < 1e-6 * nearest else f"{coefficient:.4g}"


def most_terms(runs: int) -> int:
    """How many coefficients so many numbers of ranks can carry: one stays for the error, of three two do."""
    return 0 if runs < 3 else 2 if runs < 5 else 3


def effort(terms: Sequence[AnyTerm]) -> tuple[int, int]:
    """What a law asks one to believe, to sort by: few terms, then simple ones."""
    return len(terms), sum(term.effort for term in terms)
