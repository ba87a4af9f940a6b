"""Hosts of one kind, where one has another processor than the rest."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.batch_job import in_slurm
from clearway.diagnosis.facts.slowest_host import slowest_host, unlike_the_others
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """What a site calls its kinds of nodes, only it knows: Slurm says it where it is asked."""
    if finding.rule != "slow-host" or not in_slurm(case):
        return None
    name = case.run.host_names[slowest_host(case)]
    if feature := _feature_of_the_others(case, name):
        return Offer(
            what=f"ask for hosts with the feature '{feature}'",
            why=f"all others have it, {name} has not",
            gain=1.0,
            change=Change(batch_options=(f"--constraint={feature}",)),
        )
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


def _feature_of_the_others(case: Case, name: str) -> str:
    """The first by name of those that all of them have and it lacks; empty where there is none."""
    others = [case.features.get(host, frozenset()) for host in case.run.host_names if host != name]
    common = frozenset.intersection(*others) - case.features.get(name, frozenset()) if others else frozenset()
    return min(common, default="")
