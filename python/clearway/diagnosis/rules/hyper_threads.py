"""Ranks or their threads share cores' hardware threads, while other cores have nothing to do."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.granted_processors import granted
from clearway.diagnosis.facts.siblings import cores_with_siblings, sharing_cores, thread_masks
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Ranks share the hardware threads of a core while other cores are free"
OF_THREADS = "Threads share the hardware threads of cores while other cores are free"
REMEDIES = ("one-core-a-rank",)
NO_REMEDY = (
    "No remedy is tried: another tool binds the program (taskset, numactl), Clearway does not know the launcher, or "
    "there are too few free cores."
)
SAVED = 0.35  # of computing, at most: two hardware threads do 1.0 to 1.5 times as much as one


def examine(case: Case) -> Suspicion | None:
    """Claims of the computing of ranks that share a core what a core of their own would save at most: a bound."""
    shared, threads, free = set[int](), 0, 0
    for members in machines(case).values():
        cores = cores_with_siblings(case, members)
        masks = {process: thread_masks(case, process) for process in members}
        used = frozenset[int]().union(*(mask for own in masks.values() for mask in own))
        together = sharing_cores(cores, masks)
        spare = granted(case, members)
        empty = sum(1 for core in cores if core <= spare and not core & used)
        if together and empty:
            shared |= together
            threads += sum(len(masks[process]) for process in together)
            free += empty
    if not shared:
        return None
    lost_s = SAVED * float(case.books.ledger["compute_s"][sorted(shared)].sum())
    of_threads = threads > len(shared)
    cores_are = "1 core of the same machine has" if free == 1 else f"{free} cores of the same machines have"
    if of_threads:
        whose = "a rank" if len(shared) == 1 else f"{len(shared):,} ranks"
        bound = f"The {q.count(threads)} threads of {whose} are bound to fewer cores"
        beside = f"so that they share their hardware threads, while {cores_are} no thread"
    else:
        bound = f"{len(shared):,} ranks are bound to hardware threads of cores that they share"
        beside = f"two ranks per core, while {cores_are} no rank"
    says = (
        f"{bound}, {beside}. Two hardware threads share the arithmetic units of their core. The figure is the most "
        f"that can be gained with cores of their own."
    )
    who = "thread" if of_threads else "rank"
    evidence = (
        Evidence("ranks that share a core", f"{len(shared):,} of {case.ranks:,}", "affinity, thread_siblings_list"),
        *((Evidence("their threads", q.count(threads), "CPU time of each thread"),) if of_threads else ()),
        Evidence(f"cores without a {who}", f"{free}", "affinity, what the job may use"),
    )
    title = OF_THREADS if of_threads else ""
    return Suspicion({"compute_s": lost_s}, says, evidence, confidence=0.55, title=title)
