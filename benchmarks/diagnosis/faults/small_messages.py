"""Many small messages one after the other, where one large one would do."""

from __future__ import annotations

from dataclasses import replace

from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SHAPE = Shape(hosts=4, rate_bps=100_000_000, buffer_bytes=DEEP, latency_us=500)
SOUND = Job(program=workload("--steps 40 --sleep-ms 40 --halo 6400"), shape=SHAPE)

PLANT = Plant(
    rule="small-messages",
    how="4 hosts, 1 ms round trip; halos are exchanged in 100 messages of 64 bytes, each waited for",
    instead="in one of 6,400",
    faulty=replace(SOUND, program=workload("--steps 40 --sleep-ms 40 --halo 64 --halo-messages 100")),
    sound=SOUND,
    mpis=("openmpi", "mpich"),
)
