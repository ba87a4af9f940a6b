"""Each rank is in a user namespace of its own, as containers that are started one a rank make them."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

APART = ("unshare", "--user", "--map-root-user")
# Left alone, Open MPI 4.1 stands still there.
WITHOUT = Change(parameters=(("btl_vader_single_copy_mechanism", "none"),))


def apart(step: str) -> Job:
    return Job(program=(*APART, *workload(step)), change=WITHOUT)


def together(step: str) -> Job:
    return Job(program=workload(step))


TYPICAL_STEP = "--steps 200 --compute-ms 1 --halo 4000000"
PLANT = Plant(
    rule="blocked-cma",
    how="2 ranks in user namespaces of their own send each other 4 MB a step; Open MPI is told to copy twice",
    instead="both are in one, and it copies once",
    faulty=apart(TYPICAL_STEP),
    sound=together(TYPICAL_STEP),
    quick=False,
)

SLIGHT_STEP = "--steps 200 --compute-ms 15 --halo 4000000"
SLIGHT = replace(
    PLANT,
    how="the same, and they compute 15 ms a step",
    faulty=apart(SLIGHT_STEP),
    sound=together(SLIGHT_STEP),
)

HARD_STEP = "--steps 200 --compute-ms 4 --slow-rank 1 --slow-factor 1.5 --halo 4000000 --allreduce 64"
HARD = replace(
    PLANT,
    how="the same, and one rank computes 4 ms a step, the other half as long again",
    faulty=apart(HARD_STEP),
    sound=together(HARD_STEP),
    besides=frozenset({"load-imbalance"}),
)
