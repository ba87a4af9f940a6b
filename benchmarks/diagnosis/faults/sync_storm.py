"""An fsync behind every few bytes."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant
from diagnosis.surroundings import disk

FAULTY = Job(
    program=workload("--steps 40 --compute-ms 20 --allreduce 64 --write 40960 --syncs 10 --scratch disk"),
    around=disk(60, {"write_iops": 500}),
)

PLANT = Plant(
    rule="sync-storm",
    how="2 ranks write 4 kB ten times a step, each time with an fsync, to a disk of 500 operations a second",
    instead="without the fsync",
    faulty=FAULTY,
    sound=replace(FAULTY, program=workload("--steps 40 --compute-ms 20 --allreduce 64 --write 40960 --scratch disk")),
)
