"""Threads that the MPI started itself, to look for messages all the time, take the cores that ranks need."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.mpi_threads import busy_threads, busy_threads_s
from clearway.diagnosis.facts.part_of_loss import cores_taken
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The MPI's own threads use the ranks' cores"
REMEDIES = ("no-progress-threads",)


def examine(case: Case) -> Suspicion | None:
    """Claims run delay, as far as the CPU time of the MPI's threads on the same machine explains it."""
    threads, used_s = busy_threads(case), busy_threads_s(case)
    taken = cores_taken(case, used_s)
    if taken.lost_s <= 0:
        return None
    each = max(threads.values())
    says = (
        f"The MPI itself started {f'{each} threads' if each > 1 else 'a thread'} in each of {len(threads):,} ranks, "
        f"which looked for messages all the time, also while the ranks computed (progress threads). Each needs a core, "
        f"and there was none for it. Switch these threads off, or start so few ranks that there are cores for both."
    )
    evidence = (
        Evidence("used by the MPI's threads", f"{taken.taken_s:.2f} core-seconds", "schedstat of each thread"),
        Evidence("ranks waited for a core", f"{taken.waited_s:.2f} rank-seconds", "schedstat: run delay"),
    )
    return Suspicion({"core_wait_s": taken.lost_s}, says, evidence, confidence=0.92)
