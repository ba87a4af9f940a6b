"""What Clearway says of a Run, and how right that is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import open_case
from clearway.diagnosis.finding import Finding
from clearway.run import load
from diagnosis.jobs import Ran

SAID_BY_ENGINES = {"slow-build"}
OTHERS_CORES = 0.05  # what a machine's own services may use


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
    others_cores: float | None = None  # that others used meanwhile, as the kernel counts them
    cores: int | None = None  # of this machine

    def place(self, rule: str, besides: frozenset[str] = frozenset()) -> int | None:
        """1: the first finding; what is so anyway, or `besides`, is passed over."""
        rules = [one.rule for one in self.found if one.rule == rule or one.rule not in self.anyway | besides]
        return rules.index(rule) + 1 if rule in rules else None

    @property
    def anyway(self) -> frozenset[str]:
        """Rules that rightly say what nobody planted: others use the machine, hosts of a testbed share its cores, an
        engine says itself what it was built for.
        """
        disturbed = (self.others_cores or 0.0) > OTHERS_CORES
        crowded = self.cores is not None and self.ranks > self.cores
        found = {"foreign-load"} if disturbed else set()
        return frozenset(found | ({"shared-core"} if crowded else set()) | SAID_BY_ENGINES)

    def cost_s(self, rule: str) -> float:
        return sum(one.cost_s for one in self.found if one.rule == rule)

    def others(self, right: frozenset[str]) -> tuple[Found, ...]:
        """False alarms."""
        return tuple(one for one in self.found if one.rule not in right)


def judge(ran: Ran, others: Sequence[Ran] = ()) -> Verdict:
    """`others` are Runs of the same job on other numbers of ranks."""
    case = open_case(load(ran.run), [load(other.run) for other in others])
    found = tuple(_found(one.finding) for one in diagnose(case))
    return Verdict(found, case.wall_s, case.ranks, ran.stepping_s, ran.others_cores, os.cpu_count())


def _found(finding: Finding) -> Found:
    return Found(finding.rule, finding.cost_s, finding.share, finding.confidence)
