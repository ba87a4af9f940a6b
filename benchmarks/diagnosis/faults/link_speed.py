"""One host's link runs at a tenth of the others' rate."""

from __future__ import annotations

from dataclasses import replace

from clearway.testbed import DEEP, Shape
from clearway.testbed.fault import Fault
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SHAPE = Shape(hosts=4, rate_bps=40_000_000, buffer_bytes=DEEP)
SOUND = Job(program=workload("--steps 40 --sleep-ms 20 --halo 30000"), shape=SHAPE)

PLANT = Plant(
    rule="link-speed",
    how="4 hosts, links of 40 Mbit/s, one of them of 4 Mbit/s, like a card that negotiated a tenth of its rate",
    instead="all alike",
    faulty=replace(SOUND, shape=replace(SHAPE, faults=(Fault(node=3, rate_bps=4_000_000),))),
    sound=SOUND,
)
