"""Record, diagnose, choose remedies: how a job is fixed, up to the comparison that proves it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from clearway.diagnosis import diagnose, health
from clearway.diagnosis.choice import Chosen, choose, together
from clearway.errors import ClearwayError
from clearway.experiment.comparison import Comparison
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.runner import Runner
from clearway.page import Page
from clearway.run import load
from clearway.summary import open_case

AS_TYPED = "as typed"
REMEDIED = "remedied"
FIRST_RUN = "first-run"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a first run of the job says, and what can be tried."""

    page: Page  # with its findings
    chosen: tuple[Chosen, ...]

    @property
    def expected_gain(self) -> float | None:
        """Of all remedies together, as a share of the wall-clock; None where one of them promises nothing."""
        gains = [each.expected_gain_s for each in self.chosen]
        known = [gain for gain in gains if gain is not None]
        return sum(known) / self.page.job.wall_s if gains and len(known) == len(gains) else None


def first_run(runner: Runner, directory: Path, timeout_s: float | None) -> Path:
    """Runs the job as it was typed. Returns its Run directory. Raises ClearwayError where it fails."""
    ran = runner.run(Variant(AS_TYPED), directory / FIRST_RUN, timeout_s)
    if ran.fault:
        raise ClearwayError(f"the job as it was typed {ran.fault}", f"its output is in {directory / FIRST_RUN}")
    return directory / FIRST_RUN


def diagnosis_of(run_directory: Path, wanted: Collection[str] = ()) -> Diagnosis:
    """What is wrong with a recorded job, and the remedies to try (only those of `wanted`, where that names any)."""
    case = open_case(load(run_directory))
    findings = diagnose(case)
    page = replace(case.page, findings=tuple(one.finding for one in findings), health=health(case))
    return Diagnosis(page, choose(findings, wanted))


def proof(plan: Plan, chosen: tuple[Chosen, ...], each: bool) -> Plan:
    """`plan` with its variants: the job as typed, with all remedies, and with `each` also with every one alone."""
    alone = [Variant(one.id, one.change) for one in chosen] if each and len(chosen) > 1 else []
    name = chosen[0].id if len(chosen) == 1 else REMEDIED
    return replace(plan, variants=(Variant(AS_TYPED), *alone, Variant(name, together(chosen))))


def promise_and_proof(diagnosis: Diagnosis, comparison: Comparison) -> str:
    """What the remedies should have given back, and what they gave: a sentence."""
    row = comparison.rows[-1]
    if row.ratio is None or row.ratio_low is None or row.ratio_high is None:
        return "Nothing is proved."
    gave = f"{100 * (1 - row.ratio):.0f} % ({100 * (1 - row.ratio_high):.0f} to {100 * (1 - row.ratio_low):.0f} %)"
    expected = diagnosis.expected_gain
    if expected is None:
        return f"Given back: {gave} of the wall-clock."
    return f"Given back: {gave} of the wall-clock; expected were {100 * expected:.0f} %."
