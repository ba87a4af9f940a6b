"""A batch system granted two cores, and the job uses one."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

GRANT = Change(environment=(("SLURM_JOB_CPUS_PER_NODE", "2"),))


def job(ranks: int, step: str) -> Job:
    return Job(program=workload(f"--divided 1 --allreduce 64 {step}"), ranks=ranks, change=GRANT)


PLANT = Plant(
    rule="idle-allocation",
    how="1 rank of one thread, where Slurm's variable says that 2 cores were granted",
    instead="2 ranks share the same work",
    faulty=job(1, "--steps 200 --compute-ms 20"),
    sound=job(2, "--steps 200 --compute-ms 20"),
    quick=False,
)

# Half of a tenth of the wall-clock could come back.
SLIGHT = replace(
    PLANT,
    how="the same, and the rank computes for a tenth of the time; for the rest a device does",
    faulty=job(1, "--steps 100 --compute-ms 4 --sleep-ms 36"),
    sound=job(2, "--steps 100 --compute-ms 4 --sleep-ms 36"),
)

HARD = replace(
    PLANT,
    how="the same, and the rank takes memory from the kernel and gives it back in each step",
    faulty=job(1, f"--steps 60 --compute-ms 30 --arrays 1 --array {20 << 20}"),
    sound=job(2, f"--steps 60 --compute-ms 30 --arrays 1 --array {20 << 20}"),
    besides=frozenset({"memory-churn"}),
)
