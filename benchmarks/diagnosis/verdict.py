"""What Clearway says of a Run, and how right that is."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.run import load
from clearway.summary import summarise
from diagnosis.jobs import Ran


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, without its words."""

    rule: str
    cost_s: float
    share: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """The findings of one Run, costliest first."""

    found: tuple[Found, ...]
    wall_s: float
    ranks: int
    stepping_s: float | None

    def place(self, rule: str) -> int | None:
        """1: the first finding."""
        rules = [one.rule for one in self.found]
        return rules.index(rule) + 1 if rule in rules else None

    def cost_s(self, rule: str) -> float:
        return sum(one.cost_s for one in self.found if one.rule == rule)

    def others(self, right: frozenset[str]) -> tuple[Found, ...]:
        """False alarms."""
        return tuple(one for one in self.found if one.rule not in right)


def judge(ran: Ran) -> Verdict:
    page = summarise(load(ran.run))
    found = tuple(Found(one.rule, one.cost_s, one.share, one.confidence) for one in page.findings)
    return Verdict(found, page.job.wall_s, page.job.ranks, ran.stepping_s)
