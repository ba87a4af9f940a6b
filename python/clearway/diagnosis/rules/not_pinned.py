"""Ranks wander among cores, and now and then two meet on one while another is free."""

from __future__ import annotations

from collections import Counter

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.bound_to import bound_to
from clearway.diagnosis.facts.counters import machines, process_rises
from clearway.diagnosis.facts.other_programs import beside_ranks_s, idle_s
from clearway.diagnosis.facts.part_of_loss import charged_s
from clearway.diagnosis.facts.shared_processors import crowded
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Ranks are not pinned to cores"
REMEDIES = ("pin-ranks",)


def examine(case: Case) -> Suspicion | None:
    """Claims run delay while processors were idle, that neither crowding nor anything beside the ranks explains."""
    claimed_s, wandering, moves = 0.0, 0, 0
    sharing = set(crowded(case))
    migrations = process_rises(case, "process.migrations")
    for members in machines(case).values():
        free = [process for process in _with_a_choice(case, members) if process not in sharing]
        moved = sum(migrations.get(process, 0) for process in free)
        waited_s = float(case.books.ledger["core_wait_s"][free].sum())
        unexplained_s = min(waited_s - beside_ranks_s(case, members), idle_s(case, members))
        if unexplained_s <= 0 or not moved:
            continue
        claimed_s += charged_s(case, "core_wait_s", free) * unexplained_s / waited_s
        wandering, moves = wandering + len(free), moves + moved
    if claimed_s <= 0:
        return None
    evidence = (
        Evidence(
            "ranks that may run on each other's cores", f"{wandering:,} of {case.ranks:,}", "affinity of the ranks"
        ),
        Evidence("moved to another core", f"{moves:,} times", "/proc/self/sched of the main threads"),
        Evidence("ready, but without a core", f"{claimed_s:.2f} rank-seconds", "run delay while cores were idle"),
    )
    says = (
        f"{wandering:,} ranks may run on each other's cores. At times they were ready to run but had no core, while "
        f"other cores were idle: two of them were on the same core. Each move to another core also loses the contents "
        f"of the caches."
    )
    return Suspicion({"core_wait_s": claimed_s}, says, evidence, confidence=0.6)


def _with_a_choice(case: Case, members: list[int]) -> list[int]:
    """Those that may run on several processors, and on one at least on which another rank may run, too."""
    masks = {process: bound_to(case)[process] for process in members}
    ranks_on = Counter(cpu for mask in masks.values() for cpu in mask)
    return [process for process, mask in masks.items() if len(mask) > 1 and any(ranks_on[cpu] > 1 for cpu in mask)]
