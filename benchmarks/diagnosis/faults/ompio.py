"""Open MPI's OMPIO reads a file of all ranks from a slow disk."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant
from diagnosis.surroundings import disk


def on(step: str, bytes_per_s: int | None) -> Job:
    limits = {} if bytes_per_s is None else {"read_bps": bytes_per_s}
    return Job(program=workload(f"{step} --scratch disk"), around=disk(60, limits))


STEP = "--steps 60 --compute-ms 10 --mpi-read 1000000"
PLANT = Plant(
    rule="ompio",
    how="2 ranks read 1 MB each a step by MPI_File_read_at_all, past the page cache, from a disk of 20 MB/s",
    instead="the disk is not slow",
    faulty=on(STEP, 20_000_000),
    sound=on(STEP, None),
    besides=frozenset({"file-wait"}),  # they go past the page cache there, too
    quick=False,
)

# The kernel lets through at once what a tenth of a second would bring.
SLIGHT_STEP = "--steps 12 --compute-ms 1200 --mpi-read 200000"
SLIGHT = replace(
    PLANT,
    how="the same, 200 kB from a disk of 2 MB/s, and they compute 1.2 s a step",
    faulty=on(SLIGHT_STEP, 2_000_000),
    sound=on(SLIGHT_STEP, None),
)

HARD_STEP = "--steps 30 --compute-ms 40 --slow-rank 1 --slow-factor 2 --allreduce 64 --mpi-read 500000"
HARD = replace(
    PLANT,
    how="the same, 500 kB from a disk of 5 MB/s, and one rank computes twice as long as the other",
    faulty=on(HARD_STEP, 5_000_000),
    sound=on(HARD_STEP, None),
    besides=PLANT.besides | {"load-imbalance"},
)
