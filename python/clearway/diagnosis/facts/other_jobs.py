"""Jobs of the batch system that ran beside this one on its hosts, as their control groups tell."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_rise, machines
from clearway.diagnosis.facts.once import once
from clearway.diagnosis.facts.other_programs import WORTH_NAMING, foreign_load

JOB = re.compile(r"other_jobs\.(\d+)\.cpu_ms")  # of the recorder, native/recorder/host/other_jobs.cpp
SEEN = "other_jobs.in"
WORTH_NAMING_A_JOB = 0.05  # of what others used


@dataclass(frozen=True, slots=True)
class OtherJob:
    id: str
    host: str
    cpu_s: float  # of its processes there, while this job ran


def other_jobs(case: Case) -> list[OtherJob]:
    """Those that used most CPU time first."""
    found = [
        OtherJob(match[1], host.name, host_rise(host, name) * 1e-3)
        for host in case.run.hosts
        for name in host.counters
        if (match := JOB.fullmatch(name))
    ]
    return sorted(found, key=lambda job: -job.cpu_s)


@once
def jobs_that_load(case: Case) -> tuple[list[OtherJob], float]:
    """Those that had a good part of what others used on the ranks' processors, and their part of all of that."""
    found: list[OtherJob] = []
    all_s = of_jobs_s = 0.0
    for members in machines(case).values():
        foreign_s, span_s = foreign_load(case, members)
        if foreign_s > WORTH_NAMING * span_s:
            host = case.tables.ranks[members[0]].host
            here = [job for job in other_jobs(case) if job.host == host and job.cpu_s > WORTH_NAMING_A_JOB * foreign_s]
            found += here
            all_s += foreign_s
            of_jobs_s += min(sum(job.cpu_s for job in here), foreign_s)
    return found, of_jobs_s / all_s if all_s > 0 else 0.0


def tells_other_jobs(case: Case) -> bool:
    """Whether there would be some in the record, had there been any."""
    return any(SEEN in host.facts for host in case.run.hosts)
