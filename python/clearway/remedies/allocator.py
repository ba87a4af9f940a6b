"""Memory kept by the C library, where a program returns it to the kernel and asks for it again all the time."""

from __future__ import annotations

from clearway import quantities as q
from clearway.diagnosis.case import Case
from clearway.diagnosis.in_force import variable
from clearway.finding import Finding
from clearway.launch.change import Change
from clearway.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()
FAULT_S = 0.5e-6  # of a page fault that needs no disk: docs/remedies.md
WORTH = 0.02  # of the ranks' time
KEPT = str(1 << 30)
SETTINGS = (("MALLOC_TRIM_THRESHOLD_", KEPT), ("MALLOC_TOP_PAD_", str(16 << 20)), ("MALLOC_MMAP_THRESHOLD_", KEPT))


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = time of the page faults beyond those that touch memory for the first time."""
    faults = repeated_faults(case)
    lost_s = faults * FAULT_S / max(case.ranks, 1)
    if variable(case, SETTINGS[0][0]) is not None or lost_s < WORTH * case.wall_s or finding.cost_s <= 0:
        return None
    return Offer(
        what="let the C library keep memory that the program frees",
        why=f"{q.count(faults)} page faults bring back memory that was given up",
        gain=min(lost_s / finding.cost_s, 1.0),
        change=Change(environment=SETTINGS),
    )


def repeated_faults(case: Case) -> float:
    """Over all ranks: minor page faults beyond one for each page that a rank held at its peak."""
    rows = case.run.counters.data
    faults = rows["last"][rows["name"] == b"process.minor_faults"].astype(float).sum()
    pages = rows["last"][rows["name"] == b"process.peak_rss_bytes"].astype(float).sum() / 4096
    return max(float(faults - pages), 0.0)
