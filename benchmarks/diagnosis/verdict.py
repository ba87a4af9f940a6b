"""What Clearway says of a Run, and how right that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clearway.diagnosis import diagnose
from clearway.finding import Finding
from clearway.run import load
from clearway.summary import open_case
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


def judge(ran: Ran, others: Sequence[Ran] = ()) -> Verdict:
    """`others` are Runs of the same job on other numbers of ranks."""
    case = open_case(load(ran.run))
    together = replace(case, others=tuple(open_case(load(other.run)) for other in others))
    found = tuple(_found(one.finding) for one in diagnose(together))
    return Verdict(found, case.wall_s, case.ranks, ran.stepping_s)


def _found(finding: Finding) -> Found:
    return Found(finding.rule, finding.cost_s, finding.share, finding.confidence)
