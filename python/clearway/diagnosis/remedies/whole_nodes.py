"""Nodes that no other job of the batch system may use meanwhile."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.batch_job import in_slurm
from clearway.diagnosis.facts.other_jobs import jobs_that_load, tells_other_jobs
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain: other jobs' part of what others use of the cores. What is no job of Slurm's is not kept away."""
    if finding.rule != "foreign-load" or not in_slurm(case):
        return None
    beside, part = jobs_that_load(case)
    if tells_other_jobs(case) and not beside:
        return None
    several = len(beside) > 1
    return Offer(
        what="ask for whole nodes, which no other job may use meanwhile",
        why=f"{'jobs' if several else 'job'} {', '.join(each.id for each in beside)} ran beside this one"
        if beside
        else "Slurm may put other jobs on the same nodes",
        gain=part if beside else None,
        change=Change(batch_options=("--exclusive",)),
    )
