"""A host runs fewer processes than were asked for."""

from __future__ import annotations

from dataclasses import replace

from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SOUND = Job(
    program=workload("--steps 60 --compute-ms 2 --sleep-ms 50 --halo 5000 --allreduce 64"),
    shape=Shape(hosts=4, rate_bps=40_000_000, buffer_bytes=DEEP),
    per_host=2,
)

PLANT = Plant(
    rule="missing-ranks",
    how="4 hosts with two ranks each, but node3 with one",
    instead="two on each",
    faulty=replace(SOUND, per_host=(2, 2, 1, 2)),
    sound=SOUND,
    cost_known=False,
)
