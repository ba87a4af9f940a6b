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
    how="2 ranks take two arrays of 40 MiB from the C library each step, write to them and give them back",
    instead="16 arrays of 5 MiB, which the C library keeps for the next time",
    faulty=replace(SOUND, program=workload(f"{STEP} --arrays 2 --array {40 * MIB}")),
    sound=SOUND,
)
