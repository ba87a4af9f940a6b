"""A host whose ranks get a small part of a core."""

from __future__ import annotations

from dataclasses import replace

from clearway.testbed import DEEP, Shape
from clearway.testbed.fault import Fault
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SHAPE = Shape(hosts=4, rate_bps=40_000_000, buffer_bytes=DEEP)
SOUND = Job(program=workload("--steps 60 --compute-ms 5 --sleep-ms 50 --halo 5000 --allreduce 64"), shape=SHAPE)

PLANT = Plant(
    rule="slow-host",
    how="4 hosts; a control group gives everything on node2 a twentieth of a core",
    instead="none is slowed down",
    faulty=replace(SOUND, shape=replace(SHAPE, faults=(Fault(node=2, cpu_share=0.05),))),
    sound=SOUND,
)
