"""What Clearway says of a run: its findings in their words, and how many seconds it has no name for."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import rules
from clearway.page.build import page_of
from clearway.run import load

NAMELESS = ("blocked_s", "wait_s")  # of what was lost: causes that say where, and not why
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
        """Rules that rightly say what nobody planted: others use the machine, hosts of a testbed share its cores."""
        disturbed = (self.others_cores or 0.0) > MORE_OTHERS
        crowded = self.ranks > self.cores
        return frozenset({"foreign-load"} if disturbed else ()) | frozenset({"shared-core"} if crowded else ())


def ask(run: Path, others_cores: float | None) -> Answer:
    case = open_case(load(run))
    found = [one.finding for one in diagnose(case)]
    said = tuple(Said(one.rule, one.title, one.says, one.cost_s, one.share, one.confidence) for one in found)
    unnamed = unnamed_s(case, [one.rule for one in found]) / max(case.tables.ledger.wall_s, 1e-9)
    return Answer(
        said,
        case.wall_s,
        unnamed,
        case.ranks,
        os.cpu_count() or 1,
        others_cores,
        page_of(case).sentence,
        asdict(case.tables.ledger),
    )


def unnamed_s(case: Case, found: list[str]) -> float:
    """Rank-seconds that were lost without a cause, or may have been, and that no finding claims.

    Blocked outside MPI and files, waited for ranks that are late for no reason that lasts, and undivided time in MPI.
    """
    lost = {**asdict(case.losses), "undivided_s": case.tables.ledger.mpi_undivided_s}
    claimed: dict[str, float] = dict.fromkeys(lost, 0.0)
    for rule in found:
        suspicion = rules()[rule].examine(case)
        for cause, seconds in (suspicion.claims if suspicion else {}).items():
            claimed[cause] += max(seconds, 0.0)
    # Undivided time is a part of moving data: who claims all of that has claimed it as well.
    claimed["undivided_s"] = max(claimed["transfer_s"] - (lost["transfer_s"] - lost["undivided_s"]), 0.0)
    return float(sum(max(lost[cause] - claimed[cause], 0.0) for cause in (*NAMELESS, "undivided_s")))
