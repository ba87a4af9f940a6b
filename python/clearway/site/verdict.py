"""A job in one sentence, for its AdminComment and the end of its output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clearway.base.visible import visible
from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.run import load

LONGEST = 5000  # characters: as much as others keep there
HOUR_S = 3600.0
TOO_SHORT_S = 1.0


def verdict(runs: Sequence[Path], job: str) -> str:
    """Of the Run that used most core time. Texts come from the job: what is not printable is escaped."""
    cases = [open_case(load(run)) for run in runs]
    case = max(cases, key=core_s)
    said = _sentence(case)
    more = f" ({len(runs)} steps; of the largest)" if len(runs) > 1 else ""
    return visible(f"{said}{more}: clearway report {job}")[:LONGEST]


def core_s(case: Case) -> float:
    """As many cores as Slurm gave each rank, one where it did not say."""
    batch = case.tables.job.batch
    return case.tables.job.ranks * case.wall_s * ((batch.cpus_per_task if batch else None) or 1)


def _sentence(case: Case) -> str:
    used = _amount(core_s(case))
    findings = diagnose(case)
    if case.wall_s < TOO_SHORT_S and not findings:
        return f"too short to tell, {used}"
    if not findings:
        return f"no fault found in {used}"
    first = findings[0].finding
    return f"{100 * first.share:.0f} % of {used}: {first.title}"


def _amount(seconds: float) -> str:
    hours = seconds / HOUR_S
    if hours < 1:
        return f"{seconds:.0f} core-second{'' if round(seconds) == 1 else 's'}"
    return f"{hours:,.0f} core-hours" if hours >= 10 else f"{hours:.1f} core-hours"
