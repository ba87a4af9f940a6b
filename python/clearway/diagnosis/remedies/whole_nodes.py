"""Nodes that no other job of the batch system may use meanwhile."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.batch_job import in_slurm
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.other_jobs import other_jobs, tells_other_jobs
from clearway.diagnosis.facts.other_programs import WORTH_NAMING, foreign_load
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """What is no job of Slurm's is not kept away."""
    if finding.rule != "foreign-load" or not in_slurm(case):
        return None
    beside = other_jobs(case)
    if tells_other_jobs(case) and not beside:
        return None
    several = len(beside) > 1
    return Offer(
        what="ask for whole nodes, which no other job may use meanwhile",
        why=f"{'jobs' if several else 'job'} {', '.join(each.id for each in beside)} ran beside this one"
        if beside
        else "Slurm may put other jobs on the same nodes",
        gain=_share_of_jobs(case) if beside else None,
        change=Change(batch_options=("--exclusive",)),
    )


def _share_of_jobs(case: Case) -> float:
    """Of the CPU time that others used on hosts where it was worth naming."""
    of_jobs_s = all_s = 0.0
    for members in machines(case).values():
        foreign_s, span_s = foreign_load(case, members)
        if foreign_s <= WORTH_NAMING * span_s:
            continue
        hosts = {case.tables.ranks[process].host for process in members}
        of_jobs_s += min(sum(job.cpu_s for job in other_jobs(case) if job.host in hosts), foreign_s)
        all_s += foreign_s
    return of_jobs_s / all_s if all_s > 0 else 0.0
