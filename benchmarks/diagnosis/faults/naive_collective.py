"""An allgather that sends everything through one rank."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SOUND = Job(
    program=workload("--steps 20 --sleep-ms 20 --allgatherv 40000"),
    shape=Shape(hosts=8, rate_bps=20_000_000, buffer_bytes=DEEP),
)
LINEAR = Change(
    parameters=(("coll_tuned_use_dynamic_rules", "1"), ("coll_tuned_allgatherv_algorithm", "1")),
)

PLANT = Plant(
    rule="naive-collective",
    how="8 hosts; Open MPI is told to make MPI_Allgatherv by gathering at one rank and broadcasting from it",
    instead="it chooses itself, a ring",
    faulty=replace(SOUND, change=LINEAR),
    sound=SOUND,
)
