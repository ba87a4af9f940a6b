"""The MPI goes by the slower of two network cards."""

from __future__ import annotations

from dataclasses import replace

from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SOUND = Job(
    program=workload("--steps 40 --sleep-ms 20 --halo 30000"),
    shape=Shape(hosts=4, rate_bps=40_000_000, buffer_bytes=DEEP, second_card_bps=5_000_000),
    device="eth0",
)

PLANT = Plant(
    rule="slow-card",
    how="4 hosts with a card of 40 Mbit/s and one of 5 Mbit/s; the MPI is told to use the second",
    instead="the first",
    faulty=replace(SOUND, device="eth1"),
    sound=SOUND,
    mpis=("openmpi", "mpich"),
)
