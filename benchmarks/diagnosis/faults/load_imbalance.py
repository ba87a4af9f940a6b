"""One rank has more to compute."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SOUND = Job(program=workload("--steps 200 --compute-ms 20 --halo 10000 --allreduce 64"))

PLANT = Plant(
    rule="load-imbalance",
    how="2 ranks, of which one computes three times as long as the other",
    instead="both compute what these do on average",
    faulty=replace(
        SOUND, program=workload("--steps 200 --compute-ms 10 --slow-rank 1 --slow-factor 3 --halo 10000 --allreduce 64")
    ),
    sound=SOUND,
    mpis=("openmpi", "mpich"),
)
