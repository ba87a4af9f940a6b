"""Loops divided in small pieces, where the program leaves to OMP_SCHEDULE how."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import variable
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
EVEN = ("dynamic", "guided")


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: a piece that takes a microsecond costs as much to hand out."""
    by_default = next(iter(case.run.fact("openmp.default_schedule").values()), None)
    told = (variable(case, "OMP_SCHEDULE") or "").lower()
    if by_default is None or any(word in (told or by_default) for word in EVEN):
        return None
    return Offer(
        what="let threads take the next iteration when they are done with one",
        why=f"the program divides loops as OMP_SCHEDULE says, which is {told or f'not set: {by_default}'}",
        gain=None,
        change=Change(environment=(("OMP_SCHEDULE", "dynamic"),)),
    )
