"""Hosts of one kind, where one has another processor than the rest."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.batch_job import in_slurm
from clearway.diagnosis.facts.slowest_host import slowest_host, unlike_the_others
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """No change of the script: what a site calls its kinds of nodes, only it knows."""
    if finding.rule != "slow-host" or not in_slurm(case):
        return None
    name = case.run.host_names[slowest_host(case)]
    unlike = unlike_the_others(case, name)
    if not unlike:
        return None
    what, own, _ = unlike[0]
    return Offer(
        what="ask for hosts of one kind; `sinfo -o '%N %f'` lists what your cluster calls them",
        why=f"{name} is of another kind than the others, {what}: {own}",
        gain=1.0,
        command="sbatch --constraint=FEATURE …",
    )
