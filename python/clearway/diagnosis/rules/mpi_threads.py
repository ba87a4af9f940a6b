"""Threads that the MPI started itself, to look for messages all the time, take the cores that ranks need."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.mpi_threads import busy_threads, busy_threads_s
from clearway.diagnosis.facts.part_of_loss import charged_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The MPI's own threads use the ranks' cores"
REMEDIES = ("no-progress-threads",)


def examine(case: Case) -> Suspicion | None:
    """Claims run delay, as far as the CPU time of the MPI's threads on the same machine explains it."""
    threads, used_s = busy_threads(case), busy_threads_s(case)
    claimed_s = own_s = taken_s = 0.0
    for members in machines(case).values():
        waited_s = float(case.books.ledger["core_wait_s"][members].sum())
        there_s = float(used_s[members].sum())
        if there_s <= 0 or waited_s <= 0:
            continue
        claimed_s += min(there_s / waited_s, 1.0) * charged_s(case, "core_wait_s", members)
        own_s += waited_s
        taken_s += there_s
    if claimed_s <= 0:
        return None
    each = max(threads.values())
    says = (
        f"The MPI itself started {f'{each} threads' if each > 1 else 'a thread'} in each of {len(threads)} ranks, "
        f"which looked for messages all the time, also while the ranks computed (progress threads). Each needs a core, "
        f"and there was none for it. Switch these threads off, or start so few ranks that there are cores for both."
    )
    evidence = (
        Evidence("used by the MPI's threads", f"{taken_s:.2f} core-seconds", "schedstat of each thread"),
        Evidence("ranks waited for a core", f"{own_s:.2f} rank-seconds", "schedstat: run delay"),
    )
    return Suspicion({"core_wait_s": claimed_s}, says, evidence, confidence=0.92)
