"""Jobs of the batch system that ran beside this one on its hosts, as their control groups tell."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_rise

JOB = re.compile(r"other_jobs\.(\d+)\.cpu_ms")  # of the recorder, native/recorder/host/other_jobs.cpp
SEEN = "other_jobs.in"


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


def tells_other_jobs(case: Case) -> bool:
    """Whether there would be some in the record, had there been any."""
    return any(SEEN in host.facts for host in case.run.hosts)
