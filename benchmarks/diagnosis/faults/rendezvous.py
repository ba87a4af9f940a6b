"""Blocks above the MPI's eager limit, on a network that loses nothing: the links idle."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

FAULTY = Job(
    program=workload("--steps 40 --compute-ms 2 --alltoall 67584"),
    shape=Shape(hosts=4, rate_bps=20_000_000, buffer_bytes=DEEP),
)
AT_ONCE = Change(parameters=(("btl_tcp_eager_limit", "262144"), ("btl_tcp_rndv_eager_limit", "262144")))

PLANT = Plant(
    rule="rendezvous",
    how="4 hosts, links of 20 Mbit/s without losses; blocks of 67,584 bytes, for which Open MPI uses rendezvous",
    instead="Open MPI is told to send them eagerly",
    faulty=FAULTY,
    sound=replace(FAULTY, change=AT_ONCE),
)
