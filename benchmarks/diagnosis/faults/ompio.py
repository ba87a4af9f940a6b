"""Open MPI's OMPIO reads a file of all ranks from a slow disk."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant
from diagnosis.surroundings import disk


def on(step: str, *, slow: bool) -> Job:
    limits = {"read_bps": 20_000_000} if slow else {}
    return Job(program=workload(f"{step} --scratch disk"), around=disk(60, limits))


STEP = "--steps 60 --compute-ms 10 --mpi-read 1000000"
PLANT = Plant(
    rule="ompio",
    how="2 ranks read 1 MB each a step by MPI_File_read_at_all, past the page cache, from a disk of 20 MB/s",
    instead="the disk is not slow",
    faulty=on(STEP, slow=True),
    sound=on(STEP, slow=False),
    quick=False,
)

SLIGHT_STEP = "--steps 40 --compute-ms 60 --mpi-read 100000"
SLIGHT = replace(
    PLANT,
    how="the same, 100 kB a step, and they compute 60 ms",
    faulty=on(SLIGHT_STEP, slow=True),
    sound=on(SLIGHT_STEP, slow=False),
)

HARD_STEP = "--steps 40 --compute-ms 40 --slow-rank 1 --slow-factor 2 --allreduce 64 --mpi-read 500000"
HARD = replace(
    PLANT,
    how="the same, 500 kB a step, and one rank computes twice as long as the other",
    faulty=on(HARD_STEP, slow=True),
    sound=on(HARD_STEP, slow=False),
    besides=frozenset({"load-imbalance"}),
)
