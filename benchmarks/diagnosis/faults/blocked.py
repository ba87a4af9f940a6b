"""One rank sleeps in each step, as one that looks for a file or asks a server; the other waits for it."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

STEP = "--steps 80 --compute-ms 4 --allreduce 64"
SOUND = Job(program=workload(STEP))

PLANT = Plant(
    rule="blocked",
    how="2 ranks, of which one sleeps for 30 ms in each step",
    instead="none does",
    faulty=replace(SOUND, program=workload(f"{STEP} --slow-rank 1 --late-sleep-ms 30")),
    sound=SOUND,
)
