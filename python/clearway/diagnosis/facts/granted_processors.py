"""The processors that a job may use on a host: its control group's, its batch system's, not all that the machine has.

A launcher that a person has bound (`taskset`) is no grant: it may be started without that. Under a batch system its
affinity is one.
"""

from __future__ import annotations

from collections.abc import Collection

from clearway.base.errors import ClearwayError
from clearway.base.ranges import MOST, numbers
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_record

BATCH = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")


def allowed(cpus: str) -> frozenset[int]:
    """The processors of a list as the kernel writes it, "0-3,8"."""
    try:
        return frozenset(numbers(cpus)) if cpus else frozenset()
    except ClearwayError:
        return frozenset()


def granted(case: Case, processes: Collection[int]) -> frozenset[int]:
    """Processors that ranks on the machine of these may have; empty where the record does not tell."""
    record = host_record(case, processes)
    told = record.facts.get("host.cores", "") if record else ""
    count = int(told) if is_whole(told) else 0
    everything = frozenset(range(count if count <= MOST else 0))
    had = frozenset[int]().union(*(allowed(case.tables.ranks[process].cpus) for process in processes))
    for name in ("process.cgroup_cpuset", *(("process.launcher_cpus",) if _in_batch(case) else ())):
        said = case.run.fact(name)
        limit = frozenset[int]().union(*(allowed(said.get(process, "")) for process in processes))
        if limit and all(said.get(process) for process in processes):
            everything = (everything & limit or limit) | had
    return everything


def granted_number(case: Case, processes: Collection[int]) -> int:
    """How many of them; Slurm may grant a number where it binds nobody."""
    number = len(granted(case, processes))
    told = case.environment("SLURM_CPUS_ON_NODE")
    hosts = {int(case.run.processes["host"][process]) for process in processes}
    if told and is_whole(told) and int(told) > 0 and len(hosts) == 1:
        return min(number, int(told))
    return number


def _in_batch(case: Case) -> bool:
    return any(case.environment(name) for name in BATCH)
