"""How many cores somebody granted the ranks of a machine: a batch system, a control group, a launcher that binds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_record
from clearway.diagnosis.facts.granted_processors import allowed, granted


@dataclass(frozen=True, slots=True)
class Grant:
    cores: float
    source: str


def granted_cores(case: Case, members: Sequence[int]) -> Grant | None:
    """None where nobody limited the job: all of the machine is its, as on a desk."""
    threads_a_core = _threads_per_core(case, members)
    by_slurm = _slurm_cores(case)
    if by_slurm is not None:
        return Grant(by_slurm / threads_a_core, "SLURM_JOB_CPUS_PER_NODE")
    record = host_record(case, members)
    told = record.facts.get("host.cores", "") if record else ""
    machine = int(told) if is_whole(told) else 0
    cpuset = case.run.fact("process.cgroup_cpuset")
    limit = frozenset[int]().union(*(allowed(cpuset.get(process, "")) for process in members))
    if limit and len(limit) < machine:
        return Grant(len(granted(case, members)) / threads_a_core, "cpuset of the control group")
    bound = frozenset[int]().union(*(allowed(case.tables.ranks[process].cpus) for process in members))
    if bound and len(bound) < machine:
        return Grant(len(bound) / threads_a_core, "affinity of the ranks")
    return None


def _slurm_cores(case: Case) -> int | None:
    """The first of "8(x2),4": of the node that the first rank is on. On several nodes that differ nobody can tell."""
    told = case.environment("SLURM_JOB_CPUS_PER_NODE")
    match = re.fullmatch(r"([0-9]{1,9})(?:\(x\d+\))?", told or "")
    return int(match[1]) if match else None


def _threads_per_core(case: Case, members: Sequence[int]) -> int:
    record = host_record(case, members)
    told = record.facts.get("topology.threads_per_core", "") if record else ""
    return int(told) if is_whole(told) and int(told) > 0 else 1
