"""Threads that the program started to look for messages all the time take the cores that its ranks need."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.asking_threads import asking_threads_s, looks
from clearway.diagnosis.facts.part_of_loss import cores_taken
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The program's own progress threads use the ranks' cores"
REMEDIES = ()


def examine(case: Case) -> Suspicion | None:
    """Claims run delay, as far as the CPU time of these threads on the same machine explains it."""
    used_s = asking_threads_s(case)
    taken = cores_taken(case, used_s)
    if taken.lost_s <= 0:
        return None
    ranks = int((used_s > 0).sum())
    says = (
        f"In {ranks} rank{'' if ranks == 1 else 's'} a thread of the program, beside the main one, asked for messages "
        f"again and again (MPI_Iprobe, MPI_Test), also while the rank computed, on cores that the main threads needed. "
        f"Let it sleep between two looks, ask now and then from the loop that computes, or leave it a core of its own."
    )
    evidence = (
        Evidence("used by these threads", f"{taken.taken_s:.2f} core-seconds", "schedstat of each thread"),
        Evidence("they asked", f"{q.count(looks(case))} times", "calls of threads beside the main one"),
        Evidence("ranks waited for a core", f"{taken.waited_s:.2f} rank-seconds", "schedstat: run delay"),
    )
    return Suspicion({"core_wait_s": taken.lost_s}, says, evidence, confidence=0.92)
