"""Memory kept by the C library, where a program returns it to the kernel and takes it again all the time."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.page_faults import page_faults
from clearway.diagnosis.facts.settings_in_force import variable
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
# glibc's, mallopt(3): nothing mapped by itself, nothing given back. Blocks above 32 MiB could not be kept otherwise.
SETTINGS = (("MALLOC_MMAP_MAX_", "0"), ("MALLOC_TRIM_THRESHOLD_", str(1 << 36)), ("MALLOC_TOP_PAD_", str(16 << 20)))


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: a page that is kept is not faulted in again."""
    if finding.rule != "memory-churn" or any(variable(case, name) for name, _ in SETTINGS):
        return None
    faults = page_faults(case)
    if not faults.are_of_malloc:
        return None
    return Offer(
        what="let the C library keep memory that the program frees",
        why=f"{q.count(faults.repeated)} page faults beyond one for each page that a rank held",
        gain=1.0,
        change=Change(environment=SETTINGS),
    )
