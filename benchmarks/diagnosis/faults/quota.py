"""A control group grants the job less processor time than its ranks use."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.control_group import PROCESSORS, granted, inside
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SOUND = Job(
    program=workload("--steps 100 --compute-ms 10 --halo 10000 --allreduce 64"),
    outer=inside(PROCESSORS),
    around=granted(4.0),
)

PLANT = Plant(
    rule="quota",
    how="2 ranks in a control group that grants 0.8 of a processor",
    instead="that grants 4",
    faulty=replace(SOUND, around=granted(0.8)),
    sound=SOUND,
    mpis=("openmpi", "mpich"),
)

# Two ranks that compute nearly all the time want 2 processors.
SLIGHT = replace(
    PLANT, how="2 ranks in a control group that grants 1.7 of a processor", faulty=replace(SOUND, around=granted(1.7))
)

UNEVEN = replace(
    SOUND,
    program=workload("--steps 100 --compute-ms 8 --slow-rank 1 --slow-factor 1.5 --halo 10000 --allreduce 64"),
)
HARD = replace(
    PLANT,
    how="the same, 1.2 of a processor, and one rank computes half as long again as the other",
    faulty=replace(UNEVEN, around=granted(1.2)),
    sound=UNEVEN,
    besides=PLANT.besides | {"load-imbalance"},
)
