"""Switch ports with little memory: what eight hosts send at once does not fit."""

from __future__ import annotations

from dataclasses import replace

from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SHAPE = Shape(hosts=8, rate_bps=20_000_000, buffer_bytes=4000)
FAULTY = Job(program=workload("--steps 20 --sleep-ms 10 --alltoall 32000"), shape=SHAPE)

PLANT = Plant(
    rule="congestion-loss",
    how="8 hosts, links of 20 Mbit/s; each switch port holds 4 kB and drops what does not fit",
    instead="no port ever drops",
    faulty=FAULTY,
    sound=replace(FAULTY, shape=replace(SHAPE, buffer_bytes=DEEP)),
    mpis=("openmpi", "mpich"),
)
