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

EVEN_BESIDE = Job(program=workload("--steps 100 --compute-ms 20 --halo 4000000 --allreduce 64"))
EVEN_LONG = Job(program=workload("--steps 100 --compute-ms 40 --halo 10000 --allreduce 64"))

# Waits of 3.8 ms, 4.5 % of the rank-seconds: the rule names those of 2 ms, and 3 %.
SLIGHT = replace(
    PLANT,
    how="2 ranks, of which one computes 1.1 times as long as the other",
    faulty=replace(
        EVEN_LONG,
        program=workload("--steps 100 --compute-ms 38 --slow-rank 1 --slow-factor 1.1 --halo 10000 --allreduce 64"),
    ),
    sound=EVEN_LONG,
)

HARD = replace(
    PLANT,
    how="2 ranks that send each other 4 MB a step, of which one computes half as long again as the other",
    faulty=replace(
        EVEN_BESIDE,
        program=workload("--steps 100 --compute-ms 16 --slow-rank 1 --slow-factor 1.5 --halo 4000000 --allreduce 64"),
    ),
    sound=EVEN_BESIDE,
)
