"""Ranks share a core's hardware threads, while other cores have nothing to do."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.granted_processors import allowed, granted
from clearway.diagnosis.facts.siblings import cores_with_siblings
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Ranks share the hardware threads of a core while other cores are free"
REMEDIES = ("one-core-a-rank",)
SAVED = 0.35  # of computing, at most: two hardware threads do 1.0 to 1.5 times as much as one


def examine(case: Case) -> Suspicion | None:
    """Claims of the computing of ranks that share a core what a core of their own would save at most: a bound."""
    shared, free = set[int](), 0
    for members in machines(case).values():
        cores = cores_with_siblings(case, members)
        masks = {process: allowed(case.tables.ranks[process].cpus) for process in members}
        used = frozenset[int]().union(*masks.values())
        together = {
            process
            for core in cores
            if len(inside := [process for process, mask in masks.items() if mask and mask <= core]) > 1
            if len({masks[process] for process in inside}) == len(inside)  # on one processor: shared-core
            for process in inside
        }
        spare = granted(case, members)
        empty = sum(1 for core in cores if core <= spare and not core & used)
        if together and empty:
            shared |= together
            free += empty
    if not shared:
        return None
    lost_s = SAVED * float(case.books.ledger["compute_s"][sorted(shared)].sum())
    cores_are = "1 core of the same machine has" if free == 1 else f"{free} cores of the same machines have"
    says = (
        f"{len(shared)} ranks are bound to hardware threads of cores that they share, two ranks per core, while "
        f"{cores_are} no rank. Two hardware threads share the arithmetic units of their core. The figure is the most "
        f"that can be gained with cores of their own."
    )
    evidence = (
        Evidence("ranks that share a core", f"{len(shared)} of {case.ranks}", "affinity, thread_siblings_list"),
        Evidence("cores without a rank", f"{free}", "affinity, what the job may use"),
    )
    return Suspicion({"compute_s": lost_s}, says, evidence, confidence=0.55)
