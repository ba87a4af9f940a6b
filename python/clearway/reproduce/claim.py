"""A figure that a paper published, how it is predicted, and how far the two are apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clearway.reproduce.point import Outcome, Point

CLOSE = 0.15  # a prediction that is off by no more is a good one


@dataclass(frozen=True, slots=True)
class Claim:
    where: str
    """In the paper."""
    what: str
    low: float
    """What was published: from here …"""
    high: float
    """… to here; the same where it is one figure, infinite where it is a lower bound."""
    words: Callable[[float], str]
    """The figure as people read it."""
    points: tuple[Point, ...]
    figure: Callable[[Sequence[Outcome]], float]
    """The prediction, from what the points came to."""
    fitted: str | None = None
    """The parameters that this figure decided; None: it is a prediction."""
    reason: str | None = None
    """Why it is off, where that is known."""


@dataclass(frozen=True, slots=True)
class Paper:
    name: str
    title: str
    reference: str
    parameters: tuple[str, ...]
    """What was fitted, on what, and what was assumed."""
    claims: tuple[Claim, ...]
    left_out: tuple[str, ...] = ()
    """Of its figures, what no model covers, and why."""
    drawn: tuple[str, ...] = ()
    """How its pictures are drawn."""


@dataclass(frozen=True, slots=True)
class Verdict:
    claim: Claim
    predicted: float

    @property
    def deviation(self) -> float:
        """0 within what was published; else relative to the nearest published figure."""
        claim = self.claim
        if claim.low <= self.predicted <= claim.high:
            return 0.0
        nearest = claim.low if self.predicted < claim.low else claim.high
        return (self.predicted - nearest) / nearest if nearest else float("inf")

    @property
    def is_close(self) -> bool:
        return abs(self.deviation) <= CLOSE


def exactly(value: float) -> tuple[float, float]:
    return value, value


def at_least(value: float) -> tuple[float, float]:
    return value, float("inf")
