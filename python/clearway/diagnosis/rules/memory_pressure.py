"""Memory is short: pages of the ranks were taken from them, and had to be fetched back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import process_rises
from clearway.diagnosis.facts.kernel_time import kernel_s
from clearway.diagnosis.facts.short_of_memory import WORTH_NAMING, page_waits_s, shortage
from clearway.diagnosis.facts.waited_for import longest_wait_s, waited_for_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.ledger.timelines import BLOCKED

TITLE = "Memory is short: ranks wait for pages to be read back from disk"
REMEDIES = ("more-memory",)
KERNEL_FAULT_S = 2e-4  # of processor time at most: room for a page is made first, and those behind it are read, too


def examine(case: Case) -> Suspicion | None:
    """Claims blocked seconds that page faults explain, where all ranks have them, or others wait for them; and what
    looks like computing, but is the kernel's fetching of pages.
    """
    evidence_of_it = tuple(shortage(case))
    if not evidence_of_it:
        return None
    waited_s, kernel_s = page_waits_s(case), _in_kernel_s(case)
    everyone_s = float(waited_s.min()) * case.ranks
    blocked_s = np.maximum(case.run.threads.data["blocked_outside_ns"] * 1e-9, 1e-12)
    own_s = np.minimum(longest_wait_s(case, BLOCKED), blocked_s)
    late_s = np.minimum(waited_s / blocked_s, 1.0) * (waited_for_s(case, BLOCKED) + own_s)
    blocked_for_s, in_kernel_s = max(everyone_s, float(late_s.sum())), float(kernel_s.sum())
    # Beside other programs a page is there by the time that the rank has a core again: it is hardly blocked then.
    if blocked_for_s + in_kernel_s < WORTH_NAMING * case.tables.ledger.wall_s:
        return None
    worst = int(np.argmax(waited_s + kernel_s))
    rank = case.tables.ranks[worst]
    faults = process_rises(case, "process.major_faults")
    evidence = (
        Evidence("waiting for pages", f"{float(waited_s.sum()):.2f} rank-seconds", "blocked, in page faults"),
        Evidence("the kernel looked for pages", f"{in_kernel_s:.2f} core-seconds", "system time outside MPI, files"),
        Evidence(f"pages fetched for rank {rank.rank}", f"{faults.get(worst, 0):,}", "getrusage: major faults"),
        *evidence_of_it,
    )
    says = (
        f"There was less memory than the job uses: the kernel took pages from the ranks, and had to read them back "
        f"from disk when they were used again, {faults.get(worst, 0):,} times for rank {rank.rank} on {rank.host}. The "
        f"rank waits for each."
    )
    return Suspicion({"blocked_s": blocked_for_s, "compute_s": in_kernel_s}, says, evidence, confidence=0.88)


def _in_kernel_s(case: Case) -> NDArray[np.float64]:
    """By process: system time of its main thread that page faults from disk explain."""
    faults = process_rises(case, "process.major_faults")
    explained_s = np.array([faults.get(process, 0) * KERNEL_FAULT_S for process in range(case.ranks)])
    result: NDArray[np.float64] = np.minimum(kernel_s(case), explained_s)
    return result
