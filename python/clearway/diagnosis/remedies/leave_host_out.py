"""Another host in the place of the one that holds the job up."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.batch_job import in_slurm
from clearway.diagnosis.facts.far_hosts import far_host
from clearway.diagnosis.facts.slowest_host import slowest_host
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: if the host that Slurm gives instead is like the others."""
    if not in_slurm(case):
        return None
    host = _in_question(case, finding)
    if not host:
        return None
    return Offer(
        what=f"use another host instead of {host}",
        why=f"all others wait for {host}",
        gain=1.0,
        change=Change(batch_options=(f"--exclude={host}",)),
    )


def _in_question(case: Case, finding: Finding) -> str:
    if finding.rule == "slow-host":
        return case.run.host_names[slowest_host(case)]
    far = far_host(case) if finding.rule == "far-host" else None
    return far.host if far else ""
