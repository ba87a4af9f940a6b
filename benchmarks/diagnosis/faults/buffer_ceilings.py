"""The MPI asks for large buffers, and the kernel's ceilings do not let it have them."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant
from diagnosis.surroundings import low_ceilings

SOUND = Job(
    program=workload("--steps 30 --sleep-ms 20 --halo 400000"),
    shape=Shape(hosts=2, rate_bps=50_000_000, buffer_bytes=DEEP, latency_us=20_000),
    change=Change(parameters=(("btl_tcp_sndbuf", "1000000"), ("btl_tcp_rcvbuf", "1000000"))),
)

PLANT = Plant(
    rule="buffer-ceilings",
    how="2 hosts, 50 Mbit/s, 40 ms round trip: 250 kB are in flight; Open MPI asks for buffers of 1 MB, "
    "and net.core.rmem_max and wmem_max allow 64 kB",
    instead="they have this machine's values",
    faulty=replace(SOUND, around=low_ceilings(65_536)),
    sound=SOUND,
    quick=False,  # changes a setting of the whole machine while it runs
)
