"""What Clearway says of a run: its findings in their words, and how many seconds it has no name for."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from diagnosis.building import REPOSITORY

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import rules
from clearway.page.build import page_of
from clearway.run import load

NAMELESS = ("unnamed", "unknown")  # of the page's tables: what was blocked outside MPI in nobody knows what, and waits
MORE_OTHERS = 0.05  # cores: what a machine's own services may use


@dataclass(frozen=True, slots=True)
class Said:
    """A finding."""

    rule: str
    title: str
    says: str
    cost_s: float
    share: float
    confidence: float

    @property
    def text(self) -> str:
        return f"{self.title} {self.says}"


@dataclass(frozen=True, slots=True)
class Answer:
    """Of one run. Findings costliest first."""

    said: tuple[Said, ...]
    wall_s: float  # as the page has it
    unnamed: float  # share of the wall-clock of all ranks
    ranks: int
    cores: int
    others_cores: float | None  # that others used meanwhile, as the kernel counts them
    sentence: str = ""  # with which the page begins; it is not judged
    ledger: dict[str, float] = field(default_factory=dict)  # lines of the ledger: rank-seconds

    @property
    def anyway(self) -> frozenset[str]:
        """Rules that rightly say what nobody planted: others use the machine; hosts of a testbed share its cores, and
        those of their ranks that wait ask for messages on them."""
        disturbed = (self.others_cores or 0.0) > MORE_OTHERS
        crowded = self.ranks > self.cores
        return frozenset({"foreign-load"} if disturbed else ()) | frozenset(
            {"shared-core", "polling"} if crowded else ()
        )


def ask(run: Path, others_cores: float | None) -> Answer:
    case = open_case(load(run))
    found = [one.finding for one in diagnose(case)]
    said = tuple(
        Said(one.rule, _anywhere(one.title), _anywhere(one.says), one.cost_s, one.share, one.confidence)
        for one in found
    )
    unnamed = unnamed_s(case, [one.rule for one in found]) / max(case.tables.ledger.wall_s, 1e-9)
    return Answer(
        said,
        case.wall_s,
        unnamed,
        case.ranks,
        os.cpu_count() or 1,
        others_cores,
        _anywhere(page_of(case).sentence),
        asdict(case.tables.ledger),
    )


def _anywhere(text: str) -> str:
    """Files by their place in this checkout, wherever that is."""
    return text.replace(f"{REPOSITORY}/", "")


def unnamed_s(case: Case, found: list[str]) -> float:
    """Rank-seconds that the page has no name for, and that no finding claims.

    Blocked outside MPI in what no sample tells, waits of which no event tells the cause, undivided time in MPI.
    """
    blocked_s = sum(row.seconds for row in case.tables.blocked if row.activity in NAMELESS)
    waits_s = sum(row.seconds for row in case.tables.waited if row.cause in NAMELESS)
    lost = asdict(case.losses)
    claimed: dict[str, float] = dict.fromkeys(lost, 0.0)
    for rule in found:
        suspicion = rules()[rule].examine(case)
        for cause, seconds in (suspicion.claims if suspicion else {}).items():
            claimed[cause] += max(seconds, 0.0)
    named_s = case.losses.blocked_s - blocked_s  # what is claimed of blocked time is named time first
    undivided_s = case.tables.ledger.mpi_undivided_s
    moved_s = case.losses.transfer_s - undivided_s  # likewise
    return float(
        max(blocked_s - max(claimed["blocked_s"] - named_s, 0.0), 0.0)
        + max(waits_s - claimed["wait_s"], 0.0)
        + max(undivided_s - max(claimed["transfer_s"] - moved_s, 0.0), 0.0)
    )
