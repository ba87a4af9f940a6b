"""A figure that a paper published, how it is predicted, and how far the two are apart."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from papers.point import Outcome, Point

CLOSE = 0.15  # a prediction that is off by no more is a good one
Figure = Callable[[Sequence[Outcome]], float]


class Kind(Enum):
    """What a figure is worth. Only numbers that were predicted count for the simulator, and first those that nobody
    had seen."""

    UNSEEN = "unseen"  # first simulated when the model was as it is: it cannot have been made to fit
    SEEN = "seen"  # decided no parameter, but was known, and looked at, while the model was made
    BOUND = "bound"  # a range, a limit, or "none lost": much easier to keep than a number
    FITTED = "fitted"
    UNCOUNTED = "not counted"
    COMPUTED = "computed"  # arithmetic, without a simulation


@dataclass(frozen=True, slots=True)
class Null:
    """A prediction of the same figure by somebody who models no Ethernet."""

    name: str
    points: tuple[Point, ...]
    figure: Figure


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
    figure: Figure
    """The prediction, from what the points came to."""
    fitted: str | None = None
    """The parameters that this figure decided; None: it is a prediction."""
    reason: str | None = None
    """Why it is off, where that is known."""
    uncounted: str | None = None
    """Why it proves nothing beside other rows: it follows from them, or nobody measured it."""
    nulls: tuple[Null, ...] = ()
    is_unseen: bool = False
    """It was put down before it was simulated for the first time, and the first answer counts (first_answers.py)."""

    @property
    def kind(self) -> Kind:
        if self.fitted:
            return Kind.FITTED
        if not self.points:
            return Kind.COMPUTED
        if self.uncounted:
            return Kind.UNCOUNTED
        if self.low != self.high or self.low == 0:
            return Kind.BOUND
        return Kind.UNSEEN if self.is_unseen else Kind.SEEN

    @property
    def is_predicted(self) -> bool:
        return self.kind in (Kind.UNSEEN, Kind.SEEN)


@dataclass(frozen=True, slots=True)
class Assumption:
    """What no paper says: an option of clearway-simulate, the value that is taken, and others that may be true."""

    what: str
    option: str
    taken: int
    others: tuple[int, ...]
    words: Callable[[float], str]


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
    assumptions: tuple[Assumption, ...] = ()
    """That are varied, one at a time."""


@dataclass(frozen=True, slots=True)
class Verdict:
    claim: Claim
    by_seed: tuple[float, ...]
    """One prediction for each seed of the simulator's chance."""
    by_null: tuple[tuple[str, float], ...] = ()
    """What each null model says."""
    first: float | None = None
    """What an unseen figure was predicted to be when it was simulated for the first time."""

    @property
    def counted(self) -> float:
        """Whatever the model has become since: the first answer to what was unseen then."""
        return self.predicted if self.first is None else self.first

    @property
    def predicted(self) -> float:
        return statistics.median(self.by_seed)

    @property
    def deviation(self) -> float:
        """0 within what was published; else relative to the nearest published figure."""
        return deviation(self.claim, self.counted)

    @property
    def is_close(self) -> bool:
        return abs(self.deviation) <= CLOSE


def deviation(claim: Claim, value: float) -> float:
    if claim.low <= value <= claim.high:
        return 0.0
    nearest = claim.low if value < claim.low else claim.high
    return (value - nearest) / nearest if nearest else float("inf")


def exactly(value: float) -> tuple[float, float]:
    return value, value


def at_least(value: float) -> tuple[float, float]:
    return value, float("inf")
