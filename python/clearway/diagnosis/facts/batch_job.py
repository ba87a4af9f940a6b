"""What the batch system says of the job and of where it put it."""

from __future__ import annotations

from collections.abc import Mapping

from clearway.diagnosis.facts import Case


def in_slurm(case: Case) -> bool:
    """Whether sbatch's options are words for it."""
    return bool(case.environment("SLURM_JOB_ID"))


def switches(case: Case) -> Mapping[str, str]:
    """By host: the switch that it is on, as Slurm's topology has it; only of hosts of which that is known."""
    found = {}
    for host in case.run.hosts:
        *above, _ = host.facts.get("batch.SLURM_TOPOLOGY_ADDR", "").split(".")  # "spine.leaf2.node7"
        if above:
            found[host.name] = above[-1]
    return found
