"""Large arrays, freed and allocated again and again."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

MIB = 1 << 20
STEP = "--steps 40 --compute-ms 20 --allreduce 64"
SOUND = Job(program=workload(f"{STEP} --arrays 16 --array {5 * MIB}"))

PLANT = Plant(
    rule="memory-churn",
    how="2 ranks allocate two arrays of 40 MiB in each step, write to them and free them",
    instead="16 arrays of 5 MiB, whose memory the C library reuses",
    faulty=replace(SOUND, program=workload(f"{STEP} --arrays 2 --array {40 * MIB}")),
    sound=SOUND,
)
