"""A control group grants the job less processor time than its ranks use."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.control_group import INSIDE, granted
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SOUND = Job(
    program=workload("--steps 100 --compute-ms 10 --halo 10000 --allreduce 64"), outer=INSIDE, around=granted(4.0)
)

PLANT = Plant(
    rule="quota",
    how="2 ranks in a control group that grants 0.8 of a processor",
    instead="that grants 4",
    faulty=replace(SOUND, around=granted(0.8)),
    sound=SOUND,
    mpis=("openmpi", "mpich"),
)
