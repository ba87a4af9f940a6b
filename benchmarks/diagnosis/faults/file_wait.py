"""Scratch files on a slow disk, read again and again past the page cache."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant
from diagnosis.surroundings import disk

STEP = "--steps 60 --compute-ms 20 --allreduce 64 --read 1000000 --scratch disk"
SOUND = Job(program=workload(STEP), around=disk(60, {"read_bps": 20_000_000}))

PLANT = Plant(
    rule="file-wait",
    how="2 ranks read 1 MB of scratch each step from a disk of 20 MB/s, and the page cache keeps none of it",
    instead="the page cache keeps it",
    faulty=replace(SOUND, program=workload(f"{STEP} --past-cache 1")),
    sound=SOUND,
    mpis=("openmpi", "mpich"),
)
