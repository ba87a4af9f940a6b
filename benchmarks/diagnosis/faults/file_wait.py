"""Scratch files on a disk that is slow, and not in the page cache."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant
from diagnosis.surroundings import disk

SOUND = Job(
    program=workload("--steps 40 --compute-ms 20 --allreduce 64 --read 1000000 --scratch disk"), around=disk(60, {})
)

PLANT = Plant(
    rule="file-wait",
    how="2 ranks read 1 MB of scratch a step, which the page cache does not keep, from a disk of 20 MB/s",
    instead="the disk is not slowed down",
    faulty=replace(SOUND, around=disk(60, {"read_bps": 20_000_000})),
    sound=SOUND,
    besides=frozenset({"file-wait"}),  # reading past the page cache costs something on any disk
    mpis=("openmpi", "mpich"),
)
