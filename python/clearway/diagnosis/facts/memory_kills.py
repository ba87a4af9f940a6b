"""How many processes the kernel killed for want of memory while the job ran."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_rise, process_rises


@dataclass(frozen=True, slots=True)
class MemoryKills:
    in_group: int  # of the job's control groups: processes of the job
    of_machine: int  # of one of its hosts: they may have been anybody's


def memory_kills(case: Case) -> MemoryKills:
    """As ranks that were left saw it, and `clearway run` after it."""
    launch = case.run.launch
    in_group = max(process_rises(case, "process.cgroup_oom_kills").values(), default=0)
    of_machine = max((host_rise(host, "memory.oom_kills") for host in case.run.hosts), default=0)
    if launch is None:
        return MemoryKills(in_group, of_machine)
    return MemoryKills(max(in_group, launch.oom_kills or 0), max(of_machine, launch.oom_kills_of_machine or 0))
