"""Somebody else computes on a rank's core."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant
from diagnosis.surroundings import busy_core

SOUND = Job(program=workload("--steps 200 --compute-ms 10 --halo 10000 --allreduce 64"))

PLANT = Plant(
    rule="foreign-load",
    how="2 ranks on 2 cores, and another program that computes on core 0",
    instead="without it",
    faulty=replace(SOUND, around=busy_core(0)),
    sound=SOUND,
    mpis=("openmpi", "mpich"),
)
