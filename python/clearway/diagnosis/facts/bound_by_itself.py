"""Ranks that were given cores enough when they started, and were bound to fewer by what they themselves run."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.bound_to import bound_to
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.granted_processors import allowed
from clearway.diagnosis.facts.settings_in_force import threads_per_rank, variable
from clearway.diagnosis.facts.shared_processors import Crowd

BINDING = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
NOT_BOUND = ("", "false", "disabled", "none")


def given_at_start(case: Case, crowd: Crowd) -> int:
    """Processors for each rank of it before anything in the rank bound a thread; 0 where the launcher is to blame.

    It is not where each rank had one for each of its threads, and none of them for other ranks: binding the ranks again
    gives them no more.
    """
    at_start = {process: allowed(rank.cpus) for process, rank in enumerate(case.tables.ranks)}
    machine = next(members for members in machines(case).values() if crowd.processes[0] in members)
    for process in crowd.processes:
        others = frozenset[int]().union(*(at_start[other] for other in machine if other != process))
        mine = at_start[process]
        if len(mine) < threads_per_rank(case) or mine & others or not bound_to(case)[process] < mine:
            return 0
    return min(len(at_start[process]) for process in crowd.processes)


def bound_by_runtime(case: Case, crowd: Crowd) -> list[str]:
    """What tells the OpenMP runtime to bind threads, where each rank was bound while it ran; else nothing.

    It gives each rank places from the first of its processors on, and knows nothing of other ranks on these.
    """
    told = [(name, variable(case, name) or "") for name in BINDING]
    set_to = [f"{name}={value}" for name, value in told if value.lower() not in NOT_BOUND]
    narrowed = [bound_to(case)[each] < allowed(case.tables.ranks[each].cpus) for each in crowd.processes]
    return set_to if all(narrowed) else []
